"""Rows of a table with some of their values changed, in the make the table came in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.datasets.columns import NamedColumns
from priorcase.learning.resampling import taken_rows
from priorcase.learning.results import decoded
from priorcase.schema import Table


def moved(X: Any, table: Table, rows: IntArray, changes: Mapping[int, FloatArray | IntArray]) -> Any:
    """Copies of some rows of X in which some columns are changed: a table that whoever learned from X can be asked.

    Parameters
    ----------
    X, table
        The rows, as they came and as they were read.
    rows
        Which of them to copy, as often as wanted.
    changes
        By a column's position: new numbers for the copies, or whole numbers, the rows whose values to take there.
    """
    if nw.dependencies.is_into_dataframe(X):
        return _moved_frame(X, table, rows, changes)
    if isinstance(X, NamedColumns):
        data = {name: column[rows] for name, column in X.data.items()}
        for a, change in changes.items():
            name = list(X.data)[a]
            data[name] = X.data[name][change] if change.dtype.kind == "i" else change
        return NamedColumns.of(data, X.kinds)
    if isinstance(X, np.ndarray) and X.dtype.kind in "fiu":
        copies = X[rows].astype(np.float64)
        return _put(copies, X, changes)
    whole = np.array([[*row, None] for row in decoded(table)], dtype=object)[:, :-1]  # a list of rows, or objects
    return _put(whole[rows], whole, changes).tolist()


def _put(copies: AnyArray, source: AnyArray, changes: Mapping[int, FloatArray | IntArray]) -> AnyArray:
    for a, change in changes.items():
        copies[:, a] = source[change, a] if change.dtype.kind == "i" else change
    return copies


def _moved_frame(X: Any, table: Table, rows: IntArray, changes: Mapping[int, FloatArray | IntArray]) -> Any:
    frame = nw.maybe_reset_index(nw.from_native(taken_rows(X, rows), eager_only=True))
    for a, change in changes.items():
        name: Any = frame.columns[a] if table.schema.names is None else table.schema.label(a)
        if change.dtype.kind == "i":
            taken = nw.from_native(taken_rows(X, change.astype(np.int64)), eager_only=True)
            series = nw.maybe_reset_index(taken)[name]
        else:
            series = nw.new_series(name, change, backend=frame.implementation)
        frame = frame.with_columns(series)
    return frame.to_native()
