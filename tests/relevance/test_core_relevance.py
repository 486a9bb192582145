"""The compiled loops under learned weights, called directly: what is refused, who runs meanwhile, and Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from core_calls import others_run, seconds_to_stop, survives

from priorcase._core import Plan, Stretch, local_weights, relief_sums

NAN, INF = float("nan"), float("inf")


def table(n: int = 30, numbers: int = 2) -> dict[str, Any]:
    """Numbers in some columns, and three symbols in the last."""
    random, plan = np.random.default_rng(0), Plan(numbers + 1, 2.0)
    for a in range(numbers):
        plan.linear(a, 1.0)
    plan.table(numbers, 1.0 - np.eye(3))
    cells = np.column_stack([random.random((n, numbers)), random.integers(0, 3, n)])
    return {"plan": plan, "coded": np.array([0] * numbers + [1], np.uint8), "cells": cells}


def stretch(n: int = 30, numbers: int = 2) -> dict[str, Any]:
    targets = {"labels": np.arange(n) % 2, "numbers": None, "times": np.ones(n), "shares": np.full(2, 0.5), "loss": 0}
    asked = {"weights": np.ones(numbers + 1), "rows": np.arange(n), "votes": np.ones(n), "threads": 2, "gradient": True}
    return table(n, numbers) | targets | asked


def evaluate(**given: Any) -> Any:
    asked = [given.pop(name) for name in ("weights", "rows", "votes", "threads", "gradient")]
    return Stretch(**given).evaluate(*asked)


def local(n: int = 30, numbers: int = 2, queries: int = 4, near: int = 10) -> dict[str, Any]:
    random = np.random.default_rng(1)
    targets = {"labels": np.arange(n) % 2, "numbers": None, "shares": np.full(2, 0.5), "loss": 0}
    lists = {"indptr": np.arange(queries + 1) * near, "rows": random.integers(0, n, queries * near)}
    weights = {"counts": np.ones(queries * near), "weights": np.ones(numbers + 1)}
    return table(n, numbers) | targets | lists | weights | {"stiffness": 1.0, "steps": 5, "threads": 2}


def relief(n: int = 30, numbers: int = 2, queries: int = 4, near: int = 10) -> dict[str, Any]:
    random = np.random.default_rng(2)
    lists = {"rows": random.integers(0, n, queries), "indptr": np.arange(queries + 1) * near}
    pairs = {"others": random.integers(0, n, queries * near), "factors": np.ones(queries * near)}
    return table(n, numbers) | lists | pairs | {"power": 2.0, "threads": 2}


CALLS: list[tuple[Callable[..., Any], Callable[..., dict[str, Any]]]] = [
    (evaluate, stretch),
    (local_weights, local),
    (relief_sums, relief),
]


@pytest.mark.parametrize(("call", "given"), CALLS)
def test_any_arguments_are_answered_or_refused(call: Callable[..., Any], given: Callable[..., Any]) -> None:
    call(**given())
    answered, refused = survives(call, given() | ({"steps": 5} if call is local_weights else {}), 300)
    assert answered > 0
    assert refused > 100


@pytest.mark.parametrize(
    ("call", "given", "change", "words"),
    [
        *[
            (call, given, change, words)
            for call, given in CALLS
            for change, words in [
                ({"cells": np.zeros((30, 2))}, "differ in width"),
                ({"coded": np.zeros(2, np.uint8)}, "differ in width"),
                ({"coded": np.zeros(3, np.uint8)}, "must be coded"),
                ({"cells": np.full((30, 3), 3.0)}, "does not know some of the codes"),
                ({"cells": np.full((30, 3), -1.0)}, "does not know some of the codes"),
                ({"plan": Plan(3, 2.0)}, "lacks an attribute"),
                (
                    {"plan": Plan(0, 2.0), "coded": np.empty(0, np.uint8), "cells": np.empty((30, 0))},
                    "must be an attribute",
                ),
                ({"rows": np.array([0, 30, 1, 2])}, "no such row|last list"),
            ]
        ],
        (evaluate, stretch, {"cells": np.zeros((0, 3))}, "must be a row"),
        (evaluate, stretch, {"rows": np.empty(0, np.int64)}, "must have times above 0"),
        (evaluate, stretch, {"times": np.zeros(30)}, "must have times above 0"),
        (evaluate, stretch, {"times": np.full(30, NAN)}, "finite count"),
        (evaluate, stretch, {"votes": np.full(30, INF)}, "finite vote"),
        (evaluate, stretch, {"votes": np.ones(29)}, "finite vote"),
        (evaluate, stretch, {"weights": np.array([1.0, -1.0, 1.0])}, "finite weight"),
        (evaluate, stretch, {"loss": 3}, "no such loss"),
        (evaluate, stretch, {"loss": -1}, "no such loss"),
        (evaluate, stretch, {"loss": 2}, "the squared loss is for numbers"),
        (evaluate, stretch, {"labels": None}, "either labels or numbers"),
        (evaluate, stretch, {"labels": np.full(30, 2)}, "no such class"),
        (evaluate, stretch, {"shares": np.array([NAN, 1.0])}, "shares are finite"),
        (evaluate, stretch, {"labels": None, "numbers": np.full(30, NAN), "loss": 2}, "targets must be finite"),
        (local_weights, local, {"indptr": np.empty(0, np.int64)}, "must start at 0"),
        (local_weights, local, {"indptr": np.array([0, 20, 10, 30, 40])}, "must not decrease"),
        (local_weights, local, {"indptr": np.array([0, 41])}, "end at the last entry"),
        (local_weights, local, {"counts": np.full(40, NAN)}, "finite count"),
        (local_weights, local, {"weights": np.zeros(3)}, "weight above 0"),
        (local_weights, local, {"stiffness": NAN}, "stiffness must be"),
        (relief_sums, relief, {"power": NAN}, "power must be"),
        (relief_sums, relief, {"power": INF}, "power must be"),
        (relief_sums, relief, {"rows": np.arange(3)}, "one list per row"),
        (relief_sums, relief, {"factors": np.ones(3)}, "one list per row"),
    ],
)
def test_refuses(call: Callable[..., Any], given: Callable[..., Any], change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call(**given() | change)


def test_arrays_may_change_afterwards() -> None:
    given = stretch()
    asked = [given.pop(name) for name in ("weights", "rows", "votes", "threads", "gradient")]
    expected = Stretch(**given).evaluate(*asked)
    changed = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in given.items()}
    core = Stretch(**changed)
    for name in ("cells", "labels", "times", "shares"):
        changed[name][:] = 1_000
    found = core.evaluate(*asked)
    assert found[0] == expected[0]
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize(
    ("call", "given"),
    [
        (evaluate, stretch(1_000, 8)),
        (local_weights, local(200, 8, 50, 30)),
        (relief_sums, relief(1_000, 8, 500, 50)),
        (
            Stretch,
            {
                name: stretch(20_000, 8)[name]
                for name in list(stretch())
                if name not in ("weights", "rows", "votes", "threads", "gradient")
            },
        ),
    ],
)
def test_other_threads_run_meanwhile(call: Callable[..., Any], given: dict[str, Any]) -> None:
    assert others_run(lambda: call(**given | ({"threads": 1} if "threads" in given else {})))


PROGRAM = """
import numpy as np
from priorcase._core import Stretch, local_weights, relief_sums
from test_core_relevance import local, relief, stretch

for threads in (1, 2):
    given = stretch(5_000, 10)
    asked = {name: given.pop(name) for name in ("weights", "rows", "votes", "threads", "gradient")}
    core = Stretch(**given)
    before = core.evaluate(asked["weights"], np.arange(10), asked["votes"], 1, True)
    many = np.tile(asked["rows"], 200)
    print(interrupted(lambda: core.evaluate(asked["weights"], many, asked["votes"], threads, True)))
    after = core.evaluate(asked["weights"], np.arange(10), asked["votes"], 1, True)
    assert before[0] == after[0] and (before[1] == after[1]).all()
    many = local(5_000, 10, 20_000, 100) | {"steps": 100, "threads": threads}
    print(interrupted(lambda: local_weights(**many)))
    large = local(5_000, 10, 8, 5_000) | {"steps": 100, "threads": threads}
    print(interrupted(lambda: local_weights(**large)))
    pairs = relief(1_000, 20, 100_000, 100) | {"power": 1.5, "threads": threads}
    print(interrupted(lambda: relief_sums(**pairs)))
"""


@pytest.mark.slow
def test_ctrl_c_ends_every_long_call() -> None:
    found = seconds_to_stop(__file__, PROGRAM)
    assert len(found) == 8
    assert max(found) < 5.0
