"""Memory of a concept learner (IB1 to IB5): stored rows and concept descriptions, with learning and forgetting.

Learning and forgetting do not modify a memory. They create a new memory, which replaces the old memory in a single
assignment. The exception is the compiled concept descriptions, which are C++ objects. They are changed in place,
because copying them for every row would take too long. A `Change` contains the memory before and the memory after such
a change. After an interrupt, the learner continues with the memory that matches the compiled descriptions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import pairwise
from typing import Any, Self, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from priorcase._core import forget_together, learn_together
from priorcase._locks import Lock
from priorcase._typing import AnyArray, FloatArray, IdArray
from priorcase.concepts.description import Comparison, Description, Descriptions, Rules
from priorcase.concepts.novel import ColumnKinds, staged, stages
from priorcase.concepts.targets import SeenClasses, Targets
from priorcase.exceptions import ForgettingError, NotAvailableError, TooLargeError, UnknownIdError, listed
from priorcase.instances import Instances, check_ids
from priorcase.learning.resampling import bar
from priorcase.learning.state import Memory
from priorcase.saving import checked
from priorcase.schema import Kind, Schema, Table
from priorcase.schema.kinds import canonical, is_hashable

# Ids, cells and targets of rows; the targets are class codes, or the membership of each row in each class.
Rows: TypeAlias = tuple[IdArray, FloatArray, AnyArray]

# More rows than MANY_ROWS are learned on a copy, so that other threads can read the model in the meantime; _STEPS is
# the number of steps of the progress bar.
MANY_ROWS, _STEPS = 8192, 100

_DIGEST_FORMAT = b"priorcase concept 1"


def _copied(descriptions: Descriptions, comparison: Comparison | None = None) -> Descriptions:
    return {code: one.copy(comparison) for code, one in descriptions.items()}


@dataclass(eq=False)
class Shared:
    """Lock and latest `Change`, shared by all memories that have the same compiled descriptions."""

    lock: Lock = field(default_factory=Lock)
    change: Change | None = None


class ConceptMemory(Memory):
    """Concept descriptions, and all rows stored by at least one of them; a row's id is its position in the stream."""

    def __init__(self, instances: Instances, rules: Rules) -> None:
        super().__init__(instances)
        self.rules = rules
        self.descriptions: Descriptions = {}
        self.seen: SeenClasses = cast(Any, None)  # set with the first row
        # All rows seen, and their ids in the order of learning.
        self.log = Instances(instances.schema, instances.targets) if rules.history == "replay" else None
        self.order = np.empty(0, np.int64)
        # The id of the first row of each call, and the columns of its table.
        self.calls: tuple[tuple[int, ColumnKinds], ...] = ()
        self.stale = False  # whether records and history are outdated because rows were forgotten (IB1 only)
        self.version = 0
        self.shared = Shared()

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__() | {"_cache": {}}
        del state["shared"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, shared=Shared())

    def saved(self) -> dict[str, Any]:
        """Return the data to save with a model, except the stored rows: classes, descriptions and learning history."""
        descriptions = [(code, one.saved()) for code, one in self.descriptions.items()]
        first = self.descriptions.get(None)
        return {
            "seen": self.seen.saved(),
            "descriptions": descriptions,
            "comparison": None if first is None else first.comparison.saved(),
            "log": self.log,
            "order": self.order,
            "calls": self.calls,
            "stale": self.stale,
        }

    def restore(self, instances: Instances, state: Mapping[str, Any]) -> None:
        """Restore the memory from stored rows and the result of `saved`; raise ``ValueError`` if they do not match."""
        self.instances, self.log, self.order = instances, state["log"], checked(state["order"], np.int64, (None,))
        self.stale, self.calls = state["stale"], state["calls"]
        self.seen = SeenClasses.restored(state["seen"], instances)
        rules, described = self.rules, state["descriptions"]
        if (self.log is not None) != (rules.history == "replay") or type(self.stale) is not bool:
            raise ValueError("the history is missing, or is present although not requested")
        schemas = (instances.schema, instances.targets)
        if self.log is not None and ((self.log.schema, self.log.targets) != schemas or not _holds(self.log, self)):
            raise ValueError("the history belongs to other rows")
        if self.stale and not (rules.keeps_all and rules.growing):
            raise ValueError("the records are marked as outdated")
        firsts = [first for first, _ in self.calls]
        named = [pair for _, columns in self.calls for pair in (() if columns is None else columns)]
        if firsts != sorted({int(first) for first in firsts}):
            raise ValueError("the calls are invalid")
        if not all(isinstance(kind, Kind) and is_hashable(name) for name, kind in named):
            raise ValueError("the columns of the calls are invalid")
        known = instances if self.log is None else self.log
        if not all(self.seen.knows(rows) for rows in (instances, known)):
            raise ValueError("some rows have a class that was never seen")
        if not described and self.seen.n_rows:
            raise ValueError("the rows have no description")
        if not described:
            return
        comparison, coded = Comparison.restored(state["comparison"], rules, instances.schema), self.seen.coded
        n_seen, codes = self.seen.n_rows, [code for code, _ in described]
        recorded = self.log is not None or (rules.keeps_all and (bool(comparison.live) or not rules.growing))
        if recorded and len(known) and (not firsts or firsts[0] > known.ids.min()):
            raise ValueError("some rows belong to no call")
        if codes[0] is not None or len({*codes}) < len(codes) or (len(codes) > 1 and not rules.per_class):
            raise ValueError("the descriptions do not match per_class")
        if any(type(code) is not int or not 0 <= code < len(self.seen.labels) for code in codes[1:]):
            raise ValueError("the descriptions belong to other classes")

        def labels_of(code: int | None) -> Callable[[IdArray], AnyArray]:
            def labels(positions: IdArray) -> AnyArray:
                found = coded(instances, positions)
                if not rules.per_class:
                    return found
                if code is None:
                    return np.zeros(len(positions), np.int64)
                return (found[:, code] if found.ndim == 2 else found == code).astype(np.int64)

            return labels

        given = rules, comparison, instances
        self.descriptions = {
            code: Description.restored(told, *given, labels_of(code), n_seen) for code, told in described
        }
        stored = union(one.core.records()[0] for one in self.descriptions.values())
        if not np.array_equal(stored, instances.ids):
            raise ValueError("the rows do not match the rows of the descriptions")

    def __len__(self) -> int:
        return len(self.ids)

    def detached(self, schema: Schema | None = None) -> Self:
        """Return a copy with its own compiled descriptions; additional attributes of ``schema`` have missing values."""
        other, comparison = self.fork(), None
        if schema is not None:
            sources = [*range(known := len(self.instances.schema)), *(None for _ in schema.kinds[known:])]
            other.instances = self.instances.reshaped(schema, sources)
            other.log = None if self.log is None else self.log.reshaped(schema, sources)
            comparison = self.rules.compare(schema, other.instances, self.descriptions[None].comparison)
        other.shared, other.descriptions = Shared(), _copied(self.descriptions, comparison)
        return other

    def current(self) -> ConceptMemory:
        """Return this memory or, after a change, its successor; the caller must hold the lock of the descriptions."""
        memory, change, forked = self, self.shared.change, self.shared.lock.held_at_fork
        if change is not None and change.after.version != self.version:
            if forked and len(change.results) < change.expected:
                raise NotAvailableError(
                    "another thread was learning rows when this process was forked, so the model is incomplete in this "
                    "process. Fit again."
                )
            memory = change.outcome()
            if memory is change.before:
                self.shared.change = None
        # A thread that does not exist in this process may hold the lock of the compiled descriptions.
        return memory.detached() if forked else memory

    @property
    def ids(self) -> IdArray:
        """Ids of the rows that are stored by at least one description, in ascending order."""
        if not self.rules.per_class or not self.descriptions:
            return self.instances.ids
        with self.shared.lock:
            return self.cached("ids", lambda: union(one.core.records()[0] for _, one in self.named()))

    @property
    def joint(self) -> Description | None:
        """The description that all classes share; None if each class has its own description."""
        return None if self.rules.per_class else self.descriptions[None]

    def of_classes(self) -> list[Description]:
        """Return the description of each class, in the order of the classes."""
        # Classes without rows share the description with the key None, in which no row belongs to the class.
        return [self.descriptions.get(code, self.descriptions[None]) for code in self.seen.codes.tolist()]

    def named(self) -> list[tuple[int | None, Description]]:
        """Return (class code, description) pairs in class order; the code is None for a description of all classes."""
        codes = self.seen.codes.tolist() if self.rules.per_class else [None]
        return [(code, self.descriptions[code]) for code in codes if code in self.descriptions]

    def digest(self) -> str:
        """Return a SHA-256 hash of the stored rows and of the concept descriptions."""
        # Rows are hashed in order and classes by name, since ids and codes depend on removed rows.
        rows, seen = self.instances.digest(), self.seen
        if self.rules.keeps_all or not self.descriptions:  # the descriptions follow from the rows
            return rows
        parts = sha256(_DIGEST_FORMAT + rows.encode())
        for code, label in zip(seen.codes.tolist(), seen.classes.tolist(), strict=True):
            name = canonical(seen.labels[code] if code >= 0 else label)
            parts.update(b"%d:" % len(name) + name)
        parts.update(np.append(seen.rows, 0)[seen.codes].astype("<i8").tobytes())
        labels = np.arange(2) if self.rules.per_class else seen.codes
        for label, description in self.named():
            parts.update(b"all" if label is None else b"class" + canonical(seen.labels[label]))
            _add_description(parts, description, self.instances.ids, labels)
        if self.rules.per_class:
            parts.update(b"outside")
            _add_description(parts, self.descriptions[None], self.instances.ids, labels)
        return parts.hexdigest()


