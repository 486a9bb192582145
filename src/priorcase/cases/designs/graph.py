"""What a device does, as a graph of variables that raise or lower each other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Self

from priorcase._locks import cached_property
from priorcase.cases.designs.influence import Influences, walk_signs
from priorcase.cases.designs.reading import graph_text, read_json, read_text
from priorcase.exceptions import ParameterError, prefix_all_errors, quoted

__all__ = ["Arc", "FunctionGraph", "Sign"]

Sign = Literal["+", "-"]

MOST_VARIABLES = 300
"""How many variables a graph may have: matching takes a level of recursion for each."""

MOST_ARCS = 3000
"""How many arcs a graph may have."""

_LONGEST = 200
_RESERVED = frozenset(";:,>")


class Arc(NamedTuple):
    """One influence: with "+" the target increases with the source, with "-" it decreases.

    Examples
    --------
    >>> print(Arc("Q1", "+", "Q3"))
    Q1 +> Q3
    """

    source: str
    sign: Sign
    target: str

    def __str__(self) -> str:
        return f"{self.source} {self.sign}> {self.target}"


@prefix_all_errors
@dataclass(frozen=True, init=False, repr=False)
class FunctionGraph:
    """A qualitative function: variables, and arcs that say what increases (+) or decreases (-) with what.

    The function of a case in CADET (Sycara et al. 1992; Mitchell 1997, section 8.5). Frozen; two graphs are equal
    where they have the same arcs and labels, in whatever order they were given.

    Parameters
    ----------
    arcs
        Each ``(source, sign, target)`` with the sign "+" or "-". The same arc twice is one arc; both signs between
        the same variables, or an arc from a variable to itself, are errors.
    labels
        The quantity of a variable: "flow", "temperature", "control". A variable without one stands for any quantity.

    Examples
    --------
    >>> graph = FunctionGraph([("Q1", "+", "Q3"), ("Q2", "+", "Q3")], {"Q1": "flow", "Q2": "flow", "Q3": "flow"})
    >>> graph
    FunctionGraph.parse('Q1 +> Q3; Q2 +> Q3; flow: Q1, Q2, Q3')
    >>> graph.variables
    ('Q1', 'Q2', 'Q3')
    >>> graph == FunctionGraph.parse("flow: Q3, Q2, Q1; Q2 +> Q3; Q1 +> Q3")
    True
    """

    arcs: tuple[Arc, ...]
    quantities: tuple[tuple[str, str], ...]

    def __init__(self, arcs: Iterable[Sequence[str]], labels: Mapping[str, str] | None = None) -> None:
        object.__setattr__(self, "arcs", _checked_arcs(arcs))
        object.__setattr__(self, "quantities", _checked_labels(labels, self.variables))

    @classmethod
    def of(cls, value: FunctionGraph | str | Mapping[str, Any] | Iterable[Sequence[str]]) -> FunctionGraph:
        """A graph from whatever says one: a graph, its text or JSON, ``{"arcs": ..., "labels": ...}``, or arcs."""
        if isinstance(value, FunctionGraph):
            return value
        if isinstance(value, str):
            return cls.from_json(value) if value.lstrip().startswith("{") else cls.parse(value)
        if isinstance(value, Mapping):
            if not {"arcs"} <= set(value) <= {"arcs", "labels"}:
                raise ParameterError(
                    f"got {quoted(value)}; expected a FunctionGraph, its text, or a list of arcs. For example "
                    "FunctionGraph.parse('Q1 +> Q3; Q2 +> Q3; flow: Q1, Q2, Q3')."
                )
            return cls(value["arcs"], value.get("labels"))
        if not isinstance(value, Iterable):
            raise ParameterError(
                f"got {quoted(value)}; expected a FunctionGraph, its text, or a list of arcs. For example "
                "FunctionGraph.parse('Q1 +> Q3; Q2 +> Q3; flow: Q1, Q2, Q3')."
            )
        return cls(value)

    @classmethod
    def parse(cls, text: str) -> Self:
        """A graph from its text: ``A +> B`` (B increases with A), ``A -> B`` (it decreases), ``flow: A, B`` (labels).

        Parts are separated by semicolons or new lines; arcs may be chained. The arrow's tail is the sign, so ``->`` is
        a minus and never an arc without a sign. What `str` gives is read back to an equal graph.

        Examples
        --------
        >>> print(FunctionGraph.parse("C -> x +> Q; control: C"))
        C -> x
        x +> Q
        control: C
        """
        return cls(*read_text(text))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """A graph from the text that `to_json` gives."""
        return cls(*read_json(text))

    def to_json(self) -> str:
        """The graph as canonical JSON: equal graphs, and only they, have equal texts.

        Examples
        --------
        >>> FunctionGraph.parse("Q1 +> Q3; flow: Q1").to_json()
        '{"arcs":[["Q1","+","Q3"]],"labels":{"Q1":"flow"}}'
        """
        content = {"arcs": [list(arc) for arc in self.arcs], "labels": dict(self.quantities)}
        return json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """All variables, sorted."""
        return tuple(sorted({name for arc in self.arcs for name in (arc.source, arc.target)}))

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """The quantity of each variable that has one."""
        return MappingProxyType(dict(self.quantities))

    def __len__(self) -> int:
        """How many arcs."""
        return len(self.arcs)

    def networkx(self) -> Any:
        """The graph as a ``networkx.DiGraph``: nodes with ``label`` (None for none), edges with ``sign``."""
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from((name, {"label": self.labels.get(name)}) for name in self.variables)
        graph.add_edges_from((arc.source, arc.target, {"sign": arc.sign}) for arc in self.arcs)
        return graph

    def sign(self, *path: str) -> Sign:
        """The sign of a path, given by its variables: the product of the signs of its arcs.

        Examples
        --------
        >>> FunctionGraph.parse("A -> x -> B").sign("A", "x", "B")
        '+'
        """
        signs = {(arc.source, arc.target): arc.sign for arc in self.arcs}
        for name in path:
            if name not in self.variables:
                raise ParameterError(
                    f"got {quoted(name)}, which is no variable of the graph; it has {', '.join(self.variables)}. Names "
                    "are case-sensitive."
                )
        minuses = 0
        for step in pairwise(path):
            if step not in signs:
                raise ParameterError(
                    f"got a path from {quoted(step[0])} to {quoted(step[1])}, between which there is no arc. "
                    "influences() says what influences what, over any number of arcs."
                )
            minuses += signs[step] == "-"
        return "-" if minuses % 2 else "+"

    def influences(self) -> Influences:
        """What influences what, over any number of arcs: for each pair the signs of all ways between them.

        Examples
        --------
        >>> FunctionGraph.parse("A +> B; B -> C").influences()["A", "C"]
        frozenset({'-'})
        """
        return walk_signs(self.arcs)

    def __str__(self) -> str:
        return "\n".join(graph_text(self.arcs, self.quantities))

    def __repr__(self) -> str:
        return f"{type(self).__name__}.parse({'; '.join(graph_text(self.arcs, self.quantities))!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.arcs, dict(self.quantities))


def _checked_arcs(arcs: object) -> tuple[Arc, ...]:
    if isinstance(arcs, (str, bytes, Mapping)) or not isinstance(arcs, Iterable):
        raise ParameterError(
            f"got {quoted(arcs)}; expected a FunctionGraph, its text, or a list of arcs. For example "
            "FunctionGraph.parse('Q1 +> Q3; Q2 +> Q3; flow: Q1, Q2, Q3')."
        )
    signs: dict[tuple[str, str], Sign] = {}
    for given in arcs:
        arc = _checked_arc(given)
        if signs.setdefault((arc.source, arc.target), arc.sign) != arc.sign:
            raise ParameterError(
                f"got both '+' and '-' from {quoted(arc.source)} to {quoted(arc.target)}; expected one sign. Where "
                "both hold, put a variable between them: 'A +> x; x -> B'."
            )
    if not signs:
        raise ParameterError(
            "got no arcs; expected at least one. For example FunctionGraph.parse('Q1 +> Q3; Q2 +> Q3; flow: Q1, Q2, "
            "Q3')."
        )
    variables = {name for pair in signs for name in pair}
    for what, number, most in (("variables", len(variables), MOST_VARIABLES), ("arcs", len(signs), MOST_ARCS)):
        if number > most:
            raise ParameterError(
                f"got a graph of {number:,} {what}; expected at most {most:,}. A function graph says what a device "
                "does, in some ten variables."
            )
    return tuple(sorted(Arc(source, sign, target) for (source, target), sign in signs.items()))


def _checked_arc(given: object) -> Arc:
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes)) or len(given) != 3:
        raise ParameterError(
            f"got {quoted(given)} as an arc; expected three texts: source, sign, target. For example ('Q1', '+', 'Q3')."
        )
    source, sign, target = given
    for name in (source, target):
        check_name("a variable", name)
    if not isinstance(sign, str) or sign not in ("+", "-"):
        raise ParameterError(
            f"got the sign {quoted(sign)} from {quoted(source)} to {quoted(target)}; expected '+' or '-'. '+': the "
            "target increases with the source; '-': it decreases."
        )
    if source == target:
        raise ParameterError(
            f"got an arc from {quoted(source)} to itself; expected two different variables. Feedback goes through "
            "another variable: 'T -> heat; heat +> T'."
        )
    return Arc(str(source), "+" if sign == "+" else "-", str(target))


def _checked_labels(labels: object, variables: Sequence[str]) -> tuple[tuple[str, str], ...]:
    if labels is None:
        return ()
    if not isinstance(labels, Mapping):
        raise ParameterError(
            f"got labels={quoted(labels)}; expected a mapping of variables to quantities. For example {{'Q1': 'flow'}}."
        )
    known = set(variables)
    for name, label in labels.items():
        check_name("a variable", name)
        if name not in known:
            raise ParameterError(
                f"got a label for {quoted(name)}, which is on no arc; expected the graph's variables. Correct the "
                "name, or leave the label out."
            )
        check_name(f"the label of {name!r}", label)
    return tuple(sorted((str(name), str(label)) for name, label in labels.items()))


def check_name(what: str, name: object) -> None:
    """Refuse what cannot stand in a graph's text."""
    plain = isinstance(name, str) and 0 < len(name) <= _LONGEST and name.isprintable()
    if not plain or name != str(name).strip().strip("+-") or _RESERVED & set(str(name)):  # 'A --> B' is a slip
        raise ParameterError(
            f"got {quoted(name)} as {what}; expected a printable text of 1 to 200 characters without any of ; : , > "
            "and without spaces, + or - at its ends. Short names as 'Q1' or 'T hot' read best."
        )
