"""The compiled reducers and exemplars refuse what they cannot compute, and neither crash nor run for ever."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference import reduction as slow
from reference.differences import costs as numpy_costs

from priorcase._core import CaseFilter, Condensed, Drop, Exemplars, Reduced
from priorcase.concepts import PEBLS
from priorcase.reduction import DROP1, DROP2, DROP5, ENN, RNN
from priorcase.reduction.base import read_rows

N = 120
RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=(N, 2)), RNG.integers(0, 3, N)])
Y = RNG.integers(0, 2, N)
ROWS = read_rows(ENN(categorical_features=[2]), X, Y, sort="classes", threads=1)
PLAN, CODED, CELLS, WEIGHTS = ROWS.arguments(np.arange(N))
LABELS = ROWS.codes
EVERYBODY = np.ones(N, dtype=np.uint8)
THREADS = pytest.mark.parametrize("threads", [2**56, 2**62, 2**64 - 1])


def drop(k: int = 3, cells: Any = CELLS, weights: Any = WEIGHTS, labels: Any = LABELS) -> Drop:
    return Drop(PLAN, CODED, cells, weights, labels, None, k=k, nearest_breaks_ties=False, alpha=1.0, stay_on=True)


@THREADS
def test_any_number_of_threads(threads: int) -> None:
    one, many = drop(), drop()
    one.fill(0, N, 1)
    many.fill(0, N, threads)
    np.testing.assert_array_equal(many.enemy_costs(np.arange(N), threads), one.enemy_costs(np.arange(N), 1))
    condensed, expected = (Condensed(PLAN, CODED, CELLS, WEIGHTS, LABELS) for _ in range(2))
    assert condensed.take_in(0, N, threads) == expected.take_in(0, N, 1)
    Reduced(PLAN, CODED, CELLS, WEIGHTS, LABELS, EVERYBODY).fill(0, N, threads)
    case_filter = CaseFilter(PLAN, CODED, CELLS, WEIGHTS, LABELS)
    case_filter.count(np.arange(N), threads)
    assert case_filter.filter()


@pytest.mark.parametrize("k", [N, 2**32, 2**62, 2**64 - 1])
def test_more_neighbors_than_rows(k: int) -> None:
    everybody, more = drop(N - 1), drop(k)
    for core in (everybody, more):
        core.fill(0, N, 1)
        core.consider(np.arange(N), False)
    np.testing.assert_array_equal(more.held(), everybody.held())


@pytest.mark.parametrize("weight", [np.nan, np.inf, -1.0])
def test_weights_are_finite_and_not_negative(weight: float) -> None:
    with pytest.raises(ValueError, match="weights are finite and not negative"):
        drop(weights=np.array([1.0, weight, 1.0]))
    with pytest.raises(ValueError, match="weights are finite and not negative"):
        Exemplars(PEBLS().fit(X, Y)._memory.fitted.plan(), np.array([1.0, weight, 1.0]))


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_at_no_distance_from_each_other(threads: int) -> None:
    cells = CELLS.copy()
    cells[:, :2] = np.inf
    with pytest.raises(ValueError, match="the distances of a row to all members are undefined"):
        Condensed(PLAN, CODED, cells, WEIGHTS, LABELS).take_in(0, N, threads)


@pytest.mark.parametrize("labels", [LABELS[1:], LABELS - 1, LABELS + 2**40], ids=["few", "negative", "large"])
def test_labels_are_numbers_of_classes(labels: Any) -> None:
    for make in (Condensed, CaseFilter):
        with pytest.raises(ValueError, match="label"):
            make(PLAN, CODED, CELLS, WEIGHTS, labels)
    with pytest.raises(ValueError, match="label"):
        drop(labels=labels)


def test_rows_that_there_are() -> None:
    core = drop()
    for first, last in ((0, N + 1), (5, 4), (2**64 - 1, 2**64 - 1)):
        with pytest.raises(ValueError, match="no such rows"):
            core.fill(first, last, 1)
    for row in (-1, N):
        with pytest.raises(ValueError, match="no such rows"):
            core.consider(np.array([row]), False)
        with pytest.raises(ValueError, match="no such rows"):
            core.enemy_costs(np.array([row]), 1)


@pytest.mark.parametrize("first", [N - 9, N + 1, 2**64 - 5, 2**64 - 1])
def test_exemplars_that_there_are(first: int) -> None:
    memory = PEBLS().fit(X, Y)._memory
    cells, ones = memory.symbols.instances.cells(), np.ones(N, dtype=np.int64)
    exemplars = Exemplars(memory.fitted.plan(), np.ones(3))
    exemplars.store(cells, LABELS, ones, ones)
    with pytest.raises(IndexError, match="no such exemplar"):
        exemplars.sweep(cells[:10], first)
    assert exemplars.records()[0].tolist() == ones.tolist()


@pytest.mark.parametrize("k", [12, 39])
@pytest.mark.parametrize(("make", "obvious"), [(DROP1, slow.drop1), (DROP2, slow.drop2), (DROP5, slow.drop5)])
def test_many_neighbors(make: Any, obvious: Any, k: int) -> None:
    # Soon everybody left votes, and there is nobody to take the place of a row that leaves.
    labels = (np.arange(40) % 3).tolist()
    some = read_rows(ENN(), X[:40], labels, sort="classes", threads=1)
    _, _, cells, weights = some.arguments(np.arange(40))
    costs = [numpy_costs(some.memory.fitted, cell, cells, weights).tolist() for cell in cells]
    assert make(k).fit(X[:40], labels).sample_indices_.tolist() == obvious(costs, labels, k)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(("make", "obvious"), [(DROP1, slow.drop1), (DROP2, slow.drop2), (DROP5, slow.drop5)])
def test_few_rows_left(make: Any, obvious: Any, k: int) -> None:
    # Hardly more than the voters are left in the end, and all rows that wait have left long before.
    for seed in range(25):
        rng = np.random.default_rng(seed)
        values, labels = rng.integers(0, 5, 20), rng.integers(0, 2, 20).tolist()
        costs = np.square(values[:, None] - values[None, :]).astype(float).tolist()
        found = make(k, distance="euclidean").fit(values[:, None], labels).sample_indices_.tolist()
        assert found == obvious(costs, labels, k)


def test_enemies_are_those_that_are_left() -> None:
    # Class 0 is so large that its rivals are laid out by themselves; then most of them leave.
    labels = (np.arange(N) >= 100).astype(np.int64)
    core = drop(labels=labels)
    core.fill(0, N, 1)
    before = core.enemy_costs(np.arange(100), 1)
    core.consider(np.arange(100, 110), False)
    left = np.flatnonzero(core.held())
    rivals = left[left >= 100]
    assert 0 < rivals.size < 20
    fitted = ROWS.memory.fitted
    nearest = [numpy_costs(fitted, CELLS[row], CELLS[rivals], WEIGHTS).min() for row in range(100)]
    found = core.enemy_costs(np.arange(100), 1)
    finish = fitted.finish  # costs with the same root are one
    np.testing.assert_array_equal(finish(found), finish(np.array(nearest)))
    assert (found > before).any()


def test_rows_that_nobody_gets_right_keep_no_member() -> None:
    # Of equal rows the first decides: those of the other class are wrong with any member after it and without it.
    assert RNN().fit([[0.0]] * 6, ["a", "b"] * 3).sample_indices_.tolist() == [0]
