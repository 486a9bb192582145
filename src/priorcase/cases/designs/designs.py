"""Designs made of fragments, as results that print and draw themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args, overload

from priorcase._parameters import check_choice
from priorcase._typing import Backend
from priorcase.cases.designs.drawing import draw_design
from priorcase.cases.designs.graph import Arc, FunctionGraph
from priorcase.cases.designs.pieces import Piece
from priorcase.exceptions import prefix_errors
from priorcase.learning.results import Grid, GridResult, framed, grids_html, grids_text

__all__ = ["Design", "Designs"]

_SHOWN = 40
_HEADER = ("arc", "realised by", "there called")


@dataclass(frozen=True, repr=False)
class Design(GridResult):
    """Fragments put together: which realises which arcs of the wanted function, and how they are connected.

    Parameters
    ----------
    query
        The function that was wanted.
    graph
        The same after the rewritings.
    steps
        The rewritings, in words.
    pieces
        The fragments in their places, numbered from 1 where the design is printed.
    quantities
        What the variables without a label turned out to be, as far as the fragments say.
    """

    query: FunctionGraph
    graph: FunctionGraph
    steps: tuple[str, ...]
    pieces: tuple[Piece, ...]
    quantities: tuple[tuple[str, str], ...] = ()

    @property
    def missing(self) -> tuple[Arc, ...]:
        """The arcs that no piece realises."""
        done = {arc for piece in self.pieces for arc in piece.arcs}
        return tuple(arc for arc in self.graph.arcs if arc not in done)

    @property
    def complete(self) -> bool:
        """Whether every arc is realised."""
        return not self.missing

    @property
    def connections(self) -> dict[str, tuple[str, ...]]:
        """For each variable at which pieces meet, what it is in each: how the parts are to be connected."""
        found: dict[str, list[str]] = {}
        for number, piece in enumerate(self.pieces, 1):
            for own, name in piece.match.bindings:
                found.setdefault(name, []).append(f"{own} of {number} {piece.fragment.name}")
        return {name: tuple(ends) for name, ends in sorted(found.items()) if len(ends) > 1}

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each arc and the piece that realises it: ``source``, ``sign``, ``target``, ``piece``, ...

        Parameters
        ----------
        backend
            The library whose frame to return: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None: the first of them
            that is installed; a dictionary of arrays where none is.
        """
        if backend is not None:
            hint = "None takes the library that is installed."
            check_choice("backend", backend, get_args(Backend), hint=hint)
        rows = self._rows()
        columns: dict[str, list[Any]] = {
            "source": [arc.source for arc, _, _ in rows],
            "sign": [arc.sign for arc, _, _ in rows],
            "target": [arc.target for arc, _, _ in rows],
            "piece": [number for _, number, _ in rows],
            "fragment": [None if piece is None else piece.fragment.name for _, _, piece in rows],
            "own_source": [None if piece is None else piece.own_arc(arc).source for arc, _, piece in rows],
            "own_target": [None if piece is None else piece.own_arc(arc).target for arc, _, piece in rows],
        }
        return framed(columns, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """The function graph: arcs coloured by the piece that realises them, dashed where the sign is minus.

        Parameters
        ----------
        ax
            Axes of matplotlib; None for a figure of its own.
        """
        graph = FunctionGraph(self.graph.arcs, {**dict(self.quantities), **self.graph.labels})
        return draw_design(ax, graph, self.pieces, self.missing)

    def _rows(self) -> list[tuple[Arc, int | None, Piece | None]]:
        rows: list[tuple[Arc, int | None, Piece | None]] = []
        for number, piece in enumerate(self.pieces, 1):
            rows.extend((arc, number, piece) for arc in piece.arcs)
        return [*rows, *((arc, None, None) for arc in self.missing)]

    def _grid(self) -> Grid:
        done = len(self.graph) - len(self.missing)
        parts = [_counted(len(self.pieces), "piece"), _counted(len(self.steps), "rewriting")]
        whole = "design" if self.complete else f"part of a design, {done} of {len(self.graph)} arcs"
        lines = [
            [str(arc), f"{number} {piece.fragment.name}", str(piece.own_arc(arc))]
            if piece
            else [str(arc), "nothing", ""]
            for arc, number, piece in self._rows()
        ]
        notes = self._notes()
        if len(lines) > _SHOWN:
            notes.insert(0, f"and {len(lines) - _SHOWN} more arcs: see frame()")
        if len(notes) > _SHOWN:
            notes[_SHOWN:] = [f"and {len(notes) - _SHOWN} more remarks"]
        return Grid(f"{whole}: {', '.join(parts)}", _HEADER, lines[:_SHOWN], "\n  ".join(notes))

    def _notes(self) -> list[str]:
        notes = list(self.steps)
        notes += [f"{name} is a {quantity}" for name, quantity in self.quantities]
        for number, piece in enumerate(self.pieces, 1):
            if piece.match.free:
                notes.append(f"{number} {piece.fragment.name} leaves open {', '.join(piece.match.free)}")
            if piece.alternatives:
                names = ", ".join(fragment.name for fragment in piece.alternatives[:3])
                more = f" and {len(piece.alternatives) - 3} more" if len(piece.alternatives) > 3 else ""
                notes.append(f"{number} {piece.fragment.name} may be {names}{more} instead")
        return notes


@dataclass(frozen=True, repr=False)
class Designs(Sequence[Design]):
    """The designs found for a wanted function, the one of fewest pieces first; prints the first.

    Parameters
    ----------
    query
        The wanted function.
    found
        The designs that realise all of it.
    partial
        Where there is none, what comes nearest: the fewest arcs left; None where no fragment matches at all.
    conflicts
        What kept pieces from going together, in words.
    backtracks
        How often a choice had to be taken back.
    cut
        Why there may be more designs than those found, in words; empty where the search went to its end.
    """

    query: FunctionGraph
    found: tuple[Design, ...]
    partial: Design | None = None
    conflicts: tuple[str, ...] = ()
    backtracks: int = 0
    cut: str = ""

    @overload
    def __getitem__(self, i: int) -> Design: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[Design, ...]: ...
    def __getitem__(self, i: int | slice) -> Design | tuple[Design, ...]:
        return self.found[i]

    def __len__(self) -> int:
        return len(self.found)

    @property
    def best(self) -> Design | None:
        """The first design, or where there is none the part of one that comes nearest; None where nothing matches."""
        return self.found[0] if self.found else self.partial

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each design: ``pieces``, ``rewritings``, ``missing``, ``fragments``.

        Parameters
        ----------
        backend
            As for `Design.frame`.
        """
        if backend is not None:
            hint = "None takes the library that is installed."
            check_choice("backend", backend, get_args(Backend), hint=hint)
        shown = self.found or tuple(filter(None, [self.partial]))
        columns: dict[str, list[Any]] = {
            "pieces": [len(design.pieces) for design in shown],
            "rewritings": [len(design.steps) for design in shown],
            "missing": [len(design.missing) for design in shown],
            "fragments": [", ".join(piece.fragment.name for piece in design.pieces) for design in shown],
        }
        return framed(columns, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """The best design, or where nothing matches the wanted function by itself.

        Parameters
        ----------
        ax
            Axes of matplotlib; None for a figure of its own.
        """
        if self.best is not None:
            return self.best.plot(ax)
        return draw_design(ax, self.query, (), self.query.arcs)

    def _rest(self) -> str:
        if not self.found:
            lines = ["no design realises all of it" if self.partial else "no fragment matches any part of the function"]
        else:
            others = len(self.found) - 1
            lines = [f"{_counted(others, 'other design')}: see frame()"] if others else []
        return "\n".join([*lines, *filter(None, [self.cut and f"{self.cut}; there may be better designs"])])

    def __str__(self) -> str:
        return grids_text([self.best._grid()] if self.best else [], self._rest())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return grids_html([self.best._grid()] if self.best else [], self._rest())


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
