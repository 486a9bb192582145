"""Reuse of retrieved cases, slow and obvious: sums over plain lists, in fractions where the formulas are rational.

A case is ``(id, similarity, solution, success)``; similarities and degrees of success are fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from priorcase.cases import reuse as reusing
from priorcase.cases.case import Case
from priorcase.cases.kinds import check, infer, shown
from priorcase.cases.retrieval import Contribution, Match
from priorcase.cases.reuse import Proposal

Row = tuple[int, Fraction, Any, Fraction]


def weights(similarities: Sequence[Fraction], how: str) -> list[Fraction]:
    """One for each case: 1, s, or 1 / (1 - s)^2 in units of the largest, with its limit at s = 1."""
    if how == "uniform":
        return [Fraction(1) for _ in similarities]
    if how == "similarity":
        return list(similarities)
    if any(s == 1 for s in similarities):
        return [Fraction(s == 1) for s in similarities]
    inverse = [1 / (1 - s) ** 2 for s in similarities]
    return [w / max(inverse) for w in inverse]


def copied(rows: Sequence[Row]) -> Any:
    """The solution of the most similar case that did not fail; None where all did that have any similarity."""
    found = None
    for row in rows:
        if row[3] <= Fraction(1, 2) or row[1] == 0:
            continue
        if found is None or row[1] > found[1] or (row[1] == found[1] and row[0] < found[0]):
            found = row
    return None if found is None else found[2]


def voted(rows: Sequence[Row], how: str, prior: Fraction) -> tuple[dict[Any, Fraction], Fraction]:
    """The probability of each solution, and that of none of them; all 0 where nothing speaks and there is no prior."""
    w = weights([row[1] for row in rows], how)
    votes = {}
    for solution in {row[2] for row in rows}:
        speaks_for = sum(w[i] * row[3] for i, row in enumerate(rows) if row[2] == solution)
        against = sum(w[i] * (1 - row[3]) for i, row in enumerate(rows) if row[2] == solution)
        votes[solution] = max(Fraction(0), speaks_for - against)
    whole = sum(votes.values()) + prior * (len(votes) + 1)
    if whole == 0:
        return dict.fromkeys(votes, Fraction(0)), Fraction(0)
    return {solution: (vote + prior) / whole for solution, vote in votes.items()}, prior / whole


def averaged(rows: Sequence[Row], how: str) -> tuple[Fraction, Fraction | None, Fraction]:
    """The weighted mean, the unbiased variance (None for one case) and the effective number of cases."""
    w = [a * row[3] for a, row in zip(weights([row[1] for row in rows], how), rows, strict=True)]
    total = sum(w)
    mean = sum(a * row[2] for a, row in zip(w, rows, strict=True)) / total
    effective = total**2 / sum(a**2 for a in w)
    if effective == 1:
        return mean, None, effective
    squares = sum(a * (row[2] - mean) ** 2 for a, row in zip(w, rows, strict=True)) / total
    return mean, squares / (1 - sum((a / total) ** 2 for a in w)), effective


def local_line(
    xs: Sequence[Sequence[Fraction]], ys: Sequence[Fraction], w: Sequence[Fraction], q: Sequence[Fraction]
) -> tuple[Fraction, Fraction, Fraction]:
    """The weighted plane at q, the variance of the cases around it and that of the plane itself at q.

    Weighted least squares by the normal equations, ``b = (X'WX)^-1 X'Wy`` with columns 1 and ``x - q``. Weights are
    scaled to add up to the effective number n of cases; ``sigma^2 = sum w e^2 / (n - p)``, and the variance at q is the
    first entry of ``sigma^2 (X'WX)^-1``.
    """
    scale = sum(w) / sum(a**2 for a in w)
    w = [a * scale for a in w]
    rows = [[Fraction(1), *(a - b for a, b in zip(x, q, strict=True))] for x in xs]
    p = len(rows[0])
    moments = [[sum(a * r[i] * r[j] for a, r in zip(w, rows, strict=True)) for j in range(p)] for i in range(p)]
    right = [sum(a * r[i] * y for a, r, y in zip(w, rows, ys, strict=True)) for i in range(p)]
    b = solved(moments, right)
    errors = [y - sum(c * v for c, v in zip(b, r, strict=True)) for r, y in zip(rows, ys, strict=True)]
    variance = sum(a * e**2 for a, e in zip(w, errors, strict=True)) / (sum(w) - p)
    first = solved(moments, [Fraction(i == 0) for i in range(p)])[0]
    return b[0], variance, variance * first


def solved(matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> list[Fraction]:
    """The solution of linear equations, by elimination."""
    lines = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    n = len(lines)
    for i in range(n):
        pivot = next(j for j in range(i, n) if lines[j][i] != 0)
        lines[i], lines[pivot] = lines[pivot], lines[i]
        lines[i] = [value / lines[i][i] for value in lines[i]]
        for j in range(n):
            if j != i:
                lines[j] = [a - lines[j][i] * b for a, b in zip(lines[j], lines[i], strict=True)]
    return [line[-1] for line in lines]


def composed(
    offers: dict[str, list[tuple[Fraction, int, Any]]], compatible: Callable[[dict[str, Any]], bool]
) -> tuple[Fraction, list[dict[str, Any]]]:
    """The largest sum of similarities of one offer (similarity, case, value) for each part that go together, and all
    the compositions that have it; minus 1 and none where none go together.
    """
    best, found = Fraction(-1), []
    for choice in product(*offers.values()):
        parts = {part: offer[2] for part, offer in zip(offers, choice, strict=True)}
        total = sum(offer[0] for offer in choice)
        if compatible(parts) and total >= best:
            found = [*found, parts] if total == best else [parts]
            best = total
    return best, found


def found(
    *cases: tuple[int, float, Any] | tuple[int, float, Any, Any] | tuple[int, float, Any, Any, dict[str, Any]],
    local: dict[int, dict[str, tuple[float | None, float]]] | None = None,
) -> list[Match]:
    """Retrieved cases of (id, similarity, solution[, outcome[, attributes]]); local similarities and weights by id."""
    matches = []
    for case in cases:
        id, similarity, solution, outcome, attributes = (*case, *(None, {})[len(case) - 3 :])
        parts = {name: Contribution(s, w, 0.0) for name, (s, w) in (local or {}).get(id, {}).items()}
        matches.append(Match(id, float(similarity), parts, Case(attributes, solution, outcome, id)))
    return matches


def reuse(matches: Any, query: Any = None, method: Any = "auto", *, kinds: Any = None, **options: Any) -> Proposal:
    """The library's own reuse, with the query of a retrieval, and kinds that fit the values, unless they are given."""
    query = matches.query if query is None else query
    if kinds is None:
        names = dict.fromkeys(name for match in matches for name in (*match.case, *match.contributions))
        known = {name: [query.get(name), *(match.case.get(name) for match in matches)] for name in [*names, *query]}
        kinds = {name: infer(values) for name, values in known.items()}
    else:  # as a retrieval shows them
        query = {name: shown(kinds[name], check(kinds[name], value, attribute=name)) for name, value in query.items()}
    return reusing.reuse(matches, query, method, kinds=kinds, **options)
