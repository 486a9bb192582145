"""Twenty attributes of which two are relevant (Mitchell 1997, section 8.2.2): accuracy recovered by attribute weights.

The eighteen irrelevant attributes mislead plain k-NN. The table shows how much of the lost accuracy each method of
weighting recovers. In "XOR", no attribute is informative by itself, so methods that score one attribute at a time find
nothing. In the last problem, different attributes are relevant in different regions, and weights per query can adapt to
the region. The last column shows that such local weights overfit without regularization.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import priorcase as pc
from benchmarks.machine import THREADS
from priorcase.relevance import METHODS, LeaveOneOutWeights

Numbers = npt.NDArray[np.float64]
Draw = Callable[[int, int], tuple[Numbers, npt.NDArray[Any]]]

ROWS = 1_000
QUERIES = 2_000
TRIALS = 5
NEIGHBORS = 10


@dataclass(frozen=True)
class Problem:
    """A function that draws a number of rows in a trial, and the indices of the columns that are relevant."""

    name: str
    draw: Draw
    matters: tuple[int, ...] = (0, 1)
    numbers: bool = False


def _uniform(rows: int, trial: int) -> tuple[Numbers, np.random.Generator]:
    random = np.random.default_rng(trial)
    return random.random((rows, 20)), random


def total(rows: int, trial: int) -> tuple[Numbers, npt.NDArray[Any]]:
    """Draw rows whose class is whether the sum of two numbers is above 1, with 10% wrong labels."""
    X, random = _uniform(rows, trial)
    return X, np.where((X[:, 0] + X[:, 1] > 1) ^ (random.random(rows) < 0.1), "above", "below")


def either(rows: int, trial: int) -> tuple[Numbers, npt.NDArray[Any]]:
    """Draw rows whose class is whether exactly one of two numbers is above 1/2."""
    X, _ = _uniform(rows, trial)
    return X, np.where((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5), "one", "none or both")


def curve(rows: int, trial: int) -> tuple[Numbers, npt.NDArray[Any]]:
    """Draw rows whose target is a wave along one number plus a parabola along another, with a little noise."""
    X, random = _uniform(rows, trial)
    return X, np.sin(2 * np.pi * X[:, 0]) + 2 * X[:, 1] ** 2 + 0.1 * random.normal(size=rows)


def places(rows: int, trial: int) -> tuple[Numbers, npt.NDArray[Any]]:
    """Draw rows whose class depends on the second number if the first is above 1/2, and on the third otherwise."""
    X, _ = _uniform(rows, trial)
    return X, np.where(np.where(X[:, 0] > 0.5, X[:, 1], X[:, 2]) > 0.5, "above", "below")


PROBLEMS = (
    Problem("sum (classification)", total),
    Problem("wave (regression)", curve, numbers=True),
    Problem("XOR", either),
    Problem("local relevance", places, matters=(0, 1, 2)),
)
LOCAL = LeaveOneOutWeights(local=True)
# Without regularization, these weights fit the noise: twenty weights are learned from twenty rows.
LOOSE = LeaveOneOutWeights(regularization=0.0, local=True, neighborhood=20, stiffness=0.0)


def main() -> None:
    """Print accuracies (R² for regression) on test rows, and the share of the lost accuracy that is recovered."""
    ways: list[Any] = [*METHODS, LOCAL, LOOSE]
    names = [*METHODS, "loo, local", "loo, local, no regularization"]
    print(f"{ROWS:,} training rows, {QUERIES:,} test rows, {NEIGHBORS} neighbors, means of {TRIALS} trials:", end=" ")
    print("accuracy (R² for regression), and in parentheses the recovered share of the difference between the")
    print("first two columns.\n")
    print("| problem | unweighted | relevant columns only |", " | ".join(names), "|")
    print("| --- |", " --- |" * (len(names) + 2), sep="")
    for problem in PROBLEMS:
        plain, best, *scores = measured(problem, ways)
        cells = [f"{plain:.3f}", f"{best:.3f}", *(_cell(score, plain, best) for score in scores)]
        print(f"| {problem.name} |", " | ".join(cells), "|", flush=True)


def measured(problem: Problem, ways: list[Any]) -> list[float]:
    """Return mean scores of unweighted k-NN, k-NN on the relevant columns, and each weighting method."""
    given = np.isin(np.arange(20), problem.matters).astype(np.float64)
    found = [[_score(problem, weights, trial) for weights in (None, given, *ways)] for trial in range(TRIALS)]
    return [float(mean) for mean in np.mean(found, axis=0)]


def _score(problem: Problem, weights: Any, trial: int) -> float:
    if isinstance(weights, str) and weights == "bayes" and problem.numbers:
        return float("nan")
    make: Any = pc.KNNRegressor if problem.numbers else pc.KNNClassifier
    model = make(NEIGHBORS, attribute_weights=weights, n_jobs=THREADS).fit(*problem.draw(ROWS, trial))
    return float(model.score(*problem.draw(QUERIES, trial + 1_000)))


def _cell(score: float, plain: float, best: float) -> str:
    return "-" if np.isnan(score) else f"{score:.3f} ({(score - plain) / (best - plain):.2f})"


if __name__ == "__main__":
    main()
