"""KNNClassifier: against the slow reference, scikit-learn, worked examples and its own rules."""

from __future__ import annotations

import copy
import pickle
import tracemalloc
from typing import Any

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import knn as reference
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from tables import COLUMNS, labels, mixed_rows, row_lists

from priorcase.exceptions import ParameterError, SchemaMismatchError, TargetError, TooFewRowsError
from priorcase.learning import estimator as shared
from priorcase.learning.estimator import thread_count
from priorcase.neighbors import KNNClassifier
from priorcase.schema import Nominal, Numeric, Ordinal, Schema
from priorcase.similarity import Distance, Tricube, ValueTable

TIES = ("majority", "first", "nearest", "reduce")
KINDS = {0: Numeric(), 1: Nominal(), 2: Nominal()}


def all_distances(model: KNNClassifier, X: Any) -> list[list[float]]:
    """Distances of all stored rows from each query, in id order."""
    distances, ids = model.kneighbors(X, n_neighbors=model.n_samples_fit_)
    return np.take_along_axis(distances, np.argsort(ids, axis=1), axis=1).tolist()  # type: ignore[no-any-return]


# -- the vote


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("vote", ["uniform", "inverse_square", "tricube"])
@given(rows=row_lists(), queries=row_lists(max_size=3), data=st.data())
@settings(max_examples=15)
def test_answers_equal_the_reference(ties: Any, vote: str, rows: Any, queries: Any, data: st.DataObject) -> None:
    n = len(rows)
    y = data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    times = data.draw(st.none() | st.lists(st.integers(1, 3), min_size=n, max_size=n))
    k = data.draw(st.integers(1, n if times is None else sum(times)))
    prior = data.draw(st.sampled_from([None, "uniform"]))
    model = KNNClassifier(k, ties=ties, vote=vote, prior=prior, schema=KINDS).fit(rows, y, sample_weight=times)
    weights = None if prior is None else [1 / len(model.classes_)] * len(model.classes_)
    kernel: Any = (lambda u: (1 - u**3) ** 3 if u < 1 else 0.0) if vote == "tricube" else vote
    predicted, proba = model.predict(queries), model.predict_proba(queries)
    for i, distances in enumerate(all_distances(model, queries)):
        expected = reference.proba(distances, y, k, vote=kernel, ties=ties, times=times, prior=weights)
        np.testing.assert_allclose(proba[i], expected, atol=1e-12)
        if vote == "uniform":  # elsewhere ties hang on the last bit
            assert predicted[i] == reference.classify(distances, y, k, ties=ties, times=times)


@pytest.mark.parametrize("k", [1, 4, 15])
def test_first_rule_is_scikit_learns(k: int) -> None:
    rng = np.random.default_rng(k)
    X, y, Q = rng.normal(size=(120, 3)), rng.integers(0, 4, 120), rng.normal(size=(40, 3))
    ours = KNNClassifier(k, distance="euclidean", ties="first", prior=None).fit(X, y)
    theirs = KNeighborsClassifier(k, algorithm="brute").fit(X, y)
    np.testing.assert_array_equal(ours.predict(Q), theirs.predict(Q))
    np.testing.assert_allclose(ours.predict_proba(Q), theirs.predict_proba(Q))
    for asked in (Q, None):
        (d, i), (their_d, their_i) = ours.kneighbors(asked), theirs.kneighbors(asked)
        np.testing.assert_array_equal(i, their_i)
        np.testing.assert_allclose(d, their_d, atol=1e-7)
    assert ours.score(Q, ours.predict(Q)) == 1.0


def test_labels_have_the_type_of_the_batches_that_are_left() -> None:
    model = KNNClassifier(1).fit([[0.0], [1.0]], np.array([1, 2], dtype=np.int8))
    model.partial_fit([[5.0]], np.array([1000], dtype=np.int64))
    assert (model.classes_.dtype, model.predict([[5.0]]).tolist()) == (np.int64, [1000])
    model.forget([2])
    assert (model.classes_.dtype, model.predict([[5.0]]).dtype) == (np.int8, np.int8)


