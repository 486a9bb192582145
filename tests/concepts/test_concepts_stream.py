"""A stream is learned one by one, however it is cut into calls; calls are done whole or not at all."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from concept_tables import LEARNERS, Rows, named, new, queries, same, stream, streams
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from priorcase.concepts import IB1, IB2, IB3, IB4, memory
from priorcase.exceptions import PriorcaseError, SchemaError, SchemaMismatchError

QUERIES = queries(12)
learners = pytest.mark.parametrize("learner", LEARNERS, ids=named)


@learners
@settings(max_examples=6)
@given(table=streams(), cuts=st.sets(st.integers(1, 24)))
def test_any_cut_into_calls_is_the_same_stream(learner: Any, table: tuple[Rows, list[Any]], cuts: set[int]) -> None:
    X, y = table
    whole, grown = new(learner, history=True).fit(X, y), new(learner, history=True)
    places = [0, *sorted(cut for cut in cuts if cut < len(X)), len(X)]
    for start, stop in pairwise(places):
        grown.partial_fit(X[start:stop], y[start:stop])
    same(whole, grown)
    assert whole.ids_.tolist() == grown.ids_.tolist()


@learners
def test_row_by_row_with_questions_in_between(learner: Any) -> None:
    """Asking changes nothing."""
    X, y = stream(80, seed=4)
    grown = new(learner)
    for i, (row, label) in enumerate(zip(X, y, strict=True)):
        grown.partial_fit([row], [label])
        if i % 4 == 0:
            grown.predict(QUERIES[:3])
            _ = grown.concept_, grown.storage_
    same(new(learner).fit(X, y), grown)


@learners
def test_the_state_survives_pickles_and_copies(learner: Any) -> None:
    """Not only the answers: what comes later is learned alike, too."""
    X, y = stream(120, seed=5)
    model = new(learner, history="replay").fit(X[:70], y[:70])
    twins = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    for learned in (model, *twins):
        learned.partial_fit(X[70:], y[70:])
    for twin in twins:
        same(model, twin)
        same(clone(model).fit(X, y), twin)
        twin.forget([3, 100])
    same(*twins)


@pytest.mark.parametrize(
    "learner",
    [IB1(), IB2(), *(kind(ties=ties, random_state=0) for kind in (IB3, IB4) for ties in ("majority", "random"))],
    ids=named,
)
def test_threads_change_nothing(learner: Any) -> None:
    X, y = stream(300, seed=7)
    same(new(learner, n_jobs=1).fit(X, y), new(learner, n_jobs=4).fit(X, y))


@learners
def test_long_calls_are_learned_on_a_copy(learner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = stream(150, seed=8)
    whole = new(learner, history=True).fit(X, y)
    monkeypatch.setattr(memory, "MANY_ROWS", 16)
    same(whole, new(learner, history=True).fit(X, y))
    same(whole, new(learner, history=True).partial_fit(X[:10], y[:10]).partial_fit(X[10:], y[10:]))


@pytest.mark.parametrize("learner", [IB2(), IB3(random_state=0), IB4(random_state=0)], ids=named)
def test_an_interrupted_call_leaves_everything_as_it_was(learner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MANY_ROWS", 16)
    X, y = stream(200, seed=9)
    model, twin = new(learner, history="replay").fit(X[:100], y[:100]), new(learner, history="replay")
    twin.fit(X[:100], y[:100])
    learn = memory.run_learn

    def interrupted(*batch: Any) -> Any:
        learn(*batch)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(memory, "run_learn", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(X[100:], y[100:])
        with pytest.raises(KeyboardInterrupt):
            model.forget([5])
    same(model, twin)
    same(model.partial_fit(X[100:], y[100:]).forget([5]), twin.partial_fit(X[100:], y[100:]).forget([5]))


@learners
def test_a_refused_call_leaves_everything_as_it_was(learner: Any) -> None:
    X, y = stream(90, seed=11)
    model, twin = new(learner, history="replay").fit(X, y), new(learner, history="replay").fit(X, y)
    for rows_, labels in (
        (X[:3], y[:2]),
        (X[:2], [1, 2]),
        (X[:2], ["a", None]),
        ([["x", "red", "low", 1.0]], ["a"]),
        ([[1.0, "red", "vast", 1.0]], ["a"]),
        ([[1e308, "red", "low", 1.0], [-1e308, "red", "low", 1.0]], ["a", "b"]),
        ([[float("inf"), "red", "low", 1.0]], ["a"]),
        ([], []),
    ):
        with pytest.raises(PriorcaseError):
            model.partial_fit(rows_, labels)
    same(model, twin)
    same(model.partial_fit(X, y), twin.partial_fit(X, y))


@pytest.mark.parametrize("batch", [np.empty((0, 1)), []], ids=["array", "list"])
def test_an_empty_batch_is_refused(batch: Any) -> None:
    model = IB2().fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(SchemaError, match=r"IB2.partial_fit: Found array with 0 sample\(s\)"):
        model.partial_fit(batch, [])


@learners
def test_a_column_that_changes_its_kind_is_refused(learner: Any) -> None:
    model = clone(learner).fit(*stream(30))
    before = model.digest()
    with pytest.raises(SchemaMismatchError, match=r"column 0 is nominal \(text\) here but was numeric"):
        model.partial_fit([["old", "red", "low", 1.0]], ["a"])
    with pytest.raises(SchemaMismatchError, match="column 1 is numeric here but was nominal"):
        model.partial_fit([[1.0, 3.5, "low", 1.0]], ["a"])
    assert model.digest() == before


@learners
def test_a_single_class_for_a_long_time(learner: Any) -> None:
    X, y = stream(100, seed=12)
    model = new(learner).partial_fit(X[:60], ["a"] * 60)
    assert set(model.predict(QUERIES).tolist()) == {"a"}
    assert model.predict_proba(QUERIES).tolist() == [[1.0]] * len(QUERIES)
    model.partial_fit(X[60:], y[60:])
    assert model.classes_.tolist() == ["a", "b", "c"]


def test_shuffling_is_learning_in_that_order() -> None:
    X, y = stream(120, seed=13)
    model = new(IB3(random_state=3, shuffle=True)).fit(X, y)
    order = np.random.RandomState(3).permutation(120)
    turned = new(IB3(random_state=3)).fit([X[i] for i in order], [y[i] for i in order])
    assert sorted(order[turned.ids_].tolist()) == model.ids_.tolist()
    assert order[turned.concept_["id"]].tolist() == model.concept_["id"].tolist()
    assert turned.concept_["successes"].tolist() == model.concept_["successes"].tolist()
    assert model.predict(QUERIES).tolist() == turned.predict(QUERIES).tolist()
    assert model.digest() == new(IB3(random_state=3, shuffle=True)).fit(X, y).digest()
    assert model.digest() != new(IB3(random_state=4, shuffle=True)).fit(X, y).digest()


def test_random_state() -> None:
    X, y = stream(150, seed=14)

    def digest(random_state: Any) -> str:
        return str(new(IB3(random_state=random_state)).fit(X, y).digest())

    assert digest(1) == digest(1) == digest(np.int32(1)) != digest(2)
    assert digest(np.random.RandomState(1)) == digest(np.random.RandomState(1))
    assert len({digest(None) for _ in range(4)}) > 1


def test_random_ties_are_drawn_anew_in_each_call() -> None:
    X, y = [[0.0]] * 40, list("ab") * 20
    model = IB1(ties="random", random_state=0).fit(X, y)
    found = model.predict([[0.0]] * 200).tolist()
    assert found == model.predict([[0.0]] * 200).tolist()
    assert 70 < found.count("a") < 130
    assert model.predict_proba([[0.0]]).tolist() == [[0.5, 0.5]]


def test_several_threads_ask_while_one_learns() -> None:
    """Every answer is that of one state, before or after a call."""
    X, y = stream(400, seed=16)
    model = new(IB3(random_state=0)).partial_fit(X[:40], y[:40])
    states = [new(IB3(random_state=0)).fit(X[:n], y[:n]).predict(QUERIES).tolist() for n in range(40, 401, 40)]
    seen: list[Any] = []

    def ask() -> None:
        seen.extend(model.predict(QUERIES).tolist() for _ in range(30))

    with ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask) for _ in range(3)]
        for start in range(40, 400, 40):
            model.partial_fit(X[start : start + 40], y[start : start + 40])
        for future in asking:
            future.result()
    assert all(answer in states for answer in seen)


def test_several_threads_look_at_records_made_anew() -> None:
    X, y = stream(200, seed=17)
    model = new(IB1(history=True)).fit(X, y).forget(range(50))
    fresh = new(IB1(history=True)).fit(X[50:], y[50:])
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: model.concept_["successes"].tolist(), range(8)))
    assert found == [fresh.concept_["successes"].tolist()] * 8


def test_long_calls_show_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []

    @contextmanager
    def bar(total: int, *, shown_: list[Any] = shown, **options: Any) -> Iterator[Any]:
        shown_.append((total, options))
        yield lambda text: shown_.append(text)

    monkeypatch.setattr(memory, "MANY_ROWS", 16)
    monkeypatch.setattr(memory, "bar", bar)
    new(IB2()).fit(*stream(40))
    assert shown == [(100, {"shown": True, "text": "learn"}), *["learn"] * 100]
