"""Forgotten rows leave no trace: everything is as in a learner that never saw them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from concept_tables import LEARNERS, Rows, named, new, queries, same, stream, streams
from hypothesis import given, settings
from hypothesis import strategies as st

from priorcase.concepts import IB1, IB2, IB3, IB4, IB5, memory
from priorcase.exceptions import ForgettingError, TargetError, TooFewRowsError, UnknownIdError

QUERIES = queries(10)
learners = pytest.mark.parametrize("learner", LEARNERS, ids=named)
everything = [
    IB1(),
    IB1(ties="first", history=True),
    IB1(per_class=True, history=True),
    IB1(distance="hvdm"),
    IB1(distance="mvdm", per_class=True, history=True),
]


def without(values: list[Any], ids: Any) -> list[Any]:
    return [value for i, value in enumerate(values) if i not in set(ids)]


@learners
@settings(max_examples=6)
@given(table=streams(), data=st.data())
def test_a_replay_never_saw_the_forgotten_rows(
    learner: Any, table: tuple[Rows, list[Any]], data: st.DataObject
) -> None:
    X, y = table
    ids = data.draw(st.sets(st.integers(0, len(X) - 1), max_size=len(X) - 1))
    model = new(learner, history="replay").fit(X, y).forget(sorted(ids))
    same(model, new(learner, history="replay").fit(without(X, ids), without(y, ids)))


@learners
def test_learning_goes_on_after_a_replay(learner: Any) -> None:
    X, y = stream(120, seed=21)
    model = new(learner, history="replay").fit(X[:80], y[:80]).forget([0, 5, 40, 79])
    model.partial_fit(X[80:], y[80:])
    assert model.ids_.max() > 80, "ids go on"
    model.forget([100, 7])
    gone = {0, 5, 40, 79, 100, 7}
    same(model, new(learner, history="replay").fit(without(X, gone), without(y, gone)))


@pytest.mark.parametrize("learner", everything, ids=named)
@settings(max_examples=10)
@given(table=streams(), data=st.data())
def test_ib1_forgets_exactly(learner: Any, table: tuple[Rows, list[Any]], data: Any) -> None:
    X, y = table
    ids = data.draw(st.sets(st.integers(0, len(X) - 1), max_size=len(X) - 1))
    model = new(learner).fit(X, y).forget(sorted(ids))
    left, labels = without(X, ids), without(y, ids)
    same(model, new(learner).fit(left, labels))
    same(model.partial_fit(X, y), new(learner).fit(left, labels).partial_fit(X, y))


@pytest.mark.parametrize("learner", everything, ids=named)
def test_ib1_forgets_between_calls(learner: Any) -> None:
    X, y = stream(90, seed=22)
    model = new(learner).partial_fit(X[:30], y[:30]).partial_fit(X[30:60], y[30:60])
    model.forget(np.arange(0, 40)).partial_fit(X[60:], y[60:]).forget([70])
    fresh = new(learner).partial_fit(X[40:60], y[40:60])
    fresh.partial_fit(without(X[60:], {10}), without(y[60:], {10}))
    same(model, fresh)
    assert model.ids_.tolist() == without(list(range(40, 90)), {30})


def test_ib1_gives_up_ranges_and_classes_of_forgotten_rows() -> None:
    model = IB1().fit([[0.0, 0.0], [1.0, 0.9], [100.0, 0.0]], ["a", "b", "far"])
    assert model.predict([[0.9, 0.0]]).tolist() == ["a"]
    model.forget([2])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.predict([[0.9, 0.5]]).tolist() == ["b"]
    assert model.n_seen_ == model.stored_ == 2


def test_shuffled_rows_can_be_forgotten() -> None:
    X, y = stream(60, seed=23)
    order = np.random.RandomState(4).permutation(60)
    gone = [1, 30, 44]
    left = [i for i in order if i not in gone]
    for learner in (IB1(ties="first"), IB3()):
        model = new(learner, random_state=4, shuffle=True, history="replay").fit(X, y).forget(gone)
        fresh = new(learner, random_state=4, history="replay").fit([X[i] for i in left], [y[i] for i in left])
        assert model.predict(QUERIES).tolist() == fresh.predict(QUERIES).tolist()
        assert model.concept_["successes"].tolist() == fresh.concept_["successes"].tolist()
    model = new(IB1(ties="first"), random_state=4, shuffle=True).fit(X, y).forget(gone)
    assert model.concept_["id"].tolist() == left


@learners
def test_all_rows_can_be_forgotten(learner: Any) -> None:
    X, y = stream(40, seed=24)
    model = new(learner, history="replay").fit(X, y).forget(range(40))
    with pytest.raises(TooFewRowsError, match="all were forgotten"):
        model.predict(QUERIES)
    assert model.classes_.tolist() == []
    assert model.ids_.tolist() == []
    assert model.n_seen_ == 0
    same(model.partial_fit(X, [1] * 40), new(learner, history="replay").fit(X, [1] * 40))


def test_ib1_can_forget_all_rows() -> None:
    X, y = stream(20, seed=25)
    for learner in everything:
        model = new(learner).fit(X, y).forget(range(20))
        with pytest.raises(TooFewRowsError, match="all were forgotten"):
            model.predict(QUERIES)
        same(model.partial_fit(X, [True] * 20), new(learner).fit(X, [True] * 20))


def test_targets_keep_their_form_when_all_rows_are_forgotten() -> None:
    X, y = stream(10, seed=32)
    model = new(IB1(per_class=True)).fit(X, y).forget(range(10))
    with pytest.raises(TargetError, match="but had one class for each row before"):
        model.partial_fit(X, [[0, 1]] * 10)


def test_announced_classes_stay() -> None:
    X, y = stream(30, seed=26)
    model = new(IB2(history="replay")).partial_fit(X, y, classes=["a", "b", "c", "d"]).forget(range(30))
    assert model.classes_.tolist() == list("abcd")
    model.partial_fit(X, y)
    assert model.classes_.tolist() == list("abcd")


@pytest.mark.parametrize("learner", [IB2(), IB3(), IB3(history=True), IB4(), IB5()], ids=named)
def test_what_depends_on_gone_rows_cannot_be_forgotten(learner: Any) -> None:
    model = new(learner, random_state=0).fit(*stream(40))
    before = model.digest()
    with pytest.raises(ForgettingError, match="depend on rows that were not kept"):
        model.forget([0])
    assert model.digest() == before


@learners
def test_nothing_to_forget(learner: Any) -> None:
    """Which any learner can do."""
    model = new(learner, history=True).fit(*stream(40))
    before, frame = model.digest(), model.concept_
    assert model.forget([]).digest() == before
    assert model.forget(np.array([], np.int64)).n_seen_ == 40
    pd.testing.assert_frame_equal(model.concept_, frame)
    with pytest.raises(UnknownIdError, match="integers"):
        model.forget(["5"])


def test_a_window_needs_a_replay() -> None:
    model = new(IB1(window=20)).fit(*stream(40))
    with pytest.raises(ForgettingError, match="window"):
        model.forget([39])
    assert model.stored_ == 20


def test_ids_that_were_never_stored() -> None:
    X, y = stream(20, seed=27)
    model = new(IB1()).fit(X, y)
    with pytest.raises(UnknownIdError, match="20, 99"):
        model.forget([3, 20, 99])
    with pytest.raises(UnknownIdError, match="3"):
        model.forget([3, 3])
    assert model.stored_ == 20


@pytest.mark.parametrize("learner", [IB2(), IB3(random_state=0), IB4(random_state=0)], ids=named)
def test_ids_that_were_never_seen(learner: Any) -> None:
    X, y = stream(20, seed=28)
    model = new(learner, history="replay").fit(X, y).forget([4])
    before = model.digest()
    with pytest.raises(UnknownIdError, match="ids 4, 20 are unknown or already forgotten"):
        model.forget([4, 5, 20])
    with pytest.raises(UnknownIdError, match="5 more than once"):
        model.forget([5, 5])
    with pytest.raises(UnknownIdError, match="integers"):
        model.forget(["5"])
    assert model.digest() == before
    assert model.forget([]).digest() == before
    stored = set(model.ids_.tolist())
    unstored = next(i for i in range(20) if i not in stored and i != 4)
    model.forget([unstored])  # seen is enough


def test_a_settled_distance_is_settled_anew() -> None:
    """The statistics of the first call are those of its rows that are left, or of the next call."""
    X, y = stream(60, seed=29)
    model = new(IB2(distance="hvdm", history="replay")).partial_fit(X[:20], y[:20]).partial_fit(X[20:], y[20:])
    same(model.forget([2]), _two_calls(X, y, 20, {2}))
    same(model.forget([i for i in range(20) if i != 2]), _two_calls(X, y, 20, set(range(20))))


def _two_calls(X: Rows, y: list[Any], cut: int, gone: set[int]) -> Any:
    fresh = new(IB2(distance="hvdm", history="replay"))
    for part in (range(cut), range(cut, len(X))):
        kept = [i for i in part if i not in gone]
        if kept:
            fresh.partial_fit([X[i] for i in kept], [y[i] for i in kept])
    return fresh


def test_long_replays_show_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = stream(100, seed=30)
    whole = new(IB3(random_state=0, history="replay")).fit(without(X, {50}), without(y, {50}))
    monkeypatch.setattr(memory, "MANY_ROWS", 16)
    same(new(IB3(random_state=0, history="replay")).fit(X, y).forget([50]), whole)


def test_records_of_ib1_wait_until_they_are_asked_for() -> None:
    X, y = stream(50, seed=31)
    model = new(IB1(history=True)).fit(X, y)
    model.forget([0]).predict(QUERIES)
    assert model._stored().stale
    _ = model.history_
    assert not model._stored().stale


@pytest.mark.parametrize("learner", [*everything, *(new(kind, history="replay") for kind in LEARNERS)], ids=named)
def test_pickles_hold_nothing_of_a_forgotten_row(learner: Any) -> None:
    X, y = stream(40, seed=32)
    X[9], y[9] = [2.0, "confidential", "low", 8123.25], "secret"
    model = new(learner).fit(X, y)
    _ = model.predict(QUERIES), model.concept_, model.digest()
    words = b"confidential", b"secret", np.float64(8123.25).tobytes()
    assert all(word in pickle.dumps(model) for word in words)
    model.forget([9])
    assert not any(word in pickle.dumps(model) for word in words)
    model.partial_fit([X[9]], [y[9]])  # its class may come again
    same(model, new(learner).partial_fit(without(X, {9}), without(y, {9})).partial_fit([X[9]], [y[9]]))
