"""Any distance of the library: its statistics are those of the first call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from concept_tables import SCHEMA, queries, stream
from reference.differences import costs as numpy_costs

from priorcase.concepts import IB1, IB2, IB3
from priorcase.exceptions import ParameterError
from priorcase.neighbors import KNNClassifier
from priorcase.similarity import Distance, ValueTable
from priorcase.similarity.presets import PRESETS

MIXED = [name for name in PRESETS if name not in ("cosine", "ib")]
QUERIES = queries(20)[:20]


@pytest.mark.parametrize("distance", MIXED)
def test_ib1_is_the_nearest_neighbour(distance: str) -> None:
    X, y = stream(100, seed=60)
    model = IB1(distance=distance, schema=SCHEMA).fit(X, y)
    nearest = KNNClassifier(1, distance=distance, schema=SCHEMA).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(QUERIES), nearest.predict_proba(QUERIES), rtol=1e-12)


def test_ib_is_the_nearest_neighbor_too() -> None:
    X, y = stream(100, seed=60)
    model, nearest = IB1(schema=SCHEMA).fit(X, y), KNNClassifier(1, distance="ib", schema=SCHEMA).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(queries(20)), nearest.predict_proba(queries(20)), rtol=1e-12)


def test_cosine() -> None:
    rng = np.random.default_rng(61)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 2, 80)
    asked = rng.normal(size=(30, 3))
    nearest = KNNClassifier(1, distance="cosine").fit(X, y)
    assert IB1(distance="cosine").fit(X, y).predict(asked).tolist() == nearest.predict(asked).tolist()


@pytest.mark.parametrize("distance", ["heom", "hvdm", "mvdm", "ivdm", "gower", "euclidean"])
@pytest.mark.parametrize("learner", [IB2, IB3])
def test_other_learners(learner: Any, distance: str) -> None:
    """Against a loop over the fitted distance in NumPy."""
    X, y = stream(120, seed=62)
    model = learner(distance=distance, schema=SCHEMA, random_state=0, history=True).fit(X, y)
    instances = IB1(distance=distance, schema=SCHEMA).fit(X, y)._memory.instances
    fitted = model._memory.descriptions[None].comparison.fitted.distance.fit(instances)
    cells, stored = instances.cells(), [0]
    if learner is IB3:  # what it stores also depends on records; that it learned the stream is enough here
        assert model.n_seen_ == 120
        return
    for i in range(1, 120):
        costs = fitted.finish(numpy_costs(fitted, cells[i], cells[stored]))
        tied = [y[j] for j, cost in zip(stored, costs, strict=True) if cost == costs.min()]
        if max(tied, key=tied.count) != y[i]:
            stored.append(i)
    assert model.ids_.tolist() == stored


def test_statistics_stay_those_of_the_first_call() -> None:
    X, y = stream(120, seed=63)
    model = IB1(distance="hvdm", schema=SCHEMA).partial_fit(X[:60], y[:60])
    fitted = model._memory.descriptions[None].comparison.fitted
    model.partial_fit(X[60:], y[60:])
    assert model._memory.descriptions[None].comparison.fitted is fitted
    assert model.predict(X[:60]).tolist() == IB1(distance="hvdm", schema=SCHEMA).fit(X, y).predict(X[:60]).tolist()


def test_values_that_come_and_go_keep_their_meaning() -> None:
    """Under a window a value's last row leaves, and its code goes to another value: which is unseen, not that one."""
    X = [["red"], ["red"], ["blue"], ["blue"]]
    model = IB1(distance="mvdm", window=4).partial_fit(X, ["a", "a", "b", "b"])
    model.partial_fit([["green"]] * 4, ["b"] * 4)  # red and blue have left the store
    model.partial_fit([["blue"], ["red"]], ["b", "a"])
    assert model.predict([["red"], ["blue"]]).tolist() == ["a", "b"]
    growing = IB1(window=3).partial_fit(X, ["a", "a", "b", "b"]).partial_fit([["green"]] * 3, ["c"] * 3)
    growing.partial_fit([["red"], ["blue"]], ["a", "b"])
    assert growing.predict([["red"], ["blue"], ["green"]]).tolist() == ["a", "b", "c"]


def test_tables_of_differences() -> None:
    table = ValueTable(("red", "orange", "blue"), [[0, 0.2, 1], [0.2, 0, 1], [1, 1, 0]])
    distance = Distance(nominal=table)
    model = IB1(distance=distance).fit([["red"], ["blue"]], ["warm", "cold"])
    assert model.predict([["orange"]]).tolist() == ["warm"]
    with pytest.raises(ParameterError, match="'green'"):
        model.partial_fit([["green"]], ["cold"])


def test_a_distance_that_equals_aha_grows() -> None:
    from priorcase.similarity import ib

    X, y = stream(60, seed=64)
    one = IB2(distance=ib(), schema=SCHEMA).partial_fit(X[:5], y[:5]).partial_fit(X[5:], y[5:])
    assert one.digest() == IB2(schema=SCHEMA).fit(X, y).digest()
