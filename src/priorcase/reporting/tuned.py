"""k-NN whose settings are chosen anew in every fit, so that a comparison pays for the choice as a user would."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from priorcase._typing import AnyArray, FloatArray
from priorcase.neighbors import KNNClassifier, KNNRegressor, Precedents
from priorcase.similarity import Gaussian

__all__ = ["TunedClassifier", "TunedRegressor"]

_ASKED = 1000
_SHARED = {
    "n_neighbors": (1, 3, 5, 8, 12, 20, 30, 50, 70, 100),
    "vote": ("uniform", "inverse_square", "epanechnikov", Gaussian(0.7)),
}
_CLASSES: dict[str, Any] = {**_SHARED, "prior": (0.3, 1.0, 3.0), "temperature": (0.7, 1.0, 1.3)}
CLASS_CANDIDATES: list[dict[str, Any]] = [
    {**_CLASSES, "distance": ("heom", "hvdm")},
    {**_CLASSES, "distance": ("heom",), "attribute_weights": ("relief",)},
]
"""What is tried for classes: 1,080 settings, by leave-one-out on at most 1,000 rows."""
NUMBER_CANDIDATES: list[dict[str, Any]] = [
    {**_SHARED, "distance": ("heom", "gower")},
    {**_SHARED, "distance": ("heom",), "attribute_weights": ("relief",)},
]
"""What is tried for numbers."""


class _Tuned(BaseEstimator):
    """k-NN that tunes itself when it is fitted."""

    model_: Any

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def predict(self, X: Any) -> AnyArray:
        """What the nearest rows say."""
        answers: AnyArray = np.asarray(self.model_.predict(X))
        return answers

    def precedents(self, X: Any) -> Precedents:
        """The rows that say so."""
        found: Precedents = self.model_.precedents(X)
        return found


class TunedClassifier(ClassifierMixin, _Tuned):
    """Classes from the nearest rows: distance, weights, k, vote, prior and temperature chosen by leave-one-out.

    Examples
    --------
    >>> from priorcase.datasets import load_repairs
    >>> X, y = load_repairs()
    >>> TunedClassifier().fit(X, y).predict_proba(X.take(slice(2))).shape
    (2, 4)
    """

    classes_: AnyArray

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the settings, and store the rows."""
        self.model_ = KNNClassifier.tuned(
            X, y, candidates=CLASS_CANDIDATES, nested=None, n_samples=_ASKED, progress=False, n_jobs=self.n_jobs
        )
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """The probability of each class."""
        shares: FloatArray = np.asarray(self.model_.predict_proba(X))
        return shares


class TunedRegressor(RegressorMixin, _Tuned):
    """Numbers from the nearest rows: distance, weights, k and vote chosen by leave-one-out."""

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the settings, and store the rows."""
        self.model_ = KNNRegressor.tuned(
            X, y, candidates=NUMBER_CANDIDATES, nested=None, n_samples=_ASKED, progress=False, n_jobs=self.n_jobs
        )
        return self
