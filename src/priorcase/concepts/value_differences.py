"""The table of differences between the values of one attribute: a result that prints itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from priorcase._typing import FloatArray, Name
from priorcase.exceptions import ParameterError
from priorcase.learning.frames import Backend, framed, free_label
from priorcase.learning.grids import Grid, GridResult
from priorcase.learning.texts import short

_WIDTH = 16


@dataclass(frozen=True, eq=False, repr=False)
class ValueDifferences(GridResult):
    """``delta`` between any two symbols of an attribute that stored rows hold; prints as a table.

    Parameters
    ----------
    attribute
        The attribute.
    values
        Its symbols: values, levels, or intervals of numbers, and ``"?"`` for missing.
    matrix
        The differences, symmetric, 0 on the diagonal.
    backend
        The library whose frame the estimator was fitted on, or None.
    """

    attribute: Name
    values: tuple[str, ...]
    matrix: FloatArray
    backend: Backend | None = None

    def __getitem__(self, pair: tuple[str, str]) -> float:
        one, other = map(self._position, pair)
        return float(self.matrix[one, other])

    def frame(self) -> Any:
        """One line for each symbol: ``value``, and its difference from each symbol by name.

        In a frame of the library that the estimator was fitted with; after a fit on arrays in one of that installed. A
        symbol that is called "value" itself becomes ``value (2)``.
        """
        columns: dict[str, Any] = {"value": list(self.values)}
        for i, value in enumerate(self.values):
            columns[free_label(value, columns)] = self.matrix[:, i].copy()
        return framed(columns, self.backend)

    def _position(self, value: str) -> int:
        if value not in self.values:
            expected, hint = f"a symbol of {self.attribute!r} that rows hold", "values lists them."
            raise ParameterError.wrong("value", value, expected=expected, hint=hint, names=self.values)
        return self.values.index(value)

    def _grid(self) -> Grid:
        names = [short(value, _WIDTH) for value in self.values]
        lines = [[name, *(f"{d:.4g}" for d in row)] for name, row in zip(names, self.matrix.tolist(), strict=True)]
        return Grid(
            f"differences between values of {self.attribute}", ["", *names], lines, right=range(1, 1 + len(names))
        )
