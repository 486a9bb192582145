"""Discretizers, slow and obvious: plain lists, exact fractions, rows of weight w literally repeated w times."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

from reference.knn import repeated

TIE = 1e-9


def midpoint(a: float, b: float) -> float:
    """Halfway between neighboring values; the upper one where there is no float between them."""
    middle = float((Fraction(a) + Fraction(b)) / 2)
    return middle if a < middle <= b else b


def equal_width(values: Sequence[float], bins: int) -> list[float]:
    low, high = Fraction(min(values)), Fraction(max(values))
    cuts = {float(low + (high - low) * i / bins) for i in range(1, bins)}
    return sorted(cut for cut in cuts if low < cut <= high)


def equal_frequency(values: Sequence[float], bins: int, times: Sequence[int] | None = None) -> list[float]:
    """Cut i between the neighboring values where the number of rows below is nearest to n i / bins."""
    rows = sorted(repeated(values, times))
    places = [j for j in range(1, len(rows)) if rows[j - 1] < rows[j]]
    if not places:
        return []
    chosen = {min(places, key=lambda j: (abs(Fraction(i * len(rows), bins) - j), j)) for i in range(1, bins)}
    return [midpoint(rows[j - 1], rows[j]) for j in sorted(chosen)]


def quantile(rows: Sequence[Fraction], q: Fraction) -> Fraction:
    """Interpolated between the values at the ranks around (n - 1) q, as NumPy does."""
    rank = (len(rows) - 1) * q
    low, high = rows[math.floor(rank)], rows[min(math.floor(rank) + 1, len(rows) - 1)]
    return low + (high - low) * (rank % 1)


def kmeans(values: Sequence[float], bins: int, times: Sequence[int] | None = None) -> list[float]:
    """Lloyd's rule in fractions from the quantiles (i + 1/2) / k; midpoints of neighboring centers with values.

    A value belongs above the midpoint of two neighboring centers from that midpoint on.
    """
    rows = [Fraction(value) for value in sorted(repeated(values, times))]
    centers = [quantile(rows, Fraction(2 * i + 1, 2 * bins)) for i in range(bins)]
    while True:
        clusters: list[list[Fraction]] = [[] for _ in centers]
        for row in rows:
            clusters[sum(2 * row >= a + b for a, b in itertools.pairwise(centers))].append(row)
        moved = [sum(part) / len(part) if part else center for part, center in zip(clusters, centers, strict=True)]
        if moved == centers:
            held = [center for part, center in zip(clusters, centers, strict=True) if part]
            return [float((a + b) / 2) for a, b in itertools.pairwise(held)]
        centers = moved


def entropy(classes: Sequence[int]) -> float:
    """Class entropy in bits."""
    shares = [classes.count(c) / len(classes) for c in set(classes)]
    return -math.fsum(p * math.log2(p) for p in shares)


def best_split(rows: Sequence[tuple[float, int]]) -> tuple[int, float] | None:
    """Where to cut sorted rows, and the information gain in bits; the lowest of equally good places."""
    places = [j for j in range(1, len(rows)) if rows[j - 1][0] < rows[j][0]]
    if not places:
        return None
    classes = [c for _, c in rows]

    def gain(j: int) -> float:
        left, right = classes[:j], classes[j:]
        return entropy(classes) - (len(left) * entropy(left) + len(right) * entropy(right)) / len(classes)

    most = max(map(gain, places))
    return None if most < TIE else (next(j for j in places if gain(j) > most - TIE), most)


def two_way(values: Sequence[float], classes: Sequence[int], times: Sequence[int] | None = None) -> list[float]:
    rows = sorted(repeated(list(zip(values, classes, strict=True)), times))
    split = best_split(rows)
    return [] if split is None else [midpoint(rows[split[0] - 1][0], rows[split[0]][0])]


def mdl(values: Sequence[float], classes: Sequence[int], times: Sequence[int] | None = None) -> list[float]:
    return _mdl(sorted(repeated(list(zip(values, classes, strict=True)), times)))


def _mdl(rows: Sequence[tuple[float, int]]) -> list[float]:
    """Fayyad & Irani 1993: cut while Gain(A, T; S) > log2(N - 1) / N + Delta(A, T; S) / N."""
    split = best_split(rows)
    if split is None:
        return []
    j, gain = split
    whole, left, right = ([c for _, c in part] for part in (rows, rows[:j], rows[j:]))
    k, k1, k2 = len(set(whole)), len(set(left)), len(set(right))
    delta = math.log2(3**k - 2) - (k * entropy(whole) - k1 * entropy(left) - k2 * entropy(right))
    if gain <= (math.log2(len(rows) - 1) + delta) / len(rows):
        return []
    return [*_mdl(rows[:j]), midpoint(rows[j - 1][0], rows[j][0]), *_mdl(rows[j:])]
