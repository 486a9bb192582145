"""Scores of probabilities, slow and obvious: one row at a time, rows of weight w literally repeated w times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

Label = Any
Row = Sequence[Any]


def repeated(values: Sequence[Any], times: Sequence[int] | None) -> list[Any]:
    """Each value as often as its whole-numbered weight says."""
    if times is None:
        return list(values)
    return [value for value, count in zip(values, times, strict=True) for _ in range(count)]


def log_score(truth: Sequence[Label], proba: Sequence[Row], labels: Sequence[Label], *, cap: float = math.inf) -> float:
    """Mean of ln P(truth); a zero counts -cap (Kontkanen et al. 1997, section 4.1; less it: 1998, section 4)."""
    gains = []
    for label, row in zip(truth, proba, strict=True):
        p = row[labels.index(label)]
        gains.append(math.log(p) if p > 0 else -cap)
    return sum(gains) / len(gains)


def zero_one_score(truth: Sequence[Label], proba: Sequence[Row], labels: Sequence[Label], *, ties: str) -> Fraction:
    """How often the most probable class came true; of equals the first, or one by lot on average."""
    hits = []
    for label, row in zip(truth, proba, strict=True):
        best = [name for name, p in zip(labels, row, strict=True) if p == max(row)]
        if ties == "first":
            hits.append(Fraction(label == best[0]))
        else:
            hits.append(Fraction(label in best, len(best)))
    return sum(hits) / Fraction(len(hits))


def brier_score(truth: Sequence[Label], proba: Sequence[Row], labels: Sequence[Label]) -> Fraction:
    """Mean over the rows of the sum over the classes of (P(k) - [y = k])^2 (Brier 1950, eq. 2)."""
    losses = [
        sum((Fraction(p) - (name == label)) ** 2 for name, p in zip(labels, row, strict=True))
        for label, row in zip(truth, proba, strict=True)
    ]
    return sum(losses) / Fraction(len(losses))


def quantile(values: Sequence[Any], at: Fraction) -> Fraction:
    """Linear interpolation between the values at the places around (n - 1) * at."""
    ordered = [Fraction(value) for value in sorted(values)]
    place = (len(ordered) - 1) * at
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def calibration(
    shares: Sequence[Any], came_true: Sequence[bool], edges: Sequence[Any]
) -> list[tuple[int, Fraction | None, Fraction | None]]:
    """Of each bin (edge, next edge], the first one closed: its rows, mean probability and part that came true."""
    table: list[tuple[int, Fraction | None, Fraction | None]] = []
    for b, (low, high) in enumerate(pairwise(edges)):
        inside = [
            (Fraction(p), hit)
            for p, hit in zip(shares, came_true, strict=True)
            if low < p <= high or (b == 0 and p == low)
        ]
        n = len(inside)
        if n == 0:
            table.append((0, None, None))
        else:
            table.append((n, sum(p for p, _ in inside) / n, Fraction(sum(hit for _, hit in inside), n)))
    return table


def expected_calibration_error(table: Sequence[tuple[int, Fraction | None, Fraction | None]]) -> Fraction:
    """Mean over the rows of |observed - predicted| of their bin."""
    rows = sum(n for n, _, _ in table)
    return sum((n * abs(o - p) for n, p, o in table if p is not None and o is not None), Fraction(0)) / rows
