"""Similarity, the first of the three parts: how a description compares two instances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from priorcase._typing import FloatArray, Value
from priorcase.exceptions import DistanceError
from priorcase.instances import Instances
from priorcase.schema import Nominal, Numeric, Schema
from priorcase.schema.values import identity
from priorcase.similarity import Distance, FittedDistance
from priorcase.similarity.terms import Linear

if TYPE_CHECKING:
    from priorcase._core import Plan

# Smaller numbers leave every finite range finite.
_LARGE = 1e290


@dataclass(frozen=True, eq=False)
class Comparison:
    """A distance as concept descriptions use it.

    Aha's similarity needs nothing from the rows but the ranges of numbers, which descriptions widen as rows come. Any
    other distance takes its statistics from the first rows and keeps them; nominal values are then known by the codes
    they had there, since `Instances` gives the code of a value that left to another one.

    Parameters
    ----------
    schema
        What the attributes are.
    fitted
        The distance with its statistics.
    incremental
        Whether ranges of numbers are those of the rows seen so far.
    vocabulary
        For each attribute whose values are looked up in a table, the row of each value there.
    """

    schema: Schema
    fitted: FittedDistance
    incremental: bool
    vocabulary: dict[int, dict[Value, int]] = field(default_factory=dict)

    @classmethod
    def growing(cls, distance: Distance, schema: Schema) -> Self:
        """One whose ranges grow with the rows."""
        return cls(schema, distance.fit(Instances(schema), None), True)

    @classmethod
    def settled(cls, distance: Distance, rows: Instances) -> Self:
        """One whose statistics are those of some rows."""
        fitted = distance.fit(rows, 0)
        vocabulary = {
            a: {identity(value): code for code, value in enumerate(rows.values(a)) if value is not None}
            for a, term in enumerate(fitted.terms)
            if term.codes is not None and isinstance(rows.schema.kinds[a], Nominal)
        }
        return cls(rows.schema, fitted, False, vocabulary)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "plan"}

    @cached_property
    def plan(self) -> Plan:
        """The distance for the compiled core."""
        return self.fitted.plan()

    @property
    def coded(self) -> NDArray[np.uint8]:
        """Which attributes are ranks or codes."""
        return np.array([not isinstance(kind, Numeric) for kind in self.schema.kinds], np.uint8)

    @property
    def ranged(self) -> NDArray[np.uint8]:
        """Which attributes are compared by the range of the numbers seen."""
        kinds = self.schema.kinds if self.incremental else ()
        ranged = [isinstance(kind, Numeric) for kind in kinds] or [False] * len(self.schema)
        return np.array(ranged, np.uint8)

    @property
    def endless(self) -> bool:
        """Whether two instances may be infinitely far apart by rule: where they have no known value in common."""
        distance = self.fitted.distance
        return distance.missing == "skip" and bool(np.isinf(distance.nothing_shared))

    def prepared(self, cells: FloatArray, instances: Instances) -> FloatArray:
        """Cells of some rows of the instances, or of queries beside them, as the core compares them."""
        for a, rows in self.vocabulary.items():
            # A value without a row in the table gets a number beyond it: unseen in a query, missing where stored.
            beyond = self.fitted.terms[a].codes or 0
            table = np.array([rows.get(identity(value), beyond) for value in instances.values(a)], np.float64)
            known = cells[:, a] >= 0
            cells[known, a] = table[cells[known, a].astype(np.intp)]
        return np.ascontiguousarray(self.fitted.prepare(cells))

    def ranging(self, low: FloatArray, high: FloatArray) -> FittedDistance:
        """The distance in plain NumPy, with the ranges that a description has come to; NaN where nothing is known."""
        terms = [
            replace(term, low=start, high=end, scale=end - start) if ranged and isinstance(term, Linear) else term
            for term, ranged, start, end in zip(
                self.fitted.terms, self.ranged, np.nan_to_num(low).tolist(), np.nan_to_num(high).tolist(), strict=True
            )
        ]
        return replace(self.fitted, terms=tuple(terms))

    def compared(self, cells: FloatArray, *, stored: bool) -> FloatArray:
        """Prepared cells as the core reads them: values without a row in a table are missing, or unseen in a query."""
        cells = cells.copy()
        for a in self.vocabulary:
            cells[cells[:, a] >= (self.fitted.terms[a].codes or 0), a] = np.nan if stored else -1.0
        return cells

    def check_ranges(self, ranges: Callable[[], tuple[FloatArray, FloatArray]], cells: FloatArray) -> None:
        """Refuse numbers so large that their range, with those seen before, is infinite."""
        if not self.incremental or not (np.abs(cells) > _LARGE).any():
            return
        low, high = ranges()
        with np.errstate(over="ignore", invalid="ignore"):
            widths = np.fmax(np.fmax.reduce(cells), high) - np.fmin(np.fmin.reduce(cells), low)
        for a in np.flatnonzero(np.isinf(widths) & (self.ranged > 0)).tolist():
            raise DistanceError.too_large(f"column {self.schema.label(a)!r}", "range")
