"""Values of which less is better, or more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from priorcase._parameters import settle
from priorcase._typing import FloatArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored
from priorcase.cases.measures.checks import choice, flag, positive_or_none
from priorcase.cases.measures.local_similarity import Prepared
from priorcase.cases.measures.number_line import NumberLine, falling

Better = Literal["less", "more"]


@dataclass(frozen=True)
class OneSided:
    """1 for a case that is at least as good as asked; otherwise ``max(0, 1 - shortfall / range)``.

    With ``better="less"`` a case below what is asked is as good as asked (a price, a weight), with ``"more"`` one above
    (a power, a size of memory). Not symmetric: the first value is the query's, the second the case's.

    Parameters
    ----------
    better
        ``"less"`` or ``"more"``.
    range
        The shortfall at which nothing is left; None: the range of the stored cases (ordinal: of all levels).
    log
        As in `Linear`, for numbers only.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> similarities(9000, [7000, 10000, 20000], "numeric", OneSided("less", range=5000))
    {7000: 1.0, 10000: 0.8, 20000: 0.0}
    """

    better: Better
    range: float | None = None
    log: bool = False

    accepts: ClassVar[tuple[str, ...]] = ("numeric", "date", "ordinal")
    needs_solutions: ClassVar[bool] = False

    def __post_init__(self) -> None:
        better = choice("better", self.better, get_args(Better), hint="'less' is for prices.")
        hint = "None takes the range of the stored cases."
        found = positive_or_none("range", self.range, hint=hint)
        log = flag("log", self.log, hint="True is for skewed numbers.")
        settle(self, better=better, range=found, log=log)

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        line = NumberLine.of(self, column, log=self.log)
        return _Prepared(line, line.length(self.range), self.better == "less")


@dataclass(frozen=True, eq=False)
class _Prepared:
    line: NumberLine
    length: float
    less: bool

    def similarities(self, query: Stored) -> FloatArray:
        gaps = self.line.gaps(query)
        if not self.less:
            np.negative(gaps, out=gaps)
        return falling(np.maximum(gaps, 0.0, out=gaps), self.length)