def _holds(log: Instances, memory: ConceptMemory) -> bool:
    """Return whether a log contains all rows of a memory, and ``memory.order`` contains exactly the ids in the log."""
    return np.array_equal(np.sort(memory.order), log.ids) and bool(np.isin(memory.instances.ids, log.ids).all())


def _add_description(parts: Any, description: Description, ids: IdArray, labels: IdArray) -> None:
    """Update the hash ``parts`` with a concept description; each class is hashed as its position in ``labels``."""
    core = description.core
    names, of, successes, trials, arrived, reasons, _ = core.records()
    counts, seen = core.counts()
    at = np.zeros(max(int(labels.max(initial=0)) + 1, counts.size) + 1, np.int64)  # the last position is for label -1
    at[labels] = np.arange(labels.size)
    for whole in (np.searchsorted(ids, names), at[of], arrived, reasons):
        parts.update(b"%d;" % len(whole) + whole.astype("<i8").tobytes())
    _, sums, norms, _ = core.weights()
    for numbers in (successes, trials, description.counts_of(labels), np.array([seen]), *core.ranges(), sums, norms):
        # One bit pattern for each number: a single NaN, a single zero.
        parts.update((np.where(np.isnan(numbers), np.nan, numbers) + 0.0).astype("<f8").tobytes())
    parts.update(b"%d %d" % (core.n_seen, core.n_dropped))