def test_distance_tie_at_rank_k() -> None:
    X, y = [[0.0], [1.0], [-1.0], [1.0]], ["a", "b", "c", "c"]
    model = KNNClassifier(2, distance="euclidean", prior=None).fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.25, 0.25, 0.5]])
    exact = KNNClassifier(2, distance="euclidean", ties="first", prior=None).fit(X, y)
    np.testing.assert_allclose(exact.predict_proba([[0.0]]), [[0.5, 0.5, 0.0]])


@pytest.mark.parametrize(("ties", "expected"), [("majority", "c"), ("first", "b"), ("nearest", "c"), ("reduce", "b")])
def test_vote_tie(ties: Any, expected: str) -> None:
    # Neighbors of 0, nearest first: c b b c; then far rows, which make c the larger class.
    X, y = [[1.0], [2.0], [3.0], [4.0], [50.0], [60.0]], ["c", "b", "b", "c", "c", "a"]
    assert KNNClassifier(4, distance="euclidean", ties=ties).fit(X, y).predict([[0.0]]) == [expected]


def test_majority_rule_falls_back_to_the_first_class() -> None:
    assert KNNClassifier(2, distance="euclidean").fit([[1.0], [2.0]], ["b", "a"]).predict([[0.0]]) == ["a"]


def test_exact_matches_decide_alone() -> None:
    model = KNNClassifier(3, vote="inverse_square", prior=None).fit([[0.0], [0.0], [1.0]], ["b", "b", "a"])
    np.testing.assert_array_equal(model.predict_proba([[0.0]]), [[0.0, 1.0]])


def test_votes_by_kernel_object_and_by_function() -> None:
    X, y = mixed_rows(30), labels(30)
    by_name = KNNClassifier(7, vote="tricube").fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(by_name, KNNClassifier(7, vote=Tricube()).fit(X, y).predict_proba(X))
    flat = KNNClassifier(7, vote=np.ones_like).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(flat, KNNClassifier(7).fit(X, y).predict_proba(X))


# -- weights


@given(rows=row_lists(), data=st.data(), ties=st.sampled_from(TIES), vote=st.sampled_from(["uniform", "gaussian"]))
@settings(max_examples=30)
def test_weight_equals_repetition(rows: Any, data: st.DataObject, ties: Any, vote: str) -> None:
    n = len(rows)
    times = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
    y = data.draw(st.lists(st.sampled_from("ab"), min_size=n, max_size=n))
    k = data.draw(st.integers(1, sum(times)) | st.sampled_from(["sqrt", "all", "loo"]))
    model = KNNClassifier(k, ties=ties, vote=vote, prior="frequency", schema=KINDS)
    weighted = clone(model).fit(rows, y, sample_weight=times)
    repeated = clone(model).fit(reference.repeated(rows, times), reference.repeated(y, times))
    assert weighted.classes_.tolist() == repeated.classes_.tolist()
    np.testing.assert_allclose(weighted.predict_proba(rows), repeated.predict_proba(rows), atol=1e-12)
    if vote == "uniform":
        assert weighted.predict(rows).tolist() == repeated.predict(rows).tolist()
        if k == "loo":
            np.testing.assert_allclose(weighted.loo_scores_, repeated.loo_scores_, atol=1e-12)
    if k != "all":
        assert weighted.n_neighbors_ == repeated.n_neighbors_


def test_small_weights_need_more_rows() -> None:
    X = np.arange(40.0)[:, None]
    y = np.where(np.arange(40) < 30, "near", "far")
    parameters: dict[str, Any] = {"distance": "euclidean", "ties": "first", "prior": None}
    model = KNNClassifier(2, **parameters).fit(X, y, sample_weight=np.full(40, 0.05))
    np.testing.assert_allclose(model.predict_proba([[0.0], [39.0]]), [[0.25, 0.75], [0.25, 0.75]])
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.25, 0.75]])
    with pytest.raises(TooFewRowsError, match="n_neighbors = 3, n_samples_fit = 2"):
        KNNClassifier(3).fit(X, y, sample_weight=np.full(40, 0.05)).predict(X)


