"""What reuse refuses, in the words of its errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference.case_reuse import found

from priorcase.cases.reuse import Rule, Vote, reuse
from priorcase.exceptions import CaseBaseError, ParameterError
from priorcase.schema import Numeric

TEXT = [(1, 0.9, "reboot"), (2, 0.5, "reboot")]
NUMBER = [(1, 0.9, 10), (2, 0.5, 20)]


@pytest.mark.parametrize(
    ("cases", "options", "text"),
    [
        (
            [],
            {},
            "no retrieved cases",
        ),
        (
            [(1, 0.9, None)],
            {},
            "the only retrieved case has no solution",
        ),
        ([(1, 0.9, None), (2, 0.9, None)], {}, "none of 2 retrieved cases has a solution"),
        (
            [(1, 0.9, "reboot"), (2, 0.8, 3), (3, 0.7, True), (4, 0.6, [1]), (5, 0.5, {"a": 1}), (6, 0.1, "reboot")],
            {},
            "solutions of several kinds: text (case 1), number (case 2), boolean (case 3), list (case 4)",
        ),
        ([(1, 0.9, True), (2, 0.8, 1)], {"method": "vote"}, "several kinds: boolean (case 1), number (case 2)"),
        ([(1, 0.9, "a"), (2, 0.8, 1)], {"method": "mean"}, "several kinds: text (case 1), number (case 2)"),
        ([(1, 0.9, "a"), (2, 0.8, 1)], {"method": "local"}, "several kinds: text (case 1), number (case 2)"),
        ([(1, 0.9, {"a": 1}), (2, 0.8, 1)], {"method": "compose"}, "several kinds: mapping (case 1), number (case 2)"),
        (
            TEXT,
            {"method": "mean"},
            "method='mean' and text solutions such as 'reboot'",
        ),
        ([(1, 0.0, "reboot")], {"method": "mean"}, "method='mean' and text solutions such as 'reboot'"),
        (
            [(1, 0.9, True)],
            {"method": "local"},
            "method='local' and boolean solutions such as True",
        ),
        (
            [(1, 0.5, 3, False), (2, 0.0, 4)],
            {"method": "mean"},
            "method='mean', and all 2 retrieved cases weigh nothing: no similarity, or all failed",
        ),
        ([(1, 0.9, 3, False)], {"method": "local"}, "method='local', and the retrieved case weighs nothing"),
        (
            [(1, 0.9, 3)],
            {"method": "local"},
            "method='local' and one case",
        ),
        (
            [(1, 0.9, "reboot", "it worked")],
            {"method": "vote"},
            "outcome 'it worked' of case 1",
        ),
        ([(1, 0.9, "reboot", 45)], {"method": "copy"}, "outcome 45 of case 1"),
        ([(1, 0.9, 3, {"minutes": 3})], {"method": "mean"}, "outcome {'minutes': 3} of case 1"),
        (
            [(1, 0.9, "reboot", "it worked")],
            {"method": "vote", "success": lambda outcome: "yes"},
            "success returned 'yes' for case 1",
        ),
        (
            [(1, 0.9, "reboot", "it worked")],
            {"success": lambda outcome: outcome.worked},
            "the function of success raised AttributeError: 'str' object has no attribute 'worked'",
        ),
        (
            TEXT,
            {"method": "null", "rules": [Rule({}, "x")]},
            "method='null'",
        ),
        (
            TEXT,
            {"method": "vote", "prio": 1},
            "option 'prio' with method='vote'",
        ),
        (
            TEXT,
            {"method": "copy", "level": 0.9},
            "option 'level' with method='copy'",
        ),
        (TEXT, {"weights": "uniform"}, "option 'weights' with method='auto'"),
        (
            TEXT,
            {"method": Vote(), "prior": 1},
            "option 'prior' with method='vote' given as an object",
        ),
    ],
)
def test_what_no_solution_can_be_made_from(cases: Any, options: dict[str, Any], text: str) -> None:
    with pytest.raises(CaseBaseError) as raised:
        reuse(found(*cases), {}, **options)
    assert text in str(raised.value)
    assert isinstance(raised.value, CaseBaseError)
    assert isinstance(raised.value, ValueError)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"method": "votes"},
            "method must be",
        ),
        ({"method": Vote}, "'auto' takes vote for texts that repeat, mean for numbers, copy else."),
        ({"method": None}, "method must be"),
        (
            {"method": "vote", "weights": "squared"},
            "weights",
        ),
        (
            {"method": "vote", "weights": {"age": 2}},
            "These weigh cases; weights of attributes go to retrieve, and what it found to reuse.",
        ),
        (
            {"method": "vote", "prior": -1},
            "prior must be",
        ),
        ({"method": "vote", "prior": True}, "prior must be"),
        ({"method": "vote", "prior": float("inf")}, "prior must be"),
        ({"method": "vote", "prior": float("nan")}, "prior must be"),
        (
            {"success": "worked"},
            "success must be",
        ),
        (
            {"method": "mean", "level": 1},
            "level must be",
        ),
        ({"method": "local", "degree": 3}, "degree must be"),
        (
            {"method": "local", "ridge": -1.0},
            "ridge must be",
        ),
        (
            {"method": "local", "using": "size"},
            "using must be",
        ),
        (
            {"method": "local", "degree": 0, "using": ["size"]},
            "using must be",
        ),
        ({"method": "local", "degree": 0, "ridge": 1}, "ridge must be"),
        ({"method": "local", "using": [1]}, "using must be"),
        ({"method": "local", "using": iter(["size"])}, "must be None or names of attributes"),
        ({"method": "local", "degree": np.array([1, 2])}, "degree must be"),
        ({"method": "local", "ridge": 10**400}, "..."),
        ({"method": "vote", "prior": 10**400}, "..."),
        ({"method": "vote", "success": np.array([1, 2])}, "success must be"),
        (
            {"method": "compose", "parts": {"pump": iter(["size"])}},
            "must be None or a mapping from parts to lists of attributes",
        ),
    ],
)
def test_parameters_that_break_their_rules(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ParameterError) as raised:
        reuse(found(*NUMBER), {}, **options)
    assert text in str(raised.value)


def test_what_is_no_retrieval_and_no_query() -> None:
    for wrong in (None, 3, "printer", {"device": "printer"}):
        with pytest.raises(CaseBaseError) as raised:
            reuse(wrong, {})  # type: ignore[arg-type]
        assert f"got {wrong!r}" in str(raised.value)
    with pytest.raises(CaseBaseError) as raised:
        reuse(found(*TEXT), ["printer"])  # type: ignore[arg-type]
    assert "['printer'] as the query" in str(raised.value)


def test_queries_are_checked_against_declared_kinds() -> None:
    with pytest.raises(CaseBaseError, match="Did you mean 'age'"):
        reuse(found(*TEXT), {"agee": 3}, kinds={"age": Numeric()})
    with pytest.raises(CaseBaseError, match="'old' for 'age'"):
        reuse(found(*TEXT), {"age": "old"}, kinds={"age": Numeric()})
