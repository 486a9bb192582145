"""Counts of all pairs of attribute values in each class, and the marginal likelihoods that they give."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from priorcase._core import count_pairs
from priorcase._typing import BoolArray, FloatArray, IdArray, IntArray
from priorcase.bayes.predictive import log_rising
from priorcase.exceptions import TooLargeError

MAX_CELLS = 1 << 27
"""The largest number of counts: a gigabyte."""

# Sums of 2^27 whole numbers below it are exact in float64.
_WHOLE = 2.0**26
_ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Counts of classes, of values and of pairs of values, for attributes whose values are numbered from 0.

    ``sizes`` are the numbers of values of the attributes, ``classes`` the counts of the classes. ``singles`` are counts
    of values by classes, attribute after attribute. ``pairs`` are counts of values of the first by values of the second
    by classes, for the attributes (0,1), (0,2), (1,2), (0,3) and so on.

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
        """Counts of no rows."""
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
        """Counts of some rows, the same to the last bit for any order of the rows.

        ``columns`` gives the values of a slice of the rows, (attributes, rows).
        """
        counts = cls.empty(sizes, n_classes)
        for unit, whole in [(1.0, None)] if weights is None else _whole_parts(weights):
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
        """The number of attributes."""
        return int(self.sizes.size)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.classes.size)

    def add(
        self,
        columns: IntArray,
        classes: IntArray,
        weights: FloatArray | None = None,
        *,
        sign: float = 1.0,
        threads: int = 1,
    ) -> None:
        """Count some rows, (attributes, rows); with ``sign=-1`` remove them again, exactly for whole weights."""
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

    def single(self, a: int) -> FloatArray:
        """Counts of one attribute: values by classes."""
        starts = self.single_starts()
        return self.singles[starts[a] : starts[a + 1]].reshape(-1, self.n_classes)

    def pair(self, u: int, v: int) -> FloatArray:
        """Counts of two attributes, u before v: values of u by values of v by classes."""
        starts, edge = self.pair_starts(), v * (v - 1) // 2 + u
        return self.pairs[starts[edge] : starts[edge + 1]].reshape(int(self.sizes[u]), -1, self.n_classes)

    def single_starts(self) -> IdArray:
        """Where the counts of each attribute begin, and where the last ones end."""
        return np.concatenate(([0], np.cumsum(self.sizes * self.n_classes)))

    def pair_starts(self) -> IdArray:
        """Where the counts of each pair of attributes begin, and where the last ones end."""
        v, u = np.tril_indices(self.n_attributes, -1)
        return np.concatenate(([0], np.cumsum(self.sizes[u] * self.sizes[v] * self.n_classes)))


def n_pairs(sizes: Sequence[int] | IntArray) -> int:
    """The number of pairs of values of two different attributes.

    Examples
    --------
    >>> n_pairs([2, 3, 5])
    31
    """
    widths = [int(size) for size in sizes]
    return (sum(widths) ** 2 - sum(width * width for width in widths)) // 2


def check_n_pairs(sizes: Sequence[int] | IntArray, n_classes: int, names: Sequence[object]) -> None:
    """Refuse more than `MAX_CELLS` counts, and name the attributes with the most values."""
    cells = n_pairs(sizes) * n_classes
    if cells > MAX_CELLS:
        widest = sorted(range(len(sizes)), key=lambda a: -int(sizes[a]))[:3]
        most = ", ".join(f"{names[a]!r} ({int(sizes[a]):,})" for a in widest)
        raise TooLargeError(
            f"pairs of values would need {cells:,} counts, more than {MAX_CELLS:,}. The columns with the most values "
            f"are {most}. Leave out columns that identify single rows, or join rare values into one"
        )


def _whole_parts(weights: FloatArray) -> Iterator[tuple[float, FloatArray]]:
    """Weights as sums of whole numbers below ``2^26`` times a unit; sums over rows of such numbers are exact."""
    largest, smallest = float(weights.max(initial=0.0)), math.ulp(0.0)
    if largest < _WHOLE and (weights == np.floor(weights)).all():
        yield 1.0, weights
        return
    rest = weights.astype(np.float64)
    unit = max(math.ldexp(1.0, math.frexp(largest)[1] - 26), smallest)
    while rest.any():
        whole = np.floor(rest / unit)
        rest = rest - whole * unit  # exact: only the leading bits are removed
        if whole.any():
            yield unit, whole
        unit = max(unit / _WHOLE, smallest)


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """How many cells of each of several tables hold each count, so that sums over cells evaluate each count once.

    The entries of table t are ``starts[t]`` to ``starts[t + 1]``: ``times`` cells hold the count ``counts[which]``.
    Empty cells are left out. Counts are ascending within a table, so that sums do not depend on how values are
    numbered.

    Examples
    --------
    >>> tallies = Tallies.of(np.array([2.0, 0.0, 2.0, 1.0, 2.0, 3.0]), np.array([0, 4, 6]))
    >>> tallies.counts[tallies.which], tallies.times, tallies.starts
    (array([1., 2., 2., 3.]), array([1., 2., 1., 1.]), array([0, 2, 4]))
    """

    starts: IdArray
    counts: FloatArray
    which: IntArray
    times: FloatArray

    @classmethod
    def of(cls, cells: FloatArray, starts: IdArray) -> Self:
        """The tallies of tables whose cells lie side by side, with the start of each and the end of the last."""
        filled = np.flatnonzero(cells)
        counts, which = np.unique(cells[filled], return_inverse=True)
        n_counts = max(counts.size, 1)
        table = np.searchsorted(starts, filled, side="right") - 1
        entries, times = np.unique(table * n_counts + which, return_counts=True)
        tables, found = np.divmod(entries, n_counts)
        return cls(np.searchsorted(tables, np.arange(starts.size)), counts, found, times.astype(np.float64))

    def log_rising_sums(self, priors: FloatArray, tables: IntArray | None = None) -> FloatArray:
        """For all tables or some, the sum over cells of ``ln G(n + a) / G(a)``, with one weight a for each table."""
        which, times, starts = self.which, self.times, self.starts
        if tables is not None:
            lengths = starts[tables + 1] - starts[tables]
            ends = np.concatenate(([0], np.cumsum(lengths)))
            at = np.arange(ends[-1]) + np.repeat(starts[tables] - ends[:-1], lengths)
            which, times, starts = which[at], times[at], ends
        table = np.repeat(np.arange(priors.size), np.diff(starts))
        different, same = np.unique(priors, return_inverse=True)
        if different.size * self.counts.size >= which.size:
            logs = log_rising(priors[table], self.counts[which])
        else:  # there are fewer pairs of a weight and a count than entries
            logs = log_rising(different[:, None], self.counts)[same[table], which]
        return np.bincount(table, weights=times * logs, minlength=priors.size).astype(np.float64)


class PairMarginals:
    """Log marginal likelihoods of naive Bayes, and of each edge that may be added to it.

    DM is the log marginal likelihood of counts whose cells share the class's part, ``ess / K``, of an equivalent sample
    of ``ess`` rows (Heckerman, Geiger & Chickering 1995): ``sum_k DM(N_k)`` is
    ``sum_kj ln G(N_kj + a) / G(a) - sum_k ln G(h_k + ess/K) / G(ess/K)``, with ``a = ess / K / cells``. The tallies are
    made once, so another ``ess`` costs little.
    """

    def __init__(self, counts: PairCounts) -> None:
        self.counts = counts

    @cached_property
    def _singles(self) -> Tallies:
        return Tallies.of(self.counts.singles, self.counts.single_starts())

    @cached_property
    def _pairs(self) -> Tallies:
        return Tallies.of(self.counts.pairs, self.counts.pair_starts())

    def log_naive(self, ess: float) -> float:
        """The log-probability of all rows under naive Bayes: ``DM(h) + sum_v sum_k DM(N_kv)``."""
        classes, singles = self._class_logs(ess), self._single_logs(ess, self.counts.sizes).sum()
        of_classes = classes - log_rising(np.array(ess), self.counts.classes.sum())
        return float(of_classes + singles - self.counts.n_attributes * classes)

    def log_weights(
        self, ess: float, widths: IntArray | None = None, known: tuple[FloatArray, BoolArray] | None = None
    ) -> FloatArray:
        """The log-weight of each edge, ``sum_k DM(N_kuv) - DM(N_ku) - DM(N_kv)``, in the order of `PairCounts.pairs`.

        It is what the edge adds to the log-probability of all rows under naive Bayes. ``widths`` are the numbers of
        values that attributes are assumed to have. ``known`` are log-weights computed before, and which of them are
        still valid.
        """
        width = self.counts.sizes if widths is None else widths
        v, u = np.tril_indices(self.counts.n_attributes, -1)
        wanted, result = None, np.zeros(u.size)
        if known is not None:
            wanted, result = np.flatnonzero(~known[1]), known[0].copy()
            u, v = u[wanted], v[wanted]
        pairs = self._pairs.log_rising_sums(ess / self.counts.n_classes / (width[u] * width[v]), wanted)
        singles = self._single_logs(ess, width)
        result[... if wanted is None else wanted] = pairs - singles[u] - singles[v] + self._class_logs(ess)
        return result

    def _class_logs(self, ess: float) -> float:
        return float(log_rising(np.array(ess / self.counts.n_classes), self.counts.classes).sum())

    def _single_logs(self, ess: float, widths: IntArray) -> FloatArray:
        return self._singles.log_rising_sums(ess / self.counts.n_classes / widths)
