"""Function graphs: the qualitative function of a device, as variables that increase or decrease each other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Self, TypeAlias

from priorcase._files import json_object
from priorcase._grids import TextResult
from priorcase._locks import cached_property
from priorcase.exceptions import ParameterError, listed, prefix_all_errors, quoted

Sign = Literal["+", "-"]
Influences: TypeAlias = Mapping[tuple[str, str], frozenset[str]]

MOST_VARIABLES, MOST_ARCS = 300, 3000  # matching takes a level of recursion for each variable
_LONGEST = 200
_RESERVED = frozenset(";:,>")
_ARROW = re.compile(r"\s*([+-])>\s*")
_EXAMPLE = "For example FunctionGraph.parse('Q1 +> Q3; Q2 +> Q3; flow: Q1, Q2, Q3')."


class Arc(NamedTuple):
    """An influence of one variable on another: as the source increases, the target increases ("+") or decreases ("-").

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
class FunctionGraph(TextResult):
    """A qualitative function of a device: variables, and arcs with the signs of their influences.

    CADET represents the functions of cases in this way (Sycara et al. 1992; Mitchell 1997, section 8.5). Graphs are
    immutable; two graphs are equal if they have the same arcs and labels, in any order.

    Parameters
    ----------
    arcs
        Triples ``(source, sign, target)`` with the sign "+" or "-". Arcs with different signs from one variable to
        another raise an error, as does an arc from a variable to itself.
    labels
        Mapping from variables to quantities, such as "flow", "temperature" or "control". A variable without a label can
        have any quantity.

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
        """Create a graph from a graph, its text, its JSON (``{"arcs": ..., "labels": ...}``), or a list of arcs."""
        if isinstance(value, FunctionGraph):
            return value
        if isinstance(value, str):
            return cls.from_json(value) if value.lstrip().startswith("{") else cls.parse(value)
        if isinstance(value, Mapping) and {"arcs"} <= set(value) <= {"arcs", "labels"}:
            return cls(value["arcs"], value.get("labels"))
        return cls(value)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a graph from text.

        ``A +> B`` means that B increases as A increases, and ``A -> B`` that B decreases as A increases. ``flow: A, B``
        labels variables with a quantity. Arcs and labels are separated by semicolons or line breaks, and arcs can be
        chained: ``A -> B +> C``. The sign is the character before the ``>``, so ``->`` stands for a decrease. `str`
        returns text from which `parse` creates an equal graph.

        >>> print(FunctionGraph.parse("C -> x +> Q; control: C"))
        C -> x
        x +> Q
        control: C
        """
        if not isinstance(text, str):
            raise ParameterError(f"got {quoted(text)}; expected a string. For a list of arcs, use FunctionGraph(arcs).")
        arcs: list[Sequence[str]] = []
        labels: dict[str, str] = {}
        for part in filter(None, map(str.strip, re.split(r"[;\n]", text))):
            label, colon, names = map(str.strip, part.partition(":"))
            words = re.split(r"\s*,\s*", names) if colon else _ARROW.split(part)
            if not label or not all(words) or any(">" in word for word in words) or (not colon and len(words) < 3):
                raise ParameterError(
                    f"cannot read {quoted(part)}; expected an arc such as 'A +> B' or 'A -> B', or labels such as "
                    "'flow: A, B'. Separate arcs and labels by ';' or line breaks."
                )
            if not colon:
                arcs.extend(words[i : i + 3] for i in range(0, len(words) - 2, 2))
            for name in words if colon else ():
                if labels.setdefault(name, label) != label:
                    raise ParameterError(
                        f"got the labels {quoted(labels[name])} and {quoted(label)} for {quoted(name)}; expected one "
                        "label. A variable can have only one quantity, so use two variables."
                    )
        return cls(arcs, labels)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Create a graph from the string returned by `to_json`."""
        if not isinstance(text, str):
            raise ParameterError(f"got {quoted(text)}; expected a string. For a list of arcs, use FunctionGraph(arcs).")
        try:
            content = json.loads(text, object_pairs_hook=json_object)
        except (RecursionError, ValueError) as error:
            reason = "it nests too deeply" if isinstance(error, RecursionError) else f"it is not JSON ({error})"
        else:
            if isinstance(content, dict) and set(content) == {"arcs", "labels"} and isinstance(content["arcs"], list):
                return cls(content["arcs"], content["labels"])
            reason = "it is not an object with a list 'arcs' and an entry 'labels'"
        raise ParameterError(
            f"got text that is not a function graph: {reason}. Pass the result of to_json(), such as "
            '{"arcs":[["Q1","+","Q3"]],"labels":{"Q1":"flow"}}.'
        )

    def to_json(self) -> str:
        """Return the graph as canonical JSON; equal graphs give equal strings.

        >>> FunctionGraph.parse("Q1 +> Q3; flow: Q1").to_json()
        '{"arcs":[["Q1","+","Q3"]],"labels":{"Q1":"flow"}}'
        """
        content = {"arcs": self.arcs, "labels": dict(self.quantities)}
        return json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """All variables, sorted."""
        return tuple(sorted({name for arc in self.arcs for name in (arc.source, arc.target)}))

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """Mapping from labeled variables to their quantities."""
        return MappingProxyType(dict(self.quantities))

    def __len__(self) -> int:
        """Return the number of arcs."""
        return len(self.arcs)

    def networkx(self) -> Any:
        """Return a ``networkx.DiGraph``: nodes have a ``label`` (or None), and edges have a ``sign``."""
        return self._digraph.copy()

    @cached_property
    def _digraph(self) -> Any:
        import networkx as nx  # takes long to load, and opening a case base does not need it

        graph = nx.DiGraph()
        graph.add_nodes_from((name, {"label": self.labels.get(name)}) for name in self.variables)
        graph.add_edges_from((arc.source, arc.target, {"sign": arc.sign}) for arc in self.arcs)
        return graph

    def sign(self, *path: str) -> Sign:
        """Return the sign of a path through the given variables: the product of the signs of its arcs.

        >>> FunctionGraph.parse("A -> x -> B").sign("A", "x", "B")
        '+'
        """
        edges = self._digraph.edges
        if unknown := [name for name in path if name not in self.variables]:
            raise ParameterError(
                f"got {quoted(unknown[0])}, which is not a variable of the graph; the variables are "
                f"{listed(self.variables)}. Names are case-sensitive."
            )
        minuses = 0
        for step in pairwise(path):
            if step not in edges:
                raise ParameterError(
                    f"got a path with no arc from {quoted(step[0])} to {quoted(step[1])}. influences() lists direct "
                    "and indirect influences."
                )
            minuses += edges[step]["sign"] == "-"
        return "-" if minuses % 2 else "+"

    def influences(self) -> Influences:
        """Return all direct and indirect influences, as a mapping from pairs of variables to sets of signs.

        The set contains the signs of all walks from the first variable to the second. A walk may visit a variable more
        than once.

        >>> FunctionGraph.parse("A +> B; B -> C").influences()["A", "C"]
        frozenset({'-'})
        """
        return self._influences

    @cached_property
    def _influences(self) -> Influences:
        import networkx as nx

        # Two nodes for each variable, one for each sign of the walk so far: a minus leads to the other side.
        signed = nx.DiGraph()
        for source, sign, target in self.arcs:
            signed.add_edges_from(((source, side), (target, side != (sign == "-"))) for side in (False, True))
        reached = {state: {state, *nx.descendants(signed, state)} for state in signed}
        found: dict[tuple[str, str], set[str]] = {}
        for source, sign, target in self.arcs:
            for name, minus in reached[target, sign == "-"]:
                found.setdefault((source, name), set()).add("-" if minus else "+")
        return MappingProxyType({pair: frozenset(signs) for pair, signs in found.items()})

    def _lines(self) -> list[str]:
        named: dict[str, list[str]] = {}
        for name, label in self.quantities:
            named.setdefault(label, []).append(name)
        return [*map(str, self.arcs), *(f"{label}: {', '.join(named[label])}" for label in sorted(named))]

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return f"{type(self).__name__}.parse({'; '.join(self._lines())!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.arcs, dict(self.quantities))


def _checked_arcs(arcs: object) -> tuple[Arc, ...]:
    if isinstance(arcs, (str, bytes, Mapping)) or not isinstance(arcs, Iterable):
        raise ParameterError(f"got {quoted(arcs)}; expected a FunctionGraph, its string, or a list of arcs. {_EXAMPLE}")
    signs: dict[tuple[str, str], Sign] = {}
    for given in arcs:
        arc = _checked_arc(given)
        if signs.setdefault((arc.source, arc.target), arc.sign) != arc.sign:
            raise ParameterError(
                f"got both '+' and '-' from {quoted(arc.source)} to {quoted(arc.target)}; expected one sign. If both "
                "influences exist, represent one of them by two arcs, such as 'A +> x; x -> B'."
            )
    if not signs:
        raise ParameterError(f"got no arcs; expected at least one. {_EXAMPLE}")
    variables = {name for pair in signs for name in pair}
    for what, number, most in (("variables", len(variables), MOST_VARIABLES), ("arcs", len(signs), MOST_ARCS)):
        if number > most:
            raise ParameterError(
                f"got a graph of {number:,} {what}; expected at most {most:,}. Simplify the graph; about ten variables "
                "are usual."
            )
    return tuple(sorted(Arc(source, sign, target) for (source, target), sign in signs.items()))


def _checked_arc(given: object) -> Arc:
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes)) or len(given) != 3:
        raise ParameterError(
            f"got {quoted(given)} as an arc; expected three strings (source, sign, target), such as ('Q1', '+', 'Q3')."
        )
    source, sign, target = given
    for name in (source, target):
        _check_name("a variable", name)
    if not isinstance(sign, str) or sign not in ("+", "-"):
        raise ParameterError(
            f"got the sign {quoted(sign)} from {quoted(source)} to {quoted(target)}; expected '+' or '-'. Use '+' if "
            "the target increases with the source, and '-' if the target decreases."
        )
    if source == target:
        raise ParameterError(
            f"got an arc from {quoted(source)} to itself; expected two different variables. Represent feedback "
            "by arcs to another variable and back, such as 'T -> heat; heat +> T'."
        )
    return Arc(str(source), "+" if sign == "+" else "-", str(target))


def _checked_labels(labels: object, variables: Sequence[str]) -> tuple[tuple[str, str], ...]:
    if labels is None:
        return ()
    if not isinstance(labels, Mapping):
        raise ParameterError(
            f"got labels={quoted(labels)}; expected a mapping from variables to quantities, for example "
            "{'Q1': 'flow'}."
        )
    known = set(variables)
    for name, label in labels.items():
        _check_name("a variable", name)
        if name not in known:
            raise ParameterError(
                f"got a label for {quoted(name)}, which is not on any arc; expected a variable of the graph. Correct "
                "the name, or omit the label."
            )
        _check_name(f"the label of {name!r}", label)
    return tuple(sorted((str(name), str(label)) for name, label in labels.items()))


def _check_name(what: str, name: object) -> None:
    plain = isinstance(name, str) and 0 < len(name) <= _LONGEST and name.isprintable()
    if not plain or name != str(name).strip().strip("+-") or _RESERVED & set(str(name)):  # 'A --> B' is a typo
        raise ParameterError(
            f"got {quoted(name)} as {what}; expected a printable string of 1 to 200 characters that contains none of "
            "; : , > and neither starts nor ends with a space, + or -. Use short names such as 'Q1' or 'T hot'."
        )
