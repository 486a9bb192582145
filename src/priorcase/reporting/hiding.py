"""A table with one column hidden: every learner here takes a gap for a gap, so hiding asks what the column is worth."""

from __future__ import annotations

import numpy as np

from priorcase.datasets.columns import NamedColumns
from priorcase.schema import Numeric

__all__ = ["hidden"]


def hidden(table: NamedColumns, name: str) -> NamedColumns:
    """The table with only gaps in a column.

    Examples
    --------
    >>> from priorcase.schema import Nominal
    >>> hidden(NamedColumns.of({"age": [7.0], "size": ["S"]}, {"age": Numeric(), "size": Nominal()}), "size")
    NamedColumns: 1 rows
       age  size
         7     ?
    """
    gap = np.nan if isinstance(table.kinds[name], Numeric) else None
    column = np.full(len(table), gap, dtype=np.float64 if gap is not None else object)
    return NamedColumns.of({**table.data, name: column}, table.kinds)
