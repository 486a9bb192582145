"""Models that share one index in several versions: each searches its own rows, whoever changes theirs meanwhile."""

from __future__ import annotations

import copy
import gc
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from interruptions import run
from sklearn.base import clone
from tables import labels, mixed_rows

import priorcase as pc
from priorcase.search import Index
from priorcase.similarity.computed import Computed

X, Y = mixed_rows(900), labels(900)
NUMBERS = np.random.default_rng(2).normal(size=(6_000, 4))
CLASSES = np.arange(6_000) % 3


def answers(model: Any, queries: Any) -> tuple[Any, Any]:
    distances, ids = model.kneighbors(queries, 4)
    places = np.searchsorted(model.ids_, ids)  # a new model numbers its rows anew
    return (distances, places), model.predict_proba(queries)


def assert_same(found: tuple[Any, Any], expected: tuple[Any, Any]) -> None:
    for one, other in zip((*found[0], found[1]), (*expected[0], expected[1]), strict=True):
        np.testing.assert_array_equal(one, other)


SLOW = -1.0


@dataclass(frozen=True)
class Waiting(Computed):
    """The absolute difference, computed in Python, which for one value waits until another query has been answered."""

    accepts: ClassVar[tuple[str, ...]] = ("numeric",)
    reached: ClassVar[threading.Event]
    answered: ClassVar[threading.Event]

    def between(self, queries: Any, stored: Any) -> Any:
        if SLOW in list(queries):
            Waiting.reached.set()
            assert Waiting.answered.wait(60)
        return np.abs(np.subtract.outer(queries, stored))


def test_a_row_is_predicted_in_the_middle_of_a_batch() -> None:
    Waiting.reached, Waiting.answered = threading.Event(), threading.Event()
    model = pc.KNNRegressor(1, distance=pc.Distance(numeric=Waiting())).fit(np.arange(50.0)[:, None], np.arange(50.0))
    found: list[Any] = []

    def one() -> None:
        assert Waiting.reached.wait(60)
        found.append(model.predict([[7.0]]).tolist())
        model.partial_fit([[100.0]], [100.0])  # and a row is stored, too
        found.append(model.predict([[99.0]]).tolist())
        Waiting.answered.set()

    run(lambda: found.append(model.predict([[SLOW], [3.0], [60.0]]).tolist()), one)
    assert found == [[7.0], [100.0], [0.0, 3.0, 49.0]]  # the batch does not know the row that came later


@pytest.mark.parametrize(
    "model",
    [
        pc.KNNClassifier(3, n_jobs=1),
        pc.KNNClassifier(3, distance="mvdm", n_jobs=1),
        pc.KNNClassifier(3, distance="hvdm", algorithm="tree", n_jobs=1),
        pc.KNNClassifier(3, distance="heom", attribute_weights="bayes", algorithm="scan", n_jobs=1),
        pc.KNNClassifier(3, attribute_weights="relief", algorithm="plain", n_jobs=1),
    ],
    ids=str,
)
def test_every_copy_answers_like_a_new_model_of_its_rows(model: Any) -> None:
    rng = np.random.default_rng(1)
    copies = [(clone(model).fit(X[:300], Y[:300]), np.arange(300))]
    copies[0][0].predict(X[:2])
    next_row = 300
    for step in range(24):
        base, rows = copies[rng.integers(len(copies)) if step % 3 == 0 else -1]
        made = copy.copy(base)
        if step % 2 == 0:
            more = np.arange(next_row, next_row + int(rng.choice([1, 2, 60])))
            next_row += more.size
            made.partial_fit([X[i] for i in more], [Y[i] for i in more])
            rows = np.concatenate([rows, more])
        else:
            gone = np.sort(rng.choice(rows.size, size=int(rng.choice([1, 30])), replace=False))
            made.forget(made.ids_[gone])
            rows = np.delete(rows, gone)
        made.predict(X[:1])
        copies.append((made, rows))
        copies = [one for i, one in enumerate(copies) if i == len(copies) - 1 or rng.random() < 0.8]
        if step % 6 == 5:
            for one, stored in copies:
                fresh = clone(model).fit([X[i] for i in stored], [Y[i] for i in stored])
                assert_same(answers(one, X[700:730]), answers(fresh, X[700:730]))
                assert one.predict([X[800]]) == fresh.predict([X[800]])


