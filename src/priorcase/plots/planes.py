"""The plane of two columns, and which plane a table is drawn in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import FloatArray
from priorcase.exceptions import ParameterError, quoted
from priorcase.plots.columns import chosen_columns, known_column
from priorcase.plots.moving import moved
from priorcase.plots.plane import Plane
from priorcase.plots.projection import PrincipalPlane
from priorcase.schema import Table


@dataclass(frozen=True, eq=False)
class ColumnPlane(Plane):
    """Two columns; values of the other columns are those of the row that lies nearest."""

    columns: tuple[int, int]

    @classmethod
    def of(cls, X: Any, table: Table, columns: tuple[int, int]) -> ColumnPlane:
        """The plane of two columns, by their positions."""
        first, second = (known_column(table, a) for a in columns)
        return cls(X, table, (first, second), columns)

    def queries(self, places: FloatArray) -> Any:
        """Rows with the values of the place in the two columns, and those of the nearest row in the others."""
        rows = self.nearest(places) if len(self.table.schema) > 2 else np.zeros(len(places), np.int64)
        changes = {}
        for a, axis, wanted in zip(self.columns, self.axes, places.T, strict=True):
            changes[a] = wanted if axis.values is None else axis.rows[wanted.astype(np.int64)]
        return moved(self.X, self.table, rows, changes)


def plane_of(X: Any, table: Table, columns: Any) -> Plane:
    """The plane of two columns; without a choice that of the only two, or of the principal components."""
    width = len(table.schema)
    if columns is None and width < 2:
        raise ParameterError(
            f"X must be a table with at least two columns, got {quoted(X)}. LocalFitDisplay draws a model along one "
            "column."
        )
    if columns is None and width > 2:
        return PrincipalPlane.of(X, table)
    first, second = (0, 1) if columns is None else chosen_columns(table, columns, 2)
    return ColumnPlane.of(X, table, (first, second))
