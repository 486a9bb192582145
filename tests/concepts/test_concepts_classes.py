"""The roll of classes: announced or not, in any type, and several at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from concept_tables import KINDS, LEARNERS, SCHEMA, named, options, queries, ranked, stream
from reference.concepts import PerClass
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning

from priorcase.concepts import IB1, IB2, IB3, IB4, IB5
from priorcase.exceptions import TargetError

QUERIES = queries(15)
learners = pytest.mark.parametrize("learner", LEARNERS, ids=named)
several = [IB1(per_class=True), IB2(per_class=True), IB3(per_class=True, random_state=0), IB4(random_state=0)]
several += [IB5(random_state=0), IB5(random_state=0, missing="scale")]


def new(learner: Any, **changed: Any) -> Any:
    return clone(learner).set_params(schema=SCHEMA, **changed)


@learners
def test_classes_are_taken_up_as_they_come(learner: Any) -> None:
    X, y = stream(90, seed=40)
    y[:30] = ["b"] * 30
    model = new(learner).partial_fit(X[:30], y[:30])
    assert model.classes_.tolist() == ["b"]
    model.partial_fit(X[30:60], y[30:60])
    assert model.classes_.tolist() == ["a", "b", "c"]
    whole = new(learner).fit(X, y)
    assert model.partial_fit(X[60:], y[60:]).digest() == whole.digest()


@learners
def test_announced_classes(learner: Any) -> None:
    X, y = stream(60, seed=41)
    plain = new(learner).fit(X, y)
    model = new(learner).partial_fit(X[:30], y[:30], classes=["z", "c", "b", "a"]).partial_fit(X[30:], y[30:])
    assert model.classes_.tolist() == ["a", "b", "c", "z"]
    assert model.predict(QUERIES).tolist() == plain.predict(QUERIES).tolist()
    proba = model.predict_proba(QUERIES)
    assert (proba[:, 3] > 0).all()
    assert (proba[:, :3].min(axis=1) >= proba[:, 3]).all()
    np.testing.assert_array_equal(proba[:, :3].argmax(axis=1), plain.predict_proba(QUERIES).argmax(axis=1))
    before = model.digest()
    with pytest.raises(TargetError, match="'d'"):
        model.partial_fit(X[:2], ["a", "d"])
    assert model.digest() == before
    model.partial_fit(X[:1], ["d"], classes=["d"])
    assert model.classes_.tolist() == ["a", "b", "c", "d", "z"]


def test_classes_announced_late_must_hold_those_seen() -> None:
    X, y = stream(30, seed=42)
    model = new(IB2()).fit(X, y)
    with pytest.raises(TargetError, match="earlier rows have 'b', 'c'"):
        model.partial_fit(X[:1], ["a"], classes=["a", "x"])
    for wrong in ("abc", 3, [], ["a", None], [["a"], ["b"]]):
        with pytest.raises(TargetError, match="classes"):
            model.partial_fit(X[:1], ["a"], classes=wrong)
    with pytest.raises(TargetError, match="numbers, but the classes learned before are text"):
        model.partial_fit(X[:1], ["a"], classes=[1, 2])
    assert model.classes_.tolist() == ["a", "b", "c"]


def test_a_class_stays_when_no_row_has_it_any_more() -> None:
    model = IB1(window=2).fit([[0.0], [1.0], [2.0]], ["a", "b", "b"])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.predict_proba([[0.0]]).tolist() == [[0.25, 0.75]]


@pytest.mark.parametrize(
    "y", [[0, 1, 1], np.array([2, 1, 2], np.int8), [True, False, True], np.array(["x", "yy", "x"]), ["x", "yy", "zzz"]]
)
def test_predictions_come_in_the_type_of_the_classes(y: Any) -> None:
    model = IB2().fit([[0.0], [1.0], [2.0]], y)
    expected = np.unique(np.asarray(y))
    assert model.classes_.dtype == expected.dtype
    assert model.predict([[0.0], [1.0]]).tolist() == np.asarray(y)[:2].tolist()


def test_a_type_that_only_forgotten_rows_had_is_forgotten() -> None:
    model = IB1().partial_fit([[0.0]], np.array(["a"])).partial_fit([[1.0]], np.array(["b"], object))
    assert model.classes_.dtype == object
    assert model.forget([1]).classes_.dtype == np.dtype("U1")


def test_a_column_vector_is_one_class_for_each_row() -> None:
    with pytest.warns(DataConversionWarning, match="column-vector"):
        model = IB4(random_state=0).fit([[0.0], [1.0]], [["a"], ["b"]])
    assert model.predict([[0.0]]).tolist() == ["a"]


# Several labels -------------------------------------------------------------------------------------------------------


def overlapping(n: int, seed: int = 0) -> tuple[list[list[Any]], np.ndarray[Any, Any]]:
    """Rows that belong to two, one or none of three concepts."""
    rows, labels = stream(n, seed)
    rng = np.random.default_rng(seed)
    members = np.array([[label == "a", label != "b", rng.random() < 0.3] for label in labels], np.int64)
    return rows, members


@pytest.mark.parametrize("learner", several, ids=named)
def test_several_labels(learner: Any) -> None:
    X, y = overlapping(100, seed=43)
    reference = PerClass(KINDS, classes=range(3), **options(learner))
    for row, flags in zip(X, y.tolist(), strict=True):
        reference.learn(ranked(row), *(k for k, flag in enumerate(flags) if flag))
    model = new(learner).fit(X, y)
    expected = [reference.claims(ranked(row)) for row in QUERIES]
    assert model.claims(QUERIES).tolist() == expected
    assert model.predict(QUERIES).tolist() == np.array(expected).astype(int).tolist()
    assert model.predict(QUERIES).dtype == y.dtype
    assert model.classes_.tolist() == [0, 1, 2]
    shares = model.predict_proba(QUERIES)
    assert len(shares) == 3
    for k, share in enumerate(shares):
        assert share.sum(axis=1).tolist() == [1.0] * len(QUERIES)
        assert ((share[:, 1] > 0.5) <= model.claims(QUERIES)[:, k]).all()
    parts = new(learner).partial_fit(X[:7], y[:7]).partial_fit(X[7:], y[7:])
    assert parts.digest() == model.digest()


@pytest.mark.parametrize("learner", several, ids=named)
def test_several_labels_can_be_forgotten(learner: Any) -> None:
    X, y = overlapping(40, seed=44)
    model = new(learner, history="replay").fit(X, y).forget(range(0, 40, 3))
    left = [i for i in range(40) if i % 3]
    fresh = new(learner, history="replay").fit([X[i] for i in left], y[left])
    assert model.digest() == fresh.digest()
    assert model.claims(QUERIES).tolist() == fresh.claims(QUERIES).tolist()
    if isinstance(learner, IB1):
        plain = new(learner).fit([X[i] for i in left], y[left])
        assert new(learner).fit(X, y).forget(range(0, 40, 3)).digest() == plain.digest()


def test_frames_of_labels_go_by_name() -> None:
    X, y = overlapping(30, seed=45)
    names = ["warm", "wet", "windy"]
    model = new(IB2(per_class=True)).partial_fit(X[:20], pd.DataFrame(y[:20], columns=names))
    assert model.classes_.tolist() == names
    turned = pl.DataFrame(y[20:], schema=names, orient="row").select(names[::-1])
    whole = new(IB2(per_class=True)).fit(X, pd.DataFrame(y, columns=names))
    assert model.partial_fit(X[20:], turned).digest() == whole.digest()
    model.partial_fit(X[:1], y[:1])  # without names by position
    with pytest.raises(TargetError, match=r"Did you mean 'wet' by 'wett'\?"):
        model.partial_fit(X[:1], pd.DataFrame(y[:1], columns=["warm", "wett", "windy"]))
    with pytest.raises(TargetError, match="several columns named 'wet'"):
        new(IB4()).fit(X, pd.DataFrame(y, columns=["wet", "wet", "windy"]))
    assert "warm, wet" in model.concept_["class"].tolist()


def test_label_columns_that_never_hold() -> None:
    X, y = overlapping(30, seed=46)
    y[:, 1] = 0
    model = new(IB4(random_state=0)).fit(X, y)
    assert not model.claims(QUERIES)[:, 1].any()
    weights = model.attribute_weights_
    assert len(weights["concept"]) == 3
    assert weights.shape == (3, 1 + 4)


def test_no_label_has_held_yet() -> None:
    X, y = overlapping(10, seed=51)
    model = new(IB4(random_state=0, history=True)).partial_fit(X, y * 0)
    assert not model.predict(QUERIES).any()
    assert (model.stored_, model.storage_, model.dropped_) == (0, 0.0, 0)
    assert model.concept_["id"].tolist() == model.history_.frame()["seen"].tolist() == []
    assert repr(model.history_).startswith("0 instances")
    assert (
        model.partial_fit(X, y).digest() == new(IB4(random_state=0)).fit([*X, *X], np.concatenate([y * 0, y])).digest()
    )
    assert len(model.history_) == 20, "as if the classes had been known from the start"


def test_boolean_labels() -> None:
    X, y = overlapping(30, seed=47)
    model = new(IB2(per_class=True)).fit(X, y.astype(bool))
    assert model.predict(QUERIES).dtype == bool
    assert model.predict(QUERIES).tolist() == new(IB2(per_class=True)).fit(X, y).predict(QUERIES).astype(bool).tolist()


def test_declared_columns() -> None:
    X, y = overlapping(10, seed=48)
    assert new(IB4(random_state=0)).fit(X, y).partial_fit(X, y, classes=[0, 1, 2]).n_seen_ == 20


def test_concepts_may_overlap() -> None:
    """A row that two descriptions claim, and one that none claims."""
    X = [[0.0], [1.0], [2.0], [5.0], [6.0], [7.0], [20.0], [21.0]]
    y = [[1, 0], [1, 0], [1, 1], [1, 1], [0, 1], [0, 1], [0, 0], [0, 0]]
    model = IB1(per_class=True).fit(X, y)
    assert model.claims([[0.5], [3.0], [6.5], [30.0]]).tolist() == [
        [True, False],
        [True, True],
        [False, True],
        [False, False],
    ]


def test_unclaimed_queries_go_to_the_nearest_member() -> None:
    """Of exclusive classes one wins, claimed or not."""
    X, y = stream(200, seed=49)
    model = new(IB4(random_state=0)).fit(X, y)
    asked = queries(200, seed=50)
    claimed, predicted = model.claims(asked), model.predict(asked)
    assert not claimed.any(axis=1).all(), "all are claimed"
    assert set(predicted.tolist()) <= {"a", "b", "c"}
    at = np.searchsorted(model.classes_, predicted)
    some = claimed.any(axis=1)
    assert claimed[some, at[some]].all()


def test_where_nothing_speaks_the_most_frequent_class_is_that_of_the_window() -> None:
    X = [[0.0], [1.0], [0.0], [2.0], [2.0], [1.0], [1.0]]
    model = IB2(per_class=True, window=2).fit(X, list("AAABCBC"))
    assert not model.claims([[1.0]]).any()
    assert "concept" in model.concept_
    assert (model.concept_["class"] != model.concept_["concept"]).all(), "no class has a member stored"
    assert model.predict([[1.0]]).tolist() == ["B"], "A was the most frequent before"
