"""Reuse: a method proposes a solution, rules adapt it to the query, and critics check and repair it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral
from typing import Any, TypeAlias

from sklearn.utils._param_validation import Interval

from priorcase._parameters import check_value
from priorcase.cases.checks import check_known
from priorcase.cases.conditions import mask
from priorcase.cases.kinds import CaseKind, check, check_plain, written
from priorcase.cases.reuse.methods import Method, MethodName, automatic, check_method
from priorcase.cases.reuse.proposal import Difference, Proposal, Step
from priorcase.cases.reuse.sources import SourceCase, called, copied_solution, read_sources, solution_kind
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, ParameterError, quoted

When: TypeAlias = Mapping[str, Any] | Callable[[Mapping[str, Any], Any], bool]
"""Conditions by attribute, or a function of the query and the case."""


@dataclass(frozen=True)
class Rule:
    """An adaptation rule: if the condition ``when`` holds, apply the change ``then`` to the solution.

    Parameters
    ----------
    when
        A mapping from attributes to conditions, all of which must hold; an empty mapping always holds. Conditions have
        the same form as in `CaseBase.find`, and apply to the query's values. A tuple of two values is a condition on
        the case and on the query: ``("windows", "linux")`` holds if the case has the first value and the query has the
        second; ``...`` matches any value. The name ``"solution"`` stands for the current solution. ``when`` can also be
        a function that takes the query and the case, and returns True or False; the case is a mapping from attributes
        to values, and also has ``case.id``, ``case.solution`` and ``case.outcome``.
    then
        The change. If the solution is a mapping, ``then`` can be a mapping from parts to new values. If the solution is
        a string, ``then`` can be a tuple of two strings; the second replaces all occurrences of the first. For any
        solution, ``then`` can be a new solution (a string, number, boolean or list), or a function that takes the
        solution, the query and the case, and returns a new solution.
    name, why
        The name of the rule and the reason for the rule, used in explanations.

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
        check_value("when", self.when, [Mapping, callable])
        check_value("name", self.name, [str])
        check_value("why", self.why, [str])
        if self.then is None:
            raise ParameterError(
                "then must be a mapping of changes, a pair of strings, a function, or a solution, got None. Pass for "
                "example {'driver': 'cups'}."
            )
        if not callable(self.then):
            copied_solution(self.then, owner="then")


@dataclass(frozen=True)
class Critic:
    """A check that finds problems with a solution and can repair them.

    Parameters
    ----------
    finds
        A function that takes the solution and the query, and returns the problem as a string, or None for no problem.
    repairs
        A function that takes the solution and the query, and returns a repaired solution. If None, problems are only
        reported.
    name
        Name of the critic, used in explanations.

    Examples
    --------
    >>> thin = Critic(lambda pipe, query: "too thin" if pipe["width"] < query["flow"] else None, name="width")
    >>> thin.finds({"width": 2}, {"flow": 3})
    'too thin'
    """

    finds: Callable[[Any, Mapping[str, Any]], str | None]
    repairs: Callable[[Any, Mapping[str, Any]], Any] | None = None
    _: KW_ONLY
    name: str = ""

    def __post_init__(self) -> None:
        check_value("finds", self.finds, [callable])
        check_value("repairs", self.repairs, [callable, None])
        check_value("name", self.name, [str])


def reuse(
    matches: Sequence[Any],
    query: Mapping[str, Any],
    method: MethodName | Method = "auto",
    *,
    kinds: Mapping[str, CaseKind],
    rules: Iterable[Rule] | Rule = (),
    critics: Iterable[Critic] | Critic = (),
    rounds: int = 10,
    **options: Any,
) -> Proposal:
    """Propose a solution for the query from the solutions of the retrieved cases.

    A method proposes a solution, rules adapt it to the differences between the query and the case, and critics look for
    problems and repair them (Aamodt & Plaza 1994, section 6; Kolodner 1993, chapters 11 and 12). Functions in rules,
    critics and options receive copies, so they cannot change the case base. ``query`` contains the known values of the
    query, ``kinds`` contains the kinds of the attributes, and ``options`` are parameters of the method. See
    `CaseBase.reuse`.
    """
    chosen = check_method(method, options)
    some_rules, some_critics = _tuple_of("rules", rules, Rule), _tuple_of("critics", critics, Critic)
    check_value("rounds", rounds, [Interval(Integral, 1, None, closed="left")])
    for rule in some_rules:
        if isinstance(rule.when, Mapping):
            check_known((name for name in rule.when if name != "solution"), kinds)
    if chosen is not None and not chosen.adapts and some_rules:
        raise CaseBaseError(
            f"got rules with method={chosen.name!r}, which does not adapt solutions. Use method='copy', which starts "
            "from the same case and applies rules to its solution."
        )
    check_known(query, kinds)
    sources = read_sources(matches, kinds)
    reasons, notes = [], []
    if chosen is None:
        chosen, reason = automatic(sources, options)
        reasons.append(reason)
    if n := sources.skipped:
        notes.append(f"{n} retrieved {'case has' if n == 1 else 'cases have'} no solution")
    proposal = chosen.propose(sources, query)
    if proposal.abstains:
        return replace(proposal, notes=(*notes, *proposal.notes))
    case = next((case for case in sources.cases if case.id == proposal.base), sources.cases[0])
    solution, steps = _apply_rules(proposal.solution, some_rules, query, case, kinds)
    solution, repairs, problems, more = _criticize(solution, some_critics, query, rounds if chosen.adapts else 0)
    return replace(
        proposal,
        solution=copy.deepcopy(solution),
        differences=proposal.differences if proposal.base is None else _differences(query, case),
        steps=(*steps, *repairs),
        problems=(*proposal.problems, *problems),
        notes=(*reasons, *notes, *proposal.notes, *more),
    )


