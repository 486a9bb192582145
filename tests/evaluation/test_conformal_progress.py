"""A bar stands on a terminal while conformal predictors fit models, and while they ask many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor

from priorcase.evaluation import ConformalClassifier, ConformalRegressor, conformal

X = np.arange(40.0)[:, np.newaxis]


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The text and the steps of each bar that a terminal would have shown."""
    found: list[tuple[str, int]] = []

    @contextmanager
    def spy(total: int, *, shown: bool, text: str) -> Iterator[Callable[[str], None]]:
        steps: list[str] = []
        yield steps.append
        assert len(steps) == total
        if shown:
            found.append((text, total))

    monkeypatch.setattr(conformal, "bar", spy)
    return found


def test_of_folds_the_fits(bars: list[tuple[str, int]]) -> None:
    ConformalRegressor(DummyRegressor()).fit(X, X[:, 0]).predict_interval(X)
    assert bars == [("folds", 10)]


def test_of_single_rows_fits_and_answers(bars: list[tuple[str, int]]) -> None:
    ConformalRegressor(DummyRegressor(), method="jackknife+").fit(X, X[:, 0]).predict_interval(X)
    ConformalRegressor(DummyRegressor(), method="jackknife-minmax").fit(X, X[:, 0]).predict_interval(X)
    assert bars == [("left-out residuals", 40), ("intervals", 40)] * 2
    bars.clear()
    ConformalClassifier(DummyClassifier(), folds="loo").fit(X, X[:, 0] > 9).predict_set(X)
    assert bars == [("left-out scores", 40), ("p-values", 40)]
