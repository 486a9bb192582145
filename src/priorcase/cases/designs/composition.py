"""Designs: combine fragments of past designs until every arc of the desired function is realized."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from priorcase._parameters import check_flag
from priorcase._typing import Backend, Name
from priorcase.cases.designs.drawing import draw_design
from priorcase.cases.designs.elaboration import RULES, Elaborated, Elaboration, elaborations
from priorcase.cases.designs.graph import Arc, FunctionGraph
from priorcase.cases.designs.matching import Budget, BudgetSpentError, Match, check_budget, check_count, find_matches
from priorcase.exceptions import ParameterError, prefix_errors, quoted
from priorcase.learning.results import Grid, GridResult, GridsResult, TextResult, framed

MOST_PIECES = 100
"""Maximum number of pieces in a design."""

_LONGEST = 60  # longer solutions are shortened when used as names
_SHOWN = 40
_CONFLICTS = 50
_TRIED = 20_000
_SHARE = 0.25  # share of the remaining budget that one fragment may use


# -- fragments


@dataclass(frozen=True)
class Fragment(TextResult):
    """A device or component with its ``name``, ``function`` and ``structure``, and the ``id`` of its case.

    >>> print(Fragment("regulated valve", FunctionGraph.parse("C +> Q; control: C; flow: Q")))
    regulated valve: C +> Q; control: C; flow: Q
    """

    name: str
    function: FunctionGraph
    structure: Any = None
    id: int | None = None

    def __str__(self) -> str:
        return f"{self.name}: {'; '.join(str(self.function).splitlines())}"


@prefix_errors
def fragments_of(cases: Iterable[Any], attribute: Name = "function") -> list[Fragment]:
    """Convert cases to fragments: the value of ``attribute`` is the function, and the solution is the structure.

    ``cases`` is a list of fragments, a mapping from names to function graphs, or a list of mappings such as cases of a
    case base. The ``id`` and ``solution`` of a case are read from its Python attributes ``id`` and ``solution``; if
    there are no such attributes, its entries ``"id"`` and ``"solution"`` are read. Mappings without a function graph
    are skipped. The name of a fragment is the ``name`` entry of the case. If the case has no such entry, the name is
    the ``name`` entry of the solution, or the solution itself if the solution is a string.

    >>> case = {"function": FunctionGraph.parse("C +> Q"), "solution": "a disc on a spindle"}
    >>> print(fragments_of([case])[0].structure)
    a disc on a spindle
    """
    if isinstance(cases, (str, bytes)) or not isinstance(cases, Iterable):
        raise ParameterError(
            f"cases must be a list of cases or fragments, got {quoted(cases)}. Pass for example plumbing(), a small "
            "library of fragments."
        )
    if isinstance(cases, Mapping):
        return [Fragment(str(name), FunctionGraph.of(graph)) for name, graph in cases.items()]
    found = []
    for place, case in enumerate(cases):
        if isinstance(case, Fragment):
            found.append(case)
        elif not isinstance(case, Mapping):
            raise ParameterError(
                f"got {quoted(case)} among the cases; expected Fragments, or mappings with a function graph. Pass for "
                "example Fragment('regulated valve', FunctionGraph.parse('C +> Q'))."
            )
        elif (graph := case.get(attribute)) is not None:
            found.append(_fragment(case, FunctionGraph.of(graph), place))
    return found


def _fragment(case: Any, function: FunctionGraph, place: int) -> Fragment:
    known, solution = (getattr(case, field, case.get(field)) for field in ("id", "solution"))
    name = case.get("name")
    if name is None:
        name = solution.get("name") if isinstance(solution, Mapping) else solution if isinstance(solution, str) else ""
    shown = " ".join(str(name).split()) if name is not None else ""
    shown = shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 4]} ..."
    number = known if isinstance(known, int) else None
    return Fragment(shown or f"case {place if known is None else known}", function, solution, number)


_PLUMBING = """\
T-junction pipe | Q1 +> Q3; Q2 +> Q3; T1 +> T3; T2 +> T3; flow: Q1, Q2, Q3; temperature: T1, T2, T3
    two pipes that join at right angles into a third, which carries the flow of both
regulated valve | C +> Q; control: C; flow: Q
    a disc on a threaded spindle above a seat in the pipe; turning the spindle lifts the disc
