"""A learner that repeats answers it was given, so that scorers of scikit-learn can ask for them."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.evaluation.answers import Answers


class _Echo(BaseEstimator):
    """Repeats answers; its rows are their numbers."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any) -> _Echo:
        """Nothing: the answers are there."""
        return self

    def predict(self, X: IntArray) -> AnyArray:
        """The predictions of some rows."""
        if self.answers.predicted is None:
            raise AttributeError("the learner was not asked for predictions")
        return self.answers.predicted[X]


class _ClassEcho(ClassifierMixin, _Echo):
    @property
    def classes_(self) -> AnyArray:
        """The classes of the whole table."""
        return self.answers.labels

    @available_if(lambda self: self.answers.proba is not None)  # scorers look whether a learner has it at all
    def predict_proba(self, X: IntArray) -> FloatArray:
        """The probabilities of some rows."""
        assert self.answers.proba is not None
        return self.answers.proba[X]


class _NumberEcho(RegressorMixin, _Echo):
    pass


def Echo(answers: Answers) -> Any:  # stands for a class of estimators
    """A fitted learner that repeats answers to scorers, which pass row numbers in place of rows.

    Examples
    --------
    >>> import numpy as np
    >>> told = Answers(np.array([1.0]), np.array([1.5]), None, None, np.empty(0))
    >>> Echo(told).predict(np.array([0]))
    array([1.5])
    """
    return _ClassEcho(answers) if answers.labels.size else _NumberEcho(answers)
