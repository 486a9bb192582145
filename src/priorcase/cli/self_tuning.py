"""Neighbours whose options are chosen in every fit, so that a comparison pays for the choice as a user would."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from priorcase._typing import AnyArray, FloatArray
from priorcase.neighbors import KNNClassifier, KNNRegressor

__all__ = ["SelfTuningClassifier", "SelfTuningRegressor"]


class _SelfTuning(BaseEstimator):
    """What ``priorcase predict --tune`` answers with.

    Parameters
    ----------
    attribute_weights, ties
        As of the neighbours; they are not chosen.
    random_state
        Where random numbers begin.
    """

    model_: Any

    def __init__(self, *, attribute_weights: Any = None, ties: Any = "majority", random_state: Any = None) -> None:
        self.attribute_weights = attribute_weights
        self.ties = ties
        self.random_state = random_state

    def predict(self, X: Any) -> AnyArray:
        """What the nearest past cases say."""
        answers: AnyArray = np.asarray(self.model_.predict(X))
        return answers

    def _tuned(self, make: type[KNNClassifier] | type[KNNRegressor], X: Any, y: Any) -> Any:
        return make.tuned(
            X,
            y,
            nested=None,
            progress=False,
            random_state=self.random_state,
            attribute_weights=self.attribute_weights,
            ties=self.ties,
        )


class SelfTuningClassifier(ClassifierMixin, _SelfTuning):
    """Classes from neighbours whose number, distance, vote, prior and temperature are chosen by leave-one-out."""

    classes_: AnyArray

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the options, and store the past cases."""
        self.model_ = self._tuned(KNNClassifier, X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """The probability of each class."""
        shares: FloatArray = np.asarray(self.model_.predict_proba(X))
        return shares


class SelfTuningRegressor(RegressorMixin, _SelfTuning):
    """Numbers from neighbours whose number, distance and vote are chosen by leave-one-out."""

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the options, and store the past cases."""
        self.model_ = self._tuned(KNNRegressor, X, y)
        return self
