"""Scores of candidates by polls, one after the other: for votes that the core does not know and for odd rows."""

from __future__ import annotations

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.neighbors import tally
from priorcase.neighbors.deciding import LeftOut, decide
from priorcase.neighbors.polling import ENTRIES, Poll, Rules, rank, refuse_overflow
from priorcase.neighbors.tally import Ties
from priorcase.neighbors.tuning.asked import Asked
from priorcase.neighbors.tuning.grid import Grid
from priorcase.neighbors.tuning.scores import CLASS_SCORES, NUMBER_SCORES, Sums
from priorcase.neighbors.tuning.targets import ClassTargets, NumberTargets, Targets


def slow_sums(asked: Asked, grid: Grid, targets: Targets, ties: Ties, n_blocks: int, *, threads: int) -> Sums:
    """The sums of all scores; what `core_sums` gives, for any vote."""
    classes = isinstance(targets, ClassTargets)
    sums = Sums.zero(CLASS_SCORES if classes else NUMBER_SCORES, n_blocks, len(grid))
    np.add.at(sums.weights, asked.blocks, asked.times)
    size = max(1, ENTRIES // (8 * max(grid.n_neighbors)))
    for start in range(0, len(asked), size):
        part = asked.part(np.arange(start, min(start + size, len(asked))))
        _add_block(sums, part, grid, targets, ties, threads)
    return sums


def _add_block(sums: Sums, asked: Asked, grid: Grid, targets: Targets, ties: Ties, threads: int) -> None:
    _, n_ks, n_priors, n_temperatures = grid.shape
    for v, choice in enumerate(grid.votes):
        rules = Rules(choice.rule, ties)
        ranked = rank(asked.memory, asked.cells, max(grid.n_neighbors), rules, threads=threads, own=asked.own)
        bandwidth = choice.rule.needs_bandwidth
        farthest = ranked.cut(max(grid.n_neighbors), whole_ties=rules.whole_ties, bandwidth=bandwidth)
        refuse_overflow(asked.memory, asked.cells, ranked, farthest)
        for i, k in enumerate(grid.n_neighbors):
            poll = rules.poll(ranked, k, 0)
            first = (v * n_ks + i) * n_priors * n_temperatures
            if isinstance(targets, NumberTargets):
                _add(sums, asked, first, _errors(poll, asked, targets))
            else:
                _add_classes(sums, asked, first, poll, grid, targets, ties)


def _errors(poll: Poll, asked: Asked, targets: NumberTargets) -> dict[str, FloatArray]:
    with np.errstate(over="ignore"):
        errors = tally.means(poll.voters, poll.votes(), targets.stored) - asked.truth
        return {"squared_error": (errors * errors).mean(axis=1), "absolute_error": np.abs(errors).mean(axis=1)}


def _add_classes(
    sums: Sums, asked: Asked, first: int, poll: Poll, grid: Grid, targets: ClassTargets, ties: Ties
) -> None:
    left_out = None if asked.own is None else LeftOut.once(asked.own, asked.memory.row_weights)
    for p, priors in enumerate(targets.prior_weights()):
        chosen = decide(poll, ties, targets.outputs, priors, left_out)
        right = (chosen == asked.truth).mean(axis=1)
        for m, temperature in enumerate(grid.temperatures):
            scores = {"accuracy": right}
            for name in ("log_loss", "surprise", "brier"):
                scores[name] = np.zeros(len(asked))
            for t, classes in enumerate(targets.outputs):
                mass = tally.masses(poll.voters, poll.votes(), classes.codes, classes.labels.size)
                prior = priors[t]
                if prior is not None:
                    mass = tally.with_prior(mass, poll.voters.totals(), prior)
                for name, score in of_probabilities(tally.probabilities(mass, temperature), asked.truth[:, t]).items():
                    scores[name] += score / len(targets.outputs)
            _add(sums, asked, first + p * len(grid.temperatures) + m, scores)


def of_probabilities(proba: FloatArray, truth: IntArray) -> dict[str, FloatArray]:
    """Scores of each row's probabilities, given the position of the class that came true.

    Examples
    --------
    >>> scores = of_probabilities(np.array([[0.8, 0.1, 0.1]]), np.array([0]))
    >>> {name: score.round(3).tolist() for name, score in scores.items()}
    {'log_loss': [0.223], 'surprise': [2.303], 'brier': [0.06]}
    """
    rows, n = np.arange(truth.size), proba.shape[1]
    came = proba[rows, truth]
    others = proba.copy()
    others[rows, truth] = 0.0
    rest = others.sum(axis=1)
    with np.errstate(divide="ignore"):
        surprise = -np.log(rest / (n - 1)) if n > 1 else np.zeros(truth.size)
        return {"log_loss": -np.log(came), "surprise": surprise, "brier": rest * rest + (others * others).sum(axis=1)}


def _add(sums: Sums, asked: Asked, candidate: int, scores: dict[str, FloatArray]) -> None:
    for name, score in scores.items():
        np.add.at(sums.of[name][:, candidate], asked.blocks, score * asked.times)
