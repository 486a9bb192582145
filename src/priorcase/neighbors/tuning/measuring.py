"""Scores of candidates: by leave-one-out, or over folds where something is learned from the targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.exceptions import TuningError
from priorcase.neighbors.tuning.candidates import Group, locate
from priorcase.neighbors.tuning.choosing import best_candidate
from priorcase.neighbors.tuning.core import grid_sums
from priorcase.neighbors.tuning.folds import deal
from priorcase.neighbors.tuning.problem import Problem
from priorcase.neighbors.tuning.scores import CLASS_SCORES, NUMBER_SCORES, Sums
from priorcase.neighbors.voters import SLACK
from priorcase.neighbors.weights import learns_weights
from priorcase.similarity import resolve

FOLDS = 10
"""How many folds there are where a distance or attribute weights are learned from the targets."""

_BLOCKS = 128
_MOST_SUMS = 1 << 21

Step = Callable[[], None]
"""Called whenever a fit was scored."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Groups of candidates with their scores, one column for each candidate of each group, in order."""

    groups: Sequence[Group]
    sums: Sums

    def means(self) -> dict[str, FloatArray]:
        """The mean of each score, for each candidate."""
        return {name: self.sums.mean(name) for name in self.sums.of if name != "surprise"}


def measure(problem: Problem, groups: Sequence[Group], step: Step) -> Measured:
    """The scores of all candidates; those of more neighbours than there are rows are left out."""
    rows = problem.asked_rows.size
    n_blocks = max(1, min(_BLOCKS, rows, _MOST_SUMS // max(len(group.grid) for group in groups)))
    blocks = np.searchsorted(problem.asked_rows, np.arange(len(problem.truth)), side="right") - 1
    blocks = np.maximum(blocks, 0) * n_blocks // rows
    usable, found = [], []
    for group in groups:
        kept, sums = _of_group(problem, group, blocks, n_blocks, step)
        usable.append(kept)
        found.append(sums)
    joined = {name: np.concatenate([sums.of[name] for sums in found], axis=1) for name in found[0].of}
    return Measured(usable, Sums(joined, found[0].weights))


def choose(measured: Measured, scoring: str) -> tuple[Group, int, int]:
    """The chosen candidate: its group, which of the group's candidates it is, and which of all."""
    shapes = [group.grid.shape for group in measured.groups]
    candidate = best_candidate(measured.sums, scoring, shapes)
    return *locate(measured.groups, candidate), candidate


def nested_scores(
    problem: Problem, groups: Sequence[Group], scoring: str, n_folds: int, step: Step
) -> dict[str, float]:
    """Scores of rows that took no part in the choice: in each fold the others choose, learn and answer."""
    folds = deal(problem.strata, n_folds, problem.seed)
    everything = np.zeros(len(problem.truth), dtype=np.int64)
    total = Sums.zero(_names(problem), 1, 1)
    for fold in range(n_folds):
        rows, others = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        part = problem.part(others)
        group, candidate, _ = choose(measure(part, groups, step), scoring)
        alone = replace(group, grid=group.grid.only(candidate))
        total += _of_fit(problem, part, alone, rows, everything, 1)
        step()
    return {name: float(total.mean(name)[0]) for name in total.of if name != "surprise"}


def steps(problem: Problem, groups: Sequence[Group], nested: int) -> int:
    """How often `measure` and `nested_scores` call their step."""
    once = sum(FOLDS if learns_from_targets(problem, group) else 1 for group in groups)
    return once * (1 + nested) + nested


def learns_from_targets(problem: Problem, group: Group) -> bool:
    """Whether a distance or attribute weights are made from the targets: a row must then be held back to be asked."""
    differences = resolve(group.distance).differences(problem.base.schema_)
    return learns_weights(group.attribute_weights) or any(difference.needs_classes for difference in differences)


def _of_group(problem: Problem, group: Group, blocks: IntArray, n_blocks: int, step: Step) -> tuple[Group, Sums]:
    weight = float(problem.weights.sum())
    if not learns_from_targets(problem, group):
        group = _up_to(problem, group, weight - 1.0)
        model = problem.searched(group.distance, group.attribute_weights)
        asked = problem.left_out(model, blocks)
        sums = grid_sums(
            asked, group.grid, problem.targets(model, group.grid), model._rules.ties, n_blocks, threads=_threads(model)
        )
        step()
        return group, sums
    folds = deal(problem.strata, min(FOLDS, len(problem.truth)), problem.seed)
    group = _up_to(problem, group, weight - float(np.bincount(folds, problem.weights).max()))
    sums = Sums.zero(_names(problem), n_blocks, len(group.grid))
    for fold in range(int(folds.max()) + 1):
        rows = problem.asked_rows[folds[problem.asked_rows] == fold]
        if rows.size:
            sums += _of_fit(problem, problem.part(np.flatnonzero(folds != fold)), group, rows, blocks, n_blocks)
        step()
    return group, sums


def _of_fit(problem: Problem, part: Problem, group: Group, rows: IntArray, blocks: IntArray, n_blocks: int) -> Sums:
    """The scores of some rows by a fit on others."""
    model = part.searched(group.distance, group.attribute_weights)
    asked, targets = problem.held_back(model, rows, blocks), problem.targets(model, group.grid)
    return grid_sums(asked, group.grid, targets, model._rules.ties, n_blocks, threads=_threads(model))


def _up_to(problem: Problem, group: Group, weight: float) -> Group:
    grid = group.grid.up_to(int(weight * (1 + SLACK)))
    if not grid.n_neighbors:
        raise TuningError.too_few(float(problem.weights.sum()))
    return replace(group, grid=grid)


def _names(problem: Problem) -> tuple[str, ...]:
    return CLASS_SCORES if problem.has_classes else NUMBER_SCORES


def _threads(model: Any) -> int:
    return int(model._threads())