def test_readers_of_old_versions_beside_a_writer() -> None:
    """Batches and single rows, of versions that the writer leaves behind while it stores and forgets rows."""
    model = pc.KNNClassifier(3, n_jobs=1).fit(NUMBERS[:3_000], CLASSES[:3_000])
    queries, done = NUMBERS[5_000:5_200], threading.Event()
    first, expected = copy.copy(model), answers(model, queries)
    rounds = [0, 0]

    def write() -> None:
        at = 3_000
        while at < 5_000 or min(rounds) < 3:
            at = at + 40 if at < 4_900 else 3_000
            model.partial_fit(NUMBERS[at : at + 40], CLASSES[at : at + 40])
            model.forget(model.ids_[:40])
            at = 5_000 if min(rounds) >= 3 and at > 3_500 else at
        done.set()

    def read(reader: int) -> None:
        while not done.is_set():
            assert_same(answers(first, queries), expected)
            now = copy.copy(model)
            assert_same(answers(now, queries[:50]), answers(now, queries[:50]))
            for row in queries[:5]:
                assert first.predict([row])[0] == first.predict(queries[:5])[queries[:5].tolist().index(row.tolist())]
            rounds[reader] += 1

    run(write, lambda: read(0), lambda: read(1))
    rows = model._memory.instances
    fresh = pc.KNNClassifier(3, n_jobs=1).fit(rows.cells(), rows.target())
    assert_same(answers(model, queries), answers(fresh, queries))


def test_copies_and_failed_changes_share_one_index(monkeypatch: pytest.MonkeyPatch) -> None:
    model = pc.KNNClassifier(3, n_jobs=1).fit(NUMBERS[:2_000], CLASSES[:2_000])
    before = answers(model, NUMBERS[5_000:5_050])
    built: list[Any] = []
    monkeypatch.setattr(Index, "__init__", lambda *args, **kwargs: built.append(args))
    size = model._memory.index.nbytes
    earlier = copy.copy(model)
    model.partial_fit(NUMBERS[2_000:2_010], CLASSES[2_000:2_010]).forget([5])
    assert_same(answers(earlier, NUMBERS[5_000:5_050]), before)
    left_out = model._memory.without([7])
    assert len(left_out) == 2_008
    check = type(model)._check_rows

    def fail(self: Any) -> None:
        raise MemoryError

    now = answers(model, NUMBERS[5_000:5_050])
    for i in range(300):
        monkeypatch.setattr(type(model), "_check_rows", fail)
        with pytest.raises(MemoryError):
            model.partial_fit(NUMBERS[3_000:3_040], CLASSES[3_000:3_040])
        monkeypatch.setattr(type(model), "_check_rows", check)
        if i % 100 == 0:
            assert_same(answers(model, NUMBERS[5_000:5_050]), now)
    assert model._memory.index.nbytes < 6 * size
    assert not built


def test_a_stream_beside_a_held_copy_stays_small() -> None:
    model = pc.KNNClassifier(3, n_jobs=1).fit(NUMBERS[:500], CLASSES[:500])
    held, expected = copy.copy(model), answers(model, NUMBERS[5_000:5_020])
    size = model._memory.index.nbytes
    for i in range(400):
        at = 500 + i * 10
        model.partial_fit(NUMBERS[at : at + 10], CLASSES[at : at + 10])
        model.forget(model.ids_[:10])
    assert model._memory.index.nbytes < 20 * size
    assert_same(answers(held, NUMBERS[5_000:5_020]), expected)
    assert_same(answers(model, NUMBERS[5_000:5_020]), answers(copy.deepcopy(model), NUMBERS[5_000:5_020]))


def test_forgotten_rows_leave_no_trace_in_the_saved_index(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(10_100, 3))
    secret = rows[[7, 5_000, 10_050]] = np.random.default_rng(1).normal(size=(3, 3))
    model = pc.KNNClassifier(3).fit(rows, np.arange(10_100) % 2)
    model.predict(rows[:3])
    model.forget([7, 5_000, 10_050])
    gc.collect()
    content = Path(model.save(tmp_path / "model.priorcase")).read_bytes()
    assert rows[8, 0].tobytes() in content
    for number in secret.ravel():
        assert number.tobytes() not in content
    assert_same(answers(pc.load(tmp_path / "model.priorcase"), rows[:50]), answers(model, rows[:50]))


@pytest.mark.parametrize("failing", [False, True])
def test_a_stream_in_one_call_leaves_earlier_copies_alone(failing: bool) -> None:
    model = pc.KNNClassifier(3, n_jobs=1).fit(NUMBERS[:1_000], CLASSES[:1_000])
    model.predict(NUMBERS[:1])
    earlier, expected = copy.copy(model), answers(model, NUMBERS[5_000:5_050])
    stream = NUMBERS[1_000:2_500].copy()
    if failing:
        stream[1_400:, 0] = 1e200  # distances overflow after 1,400 rows
        stream[1_402:, 0] = -1e308
        with pytest.raises(pc.exceptions.NumericRangeError):
            model.set_params(distance="euclidean").fit(NUMBERS[:1_000], CLASSES[:1_000]).prequential(
                stream, CLASSES[1_000:2_500]
            )
    else:
        model.prequential(stream, CLASSES[1_000:2_500])
        fresh = pc.KNNClassifier(3, n_jobs=1).fit(NUMBERS[:2_500], CLASSES[:2_500])
        assert_same(answers(model, NUMBERS[5_000:5_050]), answers(fresh, NUMBERS[5_000:5_050]))
    assert_same(answers(earlier, NUMBERS[5_000:5_050]), expected)
