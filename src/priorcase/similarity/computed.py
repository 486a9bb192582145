"""Differences between values that are computed in Python, and their use in the compiled neighbor search.

The compiled core compares only codes and numbers and does not call Python for each pair of values. A difference that is
computed in Python is therefore evaluated for *distinct* values only. For a column with few distinct values, all
differences are stored in one table, and the search runs at compiled speed. For a column with many distinct values, a
table of the differences between query values and stored values is computed for each block of queries.
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
"""Maximum number of distinct values of a column for which all differences are stored in one square table."""

ENTRIES = 1 << 20
"""Maximum number of entries in the table for one block of queries (8 MiB; a few copies may exist at a time)."""


class Computed(Difference):
    """Base class of differences that are computed in Python, for example between texts or by a user's function.

    A subclass is a frozen dataclass that implements `between` and lists in ``accepts`` the kinds of columns it can
    compare. A subclass may also implement `prepare` to compute data for the stored values once, such as a sparse matrix
    of words. The base class handles missing values, attribute weights, unseen values, removed rows and leave-one-out.
    Numbers are passed to both methods as floats, dates as `datetime` objects, and other values unchanged.

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

        The data may depend on the set of stored values (word frequencies, a range), but not on the order of the values.
        `prepare` is called again when the stored values change.
        """
        return values

    def between(self, queries: Sequence[Any], stored: Any) -> FloatArray:
        """Return the differences between queries and all stored values as finite numbers >= 0, shape (queries, stored).

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
            costs: dict[str, Any] = {"f_one": missing.one, "f_both": missing.both, "power": power}
            return self._fitted(values=values, numbers=numbers, label=column.label, dates=dates, **costs)

        found: Computation = column.all.fact(("computed", column.a), compute)
        return found

    def _fitted(self, **fields: Any) -> Computation:
        return Computation(difference=self, **fields)


