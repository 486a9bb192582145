"""A learner that was fitted to the past cases, and how it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from priorcase.bayes import NaiveBayes, TreeAveragedBayes
from priorcase.bayes.subsets import SubsetAveragedBayes
from priorcase.cli.tables import Problem
from priorcase.concepts import IB1, IB2, IB3, IB4, PEBLS
from priorcase.exceptions import ParameterError
from priorcase.local import (
    LocallyWeightedClassifier,
    LocallyWeightedRegressor,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
)
from priorcase.neighbors import KNNClassifier, KNNRegressor

__all__ = ["ConceptLearner", "Estimator", "Fitted", "Weighted", "check_neighbors", "details_text", "weights_in_use"]

ConceptLearner: TypeAlias = IB1 | IB2 | IB3 | IB4
Weighted: TypeAlias = (
    KNNClassifier
    | KNNRegressor
    | LocallyWeightedClassifier
    | LocallyWeightedRegressor
    | RBFNetworkClassifier
    | RBFNetworkRegressor
)
"""Learners whose distance can weigh the attributes."""
Estimator: TypeAlias = Weighted | NaiveBayes | SubsetAveragedBayes | TreeAveragedBayes | ConceptLearner | PEBLS


@dataclass(frozen=True)
class Fitted:
    """An estimator and how it answers: ``how`` and ``details`` in words, ``settings`` for machines."""

    estimator: Estimator
    how: str
    details: str
    settings: dict[str, Any]


def details_text(settings: dict[str, Any]) -> str:
    """Options in words; those that are off or have no value are left out.

    Examples
    --------
    >>> details_text({"ess": 2.5, "numeric_as": "mdl", "seed": None, "shuffle": True})
    'ess 2.5, numeric-as mdl, shuffle'
    """
    words = []
    for name, value in settings.items():
        if value is not None and value is not False:
            words.append(name.replace("_", "-") + ("" if value is True else f" {_text(value)}"))
    return ", ".join(words)


def check_neighbors(asked: int, past: int, hint: str) -> None:
    """Refuse more precedents than there are past cases."""
    if asked > past:
        raise ParameterError(f"got --neighbors={asked}; expected at most {past}, the number of past cases. {hint}")


def weights_in_use(problem: Problem, estimator: Weighted, weights: str) -> dict[str, Any]:
    """The way in which attributes are weighed, for machines, and how much each weighs unless all weigh the same."""
    if weights == "none":
        return {"weights": weights}
    learned = dict(zip(problem.kinds, estimator.attribute_weights_.tolist(), strict=True))
    return {"weights": weights, "attribute_weights": learned}


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
