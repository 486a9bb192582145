"""Distances between whole rows: functions, metrics of scikit-learn and SciPy, and matrices computed beforehand."""

from __future__ import annotations

import math
import pickle
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest
from reference import own_distance
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import priorcase as pc
from priorcase.exceptions import ParameterError, PriorcaseError
from priorcase.similarity import computed, resolve

BOOLEAN = ["dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"]
NUMERIC = ["braycurtis", "canberra", "chebyshev", "correlation", "cosine", "cityblock", "l1", "l2", "euclidean"]
NUMERIC += ["manhattan", "minkowski", "nan_euclidean", "sqeuclidean", "hamming"]


def mixed(random: np.random.Generator, n: int) -> list[tuple[Any, ...]]:
    numbers, names = np.round(random.normal(size=n), 1), random.choice(["a", "b", "c"], n)
    rows = zip(numbers.tolist(), names.tolist(), random.integers(0, 3, n).astype(float).tolist(), strict=True)
    return [tuple(None if random.random() < 0.1 else value for value in row) for row in rows]


def chebyshev(x: Any, y: Any) -> float:
    return float(np.abs(x - y).max())


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computed, "ENTRIES", 700)
    monkeypatch.setattr("priorcase.similarity.whole_rows.ENTRIES", 700)


@pytest.mark.parametrize("metric", NUMERIC + BOOLEAN)
def test_metrics_equal_those_of_scikit_learn(metric: str) -> None:
    random = np.random.default_rng(3)
    X, queries, y = random.random((90, 5)), random.random((40, 5)), random.normal(size=90)
    if metric in [*BOOLEAN, "hamming"]:
        X, queries = X > 0.5, queries > 0.5
        X[:, 0] = queries[:, 0] = True  # a row of nothing but zeros has no distance by some of them
    ours = pc.KNNRegressor(4, distance=metric).fit(X.astype(float), y)
    theirs = KNeighborsRegressor(4, metric=metric, algorithm="brute").fit(X, y)
    distances, ids = ours.kneighbors(queries.astype(float))
    expected, order = theirs.kneighbors(queries)
    np.testing.assert_allclose(distances, expected, rtol=1e-7, atol=1e-12)
    if metric in NUMERIC and metric != "hamming":  # the others have ties
        np.testing.assert_array_equal(ids, order)
        np.testing.assert_allclose(ours.predict(queries), theirs.predict(queries))


def test_metrics_with_statistics_take_them_from_the_stored_rows() -> None:
    random = np.random.default_rng(4)
    X, queries, y = random.normal(size=(80, 3)), random.normal(size=(20, 3)), random.choice(["a", "b"], 80)
    given = {"seuclidean": {"V": np.var(X, axis=0, ddof=1)}, "mahalanobis": {"VI": np.linalg.inv(np.cov(X.T))}}
    for metric, parameters in given.items():
        theirs = KNeighborsClassifier(3, metric=metric, metric_params=parameters, algorithm="brute").fit(X, y)
        ours = pc.KNNClassifier(3, distance=metric).fit(X, y)
        np.testing.assert_allclose(ours.kneighbors(queries)[0], theirs.kneighbors(queries)[0])
    places = np.deg2rad(random.uniform(-80, 80, (30, 2)))
    theirs = KNeighborsClassifier(3, metric="haversine", algorithm="brute").fit(places, y[:30])
    ours = pc.KNNClassifier(3, distance="haversine").fit(places, y[:30])
    np.testing.assert_allclose(ours.kneighbors(places + 0.01)[0], theirs.kneighbors(places + 0.01)[0])


