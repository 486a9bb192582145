"""The data sets that the models are measured on, and how their rows are dealt out."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from papers.reproduction import fold_rows
from priorcase import datasets
from priorcase.datasets import NamedColumns

NAMES = (
    "australian-credit",
    "credit-approval",
    "heart-cleveland",
    "heart-hungarian",
    "heart-statlog",
    "heart-cleveland-5",
    "hepatitis",
    "glass",
    "diabetes-pima",
    "mushroom",
    "adult",
)
BUILT_IN = "repairs"


@dataclass(frozen=True, eq=False)
class Problem:
    """A table whose last column, the class, is to be predicted."""

    name: str
    X: NamedColumns
    y: Any

    @property
    def classes(self) -> Any:
        """The classes, sorted."""
        return np.unique(self.y)

    def truth(self, rows: Any) -> Any:
        """The classes of a subset of the rows, by their positions in `classes`."""
        return np.searchsorted(self.classes, self.y[rows])

    def stream(self, *purpose: int) -> np.random.Generator:
        """Random numbers of this table's own, whatever else is measured."""
        return np.random.default_rng([zlib.crc32(self.name.encode()), *purpose])

    def folds(self, runs: int, folds: int) -> Iterator[tuple[Any, Any]]:
        """Training and test rows of repeated cross-validation."""
        stream = self.stream(folds)
        for _ in range(runs):
            yield from fold_rows(len(self.y), folds, 1.0, stream)

    def tenths(self, times: int) -> Iterator[tuple[Any, Any]]:
        """A tenth of the rows for training and the others for testing, drawn again each time."""
        stream = self.stream(10, 100)
        for _ in range(times):
            order = stream.permutation(len(self.y))
            yield np.sort(order[: len(order) // 10]), np.sort(order[len(order) // 10 :])

    def shuffled(self) -> Problem:
        """Each column shuffled within each class: naive Bayes is then true, and every count stays as it was."""
        stream, data = self.stream(1), {}
        for name, column in self.X.data.items():
            data[name] = column.copy()
            for label in self.classes:
                rows = np.flatnonzero(self.y == label)
                data[name][rows] = column[stream.permutation(rows)]
        return Problem(self.name, NamedColumns.of(data, self.X.kinds), self.y)


def load(name: str, folder: Path | None) -> Problem:
    """A data set of the folder, or the table that is built in."""
    name = BUILT_IN if folder is None else name
    X, y = datasets.load(name, folder=folder, frame=None)
    return Problem(name, X, np.asarray(y.tolist()))
