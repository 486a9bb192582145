"""Choosing pieces that together realise a whole function, with backtracking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from priorcase.cases.designs.budget import Budget
from priorcase.cases.designs.graph import Arc, FunctionGraph
from priorcase.cases.designs.pieces import Piece
from priorcase.exceptions import ParameterError, quoted

Compatible = Callable[[Piece, Piece], bool]

_CONFLICTS = 50


class Conflicts:
    """What kept pieces from going together, each once and in the order met, and how often a choice was taken back."""

    def __init__(self) -> None:
        self.texts: dict[str, None] = {}
        self.backtracks = 0

    def note(self, text: str) -> None:
        """One more reason."""
        if len(self.texts) < _CONFLICTS:
            self.texts.setdefault(text)


class Covering:
    """Sets of pieces that realise every arc of a graph, or all but a few.

    Two pieces go together where they do not claim the same arc (unless that is allowed), take a variable without a
    label for the same quantity, and the user's function does not object.

    Parameters
    ----------
    graph
        What is to be realised.
    pieces
        In the order in which they are to be tried.
    compatible
        The user's objection; None for none.
    share
        Whether two pieces may realise the same arc.
    budget, conflicts
        What the search may take, and where it says why pieces do not go together.
    """

    def __init__(
        self,
        graph: FunctionGraph,
        pieces: Sequence[Piece],
        *,
        compatible: Compatible | None,
        share: bool,
        budget: Budget,
        conflicts: Conflicts,
    ) -> None:
        self.graph, self.pieces = graph, pieces
        self.compatible, self.share, self.budget, self.conflicts = compatible, share, budget, conflicts
        self.of_arc: dict[Arc, list[int]] = {arc: [] for arc in graph.arcs}
        for place, piece in enumerate(pieces):
            for arc in piece.arcs:
                self.of_arc[arc].append(place)
        self.largest = max((len(piece.arcs) for piece in pieces), default=0)
        self._together: dict[tuple[int, int], str] = {}

    @property
    def hopeless(self) -> list[Arc]:
        """Arcs that no piece realises."""
        return [arc for arc, places in self.of_arc.items() if not places]

    def covers(self, number: int, missing: int = 0) -> Iterator[tuple[int, ...]]:
        """Sets of exactly ``number`` pieces that leave at most ``missing`` arcs; each set once, no piece in vain."""
        seen: set[frozenset[int]] = set()
        for chosen in self._extended([], list(self.graph.arcs), number, missing):
            if (key := frozenset(chosen)) not in seen and not self._in_vain(chosen):
                seen.add(key)
                yield tuple(chosen)

    def _extended(self, chosen: list[int], left: list[Arc], number: int, missing: int) -> Iterator[list[int]]:
        if len(left) > missing + (number - len(chosen)) * self.largest:
            return
        if len(chosen) == number:
            if len(left) <= missing:
                yield chosen
            return
        if not left:
            return
        # The arc that fewest pieces can realise: what cannot be done shows soonest there.
        arc = min(left, key=lambda arc: len(self.of_arc[arc]))
        for place in self.of_arc[arc]:
            self.budget.spend()
            if self.fits(place, chosen):
                done = set(self.pieces[place].arcs)
                found = False
                for whole in self._extended([*chosen, place], [a for a in left if a not in done], number, missing):
                    found = True
                    yield whole
                self.conflicts.backtracks += not found
        if missing:
            yield from self._extended(chosen, [a for a in left if a != arc], number, missing - 1)

    def fits(self, place: int, chosen: Sequence[int]) -> bool:
        """Whether a piece goes together with all that were chosen."""
        for other in chosen:
            pair = (min(place, other), max(place, other))
            if pair not in self._together:
                self._together[pair] = self._objection(self.pieces[pair[0]], self.pieces[pair[1]])
            if text := self._together[pair]:
                self.conflicts.note(text)
                return False
        return True

    def _objection(self, one: Piece, other: Piece) -> str:
        """Why two pieces do not go together; empty where they do."""
        names = f"{one.fragment.name} and {other.fragment.name}"
        if not self.share and (both := [arc for arc in one.arcs if arc in set(other.arcs)]):
            return f"{names}: both would realise {both[0]}"
        joints = {query for _, query in one.match.bindings} & {query for _, query in other.match.bindings}
        for joint in sorted(joints - set(self.graph.labels)):
            first, second = one.quantity(joint), other.quantity(joint)
            if first is not None and second is not None and first != second:
                return f"{names}: {joint} would be both {first} and {second}"
        if self.compatible is None:
            return ""
        verdict: object = self.compatible(one, other)
        if not isinstance(verdict, (bool, np.bool_)):
            raise ParameterError(
                f"compatible must be a function that returns True or False, got one that returned {quoted(verdict)}. "
                "compatible(piece, other) says whether two pieces may stand in one design."
            )
        return "" if verdict else f"{names}: not compatible"

    def _in_vain(self, chosen: Sequence[int]) -> bool:
        if not self.share:
            return False
        return any(
            set(self.pieces[place].arcs)
            <= {arc for other in chosen if other != place for arc in self.pieces[other].arcs}
            for place in chosen
        )
