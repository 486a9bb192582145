"""Similarity, the first of the three parts of Aha's framework: how a description compares two instances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from priorcase._typing import FloatArray, Value
from priorcase.exceptions import NumericRangeError
from priorcase.instances import Instances
from priorcase.schema import Nominal, Numeric, Schema
from priorcase.schema.values import identity
from priorcase.similarity import Distance, FittedDistance
from priorcase.similarity.terms import Linear

if TYPE_CHECKING:
    from priorcase._core import Plan

# The range of smaller numbers is always finite.
_LARGE = 1e290


@dataclass(frozen=True, eq=False)
class Comparison:
    """A distance as concept descriptions use it.

    Aha's similarity needs only the ranges of numbers, which descriptions widen as rows come (`incremental`). Any other
    distance is fitted to the rows of the first call. Its ``vocabulary`` then maps the nominal values of these rows to
    the codes they had, since `Instances` may give the code of a removed value to another one.
    """

    schema: Schema
    fitted: FittedDistance
    incremental: bool
    vocabulary: dict[int, dict[Value, int]] = field(default_factory=dict)

    @classmethod
    def growing(cls, distance: Distance, schema: Schema) -> Self:
        """A comparison whose ranges grow with the rows."""
        return cls(schema, distance.fit(Instances(schema), None), True)

    @classmethod
    def settled(cls, distance: Distance, rows: Instances) -> Self:
        """A comparison fitted to some rows."""
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
        """Which attributes are scaled by the range of the numbers seen."""
        return np.array([self.incremental and isinstance(kind, Numeric) for kind in self.schema.kinds], np.uint8)

    @property
    def infinite_if_nothing_shared(self) -> bool:
        """Whether instances without a known value in common are infinitely far apart by definition."""
        distance = self.fitted.distance
        return distance.missing == "skip" and bool(np.isinf(distance.nothing_shared))

    def prepared(self, cells: FloatArray, instances: Instances) -> FloatArray:
        """Cells of some rows of the instances, or of queries, as the core compares them."""
        for a, rows in self.vocabulary.items():
            # A value outside the vocabulary gets a code beyond it: unseen in a query, missing in a stored row.
            beyond = self.fitted.terms[a].codes or 0
            table = np.array([rows.get(identity(value), beyond) for value in instances.values(a)], np.float64)
            known = cells[:, a] >= 0
            cells[known, a] = table[cells[known, a].astype(np.intp)]
        return np.ascontiguousarray(self.fitted.prepare(cells))

    def with_ranges(self, low: FloatArray, high: FloatArray) -> FittedDistance:
        """The distance in plain NumPy, with the ranges of a description; NaN where no number is known."""
        terms = [
            replace(term, low=start, high=end, scale=end - start) if ranged and isinstance(term, Linear) else term
            for term, ranged, start, end in zip(
                self.fitted.terms, self.ranged, np.nan_to_num(low).tolist(), np.nan_to_num(high).tolist(), strict=True
            )
        ]
        return replace(self.fitted, terms=tuple(terms))

    def compared(self, cells: FloatArray, *, stored: bool) -> FloatArray:
        """Prepared cells as the core reads them: values outside the vocabulary are missing, or unseen in a query."""
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
            raise NumericRangeError(
                f"column {self.schema.label(a)!r} has numbers so large that their range is infinite. "
                "Divide the column by a large constant, or take its logarithm."
            )