@dataclass(frozen=True, eq=False)
class Change:
    """A change of compiled descriptions, with the memories before and after the change."""

    before: ConceptMemory
    after: ConceptMemory
    ids: IdArray | None  # of the rows to learn, in order; None if rows are forgotten
    expected: int  # number of compiled calls
    results: list[Any] = field(default_factory=list)  # results of these calls, added together

    def made(self, run: Callable[[list[Any]], None]) -> ConceptMemory:
        """Call ``run``, which changes the compiled descriptions in one C++ call, and return the memory afterwards."""
        with self.before.shared.lock:
            self.after.version = self.before.version + 1
            self.before.shared.change = self
            run(self.results)  # after Ctrl-C, either all changes have been made or none
            return self.finished()

    def finished(self) -> ConceptMemory:
        """Return the memory after the change, which must be complete; repeated calls give the same result."""
        if self.ids is None:
            return self.after
        memory = self.after.fork()
        memory.descriptions, gone = _after_learning(memory.descriptions, self.ids, self.results)
        if gone.size:
            memory.instances.remove(gone)
        return memory

    def outcome(self) -> ConceptMemory:
        """Return the memory after the change if all of it was made, or the memory before it if none of it was made."""
        if len(self.results) == self.expected:
            return self.finished()
        n_seen, cores = self.before.seen.n_rows, [one.core for one in self.before.descriptions.values()]
        if self.results or any(core.n_seen != n_seen for core in cores):
            raise TooLargeError("memory ran out while rows were learned, and the model is incomplete. Fit again.")
        return self.before


