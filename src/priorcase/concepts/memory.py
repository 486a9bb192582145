"""The memory of a concept learner: stored rows, their descriptions, and how both change together.

A memory is never changed once a learner has it: learning and forgetting make a new one, which the learner takes over by
one assignment. Only the compiled descriptions are changed in place, since copying them for every row would take too
long. A `Change` says what they are changed to: after an interrupt the learner finds there whether it has happened, and
is then in the state before or after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from priorcase._core import Concept
from priorcase._typing import FloatArray, IdArray, Name
from priorcase.concepts.description import (
    Comparison,
    Description,
    Descriptions,
    Growing,
    Rows,
    Rules,
    run_forget,
    run_learn,
)
from priorcase.concepts.targets import SeenClasses, Targets
from priorcase.exceptions import TooLargeError
from priorcase.instances import Instances
from priorcase.instances.instances import check_ids
from priorcase.learning.memory import Memory
from priorcase.learning.progress import bar
from priorcase.schema import Kind, Nominal, Schema, Table
from priorcase.schema.values import canonical
from priorcase.similarity import Distance

BLOCK = 8192
"""How many rows are learned at once; more are learned block by block, on a copy of the descriptions."""

ROWS_FOR_THREADS = 512
"""Fewer rows are learned before threads have started."""

History: TypeAlias = bool | Literal["replay"]
"""What is kept of the rows seen: nothing, a trace of what each did, or the rows as well."""

ColumnKinds: TypeAlias = tuple[tuple[Name, Kind], ...]
"""The columns of a table with their kinds."""

_DIGEST_FORMAT = b"priorcase concept 1"


@dataclass(frozen=True)
class Design:
    """The parameters of a learner, checked.

    ``growing``: whether ranges grow with the rows; otherwise the first rows settle the distance. ``declared``: the
    attributes that are there from the start, where others may come up.
    """

    rules: Rules
    distance: Distance
    growing: bool
    per_class: bool
    history: History
    declared: Schema | None = None

    def compare(self, schema: Schema, rows: Instances) -> Comparison:
        """How instances are compared, given the first rows."""
        return Comparison.growing(self.distance, schema) if self.growing else Comparison.settled(self.distance, rows)

    def begin(self, comparison: Comparison) -> Descriptions:
        """Descriptions that have seen nothing."""
        return Descriptions.begin(self.rules, comparison, per_class=self.per_class, traced=bool(self.history))


@dataclass(frozen=True)
class Call:
    """A call that brought rows: the id of the first, and the columns of its table where attributes come and go."""

    first: int
    columns: ColumnKinds | None = None


@dataclass(frozen=True, eq=False)
class Log:
    """All rows seen, and their ids in the order of learning, so that the stream can be replayed."""

    instances: Instances
    order: Growing

    def extended(self, table: Table, targets: Table, ids: IdArray) -> Log:
        """The log with more rows, which are learned in the order of ``ids``."""
        instances = self.instances.fork()
        instances.append(table, targets)
        return Log(instances, self.order.extended(ids))

    def without(self, ids: IdArray) -> Log:
        """The log without some rows."""
        order = self.order.view()
        return Log(
            self.instances.subset(np.setdiff1d(self.instances.ids, ids)), Growing(order[~np.isin(order, ids)].copy())
        )


class ConceptMemory(Memory):
    """The stored rows with the descriptions that store them; ids are positions in the stream.

    A row is in `instances` exactly as long as some description stores it. ``comparison``, ``descriptions`` and ``seen``
    are None before the first row. ``stale``: rows were forgotten since records and traces were made (IB1 only).
    ``latest`` holds the latest change of the compiled descriptions, for all memories that share them.
    """

    def __init__(self, instances: Instances, design: Design) -> None:
        super().__init__(instances)
        self.design = design
        self.comparison: Comparison | None = None
        self.descriptions: Descriptions | None = None
        self.seen: SeenClasses | None = None
        self.log: Log | None = None
        if design.history == "replay":
            self.log = Log(Instances(instances.schema, instances.targets), Growing(np.empty(0, np.int64)))
        self.calls: tuple[Call, ...] = ()
        self.stale = False
        self.version = 0
        self.latest: list[Change] = []

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_cache": {}, "latest": []}

    def detached(self) -> Self:
        """A memory with compiled descriptions of its own."""
        other = self.fork()
        other.latest = []
        if self.descriptions is not None:
            other.descriptions = self.descriptions.copy()
        return other

    @property
    def n_seen(self) -> int:
        """How many rows were learned and not forgotten."""
        return 0 if self.descriptions is None else self.descriptions.first.core.n_seen

    @property
    def ids(self) -> IdArray:
        """Ids of the rows that the description of some class stores, ascending."""
        return self.cached("ids", self._ids)

    def _ids(self) -> IdArray:
        if self.descriptions is None or self.descriptions.joint is not None:
            return self.instances.ids
        return union(one.core.records()[0] for one in self.descriptions.named())

    def learned(self) -> Descriptions:
        """The descriptions; there must have been a row."""
        assert self.descriptions is not None
        return self.descriptions

    @property
    def outdated(self) -> bool:
        """Whether a change of the compiled descriptions has begun that leads beyond this memory."""
        return bool(self.latest) and self.latest[0].after.version != self.version

    def current(self) -> ConceptMemory:
        """This memory, or the one that a change of the compiled descriptions has led to; for one thread at a time."""
        if not self.outdated:
            return self
        found = self.latest[0].outcome()
        if found is self.latest[0].before:
            self.latest.clear()
        return found

    def classes(self) -> SeenClasses:
        """The classes seen; there must have been a row."""
        assert self.seen is not None
        return self.seen

    def check_ranges(self, cells: FloatArray) -> None:
        """Refuse numbers too large for the ranges of the rows seen so far."""
        assert self.comparison is not None
        self.comparison.check_ranges(self.learned().first.core, cells)

    def widened(self, schema: Schema) -> Self:
        """A memory of its own with further attributes, which are missing in every row."""
        known = len(self.instances.schema)
        sources = [*range(known), *(None for _ in schema.kinds[known:])]
        wider = self.fork()
        wider.instances, wider.latest = self.instances.reshaped(schema, sources), []
        if self.descriptions is not None:
            wider.comparison = self.design.compare(schema, wider.instances)
            wider.descriptions = self.descriptions.copy(wider.comparison)
        if self.log is not None:
            wider.log = replace(self.log, instances=self.log.instances.reshaped(schema, sources))
        return wider

    def digest(self) -> str:
        """SHA-256 of the stored rows, and of records, counts, ranges and weights where the rows do not determine them.

        Rows go by their order and classes by name, so that equal learners have equal digests, whatever ids and codes
        they gave out.
        """
        rows, seen = self.instances.digest(), self.seen
        if self.design.rules.keeps_all or seen is None or self.descriptions is None:
            return rows
        parts = sha256(_DIGEST_FORMAT)
        parts.update(rows.encode())
        for code in seen.codes.tolist():
            name = canonical(seen.labels[code])
            parts.update(b"%d:" % len(name))
            parts.update(name)
        parts.update(seen.rows[seen.codes].astype("<i8").tobytes())
        labels = np.arange(2) if self.descriptions.joint is None else seen.codes
        for label, description in self.descriptions.ordered(seen.codes):
            parts.update(b"all" if label is None else b"class" + canonical(seen.labels[label]))
            _add_description(parts, description, self.instances.ids, labels)
        if self.descriptions.outside is not None:
            parts.update(b"outside")
            _add_description(parts, self.descriptions.outside, self.instances.ids, labels)
        return parts.hexdigest()


@dataclass(frozen=True, eq=False)
class Change:
    """A change of compiled descriptions: the memories before and after it.

    ``results`` receives what the ``expected`` compiled calls return, all at once. ``ids`` are those of the rows to
    learn, in their order; None where rows are forgotten.
    """

    before: ConceptMemory
    after: ConceptMemory
    ids: IdArray | None
    expected: int
    n_seen: int
    results: list[Any] = field(default_factory=list)

    def begin(self) -> None:
        """Say what the compiled descriptions are about to be changed to."""
        self.after.version = self.before.version + 1
        self.before.latest[:] = [self]

    def finished(self) -> ConceptMemory:
        """The memory after the compiled calls; it may be asked for again."""
        if self.ids is None:
            return self.after
        memory = self.after.fork()
        memory.descriptions, gone = memory.learned().learned(self.ids, self.results)
        if gone.size:
            memory.instances.remove(gone)
        return memory

    def outcome(self) -> ConceptMemory:
        """The memory before or after the change, whichever the compiled descriptions are at."""
        if len(self.results) == self.expected:
            return self.finished()
        if self.results or any(one.core.n_seen != self.n_seen for one in self.before.learned().all()):
            raise TooLargeError("memory ran out while rows were learned, and the description is incomplete. Fit again.")
        return self.before


def learn(
    memory: ConceptMemory,
    table: Table,
    targets: Targets,
    order: IdArray | None,
    *,
    threads: int,
    columns: ColumnKinds | None = None,
) -> ConceptMemory:
    """The memory after rows were learned one by one, in an order other than that of the table where one is given."""
    after, stored, design = memory.fork(), targets.table(), memory.design
    ids = after.instances.append(table, stored)
    n = len(ids)
    if after.comparison is None or after.descriptions is None:
        after.comparison = design.compare(table.schema, after.instances)
        after.descriptions = design.begin(after.comparison)
    cells = after.comparison.prepared(_cells_of(after.instances, table, ids), after.instances)
    after.check_ranges(cells)
    rows = (ids, cells, targets.coded) if order is None else (ids[order], cells[order], targets.coded[order])
    after.seen = targets.seen
    if after.log is not None:
        after.log = after.log.extended(table, stored, rows[0])
    if after.log is not None or (design.rules.keeps_all and not design.growing):
        last = after.calls[-1].columns if after.calls else None
        after.calls = (*after.calls, Call(int(ids[0]), last if last == columns else columns))
    threaded = design.per_class and threads > 1 and n >= ROWS_FOR_THREADS
    if memory.descriptions is None or n > BLOCK or threaded:  # on descriptions of their own: it may take long
        if memory.descriptions is not None:
            after = after.detached()
        parts = slices(n)
        blocks = ((rows[0][part], np.ascontiguousarray(rows[1][part]), rows[2][part]) for part in parts)
        after.descriptions, gone = learn_blocks(after.learned(), blocks, len(parts), threads=threads, text="learn")
        after.instances.remove(gone)
        return after
    after.descriptions = after.learned().with_classes(targets.coded)
    tasks = list(after.descriptions.tasks(rows))
    change = Change(memory, after, rows[0], len(tasks), memory.n_seen)
    change.begin()
    run_learn(tasks, change.results)
    return change.finished()


def forget(memory: ConceptMemory, ids: ArrayLike) -> ConceptMemory:
    """The memory without rows that every description stores; their records and traces are then stale."""
    after, wanted = memory.fork(), check_ids(ids)
    after.instances.remove(wanted)
    after.seen = memory.classes().of_rows(after.instances)
    after.descriptions = memory.learned().without_classes(np.flatnonzero(after.seen.rows).tolist())
    after.stale = True
    cores = [one.core for one in after.descriptions.all()]
    change = Change(memory, after, None, len(cores), memory.n_seen)
    change.begin()
    run_forget(cores, wanted, change.results)
    return change.finished()


def learn_blocks(
    descriptions: Descriptions, blocks: Iterator[Rows], count: int, *, threads: int, text: str
) -> tuple[Descriptions, IdArray]:
    """Descriptions after some blocks of rows, with a progress bar; and the ids of rows that none stores any more.

    The descriptions given are changed in place.
    """
    gone = [np.empty(0, np.int64)]
    with bar(count, shown=count > 1, text=text) as advance:
        for rows in blocks:
            descriptions = descriptions.with_classes(rows[2])
            tasks, results = list(descriptions.tasks(rows)), []
            if threads > 1 and len(tasks) > 1 and len(rows[0]) >= ROWS_FOR_THREADS:
                with ThreadPoolExecutor(min(threads, len(tasks))) as pool:
                    results = list(pool.map(lambda task: Concept.learn(*task), tasks))
            else:
                run_learn(tasks, results)
            descriptions, left = descriptions.learned(rows[0], results)
            gone.append(left)
            advance(text)
    return descriptions, np.concatenate(gone)


def slices(n: int) -> list[slice]:
    """Blocks of ``n`` rows."""
    return [slice(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK)]


def union(ids: Iterable[IdArray]) -> IdArray:
    """Distinct ids, ascending."""
    found: IdArray = np.unique(np.concatenate([np.empty(0, np.int64), *ids]))
    return found


def _cells_of(instances: Instances, table: Table, ids: IdArray) -> FloatArray:
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


def _add_description(parts: Any, description: Description, ids: IdArray, labels: IdArray) -> None:
    """Add a description to a digest, its labels numbered by their position among ``labels``."""
    core = description.core
    names, of, successes, trials, arrived, reasons, _ = core.records()
    counts, seen = core.counts()
    at = np.zeros(max(int(labels.max(initial=0)) + 1, counts.size), np.int64)
    at[labels] = np.arange(labels.size)
    for whole in (np.searchsorted(ids, names), at[of], arrived, reasons):
        parts.update(b"%d;" % len(whole))
        parts.update(whole.astype("<i8").tobytes())
    _, sums, norms, _ = core.weights()
    for numbers in (successes, trials, description.counts_of(labels), np.array([seen]), *core.ranges(), sums, norms):
        # One bit pattern for each number: a single NaN, a single zero.
        parts.update((np.where(np.isnan(numbers), np.nan, numbers) + 0.0).astype("<f8").tobytes())
    parts.update(b"%d %d" % (core.n_seen, core.n_dropped))
