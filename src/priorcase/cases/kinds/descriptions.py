"""Kinds written down, for the file and for people."""

from __future__ import annotations

from typing import Any

from priorcase.cases.kinds.checking import CaseKind, kind_name
from priorcase.cases.kinds.dates import Date
from priorcase.cases.kinds.graphs import Graph
from priorcase.cases.kinds.sets import Set
from priorcase.cases.kinds.taxonomy import Taxonomy
from priorcase.cases.kinds.text import Text
from priorcase.exceptions import CaseBaseError, quoted
from priorcase.schema import Nominal, Numeric, Ordinal

_SIMPLE: dict[str, type[Any]] = {
    "numeric": Numeric,
    "nominal": Nominal,
    "text": Text,
    "set": Set,
    "date": Date,
    "graph": Graph,
}
KINDS = (Numeric, Ordinal, Nominal, Text, Set, Date, Taxonomy, Graph)


def describe(kind: CaseKind) -> dict[str, Any]:
    """A kind as plain values that JSON can write down.

    Examples
    --------
    >>> describe(Ordinal(("low", "high"))), describe(Taxonomy({"printer": ["laser"]}))["nodes"]
    ({'kind': 'ordinal', 'order': ['low', 'high']}, [['printer', None], ['laser', 'printer']])
    """
    found: dict[str, Any] = {"kind": kind_name(kind)}
    if isinstance(kind, Ordinal):
        found["order"] = list(kind.order)
    elif isinstance(kind, Nominal) and kind.values is not None:
        found["values"] = list(kind.values)
    elif isinstance(kind, Text) and kind != Text():
        found["longest"] = kind.longest
    elif isinstance(kind, Taxonomy):
        found["nodes"] = [[node, kind.parent(node)] for node in kind.nodes]
        if kind.weights:
            found["weights"] = dict(kind.weights)
    return found


def from_description(found: dict[str, Any]) -> CaseKind:
    """The kind that `describe` wrote down.

    Examples
    --------
    >>> from_description({"kind": "ordinal", "order": ["low", "high"]})
    Ordinal(order=('low', 'high'))
    """
    name = found["kind"]
    if name == "ordinal":
        return Ordinal(tuple(found["order"]))
    if name == "nominal" and "values" in found:
        return Nominal(tuple(found["values"]))
    if name == "text" and "longest" in found:
        return Text(found["longest"])
    if name == "taxonomy":
        return Taxonomy(dict(map(tuple, found["nodes"])), weights=found.get("weights"))
    return _SIMPLE[name]()  # type: ignore[no-any-return]


def as_kind(given: Any, *, attribute: str) -> CaseKind:
    """A kind as people declare it: the kind itself, its class, or its name in one word.

    Examples
    --------
    >>> as_kind("text", attribute="message"), as_kind(Numeric, attribute="age")
    (Text(longest=1000000), Numeric())
    """
    if isinstance(given, KINDS):
        return given
    if isinstance(given, str) and given in _SIMPLE:
        return _SIMPLE[given]()  # type: ignore[no-any-return]
    if isinstance(given, type) and given in _SIMPLE.values():
        return given()  # type: ignore[no-any-return]
    raise CaseBaseError(
        f"Attribute {attribute!r} was declared as {quoted(given)}, which is no kind. Use 'numeric', 'nominal', 'text', "
        "'set', 'date', 'graph', or Numeric(), Ordinal(order), Nominal(), Text(), Set(), Date(), Taxonomy(tree), "
        "Graph()."
    )