@pytest.mark.parametrize("seed", range(3))
def test_a_function_equals_the_reference_and_the_compiled_heom(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, queries, labels = mixed(random, 60), mixed(random, 15), random.choice(["x", "y", "z"], 60).tolist()
    queries.append((0.0, "never seen", None))
    numbers = [[row[a] for row in rows if row[a] is not None] for a in (0, 2)]
    widths = [max(numbers[0]) - min(numbers[0]), None, max(numbers[1]) - min(numbers[1])]
    heom = own_distance.heom(widths)
    ours, fast = (pc.KNNClassifier(5, distance=d, prior=None).fit(rows, labels) for d in (heom, "heom"))
    distances, ids = ours.kneighbors(queries)
    for q, query in enumerate(queries):
        expected = own_distance.nearest(rows, query, heom, 5)
        assert list(zip(distances[q].tolist(), ids[q].tolist(), strict=True)) == expected
    np.testing.assert_array_equal(ids, fast.kneighbors(queries)[1])
    np.testing.assert_allclose(distances, fast.kneighbors(queries)[0], rtol=1e-14)
    for q, found in enumerate(ours.predict_proba(queries).tolist()):
        shares = own_distance.vote(rows, labels, queries[q], heom, 5)
        assert found == [shares.get(label, 0.0) for label in ours.classes_.tolist()]
    for i, found in enumerate(ours.loo_predict_proba().tolist()):
        shares = own_distance.vote(rows, labels, rows[i], heom, 5, without=i)
        assert found == [shares.get(label, 0.0) for label in ours.classes_.tolist()]


def test_a_function_gets_arrays_of_numbers_or_tuples_of_values() -> None:
    got = []

    def spy(x: Any, y: Any) -> float:
        got.append((x, y))
        return 0.0

    pc.KNNClassifier(1, distance=spy).fit([[1, 2], [3, np.nan]], [0, 1]).predict([[5, np.nan]])
    assert [type(x) for x in got[-1]] == [np.ndarray] * 2
    np.testing.assert_array_equal(got[-1], [[5.0, np.nan], [3.0, np.nan]])
    frame = pd.DataFrame(
        {"n": [1.0, np.nan], "s": ["a", None], "o": ["low", "high"], "d": pd.to_datetime(["2020-01-01"] * 2)}
    )
    schema = {"o": pc.Ordinal(("low", "high")), "d": "date"}
    model = pc.KNNClassifier(1, distance=spy, schema=schema).fit(frame, [0, 1])
    query = frame[:1].assign(s="never seen")
    model.predict(query)
    assert got[-2][0] == (1.0, "never seen", "low", date(2020, 1, 1))
    assert got[-1][1] == (None, None, "high", date(2020, 1, 1))


def test_precomputed_distances_equal_the_metric_through_learning_and_forgetting() -> None:
    random = np.random.default_rng(5)
    X, queries, y = random.normal(size=(60, 3)), random.normal(size=(25, 3)), random.choice(["a", "b", "c"], 60)
    square, asked = cdist(X, X, "chebyshev"), cdist(queries, X, "chebyshev")
    given = pc.KNNClassifier(4, distance="precomputed").fit(square, y)
    named, function = (pc.KNNClassifier(4, distance=d).fit(X, y) for d in ("chebyshev", chebyshev))
    theirs = KNeighborsClassifier(4, metric="precomputed").fit(square, y)
    np.testing.assert_array_equal(given.kneighbors(asked)[0], theirs.kneighbors(asked)[0])
    for gone in ([], [0, 7, 31], [59]):
        for model in (given, named, function):
            model.forget(gone)
        for method in ("predict_proba", "kneighbors"):
            expected = getattr(named, method)(queries)
            np.testing.assert_array_equal(getattr(given, method)(asked), expected)
            np.testing.assert_array_equal(getattr(function, method)(queries), expected)
        for model in (given, function):
            np.testing.assert_array_equal(model.loo_predict_proba(), named.loo_predict_proba())
            np.testing.assert_array_equal(model.kneighbors()[1], named.kneighbors()[1])
        assert given.precedents(asked).ids.tolist() == named.precedents(queries).ids.tolist()


def test_forgetting_and_learning_leave_a_fresh_fit() -> None:
    random = np.random.default_rng(6)
    rows, labels, queries = mixed(random, 50), random.normal(size=50), mixed(random, 10)
    heom = own_distance.heom([3.0, None, 2.0])
    model = pc.KNNRegressor(3, distance=heom, vote="inverse_square").fit(rows[:30], labels[:30])
    model.partial_fit(rows[30:], labels[30:]).forget(np.arange(0, 50, 4))
    kept = [i for i in range(50) if i % 4]
    fresh = clone(model).fit([rows[i] for i in kept], labels[kept])
    np.testing.assert_array_equal(model.predict(queries), fresh.predict(queries))
    np.testing.assert_array_equal(model.loo_predict(), fresh.loo_predict())
    np.testing.assert_array_equal(model.loo_predict(), model.loo_predict(relearn=True))
    run = clone(model).fit(rows[:20], labels[:20]).prequential(rows[20:], labels[20:])
    one = clone(model).fit(rows[:20], labels[:20])
    for i, prediction in enumerate(run.predictions.tolist(), 20):
        assert one.predict([rows[i]]).tolist() == [prediction]
        one.partial_fit([rows[i]], [labels[i]])


def test_precomputed_matrices_are_cut_as_scikit_learn_does() -> None:
    random = np.random.default_rng(8)
    X, y = random.normal(size=(50, 2)), random.choice(["a", "b"], 50)
    model = pc.KNNClassifier(3, distance="precomputed")
    assert model.__sklearn_tags__().input_tags.pairwise
    assert not pc.KNNClassifier().__sklearn_tags__().input_tags.pairwise
    found = cross_val_score(model, cdist(X, X, "euclidean"), y, cv=4)
    np.testing.assert_allclose(found, cross_val_score(pc.KNNClassifier(3, distance="euclidean"), X, y, cv=4))


def test_rows_of_weight_0_are_not_found() -> None:
    places = np.arange(6.0) ** 2
    square = np.abs(np.subtract.outer(places, places))
    model = pc.KNNRegressor(1, distance="precomputed").fit(square, np.arange(6.0), sample_weight=[1, 0, 1, 1, 0, 1])
    assert model.predict(square + 0.1).tolist() == [0.0, 0.0, 2.0, 3.0, 3.0, 5.0]


def test_precedents_show_no_contributions() -> None:
    model = pc.KNNClassifier(2, distance="chebyshev").fit([[0.0, 1.0], [1.0, 1.0], [4.0, 4.0]], ["a", "b", "b"])
    found = model.precedents([[0.0, 0.0]])
    assert np.isnan(found.contributions).all()
    assert found.distances.tolist() == [1.0, 1.0]
    assert "nan" not in str(found)


def test_models_are_pickled_and_saved_where_there_is_no_function(tmp_path: Any) -> None:
    X, y = np.random.default_rng(1).normal(size=(30, 2)), ["a", "b"] * 15
    for distance in (chebyshev, "chebyshev"):
        model = pc.KNNClassifier(3, distance=distance).fit(X, y)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict_proba(X + 0.1), model.predict_proba(X + 0.1))
        assert again.distance_ == model.distance_
    for distance, given in (("chebyshev", X), ("precomputed", cdist(X, X))):
        model = pc.KNNClassifier(3, distance=distance).fit(given, y)
        model.forget([3])
        again = pc.load(model.save(tmp_path / "model.zip"))
        np.testing.assert_array_equal(again.predict_proba(given), model.predict_proba(given))
    for wrong in (chebyshev, pc.Distance(numeric=lambda q, s: abs(q - s))):
        with pytest.raises(PriorcaseError, match="function"):
            pc.KNNClassifier(3, distance=wrong).fit(X, y).save(tmp_path / "function.zip")


