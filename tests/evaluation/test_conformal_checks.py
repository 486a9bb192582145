"""scikit-learn's own checks, passed by both conformal estimators."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from tables import labels, mixed_rows

import priorcase as pc
from priorcase.evaluation import ConformalClassifier, ConformalRegressor

CONFORMAL = [
    ConformalRegressor(pc.KNNRegressor(3), folds=3),
    ConformalClassifier(pc.KNNClassifier(3), folds=3, nonconformity="aps", randomized=True),
]


@parametrize_with_checks(CONFORMAL)
def test_sklearn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.parametrize("folds", [3, "loo"])
def test_a_pickled_one_gives_the_same_answers(folds: Any) -> None:
    rows, y = mixed_rows(40), labels(40)
    model = ConformalClassifier(pc.IB1(), folds=folds).fit(rows, y)
    other = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(other.p_values(rows[:5]), model.p_values(rows[:5]))


def test_learners_of_scikit_learn() -> None:
    """Ten tables of 80 rows, of each of which a level of 0.9 holds 0.9 with a standard deviation of 0.04."""
    held: list[tuple[float, float]] = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, queries = rng.normal(size=(80, 3)), rng.normal(size=(200, 3))
        y, truth = (table @ [1.0, 2.0, 0.0] + rng.normal(size=len(table)) for table in (X, queries))
        line = make_pipeline(StandardScaler(), LinearRegression())
        ends = ConformalRegressor(line).fit(X, y).predict_interval(queries, level=0.9)
        tree = ConformalClassifier(DecisionTreeClassifier(min_samples_leaf=10)).fit(X, y > 0)
        assert tree.classes_.tolist() == [False, True]
        inside = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
        held.append((inside.mean(), tree.predict_set(queries, level=0.9).holds(truth > 0).mean()))
    assert (np.mean(held, axis=0) >= 0.86).all()
    assert np.mean(held, axis=0)[0] <= 0.94


def test_inside_searches_and_scores() -> None:
    rows, y = mixed_rows(40), labels(40)
    search = GridSearchCV(ConformalClassifier(pc.KNNClassifier()), {"estimator__n_neighbors": [1, 3]}, cv=2).fit(
        rows, y
    )
    assert search.best_params_["estimator__n_neighbors"] in (1, 3)
    model = ConformalClassifier(pc.NaiveBayes(), folds=3)
    np.testing.assert_array_equal(
        cross_val_score(model, rows, y, cv=2), cross_val_score(pc.NaiveBayes(), rows, y, cv=2)
    )
    assert clone(model).get_params()["folds"] == 3
