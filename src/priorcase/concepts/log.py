"""All rows that came, in the order they were learned, so that the stream can be replayed without some of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from priorcase._typing import IdArray, Name
from priorcase.instances import Instances
from priorcase.instances.buffer import Buffer
from priorcase.schema import Kind, Table


class Log:
    """Rows with their targets, and their ids in the order of learning."""

    def __init__(self, instances: Instances, order: IdArray) -> None:
        self.instances = instances
        self._order: Buffer[np.int64] = Buffer(order)

    @property
    def order(self) -> IdArray:
        """Ids in the order of learning."""
        return self._order.view()

    def append(self, table: Table, targets: Table, names: IdArray) -> None:
        """Note more rows, which are learned in the order of ``names``."""
        self.instances.append(table, targets)
        self._order.extend(names)

    def without(self, ids: IdArray) -> Log:
        """A log of the other rows."""
        left = self.instances.subset(np.setdiff1d(self.instances.ids, ids))
        return Log(left, self.order[~np.isin(self.order, ids)])


ColumnKinds: TypeAlias = tuple[tuple[Name, Kind], ...]
"""The columns of a table, each with its kind."""


@dataclass(frozen=True)
class Call:
    """A call that brought rows: the id of the first, and the columns of its table where attributes come and go."""

    first: int
    columns: ColumnKinds | None = None


def calls_left(calls: list[Call], ids: IdArray) -> list[tuple[Call, IdArray]]:
    """The calls of which some rows are left, with the ids of these rows.

    Examples
    --------
    >>> [(call.first, ids.tolist()) for call, ids in calls_left([Call(0), Call(3), Call(5)], np.array([1, 2, 6]))]
    [(0, [1, 2]), (5, [6])]
    """
    starts = np.searchsorted(ids, [call.first for call in calls])
    ends = [*starts[1:].tolist(), len(ids)]
    parts = [(call, ids[start:end]) for call, start, end in zip(calls, starts.tolist(), ends, strict=True)]
    return [(call, part) for call, part in parts if part.size]
