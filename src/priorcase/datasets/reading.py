"""Tables from files of several formats."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Literal, TypeAlias

from priorcase.datasets.contents import Readable, contents, decoded
from priorcase.datasets.delimited import read_delimited
from priorcase.datasets.text_table import MISSING, TextTable

__all__ = ["Format", "read_table"]

Format: TypeAlias = Literal["csv", "tsv", "arff", "parquet", "c4.5"]


def read_table(
    source: Readable,
    *,
    format: Format | None = None,
    target: str | None = None,
    missing: Collection[str] | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    name: str | None = None,
) -> TextTable:
    """The table that a file holds."""
    name, content = contents(source, name)
    text = decoded(content, name, encoding)
    table = read_delimited(text, name, missing=MISSING if missing is None else missing, delimiter=delimiter or ",")
    if target is None:
        return table
    table.require([target])
    return replace(table, target=target)
