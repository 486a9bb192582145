"""A concept of four separate parts in the plane, to see what a learner keeps and what noise does to it."""

from __future__ import annotations

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.datasets.drawing import RandomState, check_count, check_share, generator
from priorcase.exceptions import ParameterError, prefix_errors, quoted

__all__ = ["DISJUNCTS", "boundary_distance", "make_disjuncts"]

DISJUNCTS: FloatArray = np.array(
    [
        [[0.10, 0.40], [0.55, 0.90]],
        [[0.60, 0.90], [0.60, 0.95]],
        [[0.15, 0.45], [0.10, 0.40]],
        [[0.60, 0.95], [0.10, 0.40]],
    ]
)
"""The rectangles that make up the concept: the ends of each in the first and in the second direction."""
DISJUNCTS.flags.writeable = False


@prefix_errors
def make_disjuncts(
    n: int, *, noise: float = 0.0, irrelevant: int = 0, random_state: RandomState = None
) -> tuple[FloatArray, IntArray]:
    """Points drawn evenly from the unit square: class 1 inside one of four rectangles, 0 outside.

    As in the artificial domains of Aha, Kibler & Albert 1991, whose figures show such a concept without its numbers,
    noise is the probability that a value is *replaced* by another one of its distribution; the class stays.

    Parameters
    ----------
    n
        How many points.
    noise
        The probability that a value is replaced, for each of the two.
    irrelevant
        How many more columns there are, drawn evenly from 0 to 1, that have nothing to do with the class.
    random_state
        A seed, for the same rows in every run; the same points whatever the noise and the other columns.

    Returns
    -------
    X, y
        Numbers of shape ``(n, 2 + irrelevant)``, and the classes.

    Examples
    --------
    >>> X, y = make_disjuncts(4, random_state=0)
    >>> X.round(2), y
    (array([[0.64, 0.27],
           [0.04, 0.02],
           [0.81, 0.91],
           [0.61, 0.73]]), array([1, 0, 1, 1]))
    """
    n = check_count("n", n, hint="It is the number of rows.")
    hint = "0.1 replaces one value in ten."
    noise = check_share("noise", noise, hint=hint)
    hint = "It is the number of columns to add."
    irrelevant = check_count("irrelevant", irrelevant, hint=hint)
    rng = generator(random_state)
    X = rng.random((n, 2))
    y = (_gaps(X).max(axis=2) <= 0).any(axis=1).astype(np.int64)
    replaced, other = rng.random((n, 2)) < noise, rng.random((n, 2))
    return np.hstack([np.where(replaced, other, X), rng.random((n, irrelevant))]), y


@prefix_errors
def boundary_distance(X: AnyArray) -> FloatArray:
    """How far each point is from the boundary of the concept, on whichever side; columns after the second do not count.

    Examples
    --------
    >>> boundary_distance([[0.25, 0.6], [0.05, 0.6], [0.0, 0.0]]).round(3)
    array([0.05, 0.05, 0.18])
    """
    points = np.asarray(X, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] < 2:
        raise ParameterError(
            f"X.shape must be (n, 2) or more columns, got {quoted(points.shape)}. make_disjuncts draws such points."
        )
    gaps = _gaps(points[:, :2])
    inside = -gaps.max(axis=2)
    outside = np.hypot(*np.moveaxis(np.maximum(gaps, 0.0), 2, 0))
    distances: FloatArray = np.where(inside >= 0, inside, outside).min(axis=1)
    return distances


def _gaps(points: FloatArray) -> FloatArray:
    """How far points are beyond the ends of each rectangle, by direction; below 0 within: (points, rectangles, 2)."""
    return np.maximum(DISJUNCTS[..., 0] - points[:, None, :], points[:, None, :] - DISJUNCTS[..., 1])
