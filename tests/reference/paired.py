"""Paired tests, ranks and corrections by definition: loops, enumerations and fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product


def corrected_variance(differences: list[Fraction], test_to_train: Fraction) -> Fraction:
    """``(1 / J + n_test / n_train) s^2`` (Nadeau & Bengio 2003, section 4)."""
    n = len(differences)
    mean = sum(differences, Fraction(0)) / n
    variance = sum(((d - mean) ** 2 for d in differences), Fraction(0)) / (n - 1)
    return (Fraction(1, n) + test_to_train) * variance


def student_tail(t: float, freedom: int, steps: int = 100_000) -> float:
    """``P(|T| > t)`` of Student's distribution, its density added up between -t and t by Simpson's rule."""
    scale = math.gamma((freedom + 1) / 2) / (math.sqrt(freedom * math.pi) * math.gamma(freedom / 2))
    width = abs(t) / steps
    total = 0.0
    for i in range(steps + 1):
        weight = 1 if i in (0, steps) else 4 if i % 2 else 2
        total += weight * (1 + (i * width) ** 2 / freedom) ** (-(freedom + 1) / 2)
    return 1 - 2 * scale * total * width / 3


def rank_sums(differences: list[float]) -> tuple[float, float]:
    """Sums of the ranks of positive and of negative differences, those of zeros shared (Demsar 2006, section 3.1.3)."""
    ranks = [middle_rank(abs(d), [abs(e) for e in differences]) for d in differences]
    zeros = sum(rank for rank, d in zip(ranks, differences, strict=True) if d == 0) / 2
    positive = sum(rank for rank, d in zip(ranks, differences, strict=True) if d > 0) + zeros
    negative = sum(rank for rank, d in zip(ranks, differences, strict=True) if d < 0) + zeros
    return positive, negative


def middle_rank(value: float, values: list[float]) -> float:
    """The mean of the places that equal values take in ascending order."""
    below, equal = sum(other < value for other in values), sum(other == value for other in values)
    return below + (equal + 1) / 2


def signed_rank_tail(differences: list[float]) -> float:
    """Twice the part of all sign flips of differences other than 0 whose positive rank sum is no larger than theirs."""
    smaller = min(rank_sums(differences))
    sums = []
    for signs in product((-1, 1), repeat=sum(d != 0 for d in differences)):
        left = iter(signs)
        sums.append(rank_sums([d and next(left) * d for d in differences])[0])
    return min(1.0, 2 * sum(total <= smaller for total in sums) / len(sums))


def pair_means(differences: list[float]) -> list[float]:
    """The means of all pairs, each difference with itself too, ascending (Walsh averages)."""
    n = len(differences)
    return sorted((differences[i] + differences[j]) / 2 for i in range(n) for j in range(i, n))


def interval_of_medians(differences: list[float], level: float) -> tuple[float, float] | None:
    """The shortest interval between pair means, as far from both ends, that is as sure as a level; None if none is."""
    means = pair_means(differences)
    ranks = [middle_rank(abs(d), [abs(e) for e in differences]) for d in differences]
    sums = [sum(r * s for r, s in zip(ranks, signs, strict=True)) for signs in product((0, 1), repeat=len(ranks))]
    for k in range((len(means) + 1) // 2, 0, -1):
        # The k-th mean from below is above the true median exactly where fewer than k means are below it.
        outside = 2 * sum(total <= k - 1 for total in sums) / len(sums)
        if 1 - outside >= level - 1e-12:
            return means[k - 1], means[-k]
    return None


def holm(p_values: list[float]) -> list[float]:
    """Holm's step-down: each p-value times the number of those not smaller, no less than any before."""
    found = []
    for p in p_values:
        smaller = [q for q in p_values if q <= p]
        raised = [q * sum(r >= q for r in p_values) for q in smaller]
        found.append(min(1.0, max(raised)))
    return found


def ranks_by_table(values: list[list[float]], *, greater_is_better: bool) -> list[list[float]]:
    """Ranks of the learners on each table, given one list of values for each table."""
    sign = -1 if greater_is_better else 1
    return [[middle_rank(sign * value, [sign * other for other in row]) for value in row] for row in values]


def friedman(ranks: list[list[float]]) -> float:
    """``12 N / (k (k + 1)) (sum R_j^2 - k (k + 1)^2 / 4)``, which knows of no ties (Demsar 2006, section 3.2.2)."""
    n, k = len(ranks), len(ranks[0])
    means = [sum(row[j] for row in ranks) / n for j in range(k)]
    return 12 * n / (k * (k + 1)) * (sum(mean**2 for mean in means) - k * (k + 1) ** 2 / 4)


def friedman_with_ties(ranks: list[list[float]]) -> float:
    """The same divided by ``1 - sum (t^3 - t) / (N k (k^2 - 1))`` over all groups of t tied learners."""
    n, k = len(ranks), len(ranks[0])
    ties = sum(row.count(rank) ** 3 - row.count(rank) for row in ranks for rank in set(row))
    return friedman(ranks) / (1 - ties / (n * k * (k * k - 1)))


def iman_davenport(chi_square: float, n: int, k: int) -> float:
    """``(N - 1) chi^2 / (N (k - 1) - chi^2)`` (Demsar 2006, section 3.2.2)."""
    return (n - 1) * chi_square / (n * (k - 1) - chi_square)
