"""Tables from Parquet files, by PyArrow or Polars, whichever is installed."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Sequence
from importlib.util import find_spec
from typing import Any

from priorcase.datasets.delimited import check_names
from priorcase.datasets.text_table import Field, TextTable
from priorcase.exceptions import FormatError, MissingExtraError
from priorcase.schema import Kind, Nominal, Numeric, Ordinal
from priorcase.schema.columns import Column
from priorcase.schema.sources import open_source

__all__ = ["read_parquet"]

_INDEX = re.compile(r"__index_level_\d+__")
_EXACT = 2.0**53


def read_parquet(content: bytes, source: str, *, missing: Collection[str] = ()) -> TextTable:
    """The values of a Parquet file as text, with the kinds that their types stand for.

    Numbers are numeric; text, truth values and dictionaries nominal, ordered dictionaries ordinal. Nulls and NaN are
    gaps. An index that pandas stored without a name is left out.
    """
    frame = open_source(_frame(content, source), caller=source)
    kept = [i for i, name in enumerate(frame.names or ()) if _INDEX.fullmatch(str(name)) is None]
    names = tuple(str(frame.label(i)) for i in kept)
    check_names(names, source)
    kinds = {name: _kind(frame.columns[i]) for name, i in zip(names, kept, strict=True)}
    gaps = set(missing)
    columns = tuple(
        tuple(None if field in gaps else field for field in _fields(frame.columns[i], kinds[name]))
        for name, i in zip(names, kept, strict=True)
    )
    return TextTable(source, names, columns, range(1, frame.rows + 1), kinds, counted="row")


def _frame(content: bytes, source: str) -> Any:
    stream = io.BytesIO(content)
    if find_spec("pyarrow") is not None:
        import pyarrow
        import pyarrow.parquet

        try:
            return pyarrow.parquet.read_table(stream)
        except (pyarrow.ArrowException, OSError) as error:
            raise FormatError.not_parquet(source, _first_line(error)) from error
    if find_spec("polars") is not None:
        import polars

        try:
            return polars.read_parquet(stream)
        except (polars.exceptions.PolarsError, OSError) as error:
            raise FormatError.not_parquet(source, _first_line(error)) from error
    raise MissingExtraError.parquet(source)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


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
    if number != number:
        return None
    return str(int(number)) if number.is_integer() and abs(number) < _EXACT else repr(number)
