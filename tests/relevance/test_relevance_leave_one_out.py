"""Stretching by leave-one-out: losses and gradients against plain loops, and what comes of following them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference import relevance
from reference.differences import costs as numpy_costs
from tables import labels, mixed_rows

from priorcase import _core
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.neighbors.base import NeighborsMemory
from priorcase.relevance import LeaveOneOutWeights
from priorcase.relevance.leave_one_out import LOSSES, Targets, projected_gradient

DISTANCES = ["heom", "manhattan", "gower", "hvdm", "ivdm"]
PLAIN = {"log": relevance.log_loss, "errors": relevance.error_loss, "squared": relevance.squared_loss}


def memory_of(rows: Any, y: Any, weights: Any = None, **parameters: Any) -> NeighborsMemory:
    regression = isinstance(y[0], float)
    model: Any = (KNNRegressor if regression else KNNClassifier)(1, **parameters).fit(rows, y, weights)
    memory: NeighborsMemory = model._memory
    return memory


def targets(n: int, loss: str) -> list[Any]:
    return np.random.default_rng(4).normal(size=n).round(1).tolist() if loss == "squared" else labels(n, 4)


def encode(memory: NeighborsMemory, loss: str) -> Targets:
    data = memory.training_data()
    return Targets.of(data.targets(), data.row_weights(), loss)


def core_of(memory: NeighborsMemory, loss: str) -> tuple[_core.Stretch, Targets]:
    encoded, rows = encode(memory, loss), np.arange(len(memory))
    plan, coded, cells = memory.training_data().core_arguments(rows)
    return _core.Stretch(
        plan, coded, cells, encoded.labels, encoded.numbers, encoded.row_weights, encoded.prior, encoded.loss
    ), encoded


def plain_cost(memory: NeighborsMemory, weights: list[float]) -> relevance.Cost:
    """The cost before the root; a mean over known attributes is taken times all weights."""
    fitted, w = memory.fitted, np.array(weights)
    cells = fitted.prepare(memory.instances.cells())
    costs = [numpy_costs(fitted, cell, cells, w) * (w.sum() if memory.distance.mean else 1.0) for cell in cells]
    return lambda i, j: float(costs[i][j])


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("loss", LOSSES)
def test_losses_and_slopes(distance: str, loss: str) -> None:
    if distance in ("hvdm", "ivdm") and loss == "squared":
        distance = "euclidean"
    rows, y = mixed_rows(20, 3), targets(20, loss)
    if distance == "euclidean":
        rows = [[row[0] or 0.0, row[3] or 0.0, 1.0 * i % 7, 0.0] for i, row in enumerate(rows)]
    memory = memory_of(rows, y, distance=distance)
    core, encoded = core_of(memory, loss)
    truth: Any = y if encoded.numbers is None else encoded.numbers.tolist()
    for weights in ([1.0, 0.5, 2.0, 3.0], [8.0, 0.0, 4.0, 0.1], [0.02] * 4, [60.0, 50.0, 3.0, 90.0]):
        held = np.arange(20) % 5 == 4
        told_rows, voters = np.flatnonzero(held), np.flatnonzero(~held).tolist()
        for asked, voting in ((np.arange(20), list(range(20))), (told_rows, voters)):
            votes = np.isin(np.arange(20), voting).astype(float)

            def plain(w: list[float], asked: Any = asked, voting: Any = voting) -> float:
                return PLAIN[loss](truth, asked.tolist(), voting, plain_cost(memory, w))

            value, slope = core.evaluate(np.array(weights), asked, votes, 1, True)
            assert value == pytest.approx(plain(weights), abs=1e-9)
            inside = [max(w, 1e-3) for w in weights]  # central differences need room below
            value, slope = core.evaluate(np.array(inside), asked, votes, 2, True)
            np.testing.assert_allclose(slope, relevance.slopes(plain, inside), atol=2e-6, rtol=1e-5)
            assert core.evaluate(np.array(inside), asked, votes, 1, False)[0] == value


@pytest.mark.parametrize("loss", LOSSES)
def test_a_weight_is_a_number_of_rows(loss: str) -> None:
    rows, y = mixed_rows(25, 5), targets(25, loss)
    times = np.random.default_rng(1).integers(1, 4, 25)
    many = np.repeat(np.arange(25), times)
    found = []
    for memory in (memory_of(rows, y, times), memory_of([rows[i] for i in many], [y[i] for i in many])):
        core, encoded = core_of(memory, loss)
        found.append(
            core.evaluate(np.array([3.0, 1.0, 0.5, 2.0]), np.arange(len(memory)), encoded.row_weights, 1, True)
        )
    assert found[0][0] == pytest.approx(found[1][0], abs=1e-12)
    np.testing.assert_allclose(found[0][1], found[1][1], atol=1e-12)


def test_nothing_shared_says_nothing() -> None:
    rows = [[1.0, None], [None, 2.0], [2.0, None], [None, 5.0], [4.0, 4.0]]
    memory = memory_of(rows, ["a", "b", "a", "b", "a"], distance="gower")
    core, _ = core_of(memory, "log")
    value, slope = core.evaluate(np.array([1.0, 0.0]), np.arange(5), np.ones(5), 1, True)
    plain = relevance.log_loss(list("ababa"), range(5), range(5), plain_cost(memory, [1.0, 0.0]))
    assert value == pytest.approx(plain, abs=1e-12)
    assert np.isfinite(slope).all()


def test_same_bits_for_any_number_of_threads_and_any_cpu() -> None:
    random = np.random.default_rng(0)
    X = random.random((203, 5))
    X[random.random(X.shape) < 0.05] = np.nan
    y = np.where(np.nan_to_num(X[:, 0]) > 0.4, "a", "b")
    before, found = _core.cpu_path(), set()
    try:
        for path in _core.cpu_paths():
            _core.use_cpu_path(path)
            for distance in ("heom", "manhattan"):
                for wide in (0.5, 500.0):
                    core, _ = core_of(memory_of(X, y.tolist(), distance=distance), "log")
                    weights = np.linspace(0.0, wide, 5)
                    bits = [core.evaluate(weights, np.arange(203), np.ones(203), t, True) for t in (1, 2, 7)]
                    found.add((distance, wide, *(b[1].tobytes() for b in bits), *(b[0] for b in bits)))
                    assert len({b[1].tobytes() for b in bits}) == 1
    finally:
        _core.use_cpu_path(before)
    assert len(found) == 4


def test_only_codes_that_occur_cost_time_and_memory() -> None:
    rows = [[v, float(i % 3)] for i, v in enumerate("abcdab" * 3)]
    memory = memory_of(rows, list("xyx" * 6))
    plan, coded, cells = memory.training_data().core_arguments(np.arange(18))
    far = cells.copy()
    far[:, 0] = np.array([7.0, 3e8, 5e8, 9e8])[cells[:, 0].astype(int)]  # a table of all codes would take gigabytes
    encoded = encode(memory, "log")
    cores = [
        _core.Stretch(plan, coded, x, encoded.labels, None, encoded.row_weights, encoded.prior, encoded.loss)
        for x in (cells, far)
    ]
    found = [core.evaluate(np.ones(2), np.arange(18), np.ones(18), 1, True) for core in cores]
    assert found[0][0] == found[1][0]
    assert found[0][1].tobytes() == found[1][1].tobytes()


# -- what is learned


def two_of(n: int, width: int, seed: int, kind: str) -> tuple[np.ndarray, Any]:
    random = np.random.default_rng(seed)
    X = random.random((n, width))
    if kind == "sum":
        return X, np.where(X[:, 0] + X[:, 1] > 1, "a", "b")
    if kind == "either":
        return X, np.where((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5), "a", "b")
    return X, np.sin(6 * X[:, 0]) + X[:, 1]


@pytest.mark.parametrize("kind", ["sum", "either", "number"])
def test_what_matters_is_found_and_the_rest_is_nothing(kind: str) -> None:
    X, y = two_of(250, 8, 0, kind)
    make = KNNRegressor if kind == "number" else KNNClassifier
    model = make(5, attribute_weights="loo").fit(X, y)
    weights = model.attribute_weights_.weights
    assert weights.max() == 1.0
    assert weights[:2].min() > 0.1
    assert weights[2:].max() < 0.02
    Q, z = two_of(300, 8, 1, kind)
    assert model.score(Q, z) > make(5).fit(X, y).score(Q, z)


def test_where_nothing_helps_all_weigh_the_same() -> None:
    random = np.random.default_rng(3)
    X, y = random.random((60, 3)), random.choice(["a", "b"], 60)
    weights = KNNClassifier(1, attribute_weights="loo").fit(X, y).attribute_weights_.weights
    assert weights.tolist() == [1.0, 1.0, 1.0]
    for few in (1, 5):
        assert (
            KNNClassifier(1, attribute_weights="loo").fit(X[:few], y[:few]).attribute_weights_.weights.tolist()
            == [1.0] * 3
        )
    assert KNNClassifier(1, attribute_weights="loo").fit(X, ["a"] * 60).attribute_weights_.weights.tolist() == [1.0] * 3
    assert KNNRegressor(1, attribute_weights="loo").fit(X, [0.5] * 60).attribute_weights_.weights.tolist() == [1.0] * 3


def test_more_penalty_leaves_fewer_attributes() -> None:
    X, y = two_of(200, 10, 2, "sum")
    kept = []
    for strength in (0.0, 0.003, 0.03):
        weights = (
            KNNClassifier(1, attribute_weights=LeaveOneOutWeights(regularization=strength))
            .fit(X, y)
            .attribute_weights_.weights
        )
        kept.append(int((weights > 0).sum()))
    assert kept[0] > kept[1] >= kept[2] == 2


def test_constant_and_endless_columns() -> None:
    X, y = two_of(80, 3, 4, "sum")
    y = np.where(X[:, 0] > 0.5, "a", "b")
    X[:, 2] = 7.0
    assert KNNClassifier(1, attribute_weights="loo").fit(X, y).attribute_weights_.weights.tolist() == [1.0, 0.0, 0.0]
    X[:, 2] = np.where(np.arange(80) % 2, 1e300, -1e300)
    weights = KNNClassifier(1, attribute_weights="loo", distance="euclidean").fit(X, y).attribute_weights_.weights
    assert np.isfinite(weights).all()
    assert weights[2] == 0.0


def test_other_losses() -> None:
    X, y = two_of(200, 5, 5, "sum")
    weights = KNNClassifier(1, attribute_weights=LeaveOneOutWeights("errors")).fit(X, y).attribute_weights_.weights
    assert weights[:2].min() > 0.5
    assert weights[2:].max() < 0.1


def test_a_descent_stays_where_numbers_are_not_negative() -> None:
    center = np.array([3.0, -1.0, 0.5])

    def bowl(x: np.ndarray) -> tuple[float, np.ndarray]:
        assert (x >= 0).all()
        away = x - center
        return float(away @ (away * [1.0, 4.0, 30.0])), 2 * away * [1.0, 4.0, 30.0]

    np.testing.assert_allclose(projected_gradient(bowl, np.ones(3), 100), [3.0, 0.0, 0.5], atol=1e-2)


@pytest.mark.parametrize("loss", ["log", "squared"])
def test_order_names_and_repetitions_change_no_bit(loss: str) -> None:
    rng = np.random.default_rng(8)
    n = 60
    numbers = rng.random((n, 2)).round(2)
    rows = [[a, b, c] for (a, b), c in zip(numbers.tolist(), rng.choice(["u", "v", "w"], n).tolist(), strict=True)]
    y: list[Any] = (numbers[:, 0] + (numbers[:, 1] > 0.5)).tolist()
    y = y if loss == "squared" else ["yes" if value > 1 else "no" for value in y]
    estimator: Any = KNNRegressor if loss == "squared" else KNNClassifier
    times = rng.integers(1, 4, n)
    at = np.repeat(np.arange(n), times)
    weighted = estimator(1, attribute_weights="loo").fit(rows, y, times)
    expected = weighted.attribute_weights_.weights
    assert expected.min() < 0.1
    assert expected.max() == 1.0
    for order in (at, rng.permutation(at)):
        repeated = estimator(1, attribute_weights="loo").fit([rows[i] for i in order], [y[i] for i in order])
        np.testing.assert_array_equal(repeated.attribute_weights_.weights, expected)
    renamed = [[a, b, {"u": "z", "v": "a", "w": "k"}[c]] for a, b, c in rows]
    again = estimator(1, attribute_weights="loo").fit(renamed, y, times)
    np.testing.assert_array_equal(again.attribute_weights_.weights, expected)


def test_losses_are_parts_of_that_of_one_answer_for_all() -> None:
    labels, times = np.array([0, 1, 0]), np.array([1.0, 1.0, 2.0])
    assert Targets.of(labels, times, "errors").baseline == pytest.approx(1.0 - 0.75**2 - 0.25**2)
    assert Targets.of(labels, times, None).baseline == pytest.approx(-0.75 * np.log(0.75) - 0.25 * np.log(0.25))
    assert Targets.of(np.array([0.0, 3.0, 5.0]), times, None).baseline == 1.0
