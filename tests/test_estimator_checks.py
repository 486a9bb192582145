"""scikit-learn's own checks and this library's checks for mixed tables, passed by every estimator."""

from collections.abc import Callable
from typing import Any

import pytest
from checks import mixed_cases
from sklearn.utils.estimator_checks import parametrize_with_checks

from priorcase.bayes import (
    AODE,
    MixtureModel,
    NaiveBayes,
    SuperParentAveragedBayes,
    TreeAugmentedBayes,
    TreeAveragedBayes,
)
from priorcase.neighbors import KNNClassifier, KNNRegressor, KNNTransformer

ESTIMATORS = [
    KNNClassifier(),
    KNNClassifier(1, ties="first", distance="euclidean"),
    KNNClassifier("loo", ties="nearest", vote="inverse_square"),
    KNNClassifier("all", vote="gaussian", prior=0.5, ties="reduce", distance="hvdm"),
    KNNRegressor(),
    KNNRegressor("sqrt", vote="tricube", distance="gower", ties="first"),
    KNNRegressor("loo"),
    KNNTransformer(),
    KNNTransformer(mode="connectivity", distance="manhattan"),
    NaiveBayes(),
    NaiveBayes("map", numeric="gaussian", zero_policy="cap100", missing="value"),
    NaiveBayes("sc", numeric="kernel"),
    NaiveBayes(prior="auto", numeric="kmeans", missing="value"),
    NaiveBayes("map", prior=1.5, numeric="mdl"),
    MixtureModel(max_components=3, n_init=2, random_state=0),
    MixtureModel(3, prior=0.5, selection="held_out", n_init=1, random_state=0),
    TreeAveragedBayes(),
    TreeAugmentedBayes(1.0, numeric="kmeans"),
    SuperParentAveragedBayes("auto"),
    AODE(numeric="equal_frequency"),
]


@parametrize_with_checks(ESTIMATORS)
def test_sklearn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.parametrize(("estimator", "check", "kind"), mixed_cases(ESTIMATORS))
def test_mixed_checks(estimator: Any, check: Callable[[Any, str], None], kind: str) -> None:
    check(estimator, kind)
