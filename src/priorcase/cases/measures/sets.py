"""Measures of sets, and the inverted index used for sets and texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse

from priorcase import _core
from priorcase._typing import AnyArray, FloatArray, Value
from priorcase.cases.measures.base import Measure
from priorcase.cases.table import CaseColumn
from priorcase.schema.kinds import identity

Terms = Callable[[Any], Sequence[Hashable]]
"""Maps a value to its terms, with repetitions."""


@dataclass(frozen=True, eq=False)
class Documents:
    """The terms of each value, with their counts."""

    values: tuple[Any, ...]
    vocabulary: dict[Hashable, int]
    """Number of each term, in the order of first occurrence, so that updating and recomputing give the same numbers."""
    begins: AnyArray
    """Position in ``terms`` of the first term of each value; the last entry is the length of ``terms``."""
    terms: AnyArray
    counts: AnyArray

    @classmethod
    def of(cls, values: Sequence[Any], terms_of: Terms, earlier: Documents | None = None) -> Documents:
        """Return the documents of some values, reusing the terms of values that occur in ``earlier``."""
        values = tuple(values)
        if earlier is None:
            return cls._fresh(values, terms_of)
        if values == earlier.values:
            return earlier
        n = len(earlier.values)
        if values[:n] == earlier.values:  # cases were added, the usual change
            return earlier._extended(cls._fresh(values[n:], terms_of))
        here = {value: place for place, value in enumerate(earlier.values)}
        rows = np.array([here.get(value, -1) for value in values], dtype=np.int64)
        new = cls._fresh([value for value, row in zip(values, rows, strict=True) if row < 0], terms_of)
        rows[rows < 0] = n + np.arange(len(new.values))
        return earlier._extended(new)._taken(values, rows)

    @classmethod
    def _fresh(cls, values: Sequence[Any], terms_of: Terms) -> Documents:
        found: list[Hashable] = []
        counts: list[int] = []
        begins = [0]
        for value in values:
            terms = terms_of(value)
            counted = dict.fromkeys(terms, 1)
            if len(counted) < len(terms):  # few values repeat a term
                counted = Counter(terms)
            found.extend(counted)
            counts.extend(counted.values())
            begins.append(len(found))
        vocabulary = {term: number for number, term in enumerate(dict.fromkeys(found))}
        numbers = np.fromiter(map(vocabulary.__getitem__, found), np.int32, len(found))
        return cls(tuple(values), vocabulary, np.array(begins), numbers, np.array(counts, dtype=np.int64))

    def _extended(self, new: Documents) -> Documents:
        vocabulary = dict(self.vocabulary)
        numbers = [vocabulary.setdefault(term, len(vocabulary)) for term in new.vocabulary]
        terms = np.array(numbers, dtype=np.int32)[new.terms] if numbers else new.terms
        return Documents(
            self.values + new.values,
            vocabulary,
            np.concatenate([self.begins, new.begins[1:] + self.begins[-1]]),
            np.concatenate([self.terms, terms]),
            np.concatenate([self.counts, new.counts]),
        )

    def _taken(self, values: tuple[Any, ...], rows: AnyArray) -> Documents:
        """Return the documents at the positions ``rows``, and drop the terms that occur in none of these documents."""
        sizes = np.diff(self.begins)[rows]
        begins = np.concatenate([[0], np.cumsum(sizes)])
        at = np.arange(begins[-1]) + np.repeat(self.begins[rows] - begins[:-1], sizes)
        used, first, terms = np.unique(self.terms[at], return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        number = np.empty(len(used), dtype=np.int32)
        number[order] = np.arange(len(used), dtype=np.int32)
        names = list(self.vocabulary)
        vocabulary = {names[old]: place for place, old in enumerate(used[order])}
        return Documents(values, vocabulary, begins, number[terms], self.counts[at])


def postings(documents: Documents, weights: FloatArray | None = None) -> _core.Postings:
    """Return the inverted index of the documents; ``weights`` has one entry for each entry of ``documents.terms``."""
    shape = (len(documents.values), len(documents.vocabulary))
    data = np.ones(len(documents.terms)) if weights is None else weights
    table = sparse.csr_array((data, documents.terms, documents.begins), shape=shape).tocsc()
    kept = None if weights is None else table.data
    return _core.Postings(table.indptr.astype(np.int64), table.indices.astype(np.int32), kept, shape[0])


class _Members(NamedTuple):
    documents: Documents
    postings: _core.Postings


class _SetMeasure(Measure):
    """Base class of measures that compare two sets by the number of their common members."""

    accepts = ("set",)
    _divisor: ClassVar[int]
    """The code of the divisor in the compiled core: 0 for Jaccard, 1 for Dice, 2 for containment, 3 for overlap."""

    def _prepare(self, column: CaseColumn, solutions: CaseColumn | None, earlier: _Members | None, /) -> _Members:
        # In Python, (1,) and (True,) are equal, so sets with members other than strings are always counted again.
        if earlier is not None and not all(isinstance(member, str) for member in earlier.documents.vocabulary):
            earlier = None
        documents = Documents.of(column.values, _members, earlier and earlier.documents)
        return _Members(documents, postings(documents))

    def _compare(self, query: Any, column: CaseColumn, held: _Members, /) -> FloatArray:
        members, vocabulary = _members(query), held.documents.vocabulary
        known = [number for member in members if (number := vocabulary.get(member)) is not None]
        return held.postings.set_similarities(known, len(members), self._divisor)


def _members(value: Any) -> Sequence[Value]:
    # In Python, True equals 1 and False equals 0, so sets with any of these need keys that distinguish them.
    return list(map(identity, value)) if True in value or False in value else value


@dataclass(frozen=True)
class Jaccard(_SetMeasure):
    """Jaccard similarity of sets, ``|a & b| / |a | b|``; 1 if both are empty. Symmetric.

    >>> from priorcase.cases.measures import similarities
    >>> list(similarities({"noise", "jam"}, [{"jam", "smell"}], "set", Jaccard()).values())
    [0.333...]
    """

    _divisor = 0


@dataclass(frozen=True)
class Dice(_SetMeasure):
    """Dice similarity of sets, ``2 |a & b| / (|a| + |b|)``; 1 if both are empty. Symmetric.

    >>> from priorcase.cases.measures import similarities
    >>> list(similarities({"noise", "jam"}, [{"jam", "smell"}], "set", Dice()).values())
    [0.5]
    """

    _divisor = 1


@dataclass(frozen=True)
class Containment(_SetMeasure):
    """Share of the query's members that the case's set contains, ``|a & b| / |a|``; 1 if the query's set is empty.

    The measure is not symmetric: every superset of the query's set has similarity 1.

    >>> from priorcase.cases.measures import similarities
    >>> list(similarities({"noise", "jam"}, [{"jam", "smell"}], "set", Containment()).values())
    [0.5]
    """

    _divisor = 2


@dataclass(frozen=True)
class SetOverlap(_SetMeasure):
    """Overlap coefficient of sets, ``|a & b| / min(|a|, |b|)``. Symmetric.

    The similarity is 1 if a nonempty set is a subset of the other, or if both sets are empty. The similarity is 0 if
    only one set is empty.

    >>> from priorcase.cases.measures import similarities
    >>> list(similarities({"noise", "jam"}, [{"jam", "smell"}], "set", SetOverlap()).values())
    [0.5]
    """

    _divisor = 3
