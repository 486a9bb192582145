"""Priors for the class probabilities of k-NN, by leave-one-out.

The study uses every classification table of the folder that PRIORCASE_DATA names (at most 2,000 rows of each) and four
tables of scikit-learn. A prior with the same number for every class never changes the predicted class.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn import datasets

import priorcase as pc
from benchmarks.quality.classification import FOLDER, load, names_in

NEIGHBORS, VOTES = (1, 5, 10), ("uniform", "inverse_square")
PRIORS: tuple[Any, ...] = (None, "uniform", "frequency", 0.1, 0.3, 0.5, 1.0)


def tables() -> Iterator[tuple[str, Any, Any]]:
    """Yield the name, rows and classes of each table."""
    for name in ("iris", "wine", "breast_cancer", "digits"):
        yield f"scikit-learn {name}", *getattr(datasets, f"load_{name}")(return_X_y=True)
    if folder := os.environ.get(FOLDER):
        for name in names_in(Path(folder)):
            if name != "iris":
                table = load(Path(folder), name)
                yield name, table.X, table.y


def scores(X: Any, y: Any, k: int, vote: str) -> list[tuple[float, float, float]]:
    """Return the leave-one-out log-score, Brier score and accuracy for each prior."""
    found = []
    for prior in PRIORS:
        model = pc.KNNClassifier(k, vote=vote, prior=prior).fit(X, y)
        proba, right = model.loo_predict_proba(), float(np.mean(model.loo_predict() == y))
        found.append((pc.log_score(y, proba), pc.brier_score(y, proba), right))
    return found


def main() -> None:
    """Print one line for each prior: mean ranks by log-score and Brier score over all tables, and mean scores."""
    warnings.simplefilter("ignore")
    every = list(tables())
    print(f"{len(every)} tables: {', '.join(name for name, _, _ in every)}\n")
    columns = [f"k = {k}, {vote}" for k in NEIGHBORS for vote in VOTES]
    titles = [*(f"{column}: log-score, Brier, accuracy" for column in columns), "mean rank by log-score, Brier"]
    print(f"| prior | {' | '.join(titles)} |")
    print("| --- |" + " ---: |" * (len(columns) + 1))
    found = np.array([[scores(X, y, k, v) for k in NEIGHBORS for v in VOTES] for _, X, y in every])
    means, ranks = found.mean(axis=0), rankdata(found * [-1, 1, -1], axis=2).mean(axis=(0, 1))
    for i, prior in enumerate(PRIORS):
        cells = [f"{log:.3f}, {brier:.4f}, {100 * right:.2f}%" for log, brier, right in means[:, i]]
        print(f"| {prior} | {' | '.join(cells)} | {ranks[i, 0]:.2f}, {ranks[i, 1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