reversing lever | C1 -> C2; control: C1, C2
    a lever on a pivot in its middle: one end goes up where the other is pushed down
push rod | C1 +> C2; control: C1, C2
    a stiff rod in a guide that transmits a movement
straight pipe | Q1 +> Q2; T1 +> T2; flow: Q1, Q2; temperature: T1, T2
    a length of pipe with a flange at either end
mixing chamber | Qhot +> T; Qcold -> T; flow: Qhot, Qcold; temperature: T
    a chamber in which a hotter and a colder stream swirl around each other before they leave together
speed-controlled pump | C +> Q; C +> P; control: C; flow: Q; pressure: P
    an impeller driven by a motor whose speed follows a signal
immersion heater | E +> T2; T1 +> T2; Q -> T2; current: E; temperature: T1, T2; flow: Q
    a heating element inside the pipe, in the stream
thermostat | T -> C; temperature: T; control: C
    wax that swells in the warm stream and pushes a pin
tank with float valve | Qin +> L; Qout -> L; L -> Qin; flow: Qin, Qout; level: L
    a tank whose inlet is closed by a float that rises with the water
pressure relief valve | P +> Q; pressure: P; flow: Q
    a disc held down by a spring until the pressure lifts it
heat exchanger | Th +> Tc; Qh +> Tc; Qc -> Tc; temperature: Th, Tc; flow: Qh, Qc
    two streams on either side of a thin corrugated plate
"""


def plumbing() -> list[Fragment]:
    """Return a small library of plumbing components: pipes, valves, pumps and their controls.

    >>> [fragment.name for fragment in plumbing()][:3]
    ['T-junction pipe', 'regulated valve', 'reversing lever']
    """
    lines = iter(_PLUMBING.splitlines())
    parts = [(*line.split(" | "), next(lines).strip()) for line in lines]
    return [Fragment(name, FunctionGraph.parse(text), built) for name, text, built in parts]


# -- designs


@dataclass(frozen=True)
class Piece(TextResult):
    """A fragment in a design, its match to the desired function, and alternative fragments with the same function."""

    fragment: Fragment
    match: Match
    alternatives: tuple[Fragment, ...] = ()

    @property
    def arcs(self) -> tuple[Arc, ...]:
        """The arcs of the desired function that the piece realizes."""
        return self.match.arcs

    def own_arc(self, arc: Arc) -> Arc:
        """Return the fragment's arc that realizes an arc of the desired function."""
        names = {query: case for case, query in self.match.bindings}
        return Arc(names[arc.source], arc.sign, names[arc.target])

    def quantity(self, variable: str) -> str | None:
        """Return the quantity that the fragment gives to a variable of the desired function, or None."""
        labels = self.fragment.function.labels
        return next((labels.get(case) for case, query in self.match.bindings if query == variable), None)

    def __str__(self) -> str:
        return f"{self.fragment.name} ({self.match})"


