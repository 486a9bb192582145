"""Local similarities, slow and obvious: one pair of values at a time, exact fractions where the formula is rational.

The first value is the query's, the second the case's.
"""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

Parents = dict[str, str | None]


def linear(a: float, b: float, length: Fraction) -> Fraction:
    """max(0, 1 - |a - b| / range); a range of 0 knows only equal values."""
    gap = abs(Fraction(a) - Fraction(b))
    if length == 0:
        return Fraction(gap == 0)
    return max(Fraction(0), 1 - gap / length)


def stored_range(values: Sequence[float]) -> Fraction:
    return Fraction(max(values)) - Fraction(min(values))


def one_sided(a: float, b: float, better: str, length: Fraction) -> Fraction:
    """As good as asked is 1; otherwise the shortfall counts."""
    good = b <= a if better == "less" else b >= a
    return Fraction(1) if good else linear(a, b, length)


def threshold(a: float, b: float, tolerance: float) -> Fraction:
    return Fraction(abs(Fraction(a) - Fraction(b)) <= Fraction(tolerance))


def exponential(a: float, b: float, scale: float) -> float:
    return math.exp(-float(abs(Fraction(a) - Fraction(b)) / Fraction(scale)))


def gaussian(a: float, b: float, scale: float) -> float:
    return math.exp(-float(((Fraction(a) - Fraction(b)) / Fraction(scale)) ** 2))


def logarithm(x: float) -> float:
    return math.log1p(x) if x >= 0 else -math.log1p(-x)


def ranks(a: Any, b: Any, order: Sequence[Any]) -> Fraction:
    if len(order) == 1:
        return Fraction(1)
    return 1 - Fraction(abs(order.index(a) - order.index(b)), len(order) - 1)


def table(a: Any, b: Any, pairs: dict[tuple[Any, Any], float], symmetric: bool, otherwise: float) -> float:
    if a == b:
        return 1.0
    if (a, b) in pairs:
        return pairs[a, b]
    return pairs.get((b, a), otherwise) if symmetric else otherwise


def mvdm(a: Any, b: Any, cases: Iterable[tuple[Any, Any]], power: int, unseen: str) -> Fraction:
    """1 - delta / 2 (Cost & Salzberg 1993, eq. 1) over the cases (value, solution) with a known solution."""
    known = [(value, solution) for value, solution in cases if solution is not None]
    if a == b:
        return Fraction(1)
    profiles = []
    for wanted in (a, b):
        solutions = [solution for value, solution in known if value == wanted]
        if not solutions and unseen == "prior":
            solutions = [solution for _, solution in known]
        if not solutions:
            return Fraction(0)
        profiles.append({c: Fraction(n, len(solutions)) for c, n in Counter(solutions).items()})
    first, second = profiles
    delta = sum(abs(first.get(c, Fraction(0)) - second.get(c, Fraction(0))) ** power for c in {*first, *second})
    return 1 - Fraction(delta) / 2


def path_up(node: str, parents: Parents) -> list[str | None]:
    """A node, its ancestors, and None for the nameless root where there are several roots."""
    found: list[str | None] = [node]
    while (above := parents[str(found[-1])]) is not None:
        found.append(above)
    several = sum(parent is None for parent in parents.values()) > 1
    return [*found, None] if several else found


def depth(node: str, parents: Parents) -> int:
    return len(path_up(node, parents)) - 1


def common(a: str, b: str, parents: Parents) -> str | None:
    return next(node for node in path_up(a, parents) if node in path_up(b, parents))


def _depth_of(node: str | None, parents: Parents) -> int:
    return 0 if node is None else depth(node, parents)


def below(a: str, b: str, parents: Parents) -> bool:
    """Whether b is a or stands below it."""
    return a in path_up(b, parents)


def wu_palmer(a: str, b: str, parents: Parents, inner: str) -> Fraction:
    if a == b or (inner == "any" and below(a, b, parents)):
        return Fraction(1)
    return Fraction(2 * _depth_of(common(a, b, parents), parents), depth(a, parents) + depth(b, parents))


