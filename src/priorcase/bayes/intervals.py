"""Bins as values: between which numbers a number lies."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from priorcase._typing import FloatArray


@dataclass(frozen=True, order=True)
class Interval:
    """The numbers from ``low`` up to, but not including, ``high``.

    Parameters
    ----------
    low, high
        Where it begins and ends; infinite at the ends of a column.

    Examples
    --------
    >>> 30 in Interval(30.0, 45.0), 45 in Interval(30.0, 45.0)
    (True, False)
    >>> print(Interval(30.0, 45.0))
    30 to below 45
    """

    low: float
    high: float

    def __contains__(self, number: float) -> bool:
        return self.low <= number < self.high

    def __str__(self) -> str:
        if self.low == -float("inf"):
            return "any number" if self.high == float("inf") else f"below {self.high:.10g}"
        return f"{self.low:.10g} or more" if self.high == float("inf") else f"{self.low:.10g} to below {self.high:.10g}"


def intervals(cuts: FloatArray) -> list[Interval]:
    """The bins between some cut points, ascending.

    Examples
    --------
    >>> import numpy as np
    >>> print(*intervals(np.array([30.0, 45.0])), sep=", ")
    below 30, 30 to below 45, 45 or more
    """
    edges = [-float("inf"), *cuts.tolist(), float("inf")]
    return [Interval(low, high) for low, high in pairwise(edges)]