def test_rows_of_weight_zero_keep_their_ids_and_are_absent() -> None:
    X, y = mixed_rows(10), labels(10)
    model = KNNClassifier(2).fit(X, y, sample_weight=[1, 0] * 5)
    assert model.ids_.tolist() == [0, 2, 4, 6, 8]
    assert model.digest() == KNNClassifier(2).fit(X[::2], y[::2]).digest()


# -- the number of neighbors


def test_sqrt_is_rounded_down() -> None:
    for n, k in [(1, 1), (3, 1), (4, 2), (24, 4), (25, 5)]:
        assert KNNClassifier("sqrt").fit(np.arange(n)[:, None], ["a"] * n).n_neighbors_ == k
    assert KNNClassifier("sqrt").fit([[1.0], [2.0]], ["a", "b"], sample_weight=[8, 8]).n_neighbors_ == 4


def test_number_of_neighbors_counts_repetitions() -> None:
    X, y, weights = [[1.0], [2.0], [3.0]], ["a", "b", "b"], [2.0, 3.0, 4.5]
    model = KNNClassifier("all").fit(X, y, sample_weight=weights)
    assert model.n_neighbors_ == 9
    assert model.kneighbors(X)[1].shape == (3, 3)
    root = KNNClassifier("sqrt").fit(X[:2], y[:2], sample_weight=[8, 8])
    assert (root.n_neighbors_, root.kneighbors(X)[1].shape) == (4, (3, 2))
    assert KNNClassifier("all").fit(X, y, sample_weight=[0.1] * 3).n_neighbors_ == 1


def test_many_classes_take_little_memory() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 2)), rng.integers(0, 2000, 2000)
    for model in (KNNClassifier(5), KNNClassifier(5, prior=1.0), KNNClassifier("loo")):
        tracemalloc.start()
        try:
            answers = model.fit(X, y).predict(X)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 32e6  # one table of all queries and classes would take as much
        assert set(answers) <= set(y)


def test_all_rows_vote() -> None:
    X, y = mixed_rows(60), labels(60)
    everyone = KNNClassifier("all", vote="inverse_square").fit(X, y)
    number = KNNClassifier(60, vote="inverse_square").fit(X, y)
    np.testing.assert_allclose(everyone.predict_proba(X), number.predict_proba(X))
    assert everyone.n_neighbors_ == 60
    for ties in TIES:
        tied = KNNClassifier("all", ties=ties, distance="euclidean").fit(
            [[1.0], [2.0], [3.0], [4.0]], ["b", "a", "a", "b"]
        )
        number = KNNClassifier(4, ties=ties, distance="euclidean").fit(
            [[1.0], [2.0], [3.0], [4.0]], ["b", "a", "a", "b"]
        )
        assert tied.predict([[0.0], [9.0]]).tolist() == number.predict([[0.0], [9.0]]).tolist()


@pytest.mark.parametrize("ties", TIES)
def test_leave_one_out_curve_equals_the_reference(ties: Any) -> None:
    X, y = mixed_rows(25, gaps=0), labels(25)
    model = KNNClassifier("loo", ties=ties).fit(X, y)
    matrix = all_distances(model, X)
    curve = [reference.leave_one_out(matrix, y, k, ties=ties) for k in range(1, 25)]
    np.testing.assert_allclose(model.loo_scores_, curve, rtol=1e-12)
    assert model.n_neighbors_ == int(np.argmax(curve)) + 1
    chosen = KNNClassifier(model.n_neighbors_, ties=ties).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), chosen.predict_proba(X))


def test_leave_one_out_tries_at_most_fifty() -> None:
    X = np.random.default_rng(0).normal(size=(80, 2))
    assert KNNClassifier("loo").fit(X, (X[:, 0] > 0).astype(int)).loo_scores_.shape == (50,)


def test_leave_one_out_of_a_single_row() -> None:
    model = KNNClassifier("loo").fit([[1.0]], ["a"])
    assert model.loo_scores_.shape == (0,)
    assert model.n_neighbors_ == 1
    assert model.predict([[2.0]]) == ["a"]


