"""Columns of Arrow with the type that all of their values have."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from priorcase.cases import kinds
from priorcase.cases.kinds import CaseKind, Date, Set
from priorcase.schema import Numeric

__all__ = ["column_of", "values_of"]

_LARGE = 2**53


def column_of(kind: CaseKind | None, values: list[Any], *, fixed: str | None = None) -> tuple[Any, bool]:
    """A column of values, and whether it holds them as JSON texts.

    Parameters
    ----------
    kind
        What they mean; None for what is beside attributes.
    values
        Stored values, None where missing.
    fixed
        The type that they have, where it is known.
    """
    import pyarrow

    if fixed is not None and fixed != "json":
        return pyarrow.array(values, type=pyarrow.type_for_alias(fixed)), False
    if isinstance(kind, Numeric):
        if not any(type(value) is int and abs(value) >= _LARGE for value in values):  # a double would not tell them
            return pyarrow.array(values, type=pyarrow.float64()), False
    elif isinstance(kind, Date):
        return _dates(values), False
    elif isinstance(kind, Set):
        inner = _type([member for value in values if value is not None for member in value])
        if inner is not None:
            return pyarrow.array(values, type=pyarrow.list_(inner)), False
    elif fixed is None and (outer := _type([value for value in values if value is not None])) is not None:
        return pyarrow.array(values, type=outer), False
    texts = [None if value is None else kinds.written(value) for value in values]
    return pyarrow.array(texts, type=pyarrow.string()), True


def _type(values: Sequence[Any]) -> Any:
    """The Arrow type that all values have; None where there is none."""
    import pyarrow

    found = set(map(type, values))
    if found <= {str}:
        return pyarrow.string()
    if found == {bool}:
        return pyarrow.bool_()
    if found == {int} and all(-_LARGE <= value <= _LARGE for value in values):
        return pyarrow.int64()
    if found == {float}:
        return pyarrow.float64()
    # A whole number among floats comes back from a double as itself: values are stored so.
    exact = found == {int, float} and all(type(value) is float or abs(value) < _LARGE for value in values)
    return pyarrow.float64() if exact else None


def _dates(values: list[Any]) -> Any:
    import pyarrow

    known = [kinds.shown(Date(), value) for value in values if value is not None]
    moments = [value for value in known if isinstance(value, datetime)]
    if moments and (len(moments) < len(known) or any(moment.tzinfo is not None for moment in moments)):
        return pyarrow.array(values, type=pyarrow.string())
    kind = pyarrow.timestamp("us") if moments else pyarrow.date32()
    return pyarrow.array([kinds.shown(Date(), value) for value in values], type=kind)


def values_of(batch: Any, name: str, as_json: bool) -> list[Any]:
    """The values of a column of a batch; ``LookupError`` or ``ValueError`` where it is not as told."""
    values: list[Any] = batch.column(name).to_pylist()
    return [None if value is None else json.loads(value) for value in values] if as_json else values
