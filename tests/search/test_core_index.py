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
    for one, other in zip(before, index.kneighbors(**asked), strict=True):
        np.testing.assert_array_equal(one, other)


def test_rows_are_stored_all_or_none() -> None:
    index, _ = made(600)
    _, refused = survives(index.append, {"ids": np.arange(600, 620), "rows": rows(20)}, 200)
    assert refused
    assert index.holds(np.arange(600)).all()
    with pytest.raises(ValueError, match="stored already"):
        index.append(np.array([10_000, 5]), rows(2))
    assert not index.holds(np.array([10_000])).any()


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
