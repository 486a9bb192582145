"""Sums of one numeric column that rows can enter and leave without a trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from priorcase import _core
from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.exact_sums import NOTHING, Sums
from priorcase.bayes.moments import Moments


class ExactMoments:
    """Exact sums of one numeric column in each class: rows may be added, subtracted and merged in any order.

    The sums of w, w x and w x^2 are kept as whole numbers without any rounding, so that equal rows give equal sums
    however they came and went. Values that are missing (NaN) or whose class is (below 0) are left out.

    Parameters
    ----------
    n_classes
        Number of classes.

    Examples
    --------
    >>> moments = ExactMoments(2)
    >>> moments.add(np.array([1e300, 1.0, 3.0, 5.0]), np.array([0, 0, 0, 1]))
    >>> moments.subtract(np.array([1e300]), np.array([0]))
    >>> moments.summary()
    Moments(n=array([2., 1.]), mean=array([2., 5.]), deviation=array([2., 0.]),
            n_all=3.0, mean_all=3.0, deviation_all=8.0)
    """

    def __init__(self, n_classes: int) -> None:
        self._sums = [NOTHING] * n_classes

    @classmethod
    def of(cls, values: FloatArray, codes: IntArray, n_classes: int, weights: FloatArray | None = None) -> Self:
        """The sums of some rows."""
        found = cls(n_classes)
        found.add(values, codes, weights)
        return found

    def __len__(self) -> int:
        """Number of classes."""
        return len(self._sums)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExactMoments) and self._sums == other._sums

    __hash__ = None  # type: ignore[assignment]  # sums change

    def __repr__(self) -> str:
        return f"ExactMoments({len(self)} classes, {float(sum(self.summary().n)):g} values)"

    def add(self, values: FloatArray, codes: IntArray, weights: FloatArray | None = None) -> None:
        """Add rows.

        Parameters
        ----------
        values
            Finite numbers, NaN where missing.
        codes
            The class of each, below the number of classes; left out where below 0.
        weights
            One weight for each row, 0 or from 1e-100 to 1e100; None where each counts once.
        """
        self._sums = [old + new for old, new in zip(self._sums, self._sums_of(values, codes, weights), strict=True)]

    def subtract(self, values: FloatArray, codes: IntArray, weights: FloatArray | None = None) -> None:
        """Take away rows that were added before, with the same class and weight."""
        rest = [old - new for old, new in zip(self._sums, self._sums_of(values, codes, weights), strict=True)]
        if not all(sums.are_possible() for sums in rest):
            raise ValueError("subtract got rows that were not added before")
        self._sums = rest

    def merge(self, other: ExactMoments, codes: Sequence[int] | None = None) -> None:
        """Add the rows of another table.

        Parameters
        ----------
        other
            Its sums.
        codes
            The class of this table that each class of the other one is; None where they are the same.
        """
        places = range(len(other)) if codes is None else codes
        self.grow(max(places, default=-1) + 1)
        for place, sums in zip(places, other._sums, strict=True):
            self._sums[place] += sums

    def grow(self, n_classes: int) -> None:
        """Make room for more classes; never fewer."""
        self._sums += [NOTHING] * (n_classes - len(self._sums))

    def copy(self) -> ExactMoments:
        """The same sums, to be changed apart."""
        twin = ExactMoments(0)
        twin._sums = list(self._sums)
        return twin

    def summary(self) -> Moments:
        """Weight, mean and squared deviations, each rounded once from the exact sums.

        A positive deviation is never rounded to 0, and one beyond float64 is infinite.
        """
        n, mean, deviation = np.array([sums.moments() for sums in self._sums]).reshape(-1, 3).T
        return Moments(n, mean, deviation, *sum(self._sums, NOTHING).moments(), sums=tuple(self._sums))

    def _sums_of(self, values: FloatArray, codes: IntArray, weights: FloatArray | None) -> list[Sums]:
        values = np.ascontiguousarray(values, dtype=np.float64)
        codes = np.ascontiguousarray(codes, dtype=np.int32)
        weights = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        places, limbs = _core.exact_sums(values, codes, len(self), weights)
        return Sums.from_parts(places, limbs, len(self))
