"""How probable counts of pairs make the rows, for any equivalent sample size."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.bayes.gamma import log_rising
from priorcase.bayes.pairs import PairCounts
from priorcase.bayes.tallies import Tallies


class PairMarginals:
    """Log marginal likelihoods of naive Bayes, and of each edge that may be added to it.

    DM is the log marginal likelihood of counts whose cells share the class's part, ``ess / K``, of an equivalent sample
    of ``ess`` rows (Heckerman, Geiger & Chickering 1995): ``sum_k DM(N_k)`` is
    ``sum_kj ln G(N_kj + a) / G(a) - sum_k ln G(h_k + ess/K) / G(ess/K)``, with ``a = ess / K / cells``. Cells that hold
    the same count add the same, so each count is looked at once; another ``ess`` costs little.

    Parameters
    ----------
    counts
        The counts; they must stay as they are.
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
        """The log-weight of each edge, ``sum_k DM(N_kuv) - DM(N_ku) - DM(N_kv)``, in the order of `tree_sums`.

        It is what the edge adds to the log-probability of all rows under naive Bayes.

        Parameters
        ----------
        ess
            The equivalent sample size.
        widths
            How many values each attribute is taken to have; None for those that are counted.
        known
            Log-weights known already, and for which edges they are still right.
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
