"""Two dimensions to draw a table in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from priorcase._typing import FloatArray, IntArray
from priorcase.plots.columns import AxisColumn
from priorcase.schema import Table


@dataclass(frozen=True, eq=False)
class Plane(ABC):
    """A plane in which every row has a place, and every place a row that could lie there.

    Parameters
    ----------
    X, table
        The rows, as they came and as they were read.
    axes
        The two axes, with the places of the rows.
    """

    X: Any
    table: Table
    axes: tuple[AxisColumn, AxisColumn]

    @property
    def points(self) -> FloatArray:
        """The place of each row, (rows, 2); NaN where it has none."""
        return np.column_stack([axis.positions for axis in self.axes])

    def grid(self, resolution: int) -> tuple[FloatArray, FloatArray]:
        """Places along both axes: the middles of equal cells, or the places of the values."""
        return tuple(_places(axis, resolution) for axis in self.axes)  # type: ignore[return-value]  # two axes

    def nearest(self, places: FloatArray) -> IntArray:
        """The row that lies nearest to each place, both axes counted by their spans."""
        points = self.points
        known = np.flatnonzero(~np.isnan(points).any(axis=1))
        if not known.size:
            return np.zeros(len(places), np.int64)
        spans = np.array([high - low for low, high in (axis.span for axis in self.axes)])
        _, found = KDTree(points[known] / spans).query(places / spans)
        return known[found]

    @abstractmethod
    def queries(self, places: FloatArray) -> Any:
        """A table of rows that lie at some places, in the make of X."""


def _places(axis: AxisColumn, resolution: int) -> FloatArray:
    if axis.values is not None:
        return np.arange(len(axis.values), dtype=np.float64)
    low, high = axis.span
    return low + (np.arange(resolution) + 0.5) * (high - low) / resolution
