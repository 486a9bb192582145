"""One column read as a kind: whether it can be, and what comes of it."""

from decimal import Decimal

import numpy as np

from priorcase._typing import FloatArray, Name
from priorcase.exceptions import SchemaError, UnsupportedDataError
from priorcase.schema.columns import Column
from priorcase.schema.kinds import Kind, Nominal, Numeric, Ordinal
from priorcase.schema.table import ReadColumn
from priorcase.schema.values import Coded, identity, is_hashable


def fits(kind: Kind, column: Column) -> bool:
    """Whether a column can be read as a kind."""
    held = column.content
    if isinstance(kind, Numeric):
        fitting = held in ("numbers", "booleans", "nothing")
    else:
        fitting = kind.content in ("any", "nothing") or held in ("any", "nothing", kind.content)
    return fitting or column.empty()


def found(column: Column) -> str:
    """What a column is, as messages say it."""
    if isinstance(column.kind(), Numeric):
        return "numeric"
    return "nominal (mixed values)" if column.content == "any" else Nominal(content=column.content).describe()


def wanted(kind: Kind) -> str:
    """What to pass for a kind, as hints say it."""
    content = "numbers" if isinstance(kind, Numeric) else kind.content
    return content if content in ("numbers", "booleans") else "strings or categories"


def read_column(kind: Kind, column: Column, label: Name) -> ReadColumn:
    """A column read as a kind that it fits."""
    if isinstance(kind, Numeric):
        return _read_numbers(column, label)
    try:
        coded = column.coded()
    except TypeError:
        culprit = next(value for value in getattr(column, "values", ()) if not is_hashable(value))
        raise UnsupportedDataError.value(label, type(culprit).__name__) from None
    if any(isinstance(value, (float, Decimal)) and value in (float("inf"), -float("inf")) for value in coded.values):
        raise SchemaError.infinite(label)
    return _ranks(kind, coded) if isinstance(kind, Ordinal) else coded


def _read_numbers(column: Column, label: Name) -> FloatArray:
    if column.content not in ("numbers", "booleans"):
        return np.full(len(column.coded()), np.nan)
    try:
        numbers = column.numbers()
    except OverflowError:
        raise SchemaError.infinite(label) from None
    if np.isinf(numbers).any():
        raise SchemaError.infinite(label)
    return numbers


def _ranks(kind: Ordinal, coded: Coded) -> FloatArray:
    """Ranks for codes; -1 for a level that is not in the order."""
    rank = {identity(level): float(position) for position, level in enumerate(kind.order)}
    table = np.array([*(rank.get(identity(value), -1.0) for value in coded.values), np.nan])
    return table[coded.codes]
