"""Counts without rows: state of a Bayes classifier with ``keep_rows=False``.

Rows are counted and then discarded. The model keeps the number of rows of each class and, for each class, the counts of
the values and of the distinct numbers. Once the cut points of a numeric column are fixed, the counts of its bins
replace the counts of its numbers. The model also keeps exact sums for numeric columns with a density and, if needed,
counts of pairs of values. All counts are integers, so they do not depend on the order of rows, batches or merges, and
subtracting rows undoes adding them. Only fixed cut points that were learned would remain, so rows can then not be
forgotten. A `Tally` contains the counts of some rows: learning adds a tally, forgetting subtracts a tally, and merging
adds the tally of another model.

The cut points of a numeric column are learned from a table that counts, for each distinct number, the rows of each
class. If there are more than `MOST_DISTINCT` distinct numbers, a first pass keeps only the numbers with the smallest
hashes. These numbers are a sample, and their counts are exact. How the rows are split into batches does not affect the
sample. The cut points are learned from the sample and then fixed; a second pass counts the rows in each bin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike

from priorcase._core import count_values, factorise, whole_ranks
from priorcase._typing import AnyArray, BoolArray, FloatArray, IdArray, IntArray, Value
from priorcase.bayes.dictionaries import RepeatedBatches
from priorcase.bayes.discretize import CutPoints
from priorcase.bayes.memory import FIRST, MISSING, UNSEEN, BayesMemory, Counts
from priorcase.bayes.numeric import ClassMoments, KernelDensity, Moments, Numeric
from priorcase.bayes.pairs import PairCounts, poured
from priorcase.bayes.words import Words
from priorcase.exceptions import (
    ForgettingError,
    NotAvailableError,
    ParameterError,
    SchemaMismatchError,
    named,
)
from priorcase.instances import Instances
from priorcase.instances.instances import CodeColumn, described, with_lengths
from priorcase.saving import checked
from priorcase.schema import Circular, Coded, Date, Nominal, Ordinal, Schema, Set, Table, Text
from priorcase.schema.kinds import canonical

MOST_DISTINCT = 1 << 17
"""Maximum number of distinct numbers of a column that are counted individually."""

# Integers within a small range are counted by their distance from the smallest.
_SMALL_RANGE = 1 << 16
# Batches with different dictionaries are merged together: maximum number, and maximum size of their counts in bytes.
_MOST_WAITING, _MOST_BYTES = 32, 1 << 26
_NEEDS_ROWS = (
    "needs the rows, but the model was fitted with keep_rows=False and stores counts only. Fit with keep_rows=True"
)


# -- values and classes of rows that are not stored


class CountedRows(Instances):
    """Values and classes of rows that were counted but not stored, with the number of rows of each class."""

    def __init__(self, schema: Schema, targets: Schema | None) -> None:
        super().__init__(schema, targets)
        self.class_counts: IdArray = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return int(self.class_counts.sum())

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"class_counts": self.class_counts}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.class_counts = state["class_counts"]

    def fork(self) -> CountedRows:
        other = object.__new__(CountedRows)
        other.__dict__ = dict(self.__dict__)
        return other

    __copy__ = fork

    def plain(self) -> Instances:
        """Return an `Instances` object with the same values but without rows."""
        return self._with(self.schema, self._rows)

    @property
    def next_id(self) -> int:
        return len(self)

    def target_counts(self, t: int = 0) -> IdArray:
        return np.pad(self.class_counts, (0, len(self.target_values()) - self.class_counts.size))

    def numbered(self, values: Sequence[Sequence[Value] | None]) -> list[IntArray]:
        """Return the codes of the given values of each column (the target is last); new values get new codes."""
        codes, prepared = list[IntArray](), list[Any]()
        labels = [*map(self.schema.label, range(len(self.schema))), "y"]
        for column, n, label, held in zip(self._rows.columns, self._rows.codes, labels, values, strict=True):
            found: IntArray = np.empty(0, np.int64)
            new: dict[int, Value] = {}
            if held is not None and isinstance(column, CodeColumn):
                found, new = column.prepare(Coded(np.arange(len(held), dtype=np.int32), list(held)), n, label)
            codes.append(found.astype(np.int64))
            prepared.append((np.empty(0, column.data.dtype), new))
        if any(new for _, new in prepared):
            # States can share columns, and without rows it is unknown which state may add values: copy the columns.
            self._rows = self._rows.taken(slice(None)).with_rows(prepared, None, 0)
        return codes

    def found(self, values: Sequence[Sequence[Value] | None]) -> list[IntArray]:
        """Return the codes of the given values of each column; raise an error for a value that was never counted."""
        codes = list[IntArray]()
        for j, (column, n, held) in enumerate(zip(self._rows.columns, self._rows.codes, values, strict=True)):
            own = [column.code(value, n) for value in held or ()] if isinstance(column, CodeColumn) else []
            if -1 in own and held is not None:
                where = f"column {self.schema.label(j)!r}" if j < len(self.schema) else "y"
                raise _never_counted(f"{where} has {held[own.index(-1)]!r}, a value that was never counted")
            codes.append(np.array(own, np.int64))
        return codes

    def settle(self, class_counts: IdArray, vanished: Mapping[int, Sequence[int]]) -> None:
        """Set the number of rows of each class, and free the codes of values without rows."""
        rows, columns = self._rows, list(self._rows.columns)
        for j, gone in vanished.items():
            column = columns[j]
            if gone and isinstance(column, CodeColumn) and column.kind.values is None:
                columns[j] = column.with_data(column.data, rows.codes[j], gone)
        same = rows.codes, rows.ids, rows.weights, rows.size, rows.next_id
        self._rows = type(rows)(tuple(columns), *same, rows.version + 1, rows.removals + bool(vanished))
        self.class_counts = class_counts

    def range_of(self, a: int) -> tuple[int, float, float]:
        return 0, np.nan, np.nan  # moments do not contain it

    # -- not available

    @property
    def ids(self) -> IdArray:
        _needs_rows("this operation")

    def _needed(self, *_: Any, **__: Any) -> NoReturn:
        _needs_rows("this operation")

    column = target = decode = cells = look_up = stored = positions = subset = reshaped = remove = digest = _needed


def _needs_rows(what: str) -> NoReturn:
    raise NotAvailableError(f"{what} {_NEEDS_ROWS}")


def _never_counted(why: str) -> ForgettingError:
    return ForgettingError(f"some of these rows cannot have been counted: {why}. The model is unchanged.")


# -- numbers


@dataclass(frozen=True, eq=False)
class Numbers:
    """Counts of a numeric column by class, for each of its distinct ``values`` or for each bin between its ``cuts``."""

    cuts: FloatArray | None
    values: FloatArray
    counts: IdArray  # shape (values or bins, classes)
    missing: IdArray  # number of missing values in each class
    sampled: bool = False  # whether only the values with the smallest hashes are included

    @classmethod
    def empty(cls, cuts: FloatArray | None) -> Numbers:
        bins = 0 if cuts is None else len(cuts) + 1
        return cls(cuts, np.empty(0), np.zeros((bins, 0), np.int64), np.zeros(0, np.int64))

    def plus(self, other: Numbers, classes: IntArray, n_classes: int, sign: int) -> Numbers:
        """Return these counts plus ``sign`` times ``other``; class i of ``other`` becomes class ``classes[i]``."""
        more = n_classes - self.missing.size
        mine, missing = np.pad(self.counts, ((0, 0), (0, more))), np.pad(self.missing, (0, more))
        theirs, held = np.zeros((len(other.counts), n_classes), np.int64), np.zeros(n_classes, np.int64)
        theirs[:, classes], held[classes] = other.counts, other.missing
        missing = missing + sign * held
        if self.cuts is not None:  # `other` must have the same cut points
            return replace(self, counts=mine + sign * theirs, missing=missing)
        values, at = np.unique(np.concatenate([self.values, other.values]), return_inverse=True)
        counts = np.zeros((len(values), n_classes), np.int64)
        counts[at[: len(mine)]] = mine
        counts[at[len(mine) :]] += sign * theirs
        left = counts.any(axis=1)
        sampled = self.sampled or other.sampled
        return Numbers(None, values[left], counts[left], missing, sampled)

    def cut(self, cuts: FloatArray) -> Numbers:
        """Convert counts of numbers to counts of the bins between cut points; return counts of bins unchanged."""
        if self.cuts is not None:
            return self
        counts = np.zeros((len(cuts) + 1, self.missing.size), np.int64)
        np.add.at(counts, np.searchsorted(cuts, self.values, side="right"), self.counts)
        return Numbers(cuts, np.empty(0), counts, self.missing)

    def sample(self) -> Numbers:
        """Return the counts of at most `MOST_DISTINCT` numbers: those with the smallest hashes."""
        if len(self.values) <= MOST_DISTINCT:
            return self
        kept = np.sort(np.argpartition(_hashes(self.values), MOST_DISTINCT)[:MOST_DISTINCT])
        return Numbers(None, self.values[kept], self.counts[kept], self.missing, sampled=True)

    def learned_cuts(self, strategy: Any, codes: IntArray) -> FloatArray:
        """Return the cut points that a discretizer learns; ``codes`` contains each class's code (-1 without rows)."""
        rows = [(k, self.counts[:, code]) for k, code in enumerate(codes.tolist()) if code >= 0]
        held = [(k, np.flatnonzero(own), own) for k, own in rows]
        values = np.concatenate([np.empty(0), *(self.values[at] for _, at, _ in held)])
        classes = np.concatenate([np.empty(0, np.intp), *(np.full(at.size, k) for k, at, _ in held)])
        weights = np.concatenate([np.empty(0), *(own[at].astype(np.float64) for _, at, own in held)])
        return np.ascontiguousarray(strategy.cuts(values, classes, codes.size, weights), np.float64)

    def cells(self) -> IdArray:
        """Return counts of missing values, of unseen values (0), and of each value or bin, shape (cells, classes)."""
        return np.concatenate([self.missing[np.newaxis], np.zeros_like(self.missing)[np.newaxis], self.counts])


