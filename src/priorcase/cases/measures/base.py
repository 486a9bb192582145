"""Local similarities: how similar two values of one attribute are, from 0 to 1.

A measure is a frozen dataclass. `Measure.prepare` computes statistics of the stored values, such as their range or
document frequencies. The prepared measure then compares a query's value to every distinct stored value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from numbers import Real
from operator import add
from typing import Any, ClassVar, Protocol, TypeGuard, TypeVar, runtime_checkable

import numpy as np
from sklearn.utils._param_validation import Interval

from priorcase._parameters import as_python, check_fields, is_number, settle
from priorcase._typing import FloatArray
from priorcase.cases.kinds import Stored, shown
from priorcase.cases.table import CaseColumn
from priorcase.exceptions import ParameterError, failure, quoted

EVERY_KIND = ("numeric", "circular", "ordinal", "nominal", "text", "set", "date", "taxonomy", "graph")
POSITIVE = Interval(Real, 0, None, closed="neither")
SIMILARITY = Interval(Real, 0, 1, closed="both")

K = TypeVar("K")
V = TypeVar("V")


class Prepared(Protocol):
    """A local similarity prepared for the stored values of an attribute; immutable."""

    def similarities(self, query: Stored) -> FloatArray:
        """Return a new array with the similarity of the query's value to each distinct stored value.

        The query's value need not be among the stored values.
        """
        ...


@runtime_checkable
class LocalSimilarity(Protocol):
    """Protocol for your own similarity measures, with similarities from 0 (nothing in common) to 1 (equal)."""

    @property
    def accepts(self) -> tuple[str, ...]:
        """The kinds of attributes that the measure supports, such as ``("numeric", "date")``."""
        ...

    @property
    def needs_solutions(self) -> bool:
        """Whether the measure learns from the solutions of the stored cases."""
        ...

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        """Prepare the measure for the stored values.

        ``previous`` is the result for an earlier state of the same column. The measure can reuse parts of this
        result to save work, but the new result must be the same as without ``previous``.
        """
        ...


def is_measure(value: object) -> TypeGuard[LocalSimilarity]:
    """Return whether a value is a local similarity (an instance, not a class)."""
    # The class comes first: checking the methods of a protocol takes as long as a small retrieval.
    return isinstance(value, Measure) or (isinstance(value, LocalSimilarity) and not isinstance(value, type))


def is_similarity(value: object) -> bool:
    """Return whether a value is a number from 0 to 1."""
    return is_number(value) and bool(0 <= value <= 1)


class FrozenMapping(Mapping[K, V]):
    """A mapping that can be hashed and pickled; it prints as a dict."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[K, V]) -> None:
        self._items = dict(items)

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return repr(self._items)


