"""Search for the most similar cases by weighted means of local similarities, computed in the compiled core.

The similarity of a query ``q`` and a case ``c`` is ``sum_a w_a s_a(q, c) / sum_a w_a`` over the attributes ``a`` with a
value in the query, where ``w_a`` is the weight of an attribute and ``s_a`` is its local similarity. If the case has no
value for an attribute, ``s_a`` is 0 (``unknown="different"``), or the attribute is excluded from both sums
(``"ignore"``). If no weight is left, the similarity is 0. The similarity is the double nearest to the exact quotient,
so that equally similar cases have equal similarities. Ties are broken by position, and the result does not depend on
the number of threads.

For each attribute, ``codes`` (int32) are the positions of the cases' values among the distinct values, or -1 if
missing. ``tables`` (float64) are the similarities of the distinct values to the query's value, and ``weights`` are
finite and nonnegative.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from priorcase import _core
from priorcase._locks import Lock, cached_property
from priorcase._parameters import as_python, check_choice, is_number, is_whole
from priorcase._typing import BoolArray, FloatArray, IdArray, IntArray
from priorcase.cases.checks import check_known
from priorcase.cases.kinds import CaseKind, Stored
from priorcase.cases.measures import DEFAULT_MEASURES, LocalSimilarity, Prepared, as_measure
from priorcase.cases.table import CaseColumn, CaseTable
from priorcase.exceptions import CaseBaseError, ParameterError, quoted
from priorcase.learning.estimator import thread_count
from priorcase.schema.kinds import is_hashable

Unknown: TypeAlias = Literal["different", "ignore"]
"""Treatment of an attribute that is missing in a case: count it with similarity 0, or ignore it."""

_MEASURES = 4  # prepared measures cached for each attribute; those with a user's functions or models may be large
_REMEMBERED = 256  # maximum numbers of distinct values and of queries of a column whose similarities are cached
_KEYS = frozenset({str, int, float})
_ALL = slice(None)


# -- the core


def best_cases(
    columns: Sequence[_core.CodedColumn],
    tables: Sequence[FloatArray],
    weights: FloatArray,
    *,
    mask: BoolArray | None = None,
    k: int,
    unknown: Unknown = "different",
    n_threads: int = 1,
) -> tuple[IdArray, FloatArray, FloatArray]:
    """Return the positions and similarities of the ``k`` cases most similar to a query, the most similar first.

    The third array contains the local similarities of these cases, of shape (cases, attributes), with NaN for missing
    values.
    """
    n = len(columns[0]) if columns else 0 if mask is None else len(mask)
    allowed = None if mask is None else mask.view(np.uint8)
    return _core.best_cases(n, columns, tables, weights, allowed, k, unknown == "ignore", n_threads)


def best_cases_many(
    codes: Sequence[IntArray],
    query_codes: Sequence[IntArray],
    tables: Sequence[FloatArray],
    weights: FloatArray,
    *,
    own: IdArray,
    mask: BoolArray | None = None,
    k: int,
    unknown: Unknown = "different",
    n_threads: int = 1,
) -> tuple[IdArray, FloatArray]:
    """Run `best_cases` for many queries; rows with fewer than ``k`` cases end with position -1 and similarity 0.

    Each attribute has a table of the similarities of the distinct query values (rows) to the distinct values of the
    cases (columns). ``query_codes`` are the row numbers of the queries' values, or -1 for missing values. ``own``
    contains the position of the case to exclude for each query, or -1.
    """
    n = len(codes[0]) if codes else 0 if mask is None else len(mask)
    allowed = None if mask is None else mask.view(np.uint8)
    return _core.best_cases_many(
        n, codes, query_codes, tables, weights, own, allowed, k, unknown == "ignore", n_threads
    )


def all_similarities(
    codes: Sequence[IntArray],
    tables: Sequence[FloatArray],
    weights: FloatArray,
    *,
    unknown: Unknown = "different",
    n_threads: int = 1,
) -> FloatArray:
    """Return the similarity of every case to a query, bit-identical to the results of `best_cases`."""
    n = len(codes[0]) if codes else 0
    return _core.all_similarities(n, codes, tables, weights, unknown == "ignore", n_threads)


# -- parameters


def check_count(parameter: str, value: object, *, least: int = 1, hint: str = "5 is usual.") -> int:
    if not is_whole(value) or value < least:
        raise ParameterError(f"{parameter} must be an integer >= {least}, got {quoted(value)}. {hint}")
    return int(value)


def check_share(parameter: str, value: object, *, hint: str) -> float:
    if not is_number(value) or not 0 < value <= 1:
        raise ParameterError(f"{parameter} must be a number above 0 and at most 1, got {quoted(value)}. {hint}")
    return float(value)


def check_unknown(value: object) -> Unknown:
    hint = "'different' gives missing values similarity 0; 'ignore' excludes them from the comparison."
    check_choice("unknown", value, get_args(Unknown), hint=hint)
    return value  # type: ignore[return-value]


def weights_of(attributes: Mapping[str, CaseKind], weights: object) -> dict[str, float]:
    """Return the weight of each attribute; attributes that are not named have weight 1."""
    if weights is None:
        return dict.fromkeys(attributes, 1.0)
    given = checked_weights(attributes, weights, parameter="weights")
    found = {name: given.get(name, 1.0) for name in attributes}
    if not any(found.values()):
        raise CaseBaseError(
            "got weights that are all 0; at least one must be above 0. Unlisted attributes have weight 1."
        )
    return found


def checked_weights(attributes: Mapping[str, CaseKind], weights: object, *, parameter: str) -> dict[str, float]:
    if not isinstance(weights, Mapping):
        raise ParameterError(
            f"{parameter} must be None or a mapping from attributes to numbers, got {quoted(weights)}. For example "
            "{'age': 2, 'color': 0}."
        )
    check_known(weights, attributes)
    for name, weight in weights.items():
        if not is_number(weight) or not 0 <= as_python(weight) < math.inf:
            raise CaseBaseError(
                f"got the weight {quoted(weight)} for {quoted(name)}; expected a finite number >= 0. A weight "
                "of 0 excludes an attribute; attributes that are not listed have weight 1."
            )
    return {name: float(weight) for name, weight in weights.items()}


def measures_of(attributes: Mapping[str, CaseKind], measures: object) -> dict[str, LocalSimilarity]:
    """Return the measure of each attribute; attributes that are not named have the default measure of their kind."""
    found = {name: DEFAULT_MEASURES[type(kind)] for name, kind in attributes.items()}
    if measures is None:
        return found
    if not isinstance(measures, Mapping):
        raise ParameterError(
            f"measures must be None or a mapping from attributes to measures, got {quoted(measures)}. For example "
            "{'message': 'edit'}."
        )
    check_known(measures, attributes)
    return found | {name: as_measure(given, attributes[name], name) for name, given in measures.items()}


# -- similarities of values, and of cases


@dataclass(frozen=True, eq=False)
class _Ready:
    """A measure prepared for a column; caches similarities if the column has few distinct values."""

    measure: LocalSimilarity
    key: object
    column: CaseColumn
    solutions: CaseColumn | None
    prepared: Prepared
    tables: dict[Stored, FloatArray] = field(default_factory=dict)

    def similarities(self, query: Stored) -> FloatArray:
        # Only strings and numbers are used as keys: True, (True,) and the like are equal to other values.
        if type(query) not in _KEYS or len(self.column.values) > _REMEMBERED:
            return _checked(self.prepared.similarities(query), self.column, self.measure)
        if (found := self.tables.get(query)) is None:
            found = _checked(self.prepared.similarities(query), self.column, self.measure)
            if len(self.tables) >= _REMEMBERED:
                self.tables.clear()
            self.tables[query] = found
        return found


class MeasureCache:
    """Thread-safe cache of the last few prepared measures of each attribute, and of the last `Likeness`."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._ready: dict[str, tuple[_Ready, ...]] = {}
        self._last: tuple[object, tuple[Any, ...], Likeness] | None = None

    def __len__(self) -> int:
        return sum(map(len, self._ready.values()))

    def clear(self) -> None:
        with self._lock:
            self._ready.clear()
            self._last = None

    def likeness(self, table: CaseTable, weights: Any, measures: Any, unknown: Any) -> Likeness:
        """Return the `Likeness` of a table, cached while the table is unchanged and the same objects are passed."""
        given = _parts(weights) + _parts(measures) + (unknown,)
        last = self._last
        if last is not None and last[0] is table.state and len(last[1]) == len(given) and all(map(is_, last[1], given)):
            return last[2]
        made = Likeness(table, weights=weights, measures=measures, unknown=unknown, cache=self)
        self._last = table.state, given, made
        return made

    def prepared(self, column: CaseColumn, measure: LocalSimilarity, solutions: CaseColumn) -> _Ready:
        """Return a measure prepared for a column, and for the solutions if the measure needs them."""
        needed = solutions if measure.needs_solutions else None
        if (found := self._find(column, measure, needed)) is not None:
            return found
        with self._lock:
            if (found := self._find(column, measure, needed)) is not None:
                return found
            key = _measure_key(measure)
            before = next((ready for ready in self._ready.get(column.name, ()) if ready.key == key), None)
            prepared = measure.prepare(column, needed, None if before is None else before.prepared)
            found = _Ready(measure, key, column, needed, prepared)
            others = tuple(ready for ready in self._ready.get(column.name, ()) if ready.key != key)
            self._ready[column.name] = (found, *others)[:_MEASURES]
            return found

    def _find(self, column: CaseColumn, measure: LocalSimilarity, solutions: CaseColumn | None) -> _Ready | None:
        # An unchanged column is the same object. There is no lock, since tuples are replaced as a whole.
        for ready in self._ready.get(column.name, ()):
            same = ready.column is column and ready.solutions is solutions
            if same and (ready.measure is measure or ready.key == _measure_key(measure)):
                return ready
        return None


