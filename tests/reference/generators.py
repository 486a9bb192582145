"""The artificial domains, slow and obvious: one row at a time, and what the best of all rules can do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

LED = {
    0: {"top", "top left", "top right", "bottom left", "bottom right", "bottom"},
    1: {"top right", "bottom right"},
    2: {"top", "top right", "middle", "bottom left", "bottom"},
    3: {"top", "top right", "middle", "bottom right", "bottom"},
    4: {"top left", "top right", "middle", "bottom right"},
    5: {"top", "top left", "middle", "bottom right", "bottom"},
    6: {"top", "top left", "middle", "bottom left", "bottom right", "bottom"},
    7: {"top", "top right", "bottom right"},
    8: {"top", "top left", "top right", "middle", "bottom left", "bottom right", "bottom"},
    9: {"top", "top left", "top right", "middle", "bottom right", "bottom"},
}
"""The segments that each digit lights (Breiman et al. 1984, section 2.6.1)."""

PLACES = ("top", "top left", "top right", "middle", "bottom left", "bottom right", "bottom")


def lit(digit: int) -> tuple[bool, ...]:
    return tuple(place in LED[digit] for place in PLACES)


def led_bayes_rate(noise: Fraction) -> Fraction:
    """The sum over all displays x of max_y P(y) P(x | y), exactly."""
    total = Fraction(0)
    for display in product((False, True), repeat=len(PLACES)):
        chances = []
        for digit in LED:
            chance = Fraction(1, len(LED))
            for light, right in zip(display, lit(digit), strict=True):
                chance *= noise if light != right else 1 - noise
            chances.append(chance)
        total += max(chances)
    return total


def wave(number: int, i: int) -> int:
    """h1, h2 and h3 at i = 1 to 21 (Breiman et al. 1984, section 2.6.2)."""
    shift = {1: 0, 2: -4, 3: 4}[number]
    return max(6 - abs(i + shift - 11), 0)


MIXED = {0: (1, 2), 1: (1, 3), 2: (2, 3)}
"""The waves a and b of u h_a + (1 - u) h_b for each class."""


def waveform_log_density(row: Sequence[float], label: int) -> float:
    """ln of the integral over u in [0, 1] of prod_i phi(x_i - u a_i - (1 - u) b_i), less the constant of phi.

    With r = x - b, d = a - b and m = r.d / d.d the exponent is -(r.r - m^2 d.d) / 2 - d.d (u - m)^2 / 2: a normal
    density in u, whose integral is a difference of two error functions.
    """
    a, b = ([wave(number, i) for i in range(1, 22)] for number in MIXED[label])
    r = [x - v for x, v in zip(row, b, strict=True)]
    d = [v - w for v, w in zip(a, b, strict=True)]
    dd = sum(v * v for v in d)
    m = sum(v * w for v, w in zip(r, d, strict=True)) / dd
    reach = math.sqrt(dd / 2)
    between = math.erf((1 - m) * reach) - math.erf(-m * reach)
    exponent = -(sum(v * v for v in r) - m * m * dd) / 2
    return exponent + math.log(between * math.sqrt(math.pi / 2 / dd)) if between > 0 else -math.inf


def waveform_best_guess(row: Sequence[float]) -> int:
    """The most probable class of a row."""
    return max(MIXED, key=lambda label: waveform_log_density(row, label))
