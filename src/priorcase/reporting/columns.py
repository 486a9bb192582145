"""One column of the table, as a reader wants to see it: its kind, its gaps, its values, what is strange about it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import AnyArray, IntArray
from priorcase.datasets.columns import NamedColumns
from priorcase.reporting.words import value
from priorcase.schema import Kind, Numeric, Ordinal

__all__ = ["ColumnSummary", "codes_of", "summary_of"]

_BINS = 16
_TOP = 16


@dataclass(frozen=True)
class ColumnSummary:
    """What a column holds.

    Parameters
    ----------
    name, kind
        Its name, and ``"numeric"``, ``"ordinal"`` or ``"nominal"``.
    missing, distinct
        How many gaps, and how many different values.
    low, middle, high
        Least, median and greatest number; None unless it is numeric.
    values
        The most frequent values and how many rows hold each; levels in their order. Empty for numbers.
    bars
        Rows in equal steps from the least number to the greatest, or for each of ``values``.
    remark
        What is strange about it; empty where nothing is.
    used
        Whether learners are given it.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    low: float | None
    middle: float | None
    high: float | None
    values: tuple[tuple[str, int], ...]
    bars: tuple[int, ...]
    remark: str = ""
    used: bool = True


def summary_of(name: str, column: AnyArray, kind: Kind, codes: IntArray) -> ColumnSummary:
    """What a column holds; ``codes`` are those of `codes_of`."""
    known = codes >= 0
    missing = int(codes.size - known.sum())
    counts = np.bincount(codes[known])
    if isinstance(kind, Numeric):
        numbers = column[known]
        if not numbers.size:
            return ColumnSummary(name, "numeric", missing, 0, None, None, None, (), ())
        low, middle, high = float(numbers.min()), float(np.median(numbers)), float(numbers.max())
        bars = np.histogram(numbers, bins=_BINS)[0] if low < high else counts
        return ColumnSummary(name, "numeric", missing, counts.size, low, middle, high, (), tuple(bars.tolist()))
    held = column[np.unique(codes[known], return_index=True)[1]] if missing == 0 else _first_values(column, codes)
    order = np.argsort(-counts, kind="stable")
    if isinstance(kind, Ordinal):
        ranks = {level: rank for rank, level in enumerate(kind.order)}
        levels = held.tolist()
        order = np.array(
            sorted(range(counts.size), key=lambda code: ranks.get(levels[code], len(ranks))), dtype=np.intp
        )
    top = tuple((value(held[code]), int(counts[code])) for code in order[:_TOP].tolist())
    word = "ordinal" if isinstance(kind, Ordinal) else "nominal"
    return ColumnSummary(name, word, missing, counts.size, None, None, None, top, tuple(n for _, n in top))


def _first_values(column: AnyArray, codes: IntArray) -> AnyArray:
    """One row's value for each code."""
    rows = np.flatnonzero(codes >= 0)
    return column[rows[np.unique(codes[rows], return_index=True)[1]]]


def codes_of(table: NamedColumns) -> dict[str, IntArray]:
    """Each column as codes from 0 on, -1 where it is missing.

    Examples
    --------
    >>> kinds = {"age": Numeric(), "size": Ordinal(("S", "L"))}
    >>> table = NamedColumns.of({"age": [7.0, None, 3.0], "size": ["S", "S", None]}, kinds)
    >>> {name: codes.tolist() for name, codes in codes_of(table).items()}
    {'age': [1, -1, 0], 'size': [0, 0, -1]}
    """
    found: dict[str, IntArray] = {}
    for name, kind in table.kinds.items():
        column = table[name]
        if isinstance(kind, Numeric):
            codes = np.full(len(table), -1, dtype=np.int64)
            known = ~np.isnan(column)
            codes[known] = np.unique(column[known], return_inverse=True)[1]
        else:
            index: dict[object, int] = {None: -1}
            codes = np.array([index.setdefault(each, len(index) - 1) for each in column.tolist()], dtype=np.int64)
        found[name] = codes
    return found
