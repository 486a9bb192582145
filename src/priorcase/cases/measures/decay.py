"""Values whose likeness decays with their difference and never quite ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from priorcase._parameters import settle
from priorcase._typing import FloatArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored
from priorcase.cases.measures.checks import flag, positive
from priorcase.cases.measures.local_similarity import Prepared
from priorcase.cases.measures.number_line import NumberLine

_HINT = "Choose a difference that leaves about a third of the similarity."


@dataclass(frozen=True)
class _Decay:
    """What measures that decay share: a scale, and whether differences are squared."""

    scale: float
    log: bool = False

    accepts: ClassVar[tuple[str, ...]] = ("numeric", "date", "ordinal")
    needs_solutions: ClassVar[bool] = False
    squared: ClassVar[bool]

    def __post_init__(self) -> None:
        scale = positive("scale", self.scale, hint=_HINT)
        settle(self, scale=scale, log=flag("log", self.log, hint="True is for skewed numbers."))

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        line = NumberLine.of(self, column, log=self.log)
        return _Decaying(line, line.length(self.scale), self.squared)


@dataclass(frozen=True)
class Exponential(_Decay):
    """``exp(-|a - b| / scale)``. Dates differ by days, ordinal values by levels.

    Symmetric.

    Parameters
    ----------
    scale
        The difference that leaves ``1/e``, about 0.37.
    log
        As in `Linear`, for numbers only; the scale is one of logarithms then.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> similarities(0, [0, 100, 200], "numeric", Exponential(scale=100))
    {0: 1.0, 100: 0.367..., 200: 0.135...}
    """

    squared: ClassVar[bool] = False


@dataclass(frozen=True)
class Gaussian(_Decay):
    """``exp(-((a - b) / scale)^2)``: hardly falls at first, then fast. Dates differ by days, ordinal values by levels.

    Symmetric. The exponent is not halved, as in the library's Gaussian kernel (Atkeson, Moore & Schaal 1997).

    Parameters
    ----------
    scale
        The difference that leaves ``1/e``, about 0.37.
    log
        As in `Linear`, for numbers only; the scale is one of logarithms then.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> similarities(0, [0, 100, 200], "numeric", Gaussian(scale=100))
    {0: 1.0, 100: 0.367..., 200: 0.018...}
    """

    squared: ClassVar[bool] = True


@dataclass(frozen=True, eq=False)
class _Decaying:
    line: NumberLine
    scale: float
    squared: bool

    def similarities(self, query: Stored) -> FloatArray:
        gaps = self.line.gaps(query)
        with np.errstate(over="ignore", under="ignore"):
            gaps /= self.scale
            if self.squared:
                gaps *= gaps
            else:
                np.abs(gaps, out=gaps)
            # Beyond this nothing is left but 1e-304, and exponentials so small are slow.
            np.minimum(gaps, 700.0, out=gaps)
            return np.exp(np.negative(gaps, out=gaps), out=gaps)
