"""ReliefF and RReliefF against an obvious loop, for several distances, ties and gaps included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference import relevance
from reference.differences import contributions
from reference.differences import costs as numpy_costs
from reference.search import settled
from tables import labels, mixed_rows

from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.neighbors.base import NeighborsMemory
from priorcase.relevance import Relief
from priorcase.relevance.base import fixed_sample
from priorcase.relevance.relief import weighted_neighbors

DISTANCES = ["heom", "manhattan", "gower", "hvdm", "euclidean"]


def memory_of(rows: Any, y: Any, weights: Any = None, **parameters: Any) -> NeighborsMemory:
    regression = isinstance(y[0], float)
    model: Any = (KNNRegressor if regression else KNNClassifier)(1, **parameters).fit(rows, y, weights)
    memory: NeighborsMemory = model._memory
    return memory


def functions(memory: NeighborsMemory) -> tuple[relevance.Difference, relevance.Cost]:
    """Differences and costs of the fitted distance, by its own plain loops."""
    fitted, power = memory.fitted, memory.distance.power
    cells = fitted.prepare(memory.instances.cells())
    parts = [np.nan_to_num(contributions(fitted, cell, cells)) ** (1 / power) for cell in cells]
    costs = [settled(fitted, numpy_costs(fitted, cell, cells)) for cell in cells]
    return lambda a, i, j: float(parts[i][j, a]), lambda i, j: float(costs[i][j])


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("k", [1, 3, 100])
def test_classes(distance: str, k: int) -> None:
    numbers = distance == "euclidean"
    rows = [[row[0] or 0.0, row[3] or 0.0] for row in mixed_rows(40, 3)] if numbers else mixed_rows(40, 3)
    classes = labels(40, 4)
    memory = memory_of(rows, classes, distance=distance)
    width = len(memory.instances.schema)
    wanted = relevance.relief_f(classes, width, *functions(memory), k, range(40))
    np.testing.assert_allclose(Relief(k).scores(memory.training_data()), wanted, atol=1e-12)


@pytest.mark.parametrize("distance", ["heom", "manhattan", "gower"])
@pytest.mark.parametrize("k", [1, 5, 100])
def test_numbers(distance: str, k: int) -> None:
    rows, y = mixed_rows(40, 5), np.random.default_rng(0).normal(size=40).round(1).tolist()
    memory = memory_of(rows, y, distance=distance)
    wanted = relevance.rrelief_f(y, 4, *functions(memory), k, range(40))
    np.testing.assert_allclose(Relief(k).scores(memory.training_data(threads=2)), wanted, atol=1e-12)


@pytest.mark.parametrize("regression", [False, True])
def test_a_weight_is_a_number_of_rows(regression: bool) -> None:
    random = np.random.default_rng(6)
    rows, times = mixed_rows(30, 7), random.integers(1, 4, 30)
    y = random.normal(size=30).round(1).tolist() if regression else labels(30, 8)
    many = np.repeat(np.arange(30), times)
    one = Relief(4).scores(memory_of(rows, y, times).training_data())
    other = Relief(4).scores(memory_of([rows[i] for i in many], [y[i] for i in many]).training_data())
    np.testing.assert_allclose(one, other, atol=1e-12)


def test_rows_that_count_for_less_than_one() -> None:
    rows, classes = mixed_rows(30, 9), labels(30, 10)
    whole = Relief(2).scores(memory_of(rows, classes).training_data())
    tenths = Relief(2).scores(memory_of(rows * 10, classes * 10, [0.1] * 300).training_data())
    assert tenths.shape == whole.shape
    assert np.isfinite(tenths).all()


def test_rows_that_count_for_next_to_nothing_are_not_all_listed() -> None:
    rows, classes = mixed_rows(200, 9), labels(200, 10)
    memory = memory_of(rows, classes, [0.001] * 200)
    instances = memory.instances
    found = weighted_neighbors(memory.training_data(), memory.index, instances.cells(), instances.ids, 3)
    assert np.diff(found.indptr).max() == 48
    np.testing.assert_allclose(np.bincount(found.queries(), found.counts).max(), 0.048)


def test_some_rows_are_looked_around() -> None:
    rows, classes = mixed_rows(40, 3), labels(40, 4)
    memory = memory_of(rows, classes)
    wanted = relevance.relief_f(classes, 4, *functions(memory), 3, fixed_sample(40, 4).tolist())
    np.testing.assert_allclose(Relief(3, n_samples=4).scores(memory.training_data()), wanted, atol=1e-12)


def test_classes_that_take_turns_are_all_looked_around() -> None:
    random = np.random.default_rng(0)
    turn = np.arange(4_000) % 8
    X = np.stack([np.where(turn == 0, 0.0, 0.5) + random.random(4_000) / 4, turn / 8, random.random(4_000)], axis=1)
    mixed = random.permutation(4_000)
    found = [KNNClassifier(1, attribute_weights="relief").fit(X[at], turn[at]) for at in (slice(None), mixed)]
    np.testing.assert_allclose(
        found[0].attribute_weights_.weights, found[1].attribute_weights_.weights, rtol=0.2, atol=0.005
    )


@pytest.mark.parametrize("distance", ["euclidean", "manhattan"])
@pytest.mark.parametrize("regression", [False, True])
def test_differences_beyond_what_can_be_summed(distance: str, regression: bool) -> None:
    X = np.random.default_rng(0).random((40, 3)) * [1e308, 1e160, 1.0]
    y = X[:, 1] / 1e160 if regression else np.where(X[:, 1] > 5e159, "a", "b")
    estimator: Any = KNNRegressor if regression else KNNClassifier
    weights = estimator(1, attribute_weights="relief", distance=distance).fit(X, y).attribute_weights_.weights
    assert np.isfinite(weights).all()
    assert weights.any()


def test_an_axis_is_stretched_by_its_score() -> None:
    rows = mixed_rows(40, 3)
    classes = [str(row[2]) for row in rows]
    for distance, power in (("heom", 2), ("manhattan", 1)):
        scores = Relief(3).scores(memory_of(rows, classes, distance=distance).training_data())
        model = KNNClassifier(1, attribute_weights=Relief(3), distance=distance).fit(rows, classes)
        assert scores[2] > 0.5
        np.testing.assert_allclose(model.attribute_weights_.weights, np.maximum(scores, 0.0) ** power)


def test_where_nothing_can_be_learned_all_weigh_the_same() -> None:
    rows = mixed_rows(6)
    assert (
        KNNClassifier(1, attribute_weights="relief").fit(rows, ["a"] * 6).attribute_weights_.weights.tolist()
        == [1.0] * 4
    )
    assert (
        KNNClassifier(1, attribute_weights="relief").fit(rows[:1], ["a"]).attribute_weights_.weights.tolist()
        == [1.0] * 4
    )
    assert (
        KNNRegressor(1, attribute_weights="relief").fit(rows, [2.5] * 6).attribute_weights_.weights.tolist()
        == [1.0] * 4
    )


def test_targets_as_far_apart_as_numbers_go() -> None:
    y = [-1.7e308, 1.7e308, 0.5, 1.0]
    weights = KNNRegressor(1, attribute_weights=Relief(1)).fit([[0.0, 1.0], [1.0, 1.0], [0.5, 2.0], [0.4, 3.0]], y)
    assert np.isfinite(weights.attribute_weights_.weights).all()
