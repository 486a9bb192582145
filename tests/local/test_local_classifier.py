"""LocallyWeightedClassifier: against the slow reference on mixed rows with ties and gaps, and by its laws."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import local_classifier as reference
from reference import local_regression
from reference.knn import repeated
from sklearn.linear_model import LogisticRegression
from tables import labels, mixed_rows

from priorcase.exceptions import FarQueryWarning
from priorcase.local import LocalLinear, LocalLogistic, LocallyWeightedClassifier, LocalNaiveBayes
from priorcase.schema import Nominal, Ordinal

LEVELS = ("low", "mid", "high", "top")
SCHEMA = {2: Ordinal(LEVELS)}
KINDS = ("numeric", "nominal", "ordinal", "numeric")
SIZES = (0, 3, 4, 0)
CLASSES = ("a", "b", "c")


def rows_of(n: int, seed: int, gaps: float = 0.1) -> list[list[Any]]:
    """The mixed rows of the other tests, with a level in place of the boolean."""
    levels = np.random.default_rng(seed + 100).integers(4, size=n)
    return [
        [*row[:2], None if row[2] is None else LEVELS[level], row[3]]
        for row, level in zip(mixed_rows(n, seed, gaps), levels, strict=True)
    ]


def classes_of(rows: Any, seed: int = 3) -> list[str]:
    """Classes that go with the columns, loosely."""
    rng = np.random.default_rng(seed)
    scores = [(row[0] or 0) - 2 * (row[1] == "red") + (row[3] or 0) for row in rows]
    return [CLASSES[int(np.clip(np.floor((score + rng.normal()) / 2 + 1), 0, 2))] for score in scores]


def ranked(rows: Any) -> list[list[Any]]:
    """Levels as ranks, as the reference takes them."""
    return [[*row[:2], None if row[2] is None else LEVELS.index(row[2]), row[3]] for row in rows]


def spreads(rows: Any) -> list[float]:
    known = [[row[a] for row in ranked(rows) if row[a] is not None] for a in range(4)]
    return [1.0 if kind == "nominal" else float(np.std(column)) for kind, column in zip(KINDS, known, strict=True)]


def all_distances(model: LocallyWeightedClassifier, queries: Any) -> Any:
    """Distances of all stored rows from each query, in id order."""
    distances, ids = model.kneighbors(queries, n_neighbors=model.n_samples_fit_)
    return np.take_along_axis(np.asarray(distances), np.argsort(ids, axis=1), axis=1)


def prior_of(model: LocallyWeightedClassifier, y: Any) -> list[float]:
    if model.prior == "frequency":
        return [y.count(c) / len(y) for c in CLASSES]
    return [float(model.prior or 0.0)] * len(CLASSES)


def expected(
    model: LocallyWeightedClassifier, query: Any, rows: Any, y: Any, weights: Any, scales: Any, prior: Any
) -> Any:
    """The reference's probabilities at one query."""
    local = model._local
    [asked] = ranked([query])
    if isinstance(local, LocalNaiveBayes):
        known = dict(zip(CLASSES, prior, strict=True))
        return reference.naive_bayes(
            asked, ranked(rows), y, weights, KINDS, SIZES, known, s=local.prior, numeric=local.numeric
        )
    kinds = ["nominal" if kind == "nominal" else "numeric" for kind in KINDS]
    degree = local.degree if isinstance(local, LocalLinear) else 1
    X = reference.scaled_design(asked, ranked(rows), weights, kinds, scales, degree)
    fit = reference.linear if isinstance(local, LocalLinear) else reference.logistic
    return reference.with_prior(fit(X, y, weights, CLASSES, local.ridge), weights, prior)


def weights_of(model: LocallyWeightedClassifier, distances: Any) -> list[float]:
    kernel, n = str(model.kernel), len(distances)
    k = n if model.n_neighbors in (None, "all") else int(model.n_neighbors)
    if model.bandwidth is None:
        return local_regression.nearest_weights(distances, k, kernel)
    weights = local_regression.fixed_weights(distances, model.bandwidth, kernel)
    inside = local_regression.nearest_weights(distances, k, "uniform")
    return [w * i for w, i in zip(weights, inside, strict=True)]


