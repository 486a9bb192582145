"""Adaptation rules: when something holds of the query and the case, then change the solution."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, TypeAlias

from priorcase.cases.errors import unknown_attributes
from priorcase.cases.kinds import CaseKind
from priorcase.cases.reuse.calling import called, changed, check_function, check_words
from priorcase.cases.reuse.meeting import meets
from priorcase.cases.reuse.situation import Situation
from priorcase.cases.reuse.sources import solution_kind
from priorcase.cases.reuse.steps import Step
from priorcase.exceptions import CaseBaseError, ParameterError, quoted

When: TypeAlias = Mapping[str, Any] | Callable[[Mapping[str, Any], Any], bool]
"""Conditions by attribute, or a function of the query and the case."""


@dataclass(frozen=True)
class Rule:
    """``when`` a condition holds, ``then`` change the solution.

    Parameters
    ----------
    when
        A mapping from attributes to conditions, all of which must hold; an empty one always holds. A condition is
        whatever `CaseBase.find` takes, and is asked of the query: a value, a list of values, None for missing, a
        function of the value, or a condition such as ``at_least(3)``. A pair, as a tuple, is about the change from the
        case to the query: ``("windows", "linux")`` holds where the case has the first and the query the second; ``...``
        on either side stands for anything. ``"solution"`` is the solution as it is at the time. Or a function of the
        query and the case that returns True or False; a case is a mapping with ``id``, ``solution`` and ``outcome``.
    then
        For a solution that is a mapping, a mapping of parts to their new values. For a text, a pair of texts, the
        second of which replaces the first wherever it occurs. For any solution a function of the solution, the query
        and the case that returns the new one, or a text, number, boolean or list that takes its place.
    name, why
        What to call it, and the reason, for explanations.

    Examples
    --------
    >>> Rule({"os": ("windows", "linux")}, {"driver": "cups"}, why="other drivers").why
    'other drivers'
    """

    when: When
    then: Any
    _: KW_ONLY
    name: str = ""
    why: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.when, Mapping):
            of, hint = "the query and the case", "For example {'os': ('windows', 'linux')}."
            check_function("when", self.when, of=of, hint=hint, beside="a mapping to conditions, or ")
        check_words("name", self.name)
        check_words("why", self.why)
        if self.then is None:
            raise ParameterError(
                "then must be a mapping of changes, a pair of texts, a function, or a solution, got "
                f"{quoted(self.then)}. For example {{'driver': 'cups'}}."
            )
        if not callable(self.then):
            changed(self.then, owner="then")

    def holds(self, at: Situation, solution: Any, *, owner: str) -> bool:
        """Whether it is to fire."""
        if callable(self.when):
            query, case = at.copied()
            found = called(self.when, query, case, owner=owner)
            if not isinstance(found, bool):
                raise CaseBaseError(
                    f"the function of {owner} returned {quoted(found)}; expected True or False. Every way through the "
                    "function must end in a return."
                )
            return found
        mine = replace(at)  # so that what is wrong with a condition names the rule
        return all(meets(name, given, mine, solution) for name, given in self.when.items())

    def change(self, solution: Any, at: Situation, *, owner: str) -> Any:
        """The solution after it has fired."""
        if callable(self.then):
            query, case = at.copied()
            found = called(self.then, solution, query, case, owner=owner)
            return changed(found, owner=owner)
        then = changed(self.then, owner=owner)
        if isinstance(self.then, tuple) and [type(text) for text in then] == [str, str]:
            if not isinstance(solution, str):
                raise CaseBaseError(
                    f"{owner} changes a text, and the solution is a {solution_kind(solution)}. Let its then be a "
                    "function of the solution, the query and the case."
                )
            return solution.replace(*then)
        if isinstance(then, dict):
            if not isinstance(solution, dict):
                raise CaseBaseError(
                    f"{owner} changes a mapping, and the solution is a {solution_kind(solution)}. Let its then be a "
                    "function of the solution, the query and the case."
                )
            return solution | then
        return then


def check_rules(rules: object, kinds: Mapping[str, CaseKind] | None) -> tuple[Rule, ...]:
    """The rules; an error for anything else, and for attributes that there are not."""
    found = tuple(rules) if isinstance(rules, Iterable) and not isinstance(rules, (str, Mapping)) else (rules,)
    for rule in found:
        if not isinstance(rule, Rule):
            raise ParameterError(
                f"rules must be a list of Rule, got {quoted(rules)}. For example [Rule({{'os': 'linux'}}, {{'driver': "
                "'cups'})]."
            )
        if kinds is not None and isinstance(rule.when, Mapping):
            absent = [name for name in rule.when if name not in kinds and name != "solution"]
            if absent:
                raise unknown_attributes(absent, kinds)
    return found


def apply_rules(solution: Any, rules: Iterable[Rule], at: Situation) -> tuple[Any, list[Step]]:
    """The solution after every rule that holds has fired once, in order, and a step for each of them."""
    steps = []
    for number, rule in enumerate(rules, 1):
        name = rule.name or str(number)
        owner = f"rule {name!r}"
        if rule.holds(at, solution, owner=owner):
            before = changed(solution, owner=owner)
            solution = rule.change(changed(solution, owner=owner), at, owner=owner)
            steps.append(Step("rule", name, rule.why, before, changed(solution, owner=owner)))
    return solution, steps
