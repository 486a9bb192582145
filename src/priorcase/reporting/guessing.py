"""The answers of someone who looks at no column: what every learner has to beat."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from priorcase._typing import AnyArray, FloatArray

__all__ = ["GuessedClass", "GuessedNumber"]


class GuessedClass(ClassifierMixin, BaseEstimator):
    """The share of each class among the rows, whatever is asked; scikit-learn's DummyClassifier for any table.

    Examples
    --------
    >>> GuessedClass().fit([[1], [2], [3], [4]], ["no", "no", "no", "yes"]).predict_proba([[5]])
    array([[0.75, 0.25]])
    """

    classes_: AnyArray
    shares_: FloatArray

    def fit(self, X: Any, y: Any) -> Self:
        """Count the classes."""
        self.classes_, counts = np.unique(np.asarray(y), return_counts=True)
        self.shares_ = counts / counts.sum()
        return self

    def predict(self, X: Any) -> AnyArray:
        """The most frequent class."""
        frequent: AnyArray = self.classes_[np.full(len(X), self.shares_.argmax())]
        return frequent

    def predict_proba(self, X: Any) -> FloatArray:
        """The shares."""
        return np.tile(self.shares_, (len(X), 1))


class GuessedNumber(RegressorMixin, BaseEstimator):
    """The mean of the targets, whatever is asked.

    Examples
    --------
    >>> GuessedNumber().fit([[1], [2]], [10.0, 20.0]).predict([[5]])
    array([15.])
    """

    mean_: float

    def fit(self, X: Any, y: Any) -> Self:
        """Take the mean."""
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X: Any) -> FloatArray:
        """The mean."""
        return np.full(len(X), self.mean_)