@dataclass(frozen=True)
class DifferenceFunction(Computed):
    """Difference computed by a Python function of a query value and a stored value.

    Parameters
    ----------
    function
        ``function(query, stored)`` returns a finite number >= 0, usually between 0 and 1, because by default
        the difference from a missing value is 1. Numbers are passed as floats and dates as `datetime` objects.
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
    """Fitted difference that is computed in Python, with the distinct stored values of its column."""

    difference: Computed
    values: tuple[Value, ...]  # a nominal or ordinal value is at the position of its code; None for an unused code
    numbers: FloatArray | None  # the values of a numeric column in ascending order; None for other columns
    power: float
    label: str = field(compare=False)
    dates: bool = False  # whether the numbers are dates

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
        """Return whether this fitted difference includes every stored value of attribute ``a``."""
        if self.numbers is None:
            return len(self.values) >= instances.n_values(a)
        column = np.asarray(instances.column(a))
        return bool(np.isin(column[~np.isnan(column)], self.numbers).all())

    def __getstate__(self) -> dict[str, Any]:
        # What was computed from the values is computed again when it is needed.
        return {name: value for name, value in self.__dict__.items() if name in self.__dataclass_fields__}

    @property
    def width(self) -> int:
        """Number of entries that a table of differences has for each query; 0 without a table."""
        return len(self.values)

    @property
    def is_tabled(self) -> bool:
        """Whether the differences between all stored values are kept in one table."""
        return len(self.values) <= TABLED

    @cached_property
    def _places(self) -> list[int]:
        """Codes whose value is not None."""
        return [code for code, value in enumerate(self.values) if value is not None]

    @cached_property
    def _prepared(self) -> Any:
        return self.difference.prepare([self.values[code] for code in self._places])

    @cached_property
    def _square(self) -> FloatArray:
        """Costs ``d ** power`` of all pairs of stored values, shape (codes, codes); 0 for unused codes."""
        square = np.zeros((len(self.values), len(self.values)))
        square[self._places] = self.rows([self.values[code] for code in self._places])
        return square

    def rows(self, queries: Sequence[Value]) -> FloatArray:
        """Return the costs ``d ** power`` between query values and all stored values, shape (queries, codes)."""
        rows = np.zeros((len(queries), len(self.values)))
        if not len(queries) or not self._places:
            return rows
        stated = f"the difference of {self.label}, {self.difference!r},"
        found = self.difference.between(queries, self._prepared)
        pair = lambda q, s: f"{queries[q]!r} and {self.values[self._places[s]]!r}"  # noqa: E731
        matrix = checked_matrix(found, (len(queries), len(self._places)), stated, pair)
        powers = raised(matrix, self.power)
        if not np.isfinite(powers).all():
            raise NumericRangeError(
                f"{stated} gives numbers so large that distances are infinite in float64. Return smaller numbers."
            )
        rows[:, self._places] = powers
        return rows

    def _known(self, cells: FloatArray) -> FloatArray:
        """Return the distinct encoded values of queries, without missing values and undeclared levels (-1)."""
        distinct = np.unique(cells[~np.isnan(cells)])
        return distinct if self.numbers is not None else distinct[distinct != -1.0]

    def answers(self, cells: FloatArray) -> bool:
        """Return whether all encoded query values are in the table of stored values; False if there is no table."""
        if not self.is_tabled:
            return False
        if self.numbers is not None:
            return bool(np.isin(self._known(cells), self.numbers).all())
        return not (cells < -1.0).any()

    def answers_stored(self, cells: FloatArray) -> bool:
        """Return whether all encoded numbers are stored numbers; always True for nominal and ordinal columns."""
        return self.numbers is None or bool(np.isin(self._known(cells), self.numbers).all())

    def add_to(self, plan: Plan, a: int, queries: FloatArray | None = None, unseen: Sequence[Value] = ()) -> None:
        """Add the difference of attribute ``a`` to a search plan for ``queries`` or, by default, for stored values."""
        options: Any = {"columns": self.numbers, "f_one": self.f_one, "f_both": self.f_both}
        if queries is not None and not self.answers(queries):
            labels = self._known(queries)  # -2 - j stands for the unseen value ``unseen[j]``
            plan.table(a, self._for(labels, unseen), rows=labels, **options)
        elif self.is_tabled:
            plan.table(a, self._square, rows=self.numbers, **options)
        else:
            plan.asked(a, self._row_of, **options)

    def _for(self, labels: FloatArray, unseen: Sequence[Value]) -> FloatArray:
        """Return the costs between the encoded query values ``labels`` and all stored values."""
        if self.numbers is not None:
            return self.rows(_as_values(labels, self.dates))
        codes = labels.astype(np.int64).tolist()
        if self.is_tabled:  # only unseen values have to be computed
            fresh = [code for code in codes if code < 0]
            return np.concatenate([self.rows([unseen[-2 - code] for code in fresh]), self._square[codes[len(fresh) :]]])
        return self.rows([self.values[code] if code >= 0 else unseen[-2 - code] for code in codes])

    def between_pairs(self, codes: IntArray) -> FloatArray:
        """Return the costs between the values with the given codes, shape (codes, codes)."""
        if self.is_tabled:
            square: FloatArray = self._square[np.ix_(codes, codes)]
            return square
        return self.rows([self.values[code] for code in codes.tolist()])[:, codes]

    def among(self, codes: IntArray) -> Computation:
        """Return this difference, prepared for comparing queries with only the values that have the given codes."""
        return self

    def _row_of(self, cell: float) -> FloatArray:
        row: FloatArray = self.rows([self.value_of(cell)])[0]
        return row

    def value_of(self, cell: float) -> Value:
        """Convert an encoded value that is not missing to a Python value."""
        return self.values[int(cell)] if self.numbers is None else _as_values(np.array([cell]), self.dates)[0]


def checked_matrix(found: Any, shape: tuple[int, int], stated: str, pair: Callable[[int, int], str]) -> FloatArray:
    """Return differences computed in Python as float64; raise an error if they are invalid."""
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
    """Convert stored numbers to the floats or `datetime` objects that are passed to a Python function."""
    return [date_of(cell) for cell in numbers.tolist()] if dates else numbers.tolist()


def _identity(term: Computation) -> tuple[Any, ...]:
    return term.difference, term.values, term.power, term.f_one, term.f_both, term.numbers is None


def queries_at_once(terms: Sequence[Term]) -> int | None:
    """Return the maximum number of queries per block, or None if no difference is computed in Python."""
    widths = [term.width for term in terms if isinstance(term, Computation)]
    return max(1, ENTRIES // max(*widths, 1)) if widths else None


def add_terms(terms: Sequence[Term], plan: Plan, queries: FloatArray | None = None) -> None:
    """Add the differences of all attributes to a search plan, for the given queries or, by default, stored rows."""
    for a, term in enumerate(terms):
        if isinstance(term, Computation):
            term.add_to(plan, a, None if queries is None else queries[:, a], unseen_values(queries))
        else:
            term.add_to(plan, a)
