"""Coverage and size of prediction intervals and prediction sets of level 0.9 on test rows of public data sets.

PRIORCASE_DATA names the folder of data sets.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import priorcase as pc
from priorcase import datasets, evaluation

LEVEL = 0.9
DRAWS = 20
MOST_TRAINING, MOST_NEW = 200, 500
NUMBERS = ("abalone", "auto-mpg", "machine-cpu", "used-cars", "winequality-red")
CLASSES = ("diabetes-pima", "glass", "heart-cleveland", "hepatitis")
REGRESSORS = {"KNNRegressor(5)": pc.KNNRegressor(5), "LocallyWeightedRegressor(20)": pc.LocallyWeightedRegressor(20)}

Rows = npt.NDArray[np.intp]


def main() -> None:
    """Print a table for regression and a table for classification."""
    print(f"Intervals of level {LEVEL} by CV+ with 10 folds, means of {DRAWS} draws; range holds 90% of targets.\n")
    print(
        "| table | rows | learner | covered | mean width | median width | range |\n| --- | ---: | --- |" + " ---: |" * 4
    )
    for name in NUMBERS:
        X, y = datasets.load(name, frame=None)
        spread = float(np.subtract(*np.quantile(y, [0.95, 0.05])))
        for learner, model in REGRESSORS.items():
            found = np.mean([intervals(model, X, y, draw) for draw in range(DRAWS)], axis=0)
            numbers = " | ".join(number_text(float(number)) for number in (*found[1:], spread))
            print(f"| {name} | {len(drawn(y, 0)[0])} | {learner} | {found[0]:.3f} | {numbers} |", flush=True)
    print(f"\nSets of level {LEVEL} of NaiveBayes() by 10 folds, means of {DRAWS} draws.\n")
    print("| table | rows | classes | p-values from | covered | rarest class covered | classes in a set |")
    print("| --- | ---: | ---: | --- |" + " ---: |" * 3)
    for name in CLASSES:
        X, y = datasets.load(name, frame=None)
        for conditional in (False, True):
            found = np.nanmean([sets(X, y, draw, conditional=conditional) for draw in range(DRAWS)], axis=0)
            words = "rows of the class" if conditional else "all rows"
            numbers = " | ".join(f"{number:.3f}" for number in found)
            print(f"| {name} | {len(drawn(y, 0)[0])} | {len(set(y))} | {words} | {numbers} |", flush=True)


def number_text(number: float) -> str:
    """Format a width with three digits, or without decimals if it is large."""
    return f"{number:.3g}" if number < 1_000 else f"{number:,.0f}"


def drawn(y: npt.NDArray[Any], draw: int) -> tuple[Rows, Rows]:
    """Draw training rows (at most half of the table) and test rows."""
    rows = np.random.default_rng(draw).permutation(len(y))
    size = min(MOST_TRAINING, len(y) // 2)
    return rows[:size], rows[size : size + MOST_NEW]


def intervals(model: Any, X: datasets.NamedColumns, y: npt.NDArray[Any], draw: int) -> tuple[float, float, float]:
    """Return the coverage on the test rows, the mean width, and the median width."""
    train, new = drawn(y, draw)
    found = evaluation.ConformalRegressor(model).fit(X.take(train), y[train]).predict_interval(X.take(new), LEVEL)
    widths = found[:, 1] - found[:, 0]
    return (
        float(np.mean((found[:, 0] <= y[new]) & (y[new] <= found[:, 1]))),
        float(widths.mean()),
        float(np.median(widths)),
    )


def sets(X: datasets.NamedColumns, y: npt.NDArray[Any], draw: int, *, conditional: bool) -> tuple[float, float, float]:
    """Return the coverage on the test rows, the coverage of the rarest class, and the mean size of the sets."""
    train, new = drawn(y, draw)
    model = evaluation.ConformalClassifier(pc.NaiveBayes(), class_conditional=conditional).fit(X.take(train), y[train])
    found = model.predict_set(X.take(new), LEVEL)
    held = found.holds(y[new])
    names, counts = np.unique(y, return_counts=True)
    rare = y[new] == names[counts.argmin()]
    return float(held.mean()), float(held[rare].mean()) if rare.any() else float("nan"), float(found.sizes.mean())


if __name__ == "__main__":
    main()
