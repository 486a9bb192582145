"""Sums of weights, numbers and squares that are never rounded."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Every weight from 1e-100 on is a whole multiple of 2^-385, every float64 one of 2^-1074.
WEIGHT_BITS = 385
NUMBER_BITS = 1074
_BITS = (WEIGHT_BITS, WEIGHT_BITS + NUMBER_BITS, WEIGHT_BITS + 2 * NUMBER_BITS)
_LEAST = math.ulp(0.0)


class Sums(NamedTuple):
    """Sums of w, w x and w x^2 as whole multiples of 2^-385, 2^-1459 and 2^-2533."""

    weight: int
    first: int
    second: int

    def __add__(self, other: tuple[int, int, int]) -> Sums:  # type: ignore[override]  # sums add up, they are not joined
        return Sums(self.weight + other[0], self.first + other[1], self.second + other[2])

    def __sub__(self, other: Sums) -> Sums:
        return Sums(self.weight - other.weight, self.first - other.first, self.second - other.second)

    @classmethod
    def from_parts(cls, places: NDArray[np.int64], limbs: NDArray[np.uint64], n_classes: int) -> list[Sums]:
        """The sums of each class from what the compiled core found."""
        found = [[0, 0, 0] for _ in range(n_classes)]
        for (code, which, exponent), value in zip(places.tolist(), limbs, strict=True):
            whole = int.from_bytes(value.astype("<u8").tobytes(), "little", signed=True)
            found[code][which] += _times_power(whole, exponent + _BITS[which])
        return [cls(*sums) for sums in found]

    @classmethod
    def of_row(cls, x: float, weight: float = 1.0) -> Sums:
        """The sums of a single row."""
        w, number = _whole(weight, WEIGHT_BITS), _whole(x, NUMBER_BITS)
        return cls(w, w * number, w * number * number)

    def are_possible(self) -> bool:
        """Whether any rows can have these sums."""
        if self.weight <= 0:
            return self == NOTHING
        return self.scatter() >= 0

    def scatter(self) -> int:
        """``sum w sum w x^2 - (sum w x)^2``, which is never below 0."""
        return self.second * self.weight - self.first * self.first

    def moments(self) -> tuple[float, float, float]:
        """Weight, mean and sum of squared deviations, each rounded once; 0 where there is no weight."""
        if self.weight == 0:
            return 0.0, 0.0, 0.0
        mean = self.first / (self.weight << NUMBER_BITS)
        return self.weight / (1 << WEIGHT_BITS), mean, _positive(self.scatter(), self.weight << _BITS[2])

    def remainders(self) -> tuple[float, float, float]:
        """What the rounded weight, mean and squared deviations lack of the exact ones; 0 where these are infinite."""
        if self.weight == 0:
            return 0.0, 0.0, 0.0
        weight, mean, deviation = self.moments()
        low_weight = (self.weight - _whole(weight, WEIGHT_BITS)) / (1 << WEIGHT_BITS)
        low_mean = (self.first - _whole(mean, NUMBER_BITS) * self.weight) / (self.weight << NUMBER_BITS)
        if math.isinf(deviation):
            return low_weight, low_mean, 0.0
        scaled = _whole(deviation, NUMBER_BITS) * self.weight << _BITS[2] - NUMBER_BITS
        return low_weight, low_mean, (self.scatter() - scaled) / (self.weight << _BITS[2])


NOTHING = Sums(0, 0, 0)
"""The sums of no rows."""


def _whole(number: float, bits: int) -> int:
    """A number times 2^bits."""
    top, bottom = number.as_integer_ratio()
    return (top << bits) // bottom


def _times_power(whole: int, bits: int) -> int:
    # The core counts from the beginning of a stretch of exponents, which may lie below the unit; the bits there are 0.
    return whole << bits if bits >= 0 else whole >> -bits


def _positive(top: int, bottom: int) -> float:
    """A ratio that is 0 only if it is exactly so, and infinite beyond float64."""
    try:
        ratio = top / bottom
    except OverflowError:
        return math.inf
    return _LEAST if ratio == 0 and top > 0 else ratio
