"""Values that are alike where they are near enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from priorcase._parameters import settle
from priorcase._typing import FloatArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored
from priorcase.cases.measures.checks import flag, not_negative
from priorcase.cases.measures.local_similarity import Prepared
from priorcase.cases.measures.number_line import NumberLine


@dataclass(frozen=True)
class Threshold:
    """1 where ``|a - b| <= tolerance``, otherwise 0. Dates differ by days, ordinal values by levels.

    Symmetric.

    Parameters
    ----------
    tolerance
        The largest difference that does not count.
    log
        As in `Linear`, for numbers only; the tolerance is one of logarithms then.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> similarities(3, [2.5, 3.6], "numeric", Threshold(0.5))
    {2.5: 1.0, 3.6: 0.0}
    """

    tolerance: float
    log: bool = False

    accepts: ClassVar[tuple[str, ...]] = ("numeric", "date", "ordinal")
    needs_solutions: ClassVar[bool] = False

    def __post_init__(self) -> None:
        tolerance = not_negative("tolerance", self.tolerance, hint="0 accepts equal values only.")
        settle(self, tolerance=tolerance, log=flag("log", self.log, hint="True is for skewed numbers."))

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        line = NumberLine.of(self, column, log=self.log)
        return _Prepared(line, line.length(self.tolerance))


@dataclass(frozen=True, eq=False)
class _Prepared:
    line: NumberLine
    tolerance: float

    def similarities(self, query: Stored) -> FloatArray:
        gaps = self.line.gaps(query)
        return (np.abs(gaps, out=gaps) <= self.tolerance).astype(np.float64)
