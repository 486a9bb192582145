"""Tuning, prequential runs, conformal sets, reduction and selection on tables with every kind of column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks.containers import KINDS, as_every_kind, classes, numbers, training_rows

import priorcase as pc
from priorcase.evaluation import ConformalClassifier, ConformalRegressor
from priorcase.saving import dump, load_bytes

ROWS = training_rows(60, seed=20)
X, Q = as_every_kind(ROWS), as_every_kind(training_rows(8, seed=21))


def test_tuning_scores_every_row_without_itself() -> None:
    found = pc.tune(pc.KNNClassifier(schema=KINDS), X, classes(ROWS))
    assert "distance" in str(found)


def test_prequential_runs_predict_each_row_from_those_before() -> None:
    y = classes(ROWS)
    first = pc.KNNClassifier(1, schema=KINDS).fit(X[:30], y[:30])
    found = first.prequential(X[30:], y[30:])
    one_by_one = pc.KNNClassifier(1, schema=KINDS).fit(X[:30], y[:30])
    expected = []
    for i in range(30, 60):
        expected += one_by_one.predict(X[i : i + 1]).tolist()
        one_by_one.partial_fit(X[i : i + 1], y[i : i + 1])
    assert np.asarray(found.predictions).tolist() == expected


@pytest.mark.parametrize(
    ("wrapper", "learner"), [(ConformalClassifier, pc.KNNClassifier), (ConformalRegressor, pc.KNNRegressor)]
)
def test_conformal_sets_and_intervals(wrapper: Any, learner: Any) -> None:
    y = classes(ROWS) if learner is pc.KNNClassifier else numbers(ROWS)
    model = wrapper(learner(3, schema=KINDS)).fit(X, y)
    assert len(model.predict(Q)) == len(Q)


@pytest.mark.parametrize("reducer", [pc.CNN(), pc.ENN(), pc.DROP3(), pc.ICF()])
def test_reducers_keep_rows(reducer: Any) -> None:
    kept, y = reducer.set_params(schema=KINDS).fit_resample(X, classes(ROWS))
    assert 0 < len(kept) == len(y) < len(X)


def test_selected_columns_go_by_name() -> None:
    selector = pc.AttributeSelector(pc.KNNClassifier(3, schema=KINDS)).fit(X, classes(ROWS))
    assert "age" in selector.transform(X).columns


@pytest.mark.parametrize(
    "learner",
    [pc.KNNClassifier(3), pc.KNNRegressor("loo"), pc.LocallyWeightedClassifier(9), pc.RBFNetworkRegressor(9)],
)
def test_saved_models_answer_as_before(learner: Any) -> None:
    y = numbers(ROWS) if "Regressor" in type(learner).__name__ else classes(ROWS)
    model = learner.set_params(schema=KINDS).fit(X, y)
    np.testing.assert_array_equal(load_bytes(dump(model)).predict(Q), model.predict(Q))


def test_precedents_print_values_as_people_write_them() -> None:
    shown = str(pc.KNNClassifier(3, schema=KINDS).fit(X, classes(ROWS)).precedents(Q))
    assert "2021-0" in shown
    assert "{A, " in shown
    assert "frozenset" not in shown
