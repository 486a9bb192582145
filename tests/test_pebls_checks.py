"""scikit-learn's own checks and this library's checks for mixed tables, on PEBLS."""

from collections.abc import Callable
from typing import Any

import pytest
from checks import CONTAINERS, mixed_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from priorcase.concepts import PEBLS

ESTIMATORS = [
    PEBLS(),
    PEBLS(3, passes=2, ties="majority", unseen="prior"),
    PEBLS(3, weighting=None, power=1, ties="reduce", bins=10),
    PEBLS(3, weighting="one_pass", inherit=False, exponent=2, unseen="zero", ties="first"),
]


@parametrize_with_checks(ESTIMATORS)
def test_sklearn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.parametrize("kind", CONTAINERS)
@pytest.mark.parametrize(
    ("estimator", "check"),
    [
        pytest.param(estimator, check, id=f"{i}-{check.__name__}")
        for i, estimator in enumerate(ESTIMATORS)
        for check in mixed_checks(estimator)
        # Records are kept in the order of the rows: another order may make other exemplars the nearest.
        if check.__name__ != "check_mixed_row_order"
    ],
)
def test_mixed_checks(estimator: Any, check: Callable[[Any, str], None], kind: str) -> None:
    check(estimator, kind)
