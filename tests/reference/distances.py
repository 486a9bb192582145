"""The distances, slow and obvious: exact fractions, plain lists, rows of weight w literally repeated w times.

Numbers are whole or exact fractions, levels are their ranks, None is missing. A cost is what neighbors are ordered by:
the distance before the root. "W&M" is Wilson & Martinez 1997 with the erratum of March 2000.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

Row = Sequence[Any]
Cost = Callable[["Cases", Row, Row], Fraction | float]


@dataclass(frozen=True)
class Cases:
    """Stored rows with their classes; kinds are "numeric", "nominal", or the number of levels of an ordinal column."""

    kinds: tuple[str | int, ...]
    rows: tuple[Row, ...]
    classes: tuple[Any, ...]

    @classmethod
    def repeated(
        cls, kinds: Sequence[str | int], rows: Sequence[Row], classes: Sequence[Any], weights: Sequence[int]
    ) -> Cases:
        """Each row as often as its weight says."""
        times = [(row, label) for row, label, w in zip(rows, classes, weights, strict=True) for _ in range(w)]
        return cls(tuple(kinds), tuple(row for row, _ in times), tuple(label for _, label in times))

    def known(self, a: int) -> list[Fraction]:
        return [Fraction(row[a]) for row in self.rows if row[a] is not None]

    def low(self, a: int) -> Fraction:
        return min(self.known(a), default=Fraction(0))

    def high(self, a: int) -> Fraction:
        return max(self.known(a), default=Fraction(0))

    def labels(self) -> list[Any]:
        return sorted({label for label in self.classes if label is not None})

    def profile(self, belongs: Callable[[Row], bool]) -> list[Fraction] | None:
        """P(c|x) = N_{a,x,c} / N_{a,x} (W&M section 2.4) over the rows that belong to x; None where there are none."""
        labels = [
            label for row, label in zip(self.rows, self.classes, strict=True) if label is not None and belongs(row)
        ]
        return [Fraction(labels.count(c), len(labels)) for c in self.labels()] if labels else None

    def prior(self) -> list[Fraction]:
        return self.profile(lambda row: True) or []

    def nothing(self) -> list[Fraction]:
        return [Fraction(0)] * len(self.labels())


# -- numbers and levels ------------------------------------------------------------------------------------------------


def ratio(numerator: Fraction, scale: Fraction) -> Fraction:
    return Fraction(0) if scale == 0 else numerator / scale


def unscaled(cases: Cases, a: int, x: Any, q: Any) -> Fraction:
    return abs(Fraction(x) - Fraction(q))


def by_range(cases: Cases, a: int, x: Any, q: Any) -> Fraction:
    """rn_diff (W&M section 2.3): |x - q| / (max - min)."""
    return ratio(abs(Fraction(x) - Fraction(q)), cases.high(a) - cases.low(a))


def by_deviation_squared(cases: Cases, a: int, x: Any, q: Any) -> Fraction:
    """normalized_diff (W&M section 3) squared: (x - q)^2 / (4 sigma)^2."""
    known = cases.known(a)
    mean = sum(known, Fraction(0)) / len(known)
    variance = sum(((v - mean) ** 2 for v in known), Fraction(0)) / len(known)
    return ratio((Fraction(x) - Fraction(q)) ** 2, 16 * variance)


def by_rank(levels: int, x: Any, q: Any) -> Fraction:
    """|rank - rank| / (levels - 1); 1 for a level that was not declared (rank -1)."""
    return Fraction(1) if q < 0 else ratio(abs(Fraction(x) - Fraction(q)), Fraction(levels - 1))


def differs(x: Any, q: Any) -> Fraction:
    """overlap (W&M section 2.3)."""
    return Fraction(int(x != q))


def plain(cases: Cases, a: int, x: Any, q: Any, numeric: Callable[[Cases, int, Any, Any], Fraction]) -> Fraction:
    """The difference of two known values by kind."""
    kind = cases.kinds[a]
    if kind == "numeric":
        return numeric(cases, a, x, q)
    return differs(x, q) if kind == "nominal" else by_rank(int(kind), x, q)


def heom(cases: Cases, x: Row, q: Row) -> Fraction:
    """W&M section 2.3: the sum of d^2, d = 1 where a value is missing."""
    total = Fraction(0)
    for a in range(len(q)):
        gap = x[a] is None or q[a] is None
        total += Fraction(1) if gap else plain(cases, a, x[a], q[a], by_range) ** 2
    return total


def gower(cases: Cases, x: Row, q: Row) -> Fraction:
    """Gower 1971: the mean difference over the attributes known in both rows; 1 where there are none."""
    shared = [a for a in range(len(q)) if x[a] is not None and q[a] is not None]
    if not shared:
        return Fraction(1)
    return sum((plain(cases, a, x[a], q[a], by_range) for a in shared), Fraction(0)) / len(shared)


def minkowski(p: int) -> Cost:
    """Sum of |x - q|^p over the known attributes, scaled up by (all attributes) / (known ones)."""

    def cost(cases: Cases, x: Row, q: Row) -> Fraction | float:
        shared = [a for a in range(len(q)) if x[a] is not None and q[a] is not None]
        if not shared:
            return math.inf
        total = sum((plain(cases, a, x[a], q[a], unscaled) ** p for a in shared), Fraction(0))
        return total * len(q) / len(shared)

    return cost


def overlap(cases: Cases, x: Row, q: Row) -> Fraction:
    """The number of attributes that differ or are missing."""
    pairs = zip(x, q, strict=True)
    return sum((Fraction(1) if v is None or w is None else differs(v, w) for v, w in pairs), Fraction(0))


def ib(cases: Cases, x: Row, q: Row) -> Fraction:
    """Aha, Kibler & Albert 1991, with Weka's updateMinMax of the query before it is compared."""
    total = Fraction(0)
    for a in range(len(q)):
        if cases.kinds[a] == "numeric" and (x[a] is not None or q[a] is not None):
            seen = [cases.low(a), cases.high(a)] + ([Fraction(q[a])] if q[a] is not None else [])
            low, high = min(seen), max(seen)
            if x[a] is not None and q[a] is not None:
                total += ratio(abs(Fraction(x[a]) - Fraction(q[a])), high - low) ** 2
            else:
                v = ratio(Fraction(q[a] if x[a] is None else x[a]) - low, high - low)
                total += max(v, 1 - v) ** 2
        elif x[a] is None or q[a] is None:
            total += 1
        else:
            total += plain(cases, a, x[a], q[a], by_range) ** 2
    return total


