"""Rows on their way from a table to the descriptions: names, cells and coded targets, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IdArray
from priorcase.concepts.descriptions import Descriptions
from priorcase.concepts.roll import ClassRoll
from priorcase.instances import Instances
from priorcase.learning.progress import bar
from priorcase.schema import Nominal, Table

BLOCK = 8192
"""How many rows are learned at once; between two blocks Ctrl-C is heard."""

Block: TypeAlias = tuple[IdArray, FloatArray, AnyArray]
"""Names, cells and coded targets of some rows."""


def cells_of(instances: Instances, table: Table, ids: IdArray) -> FloatArray:
    """Cells of rows that were just stored; the table's own where it has them."""
    if table.block is not None:
        return np.ascontiguousarray(table.block)
    columns, _, _ = instances.look_up(ids)
    cells = np.empty((len(ids), len(columns)))
    for a, (kind, column) in enumerate(zip(instances.schema.kinds, columns, strict=True)):
        cells[:, a] = column
        if isinstance(kind, Nominal):
            cells[column < 0, a] = np.nan
    return cells


def coded_targets(instances: Instances, roll: ClassRoll, positions: IdArray) -> AnyArray:
    """Targets of stored rows as descriptions learn them: codes on the roll, or memberships."""
    if not roll.indicator:
        table = np.array([roll.index.get(value, -1) for value in instances.target_values()], np.int64)
        codes: AnyArray = table[instances.target()[positions]]
        return codes
    columns = []
    for t in range(len(roll.labels)):
        table = np.array([bool(value) for value in instances.target_values(t)])
        columns.append(table[instances.target(t)[positions]])
    return np.stack(columns, axis=1)


def slices(n: int) -> list[slice]:
    """Blocks of ``n`` rows."""
    return [slice(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK)]


def learn_blocks(
    descriptions: Descriptions, blocks: Iterator[Block], count: int, *, threads: int, text: str
) -> IdArray:
    """Learn block after block, with a bar on a terminal; names of the rows that are stored no more."""
    gone = [np.empty(0, np.int64)]
    with bar(count, shown=count > 1, text=text) as advance:
        for names, cells, targets in blocks:
            gone.append(descriptions.learn(names, cells, targets, threads))
            advance(text)
    return np.concatenate(gone)
