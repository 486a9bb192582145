"""The compiled core refuses what would lead it outside its memory: wrong sizes, numbers of no rule, damaged bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from priorcase._core import Concept, Index, Plan, Stream, elect

TWO = np.zeros(2)


def plan(kind: str = "linear") -> Plan:
    made = Plan(2, 2.0)
    for a in range(2):
        if kind == "linear":
            made.linear(a, 1.0, widen=True, aha=True)
        else:
            made.table(a, np.array([[0.0, 1.0], [1.0, 0.0]]))
    return made


def concept(kind: str = "linear", *, coded: bool | None = None, **rules: Any) -> Concept:
    codes = kind == "table" if coded is None else coded
    flags = np.full(2, codes, np.uint8), np.full(2, kind == "linear", np.uint8)
    settings: dict[str, Any] = {
        "rule": 2,
        "ties": 0,
        "z_accept": 1.28,
        "z_drop": 1.15,
        "weighted": False,
        "known_only": False,
    }
    settings |= {"weight_power": 2.0, "window": 0, "decay": 1.0, "seed": 1}
    return Concept(plan(kind), *flags, **(settings | rules))


def learned(kind: str = "linear") -> Concept:
    random, made = np.random.default_rng(0), concept(kind)
    cells = random.random((50, 2)) if kind == "linear" else random.integers(0, 2, (50, 2)).astype(np.float64)
    made.learn(np.arange(50), cells, random.integers(0, 2, 50), True)
    return made


def stream(**changes: Any) -> Stream:
    parts: dict[str, Any] = {"ranged": np.ones(2, np.uint8), "low": TWO, "high": TWO, "weights": np.ones(2), "k": 1}
    parts |= {"ties": False, "vote": 0, "power": 2.0, "root": True, "algorithm": 0}
    return Stream(plan(), **(parts | changes))


def classify(made: Stream, ties: int) -> Any:
    codes, starts = np.zeros((3, 1), np.int64), np.array([0, 2])
    return made.classify(
        Index(np.zeros(2, np.uint8)), np.ones((3, 2)), np.arange(3), np.arange(3), codes, starts, np.zeros(2), ties
    )


def elected(votes: list[float], ties: int = 0) -> Any:
    return elect(np.array([0, 2]), np.array([0, 1]), np.array(votes), TWO, 2, np.ones(2), ties)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: concept().learn(np.arange(3), np.zeros((2, 2)), np.zeros(3, np.int64), False), "do not match"),
        (lambda: concept().learn(np.arange(3), np.zeros((3, 5)), np.zeros(3, np.int64), False), "do not match"),
        (lambda: concept().learn(np.arange(1), np.zeros((1, 2)), np.array([-1]), False), "labels count from 0"),
        (lambda: concept().learn(np.arange(1), np.zeros((1, 2)), np.array([2**62]), False), "labels count from 0"),
        (lambda: concept("table").learn(np.arange(1), -np.ones((1, 2)), np.zeros(1, np.int64), False), "codes count"),
        (lambda: concept("table", coded=False), "must be coded"),
        (lambda: concept(rule=3), "no such rule"),
        (lambda: concept(decay=0.0), "out of range"),
        (lambda: concept(weight_power=-1.0), "weight_power must be finite and above 0"),
        (lambda: learned().nearest(np.zeros((1, 3)), 1), "differ in width"),
        (lambda: learned().restore(learned().state()), "only an empty description"),
        (lambda: concept().restore(learned().state() + b"more"), "too long"),
        (lambda: concept().restore(learned().state()[:-1]), "too short"),
        (lambda: stream(ranged=np.ones(9999, np.uint8)), "one entry per attribute"),
        (lambda: stream(low=np.zeros(0)), "one entry per attribute"),
        (lambda: stream(vote=2), "no such vote"),
        (lambda: stream(algorithm=4), "no such algorithm"),
        (lambda: classify(stream(), 4), "no such rule for ties"),
        (lambda: elected([1.0, 1.0], ties=-1), "no such rule for ties"),
        (lambda: elected([np.nan, 1.0]), "a number of 0 or more"),
        (lambda: elected([-1.0, -1.0]), "a number of 0 or more"),
    ],
)
def test_refuses(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("kind", ["linear", "table"])
def test_a_damaged_state_is_refused_whole_or_can_be_used(kind: str) -> None:
    random, state = np.random.default_rng(1), learned(kind).state()
    refused = 0
    for _ in range(400):
        damaged = np.frombuffer(state, np.uint8).copy()
        damaged[random.integers(0, damaged.size, 3)] = random.integers(0, 256, 3)
        made = concept(kind)
        try:
            made.restore(damaged.tobytes())
        except ValueError:
            refused += 1
            assert (len(made), made.n_seen) == (0, 0)
        made.records()
        made.nearest(np.zeros((2, 2)), 1)
    assert 0 < refused < 400


def test_differences_are_finite() -> None:
    searched, made, endless = Plan(1, 2.0), Plan(1, 2.0), np.array([[0.0, np.inf], [np.inf, 0.0]])
    searched.table(0, endless)
    index = Index(np.ones(1, np.uint8))
    with pytest.raises(ValueError, match="a table of differences must be finite"):
        index.organise(searched, 1)
    with pytest.raises(ValueError, match="a table of differences must be finite"):
        index.costs(searched, np.zeros((1, 1)), np.ones((1, 1)), np.empty(0, np.int64), 1)
    with pytest.raises(ValueError, match="factors must be finite"):
        made.profile(0, np.eye(2), np.array([1.0, np.inf]), None, 1.0, 1.0, exponent=2.0, root=False)
    with pytest.raises(ValueError, match="profiles must be finite"):
        made.profile(0, endless, np.ones(2), None, 1.0, 1.0, exponent=2.0, root=False)
    with pytest.raises(ValueError, match="profiles must be finite"):
        made.curve(0, np.arange(2.0), endless, step=False, exponent=2.0, factor=1.0, root=False)


@pytest.mark.parametrize(
    ("query", "row", "error"),
    [
        ([0.0, 2.0], [0.0, 0.0], IndexError),
        ([0.0, 0.0], [2.0, 0.0], IndexError),
        ([0.0, 0.0], [0.0, -1.0], IndexError),
        ([0.0], [0.0, 0.0], ValueError),
        ([0.0, 0.0], [0.0], ValueError),
    ],
)
def test_differences_of_cells_that_the_plan_knows(query: list[float], row: list[float], error: type[Exception]) -> None:
    with pytest.raises(error):
        plan("table").differences(np.array(query), np.array([row]))
    assert plan("table").differences(np.array([0.0, -1.0]), np.array([[1.0, np.nan]])).tolist() == [[1.0, 1.0]]
    with pytest.raises(ValueError, match="lacks an attribute"):
        Plan(2, 2.0).differences(TWO, TWO[None])


def test_an_index_has_attributes() -> None:
    with pytest.raises(ValueError, match="at least one attribute"):
        Index(np.empty(0, np.uint8))


@pytest.mark.parametrize("cell", [-1.0, 0.5, 2.0**31, np.inf])
def test_stored_codes_are_whole_numbers_from_0_on(cell: float) -> None:
    index = Index(np.array([0, 1], np.uint8))
    index.append(np.array([0]), np.array([[0.5, 1.0]]))
    with pytest.raises(ValueError, match="stored codes whole numbers"):
        index.append(np.array([1]), np.array([[0.5, cell]]))
    assert len(index) == 1


def test_stored_numbers_are_finite() -> None:
    index = Index(np.array([0, 1], np.uint8))
    with pytest.raises(ValueError, match="stored numbers must be finite"):
        index.append(np.array([1]), np.array([[-np.inf, 1.0]]))
    assert len(index) == 0


@pytest.mark.parametrize("algorithm", [-1, 4, 99])
def test_an_unknown_algorithm_is_refused(algorithm: int) -> None:
    index = Index(np.zeros(2, np.uint8))
    index.append(np.arange(3), np.ones((3, 2)))
    with pytest.raises(ValueError, match="no such algorithm"):
        index.kneighbors(plan(), np.ones((1, 2)), np.ones((1, 2)), 1, False, None, algorithm, 1)


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_weights_of_a_search_are_finite(weight: float) -> None:
    index = Index(np.zeros(2, np.uint8))
    index.append(np.arange(3), np.ones((3, 2)))
    with pytest.raises(ValueError, match="weights must be finite"):
        index.kneighbors(plan(), np.ones((1, 2)), np.array([[1.0, weight]]), 1, False, None, 0, 1)
