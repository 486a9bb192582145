"""What a Bayes classifier remembers: the rows, and counts and sums that follow them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from priorcase._typing import AnyArray, BoolArray, FloatArray, IdArray, IntArray
from priorcase.bayes.counts import FIRST, MISSING, UNSEEN, Counts, slots_of
from priorcase.bayes.exact_moments import ExactMoments
from priorcase.bayes.gaussian import Gaussian
from priorcase.bayes.kernel_density import KernelDensity
from priorcase.bayes.moments import Moments, check_spread
from priorcase.bayes.numeric import Numeric
from priorcase.bayes.statistics import Discrete, Statistics
from priorcase.bayes.student import Student
from priorcase.bayes.weighted import weighted_counts
from priorcase.exceptions import CardinalityError
from priorcase.instances import Instances
from priorcase.learning.labels import Labelling
from priorcase.learning.memory import Memory
from priorcase.schema import Nominal, Ordinal

# Counts beyond it, with the tables made from them, would fill two gigabytes.
MOST_CELLS = 2**25


class BayesMemory(Memory):
    """Stored rows with counts of their values and exact sums of their numbers.

    Rows that come are counted in and rows that go are counted out; bins, whose cut points depend on all rows, and rows
    with weights are counted again when they are next needed.

    Parameters
    ----------
    instances
        The rows, at first none, with their classes as the only target.
    owner
        Whose memory it is, for messages.
    numeric
        For each attribute what to do with its numbers; None where it is nominal or ordinal.
    missing_counts
        Whether a gap is one more value.
    threads
        Threads to count with.
    """

    def __init__(
        self,
        instances: Instances,
        *,
        owner: str,
        numeric: Sequence[Numeric | None],
        missing_counts: bool,
        threads: int = 1,
    ) -> None:
        super().__init__(instances, owner=owner)
        self.numeric = tuple(numeric)
        self.missing_counts = missing_counts
        self.threads = threads
        self._coded = [a for a, strategy in enumerate(numeric) if strategy is None]
        densities = (Student, Gaussian, KernelDensity)  # sums of the last one tell whether numbers can be squared
        self._summed = [a for a, strategy in enumerate(numeric) if isinstance(strategy, densities)]
        self._smooth = [a for a, strategy in enumerate(numeric) if isinstance(strategy, KernelDensity)]
        binned = {*range(len(self.numeric))} - {*self._coded, *self._summed}
        self._binned = sorted(binned)
        self._counts: Counts | None = None
        self._sums: dict[int, ExactMoments] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_cache": {}}  # compiled tables are made again from the rows

    # -- rows that come and go

    def _added(self, ids: IdArray) -> None:
        if self.instances.weighted:
            self._counts = None
        if self._too_many(self._n_codes()):  # to be refused, by `check`
            self._counts = None
        if (self._counts is None and self._sums is None) or not ids.size:
            return
        self._count(self._counts, self._sums, *self.instances.look_up(ids), sign=1)

    def fork(self) -> Self:
        """A memory with the same rows, to be changed, and counts of its own."""
        other = super().fork()
        other._counts, other._sums = deepcopy(self._counts), deepcopy(self._sums)
        return other

    def forget(self, ids: ArrayLike) -> None:
        """Remove rows, and all that was computed from them."""
        rows = self.instances.look_up(ids)
        super().forget(ids)
        if len(self.instances):
            self._count(self._counts, self._sums, *rows, sign=-1)
        else:
            self._counts = self._sums = None

    def _count(
        self,
        counts: Counts | None,
        sums: dict[int, ExactMoments] | None,
        columns: list[AnyArray],
        targets: list[AnyArray],
        weights: FloatArray | None,
        *,
        sign: int,
    ) -> None:
        """Count rows in or out."""
        classes = targets[0]
        if counts is not None:
            counts.grow(self._sizes(), self._n_codes())
            counts.add([columns[a] for a in self._coded], classes, sign=sign, threads=self.threads)
        for a, of_column in (sums or {}).items():
            of_column.grow(self._n_codes() + 1)
            (of_column.add if sign > 0 else of_column.subtract)(columns[a], classes, weights)

    def _n_codes(self) -> int:
        return len(self.instances.target_values())

    def _too_many(self, n_classes: int) -> bool:
        """Whether there are more cells than memory has room for."""
        return sum(self._sizes()) * n_classes > MOST_CELLS

    def _sizes(self) -> list[int]:
        return [FIRST + len(self.instances.values(a)) for a in self._coded]

    # -- statistics

    def check(self, declared: int = 0) -> None:
        """Refuse more cells than memory has room for, and numbers too large or too small to be squared.

        Parameters
        ----------
        declared
            How many classes are declared.
        """
        schema, n_classes = self.instances.schema, max(self._n_codes(), declared)
        if self._too_many(n_classes):
            values, a = max((len(self.instances.values(a)), -a) for a in self._coded)
            raise CardinalityError.cells(schema.label(-a), values, n_classes, MOST_CELLS)
        for a, moments in self._moments().items():
            check_spread(moments, column=schema.label(a))

    def statistics(self, labelling: Labelling, threads: int) -> Statistics:
        """Counts and moments of the rows stored now."""
        return self.cached("statistics", lambda: self._statistics(labelling, threads))

    def _statistics(self, labelling: Labelling, threads: int) -> Statistics:
        labels, codes = labelling.labels(self.instances)
        cuts = self._cuts(labels, codes)
        cells, starts, classes = self._weighted_cells(cuts) if self.instances.weighted else self._cells(cuts, threads)
        counts = np.zeros((len(cells), labels.size))
        class_counts = np.zeros(labels.size)
        known = codes >= 0
        counts[:, known], class_counts[known] = cells[:, codes[known]], classes[codes[known]]
        attributes = (*self._coded, *self._binned)
        all_cuts = (*(None,) * len(self._coded), *cuts)
        inside = self._inside(counts, starts, attributes)
        discrete = Discrete(attributes, starts, all_cuts, counts, inside, self.missing_counts)
        values = {a: self._sorted_values(a, labels, codes) for a in self._smooth}
        return Statistics(labels, codes, class_counts, discrete, self._moments(), values)

    def _cells(self, cuts: list[FloatArray], threads: int) -> tuple[IdArray, IdArray, IdArray]:
        """Cells by class codes, starts of the attributes, and rows of each class code."""
        counts = self._counts
        if counts is None:
            counts = Counts([None] * len(self._coded))
            counts.grow(self._sizes(), self._n_codes())
            counts.add([self.instances.column(a) for a in self._coded], self.instances.target(), threads=threads)
            self._counts = counts
        if not self._binned:
            return counts.cells, counts.starts, counts.classes
        binned = Counts(cuts)
        binned.grow([FIRST + len(points) + 1 for points in cuts], self._n_codes())
        binned.add([self.instances.column(a) for a in self._binned], self.instances.target(), threads=threads)
        starts = np.concatenate([counts.starts[:-1], counts.starts[-1] + binned.starts])
        return np.concatenate([counts.cells, binned.cells]), starts, counts.classes

    def _weighted_cells(self, cuts: list[FloatArray]) -> tuple[FloatArray, IdArray, FloatArray]:
        """The same where rows stand for more or less than one."""
        weights, n = np.asarray(self.instances.weights), self._n_codes()
        if self.instances.weights is None:
            weights = np.ones(len(self.instances))
        classes = self.instances.target().astype(np.intp)
        sizes = [*self._sizes(), *(FIRST + len(points) + 1 for points in cuts)]
        columns = [(a, None) for a in self._coded] + list(zip(self._binned, cuts, strict=True))
        blocks = [
            weighted_counts(slots_of(self.instances.column(a), points) * n + classes, weights, size * n).reshape(-1, n)
            for (a, points), size in zip(columns, sizes, strict=True)
        ]
        starts = np.concatenate([[0], np.cumsum(np.asarray(sizes, np.int64))]).astype(np.int64)
        cells = np.concatenate(blocks) if blocks else np.zeros((0, n))
        return cells, starts, weighted_counts(classes, weights, n)

    def _inside(self, counts: FloatArray, starts: IdArray, attributes: tuple[int, ...]) -> BoolArray:
        """Cells of values that some row holds or that are declared; the gap is one where it counts and occurs."""
        inside: BoolArray = counts.sum(axis=1) > 0
        if not self.missing_counts:
            inside[starts[:-1] + MISSING] = False
        inside[starts[:-1] + UNSEEN] = False
        for d, a in enumerate(attributes):
            kind = self.instances.schema.kinds[a]
            if not isinstance(kind, Nominal) or kind.values is not None:
                inside[starts[d] + FIRST : starts[d + 1]] = True
        return inside

    def class_positions(self, codes: IntArray) -> IntArray:
        """The class of each row as a position among the classes."""
        positions = np.zeros(self._n_codes(), np.intp)
        positions[codes[codes >= 0]] = np.flatnonzero(codes >= 0)
        found: IntArray = positions[self.instances.target()]
        return found

    def _cuts(self, labels: AnyArray, codes: IntArray) -> list[FloatArray]:
        """Cut points of the attributes that are cut into bins, from the rows stored now."""
        if not self._binned:
            return []
        classes, weights = self.class_positions(codes), self.instances.weights
        found = []
        for a in self._binned:
            column = self.instances.column(a)
            known = ~np.isnan(column)
            strategy: Any = self.numeric[a]
            of = None if weights is None else weights[known]
            found.append(
                np.ascontiguousarray(strategy.cuts(column[known], classes[known], labels.size, of), np.float64)
            )
        return found

    def _moments(self) -> dict[int, Moments]:
        """Moments by class code, and those of a class without rows at the end."""
        return self.cached("moments", self._summaries)

    def _summaries(self) -> dict[int, Moments]:
        if self._sums is None:
            self._sums = {}
            for a in self._summed:
                self._sums[a] = ExactMoments(self._n_codes() + 1)
                weights = self.instances.weights
                self._sums[a].add(self.instances.column(a), self.instances.target(), weights)
        return {a: sums.summary() for a, sums in self._sums.items()}

    def _sorted_values(self, a: int, labels: AnyArray, codes: IntArray) -> list[tuple[FloatArray, FloatArray | None]]:
        """The known values of each class, ascending, and their weights."""
        column, weights, classes = self.instances.column(a), self.instances.weights, self.class_positions(codes)
        order = np.argsort(column, kind="stable")
        order = order[~np.isnan(column[order])]
        if weights is not None:  # equal values: the order of their weights must not depend on that of the rows
            order = order[np.lexsort((weights[order], column[order]))]
        of = [order[classes[order] == k] for k in range(labels.size)]
        return [(column[rows], None if weights is None else weights[rows]) for rows in of]


def is_discrete(kind: object) -> bool:
    """Whether an attribute has values to count as it is."""
    return isinstance(kind, (Nominal, Ordinal))
