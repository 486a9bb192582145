"""A user's own function as a measure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from priorcase._parameters import settle
from priorcase._typing import FloatArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import CaseKind, Stored, shown
from priorcase.cases.measures.checks import is_similarity
from priorcase.cases.measures.local_similarity import Prepared
from priorcase.exceptions import ParameterError, failure, quoted


@dataclass(frozen=True)
class Own:
    """``function(asked, stored)``: a number from 0 to 1 for the query's value and a case's.

    It is called once for each distinct stored value and query, with values as users see them: sets as frozensets, dates
    as dates, graphs as graphs. Whether it is 1 for equal values, and symmetric, is its own affair.

    Parameters
    ----------
    function
        Any function of two values.

    Examples
    --------
    >>> def near(asked, stored):
    ...     return 1 / (1 + abs(asked - stored))
    >>> from priorcase.cases.measures import similarities
    >>> similarities(3, [3, 5], "numeric", Own(near))
    {3: 1.0, 5: 0.333...}
    """

    function: Callable[[Any, Any], float]

    accepts: ClassVar[tuple[str, ...]] = ("numeric", "ordinal", "nominal", "text", "set", "date", "taxonomy", "graph")
    needs_solutions: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not callable(self.function) or isinstance(self.function, type):
            raise ParameterError(
                f"function must be a function of two values, got {quoted(self.function)}. For example lambda asked, "
                "stored: float(asked == stored)."
            )
        settle(self, function=self.function)

    def __repr__(self) -> str:
        return f"Own({getattr(self.function, '__name__', repr(self.function))})"

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        return _Prepared(self, column, tuple(_seen(column.kind, value) for value in column.values))


@dataclass(frozen=True, eq=False)
class _Prepared:
    measure: Own
    column: CaseColumn
    values: tuple[Any, ...]

    def similarities(self, query: Stored) -> FloatArray:
        asked = _seen(self.column.kind, query)
        return np.array([self._checked(asked, value) for value in self.values], dtype=np.float64)

    def _checked(self, asked: Any, value: Any) -> float:
        try:
            found = self.measure.function(asked, value)
        except Exception as error:  # whatever a user's function raises; it is the cause of what is raised here
            raise ParameterError(
                f"{quoted(self.measure)} raised {failure(error)} for {quoted(asked)} and {quoted(value)} of attribute "
                f"{self.column.name!r}. The traceback above this one shows where."
            ) from error
        if isinstance(found, (bool, np.bool_)) or is_similarity(found):
            return float(found)
        raise ParameterError(
            f"{quoted(self.measure)} returned {quoted(found)} for {quoted(asked)} and {quoted(value)} of attribute "
            f"{self.column.name!r}; expected a number from 0 to 1. 1 is as alike as can be, 0 not at all; for example "
            "1 / (1 + difference)."
        )


def _seen(kind: CaseKind | None, value: Stored) -> Any:
    return value if kind is None else shown(kind, value)
