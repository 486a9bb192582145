"""Ends of intervals from what the models without each fold say of the queries."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from priorcase._typing import FloatArray, IdArray
from priorcase.evaluation.conformal.left_out import LeftOut, over_folds
from priorcase.evaluation.conformal.ranks import ordered, upper_rank
from priorcase.evaluation.conformal.residuals import reach, residuals, said
from priorcase.learning.resampling import taken_rows

_NUMBERS = 2**23
"""How many numbers are held at a time, one for each row and query: 64 MiB."""

Folds: TypeAlias = Sequence[IdArray]


def left_out_residuals(
    source: LeftOut, folds: Folds, X: Any, y: FloatArray, *, scaled: bool, n_jobs: int | None
) -> FloatArray:
    """The residual of each row under the model that lacks its fold."""
    found = np.empty(y.size)
    task = partial(_of_own_rows, source, folds, X, scaled=scaled)
    for part, answers in over_folds(task, len(folds), n_jobs, "left-out residuals"):
        for fold, answer in zip(part, answers, strict=True):
            found[folds[fold]] = residuals(y[folds[fold]], answer)
    return found


def _of_own_rows(source: LeftOut, folds: Folds, X: Any, part: range, *, scaled: bool) -> list[FloatArray]:
    return [said(source.without(fold), taken_rows(X, folds[fold]), scaled) for fold in part]


def _of_queries(source: LeftOut, X: Any, part: range, *, scaled: bool) -> list[FloatArray]:
    return [said(source.without(fold), X, scaled) for fold in part]


class Intervals:
    """Intervals around queries, from the residuals of rows that were left out.

    Parameters
    ----------
    source, folds
        The models that each lack a fold, and the rows of each fold.
    scores
        The residual of each row under the model that lacks it.
    scaled
        Whether residuals are in units of the models' own spread.
    n_jobs
        How many models answer at a time, and who asks.
    """

    def __init__(self, source: LeftOut, folds: Folds, scores: FloatArray, *, scaled: bool, n_jobs: int | None) -> None:
        self.source = source
        self.folds = folds
        self.scores = scores
        self.n_jobs = n_jobs
        self._ask = partial(_of_queries, source, scaled=scaled)

    def plus(self, X: Any, m: int, level: Fraction) -> FloatArray:
        """Order statistics of ``prediction - reach`` and ``prediction + reach`` over all rows (Barber et al. 2021)."""
        n, rank = self.scores.size, upper_rank(level, self.scores.size)
        found = np.tile([-np.inf, np.inf], (m, 1))
        if rank > n:
            return found
        at_once = max(1, _NUMBERS // n)
        for start in range(0, m, at_once):
            rows = np.arange(start, min(start + at_once, m))
            lower, upper = self._ends(X if rows.size == m else taken_rows(X, rows), rows.size)
            found[rows, 0], found[rows, 1] = ordered(lower, n + 1 - rank), ordered(upper, rank)
        return found

    def minmax(self, X: Any, m: int, level: Fraction) -> FloatArray:
        """From the smallest to the largest prediction, and beyond both by one order statistic of the residuals."""
        residual = ordered(self.scores[None], upper_rank(level, self.scores.size))
        found = np.tile([np.inf, -np.inf], (m, 1))
        for _, answers in over_folds(partial(self._ask, X), len(self.folds), self.n_jobs, "intervals"):
            for prediction, spread in answers:
                within = reach(residual, spread)
                found[:, 0] = np.minimum(found[:, 0], prediction - within)
                found[:, 1] = np.maximum(found[:, 1], prediction + within)
        return found

    def _ends(self, X: Any, m: int) -> tuple[FloatArray, FloatArray]:
        """One lower and one upper end for each query and row, rows in the order of their folds."""
        lower, upper = np.empty((m, self.scores.size)), np.empty((m, self.scores.size))
        starts = np.cumsum([0, *map(len, self.folds)])
        for part, answers in over_folds(partial(self._ask, X), len(self.folds), self.n_jobs, "intervals"):
            for fold, (prediction, spread) in zip(part, answers, strict=True):
                rows = slice(starts[fold], starts[fold + 1])
                within = reach(self.scores[self.folds[fold]], spread[:, None])
                np.subtract(prediction[:, None], within, out=lower[:, rows])
                np.add(prediction[:, None], within, out=upper[:, rows])
        return lower, upper
