"""Dates whose likeness halves with every so many days between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from priorcase._parameters import settle
from priorcase._typing import FloatArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored
from priorcase.cases.measures.checks import positive
from priorcase.cases.measures.local_similarity import Prepared
from priorcase.cases.measures.number_line import NumberLine


@dataclass(frozen=True)
class Recency:
    """``2 ** (-|days between| / half_life)``: ask with today's date, and older cases count less. Symmetric.

    Parameters
    ----------
    half_life
        Days that halve the similarity.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> list(similarities("2024-05-01", ["2024-05-01", "2024-04-01"], "date", Recency(half_life=30)).values())
    [1.0, 0.5]
    """

    half_life: float

    accepts: ClassVar[tuple[str, ...]] = ("date",)
    needs_solutions: ClassVar[bool] = False

    def __post_init__(self) -> None:
        hint = "A number of days, such as 365."
        settle(self, half_life=positive("half_life", self.half_life, hint=hint))

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        return _Prepared(NumberLine.of(self, column), float(self.half_life))


@dataclass(frozen=True, eq=False)
class _Prepared:
    line: NumberLine
    half_life: float

    def similarities(self, query: Stored) -> FloatArray:
        gaps = self.line.gaps(query)
        with np.errstate(over="ignore", under="ignore"):
            np.divide(np.abs(gaps, out=gaps), -self.half_life, out=gaps)
            return np.exp2(gaps, out=gaps)
