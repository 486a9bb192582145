"""Numbers as unevaluated sums of two float64: about 32 digits, for differences that cancel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray, IntArray

# Splits a float64 into two halves of at most 26 bits (Veltkamp).
_SPLITTER = 134217729.0


@dataclass(frozen=True)
class DoubleDouble:
    """``high + low`` with ``|low|`` at most half a unit in the last place of ``high`` (Dekker 1971).

    Examples
    --------
    >>> third = DoubleDouble.of(np.array([1.0])) / DoubleDouble.of(np.array([3.0]))
    >>> (third * DoubleDouble.of(np.array([3.0])) - DoubleDouble.of(np.array([1.0]))).high
    array([0.])
    """

    high: FloatArray
    low: FloatArray

    @classmethod
    def of(cls, numbers: FloatArray) -> DoubleDouble:
        """Plain numbers."""
        return cls(numbers, np.zeros_like(numbers))

    def __getitem__(self, rows: IntArray) -> DoubleDouble:
        return DoubleDouble(self.high[rows], self.low[rows])

    def __neg__(self) -> DoubleDouble:
        return DoubleDouble(-self.high, -self.low)

    def __add__(self, other: DoubleDouble) -> DoubleDouble:
        high, low = _two_sum(self.high, other.high)
        tail, rest = _two_sum(self.low, other.low)
        high, low = _quick_two_sum(high, low + tail)
        return DoubleDouble(*_quick_two_sum(high, low + rest))

    def __sub__(self, other: DoubleDouble) -> DoubleDouble:
        return self + -other

    def __mul__(self, other: DoubleDouble) -> DoubleDouble:
        high, low = _two_product(self.high, other.high)
        low = low + (self.high * other.low + self.low * other.high)
        return DoubleDouble(*_quick_two_sum(high, low))

    def __truediv__(self, other: DoubleDouble) -> DoubleDouble:
        """By long division: three digits of float64 each."""
        first = self.high / other.high
        rest = self - DoubleDouble.of(first) * other
        second = rest.high / other.high
        rest = rest - DoubleDouble.of(second) * other
        high, low = _quick_two_sum(first, second)
        return DoubleDouble(high, low) + DoubleDouble.of(rest.high / other.high)


def _two_sum(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The rounded sum, and what rounding lost (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _quick_two_sum(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The same where a is not smaller than b."""
    total = a + b
    return total, b - (total - a)


def _two_product(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The rounded product, and what rounding lost (Dekker)."""
    product = a * b
    a_high, b_high = _upper(a), _upper(b)
    a_low, b_low = a - a_high, b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _upper(a: FloatArray) -> FloatArray:
    scaled = _SPLITTER * a
    return scaled - (scaled - a)