MODELS = [
    LocalNaiveBayes(),
    LocalNaiveBayes(prior=0.3, numeric="gaussian"),
    LocalLogistic(),
    LocalLogistic(ridge=0.2),
    LocalLinear(),
    LocalLinear(degree=2, ridge=0.4),
    LocalLinear(degree=0),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize(
    "reach",
    [
        {"n_neighbors": 12},
        {"n_neighbors": 7, "kernel": "uniform", "prior": 1.0},
        {"n_neighbors": "all", "kernel": "gaussian", "prior": None},
        {"bandwidth": 0.9, "kernel": "epanechnikov"},
        {"n_neighbors": 20, "bandwidth": 0.7, "kernel": "exponential", "prior": 0.5},
        {"n_neighbors": 9, "kernel": "inverse_power"},
    ],
    ids=str,
)
def test_probabilities_are_those_of_the_reference(model: Any, reach: dict[str, Any]) -> None:
    rows, queries = rows_of(50, seed=1), rows_of(8, seed=2)
    y = classes_of(rows)
    learner = LocallyWeightedClassifier(model=model, schema=SCHEMA, **reach).fit(rows, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FarQueryWarning)
        told = learner.predict_proba(queries)
    scales, prior = spreads(rows), prior_of(learner, y)
    compared = 0
    for query, distances, shares in zip(queries, all_distances(learner, queries), told, strict=True):
        weights = weights_of(learner, distances.tolist())
        if any(weights):
            right = expected(learner, query, rows, y, weights, scales, prior)
            # The reference's optimizer stops at six digits or so.
            np.testing.assert_allclose(
                shares, right, rtol=1e-5 if isinstance(model, LocalLogistic) else 1e-9, atol=1e-7
            )
            compared += 1
    assert compared >= 5


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_row_of_weight_two_is_two_rows(model: Any) -> None:
    rows, queries = rows_of(30, seed=4), rows_of(6, seed=5)
    y, times = classes_of(rows), np.random.default_rng(6).integers(0, 4, 30)
    weighted = LocallyWeightedClassifier(9, model=model, schema=SCHEMA).fit(rows, y, sample_weight=times)
    literal = LocallyWeightedClassifier(9, model=model, schema=SCHEMA).fit(repeated(rows, times), repeated(y, times))
    np.testing.assert_allclose(weighted.predict_proba(queries), literal.predict_proba(queries), rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(weighted.effective_neighbors(queries), literal.effective_neighbors(queries))


def test_uniform_weights_make_it_scikit_learns_logistic_regression() -> None:
    """With all rows in, ridge^2 = 1 / C on standardized columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3)) * [1.0, 5.0, 0.1]
    y = (X[:, 0] + X[:, 1] / 5 + 0.5 * rng.normal(size=120) > 0).astype(int) + (X[:, 2] > 0.1)
    local = LocallyWeightedClassifier("all", kernel="uniform", model=LocalLogistic(ridge=0.5), prior=None).fit(X, y)
    scale = X.std(axis=0)
    peer = LogisticRegression(C=4.0, tol=1e-12, max_iter=10_000).fit(X / scale, y)
    np.testing.assert_allclose(local.predict_proba(X[:20]), peer.predict_proba(X[:20] / scale), atol=1e-6)


def test_degree_zero_and_a_mighty_ridge_are_the_weighted_vote() -> None:
    rows, queries = rows_of(40, seed=8), rows_of(5, seed=9)
    y = classes_of(rows)
    vote = LocallyWeightedClassifier(10, model=LocalLinear(degree=0), schema=SCHEMA).fit(rows, y)
    held = LocallyWeightedClassifier(10, model=LocalLogistic(ridge=1e6), schema=SCHEMA).fit(rows, y)
    np.testing.assert_allclose(held.predict_proba(queries), vote.predict_proba(queries), atol=1e-9)


def test_classes_that_a_plane_parts_and_more_columns_than_rows() -> None:
    """The smallest ridge settles where maximum likelihood has no finite answer."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 60))
    y = np.where(X[:, 0] > 0, "up", "down")
    for ridge in (1e-6, 1e-3, 1.0):
        model = LocallyWeightedClassifier(15, model=LocalLogistic(ridge=ridge), prior=None).fit(X, y)
        shares = model.predict_proba(X)  # would warn of fits that did not settle
        assert (model.predict(X) == y).all() or ridge == 1.0
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_more_columns_than_rows_is_the_same_fit() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(9, 14)), list("abcabcaab")
    model = LocallyWeightedClassifier("all", kernel="uniform", model="logistic", prior=None).fit(X, y)
    for query in X[:3] * 0.5:
        wide = reference.logistic((X - query) / X.std(axis=0), y, [1.0] * 9, CLASSES, 1.0)
        np.testing.assert_allclose(model.predict_proba([query])[0], wide, atol=1e-7)


def test_collinear_and_constant_columns_change_nothing() -> None:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] > X[:, 1]).astype(int)
    plain = LocallyWeightedClassifier(15, model="linear", attribute_weights=[1, 1]).fit(X, y)
    dull = np.column_stack([X, X[:, 0] * 2, np.full(40, 3.0)])
    other = LocallyWeightedClassifier(15, model="linear", attribute_weights=[1, 1, 1e-30, 1e-30]).fit(dull, y)
    np.testing.assert_allclose(other.predict_proba(dull[:9]), plain.predict_proba(X[:9]), atol=1e-9)