class Measure:
    """Base class of the measures; subclasses implement `_prepare` and `_compare`."""

    accepts: tuple[str, ...] = EVERY_KIND
    needs_solutions: bool = False
    _parameter_constraints: ClassVar[dict[str, Any]] = {}

    def __post_init__(self) -> None:
        check_fields(self)

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> PreparedMeasure:
        """See `LocalSimilarity.prepare`."""
        earlier = previous.state if isinstance(previous, PreparedMeasure) and previous.measure == self else None
        return PreparedMeasure(self, column, self._prepare(column, solutions, earlier))

    def _prepare(self, column: CaseColumn, solutions: CaseColumn | None, earlier: Any, /) -> Any:
        """Return statistics of the stored values; ``earlier`` is the result for an earlier state, or None."""
        return None

    def _compare(self, query: Any, column: CaseColumn, state: Any, /) -> FloatArray:
        """Return the similarity of ``query`` to each of ``column.values``; ``state`` is the result of `_prepare`."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class PreparedMeasure:
    """A measure, a column, and the statistics that the measure computed for this column."""

    measure: Measure
    column: CaseColumn
    state: Any

    def similarities(self, query: Stored) -> FloatArray:
        """See `Prepared.similarities`."""
        return self.measure._compare(query, self.column, self.state)


@dataclass(frozen=True)
class Own(Measure):
    """Similarity by your own function: ``function(asked, stored)`` returns a number from 0 to 1.

    The function is called once for each query and each distinct stored value. Sets are passed as frozensets, dates as
    ``date`` or ``datetime`` objects, and graphs as `FunctionGraph` objects. The function need not be symmetric, and
    need not return 1 for equal values.

    >>> def near(asked, stored):
    ...     return 1 / (1 + abs(asked - stored))
    >>> from priorcase.cases.measures import similarities
    >>> similarities(3, [3, 5], "numeric", Own(near))
    {3: 1.0, 5: 0.333...}
    """

    function: Callable[[Any, Any], float]

    def __post_init__(self) -> None:
        if not callable(self.function) or isinstance(self.function, type):
            raise ParameterError(
                f"parameter 'function' of Own must be a function that takes two values, got {quoted(self.function)}"
            )

    def __repr__(self) -> str:
        return f"Own({getattr(self.function, '__name__', repr(self.function))})"

    def _prepare(self, column: CaseColumn, *_: Any) -> list[Any]:
        return [value if column.kind is None else shown(column.kind, value) for value in column.values]

    def _compare(self, query: Any, column: CaseColumn, state: list[Any], /) -> FloatArray:
        asked = query if column.kind is None else shown(column.kind, query)
        return np.array([self._called(asked, value, column.name) for value in state], dtype=np.float64)

    def _called(self, asked: Any, value: Any, attribute: str) -> float:
        try:
            found = self.function(asked, value)
        except Exception as error:  # a user's function can raise anything; it is chained as the cause
            raise ParameterError(
                f"{quoted(self)} raised {failure(error)} for {quoted(asked)} and {quoted(value)} of attribute "
                f"{attribute!r}. See the traceback above."
            ) from error
        if isinstance(found, (bool, np.bool_)) or is_similarity(found):
            return float(found)
        raise ParameterError(
            f"{quoted(self)} returned {quoted(found)} for {quoted(asked)} and {quoted(value)} of attribute "
            f"{attribute!r}; expected a number from 0 (nothing in common) to 1 (equal), such as 1 / (1 + difference)."
        )


@dataclass(frozen=True)
class Blend(Measure):
    """Weighted mean of several measures of one attribute, ``sum_m share_m s_m(a, b) / sum_m share_m``.

    ``measures`` is a mapping from measures to positive shares, or a list of measures with equal shares. The blend
    supports the kinds of attributes that all its measures support, and is symmetric if all its measures are symmetric.

    >>> from priorcase.cases.measures import EditDistance, TfIdf, similarities
    >>> similarities("jams", ["jam", "dust"], "text", Blend({TfIdf(): 1, EditDistance(): 3}))
    {'jam': 0.5625, 'dust': 0.0}
    """

    measures: Mapping[LocalSimilarity, float]

    def __post_init__(self) -> None:
        given: Any = self.measures
        if isinstance(given, Sequence) and not isinstance(given, str) and all(map(is_measure, given)):
            given = dict.fromkeys(given, 1)
        if not isinstance(given, Mapping) or not given or not all(map(is_measure, given)):
            raise ParameterError(
                "parameter 'measures' of Blend must be a mapping from measures to shares or a list of measures, got "
                f"{quoted(given)}. For example Blend({{TfIdf(): 2, EditDistance(): 1}})."
            )
        shares = {measure: as_python(share) if is_number(share) else share for measure, share in given.items()}
        for measure, share in shares.items():
            if not is_number(share) or not 0 < share < math.inf:
                raise ParameterError(
                    "parameter 'measures' of Blend must have shares that are finite numbers above 0, got "
                    f"{quoted(share)} for {quoted(measure)}."
                )
        first, *others = shares
        accepts = tuple(kind for kind in first.accepts if all(kind in other.accepts for other in others))
        needs_solutions = any(measure.needs_solutions for measure in shares)
        settle(self, measures=FrozenMapping(shares), accepts=accepts, needs_solutions=needs_solutions)

    def _prepare(self, column: CaseColumn, solutions: CaseColumn | None, earlier: Any, /) -> list[Prepared]:
        before = earlier or [None] * len(self.measures)
        return [measure.prepare(column, solutions, was) for measure, was in zip(self.measures, before, strict=True)]

    def _compare(self, query: Any, column: CaseColumn, state: list[Prepared], /) -> FloatArray:
        largest = max(self.measures.values())  # no overflow, however large the shares
        shares = [share / largest for share in self.measures.values()]
        # The shares are summed in the same order as the similarities, so that similarities of 1 give exactly 1.
        weighted = (part.similarities(query) * share for part, share in zip(state, shares, strict=True))
        return reduce(add, weighted) / reduce(add, shares)