def test_more_neighbors_than_rows() -> None:
    model = KNNClassifier().fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(
        TooFewRowsError, match="Expected n_neighbors <= n_samples_fit, but n_neighbors = 5, n_samples_fit = 2"
    ):
        model.predict([[1.0]])
    with pytest.raises(ValueError, match=r"KNNClassifier.kneighbors: Expected n_neighbors <= n_samples_fit"):
        model.kneighbors([[1.0]])
    with pytest.raises(
        TooFewRowsError, match="Expected n_neighbors < n_samples_fit, but n_neighbors = 2, n_samples_fit = 2"
    ):
        model.kneighbors(n_neighbors=2)
    assert model.kneighbors(n_neighbors=1, return_distance=False).tolist() == [[1], [0]]


# -- the prior


@pytest.mark.parametrize("prior", [0.0, 1.0, 2.5, [1.0, 2.0, 0.0], "frequency", "uniform"])
@pytest.mark.parametrize("vote", ["uniform", "inverse_square"])
def test_prior(prior: Any, vote: str) -> None:
    X, y = mixed_rows(30), labels(30)
    model = KNNClassifier(3, prior=prior, vote=vote).fit(X, y)
    frequency = [y.count(c) / 30 for c in "abc"]
    weights = {"frequency": frequency, "uniform": [1 / 3] * 3}[prior] if isinstance(prior, str) else prior
    weights = weights if isinstance(weights, list) else [weights] * 3
    for i, distances in enumerate(all_distances(model, X)):
        expected = reference.proba(distances, y, 3, vote=vote, prior=weights)
        np.testing.assert_allclose(model.predict_proba(X[i : i + 1])[0], expected)


@pytest.mark.parametrize("prior", [0, 0.0, [0, 0, 0], np.zeros(3)], ids=str)
def test_prior_of_no_weight_is_none(prior: Any) -> None:
    X, y = mixed_rows(40), labels(40)
    without = KNNClassifier(5, vote="gaussian", prior=None).fit(X, y)
    model = KNNClassifier(5, vote="gaussian", prior=prior).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), without.predict_proba(X))


@pytest.mark.parametrize("vote", ["uniform", "inverse_square", "tricube"])
@pytest.mark.parametrize("ties", TIES)
def test_a_prior_that_is_the_same_for_all_classes_changes_no_prediction(vote: Any, ties: Any) -> None:
    rows = np.random.default_rng(7).integers(0, 4, (80, 2)).astype(float)  # with many ties
    y = np.array(list("abc"))[np.random.default_rng(8).integers(0, 3, 80)]
    plain = KNNClassifier(4, vote=vote, ties=ties, prior=None).fit(rows, y)
    for prior in ("uniform", 0.3, 1e9):
        model = KNNClassifier(4, vote=vote, ties=ties, prior=prior).fit(rows, y)
        np.testing.assert_array_equal(model.predict(rows), plain.predict(rows))
        np.testing.assert_array_equal([model.predict(row[None])[0] for row in rows], plain.predict(rows))
        np.testing.assert_array_equal(model.loo_predict(), plain.loo_predict())
        assert (model.predict_proba(rows) > 0).all()


def test_no_class_is_impossible_by_default() -> None:
    model = KNNClassifier().fit(np.arange(20.0)[:, None], np.repeat(["a", "b"], 10))
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[5.5 / 6, 0.5 / 6]])
    assert np.isfinite(np.log(model.loo_predict_proba())).all()


def test_prior_can_outvote_the_neighbors() -> None:
    X, y = [[0.0], [5.0], [6.0]], ["a", "b", "b"]
    assert KNNClassifier(1).fit(X, y).predict([[0.0]]) == ["a"]
    model = KNNClassifier(1, prior=[0.0, 3.0]).fit(X, y)
    assert model.predict([[0.0]]) == ["b"]
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.25, 0.75]])


# -- targets


