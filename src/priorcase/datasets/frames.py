"""Frames of any library as tables of text, with the kinds that their types stand for."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from priorcase.datasets.delimited import check_names
from priorcase.datasets.text_table import Field, TextTable
from priorcase.schema import Kind, Nominal, Numeric, Ordinal
from priorcase.schema.columns import Column
from priorcase.schema.schema import open_source

__all__ = ["text_of"]

_INDEX = re.compile(r"__index_level_\d+__")
_EXACT = 2.0**53


def text_of(frame: Any, source: str, *, missing: Collection[str] = ()) -> TextTable:
    """The values of a frame as text; nulls and NaN are gaps, and an index that pandas stored unnamed is left out.

    Examples
    --------
    >>> import numpy as np
    >>> text_of(np.array([[7.0, 1.5], [np.nan, 2.0]]), "an array").columns
    (('7', None), ('1.5', '2'))
    """
    opened = open_source(frame)
    kept = [i for i in range(len(opened.columns)) if _INDEX.fullmatch(str(opened.label(i))) is None]
    names = tuple(str(opened.label(i)) for i in kept)
    check_names(names, source)
    kinds = {name: _kind(opened.columns[i]) for name, i in zip(names, kept, strict=True)}
    gaps = set(missing)
    columns = tuple(
        tuple(None if field in gaps else field for field in _fields(opened.columns[i], kinds[name]))
        for name, i in zip(names, kept, strict=True)
    )
    return TextTable(source, names, columns, range(1, opened.rows + 1), kinds, counted="row")


def _kind(column: Column) -> Kind:
    kind = column.kind()
    if isinstance(kind, Ordinal):
        return Ordinal(tuple(map(str, kind.order)))
    if isinstance(kind, Nominal):
        return Nominal() if kind.values is None else Nominal(tuple(map(str, kind.values)))
    return kind


def _fields(column: Column, kind: Kind) -> Sequence[Field]:
    if isinstance(kind, Numeric):
        return [_number(number) for number in column.numbers().tolist()]
    coded = column.coded()
    words = [*map(str, coded.values), None]
    return [words[code] for code in coded.codes.tolist()]


def _number(number: float) -> Field:
    """The shortest text that is read back as the same number."""
    if number != number:
        return None
    return str(int(number)) if number.is_integer() and abs(number) < _EXACT else repr(number)
