"""Families of structures over pairs of attributes, averaged exactly: all trees, the best tree, super-parents.

With ``theta`` the expected parameters of the counts, all families share ``a_k prod_v theta_kv``, which is naive Bayes,
and ``rho_kuv = theta_kuv / (theta_ku theta_kv)``, the factor of a pair of values. They differ in the structures over
which the products of ``rho`` are averaged.

A tree weighs the product of its edges' weights; there are ``n^(n-2)`` trees over n nodes. Weights are given as
logarithms in the lower triangle of a matrix, row by row: edges (1,0), (2,0), (2,1), (3,0) and so on. The sum over all
trees eliminates one node after the other (star-mesh elimination): with ``s = sum_j w_pj``, eliminating p adds
``w_pi w_pj / s`` to the weight of every other edge (i, j) and divides the sum by s. Unlike the determinant of Meilă &
Jaakkola (2000) this subtracts nothing, so it stays exact where weights differ by thousands of nats. It takes
``O(n^3)``, for the sum and for the shares of all edges together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from priorcase._core import edge_shares as core_edge_shares
from priorcase._core import largest_tree, tree_joint_logs
from priorcase._core import log_tree_sum as core_log_tree_sum
from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.bayes.pairs import PairCounts, PairMarginals
from priorcase.bayes.priors import choose_weight

Family = Literal["all_trees", "best_tree", "super_parents", "plain_super_parents"]
"""The structures that are averaged over.