@pytest.mark.parametrize(
    "values",
    [
        np.array(["x", "yy"]),
        np.array(["x", "yy"], dtype=object),
        np.array([3, -1], dtype=np.int8),
        np.array([True, False]),
        np.array([1.0, 2.0]),
        np.array([2, 3], dtype=np.uint64),
    ],
    ids=lambda values: str(values.dtype),
)
def test_label_types(values: Any) -> None:
    y = values[[0, 1, 1, 0, 1]]
    model = KNNClassifier(1).fit(np.arange(5.0)[:, None], y)
    theirs = KNeighborsClassifier(1).fit(np.arange(5.0)[:, None], y)
    assert model.classes_.dtype.kind == theirs.classes_.dtype.kind
    np.testing.assert_array_equal(model.classes_, theirs.classes_)
    np.testing.assert_array_equal(model.predict([[0.0], [4.0]]), theirs.predict([[0.0], [4.0]]))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", None], "Input y contains NaN, None or another missing value"),
        ([1.0, np.nan], "Input y contains NaN"),
        ([1.0, np.inf], "Input y contains infinity"),
        ([0.5, 1.5], "Unknown label type: continuous"),
        (["a", 1], "Unknown label type: a mix of number and text"),
        ([{}, {}], "Unknown label type: unknown"),
        ([1 << 70, 2], "Unknown label type: numbers beyond 64 bits"),
        (np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"), "Unknown label type: datetime64"),
        (np.ma.masked_array([1, 2], [False, True]), "Input y contains NaN"),
        ([["a"], ["b", "c"]], "Unknown label type: unknown"),
        (np.zeros((2, 2, 2)), "y should be a 1d array"),
        (np.zeros((2, 0)), "y should be a 1d array"),
        (None, "requires y to be passed, but the target y is None"),
        (["a", "b", "c"], "inconsistent numbers of samples: X has 2 and y has 3"),
    ],
    ids=str,
)
def test_bad_targets_are_refused(y: Any, message: str) -> None:
    with pytest.raises(TargetError, match=message):
        KNNClassifier(1).fit([[1.0], [2.0]], y)


def test_column_vector_is_one_target() -> None:
    with pytest.warns(DataConversionWarning, match="column-vector") as caught:
        model = KNNClassifier(1).fit([[1.0], [2.0]], [["a"], ["b"]])
    assert [warning.filename for warning in caught] == [__file__]
    assert model.predict([[1.0]]).shape == (1,)


def test_a_list_of_text_is_an_array_of_text() -> None:
    X = [[1.0], [2.0]]
    for y in (["a", "bc"], ("a", "bc"), [np.str_("a"), "bc"]):
        assert KNNClassifier(1).fit(X, y).classes_.dtype == np.dtype("<U2")
    assert KNNClassifier(1).fit(X, [["a", "x"], ["b", "y"]]).classes_[1].dtype == np.dtype("<U1")
    assert KNNClassifier(1).fit(X, np.array(["a", "bc"], dtype=object)).predict(X).dtype == object
    assert KNNClassifier(1).fit(X, ["a", "a\0"]).classes_.tolist() == ["a", "a\0"]


def test_several_targets() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.integers(0, 3, (50, 2))
    ours = KNNClassifier(5, distance="euclidean", ties="first", prior=None).fit(X, y)
    theirs = KNeighborsClassifier(5).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    for mine, other in zip(ours.predict_proba(X), theirs.predict_proba(X), strict=True):
        np.testing.assert_allclose(mine, other)
    assert [c.tolist() for c in ours.classes_] == [[0, 1, 2], [0, 1, 2]]
    by_column = [KNNClassifier("loo").fit(X, y[:, t]).loo_scores_ for t in range(2)]
    np.testing.assert_allclose(KNNClassifier("loo").fit(X, y).loo_scores_, np.mean(by_column, axis=0))
    with pytest.raises(TargetError, match="several target columns"):
        KNNClassifier(distance="hvdm", categorical_features=[0]).fit(np.round(X), y)
    assert KNNClassifier(distance="hvdm").fit(X, y).predict(X).shape == (50, 2)  # no column is compared by classes
    expected = r"KNNClassifier.fit: prior must be None, .uniform., .frequency. or a number .* with several targets"
    with pytest.raises(ParameterError, match=expected):
        KNNClassifier(prior=[1.0, 1.0, 1.0]).fit(X, y)


