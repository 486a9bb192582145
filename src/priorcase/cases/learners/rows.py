"""Rows of cases as every learner of the library takes them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, IntArray
from priorcase.schema import Coded
from priorcase.schema.columns import ArrayColumn, Column
from priorcase.schema.schema import Source

__all__ = ["CaseRows"]


@dataclass(frozen=True, eq=False, repr=False)
class CaseRows(Source):
    """Named columns whose kinds are those of the attributes they came from; learners take them as X."""

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.names or ()))
        return f"CaseRows: {self.rows} row{'s' * (self.rows != 1)} of {names}"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        """The rows as an array of objects, None where a value is missing."""
        array: AnyArray = np.empty(self.shape, dtype=object)
        for a, column in enumerate(self.columns):
            coded = column.coded()
            held = np.empty(len(coded.values) + 1, dtype=object)
            held[:-1] = list(coded.values)
            array[:, a] = held[coded.codes]
        return array if dtype is None else array.astype(dtype)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns."""
        return self.rows, len(self.columns)

    def __getitem__(self, rows: slice | IntArray) -> CaseRows:
        return self.take(rows)

    def take(self, rows: slice | IntArray) -> CaseRows:
        """Some of the rows."""
        columns = tuple(_taken(column, rows) for column in self.columns)
        return replace(self, columns=columns, rows=len(np.arange(self.rows)[rows]))


def _taken(column: Column, rows: slice | IntArray) -> Column:
    if isinstance(column, Coded):
        return column[rows]
    assert isinstance(column, ArrayColumn)  # layouts make no other columns
    return replace(column, array=column.array[rows])