# -- learning


def learn(
    memory: ConceptMemory, table: Table, targets: Targets, order: IdArray | None, columns: ColumnKinds, threads: int
) -> ConceptMemory:
    """Learn rows one by one, in the order of the table or in the given order, and return the new memory."""
    (coded, seen), known = targets, len(memory.instances.schema)
    if len(table.schema) > known:  # with attributes that appear mid-stream (IB5), stage by stage
        memory = memory.detached()  # the current memory is unchanged if this call fails
        for part_rows, part in stages(table, known):
            memory = memory.detached(part.schema) if len(part.schema) > len(memory.instances.schema) else memory
            memory = learn(memory, part, (coded[part_rows], seen), None, columns, threads)
        return memory
    after, stored, rules = memory.fork(), seen.table(coded), memory.rules
    ids = after.instances.append(table, stored)
    if not memory.descriptions:
        after.descriptions = rules.begin(rules.compare(table.schema, after.instances))
    first = after.descriptions[None]
    cells = first.comparison.prepared(after.instances.encode(table), after.instances, stored=True)
    first.comparison.check_ranges(first.core, cells)
    rows = (ids, cells, coded) if order is None else (ids[order], cells[order], coded[order])
    after.seen = seen
    if after.log is not None:
        after.log = after.log.fork()
        after.log.append(table, stored)
        after.order = np.concatenate([after.order, rows[0]])
    live = bool(first.comparison.live)
    if after.log is not None or (rules.keeps_all and (live or not rules.growing)):
        last = after.calls[-1][1] if after.calls else None
        after.calls = (*after.calls, (int(ids[0]), last if last == columns else columns))
    alone = not memory.descriptions or live or len(ids) > MANY_ROWS  # with private descriptions
    after = after.detached() if alone and memory.descriptions else after
    after.descriptions = _with_classes(after.descriptions, coded)
    if alone:
        after.descriptions, gone = _learned(after.descriptions, rows, threads, "learn")
        after.instances.remove(gone)
        return after
    change = Change(memory, after, rows[0], len(after.descriptions))
    return change.made(lambda results: run_learn(after.descriptions, rows, threads, "learn", results))


def run_learn(descriptions: Descriptions, rows: Rows, threads: int, text: str, results: list[Any]) -> None:
    """Learn rows in all compiled descriptions, or in none on an error; append the result of each to ``results``."""
    (ids, cells, _), traced = rows, descriptions[None].trace is not None
    cores, labels = [one.core for one in descriptions.values()], _labels(descriptions, rows)
    if len(ids) <= MANY_ROWS:
        learn_together(cores, ids, cells, labels, traced, threads, None, results)
        return
    with _progress(len(ids), text) as progress:
        learn_together(cores, ids, cells, labels, traced, threads, progress, results)