# -- attributes


def test_attribute_weights() -> None:
    X, y = mixed_rows(40), labels(40)
    weights = [2.0, 0.0, 1.0, 0.5]
    by_position = KNNClassifier(attribute_weights=weights).fit(X, y)
    by_key = KNNClassifier(attribute_weights={0: 2.0, 1: 0.0, 3: 0.5}).fit(X, y)
    np.testing.assert_array_equal(by_position.predict_proba(X), by_key.predict_proba(X))
    without = [[row[0], row[2], row[3]] for row in X]
    dropped = KNNClassifier(attribute_weights=[2.0, 1.0, 0.5]).fit(without, y)
    np.testing.assert_array_equal(by_position.predict_proba(X), dropped.predict_proba(without))


def test_values_of_a_table_are_known_without_rows() -> None:
    colours = ValueTable(("red", "orange", "blue"), ((0.0, 0.2, 1.0), (0.2, 0.0, 1.0), (1.0, 1.0, 0.0)))
    for distance in (Distance(nominal=colours), Distance(attributes={0: colours})):
        model = KNNClassifier(1, distance=distance).fit([["red"], ["blue"]], ["a", "b"])
        assert model.schema_.kinds == (Nominal(("red", "orange", "blue")),)
        assert model.kneighbors([["orange"]])[0].tolist() == [[0.2]]
        assert model.kneighbors([["green"]])[0].tolist() == [[1.0]]
        with pytest.raises(ParameterError, match="'green'"):
            model.partial_fit([["green"]], ["a"])
    by_hand = KNNClassifier(1, distance=Distance(nominal=colours), schema={0: Nominal()})
    assert by_hand.fit([["red"], ["blue"]], ["a", "b"]).schema_.kinds == (Nominal(),)


def test_kinds_declared_by_hand() -> None:
    X, y = [["S", 1], ["M", 2], ["L", 2]], ["a", "b", "b"]
    sizes = Ordinal(("S", "M", "L"))
    by_mapping = KNNClassifier(1, schema={0: sizes, 1: Nominal()}).fit(X, y)
    whole = KNNClassifier(1, schema=Schema(None, (sizes, Nominal()))).fit(X, y)
    assert by_mapping.schema_.kinds == whole.schema_.kinds == (sizes, Nominal())
    np.testing.assert_array_equal(by_mapping.kneighbors(X)[0], whole.kneighbors(X)[0])
    with pytest.raises(ParameterError, match="must be 'from_dtype' when schema= declares every column"):
        KNNClassifier(schema=Schema(None, (sizes, Nominal())), categorical_features=[1]).fit(X, y)


def test_distance_of_ones_own() -> None:
    X, y = mixed_rows(20), labels(20)
    model = KNNClassifier(3, distance=Distance(missing="ignore", power=1.0)).fit(X, y)
    assert "ignore" in repr(model.distance_)
    with pytest.raises(ParameterError, match="'nope'"):
        KNNClassifier(distance="nope").fit(X, y)


# -- parameters


def test_not_fitted() -> None:
    model = KNNClassifier()
    for ask in (lambda: model.predict([[1.0]]), lambda: model.ids_, lambda: model.forget([0]), model.digest):
        with pytest.raises(NotFittedError):
            ask()
    assert not hasattr(model, "classes_")


# -- one state, many ways to ask


def test_batches_threads_and_algorithms_give_the_same_bits() -> None:
    X, y = mixed_rows(300), labels(300)
    base = KNNClassifier(9, vote="gaussian", n_jobs=1).fit(X, y)
    expected = base.predict_proba(X)
    np.testing.assert_array_equal(np.concatenate([base.predict_proba([row]) for row in X]), expected)
    for options in (
        {"n_jobs": 2},
        {"algorithm": "tree"},
        {"algorithm": "scan"},
        {"algorithm": "plain"},
        {"algorithm": "plain"},
    ):
        other = clone(base).set_params(**options).fit(X, y)
        np.testing.assert_array_equal(other.predict_proba(X), expected)