@pytest.mark.parametrize("local", ["naive_bayes", "logistic", "linear"])
def test_a_column_of_weight_0_counts_neither_in_distances_nor_in_fits(local: str) -> None:
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 3, 40)
    telling = np.column_stack([X, y, y + rng.normal(size=40)]).astype(object)
    telling[:, 2] = np.array(["r", "g", "b"])[y]
    plain = LocallyWeightedClassifier(25, model=local, attribute_weights=[1, 1]).fit(X, y)
    other = LocallyWeightedClassifier(25, model=local, attribute_weights=[1, 1, 0, 0]).fit(telling, y)
    assert np.array_equal(other.predict_proba(telling[:9]), plain.predict_proba(X[:9]))


def test_declared_values_are_values_and_others_are_one_more() -> None:
    """K is 3 for a declared value that no row holds and 4 for any other; without declared values 2, and then 3."""
    rows, y = [["r"], ["r"], ["g"], ["g"]], ["a", "a", "a", "b"]
    frequency = {"a": 0.75, "b": 0.25}
    declared = LocallyWeightedClassifier(
        "all", kernel="uniform", model="naive_bayes", schema={0: Nominal(("r", "g", "b"))}
    ).fit(rows, y)
    free = LocallyWeightedClassifier("all", kernel="uniform", model="naive_bayes").fit(rows, y)
    for model, value, size, unseen in ((declared, "b", 3, ()), (declared, "x", 3, (0,)), (free, "b", 2, (0,))):
        told = reference.naive_bayes([value], rows, y, [1.0] * 4, ["nominal"], [size], frequency, unseen=unseen)
        np.testing.assert_allclose(model.predict_proba([[value]])[0], told, rtol=1e-12)


def test_a_level_that_the_column_does_not_have_is_left_out_of_designs() -> None:
    rows, y = [[1.0, "low"], [2.0, "mid"], [3.0, "top"], [4.0, "high"]], ["a", "b", "a", "b"]
    for model in ("logistic", "linear"):
        learner = LocallyWeightedClassifier("all", kernel="uniform", model=model, schema={1: Ordinal(LEVELS)}).fit(
            rows, y
        )
        np.testing.assert_array_equal(learner.predict_proba([[2.0, "huge"]]), learner.predict_proba([[2.0, None]]))


ANY_MODEL = st.sampled_from(["naive_bayes", LocalNaiveBayes(numeric="gaussian"), "logistic", "linear"])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), ANY_MODEL, st.sampled_from([None, 0.5, "frequency"]), st.sampled_from([1, 3, 6, "all"]))
def test_laws(seed: int, model: Any, prior: Any, k: Any) -> None:
    """Shares sum to one; rows that came and went leave no trace; a batch is its queries; threads change nothing."""
    rows, queries = mixed_rows(14, seed), mixed_rows(5, seed + 1)
    y = labels(14, seed)
    learner = LocallyWeightedClassifier(k, model=model, prior=prior).fit(rows[:9], y[:9])
    learner.forget(learner.ids_[:3]).partial_fit(rows[9:], y[9:])
    fresh = LocallyWeightedClassifier(k, model=model, prior=prior, n_jobs=1).fit(rows[3:], y[3:])
    told = learner.predict_proba(queries)
    np.testing.assert_allclose(told.sum(axis=1), 1.0)
    assert (told >= 0).all()
    if prior == 0.5:
        assert (told > 0).all()
    np.testing.assert_array_equal(fresh.predict_proba(queries), told)
    np.testing.assert_array_equal(np.concatenate([fresh.predict_proba([query]) for query in queries]), told)
    assert learner.predict(queries).tolist() == learner.classes_[told.argmax(axis=1)].tolist()


def test_the_rarest_of_many_values_count_as_one():
    """A nominal column of more than 32 values is fitted as if the rarest of them had one name, an id as if all had."""
    rng = np.random.default_rng(0)
    names = np.array([f"v{i % 20}" for i in range(160)] + [f"rare{i}" for i in range(40)], dtype=object)
    joined = np.array([name if name.startswith("v") else "rare" for name in names], dtype=object)
    numbers = rng.normal(size=200)
    y = np.where(numbers + (joined == "v1") - (joined == "rare") + 0.3 * rng.normal(size=200) > 0, "p", "q")

    def answers(column):
        rows = [list(row) for row in zip(numbers.tolist(), column, strict=True)]
        options = {"n_neighbors": "all", "kernel": "gaussian", "attribute_weights": [1.0, 1e-12]}
        return LocallyWeightedClassifier(schema={1: Nominal()}, **options).fit(rows, y).predict_proba(rows)

    assert answers(names) == pytest.approx(answers(joined), abs=1e-6)
    ids = [f"c{i}" for i in range(200)]
    assert answers(ids) == pytest.approx(answers(["same"] * 200), abs=1e-6)
    assert answers(names) != pytest.approx(answers(ids), abs=1e-2)
