"""Dates that are alike where they fall into the same time of the year."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored
from priorcase.cases.measures.local_similarity import Prepared

_DAYS = 366
# The day of a leap year on which each month begins, so that a date has the same day in every year.
_BEGINS = [0, *accumulate((31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30))]


@dataclass(frozen=True)
class Season:
    """``1 - d / 183`` with d the days between two dates of a leap year, the short way round: years do not count.

    New Year's Eve and New Year's Day are neighbours, and the 1st of May is like itself in every year. A moment counts
    by its own calendar day. Symmetric; 1 for dates that differ in the year only.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> list(similarities("2025-01-01", ["2023-12-31", "2024-07-02"], "date", Season()).values())
    [0.994..., 0.0]
    """

    accepts: ClassVar[tuple[str, ...]] = ("date",)
    needs_solutions: ClassVar[bool] = False

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        return _Prepared(_days_of_year(column.values))


@dataclass(frozen=True, eq=False)
class _Prepared:
    days: IntArray

    def similarities(self, query: Stored) -> FloatArray:
        apart = np.abs(self.days - _days_of_year([query])[0])
        return np.asarray(1.0 - np.minimum(apart, _DAYS - apart) / (_DAYS // 2), dtype=np.float64)


def _days_of_year(dates: Iterable[Stored]) -> IntArray:
    texts = map(str, dates)
    return np.array([_BEGINS[int(text[5:7]) - 1] + int(text[8:10]) for text in texts], dtype=np.int64)