def _parts(given: Any) -> tuple[Any, ...]:
    """Return the keys and values of a dict as a cache key; for other mappings, return a key that is never found."""
    return (dict, *given, *given.values()) if type(given) is dict else (given if given is None else object(),)


def _measure_key(measure: LocalSimilarity) -> object:
    return measure if is_hashable(measure) else id(measure)


def _checked(found: Any, column: CaseColumn, measure: LocalSimilarity) -> FloatArray:
    """Return the similarities; check them if the measure does not belong to the library."""
    if type(measure).__module__.startswith("priorcase."):
        return found  # type: ignore[no-any-return]
    problem, expected = "", (len(column.values),)
    try:
        array = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        problem = quoted(found)
    else:
        wrong = ~((array >= 0.0) & (array <= 1.0))
        if array.shape != expected:
            problem = f"an array of shape {array.shape} for {expected[0]} values"
        elif wrong.any():
            problem = f"the similarity {array[wrong][0]}"
    if problem:
        raise CaseBaseError(
            f"The measure {quoted(measure)} of {column.name!r} returned {problem}; expected one number from 0 to 1 "
            "for each value: 1 for equal values, 0 for values with nothing in common."
        )
    return array


class Likeness:
    """Similarities of queries to all cases of a table, even retired cases; unaffected by later changes of the table."""

    def __init__(
        self,
        table: CaseTable,
        *,
        weights: Mapping[str, float] | None = None,
        measures: Mapping[str, object] | None = None,
        unknown: Unknown = "different",
        cache: MeasureCache | None = None,
    ) -> None:
        self.attributes = table.attributes
        self.ids = table.ids
        self.active = ~table.retired
        self.n_active = int(np.count_nonzero(self.active))
        self.weights = weights_of(table.attributes, weights)
        self.unknown = check_unknown(unknown)
        self.columns = {name: table.column(name) for name in table.attributes}
        self._solutions = table.column("solution")
        self._measures = measures_of(table.attributes, measures)
        self._cache = MeasureCache() if cache is None else cache
        self._ready: dict[str, _Ready] = {}

    @cached_property
    def _filled(self) -> dict[str, IntArray]:
        """The codes of all attributes, with an additional code for missing values."""
        return {name: np.where(c.codes < 0, np.int32(len(c.values)), c.codes) for name, c in self.columns.items()}

    def by_value(self, name: str, query: Stored) -> FloatArray:
        """Return the similarity of a query's value to each distinct value of an attribute; do not modify the result."""
        if (ready := self._ready.get(name)) is None:
            ready = self._cache.prepared(self.columns[name], self._measures[name], self._solutions)
            self._ready[name] = ready
        return ready.similarities(query)

    def to(self, query: Mapping[str, Stored], *, both: bool = False, at: slice | IntArray = _ALL) -> FloatArray:
        """Return the similarity of a query to each case at the positions ``at``; 0 if no attribute is compared.

        With ``both=True``, attributes missing only in the query count like attributes missing only in the case.
        """
        known = [name for name, weight in self.weights.items() if weight and query.get(name) is not None]
        codes = [self.columns[name].codes[at] for name in known]
        tables = [self.by_value(name, query[name]) for name in known]
        unknown = self.unknown
        if both and unknown == "different":
            # Missing values get a code with similarity 0, so that attributes that are missing in both can be ignored.
            codes = [self._filled[name][at] for name in known]
            tables = [np.append(table, 0.0) for table in tables]
            others = [name for name, weight in self.weights.items() if weight and query.get(name) is None]
            codes += [self.columns[name].codes[at] for name in others]
            tables += [np.zeros(len(self.columns[name].values)) for name in others]
            known, unknown = known + others, "ignore"
        if not known or not codes[0].size:
            return np.zeros(len(self.ids[at]))
        weights = np.array([self.weights[name] for name in known])
        return all_similarities(codes, tables, weights, unknown=unknown, n_threads=thread_count(None))

    def of(self, position: int, *, both: bool = False, at: slice | IntArray = _ALL) -> FloatArray:
        """Return the similarity of each case, including the case itself, to the case at ``position``; see `to`."""
        codes = {name: int(column.codes[position]) for name, column in self.columns.items()}
        values = {name: None if code < 0 else self.columns[name].values[code] for name, code in codes.items()}
        return self.to(values, both=both, at=at)
