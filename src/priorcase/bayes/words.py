"""Texts in Bayes models: a text is a sequence of words, each drawn with the probabilities of its class.

Let ``n_kw`` be the count of word w in the texts of class k, ``N_k`` the number of words in these texts, and s the
Dirichlet weight of a word; ``sum s`` is the sum over the vocabulary. A text of L words with counts ``c_w`` adds the
following term to the joint log-probability of class k:

- ``"evidence"`` averages over all word probabilities (Dirichlet-multinomial), where G is the gamma function:
  ``sum_w ln G(n_kw + s + c_w) / G(n_kw + s) - ln G(N_k + sum s + L) / G(N_k + sum s)``;
- ``"map"`` uses the posterior mode of the word probabilities:
  ``sum_w c_w ln (n_kw + s - 1) / (N_k + sum (s - 1))``, which is multinomial naive Bayes with the smoothing ``s - 1``;
- ``"sc"`` (stochastic complexity): ``sum_w [h(n_kw + c_w) - h(n_kw)] - [h(N_k + L) - h(N_k)]`` with ``h(n) = n ln n``.

The vocabulary consists of the words in the stored texts; other words in a query are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.special import xlogy

from priorcase._locks import cached_property
from priorcase._typing import FloatArray, IntArray, Value
from priorcase.bayes.predictive import log_marginal, log_rising
from priorcase.schema import Coded, Text
from priorcase.similarity.structured import VECTORIZERS

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import CountVectorizer

    from priorcase.bayes.additive import Estimates


@dataclass(frozen=True)
class Words:
    """Strategy that counts the words of texts.

    >>> Words("words").counted(["no paper, no print"])[1].toarray()
    array([[2, 1, 1]])
    """

    analyzer: str = "words"

    @classmethod
    def of(cls, kind: Text) -> Words:
        """Return the strategy for a text column, which counts words or character sequences."""
        return cls("characters" if kind.analyzer == "characters" else "words")

    def counted(self, texts: list[str]) -> tuple[CountVectorizer | None, Any]:
        """Return a fitted vectorizer and the word counts of each text as a matrix; both None if there are no words."""
        from sklearn.feature_extraction.text import CountVectorizer  # not needed without texts

        vectorizer = CountVectorizer(**VECTORIZERS[self.analyzer])
        try:
            counts = vectorizer.fit_transform(texts)
        except ValueError:  # no text has a word
            return None, None
        counts.sort_indices()  # makes sums over the words of a text independent of the other texts
        return vectorizer, counts

    def vocabulary(self, texts: Iterable[Value]) -> tuple[Value, ...]:
        """Return the words of texts in ascending order."""
        vectorizer, _ = self.counted(list(map(str, texts)))
        return () if vectorizer is None else tuple(vectorizer.get_feature_names_out().tolist())

    def counts(self, texts: Sequence[str], vocabulary: Sequence[Value]) -> Any:
        """Return the counts of the words of a vocabulary in each text, as a sparse matrix; other words are ignored."""
        if not vocabulary:
            return csr_matrix((len(texts), 0))
        from sklearn.feature_extraction.text import CountVectorizer

        options = VECTORIZERS[self.analyzer]
        counts = CountVectorizer(**options, vocabulary=vocabulary, dtype=np.float64).transform(texts)
        counts.sort_indices()
        return counts


@dataclass(frozen=True, eq=False)
class WordCounts:
    """Word counts of the texts of each class."""

    vectorizer: CountVectorizer | None
    documents: Any
    """Sparse matrix of the word counts of the stored rows, shape (rows, words); rows of missing texts are empty."""
    own: IntArray
    """Class of each stored row."""
    weights: FloatArray
    """Weight of each stored row."""
    counts: FloatArray
    """Weighted count of each word in each class, shape (classes, words)."""

    @property
    def words(self) -> list[Value]:
        """Vocabulary, in the order of the columns of the count matrices."""
        return [] if self.vectorizer is None else self.vectorizer.get_feature_names_out().tolist()

    @cached_property
    def rows_with(self) -> IntArray:
        """Number of stored rows with each word."""
        return np.bincount(self.documents.indices, minlength=self.counts.shape[1])

    def asked(self, column: Coded) -> Any:
        """Return the word counts of queries as a sparse matrix, with empty rows for missing texts."""
        texts = ["", *map(str, column.values)]
        found = None if self.vectorizer is None else self.vectorizer.transform(texts).tocsr()
        return None if found is None else found[column.codes.astype(np.intp) + 1]

    def pooled(self) -> WordCounts:
        """Return the counts of all classes pooled into a single class."""
        counts = self.counts.sum(axis=0, keepdims=True)
        return WordCounts(self.vectorizer, self.documents, np.zeros_like(self.own), self.weights, counts)

    def log_evidence(self, weights: FloatArray) -> FloatArray:
        """Return the log marginal likelihood of each class's words; ``weights`` has the shape (classes or 1, words)."""
        if not self.counts.size:
            return np.zeros(len(self.counts))
        return log_marginal(self.counts, np.broadcast_to(weights, self.counts.shape))

    def logs(self, column: Coded, weights: FloatArray, estimates: Estimates) -> FloatArray:
        """Return the terms of the queries' texts in the joint log-probabilities, shape (queries, classes)."""
        found = np.zeros((len(column), len(self.counts)))
        if (words := self.asked(column)) is None:
            return found
        at, one = words.indices, np.ones(len(column))
        for k, counts in enumerate(self.counts):
            own = np.broadcast_to(weights, self.counts.shape)[k]
            totals = one * counts.sum(), one * own.sum(), one * counts.size, one * _peaks(counts, own).sum()
            found[:, k] = _log_terms(words, counts[at], own[at], totals, estimates)
        return found

    def left_out(self, weights_of: Callable[[int], FloatArray], estimates: Estimates) -> tuple[FloatArray, FloatArray]:
        """Return two results for each stored row, both computed from all other rows.

        The first result is the term that the row's text adds to the joint log-probability of each class, shape (rows,
        classes). The second result is the log marginal likelihood of the words in all other rows. ``weights_of(size)``
        returns the Dirichlet weights of the words for a vocabulary of ``size`` words.
        """
        n, size = self.documents.shape
        logs, rest = np.zeros((n, len(self.counts))), np.zeros(n)
        if self.vectorizer is None:
            return logs, rest
        # Words that occur in no other row are ignored, as in a fit without the row.
        single, lengths = self.rows_with == 1, np.asarray(self.documents.sum(axis=1)).ravel()
        n_single = np.diff(self.documents[:, single].indptr)
        for fewer in np.unique(n_single).tolist():
            rows = np.flatnonzero(n_single == fewer)
            documents, row_weights = self.documents[rows], self.weights[rows]
            of, at = np.repeat(np.arange(rows.size), np.diff(documents.indptr)), documents.indices
            kept, amounts = ~single[at], documents.data * row_weights[of]
            documents.data = np.where(kept, documents.data, 0)
            weights = np.broadcast_to(weights_of(size - fewer), self.counts.shape)
            for k, counts in enumerate(self.counts):
                mine, own = self.own[rows] == k, weights[k]
                left = np.maximum(counts[at] - np.where(mine[of], amounts, 0.0), 0.0)
                total = np.maximum(counts.sum() - np.where(mine, lengths[rows] * row_weights, 0.0), 0.0)
                sums = own.sum() - _sums(of, np.where(kept, 0.0, own[at]), rows.size)
                if size == fewer:  # avoids rounding errors
                    sums = np.zeros(rows.size)
                peaks = _peaks(counts, own)
                mass = peaks.sum() - _sums(of, peaks[at] - np.where(kept, _peaks(left, own[at]), 0.0), rows.size)
                totals = total, sums, np.full(rows.size, float(size - fewer)), np.maximum(mass, 0.0)
                logs[rows, k] = _log_terms(documents, left, own[at], totals, estimates)
                each = log_rising(own, counts)
                rest[rows] += each.sum() + _sums(of, log_rising(own[at], left) - each[at], rows.size)
                rest[rows] -= np.where(sums > 0, log_rising(np.where(sums > 0, sums, 1.0), total), 0.0)
        return logs, rest


