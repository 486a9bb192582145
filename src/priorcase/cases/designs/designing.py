"""Designs for a wanted function from the functions of past designs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from priorcase._parameters import check_flag
from priorcase._typing import Name
from priorcase.cases.designs.budget import check_budget, check_count
from priorcase.cases.designs.composing import Composed, Composing
from priorcase.cases.designs.covering import Compatible
from priorcase.cases.designs.designs import Design, Designs
from priorcase.cases.designs.elaboration import RULES, Elaboration
from priorcase.cases.designs.fragments import Fragment, fragments_of
from priorcase.cases.designs.graph import FunctionGraph
from priorcase.cases.designs.pieces import grouped
from priorcase.exceptions import ParameterError, prefix_errors, quoted

__all__ = ["design"]


@prefix_errors
def design(
    query: FunctionGraph | str,
    cases: Iterable[Fragment] | Iterable[Mapping[str, Any]] | Mapping[str, FunctionGraph],
    *,
    attribute: Name = "function",
    elaborate: int = 2,
    rules: Sequence[Elaboration] = RULES,
    free: int = 0,
    share: bool = False,
    compatible: Compatible | None = None,
    limit: int = 5,
    steps: int = 200_000,
    seconds: float = 10.0,
) -> Designs:
    """Designs for a wanted function, put together from the functions of cases.

    As CADET does it (Sycara et al. 1992; Mitchell 1997, section 8.5): a case with exactly the wanted function is a
    design; otherwise cases that are part of it are put together until every arc is realised, going back where pieces
    conflict; and where that fails too, the wanted function is rewritten into an equivalent one of which other cases
    are part.

    Parameters
    ----------
    query
        The wanted function, as a graph or as its text.
    cases
        Fragments; or mappings such as cases of a case base; or graphs by name.
    attribute
        Under which attribute mappings hold their graph.
    elaborate
        How many rewritings at most. Graphs of fewer rewritings are tried first, and more only while fewer than
        ``limit`` designs are found.
    rules
        How the function may be rewritten: objects with ``rewritings(graph, fresh)``, see `Elaboration`.
    free
        How many variables of a case may stand for nothing in the wanted function.
    share
        Whether two pieces may realise the same arc.
    compatible
        ``compatible(piece, other)`` says whether two pieces may stand in one design; None: they may.
    limit
        How many designs to look for.
    steps, seconds
        How long to search. Steps give the same designs on every machine; a search that was cut says so.

    Returns
    -------
    Designs
        Those of fewest pieces first, then those of fewest rewritings.

    Examples
    --------
    >>> from priorcase.cases.designs import plumbing
    >>> design("C -> Q; control: C; flow: Q", plumbing(), limit=1)
    design: 2 pieces, 1 rewriting
      arc      realised by        there called
      x1 +> Q  1 regulated valve  C +> Q
      C -> x1  2 reversing lever  C1 -> C2
      C -> Q becomes C -> x1 +> Q
      x1 is a control
    """
    groups = grouped(fragments_of(cases, attribute), apart=compatible is not None)
    composing = Composing(
        FunctionGraph.of(query),
        groups,
        check_count("elaborate", elaborate, least=0, hint="0: the function is not rewritten."),
        _checked_rules(rules),
        check_count("free", free, least=0, hint="0: every variable of a case is bound."),
        check_flag("share", share, hint="True lets two pieces realise one arc."),
        _checked_compatible(compatible),
        check_count("limit", limit, least=1, hint="5 is usual."),
        check_budget(steps, seconds),
    )
    found = tuple(_made(composing.query, composed) for composed in composing.designs())
    partial = None if found else composing.partial()
    return Designs(
        composing.query,
        found,
        None if partial is None else _made(composing.query, partial),
        tuple(composing.conflicts.texts),
        composing.conflicts.backtracks,
        composing.cut,
    )


def _checked_rules(rules: object) -> Sequence[Elaboration]:
    if isinstance(rules, Sequence) and all(callable(getattr(rule, "rewritings", None)) for rule in rules):
        return rules
    raise ParameterError(
        f"rules must be a list of elaboration rules, got {quoted(rules)}. For example (SplitArc(),); a rule has "
        "rewritings(graph, fresh)."
    )


def _checked_compatible(given: Any) -> Compatible | None:
    if given is None or callable(given):
        found: Compatible | None = given
        return found
    raise ParameterError(
        f"compatible must be None or a function, got {quoted(given)}. For example lambda piece, other: piece.fragment "
        "!= other.fragment."
    )


def _made(query: FunctionGraph, composed: Composed) -> Design:
    known: dict[str, str] = {}
    elaborated = composed.elaborated
    for name in elaborated.graph.variables:
        for piece in composed.pieces:
            if name not in elaborated.graph.labels and (quantity := piece.quantity(name)) is not None:
                known.setdefault(name, quantity)
    return Design(query, elaborated.graph, elaborated.steps, composed.pieces, tuple(sorted(known.items())))
