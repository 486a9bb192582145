"""Texts as their terms, or sets as their members: counted once, and reused when a column changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import AnyArray

Terms = Callable[[Any], Sequence[Hashable]]
"""From a value to its terms, repeated as often as they occur."""


@dataclass(frozen=True, eq=False)
class Documents:
    """For each value its terms and how often each occurs.

    Terms are numbered by their first occurrence, and stand in a value in that order: so nothing depends on how the
    values came to be here, and documents that followed others equal fresh ones.
    """

    values: tuple[Any, ...]
    vocabulary: dict[Hashable, int]
    begins: AnyArray
    """Where the terms of each value begin, and the end."""
    terms: AnyArray
    counts: AnyArray

    @classmethod
    def of(cls, values: Sequence[Any], terms_of: Terms) -> Documents:
        """The documents of some values."""
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

    def followed_by(self, values: Sequence[Any], terms_of: Terms) -> Documents:
        """The documents of other values; those that are here too are not counted again."""
        values, n = tuple(values), len(self.values)
        if values == self.values:
            return self
        if values[:n] == self.values:  # cases were added, the usual change
            return self._with(Documents.of(values[n:], terms_of))
        here = {value: place for place, value in enumerate(self.values)}
        places = [here.get(value, -1) for value in values]
        new = Documents.of([value for value, place in zip(values, places, strict=True) if place < 0], terms_of)
        rows = np.array(places, dtype=np.int64)
        rows[rows < 0] = len(self.values) + np.arange(len(new.values))
        return self._with(new)._taken(values, rows)

    def _with(self, new: Documents) -> Documents:
        """These documents and others after them."""
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
        """Some of the documents in another order, terms that they lack left out."""
        if np.array_equal(rows, np.arange(len(self.values))):
            return self
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

    def sizes(self) -> AnyArray:
        """How many distinct terms each value has."""
        return np.diff(self.begins)

    def owners(self) -> AnyArray:
        """The place of the value that each entry belongs to."""
        return np.repeat(np.arange(len(self.values), dtype=np.int32), self.sizes())
