"""Tables from Parquet files, by PyArrow or Polars, whichever is installed."""

from __future__ import annotations

import io
from collections.abc import Collection
from importlib.util import find_spec
from typing import Any

from priorcase.datasets.errors import not_parquet
from priorcase.datasets.frames import text_of
from priorcase.datasets.text_table import TextTable
from priorcase.exceptions import MissingExtraError

__all__ = ["read_parquet"]


def read_parquet(content: bytes, source: str, *, missing: Collection[str] = ()) -> TextTable:
    """The values of a Parquet file as text, with the kinds that their types stand for.

    Numbers are numeric; text, truth values and dictionaries nominal, ordered dictionaries ordinal.
    """
    return text_of(_frame(content, source), source, missing=missing)


def _frame(content: bytes, source: str) -> Any:
    stream = io.BytesIO(content)
    if find_spec("pyarrow") is not None:
        import pyarrow
        import pyarrow.parquet

        try:
            return pyarrow.parquet.read_table(stream)
        except (pyarrow.ArrowException, OSError) as error:
            raise not_parquet(source, _first_line(error)) from error
    if find_spec("polars") is not None:
        import polars

        try:
            return polars.read_parquet(stream)
        except (polars.exceptions.PolarsError, OSError) as error:
            raise not_parquet(source, _first_line(error)) from error
    raise MissingExtraError(
        f"{source} is Parquet, which is read by PyArrow or Polars, and neither is installed. pip install pyarrow, or "
        "save the table as CSV."
    )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
