"""scikit-learn's own checks and this library's checks for mixed tables, passed by local models and by selection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from checks import mixed_cases
from sklearn.utils.estimator_checks import parametrize_with_checks

from priorcase.local import (
    LocalLogistic,
    LocallyWeightedClassifier,
    LocallyWeightedRegressor,
    LocalNaiveBayes,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
)
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.selection import AttributeSelector

# Networks with narrow bumps have nothing to say of some of the checks' queries.
pytestmark = pytest.mark.filterwarnings("ignore::priorcase.exceptions.FarQueryWarning")

LEARNERS = [
    LocallyWeightedRegressor(),
    LocallyWeightedRegressor(4, degree=2, kernel="gaussian", distance="gower"),
    LocallyWeightedRegressor(bandwidth="loo", degree=0, kernel="gaussian"),
    LocallyWeightedRegressor(bandwidth="query", ridge=0.1),
    LocallyWeightedRegressor(span=0.75, robust=2, distance="manhattan"),
    LocallyWeightedRegressor("all", kernel="gaussian", solver="gradient", ridge=1.0),
    LocallyWeightedClassifier(),
    LocallyWeightedClassifier(5, model="logistic", kernel="gaussian", prior=0.5),
    LocallyWeightedClassifier("sqrt", model="linear", distance="gower"),
    LocallyWeightedClassifier(
        bandwidth="loo", model=LocalNaiveBayes(numeric="gaussian"), prior=None, kernel="exponential"
    ),
    LocallyWeightedClassifier("all", model=LocalLogistic(0.1), distance="hvdm", kernel="uniform"),
    RBFNetworkRegressor(),
    RBFNetworkRegressor(centers="all", width="common", alpha="loo", distance="gower"),
    RBFNetworkRegressor(centers="em"),
    RBFNetworkClassifier(),
    RBFNetworkClassifier(centers="stratified", width="neighbors", alpha="loo"),
    KNNClassifier(attribute_weights="relief"),
    KNNClassifier(attribute_weights="loo", vote="gaussian", prior=0.1, temperature=0.5),
    KNNRegressor(attribute_weights="relief", vote="gaussian", bandwidth=0.5),
    KNNRegressor(attribute_weights="mutual_information"),
]


@parametrize_with_checks([*LEARNERS, AttributeSelector(), AttributeSelector(search="brace")])
def test_sklearn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.parametrize(("learner", "check", "kind"), mixed_cases(LEARNERS))
def test_mixed_checks(learner: Any, check: Callable[[Any, str], None], kind: str) -> None:
    check(learner, kind)
