"""Distances between whole rows: a Python function of two rows, a metric of SciPy, or a precomputed matrix.

Distances between whole rows are not computed from single attributes, so attribute weights and contributions are
undefined. For each block of queries, the compiled core receives a table of the distances between queries and stored
rows, in which stored rows are identified by id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from priorcase._core import Plan
from priorcase._typing import BoolArray, FloatArray, IdArray, Value
from priorcase.exceptions import ParameterError, listed, quoted
from priorcase.instances import Instances
from priorcase.instances.instances import unseen_values
from priorcase.schema import Date, Numeric, Schema
from priorcase.schema.dates import date_of
from priorcase.similarity.computed import ENTRIES, checked_matrix
from priorcase.similarity.differences import Term
from priorcase.similarity.distance import Distance, FittedDistance
from priorcase.similarity.statistics import Summary

_BOOLEAN = frozenset(("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"))
METRICS = frozenset(
    ("braycurtis", "canberra", "chebyshev", "correlation", "haversine", "mahalanobis", "seuclidean", *_BOOLEAN)
)
"""Names of metrics of SciPy and scikit-learn that the compiled core does not implement."""


class Comparison(Protocol):
    """Protocol for comparisons of whole rows; implementations are frozen dataclasses."""

    @property
    def text(self) -> str:
        """Name of the distance in error messages."""

    def check(self, instances: Instances) -> None:
        """Raise an error if the stored rows cannot be compared."""

    def prepare(self, rows: Rows) -> Any:
        """Convert the stored rows to the argument ``stored`` of `between`."""

    def between(self, queries: Rows, stored: Any) -> Any:
        """Return the distances between queries and all stored rows, shape (queries, stored)."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Encoded rows with the information needed to decode them.

    ``values`` contains, for each column, the values that the codes stand for, or None for a column of numbers.
    ``unseen`` contains the values in queries that have no code. ``ids`` contains the row ids if the rows are stored.
    """

    cells: FloatArray
    schema: Schema
    values: tuple[tuple[Value, ...] | None, ...]  # of each column; None if cells are numbers
    unseen: Sequence[Value] = ()
    ids: IdArray | None = None

    def decoded(self) -> Sequence[Any]:
        """Return the rows as arrays if all columns are numbers (NaN if missing), else as tuples (None if missing)."""
        if all(values is None for values in self.values) and not any(isinstance(k, Date) for k in self.schema.kinds):
            return list(np.asarray(self.cells))
        columns = (self._column(a) for a in range(self.cells.shape[1]))
        return list(zip(*columns, strict=True)) if len(self.cells) else []

    def _column(self, a: int) -> list[Value]:
        cells, values = self.cells[:, a].tolist(), self.values[a]
        if values is None:
            dates = isinstance(self.schema.kinds[a], Date)
            return [None if cell != cell else date_of(cell) if dates else cell for cell in cells]
        return [None if c != c or c == -1 else values[int(c)] if c >= 0 else self.unseen[-2 - int(c)] for c in cells]


@dataclass(frozen=True)
class RowFunction:
    """Distance computed by a Python function of a query row and a stored row."""

    function: Callable[[Any, Any], Any]

    @property
    def text(self) -> str:
        return f"distance={quoted(self.function)}"

    def check(self, instances: Instances) -> None:
        """Accept any rows."""

    def prepare(self, rows: Rows) -> Any:
        return rows.decoded()

    def between(self, queries: Rows, stored: Any) -> Any:
        return [np.array([self.function(query, row) for row in stored]) for query in queries.decoded()]


@dataclass(frozen=True)
class RowMetric:
    """Metric of SciPy or scikit-learn, for numeric rows without missing values."""

    name: str

    @property
    def text(self) -> str:
        return f"distance={self.name!r}"

    def check(self, instances: Instances) -> None:
        schema = instances.schema
        others = [schema.label(a) for a, kind in enumerate(schema.kinds) if not isinstance(kind, Numeric)]
        if others:
            raise ParameterError(
                f"{self.text} compares numeric rows, but the columns {listed(others)} are not numeric. Drop these "
                "columns, or use a distance for mixed columns such as 'heom' or 'gower'."
            )
        if self.name == "haversine" and len(schema) != 2:
            raise ParameterError(
                f"{self.text} compares two columns, latitude and longitude in radians, got {len(schema)} columns"
            )

    def prepare(self, rows: Rows) -> Any:
        cells, options = self._numbers(rows), dict[str, Any]()
        with np.errstate(all="ignore"):
            if self.name == "seuclidean":
                options["V"] = np.var(cells, axis=0, ddof=1)
            if self.name == "mahalanobis":
                options["VI"] = np.linalg.pinv(np.atleast_2d(np.cov(cells.T)))
        if not all(np.isfinite(each).all() for each in options.values()):
            raise ParameterError(
                f"{self.text} needs the variance of the stored rows, which is not finite for these {len(cells)} rows. "
                "Add rows or rescale the columns."
            )
        return cells, options

    def between(self, queries: Rows, stored: Any) -> Any:
        cells, options = stored
        if self.name == "haversine":
            from sklearn.metrics.pairwise import haversine_distances

            return haversine_distances(self._numbers(queries), cells)
        from scipy.spatial.distance import cdist  # takes long to load

        with np.errstate(all="ignore"):  # undefined distances raise an error
            return cdist(self._numbers(queries), cells, cast(Any, self.name), **options)

    def _numbers(self, rows: Rows) -> FloatArray | BoolArray:
        cells = np.asarray(rows.cells)
        if np.isnan(cells).any():
            a = int(np.isnan(cells).any(axis=0).argmax())
            raise ParameterError(
                f"{self.text} compares rows without missing values, but column {rows.schema.label(a)!r} contains NaN. "
                "Impute the column, or use a distance that supports missing values, such as 'heom' or 'gower'."
            )
        return cells != 0 if self.name in _BOOLEAN else cells


@dataclass(frozen=True)
class Precomputed:
    """Precomputed distances: column j of a row contains its distance from row j of the table passed to `fit`."""

    @property
    def text(self) -> str:
        return "distance='precomputed'"

    def check(self, instances: Instances) -> None:
        n, width = instances.next_id, len(instances.schema)
        if not all(isinstance(kind, Numeric) for kind in instances.schema.kinds):
            raise ParameterError(f"{self.text} requires a matrix of distances, got non-numeric columns")
        if n != width:
            raise ParameterError(
                f"{self.text} requires the square matrix of the distances between all rows, got {n} rows with "
                f"{width} columns. Pass this matrix to fit; a query has one column for each row of the matrix."
            )
        self._checked(instances.cells())

    def prepare(self, rows: Rows) -> Any:
        return rows.ids

    def between(self, queries: Rows, stored: Any) -> Any:
        return self._checked(queries.cells)[:, stored]  # ids are positions among the rows of fit

    def _checked(self, cells: FloatArray) -> FloatArray:
        wrong = ~(cells >= 0)
        if wrong.any():
            row, column = np.argwhere(wrong)[0].tolist()
            value = cells[row, column]
            wrong_one = "NaN" if np.isnan(value) else f"{value}. Negative values in data"
            raise ParameterError(f"{self.text} requires distances >= 0; row {row}, column {column} has {wrong_one}")
        return np.asarray(cells)


@dataclass(frozen=True, repr=False, kw_only=True)
class RowDistance(Distance):
    """Distance that compares whole rows, as returned by `priorcase.similarity.resolve`."""

    power: float = 1.0
    compare: Comparison

    whole: ClassVar[bool] = True

    def __repr__(self) -> str:
        return f"RowDistance({self.compare!r})"

    def _fit(self, instances: Instances, target: int | None, earlier: Summary | None) -> FittedDistance:
        self.compare.check(instances)
        known = tuple(
            None if isinstance(kind, Numeric) else instances.values(a) for a, kind in enumerate(instances.schema.kinds)
        )
        rows = Rows(instances.cells(), instances.schema, known, (), instances.ids)
        term = RowTerm(0.0, 0.0, self.compare, rows, self.compare.prepare(rows))
        summary = Summary(len(instances), {})
        return FittedRowDistance(self, (term,), target, summary, instances.line, instances.version)

    def computed(self, schema: Schema) -> tuple[int, ...]:
        return tuple(range(len(schema)))

    def ranged(self, schema: Schema) -> list[bool] | None:
        return None


@dataclass(frozen=True, eq=False)
class RowTerm(Term):
    """Distance between whole rows as a single fitted `Term`."""

    compare: Comparison
    rows: Rows
    prepared: Any  # the stored rows in the form that `Comparison.prepare` returns

    form: ClassVar[str] = "table"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RowTerm):
            return NotImplemented
        same = np.array_equal(self.rows.cells, other.rows.cells, equal_nan=True)
        return same and (self.compare, self.rows.values) == (other.compare, other.rows.values)

    __hash__ = None

    def distances(self, cells: FloatArray, unseen: Sequence[Value]) -> FloatArray:
        """Return the distances between queries and all stored rows, in the order of the row ids."""
        queries = Rows(cells, self.rows.schema, self.rows.values, unseen)
        found = self.compare.between(queries, self.prepared)
        return checked_matrix(found, (len(cells), len(self.rows.cells)), self.compare.text, lambda q, s: "two rows")


class FittedRowDistance(FittedDistance):
    """Distance between whole rows, fitted to the stored rows."""

    terms: tuple[RowTerm]

    def covers(self, instances: Instances) -> bool:
        return bool(np.isin(instances.ids, self._ids).all())

    @property
    def queries_at_once(self) -> int | None:
        return max(1, ENTRIES // max(1, len(self.terms[0].rows.cells)))

    def answers(self, queries: FloatArray) -> bool:
        return not len(queries)

    def coded(self, schema: Schema) -> NDArray[np.uint8]:
        return np.zeros(1, np.uint8)

    def stored_cells(self, ids: IdArray, cells: FloatArray) -> FloatArray:
        return ids[:, None].astype(np.float64)

    def for_queries(self, queries: FloatArray) -> tuple[Plan, FloatArray]:
        numbers, plan = np.arange(len(queries), dtype=np.float64), self.empty_plan()
        matrix = self.terms[0].distances(queries, unseen_values(queries))
        plan.table(0, np.ascontiguousarray(matrix), rows=numbers, columns=self._ids)
        return plan, numbers[:, None]

    def plan(self) -> Plan:
        plan = self.empty_plan()
        plan.asked(0, self._row_of, columns=self._ids)
        return plan

    @property
    def _ids(self) -> FloatArray:
        return np.asarray(self.terms[0].rows.ids, np.float64)

    def _row_of(self, cell: float) -> FloatArray:
        term = self.terms[0]
        at = np.searchsorted(self._ids, [cell])
        return np.ascontiguousarray(term.distances(term.rows.cells[at], ())[0])

    def contributions(self, query: FloatArray, rows: FloatArray, weights: FloatArray | None = None) -> FloatArray:
        return np.full(rows.shape, np.nan)

    distance_contributions = contributions

    def costs(self, query: FloatArray, rows: FloatArray, weights: FloatArray | None = None) -> FloatArray:
        raise ParameterError(f"{self.terms[0].compare.text} compares queries with stored rows only")


def whole_rows(given: Any) -> RowDistance | None:
    """Convert a function, the name of a metric or ``"precomputed"`` to a distance; return None for anything else."""
    if isinstance(given, str) and given in METRICS:
        return RowDistance(compare=RowMetric(str(given)))
    if isinstance(given, str) and given == "precomputed":
        return RowDistance(compare=Precomputed())
    if callable(given) and not isinstance(given, type):
        return RowDistance(compare=RowFunction(given))
    return None
