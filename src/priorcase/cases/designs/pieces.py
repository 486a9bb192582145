"""Fragments in their places: which arcs of a wanted function each may realise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from priorcase.cases.designs.budget import Budget
from priorcase.cases.designs.fragments import Fragment
from priorcase.cases.designs.graph import Arc, FunctionGraph
from priorcase.cases.designs.matching import Match, find_matches, match_order

__all__ = ["Piece"]


@dataclass(frozen=True)
class Piece:
    """A fragment in its place in a design.

    Parameters
    ----------
    fragment
        Which.
    match
        How its variables are connected to those of the wanted function.
    alternatives
        Other fragments with the same function, any of which would do as well.
    """

    fragment: Fragment
    match: Match
    alternatives: tuple[Fragment, ...] = ()

    @property
    def arcs(self) -> tuple[Arc, ...]:
        """The arcs of the wanted function that it realises."""
        return self.match.arcs

    def own_arc(self, arc: Arc) -> Arc:
        """What an arc of the wanted function is called in the fragment."""
        names = {query: case for case, query in self.match.bindings}
        return Arc(names[arc.source], arc.sign, names[arc.target])

    def quantity(self, variable: str) -> str | None:
        """The quantity that the fragment takes a variable of the wanted function for; None for any."""
        return next(
            (self.fragment.function.labels.get(case) for case, query in self.match.bindings if query == variable), None
        )

    def __str__(self) -> str:
        return f"{self.fragment.name} ({self.match})"


_SHARE = 0.25
"""Of what a search may still take, what one fragment may."""

Group = tuple[Fragment, tuple[Fragment, ...]]


def grouped(fragments: Sequence[Fragment], *, apart: bool) -> list[Group]:
    """Fragments with their alternatives: those of the same function, or none where each is to stand for itself."""
    if apart:
        return [(fragment, ()) for fragment in fragments]
    groups: dict[FunctionGraph, list[Fragment]] = {}
    for fragment in fragments:
        groups.setdefault(fragment.function, []).append(fragment)
    return [(first, tuple(others)) for first, *others in groups.values()]


def find_pieces(graph: FunctionGraph, groups: Sequence[Group], free: int, budget: Budget) -> list[Piece]:
    """Every place of every fragment: those that realise most first, then in the order of the fragments."""
    found: list[tuple[tuple[Any, ...], Piece]] = []
    wanted = graph.influences() if free else {}
    for place, (fragment, others) in enumerate(groups):
        with budget.part(_SHARE) as part:
            for match in find_matches(fragment.function, graph, wanted, free, part):
                arcs, left, *rest = match_order(match)
                found.append(((arcs, left, place, *rest), Piece(fragment, match, others)))
    return [piece for _, piece in sorted(found, key=lambda pair: pair[0])]
