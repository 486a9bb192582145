"""The compiled index at its door: any arguments, other threads meanwhile, and Ctrl-C."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from core_calls import others_run, seconds_to_stop, survives

from priorcase._core import Index, Plan

N = 4_000


def rows(n: int = N) -> np.ndarray:
    random = np.random.default_rng(0)
    cells = random.random((n, 4))
    cells[:, 3] = random.integers(0, 5, n)
    cells[random.random(cells.shape) < 0.05] = np.nan
    return cells


def made(n: int = N) -> tuple[Index, Plan]:
    plan, index = Plan(4, 2.0), Index(np.array([0, 0, 0, 1], np.uint8))
    for a in range(3):
        plan.linear(a, 1.0)
    plan.overlap(3)
    index.append(np.arange(n), rows(n))
    index.organise(plan, 2)
    return index, plan


def question(index: Index, plan: Plan, queries: int) -> dict[str, Any]:
    asked = {"queries": rows(queries), "weights": np.ones((1, 4)), "k": 7, "ties": False}
    return asked | {"plan": plan, "exclude": np.full(queries, -1), "algorithm": 0, "threads": 2}


def test_any_arguments_are_answered_or_refused() -> None:
    index, plan = made(600)
    asked = question(index, plan, 9)
    before = index.kneighbors(**asked)
    answered, refused = survives(index.kneighbors, asked, 300)
    assert min(answered, refused) > 0
    limits = {name: value for name, value in asked.items() if name not in ("k", "ties")} | {"limits": np.full(9, 0.2)}
    assert all(survives(index.within, limits, 300))
    assert all(survives(index.costs, {name: asked[name] for name in ("plan", "queries", "weights", "threads")}
                        | {"ids": np.arange(20)}, 300))  # fmt: skip
    one = {name: asked[name] for name in ("plan", "weights", "k", "ties", "algorithm")} | {"query": rows(1)}
    one |= {"vote": 1, "power": 2.0, "root": True}
    assert all(survives(index.poll, one, 300))
    one |= {"ids": np.arange(600), "codes": np.arange(600, dtype=np.int16) % 5, "of_code": np.arange(5) % 2}
    assert all(survives(index.winner, one | {"n_classes": 2, "vote_ties": 0}, 500))
    for one, other in zip(before, index.kneighbors(**asked), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"vote": 2}, "no such vote"),
        ({"power": 0.0}, "the power is finite"),
        ({"power": np.nan}, "the power is finite"),
        ({"vote_ties": 4}, "no such rule for ties"),
        ({"codes": np.full(9, 2, np.int8)}, "no such code"),
        ({"of_code": np.array([0, 5])}, "no such class"),
        ({"n_classes": 0}, "no such class"),
        ({"codes": np.zeros(9)}, "codes are integers"),
        ({"stored": 0}, "there are no voters"),
    ],
)
def test_refuses_to_elect(change: dict[str, Any], words: str) -> None:
    plan, index = Plan(1, 2.0), Index(np.zeros(1, np.uint8))
    plan.linear(0, 1.0)
    given = {"plan": plan, "query": np.zeros((1, 1)), "weights": np.ones((1, 1)), "k": 3, "ties": False, "vote": 0}
    given |= {"power": 2.0, "root": True, "algorithm": 0, "ids": np.arange(9), "codes": np.arange(9, dtype=np.int8) % 2}
    given |= {"of_code": np.arange(2), "n_classes": 2, "vote_ties": 0, "stored": 9} | change
    stored = given.pop("stored")
    index.append(np.arange(stored), np.arange(float(stored))[:, None])
    with pytest.raises(ValueError, match=words):
        index.winner(**given)


def test_rows_are_stored_all_or_none() -> None:
    index, _ = made(600)
    _, refused = survives(index.append, {"ids": np.arange(600, 620), "rows": rows(20)}, 200)
    assert refused
    assert index.holds(np.arange(600)).all()
    with pytest.raises(ValueError, match="stored already"):
        index.append(np.array([10_000, 5]), rows(2))
    assert not index.holds(np.array([10_000])).any()
    with pytest.raises(ValueError, match="must not be negative"):
        index.append(np.array([-1]), rows(1))  # a search that excludes nothing would not find it


def assert_all_algorithms_agree(index: Index, plan: Plan, queries: np.ndarray, weight: float = 1.0) -> None:
    weights = np.full((1, queries.shape[1]), weight)
    answers = [index.kneighbors(plan, queries, weights, 5, True, None, algorithm, 1) for algorithm in range(4)]
    for answer in answers:
        for one, other in zip(answer, answers[3], strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("power", [1.0, 2.0, 3.0])
def test_a_scale_whose_reciprocal_is_infinite(power: float) -> None:
    plan, index = Plan(3, power), Index(np.zeros(3, np.uint8))
    for a in range(3):
        plan.linear(a, 1_000 * 5e-324)
    stored = np.random.default_rng(0).integers(0, 1_000, (N, 3)) * 5e-324
    index.append(np.arange(N), stored)
    assert_all_algorithms_agree(index, plan, stored[:40].copy())


@pytest.mark.parametrize(
    ("size", "scale", "weight"), [(8e307, 1e308, 1e-31), (1e-161, 3.0, 1e300), (3e-162, 3.0, 1e300)]
)
def test_many_queries_where_squares_underflow(size: float, scale: float, weight: float) -> None:
    plan, index = Plan(16, 2.0), Index(np.zeros(16, np.uint8))
    for a in range(16):
        plan.linear(a, scale)
    random = np.random.default_rng(0)
    index.append(np.arange(N), size * random.uniform(-1, 1, (N, 16)))
    assert_all_algorithms_agree(index, plan, size * random.uniform(-1, 1, (300, 16)), weight)


def test_many_queries_by_the_mean_of_squared_differences() -> None:
    plan, index = Plan(16, 2.0, skip=True, mean=True), Index(np.zeros(16, np.uint8))
    for a in range(16):
        plan.linear(a, 1.0)
    random = np.random.default_rng(0)
    index.append(np.arange(N), random.normal(size=(N, 16)))
    assert_all_algorithms_agree(index, plan, random.normal(size=(300, 16)))


def looked_up(kind: str) -> Plan:
    """A plan of one attribute whose differences are looked up by code, for two codes."""
    made = Plan(1, 2.0)
    if kind == "table":
        made.table(0, np.array([[0.0, 1.0], [1.0, 0.0]]))
    elif kind == "profile":
        made.profile(0, np.full((2, 2), 0.5), np.ones(2), None, 1.0, 1.0, exponent=2.0, root=True)
    else:
        made.overlap(0)
    return made


def asked_in_every_way(index: Index, plan: Plan, queries: np.ndarray) -> list[Any]:
    weights, ids = np.ones((1, 1)), np.arange(len(index))
    calls = [lambda: index.organise(plan, 1), lambda: index.costs(plan, queries, weights, ids, 1)]
    calls += [lambda a=a: index.kneighbors(plan, queries, weights, 2, True, None, a, 1) for a in range(4)]
    calls += [lambda a=a: index.within(plan, queries, weights, np.ones(len(queries)), None, a, 1) for a in range(4)]
    return calls


@pytest.mark.parametrize("kind", ["table", "profile"])
def test_values_of_tables_are_marked_as_codes(kind: str) -> None:
    stored = np.array([0.0, 1.0, -3.5, 1e300, 0.5, np.nan] * 100)[:, None]
    index = Index(np.zeros(1, np.uint8))
    index.append(np.arange(600), stored)
    for call in asked_in_every_way(index, looked_up(kind), np.array([[0.0], [np.nan]])):
        with pytest.raises(ValueError, match="must be coded"):
            call()


def test_numbers_are_equal_or_not() -> None:
    stored = np.array([0.0, 1.0, -3.5, 1e300, 0.5, np.nan] * 100)[:, None]
    queries = np.array([[-3.5], [1e300], [np.inf], [-np.inf], [0.5], [7.0], [np.nan]])
    index, plan = Index(np.zeros(1, np.uint8)), looked_up("overlap")
    index.append(np.arange(600), stored)
    found = index.costs(plan, queries, np.ones((1, 1)), np.arange(600), 1)
    np.testing.assert_array_equal(found, stored[:, 0] != queries)
    for algorithm in range(4):
        _, _, costs = index.kneighbors(plan, queries, np.ones((1, 1)), 600, False, None, algorithm, 1)
        np.testing.assert_array_equal(costs.reshape(7, 600), np.sort(found, axis=1))


def test_a_rank_may_be_large() -> None:
    plan, index = Plan(1, 1.0), Index(np.ones(1, np.uint8))
    plan.linear(0, 1.0, coded=True)
    index.append(np.arange(600), np.linspace(0.0, 2.0**31 - 1, 600).round()[:, None])
    queries = np.array([[0.0], [5e8], [-1.0], [np.nan]])
    answers = [index.kneighbors(plan, queries, np.ones((1, 1)), 9, False, None, a, 1) for a in range(4)]
    for answer in answers:
        for one, other in zip(answer, answers[3], strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", ["table", "profile", "overlap"])
@pytest.mark.parametrize("query", [1e300, np.inf, 3e9])
def test_no_code_is_endless(kind: str, query: float) -> None:
    index = Index(np.ones(1, np.uint8))
    index.append(np.arange(600), np.arange(600.0)[:, None] % 2)
    for call in asked_in_every_way(index, looked_up(kind), np.array([[query]]))[1:]:
        with pytest.raises(ValueError, match="does not know"):
            call()


@pytest.mark.parametrize("call", ["kneighbors", "append", "organise", "costs"])
def test_other_threads_run_meanwhile(call: str) -> None:
    index, plan = made()
    asked = question(index, plan, 200)
    state = [N]

    def append() -> None:
        index.append(np.arange(state[0], state[0] + N), rows())
        state[0] += N

    def organise() -> None:
        append()
        index.organise(plan, 1)

    calls = {
        "kneighbors": lambda: index.kneighbors(**asked),
        "append": append,
        "organise": organise,
        "costs": lambda: index.costs(plan, asked["queries"], asked["weights"], np.arange(N), 1),
    }
    assert others_run(calls[call])


PROGRAM = """
from test_core_index import made, question
index, plan = made(200_000)
asked = question(index, plan, 200_000)
before = index.kneighbors(**(asked | {"queries": asked["queries"][:50], "exclude": asked["exclude"][:50]}))
print(interrupted(lambda: index.kneighbors(**(asked | {"algorithm": 3, "threads": 1}))))
print(interrupted(lambda: index.kneighbors(**(asked | {"algorithm": 3}))))
after = index.kneighbors(**(asked | {"queries": asked["queries"][:50], "exclude": asked["exclude"][:50]}))
assert all((one == other).all() for one, other in zip(before, after))
"""


def test_ctrl_c_ends_every_long_call() -> None:
    found = seconds_to_stop(__file__, PROGRAM)
    assert len(found) == 2
    assert max(found) < 5.0


COSTS = """
import numpy as np
from test_core_index import rows
from priorcase._core import Index, Plan
plan, index, profiles = Plan(1, 2.0), Index(np.zeros(1, np.uint8)), np.random.default_rng(0).random((3, 1000))
plan.curve(0, np.arange(3.0), profiles, step=False, exponent=2.0, factor=1.0, root=True)
index.append(np.arange(5_000), rows(5_000)[:, :1].copy())
for queries, times in ((1, 800), (800, 1)):
    ids = np.tile(np.arange(5_000), times)
    print(interrupted(lambda: index.costs(plan, np.ones((queries, 1)), np.ones((1, 1)), ids, 2)))
"""


def test_ctrl_c_ends_the_costs_of_many_rows_or_for_many_queries() -> None:
    found = seconds_to_stop(__file__, COSTS)
    assert len(found) == 2
    assert max(found) < 5.0
