"""Where the values of a table's columns lie on an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import FloatArray, IntArray, Name, Value
from priorcase.exceptions import ParameterError, quoted
from priorcase.learning.plotting import caption
from priorcase.learning.results import attribute_names
from priorcase.plots.labels import AXIS_WIDTH, name_places
from priorcase.schema import Coded, Ordinal, Schema, Table
from priorcase.schema.schema import inferred


@dataclass(frozen=True, eq=False)
class AxisColumn:
    """A column as an axis shows it: numbers where they are, values and levels at places 0, 1, ...

    Parameters
    ----------
    name
        Its label.
    positions
        The place of each row; NaN where the value is missing.
    values
        The values at places 0, 1, ...: levels in their order, others sorted; None for numbers.
    rows
        For each of the values the first row that holds it; empty for numbers.
    """

    name: str
    positions: FloatArray
    values: tuple[Value, ...] | None
    rows: IntArray

    @property
    def span(self) -> tuple[float, float]:
        """Where an axis begins and ends that shows all rows."""
        if self.values is not None:
            return -0.5, len(self.values) - 0.5
        known = self.positions[~np.isnan(self.positions)]
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
        margin = 0.04 * (high - low) or 0.5 * (abs(low) or 1.0)
        return low - margin, high + margin

    def dress(self, axis: Any) -> None:
        """Label an axis of matplotlib, and name its places."""
        axis.set_label_text(caption(self.name, AXIS_WIDTH))
        if self.values is not None:
            name_places(axis, [str(value) for value in self.values])
            axis.grid(False)


def read_rows(model: Any, X: Any) -> Table:
    """The rows of a table by the model's own schema, or by the types of the columns where it has none."""
    schema = getattr(model, "schema_", None)
    if not isinstance(schema, Schema):
        schema = inferred(X, "from_dtype", None)
    table = schema.read(X)
    if not len(table):
        raise ParameterError(
            f"X must have at least one row, got {quoted(X)}. Pass the rows to be drawn, such as those that the model "
            "was fitted to."
        )
    return table


def axis_column(table: Table, a: int) -> AxisColumn:
    """A column of a table that was read."""
    name, column = str(attribute_names(table.schema)[a]), table.columns[a]
    kind = table.schema.kinds[a]
    if isinstance(column, Coded):
        return _placed(name, column.codes.astype(np.int64), list(column.values))
    if isinstance(kind, Ordinal):
        ranks = np.where(np.isnan(column), -1, column).astype(np.int64)
        return _placed(name, ranks, list(kind.order), ordered=True)
    return AxisColumn(name, np.asarray(column, np.float64), None, np.empty(0, np.int64))


def known_column(table: Table, a: int) -> AxisColumn:
    """A column to draw along, which must hold something."""
    column = axis_column(table, a)
    if np.isnan(column.positions).all():
        raise ParameterError(
            f"columns must have known values, got {quoted(column.name)}. A column of gaps has no axis; "
            "choose another one."
        )
    return column


def chosen_columns(table: Table, columns: Any, n: int) -> tuple[int, ...]:
    """Positions of the columns that were named; ``n`` of them, all different."""
    several = isinstance(columns, (list, tuple)) and len(columns) == n
    if not several:
        raise ParameterError(
            f"columns must be { {1: 'one column', 2: 'two columns'}[n] }, or None, got {quoted(columns)}. Name columns "
            "by their label, or by their position from 0."
        )
    return table.schema.positions(columns, parameter="columns")


def chosen_column(table: Table, column: Name) -> int:
    """The position of the column that was named."""
    return table.schema.position(column, parameter="column")


def _placed(name: str, codes: IntArray, values: list[Value], *, ordered: bool = False) -> AxisColumn:
    """Codes into values, with a place for each value that some row holds."""
    held = np.unique(codes[codes >= 0])
    order = held.tolist() if ordered else sorted(held.tolist(), key=lambda code: _sorting(values[code]))
    place = np.full(len(values) + 1, np.nan)  # the last is for -1, a gap
    place[order] = np.arange(len(order))
    rows = np.array([int(np.flatnonzero(codes == code)[0]) for code in order], np.int64)
    return AxisColumn(name, place[codes], tuple(values[code] for code in order), rows)


def _sorting(value: Value) -> tuple[bool, float, str]:
    """Numbers by size, then all others by their text."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return not number, float(value) if number else 0.0, str(value)  # type: ignore[arg-type]  # a number, or not used
