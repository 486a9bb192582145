"""How reliable attributes are, and how much cases count in a conversation: slow and obvious, one pair after the other.

Agreement beyond chance as in Cohen 1960; expectation maximization after Dempster, Laird & Rubin 1977: the hidden thing
is which of its mates, the other cases with its solution, a case is like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

Similarity = float | None
"""How alike two values are; None where one of them is not known."""

Table = Sequence[Sequence[Similarity]]
"""For each case that asks, and each case that it is compared with."""

DOUBT, CASES, ROUNDS, HIGHEST = 0.5, 20, 5, 0.95


def evidence(s: Similarity, known: Sequence[float], r: float) -> float:
    """How much more a value speaks for a case than for any case whatever, of which ``known`` are the similarities."""
    if s is None or not known or not sum(known):
        return 1.0
    return 1.0 + r * max(known) * (s / (sum(known) / len(known)) - 1.0)


def others(table: Table, i: int) -> list[float]:
    """The similarities of a case to all others that know the attribute."""
    return [s for j, s in enumerate(table[i]) if j != i and s is not None]


def reliability(table: Table, shares: Mapping[int, Mapping[int, float]]) -> float:
    """Agreement with mates beyond that with anybody; 1/2 where nothing can be compared, and mixed with that else."""
    pairs = [(i, j) for i, mates in shares.items() for j in mates if table[i][j] is not None]
    total = sum(shares[i][j] for i, j in pairs)
    asking = list(dict.fromkeys(i for i, _ in pairs))
    if not total:
        return DOUBT
    chance = sum(sum(others(table, i)) / len(others(table, i)) for i in asking) / len(asking)
    if chance >= 1:
        return DOUBT
    like = sum(shares[i][j] * table[i][j] for i, j in pairs) / total
    kappa = max((like - chance) / (1 - chance), 0.0)
    return min((total * kappa + CASES * DOUBT) / (total + CASES), HIGHEST)


def reliabilities(
    tables: Mapping[str, Table], solutions: Sequence[str], weights: Mapping[str, float]
) -> dict[str, float]:
    """The reliability of each attribute, in rounds: mates count by how probable it is that the case is like them."""
    n = len(solutions)
    mates = {i: [j for j in range(n) if j != i and solutions[j] == solutions[i]] for i in range(n)}
    shares = {i: {j: 1.0 / len(found) for j in found} for i, found in mates.items() if found}
    found = {name: reliability(table, shares) for name, table in tables.items()}
    for _ in range(ROUNDS):
        for i, mine in shares.items():
            counts = {
                j: prod(
                    evidence(table[i][j], others(table, i), found[name]) ** (weights[name] / max(weights.values()))
                    for name, table in tables.items()
                )
                for j in mine
            }
            shares[i] = {j: count / sum(counts.values()) for j, count in counts.items()}
        found = {name: reliability(table, shares) for name, table in tables.items()}
    return found