def fails(x: Any, y: Any) -> float:
    raise RuntimeError("failed inside")


SQUARE, Y = np.ones((3, 3)) - np.eye(3), [0, 1, 0]
NUMBERS = [[0.0, 1.0], [2.0, 3.0], [4.0, 9.0]]
HOLED = SQUARE.copy()
HOLED[1, 2] = np.nan


@pytest.mark.parametrize(
    ("distance", "X", "queries", "error", "words"),
    [
        (lambda x, y: math.nan, NUMBERS, NUMBERS, ParameterError, "finite numbers >= 0"),
        (lambda x, y: -1.0, NUMBERS, NUMBERS, ParameterError, "finite numbers >= 0"),
        (lambda x, y: math.inf, NUMBERS, NUMBERS, ParameterError, "finite numbers >= 0"),
        (lambda x, y: "far", NUMBERS, NUMBERS, ParameterError, "must return numbers"),
        (lambda x, y: "1.5", NUMBERS, NUMBERS, ParameterError, "must return numbers"),
        (lambda x, y: x, NUMBERS, NUMBERS, ParameterError, "3 by 3 numbers"),
        (lambda x: 0.0, NUMBERS, NUMBERS, TypeError, "argument"),
        (fails, NUMBERS, NUMBERS, RuntimeError, "failed inside"),
        ("precomputed", SQUARE[:2], SQUARE, PriorcaseError, "square"),
        ("precomputed", SQUARE[:, :2], SQUARE, PriorcaseError, "square"),
        ("precomputed", HOLED, SQUARE, PriorcaseError, "row 1, column 2 has NaN"),
        ("precomputed", -SQUARE, SQUARE, PriorcaseError, "has -1.0"),
        ("precomputed", [["a"], ["b"], ["c"]], SQUARE, PriorcaseError, "matrix"),
        ("precomputed", SQUARE, SQUARE[:, :2], PriorcaseError, "3 features"),
        ("precomputed", SQUARE, HOLED, PriorcaseError, "has NaN"),
        ("chebyshev", [["a", 1], ["b", 2], ["c", 3]], NUMBERS, ParameterError, "numeric rows"),
        ("chebyshev", [[1, np.nan], [2, 2], [3, 3]], NUMBERS, PriorcaseError, "without missing values"),
        ("chebyshev", NUMBERS, [[1.0, np.nan]], PriorcaseError, "without missing values"),
        ("haversine", SQUARE, SQUARE, ParameterError, "two columns"),
        ("seuclidean", NUMBERS[:1], NUMBERS, ParameterError, "variance"),
        ("chebychev", NUMBERS, NUMBERS, ParameterError, "Did you mean 'chebyshev'"),
        (int, NUMBERS, NUMBERS, ParameterError, "function of two rows"),
        (3, NUMBERS, NUMBERS, ParameterError, "function of two rows"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_refused_in_one_sentence(distance: Any, X: Any, queries: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        pc.KNNClassifier(1, distance=distance).fit(X, Y[: len(X)]).predict(queries)


def test_what_needs_single_attributes_is_refused() -> None:
    from priorcase.selection import AttributeSelector

    for weights in ([1.0, 2.0], "relief"):
        with pytest.raises(ParameterError, match="whole rows"):
            pc.KNNClassifier(1, distance="chebyshev", attribute_weights=weights).fit(NUMBERS, Y)
    with pytest.raises(ParameterError, match="column by column"):
        AttributeSelector(pc.KNNClassifier(1, distance=chebyshev)).fit(NUMBERS * 5, Y * 5)
    with pytest.raises(ParameterError, match="column by column"):
        pc.IB1(distance=chebyshev).fit(NUMBERS, Y)
    with pytest.raises(ParameterError, match="centers"):
        pc.RBFNetworkRegressor(distance=chebyshev).fit(NUMBERS, Y)
    with pytest.raises(ParameterError, match="need the values of the columns"):
        pc.LocallyWeightedRegressor(distance="precomputed").fit(SQUARE, Y)
    with pytest.raises(ParameterError, match="square"):
        pc.KNNClassifier(1, distance="precomputed").fit(SQUARE, Y).partial_fit(SQUARE, Y)


def test_names_of_scikit_learn_are_presets_where_there_is_one() -> None:
    assert resolve("cityblock") == resolve("l1") == resolve("manhattan")
    assert resolve("l2") == resolve("nan_euclidean") == resolve("euclidean")
    assert not resolve("hamming").whole
    assert resolve("canberra").whole


def test_precedents_are_drawn_without_parts() -> None:
    from priorcase.plots import PrecedentsDisplay

    model = pc.KNNClassifier(2, distance="chebyshev").fit([[0.0, 1.0], [1.5, 1.0], [4.0, 4.0]], ["a", "b", "b"])
    axes = PrecedentsDisplay.of(model, [[0.0, 0.0]]).plot()
    assert [bar.get_width() for bar in axes.patches[:2]] == [1.0, 1.5]
