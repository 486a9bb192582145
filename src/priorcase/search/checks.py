"""What may be asked of a search."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from priorcase._numbers import is_whole
from priorcase.exceptions import ParameterError
from priorcase.typing import FloatArray


def check_count(caller: str, k: object) -> None:
    """Refuse a number of neighbours that is none."""
    if not is_whole(k) or k < 1:
        raise ParameterError.wrong(caller, "k", k, expected="a whole number >= 1", hint="1 finds the nearest row.")


def check_radii(caller: str, radius: ArrayLike, count: int) -> FloatArray:
    """One radius for each query."""
    try:
        radii = np.broadcast_to(np.asarray(radius, dtype=np.float64), (count,))
    except (TypeError, ValueError):
        radii = np.array([np.nan])
    if np.any(np.isnan(radii)):
        expected = f"a number, or one for each of the {count} queries"
        raise ParameterError.wrong(caller, "radius", radius, expected=expected, hint="inf finds every row.")
    return np.ascontiguousarray(radii)
