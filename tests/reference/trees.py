"""Tree-shaped and super-parent models, slow and obvious: every structure by itself, every number a fraction.

A structure says for each attribute which other attribute it depends on beside the class, or None. Its probability
of some rows is built row by row from the expected parameters (Kontkanen et al. 1998, eq. 9), so no closed form of the
library is used here. Dirichlet weights are those of an equivalent sample of ``ess`` rows spread evenly over all
cells (Heckerman, Geiger & Chickering 1995), which makes every direction of a tree's edges equally probable; or those
of `Weights`, where a pair of values in a class has the product of their weights, divided by the sum of either.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product

Edges = tuple[tuple[int, int], ...]
Parents = tuple[int | None, ...]
Row = tuple[int, tuple[int, ...]]
"""A class and the values of the attributes."""


@dataclass(frozen=True)
class Weights:
    """Dirichlet weights of the classes, and of values by attribute, value and class."""

    classes: tuple[Fraction, ...]
    values: tuple[tuple[tuple[Fraction, ...], ...], ...]

    def total(self, k: int) -> Fraction:
        """What the values of any attribute have in a class; the same for all of them."""
        sums = {sum((value[k] for value in attribute), Fraction(0)) for attribute in self.values}
        assert len(sums) == 1
        return sums.pop()


Prior = Fraction | Weights
"""An equivalent sample size, or weights by value."""


@cache
def even(sizes: tuple[int, ...], n_classes: int, ess: Fraction) -> Weights:
    """The weights of an equivalent sample that is spread evenly."""
    share = Fraction(ess) / n_classes
    return Weights((share,) * n_classes, tuple(((share / size,) * n_classes,) * size for size in sizes))


@cache
def spanning_trees(n: int) -> tuple[Edges, ...]:
    """All ``n^(n-2)`` trees over n nodes, each from its Prüfer sequence."""
    if n == 1:
        return ((),)
    return tuple(_tree(sequence, n) for sequence in product(range(n), repeat=n - 2))


def _tree(sequence: tuple[int, ...], n: int) -> Edges:
    degrees = [1 + sequence.count(node) for node in range(n)]
    edges = []
    for node in sequence:
        leaf = degrees.index(1)
        edges.append((min(leaf, node), max(leaf, node)))
        degrees[leaf] -= 1
        degrees[node] -= 1
    first, last = (node for node in range(n) if degrees[node] == 1)
    return tuple(sorted([*edges, (first, last)]))


def tree_sum(weights: Sequence[Sequence[Fraction]]) -> Fraction:
    """Sum over all trees of the product of their edges' weights."""
    return sum((weight_of(tree, weights) for tree in spanning_trees(len(weights))), Fraction(0))


def weight_of(tree: Edges, weights: Sequence[Sequence[Fraction]]) -> Fraction:
    """Product of a tree's edge weights."""
    result = Fraction(1)
    for u, v in tree:
        result *= weights[u][v]
    return result


def log_tree_sum(logs: Sequence[Sequence[float]]) -> float:
    """The log of the sum over all trees, node after node taken out of the logarithms of the weights.

    For more nodes than can be enumerated: with s the sum of node p's weights, taking it out adds ``w_pi w_pj / s`` to
    every other edge, and the sum over all trees is s times that over the trees that are left.
    """
    w = [list(row) for row in logs]
    total = 0.0
    for p in range(len(w) - 1, 0, -1):
        s = log_sum(w[p][:p])
        total += s
        for i in range(p):
            for j in range(p):
                if i != j:
                    w[i][j] = log_sum([w[i][j], w[p][i] + w[p][j] - s])
    return total


def log_sum(logs: Sequence[float]) -> float:
    """ln of a sum of exponentials."""
    top = max(logs)
    return top + math.log(math.fsum(math.exp(x - top) for x in logs))


