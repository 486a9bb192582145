"""Bins and densities for numeric columns in Bayesian classifiers, compared by mean log-score on public data sets.

Five stratified folds, seed 0, of at most 2,000 rows. A class that is absent from the training rows gets a probability
of 1e-6. The last table compares the priors of `SubsetAveragedBayes` on all tables.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.model_selection import StratifiedKFold

import priorcase as pc
from benchmarks.quality.classification import FOLDER, load
from priorcase.bayes import EqualFrequency

FOLDS = 5
LEAST = 1e-6
STRATEGIES: dict[str, Any] = {
    "mdl": "mdl",
    "student": "student",
    "kmeans": "kmeans",
    "10 equal-frequency bins": EqualFrequency(10),
}
BINS = [name for name in STRATEGIES if name != "student"]
PRIORS: dict[str, Any] = {
    "default": {},
    "inclusion=0.5": {"inclusion": 0.5},
    "inclusion=0.5, prior=0.5": {"inclusion": 0.5, "prior": 0.5},
    "inclusion=0.5, prior='bdeu'": {"inclusion": 0.5, "prior": "bdeu"},
}


def tables(numbers: bool) -> Iterator[tuple[str, Any, Any]]:
    """Yield the name, columns and classes of data sets from scikit-learn and, if there is one, the folder."""
    if os.environ.get(FOLDER):
        folder = Path(os.environ[FOLDER])
        described = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["datasets"]
        for name in (entry["name"] for entry in described if entry["target"]["kind"] == "nominal"):
            found = load(folder, name)
            if found.numeric or not numbers:
                yield name, found.X, found.y
    for name in ("wine", "breast_cancer", "digits"):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        yield name, X, y.astype(str)


def log_score(model: Any, X: Any, y: Any) -> float:
    """Return the mean log-probability of the true classes over all folds."""
    found = np.empty(len(y))
    take = X.take if hasattr(X, "kinds") else X.__getitem__
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(y, y):
        model.fit(take(train), y[train])
        proba = np.zeros((len(test), len(classes := np.unique(y))))
        proba[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(take(test))
        found[test] = np.log(np.maximum(proba[np.arange(len(test)), np.searchsorted(classes, y[test])], LEAST))
    return float(found.mean())


def _print(names: list[str], lines: dict[str, list[float]]) -> None:
    print(f"| table | {' | '.join(names)} |\n| --- |" + " ---: |" * len(names))
    for table, scores in (lines | {"mean": np.mean(list(lines.values()), axis=0).tolist()}).items():
        print(f"| {table} | " + " | ".join(f"{score:.3f}" for score in scores) + " |")
    print(flush=True)


def main() -> None:
    """Print a table for each classifier and a table for priors."""
    warnings.simplefilter("ignore")  # about folds with few rows of a class
    learners: list[tuple[Any, list[str]]] = [
        (pc.NaiveBayes, list(STRATEGIES)),
        (pc.SubsetAveragedBayes, list(STRATEGIES)),
        (pc.TreeAveragedBayes, BINS),
        (pc.AODE, BINS),
    ]
    for learner, names in learners:
        print(f"**{learner.__name__}**\n")
        lines = {
            table: [log_score(learner(numeric=STRATEGIES[name]), X, y) for name in names]
            for table, X, y in tables(numbers=True)
        }
        _print(names, lines)
    print("**SubsetAveragedBayes, by its priors**\n")
    lines = {
        table: [log_score(pc.SubsetAveragedBayes(**parameters), X, y) for parameters in PRIORS.values()]
        for table, X, y in tables(numbers=False)
    }
    _print(list(PRIORS), lines)


if __name__ == "__main__":
    main()
