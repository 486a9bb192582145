"""Stored rows of a Bayes classifier, with counts of their values and moments of their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from priorcase._core import count_values
from priorcase._locks import cached_property
from priorcase._typing import AnyArray, BoolArray, FloatArray, IdArray, IntArray
from priorcase.bayes.numeric import DENSITIES, ClassMoments, Moments, Numeric, check_spread
from priorcase.bayes.parts import Parts, has_parts
from priorcase.bayes.words import WordCounts, Words
from priorcase.exceptions import TooLargeError
from priorcase.instances import Instances
from priorcase.learning.state import Memory
from priorcase.learning.targets import Labeling
from priorcase.schema import Nominal, Table, Text
from priorcase.schema import Numeric as NumericKind

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import CountVectorizer

# With the tables computed from them, more counts would take over two gigabytes.
MOST_CELLS = 2**25

MISSING, UNSEEN, FIRST = 0, 1, 2
"""Positions of an attribute's cells: missing values, unseen values (never counted), then one cell for each code."""


# -- counts


class Counts:
    """Number of rows of each class for each value of each discrete attribute."""

    def __init__(self, cuts: Sequence[FloatArray | None]) -> None:
        self.cuts = list(cuts)  # cut points of each numeric attribute, None for other attributes
        self.starts: IdArray = np.arange(len(self.cuts) + 1, dtype=np.int64) * FIRST
        # One attribute after another, with one column for each class code; integers, so that removals are exact.
        self.cells: IdArray = np.zeros((int(self.starts[-1]), 0), np.int64)

    def __copy__(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__ = self.__dict__ | {"cells": self.cells.copy()}
        return twin

    def grow(self, sizes: Sequence[int], n_classes: int) -> None:
        """Make room for ``sizes[d]`` cells of each attribute d and for ``n_classes`` classes; keep the counts."""
        old, starts = self.starts, np.concatenate([[0], np.cumsum(np.asarray(sizes, np.int64))])
        known = self.cells.shape[1]
        if n_classes == known and np.array_equal(starts, old):
            return
        cells = np.zeros((int(starts[-1]), n_classes), np.int64)
        for d in range(len(sizes)):
            block = self.cells[old[d] : old[d + 1]]
            cells[starts[d] : starts[d] + len(block), :known] = block
        self.starts, self.cells = starts, cells

    def add(self, columns: Sequence[AnyArray], classes: IntArray, *, sign: int = 1, threads: int = 1) -> None:
        """Add rows, or remove them with ``sign=-1``, given a column of codes, ranks or numbers for each attribute."""
        count_values(columns, self.cuts, classes, self.starts, self.cells, sign, threads)


def slots_of(column: AnyArray, cuts: FloatArray | None = None, n_codes: int | None = None) -> IntArray:
    """Return the cell of each value (0 for the attribute's first cell); codes >= ``n_codes`` are unseen values."""
    missing = np.isnan(column) if column.dtype.kind == "f" else column < 0
    known = np.where(missing, 0, column)
    codes = known.astype(np.intp) if cuts is None else np.searchsorted(cuts, known, side="right")
    slots = codes + FIRST
    if n_codes is not None:
        slots[(codes < 0) | (codes >= n_codes)] = UNSEEN
    return np.where(missing, MISSING, slots)


def group_sums(groups: IntArray, amounts: FloatArray, n: int) -> FloatArray:
    """Return the sum of the amounts in each group; the sum does not depend on the order of the amounts."""
    if (amounts != np.floor(amounts)).any() or np.abs(amounts).sum() >= 2.0**53:  # other sums are exact
        order = np.argsort(amounts, kind="stable")
        groups, amounts = groups[order], amounts[order]
    sums: FloatArray = np.bincount(groups, weights=amounts, minlength=n).astype(np.float64)
    return sums


def _rows_of(distinct: Any, codes: IntArray) -> Any:
    """Return the rows of a sparse matrix at positions ``codes``; -1 stands for an empty row."""
    empty = sparse.csr_matrix((1, distinct.shape[1]), dtype=distinct.dtype)
    return sparse.vstack([distinct, empty], format="csr")[codes.astype(np.intp)]


# -- statistics


@dataclass(frozen=True, eq=False)
class Discrete:
    """Class-conditional counts of the discrete attributes: nominal, ordinal, and binned numeric attributes."""

    attributes: tuple[int, ...]  # positions in the schema
    starts: IdArray  # first cell of each attribute, followed by the number of cells
    cuts: tuple[FloatArray | None, ...]  # cut points of each numeric attribute, None for other attributes
    counts: FloatArray  # number of rows in each cell, shape (cells, classes)
    inside: BoolArray  # mask of the cells with possible values
    missing_counts: bool | BoolArray = False  # whether missing is counted as a value, for all attributes or for each
    # Mask of the cells that count a set member which occurs in a single row; None without sets. If the model were
    # fitted without that row, the cell would not exist.
    once: BoolArray | None = None

    @cached_property
    def missing(self) -> BoolArray:
        """Mask of the attributes that count missing as a value."""
        return np.broadcast_to(np.asarray(self.missing_counts, np.bool_), (len(self.attributes),))

    @cached_property
    def left_out(self) -> BoolArray:
        """Mask of the cells with possible values that also exist in leave-one-out, whichever row is left out."""
        return self.inside if self.once is None else self.inside & ~self.once

    @cached_property
    def of(self) -> IntArray:
        """Attribute of each cell, as a position in ``attributes``."""
        return np.repeat(np.arange(len(self.attributes)), np.diff(self.starts))

    @cached_property
    def sizes(self) -> IntArray:
        """Number of possible values of each attribute."""
        return self.per_attribute(self.inside.astype(np.int64))

    @cached_property
    def totals(self) -> FloatArray:
        """Number of rows of each class with a known value, shape (attributes, classes)."""
        return self.per_attribute(np.where(self.inside[:, np.newaxis], self.counts, 0.0))

    def per_attribute(self, cells: AnyArray) -> AnyArray:
        """Return the sum over the cells of each attribute; the sum does not depend on the order of the cells."""
        if not self.attributes:
            return np.zeros((0, *cells.shape[1:]), cells.dtype)
        # Sums of integers below 2^53 are exact in any order.
        if cells.dtype.kind == "f" and ((cells != np.floor(cells)).any() or np.abs(cells).sum() >= 2.0**53):
            return np.stack([group_sums(self.of, column, len(self.attributes)) for column in cells.T], axis=1)
        sums: AnyArray = np.add.reduceat(cells, self.starts[:-1], axis=0)
        return sums

    def slots(self, d: int, cells: FloatArray) -> IntArray:
        """Return the cell of each query's value of attribute ``d``, where 0 is the first cell of the attribute."""
        return slots_of(cells, self.cuts[d], int(self.starts[d + 1] - self.starts[d]) - FIRST)

    def codes(self, d: int) -> slice:
        """Return the range of cells that count the known values of attribute ``d``."""
        return slice(int(self.starts[d]) + FIRST, int(self.starts[d + 1]))


@dataclass(frozen=True, eq=False)
class Statistics:
    """Statistics of the rows for a Bayes classifier."""

    labels: AnyArray  # classes in ascending order
    codes: IntArray  # stored code of each class, -1 for a class without rows
    class_counts: FloatArray
    discrete: Discrete
    moments: Mapping[int, Moments] = field(default_factory=dict)  # of numeric attributes, by position in the schema
    texts: Mapping[int, WordCounts] = field(default_factory=dict)  # by position in the schema

    @property
    def n_classes(self) -> int:
        return self.labels.size


# -- memory


class BayesMemory(Memory):
    """Stored rows with counts of their values and moments of their numbers.

    If columns are split into parts (`Parts`), this memory contains only the rows. `attributes` then returns another
    memory, which contains the counts.
    """

    parts: Parts | None = None

    def __init__(
        self,
        instances: Instances,
        *,
        numeric: Sequence[Numeric | Words | None],  # None for nominal and ordinal attributes
        missing_counts: bool | BoolArray,  # whether missing is counted as a value, for all attributes or for each
        missing_apart: bool = False,  # whether missing is counted in every part of a column, not only in the first
        threads: int = 1,
    ) -> None:
        super().__init__(instances)
        self.missing_apart = missing_apart
        self.numeric, self.missing_counts, self.threads = tuple(numeric), missing_counts, threads
        self.apart = has_parts(instances.schema)
        self._coded = [a for a, strategy in enumerate(numeric) if strategy is None]
        # Moments of kernel densities show whether numbers can be squared.
        self._summed = [a for a, strategy in enumerate(numeric) if isinstance(strategy, DENSITIES)]
        self._texts = [a for a, strategy in enumerate(numeric) if isinstance(strategy, Words)]
        self._binned = sorted({*range(len(self.numeric))} - {*self._coded, *self._summed, *self._texts})
        self._counts: Counts | None = None
        self._sums: ClassMoments | None = None

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_cache": {}}  # compiled tables are rebuilt from the rows

    # -- columns split into parts

    def attributes(self) -> BayesMemory:
        """Return the memory that counts attributes: this memory or, if columns are split, a memory of their parts."""
        return self.cached("attributes", self._taken_apart) if self.apart else self

    def _taken_apart(self) -> BayesMemory:
        parts = Parts.of(self.instances, known=bool(self.missing_counts) and not self.missing_apart)
        numeric, counts, counted = list[Numeric | Words | None](), list[bool](), set[int]()
        for a, kind in zip(parts.columns.tolist(), parts.schema.kinds, strict=True):
            numeric.append(self.numeric[a] if isinstance(kind, (NumericKind, Text)) else None)
            counts.append(bool(self.missing_counts) and not isinstance(numeric[-1], DENSITIES) and a not in counted)
            if counts[-1] and not self.missing_apart:  # a missing value of the column is counted once
                counted.add(a)
        instances, threads = parts.instances(self.instances), self.threads
        memory = BayesMemory(instances, numeric=numeric, missing_counts=np.array(counts), threads=threads)
        memory.parts = parts
        return memory

    def taken_apart(self, table: Table) -> Table:
        """Return a table in which columns such as dates are split into the attributes of the model."""
        parts = self.attributes().parts
        return table if parts is None else parts.table(table)

    # -- rows that come and go

    def _added(self, ids: IdArray, table: object = None) -> None:
        if self.instances.weighted or self._too_many(self._n_codes()):  # `check` raises an error for the latter
            self._counts = None
        if ids.size and (self._counts is not None or self._sums is not None):
            self._count(*self.instances.look_up(ids), sign=1)

    def fork(self) -> Self:
        other = super().fork()
        other._counts, other._sums = copy(self._counts), copy(self._sums)
        return other

    def forget(self, ids: ArrayLike) -> None:
        rows = self.instances.look_up(ids)
        super().forget(ids)
        self._count(*rows, sign=-1)

    def _count(
        self, columns: list[AnyArray], targets: list[AnyArray], weights: FloatArray | None, *, sign: int
    ) -> None:
        if not len(self.instances):
            self._counts = self._sums = None
        classes = targets[0]
        if self._counts is not None:
            if sign > 0:
                self._counts.grow(self._sizes(), self._n_codes())
            self._counts.add([columns[a] for a in self._coded], classes, sign=sign, threads=self.threads)
        if self._sums is not None:
            self._sums.grow(self._n_codes() + 1)
            self._sums.add([columns[a] for a in self._summed], classes, weights, sign=sign, threads=self.threads)

    def _n_codes(self) -> int:
        return len(self.instances.target_values())

    def _too_many(self, n_classes: int) -> bool:
        return sum(self._sizes()) * n_classes > MOST_CELLS

    def _sizes(self) -> list[int]:
        return [FIRST + self.instances.n_values(a) for a in self._coded]

    # -- statistics

    def check(self, declared: int = 0) -> None:
        """Raise an error for too many cells, or for numbers that are too large or too small to be squared."""
        if self.apart:
            self.attributes().check(declared)
            return
        schema, n_classes = self.instances.schema, max(self._n_codes(), declared)
        if self._too_many(n_classes):
            values, a = max((self.instances.n_values(a), -a) for a in self._coded)
            raise TooLargeError(
                f"column {schema.label(-a)!r} has {values:,} values and y has {n_classes:,} classes; expected at most "
                f"{MOST_CELLS:,} counts (values of all columns times classes). Drop columns that identify single "
                "rows, or merge rare values."
            )
        for a in self._texts:
            words = 0 if (found := self._words(a)[1]) is None else found.shape[1]
            if words * n_classes > MOST_CELLS:
                raise TooLargeError(
                    f"column {schema.label(a)!r} has {words:,} words and y has {n_classes:,} classes; expected at most "
                    f"{MOST_CELLS:,} counts (words times classes). Drop the column, or shorten the texts."
                )
        for a, moments in self.moments().items():
            check_spread(moments, column=schema.label(a))

    def statistics(self, labeling: Labeling, threads: int) -> Statistics:
        return self.cached("statistics", lambda: self._statistics(labeling, threads))

    def _statistics(self, labeling: Labeling, threads: int) -> Statistics:
        labels, codes = labeling.labels(self.instances)
        cuts = self._cuts(labels, codes)
        cells, starts, classes = self._weighted_cells(cuts) if self.instances.weighted else self._cells(cuts, threads)
        counts, class_counts, known = np.zeros((len(cells), labels.size)), np.zeros(labels.size), codes >= 0
        counts[:, known], class_counts[known] = cells[:, codes[known]], classes[codes[known]]
        attributes, all_cuts = (*self._coded, *self._binned), (*(None,) * len(self._coded), *cuts)
        missing: Any = self.missing_counts
        missing = missing[list(attributes)] if isinstance(missing, np.ndarray) else missing
        inside, once = self._inside(counts, starts, attributes, missing), self._once(starts, attributes)
        discrete = Discrete(attributes, starts, all_cuts, counts, inside, missing, once)
        texts = {a: self._word_counts(a, codes) for a in self._texts}
        return Statistics(labels, codes, class_counts, discrete, self.moments(), texts)

    def _words(self, a: int) -> tuple[CountVectorizer | None, Any]:
        """Return the vectorizer of a text attribute, and the word counts of each of the attribute's distinct texts."""

        def words() -> tuple[CountVectorizer | None, Any]:
            strategy = cast(Words, self.numeric[a])
            return strategy.counted(["" if text is None else str(text) for text in self.instances.values(a)])

        return self.cached(f"words {a}", words)

    def _word_counts(self, a: int, codes: IntArray) -> WordCounts:
        vectorizer, distinct = self._words(a)
        own, weights = self.class_positions(codes), self.instances.weights
        weights = np.ones(len(self)) if weights is None else weights
        if vectorizer is None:
            return WordCounts(None, sparse.csr_matrix((len(self), 0)), own, weights, np.zeros((codes.size, 0)))
        documents, n = _rows_of(distinct, self.instances.column(a)), distinct.shape[1]
        of = np.repeat(np.arange(len(self)), np.diff(documents.indptr))
        cells = own[of] * n + documents.indices
        counts = group_sums(cells, weights[of] * documents.data, codes.size * n).reshape(-1, n)
        return WordCounts(vectorizer, documents, own, weights, counts)

    def _once(self, starts: IdArray, attributes: tuple[int, ...]) -> BoolArray | None:
        """Return a mask of the cells that count a set member which occurs in a single row; None without sets."""
        if self.parts is None or not (members := set(self.parts.members.tolist())):
            return None
        found = np.zeros(int(starts[-1]), np.bool_)
        for d, a in enumerate(attributes):
            if a in members:
                found[starts[d] + FIRST + 1] = np.count_nonzero(self.instances.column(a) == 1) == 1
        return found

    def _cells(self, cuts: list[FloatArray], threads: int) -> tuple[IdArray, IdArray, IdArray]:
        """Return counts, shape (cells, class codes), the first cell of each attribute, and the rows of each class."""
        if self._counts is None:
            self._counts = self._counted(self._coded, [None] * len(self._coded), self._sizes(), threads)
        counts, classes = self._counts, self.instances.target_counts()
        if not self._binned:
            return counts.cells, counts.starts, classes
        # Counts of bins are not kept up to date, since the cut points depend on all rows.
        binned = self._counted(self._binned, cuts, [FIRST + len(points) + 1 for points in cuts], threads)
        starts = np.concatenate([counts.starts[:-1], counts.starts[-1] + binned.starts])
        return np.concatenate([counts.cells, binned.cells]), starts, classes

    def _counted(
        self, attributes: list[int], cuts: Sequence[FloatArray | None], sizes: list[int], threads: int
    ) -> Counts:
        counts = Counts(cuts)
        counts.grow(sizes, self._n_codes())
        counts.add([self.instances.column(a) for a in attributes], self.instances.target(), threads=threads)
        return counts

    def _weighted_cells(self, cuts: list[FloatArray]) -> tuple[FloatArray, IdArray, FloatArray]:
        """Return the results of `_cells`, with sums of weights instead of numbers of rows."""
        n = self._n_codes()
        weights = np.ones(len(self.instances)) if self.instances.weights is None else self.instances.weights
        classes = self.instances.target().astype(np.intp)
        sizes = [*self._sizes(), *(FIRST + len(points) + 1 for points in cuts)]
        columns = [(a, None) for a in self._coded] + list(zip(self._binned, cuts, strict=True))
        blocks = [np.zeros((0, n))]
        for (a, points), size in zip(columns, sizes, strict=True):
            cells = slots_of(self.instances.column(a), points) * n + classes
            blocks.append(group_sums(cells, weights, size * n).reshape(-1, n))
        starts = np.concatenate([[0], np.cumsum(np.asarray(sizes, np.int64))]).astype(np.int64)
        return np.concatenate(blocks), starts, group_sums(classes, weights, n)

    def _inside(
        self, counts: FloatArray, starts: IdArray, attributes: tuple[int, ...], missing: bool | BoolArray
    ) -> BoolArray:
        """Return a mask of the cells with possible values: stored or declared values, and counted missing values."""
        inside: BoolArray = counts.sum(axis=1) > 0
        inside[starts[:-1] + MISSING] &= missing
        inside[starts[:-1] + UNSEEN] = False
        for d, a in enumerate(attributes):
            kind = self.instances.schema.kinds[a]
            if not isinstance(kind, Nominal) or kind.values is not None:
                inside[starts[d] + FIRST : starts[d + 1]] = True
        return inside

    def class_positions(self, codes: IntArray) -> IntArray:
        """Return the position of each row's class; ``codes`` are the codes of the classes (-1 without rows)."""
        positions = np.zeros(self._n_codes(), np.intp)
        positions[codes[codes >= 0]] = np.flatnonzero(codes >= 0)
        found: IntArray = positions[self.instances.target()]
        return found

    def _cuts(self, labels: AnyArray, codes: IntArray) -> list[FloatArray]:
        """Return the cut points of the binned attributes, learned from the stored rows."""
        if not self._binned:
            return []
        classes, weights = self.class_positions(codes), self.instances.weights
        found = []
        for a in self._binned:
            column = self.instances.column(a)
            known = ~np.isnan(column)
            strategy: Any = self.numeric[a]
            of = None if weights is None else weights[known]
            cuts = strategy.cuts(column[known], classes[known], labels.size, of)
            found.append(np.ascontiguousarray(cuts, np.float64))
        return found

    def samples(self, a: int, codes: IntArray) -> list[tuple[FloatArray, FloatArray | None]]:
        """Return, for each class, the values of numeric column ``a`` and their weights."""
        column, weights, classes = self.instances.column(a), self.instances.weights, self.class_positions(codes)
        rows = [classes == k for k in range(codes.size)]
        return [(column[own], None if weights is None else weights[own]) for own in rows]

    def moments(self) -> dict[int, Moments]:
        """Return the moments of each numeric attribute with a density, by class code; the last class has no rows."""
        return self.cached("moments", self._moments)

    def _moments(self) -> dict[int, Moments]:
        if not self._summed:
            return {}
        instances, sums = self.instances, self._sums
        if sums is None:
            sums = ClassMoments(len(self._summed))
            sums.grow(self._n_codes() + 1)
            columns = [instances.column(a) for a in self._summed]
            sums.add(columns, instances.target(), instances.weights, threads=self.threads)
        self._sums = sums
        return dict(zip(self._summed, sums.summaries(), strict=True))
