"""What designs are made of: the fragments that cases hold, and a small library of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from priorcase._typing import Name
from priorcase.cases.designs.graph import FunctionGraph
from priorcase.exceptions import ParameterError, prefix_errors, quoted

__all__ = ["Fragment", "fragments_of", "plumbing"]

_LONGEST = 60
"""Longer solutions are cut where they serve as names."""


@dataclass(frozen=True)
class Fragment:
    """A device or a part of one: what it does, and how it is built.

    Parameters
    ----------
    name
        What people call it.
    function
        What it does.
    structure
        How it is built: text, or anything that a case may have as its solution.
    id
        Of the case that holds it, if any.

    Examples
    --------
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
    """The fragments that cases hold: the graph of an attribute, and the solution as the structure.

    Parameters
    ----------
    cases
        Fragments as they are; or mappings, such as cases of a case base, with the graph under ``attribute`` and, where
        they have them, ``id`` and ``solution`` as attributes or keys. Those without a graph are passed over. Fragments
        are called by the ``name`` of the case or of its solution, or by a solution that is a text.
    attribute
        Which of their attributes is the graph.

    Examples
    --------
    >>> case = {"function": FunctionGraph.parse("C +> Q"), "solution": "a disc on a spindle"}
    >>> print(fragments_of([case])[0].structure)
    a disc on a spindle
    """
    if isinstance(cases, (str, bytes)) or not isinstance(cases, Iterable):
        raise ParameterError(
            f"cases must be a list of cases or fragments, got {quoted(cases)}. plumbing() gives a small library of "
            "fragments."
        )
    if isinstance(cases, Mapping):
        return [Fragment(str(name), FunctionGraph.of(graph)) for name, graph in cases.items()]
    found = []
    for place, case in enumerate(cases):
        if isinstance(case, Fragment):
            found.append(case)
        elif isinstance(case, Mapping):
            if (graph := case.get(attribute)) is not None:
                found.append(_fragment(case, FunctionGraph.of(graph), place))
        else:
            raise ParameterError(
                f"got {quoted(case)} among the cases; expected Fragments, or mappings with a function graph. "
                "Fragment('regulated valve', FunctionGraph.parse('C +> Q'))."
            )
    return found


def _fragment(case: Any, function: FunctionGraph, place: int) -> Fragment:
    known = getattr(case, "id", case.get("id"))
    solution = getattr(case, "solution", case.get("solution"))
    name = case.get("name")
    if name is None and isinstance(solution, Mapping):
        name = solution.get("name")
    if name is None and isinstance(solution, str):
        name = solution
    shown = " ".join(str(name).split()) if name is not None else ""
    shown = shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 4]} ..."
    number = known if isinstance(known, int) else None
    return Fragment(shown or f"case {place if known is None else known}", function, solution, number)


_PLUMBING = (
    (
        "T-junction pipe",
        "Q1 +> Q3; Q2 +> Q3; T1 +> T3; T2 +> T3; flow: Q1, Q2, Q3; temperature: T1, T2, T3",
        "two pipes that join at right angles into a third, which carries what both bring",
    ),
    (
        "regulated valve",
        "C +> Q; control: C; flow: Q",
        "a disc on a threaded spindle above a seat in the pipe; turning the spindle lifts the disc",
    ),
    (
        "reversing lever",
        "C1 -> C2; control: C1, C2",
        "a lever on a pivot in its middle: one end goes up where the other is pushed down",
    ),
    ("push rod", "C1 +> C2; control: C1, C2", "a stiff rod in a guide that hands a movement on"),
    (
        "straight pipe",
        "Q1 +> Q2; T1 +> T2; flow: Q1, Q2; temperature: T1, T2",
        "a length of pipe with a flange at either end",
    ),
    (
        "mixing chamber",
        "Qhot +> T; Qcold -> T; flow: Qhot, Qcold; temperature: T",
        "a chamber in which a hotter and a colder stream swirl round each other before they leave together",
    ),
    (
        "speed-controlled pump",
        "C +> Q; C +> P; control: C; flow: Q; pressure: P",
        "an impeller driven by a motor whose speed follows a signal",
    ),
    (
        "immersion heater",
        "E +> T2; T1 +> T2; Q -> T2; current: E; temperature: T1, T2; flow: Q",
        "a heating element inside the pipe, in the stream",
    ),
    ("thermostat", "T -> C; temperature: T; control: C", "wax that swells in the warm stream and pushes a pin"),
    (
        "tank with float valve",
        "Qin +> L; Qout -> L; L -> Qin; flow: Qin, Qout; level: L",
        "a tank whose inlet is closed by a float that rises with the water",
    ),
    (
        "pressure relief valve",
        "P +> Q; pressure: P; flow: Q",
        "a disc held down by a spring until the pressure lifts it",
    ),
    (
        "heat exchanger",
        "Th +> Tc; Qh +> Tc; Qc -> Tc; temperature: Th, Tc; flow: Qh, Qc",
        "two streams on either side of a thin corrugated plate",
    ),
)


def plumbing() -> list[Fragment]:
    """A small library of parts that water flows through, or that move them, in words of our own.

    Examples
    --------
    >>> [fragment.name for fragment in plumbing()][:3]
    ['T-junction pipe', 'regulated valve', 'reversing lever']
    """
    return [Fragment(name, FunctionGraph.parse(text), structure) for name, text, structure in _PLUMBING]
