"""Naive Bayes by direct counts, for the tables of two papers: nothing is shared, cached or updated.

The same two methods as the library's own rules: every split counts its training rows anew, and leaving one out learns
from the other rows, once for each row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

CAP = 100.0
FLOOR = 1e-4


@dataclass(frozen=True)
class Counted:
    """``ml``: Kontkanen et al. 1998, eq. 7, uniform priors; ``floored``: the same with parameters of at least 1e-4;
    ``evidence``: eq. 9; ``sc``: Kontkanen et al. 1997, eq. 8."""

    how: str

    def split(self, table: Any, train: Any, test: Any) -> Any:
        joint = {"ml": largest_likelihood, "floored": floored, "evidence": evidence, "sc": stochastic_complexity}
        logs = joint[self.how](
            table.codes[train], table.truth[train], table.codes[test], table.sizes, len(table.classes)
        )
        return log_probabilities(logs)

    def leave_one_out(self, table: Any) -> Any:
        rows = np.arange(len(table))
        return np.concatenate([self.split(table, rows[rows != row], rows[row : row + 1]) for row in rows])


def frequencies(X: Any, y: Any, attribute: int, size: int, classes: int) -> Any:
    """f_kl: how often class k has value l of an attribute."""
    counts = np.zeros((classes, size))
    np.add.at(counts, (y, X[:, attribute]), 1)
    return counts


def evidence(X: Any, y: Any, queries: Any, sizes: Any, classes: int) -> Any:
    """ln of (h_k + 1)/(N + K) times the product of (f_kil + 1)/(h_k + n_i)."""
    h = np.bincount(y, minlength=classes)
    logs = np.tile(np.log((h + 1) / (len(y) + classes)), (len(queries), 1))
    for i, size in enumerate(sizes):
        phi = (frequencies(X, y, i, size, classes) + 1) / (h + size)[:, None]
        logs += np.log(phi[:, queries[:, i]].T)
    return logs


def largest_likelihood(X: Any, y: Any, queries: Any, sizes: Any, classes: int, floor: float = 0.0) -> Any:
    """ln of h_k/N times the product of f_kil/h_k; a class without rows has uniform parameters."""
    h = np.bincount(y, minlength=classes)
    with np.errstate(divide="ignore"):
        logs = np.tile(np.log(np.maximum(h / len(y), floor)), (len(queries), 1))
        for i, size in enumerate(sizes):
            f = frequencies(X, y, i, size, classes)
            phi = np.array([f[k] / h[k] if h[k] else np.full(size, 1 / size) for k in range(classes)])
            logs += np.log(np.maximum(phi, floor)[:, queries[:, i]].T)
    return logs


def floored(X: Any, y: Any, queries: Any, sizes: Any, classes: int) -> Any:
    """The same with every parameter raised to 1e-4."""
    return largest_likelihood(X, y, queries, sizes, classes, floor=FLOOR)


def stochastic_complexity(X: Any, y: Any, queries: Any, sizes: Any, classes: int) -> Any:
    """ln of the likelihood that the rows and the query have together, under their own best parameters."""
    return np.array(
        [
            [own_likelihood(np.vstack((X, query)), np.append(y, k), sizes, classes) for k in range(classes)]
            for query in queries
        ]
    )


def own_likelihood(X: Any, y: Any, sizes: Any, classes: int) -> float:
    h = np.bincount(y, minlength=classes)
    total = sum(n * math.log(n / len(y)) for n in h.tolist() if n)
    for i, size in enumerate(sizes):
        f = frequencies(X, y, i, size, classes)
        total += sum(n * math.log(n / h[k]) for k in range(classes) for n in f[k].tolist() if n)
    return total


def log_probabilities(logs: Any) -> Any:
    """Normalised: an impossible class gets -100 where another is possible, and 1/K where none is."""
    answers = []
    for row in logs.tolist():
        top = max(row)
        if top == -math.inf:
            answers.append([-math.log(len(row))] * len(row))
        else:
            total = top + math.log(sum(math.exp(value - top) for value in row))
            answers.append([-CAP if value == -math.inf else value - total for value in row])
    return np.array(answers)
