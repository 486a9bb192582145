"""Warnings of the library that are left out on one thread stay on in others."""

from __future__ import annotations

import warnings
from threading import Barrier, Thread

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_validate

import priorcase as pc
from priorcase.exceptions import FarQueryWarning, UninformativeColumnWarning, unwarned, warn_caller


def test_other_threads_go_on_warning() -> None:
    inside, caught = Barrier(2), list[Warning]()

    def work() -> None:
        inside.wait(30)
        try:
            warn_caller(FarQueryWarning("far"))
        except FarQueryWarning as warning:
            caught.append(warning)
        inside.wait(30)

    thread = Thread(target=work)
    with unwarned(FarQueryWarning):
        thread.start()
        inside.wait(30)
        warn_caller(FarQueryWarning("far"))
        inside.wait(30)
    thread.join()
    assert len(caught) == 1
    with pytest.raises(FarQueryWarning):
        warn_caller(FarQueryWarning("far"))


def test_a_stack_asks_its_members_without_touching_the_filters_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """By `catch_warnings`, which saves and restores them, one thread would end what another one has set."""
    X = np.arange(40.0).reshape(20, 2)
    model = pc.StackedRegressor().fit(X, X[:, 0])

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("the filters of the process were changed")

    monkeypatch.setattr(warnings, "catch_warnings", refused)
    assert model.predict([[1e6, -1e6]]).shape == (1,)


@pytest.mark.parametrize(("action", "times"), [("default", 1), ("always", 5)])
def test_a_loop_of_scikit_learn_warns_once_at_the_line_of_its_caller(action: str, times: int) -> None:
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["a", "b"]).assign(again=lambda X: X["a"])
    y = np.repeat(["x", "y"], 30)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)  # type: ignore[arg-type]
        cross_validate(pc.KNNClassifier(), X, y)
    assert [(warning.category, warning.filename) for warning in caught] == [
        (UninformativeColumnWarning, __file__)
    ] * times
