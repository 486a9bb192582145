"""What reuse refuses: one clear error each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from reference.case_reuse import found, reuse

from priorcase.cases import Compose, Copy, Critic, Local, Mean, Rule, Vote, contains
from priorcase.exceptions import CaseBaseError, ParameterError
from priorcase.schema import Nominal, Numeric, Text

TEXT = [(1, 0.9, "reboot"), (2, 0.5, "reboot")]
MIXED = [(1, 0.9, "reboot"), (2, 0.8, 3), (3, 0.7, True), (4, 0.6, [1]), (5, 0.5, {"a": 1}), (6, 0.1, "reboot")]
PUMPS: list[Any] = [(1, 0.5, {"pump": "P1", "pipe": 40}, None, {"flow": 3, "os": "linux"})]
POINTS = [(i, 0.5, i, None, {"x": i, "z": i * i, "y": 3, "note": f"n{i}"}) for i in range(3)]
KINDS: dict[str, Any] = {"os": Nominal(), "pages": Numeric()}


def asked(*cases: Any, query: Any = None, **options: Any) -> Callable[[], Any]:
    return lambda: reuse(found(*cases), {} if query is None else query, **options)


def composed(**options: Any) -> Callable[[], Any]:
    return asked(*PUMPS, method="compose", **options)


def adapted(*rules: Any, solution: Any = "text") -> Callable[[], Any]:
    query = {"os": "linux", "pages": 120}
    return asked((7, 0.5, solution, None, {}), query=query, method="copy", rules=rules, kinds=KINDS)


def criticized(*critics: Any, **options: Any) -> Callable[[], Any]:
    return asked((1, 1.0, 3), method="copy", critics=critics, **options)


def fails(*arguments: Any) -> Any:
    raise KeyError("width")


def wrong(*arguments: Any) -> str:
    return "wrong"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        # cases and their solutions
        (asked(), "no retrieved cases"),
        (asked((1, 0.9, None)), "the only retrieved case has no solution"),
        (asked((1, 0.9, None), (2, 0.9, None)), "none of 2 retrieved cases has a solution"),
        (asked(*MIXED), "several types: text (case 1), number (case 2), boolean (case 3), list (case 4)"),
        (asked((1, 0.9, True), (2, 0.8, 1), method="vote"), "several types: boolean (case 1), number (case 2)"),
        (asked((1, 0.9, "a"), (2, 0.8, 1), method="mean"), "several types"),
        (asked((1, 0.9, "a"), (2, 0.8, 1), method="local"), "several types"),
        (asked((1, 0.9, {"a": 1}), (2, 0.8, 1), method="compose"), "several types"),
        (asked(*TEXT, method="mean"), "method='mean' and text solutions such as 'reboot'"),
        (asked((1, 0.0, "reboot"), method="mean"), "method='mean' and text solutions"),
        (asked((1, 0.9, True), method="local"), "method='local' and boolean solutions such as True"),
        (asked(*TEXT, method="compose"), "method='compose' and text solutions such as 'reboot'"),
        (asked((1, 0.5, 3, False), (2, 0.0, 4), method="mean"), "all 2 retrieved cases have weight 0"),
        (asked((1, 0.9, 3, False), method="local"), "the retrieved case has weight 0"),
        # outcomes
        (asked((1, 0.9, "reboot", "it worked"), method="vote"), "outcome 'it worked' of case 1"),
        (asked((1, 0.9, "reboot", 45), method="copy"), "outcome 45 of case 1"),
        (asked((1, 0.9, 3, {"minutes": 3}), method="mean"), "outcome {'minutes': 3} of case 1"),
        (asked((1, 0.9, "a", "b"), method="vote", success=lambda outcome: "yes"), "success returned 'yes' for case 1"),
        (asked((1, 0.9, "a", "b"), success=fails), "the function of parameter 'success' raised KeyError: 'width'"),
        # options
        (asked(*TEXT, method="null", rules=[Rule({}, "x")]), "method='null'"),
        (asked(*TEXT, method="vote", prio=1), "Did you mean 'prior'"),
        (asked(*TEXT, method="copy", level=0.9), "option 'level' with method='copy'"),
        (asked(*TEXT, weights="uniform"), "option 'weights' with method='auto'"),
        (asked(*TEXT, method=Vote(), prior=1), "option 'prior' in addition to a method object"),
        # local fits
        (asked((1, 0.9, 3), method="local"), "method='local' with only one case"),
        (asked(POINTS[0], method="local", degree=0), "with 1 case (effectively 1), too few to estimate a spread"),
        (
            asked(*POINTS, query={"x": 1.5, "z": 1}, method="local"),
            "3 cases (effectively 3), too few to fit attributes 'x'",
        ),
        (asked(*POINTS, query={"y": 3}, method="local"), "no attribute that can be fitted differs between the 3 cases"),
        (asked(*POINTS, method="local", using=["size"]), "'size', unknown to the case base"),
        (asked(*POINTS, method="local", using=["note"], kinds={"note": Text()}), "text attribute 'note' in using"),
        # compositions
        (composed(parts={"pumps": ["flow"]}), "Did you mean 'pump'"),
        (composed(parts={"motor": ["flow"]}), "omit the part"),
        (composed(parts={"pump": ["flows"]}), "Did you mean 'flow'?"),
        (composed(compatible=lambda parts: None), "compatible returned None"),
        (composed(compatible=fails), "the function of parameter 'compatible' raised KeyError: 'width'"),
        # rules
        (adapted(Rule({}, fails, name="scale")), "the function of rule 'scale' raised KeyError: 'width'"),
        (adapted(Rule(fails, 1)), "the function of rule '1' raised KeyError: 'width'"),
        (adapted(Rule({"os": fails}, 1)), "the function for 'os' raised KeyError: 'width' for 'linux'"),
        (adapted(Rule(lambda query, case: None, 1)), "the function of rule '1' returned None"),  # type: ignore[arg-type, return-value]
        (adapted(Rule({}, lambda solution, query, case: None)), "rule '1' gives None as the solution"),
        (adapted(Rule({}, lambda solution, query, case: {1, 2})), "rule '1' gives {1, 2} as the solution"),
        (adapted(Rule({}, ("a", "b"), name="words"), solution={"a": 1}), "'words' changes a text"),
        (adapted(Rule({}, {"tray": 1})), "changes a mapping, but the solution is a text"),
        (adapted(Rule({"pages": contains("x")}, 1)), "'pages' is of kind 'numeric'"),
        (adapted(Rule({"pages": "many"}, 1)), "'many' for 'pages'"),
        (adapted(Rule({"page": 1}, 1)), "Did you mean 'pages'?"),
        (lambda: Rule({}, {"a": {1, 2}}), "then gives"),
        # critics
        (criticized(Critic(fails, name="width")), "the function of critic 'width' raised KeyError: 'width'"),
        (criticized(Critic(wrong, fails)), "the function of critic '1' raised KeyError: 'width'"),
        (criticized(Critic(lambda s, q: False)), "the function of critic '1' returned False"),  # type: ignore[arg-type, return-value]
        (criticized(Critic(lambda s, q: "")), "the function of critic '1' returned ''"),
        (criticized(Critic(wrong, lambda s, q: None)), "critic '1' gives None as the solution"),
        (criticized(Critic(wrong, lambda s, q: float("inf"))), "critic '1' gives inf as the solution"),
    ],
)
def test_cases_and_functions_that_give_no_solution(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(CaseBaseError) as raised:
        call()
    assert type(raised.value) is CaseBaseError
    assert words in str(raised.value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (asked(*TEXT, method="votes"), "Did you mean 'vote'"),
        (asked(*TEXT, method=Vote), "'auto' uses mean"),
        (asked(*TEXT, method=None), "method must be"),
        (asked(*TEXT, method="vote", weights={"age": 2}), "pass attribute weights to retrieve"),
        (asked(*TEXT, success="worked"), "success"),
        (lambda: Copy("worked"), "success"),  # type: ignore[arg-type]
        (lambda: Vote("squared"), "weights"),  # type: ignore[arg-type]
        *(
            (lambda prior=prior: Vote(prior=prior), "prior")
            for prior in (-1, True, float("inf"), float("nan"), 10**400)
        ),
        (lambda: Vote(success=np.array([1, 2])), "success"),  # type: ignore[arg-type]
        (lambda: Mean(level=1), "level"),
        (lambda: Local(degree=3), "degree"),  # type: ignore[arg-type]
        (lambda: Local(degree=np.array([1, 2])), "degree"),  # type: ignore[arg-type]
        (lambda: Local(ridge=-1.0), "ridge"),
        (lambda: Local(ridge=10**400), "ridge"),
        (lambda: Local("size"), "a list of attributes"),
        (lambda: Local([1]), "a list of attributes"),  # type: ignore[list-item]
        (lambda: Local(iter(["size"])), "a list of attributes"),  # type: ignore[arg-type]
        (lambda: Local(["size"], degree=0), "using must not be set"),
        (lambda: Local(degree=0, ridge=1), "ridge must not be set"),
        (lambda: Compose({"pump": iter(["size"])}), "parts"),  # type: ignore[dict-item]
        (lambda: Compose({"pump": "flow"}), "parts"),
        (lambda: Compose({}), "parts"),
        (lambda: Compose({"pump": [1]}), "parts"),  # type: ignore[list-item]
        (lambda: Compose(compatible=3), "compatible"),  # type: ignore[arg-type]
        (lambda: Compose(tries=0), "tries"),
        (lambda: Rule("os", "x"), "when must be"),  # type: ignore[arg-type]
        (lambda: Rule({}, None), "then must be"),
        (lambda: Rule({}, 1, name=3), "name must be"),  # type: ignore[arg-type]
        (lambda: Rule({}, 1, why=None), "why must be"),  # type: ignore[arg-type]
        (asked(*TEXT, rules=["os"]), "rules must be"),
        (asked(*TEXT, rules={"os": 1}), "rules must be"),
        (lambda: Critic("thin"), "finds must be"),  # type: ignore[arg-type]
        (lambda: Critic(wrong, 3), "repairs must be"),  # type: ignore[arg-type]
        (lambda: Critic(wrong, name=3), "name must be"),  # type: ignore[arg-type]
        (criticized(wrong), "critics must be"),
        (criticized(rounds=0), "rounds must be"),
    ],
)
def test_parameters_out_of_range(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ParameterError) as raised:
        call()
    assert words in str(raised.value)


def test_the_cause_is_kept() -> None:
    with pytest.raises(CaseBaseError) as raised:
        criticized(Critic(fails))()
    assert isinstance(raised.value.__cause__, KeyError)
