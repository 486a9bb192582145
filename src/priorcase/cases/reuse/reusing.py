"""Reuse: from retrieved cases to a proposed solution."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from priorcase.cases.errors import unknown_attributes
from priorcase.cases.kinds import CaseKind, check, shown
from priorcase.cases.reuse.critics import Critic, check_critics, criticise
from priorcase.cases.reuse.methods import Method, MethodName, check_method, chosen
from priorcase.cases.reuse.proposal import Proposal
from priorcase.cases.reuse.rules import Rule, apply_rules, check_rules
from priorcase.cases.reuse.situation import Situation
from priorcase.cases.reuse.sources import Sources, read_sources
from priorcase.exceptions import CaseBaseError, quoted


def reuse(
    retrieval: Iterable[Any],
    query: Mapping[str, Any] | None = None,
    method: MethodName | Method = "auto",
    *,
    rules: Iterable[Rule] | Rule = (),
    critics: Iterable[Critic] | Critic = (),
    rounds: int = 10,
    kinds: Mapping[str, CaseKind] | None = None,
    **options: Any,
) -> Proposal:
    """A solution for the query, made from those of the retrieved cases.

    A method makes a solution, rules adapt it to in what the query differs from the case, and critics look for what is
    wrong with it and repair that (Aamodt & Plaza 1994, section 6; Kolodner 1993, chapters 11 and 12). Functions of
    rules, critics and options get copies: nothing they do reaches the case base.

    Parameters
    ----------
    retrieval
        What `retrieve` found. Cases without a solution are skipped and counted.
    query
        What was asked: a mapping from attributes to values; None for what the retrieval says.
    method
        ``"copy"``: the solution of the most similar case (`Copy`). ``"null"``: the same, to be used as it is (`Null`).
        ``"vote"``: the solution that most speak for, with probabilities (`Vote`). ``"mean"``: a weighted mean of
        numbers (`Mean`). ``"local"``: local regression (`Local`). ``"compose"``: parts of several cases (`Compose`).
        ``"auto"``: a vote for texts and booleans that repeat, the mean for numbers, a copy else. Or one of those
        classes with parameters.
    rules
        Each fires once, in order, where its condition holds.
    critics
        They are asked until none finds anything that is repaired.
    rounds
        How often all critics are asked at most.
    kinds
        What the attributes are; None where their values say so.
    options
        Parameters of the method: ``reuse(found, query, "vote", prior=1)`` is ``reuse(found, query, Vote(prior=1))``.

    Returns
    -------
    Proposal
        The solution, where it comes from and what was done to it; it prints as a table.

    Examples
    --------
    >>> from priorcase.cases.retrieval import retrieve
    >>> from priorcase.cases.table import CaseTable
    >>> from priorcase.schema import Nominal, Numeric
    >>> kinds = {"device": Nominal(), "pages": Numeric()}
    >>> rows = [
    ...     (1, {"device": "laser", "pages": 20}, '"replace the toner"', "true"),
    ...     (2, {"device": "laser", "pages": 60}, '"clean the rollers"', "true"),
    ...     (3, {"device": "inkjet", "pages": 10}, '"replace the toner"', "false"),
    ... ]
    >>> found = retrieve(CaseTable.of(kinds, rows), {"device": "laser", "pages": 30}, k=3)
    >>> reuse(found, kinds=kinds)
    vote: clean the rollers, confidence 0.538
      solution           probability  for  against  cases
      clean the rollers        0.538  0.7        0  2
      replace the toner        0.462  0.9      0.3  1, 3
      auto took a vote, since 3 cases have 2 distinct solutions
    <BLANKLINE>
    differences from case 2
      attribute  case  query  change
      pages      60    30     -30
    >>> reuse(found, method="copy", rules=[Rule({"pages": (20, 30)}, ("the toner", "the drum"))]).solution
    'replace the drum'
    """
    way = check_method(method, options)
    adapting = check_rules(rules, kinds)
    checking = check_critics(critics, rounds)
    if way is not None and not way.adapts and adapting:
        raise CaseBaseError(
            f"got method={way.name!r}, which changes nothing, and {len(adapting)} rule{'s' * (len(adapting) != 1)}. "
            "method='copy' starts from the same case and lets rules change its solution."
        )
    asked = _read_query(getattr(retrieval, "query", None) if query is None else query, kinds)
    sources = read_sources(retrieval, kinds)
    notes = [_skipped(sources.skipped)] if sources.skipped else []
    if way is None:
        way, reason = chosen(sources, options)
        notes.insert(0, reason)
    proposal = way.propose(sources, asked)
    proposal = replace(proposal, notes=(*notes, *proposal.notes))
    if proposal.abstains:
        return proposal
    return _adapted(proposal, sources, asked, adapting, checking, rounds=rounds, repair=way.adapts)


def _adapted(
    proposal: Proposal,
    sources: Sources,
    query: Mapping[str, Any],
    rules: tuple[Rule, ...],
    critics: tuple[Critic, ...],
    *,
    rounds: int,
    repair: bool,
) -> Proposal:
    """The proposal after rules and critics."""
    case = next((case for case in sources.cases if case.id == proposal.base), sources.cases[0])
    at = Situation(query, case, sources.kinds)
    solution, changes = apply_rules(proposal.solution, rules, at)
    solution, repairs, problems, notes = criticise(solution, critics, at, rounds=rounds, repair=repair)
    return replace(
        proposal,
        solution=solution,
        steps=(*changes, *repairs),
        problems=(*proposal.problems, *problems),
        notes=(*proposal.notes, *notes),
    )


def _read_query(query: object, kinds: Mapping[str, CaseKind] | None) -> dict[str, Any]:
    """What the query knows, as cases show it."""
    if not isinstance(query, Mapping):
        raise CaseBaseError(
            f"got {quoted(query)} as the query; expected a mapping from attributes to values. For example {{'device': "
            "'printer', 'age': 3}."
        )
    if kinds is None:
        return {name: copy.deepcopy(value) for name, value in query.items() if value is not None}
    if absent := [name for name in query if name not in kinds]:
        raise unknown_attributes(absent, kinds)
    stored = {name: check(kinds[name], value, attribute=name) for name, value in query.items()}
    return {name: shown(kinds[name], value) for name, value in stored.items() if value is not None}


def _skipped(n: int) -> str:
    return f"{n} retrieved {'case has' if n == 1 else 'cases have'} no solution"
