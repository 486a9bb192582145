"""The kind of an attribute that nobody declared, by its first values."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

import numpy as np

from priorcase._parameters import is_number
from priorcase.cases.designs.graph import FunctionGraph
from priorcase.cases.kinds.checking import CaseKind
from priorcase.cases.kinds.dates import Date
from priorcase.cases.kinds.graphs import Graph
from priorcase.cases.kinds.sets import Set
from priorcase.schema import Nominal, Numeric
from priorcase.schema.kinds import is_missing


def infer(values: Iterable[Any]) -> CaseKind:
    """Numbers are numeric, sets and lists sets, dates dates, graphs graphs, anything else nominal.

    Texts are nominal: only a declared ``Text()`` says that words count.

    Examples
    --------
    >>> infer([3, None, 2.5]), infer([{"red"}, {"red", "blue"}]), infer(["red", 3]), infer([None])
    (Numeric(), Set(), Nominal(), Nominal())
    """
    found = {_family(value) for value in values if not is_missing(value)}
    return _KINDS[found.pop()]() if len(found) == 1 else Nominal()


def _family(value: Any) -> str:
    if isinstance(value, (set, frozenset, list, tuple)):
        return "set"
    if isinstance(value, (datetime.date, np.datetime64)):
        return "date"
    if isinstance(value, FunctionGraph):
        return "graph"
    return "number" if is_number(value) else "name"


_KINDS: dict[str, type[Any]] = {"set": Set, "date": Date, "graph": Graph, "number": Numeric, "name": Nominal}
