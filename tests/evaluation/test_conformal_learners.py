"""Every classifier and every regressor of the library, on mixed rows with gaps and by simulation."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from checks.containers import CONTAINERS, SAME_TABLE, classes, numbers, training_rows
from sklearn.base import is_classifier, is_regressor
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

import priorcase as pc
from priorcase.datasets import NamedColumns
from priorcase.evaluation import ConformalClassifier, ConformalRegressor

pytestmark = pytest.mark.filterwarnings("ignore::priorcase.exceptions.FarQueryWarning")

CLASSIFIERS = [
    pc.StackedClassifier([pc.KNNClassifier(3), pc.NaiveBayes()]),
    pc.KNNClassifier(),
    pc.KNNClassifierCV(),
    pc.KNNClassifier("loo", distance="hvdm", prior=0.5),
    pc.NaiveBayes(),
    pc.NaiveBayes("map", numeric="gaussian", zero_policy="cap100", missing="value"),
    pc.SubsetAveragedBayes(),
    pc.TreeAveragedBayes(),
    pc.TreeAugmentedBayes(),
    pc.SuperParentAveragedBayes(),
    pc.AODE(),
    pc.MixtureModel(2, n_init=1, random_state=0),
    pc.IB1(),
    pc.IB2(),
    pc.IB3(),
    pc.IB4(),
    pc.IB5(),
    pc.PEBLS(),
    pc.LocallyWeightedClassifier(9),
    pc.RBFNetworkClassifier(8),
]
REGRESSORS = [
    pc.StackedRegressor([pc.KNNRegressor(3), pc.LocallyWeightedRegressor(8, ridge=1.0)]),
    pc.KNNRegressor(),
    pc.KNNRegressorCV(),
    pc.KNNRegressor("loo", vote="gaussian"),
    pc.LocallyWeightedRegressor(15),
    pc.RBFNetworkRegressor(8),
]

QUERIES = training_rows(80, seed=1)


def named(learner: Any) -> str:
    return type(learner).__name__


def test_no_learner_is_forgotten() -> None:
    public = [value for name in pc.__all__ if isinstance(value := getattr(pc, name), type)]
    learners = {each for each in public if hasattr(each, "fit") and hasattr(each, "predict")}
    assert {type(learner) for learner in (*CLASSIFIERS, *REGRESSORS)} == learners - {
        ConformalClassifier,
        ConformalRegressor,
    }
    assert all(map(is_classifier, CLASSIFIERS))
    assert all(map(is_regressor, REGRESSORS))


@pytest.mark.parametrize("learner", CLASSIFIERS, ids=named)
def test_sets_of_every_classifier(learner: Any) -> None:
    """On mixed rows with gaps; 80 new rows of which a set of level 0.9 misses about 8, and by what is proved 16."""
    rows = training_rows(60)
    model = ConformalClassifier(learner, folds=5).fit(CONTAINERS["pandas"](rows), classes(rows))
    sets = model.predict_set(CONTAINERS["pandas"](QUERIES), level=0.9)
    assert sets.holds(classes(QUERIES)).mean() >= 0.75
    assert (sets.p_values > 0).all()
    assert (sets.p_values <= 1).all()
    # A class is inside iff its p-value is above 0.1; no p-value of 60 rows is 0.1.
    np.testing.assert_array_equal(sets.inside, sets.p_values > 0.1)
    wider = model.predict_set(CONTAINERS["pandas"](QUERIES), level=0.98)
    assert (wider.inside >= sets.inside).all()


@pytest.mark.parametrize("learner", REGRESSORS, ids=named)
def test_intervals_of_every_regressor(learner: Any) -> None:
    rows = training_rows(60)
    noise = np.random.default_rng(0)
    y, truth = (np.array(numbers(some)) + noise.normal(0, 5, len(some)) for some in (rows, QUERIES))
    method: Any = "jackknife+" if type(learner) is pc.KNNRegressor and learner.n_neighbors != "loo" else "cv+"
    model = ConformalRegressor(learner, method=method).fit(CONTAINERS["pandas"](rows), y)
    ends = model.predict_interval(CONTAINERS["pandas"](QUERIES), level=0.9)
    assert ends.shape == (80, 2)
    assert np.isfinite(ends).all()
    assert ((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean() >= 0.75
    wider = model.predict_interval(CONTAINERS["pandas"](QUERIES), level=0.95)
    assert (wider[:, 0] <= ends[:, 0]).all()
    assert (wider[:, 1] >= ends[:, 1]).all()


@cache
def told_of(kind: str, folds: int) -> Any:
    """P-values of some rows in one container."""
    rows, queries = training_rows(40), training_rows(6, seed=2)
    model = ConformalClassifier(pc.IB2(), folds=folds).fit(CONTAINERS[kind](rows), classes(rows))
    return model.p_values(CONTAINERS[kind](queries))


@pytest.mark.parametrize(("kind", "folds"), [*((kind, 3) for kind in SAME_TABLE if kind != "lists"), ("polars", 40)])
def test_containers_agree(kind: str, folds: int) -> None:
    """Few folds, whose models are kept, and many, for which the rows are."""
    np.testing.assert_array_equal(told_of(kind, folds), told_of("lists", folds))


def test_tables_of_the_library_itself() -> None:
    X, y = pc.load_repairs()
    model = ConformalClassifier(pc.IB3(), folds="loo").fit(X, y)
    assert model.predict_set(X).holds(y).mean() >= 0.8


# -- coverage by simulation


def share_held(make: Any, learner: Any, tables: int = 20, n: int = 60, queries: int = 100) -> float:
    """How many new rows are held, over many tables of rows and queries each."""
    held = []
    for seed in range(tables):
        rng = np.random.default_rng([11, seed])
        X = rng.uniform(-2.0, 2.0, (n + queries, 2))
        noise = rng.normal(size=n + queries)
        if is_regressor(learner):
            y = np.sin(2 * X[:, 0]) + 0.3 * (1 + np.abs(X[:, 1])) * noise
            ends = make(learner).fit(X[:n], y[:n]).predict_interval(X[n:], level=0.8)
            held.append(((ends[:, 0] <= y[n:]) & (y[n:] <= ends[:, 1])).mean())
        else:
            y = np.digitize(X[:, 0] + 0.6 * noise, [-0.7, 0.7])
            held.append(make(learner).fit(X[:n], y[:n]).predict_set(X[n:], level=0.8).holds(y[n:]).mean())
    return float(np.mean(held))


# Twenty tables of 100 queries each: what is held of one has a standard deviation of 0.05 to 0.07, and so the mean of
# twenty one of 0.015 at most. An honest level of 0.8 stays above 0.8 - 3 * 0.015; residuals of rows that were learned
# do not (see the last test).
HONEST = 0.755


@pytest.mark.parametrize(
    "method", ["cv+", *(pytest.param(name, marks=pytest.mark.slow) for name in ("jackknife+", "jackknife-minmax"))]
)
def test_coverage_of_neighbors_intervals(method: Any) -> None:
    tables = 20 if method == "cv+" else 8  # a fit for each row
    held = share_held(lambda learner: ConformalRegressor(learner, method=method), pc.KNNRegressor(5), tables=tables)
    assert HONEST <= held <= (1.0 if method == "jackknife-minmax" else 0.9)


@pytest.mark.parametrize(
    ("learner", "nonconformity"),
    [
        (pc.LocallyWeightedRegressor(15), "absolute"),
        (pc.LocallyWeightedRegressor(15), "scaled"),
        (pc.RBFNetworkRegressor(12), "absolute"),
    ],
)
def test_coverage_of_other_intervals(learner: Any, nonconformity: Any) -> None:
    held = share_held(lambda learner: ConformalRegressor(learner, nonconformity=nonconformity, folds=6), learner)
    assert HONEST <= held <= 0.9


@pytest.mark.parametrize(
    ("learner", "folds"),
    [(pc.KNNClassifier(7), 6), (pc.KNNClassifier(7), "loo"), (pc.NaiveBayes(), 6), (pc.IB3(random_state=0), 6)],
    ids=str,
)
def test_coverage_of_sets(learner: Any, folds: Any) -> None:
    tables = 20 if folds == 6 else 8
    held = share_held(lambda learner: ConformalClassifier(learner, folds=folds), learner, tables=tables)
    assert held >= HONEST
    assert held <= 0.9 or isinstance(learner, pc.IB3)  # which says 0 or 1, so that sets are far too large


@pytest.mark.parametrize("randomized", [False, True])
def test_coverage_of_adaptive_sets(randomized: bool) -> None:
    def make(learner: Any) -> ConformalClassifier:
        return ConformalClassifier(learner, nonconformity="aps", randomized=randomized)

    held = share_held(make, pc.NaiveBayes())
    assert held >= HONEST
    assert not randomized or held <= 0.9  # without random parts sets may be much too large


def test_coverage_of_each_class() -> None:
    """A class of one row in twelve is held as often as the others where it is compared with its own rows only."""
    held: dict[bool, list[float]] = {False: [], True: []}
    for seed in range(20):
        rng = np.random.default_rng([12, seed])
        y = rng.choice(["common", "rare"], 320, p=[11 / 12, 1 / 12])
        X = rng.normal(size=(320, 2)) + (y == "rare")[:, None]
        for own_class, found in held.items():
            model = ConformalClassifier(pc.NaiveBayes(), class_conditional=own_class).fit(X[:120], y[:120])
            found.append(model.predict_set(X[120:], level=0.8).holds(y[120:])[y[120:] == "rare"].mean())
    assert np.mean(held[True]) >= HONEST
    assert np.mean(held[False]) < 0.5


def test_residuals_of_rows_that_were_learned_do_not_cover() -> None:
    """What the tests above would find of intervals that leave nothing out."""
    held = []
    for seed in range(20):
        rng = np.random.default_rng([11, seed])
        X, noise = rng.uniform(-2.0, 2.0, (160, 2)), rng.normal(size=160)
        y = np.sin(2 * X[:, 0]) + 0.3 * (1 + np.abs(X[:, 1])) * noise
        model = pc.KNNRegressor(5).fit(X[:60], y[:60])
        width = np.quantile(np.abs(y[:60] - model.predict(X[:60])), 0.8)
        held.append((np.abs(y[60:] - model.predict(X[60:])) <= width).mean())
    assert np.mean(held) < HONEST


def test_learners_of_others_read_tables_of_this_library() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, 2))
    table = NamedColumns.of({"a": rows[:, 0], "b": rows[:, 1]}, {"a": pc.Numeric(), "b": pc.Numeric()})
    y = rows.sum(axis=1) + rng.normal(size=40)
    found, expected = (ConformalRegressor(LinearRegression(), method="jackknife+").fit(X, y) for X in (table, rows))
    np.testing.assert_allclose(found.predict_interval(table), expected.predict_interval(rows))
    np.testing.assert_allclose(found.predict(table), expected.predict(rows))
    sets, same = (ConformalClassifier(GaussianNB(), folds=4).fit(X, y > 0) for X in (table, rows))
    np.testing.assert_array_equal(sets.p_values(table), same.p_values(rows))
    np.testing.assert_allclose(sets.predict_proba(table), same.predict_proba(rows))
