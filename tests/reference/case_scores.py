"""Similarities of cases in fractions, edit distances cell by cell, and products term by term."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def similarity(
    codes: Sequence[int], tables: Sequence[Sequence[float]], weights: Sequence[float], unknown: str
) -> Fraction:
    """``sum_a w_a s_a / sum_a w_a`` of one case; a code below 0 is a gap."""
    top = bottom = Fraction(0)
    for code, table, weight in zip(codes, tables, weights, strict=True):
        if code >= 0:
            top += Fraction(weight) * Fraction(table[code])
        if code >= 0 or unknown == "different":
            bottom += Fraction(weight)
    return top / bottom if bottom else Fraction(0)


def best(
    cases: Sequence[Sequence[int]],
    tables: Sequence[Sequence[float]],
    weights: Sequence[float],
    *,
    allowed: Sequence[bool] | None,
    k: int,
    unknown: str,
) -> list[tuple[int, float]]:
    """Positions and similarities, rounded once, of the best; among equal doubles the first position comes first."""
    found = []
    for position, codes in enumerate(cases):
        if allowed is None or allowed[position]:
            found.append((-float(similarity(codes, tables, weights, unknown)), position))
    return [(position, -negative) for negative, position in sorted(found)[:k]]


def edit_distance(a: str, b: str) -> int:
    """The fewest insertions, deletions and exchanges (Wagner and Fischer 1974, algorithm X)."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        above, row = row, [i]
        for j, y in enumerate(b, start=1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (x != y)))
    return row[-1]


def products(held: Sequence[dict[int, float]], asked: Sequence[tuple[int, float]]) -> list[float]:
    """For each value the sum of the asked terms' weights times its own, in the order of the terms."""
    sums = []
    for weights in held:
        total = 0.0
        for term, weight in asked:
            total += weight * weights.get(term, 0.0)
        sums.append(total)
    return sums
