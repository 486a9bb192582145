"""Mixtures of two of three triangular waves, with noise (Breiman, Friedman, Olshen & Stone 1984)."""

from __future__ import annotations

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.datasets.drawing import RandomState, check_attributes, check_count, generator
from priorcase.exceptions import prefix_errors

__all__ = ["PAIRS", "WAVES", "make_waveform"]

_PEAKS = np.array([[11], [15], [7]])

WAVES: FloatArray = np.maximum(6.0 - np.abs(np.arange(1, 22) - _PEAKS), 0.0)
"""The waves h1, h2 and h3: triangles of height 6 over 21 points, with their peaks at points 11, 15 and 7."""
WAVES.flags.writeable = False

PAIRS = ((0, 1), (0, 2), (1, 2))
"""The two waves that each class mixes."""

SIZES = (21, 40)


@prefix_errors
def make_waveform(n: int, *, attributes: int = 21, random_state: RandomState = None) -> tuple[FloatArray, IntArray]:
    """Rows ``u h_a + (1 - u) h_b + e`` of three classes, which differ by the waves a and b that are mixed.

    The class is drawn evenly, u evenly from 0 to 1 for each row, and e from the normal distribution for each cell. The
    best of all rules is right in 86 to 87 of 100 rows.

    Parameters
    ----------
    n
        How many rows.
    attributes
        21 for the points of the wave alone; 40 for 19 more numbers, drawn from the normal distribution.
    random_state
        A seed, for the same rows in every run; the first 21 of 40 columns are those that 21 would have.

    Returns
    -------
    X, y
        Numbers of shape ``(n, attributes)``, and the classes 0, 1 and 2.

    References
    ----------
    Breiman, Friedman, Olshen & Stone 1984, Classification and Regression Trees, section 2.6.2.

    Examples
    --------
    >>> X, y = make_waveform(4, random_state=0)
    >>> X.shape, y
    ((4, 21), array([2, 1, 1, 0]))
    """
    n = check_count("n", n, hint="It is the number of rows.")
    hint = "21 points of a wave, or 40 with 19 numbers that mean nothing."
    attributes = check_attributes(attributes, SIZES, hint=hint)
    rng = generator(random_state)
    y = rng.integers(len(PAIRS), size=n)
    u = rng.random((n, 1))
    first, second = np.array(PAIRS)[y].T
    X = u * WAVES[first] + (1 - u) * WAVES[second] + rng.standard_normal((n, WAVES.shape[1]))
    return np.hstack([X, rng.standard_normal((n, attributes - X.shape[1]))]), y
