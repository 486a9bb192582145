"""Solutions of cases: which of them agree, and whether a new one failed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._parameters import is_number
from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.cases.kinds import plain_shown
from priorcase.cases.table import CaseTable
from priorcase.exceptions import ParameterError, quoted

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Solutions:
    """The solutions of all cases of a table: equal values agree, and numbers that differ by at most the tolerance.

    ``codes`` are positions in ``texts``, the distinct solutions as JSON, -1 for cases without one; ``numbers`` are the
    same as numbers if a tolerance was given.
    """

    codes: IntArray
    texts: tuple[str, ...]
    numbers: FloatArray | None
    tolerance: float

    @classmethod
    def of(cls, table: CaseTable, tolerance: float | None, *, new: str | None = None) -> Solutions:
        """The solutions of a table and of one new case; numbers need a tolerance."""
        found = cls.exactly(table)
        values = [plain_shown(text) for text in (*found.texts, *([] if new is None else [new]))]
        if tolerance is None:
            if values and all(map(is_number, values)):
                raise ParameterError(
                    "got no tolerance, but all solutions are numbers: when is one of them right? Pass tolerance=..., "
                    "how far a right number may be off; write labels that look like numbers as text."
                )
            return found
        if not is_number(tolerance) or not 0 <= tolerance < math.inf:
            raise ParameterError(
                f"tolerance must be None or a number >= 0, got {quoted(tolerance)}. How far a right number may be off, "
                "in the unit of the solutions."
            )
        for value in values:
            if not is_number(value):
                raise ParameterError(
                    f"got tolerance={quoted(tolerance)}, but the solution {quoted(value)} is not a number. Leave "
                    "tolerance out: such solutions agree if they are equal."
                )
        return cls(found.codes, found.texts, np.array(values[: len(found.texts)], dtype=float), float(tolerance))

    @classmethod
    def exactly(cls, table: CaseTable) -> Solutions:
        """The solutions of a table, which agree if they are equal, numbers too."""
        column = table.column("solution")
        return cls(column.codes, tuple(map(str, column.values)), None, 0.0)

    @property
    def solved(self) -> BoolArray:
        found: BoolArray = self.codes >= 0
        return found

    def agreeing(self, text: str) -> BoolArray:
        """Which of the distinct solutions agree with this one, which may be new."""
        if self.numbers is not None:
            low, high = self.around(float(plain_shown(text)))
            near: BoolArray = (self.numbers >= low) & (self.numbers <= high)
            return near
        return np.array([other == text for other in self.texts], dtype=bool)

    def around(self, number: FloatArray | float) -> tuple[FloatArray | float, FloatArray | float]:
        """The smallest and the largest number that agrees, with room for rounding: 0.3 and 0.2 agree within 0.1."""
        reach = self.tolerance + _ROUNDING * np.abs(number)
        return number - reach, number + reach

    def right(self, text: str) -> BoolArray:
        """Which cases have a solution that agrees with this one."""
        if not self.texts:
            return np.zeros(self.codes.size, dtype=bool)
        found: BoolArray = self.agreeing(text)[self.codes] & self.solved
        return found

    def value(self, position: int) -> Any:
        code = int(self.codes[position])
        return plain_shown(self.texts[code]) if code >= 0 else None


def most_similar(similarities: FloatArray, allowed: BoolArray, k: int) -> IntArray:
    """Positions of the k most similar of the cases allowed, the most similar first, then the oldest."""
    places = np.flatnonzero(allowed)
    if places.size > k:
        border = np.partition(similarities[places], places.size - k)[places.size - k]
        places = places[similarities[places] >= border]
    return places[np.argsort(-similarities[places], kind="stable")][:k]
