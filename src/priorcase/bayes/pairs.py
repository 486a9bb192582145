"""Counts of all pairs of attribute values in each class, and averages over structures that join pairs of attributes.

Let ``theta`` be the posterior means of the parameters. All families of structures share the naive Bayes term ``a_k
prod_v theta_kv`` and the factor ``rho_kuv = theta_kuv / (theta_ku theta_kv)`` for each pair of values. The families
differ in the structures over which the products of ``rho`` are averaged.

The weight of a tree is the product of its edge weights, which are given as logarithms in the lower triangle of a
matrix, row by row: edges (1,0), (2,0), (2,1), (3,0) and so on. The sum over all trees is computed by eliminating one
node after another (star-mesh elimination): with ``s = sum_j w_pj``, eliminating p adds ``w_pi w_pj / s`` to the weight
of every other edge (i, j) and divides the sum by s, in ``O(n^3)``. Unlike the determinant of Meilă & Jaakkola (2000),
the elimination involves no subtraction, so it stays accurate if log-weights differ by thousands of nats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Self

import numpy as np

from priorcase._core import count_pairs, edge_shares, largest_tree, log_tree_sum, tree_joint_logs
from priorcase._locks import cached_property
from priorcase._typing import AnyArray, BoolArray, FloatArray, IdArray, IntArray
from priorcase.bayes.predictive import log_rising
from priorcase.bayes.priors import ClassPrior
from priorcase.exceptions import TooLargeError

Family = Literal["all_trees", "best_tree", "super_parents", "plain_super_parents"]
"""Family of structures over which the predictions are averaged.

