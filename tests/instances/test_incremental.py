"""Rows that come and go: after any history, the state and every answer are those of a fresh fit, bit for bit."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from tables import labels, mixed_rows, row_lists

from priorcase.exceptions import (
    NumericRangeError,
    ParameterError,
    PriorcaseError,
    SchemaError,
    SchemaMismatchError,
    TargetError,
    TooFewRowsError,
    UnknownIdError,
)
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.schema import Nominal, Numeric
from priorcase.search import Index
from priorcase.similarity import Distance, ValueTable

KINDS = {0: Numeric(), 1: Nominal(), 2: Nominal()}
QUERIES = [[1.0, "red", True], [None, "blue", None], [4.0, "violet", False]]

CLASSIFIERS = [
    KNNClassifier(2, schema=KINDS),
    KNNClassifier("loo", distance="hvdm", vote="inverse_square", schema=KINDS),
    KNNClassifier("sqrt", distance="mvdm", ties="nearest", prior="frequency", schema=KINDS),
    KNNClassifier("all", distance="ivdm", vote="gaussian", ties="reduce", schema=KINDS),
]
REGRESSORS = [
    KNNRegressor(2, schema=KINDS),
    KNNRegressor("loo", vote="tricube", distance="gower", schema=KINDS),
    KNNRegressor("all", vote="inverse_square", distance="ib", schema=KINDS),
]


def steps(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    """Histories: batches to add, each with targets and perhaps weights, and shares of the stored rows to forget."""
    row = row_lists(1, 1).map(lambda rows: rows[0])
    batch = st.tuples(
        st.just("add"),
        st.lists(st.tuples(row, values, st.sampled_from([1.0, 1.0, 2.0, 0.5])), min_size=1, max_size=5),
        st.booleans(),
    )
    return st.lists(
        batch | st.tuples(st.just("forget"), st.randoms(use_true_random=False), st.booleans()), min_size=1, max_size=8
    )


def replay(model: Any, history: list[Any]) -> list[tuple[Any, Any, float]]:
    """Go through a history; the rows, targets and weights that are left."""
    left: dict[int, tuple[Any, Any, float]] = {}
    given_out = 0
    for step, content, flag in history:
        if step == "add":
            rows, y = [entry[0] for entry in content], [entry[1] for entry in content]
            weights = [entry[2] for entry in content] if flag else None
            model.partial_fit(rows, y, sample_weight=weights)
            for row, target, weight in content:
                left[given_out] = row, target, weight if flag else 1.0
                given_out += 1
        elif left:
            gone = content.sample(sorted(left), content.randint(1, len(left)))
            model.forget(gone)
            for i in gone:
                del left[i]
        if left and flag:  # look in between, or only at the end
            model.kneighbors(QUERIES, 1)
        if given_out:
            assert model.ids_.tolist() == sorted(left)
    return [left[i] for i in sorted(left)]


def assert_same(model: Any, fresh: Any, answer: Callable[[Any], Any]) -> None:
    assert model.digest() == fresh.digest()
    assert model.n_samples_fit_ == fresh.n_samples_fit_
    assert model.n_neighbors_ == fresh.n_neighbors_
    if model.n_neighbors == "loo":
        np.testing.assert_array_equal(model.loo_scores_, fresh.loo_scores_)
    distances, ids = model.kneighbors(QUERIES, len(model.ids_))
    fresh_distances, positions = fresh.kneighbors(QUERIES, len(model.ids_))
    np.testing.assert_array_equal(distances, fresh_distances)
    np.testing.assert_array_equal(ids, model.ids_[positions])
    try:
        expected = answer(fresh)
    except TooFewRowsError:
        with pytest.raises(TooFewRowsError):
            answer(model)
        return
    np.testing.assert_array_equal(answer(model), expected)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: str(model.n_neighbors))
@given(history=steps(st.sampled_from("abc")))
@settings(max_examples=30)
def test_classifier_history_leaves_no_trace(model: Any, history: list[Any]) -> None:
    grown = clone(model)
    left = replay(grown, history)
    if not left:
        return
    rows, y, weights = zip(*left, strict=True)
    fresh = clone(model).fit(list(rows), list(y), sample_weight=weights)
    assert grown.classes_.tolist() == fresh.classes_.tolist()
    assert_same(grown, fresh, lambda m: np.column_stack([m.predict_proba(QUERIES), m.predict(QUERIES)]))


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: str(model.n_neighbors))
@given(history=steps(st.integers(-9, 9)))
@settings(max_examples=30)
def test_regressor_history_leaves_no_trace(model: Any, history: list[Any]) -> None:
    grown = clone(model)
    left = replay(grown, history)
    if not left:
        return
    rows, y, weights = zip(*left, strict=True)
    assert_same(grown, clone(model).fit(list(rows), list(y), sample_weight=weights), lambda m: m.predict(QUERIES))


def test_row_by_row_equals_all_at_once() -> None:
    X, y = mixed_rows(60), labels(60)
    model = KNNClassifier(5, distance="hvdm").fit(X[:20], y[:20])
    for row, label in zip(X[20:], y[20:], strict=True):
        model.partial_fit([row], [label])
        model.predict([row])
    fresh = KNNClassifier(5, distance="hvdm").fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), fresh.predict_proba(X))
    assert model.digest() == fresh.digest()


def test_many_rows_go_and_come() -> None:
    X, y = mixed_rows(3000), labels(3000)
    model = KNNClassifier(5).fit(X[:2000], y[:2000])
    gone = np.random.default_rng(0).permutation(2000)[:1500]
    model.forget(gone).partial_fit(X[2000:], y[2000:])
    kept = [i for i in range(3000) if i not in set(gone.tolist())]
    fresh = KNNClassifier(5).fit([X[i] for i in kept], [y[i] for i in kept])
    np.testing.assert_array_equal(model.predict_proba(X[:200]), fresh.predict_proba(X[:200]))
    np.testing.assert_array_equal(model.kneighbors(X[:50])[1], np.array(kept)[fresh.kneighbors(X[:50])[1]])


# -- classes


def test_class_disappears_with_its_last_row() -> None:
    model = KNNClassifier(1).fit([[1.0], [2.0], [3.0]], ["a", "b", "c"])
    assert model.forget([1]).classes_.tolist() == ["a", "c"]
    assert model.predict_proba([[2.0]]).shape == (1, 2)
    assert model.partial_fit([[2.0]], ["b"]).classes_.tolist() == ["a", "b", "c"]
    assert model.ids_.tolist() == [0, 2, 3]


def test_declared_classes_stay() -> None:
    model = KNNClassifier(1, prior=1.0).partial_fit([[1.0], [2.0]], ["a", "b"], classes=["a", "b", "z"])
    assert model.forget([1]).classes_.tolist() == ["a", "b", "z"]
    np.testing.assert_allclose(model.predict_proba([[2.0]]), [[0.5, 0.25, 0.25]])
    assert model.partial_fit([[3.0]], ["a"], classes=["y"]).classes_.tolist() == ["a", "b", "y", "z"]
    with pytest.raises(TargetError, match=r"y has 'q', but classes= lists 'a', 'b', 'y', 'z'"):
        model.partial_fit([[3.0]], ["q"])
    assert model.fit([[1.0]], ["q"]).classes_.tolist() == ["q"]


def test_declared_classes_of_several_targets() -> None:
    model = KNNClassifier(1).partial_fit([[1.0]], [["a", "x"]], classes=[["a", "b"], ["x"]])
    assert [found.tolist() for found in model.classes_] == [["a", "b"], ["x"]]
    with pytest.raises(TargetError, match="classes must have a list for each of the 2 target columns"):
        model.partial_fit([[1.0]], [["a", "x"]], classes=[["a"]])
    with pytest.raises(TargetError, match="1 target columns, but had 2"):
        model.partial_fit([[1.0]], ["a"])


def test_labels_grow_wider() -> None:
    model = KNNClassifier(1).partial_fit([[1.0]], np.array(["a"])).partial_fit([[2.0]], np.array(["long"]))
    assert model.predict([[2.0]]).tolist() == ["long"]
    numbers = KNNClassifier(1).partial_fit([[1.0]], np.array([1], dtype=np.int8)).partial_fit([[2.0]], [1000])
    assert numbers.predict([[2.0]]).tolist() == [1000]


def test_prior_for_each_class_must_fit_the_classes() -> None:
    model = KNNClassifier(1, prior=[1.0, 2.0]).fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(ParameterError, match="prior must be 3 numbers"):
        model.partial_fit([[3.0]], ["c"])
    assert model.classes_.tolist() == ["a", "b"]


# -- forgetting


@pytest.mark.parametrize(
    ("ids", "word"),
    [
        ([99], "99"),
        ([0, -1], "-1"),
        ([0, 0], "more than once"),
        ([0.5], "float64"),
        (3, "0-dimensional"),
        (["a"], "<U1"),
    ],
    ids=str,
)
def test_unknown_ids_change_nothing(ids: Any, word: str) -> None:
    X, y = mixed_rows(10), labels(10)
    model = KNNClassifier(3).fit(X, y)
    digest = model.digest()
    with pytest.raises(UnknownIdError) as caught:
        model.forget(ids)
    assert word in str(caught.value)
    assert (model.digest(), model.ids_.tolist()) == (digest, list(range(10)))
    with pytest.raises(UnknownIdError):
        model.forget([4]).forget([4])
    assert model.forget([]).n_samples_fit_ == 9


def test_all_rows_forgotten() -> None:
    X, y = mixed_rows(6), labels(6)
    model = KNNClassifier(2).fit(X, y).forget(np.arange(6))
    assert model.ids_.tolist() == []
    for ask in (model.predict, model.predict_proba, model.kneighbors, model.precedents):
        with pytest.raises(
            TooFewRowsError,
            match=r"(?s)KNNClassifier.*forgotten.*partial_fit",
        ):
            ask(X)
    with pytest.raises(TooFewRowsError):
        model.kneighbors()
    with pytest.raises(TooFewRowsError):
        _ = model.distance_
    model.partial_fit(X, y)
    assert model.ids_.tolist() == list(range(6, 12))
    np.testing.assert_array_equal(model.predict_proba(X), KNNClassifier(2).fit(X, y).predict_proba(X))


def test_all_rows_forgotten_by_each_named_number() -> None:
    for number in ("sqrt", "all", "loo"):
        model = KNNRegressor(number).fit([[1.0], [2.0]], [1.0, 2.0]).forget([0, 1])
        with pytest.raises(TooFewRowsError, match=r"KNNRegressor\.predict: .*forgotten"):
            model.predict([[1.0]])
        assert model.partial_fit([[3.0]], [7.0]).predict([[1.0]]).tolist() == [7.0]


def test_forgotten_values_are_unseen_again() -> None:
    model = KNNClassifier(1).fit([["red"], ["blue"]], ["a", "b"])
    assert model.kneighbors([["blue"]])[0].tolist() == [[0.0]]
    assert model.forget([1]).kneighbors([["blue"]])[0].tolist() == [[1.0]]


# -- mistakes leave everything as it was


@pytest.mark.parametrize(
    ("X", "y", "options", "error"),
    [
        ([[1.0, "red"]], ["a"], {}, SchemaMismatchError),
        ([["x", "red", True]], ["a"], {}, SchemaMismatchError),
        ([[np.inf, "red", True]], ["a"], {}, SchemaError),
        ([], [], {}, SchemaError),
        ([[1.0, "red", True]], ["a", "b"], {}, TargetError),
        ([[1.0, "red", True]], [None], {}, TargetError),
        ([[1.0, "red", True]], [3], {}, TargetError),
        ([[1.0, "red", True]], [["a", "b"]], {}, TargetError),
        ([[1.0, "red", True]], ["a"], {"classes": ["b"]}, TargetError),
        ([[1.0, "red", True]], ["a"], {"classes": [1, 2]}, TargetError),
        ([[1.0, "red", True]], ["a"], {"sample_weight": [-1.0]}, PriorcaseError),
        ([[1.0, "red", True]], ["a"], {"sample_weight": [0.0]}, PriorcaseError),
    ],
    ids=str,
)
def test_failing_partial_fit(X: Any, y: Any, options: dict[str, Any], error: type[PriorcaseError]) -> None:
    rows, classes = [row[:3] for row in mixed_rows(12)], labels(12)
    model = KNNClassifier(3).fit(rows, classes)
    before, state = model.predict_proba(rows), copy.deepcopy(vars(model))
    with pytest.raises(error):
        model.partial_fit(X, y, **options)
    assert vars(model).keys() == state.keys()
    assert model.digest() == state["_memory"].instances.digest()
    np.testing.assert_array_equal(model.predict_proba(rows), before)
    model.partial_fit(rows[:1], classes[:1])
    assert model.ids_.tolist() == list(range(13))


def test_rows_the_distance_cannot_measure_are_not_kept() -> None:
    colours = Distance(attributes={0: ValueTable(("red", "blue"), ((0.0, 0.3), (0.3, 0.0)))})
    model = KNNClassifier(1, distance=colours).fit([["red"], ["blue"]], ["a", "b"])
    with pytest.raises(ParameterError, match="no entries for 'green'"):
        model.partial_fit([["green"], ["red"]], ["c", "c"])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.predict([["red"]]).tolist() == ["a"]
    assert model.partial_fit([["red"]], ["b"]).ids_.tolist() == [0, 1, 2]
    wide = KNNRegressor(1).fit([[1e308], [0.0]], [1.0, 2.0])
    with pytest.raises(NumericRangeError, match="range is infinite"):
        wide.partial_fit([[-1e308]], [3.0])
    assert wide.predict([[0.0]]).tolist() == [2.0]


def test_first_partial_fit_that_fails_leaves_it_unfitted() -> None:
    model = KNNClassifier(1)
    with pytest.raises(TargetError):
        model.partial_fit([[1.0]], [None])
    with pytest.raises(NotFittedError):
        model.predict([[1.0]])
    assert vars(model).keys() - {"_lock"} == vars(KNNClassifier(1)).keys()


def test_unpickled_model_goes_on() -> None:
    X, y = mixed_rows(30), labels(30)
    model = pickle.loads(pickle.dumps(KNNClassifier(3).fit(X[:20], y[:20]).forget([3])))
    model.partial_fit(X[20:], y[20:]).forget([25])
    kept = [i for i in range(30) if i not in (3, 25)]
    fresh = KNNClassifier(3).fit([X[i] for i in kept], [y[i] for i in kept])
    np.testing.assert_array_equal(model.predict_proba(X), fresh.predict_proba(X))


def test_index_that_fails_half_way_is_built_again(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = mixed_rows(20), labels(20)
    model = KNNClassifier(3).fit(X, y)
    expected = model.predict_proba(X)

    def fail(self: Index, ids: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(Index, "append", fail)
        with pytest.raises(MemoryError):
            model.partial_fit(X[:2], y[:2])
    np.testing.assert_array_equal(model.predict_proba(X), expected)
    assert model.partial_fit(X[:2], y[:2]).ids_.tolist() == list(range(22))
