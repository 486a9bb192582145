"""The mixture as an estimator: scikit-learn's own checks, and this library's checks for mixed tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from checks import CONTAINERS, mixed_checks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from priorcase.bayes.mixture import MixtureModel

ESTIMATORS = [
    MixtureModel(max_components=4, n_init=2, random_state=0),
    MixtureModel(3, prior=0.5, n_init=2, random_state=0),
    MixtureModel(max_components=3, selection="held_out", n_init=1, random_state=0),
]


@pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.{ConvergenceWarning.__name__}")
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
    ],
)
def test_mixed_checks(estimator: Any, check: Callable[[Any, str], None], kind: str) -> None:
    check(estimator, kind)