``all_trees``: all trees over the attributes, weighted by marginal likelihood. ``best_tree``: only the tree with the
largest marginal likelihood. ``super_parents``: naive Bayes and, for each attribute, the structure in which all other
attributes depend on it, weighted by marginal likelihood. ``plain_super_parents``: like ``super_parents``, but
without naive Bayes, with equal weights, and only with attributes whose value in the query occurs in enough rows.
"""

MAX_CELLS = 1 << 27
"""Maximum number of counts: a gigabyte."""

# Sums of 2^27 integers below this are exact in float64.
_WHOLE = 2.0**26
# Minimum number of rows whose values are numbered at once; blocks limit memory, and grow with the size of the tables.
_ROWS_AT_ONCE = 1 << 16
_MAX_CACHED = 256
_FIXED = 2.0**900


# -- weights


@dataclass(frozen=True, eq=False)
class PairWeights:
    """Dirichlet weights of classes and values, from which the weights of pairs of values are computed.

    In class k, the weights of each attribute's values sum to ``totals[k]``, and a pair of values with the weights a_u
    and a_v has the weight ``a_u a_v / totals[k]``. The direction of a tree's edges therefore does not matter
    (Heckerman, Geiger & Chickering 1995).
    """

    classes: ClassPrior
    totals: FloatArray
    values: FloatArray  # in the layout of `PairCounts.singles`
    wider: FloatArray  # replaces ``values`` for attributes that have an additional value in a query
    unseen: FloatArray  # weight of an additional value, shape (attributes, classes)
    each: FloatArray | None = None  # weight of each attribute's values, if equal for all its values and classes
    each_wider: FloatArray | None = None  # the same for ``wider``

    @classmethod
    def even(cls, sizes: Sequence[int] | IntArray, n_classes: int, ess: float) -> Self:
        """Return the weights of an equivalent sample of ``ess`` rows, spread evenly over all cells of each table."""
        widths, share = np.asarray(sizes, np.int64), ess / n_classes
        totals, each, wider = np.full(n_classes, share), share / widths, share / (widths + 1)
        unseen = np.repeat(wider[:, np.newaxis], n_classes, axis=1)
        return cls(
            ClassPrior(totals),
            totals,
            np.repeat(each, widths * n_classes),
            np.repeat(wider, widths * n_classes),
            unseen,
            each,
            wider,
        )

    def widened(self, attributes: BoolArray, sizes: IdArray) -> PairWeights:
        """Return the weights for queries with an additional value in some attributes, given as a mask."""
        if not attributes.any():
            return self
        values = np.where(np.repeat(attributes, sizes * self.totals.size), self.wider, self.values)
        each = None
        if self.each is not None and self.each_wider is not None:
            each = np.where(attributes, self.each_wider, self.each)
        return replace(self, values=values, each=each)


# -- counts


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Counts of classes, of values and of pairs of values; the values of each attribute are numbered from 0.

    ``sizes`` contains the number of values of each attribute. ``singles`` contains a table (values, classes) for each
    attribute, and ``pairs`` a table (values of the first, values of the second, classes) for each pair of attributes,
    in the order (0,1), (0,2), (1,2), (0,3) and so on.

    ``DM(N_k)`` is the log marginal likelihood of the counts of a table in class k. If cell j has count N_kj and
    Dirichlet weight a_kj, and the sums over all cells are h_k and A_k, then ``DM(N_k)`` is
    ``sum_j ln G(N_kj + a_kj) / G(a_kj) - ln G(h_k + A_k) / G(A_k)``, where G is the gamma function.
    """

    sizes: IdArray
    classes: FloatArray
    singles: FloatArray
    pairs: FloatArray

    @classmethod
    def empty(cls, sizes: Sequence[int] | IntArray, n_classes: int) -> Self:
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
        """Count rows; the function ``columns`` returns the values of a slice of rows, shape (attributes, rows)."""
        counts = cls.empty(sizes, n_classes)
        step = max(_ROWS_AT_ONCE, 2 * counts.pairs.size // max(counts.n_attributes, 1))
        for unit, whole in [(1.0, None)] if weights is None else _whole_parts(weights):
            part = counts if unit == 1.0 and not counts.classes.any() else cls.empty(sizes, n_classes)
            for start in range(0, len(classes), step):
                rows = slice(start, start + step)
                part.add(columns(rows), classes[rows], None if whole is None else whole[rows], threads=threads)
            if part is not counts:
                counts.classes[:] += unit * part.classes
                counts.singles[:] += unit * part.singles
                counts.pairs[:] += unit * part.pairs
        return counts

    @property
    def tables(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return self.classes, self.singles, self.pairs

    def copied(self) -> PairCounts:
        return PairCounts(self.sizes, *(table.copy() for table in self.tables))

    def taken(self, order: Sequence[int]) -> PairCounts:
        """Return the counts with the attributes in another order."""
        if list(order) == sorted(order):
            return self
        found = self.empty(self.sizes[list(order)], self.n_classes)
        classes = np.arange(self.n_classes)
        poured(self, found, [np.arange(size) for size in self.sizes.tolist()], classes, order=order)
        return found

    def blocks(self) -> dict[tuple[int, int], FloatArray]:
        """Return views of the tables of pairs, shape (values, values, classes), with the smaller attribute first."""
        found, at = {}, 0
        for v in range(self.n_attributes):
            for u in range(v):
                shape = int(self.sizes[u]), int(self.sizes[v]), self.n_classes
                found[u, v] = self.pairs[at : at + math.prod(shape)].reshape(shape)
                at += math.prod(shape)
        return found

    @property
    def n_attributes(self) -> int:
        return int(self.sizes.size)

    @property
    def n_classes(self) -> int:
        return int(self.classes.size)

    def add(self, columns: IntArray, classes: IntArray, weights: FloatArray | None = None, *, threads: int = 1) -> None:
        """Count some rows, given their values, shape (attributes, rows)."""
        codes, own = (np.ascontiguousarray(numbers, dtype=np.int32) for numbers in (columns, classes))
        amounts = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        count_pairs(codes, own, amounts, 1.0, self.sizes, self.classes, self.singles, self.pairs, threads)

    @cached_property
    def _singles(self) -> Tallies:
        return Tallies.of(self.singles, np.concatenate(([0], np.cumsum(self.sizes * self.n_classes))))

    @cached_property
    def _pairs(self) -> Tallies:
        v, u = np.tril_indices(self.n_attributes, -1)
        cells = self.sizes[u] * self.sizes[v] * self.n_classes
        return Tallies.of(self.pairs, np.concatenate(([0], np.cumsum(cells))))

    def log_naive(self, weights: PairWeights) -> float:
        """Return the log marginal likelihood of all rows under naive Bayes."""
        of_classes = weights.classes.log_evidence(self.classes)
        singles = self._single_logs(weights).sum() - self.n_attributes * self._class_logs(weights)
        return float(of_classes + singles)

    def log_weights(self, weights: PairWeights, known: tuple[FloatArray, BoolArray] | None = None) -> FloatArray:
        """Return the log marginal likelihood gained by each edge (u, v), ``sum_k [DM(N_kuv) - DM(N_ku) - DM(N_kv)]``.

        For DM see `PairCounts`. ``known`` contains earlier log-weights and a mask of those that are still valid.
        """
        v, u = np.tril_indices(self.n_attributes, -1)
        wanted, result = None, np.zeros(u.size)
        if known is not None:
            wanted, result = np.flatnonzero(~known[1]), known[0].copy()
            u, v = u[wanted], v[wanted]
        if (each := weights.each) is not None:
            pairs = self._pairs.log_rising_sums(each[u] * (each[v] / weights.totals[0]), wanted)
        else:
            pairs = self._pair_logs(weights)
            pairs = pairs if wanted is None else pairs[wanted]
        singles = self._single_logs(weights)
        result[... if wanted is None else wanted] = pairs - singles[u] - singles[v] + self._class_logs(weights)
        return result

    def _class_logs(self, weights: PairWeights) -> float:
        return float(log_rising(weights.totals, self.classes).sum())

    def _single_logs(self, weights: PairWeights) -> FloatArray:
        if weights.each is not None:
            return self._singles.log_rising_sums(weights.each)
        filled = np.flatnonzero(self.singles)
        attributes = np.searchsorted(np.cumsum(self.sizes * self.n_classes), filled, "right")
        logs = log_rising(weights.values[filled], self.singles[filled])
        return _sums_of_tables(attributes, logs, self.n_attributes)

    def _pair_logs(self, weights: PairWeights) -> FloatArray:
        """Return, for each table of pairs, the sum of ``ln G(n + a) / G(a)`` over cells with count n and weight a."""
        v, u = np.tril_indices(self.n_attributes, -1)
        ends = np.cumsum(self.sizes[u] * self.sizes[v] * self.n_classes)
        starts = np.cumsum(self.sizes * self.n_classes) - self.sizes * self.n_classes
        filled = np.flatnonzero(self.pairs)
        table = np.searchsorted(ends, filled, "right")
        cell, k = np.divmod(filled - np.append(0, ends)[table], self.n_classes)
        value_u, value_v = np.divmod(cell, self.sizes[v[table]])
        weight_u = weights.values[starts[u[table]] + value_u * self.n_classes + k]
        weight_v = weights.values[starts[v[table]] + value_v * self.n_classes + k]
        logs = log_rising(weight_u * (weight_v / weights.totals[k]), self.pairs[filled])
        return _sums_of_tables(table, logs, u.size)


def poured(
    source: PairCounts,
    into: PairCounts,
    values: Sequence[IntArray],
    classes: IntArray,
    sign: int = 1,
    *,
    order: Sequence[int] | None = None,
) -> None:
    """Add the counts of ``source`` to ``into``, or subtract them with ``sign=-1``.

    ``values`` contains, for each attribute of ``source``, the position in ``into`` of each value, and ``classes`` the
    position of each class. Values and classes with position -1 are ignored. ``order`` lists the attributes of
    ``source`` in the order of ``into``.
    """
    order = range(source.n_attributes) if order is None else order
    k = np.flatnonzero(classes >= 0)
    own = [np.flatnonzero(values[a] >= 0) for a in order]
    here = [values[a][at] for a, at in zip(order, own, strict=True)]
    into.classes[classes[k]] += sign * source.classes[k]
    theirs, mine = source.blocks(), into.blocks()
    starts = [np.append(0, np.cumsum(each.sizes)) for each in (source, into)]
    singles = [each.singles.reshape(int(each.sizes.sum()), each.n_classes) for each in (source, into)]
    for i, a in enumerate(order):
        rows = np.ix_(starts[1][i] + here[i], classes[k])
        singles[1][rows] += sign * singles[0][np.ix_(starts[0][a] + own[i], k)]
        for j in range(i):
            b = order[j]
            block = theirs[b, a] if b < a else theirs[a, b].transpose(1, 0, 2)
            mine[j, i][np.ix_(here[j], here[i], classes[k])] += sign * block[np.ix_(own[j], own[i], k)]


def _sums_of_tables(tables: IntArray, logs: FloatArray, n: int) -> FloatArray:
    """Return the sum of the logarithms of each table; the sum does not depend on the order of the cells."""
    order = np.lexsort((logs, tables))
    return np.bincount(tables[order], logs[order], n).astype(np.float64)


def n_pairs(sizes: Sequence[int] | IntArray) -> int:
    widths = [int(size) for size in sizes]
    return (sum(widths) ** 2 - sum(width * width for width in widths)) // 2


def check_n_pairs(sizes: Sequence[int] | IntArray, n_classes: int, names: Sequence[object]) -> None:
    if (cells := n_pairs(sizes) * n_classes) > MAX_CELLS:
        widest = sorted(range(len(sizes)), key=lambda a: -int(sizes[a]))[:3]
        most = ", ".join(f"{names[a]!r} ({int(sizes[a]):,})" for a in widest)
        raise TooLargeError(
            f"pairs of values would need {cells:,} counts, more than {MAX_CELLS:,}. The columns with the most values "
            f"are {most}. Drop columns that identify single rows, or merge rare values."
        )


def _whole_parts(weights: FloatArray) -> Iterator[tuple[float, FloatArray]]:
    """Yield pairs ``(unit, integers)`` with ``weights == sum(unit * integers)``; sums of the integers are exact."""
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
    """For each table, the number of cells with each count.

    Table ``tables[i]`` has ``times[i]`` cells with the count ``counts[which[i]]``. Cells with count 0 are omitted.
    """

    tables: IntArray
    counts: FloatArray
    which: IntArray
    times: FloatArray

    @classmethod
    def of(cls, cells: FloatArray, starts: IdArray) -> Self:
        """Create the tallies of concatenated tables, given the start of each table and the end of the last table."""
        filled = np.flatnonzero(cells)
        counts, which = np.unique(cells[filled], return_inverse=True)
        n_counts = max(counts.size, 1)
        entries = (np.searchsorted(starts, filled, side="right") - 1) * n_counts + which
        # Sorted by table and count, so that sums do not depend on the numbering of values.
        entries, times = np.unique(entries, return_counts=True)
        tables, found = np.divmod(entries, n_counts)
        return cls(tables, counts, found, times.astype(np.float64))

    def log_rising_sums(self, priors: FloatArray, tables: IntArray | None = None) -> FloatArray:
        """Return the sum of ``ln G(n + a) / G(a)`` over the counts n of each table with prior weight a."""
        table, which, times = self.tables, self.which, self.times
        if tables is not None:
            at, order = np.isin(table, tables), np.argsort(tables)
            table, which, times = order[np.searchsorted(tables, table[at], sorter=order)], which[at], times[at]
        different, same = np.unique(priors, return_inverse=True)
        if different.size * self.counts.size >= which.size:
            logs = log_rising(priors[table], self.counts[which])
        else:  # there are fewer (weight, count) pairs than entries
            logs = log_rising(different[:, None], self.counts)[same[table], which]
        return np.bincount(table, weights=times * logs, minlength=priors.size).astype(np.float64)


# -- averages over structures


def as_matrix(edges: FloatArray, nodes: int) -> FloatArray:
    """Convert an array with one number per edge to a symmetric matrix with a zero diagonal."""
    matrix = np.zeros((nodes, nodes))
    matrix[np.tril_indices(nodes, -1)] = edges
    return matrix + matrix.T


def best_tree(log_weights: FloatArray, nodes: int) -> IntArray:
    """Return the edges of the maximum-weight tree, shape (nodes - 1, 2); weights are rounded to multiples of 2^-30."""
    parents = largest_tree(np.ascontiguousarray(log_weights, dtype=np.float64), nodes).astype(np.intp)
    edges = np.sort(np.stack([np.arange(1, nodes), parents[1:]], axis=1), axis=1)
    return edges[np.lexsort((edges[:, 1], edges[:, 0]))]


@dataclass(frozen=True, eq=False)
class PairModel:
    """Counts, weights and family of structures of a model; ``least`` is the ``min_count`` of `AODE`."""

    counts: PairCounts
    family: Family
    weights: PairWeights
    least: float = 1.0
    _cache: dict[bytes, FloatArray] = field(default_factory=dict)

    @property
    def log_weights(self) -> FloatArray:
        return self._log_weights(np.zeros(self.counts.n_attributes, dtype=bool))

    @property
    def edge_probabilities(self) -> FloatArray:
        """Posterior probability of each edge over all trees, as a symmetric matrix."""
        return as_matrix(edge_shares(self.log_weights, self.counts.n_attributes), self.counts.n_attributes)

    @property
    def tree(self) -> IntArray:
        return best_tree(self.log_weights, self.counts.n_attributes)

    @property
    def super_parent_weights(self) -> FloatArray:
        """Sum of the log-weights of the edges of each super-parent; the last number is 0 and stands for naive Bayes."""
        return np.append(as_matrix(self.log_weights, self.counts.n_attributes).sum(axis=0), 0.0)

    @property
    def super_parent_probabilities(self) -> FloatArray:
        """Posterior probability of each super-parent and, last, of naive Bayes, with equal prior probabilities."""
        logs = self.super_parent_weights
        return np.exp(logs - float(np.logaddexp.reduce(logs)))

    def log_evidence(self) -> float:
        """Return the log marginal likelihood of all rows under the best tree, or averaged over all structures."""
        n, counts = self.counts.n_attributes, self.counts
        logs, naive = counts.log_weights(self.weights), counts.log_naive(self.weights)
        if self.family == "all_trees":
            return naive + log_tree_sum(logs, n) - max(n - 2, 0) * float(np.log(n))
        if self.family == "best_tree":
            u, v = best_tree(logs, n).T
            return naive + float(as_matrix(logs, n)[u, v].sum())
        # Both families of super-parents.
        stars = np.append(as_matrix(logs, n).sum(axis=0), 0.0)
        return naive + float(np.logaddexp.reduce(stars)) - float(np.log(n + 1))

    def joint_logs(self, codes: IntArray, *, threads: int = 1) -> FloatArray:
        """Return ``ln P(k, q | D)`` for each query and class; code -1 stands for an additional value without rows."""
        codes = np.ascontiguousarray(codes, dtype=np.int32)
        if not (unseen := codes < 0).any():
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
        """Return the exact ``ln P(k, q | D without q)`` for each class k and stored row q of weight ``leave``."""
        amounts = np.ones(len(codes)) if leave is None else np.ascontiguousarray(leave, dtype=np.float64)
        codes, own = (np.ascontiguousarray(numbers, dtype=np.int32) for numbers in (codes, own))
        return self._ask(codes, np.zeros(self.counts.n_attributes, dtype=bool), own, amounts, threads=threads)

    def _ask(self, codes: IntArray, widened: BoolArray, *left_out: AnyArray, threads: int) -> FloatArray:
        counts, logs, (own, leave) = self.counts, self._log_weights(widened), left_out or (None, None)
        tables = (counts.classes, counts.singles, counts.pairs, counts.sizes)
        weights = self.weights.widened(widened, counts.sizes)
        classes = weights.classes.weights
        if weights.classes.fixed:  # the core adds counts, which do not change such large numbers
            classes = classes * _FIXED
        prior = classes, weights.totals, weights.values, np.ascontiguousarray(weights.unseen).ravel()
        return tree_joint_logs(self.family, *tables, *prior, logs, self.least, codes, own, leave, threads)

    def _log_weights(self, widened: BoolArray) -> FloatArray:
        """Return the log-weights of edges for queries with an additional value in the attributes of a mask."""
        if self.family == "plain_super_parents":
            return np.zeros(math.comb(self.counts.n_attributes, 2))
        key = widened.tobytes()
        if key in self._cache:
            return self._cache[key]
        known = None
        if widened.any():
            v, u = np.tril_indices(widened.size, -1)
            known = self.log_weights, ~(widened[u] | widened[v])
        weights = self.counts.log_weights(self.weights.widened(widened, self.counts.sizes), known)
        if len(self._cache) < _MAX_CACHED:
            self._cache[key] = weights
        return weights
