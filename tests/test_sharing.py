"""Several threads at one estimator: each answer is that of one state."""

from __future__ import annotations

import copy
import io
import pickle
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from tables import labels, mixed_rows

from priorcase.bayes import NaiveBayes
from priorcase.concepts import IB1, IB2, IB3, IB4, PEBLS
from priorcase.exceptions import SharingError
from priorcase.instances.buffer import Buffer
from priorcase.learning.state import ReadersWriter
from priorcase.neighbors import KNNClassifier, KNNRegressor

X, Y = mixed_rows(300), labels(300)


def run(*tasks: Callable[[], None]) -> None:
    """All tasks at once; the first error of any."""
    errors: list[BaseException] = []

    def guarded(task: Callable[[], None]) -> None:
        try:
            task()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    if errors:
        raise errors[0]


@pytest.mark.parametrize(
    "model",
    [
        KNNClassifier(3, distance="hvdm", prior=1.0, n_jobs=1),
        KNNClassifier("sqrt", vote="gaussian", n_jobs=1),
        KNNRegressor("all", vote="inverse_square", n_jobs=1),
    ],
    ids=str,
)
def test_readers_beside_a_writer(model: Any) -> None:
    model = clone(model)
    targets = Y if isinstance(model, KNNClassifier) else list(range(300))
    model.fit(X[:100], targets[:100])
    until = time.monotonic() + 0.5
    rng = np.random.default_rng(0)

    def write() -> None:
        while time.monotonic() < until:
            at = int(rng.integers(0, 290))
            model.partial_fit(X[at : at + 5], targets[at : at + 5])
            model.forget(rng.permutation(model.ids_)[:5])

    def read() -> None:
        while time.monotonic() < until:
            model.predict(X[:20])
            found = model.precedents(X[:2])
            assert len(found.ids) == len(found.rows)
            distances, ids = model.kneighbors(X[:5], 4)
            assert distances.shape == ids.shape == (5, 4)
            assert model.n_samples_fit_ in (100, 105)
            model.digest()

    run(write, read, read, read)
    kept = model._memory.instances
    rows = [list(row) for row in kept.decode(np.arange(100))]
    fresh = copy.deepcopy(model).fit(rows, model._targets_at(np.arange(100)), sample_weight=kept.weights)
    assert model.digest() == fresh.digest()
    np.testing.assert_array_equal(model.predict(X), fresh.predict(X))


def test_readers_beside_fit() -> None:
    model = KNNClassifier(3, n_jobs=1).fit(X, Y)
    until = time.monotonic() + 0.3

    def refit() -> None:
        while time.monotonic() < until:
            model.fit(X[:50], ["p"] * 50)
            model.fit(X, Y)

    def read() -> None:
        while time.monotonic() < until:
            assert set(model.predict(X[:9])) in ({"p"}, *({"a", "b", "c"} - set(out) for out in ("", "a", "b", "c")))

    run(refit, read, read)


def test_readers_go_side_by_side() -> None:
    lock, both = ReadersWriter(), threading.Barrier(2, timeout=10)

    def read() -> None:
        with lock.reading():
            both.wait()

    run(read, read)


def test_a_writer_is_alone_and_goes_before_later_readers() -> None:
    lock, order = ReadersWriter(), []
    entered, waiting = threading.Event(), threading.Event()

    def first() -> None:
        with lock.reading():
            entered.set()
            waiting.wait(10)
            while not lock._waiting:
                time.sleep(0.001)
            with lock.reading():  # again, although a writer waits
                order.append("first")

    def write() -> None:
        entered.wait(10)
        waiting.set()
        with lock.writing(), lock.writing(), lock.reading():
            order.append("writer")

    def later() -> None:
        entered.wait(10)
        while not lock._waiting and "writer" not in order:
            time.sleep(0.001)
        with lock.reading():
            order.append("later")

    run(first, write, later)
    assert order == ["first", "writer", "later"]


def test_a_change_from_inside_an_answer_is_refused() -> None:
    def forgetful(distances: Any) -> Any:
        model.forget([0])
        return distances + 1

    model = KNNRegressor(1, vote=forgetful).fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(SharingError, match="from inside its own answer"):
        model.predict([[1.0]])
    assert model.ids_.tolist() == [0, 1]
    model.partial_fit([[3.0]], [3.0])


def test_a_copy_has_a_lock_of_its_own() -> None:
    model = KNNClassifier(3).fit(X, Y)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other._lock is not model._lock
        with model._lock.writing():
            run(lambda other=other: other.forget([other.ids_[0]]).predict(X[:1]))  # type: ignore[misc]


class Meddling(pickle.Pickler):
    """A pickler that comes to the first column of a model's rows, and then something happens to the model."""

    def __init__(self, file: io.BytesIO, meddle: Callable[[], object]) -> None:
        super().__init__(file)
        self.meddle: Callable[[], object] | None = meddle

    def persistent_id(self, obj: object) -> None:
        if isinstance(obj, Buffer) and self.meddle is not None:
            meddle, self.meddle = self.meddle, None
            meddle()


@pytest.mark.parametrize(
    "model",
    [
        KNNClassifier(3),
        KNNRegressor(3),
        NaiveBayes(),
        IB1(),
        IB2(),
        IB3(random_state=0, history="replay"),
        IB4(random_state=0),
        PEBLS(),
    ],
    ids=str,
)
def test_a_pickle_is_that_of_one_state(model: Any) -> None:
    """Rows that another thread stores meanwhile are all in it or none, and the model goes on unharmed."""
    targets = Y if not isinstance(model, KNNRegressor) else list(range(300))
    model = clone(model).partial_fit(X[:100], targets[:100])
    before, file = model.digest(), io.BytesIO()
    meddling = Meddling(file, lambda: model.partial_fit(X[100:200], targets[100:200]))
    meddling.dump(model)
    assert meddling.meddle is None
    pickled = pickle.loads(file.getvalue())
    assert pickled.digest() == before
    whole = clone(model).partial_fit(X[:100], targets[:100]).partial_fit(X[100:200], targets[100:200])
    for other in (pickled.partial_fit(X[100:200], targets[100:200]), model):
        assert other.digest() == whole.digest()
        assert other.predict(X).tolist() == whole.predict(X).tolist()
