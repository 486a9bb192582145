"""The compiled reductions, called directly: what is refused, who runs meanwhile, and Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from core_calls import others_run, seconds_to_stop, survives

from priorcase._core import CaseFilter, Condensed, Drop, Plan, Reduced

NAN, INF = float("nan"), float("inf")
MAKERS = ("Condensed", "Reduced", "CaseFilter", "Drop")


def rows(n: int = 40, numbers: int = 2, kind: str = "table") -> dict[str, Any]:
    """Numbers in some columns, and three symbols in the last."""
    random, plan = np.random.default_rng(0), Plan(numbers + 1, 2.0)
    for a in range(numbers):
        plan.linear(a, 1.0)
    if kind == "table":
        plan.table(numbers, 1.0 - np.eye(3))
    else:
        plan.overlap(numbers)
    cells = np.column_stack([random.random((n, numbers)), random.integers(0, 3, n)])
    coded = np.array([0] * numbers + [1], np.uint8)
    return {
        "plan": plan,
        "coded": coded,
        "cells": cells,
        "weights": np.ones(numbers + 1),
        "labels": random.integers(0, 2, n),
    }


def made(name: str, given: dict[str, Any]) -> Any:
    if name == "Condensed":
        return Condensed(**given)
    if name == "CaseFilter":
        return CaseFilter(**given)
    if name == "Reduced":
        return Reduced(**({"members": np.ones(len(given["cells"]), np.uint8)} | given))
    return Drop(**({"targets": None, "k": 3, "nearest_breaks_ties": False, "alpha": 1.0, "stay_on": False} | given))


def reduced(name: str, given: dict[str, Any], threads: int = 2) -> list[int]:
    """What is left in the end."""
    core, n = made(name, given), len(given["cells"])
    if name == "Condensed":
        while core.take_in(0, n, threads):
            continue
    elif name == "CaseFilter":
        while True:
            core.count(np.flatnonzero(core.held()), threads)
            if not core.filter():
                break
    else:
        core.fill(0, n, threads)
        core.consider(*((0, n) if name == "Reduced" else (np.arange(n), False)))
    return np.flatnonzero(core.held()).tolist()


@pytest.mark.parametrize("name", MAKERS)
def test_any_arguments_are_answered_or_refused(name: str) -> None:
    given = rows()
    if name == "Reduced":
        given["members"] = np.ones(40, np.uint8)
    if name == "Drop":
        given |= {"k": 3, "nearest_breaks_ties": True, "alpha": 1.0, "stay_on": True}
    answered, refused = survives(lambda **odd: reduced(name, odd), given, 150)
    assert answered > 0
    assert refused > 40


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"cells": np.zeros((40, 2))}, "differ in width"),
        ({"cells": np.zeros((0, 3))}, "there must be a row"),
        ({"weights": np.ones(2)}, "differ in width"),
        ({"weights": np.array([1.0, INF, 1.0])}, "finite and not negative"),
        ({"coded": np.zeros(3, np.uint8)}, "must be coded"),
        ({"cells": np.full((40, 3), 3.0)}, "does not know some of the codes"),
        ({"cells": np.full((40, 3), -1.0)}, "does not know some of the codes"),
        ({"plan": Plan(3, 2.0)}, "lacks an attribute"),
        (
            {"plan": Plan(0, 2.0), "coded": np.empty(0, np.uint8), "cells": np.empty((4, 0)), "weights": np.empty(0)},
            "must be an attribute",
        ),
        ({"labels": np.zeros(39, np.int64)}, "per row"),
        ({"labels": np.full(40, -1)}, "labels must be classes"),
    ],
)
def test_refuses(name: str, change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        made(name, rows() | change)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: made("Condensed", rows()).take_in(0, 41, 1), "no such rows"),
        (lambda: made("Reduced", rows()).consider(0, 40), "must be filled first"),
        (lambda: made("Reduced", rows() | {"members": np.zeros(40, np.uint8)}), "must be a member"),
        (lambda: made("Reduced", rows() | {"members": np.ones(3, np.uint8)}), "one mark per row"),
        (lambda: made("Drop", rows()).consider(np.arange(3), False), "must be filled first"),
        (lambda: made("Drop", rows()).enemy_costs(np.arange(3), 1), "must be filled first"),
        (lambda: made("Drop", rows() | {"k": 0}), "k must be at least 1"),
        (lambda: made("Drop", rows() | {"alpha": NAN}), "alpha must be"),
        (lambda: made("Drop", rows() | {"labels": None}), "either labels or targets"),
        (lambda: made("Drop", rows() | {"labels": None, "targets": np.full(40, INF)}), "targets must be finite"),
        (lambda: made("CaseFilter", rows()).count(np.array([3, 4, 3]), 1), "counted twice"),
        (lambda: made("CaseFilter", rows()).count(np.array([40]), 1), "no such rows"),
        (lambda: made("CaseFilter", rows()).filter(), "must be counted first"),
    ],
)
def test_refuses_calls(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("name", MAKERS)
def test_arrays_may_change_afterwards(name: str) -> None:
    given = rows()
    expected = reduced(name, given)
    changed = {key: value.copy() if isinstance(value, np.ndarray) else value for key, value in given.items()}
    core = made(name, changed)
    changed["cells"][:] = 1e9
    changed["labels"][:] = 2**40
    changed["weights"][:] = NAN
    n = len(given["cells"])
    if name == "Condensed":
        while core.take_in(0, n, 1):
            continue
    elif name == "CaseFilter":
        core.count(np.arange(n), 1)
        assert core.filter() > 0
        return
    else:
        core.fill(0, n, 1)
        core.consider(*((0, n) if name == "Reduced" else (np.arange(n), False)))
    assert np.flatnonzero(core.held()).tolist() == expected


def test_enemies_of_a_class_that_has_left() -> None:
    # Nobody of the last class is left; its rows may be asked about all the same.
    given = rows() | {"labels": np.repeat([0, 1, 2], [20, 19, 1]), "k": 1}
    core = made("Drop", given)
    core.fill(0, 40, 1)
    core.consider(np.array([39]), False)
    assert not core.held()[39]
    assert np.isfinite(core.enemy_costs(np.arange(40), 2)).all()


@pytest.mark.parametrize("name", MAKERS)
def test_other_threads_run_while_an_index_is_built(name: str) -> None:
    given = rows(20_000)
    assert others_run(lambda: made(name, given))


def test_other_threads_run_while_rows_leave() -> None:
    given = rows(2_000)
    drop, members = made("Drop", given), made("Reduced", given)
    assert others_run(lambda: drop.fill(0, 2_000, 1))
    assert others_run(lambda: drop.enemy_costs(np.arange(2_000), 1))
    assert others_run(lambda: drop.consider(np.arange(2_000), False))
    assert others_run(lambda: members.fill(0, 2_000, 1))
    assert others_run(lambda: members.consider(0, 2_000))
    condensed = made("Condensed", given)
    assert others_run(lambda: condensed.take_in(0, 2_000, 1))


PROGRAM = """
import numpy as np
from test_core_reduction import made, reduced, rows