def edge_probability(weights: Sequence[Sequence[Fraction]], u: int, v: int) -> Fraction:
    """Share of the sum over all trees that the trees with this edge have."""
    having = [tree for tree in spanning_trees(len(weights)) if (min(u, v), max(u, v)) in tree]
    return sum((weight_of(tree, weights) for tree in having), Fraction(0)) / tree_sum(weights)


def rooted(tree: Edges, n: int, root: int = 0) -> Parents:
    """The tree with its edges pointing away from a root."""
    parents: list[int | None] = [None] * n
    reached = [root]
    for node in reached:
        for u, v in tree:
            if node in (u, v):
                other = u + v - node
                if other not in reached:
                    parents[other] = node
                    reached.append(other)
    return tuple(parents)


def super_parent(p: int, n: int) -> Parents:
    """Every attribute but p depends on p (Webb, Boughton & Wang 2005)."""
    return tuple(None if v == p else p for v in range(n))


def naive(n: int) -> Parents:
    """No attribute depends on another."""
    return (None,) * n


def predictive(
    rows: Sequence[Row], row: Row, parents: Parents, sizes: Sequence[int], n_classes: int, ess: Prior
) -> Fraction:
    """Probability of one more row, given some rows and the structure."""
    k, x = row
    weights = ess if isinstance(ess, Weights) else even(tuple(sizes), n_classes, ess)
    n_k = sum(1 for c, _ in rows if c == k)
    result = (n_k + weights.classes[k]) / (len(rows) + sum(weights.classes))
    total = weights.total(k)
    for v, p in enumerate(parents):
        parent = total if p is None else weights.values[p][x[p]][k]
        alike = [z for c, z in rows if c == k and (p is None or z[p] == x[p])]
        hits = sum(1 for z in alike if z[v] == x[v])
        result *= (hits + parent * weights.values[v][x[v]][k] / total) / (len(alike) + parent)
    return result


def marginal(rows: Sequence[Row], parents: Parents, sizes: Sequence[int], n_classes: int, ess: Prior) -> Fraction:
    """Probability of all rows under one structure: each row given those before it."""
    return _marginal(tuple(rows), parents, tuple(sizes), n_classes, ess)


@lru_cache(maxsize=1 << 14)  # the same rows are asked for again with one more, and for every class
def _marginal(rows: tuple[Row, ...], parents: Parents, sizes: tuple[int, ...], n_classes: int, ess: Prior) -> Fraction:
    if not rows:
        return Fraction(1)
    before, row = rows[:-1], rows[-1]
    return _marginal(before, parents, sizes, n_classes, ess) * predictive(before, row, parents, sizes, n_classes, ess)


def average(
    rows: Sequence[Row], row: Row, structures: Sequence[Parents], sizes: Sequence[int], n_classes: int, ess: Prior
) -> Fraction:
    """Probability of one more row, averaged over structures that were equally probable before any row was seen."""
    with_row = sum(marginal([*rows, row], s, sizes, n_classes, ess) for s in structures)
    return Fraction(with_row) / Fraction(sum(marginal(rows, s, sizes, n_classes, ess) for s in structures))


def all_trees(n: int) -> list[Parents]:
    """Every tree-augmented structure over n attributes."""
    return [rooted(tree, n) for tree in spanning_trees(n)]


def all_super_parents(n: int) -> list[Parents]:
    """Naive Bayes and every super-parent structure; for one or two attributes some of them are the same model."""
    return [naive(n), *(super_parent(p, n) for p in range(n))]


def aode(
    rows: Sequence[Row], row: Row, sizes: Sequence[int], n_classes: int, ess: Prior, min_count: int = 1
) -> Fraction:
    """Mean over the super-parents whose value enough rows have; naive Bayes if there is none (Webb et al. 2005)."""
    n = len(sizes)
    able = [p for p in range(n) if sum(1 for _, z in rows if z[p] == row[1][p]) >= min_count]
    structures = [super_parent(p, n) for p in able] or [naive(n)]
    total = sum(predictive(rows, row, s, sizes, n_classes, ess) for s in structures)
    return Fraction(total) / len(structures)
