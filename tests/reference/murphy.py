"""Brier's score of an event taken apart, slow and exact: one row at a time, in fractions (Murphy 1973, eq. 2)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def parts(shares: Sequence[Fraction], hits: Sequence[bool], bins: Sequence[int]) -> dict[str, Fraction]:
    """Reliability, resolution and uncertainty of rows that lie in some bins, and the mean squared error itself."""
    n = len(shares)
    overall = Fraction(sum(hits), n)
    reliability = resolution = Fraction(0)
    for b in set(bins):
        inside = [i for i in range(n) if bins[i] == b]
        mean = sum((shares[i] for i in inside), Fraction(0)) / len(inside)
        observed = Fraction(sum(hits[i] for i in inside), len(inside))
        for _ in inside:
            reliability += (mean - observed) ** 2 / n
            resolution += (observed - overall) ** 2 / n
    brier = sum(((p - hit) ** 2 for p, hit in zip(shares, hits, strict=True)), Fraction(0)) / n
    return {
        "brier": brier,
        "reliability": reliability,
        "resolution": resolution,
        "uncertainty": overall * (1 - overall),
    }


def within(shares: Sequence[Fraction], hits: Sequence[bool], bins: Sequence[int]) -> Fraction:
    """Variance of probabilities within bins less twice their covariance with the event (Stephenson et al. 2008)."""
    n, total = len(shares), Fraction(0)
    for b in set(bins):
        inside = [i for i in range(n) if bins[i] == b]
        mean = sum((shares[i] for i in inside), Fraction(0)) / len(inside)
        observed = Fraction(sum(hits[i] for i in inside), len(inside))
        for i in inside:
            total += (shares[i] - mean) ** 2 / n - 2 * (shares[i] - mean) * (hits[i] - observed) / n
    return total
