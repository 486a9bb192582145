"""Information gain with gaps, slow and obvious: fractions for shares, one logarithm for each of them.

Quinlan 1986, section 4 (gain) and Quinlan 1993, *C4.5*, sections 2.2 (cuts of numbers) and 3.2 (gaps). Cases are pairs
of a value, None where it is missing, and a class; weights are whole numbers or fractions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any

Weights = Sequence[Fraction]

SATURDAYS = [
    tuple(line.split())
    for line in """
    sunny hot high weak no
    sunny hot high strong no
    overcast hot high weak yes
    rain mild high weak yes
    rain cool normal weak yes
    rain cool normal strong no
    overcast cool normal strong yes
    sunny mild high weak no
    sunny cool normal weak yes
    rain mild normal weak yes
    sunny mild normal strong yes
    overcast mild high strong yes
    overcast hot normal weak yes
    rain mild high strong no
    """.strip().splitlines()
]
"""Outlook, temperature, humidity, wind, and whether to play: Quinlan 1986, table 1; Mitchell 1997, table 3.2."""


def entropy(weights: Weights, classes: Sequence[Hashable]) -> float:
    """The bits that the class of one of these cases is worth: the sum of -p log2 p."""
    total = sum(weights, Fraction(0))
    if not total:
        return 0.0
    shares = [
        sum((w for w, c in zip(weights, classes, strict=True) if c == one), Fraction(0)) / total
        for one in dict.fromkeys(classes)
    ]
    return -sum(float(p) * (math.log2(p.numerator) - math.log2(p.denominator)) for p in shares if p)


def gain(weights: Weights, values: Sequence[Any], classes: Sequence[Hashable]) -> float:
    """The share of known cases, times how many bits their value tells about their class."""
    total = sum(weights, Fraction(0))
    known = [i for i, value in enumerate(values) if value is not None]
    part = sum((weights[i] for i in known), Fraction(0))
    if not part:
        return 0.0

    def among(places: Sequence[int]) -> float:
        return entropy([weights[i] for i in places], [classes[i] for i in places])

    after = 0.0
    for value in dict.fromkeys(values[i] for i in known):
        places = [i for i in known if values[i] == value]
        after += float(sum((weights[i] for i in places), Fraction(0)) / part) * among(places)
    return float(part / total) * (among(known) - after)


def split_gain(
    weights: Weights, values: Sequence[Any], classes: Sequence[Hashable], holds: Callable[[Any], bool]
) -> float:
    """The gain of asking whether something holds of the value."""
    return gain(weights, [None if value is None else holds(value) for value in values], classes)


def best_cut(
    weights: Weights, values: Sequence[float | None], classes: Sequence[Hashable]
) -> tuple[float | None, float]:
    """The stored number for which "is it at most that?" gains most, the smallest of equals, and the gain."""
    levels = sorted({value for value, weight in zip(values, weights, strict=True) if value is not None and weight})
    best: tuple[float | None, float] = (None, 0.0)
    for cut in levels[:-1]:
        found = split_gain(weights, values, classes, lambda value, cut=cut: value <= cut)
        if found > best[1] + 1e-12:
            best = (cut, found)
    return best


def best_mention(
    weights: Weights, values: Sequence[frozenset[str] | None], classes: Sequence[Hashable], words: Iterable[str]
) -> tuple[str | None, float]:
    """The word for which "does it mention that?" gains most, the first by its letters of equals, and the gain."""
    best: tuple[str | None, float] = (None, 0.0)
    for word in sorted(words):
        found = split_gain(weights, values, classes, lambda value, word=word: word in value)
        if found > best[1] + 1e-12:
            best = (word, found)
    return best
