"""Learners of a line or two for tests of what goes around learners; their answers are exact on whole numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin


class Nearest(RegressorMixin, BaseEstimator):
    """The target of the first nearest row of one column; its spread is the distance there."""

    def fit(self, X: Any, y: Any) -> Self:
        self.rows_, self.targets_ = np.asarray(X, dtype=float)[:, 0], np.asarray(y, dtype=float)
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        off = np.abs(np.asarray(X, dtype=float)[:, :1] - self.rows_)
        found = self.targets_[off.argmin(axis=1)]
        return (found, off.min(axis=1)) if return_std else found


class Middle(RegressorMixin, BaseEstimator):
    """The lower median of all targets; it does not look at the rows."""

    def fit(self, X: Any, y: Any) -> Self:
        self.middle_ = np.sort(np.asarray(y, dtype=float))[(len(y) - 1) // 2]
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.middle_)


class FourNearest(ClassifierMixin, BaseEstimator):
    """The classes among the four nearest rows of one column: probabilities are quarters, which floats hold exactly."""

    def fit(self, X: Any, y: Any) -> Self:
        self.rows_ = np.asarray(X, dtype=float)[:, 0]
        self.classes_, self.targets_ = np.unique(np.asarray(y), return_inverse=True)
        return self

    def predict_proba(self, X: Any) -> Any:
        off = np.abs(np.asarray(X, dtype=float)[:, :1] - self.rows_)
        near = self.targets_[np.argsort(off, axis=1, kind="stable")[:, :4]]
        return np.stack([(near == c).sum(axis=1) / near.shape[1] for c in range(self.classes_.size)], axis=1)

    def predict(self, X: Any) -> Any:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
