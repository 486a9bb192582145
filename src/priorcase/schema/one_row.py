"""A single row, read without making columns first: for one question at a time."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from priorcase.schema.kinds import Kind, Nominal, Numeric, Ordinal
from priorcase.schema.table import ReadColumn, Table
from priorcase.schema.values import Coded
from priorcase.typing import Value

if TYPE_CHECKING:
    from priorcase.schema.schema import Schema

_FIRST = np.zeros(1, np.int8)
_MISSING = np.full(1, -1, np.int8)
_FIRST.flags.writeable = _MISSING.flags.writeable = False
_NO_VALUES: tuple[Value, ...] = ()
# Frame columns whose objects mean what their dtype says.
_PLAIN = "fiubOUT"


def read_one_row(schema: Schema, X: Any) -> Table | None:
    """A table of one row of plain text, numbers and gaps; None where there is more to it than that.

    What it reads is what the reading of whole columns gives; it never refuses.
    """
    row = _row(schema, X)
    if row is None or len(row) != len(schema):
        return None
    columns: list[ReadColumn] = []
    for kind, value in zip(schema.kinds, row, strict=True):
        column = _cell(kind, value)
        if column is None:
            return None
        columns.append(column)
    return Table(schema, 1, tuple(columns))


def _row(schema: Schema, X: Any) -> Sequence[Any] | None:
    if type(X) is np.ndarray:
        return X[0].tolist() if X.dtype.kind == "O" and X.ndim == 2 and len(X) == 1 else None
    if type(X) is list:
        return X[0] if len(X) == 1 and type(X[0]) in (list, tuple) else None
    pandas = sys.modules.get("pandas")  # None too where its import is blocked
    if pandas is not None and type(X) is pandas.DataFrame:
        return _frame_row(schema, X)
    return None


def _frame_row(schema: Schema, X: Any) -> Sequence[Any] | None:
    if len(X) != 1 or schema.names is None or tuple(X.columns) != schema.names:
        return None
    for dtype in X.dtypes.tolist():
        if not (dtype.kind in _PLAIN and (isinstance(dtype, np.dtype) or hasattr(dtype, "categories"))):
            return None
    row: list[Any] = X.to_numpy(dtype=object)[0].tolist()
    return row


def _cell(kind: Kind, value: Any) -> ReadColumn | None:
    """A column of one value, or None where it needs a closer look."""
    missing = value is None or (type(value) is float and value != value)
    if type(kind) is Numeric:
        if missing:
            return np.full(1, np.nan)
        return np.array([float(value)]) if type(value) is float and isfinite(value) else _whole(value)
    if missing:
        return Coded(_MISSING, _NO_VALUES) if type(kind) is Nominal else np.full(1, np.nan)
    if type(value) is not str:
        return None
    if type(kind) is Nominal and kind.content in ("text", "any", "nothing"):
        return Coded(_FIRST, (value,))
    if type(kind) is Ordinal and kind.content in ("text", "any"):
        return np.full(1, _ranks(kind).get(value, -1.0))
    return None


def _whole(value: Any) -> ReadColumn | None:
    return np.array([float(value)]) if type(value) is int and abs(value) < 2**53 else None


@lru_cache(maxsize=256)
def _ranks(kind: Ordinal) -> dict[Value, float]:
    return {level: float(rank) for rank, level in enumerate(kind.order)}
