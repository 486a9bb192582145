"""Stretching the axes: weights for which rows, voting softly, tell each other's targets with the least loss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray, IdArray
from priorcase.learning.progress import Advance, bar
from priorcase.relevance.descent import descend
from priorcase.relevance.evidence import Evidence
from priorcase.relevance.one_by_one import one_by_one
from priorcase.relevance.sampling import shuffled
from priorcase.relevance.soft_votes import SoftVotes, Told

STRENGTHS = (0.001, 0.003, 0.01, 0.03, 0.1)
"""Strengths of the penalty that are tried where none is given."""

# Rows that vote, and rows that are told; fewer where there are many attributes.
_MOST_ROWS = 8_000
_MOST_TOLD = 1_000
_MOST_TERMS = 20 * _MOST_ROWS * _MOST_TOLD
_FEW_TOLD = 250
# Up to this many rows every fifth is held back in turn, so that all take part in the choice of the strength.
_FEW_ROWS = 500
_FOLDS = 5
_LEAST_ROWS = 10
_SHARPNESS = 2.0 ** np.arange(0, 17)


@dataclass(frozen=True, slots=True)
class _Split:
    """Rows to learn from and rows held back: places of those to be told, and how often each row votes."""

    learn: IdArray
    held: IdArray
    votes: FloatArray


def stretched(evidence: Evidence, *, loss: str | None, strength: float | None, steps: int) -> FloatArray:
    """One weight for each attribute, the largest 1; all 0 where nothing can be learned.

    Parameters
    ----------
    evidence
        The rows.
    loss
        The name of the loss; None for that of the target's sort.
    strength
        The strength of the penalty; None to choose it on rows held back.
    steps
        Gradient steps for each strength.
    """
    listed = one_by_one(evidence)
    told = Told.by(listed.labels, listed.numbers, listed.times, loss)
    if len(listed) < _LEAST_ROWS or not told.guess > 0.0:
        return np.zeros(evidence.width)
    places, most = _taking_part(len(listed), evidence.width)
    rows = listed.rows[places]
    votes = SoftVotes(evidence, rows, told.at(places))
    folds = _splits(votes, most) if strength is None else []
    alone = rows.size > _FEW_ROWS or strength is not None
    strengths: tuple[float, ...] = STRENGTHS if strength is None else (strength,)
    with bar(len(strengths) * (len(folds) + 1), shown=rows.size > _FEW_ROWS, text=evidence.owner) as advance:
        if strength is None:
            found, chosen = _chosen(votes, folds[:1] if alone else folds, steps, advance, evidence.owner)
            if chosen is None:
                return np.ones(evidence.width)
            if alone:
                return _scaled(votes, found[chosen])
            strengths = STRENGTHS[: chosen + 1]
        whole = _Split(np.arange(rows.size)[:most], np.empty(0, np.int64), votes.times)
        return _scaled(votes, _path(votes, whole, strengths, steps, advance, evidence.owner)[-1])


def _chosen(
    votes: SoftVotes, folds: list[_Split], steps: int, advance: Advance, owner: str
) -> tuple[list[FloatArray], int | None]:
    """What was learned with each strength in the last fold, and the strength that tells rows held back best.

    None where no strength is better than weights that are all the same.
    """
    losses, found = np.zeros(len(STRENGTHS) + 1), []
    for fold in folds:
        found = _path(votes, fold, STRENGTHS, steps, advance, owner)
        even = np.where(votes.unit > 0, 1.0 / np.maximum(votes.unit, 1e-300), 0.0)
        tried = [*found, even / max(float(even.sum()), 1e-300)]
        losses += [_held_loss(votes, fold, weights) for weights in tried]
    best = int(losses.argmin())
    return found, None if best == len(STRENGTHS) else best


def _path(
    votes: SoftVotes, split: _Split, strengths: tuple[float, ...], steps: int, advance: Advance, owner: str
) -> list[FloatArray]:
    """Weights for each strength, each found from those before: loss plus strength times the sum of the weights."""
    weights, found = _start(votes, split, strengths[0]), []
    for strength in strengths:

        def penalised(tried: FloatArray, strength: float = strength) -> tuple[float, FloatArray]:
            value, gradient = votes.slope(tried, split.learn, split.votes)
            return value + strength * float(tried.sum()), gradient + strength

        weights = descend(penalised, weights, steps=steps)
        found.append(weights)
        advance(f"{owner}: weights")
    return found


def _start(votes: SoftVotes, split: _Split, strength: float) -> FloatArray:
    """Equal weights, as sharp as suits some of the rows to be told best, their penalty included."""
    even = np.full(votes.unit.size, 1.0 / votes.unit.size)
    return even * _sharpest(votes, even, split.learn[:_FEW_TOLD], split.votes, strength)[0]


def _held_loss(votes: SoftVotes, split: _Split, weights: FloatArray) -> float:
    """The loss on rows held back, by votes as sharp as suits them: only ratios of weights are to be judged."""
    return _sharpest(votes, weights, split.held, split.votes)[1] if weights.any() else np.inf


def _sharpest(
    votes: SoftVotes, weights: FloatArray, told: IdArray, voting: FloatArray, strength: float = 0.0
) -> tuple[float, float]:
    """The factor for the weights with the least penalised loss, a power of 2 up from 1, and that loss."""
    best, least, worse = 1.0, np.inf, 0
    for factor in _SHARPNESS.tolist():
        value = votes.loss(weights * factor, told, voting) + strength * factor * float(weights.sum())
        worse = worse + 1 if value >= least else 0
        if value < least:
            best, least = factor, value
        if worse == 2:
            break
    return best, least


def _taking_part(n: int, width: int) -> tuple[IdArray, int]:
    """Places of the rows that take part, in an order without pattern, and how many of them are to be told."""
    share = min(1.0, float(np.sqrt(_MOST_TERMS / (_MOST_ROWS * _MOST_TOLD * width))))
    most, told = int(_MOST_ROWS * share), int(_MOST_TOLD * share)
    return shuffled(n)[: max(most, 500)], max(told, 100)


def _splits(votes: SoftVotes, most: int) -> list[_Split]:
    """Every fifth row held back, in turn."""
    places, splits = np.arange(votes.size), []
    for fold in range(_FOLDS):
        held = places % _FOLDS == fold
        voting = np.where(held, 0.0, votes.times)
        splits.append(_Split(places[~held][:most], places[held][: most // 2], voting))
    return splits


def _scaled(votes: SoftVotes, weights: FloatArray) -> FloatArray:
    """Weights of the distance's own contributions, the largest 1."""
    found = weights * votes.unit
    largest = float(found.max(initial=0.0))
    return found / largest if largest > 0 else np.zeros(found.size)
