"""How many rows look as strange, left out, as a query would look with each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray
from priorcase.evaluation.conformal.left_out import LeftOut, over_folds
from priorcase.evaluation.conformal.strangeness import STRANGENESS, Nonconformity, class_shares
from priorcase.learning.resampling import taken_rows


@dataclass(frozen=True, eq=False)
class LeftOutScores:
    """Rows that were left out, to compare queries with.

    Parameters
    ----------
    source, folds
        The models that each lack a fold, and the rows of each fold.
    classes, targets
        All classes, and the position among them of each row's own.
    nonconformity
        What strangeness means.
    own_class
        Whether a class is compared with rows of that class only.
    n_jobs
        How many models answer at a time, and who asks.
    """

    source: LeftOut
    folds: Sequence[IdArray]
    classes: AnyArray
    targets: IntArray
    nonconformity: Nonconformity
    own_class: bool
    n_jobs: int | None

    def scores(self, X: Any, draws: FloatArray | None) -> FloatArray:
        """The strangeness of each row with its own class, under the model that lacks its fold."""
        found = np.empty(self.targets.size)
        for part, answers in over_folds(partial(self._of_own_rows, X), len(self.folds), self.n_jobs, "left-out scores"):
            for fold, shares in zip(part, answers, strict=True):
                rows = self.folds[fold]
                strange = STRANGENESS[self.nonconformity](shares, None if draws is None else draws[rows])
                found[rows] = strange[np.arange(rows.size), self.targets[rows]]
        return found

    def counts(self, X: Any, m: int, scores: FloatArray, draws: FloatArray | None) -> IdArray:
        """For each query and class, how many rows compared with are no less strange; shape (queries, classes)."""
        found = np.zeros((m, self.classes.size), dtype=np.int64)
        task = partial(self._no_less_strange, X, scores, draws)
        for _, counts in over_folds(task, len(self.folds), self.n_jobs, "p-values"):
            found += counts
        return found

    def compared(self) -> IdArray:
        """How many rows each class is compared with."""
        if not self.own_class:
            return np.full(self.classes.size, self.targets.size)
        return np.bincount(self.targets, minlength=self.classes.size)

    def _of_own_rows(self, X: Any, part: range) -> list[FloatArray]:
        return [self._shares(fold, taken_rows(X, self.folds[fold])) for fold in part]

    def _no_less_strange(self, X: Any, scores: FloatArray, draws: FloatArray | None, part: range) -> IdArray:
        """The counts over the rows of some folds."""
        total: IdArray | int = 0
        for fold in part:
            strange, rows = STRANGENESS[self.nonconformity](self._shares(fold, X), draws), self.folds[fold]
            for c in range(self.classes.size):
                among = np.sort(scores[rows[self.targets[rows] == c]] if self.own_class else scores[rows])
                strange[:, c] = among.size - np.searchsorted(among, strange[:, c])
            total = total + strange.astype(np.int64)
        return np.asarray(total)

    def _shares(self, fold: int, X: Any) -> FloatArray:
        return class_shares(self.source.without(fold), X, self.classes)
