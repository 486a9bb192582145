"""The table of differences between the values of one attribute: a result that prints itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from priorcase.learning.frames import Backend, framed
from priorcase.learning.grids import Grid, grids_html, grids_text
from priorcase.learning.texts import short
from priorcase.typing import FloatArray, Name

_WIDTH = 16


@dataclass(frozen=True, eq=False, repr=False)
class ValueDifferences:
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
        one, other = pair
        return float(self.matrix[self.values.index(one), self.values.index(other)])

    def frame(self) -> Any:
        """One line for each symbol: ``value``, and its difference from each symbol by name.

        In a frame of the library that the estimator was fitted with; after a fit on arrays in one of that installed.
        """
        columns = {value: self.matrix[:, i].copy() for i, value in enumerate(self.values)}
        return framed({"value": list(self.values), **columns}, self.backend)

    def __str__(self) -> str:
        return grids_text([self._grid()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grids_html([self._grid()])

    def _grid(self) -> Grid:
        names = [short(value, _WIDTH) for value in self.values]
        lines = [[name, *(f"{d:.4g}" for d in row)] for name, row in zip(names, self.matrix.tolist(), strict=True)]
        return Grid(
            f"differences between values of {self.attribute}", ["", *names], lines, right=range(1, 1 + len(names))
        )
