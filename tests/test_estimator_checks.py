"""scikit-learn's own checks, passed by every estimator."""

from collections.abc import Callable
from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

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
]


@parametrize_with_checks(ESTIMATORS)
def test_sklearn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
