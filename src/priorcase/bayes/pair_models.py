"""Families of structures over pairs of attributes, and the joint probability that each gives a class and a query.

With ``theta`` the expected parameters of the counts, all families share ``a_k prod_v theta_kv``, naive Bayes, and
``rho_kuv = theta_kuv / (theta_ku theta_kv)``, what a pair of values makes of it. They differ in the structures over
which the products of ``rho`` are averaged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from priorcase._core import tree_joint_logs
from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.bayes.auto_weight import choose_weight
from priorcase.bayes.pair_marginals import PairMarginals
from priorcase.bayes.pairs import PairCounts
from priorcase.bayes.tree_sums import as_matrix, best_tree, edge_shares, log_tree_sum, n_edges

Family = Literal["all_trees", "best_tree", "super_parents", "plain_super_parents"]
"""The structures that are averaged over.

``all_trees``: every tree over the attributes, by marginal likelihood. ``best_tree``: the one with the largest.
``super_parents``: naive Bayes and, for each attribute, the structure where all others depend on it, by marginal
likelihood. ``plain_super_parents``: the latter alone, where enough rows have the query's value, all weighted alike.
"""

_WIDENED_KEPT = 256
# Thousands of rows spread over tables of pairs are little for each cell, so this goes further up than a cell's weight.
_DECADES = (-3, 6)
# Between two calls of the core Ctrl-C is heard; this many updates of an edge take about half a second.
_UPDATES_AT_ONCE = 200_000_000


@dataclass(frozen=True, slots=True, eq=False)
class PairModel:
    """A family of structures with its counts.

    Parameters
    ----------
    marginals
        Counts of all pairs, and how probable they make the rows.
    family
        The structures.
    ess
        Size of the equivalent sample that is spread evenly over all cells.
    least
        How many rows must have a super-parent's value (``plain_super_parents`` only).
    """

    marginals: PairMarginals
    family: Family
    ess: float = 1.0
    least: float = 1.0
    _widened: dict[bytes, FloatArray] = field(default_factory=dict)

    @property
    def counts(self) -> PairCounts:
        """Counts of all pairs."""
        return self.marginals.counts

    @property
    def log_weights(self) -> FloatArray:
        """The log-weight of each edge, in the order of `tree_sums`."""
        return self._log_weights(np.zeros(self.counts.n_attributes, dtype=bool))

    @property
    def edge_probabilities(self) -> FloatArray:
        """The posterior probability that an edge is in the tree, as a symmetric matrix: over all trees."""
        n = self.counts.n_attributes
        return as_matrix(edge_shares(self.log_weights, n), n)

    @property
    def tree(self) -> IntArray:
        """The edges of the single best tree."""
        return best_tree(self.log_weights, self.counts.n_attributes)

    @property
    def super_parent_weights(self) -> FloatArray:
        """Log-weight of each super-parent's star of edges and, last, 0 for naive Bayes, which has no edge."""
        return _star_weights(self.log_weights, self.counts.n_attributes)

    @property
    def super_parent_logs(self) -> FloatArray:
        """Log posterior of each super-parent and, last, of naive Bayes, all equally probable before any row."""
        logs = self.super_parent_weights
        return logs - float(np.logaddexp.reduce(logs))

    def log_evidence(self) -> float:
        """The log-probability of all rows, averaged over the structures, as `log_evidence` gives it."""
        return log_evidence(self.marginals, self.family, self.ess)

    def joint_logs(self, codes: IntArray, *, threads: int = 1) -> FloatArray:
        """``ln P(k, q | D)`` for each query and class, queries as value numbers, -1 for a value never seen.

        A value never seen widens its attribute by one value, for that query: all weights that this changes are
        computed anew.
        """
        codes = np.ascontiguousarray(codes, dtype=np.int32)
        unseen = codes < 0
        if not unseen.any():
            return self._ask(codes, np.zeros(self.counts.n_attributes, dtype=bool), threads=threads)
        result = np.empty((len(codes), self.counts.n_classes))
        masks, group = np.unique(unseen, axis=0, return_inverse=True)
        group = group.reshape(-1)
        for i, mask in enumerate(masks):
            result[group == i] = self._ask(codes[group == i], mask, threads=threads)
        return result

    def left_out_joint_logs(
        self, codes: IntArray, own: IntArray, leave: FloatArray | None = None, *, threads: int = 1
    ) -> FloatArray:
        """``ln P(k, q | D without q)`` for stored rows, their classes and how many rows each counts as.

        Exact, with the weights of all edges brought down to the rows that are left, and the best tree and the
        able super-parents chosen from these. Attributes and classes keep all their values.
        """
        amounts = np.ones(len(codes)) if leave is None else np.ascontiguousarray(leave, dtype=np.float64)
        codes = np.ascontiguousarray(codes, dtype=np.int32)
        own = np.ascontiguousarray(own, dtype=np.int32)
        nothing = np.zeros(self.counts.n_attributes, dtype=bool)
        return self._ask(codes, nothing, own, amounts, threads=threads)

    # -- inside

    def _ask(
        self,
        codes: IntArray,
        widened: BoolArray,
        own: IntArray | None = None,
        leave: FloatArray | None = None,
        *,
        threads: int,
    ) -> FloatArray:
        counts, result = self.counts, np.empty((len(codes), self.counts.n_classes))
        widths, weights = counts.sizes + widened, self._log_weights(widened)
        step = max(1, _UPDATES_AT_ONCE // (counts.n_classes * (counts.n_attributes**3 // 6 + 1)))
        for start in range(0, len(codes), step):
            part = slice(start, start + step)
            result[part] = tree_joint_logs(
                self.family,
                counts.classes,
                counts.singles,
                counts.pairs,
                counts.sizes,
                widths,
                self.ess,
                weights,
                self.least,
                codes[part],
                None if own is None else own[part],
                None if leave is None else leave[part],
                threads,
            )
        return result

    def _log_weights(self, widened: BoolArray) -> FloatArray:
        """Log-weights where some attributes have one value more; only their edges are computed anew."""
        if self.family == "plain_super_parents":
            return np.zeros(n_edges(self.counts.n_attributes))
        key = widened.tobytes()
        if key in self._widened:
            return self._widened[key]
        known = None
        if widened.any():
            v, u = np.tril_indices(widened.size, -1)
            known = self.log_weights, ~(widened[u] | widened[v])
        weights = self.marginals.log_weights(self.ess, self.counts.sizes + widened, known)
        if len(self._widened) < _WIDENED_KEPT:
            self._widened[key] = weights
        return weights


def log_evidence(marginals: PairMarginals, family: Family, ess: float) -> float:
    """The log-probability of all rows, averaged over the structures (for ``best_tree``, under the one chosen).

    Every tree has the prior probability ``1 / A^(A-2)``, every member of the super-parent family ``1 / (A + 1)``. A
    plain average over super-parents gives rows no probability of its own; it has that of the family with naive Bayes.
    """
    n, naive, log_weights = marginals.counts.n_attributes, marginals.log_naive(ess), marginals.log_weights(ess)
    if family == "all_trees":
        return naive + log_tree_sum(log_weights, n) - max(n - 2, 0) * float(np.log(n))
    if family == "best_tree":
        u, v = best_tree(log_weights, n).T
        return naive + float(as_matrix(log_weights, n)[u, v].sum())
    return naive + float(np.logaddexp.reduce(_star_weights(log_weights, n))) - float(np.log(n + 1))


def choose_ess(marginals: PairMarginals, family: Family) -> float:
    """The equivalent sample size, from 1e-3 to 1e6, with the largest `log_evidence`; found as by `choose_weight`."""
    return choose_weight(lambda ess: log_evidence(marginals, family, ess), _DECADES)


def _star_weights(log_weights: FloatArray, n: int) -> FloatArray:
    return np.append(as_matrix(log_weights, n).sum(axis=0), 0.0)
