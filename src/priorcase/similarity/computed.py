"""Differences computed in Python, and their use in compiled search.

The core compares codes and numbers; it does not call Python for each pair. A computed difference is therefore evaluated
for the *distinct* values: a column with few values gets one table and is then compared at compiled speed. For a column
with many values, each block of queries gets its own table, query values by stored values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from priorcase._core import Plan
from priorcase._locks import cached_property
from priorcase._typing import FloatArray, IntArray, Value
from priorcase.exceptions import NumericRangeError, ParameterError, quoted
from priorcase.instances import Instances
from priorcase.instances.instances import unseen_values
from priorcase.schema import Date, Nominal, Ordinal
from priorcase.schema.dates import date_of
from priorcase.similarity.differences import Difference, MissingRule, Term, raised
from priorcase.similarity.statistics import Column

TABLED = 1_000
"""Maximum number of distinct values for which a column gets a square table."""

ENTRIES = 1 << 20
"""Maximum number of entries in the table of one block of queries: 8 MiB, with a few copies at a time."""


class Computed(Difference):
    """Base class of differences computed in Python, such as those between texts or sets, or by a user's function.

    A subclass is a frozen dataclass that lists the kinds of columns it ``accepts`` and implements `between`. It may
    implement `prepare` to compute something once for the stored values, such as a sparse matrix of words. Missing
    values, attribute weights, unseen values, forgetting and leave-one-out are handled by the base class. Numbers are
    passed as floats, dates as `datetime` objects, and other values unchanged.

    >>> @dataclass(frozen=True)
    ... class Lengths(Computed):
    ...     accepts: ClassVar[tuple[str, ...]] = ("nominal",)
    ...
    ...     def prepare(self, values):
    ...         return np.array([len(value) for value in values])
    ...
    ...     def between(self, queries, stored):
    ...         return np.abs(self.prepare(queries)[:, None] - stored)
    >>> Lengths().between(["red", "orange"], Lengths().prepare(["red", "blue"]))
    array([[0, 1],
           [3, 2]])
    """

    accepts: ClassVar[tuple[str, ...]] = ("numeric", "ordinal", "nominal")

    def prepare(self, values: Sequence[Any]) -> Any:
        """Return the data that `between` needs for the distinct stored values; by default, the values themselves.

        It may depend on the set of values (word frequencies, a range), not on their order. It is called again when the
        stored values change.
        """
        return values

    def between(self, queries: Sequence[Any], stored: Any) -> FloatArray:
        """Return the differences of query values from all stored values, shape (queries, stored): finite numbers >= 0.

        ``stored`` is the result of `prepare`.
        """
        raise NotImplementedError

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        def compute(old: Computation | None, start: int) -> Computation:
            numbers, values = None, column.values()
            if not isinstance(column.kind, (Nominal, Ordinal)):
                known = column.numbers()
                numbers = np.unique(known[~np.isnan(known)])
                values = tuple(_as_values(numbers, isinstance(column.kind, Date)))
            if old is not None and old.values == values:
                return old
            dates = isinstance(column.kind, Date)
            return Computation(missing.one, missing.both, self, values, numbers, power, column.label, dates)

        found: Computation = column.all.fact(("computed", column.a), compute)
        return found


@dataclass(frozen=True)
class DifferenceFunction(Computed):
    """Difference computed by a Python function of two values; the first argument is the query value.

    Parameters
    ----------
    function
        ``function(query, stored)`` returns a finite number >= 0, usually between 0 and 1, since a missing value has
        difference 1. Numbers are passed as floats, dates as `datetime` objects.
    vectorized
        Whether the function takes a list of m query values and a list of n stored values and returns a matrix of shape
        (m, n), which is faster.

    Examples
    --------
    >>> import priorcase as pc
    >>> def initials(query, stored):
    ...     return float(query[0] != stored[0])
    >>> X, y = [["red"], ["blue"], ["rose"]], ["warm", "cold", "warm"]
    >>> distance = pc.Distance(attributes={0: DifferenceFunction(initials)})
    >>> pc.KNNClassifier(1, distance=distance).fit(X, y).predict([["ruby"]])
    array(['warm'], dtype='<U4')
    """

    function: Callable[[Any, Any], Any]
    vectorized: bool = False

    _parameter_constraints: ClassVar[dict[str, Any]] = {"function": [callable], "vectorized": ["boolean"]}

    def between(self, queries: Sequence[Any], stored: Any) -> FloatArray:
        if self.vectorized:
            found: FloatArray = self.function(list(queries), list(stored))
            return found  # checked by the caller
        # Row by row: a list of numbers takes four times the memory of an array.
        return np.array([np.array([self.function(query, value) for value in stored]) for query in queries])


@dataclass(frozen=True, eq=False)
class Computation(Term):
    """Computed difference with the distinct values of its column: ``f = d ** power``.

    ``numbers`` are the distinct numbers of a numeric column, ascending. It is None if cells are codes, which are
    positions in ``values``; unused codes have the value None.
    """

    difference: Computed
    values: tuple[Value, ...]
    numbers: FloatArray | None
    power: float
    label: str = field(compare=False)
    dates: bool = False

    form: ClassVar[str] = "table"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Computation):
            return NotImplemented
        return _identity(self) == _identity(other)

    __hash__ = None

    @property
    def codes(self) -> int | None:
        return len(self.values) if self.numbers is None else None

    def holds(self, instances: Instances, a: int) -> bool:
        """Return whether the difference includes every stored value of a column."""
        if self.numbers is None:
            return len(self.values) >= instances.n_values(a)
        column = np.asarray(instances.column(a))
        return bool(np.isin(column[~np.isnan(column)], self.numbers).all())

    @property
    def is_tabled(self) -> bool:
        """Whether one table contains all pairs of stored values."""
        return len(self.values) <= TABLED

    @cached_property
    def _places(self) -> list[int]:
        """Codes with a value."""
        return [code for code, value in enumerate(self.values) if value is not None]

    @cached_property
    def _prepared(self) -> Any:
        return self.difference.prepare([self.values[code] for code in self._places])

    @cached_property
    def _square(self) -> FloatArray:
        """Differences ``f`` of all pairs of stored values, shape (codes, codes); 0 for codes without a value."""
        square = np.zeros((len(self.values), len(self.values)))
        square[self._places] = self.rows([self.values[code] for code in self._places])
        return square

    def rows(self, queries: Sequence[Value]) -> FloatArray:
        """Return ``f`` for query values and all stored values, shape (queries, codes)."""
        rows = np.zeros((len(queries), len(self.values)))
        if not len(queries) or not self._places:
            return rows
        stated = f"the difference of {self.label}, {self.difference!r},"
        found = self.difference.between(queries, self._prepared)
        pair = lambda q, s: f"{queries[q]!r} and {self.values[self._places[s]]!r}"  # noqa: E731
        matrix = checked_matrix(found, (len(queries), len(self._places)), stated, pair)
        powers = raised(matrix, self.power)
        if not np.isfinite(powers).all():
            raise NumericRangeError(f"{stated} gives numbers so large that distances are infinite in float64")
        rows[:, self._places] = powers
        return rows

    def _known(self, cells: FloatArray) -> FloatArray:
        """Return the distinct known cells of a column of queries, without -1 (an undeclared level)."""
        distinct = np.unique(cells[~np.isnan(cells)])
        return distinct if self.numbers is not None else distinct[distinct != -1.0]

    def answers(self, cells: FloatArray) -> bool:
        """Return whether the square table has a row for each of the given query cells."""
        if not self.is_tabled:
            return False
        if self.numbers is not None:
            return bool(np.isin(self._known(cells), self.numbers).all())
        return not (cells < -1.0).any()

    def answers_stored(self, cells: FloatArray) -> bool:
        """Return whether all of the given cells are codes or stored numbers."""
        return self.numbers is None or bool(np.isin(self._known(cells), self.numbers).all())

    def add_to(self, plan: Plan, a: int, queries: FloatArray | None = None, unseen: Sequence[Value] = ()) -> None:
        """Set attribute ``a`` of the plan for queries with the given cells, or for the stored values as queries.

        A cell of ``-2 - j`` stands for ``unseen[j]``.
        """
        options: Any = {"columns": self.numbers, "f_one": self.f_one, "f_both": self.f_both}
        if queries is not None and not self.answers(queries):
            labels = self._known(queries)
            plan.table(a, self._for(labels, unseen), rows=labels, **options)
        elif self.is_tabled:
            plan.table(a, self._square, rows=self.numbers, **options)
        else:
            plan.asked(a, self._row_of, **options)

    def _for(self, labels: FloatArray, unseen: Sequence[Value]) -> FloatArray:
        """Return the rows of the table for some query cells."""
        if self.numbers is not None:
            return self.rows(_as_values(labels, self.dates))
        codes = labels.astype(np.int64).tolist()
        if self.is_tabled:  # only unseen values have to be computed
            fresh = [code for code in codes if code < 0]
            return np.concatenate([self.rows([unseen[-2 - code] for code in fresh]), self._square[codes[len(fresh) :]]])
        return self.rows([self.values[code] if code >= 0 else unseen[-2 - code] for code in codes])

    def between_codes(self, codes: IntArray) -> FloatArray:
        """Return ``f`` for the stored values with the given codes and all stored values, shape (codes, all codes)."""
        return self._square[codes] if self.is_tabled else self.rows([self.values[code] for code in codes.tolist()])

    def _row_of(self, cell: float) -> FloatArray:
        row: FloatArray = self.rows([self.value_of(cell)])[0]
        return row

    def value_of(self, cell: float) -> Value:
        """Return the value of a known cell."""
        return self.values[int(cell)] if self.numbers is None else _as_values(np.array([cell]), self.dates)[0]


def checked_matrix(found: Any, shape: tuple[int, int], stated: str, pair: Callable[[int, int], str]) -> FloatArray:
    """Check differences returned by Python code; ``stated`` and ``pair`` name the code and the values in messages."""
    try:
        matrix = np.asarray(found)
        if matrix.dtype.kind not in "biufO":
            raise TypeError
        matrix = matrix.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        first = next(iter(np.asarray(found, dtype=object).ravel().tolist()), found)
        raise ParameterError(f"{stated} must return numbers, got {quoted(first)}") from None
    if matrix.shape != shape:
        raise ParameterError(f"{stated} must return {shape[0]} by {shape[1]} numbers here, got {quoted(found)}")
    wrong = ~np.isfinite(matrix) | (matrix < 0)
    if wrong.any():
        q, s = np.argwhere(wrong)[0].tolist()
        raise ParameterError(f"{stated} must return finite numbers >= 0, got {matrix[q, s]} for {pair(q, s)}")
    return matrix


def _as_values(numbers: FloatArray, dates: bool) -> list[Value]:
    """Convert numeric cells to the values that are passed to Python code."""
    return [date_of(cell) for cell in numbers.tolist()] if dates else numbers.tolist()


def _identity(term: Computation) -> tuple[Any, ...]:
    return term.difference, term.values, term.power, term.f_one, term.f_both, term.numbers is None


def queries_at_once(terms: Sequence[Term]) -> int | None:
    """Return the maximum number of queries in a block, to limit the size of its tables, or None if there are none."""
    widths = [len(term.values) for term in terms if isinstance(term, Computation)]
    return max(1, ENTRIES // max(*widths, 1)) if widths else None


def add_terms(terms: Sequence[Term], plan: Plan, queries: FloatArray | None = None) -> None:
    """Set all attributes of a plan, for queries or for the stored rows as queries."""
    for a, term in enumerate(terms):
        if isinstance(term, Computation):
            term.add_to(plan, a, None if queries is None else queries[:, a], unseen_values(queries))
        else:
            term.add_to(plan, a)
