"""Plans of the compiled core, made directly: what an attribute may be, checked when it is set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from core_calls import survives

from priorcase._core import Plan

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


def overlap(**changes: Any) -> None:
    Plan(1, 2.0).overlap(0, **changes)


def table(**changes: Any) -> None:
    Plan(1, 2.0).table(0, **({"matrix": np.zeros((2, 2))} | changes))


@pytest.mark.parametrize(
    ("call", "changes", "words"),
    [
        (linear, {"scale": -1.0}, "scale must not be negative"),
        (linear, {"scale": NAN}, "scale must not be negative"),
        (linear, {"low": 2.0, "high": 1.0}, "low must not be above high"),
        (linear, {"high": NAN}, "low must not be above high"),
        *[
            (call, {name: NAN}, "costs must be")
            for call in (linear, overlap, curve, table)
            for name in ("f_one", "f_both")
        ],
        (profile, {"f_unseen": -1.0}, "costs must be"),
        (overlap, {"f_differ": NAN}, "costs must be"),
        (table, {"matrix": np.zeros((2, 3))}, "square"),
        (table, {"matrix": np.full((2, 2), NAN)}, "costs must be"),
        (curve, {"breaks": np.arange(2.0)}, "one profile per break"),
        (curve, {"breaks": np.empty(0), "profiles": np.empty((0, 2))}, "one profile per break"),
        (curve, {"profiles": np.empty((3, 0))}, "must have a class"),
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
        (profile, {"profiles": np.empty((3, 0))}, "must have a class"),
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
    query: Any, rows: Any, power: Any, scale: Any, breaks: Any, curve: Any, profiles: Any, matrix: Any
) -> Any:
    plan = Plan(5, power)
    plan.linear(0, scale, widen=True, aha=True)
    plan.curve(1, breaks, curve, step=False, factor=1.0, **RULE)
    plan.overlap(2)
    plan.profile(3, profiles, np.ones(len(profiles)), None, 1.0, 1.0, missing=np.full(2, 0.5), **RULE)
    plan.table(4, matrix)
    found = plan.differences(query, rows)
    assert found.shape == (len(rows), 5)
    return found


def test_any_arguments_are_answered_or_refused() -> None:
    random = np.random.default_rng(0)
    given = {
        "query": np.array([0.5, 0.5, 1.0, 2.0, -1.0]),
        "rows": random.integers(0, 3, (20, 5)).astype(np.float64),
        "power": 2.0,
        "scale": 1.0,
        "breaks": np.arange(3.0),
        "curve": random.random((3, 2)),
        "profiles": random.random((3, 2)),
        "matrix": random.random((3, 3)),
    }
    everything(**given)
    answered, refused = survives(everything, given, 500)
    assert answered > 50
    assert refused > 100
