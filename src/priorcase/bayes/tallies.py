"""How many cells of each table of counts hold the same count, for sums over cells that need each count once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from priorcase._typing import FloatArray, IdArray, IntArray
from priorcase.bayes.gamma import log_rising


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """For each of several tables which counts stand in its cells, and in how many; empty cells are left out.

    In a table, smaller counts come first: the values that cells stand for may be numbered in any order, and a sum over
    cells must not depend on it.

    Parameters
    ----------
    starts
        Where the entries of each table begin, and where the last one ends.
    counts
        The different counts, ascending.
    which, times
        For each entry which count it is of, and how many cells hold it.

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
        """The cells of several tables side by side, and where each of them begins, the end of the last included."""
        filled = np.flatnonzero(cells)
        counts, which = np.unique(cells[filled], return_inverse=True)
        n_counts = max(counts.size, 1)
        table = np.searchsorted(starts, filled, side="right") - 1
        entries, times = np.unique(table * n_counts + which, return_counts=True)
        tables, found = np.divmod(entries, n_counts)
        return cls(np.searchsorted(tables, np.arange(starts.size)), counts, found, times.astype(np.float64))

    def log_rising_sums(self, priors: FloatArray, tables: IntArray | None = None) -> FloatArray:
        """For some tables, or all, the sum over cells of ``ln G(n + a) / G(a)``, with a weight a for each table."""
        which, times, starts = self.which, self.times, self.starts
        if tables is not None:
            lengths = starts[tables + 1] - starts[tables]
            ends = np.concatenate(([0], np.cumsum(lengths)))
            at = np.arange(ends[-1]) + np.repeat(starts[tables] - ends[:-1], lengths)
            which, times, starts = which[at], times[at], ends
        table = np.repeat(np.arange(priors.size), np.diff(starts))
        logs = self._log_risings(priors, table, which)
        return np.bincount(table, weights=times * logs, minlength=priors.size).astype(np.float64)

    def _log_risings(self, priors: FloatArray, table: IntArray, which: IntArray) -> FloatArray:
        """``ln G(n + a) / G(a)`` of each entry; by way of all pairs of a weight and a count where these are fewer."""
        different, same = np.unique(priors, return_inverse=True)
        if different.size * self.counts.size >= which.size:
            return log_rising(priors[table], self.counts[which])
        return log_rising(different[:, None], self.counts)[same[table], which]