@contextmanager
def _progress(n: int, text: str) -> Iterator[Callable[[int], None]]:
    """Show a progress bar for ``n`` rows, and yield a function that sets it to the number of rows learned so far."""
    with bar(_STEPS, shown=True, text=text) as advance:
        shown = 0

        def progress(rows: int) -> None:
            nonlocal shown
            while shown < rows * _STEPS // n:
                shown += 1
                advance(text)

        yield progress


def _with_classes(descriptions: Descriptions, targets: AnyArray) -> Descriptions:
    """Return all descriptions, including a new one for each class that occurs in ``targets`` for the first time."""
    if not descriptions[None].rules.per_class:
        return descriptions
    codes = targets.tolist() if targets.ndim == 1 else np.flatnonzero(targets.any(axis=0)).tolist()
    new = [code for code in dict.fromkeys(codes) if code not in descriptions]
    return descriptions | {code: descriptions[None].copy() for code in new}


def _labels(descriptions: Descriptions, rows: Rows) -> list[IdArray]:
    """Return the labels of the rows in each description: class codes, or 1 and 0 for a description of one class."""
    ids, _, targets = rows
    if not descriptions[None].rules.per_class:
        return [targets]
    found = []
    for code in descriptions:
        inside: Any = np.zeros(len(ids)) if code is None else targets[:, code] if targets.ndim == 2 else targets == code
        found.append(np.ascontiguousarray(inside, np.int64))
    return found


def _after_learning(
    descriptions: Descriptions, ids: IdArray, results: Sequence[tuple[Any, ...]]
) -> tuple[Descriptions, IdArray]:
    """Return the descriptions with the results of learning, and the ids of the rows that are no longer stored."""
    after = dict(descriptions)
    for (code, one), result in zip(descriptions.items(), results, strict=True):
        if one.trace is not None:
            after[code] = replace(one, trace=np.concatenate([one.trace, np.stack(result[1:], axis=1)]))
    if descriptions[None].held is None:
        return after, results[0][0]
    # After an interrupt, these updates are repeated and give the same result.
    new, left = ids.tolist(), set()
    for one, (gone, *_) in zip(after.values(), results, strict=True):
        assert one.held is not None
        one.held.update(new)
        one.held.difference_update(released := gone.tolist())
        left.update(released)
    for one in after.values():
        left -= one.held or set()
    return after, np.array(sorted(left), np.int64)


def _learned(descriptions: Descriptions, rows: Rows, threads: int, text: str) -> tuple[Descriptions, IdArray]:
    """Learn rows in the compiled descriptions; return the descriptions, and the ids of rows no longer stored."""
    results: list[Any] = []
    run_learn(descriptions, rows, threads, text, results)
    return _after_learning(descriptions, rows[0], results)


def union(ids: Iterable[IdArray]) -> IdArray:
    return np.asarray(np.unique(np.concatenate([np.empty(0, np.int64), *ids])))


# -- forgetting


