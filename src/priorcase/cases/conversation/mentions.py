"""Which words a text has and which members a set: what a question about one of them can be about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array

from priorcase._locks import cached_property
from priorcase._typing import BoolArray, FloatArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.conversation.gain import branch_gain
from priorcase.cases.kinds import Stored, Text
from priorcase.cases.measures.texts import folded, words
from priorcase.schema.kinds import identity

Term: TypeAlias = str | int | float | bool
"""A word of a text, or a member of a set."""

_SHORTEST = 3
_MOST = 20_000
_CELLS = 2_000_000


def words_of(text: str) -> list[str]:
    """The distinct words of a text in small letters, in order, of three characters or more.

    Examples
    --------
    >>> words_of("The printer is offline; PRINTER 3 shows E49")
    ['e49', 'offline', 'printer', 'shows', 'the']
    """
    return sorted({word for word in words(folded(text)) if len(word) >= _SHORTEST})


@dataclass(frozen=True, eq=False)
class Mentions:
    """The words or members of a column, and which of its distinct values have each.

    Parameters
    ----------
    terms
        Words in alphabetical order, those that at least two cases have; or members in the order of sets. Of very many,
        those that most cases have.
    has
        Shape (distinct values, terms): 1 where a value has a term.
    """

    terms: tuple[Term, ...]
    has: csr_array

    @classmethod
    def of(cls, column: CaseColumn) -> Mentions:
        """Those of a column of texts or of sets."""
        split = [_terms(column, value) for value in column.values]
        places: dict[object, int] = {}
        terms: list[Term] = []
        for found in split:
            for term in found:
                if places.setdefault(identity(term), len(terms)) == len(terms):
                    terms.append(term)
        at = [[places[identity(term)] for term in found] for found in split]
        ends = np.concatenate([[0], np.cumsum([len(found) for found in at])]).astype(np.int64)
        flat = np.array([place for found in at for place in found], dtype=np.int64)
        has = csr_array((np.ones(flat.size), flat, ends), shape=(len(split), len(terms)))
        cases = np.asarray(has.T @ column.counts.astype(float))
        usual = np.flatnonzero(cases >= (2 if isinstance(column.kind, Text) else 1))
        usual = usual[np.argsort(-cases[usual], kind="stable")][:_MOST]
        kept = sorted(usual.tolist(), key=lambda place: _order(terms[place]))
        return cls(tuple(terms[place] for place in kept), csr_array(has[:, kept]))

    @cached_property
    def by_term(self) -> csr_array:
        """The same with a line for each term."""
        return csr_array(self.has.T)

    def having(self, term: Term) -> BoolArray:
        """Which of the distinct values have a term."""
        line = np.zeros(self.has.shape[0], dtype=bool)
        place = self.place(term)
        line[self.by_term.indices[self.by_term.indptr[place] : self.by_term.indptr[place + 1]]] = True
        return line

    def place(self, term: Term) -> int:
        """Where a term stands."""
        return self._places[identity(term)]

    @cached_property
    def _places(self) -> dict[object, int]:
        return {identity(term): place for place, term in enumerate(self.terms)}

    def gains(self, by_value: FloatArray, missing: FloatArray) -> FloatArray:
        """The gain of asking for each term.

        Parameters
        ----------
        by_value
            Weights of the cases by distinct value and solution.
        missing
            Weights by solution of the cases without a value.
        """
        total = by_value.sum(axis=0)
        step = max(1, _CELLS // max(1, total.size))
        found = np.zeros(len(self.terms))
        for start in range(0, len(self.terms), step):
            yes = np.asarray(self.by_term[start : start + step] @ by_value)
            no = np.maximum(total - yes, 0.0)
            found[start : start + step] = branch_gain(np.stack([yes, no], axis=1), np.broadcast_to(missing, yes.shape))
        return found


def _terms(column: CaseColumn, value: Stored) -> Iterable[Term]:
    if isinstance(column.kind, Text):
        return words_of(str(value))
    assert isinstance(value, tuple)
    return value


def _order(term: Term) -> tuple[int, float, str]:
    """Words by their letters; of members booleans, then numbers, then texts."""
    return (2, 0.0, term) if isinstance(term, str) else (0 if isinstance(term, bool) else 1, float(term), "")