def _hashes(values: FloatArray) -> AnyArray:
    """Hash each number with the finalizer of SplitMix64."""
    bits = (values + 0.0).view(np.uint64).copy()
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))


def _distinct(column: FloatArray) -> tuple[AnyArray, FloatArray]:
    """Return the code of each number in a column (-1 if missing), and the distinct numbers in code order."""
    column = np.ascontiguousarray(column, np.float64)
    if (found := whole_ranks(column, _SMALL_RANGE)) is not None:
        low, n, ranks = found
        return ranks, low + np.arange(n, dtype=np.float64)
    known = column[~np.isnan(column)]
    codes, first = factorise((known + 0.0).view(np.uint8).reshape(-1, 8))
    if known.size < column.size:
        every = np.full(column.size, -1, np.int32)
        every[~np.isnan(column)] = codes
        codes = every
    return codes, known[first] + 0.0


# -- counts of some rows


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of some rows by class: rows, values and numbers of each attribute, and sums for densities.

    ``coded`` contains the values (None for ordinal attributes) and the counts of each nominal or ordinal attribute.
    Counts have shape (2 + values, classes); the first two rows are for missing and unseen values.
    """

    classes: Sequence[Value]
    class_counts: IdArray
    coded: Sequence[tuple[Sequence[Value] | None, IdArray]]
    numbers: Sequence[Numbers]
    sums: ClassMoments | None = None
    pairs: PairCounts | None = None


def check_unweighted(weights: FloatArray | None) -> None:
    """Raise an error for weights other than 1, which are not supported with ``keep_rows=False``."""
    if weights is not None and (weights != 1.0).any():
        raise ParameterError(
            "sample_weight must be None, or 1 for every row, with keep_rows=False. Fit with keep_rows=True."
        )


class CountedMemory(BayesMemory):
    """Counts of rows that are not stored; see the module docstring."""

    instances: CountedRows
    _counts: Counts

    def __init__(
        self,
        instances: CountedRows,
        *,
        numeric: Sequence[Numeric | Words | None],
        missing_counts: bool | BoolArray,
        paired: bool,
        cuts: Mapping[int, FloatArray] | None = None,
        threads: int = 1,
    ) -> None:
        super().__init__(instances, numeric=numeric, missing_counts=missing_counts, threads=threads)
        _check_kinds(instances.schema, numeric)
        self.paired, settled = paired, dict(cuts or {})
        for a in self._binned:
            if isinstance(strategy := numeric[a], CutPoints):
                settled[a] = np.array(strategy.points, np.float64)
        self._numbers = [Numbers.empty(settled.get(a)) for a in self._binned]
        self._counts = Counts([None] * len(self._coded))
        self._counts.grow(self._sizes(), 0)
        self._sums = ClassMoments(len(self._summed)) if self._summed else None
        # Pairs of values are counted only if the cut points of all binned columns are fixed.
        ready = paired and len(settled) == len(self._binned)
        self._pairs = PairCounts.empty(self._pair_sizes(), 0) if ready else None
        # Counters of batches with repeated dictionaries; only the last one receives more batches.
        self._repeated: list[RepeatedBatches] = []

    def fork(self) -> Self:
        other = super().fork()
        other._numbers, other._repeated = list(self._numbers), []
        other._pairs = None if self._pairs is None else self._pairs.copied()
        return other

    # -- cut points

    @property
    def unsettled(self) -> list[int]:
        """Positions of the columns whose cut points are known only after a first pass over all rows."""
        pairs = zip(self._binned, self._numbers, strict=True)
        return [a for a, numbers in pairs if numbers.sampled or (self.paired and numbers.cuts is None)]

    def settled(self, codes: IntArray) -> Self:
        """Return an empty memory with the cut points learned from the rows counted so far."""
        cuts = {a: self._learned_cuts(i, codes) for i, a in enumerate(self._binned) if a in self.unsettled}
        rows = CountedRows(self.instances.schema, self.instances.targets)
        return type(self)(
            rows,
            numeric=self.numeric,
            missing_counts=self.missing_counts,
            paired=self.paired,
            cuts=cuts,
            threads=self.threads,
        )

    def _learned_cuts(self, i: int, codes: IntArray) -> FloatArray:
        numbers = self._numbers[i]
        return numbers.learned_cuts(self.numeric[self._binned[i]], codes) if numbers.cuts is None else numbers.cuts

    def _cuts(self, labels: AnyArray, codes: IntArray) -> list[FloatArray]:
        return [self._learned_cuts(i, codes) for i in range(len(self._binned))]

    # -- adding and removing rows

    def append(self, table: Table, targets: Table | None, weights: FloatArray | None) -> IdArray:
        check_unweighted(weights)
        assert targets is not None  # a classifier always has targets
        self.absorb(self._tallied(table, targets))
        return np.empty(0, np.int64)

    def append_again(self, table: Any, target: Any) -> bool:
        """Count an Arrow table if this is possible without reading strings; return whether it was counted."""
        if not self._repeated or tuple(table.column_names) != self.instances.schema.names:
            return False
        if self._repeated[-1].add(table, target, self.threads):
            return True
        self.expect_again(table, target)  # a batch with other dictionaries
        return bool(self._repeated) and self._repeated[-1].add(table, target, self.threads)

    def expect_again(self, table: Any, target: Any) -> None:
        """Prepare to count more batches that have the same dictionaries as this Arrow table."""
        schema = self.instances.schema
        plain = all(schema.kinds[a] == Nominal(content="text") for a in self._coded)
        if plain and not self._summed and not self.paired and tuple(table.column_names) == schema.names:
            cuts = {a: numbers.cuts for a, numbers in zip(self._binned, self._numbers, strict=True)}
            attributes = [(a, a not in cuts, cuts.get(a)) for a in (*self._coded, *self._binned)]
            if len(self._repeated) >= _MOST_WAITING or sum(each.cells.nbytes for each in self._repeated) > _MOST_BYTES:
                self.flush()
            if (batches := RepeatedBatches.like(table, target, attributes)) is not None:
                self._repeated.append(batches)

    def flush(self) -> None:
        """Add the rows counted by `append_again` to the counts."""
        batches, self._repeated = [each for each in self._repeated if each.rows], []
        if not batches:
            return
        labels = [each.target.to_pylist() for each in batches]
        index = {label: k for k, label in enumerate(dict.fromkeys(label for own in labels for label in own))}
        blocks, counts = [], np.zeros(len(index), np.int64)
        for each, own in zip(batches, labels, strict=True):
            blocks.append(each.blocks([index[label] for label in own], len(index)))
            counts += blocks[-1][0][1].sum(axis=0)
        coded = [_joined([own[d] for own in blocks]) for d in range(len(self._coded))]
        numbers = [
            _joined_numbers(held.cuts, [own[i] for own in blocks])
            for i, held in enumerate(self._numbers, start=len(self._coded))
        ]
        self.absorb(Tally(list(index), counts, coded, numbers))

    def gather(self) -> None:
        """In a first pass, keep a sample of the numbers of columns with too many distinct numbers."""
        self._numbers = [numbers.sample() for numbers in self._numbers]

    def bound(self, codes: IntArray) -> None:
        """After a first pass, learn final cut points for columns with too many distinct numbers."""
        for i, numbers in enumerate(self._numbers):
            if len(numbers.values) > MOST_DISTINCT:
                strategy = self.numeric[self._binned[i]]
                self._numbers[i] = numbers.cut(numbers.sample().learned_cuts(strategy, codes))

    def forget(self, ids: ArrayLike) -> None:
        _needs_rows("forgetting by id")

    def forget_rows(self, table: Table, targets: Table) -> None:
        """Subtract rows from the counts; raise an error if some of these rows cannot have been counted."""
        self._check_cuts()
        self._cache.clear()
        self.absorb(self._tallied(table, targets), sign=-1)

    def _check_cuts(self) -> None:
        """Raise an error if cut points that are now fixed were learned from rows that might be forgotten."""
        pairs = zip(self._binned, self._numbers, strict=True)
        learned = [a for a, held in pairs if held.cuts is not None and not isinstance(self.numeric[a], CutPoints)]
        if learned:
            labels = [self.instances.schema.label(a) for a in learned]
            raise ForgettingError(
                f"rows cannot be forgotten exactly: the cut points of {named('column', labels)} were learned from all "
                "rows, and the numbers themselves were not kept. The model is unchanged. Fit with given cut points, "
                f"numeric={{{labels[0]!r}: CutPoints((18, 65))}}, fit with keep_rows=True, or fit without the rows."
            )

    def _tallied(self, table: Table, targets: Table) -> Tally:
        """Count some rows in one call of the compiled core, and return the counts."""
        target: Any = targets.columns[0]
        n_classes, size = len(target.values), len(table)
        columns, cuts, sizes, held = list[AnyArray](), list[FloatArray | None](), list[int](), list[Any]()
        for a in (*self._coded, *self._binned):
            column: Any = table.columns[a]
            kind, points, values = self.instances.schema.kinds[a], None, None
            if isinstance(column, Coded):
                column = _compact(column, size)
                values, column = column.values, column.codes
            elif isinstance(kind, Ordinal):
                self.instances._rows.columns[a].prepare(column, 0, self.instances.schema.label(a))
                values = kind.order
            elif (points := self._numbers[self._binned.index(a)].cuts) is None:
                column, values = _distinct(np.asarray(column))
            columns.append(column)
            cuts.append(points)
            held.append(values)
            size_of: Any = values if points is None else range(len(points) + 1)
            sizes.append(FIRST + len(size_of))
        starts = np.concatenate([[0], np.cumsum(np.asarray(sizes, np.int64))]).astype(np.int64)
        cells = np.zeros((int(starts[-1]), n_classes), np.int64)
        count_values(columns, cuts, target.codes, starts, cells, 1, self.threads)
        blocks = [cells[start:end] for start, end in pairwise(starts.tolist())]
        n_coded, coded, numbers = len(self._coded), list[Any](), list[Numbers]()
        for a, values, block in zip(self._coded, held, blocks, strict=False):
            coded.append((None if isinstance(self.instances.schema.kinds[a], Ordinal) else values, block))
        for points, values, block in zip(cuts[n_coded:], held[n_coded:], blocks[n_coded:], strict=True):
            numbers.append(_numbers_of(points, values, block))
        sums = None
        if self._summed:
            sums = ClassMoments(len(self._summed))
            sums.grow(n_classes)
            given = [np.asarray(table.columns[a]) for a in self._summed]
            sums.add(given, target.codes, None, threads=self.threads)
        pairs = None if self._pairs is None else self._tallied_pairs(columns, cuts, sizes, target.codes, n_classes)
        counted = np.bincount(target.codes, minlength=n_classes).astype(np.int64)
        return Tally(target.values, counted, coded, numbers, sums, pairs)

    def _tallied_pairs(
        self,
        columns: Sequence[AnyArray],
        cuts: Sequence[FloatArray | None],
        sizes: Sequence[int],
        classes: IntArray,
        n: int,
    ) -> PairCounts:
        places = np.argsort((*self._coded, *self._binned))  # pairs are ordered by attribute
        counts = PairCounts.empty([sizes[d] - FIRST + 1 for d in places], n)
        step = max(1 << 16, 2 * counts.pairs.size // max(len(columns), 1))
        for start in range(0, len(classes), step):
            rows = slice(start, start + step)
            codes = np.stack([_pair_slots(columns[d][rows], cuts[d]) for d in places])
            counts.add(codes, classes[rows], threads=self.threads)
        return counts

    def absorb(self, tally: Tally, *, sign: int = 1) -> None:
        """Add the counts of other rows, or subtract them with ``sign=-1``; after an error, discard this memory."""
        rows, schema = self.instances, self.instances.schema
        values: list[list[Value] | None] = [None] * (len(schema) + 1)
        used: dict[int, IntArray] = {}
        for a, (held, cells) in zip(self._coded, tally.coded, strict=True):
            if held is not None:
                used[a] = np.flatnonzero(cells[FIRST:].any(axis=1))
                values[a] = [held[i] for i in used[a].tolist()]
        of = np.flatnonzero(tally.class_counts)
        values[-1] = [tally.classes[k] for k in of.tolist()]
        codes = rows.numbered(values) if sign > 0 else rows.found(values)
        classes, n = codes[-1], len(rows.target_values())
        class_counts = rows.target_counts().copy()
        class_counts[classes] += sign * tally.class_counts[of]
        if self._too_many(n):
            self.check()
        self._counts.grow(self._sizes(), n)
        maps: list[IntArray] = [np.empty(0, np.int64)] * len(schema)  # value numbers: from the other counts to these
        for d, (a, (held, cells)) in enumerate(zip(self._coded, tally.coded, strict=True)):
            there = np.arange(len(cells) - FIRST) if held is None else used[a]
            here = there if held is None else codes[a]
            start = int(self._counts.starts[d])
            into = np.ix_(start + np.append(MISSING, FIRST + here), classes)
            self._counts.cells[into] += sign * cells[np.ix_(np.append(MISSING, FIRST + there), of)]
            maps[a] = np.full(len(cells) - FIRST + 1, -1, np.int64)
            maps[a][np.append(0, 1 + there)] = np.append(0, 1 + here)
        for i, (a, other) in enumerate(zip(self._binned, tally.numbers, strict=True)):
            mine, theirs = self._agreed(i, other)
            some = replace(theirs, counts=theirs.counts[:, of], missing=theirs.missing[of])
            self._numbers[i] = mine.plus(some, classes, n, sign)
            maps[a] = np.arange(len(theirs.counts) + 1)
        if self._sums is not None and tally.sums is not None:
            self._sums.grow(n + 1)
            into_class = np.full(tally.sums.n_classes, n)  # classes without rows add nothing
            into_class[of] = classes
            self._sums.absorb(tally.sums, into_class, sign=sign)
        if self._pairs is not None and tally.pairs is not None:
            into_class = np.full(tally.pairs.n_classes, -1)
            into_class[of] = classes
            if (
                not np.array_equal(sizes := np.asarray(self._pair_sizes()), self._pairs.sizes)
                or n > self._pairs.n_classes
            ):
                wider = PairCounts.empty(sizes, n)
                poured(self._pairs, wider, [np.arange(k) for k in self._pairs.sizes], np.arange(self._pairs.n_classes))
                self._pairs = wider
            poured(tally.pairs, self._pairs, maps, into_class, sign)
        vanished: dict[int, list[int]] = {}
        if sign < 0:
            self._check_counts(class_counts)
            totals = self._counts.cells.sum(axis=1)
            for d, a in enumerate(self._coded):
                if a in used:
                    start = int(self._counts.starts[d]) + FIRST
                    vanished[a] = [int(code) for code in codes[a] if totals[start + code] == 0]
            vanished[len(schema)] = [int(code) for code in classes if class_counts[code] == 0]
        rows.settle(class_counts, vanished)

    def _agreed(self, i: int, other: Numbers) -> tuple[Numbers, Numbers]:
        """Return the counts of a binned column in this model and in the other model, with the same cut points."""
        mine = self._numbers[i]
        if mine.cuts is None and other.cuts is not None:
            mine = mine.cut(other.cuts)
        theirs = other.cut(mine.cuts) if mine.cuts is not None else other
        if mine.cuts is not None and not np.array_equal(mine.cuts, np.asarray(theirs.cuts)):
            label = self.instances.schema.label(self._binned[i])
            raise SchemaMismatchError(
                f"column {label!r} has different cut points in the two models, which store counts only. The model is "
                f"unchanged. Fit both with the same cut points: numeric={{{label!r}: CutPoints(...)}}."
            )
        return mine, theirs

    def _check_counts(self, class_counts: IdArray) -> None:
        """Raise an error if a count is negative, or if sums do not match the counts."""
        schema = self.instances.schema
        if (class_counts < 0).any():
            raise _never_counted("the count of a class would become negative")
        for d, a in enumerate(self._coded):
            if (self._counts.cells[self._counts.starts[d] : self._counts.starts[d + 1]] < 0).any():
                raise _never_counted(f"the count of a value in column {schema.label(a)!r} would become negative")
        for a, numbers in zip(self._binned, self._numbers, strict=True):
            if (numbers.counts < 0).any() or (numbers.missing < 0).any():
                raise _never_counted(f"the count of a number in column {schema.label(a)!r} would become negative")
        for i, a in enumerate(self._summed):
            known = enumerate(class_counts.tolist())
            if self._sums is not None and not all(_possible(self._sums.exact(i, k), n) for k, n in known):
                raise _never_counted(f"the sums of column {schema.label(a)!r} would no longer match the counts")
        if self._pairs is not None and (self._pairs.pairs < 0).any():
            raise _never_counted("the count of a pair of values would become negative")

    def tally(self, order: Sequence[int]) -> Tally:
        """Return all counts as a `Tally`; ``order`` contains the positions of the columns in their new order."""
        columns: dict[int, Any] = {}
        for d, a in enumerate(self._coded):
            nominal = isinstance(self.instances.schema.kinds[a], Nominal)
            block = self._counts.cells[self._counts.starts[d] : self._counts.starts[d + 1]]
            columns[a] = (self.instances.values(a) if nominal else None, block)
        columns |= dict(zip(self._binned, self._numbers, strict=True))
        coded = [columns[a] for a in order if a in self._coded]
        numbers = [columns[a] for a in order if a in self._binned]
        sums = (
            None
            if self._sums is None
            else self._sums.taken([self._summed.index(a) for a in order if a in self._summed])
        )
        pairs = None if self._pairs is None else self._pairs.taken(list(order))
        rows = self.instances
        return Tally(rows.target_values(), rows.target_counts(), coded, numbers, sums, pairs)

    # -- statistics

    def _cells(self, cuts: list[FloatArray], threads: int) -> tuple[IdArray, IdArray, IdArray]:
        n, counts = self._n_codes(), self._counts
        blocks = [numbers.cut(points).cells() for numbers, points in zip(self._numbers, cuts, strict=True)]
        blocks = [np.pad(block, ((0, 0), (0, n - block.shape[1]))) for block in blocks]
        ends = counts.starts[-1] + np.cumsum([len(block) for block in blocks], dtype=np.int64)
        starts = np.concatenate([counts.starts, ends]).astype(np.int64)
        return np.concatenate([counts.cells, *blocks]), starts, self.instances.target_counts()

    def _moments(self) -> dict[int, Moments]:
        if self._sums is None:
            return {}
        self._sums.grow(self._n_codes() + 1)
        return dict(zip(self._summed, self._sums.summaries(), strict=True))

    def pair_counts(self, numbers: IntArray, starts: IntArray, codes: IntArray, sizes: IntArray) -> PairCounts:
        """Return the counts of pairs of values, with values and classes numbered as in the statistics.

        ``numbers`` contains the number of each cell's value, ``starts`` the first cell of each attribute, ``codes`` the
        stored code of each class, and ``sizes`` the number of values of each attribute.
        """
        assert self._pairs is not None  # pairs are counted once the cut points are fixed
        found = PairCounts.empty(sizes, codes.size)
        maps = []
        for start, size in zip(starts.tolist(), self._pairs.sizes.tolist(), strict=True):
            slots = numbers[start : start + size + 1]
            maps.append(np.concatenate([slots[MISSING : MISSING + 1], slots[FIRST:]]).astype(np.int64))
        into_class = np.full(self._pairs.n_classes, -1)
        held = codes >= 0
        into_class[codes[held]] = np.flatnonzero(held)
        poured(self._pairs, found, maps, into_class)
        return found

    def _pair_sizes(self) -> list[int]:
        sizes = {a: 1 + self.instances.n_values(a) for a in self._coded}
        sizes |= {a: 1 + len(numbers.counts) for a, numbers in zip(self._binned, self._numbers, strict=True)}
        return [sizes[a] for a in sorted(sizes)]

    # -- fingerprint and file

    def digest(self) -> str:
        """Return a fingerprint of the counts that does not depend on the order of rows."""
        rows, parts = self.instances, sha256(b"priorcase counts 1")
        for schema in (rows.schema, rows.targets):
            with_lengths(parts, described(schema))
        written, order = _sorted_codes(rows.target_values(), rows.target_counts())
        with_lengths(parts, written)
        parts.update(rows.target_counts()[order].astype("<i8").tobytes())
        n, slots = len(rows.target_values()), dict[int, IntArray]()
        for d, a in enumerate(self._coded):
            cells = self._counts.cells[self._counts.starts[d] : self._counts.starts[d + 1]]
            cells = np.pad(cells, ((0, 0), (0, n - cells.shape[1])))
            held, codes = _sorted_codes(rows.values(a), cells[FIRST:].sum(axis=1))
            slots[a] = codes
            with_lengths(parts, held)
            parts.update(cells[np.append(MISSING, FIRST + codes)][:, order].astype("<i8").tobytes())
        for a, numbers in zip(self._binned, self._numbers, strict=True):
            slots[a] = np.arange(len(numbers.counts))
            parts.update(b"values" if numbers.cuts is None else b"cuts" + numbers.cuts.astype("<f8").tobytes())
            parts.update(numbers.values.astype("<f8").tobytes())
            cells = np.pad(numbers.cells(), ((0, 0), (0, n - numbers.missing.size)))
            parts.update(cells[:, order].astype("<i8").tobytes())
        if self._sums is not None:
            for column in range(len(self._summed)):
                for code in order.tolist():
                    parts.update(repr([_reduced(*each) for each in self._sums.exact(column, code)]).encode())
        if self._pairs is not None:
            sizes = [1 + slots[a].size for a in sorted(slots)]
            found, maps = PairCounts.empty(sizes, order.size), []
            for a, size in zip(sorted(slots), self._pairs.sizes.tolist(), strict=True):
                into = np.full(size, -1)
                into[np.append(0, 1 + slots[a])] = np.arange(1 + slots[a].size)
                maps.append(into)
            into_class = np.full(max(self._pairs.n_classes, n), -1)
            into_class[order] = np.arange(order.size)
            poured(self._pairs, found, maps, into_class[: self._pairs.n_classes])
            parts.update(found.pairs.astype("<i8").tobytes())
        return parts.hexdigest()

    def saved_rows(self) -> Instances:
        return self.instances.plain()

    def saved(self) -> dict[str, Any]:
        """Return all counts, to be saved with the model."""
        sums, pairs = self._sums, self._pairs
        numbers = [(each.cuts, each.values, each.counts, each.missing) for each in self._numbers]
        counts = {"classes": self.instances.target_counts(), "cells": self._counts.cells, "numbers": numbers}
        counts["sums"] = None if sums is None else sums.saved()
        counts["pairs"] = None if pairs is None else (pairs.sizes, pairs.classes, pairs.singles, pairs.pairs)
        return {"counts": counts}

    def restore(self, instances: Instances, state: Mapping[str, Any]) -> None:
        """Restore and check values and counts; raise ``ValueError`` if they are inconsistent."""
        told, rows = state["counts"], CountedRows(instances.schema, instances.targets)
        rows._rows = instances._rows
        self.instances, n = rows, len(rows.target_values())
        rows.class_counts = _whole(told["classes"], (n,))
        self._counts = Counts([None] * len(self._coded))
        self._counts.grow(self._sizes(), n)
        self._counts.cells = _whole(told["cells"], self._counts.cells.shape)
        self._numbers = [
            self._restored_numbers(a, *each) for a, each in zip(self._binned, told["numbers"], strict=True)
        ]
        totals = rows.class_counts
        for d in range(len(self._coded)):
            if (self._counts.cells[self._counts.starts[d] : self._counts.starts[d + 1]].sum(axis=0) != totals).any():
                raise ValueError("the counts of a column do not add up to the class counts")
        for numbers in self._numbers:
            if (np.pad(numbers.cells().sum(axis=0), (0, n - numbers.missing.size)) != totals).any():
                raise ValueError("the counts of a column do not add up to the class counts")
        if (self._sums is None) != (told["sums"] is None) or self.paired != (told["pairs"] is not None):
            raise ValueError("sums or pair counts are missing or unexpected")
        if told["sums"] is not None:
            self._sums = ClassMoments.restored(told["sums"], len(self._summed), n + 1)
            counts = [*rows.class_counts.tolist(), 0][: self._sums.n_classes]
            if not all(
                _possible(self._sums.exact(i, k), m) for i in range(len(self._summed)) for k, m in enumerate(counts)
            ):
                raise ValueError("the sums do not match the counts")
        if told["pairs"] is not None:
            empty = PairCounts.empty(sizes := self._pair_sizes(), int(told["pairs"][1].size))
            given = [
                checked(each, np.float64, own.shape) for each, own in zip(told["pairs"][1:], empty.tables, strict=True)
            ]
            if empty.n_classes > n or not np.array_equal(told["pairs"][0], sizes) or any((t < 0).any() for t in given):
                raise ValueError("invalid pair counts")
            self._pairs = PairCounts(empty.sizes, *given)

    def _restored_numbers(self, a: int, cuts: Any, values: Any, counts: Any, missing: Any) -> Numbers:
        values = checked(values, np.float64, (None,))
        cuts = None if cuts is None else checked(cuts, np.float64, (None,))
        fixed = self._numbers[self._binned.index(a)].cuts
        rows = values.size if cuts is None else cuts.size + 1
        ordered = [each for each in (values, cuts) if each is not None]
        if any((each[1:] <= each[:-1]).any() or not np.isfinite(each).all() for each in ordered):
            raise ValueError("numbers are not finite or not in ascending order")
        if (fixed is not None and not np.array_equal(fixed, np.asarray(cuts))) or (cuts is not None and values.size):
            raise ValueError("the cut points do not match the parameters")
        missing = _whole(missing, (None,))
        return Numbers(cuts, values, _whole(counts, (rows, missing.size)), missing)


def _joined(blocks: Sequence[tuple[Sequence[Value], IdArray]]) -> tuple[Sequence[Value], IdArray]:
    """Add up the counts of a nominal column over batches; return its distinct values, and the sums."""
    distinct = dict.fromkeys(value for values, _ in blocks for value in values)
    index = {value: i for i, value in enumerate(distinct, FIRST)}
    cells = np.zeros((FIRST + len(index), blocks[0][1].shape[1]), np.int64)
    for values, block in blocks:
        cells[[MISSING, UNSEEN, *(index[value] for value in values)]] += block
    return list(index), cells


def _joined_numbers(cuts: FloatArray | None, blocks: Sequence[tuple[FloatArray | None, IdArray]]) -> Numbers:
    """Add up the counts of a numeric column over batches."""
    if cuts is not None:
        return _numbers_of(cuts, None, np.sum([block for _, block in blocks], axis=0))
    found = [_numbers_of(None, values, block) for values, block in blocks]
    values, at = np.unique(np.concatenate([each.values for each in found]), return_inverse=True)
    counts = np.zeros((len(values), blocks[0][1].shape[1]), np.int64)
    np.add.at(counts, at, np.concatenate([each.counts for each in found]))
    return Numbers(None, values, counts, np.sum([each.missing for each in found], axis=0))


def _numbers_of(cuts: FloatArray | None, values: FloatArray | None, cells: IdArray) -> Numbers:
    """Create `Numbers` from cells, with one cell for each bin if there are cut points, otherwise for each value."""
    if cuts is not None or values is None:
        return Numbers(cuts, np.empty(0), cells[FIRST:], cells[MISSING])
    held = np.flatnonzero(cells[FIRST:].any(axis=1))
    held = held[np.argsort(values[held])]
    return Numbers(None, values[held], cells[FIRST + held], cells[MISSING])


def _check_kinds(schema: Schema, numeric: Sequence[Any]) -> None:
    """Raise an error for columns that require stored rows."""
    for a, (kind, strategy) in enumerate(zip(schema.kinds, numeric, strict=True)):
        what = f"is a {kind.describe()}" if isinstance(kind, (Date, Circular, Set, Text)) else None
        what = "has a kernel density" if isinstance(strategy, KernelDensity) else what
        if what is not None:
            raise ParameterError(
                f"column {schema.label(a)!r} {what}, which is not available with keep_rows=False. "
                "Fit with keep_rows=True, declare another kind in schema=, or drop the column."
            )


def _compact(column: Coded, rows: int) -> Coded:
    """Return a column; if it has many more values than rows, remove its unused values."""
    if len(column.values) <= 2 * rows + 1024:
        return column
    used, codes = np.unique(column.codes, return_inverse=True)
    first = int(used[0] < 0)
    return Coded((codes - first).astype(np.int32), [column.values[code] for code in used[first:].tolist()])


def _pair_slots(column: AnyArray, cuts: FloatArray | None) -> IntArray:
    """Return the position of each value in the counts of pairs: 0 if it is missing, else its code or bin plus 1."""
    missing = np.isnan(column) if column.dtype.kind == "f" else column < 0
    known = np.where(missing, 0, column)
    codes = known.astype(np.int32) if cuts is None else np.searchsorted(cuts, known, side="right").astype(np.int32)
    return np.where(missing, np.int32(0), codes + np.int32(1))


def _possible(sums: Sequence[tuple[int, int]], rows: int) -> bool:
    """Return whether ``0 <= W <= rows`` and ``S^2 <= W Q``; W, S and Q are the sums of weights, numbers and squares."""
    (w, e_w), (s, e_s), (q, e_q) = sums
    w, more = w >> -e_w, w & ((1 << -e_w) - 1)  # every row has weight 1
    if w <= 0 or more:
        return w == 0 and not more and s == 0 and q == 0
    first = min(2 * e_s, e_q)
    return w <= rows and (s * s << (2 * e_s - first)) <= w * (q << (e_q - first))


def _reduced(number: int, exponent: int) -> tuple[int, int]:
    """Normalize ``number * 2**exponent``, so that the number is odd."""
    if not number:
        return 0, 0
    zeros = (number & -number).bit_length() - 1
    return number >> zeros, exponent + zeros


def _sorted_codes(values: Sequence[Value], counts: IdArray) -> tuple[list[bytes], IntArray]:
    """Return the values that have rows, in canonical form and sorted, and the code of each of these values."""
    found = sorted((canonical(values[code]), code) for code in np.flatnonzero(counts).tolist())
    return [text for text, _ in found], np.array([code for _, code in found], np.int64)


def _whole(array: Any, shape: tuple[int | None, ...]) -> IdArray:
    found: IdArray = checked(array, np.int64, shape, least=0)
    return found