def forget(memory: ConceptMemory, ids: ArrayLike, *, threads: int) -> ConceptMemory:
    """Return a memory from which the rows with the given ids are removed, as if they had never been learned."""
    rules, wanted = memory.rules, check_ids(ids)
    if wanted.size == 0:
        return memory
    if memory.log is not None:
        if absent := wanted[~np.isin(wanted, memory.log.ids)].tolist():
            raise UnknownIdError(
                f"ids {listed(absent)} are unknown or already forgotten; the model is unchanged. Rows are numbered "
                f"from 0 in the order in which they were passed; {memory.log.next_id} rows were passed so far."
            )
        return _replayed(memory, memory.log, memory.order, wanted, threads)
    if not rules.keeps_all:
        why = "the stored rows and their records depend on rows that were not kept"
        if rules.keep == "every":
            why = "rows that left the window were not kept"
        raise ForgettingError(
            f"rows cannot be forgotten exactly: {why}. The model is unchanged. Fit with history='replay', "
            "which keeps all rows and learns the remaining rows again."
        )
    if not rules.growing or memory.descriptions[None].comparison.live:
        order = memory.descriptions[None].core.records()[0]  # all rows are stored, in the order of learning
        return _replayed(memory, memory.instances, order, wanted, threads)
    after = memory.fork()
    after.instances.remove(wanted)
    after.seen = memory.seen.of_rows(after.instances)
    alive = [None, *np.flatnonzero(after.seen.rows).tolist()]
    after.descriptions = {code: one for code, one in memory.descriptions.items() if code in alive}
    after.stale = True
    cores = [one.core for one in after.descriptions.values()]
    change = Change(memory, after, None, len(cores))
    return change.made(lambda results: forget_together(cores, wanted, results))


def refreshed(memory: ConceptMemory, *, threads: int) -> ConceptMemory:
    """Compute the records and the history again after rows were forgotten, by learning the remaining rows again."""
    if not memory.stale:
        return memory
    first, fresh = memory.descriptions[None], memory.fork()
    fresh.shared, fresh.stale = Shared(), False
    order, begun = first.core.records()[0], memory.rules.begin(first.comparison)
    fresh.descriptions, _ = _relearned(begun, memory.instances, memory.seen, order, threads)
    return fresh


def _replayed(memory: ConceptMemory, known: Instances, order: IdArray, gone: IdArray, threads: int) -> ConceptMemory:
    """Return a new memory that learns the rows ``known`` again in ``order``, except the rows with the ids ``gone``."""
    rest = known.fork()
    rest.remove(gone)
    rules, ids, order = memory.rules, rest.ids, order[~np.isin(order, gone)]
    # The calls with remaining rows, and the position of the first id of each call.
    starts = np.searchsorted(ids, [first for first, _ in memory.calls]).tolist()
    calls = [k for k, start in enumerate(starts) if [*starts, ids.size][k + 1] > start]
    log, parts = staged(known.subset(ids), order, [memory.calls[k][1] for k in calls], rules.declared)
    fresh, left = ConceptMemory(log.fork(), rules), [np.empty(0, np.int64)]
    fresh.seen, fresh.calls = memory.seen.of_rows(log), tuple(memory.calls[k] for k in calls)
    if memory.log is not None:
        fresh.log, fresh.order = log, order
    for start, stop, schema in parts if calls else ():
        first = fresh.instances.subset(ids[starts[calls[0]] : [*starts, ids.size][calls[0] + 1]])
        earlier = fresh.descriptions[None].comparison if fresh.descriptions else None
        comparison = rules.compare(schema, first, earlier)
        begun = _copied(fresh.descriptions, comparison) if fresh.descriptions else rules.begin(comparison)
        # Calls are repeated one by one if differences depend on the values known so far, as for texts.
        cuts = {start, stop, *(cut for cut in starts if start < cut < stop and comparison.live)}
        for part, end in pairwise(sorted(cuts)):
            begun, released = _relearned(begun, fresh.instances, fresh.seen, order[part:end], threads)
            left.append(released)
        fresh.descriptions = begun
    fresh.instances.remove(np.concatenate(left))
    return fresh


def _relearned(
    descriptions: Descriptions, instances: Instances, seen: SeenClasses, order: IdArray, threads: int
) -> tuple[Descriptions, IdArray]:
    """Learn stored rows again in ``order``; return the descriptions, and the ids of rows that are no longer stored."""
    comparison, positions = descriptions[None].comparison, instances.positions(order)
    cells = instances.cells(positions)[:, : len(comparison.schema)]
    targets = seen.coded(instances, positions)
    rows = order, comparison.prepared(cells, instances, stored=True), targets
    return _learned(_with_classes(descriptions, targets), rows, threads, "relearn")
