"""scikit-learn's own checks and this library's checks for mixed tables, on PEBLS."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from checks import mixed_cases, mixed_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from priorcase.concepts import PEBLS

ESTIMATORS = [
    PEBLS(),
    PEBLS(3, passes=2, ties="majority", unseen="prior"),
    PEBLS(3, weighting=None, power=1, ties="reduce", bins=10),
    PEBLS(3, weighting="one_pass", inherit=False, exponent=2, unseen="zero", ties="first"),
]


def applying_checks(estimator: PEBLS) -> Iterator[Callable[[Any, str], None]]:
    """The checks that apply; records are kept in the order of the rows: in another, other exemplars may be nearest."""
    return (check for check in mixed_checks(estimator) if check.__name__ != "check_mixed_row_order")


@parametrize_with_checks(ESTIMATORS)
def test_sklearn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.parametrize(("estimator", "check", "kind"), mixed_cases(ESTIMATORS, applying_checks))
def test_mixed_checks(estimator: Any, check: Callable[[Any, str], None], kind: str) -> None:
    check(estimator, kind)
