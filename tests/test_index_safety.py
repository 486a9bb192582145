"""The search index keeps its head: wrong ids, outdated distances, tiny means, long streams, refused threads."""

from __future__ import annotations

import numpy as np
import pytest

import priorcase as pc
from priorcase.exceptions import DistanceError, UnknownIdError
from priorcase.instances import Instances
from priorcase.schema import Nominal, Numeric, Schema
from priorcase.search import Index
from priorcase.similarity import euclidean, gower, heom, ivdm, mvdm

COMPILED = ("auto", "tree", "scan", "plain")


def numeric_index(rows: np.ndarray) -> tuple[Instances, Index]:
    schema = Schema(None, (Numeric(),) * rows.shape[1])
    instances = Instances(schema)
    instances.append(schema.read(rows))
    return instances, Index(instances, heom().fit(instances, None))


@pytest.mark.parametrize(
    ("call", "ids", "words"),
    [
        ("remove", [5, 5], "more than once"),
        ("remove", [5, 5000], "names no stored row"),
        ("append", [5], "holds already"),
        ("append", ["a"], "ids"),
    ],
)
def test_wrong_ids_change_nothing(call: str, ids: list[object], words: str) -> None:
    instances, index = numeric_index(np.arange(2000.0).reshape(1000, 2))
    fitted = heom().fit(instances, None)
    before = index.kneighbors(fitted, instances.cells(slice(0, 9)), 4)
    with pytest.raises(UnknownIdError, match=words):
        getattr(index, call)(ids)
    assert len(index) == 1000
    assert index.kneighbors(fitted, instances.cells(slice(0, 9)), 4) == before


def test_a_distance_that_does_not_know_the_values_is_refused() -> None:
    schema, target = Schema(None, (Nominal(),)), Schema(None, (Nominal(),))
    instances = Instances(schema, target)
    instances.append(schema.read([["a"], ["b"]] * 300), target.read([["x"], ["y"]] * 300))
    fitted = mvdm().fit(instances, 0)
    index = Index(instances, fitted)
    more = [[f"v{i}"] for i in range(50)]
    index.append(instances.append(schema.read(more), target.read([["x"]] * 50)))
    queries = instances.cells(slice(0, 3))
    for algorithm in COMPILED:
        with pytest.raises(DistanceError, match="fitted before some of the stored values"):
            index.kneighbors(fitted, queries, 3, algorithm=algorithm)
    assert len(index.kneighbors(fitted.refreshed(instances), queries, 3)) == 3


@pytest.mark.parametrize("scale", [1e-161, 1e-162, 1e-163, 1e-170, 5e-324])
def test_means_that_vanish_are_still_compared_exactly(scale: float) -> None:
    random = np.random.default_rng(3)
    rows = random.integers(0, 4, (1500, 3)) * scale
    rows[random.random(rows.shape) < 0.3] = np.nan
    instances, index = numeric_index(rows)
    for distance in (euclidean(), gower()):
        fitted = distance.fit(instances, None)
        expected = index.kneighbors(fitted, rows[:50], 3, algorithm="exhaustive")
        within = index.within(fitted, rows[:5], 0.0, algorithm="exhaustive")
        for algorithm in COMPILED:
            assert index.kneighbors(fitted, rows[:50], 3, algorithm=algorithm) == expected
            assert index.within(fitted, rows[:5], 0.0, algorithm=algorithm) == within


def test_weights_far_apart_are_compared_exactly() -> None:
    random = np.random.default_rng(4)
    rows = np.round(random.normal(size=(900, 3)), 1)
    rows[random.random(rows.shape) < 0.3] = np.nan
    instances, index = numeric_index(rows)
    fitted = euclidean().fit(instances, None)
    weights = 10.0 ** random.choice([-300, -3, 0, 2, 200], (40, 3))
    with np.errstate(over="ignore", under="ignore"):
        expected = index.kneighbors(fitted, rows[:40], 3, weights=weights, algorithm="exhaustive")
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
    instances.next_id = 5_000_000_000
    instances.remove(instances.ids.copy())
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


def test_a_curve_beyond_float64_is_refused() -> None:
    X = [[1], [-1e300], [-1.7e308], [1e300], [0], [-1.7e308]]
    with pytest.raises(DistanceError, match="range is infinite"):
        pc.KNNClassifier(1, distance=ivdm()).fit(X, list("aabbab"))


def test_a_deviation_that_vanishes_is_refused() -> None:
    X = np.array([[-3.0], [0.0], [1.0], [2.0], [3.0]]) * 1e-163
    with pytest.raises(DistanceError, match="standard deviation vanishes"):
        pc.KNNClassifier(1, distance="hvdm").fit(X, list("aabba"))


def test_a_row_that_shares_nothing_has_no_say_beside_one_that_does() -> None:
    X = np.array([[1.0, np.nan], [np.nan, 5.0], [np.nan, 6.0]])
    model = pc.KNNClassifier(3, distance=pc.Distance(missing="skip"), vote="gaussian").fit(X, ["a", "b", "b"])
    assert model.predict_proba(np.array([[1.0, np.nan]])).tolist() == [[1.0, 0.0]]


def test_attributes_without_weight_are_not_shared() -> None:
    X = np.array([[1.0, np.nan], [1.0, 5.0]])
    distance = pc.Distance(missing="skip")
    model = pc.KNNClassifier(2, distance=distance, attribute_weights=[0, 1], vote="gaussian").fit(X, ["a", "b"])
    assert np.isinf(model.kneighbors(np.array([[1.0, 6.0]]))[0][0, 1])
    assert model.predict(np.array([[1.0, 6.0]])).tolist() == ["b"]
