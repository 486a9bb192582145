"""Learners of the caller's own, which get their rows in the make in which the table came."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone, is_classifier
from sklearn.utils.metaestimators import available_if

from priorcase._typing import AnyArray, FloatArray
from priorcase.datasets.columns import NamedColumns
from priorcase.schema import Numeric
from priorcase.schema.schema import backend_of

__all__ = ["given", "make_of"]


def make_of(X: Any) -> str:
    """The make of a table: ``"pandas"``, ``"polars"``, ``"pyarrow"``, ``"named"`` or ``"array"``.

    Examples
    --------
    >>> make_of([[1, 2]]), make_of(np.zeros((1, 2)))
    ('array', 'array')
    """
    if isinstance(X, NamedColumns):
        return "named"
    found = backend_of(X)
    return "array" if found is None else found if found in ("pandas", "polars", "pyarrow") else "pandas"


def given(learner: Any, make: str) -> Any:
    """A learner that is given rows in some make; unchanged where it takes named columns."""
    if make == "named" or type(learner).__module__.startswith("priorcase."):
        return learner
    return (_GivenClassifier if is_classifier(learner) else _GivenRegressor)(learner, make)


class _Given(BaseEstimator):
    """A learner behind a door that turns named columns into what it takes."""

    model_: Any

    def __init__(self, learner: Any, make: str) -> None:
        self.learner = learner
        self.make = make

    def fit(self, X: NamedColumns, y: Any) -> Self:
        """Fit a copy of the learner."""
        self.model_ = clone(self.learner).fit(self._made(X), y)
        return self

    def predict(self, X: NamedColumns) -> AnyArray:
        """What the learner predicts."""
        return np.asarray(self.model_.predict(self._made(X)))

    def _made(self, X: NamedColumns) -> Any:
        if self.make != "array":
            return X.frame(self.make)  # type: ignore[arg-type]
        columns = list(X.data.values())
        numeric = all(isinstance(kind, Numeric) for kind in X.kinds.values())
        return np.column_stack(columns) if numeric else np.array(columns, dtype=object).T


class _GivenClassifier(ClassifierMixin, _Given):
    @property
    def classes_(self) -> AnyArray:
        """The classes."""
        return np.asarray(self.model_.classes_)

    @available_if(lambda self: hasattr(self.learner, "predict_proba"))
    def predict_proba(self, X: NamedColumns) -> FloatArray:
        """The probability of each class."""
        return np.asarray(self.model_.predict_proba(self._made(X)))


class _GivenRegressor(RegressorMixin, _Given):
    pass