def cosine(x: Sequence[float], q: Sequence[float]) -> float:
    """1 - cos of two vectors without gaps."""
    dot = sum(v * w for v, w in zip(x, q, strict=True))
    return 1 - dot / math.sqrt(sum(v * v for v in x) * sum(w * w for w in q))


# -- class profiles ----------------------------------------------------------------------------------------------------


def same_value(a: int, value: Any) -> Callable[[Row], bool]:
    return lambda row: row[a] == value


def apart(p: Sequence[Fraction], q: Sequence[Fraction], k: int) -> Fraction:
    """s = sum_c |P(c|x) - P(c|q)|^k."""
    return sum((abs(v - w) ** k for v, w in zip(p, q, strict=True)), Fraction(0))


def hvdm(normalization: str) -> Cost:
    """W&M section 3.1: the sum of d^2; N1 is (sum |.|)^2, N2 sum |.|^2, N3 C sum |.|^2; an unseen value has P = 0."""

    def cost(cases: Cases, x: Row, q: Row) -> Fraction:
        total = Fraction(0)
        for a in range(len(q)):
            if x[a] is None or q[a] is None:
                total += 1
            elif cases.kinds[a] == "nominal":
                p, r = (cases.profile(same_value(a, v)) or cases.nothing() for v in (x[a], q[a]))
                n1, n2 = apart(p, r, 1) ** 2, apart(p, r, 2)
                total += {"N1": n1, "N2": n2, "N3": len(cases.labels()) * n2}[normalization]
            elif cases.kinds[a] != "numeric" and q[a] < 0:
                total += 1
            else:
                total += by_deviation_squared(cases, a, x[a], q[a])
        return total

    return cost


def mvdm(k: int, r: int) -> Cost:
    """Cost & Salzberg 1993, for symbols: sum_a delta^r; "missing" is a value; unseen: delta = 2."""

    def cost(cases: Cases, x: Row, q: Row) -> Fraction:
        total = Fraction(0)
        for a in range(len(q)):
            p, s = (cases.profile(same_value(a, v)) for v in (x[a], q[a]))
            total += (Fraction(2) if p is None or s is None else apart(p, s, k)) ** r
        return total

    return cost


