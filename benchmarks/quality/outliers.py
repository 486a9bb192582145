"""Scaling of numeric columns: default k-NN on public data sets, by leave-one-out.

PRIORCASE_DATA names the folder of data sets. The first line of each pair shows the error rate, or the root mean squared
error for regression. The second line shows the same score after one number in every third column was replaced with an
extreme value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import priorcase as pc
from priorcase import datasets
from priorcase.schema import Numeric
from priorcase.similarity import Absolute, Distance

CLASSES = [
    "heart-cleveland",
    "heart-hungarian",
    "heart-statlog",
    "australian-credit",
    "credit-approval",
    "diabetes-pima",
    "glass",
    "hepatitis",
    "iris",
    "adult",
    "letter",
    "shuttle",
]
NUMBERS = ["abalone", "auto-mpg", "machine-cpu", "winequality-red", "winequality-white", "used-cars"]
ROWS = 3_000
SCALINGS: dict[str, Absolute] = {
    "range (heom)": Absolute(),
    "inliers (robust)": Absolute("inliers"),
    "std": Absolute("std", factor=4.0),
    "quartiles": Absolute("robust"),
    "central 95%": Absolute("robust", quantiles=(0.025, 0.975)),
}


def main() -> None:
    """Print two lines for each table, and on how many tables each scaling is better or worse than the range."""
    print(f"| table | {' | '.join(SCALINGS)} |\n| --- |{' ---: |' * len(SCALINGS)}")
    changes = []
    for name in (*CLASSES, *NUMBERS):
        for wild in (False, True):
            scores = [score(name, scaling, wild) for scaling in SCALINGS.values()]
            changes.append(np.log(np.array(scores) / scores[0]))
            label = f"{name}, wild" if wild else name
            print(f"| {label} | {' | '.join(f'{value:.4g}' for value in scores)} |", flush=True)
    for label, rows in (("better, worse", changes[::2]), ("better, worse, wild", changes[1::2])):
        counts = [f"{(of < -0.01).sum()}, {(of > 0.01).sum()}" for of in np.array(rows).T]
        print(f"| tables that are {label} by 1% | {' | '.join(counts)} |")


def score(name: str, scaling: Absolute, wild: bool) -> float:
    """Return the leave-one-out error rate or root mean squared error."""
    X, y = datasets.load(name, folder=None, frame="pandas")
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:ROWS])
    X, y = X.iloc[rows].reset_index(drop=True), np.asarray(y)[rows]
    numeric = [column for column in X.columns if X[column].dtype.kind in "iuf"]
    schema: dict[Any, Any] = {column: Numeric() for column in numeric}
    if wild:
        for column in numeric[1::3]:
            X[column] = X[column].astype(float)
            X.loc[0, column] = X[column].max() + 20 * (X[column].max() - X[column].min())
    options: Any = {"distance": Distance(numeric=scaling), "schema": schema}
    if name in NUMBERS:
        number = y.astype(float)
        return float(np.sqrt(np.mean((pc.KNNRegressor(**options).fit(X, number).loo_predict() - number)[1:] ** 2)))
    labels = y.astype(str)
    return float(np.mean(pc.KNNClassifier(**options).fit(X, labels).loo_predict()[1:] != labels[1:]))
