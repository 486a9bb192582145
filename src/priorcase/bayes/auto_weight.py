"""The prior weight that makes the stored rows most probable."""

from __future__ import annotations

import math
from collections.abc import Callable

from priorcase.exceptions import PriorError

# In powers of ten, so that the ends and 1 are hit exactly.
_DECADES, _PER_DECADE = (-3, 3), 4
_TOLERANCE = 4e-7
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


def choose_weight(log_evidence: Callable[[float], float], decades: tuple[int, int] = _DECADES) -> float:
    """The weight, from 1e-3 to 1e3 unless said otherwise, at which a smooth function of it is largest.

    First on a grid, four weights for each power of ten, then by golden section between the neighbours of the best,
    until the weight is known to one part in a million (as far as rounding of the function allows). No answer is worse
    than the best of the grid. Of equal ones the weight nearest 1 wins, so that a constant function gives 1.

    Parameters
    ----------
    log_evidence
        The function, such as the log marginal likelihood of the stored rows; called about 55 times.
    decades
        The smallest and the largest weight, as powers of ten.

    Examples
    --------
    >>> round(choose_weight(lambda weight: -(math.log(weight) - math.log(3)) ** 2), 4)
    3.0
    """
    tried: dict[float, float] = {}

    def value(x: float) -> float:
        if x not in tried:
            tried[x] = float(log_evidence(10.0**x))
            if math.isnan(tried[x]):
                raise PriorError.no_evidence(10.0**x)
        return tried[x]

    low, high = (decade * _PER_DECADE for decade in decades)
    grid = [step / _PER_DECADE for step in range(low, high + 1)]
    best = max(range(len(grid)), key=lambda i: (value(grid[i]), -abs(grid[i]), -i))
    _narrow(value, grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)])
    winner = max(tried, key=lambda x: (tried[x], -abs(x), -x))
    return float(10.0**winner)


def _narrow(value: Callable[[float], float], low: float, high: float) -> None:
    """Golden section search for the largest value between two points; ``value`` remembers what it was asked."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    while high - low > _TOLERANCE:
        if value(left) >= value(right):
            high, right = right, left
            left = high - _GOLDEN * (high - low)
        else:
            low, left = left, right
            right = low + _GOLDEN * (high - low)
