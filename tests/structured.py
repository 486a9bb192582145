"""Tables for the classifiers whose attributes depend on each other, and the same rows for the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
from reference import trees as reference

from priorcase.bayes import AODE, SuperParentAveragedBayes, TreeAugmentedBayes, TreeAveragedBayes
from priorcase.bayes.structured import StructuredBayes
from priorcase.schema import Nominal

ESTIMATORS: tuple[type[StructuredBayes], ...] = (
    TreeAveragedBayes,
    TreeAugmentedBayes,
    SuperParentAveragedBayes,
    AODE,
)
VALUES = (("a", "b", "c"), ("x", "y"), ("p", "q", "r"), ("m", "n"))
SCHEMA = {a: Nominal(values=values) for a, values in enumerate(VALUES)}
CLASSES = ("no", "perhaps", "yes")


def table(seed: int, n: int, width: int = 4, gaps: float = 0.0) -> tuple[list[list[Any]], list[str]]:
    """Rows whose attributes depend on each other and on the class, some with gaps."""
    random = np.random.default_rng(seed)
    rows, classes = [], []
    for _ in range(n):
        k = int(random.integers(0, 3))
        row: list[Any] = []
        for a in range(width):
            shift = 0 if not row or row[-1] is None else VALUES[a - 1].index(row[-1])
            noise = int(random.integers(0, 3)) if random.random() < 0.4 else 0
            row.append(VALUES[a][(k + shift + noise) % len(VALUES[a])])
        rows.append([None if random.random() < gaps else value for value in row])
        classes.append(CLASSES[k])
    return rows, classes


def numbered(rows: list[list[Any]], classes: list[str]) -> tuple[list[reference.Row], list[int]]:
    """The rows as the reference wants them, a gap as one more value where a column has one; and the columns' sizes."""
    width = len(rows[0])
    domains: list[list[Any]] = [
        [*VALUES[a], *([None] if any(row[a] is None for row in rows) else [])] for a in range(width)
    ]
    names = sorted(set(classes))
    found = [
        (names.index(k), tuple(domains[a].index(row[a]) for a in range(width)))
        for row, k in zip(rows, classes, strict=True)
    ]
    return found, [len(domain) for domain in domains]


def expected_proba(
    estimator: type[StructuredBayes],
    rows: list[reference.Row],
    values: tuple[int, ...],
    sizes: list[int],
    ess: reference.Prior,
) -> list[float]:
    """Probabilities of the classes by writing out every structure."""
    n, n_classes = len(sizes), 1 + max(k for k, _ in rows)
    joint = []
    for k in range(n_classes):
        row = k, values
        if estimator is TreeAveragedBayes:
            joint.append(reference.average(rows, row, reference.all_trees(n), sizes, n_classes, ess))
        elif estimator is SuperParentAveragedBayes:
            joint.append(reference.average(rows, row, reference.all_super_parents(n), sizes, n_classes, ess))
        elif estimator is AODE:
            joint.append(reference.aode(rows, row, sizes, n_classes, ess))
        else:
            best = max(reference.all_trees(n), key=lambda tree: reference.marginal(rows, tree, sizes, n_classes, ess))
            joint.append(reference.predictive(rows, row, best, sizes, n_classes, ess))
    return [float(each / sum(joint)) for each in joint]
