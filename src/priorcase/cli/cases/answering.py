"""Answers from a case base: at once, or after a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from priorcase._parameters import is_number
from priorcase.cases import CaseBase, Conversation, Proposal, Retrieval
from priorcase.cli.cases.tables import case_document, case_table, json_text, plain
from priorcase.cli.cases.talking import Talk, terminal_line
from priorcase.cli.errors import BadInputError
from priorcase.exceptions import ParameterError

__all__ = ["answer", "converse"]

_PARTS = 20


def answer(
    base: CaseBase,
    query: Mapping[str, Any],
    k: int,
    method: str,
    diversity: float,
    *,
    weights: Mapping[str, float] | None,
    where: Mapping[str, Any],
    explain: bool,
    as_json: bool,
) -> None:
    """Answer from what is given, and show the similar cases."""
    found = base.retrieve(query, k, weights=weights, where=where or None, diversity=diversity)
    if not len(found):
        raise BadInputError(f"{base.path} has no case that could answer this. Ask without --where, or add cases first.")
    proposal = base.reuse(found, method)
    if as_json:
        click.echo(json_text(_document(found, proposal)))
    elif explain:
        parts = [proposal.explain(), *(str(found.explain(i)) for i in range(len(found)))]
        click.echo("\n\n".join(parts))
    else:
        click.echo(f"{proposal}\n\n{found}")


def _document(found: Retrieval, proposal: Proposal) -> dict[str, Any]:
    fields = ("solution", "probability", "support", "against", "cases")
    return {
        "query": {name: plain(value) for name, value in found.query.items()},
        "solution": proposal.solution,
        "method": proposal.method,
        "how": proposal.how,
        "confidence": proposal.confidence,
        "interval": proposal.interval,
        "candidates": [{name: getattr(one, name) for name in fields} for one in proposal.candidates],
        "notes": proposal.notes,
        "cases": [
            case_document(match.case)
            | {
                "similarity": match.similarity,
                "contributions": {name: share.contribution for name, share in match.shares.items()},
            }
            for match in found
        ],
    }


def converse(
    base: CaseBase,
    query: Mapping[str, Any],
    *,
    weights: Mapping[str, float] | None,
    where: Mapping[str, Any],
    k: int,
    confidence: float,
    tolerance: float | None,
    explain: bool,
) -> None:
    """Ask until the answer is clear, then show it with the cases that speak for it."""
    talk = _conversation(base, query, weights, where, confidence=confidence, tolerance=tolerance)
    Talk(base, talk, terminal_line, click.echo).run()
    proposal = talk.answer()
    click.echo(f"\n{proposal}")
    speaking = [base.get(source.id) for source in proposal.sources[:k]]
    click.echo(f"\n{case_table(speaking, 'cases that speak for it')}")
    if explain:
        click.echo(f"\n{talk.transcript}")


def _conversation(
    base: CaseBase,
    query: Mapping[str, Any],
    weights: Mapping[str, float] | None,
    where: Mapping[str, Any],
    **settings: Any,
) -> Conversation:
    """A conversation with all cases, or with some; numbers as solutions may be off by a part of their range."""

    def begun(tolerance: float | None) -> Conversation:
        return base.converse(query, weights=weights, where=where or None, **settings, tolerance=tolerance)

    tolerance = settings.pop("tolerance")
    try:
        return begun(tolerance)
    except ParameterError:
        numbers = [case.solution for case in base.find(where=where) if case.solution is not None]
        if tolerance is not None or not all(map(is_number, numbers)):
            raise
        return begun((max(numbers) - min(numbers)) / _PARTS)