@dataclass(frozen=True, repr=False)
class Design(GridResult):
    """A combination of fragments that realizes all or some arcs of the desired function.

    ``query`` is the desired function, and ``graph`` is this function after the rewritings listed in ``steps``.
    ``pieces`` are the fragments with their matches, and ``quantities`` are the quantities that the fragments give to
    those variables of the desired function that have no label.
    """

    query: FunctionGraph
    graph: FunctionGraph
    steps: tuple[str, ...]
    pieces: tuple[Piece, ...]
    quantities: tuple[tuple[str, str], ...] = ()

    @property
    def missing(self) -> tuple[Arc, ...]:
        """The arcs that no piece realizes."""
        done = {arc for piece in self.pieces for arc in piece.arcs}
        return tuple(arc for arc in self.graph.arcs if arc not in done)

    @property
    def complete(self) -> bool:
        """Whether every arc is realized."""
        return not self.missing

    @property
    def connections(self) -> dict[str, tuple[str, ...]]:
        """Mapping from each variable shared by several pieces to its names in these pieces."""
        found: dict[str, list[str]] = {}
        for number, piece in enumerate(self.pieces, 1):
            for own, name in piece.match.bindings:
                found.setdefault(name, []).append(f"{own} of {number} {piece.fragment.name}")
        return {name: tuple(ends) for name, ends in sorted(found.items()) if len(ends) > 1}

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """Return a frame with one row per arc; each row also describes the piece that realizes the arc.

        The columns are ``source``, ``sign``, ``target``, ``piece``, ``fragment``, ``own_source`` and ``own_target``.
        ``backend`` is ``"pandas"``, ``"polars"`` or ``"pyarrow"``; None means pandas.
        """
        names = ("source", "sign", "target", "piece", "fragment", "own_source", "own_target")
        rows = [
            (*arc, number, *((piece.fragment.name, *piece.own_arc(arc)[::2]) if piece else (None, None, None)))
            for arc, number, piece in self._rows()
        ]
        return framed({name: [row[i] for row in rows] for i, name in enumerate(names)}, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot the function graph, with arcs colored by piece and dashed if the sign is minus.

        ``ax`` are Matplotlib axes; None creates a new figure.
        """
        graph = FunctionGraph(self.graph.arcs, {**dict(self.quantities), **self.graph.labels})
        return draw_design(ax, graph, [(piece.fragment.name, piece.arcs) for piece in self.pieces], self.missing)

    def _rows(self) -> list[tuple[Arc, int | None, Piece | None]]:
        rows: list[tuple[Arc, int | None, Piece | None]] = []
        for number, piece in enumerate(self.pieces, 1):
            rows.extend((arc, number, piece) for arc in piece.arcs)
        return [*rows, *((arc, None, None) for arc in self.missing)]

    def _grid(self) -> Grid:
        done = len(self.graph) - len(self.missing)
        parts = [_counted(len(self.pieces), "piece"), _counted(len(self.steps), "rewriting")]
        whole = "design" if self.complete else f"partial design, {done} of {len(self.graph)} arcs"
        lines = [
            [str(arc), f"{number} {piece.fragment.name}", str(piece.own_arc(arc))]
            if piece
            else [str(arc), "nothing", ""]
            for arc, number, piece in self._rows()
        ]
        notes = self._notes()
        if len(lines) > _SHOWN:
            notes.insert(0, f"and {_counted(len(lines) - _SHOWN, 'more arc')}: see frame()")
        if len(notes) > _SHOWN:
            notes[_SHOWN:] = [f"and {_counted(len(notes) - _SHOWN, 'more remark')}"]
        header = ("arc", "realized by", "as")
        return Grid(f"{whole}: {', '.join(parts)}", header, lines[:_SHOWN], "\n  ".join(notes))

    def _notes(self) -> list[str]:
        notes = [*self.steps, *(f"{name} is a {quantity}" for name, quantity in self.quantities)]
        for number, piece in enumerate(self.pieces, 1):
            if piece.match.free:
                notes.append(f"{number} {piece.fragment.name} leaves {', '.join(piece.match.free)} open")
            if piece.alternatives:
                names = ", ".join(fragment.name for fragment in piece.alternatives[:3])
                more = f" and {len(piece.alternatives) - 3} more" if len(piece.alternatives) > 3 else ""
                notes.append(f"{number} {piece.fragment.name} can be replaced by {names}{more}")
        return notes


@dataclass(frozen=True, repr=False)
class Designs(GridsResult, Sequence[Design]):
    """The designs found for a desired function, sorted by number of pieces; only the first is printed in full.

    ``found`` are the designs that realize the whole ``query``. If there is no such design, ``partial`` is the design
    with the fewest missing arcs, or None if no fragment matches at all; if the search was stopped, ``partial`` is a
    design that was found greedily. ``conflicts`` lists why pieces could not be combined, ``backtracks`` is the number
    of backtracking steps, and ``cut`` is the reason why the search stopped early, or an empty string if the search was
    complete.
    """

    query: FunctionGraph
    found: tuple[Design, ...]
    partial: Design | None = None
    conflicts: tuple[str, ...] = ()
    backtracks: int = 0
    cut: str = ""

    def __getitem__(self, i: Any) -> Any:
        return self.found[i]

    def __len__(self) -> int:
        return len(self.found)

    @property
    def best(self) -> Design | None:
        """The first complete design; the partial design if no design is complete; None if no fragment matches."""
        return self.found[0] if self.found else self.partial

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """Return a frame with one row per design and columns ``pieces``, ``rewritings``, ``missing`` and ``fragments``.

        For ``backend`` see `Design.frame`.
        """
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
        """Plot the best design, or the desired function alone if no fragment matches; ``ax`` are Matplotlib axes."""
        return draw_design(ax, self.query, (), self.query.arcs) if self.best is None else self.best.plot(ax)

    def _rest(self) -> str:
        others = len(self.found) - 1
        if self.found:
            lines = [f"{_counted(others, 'other design')}: see frame()"] if others else []
        else:
            lines = [
                "no design realizes the whole function"
                if self.partial
                else "no fragment matches any part of the function"
            ]
        return "\n".join([*lines, *filter(None, [self.cut and f"{self.cut}; there may be better designs"])])

    def _grids(self) -> list[Grid]:
        return [self.best._grid()] if self.best else []


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


# -- the search


Compatible: TypeAlias = Callable[[Piece, Piece], bool]


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
    seconds: float = 60.0,
) -> Designs:
    """Compose designs for a desired function from the functions of cases.

    As in CADET (Sycara et al. 1992; Mitchell 1997, section 8.5), a case with exactly the desired function is a design
    by itself. Cases that match parts of the function are combined until every arc is realized, with backtracking if
    pieces conflict. If fewer than ``limit`` designs are found, the desired function is also rewritten into equivalent
    functions that other cases match.

    Parameters
    ----------
    query
        The desired function, as a graph or a string such as ``"C +> Q"``.
    cases
        Fragments, mappings such as cases of a case base, or a mapping from names to graphs.
    attribute
        The attribute whose value is the function graph of a case.
    elaborate
        Maximum number of rewritings. Each further rewriting is tried only if fewer than ``limit`` designs have been
        found so far.
    rules
        Rewriting rules: objects with a method ``rewritings(graph, fresh)``, see `Elaboration`.
    free
        Maximum number of variables of a case that have no counterpart in the desired function.
    share
        Whether two pieces may realize the same arc.
    compatible
        A function ``compatible(piece, other)`` that returns whether two pieces can be combined; None allows all pairs.
    limit
        Number of designs to search for.
    steps, seconds
        Maximum number of search steps, and of seconds. A search that is stopped by ``steps`` finds the same designs on
        every machine. If the search was stopped, ``cut`` of the result gives the reason.

    Returns
    -------
    Designs
        The designs, sorted by number of pieces, then by number of rewritings.

    Examples
    --------
    >>> design("C -> Q; control: C; flow: Q", plumbing(), limit=1)
    design: 2 pieces, 1 rewriting
      arc      realized by        as
      x1 +> Q  1 regulated valve  C +> Q
      C -> x1  2 reversing lever  C1 -> C2
      C -> Q becomes C -> x1 +> Q
      x1 is a control
    """
    groups: dict[object, list[Fragment]] = {}
    # Fragments with the same function are alternatives, unless `compatible` may distinguish them.
    for place, fragment in enumerate(fragments_of(cases, attribute)):
        groups.setdefault(fragment.function if compatible is None else place, []).append(fragment)
    if not isinstance(rules, Sequence) or not all(callable(getattr(rule, "rewritings", None)) for rule in rules):
        raise ParameterError(
            f"rules must be a list of elaboration rules, got {quoted(rules)}. Pass for example (SplitArc(),). Each "
            "rule needs a method rewritings(graph, fresh)."
        )
    if compatible is not None and not callable(compatible):
        raise ParameterError(
            f"compatible must be None or a function, got {quoted(compatible)}. Pass for example lambda piece, other: "
            "piece.fragment != other.fragment."
        )
    search = _Search(
        FunctionGraph.of(query),
        list(groups.values()),
        check_count("elaborate", elaborate, 0),
        rules,
        check_count("free", free, 0),
        check_flag("share", share, hint="True allows two pieces to realize the same arc."),
        compatible,
        check_count("limit", limit, 1),
        check_budget(steps, seconds),
    )
    found = tuple(sorted(search.designs(), key=_design_order))
    partial = None if found else search.partial()
    return Designs(search.query, found, partial, tuple(search.conflicts), search.backtracks, search.cut)


@dataclass
class _Search:
    """The parameters and the state of one search for designs."""

    query: FunctionGraph
    groups: Sequence[list[Fragment]]
    elaborate: int
    rules: Sequence[Elaboration]
    free: int
    share: bool
    compatible: Compatible | None
    limit: int
    budget: Budget

    def __post_init__(self) -> None:
        self.conflicts: dict[str, None] = {}  # in order of occurrence
        self.backtracks = 0
        self.coverings: list[_Covering] = []
        self.too_large = False

    @property
    def cut(self) -> str:
        """Reason why the search is incomplete; an empty string if the search is complete."""
        large = f"designs with more than {MOST_PIECES} pieces were not considered"
        return "; ".join(filter(None, [self.budget.cut, large if self.too_large else ""]))

    def designs(self) -> list[Design]:
        """Return at most ``limit`` complete designs; the function is rewritten only while fewer have been found."""
        found: list[Design] = []
        with suppress(BudgetSpentError):
            for level in elaborations(self.query, self.elaborate, self.rules, self.budget):
                coverings = self._cover(level)
                with self.budget.part(0.5) as part:
                    for made in self._complete(coverings, part):
                        found.append(made)
                        if len(found) == self.limit:
                            return found
        return found

    def _cover(self, level: Sequence[Elaborated]) -> list[_Covering]:
        """Find the pieces that match each graph of ``level``; return a `_Covering` for each graph."""
        found: list[_Covering] = []
        with self.budget.part(0.5) as part:
            for one in level:
                found.append(_Covering(self, one, self._pieces(one.graph, part), part))
                part.spend()
        self.coverings += found
        return found

    def _pieces(self, graph: FunctionGraph, budget: Budget) -> list[Piece]:
        """Return every match of every fragment as a piece; pieces that realize the most arcs come first."""
        found: list[tuple[tuple[Any, ...], Piece]] = []
        for place, (fragment, *others) in enumerate(self.groups):
            with budget.part(_SHARE) as part:
                for match in find_matches(fragment.function, graph, self.free, part):
                    arcs, left, *rest = match.order
                    found.append(((arcs, left, place, *rest), Piece(fragment, match, tuple(others))))
        return [piece for _, piece in sorted(found, key=lambda pair: pair[0])]

    def _complete(self, coverings: Sequence[_Covering], budget: Budget) -> Iterator[Design]:
        whole = [covering for covering in coverings if not covering.unrealized]
        most = max((len(covering.graph) for covering in whole), default=0)
        for number in range(1, min(most, MOST_PIECES) + 1):
            for covering in whole:
                covering.budget = budget
                yield from map(covering.design, covering.covers(number))
        self.too_large = self.too_large or most > MOST_PIECES

    def partial(self) -> Design | None:
        """Return a design with the fewest missing arcs; if none is found within the budget, the greedy design."""
        with self.budget.part(1.0) as part:
            for missing in range(1, len(self.query)):
                for covering in self.coverings:
                    covering.budget = part
                    most = min(len(covering.graph) - missing, MOST_PIECES)
                    for number in range(1, most + 1) if covering.unrealized <= missing else ():
                        for chosen in covering.covers(number, missing):
                            return covering.design(chosen)
        return self.coverings[0].greedy() if self.coverings and self.coverings[0].pieces else None


class _Covering:
    """A search for sets of pieces that realize every arc of a rewritten graph, or all but a few arcs."""

    def __init__(self, search: _Search, elaborated: Elaborated, pieces: Sequence[Piece], budget: Budget) -> None:
        self.search, self.elaborated, self.pieces, self.budget = search, elaborated, pieces, budget
        self.graph = elaborated.graph
        self.of_arc: dict[Arc, list[int]] = {arc: [] for arc in self.graph.arcs}
        for place, piece in enumerate(pieces):
            for arc in piece.arcs:
                self.of_arc[arc].append(place)
        self.largest = max((len(piece.arcs) for piece in pieces), default=0)
        self.unrealized = sum(not places for places in self.of_arc.values())  # arcs that no piece realizes
        self._objections: dict[tuple[int, int], str] = {}

    def design(self, chosen: Iterable[int]) -> Design:
        """Return the design that consists of the chosen pieces."""
        pieces = tuple(self.pieces[place] for place in sorted(chosen))
        known: dict[str, str] = {}
        for name in self.graph.variables:
            for piece in pieces:
                if name not in self.graph.labels and (quantity := piece.quantity(name)) is not None:
                    known.setdefault(name, quantity)
        return Design(self.search.query, self.graph, self.elaborated.steps, pieces, tuple(sorted(known.items())))

    def covers(self, number: int, missing: int = 0) -> Iterator[list[int]]:
        """Yield sets of ``number`` pieces that realize all but at most ``missing`` arcs; no piece is redundant."""
        seen: set[frozenset[int]] = set()
        for chosen in self._extended([], list(self.graph.arcs), number, missing):
            if (key := frozenset(chosen)) not in seen and not (self.search.share and self._is_redundant(chosen)):
                seen.add(key)
                yield chosen

    def _extended(self, chosen: list[int], left: list[Arc], number: int, missing: int) -> Iterator[list[int]]:
        if len(left) > missing + (number - len(chosen)) * self.largest:
            return
        if len(chosen) == number:
            if len(left) <= missing:
                yield chosen
            return
        if not left:
            return
        # Continue with the arc that the fewest pieces can realize, so that dead ends are found early.
        arc = min(left, key=lambda arc: len(self.of_arc[arc]))
        for place in self.of_arc[arc]:
            self.budget.spend()
            if self.fits(place, chosen):
                done, found = set(self.pieces[place].arcs), False
                for whole in self._extended([*chosen, place], [a for a in left if a not in done], number, missing):
                    found = True
                    yield whole
                self.search.backtracks += not found
        if missing:
            yield from self._extended(chosen, [a for a in left if a != arc], number, missing - 1)

    def fits(self, place: int, chosen: Sequence[int]) -> bool:
        """Return whether a piece can be combined with all pieces chosen so far."""
        for other in chosen:
            pair = (min(place, other), max(place, other))
            if pair not in self._objections:
                self._objections[pair] = self._objection(self.pieces[pair[0]], self.pieces[pair[1]])
            if text := self._objections[pair]:
                if len(self.search.conflicts) < _CONFLICTS:
                    self.search.conflicts.setdefault(text)
                return False
        return True

    def _objection(self, one: Piece, other: Piece) -> str:
        """Return the reason why two pieces cannot be combined; an empty string if the pieces can be combined."""
        names = f"{one.fragment.name} and {other.fragment.name}"
        if not self.search.share and (both := [arc for arc in one.arcs if arc in set(other.arcs)]):
            return f"{names}: both would realize {both[0]}"
        joints = {query for _, query in one.match.bindings} & {query for _, query in other.match.bindings}
        for joint in sorted(joints - set(self.graph.labels)):
            first, second = one.quantity(joint), other.quantity(joint)
            if first is not None and second is not None and first != second:
                return f"{names}: {joint} would be both {first} and {second}"
        verdict: object = True if self.search.compatible is None else self.search.compatible(one, other)
        if not isinstance(verdict, (bool, np.bool_)):
            raise ParameterError(
                f"compatible must be a function that returns True or False, but it returned {quoted(verdict)}. "
                "compatible(piece, other) must return True if the two pieces can be combined, otherwise False."
            )
        return "" if verdict else f"{names}: not compatible"

    def _is_redundant(self, chosen: Sequence[int]) -> bool:
        """Return whether some piece realizes only arcs that other pieces also realize."""
        count = Counter(arc for place in chosen for arc in self.pieces[place].arcs)
        return any(all(count[arc] > 1 for arc in self.pieces[place].arcs) for place in chosen)

    def greedy(self) -> Design:
        """Return a design made by adding pieces in order, skipping each piece that conflicts with earlier pieces."""
        chosen: list[int] = []
        done: set[Arc] = set()
        for place, piece in enumerate(self.pieces[:_TRIED]):
            realized = done.issuperset(piece.arcs) if self.search.share else not done.isdisjoint(piece.arcs)
            if not realized and len(chosen) < MOST_PIECES and self.fits(place, chosen):
                chosen.append(place)
                done.update(piece.arcs)
        return self.design(chosen)


def _design_order(design: Design) -> tuple[int, int, int]:
    """Return a sort key: the number of pieces, of rewritings, and of variables without a counterpart in the query."""
    return len(design.pieces), len(design.steps), sum(len(piece.match.free) for piece in design.pieces)
