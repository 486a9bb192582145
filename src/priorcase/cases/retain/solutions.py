"""When two solutions are the same: equal values, or numbers that differ by no more than a tolerance."""

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
    """The solutions of all cases of a table, with the rule for which of them agree.

    Parameters
    ----------
    codes
        For each case the place of its solution in ``texts``, -1 where it has none.
    texts
        The distinct solutions as they are stored.
    numbers
        The same as numbers where a tolerance was given, None otherwise.
    tolerance
        How far two numbers may lie apart and still agree.
    """

    codes: IntArray
    texts: tuple[str, ...]
    numbers: FloatArray | None
    tolerance: float

    @classmethod
    def of(cls, table: CaseTable, tolerance: float | None, *, new: str | None = None) -> Solutions:
        """The solutions of a table and of one new case; errors where numbers and tolerance do not go together."""
        column = table.column("solution")
        texts = tuple(str(text) for text in column.values)
        shown = [plain_shown(text) for text in (*texts, *([new] if new is not None else []))]
        if tolerance is None:
            if shown and all(map(is_number, shown)):
                raise ParameterError(
                    "got no tolerance, but all solutions are numbers: when is one of them right? Pass tolerance=..., "
                    "how far a right number may be off; write labels that look like numbers as text."
                )
            return cls(column.codes, texts, None, 0.0)
        _check_tolerance(tolerance)
        for value in shown:
            if not is_number(value):
                raise ParameterError(
                    f"got tolerance={quoted(tolerance)}, but {quoted(value)} is a solution and no number. Leave "
                    "tolerance out: solutions that are no numbers agree or differ."
                )
        return cls(column.codes, texts, np.array(shown[: len(texts)], dtype=float), float(tolerance))

    @classmethod
    def exactly(cls, table: CaseTable) -> Solutions:
        """The solutions of a table, which agree where they are equal, numbers too."""
        column = table.column("solution")
        return cls(column.codes, tuple(str(text) for text in column.values), None, 0.0)

    @property
    def solved(self) -> BoolArray:
        """Which cases have a solution."""
        found: BoolArray = self.codes >= 0
        return found

    def agreeing(self, text: str) -> BoolArray:
        """Which of the distinct solutions agree with this one, which may be a new one."""
        if self.numbers is not None:
            low, high = self.around(float(plain_shown(text)))
            near: BoolArray = (self.numbers >= low) & (self.numbers <= high)
            return near
        return np.array([other == text for other in self.texts], dtype=bool)

    def around(self, number: FloatArray | float) -> tuple[FloatArray | float, FloatArray | float]:
        """The least and the largest number that agrees, rounding or not: 0.3 and 0.2 for 0.1."""
        reach = self.tolerance + _ROUNDING * np.abs(number)
        return number - reach, number + reach

    def right(self, text: str) -> BoolArray:
        """Which cases have a solution that agrees with this one."""
        if not self.texts:
            return np.zeros(self.codes.size, dtype=bool)
        found: BoolArray = self.agreeing(text)[self.codes] & self.solved
        return found

    def value(self, position: int) -> Any:
        """The solution of a case as users see it."""
        code = int(self.codes[position])
        return plain_shown(self.texts[code]) if code >= 0 else None


def _check_tolerance(tolerance: object) -> None:
    if is_number(tolerance) and 0 <= tolerance < math.inf:
        return
    raise ParameterError(
        f"tolerance must be None or a number >= 0, got {quoted(tolerance)}. How far a right number may be off, in the "
        "unit of the solutions."
    )
