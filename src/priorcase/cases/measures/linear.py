"""Numbers and dates that are the less alike, the farther they lie apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from priorcase._parameters import settle
from priorcase.cases.column import CaseColumn
from priorcase.cases.measures.checks import flag, positive_or_none
from priorcase.cases.measures.local_similarity import Prepared
from priorcase.cases.measures.number_line import Falling, NumberLine


@dataclass(frozen=True)
class Linear:
    """``max(0, 1 - |a - b| / range)``: falls evenly with the difference; dates differ by days.

    Symmetric. Where all stored cases have one value and no range is given, 1 for that value and 0 for any other.

    Parameters
    ----------
    range
        The difference at which nothing is left; None: the range of the stored cases, so that similarities change when
        a case beyond it is added.
    log
        Whether numbers are compared on the scale ``log(1 + x)`` (mirrored below 0): for skewed numbers such as prices
        and miles, where a difference of 1,000 means more at 2,000 than at 200,000. The range is one of logarithms then.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> similarities(20, [18, 25, 40], "numeric", Linear(range=10))
    {18: 0.8, 25: 0.5, 40: 0.0}
    """

    range: float | None = None
    log: bool = False

    accepts: ClassVar[tuple[str, ...]] = ("numeric", "date")
    needs_solutions: ClassVar[bool] = False

    def __post_init__(self) -> None:
        hint = "None takes the range of the stored cases."
        found = positive_or_none("range", self.range, hint=hint)
        settle(self, range=found, log=flag("log", self.log, hint="True is for skewed numbers."))

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        line = NumberLine.of(self, column, log=self.log)
        return Falling(line, line.length(self.range))
