"""What reuse refuses, in the words of its errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference.case_reuse import found

from priorcase.exceptions import CaseBaseError, CaseValueError, ParameterError, ReuseError, UnknownAttributeError
from priorcase.reasoning.reuse import Rule, Vote, reuse
from priorcase.schema import Numeric

TEXT = [(1, 0.9, "reboot"), (2, 0.5, "reboot")]
NUMBER = [(1, 0.9, 10), (2, 0.5, 20)]


@pytest.mark.parametrize(
    ("cases", "options", "text"),
    [
        (
            [],
            {},
            "reuse got no retrieved cases; expected at least one.\n"
            "Hint: ask with fewer conditions (where=), or add cases first.",
        ),
        (
            [(1, 0.9, None)],
            {},
            "reuse: the only retrieved case has no solution.\n"
            "Hint: retrieve more cases (k=), or add solutions with revise(id, solution=...).",
        ),
        ([(1, 0.9, None), (2, 0.9, None)], {}, "reuse: none of 2 retrieved cases has a solution.\n"),
        (
            [(1, 0.9, "reboot"), (2, 0.8, 3), (3, 0.7, True), (4, 0.6, [1]), (5, 0.5, {"a": 1}), (6, 0.1, "reboot")],
            {},
            "reuse got solutions of several kinds: text (case 1), number (case 2), boolean (case 3), list (case 4), "
            "mapping (case 5); expected one kind.\nHint: method='copy' takes the most similar case alone.",
        ),
        ([(1, 0.9, True), (2, 0.8, 1)], {"method": "vote"}, "several kinds: boolean (case 1), number (case 2)"),
        ([(1, 0.9, "a"), (2, 0.8, 1)], {"method": "mean"}, "several kinds: text (case 1), number (case 2)"),
        ([(1, 0.9, "a"), (2, 0.8, 1)], {"method": "local"}, "several kinds: text (case 1), number (case 2)"),
        ([(1, 0.9, {"a": 1}), (2, 0.8, 1)], {"method": "compose"}, "several kinds: mapping (case 1), number (case 2)"),
        (
            TEXT,
            {"method": "mean"},
            "reuse got method='mean' and text solutions such as 'reboot'; expected numbers.\n"
            "Hint: method='vote' goes with any solution, method='compose' with mappings.",
        ),
        ([(1, 0.0, "reboot")], {"method": "mean"}, "reuse got method='mean' and text solutions such as 'reboot'"),
        (
            [(1, 0.9, True)],
            {"method": "local"},
            "got method='local' and boolean solutions such as True; expected numbers",
        ),
        (
            [(1, 0.5, 3, False), (2, 0.0, 4)],
            {"method": "mean"},
            "reuse got method='mean', and all 2 retrieved cases weigh nothing: no similarity, or all failed.\n"
            "Hint: weights='uniform' and success=None let every case count.",
        ),
        ([(1, 0.9, 3, False)], {"method": "local"}, "reuse got method='local', and the retrieved case weighs nothing"),
        (
            [(1, 0.9, 3)],
            {"method": "local"},
            "reuse got method='local' and one case, which no line can be laid through",
        ),
        (
            [(1, 0.9, "reboot", "it worked")],
            {"method": "vote"},
            "reuse got outcome 'it worked' of case 1; expected True, False, a number from 0 to 1 or None to tell "
            "whether its solution worked.\n"
            "Hint: pass success=, a function from an outcome to one of these; success=None lets every case count.",
        ),
        ([(1, 0.9, "reboot", 45)], {"method": "copy"}, "reuse got outcome 45 of case 1; expected True, False"),
        ([(1, 0.9, 3, {"minutes": 3})], {"method": "mean"}, "reuse got outcome {'minutes': 3} of case 1; expected"),
        (
            [(1, 0.9, "reboot", "it worked")],
            {"method": "vote", "success": lambda outcome: "yes"},
            "reuse: success returned 'yes' for case 1; expected True, False or a number from 0 to 1.\n"
            "Hint: for example success=lambda outcome: outcome == 'solved'.",
        ),
        (
            [(1, 0.9, "reboot", "it worked")],
            {"success": lambda outcome: outcome.worked},
            "reuse: the function of success raised AttributeError: 'str' object has no attribute 'worked'\n",
        ),
        (
            TEXT,
            {"method": "null", "rules": [Rule({}, "x")]},
            "reuse got method='null', which changes nothing, and 1 rule.\n"
            "Hint: method='copy' starts from the same case and lets rules change its solution.",
        ),
        (
            TEXT,
            {"method": "vote", "prio": 1},
            "reuse got option 'prio' with method='vote', which has no such option.\n"
            "Hint: did you mean 'prior' by 'prio'?",
        ),
        (
            TEXT,
            {"method": "copy", "level": 0.9},
            "reuse got option 'level' with method='copy', which has no such option.\nHint: it has 'success'.",
        ),
        (TEXT, {"weights": "uniform"}, "reuse got option 'weights' with method='auto', which has no such option."),
        (
            TEXT,
            {"method": Vote(), "prior": 1},
            "reuse got option 'prior' with method='vote' given as an object, which has no such option.\n"
            "Hint: give options to the object itself.",
        ),
    ],
)
def test_what_no_solution_can_be_made_from(cases: Any, options: dict[str, Any], text: str) -> None:
    with pytest.raises(ReuseError) as raised:
        reuse(found(*cases), {}, **options)
    assert text in str(raised.value)
    assert isinstance(raised.value, CaseBaseError)
    assert isinstance(raised.value, ValueError)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"method": "votes"},
            "reuse got method='votes'; expected 'auto', 'copy', 'null', 'vote', 'mean', 'local' or 'compose', or one "
            "of their classes with parameters.\nHint: did you mean 'vote'?",
        ),
        ({"method": Vote}, "Hint: 'auto' takes vote for texts that repeat, mean for numbers, copy else."),
        ({"method": None}, "reuse got method=None; expected 'auto'"),
        (
            {"method": "vote", "weights": "squared"},
            "reuse got weights='squared'; expected 'similarity', 'uniform' or 'inverse_square'.\n"
            "Hint: 'similarity' weighs a case by its similarity, 'uniform' all alike.",
        ),
        (
            {"method": "vote", "weights": {"age": 2}},
            "Hint: these weigh cases; weights of attributes go to retrieve, and what it found to reuse.",
        ),
        (
            {"method": "vote", "prior": -1},
            "reuse got prior=-1; expected a finite number >= 0.\nHint: 0 takes the shares as they are, 1 is Laplace's.",
        ),
        ({"method": "vote", "prior": True}, "reuse got prior=True; expected a finite number >= 0."),
        ({"method": "vote", "prior": float("inf")}, "reuse got prior=inf; expected a finite number >= 0."),
        ({"method": "vote", "prior": float("nan")}, "reuse got prior=nan; expected a finite number >= 0."),
        (
            {"success": "worked"},
            "reuse got success='worked'; expected 'outcome', None or a function from an outcome to True, False or a "
            "number from 0 to 1.\nHint: None lets every case count, whatever came of it.",
        ),
        (
            {"method": "mean", "level": 1},
            "reuse got level=1; expected a number between 0 and 1.\nHint: 0.95 is usual.",
        ),
        ({"method": "local", "degree": 3}, "reuse got degree=3; expected 0, 1 or 2.\nHint: 1 fits a plane."),
        (
            {"method": "local", "ridge": -1.0},
            "reuse got ridge=-1.0; expected a finite number >= 0.\nHint: 0 fits the cases as they are.",
        ),
        (
            {"method": "local", "using": "size"},
            "reuse got using='size'; expected None or names of attributes.\nHint: for example using=['size', 'age'].",
        ),
        (
            {"method": "local", "degree": 0, "using": ["size"]},
            "reuse got using=['size']; expected nothing where degree=0.\n"
            "Hint: a mean has no slopes: leave it out, or take degree=1.",
        ),
        ({"method": "local", "degree": 0, "ridge": 1}, "reuse got ridge=1; expected nothing where degree=0."),
        ({"method": "local", "using": [1]}, "reuse got using=[1]; expected None or names of attributes."),
        ({"method": "local", "using": iter(["size"])}, "expected None or names of attributes."),
        ({"method": "local", "degree": np.array([1, 2])}, "reuse got degree=array([1, 2]); expected 0, 1 or 2."),
        ({"method": "local", "ridge": 10**400}, "...; expected a finite number >= 0."),
        ({"method": "vote", "prior": 10**400}, "...; expected a finite number >= 0."),
        ({"method": "vote", "success": np.array([1, 2])}, "reuse got success=array([1, 2]); expected 'outcome', None"),
        (
            {"method": "compose", "parts": {"pump": iter(["size"])}},
            "expected None or a mapping from parts to lists of attributes.",
        ),
    ],
)
def test_parameters_that_break_their_rules(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ParameterError) as raised:
        reuse(found(*NUMBER), {}, **options)
    assert text in str(raised.value)


def test_what_is_no_retrieval_and_no_query() -> None:
    for wrong in (None, 3, "printer", {"device": "printer"}):
        with pytest.raises(ReuseError) as raised:
            reuse(wrong, {})  # type: ignore[arg-type]
        assert str(raised.value) == (
            f"reuse got {wrong!r}; expected retrieved cases.\nHint: pass what retrieve(query) returned."
        )
    with pytest.raises(ReuseError) as raised:
        reuse(found(*TEXT), ["printer"])  # type: ignore[arg-type]
    assert str(raised.value) == (
        "reuse got ['printer'] as the query; expected a mapping from attributes to values.\n"
        "Hint: for example {'device': 'printer', 'age': 3}."
    )


def test_queries_are_checked_against_declared_kinds() -> None:
    with pytest.raises(UnknownAttributeError, match="did you mean 'age'"):
        reuse(found(*TEXT), {"agee": 3}, kinds={"age": Numeric()})
    with pytest.raises(CaseValueError, match="got 'old' for 'age'; expected a number"):
        reuse(found(*TEXT), {"age": "old"}, kinds={"age": Numeric()})


def test_the_caller_is_named() -> None:
    with pytest.raises(ReuseError, match=r"^CaseBase\.reuse got no retrieved cases"):
        reuse([], {})