``all_trees``: every tree over the attributes, by marginal likelihood. ``best_tree``: the one with the largest.
``super_parents``: naive Bayes and, for each attribute, the structure where all others depend on it, by marginal
likelihood. ``plain_super_parents``: the latter only, where enough rows have the query's value, with equal weights.
"""

_MAX_CACHED = 256
# Thousands of rows spread over tables of pairs are few for each cell, so the range ends higher than that of a weight.
_DECADES = (-3, 6)
# Ctrl-C takes effect between two calls of the core; this many updates of an edge take about half a second.
_UPDATES_AT_ONCE = 200_000_000


def n_edges(nodes: int) -> int:
    """The number of edges between some nodes."""
    return nodes * (nodes - 1) // 2


def as_matrix(edges: FloatArray, nodes: int) -> FloatArray:
    """One number for each edge as a symmetric matrix with a zero diagonal.

    Examples
    --------
    >>> as_matrix(np.array([0.5, 0.25, 1.0]), 3)
    array([[0.  , 0.5 , 0.25],
           [0.5 , 0.  , 1.  ],
           [0.25, 1.  , 0.  ]])
    """
    matrix = np.zeros((nodes, nodes))
    matrix[np.tril_indices(nodes, -1)] = edges
    return matrix + matrix.T


def log_tree_sum(log_weights: FloatArray, nodes: int) -> float:
    """The log of the sum over all trees of the product of their edges' weights; 0 for a single node.

    Examples
    --------
    Edges of weight 1 count the trees, of which there are ``4^2``:

    >>> round(float(np.exp(log_tree_sum(np.zeros(6), 4))), 12)
    16.0
    """
    return core_log_tree_sum(np.ascontiguousarray(log_weights, dtype=np.float64), nodes)


def edge_shares(log_weights: FloatArray, nodes: int) -> FloatArray:
    """For each edge, the share of the sum that belongs to the trees that contain it.

    It is ``w_uv / c_uv``, with ``c_uv`` the weight between u and v once all other nodes are eliminated. That weight
    starts at ``w_uv`` and only grows, so a share is never above 1.

    Examples
    --------
    >>> edge_shares(np.log([1.0, 1.0, 2.0]), 3)
    array([0.6, 0.6, 0.8])
    """
    return core_edge_shares(np.ascontiguousarray(log_weights, dtype=np.float64), nodes)


def best_tree(log_weights: FloatArray, nodes: int) -> IntArray:
    """The edges of the tree with the largest weight, shape (nodes - 1, 2), each with the smaller node first, ascending.

    Logarithms that agree to ``2^-30`` are tied; ties go to the pair that comes first, (0,1) before (0,2) before (1,2),
    so that rounding does not choose between equivalent attributes.

    Examples
    --------
    >>> best_tree(np.array([0.5, 0.25, 1.0]), 3)
    array([[0, 1],
           [1, 2]])
    """
    parents = largest_tree(np.ascontiguousarray(log_weights, dtype=np.float64), nodes).astype(np.intp)
    edges = np.sort(np.stack([np.arange(1, nodes), parents[1:]], axis=1), axis=1)
    return edges[np.lexsort((edges[:, 1], edges[:, 0]))]


def _star_weights(log_weights: FloatArray, nodes: int) -> FloatArray:
    return np.append(as_matrix(log_weights, nodes).sum(axis=0), 0.0)


def log_evidence(marginals: PairMarginals, family: Family, ess: float) -> float:
    """The log-probability of all rows, averaged over the structures (for ``best_tree``, under the one chosen).

    Every tree has the prior probability ``1 / A^(A-2)``, every member of the super-parent family ``1 / (A + 1)``. A
    plain average over super-parents gives rows no probability; it uses that of the family with naive Bayes.
    """
    n, naive, log_weights = marginals.counts.n_attributes, marginals.log_naive(ess), marginals.log_weights(ess)
    if family == "all_trees":
        return naive + log_tree_sum(log_weights, n) - max(n - 2, 0) * float(np.log(n))
    if family == "best_tree":
        u, v = best_tree(log_weights, n).T
        return naive + float(as_matrix(log_weights, n)[u, v].sum())
    return naive + float(np.logaddexp.reduce(_star_weights(log_weights, n))) - float(np.log(n + 1))


def choose_ess(marginals: PairMarginals, family: Family) -> float:
    """The equivalent sample size, from 1e-3 to 1e6, with the largest `log_evidence`."""
    return choose_weight(lambda ess: log_evidence(marginals, family, ess), _DECADES)


@dataclass(frozen=True, slots=True, eq=False)
class PairModel:
    """A family of structures with its counts; ``least`` is the `AODE.min_count` of ``plain_super_parents``."""

    marginals: PairMarginals
    family: Family
    ess: float = 1.0
    least: float = 1.0
    _cache: dict[bytes, FloatArray] = field(default_factory=dict)

    @property
    def counts(self) -> PairCounts:
        """Counts of all pairs."""
        return self.marginals.counts

    @property
    def log_weights(self) -> FloatArray:
        """The log-weight of each edge."""
        return self._log_weights(np.zeros(self.counts.n_attributes, dtype=bool))

    @property
    def edge_probabilities(self) -> FloatArray:
        """The posterior probability of each edge over all trees, as a symmetric matrix."""
        n = self.counts.n_attributes
        return as_matrix(edge_shares(self.log_weights, n), n)

    @property
    def tree(self) -> IntArray:
        """The edges of the best tree."""
        return best_tree(self.log_weights, self.counts.n_attributes)

    @property
    def super_parent_weights(self) -> FloatArray:
        """The log-weight of each super-parent's star of edges and, last, 0 for naive Bayes, which has no edge."""
        return _star_weights(self.log_weights, self.counts.n_attributes)

    @property
    def super_parent_logs(self) -> FloatArray:
        """The log posterior of each super-parent and, last, of naive Bayes, with equal prior probabilities."""
        logs = self.super_parent_weights
        return logs - float(np.logaddexp.reduce(logs))

    def log_evidence(self) -> float:
        """The log-probability of all rows, averaged over the structures."""
        return log_evidence(self.marginals, self.family, self.ess)

    def joint_logs(self, codes: IntArray, *, threads: int = 1) -> FloatArray:
        """``ln P(k, q | D)`` for each query and class; queries as value numbers, -1 for an unseen value.

        An unseen value widens its attribute by one value for that query, and with it the weights of its edges.
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
        """``ln P(k, q | D without q)`` for stored rows of classes ``own`` and weights ``leave``.

        Exact: edge weights, the best tree and the eligible super-parents are those of the other rows. Attributes and
        classes keep all their values.
        """
        amounts = np.ones(len(codes)) if leave is None else np.ascontiguousarray(leave, dtype=np.float64)
        codes = np.ascontiguousarray(codes, dtype=np.int32)
        own = np.ascontiguousarray(own, dtype=np.int32)
        return self._ask(codes, np.zeros(self.counts.n_attributes, dtype=bool), own, amounts, threads=threads)

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
        """Log-weights where some attributes have one more value; only their edges are recomputed."""
        if self.family == "plain_super_parents":
            return np.zeros(n_edges(self.counts.n_attributes))
        key = widened.tobytes()
        if key in self._cache:
            return self._cache[key]
        known = None
        if widened.any():
            v, u = np.tril_indices(widened.size, -1)
            known = self.log_weights, ~(widened[u] | widened[v])
        weights = self.marginals.log_weights(self.ess, self.counts.sizes + widened, known)
        if len(self._cache) < _MAX_CACHED:
            self._cache[key] = weights
        return weights
