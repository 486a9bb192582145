"""How often the values of two attributes come together in each class, for all pairs of attributes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from priorcase._core import count_pairs
from priorcase._typing import FloatArray, IdArray, IntArray
from priorcase.bayes.tree_sums import n_edges
from priorcase.exceptions import PairTableError

MOST_CELLS = 1 << 27
"""How many counts of pairs are kept at most: a gigabyte."""

# Sums of 2^27 whole numbers below it are exact in float64.
_WHOLE = 2.0**26
_ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Counts of classes, of values and of pairs of values, for attributes whose values are numbered from 0.

    Whole numbers are exact: rows can be added and taken out in any order and in parts. Rows with fractional weights
    are counted all at once, by `of_rows`.

    Parameters
    ----------
    sizes
        How many values each attribute has.
    classes
        How many rows each class has.
    singles
        How many rows of each class have a value: for attribute after attribute, values by classes.
    pairs
        The same for pairs of values: for attributes (0,1), (0,2), (1,2), (0,3) and so on, values of the first by values
        of the second by classes.

    Examples
    --------
    >>> counts = PairCounts.empty([2, 3], n_classes=2)
    >>> counts.add(np.array([[0, 1, 1], [2, 0, 0]]), np.array([0, 1, 1]))
    >>> counts.pair(0, 1)[1, 0], counts.single(1)[2], counts.classes
    (array([0., 2.]), array([1., 0.]), array([1., 2.]))
    """

    sizes: IdArray
    classes: FloatArray
    singles: FloatArray
    pairs: FloatArray

    @classmethod
    def empty(cls, sizes: Sequence[int] | IntArray, n_classes: int) -> Self:
        """No rows yet."""
        widths = np.array(sizes, dtype=np.int64)
        singles = int(widths.sum()) * n_classes
        return cls(widths, np.zeros(n_classes), np.zeros(singles), np.zeros(n_pairs(widths) * n_classes))

    @classmethod
    def of_rows(
        cls,
        columns: Callable[[slice], IntArray],
        classes: IntArray,
        weights: FloatArray | None,
        sizes: Sequence[int] | IntArray,
        n_classes: int,
        *,
        threads: int = 1,
    ) -> Self:
        """Counts of some rows, the same to the last bit in whatever order the rows come.

        Parameters
        ----------
        columns
            Gives the values of a slice of the rows, (attributes, rows).
        classes, weights
            The class of each row, and how often it counts; None for once each.
        sizes, n_classes
            How many values each attribute and how many classes there are.
        threads
            Threads to count with.
        """
        counts = cls.empty(sizes, n_classes)
        for unit, whole in [(1.0, None)] if weights is None else whole_parts(weights):
            part = counts if unit == 1.0 and not counts.classes.any() else cls.empty(sizes, n_classes)
            for start in range(0, len(classes), _ROWS_AT_ONCE):
                rows = slice(start, start + _ROWS_AT_ONCE)
                part.add(columns(rows), classes[rows], None if whole is None else whole[rows], threads=threads)
            if part is not counts:
                counts.classes[:] += unit * part.classes
                counts.singles[:] += unit * part.singles
                counts.pairs[:] += unit * part.pairs
        return counts

    @property
    def n_attributes(self) -> int:
        """How many attributes there are."""
        return int(self.sizes.size)

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.classes.size)

    def add(self, columns: IntArray, classes: IntArray, weights: FloatArray | None = None, *, threads: int = 1) -> None:
        """Count some rows: columns of shape (attributes, rows), one class for each row, whole numbers as weights."""
        self._count(columns, classes, weights, 1.0, threads)

    def subtract(
        self, columns: IntArray, classes: IntArray, weights: FloatArray | None = None, *, threads: int = 1
    ) -> None:
        """Take counted rows out again."""
        self._count(columns, classes, weights, -1.0, threads)

    def single(self, a: int) -> FloatArray:
        """Counts of one attribute: values by classes."""
        starts = self.single_starts()
        return self.singles[starts[a] : starts[a + 1]].reshape(-1, self.n_classes)

    def pair(self, u: int, v: int) -> FloatArray:
        """Counts of two attributes, u before v: values of u by values of v by classes."""
        starts, edge = self.pair_starts(), n_edges(v) + u
        return self.pairs[starts[edge] : starts[edge + 1]].reshape(int(self.sizes[u]), -1, self.n_classes)

    def single_starts(self) -> IdArray:
        """Where the counts of each attribute begin, and where they end."""
        return np.concatenate(([0], np.cumsum(self.sizes * self.n_classes)))

    def pair_starts(self) -> IdArray:
        """Where the counts of each pair of attributes begin, and where they end."""
        v, u = np.tril_indices(self.n_attributes, -1)
        return np.concatenate(([0], np.cumsum(self.sizes[u] * self.sizes[v] * self.n_classes)))

    # -- inside

    def _count(
        self, columns: IntArray, classes: IntArray, weights: FloatArray | None, sign: float, threads: int
    ) -> None:
        count_pairs(
            np.ascontiguousarray(columns, dtype=np.int32),
            np.ascontiguousarray(classes, dtype=np.int32),
            None if weights is None else np.ascontiguousarray(weights, dtype=np.float64),
            sign,
            self.sizes,
            self.classes,
            self.singles,
            self.pairs,
            threads,
        )


def n_pairs(sizes: Sequence[int] | IntArray) -> int:
    """How many pairs of values of two attributes there are.

    Examples
    --------
    >>> n_pairs([2, 3, 5])
    31
    """
    widths = [int(size) for size in sizes]
    return (sum(widths) ** 2 - sum(width * width for width in widths)) // 2


def check_n_pairs(sizes: Sequence[int] | IntArray, n_classes: int, names: Sequence[object]) -> None:
    """Refuse more counts than memory has room for, and name the attributes with the most values."""
    cells = n_pairs(sizes) * n_classes
    if cells > MOST_CELLS:
        widest = sorted(range(len(sizes)), key=lambda a: -int(sizes[a]))[:3]
        found = [int(sizes[a]) for a in widest]
        raise PairTableError.too_large(cells, MOST_CELLS, [names[a] for a in widest], found)


def whole_parts(weights: FloatArray) -> Iterator[tuple[float, FloatArray]]:
    """Weights as sums of whole numbers below ``2^26`` times a unit; sums over rows of such numbers are exact.

    Examples
    --------
    >>> [(unit, whole.tolist()) for unit, whole in whole_parts(np.array([3.0, 1.0]))]
    [(1.0, [3.0, 1.0])]
    >>> sum(unit * whole for unit, whole in whole_parts(np.array([0.1, 7e-9]))).tolist()
    [0.1, 7e-09]
    """
    largest, smallest = float(weights.max(initial=0.0)), math.ulp(0.0)
    if largest < _WHOLE and (weights == np.floor(weights)).all():
        yield 1.0, weights
        return
    rest = weights.astype(np.float64)
    unit = max(math.ldexp(1.0, math.frexp(largest)[1] - 26), smallest)
    while rest.any():
        whole = np.floor(rest / unit)
        rest = rest - whole * unit  # exact: the leading bits go
        if whole.any():
            yield unit, whole
        unit = max(unit / _WHOLE, smallest)
