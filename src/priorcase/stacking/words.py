"""TF-IDF weights of the words of texts, for which the distinct texts of a column are split into words only once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from scipy.sparse import csr_array

from priorcase._typing import FloatArray
from priorcase.schema import Coded
from priorcase.similarity.structured import VECTORIZERS

_WORD = re.compile(VECTORIZERS["words"]["token_pattern"])


@dataclass(frozen=True, eq=False)
class CountedWords:
    """How often each distinct text of a column has each word; the words are in alphabetical order."""

    texts: tuple[Any, ...]
    words: list[str]
    counts: Any

    @classmethod
    def of(cls, column: Coded) -> CountedWords:
        """Return the counts of a column, which are computed once as long as anyone has them."""
        texts = tuple(column.values)
        key = hash(texts)
        known = _COUNTED.get(key)
        if known is None or known.texts != texts:
            _COUNTED[key] = known = cls._computed(texts)
        return known

    @classmethod
    def _computed(cls, texts: tuple[Any, ...]) -> CountedWords:
        found = [[] if text is None else _WORD.findall(str(text).lower()) for text in texts]
        words = sorted({word for each in found for word in each})
        numbers = {word: number for number, word in enumerate(words)}
        indices = np.array([numbers[word] for each in found for word in each], np.int64)
        starts = np.concatenate([[0], np.cumsum([len(each) for each in found], dtype=np.int64)])
        counts = csr_array((np.ones(indices.size), indices, starts), shape=(len(texts), len(words)))
        counts.sum_duplicates()
        return cls(texts, words, counts)

    def rows(self, column: Coded) -> Any:
        """Return the counts of each row; a missing text has no words."""
        known = np.flatnonzero(column.codes >= 0)
        places = csr_array((np.ones(known.size), (known, column.codes[known])), (len(column.codes), len(self.texts)))
        return csr_array(places @ self.counts)


_COUNTED: WeakValueDictionary[int, CountedWords] = WeakValueDictionary()


@dataclass(frozen=True, eq=False)
class WordWeights:
    """Words of training texts with their inverse document frequencies."""

    words: list[str]
    idf: FloatArray

    @classmethod
    def of(cls, column: Coded, most: int) -> WordWeights:
        """Select the ``most`` frequent words; missing texts do not count."""
        counted = CountedWords.of(column)
        counts = counted.rows(column)
        totals, documents = counts.sum(axis=0), np.bincount(counts.indices, minlength=counts.shape[1])
        frequent = np.argsort(-totals, kind="stable")[:most]
        kept = np.sort(frequent[totals[frequent] > 0])
        n_texts = np.count_nonzero(column.codes >= 0)
        idf = np.log((1.0 + n_texts) / (1.0 + documents[kept])) + 1.0
        return cls([counted.words[number] for number in kept.tolist()], idf)

    def transform(self, column: Coded) -> Any:
        """Return a sparse matrix of the weights in each row, whose squares sum to 1."""
        counted = CountedWords.of(column)
        numbers = {word: number for number, word in enumerate(self.words)}
        places = np.array([numbers.get(word, -1) for word in counted.words], np.int64)
        known = np.flatnonzero(places >= 0)
        weights = csr_array((self.idf[places[known]], (known, places[known])), (places.size, self.idf.size))
        found = csr_array(counted.rows(column) @ weights)
        found.sort_indices()
        rows = np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))
        lengths = np.sqrt(np.bincount(rows, found.data * found.data, minlength=found.shape[0]))
        found.data /= lengths[rows]
        return found