def vdm(cases: Cases, x: Row, q: Row) -> float:
    """Stanfill & Waltz 1986: sum_a w(q) sum_c (P - P')^2, w(q) = sqrt(sum_c P(c|q)^2); unseen: 2."""
    total = 0.0
    for a in range(len(q)):
        p, s = (cases.profile(same_value(a, v)) for v in (x[a], q[a]))
        total += 2 if p is None or s is None else math.sqrt(sum(v * v for v in s)) * apart(p, s, 2)
    return total


def width(cases: Cases, a: int, s: int) -> Fraction:
    """w_a = |max - min| / s (W&M section 2.5)."""
    return (cases.high(a) - cases.low(a)) / s


def interval(cases: Cases, a: int, s: int, x: Any) -> int:
    """discretize (W&M section 2.5), from 0; numbers outside the range belong to the nearest interval."""
    w = width(cases, a, s)
    return 0 if w == 0 else min(max(math.floor((Fraction(x) - cases.low(a)) / w), 0), s - 1)


def interval_profile(cases: Cases, a: int, s: int, u: int) -> list[Fraction]:
    """P_{a,u,c}; 0 outside the intervals and where an interval is empty."""
    inside = cases.profile(lambda row: row[a] is not None and interval(cases, a, s, row[a]) == u)
    return inside or cases.nothing()


def line(x: Fraction, x1: Fraction, p1: list[Fraction], x2: Fraction, p2: list[Fraction]) -> list[Fraction]:
    """p(x) on the line between two sampled points (W&M section 4.1)."""
    return [v + (x - x1) / (x2 - x1) * (w - v) for v, w in zip(p1, p2, strict=True)]


def dvdm_profile(cases: Cases, a: int, s: int, x: Any) -> list[Fraction]:
    return interval_profile(cases, a, s, interval(cases, a, s, x))


def ivdm_profile(cases: Cases, a: int, s: int, x: Any) -> list[Fraction]:
    """p_{a,c}(x) of W&M section 4.1; P = 0 for the intervals before the first and after the last."""
    w = width(cases, a, s)
    if w == 0:
        return interval_profile(cases, a, s, 0)
    u = math.floor((Fraction(x) - cases.low(a)) / w - Fraction(1, 2))
    here, there = (cases.low(a) + w * (v + Fraction(1, 2)) for v in (u, u + 1))
    p, r = (interval_profile(cases, a, s, v) for v in (u, u + 1))
    return line(Fraction(x), here, p, there, r)


def window_profile(cases: Cases, a: int, half: Fraction, center: Fraction) -> list[Fraction]:
    """P_{a,x,c} from the rows within half a window of a stored number x."""
    return cases.profile(lambda row: row[a] is not None and abs(row[a] - center) <= half) or cases.nothing()


def wvdm_profile(cases: Cases, a: int, s: int, x: Any) -> list[Fraction]:
    """W&M section 5: windows of width w_a around every stored number, lines in between, 0 half a width outside."""
    half = width(cases, a, s) / 2
    centers = sorted(
        {
            Fraction(row[a])
            for row, c in zip(cases.rows, cases.classes, strict=True)
            if row[a] is not None and c is not None
        }
    )
    points = [(v, window_profile(cases, a, half, v)) for v in centers]
    if half == 0:
        return points[0][1] if points else cases.nothing()
    points = [(centers[0] - half, cases.nothing()), *points, (centers[-1] + half, cases.nothing())]
    for (x1, p1), (x2, p2) in pairwise(points):
        if x1 <= x <= x2:
            return line(Fraction(x), x1, p1, x2, p2)
    return cases.nothing()


def profiled(profile: Callable[[Cases, int, int, Any], list[Fraction]]) -> Cost:
    """DVDM, IVDM or WVDM: the sum of d^2 with d^2 = sum_c (p_c(x) - p_c(q))^2 (W&M, erratum to eqs. 19 to 22 and 26).

    A missing symbol is a value of its own; a missing number differs by 1 from a known one and by 0 from another gap.
    """

    def cost(cases: Cases, x: Row, q: Row) -> Fraction:
        s = max(5, len(cases.labels()))
        total = Fraction(0)
        for a in range(len(q)):
            if cases.kinds[a] != "numeric":
                p, r = (cases.profile(same_value(a, v)) or cases.nothing() for v in (x[a], q[a]))
                total += apart(p, r, 2)
            elif x[a] is None or q[a] is None:
                total += int(x[a] is not q[a])
            else:
                total += apart(profile(cases, a, s, x[a]), profile(cases, a, s, q[a]), 2)
        return total

    return cost
