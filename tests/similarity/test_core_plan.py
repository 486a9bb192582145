"""Plans of the compiled core, made directly: what an attribute may be, checked when it is set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from core_calls import survives

from priorcase._core import Index, Plan

NAN, INF = float("nan"), float("inf")
RULE: dict[str, Any] = {"exponent": 2.0, "root": True}


def curve(**changes: Any) -> None:
    given = {"breaks": np.arange(3.0), "profiles": np.full((3, 2), 0.5), "step": False, "factor": 1.0} | RULE
    Plan(1, 2.0).curve(0, **(given | changes))


def profile(**changes: Any) -> None:
    given = {"profiles": np.full((3, 2), 0.5), "factors": np.ones(3), "unseen": None, "unseen_factor": 1.0}
    Plan(1, 2.0).profile(0, **(given | {"f_unseen": 1.0} | RULE | changes))


def linear(**changes: Any) -> None:
    Plan(1, 2.0).linear(0, **({"scale": 1.0} | changes))


def periodic(**changes: Any) -> None:
    given = {"periods": np.array([7.0, 24.0]), "shares": np.array([0.5, 0.5])}
    Plan(1, 2.0).periodic(0, **(given | changes))


def overlap(**changes: Any) -> None:
    Plan(1, 2.0).overlap(0, **changes)


def table(**changes: Any) -> None:
    Plan(1, 2.0).table(0, **({"matrix": np.zeros((2, 2))} | changes))


def asked(**changes: Any) -> None:
    Plan(1, 2.0).asked(0, **({"row_of": lambda cell: np.zeros(2)} | changes))


@pytest.mark.parametrize(
    ("call", "changes", "words"),
    [
        (linear, {"scale": -1.0}, "scale must not be negative"),
        (linear, {"scale": NAN}, "scale must not be negative"),
        (linear, {"low": 2.0, "high": 1.0}, "low must not be above high"),
        (linear, {"high": NAN}, "low must not be above high"),
        (periodic, {"periods": np.array([7.0])}, "one share per period"),
        (periodic, {"periods": np.array([7.0, 0.0])}, "periods must be finite and above 0"),
        (periodic, {"periods": np.array([7.0, INF])}, "periods must be finite and above 0"),
        (periodic, {"shares": np.array([0.5, NAN])}, "shares must be finite"),
        (periodic, {"line_share": -1.0}, "shares must be finite"),
        (periodic, {"scale": INF}, "scale must be finite"),
        *[
            (call, {name: NAN}, "costs must be")
            for call in (linear, periodic, overlap, curve, table)
            for name in ("f_one", "f_both")
        ],
        (profile, {"f_unseen": -1.0}, "costs must be"),
        (overlap, {"f_differ": NAN}, "costs must be"),
        (table, {"matrix": np.zeros((2, 3))}, "square"),
        (table, {"matrix": np.full((2, 2), NAN)}, "costs must be"),
        (table, {"rows": np.arange(3.0)}, "square"),
        (table, {"rows": np.array([1.0, 1.0])}, "ascending"),
        (table, {"columns": np.arange(3.0)}, "one label per column"),
        (table, {"columns": np.array([NAN, 1.0])}, "ascending"),
        (asked, {"columns": np.array([1.0, 0.0])}, "ascending"),
        (curve, {"breaks": np.arange(2.0)}, "one profile per break"),
        (curve, {"breaks": np.empty(0), "profiles": np.empty((0, 2))}, "one profile per break"),
        (curve, {"profiles": np.empty((3, 0))}, "must have at least one class"),
        (curve, {"breaks": np.array([0.0, 2.0, 1.0])}, "ascending"),
        (curve, {"breaks": np.array([0.0, 2.0, NAN])}, "ascending"),
        (curve, {"profiles": np.full((3, 2), INF)}, "profiles must be finite"),
        (curve, {"factor": NAN}, "factors must be finite"),
        (curve, {"exponent": 0.0}, "exponent must be"),
        (profile, {"exponent": NAN}, "exponent must be"),
        (profile, {"factors": np.ones(2)}, "one factor per value"),
        (profile, {"factors": -np.ones(3)}, "factors must not be negative"),
        (profile, {"unseen": np.ones(3)}, "another width"),
        (profile, {"missing": np.empty(0)}, "another width"),
        (profile, {"missing": np.full(2, NAN)}, "profiles must be finite"),
        (profile, {"unseen": np.ones(2), "unseen_factor": INF}, "factors must be finite"),
        (profile, {"profiles": np.empty((3, 0))}, "must have at least one class"),
    ],
)
def test_refuses(call: Callable[..., None], changes: dict[str, Any], words: str) -> None:
    call()
    with pytest.raises(ValueError, match=words):
        call(**changes)


def test_attributes_are_set_once_and_where_they_are() -> None:
    plan = Plan(1, 2.0)
    with pytest.raises(IndexError, match="outside the plan"):
        plan.overlap(1)
    with pytest.raises(ValueError, match="scale"):
        plan.linear(0, -1.0)
    plan.overlap(0)
    with pytest.raises(ValueError, match="set twice"):
        plan.linear(0, 1.0)
    assert plan.differences(np.zeros(1), np.array([[0.0], [1.0]])).tolist() == [[0.0], [1.0]]


@pytest.mark.parametrize("power", [0.0, -1.0, NAN, INF])
def test_powers_are_above_0(power: float) -> None:
    with pytest.raises(ValueError, match="the power must be"):
        Plan(1, power)


def test_nothing_shared_is_a_cost() -> None:
    with pytest.raises(ValueError, match="costs must be"):
        Plan(1, 2.0, nothing_shared=NAN)


def everything(
    query: Any, rows: Any, power: Any, scale: Any, breaks: Any, curve: Any, profiles: Any, matrix: Any, labels: Any
) -> Any:
    plan = Plan(6, power)
    plan.linear(0, scale, widen=True, aha=True)
    plan.curve(1, breaks, curve, step=False, factor=1.0, **RULE)
    plan.overlap(2)
    plan.profile(3, profiles, np.ones(len(profiles)), None, 1.0, 1.0, missing=np.full(2, 0.5), **RULE)
    plan.table(4, matrix)
    plan.table(5, matrix, rows=labels, columns=labels)
    found = plan.differences(query, rows)
    assert found.shape == (len(rows), 6)
    return found


def test_tables_are_looked_up_by_labels() -> None:
    plan, numbers = Plan(2, 2.0), np.array([0.5, 2.0])
    plan.table(0, np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), rows=np.array([-2.0, 7.0]), f_unseen=9.0)
    plan.table(1, np.array([[1.0, 2.0]]), rows=np.array([4.0]), columns=numbers)
    rows = np.array([[0.0, 0.5], [2.0, 2.0], [NAN, 3.0]])
    assert plan.differences(np.array([7.0, 4.0]), rows).tolist() == [[4.0, 1.0], [6.0, 2.0], [1.0, INF]]
    assert plan.differences(np.array([-1.0, NAN]), rows)[:, 0].tolist() == [9.0, 9.0, 1.0]
    for query, row in [([7.0, 4.0], [3.0, 0.5]), ([7.0, 4.0], [-1.0, 0.5])]:
        with pytest.raises(IndexError, match="does not know"):
            plan.differences(np.array(query), np.array([row]))


@pytest.mark.parametrize(
    ("row", "error"),
    [
        (np.array([NAN, 1.0]), ValueError),
        (np.array([-1.0, 1.0]), ValueError),
        (np.array([INF, 1.0]), ValueError),
        (np.zeros((1, 2)), (TypeError, RuntimeError)),
        ("row", (TypeError, RuntimeError)),
        (None, (TypeError, RuntimeError)),
    ],
)
def test_rows_that_are_asked_for_are_checked(row: Any, error: Any) -> None:
    plan = Plan(1, 2.0)
    plan.asked(0, lambda cell: row)
    with pytest.raises(error):
        plan.differences(np.zeros(1), np.zeros((1, 1)))


def test_rows_that_are_asked_for_may_be_short_or_fail() -> None:
    plan, failing = Plan(1, 2.0), Plan(1, 2.0)
    plan.asked(0, lambda cell: np.array([cell, 1.0]))
    assert plan.differences(np.full(1, 3.0), np.array([[0.0], [1.0], [2.0], [NAN]])).ravel().tolist() == [3, 1, INF, 1]
    failing.asked(0, lambda cell: 1 / 0)
    index = Index(np.ones(1, np.uint8))
    index.append(np.arange(500), np.arange(500.0)[:, None] % 70)
    with pytest.raises(ZeroDivisionError):
        index.kneighbors(failing, np.zeros((40, 1)), np.ones((1, 1)), 1, False, None, 0, 3)


def test_any_arguments_are_answered_or_refused() -> None:
    random = np.random.default_rng(0)
    given = {
        "query": np.array([0.5, 0.5, 1.0, 2.0, -1.0, 1.0]),
        "rows": random.integers(0, 3, (20, 6)).astype(np.float64),
        "power": 2.0,
        "scale": 1.0,
        "breaks": np.arange(3.0),
        "curve": random.random((3, 2)),
        "profiles": random.random((3, 2)),
        "matrix": random.random((3, 3)),
        "labels": np.arange(3.0),
    }
    everything(**given)
    answered, refused = survives(everything, given, 500)
    assert answered > 50
    assert refused > 100