def _log_terms(
    documents: Any, count: FloatArray, weight: FloatArray, totals: tuple[FloatArray, ...], estimates: Estimates
) -> FloatArray:
    """Return the term that each text adds to the joint log-probability of one class.

    ``count`` and ``weight`` have one entry for each word of each text. ``totals`` contains four arrays with one value
    for each text. Each value refers to all words of the vocabulary, also those that do not occur in the text: the sum
    of the counts, the sum of the weights, the number of words, and the sum of ``max(count + weight - 1, 0)``.
    """
    n, times, (total, sums, size, mass) = documents.shape[0], documents.data.astype(np.float64), totals
    of = np.repeat(np.arange(n), np.diff(documents.indptr))
    if estimates.predictive == "evidence":
        whole = log_rising(np.where(sums > 0, sums, 1.0) + total, _sums(of, times, n))
        return _sums(of, log_rising(weight + count, times), n) - whole
    if estimates.predictive == "sc":
        after, total_after = count + times, total + _sums(of, times, n)
        grown = xlogy(total_after, total_after) - xlogy(total, total)
        return np.asarray(_sums(of, xlogy(after, after) - xlogy(count, count), n) - grown)
    empty = (mass <= 0.0)[of]
    shares = np.where(empty, 1.0 / np.maximum(size[of], 1.0), _peaks(count, weight) / np.where(empty, 1.0, mass[of]))
    with np.errstate(divide="ignore"):
        logs = np.log(np.where(times > 0, estimates.policy.parameters(shares), 1.0))
    return _sums(of, times * logs, n)


def _peaks(count: FloatArray, weight: FloatArray) -> FloatArray:
    return np.maximum(count + (weight - 1.0), 0.0)


def _sums(of: IntArray, amounts: FloatArray, n: int) -> FloatArray:
    """Return the sum of ``amounts`` for each of ``n`` texts; ``of`` contains the text of each amount."""
    return np.bincount(of, weights=amounts, minlength=n).astype(np.float64)
