"""Some of the columns of a table, in the make it came in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from priorcase._typing import AnyArray, IntArray
from priorcase.schema import Schema


def taken_columns(table: Any, schema: Schema, positions: IntArray) -> Any:
    """The columns at some positions of a schema: by name where schema and table have names, by position otherwise.

    A frame gives a frame of the same library with the same types, and anything else an array.

    Examples
    --------
    >>> from priorcase.schema import Nominal, Numeric
    >>> schema = Schema(("age", "colour"), (Numeric(), Nominal()))
    >>> taken_columns([[31, "red"], [40, None]], schema, np.array([1]))
    array([['red'],
           [None]], dtype=object)
    """
    if isinstance(table, Sequence):
        rows = np.array(table, dtype=object)[:, positions]
        plain = np.array(rows.tolist())
        return plain if plain.dtype.kind in "fiu" else rows
    if _is_batch(table):
        names = table.schema.names if schema.names is None else schema.names
        return table.select([names[a] for a in positions.tolist()])
    if nw.dependencies.is_into_dataframe(table):
        frame = nw.from_native(table, eager_only=True)
        names = frame.columns if schema.names is None else schema.names
        return frame.select([nw.col(names[a]) for a in positions.tolist()]).to_native()
    return np.asanyarray(table)[:, positions]


def contained(table: Any, library: str) -> Any:
    """The table as scikit-learn's ``set_output`` can wrap it for a library: a frame of that library, or an array."""
    if _is_batch(table) and library == "pandas":
        return table.to_pandas()
    if library == "default" or not nw.dependencies.is_into_dataframe(table):
        return table
    frame = nw.from_native(table, eager_only=True)
    return frame.to_pandas() if library == "pandas" else frame.to_polars()


def _is_batch(table: Any) -> bool:
    """Whether it is a record batch of PyArrow, which Narwhals does not know."""
    return type(table).__name__ == "RecordBatch"


def widened(array: AnyArray, positions: IntArray, width: int) -> AnyArray:
    """An array with gaps in all columns but those at some positions: NaN among numbers, None among objects.

    Examples
    --------
    >>> widened(np.array([[1.0], [2.0]]), np.array([1]), 2)
    array([[nan,  1.],
           [nan,  2.]])
    """
    if array.dtype.kind in "fiu":
        result = np.full((len(array), width), np.nan)
    else:
        result = np.full((len(array), width), None, dtype=object)
    result[:, positions] = array
    return result
