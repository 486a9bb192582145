"""How the papers measured: discrete tables, repeated cross-validation on parts of the training rows, leave-one-out."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray, Name
from priorcase.bayes import NaiveBayes
from priorcase.bayes.discretise import KMeansBins, bin_of
from priorcase.datasets import NamedColumns, load
from priorcase.evaluation import log_score, zero_one_score
from priorcase.schema import Kind, Nominal, Numeric

BINS = 5
"""Bins of numeric columns, by one-dimensional k-means; the papers do not say how they made theirs."""


@dataclass(frozen=True, eq=False)
class DiscreteTable:
    """Rows of small whole numbers, as the papers' formulas take them.

    ``codes`` holds the value of each attribute, a missing value being a value like any other; ``sizes`` the number of
    values that occur in each; ``truth`` the class of each row as a position in ``classes``, which are sorted.
    """

    name: str
    codes: IntArray
    sizes: tuple[int, ...]
    truth: IntArray
    classes: tuple[Any, ...]

    def __len__(self) -> int:
        return self.truth.size


def read_discrete(name: str, folder: Path | None) -> DiscreteTable:
    """A data set with its numbers in bins."""
    return discrete(name, *load(name, folder=folder), KMeansBins(BINS))


def discrete(name: str, X: NamedColumns, y: AnyArray, numeric: Any) -> DiscreteTable:
    """A table as codes: values in sorted order, missing as one more, numbers by bins learned from the whole column.

    Cut points see all rows once, but no class, as those of the papers most likely did.

    Examples
    --------
    >>> from priorcase.bayes.discretise import EqualWidth
    >>> kinds = {"age": Numeric(), "size": Nominal()}
    >>> X = NamedColumns.of({"age": [7.0, 8.0, 11.0, None], "size": ["S", None, "L", "S"]}, kinds)
    >>> table = discrete("shoes", X, np.array(["b", "a", "a", "b"], dtype=object), EqualWidth(2))
    >>> table.codes.T
    array([[0, 0, 1, 2],
           [1, 2, 0, 1]])
    >>> table.sizes, table.classes
    ((3, 3), ('a', 'b'))
    """
    columns = [
        _occurring(bin_of(np.array(numeric.learned_from(column).points), column))
        if isinstance(X.kinds[label], Numeric)
        else _coded(column)[0]
        for label, column in X.data.items()
    ]
    truth, classes = _coded(y)
    codes = np.column_stack(columns)
    return DiscreteTable(name, codes, tuple((codes.max(axis=0) + 1).tolist()), truth, classes)


def _coded(column: AnyArray) -> tuple[IntArray, tuple[Any, ...]]:
    """The position of each value among the sorted ones; missing values come last."""
    cells = column.tolist()
    values = sorted({cell for cell in cells if cell is not None}, key=str)
    code_of = {None: len(values), **{value: code for code, value in enumerate(values)}}
    return np.array([code_of[cell] for cell in cells], dtype=np.int64), tuple(values)


def _occurring(bins: IntArray) -> IntArray:
    """Bins renumbered so that all occur; missing values, which are -1, come last."""
    last = bins.max(initial=0) + 1
    codes: IntArray = np.unique(np.where(bins < 0, last, bins), return_inverse=True)[1]
    return codes


@dataclass(frozen=True)
class NaiveBayesRule:
    """The library's naive Bayes with uniform priors over declared classes and values."""

    predictive: Literal["map", "evidence", "sc"]
    zero_policy: str | None = None

    def split(self, table: DiscreteTable, train: IntArray, test: IntArray) -> FloatArray:
        """Log-probabilities of all classes for the ``test`` rows, learned from the ``train`` rows."""
        return self._fitted(table, train).predict_log_proba(table.codes[test])

    def leave_one_out(self, table: DiscreteTable) -> FloatArray:
        """Log-probabilities of all classes for each row, learned from the others."""
        logs: FloatArray = np.log(self._fitted(table, np.arange(len(table))).loo_predict_proba())
        return logs

    def _fitted(self, table: DiscreteTable, rows: IntArray) -> NaiveBayes:
        options: dict[str, Any] = {} if self.zero_policy is None else {"zero_policy": self.zero_policy}
        if self.predictive != "sc":
            options["prior"] = 1.0
        schema: dict[Name, Kind] = {column: Nominal(tuple(range(size))) for column, size in enumerate(table.sizes)}
        model = NaiveBayes(predictive=self.predictive, schema=schema, n_jobs=1, **options)
        return model.partial_fit(table.codes[rows], table.truth[rows], classes=np.arange(len(table.classes)))


@dataclass(frozen=True, eq=False)
class Scores:
    """0/1-score, from 0 to 1, and log-score, ``mean ln p``, of one rule in each run."""

    zero_one: FloatArray
    log: FloatArray


def cross_validate(
    table: DiscreteTable, rules: Mapping[str, Any], *, folds: int, runs: int, share: float = 1.0, seed: int = 0
) -> dict[str, Scores]:
    """Scores over repeated cross-validation from ``share`` of the training rows, drawn anew in each fold.

    The folds are the same for all rules. Each data set and share has its own random numbers, whatever else is measured.
    """
    stream = np.random.default_rng([seed, zlib.crc32(table.name.encode()), round(share * 1_000_000)])
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in rules}
    for _ in range(runs):
        logs = {name: np.empty((len(table), len(table.classes))) for name in rules}
        for train, test in deal(len(table), folds, share, stream):
            for name, rule in rules.items():
                logs[name][test] = rule.split(table, train, test)
        for name in rules:
            found[name].append(_scores(table, logs[name]))
    return {name: Scores(*np.array(pairs).T) for name, pairs in found.items()}


def leave_one_out(table: DiscreteTable, rules: Mapping[str, Any]) -> dict[str, Scores]:
    """Scores of some rules where each row is predicted from all others."""
    return {name: Scores(*np.array([_scores(table, rule.leave_one_out(table))]).T) for name, rule in rules.items()}


def deal(rows: int, folds: int, share: float, stream: np.random.Generator) -> Iterator[tuple[IntArray, IntArray]]:
    """Training and test rows of each fold of one run.

    Examples
    --------
    >>> for train, test in deal(5, 2, 1.0, np.random.default_rng(0)):
    ...     print(train, test)
    [0 1] [2 4 3]
    [2 3 4] [0 1]
    """
    order = stream.permutation(rows)
    for test in np.array_split(order, folds):
        train = np.setdiff1d(order, test)
        if share < 1:
            train = np.sort(stream.choice(train, int(share * train.size + 1e-9), replace=False))
        yield train, test


def _scores(table: DiscreteTable, logs: FloatArray) -> tuple[float, float]:
    labels = range(len(table.classes))
    hits = zero_one_score(table.truth, np.exp(logs), labels=labels, ties="expected")
    return hits, log_score(table.truth, logs, labels=labels, logs=True)
