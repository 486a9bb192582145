"""Minimising a function of numbers that must not be negative, by projected gradient steps of spectral length."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from priorcase._typing import FloatArray

Function = Callable[[FloatArray], tuple[float, FloatArray]]
"""Gives its value and its gradient."""

_MEMORY = 5
_SUFFICIENT = 1e-4
_SETTLED = 1e-4
_SHORTEST = 1e-4


def descend(function: Function, start: FloatArray, *, steps: int) -> FloatArray:
    """Numbers >= 0 at which a function is small, found from ``start`` in at most ``steps`` steps.

    Steps follow the projected gradient, as long as Barzilai & Borwein's; a step is shortened to a quarter until the
    value is below the largest of the last five (Birgin, Martinez & Raydan 2000, algorithm 2.2). It ends where five
    steps gained less than a ten-thousandth.

    Examples
    --------
    >>> def bowl(x):
    ...     return float(((x - [1.0, -2.0]) ** 2).sum()), 2 * (x - [1.0, -2.0])
    >>> descend(bowl, np.ones(2), steps=20)
    array([1., 0.])
    """
    x = np.maximum(start, 0.0)
    value, gradient = function(x)
    best, found = value, x
    values = [value]
    # A first step that takes nothing to 0 at once.
    length = 0.5 * float(x.max(initial=0.0)) / max(float(np.abs(gradient).max(initial=0.0)), 1e-300)
    for _ in range(steps):
        direction = np.maximum(x - length * gradient, 0.0) - x
        fall = float(gradient @ direction)
        if not fall < 0.0:
            break
        share, limit = 1.0, max(values[-_MEMORY:])
        while True:
            tried = np.maximum(x + share * direction, 0.0)
            value, slope = function(tried)
            if value <= limit + _SUFFICIENT * share * fall or share < _SHORTEST:
                break
            share /= 4.0
        moved, turned = tried - x, slope - gradient
        bend = float(moved @ turned)
        length = float(moved @ moved) / bend if bend > 0.0 else 10.0 * length
        x, gradient = tried, slope
        values.append(value)
        if value < best:
            best, found = value, x
        if len(values) > _MEMORY and values[-1 - _MEMORY] - value < _SETTLED * abs(value):
            break
    return found
