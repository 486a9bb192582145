"""The search index keeps its head: wrong ids, outdated distances, tiny means, long streams, refused threads."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import numpy as np
import pytest
from reference import search as reference

import priorcase as pc
from priorcase.exceptions import NumericRangeError, ParameterError
from priorcase.instances import Instances
from priorcase.schema import Nominal, Numeric, Schema
from priorcase.search import Index
from priorcase.similarity import euclidean, gower, heom

COMPILED = ("auto", "tree", "scan", "plain")


def numeric_index(rows: np.ndarray) -> tuple[Instances, Index]:
    schema = Schema(None, (Numeric(),) * rows.shape[1])
    instances = Instances(schema)
    instances.append(schema.read(rows))
    return instances, Index(instances, heom().fit(instances, None))


@pytest.mark.parametrize("k", [0, -1, 2.5, "3", None])
def test_numbers_of_neighbors_are_checked(k: object) -> None:
    instances, index = numeric_index(np.zeros((3, 1)))
    with pytest.raises(ParameterError, match="k must be"):
        index.kneighbors(heom().fit(instances, None), np.zeros((1, 1)), k)  # type: ignore[arg-type]


@pytest.mark.parametrize("weights", ["heavy", [None], [np.nan], [-1.0], [1.0, 1.0]])
def test_weights_are_numbers_one_for_each_column(weights: object) -> None:
    instances, index = numeric_index(np.zeros((3, 1)))
    with pytest.raises(ParameterError, match="weights must be 1 finite numbers"):
        index.kneighbors(heom().fit(instances, None), np.zeros((1, 1)), 1, weights=weights)  # type: ignore[arg-type]


@pytest.mark.parametrize("scale", [1e-300, 1e-320, 1e-322, 5e-324])
def test_means_that_vanish_are_still_compared_exactly(scale: float) -> None:
    random = np.random.default_rng(3)
    rows = random.integers(0, 4, (1500, 3)) * 1.0
    rows[random.random(rows.shape) < 0.3] = np.nan
    instances, index = numeric_index(rows)
    weights = np.array([1.0, 2.0, 3.0]) * scale
    for distance in (euclidean(), gower()):
        fitted = distance.fit(instances, None)
        expected = reference.nearest(instances, fitted, rows[:50], 3, weights=weights)
        within = reference.near(instances, fitted, rows[:5], 0.0, weights=weights)
        for algorithm in COMPILED:
            assert index.kneighbors(fitted, rows[:50], 3, weights=weights, algorithm=algorithm) == expected
            assert index.within(fitted, rows[:5], 0.0, weights=weights, algorithm=algorithm) == within


def test_weights_far_apart_are_compared_exactly() -> None:
    random = np.random.default_rng(4)
    rows = np.round(random.normal(size=(900, 3)), 1)
    rows[random.random(rows.shape) < 0.3] = np.nan
    instances, index = numeric_index(rows)
    fitted = euclidean().fit(instances, None)
    weights = 10.0 ** random.choice([-300, -3, 0, 2, 200], (40, 3))
    with np.errstate(over="ignore", under="ignore"):
        expected = reference.nearest(instances, fitted, rows[:40], 3, weights=weights)
    for algorithm in COMPILED:
        assert index.kneighbors(fitted, rows[:40], 3, weights=weights, algorithm=algorithm) == expected


def test_a_stream_that_nobody_asks_stays_small() -> None:
    instances, index = numeric_index(np.random.default_rng(0).normal(size=(500, 4)))
    start = index.nbytes
    for _ in range(400):
        ids = instances.append(instances.schema.read(np.ones((100, 4))))
        index.append(ids)
        gone = instances.ids[:100].copy()
        instances.remove(gone)
        index.remove(gone)
    assert len(index) == 500
    assert index.nbytes < 20 * start


def test_ids_far_from_zero_cost_nothing() -> None:
    schema = Schema(None, (Nominal(),))
    instances = Instances(schema)
    instances.append(schema.read([[f"v{i}"] for i in range(200)]))
    instances.remove(instances.ids[:100].copy())
    instances.remove(instances.ids.copy())
    instances.__setstate__(instances.__getstate__() | {"counts": (5_000_000_000, 3, 2)})  # as after a long stream
    instances.append(schema.read([[f"w{i}"] for i in range(300)]))
    fitted = heom().fit(instances, None)
    index = Index(instances, fitted)
    assert index.nbytes < 1_000_000
    assert index.kneighbors(fitted, instances.cells(slice(7, 8)), 1)[0][0].tolist() == [5_000_000_007]


def test_any_number_of_threads_will_do() -> None:
    instances, index = numeric_index(np.arange(600.0).reshape(300, 2))
    fitted = heom().fit(instances, None)
    queries = instances.cells(slice(0, 40))
    assert index.kneighbors(fitted, queries, 2, threads=2**62) == index.kneighbors(fitted, queries, 2)


def test_a_row_that_shares_nothing_has_no_say_beside_one_that_does() -> None:
    X = np.array([[1.0, np.nan], [np.nan, 5.0], [np.nan, 6.0]])
    model = pc.KNNClassifier(3, distance=pc.Distance(missing="skip"), vote="gaussian", prior=None).fit(
        X, ["a", "b", "b"]
    )
    assert model.predict_proba(np.array([[1.0, np.nan]])).tolist() == [[1.0, 0.0]]


def test_attributes_without_weight_are_not_shared() -> None:
    X = np.array([[1.0, np.nan], [1.0, 5.0]])
    distance = pc.Distance(missing="skip")
    model = pc.KNNClassifier(2, distance=distance, attribute_weights=[0, 1], vote="gaussian", prior=None).fit(
        X, ["a", "b"]
    )
    assert np.isinf(model.kneighbors(np.array([[1.0, 6.0]]))[0][0, 1])
    assert model.predict(np.array([[1.0, 6.0]])).tolist() == ["b"]


@pytest.mark.parametrize("change", ["append", "take", "remove"])
def test_an_interrupted_change_leaves_the_index_as_it_was(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    instances, index = numeric_index(np.arange(20.0).reshape(10, 2))
    fitted, queries = heom().fit(instances, None), np.arange(6.0).reshape(3, 2)
    before = index.kneighbors(fitted, queries, 4)
    ids = instances.append(instances.schema.read(np.ones((5, 2))))
    monkeypatch.setattr("priorcase.search.index._ROWS_AT_ONCE", 2)
    left = 1 if change == "append" else 0

    class Broken:
        """The core, which fails when the third row is added, or when a row is removed."""

        def __init__(self, core: Any) -> None:
            self.core = core

        def __getattr__(self, name: str) -> Any:
            return getattr(self.core, name)

        def fork(self) -> Broken:
            return Broken(self.core.fork())

        def append(self, *arguments: Any) -> None:
            nonlocal left
            if left == 0:
                raise MemoryError
            left -= 1
            self.core.append(*arguments)

        def remove(self, *arguments: Any) -> None:
            raise MemoryError

    core = index.core
    index.core = Broken(core)  # type: ignore[assignment]
    arguments: Any = {"append": (ids,), "take": (ids, np.ones((5, 2))), "remove": ([0],)}[change]
    with pytest.raises(MemoryError):
        getattr(index, change)(*arguments)
    index.core = core
    assert len(index) == 10
    assert index.kneighbors(fitted, queries, 4) == before
    index.append(ids)
    assert index.kneighbors(fitted, queries, 4) == Index(instances, fitted).kneighbors(fitted, queries, 4)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_forked_during_searches_and_changes_is_not_blocked() -> None:
    instances, index = numeric_index(np.random.default_rng(0).normal(size=(4000, 4)))
    fitted = heom().fit(instances, None)
    queries = instances.cells(slice(0, 2000))
    more = instances.append(instances.schema.read(np.ones((1, 4))))
    stop = threading.Event()

    def search() -> None:
        while not stop.is_set():
            index.kneighbors(fitted, queries, 5)

    thread = threading.Thread(target=search)
    thread.start()
    try:
        for _ in range(5):
            child = os.fork()
            if child == 0:
                signal.alarm(20)  # a child that hangs ends here
                if index.torn:
                    os._exit(2)
                index.append(more)
                os._exit(len(index) - 4000)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    finally:
        stop.set()
        thread.join()


def test_numbers_around_1e_200_are_not_all_at_distance_0() -> None:
    """Squares of such differences are 0 in float64: scaled numbers are compared, unscaled ones are refused."""
    X = np.array([[0.0], [1e-200], [3e-200]])
    assert pc.KNNRegressor(1).fit(X, [1, 2, 3]).kneighbors([[0.9e-200]], 3)[1].tolist() == [[1, 0, 2]]
    for distance in ("euclidean", "minkowski"):
        with pytest.raises(NumericRangeError, match=r"KNNRegressor.fit: column 0 .* distances between them are 0"):
            pc.KNNRegressor(1, distance=distance).fit(X, [1, 2, 3])
    assert pc.KNNRegressor(1, distance="manhattan").fit(X, [1, 2, 3]).predict([[2.9e-200]]).tolist() == [3.0]
    assert pc.KNNRegressor(1, distance="cosine").fit(X + 1e-200, [1, 2, 3]).kneighbors([[1e-200]])[0].tolist() == [
        [0.0]
    ]
    stream = pc.KNNRegressor(1, distance="euclidean").partial_fit(X[:1], [1])
    with pytest.raises(NumericRangeError, match="are 0"):
        stream.partial_fit(X[1:2], [2])
    assert stream.partial_fit([[1.0]], [2]).partial_fit(X[1:], [3, 4]).n_samples_fit_ == 4