def path_length(a: str, b: str, parents: Parents, inner: str) -> Fraction:
    if a == b or (inner == "any" and below(a, b, parents)):
        return Fraction(1)
    steps = depth(a, parents) + depth(b, parents) - 2 * _depth_of(common(a, b, parents), parents)
    return 1 - Fraction(steps, 2 * max(depth(node, parents) for node in parents))


def levels(a: str, b: str, parents: Parents, weights: dict[str, float], otherwise: Any, inner: str) -> Fraction:
    if a == b or (inner == "any" and below(a, b, parents)):
        return Fraction(1)
    node = common(a, b, parents)
    if node is None:
        return Fraction(0)
    if node in weights:
        return Fraction(weights[node])
    if otherwise == "depth":
        return Fraction(depth(node, parents), max(depth(each, parents) for each in parents))
    return Fraction(otherwise)


def jaccard(a: Iterable[Any], b: Iterable[Any]) -> Fraction:
    first, second = set(a), set(b)
    return Fraction(len(first & second), len(first | second)) if first | second else Fraction(1)


def dice(a: Iterable[Any], b: Iterable[Any]) -> Fraction:
    first, second = set(a), set(b)
    return Fraction(2 * len(first & second), len(first) + len(second)) if first | second else Fraction(1)


def containment(a: Iterable[Any], b: Iterable[Any]) -> Fraction:
    first, second = set(a), set(b)
    return Fraction(len(first & second), len(first)) if first else Fraction(1)


def overlap(a: Iterable[Any], b: Iterable[Any]) -> Fraction:
    first, second = set(a), set(b)
    if not first or not second:
        return Fraction(first == second)
    return Fraction(len(first & second), min(len(first), len(second)))


def season(a: datetime.date, b: datetime.date) -> Fraction:
    """Days between two dates of one leap year, the short way round, of the half year."""
    first, second = (datetime.date(2000, day.month, day.day).toordinal() for day in (a, b))
    apart = abs(first - second)
    return 1 - Fraction(min(apart, 366 - apart), 183)


def recency(days_apart: float, half_life: float) -> float:
    return 0.5 ** (abs(days_apart) / half_life)


def cosine(a: Sequence[str], b: Sequence[str], documents: Sequence[Sequence[str]]) -> float:
    """Cosine of tf * (ln((1 + n) / (1 + df)) + 1) over all terms, one document for each case; df may be 0."""
    vocabulary = sorted({term for document in (a, b, *documents) for term in document})

    def vector(terms: Sequence[str]) -> list[float]:
        n = len(documents)
        df = [sum(term in document for document in documents) for term in vocabulary]
        return [terms.count(t) * (math.log((1 + n) / (1 + d)) + 1) for t, d in zip(vocabulary, df, strict=True)]

    first, second = vector(a), vector(b)
    lengths = math.hypot(*first) * math.hypot(*second)
    return math.fsum(x * y for x, y in zip(first, second, strict=True)) / lengths if lengths else 0.0


def levenshtein(a: str, b: str) -> int:
    """Wagner & Fischer's (1974) table."""
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        above, row = row, [i]
        for j, other in enumerate(b, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != other)))
    return row[-1]


def edit_distance(a: str, b: str) -> Fraction:
    longer = max(len(a), len(b))
    return 1 - Fraction(levenshtein(a, b), longer) if longer else Fraction(1)


Arcs = Sequence[tuple[str, str, str]]


def common_arcs(a: Arcs, b: Arcs, a_labels: dict[str, str], b_labels: dict[str, str]) -> int:
    """All ways to match variables one to one, with gaps; only for a few variables."""
    first = sorted({name for source, _, target in a for name in (source, target)})
    second = sorted({name for source, _, target in b for name in (source, target)})
    held = set(b)
    best = 0
    for chosen in permutations([*second, *[""] * len(first)], len(first)):
        match = dict(zip(first, chosen, strict=True))
        if all(_fits(a_labels.get(name), b_labels.get(other)) for name, other in match.items() if other):
            best = max(best, sum((match[source], sign, match[target]) in held for source, sign, target in a))
    return best


def _fits(label: str | None, other: str | None) -> bool:
    return label is None or other is None or label == other


def each(measure: Callable[[Any, Any], Any], query: Any, values: Iterable[Any]) -> list[float]:
    """The similarity of a query's value to each stored one."""
    return [float(measure(query, value)) for value in values]
