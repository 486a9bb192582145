"""The data sets of the comparison, and how they are split into training and test rows."""

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
    """A table and the classes to be predicted."""

    name: str
    X: NamedColumns
    y: Any

    @property
    def classes(self) -> Any:
        """Sorted class labels."""
        return np.unique(self.y)

    def truth(self, rows: Any) -> Any:
        """Return the classes of some rows as positions in `classes`."""
        return np.searchsorted(self.classes, self.y[rows])

    def stream(self, *purpose: int) -> np.random.Generator:
        """Return a random generator that depends only on the table and the purpose."""
        return np.random.default_rng([zlib.crc32(self.name.encode()), *purpose])

    def folds(self, runs: int, folds: int) -> Iterator[tuple[Any, Any]]:
        """Yield the training and test rows of repeated cross-validation."""
        stream = self.stream(folds)
        for _ in range(runs):
            yield from fold_rows(len(self.y), folds, 1.0, stream)

    def tenths(self, times: int) -> Iterator[tuple[Any, Any]]:
        """Yield random splits with a tenth of the rows for training and the rest for testing."""
        stream = self.stream(10, 100)
        for _ in range(times):
            order = stream.permutation(len(self.y))
            yield np.sort(order[: len(order) // 10]), np.sort(order[len(order) // 10 :])

    def shuffled(self) -> Problem:
        """Shuffle each column within each class: the naive Bayes assumption holds and all counts stay the same."""
        stream, data = self.stream(1), {}
        for name, column in self.X.data.items():
            data[name] = column.copy()
            for label in self.classes:
                rows = np.flatnonzero(self.y == label)
                data[name][rows] = column[stream.permutation(rows)]
        return Problem(self.name, NamedColumns.of(data, self.X.kinds), self.y)


def load(name: str, folder: Path | None) -> Problem:
    """Return a data set of the folder, or the built-in table if there is no folder."""
    name = BUILT_IN if folder is None else name
    X, y = datasets.load(name, folder=folder, frame=None)
    return Problem(name, X, np.asarray(y.tolist()))
