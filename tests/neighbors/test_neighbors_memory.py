"""What neighbor estimators compute, and when: nothing twice, nothing early, and nothing under a lock."""

from __future__ import annotations

import copy
import threading
from typing import Any

import numpy as np
import pytest

from priorcase import KNNClassifier, KNNRegressor, KNNTransformer
from priorcase.neighbors import base, polling
from priorcase.search.index import NeighborList

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 3)), RNG.integers(0, 2, 60)


def counted(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[Any]:
    calls, function = [], getattr(module, name)

    def count(*args: Any, **kwargs: Any) -> Any:
        calls.append(args)
        return function(*args, **kwargs)

    monkeypatch.setattr(module, name, count)
    return calls


def test_the_table_of_weights_tells_how_they_were_learned() -> None:
    model = KNNClassifier(3, attribute_weights="relief").fit(X, Y)
    assert model.set_params(attribute_weights=None).attribute_weights_.method == "relief"
    given = KNNClassifier(3, attribute_weights=[1, 2, 3]).fit(X, Y).set_params(attribute_weights="bayes")
    assert given.attribute_weights_.method == "given"
    assert KNNClassifier(3, attribute_weights="bayes").fit(X, Y).attribute_weights_.method == "bayes"


def test_k_is_chosen_when_a_prediction_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, polling, "_loo_curve")
    model = KNNClassifier("loo").fit(X[:40], Y[:40])
    for i in range(40, 60):
        model.partial_fit(X[i : i + 1], Y[i : i + 1])
    model.forget([0])
    assert not calls
    model.predict(X[:5])
    model.predict_proba(X)
    assert len(calls) == 1
    assert model.n_neighbors_ == KNNClassifier("loo").fit(X[1:], Y[1:]).n_neighbors_


def test_a_distance_is_resolved_once_a_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, base, "resolve")
    for model in (KNNClassifier(3), KNNRegressor(3), KNNTransformer(3)):
        calls.clear()
        model.fit(X, Y)
        assert len(calls) == 1


def test_leaving_each_row_out_copies_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    model = KNNClassifier(3, distance="hvdm", attribute_weights="relief").fit(X, Y)
    expected = [
        KNNClassifier(3, distance="hvdm", attribute_weights="relief")
        .fit(np.delete(X, i, axis=0), np.delete(Y, i))
        .predict(X[i : i + 1])[0]
        for i in range(12)
    ]
    index = model._memory.index
    copies = counted(monkeypatch, copy, "deepcopy")
    found = model.loo_predict(relearn=True)
    assert found[:12].tolist() == expected
    assert not copies
    assert model._memory.index is index


def test_a_vote_may_ask_the_estimator_from_another_thread_while_a_writer_waits() -> None:
    asked, writing = threading.Event(), threading.Event()

    def vote(distances: Any) -> Any:
        if not asked.is_set():
            asked.set()
            assert writing.wait(30)
            reader = threading.Thread(target=lambda: model.predict(X[:3]), daemon=True)
            reader.start()
            reader.join(30)
            assert not reader.is_alive()
        return np.ones(distances.size)

    def write() -> None:
        assert asked.wait(30)
        writing.set()
        model.partial_fit(X[:1], Y[:1])

    model = KNNClassifier(3, vote=vote).fit(X, Y)
    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    assert model.predict(X).shape == (60,)
    writer.join(30)
    assert not writer.is_alive()
    assert model.n_samples_fit_ == 61


def test_ties_go_by_the_distances_that_are_reported() -> None:
    found = NeighborList(np.array([0, 3]), np.array([4, 2, 7]), np.array([1.0, 1.0, 2.0]))
    assert found.nearest(1, whole_ties=True).rows.tolist() == [4, 2]
    assert found.nearest(1, whole_ties=False).rows.tolist() == [4]