def _tuple_of(parameter: str, given: Any, kind: type[Any]) -> tuple[Any, ...]:
    several = isinstance(given, Iterable) and not isinstance(given, (str, Mapping))
    found = tuple(given) if several else (given,)
    if not all(isinstance(each, kind) for each in found):
        raise ParameterError(f"{parameter} must be a list of {kind.__name__} objects, got {quoted(given)}")
    return found


def _differences(query: Mapping[str, Any], case: SourceCase) -> tuple[Difference, ...]:
    """Return the attributes in which the case differs from the query, by decreasing ``weight * (1 - similarity)``."""
    found = []
    for name, value in query.items():
        other, (similarity, weight, _) = case.get(name), case.contributions.get(name, (None, 0.0, 0.0))
        same = isinstance(value, bool) == isinstance(other, bool) and bool(value == other)
        if not same and (weight or name not in case.contributions):
            found.append((weight * (1.0 - (similarity or 0.0)), Difference(name, other, value, similarity)))
    return tuple(difference for _, difference in sorted(found, key=lambda pair: -pair[0]))


# -- rules


def _apply_rules(
    solution: Any,
    rules: Sequence[Rule],
    query: Mapping[str, Any],
    case: SourceCase,
    kinds: Mapping[str, CaseKind],
) -> tuple[Any, list[Step]]:
    """Apply every rule whose condition holds, in order; return the solution and a `Step` for each applied rule."""
    steps = []
    for number, rule in enumerate(rules, 1):
        name = rule.name or str(number)
        owner = f"rule {name!r}"
        if callable(rule.when):
            holds = called(rule.when, query, case, owner=owner)
            if not isinstance(holds, bool):
                raise CaseBaseError(f"the function of {owner} returned {quoted(holds)}; expected True or False.")
        else:
            holds = all(_meets(at, given, query, case, solution, kinds) for at, given in rule.when.items())
        if holds:
            before = copied_solution(solution, owner=owner)
            solution = _changed(rule, before, query, case, owner)
            steps.append(Step("rule", name, rule.why, before, copied_solution(solution, owner=owner)))
    return solution, steps


def _meets(
    name: str,
    given: Any,
    query: Mapping[str, Any],
    case: SourceCase,
    solution: Any,
    kinds: Mapping[str, CaseKind],
) -> bool:
    """Return whether the condition ``given`` of a rule holds for an attribute, or for the solution."""
    if name == "solution":
        table = CaseTable.of({}, [(1, {}, check_plain(solution, what="solution"), None)])
        return bool(mask(table, {name: given})[0])

    def holds(condition: Any, value: Any) -> bool:
        row = (1, {name: check(kinds[name], value, attribute=name)}, None, None)
        return condition is ... or bool(mask(CaseTable.of({name: kinds[name]}, [row]), {name: condition})[0])

    if isinstance(given, tuple) and len(given) == 2:
        return holds(given[0], case.get(name)) and holds(given[1], query.get(name))
    return holds(given, query.get(name))


def _changed(rule: Rule, solution: Any, query: Mapping[str, Any], case: SourceCase, owner: str) -> Any:
    if callable(rule.then):
        found = called(rule.then, solution, query, case, owner=owner)
        return copied_solution(found, owner=owner)
    then = copied_solution(rule.then, owner=owner)
    replaces = isinstance(rule.then, tuple) and [type(text) for text in then] == [str, str]
    if not replaces and not isinstance(then, dict):
        return then
    expected, kind = "text" if replaces else "mapping", solution_kind(solution)
    if kind != expected:
        raise CaseBaseError(
            f"{owner} changes a {expected}, but the solution is a {kind}. Pass a function of the solution, the "
            "query and the case as `then`."
        )
    return solution.replace(*then) if replaces else solution | then


# -- critics


def _criticize(
    solution: Any, critics: Sequence[Critic], query: Mapping[str, Any], rounds: int
) -> tuple[Any, list[Step], list[str], list[str]]:
    """Return the repaired solution, a `Step` for each repair, the remaining problems, and notes."""
    steps: list[Step] = []
    notes: list[str] = []
    named = [(critic.name or str(number), critic) for number, critic in enumerate(critics, 1)]
    seen = {written(solution)}
    for turn in range(1, rounds + 1):
        before = len(steps)
        for name, critic in named:
            problem = _problem(name, critic, solution, query)
            if problem is not None and critic.repairs is not None:
                owner = f"critic {name!r}"
                found = called(critic.repairs, solution, query, owner=owner)
                better = copied_solution(found, owner=owner)
                if written(better) != written(solution):
                    steps.append(Step("critic", name, problem, copy.deepcopy(solution), copy.deepcopy(better)))
                    solution = better
        if len(steps) == before:
            break
        if written(solution) in seen:
            notes.append(f"critics undo each other's repairs: stopped after round {turn}")
            break
        seen.add(written(solution))
        if turn == rounds:
            notes.append(f"critics were stopped after round {rounds}")
    told = [(name, _problem(name, critic, solution, query)) for name, critic in named]
    problems = [f"{problem} (critic {name!r})" for name, problem in told if problem is not None]
    return solution, steps, problems, notes if problems else []


def _problem(name: str, critic: Critic, solution: Any, query: Mapping[str, Any]) -> str | None:
    owner = f"critic {name!r}"
    found = called(critic.finds, solution, query, owner=owner)
    if found is not None and not (isinstance(found, str) and found):
        raise CaseBaseError(
            f"the function of {owner} returned {quoted(found)}; expected the problem as a string, or None."
        )
    return found
