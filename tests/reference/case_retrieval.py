"""Finding and retrieving cases by obvious loops: one case at a time, sums as fractions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from priorcase.cases.measures import DEFAULT_MEASURES
from priorcase.cases.table import CaseTable
from priorcase.schema import Date, Nominal, Numeric, Ordinal, Set, Taxonomy, Text

DEVICES = Taxonomy({"device": {"printer": {"laser": {}, "inkjet": {}}, "router": {}}})

ATTRIBUTES = {
    "age": Numeric(),
    "size": Ordinal(("S", "M", "L")),
    "make": Nominal(),
    "bought": Date(),
    "tags": Set(),
    "words": Text(),
    "device": DEVICES,
}

VALUES: dict[str, list[Any]] = {
    "age": [None, 1, 2.5, 3, 7],
    "size": [None, "S", "M", "L"],
    "make": [None, "acme", "best", 1, True],
    "bought": [None, "2024-05-01", "2024-05-01T10:00:00", "2024-05-02", "2024-06-01"],
    "tags": [None, (), ("loud",), ("loud", "old"), (True, 1, "old")],
    "words": [None, "", "paper jam", "Paper is stuck", "no network"],
    "device": [None, "device", "printer", "laser", "inkjet", "router"],
}

SOLUTIONS = [None, '"clean"', '"replace"', "12", "true", '["a","b"]']


def mixed_rows(n: int, seed: int, *, gaps: float = 0.15) -> list[tuple[int, dict[str, Any], str | None, str | None]]:
    """Cases of all kinds with gaps and many ties."""
    rng = np.random.default_rng(seed)
    rows = []
    for id in range(1, n + 1):
        values = {
            name: None if rng.random() < gaps else some[1 + rng.integers(len(some) - 1)]
            for name, some in VALUES.items()
        }
        rows.append((3 * id, values, SOLUTIONS[rng.integers(len(SOLUTIONS))], None))
    return rows


def mixed_table(n: int, seed: int, *, gaps: float = 0.15, retired: float = 0.0) -> CaseTable:
    """The same as a table, some of the cases retired."""
    table = CaseTable.of(ATTRIBUTES, mixed_rows(n, seed, gaps=gaps))
    out = np.random.default_rng(seed + 1).random(n) < retired
    table.retire(table.ids[out].tolist())
    return table


def held(table: CaseTable, name: str, meets: Callable[[Any], bool]) -> list[bool]:
    """Whether each case's stored value, None where it is missing, meets something."""
    if name == "id":
        return [meets(id) for id in table.ids.tolist()]
    column = table.column(name)
    return [meets(column.values[code] if code >= 0 else None) for code in column.codes.tolist()]


def local_similarities(table: CaseTable, measures: Mapping[str, Any]) -> dict[str, Callable[[Any, Any], float]]:
    """Functions of two values, one for each attribute."""
    found = {}
    for name, kind in table.attributes.items():
        measure = measures.get(name) or DEFAULT_MEASURES[type(kind)]
        column = table.column(name)
        prepared = measure.prepare(column, table.column("solution"))
        found[name] = lambda asked, value, c=column, p=prepared: float(p.similarities(asked)[c.place(value)])
    return found


def random_query(rng: np.random.Generator) -> dict[str, Any]:
    """Some attributes, sometimes with None, sometimes with values that no case has."""
    unseen = {"age": 5, "make": "other", "words": "the paper", "tags": ("new", "old"), "bought": "2024-05-20"}
    query: dict[str, Any] = {}
    while all(value is None for value in query.values()):
        for name in rng.permutation(list(VALUES))[: rng.integers(1, 8)].tolist():
            rare = name in unseen and rng.random() < 0.3
            query[name] = unseen[name] if rare else VALUES[name][rng.integers(len(VALUES[name]))]
    return query


def similarity(
    local: Mapping[str, Callable[[Any, Any], float]],
    weights: Mapping[str, float],
    query: Mapping[str, Any],
    case: Mapping[str, Any],
    *,
    ignore: bool,
) -> Fraction:
    """``sum_a w_a s_a / sum_a w_a`` over the attributes that the query knows."""
    total = divisor = Fraction(0)
    for name, asked in query.items():
        if asked is None:
            continue
        weight = Fraction(weights.get(name, 1.0))
        if case[name] is not None:
            total += weight * Fraction(float(local[name](asked, case[name])))
        elif ignore:
            continue
        divisor += weight
    return total / divisor if divisor else Fraction(0)


def ranked(
    table: CaseTable,
    local: Mapping[str, Callable[[Any, Any], float]],
    weights: Mapping[str, float],
    query: Mapping[str, Any],
    *,
    ignore: bool,
    allowed: Sequence[bool],
) -> list[tuple[int, Fraction]]:
    """All cases that may be retrieved with their similarities, the most similar first, of equals the oldest."""
    found = [
        (position, similarity(local, weights, query, table.values(position), ignore=ignore))
        for position in range(len(table))
        if allowed[position] and not table.retired[position]
    ]
    return sorted(found, key=lambda each: (-float(each[1]), each[0]))


def chosen(
    candidates: Sequence[tuple[int, float]], between: Callable[[int, int], float], k: int, diversity: float
) -> list[int]:
    """Greedy choice: the most similar one, then whichever has the best mean of similarity and difference."""
    picked: list[int] = []
    left = list(candidates)
    while left and len(picked) < k:

        def quality(each: tuple[int, float]) -> float:
            if not picked:
                return each[1]
            apart = 0.0
            for other in picked:
                apart += 1.0 - between(other, each[0])
            return (1.0 - diversity) * each[1] + diversity * (apart / len(picked))

        best = max(left, key=quality)  # the first of equals
        picked.append(best[0])
        left.remove(best)
    return picked


def left_out_loss(
    order: Callable[[int], list[tuple[int, float]]], solutions: Sequence[Any], k: int, *, numbers: bool
) -> float:
    """Each case told by the k most similar others: mean log loss of votes, or root of the mean squared error."""
    losses = []
    for case, own in enumerate(solutions):
        others = [each for each in order(case) if each[0] != case][:k]
        total = sum(similar for _, similar in others)
        if numbers:
            mean = sum(solutions) / len(solutions)
            told = sum(similar * solutions[i] for i, similar in others) / total if total else mean
            losses.append((told - own) ** 2)
        else:
            prior = solutions.count(own) / len(solutions)
            vote = sum(similar for i, similar in others if solutions[i] == own) / total if total else prior
            losses.append(-math.log((k * vote + prior) / (k + 1)))
    mean_loss = sum(losses) / len(losses)
    return math.sqrt(mean_loss) if numbers else mean_loss
