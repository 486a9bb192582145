"""Noise, slow and obvious: one cell at a time (Aha, Kibler & Albert 1991: the noise level of an artificial domain).

"The probability that each attribute value (except the class attribute) of each instance is replaced by a
randomly-selected value from the attribute's domain, according to the attribute's distribution."
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Column = Sequence[Any]


def noisy_column(column: Column, level: float, chances: Sequence[float], picks: Sequence[float]) -> list[Any]:
    """A value is replaced where its chance is below the level, by that of a row picked among those that have one."""
    values = [value for value in column if value is not None]
    noisy = []
    for value, chance, pick in zip(column, chances, picks, strict=True):
        if value is not None and chance < level:
            value = values[math.floor(pick * len(values))]
        noisy.append(value)
    return noisy


def other_classes(column: Column, level: float, chances: Sequence[float], picks: Sequence[float]) -> list[Any]:
    """A class is replaced by one of the others, each as probable; classes stand in the order they come up in."""
    labels = list(dict.fromkeys(column))
    noisy = []
    for label, chance, pick in zip(column, chances, picks, strict=True):
        others = [other for other in labels if other != label]
        noisy.append(others[math.floor(pick * len(others))] if chance < level and others else label)
    return noisy
