"""The search for designs: elaborate, match, choose pieces, and go back where they do not go together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from priorcase.cases.designs.budget import Budget, BudgetSpentError
from priorcase.cases.designs.covering import Compatible, Conflicts, Covering
from priorcase.cases.designs.elaboration import Elaborated, Elaboration, elaborations
from priorcase.cases.designs.graph import Arc, FunctionGraph
from priorcase.cases.designs.pieces import Group, Piece, find_pieces

MOST_PIECES = 100
"""Designs of more pieces are not looked for."""

_TRIED = 20_000


@dataclass(frozen=True)
class Composed:
    """A choice of pieces for one of the elaborated graphs."""

    elaborated: Elaborated
    pieces: tuple[Piece, ...]

    @property
    def order(self) -> tuple[int, int, int]:
        """Fewest pieces, then fewest rewritings, then fewest variables left open."""
        return len(self.pieces), len(self.elaborated.steps), sum(len(piece.match.free) for piece in self.pieces)


@dataclass
class Composing:
    """What one search for designs was asked for, and what it has seen.

    Parameters
    ----------
    query, groups
        What is wanted, and of what.
    elaborate, rules, free, share, compatible, limit
        As for `design`.
    budget
        For all of the search.
    """

    query: FunctionGraph
    groups: Sequence[Group]
    elaborate: int
    rules: Sequence[Elaboration]
    free: int
    share: bool
    compatible: Compatible | None
    limit: int
    budget: Budget

    def __post_init__(self) -> None:
        self.conflicts = Conflicts()
        self.coverings: list[tuple[Elaborated, Covering]] = []
        self.ended = False

    def designs(self) -> list[Composed]:
        """The designs that realise everything; rewriting goes on until there are enough."""
        found: list[Composed] = []
        levels = elaborations(self.query, self.elaborate, self.rules, self.budget)
        while len(found) < self.limit and (level := self._next(levels)) is not None:
            coverings = self._coverings(level)
            with self.budget.part(0.5) as part:
                for composed in self._composed(coverings, part):
                    found.append(composed)
                    if len(found) == self.limit:
                        break
        return sorted(found, key=lambda composed: composed.order)

    def partial(self) -> Composed | None:
        """The choice that leaves fewest arcs, least elaborated and with fewest pieces; None where nothing matches."""
        with self.budget.part(1.0) as part:
            for missing in range(1, len(self.query)):
                for one, covering in self.coverings:
                    covering.budget = part
                    most = min(len(one.graph) - missing, MOST_PIECES)
                    if len(covering.hopeless) <= missing:
                        for number in range(1, most + 1):
                            for chosen in covering.covers(number, missing):
                                return self._made(one, covering, chosen)
        return self._greedy()

    def _next(self, levels: Iterator[tuple[Elaborated, ...]]) -> tuple[Elaborated, ...] | None:
        try:
            return next(levels, None)
        except BudgetSpentError:
            return None

    def _coverings(self, level: Sequence[Elaborated]) -> list[tuple[Elaborated, Covering]]:
        found = []
        with self.budget.part(0.5) as part:
            for one in level:
                pieces = find_pieces(one.graph, self.groups, self.free, part)
                covering = Covering(
                    one.graph,
                    pieces,
                    compatible=self.compatible,
                    share=self.share,
                    budget=part,
                    conflicts=self.conflicts,
                )
                found.append((one, covering))
                part.spend()
        self.coverings.extend(found)
        return found

    def _composed(self, coverings: Sequence[tuple[Elaborated, Covering]], budget: Budget) -> Iterator[Composed]:
        whole = [(one, covering) for one, covering in coverings if not covering.hopeless]
        most = max((len(one.graph) for one, _ in whole), default=0)
        for number in range(1, min(most, MOST_PIECES) + 1):
            for one, covering in whole:
                covering.budget = budget
                for chosen in covering.covers(number):
                    yield self._made(one, covering, chosen)
        self.ended = self.ended or most > MOST_PIECES

    @property
    def cut(self) -> str:
        """What kept the search from its end, in words; empty where nothing did."""
        large = f"designs of more than {MOST_PIECES} pieces were not looked for"
        return "; ".join(filter(None, [self.budget.cut, large if self.ended else ""]))

    def _made(self, one: Elaborated, covering: Covering, chosen: Sequence[int]) -> Composed:
        return Composed(one, tuple(covering.pieces[place] for place in sorted(chosen)))

    def _greedy(self) -> Composed | None:
        """Pieces for the query as it is, each taken if it fits those before: what there is when time is over."""
        if not self.coverings or not (covering := self.coverings[0][1]).pieces:
            return None
        chosen: list[int] = []
        done: set[Arc] = set()
        for place, piece in enumerate(covering.pieces[:_TRIED]):
            claimed = done.issuperset(piece.arcs) if self.share else not done.isdisjoint(piece.arcs)
            if not claimed and len(chosen) < MOST_PIECES and covering.fits(place, chosen):
                chosen.append(place)
                done.update(piece.arcs)
        return self._made(self.coverings[0][0], covering, chosen)
