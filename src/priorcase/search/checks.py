"""What may be asked of a search."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from priorcase._parameters import is_whole
from priorcase._typing import FloatArray, IdArray
from priorcase.exceptions import ParameterError


def check_count(k: object) -> None:
    """Refuse a number of neighbours that is none."""
    if not is_whole(k) or k < 1:
        raise ParameterError.wrong("k", k, expected="a whole number >= 1", hint="1 finds the nearest row.")


def check_radii(radius: ArrayLike, count: int) -> FloatArray:
    """One radius for each query."""
    try:
        radii = np.broadcast_to(np.asarray(radius, dtype=np.float64), (count,))
    except (TypeError, ValueError):
        radii = np.array([np.nan])
    if np.any(np.isnan(radii)):
        expected = f"a number, or one for each of the {count} queries"
        raise ParameterError.wrong("radius", radius, expected=expected, hint="inf finds every row.")
    return np.ascontiguousarray(radii)


def check_queries(queries: ArrayLike, width: int) -> FloatArray:
    """Cells of queries, one row for each."""
    try:
        cells = np.ascontiguousarray(queries, dtype=np.float64)
    except (TypeError, ValueError):
        cells = np.empty(0)
    if cells.ndim != 2 or cells.shape[1] != width:
        expected = f"a matrix of cells with {width} columns"
        raise ParameterError.wrong("queries", queries, expected=expected, hint="Instances.encode makes one.")
    return cells


def check_weights(weights: ArrayLike | None, count: int, width: int) -> FloatArray | None:
    """Attribute weights: one row for all queries, or one for each."""
    if weights is None:
        return None
    try:
        checked = np.ascontiguousarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        checked = np.empty(0)
    if checked.shape not in ((width,), (count, width)) or not np.isfinite(checked).all() or (checked < 0).any():
        expected = f"{width} finite numbers >= 0, or as many for each of the {count} queries"
        raise ParameterError.wrong("weights", weights, expected=expected, hint="None weighs all columns alike.")
    return checked


def check_excluded(exclude: ArrayLike | None, count: int) -> IdArray | None:
    """One id for each query that is not to be found."""
    if exclude is None:
        return None
    checked = np.asarray(exclude)
    if checked.shape != (count,) or (count and checked.dtype.kind not in "iu"):
        expected = f"one id for each of the {count} queries"
        raise ParameterError.wrong("exclude", exclude, expected=expected, hint="-1 excludes nothing.")
    return np.ascontiguousarray(checked, dtype=np.int64)


def check_threads(threads: object) -> None:
    """Refuse a number of threads that is none."""
    if not is_whole(threads) or threads < 1:
        raise ParameterError.wrong("threads", threads, expected="a whole number >= 1", hint="1 is always right.")
