"""A simple concept in the plane, all above a jagged line, to see which instances a learner saves.

The figures of Aha, Kibler & Albert 1991 show such a domain and do not give its numbers; these are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import BoolArray, FloatArray, IntArray

__all__ = ["CORNERS", "Points", "draw_points", "jagged_distance"]

CORNERS: FloatArray = np.array([[0.0, 0.7], [0.25, 0.3], [0.5, 0.7], [0.75, 0.3], [1.0, 0.7]])
"""The line, from corner to corner."""
CORNERS.flags.writeable = False


@dataclass(frozen=True, eq=False)
class Points:
    """Points of the unit square.

    Parameters
    ----------
    X
        Where they are said to be, shape (n, 2).
    y
        1 above the line, 0 below, of where they really are.
    noisy
        Whether one of their values was replaced.
    """

    X: FloatArray
    y: IntArray
    noisy: BoolArray


def draw_points(n: int, *, noise: float = 0.0, random_state: int | np.random.Generator = 0) -> Points:
    """Points drawn evenly; with probability ``noise`` each value is replaced by another of its distribution.

    The same points for a seed, whatever the noise.

    Examples
    --------
    >>> draw_points(3).X.round(2)
    array([[0.64, 0.27],
           [0.04, 0.02],
           [0.81, 0.91]])
    >>> draw_points(3, noise=0.5).X.round(2)  # one value was replaced
    array([[0.64, 0.27],
           [0.04, 0.02],
           [0.81, 0.54]])
    """
    stream = np.random.default_rng(random_state)
    X = stream.random((n, 2))
    y = (X[:, 1] > np.interp(X[:, 0], *CORNERS.T)).astype(np.int64)
    replaced, other = stream.random((n, 2)) < noise, stream.random((n, 2))
    return Points(np.where(replaced, other, X), y, np.asarray(replaced.any(axis=1)))


def jagged_distance(X: FloatArray) -> FloatArray:
    """How far each point is from the line.

    Examples
    --------
    >>> jagged_distance(np.array([[0.25, 0.3], [0.25, 0.2], [0.0, 1.0]])).round(3)
    array([0. , 0.1, 0.3])
    """
    starts, ends = CORNERS[:-1], CORNERS[1:]
    along = ends - starts
    from_start = X[:, None] - starts
    part = np.clip((from_start * along).sum(axis=2) / (along**2).sum(axis=1), 0.0, 1.0)
    distances: FloatArray = np.sqrt(((from_start - part[..., None] * along) ** 2).sum(axis=2)).min(axis=1)
    return distances
