"""Texts that are alike where they share words, and more so where the words are rare."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from priorcase._parameters import is_whole, settle
from priorcase._typing import FloatArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored
from priorcase.cases.measures.checks import choice, flag
from priorcase.cases.measures.documents import Documents
from priorcase.cases.measures.local_similarity import Prepared
from priorcase.cases.measures.postings import Postings
from priorcase.cases.measures.words import character_runs, folded, word_runs, words
from priorcase.exceptions import ParameterError, quoted

Analyzer = Literal["words", "characters"]

_NEAR = 1.0 - 1e-9


@dataclass(frozen=True)
class TfIdf:
    """The cosine of two texts' term weights ``tf(t) (ln((1 + n) / (1 + n_t)) + 1)``.

    ``tf(t)`` is how often term t occurs in the text, n the number of stored cases that have a text, n_t of those with
    t: smoothed inverse document frequencies, as scikit-learn's ``TfidfVectorizer`` weighs terms. Words of the query
    that no case has are the rarest, n_t = 0: a query of which the cases know only "a" and "the" is like none of them.
    (scikit-learn drops such words; without any the two agree.) A query without any known word is like nothing but
    itself. Texts with the same terms, each as often or all of them twice as often, have similarity 1 exactly. Symmetric
    for texts whose terms are all known.

    Parameters
    ----------
    analyzer
        Terms are ``"words"``, runs of letters, digits and underscores, or runs of ``"characters"``, which forgive
        spelling. Capitals never count.
    ngrams
        The shortest and the longest runs that are terms: (1, 2) takes words and pairs of neighbouring words; for
        characters take about (3, 4).
    stop_words
        Words that are no terms.
    fold_accents
        Whether letters with accents are those without.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> similarities("Jam in tray 2", ["paper jam", "tray empty", "no network"], "text", TfIdf())
    {'paper jam': 0.289..., 'tray empty': 0.289..., 'no network': 0.0}
    """

    analyzer: Analyzer = "words"
    ngrams: tuple[int, int] = (1, 1)
    stop_words: Collection[str] | None = None
    fold_accents: bool = False

    accepts: ClassVar[tuple[str, ...]] = ("text", "nominal")
    needs_solutions: ClassVar[bool] = False

    def __post_init__(self) -> None:
        analyzer = choice("analyzer", self.analyzer, get_args(Analyzer), hint="'words' suits most texts.")
        accents = flag("fold_accents", self.fold_accents, hint="True makes 'é' an 'e'.")
        stops = _stop_words(self.stop_words, analyzer, accents)
        settle(self, analyzer=analyzer, ngrams=_ngrams(self.ngrams), stop_words=stops, fold_accents=accents)

    def terms(self, text: str) -> list[str]:
        """The terms of a text, as often as they occur.

        Examples
        --------
        >>> TfIdf(stop_words=["in"]).terms("Paper jam in tray 2!")
        ['paper', 'jam', 'tray', '2']
        """
        return self._terms_of()(text)

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        terms_of = self._terms_of()
        texts = tuple(map(str, column.values))  # names may be True and 1, which Python takes for one value
        if isinstance(previous, _Prepared) and previous.measure == self:
            documents = previous.documents.followed_by(texts, terms_of)
        else:
            documents = Documents.of(texts, terms_of)
        n_terms, cases = len(documents.vocabulary), column.counts.astype(np.float64)
        owners = documents.owners()
        holders = np.bincount(documents.terms, weights=cases[owners], minlength=n_terms)
        rarity = np.log((1.0 + cases.sum()) / (1.0 + holders)) + 1.0
        weights = documents.counts * rarity[documents.terms]
        norms = np.sqrt(np.bincount(owners, weights=weights * weights, minlength=len(cases)))
        unseen = math.log(1.0 + float(cases.sum())) + 1.0
        return _Prepared(self, column, documents, rarity, unseen, Postings.of(documents, weights / norms[owners]))

    def _terms_of(self) -> Callable[[object], list[str]]:
        shortest, longest = self.ngrams
        stops, accents = frozenset(self.stop_words or ()), self.fold_accents

        def terms(text: object) -> list[str]:
            plain = folded(str(text), accents=accents)
            if self.analyzer == "characters":
                return character_runs(plain, shortest, longest)
            found = words(plain)
            if stops:
                found = [word for word in found if word not in stops]
            return found if shortest == longest == 1 else word_runs(found, shortest, longest)

        return terms


@dataclass(frozen=True, eq=False)
class _Prepared:
    measure: TfIdf
    column: CaseColumn
    documents: Documents
    rarity: FloatArray
    unseen: float
    """The rarity of a term that no case has."""
    postings: Postings

    def similarities(self, query: Stored) -> FloatArray:
        asked = Counter(self.measure.terms(str(query)))
        # Sums go in the order of the query's terms, so that no bit depends on how terms are numbered.
        known = {number: n for term, n in asked.items() if (number := self.documents.vocabulary.get(term)) is not None}
        terms = np.fromiter(known, np.int64, len(known))
        weights = np.fromiter(known.values(), np.float64, len(known)) * self.rarity[terms]
        new = [n * self.unseen for term, n in asked.items() if term not in self.documents.vocabulary]
        norm = math.sqrt(math.fsum([*(weights * weights), *(weight * weight for weight in new)]))
        found = self.postings.sums(terms, weights / norm if norm else weights)
        np.minimum(found, 1.0, out=found)
        if known and not new:
            found[self._alike(known, found)] = 1.0
        if (place := self.column.place(query)) >= 0:
            found[place] = 1.0
        return found

    def _alike(self, asked: dict[int, int], found: FloatArray) -> list[int]:
        """The texts with the terms of a query in the same proportions: their cosine is 1, but for rounding."""
        begins, first = self.documents.begins, next(iter(asked))
        alike = []
        near = np.flatnonzero(found > _NEAR)
        for place in near[begins[near + 1] - begins[near] == len(asked)].tolist():
            at = slice(begins[place], begins[place + 1])
            held = dict(zip(self.documents.terms[at].tolist(), self.documents.counts[at].tolist(), strict=True))
            if all(n * held.get(first, 0) == asked[first] * held.get(term, 0) for term, n in asked.items()):
                alike.append(place)
        return alike


def _ngrams(given: object) -> tuple[int, int]:
    if isinstance(given, (tuple, list)) and len(given) == 2 and all(map(is_whole, given)) and 1 <= given[0] <= given[1]:
        return int(given[0]), int(given[1])
    raise ParameterError(
        f"ngrams must be two whole numbers, the shortest and the longest run, 1 or more, got {quoted(given)}. (1, 1) "
        "takes single words."
    )


def _stop_words(given: object, analyzer: Analyzer, accents: bool) -> tuple[str, ...] | None:
    if given is None:
        return None
    if analyzer == "characters":
        raise ParameterError(
            f"stop_words must be None for characters, got {quoted(given)}. Leave them out, or take analyzer='words'."
        )
    if isinstance(given, str) or not isinstance(given, Collection) or not all(isinstance(w, str) for w in given):
        raise ParameterError(
            f"stop_words must be None or a collection of words, got {quoted(given)}. For example ['the', 'a', 'of']."
        )
    return tuple(sorted({folded(word, accents=accents) for word in given}))