def same(core, fresh, go_on):
    assert (core.held() == fresh.held()).all()
    for each in (core, fresh):
        go_on(each)
    assert (core.held() == fresh.held()).all()

def filled(name, given):
    core = made(name, given)
    core.fill(0, len(given["cells"]), 2)
    return core

few, many = rows(1500, 5) | {"k": 25}, rows(100_000, 40)
again = np.tile(np.arange(1500), 3_000)
for threads in (1, 2):
    core = made("Condensed", many)
    core.take_in(0, 300, threads)
    print(interrupted(lambda: core.take_in(0, 100_000, threads)))
    fresh = made("Condensed", many)
    fresh.take_in(0, 300, 1)
    same(core, fresh, lambda core: core.take_in(0, 600, threads))

    lonely = many | {"labels": (np.arange(100_000) == 7).astype(np.int64)}
    core = made("CaseFilter", lonely)
    print(interrupted(lambda: core.count(np.arange(100_000), threads)))
    core.count(np.arange(100), threads)  # not counted twice

    core = made("Drop", many)
    print(interrupted(lambda: core.fill(0, 100_000, threads)))
core = filled("Drop", few)
core.consider(np.arange(100), False)
print(interrupted(lambda: core.consider(again, False)))
fresh = filled("Drop", few)
fresh.consider(np.arange(100), False)
same(core, fresh, lambda core: core.consider(np.arange(1500), False))
assert (core.enemy_costs(np.arange(1500), 2) == fresh.enemy_costs(np.arange(1500), 1)).all()
"""


@pytest.mark.slow
def test_ctrl_c_ends_every_long_call_and_nothing_has_changed() -> None:
    found = seconds_to_stop(__file__, PROGRAM)
    assert len(found) == 7
    assert max(found) < 5.0
