"""What a concept learner remembers: the rows its descriptions store, and as much of the others as was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from priorcase._typing import FloatArray, IdArray
from priorcase.concepts.comparison import Comparison
from priorcase.concepts.descriptions import Descriptions
from priorcase.concepts.design import Design
from priorcase.concepts.interrupts import uninterrupted
from priorcase.concepts.log import Call, ColumnKinds, Log
from priorcase.concepts.roll import ClassRoll
from priorcase.concepts.rows import BLOCK, Block, cells_of, learn_blocks, slices
from priorcase.concepts.targets import Targets
from priorcase.instances import Instances
from priorcase.learning.memory import Memory
from priorcase.schema import Schema, Table


class ConceptMemory(Memory):
    """The stored rows with the descriptions that store them.

    `Instances` holds a row exactly as long as some description does. Ids are the rows' positions in the stream.

    Parameters
    ----------
    instances
        The rows, at first none.
    owner
        Whose memory it is, for messages.
    design
        What the learner was asked to be.

    Attributes
    ----------
    comparison, descriptions
        How instances are compared, and what is stored of them; None before the first row.
    roll
        The classes met so far; None before the first row.
    log
        All rows seen, where they are to be replayed.
    calls
        The calls that brought rows, where a replay needs to know.
    stale
        Whether rows were taken out since records and traces were made.
    """

    def __init__(self, instances: Instances, *, owner: str, design: Design) -> None:
        super().__init__(instances, owner=owner)
        self.design = design
        self.comparison: Comparison | None = None
        self.descriptions: Descriptions | None = None
        self.roll: ClassRoll | None = None
        empty = Instances(instances.schema, instances.targets)
        self.log = Log(empty, np.empty(0, np.int64)) if design.replays else None
        self.calls: list[Call] = []
        self.stale = False

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_cache": {}}

    def fork(self) -> Self:
        """A memory with the same rows, to be changed."""
        other = super().fork()
        other.calls = list(self.calls)
        other.log = None if self.log is None else Log(self.log.instances.fork(), self.log.order.copy())
        return other

    def detached(self) -> Self:
        """This memory for another estimator, with descriptions of its own."""
        other = self.fork()
        other.descriptions = None if self.descriptions is None else self.descriptions.copy()
        return other

    @property
    def n_seen(self) -> int:
        """How many rows were learned and not forgotten."""
        return 0 if self.descriptions is None else next(self.descriptions.all()).core.n_seen

    @property
    def ids(self) -> IdArray:
        """Ids of the rows that some description of a class stores, ascending."""
        return self.cached("ids", self._ids)

    def _ids(self) -> IdArray:
        if not self.design.per_class or self.descriptions is None:
            return self.instances.ids
        return self.union([description.core.records()[0] for _, description in self.descriptions.named()])

    @staticmethod
    def union(names: list[IdArray]) -> IdArray:
        """Distinct names, ascending."""
        found: IdArray = np.unique(np.concatenate([np.empty(0, np.int64), *names]))
        return found

    def learned(self) -> Descriptions:
        """The descriptions; there must have been a row."""
        assert self.descriptions is not None
        return self.descriptions

    def learn(
        self, table: Table, targets: Targets, order: IdArray | None, *, threads: int, columns: ColumnKinds | None = None
    ) -> None:
        """Learn rows one by one; all of them, or none and an error says why.

        Parameters
        ----------
        table, targets
            The rows, and what they are.
        order
            The order in which to learn; None for that of the table.
        threads
            Threads to use; who asks, for messages.
        columns
            The columns that the table came with, where attributes come and go.
        """
        stored = targets.table()
        ids = self.instances.append(table, stored)
        comparison = self.comparison or self.design.compare(table.schema, self.instances)
        descriptions = self.descriptions or self.design.begin(comparison)
        cells = comparison.prepared(cells_of(self.instances, table, ids), self.instances)
        check_ranges(comparison, descriptions, cells)
        rows = (ids, cells, targets.coded) if order is None else (ids[order], cells[order], targets.coded[order])
        gone: IdArray | None = None
        if len(ids) > BLOCK:  # what was learned before stays as it is until all is done
            descriptions = descriptions if self.descriptions is None else descriptions.copy()
            parts = slices(len(ids))
            blocks = (cut(rows, part) for part in parts)
            gone = learn_blocks(descriptions, blocks, len(parts), threads=threads, text="learn")
        with uninterrupted():
            self.instances.remove(descriptions.learn(*rows, threads) if gone is None else gone)
            self.comparison, self.descriptions, self.roll = comparison, descriptions, targets.roll
            if self.log is not None:
                self.log.append(table, stored, rows[0])
            self._note_call(int(ids[0]), columns)

    def _note_call(self, first: int, columns: ColumnKinds | None) -> None:
        """Remember where the rows of a call begin, if forgetting will ask for it."""
        if self.log is None and (self.design.growing or not self.design.keeps_all):
            return
        last = self.calls[-1].columns if self.calls else None
        self.calls.append(Call(first, last if last == columns else columns))

    def forget(self, ids: ArrayLike) -> None:
        """Take out rows that every description stores; records and traces are made again when they are asked for."""
        assert self.roll is not None
        with uninterrupted():
            super().forget(ids)
            self.roll = left(self.roll, self.instances)
            alive = np.flatnonzero(self.roll.rows).tolist()
            self.learned().forget(np.asarray(ids, np.int64), alive)
            self.stale = True

    def widened(self, schema: Schema) -> ConceptMemory:
        """All that was learned, with further attributes that are missing in every row; this memory stays as it is."""
        known = len(self.instances.schema)
        sources = [*range(known), *(None for _ in schema.kinds[known:])]
        wider = ConceptMemory(self.instances.reshaped(schema, sources), owner=self.owner, design=self.design)
        wider.roll, wider.calls, wider.stale = self.roll, list(self.calls), self.stale
        if self.descriptions is not None:
            wider.comparison = self.design.compare(schema, wider.instances)
            wider.descriptions = self.descriptions.copy(wider.comparison)
        if self.log is not None:
            wider.log = Log(self.log.instances.reshaped(schema, sources), self.log.order.copy())
        return wider

    def take(
        self, instances: Instances, roll: ClassRoll, comparison: Comparison | None, descriptions: Descriptions | None
    ) -> None:
        """Put other rows, and what is stored of them, in place of all that was learned."""
        self._cache.clear()
        self.instances, self.roll, self.stale = instances, roll, False
        self.comparison, self.descriptions = comparison, descriptions

    def renew(self, make: Callable[[], Descriptions]) -> None:
        """Make the descriptions anew, once, if rows were taken out since; threads that ask meanwhile wait."""
        if self.stale:
            self.descriptions, self.stale = make(), False


def cut(rows: Block, part: slice) -> Block:
    """Some of the rows."""
    names, cells, targets = rows
    return names[part], np.ascontiguousarray(cells[part]), targets[part]


def left(roll: ClassRoll, instances: Instances) -> ClassRoll:
    """The roll of the rows that are there."""
    counts = np.zeros(len(roll.labels), np.int64)
    if roll.indicator:
        for t in range(len(roll.labels)):
            pairs = zip(instances.target_values(t), instances.target_counts(t).tolist(), strict=False)
            counts[t] = sum(rows for value, rows in pairs if value)
    else:
        for value, rows in zip(instances.target_values(), instances.target_counts().tolist(), strict=False):
            if rows:
                counts[roll.index[value]] = rows
    return roll.left(counts, instances.ids)


def check_ranges(comparison: Comparison, descriptions: Descriptions, cells: FloatArray) -> None:
    """Refuse numbers too large for the ranges of the rows seen so far."""
    comparison.check_ranges(next(descriptions.all()).core.ranges, cells)
