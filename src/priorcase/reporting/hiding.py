"""Rows of which one column is not known: its value is drawn from other rows, and the answers are averaged.

Some learners take a gap for a value of its own, so that blanking a column would tell them something. Values of other
rows tell nothing about this one, whatever the learner.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from priorcase._typing import IntArray
from priorcase.datasets.columns import NamedColumns

__all__ = ["copies", "shuffled"]


def shuffled(table: NamedColumns, name: str, orders: list[IntArray]) -> Iterator[NamedColumns]:
    """The table with the values of a column dealt to other rows, once for each order.

    Examples
    --------
    >>> from priorcase.schema import Nominal, Numeric
    >>> table = NamedColumns.of({"age": [7.0, 3.0], "size": ["S", "L"]}, {"age": Numeric(), "size": Nominal()})
    >>> next(shuffled(table, "size", [np.array([1, 0])]))
    NamedColumns: 2 rows
       age  size
         7     L
         3     S
    """
    for order in orders:
        yield NamedColumns.of({**table.data, name: table[name][order]}, table.kinds)


def copies(row: NamedColumns, name: str, others: NamedColumns, drawn: IntArray) -> NamedColumns:
    """Copies of one row, each with the value that another row has in a column.

    Examples
    --------
    >>> from priorcase.schema import Nominal, Numeric
    >>> table = NamedColumns.of({"age": [7.0, 3.0], "size": ["S", "L"]}, {"age": Numeric(), "size": Nominal()})
    >>> copies(table.take(slice(1)), "size", table, np.array([1, 0, 1]))["size"]
    array(['L', 'S', 'L'], dtype=object)
    """
    repeated = {key: column[np.zeros(drawn.size, dtype=np.intp)] for key, column in row.data.items()}
    return NamedColumns.of({**repeated, name: others[name][drawn]}, row.kinds)