def test_memory_stays_bounded_when_every_row_ties() -> None:
    X, y = np.zeros((4000, 1)), np.arange(4000) % 3
    for k in (1, "all"):
        model = KNNClassifier(k).fit(X, y)
        tracemalloc.start()
        model.predict(X)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 100e6  # rows x queries would be 128 MB for the ids alone


def test_number_of_jobs_is_checked_when_it_is_changed() -> None:
    model = KNNClassifier(1).fit([[1.0], [2.0]], ["a", "b"]).set_params(n_jobs="x")
    for ask in (model.predict, model.predict_proba, model.kneighbors, model.precedents):
        with pytest.raises(ParameterError, match=rf"KNNClassifier.{ask.__name__}: .*n_jobs"):
            ask([[1.0]])
    assert model.set_params(n_jobs=2).predict([[1.0]]).tolist() == ["a"]


def test_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "_cores", lambda: 8)
    monkeypatch.setattr(shared, "_threads_by_default", shared._threads_by_default.__wrapped__)  # read anew each time
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert [thread_count(n) for n in (None, -1, -2, -99, 3, 32, 600)] == [8, 8, 7, 1, 3, 32, 32]
    for setting, expected in [("2", 2), ("99", 8), ("3,2", 3), ("x", 8), ("0", 8), ("", 8)]:
        monkeypatch.setenv("OMP_NUM_THREADS", setting)
        assert thread_count(None) == expected
        assert thread_count(-1) == 8


def test_none_is_all_cores_whatever_joblib_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "_cores", lambda: 8)
    monkeypatch.setattr(shared, "_threads_by_default", shared._threads_by_default.__wrapped__)  # read anew each time
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    X, y = np.random.default_rng(0).random((60, 3)), np.arange(60) % 3
    expected = KNNClassifier(3).fit(X, y).predict_proba(X)
    for n_jobs in (1, 2):
        with joblib.parallel_config(n_jobs=n_jobs):
            model = KNNClassifier(3).fit(X, y)
            assert model._threads() == 8
            np.testing.assert_array_equal(model.predict_proba(X), expected)
            assert KNNClassifier(3, n_jobs=n_jobs)._threads() == n_jobs


@pytest.mark.parametrize("n_neighbors", [5, "loo"])
def test_pickle_copy_and_clone(n_neighbors: Any) -> None:
    X, y = mixed_rows(40), labels(40)
    model = KNNClassifier(n_neighbors, distance="hvdm").fit(X, y, sample_weight=np.arange(40) % 3)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
        assert other.digest() == model.digest()
        other.forget(other.ids_[:3]).partial_fit(X[:2], y[:2])
    assert len(model.ids_) == 26
    assert not hasattr(clone(model), "classes_")


def test_columns_are_matched_by_name() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(mixed_rows(30), columns=list(COLUMNS))
    model = KNNClassifier(3).fit(frame, labels(30))
    assert model.feature_names_in_.tolist() == list(COLUMNS)
    np.testing.assert_array_equal(model.predict(frame[list(reversed(COLUMNS))]), model.predict(frame))
    with pytest.raises(SchemaMismatchError, match=r"(?s)yet now missing:.*- age"):
        model.predict(frame.drop(columns="age"))


def test_failing_fit_leaves_the_estimator_as_it_was() -> None:
    X, y = mixed_rows(20), labels(20)
    model = KNNClassifier(3).fit(X, y)
    before = model.predict_proba(X)
    for bad in ([[np.inf, 1.0]], [], [[1.0, 2.0]]):
        with pytest.raises(ValueError, match="KNNClassifier"):
            model.fit(bad, ["a", "b"])
    with pytest.raises(ParameterError):
        model.set_params(vote="nope").fit(X, y)
    assert model.n_features_in_ == 4
    np.testing.assert_array_equal(model.predict_proba(X), before)
