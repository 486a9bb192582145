"""Rules fire once each, in order, where their condition holds, and say what they changed."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from reference.case_reuse import found, reuse

from priorcase.cases import Proposal, Rule, at_least, contains, not_, under
from priorcase.cases.reuse import Step
from priorcase.schema import Date, Nominal, Numeric, Ordinal, Set, Taxonomy

KINDS = {
    "os": Nominal(),
    "pages": Numeric(),
    "size": Ordinal(("S", "M", "L")),
    "bought": Date(),
    "tags": Set(),
    "device": Taxonomy({"printer": {"laser": {}, "inkjet": {}}}),
}
CASE = {
    "os": "windows",
    "pages": 30,
    "size": "S",
    "bought": datetime.date(2020, 1, 1),
    "tags": frozenset({"usb"}),
    "device": "laser",
}
QUERY = {"os": "linux", "pages": 120, "size": "L", "bought": "2024-05-01", "tags": {"usb", "wifi"}, "device": "inkjet"}


def adapted(*rules: Rule, solution: Any = None, query: dict[str, Any] | None = None, **options: Any) -> Proposal:
    solution = {"driver": "winprint", "tray": 1} if solution is None else solution
    cases = found((7, 0.5, solution, None, CASE))
    return reuse(cases, QUERY if query is None else query, "copy", rules=rules, kinds=KINDS, **options)


@pytest.mark.parametrize(
    ("when", "fires"),
    [
        ({}, True),
        ({"os": "linux"}, True),
        ({"os": "windows"}, False),
        ({"os": ("windows", "linux")}, True),
        ({"os": ("linux", "windows")}, False),
        ({"os": ("windows", ...)}, True),
        ({"os": (..., "windows")}, False),
        ({"os": ["linux", "mac"]}, True),
        ({"os": (["windows", "mac"], not_("windows"))}, True),
        ({"os": lambda value: value.startswith("l")}, True),
        ({"pages": at_least(100)}, True),
        ({"pages": at_least(121)}, False),
        ({"pages": (at_least(100), at_least(100))}, False),
        ({"size": at_least("M"), "bought": at_least("2024-01-01")}, True),
        ({"tags": contains("wifi")}, True),
        ({"tags": (contains("wifi"), contains("wifi"))}, False),
        ({"device": under("printer")}, True),
        ({"device": ("laser", "inkjet")}, True),
        ({"solution": {"driver": "winprint", "tray": 1}}, True),
        ({"solution": lambda solution: solution["tray"] == 2}, False),
        (lambda query, case: query["pages"] > 3 * case["pages"], True),
        (lambda query, case: case.solution["tray"] == 2, False),
        (lambda query, case: case.id == 7 and case.outcome is None, True),
    ],
)
def test_when(when: Any, fires: bool) -> None:
    proposal = adapted(Rule(when, {"tray": 2}))
    assert bool(proposal.steps) == fires
    assert proposal.solution == {"driver": "winprint", "tray": 2 if fires else 1}


def test_what_a_query_does_not_know_is_missing() -> None:
    assert not adapted(Rule({"os": ("windows", "linux")}, {"tray": 2}), query={"pages": 3}).steps
    assert not adapted(Rule({"os": not_("windows")}, {"tray": 2}), query={"pages": 3}).steps
    assert adapted(Rule({"os": None}, {"tray": 2}), query={"pages": 3}).steps
    assert adapted(Rule({"os": ("windows", None)}, {"tray": 2}), query={"pages": 3}).steps


@pytest.mark.parametrize(
    ("then", "before", "after"),
    [
        ({"tray": 2, "duplex": True}, {"tray": 1, "driver": "a"}, {"tray": 2, "driver": "a", "duplex": True}),
        (("toner", "ink"), "replace the toner; shake the toner", "replace the ink; shake the ink"),
        (("drum", "ink"), "replace the toner", "replace the toner"),
        ("call the technician", "replace the toner", "call the technician"),
        (3, 5, 3),
        (False, True, False),
        (["a", "b"], ["c"], ["a", "b"]),
        (lambda solution, query, case: solution * query["pages"] / case["pages"], 5, 20),
    ],
)
def test_then(then: Any, before: Any, after: Any) -> None:
    proposal = adapted(Rule({}, then, name="r", why="because"), solution=before)
    assert proposal.solution == after
    assert proposal.steps == (Step("rule", "r", "because", before, after),)


def test_rules_fire_in_order_each_once() -> None:
    more = Rule(lambda query, case: True, lambda solution, query, case: [*solution, len(solution)], name="more")
    proposal = adapted(more, Rule({"solution": lambda s: len(s) == 2}, lambda s, q, c: [*s, "two"]), more, solution=[0])
    assert proposal.solution == [0, 1, "two", 3]
    assert [step.name for step in proposal.steps] == ["more", "2", "more"]
    assert [step.before for step in proposal.steps] == [[0], [0, 1], [0, 1, "two"]]
    assert next(str(step) for step in proposal.steps) == "rule 'more': [0] -> [0,1]"


def test_a_rule_without_effect_says_so() -> None:
    step = adapted(Rule({}, {"tray": 1}, why="as always")).steps[0]
    assert str(step) == "rule '1': nothing to change; as always"


def test_functions_cannot_reach_what_is_not_theirs() -> None:
    stored = {"parts": ["a"]}
    cases = found((7, 0.5, stored, {"worked": [1]}, {"tags": frozenset({"usb"})}))
    query = {"list": ["q"]}

    def spoil(solution: Any, query: Any, case: Any) -> Any:
        query["list"].append("spoilt")
        case.solution["parts"].append("spoilt")
        case.outcome["worked"].append("spoilt")
        solution["parts"].append("new")
        return solution

    seen: list[Any] = []

    def look(query: Any, case: Any) -> bool:
        seen.append((query, dict(case), case.solution, case.outcome))
        return False

    rules = [Rule({}, spoil), Rule(look, {"x": 1})]
    proposal = reuse(cases, query, "copy", rules=rules, success=None)
    assert proposal.solution == {"parts": ["a", "new"]}
    assert proposal.steps[0].before == {"parts": ["a"]}
    assert seen == [({"list": ["q"]}, {"tags": {"usb"}}, {"parts": ["a"]}, {"worked": [1]})]
    assert stored == {"parts": ["a"]}
    assert query == {"list": ["q"]}
    proposal.solution["parts"].append("changed by the caller")
    assert proposal.steps[0].after == {"parts": ["a", "new"]}
    assert proposal.sources[0].solution == {"parts": ["a"]}


def test_what_a_rule_changes_is_not_shared_with_the_rule() -> None:
    change = {"tray": [1]}
    rule = Rule({}, change)
    adapted(rule).solution["tray"].append(2)
    assert change == {"tray": [1]}
    assert adapted(rule).solution["tray"] == [1]


def test_rules_work_without_declared_kinds() -> None:
    cases = found((1, 0.5, "a", None, {"age": 3, "os": "x"}))
    rules = [Rule({"age": (3, at_least(5)), "os": ("x", "y")}, "b")]
    assert reuse(cases, {"age": 6, "os": "y"}, rules=rules).solution == "b"
    assert reuse(cases, {"age": 4, "os": "y"}, rules=rules).solution == "a"


def test_one_rule_need_not_be_in_a_list() -> None:
    assert reuse(found((1, 1.0, "a")), {}, rules=Rule({}, "b")).solution == "b"
