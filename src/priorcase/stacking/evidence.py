"""Texts as numbers that say how much their words speak for each class, for learners that are slow with many columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import Ridge

from priorcase._typing import AnyArray, BoolArray, FloatArray, IntArray
from priorcase.instances import Instances
from priorcase.learning.estimator import read_queries
from priorcase.learning.results import attribute_names, free_label
from priorcase.schema import Coded, Numeric, Schema, Table, Text
from priorcase.stacking.words import WordWeights

_FOLDS = 5
_MOST_WORDS = 10_000
_MOST_CLASSES = 16  # classes with a column of their own, the most frequent ones
_PSEUDO_COUNT = 0.5


@dataclass(frozen=True, eq=False)
class Training:
    """Targets, weights and content ranks of the training rows."""

    targets: AnyArray
    weights: FloatArray
    ranks: IntArray

    def folds(self, *, stratified: bool) -> IntArray:
        """Return the fold of each row, which does not depend on the order of the rows."""
        order = np.lexsort((self.ranks, self.targets)) if stratified else np.argsort(self.ranks, kind="stable")
        folds = np.empty(order.size, np.intp)
        folds[order] = np.arange(order.size) % _FOLDS
        return folds


@dataclass(frozen=True, eq=False)
class _Classes:
    """Naive Bayes of the words: logarithms of the probabilities of equally frequent classes."""

    logs: FloatArray  # of the probability of each word (rows) in each class (columns)
    shown: IntArray

    @classmethod
    def of(cls, words: Any, rows: Training) -> tuple[_Classes, FloatArray]:
        """Return the model of all rows, and the columns of each row by a model of other rows."""
        classes, own = np.unique(rows.targets, return_inverse=True)
        weights = np.bincount(own, weights=rows.weights, minlength=classes.size)
        shown = np.sort(np.argsort(-weights, kind="stable")[:_MOST_CLASSES])
        if classes.size == 2:
            shown = shown[1:]
        folds = rows.folds(stratified=True)
        counts = []
        for fold in range(_FOLDS):
            part = np.flatnonzero(folds == fold)
            members = csr_array((rows.weights[part], (own[part], np.arange(part.size))), (classes.size, part.size))
            counts.append((members @ words[part]).toarray())
        found = np.empty((own.size, shown.size))
        for fold in range(_FOLDS):
            part = np.flatnonzero(folds == fold)
            rest = [count for other, count in enumerate(counts) if other != fold]
            found[part] = cls._learned(np.sum(rest, axis=0), shown).columns(words[part])
        return cls._learned(np.sum(counts, axis=0), shown), found

    @classmethod
    def _learned(cls, counts: FloatArray, shown: IntArray) -> _Classes:
        smoothed = counts + _PSEUDO_COUNT
        return cls(np.log(smoothed / smoothed.sum(axis=1, keepdims=True)).T.copy(), shown)

    def columns(self, words: Any) -> FloatArray:
        scores = words @ self.logs
        if scores.shape[1] == 2:
            return np.asarray(scores[:, 1:] - scores[:, :1])
        return np.asarray(log_softmax(scores, axis=1)[:, self.shown])


@dataclass(frozen=True, eq=False)
class _Numbers:
    """Ridge regression on the words."""

    model: Ridge

    @classmethod
    def of(cls, words: Any, rows: Training) -> tuple[_Numbers, FloatArray]:
        """Return the model of all rows, and the column of each row by a model of other rows."""
        folds = rows.folds(stratified=False)
        found = np.empty((folds.size, 1))
        for fold in np.unique(folds).tolist():
            part, rest = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
            found[part] = cls._learned(words, rows, rest).columns(words[part])
        return cls._learned(words, rows, np.arange(folds.size)), found

    @classmethod
    def _learned(cls, words: Any, rows: Training, of: IntArray) -> _Numbers:
        model = Ridge(alpha=1.0, solver="sparse_cg")
        return cls(model.fit(words[of], rows.targets[of], rows.weights[of]))

    def columns(self, words: Any) -> FloatArray:
        return np.asarray(self.model.predict(words)).reshape(-1, 1)


@dataclass(frozen=True, eq=False)
class _Column:
    """What was learned from one column of texts."""

    weights: WordWeights
    model: _Classes | _Numbers
    least: FloatArray  # evidence for a training row, by column
    most: FloatArray
    frequent: IntArray

    def encode(self, column: Coded) -> FloatArray:
        words = self.weights.transform(column)
        # Texts with unknown words, and the model of all rows, can give more evidence than there was in training.
        columns = np.clip(self.model.columns(words), self.least, self.most)
        return self.beside(words, columns, column.codes < 0)

    def beside(self, words: Any, columns: FloatArray, missing: BoolArray) -> FloatArray:
        """Return the columns, NaN for missing texts, and whether the text has each frequent word."""
        columns[missing] = np.nan
        return np.hstack([columns, (words[:, self.frequent] > 0).toarray().astype(np.float64)])


class TextEvidence(TransformerMixin, BaseEstimator):
    """Replace each column of texts with the evidence of its words for each class, or for a larger number.

    The evidence for a training row comes from a model that was fitted to other training rows. ``n_words`` is the number
    of frequent words that also get a column, which contains 1 if the text has the word.
    """

    def __init__(self, schema: Schema, n_words: int, is_class: bool) -> None:
        self.schema, self.n_words, self.is_class = schema, n_words, is_class

    def learn(self, table: Table, rows: Training) -> Table:
        """Learn from training rows, and return them with evidence in place of texts."""
        self._columns = dict[int, _Column]()
        encoded = dict[int, FloatArray]()
        for a, kind in enumerate(self.schema.kinds):
            if isinstance(kind, Text):
                self._learn_column(a, table, rows, encoded)
        self._new_schema = self._schema_of(encoded)
        return self._replaced(table, encoded)

    def _learn_column(self, a: int, table: Table, rows: Training, encoded: dict[int, FloatArray]) -> None:
        column: Any = table.columns[a]
        weights = WordWeights.of(column, _MOST_WORDS)
        if not weights.words:
            encoded[a] = np.empty((len(table), 0))
            return
        words = weights.transform(column)
        counts = np.bincount(words.indices, minlength=words.shape[1])
        frequent = np.sort(np.argsort(-counts, kind="stable")[: self.n_words])
        model, held_out = (_Classes if self.is_class else _Numbers).of(words, rows)
        least, most = held_out.min(axis=0), held_out.max(axis=0)
        self._columns[a] = learned = _Column(weights, model, least, most, frequent)
        encoded[a] = learned.beside(words, held_out, column.codes < 0)

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from training rows of equal weight."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any) -> Table:
        """Learn from training rows of equal weight, and return them with evidence in place of texts."""
        table, targets = read_queries(X, Instances(self.schema)), np.asarray(y)
        return self.learn(table, Training(targets, np.ones(len(table)), np.arange(len(table))))

    def transform(self, X: Any) -> Table:
        """Return queries with evidence in place of texts."""
        table = read_queries(X, Instances(self.schema))
        encoded = dict[int, FloatArray]()
        for a, kind in enumerate(self.schema.kinds):
            if isinstance(kind, Text):
                fitted = self._columns.get(a)
                column: Any = table.columns[a]
                encoded[a] = np.empty((len(table), 0)) if fitted is None else fitted.encode(column)
        return self._replaced(table, encoded)

    def _schema_of(self, encoded: dict[int, FloatArray]) -> Schema:
        labels = attribute_names(self.schema)
        names = {label: None for a, label in enumerate(labels) if a not in encoded}
        for a, columns in encoded.items():
            for number in range(columns.shape[1]):
                names[free_label(f"{labels[a]} {number}", names)] = None
        kinds = [kind for a, kind in enumerate(self.schema.kinds) if a not in encoded]
        return Schema(tuple(names), (*kinds, *[Numeric()] * (len(names) - len(kinds))))

    def _replaced(self, table: Table, encoded: dict[int, FloatArray]) -> Table:
        kept = [column for a, column in enumerate(table.columns) if a not in encoded]
        new = [np.ascontiguousarray(column) for columns in encoded.values() for column in columns.T]
        return Table(self._new_schema, len(table), (*kept, *new))
