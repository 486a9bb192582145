"""Prior strength, in rows, of the tree and super-parent models on public data sets.

``python -m benchmarks.models.sample_sizes`` needs the folder that ``PRIORCASE_DATA`` names and takes a few minutes.
Each line shows the log-scores of one model on one data set, by ten-fold cross-validation and from a tenth of the rows.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import machine  # noqa: F401 - before NumPy: it sets the number of threads

# isort: split
import numpy as np

import priorcase as pc
from benchmarks.models.contenders import log_probabilities
from benchmarks.models.grids import Grid, figure
from benchmarks.models.measuring import gains_of
from benchmarks.models.problems import BUILT_IN, Problem, load
from papers.reproduction import Track, aloud, silently
from priorcase.bayes import BDeu

NAMES = (
    *(BUILT_IN, "iris", "zoo", "lymphography", "hepatitis", "glass", "breast-cancer", "heart-statlog"),
    *("heart-hungarian", "heart-cleveland", "heart-cleveland-5", "primary-tumor", "voting", "australian-credit"),
    *("credit-approval", "diabetes-pima", "tic-tac-toe", "promoters", "car-evaluation", "splice", "mushroom"),
)
SIZES: tuple[float | str, ...] = (1.0, 5.0, 10.0, 20.0, 50.0, "auto")
_DEFAULT = 20.0  # equivalent sample size of the priors of these models
MODELS = (pc.TreeAveragedBayes, pc.TreeAugmentedBayes, pc.SuperParentAveragedBayes, pc.AODE)


def measure(
    names: Sequence[str],
    folder: Path | None,
    *,
    runs: int = 3,
    folds: int = 10,
    draws: int = 20,
    track: Track = silently,
) -> list[Grid]:
    """Return two tables per model, from cross-validation and from a tenth of the rows; large sets get fewer runs."""
    grids = []
    for model in MODELS:
        whole, tenths = {}, {}
        for name in track(list(names), model.__name__):
            problem = load(name, folder)
            many = len(problem.y) >= 1_000
            whole[name] = log_scores(problem, model, list(problem.folds(1 if many else runs, folds)))
            tenths[name] = log_scores(problem, model, list(problem.tenths(max(draws // 4, 1) if many else draws)))
        grids.append(table(f"{model.__name__}, cross-validation", whole))
        grids.append(table(f"{model.__name__}, from a tenth of the rows", tenths))
    return grids


def log_scores(problem: Problem, model: Any, splits: Sequence[tuple[Any, Any]]) -> list[float]:
    """Return the log-score for each prior strength. All models know the full set of classes."""
    found = []
    for size in SIZES:
        logs = (
            log_probabilities(model(size if isinstance(size, str) else BDeu(size)), problem, train, test, told=True)
            for train, test in splits
        )
        gains = [gains_of(each, problem, test) for each, (_, test) in zip(logs, splits, strict=True)]
        found.append(float(np.concatenate(gains).mean()))
    return found


def table(title: str, scores: Mapping[str, Sequence[float]]) -> Grid:
    """Return a table of log-scores by data set and prior strength, with means and the number of wins of the default."""
    values = np.array(list(scores.values()))
    default = values[:, [SIZES.index(_DEFAULT)]]
    lines = [[name, *map(figure, row)] for name, row in scores.items()]
    lines.append(["mean", *map(figure, values.mean(axis=0).tolist())])
    lines.append(["wins of the default", *(str(n) for n in (default > values).sum(axis=0).tolist())])
    return Grid(title, ("", *map(str, SIZES)), lines)


if __name__ == "__main__":
    data = os.environ.get("PRIORCASE_DATA")
    if data is None:
        sys.exit("PRIORCASE_DATA must name the folder of the data sets")
    print("\n\n".join(grid.plain() for grid in measure(NAMES, Path(data), track=aloud)))
