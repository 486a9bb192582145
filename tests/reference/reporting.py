"""What a report says, the slow way: rows compared pair by pair, choices made split by split."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def repetitions(rows: Sequence[Any], targets: Sequence[Any]) -> tuple[int, int, float]:
    """Rows that repeat an earlier one, rows in conflict with another, and the share that the best rule gets right."""
    repeated = sum(any(rows[i] == rows[j] for j in range(i)) for i in range(len(rows)))
    conflicting = sum(
        any(rows[i] == rows[j] and targets[i] != targets[j] for j in range(len(rows))) for i in range(len(rows))
    )
    right = 0
    for row in set(rows):
        same = [target for other, target in zip(rows, targets, strict=True) if other == row]
        right += max(same.count(target) for target in same)
    return repeated, conflicting, right / len(rows)


def agree(first: Sequence[Any], second: Sequence[Any]) -> bool:
    """Whether each value of either column goes with one value of the other, gaps being one more value."""
    pairs = set(zip(first, second, strict=True))
    return len(pairs) == len(set(first)) == len(set(second))


def nested(
    deciding: Sequence[Sequence[float]], scored: Sequence[Sequence[float]], repeats: int
) -> tuple[list[float], list[int]]:
    """The score on each split of the learner that the other splits of its repetition choose.

    ``deciding[learner][split]`` is greater when better; the first of equals is chosen.
    """
    splits = len(deciding[0])
    width = splits // repeats
    found, picks = [], []
    for split in range(splits):
        others = [s for s in range(splits) if s // width == split // width and s != split]
        means = [sum(line[s] for s in others) / len(others) for line in deciding]
        best = 0
        for learner, mean in enumerate(means):
            if mean > means[best]:
                best = learner
        picks.append(best)
        found.append(scored[best][split])
    return found, picks


def corrected_error(values: Sequence[float], ratio: float) -> float:
    """``sqrt((1 / J + n_test / n_train) s^2)`` (Nadeau & Bengio 2003, section 4)."""
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return math.sqrt((1 / len(values) + ratio) * variance)


def unlikely_by_chance(proba: Sequence[Sequence[float]], limit: float) -> float:
    """How many rows should have a class that was given at most ``limit`` while another was given half or more."""
    return sum(p for row in proba for p in row if p <= limit and max(row) >= 0.5)


def temperature(left_out: list[list[float]], truth: list[int], frequencies: list[float]) -> float:
    """The temperature with the best log-score, of 2,000 between 0.2 and 5, after one row more of all classes."""
    share = 1.0 / (len(truth) + 1)
    rows = [[(1 - share) * p + share * f for p, f in zip(row, frequencies, strict=True)] for row in left_out]

    def score(t: float) -> float:
        return sum(
            math.log(row[c] ** (1 / t) / sum(p ** (1 / t) for p in row)) for row, c in zip(rows, truth, strict=True)
        )

    return max((0.2 * 25.0 ** (i / 2000) for i in range(2001)), key=score)
