"""A single row, read without making columns first: for one question at a time, and for rows that come one by one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from math import isfinite, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from priorcase._typing import Content, Value
from priorcase.schema.kinds import Kind, Numeric, Ordinal
from priorcase.schema.table import Table
from priorcase.schema.values import plain

if TYPE_CHECKING:
    from priorcase.schema.schema import Schema

# Frame columns whose objects mean what their dtype says.
_PLAIN = "fiubOUT"
# What a value of a plain type is; any other type needs a closer look.
_CONTENTS: dict[type, Content] = {
    str: "text",
    bool: "booleans",
    int: "numbers",
    float: "numbers",
    np.float64: "numbers",
}
_UNCLEAR = object()


def read_one_row(schema: Schema, X: Any) -> Table | None:
    """A table of one row of plain text, numbers, booleans and gaps; None where there is more to it than that.

    What it reads is what the reading of whole columns gives; it never refuses.
    """
    row = _row(schema, X)
    if row is None or len(row) != len(schema):
        return None
    cells = tuple(map(_cell, schema.kinds, row))
    return None if _UNCLEAR in cells else Table(schema, 1, row=cells)


def _row(schema: Schema, X: Any) -> Sequence[Any] | None:
    if type(X) is np.ndarray:
        return X[0].tolist() if X.ndim == 2 and len(X) == 1 and X.dtype.kind in "OfiubU" else None
    if type(X) is list:
        return X[0] if len(X) == 1 and type(X[0]) in (list, tuple) else None
    pandas = sys.modules.get("pandas")  # None too where its import is blocked
    if pandas is not None and type(X) is pandas.DataFrame:
        return _frame_row(schema, X, pandas.StringDtype)
    return None


def _frame_row(schema: Schema, X: Any, text: type) -> Sequence[Any] | None:
    if len(X) != 1 or schema.names is None or tuple(X.columns) != schema.names:
        return None
    for kind, dtype in zip(schema.kinds, X.dtypes.tolist(), strict=True):
        plain_type = dtype.kind in _PLAIN if isinstance(dtype, np.dtype) else isinstance(dtype, text)
        if not plain_type and (type(kind) is Numeric or not _has_names(dtype)):
            return None
    row: list[Any] = X.to_numpy(dtype=object)[0].tolist()
    return row


def _has_names(dtype: Any) -> bool:
    """Whether a pandas type is that of categories which are no numbers."""
    categories = getattr(dtype, "categories", None)
    return categories is not None and categories.dtype.kind in "OUT"


def _cell(kind: Kind, value: Any) -> Any:
    """A number or rank, NaN for missing; or a nominal value, None for missing; ``_UNCLEAR`` beyond plain values."""
    content = _CONTENTS.get(type(value))
    missing = value is None or (content == "numbers" and value != value)
    if type(kind) is Numeric:
        return nan if missing else _number(value, content)
    if type(kind) is Ordinal:
        return nan if missing else _rank(kind, value) if content == "text" else _UNCLEAR
    if missing:
        return None
    if content is None or kind.content not in (content, "any", "nothing"):  # type: ignore[union-attr]  # it is Nominal
        return _UNCLEAR
    if content != "numbers":
        return value
    return plain(value) if type(value) is int or isfinite(value) else _UNCLEAR


def _number(value: Any, content: Content | None) -> Any:
    if content == "numbers":
        exact = isfinite(value) if type(value) is not int else -(2**53) < value < 2**53
        return float(value) if exact else _UNCLEAR
    return float(value) if content == "booleans" else _UNCLEAR


def _rank(kind: Ordinal, value: str) -> Any:
    ranks = _ranks(kind)
    return _UNCLEAR if ranks is None else ranks.get(value, -1.0)


@lru_cache(maxsize=256)
def _ranks(kind: Ordinal) -> dict[Value, float] | None:
    """The rank of each level; None where text can be none of them."""
    if kind.content not in ("text", "any"):
        return None
    return {level: float(rank) for rank, level in enumerate(kind.order)}
