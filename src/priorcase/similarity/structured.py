"""Differences between texts, between sets and between nodes of a taxonomy, computed in Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, ClassVar, TypeAlias
from weakref import WeakValueDictionary

import numpy as np
from scipy import sparse
from sklearn.utils._param_validation import StrOptions

from priorcase._core import Plan, StoredTexts
from priorcase._locks import cached_property
from priorcase._typing import FloatArray, IdArray, IntArray, Value
from priorcase.schema.kinds import Analyzer
from priorcase.schema.taxonomy import Taxonomy
from priorcase.similarity.computed import Computation, Computed
from priorcase.similarity.differences import raised

VECTORIZERS: dict[str, dict[str, Any]] = {
    "words": {"analyzer": "word", "token_pattern": r"(?u)\b\w+\b"},
    "characters": {"analyzer": "char_wb", "ngram_range": (3, 5)},
}
"""Arguments of scikit-learn's vectorizers for each kind of token."""


@dataclass(frozen=True)
class TextDifference(Computed):
    """Cosine distance of the TF-IDF vectors of two texts, 0 for equal vectors and 1 for texts without common tokens.

    Inverse document frequencies are computed from the distinct stored texts. With ``analyzer="both"``, the cosines for
    words and for character n-grams are averaged.

    Parameters
    ----------
    analyzer
        Kind of tokens to compare; see `priorcase.Text`.

    Examples
    --------
    >>> difference = TextDifference("words")
    >>> stored = difference.prepare(["paper jam in printer", "no network", "no network in hall"])
    >>> difference.between(["printer has a paper jam"], stored).round(2)
    array([[0.08, 1.  , 1.  ]])
    """

    analyzer: Analyzer = "both"

    accepts: ClassVar[tuple[str, ...]] = ("nominal",)
    _parameter_constraints: ClassVar[dict[str, Any]] = {"analyzer": [StrOptions({"both", *VECTORIZERS})]}

    def prepare(self, values: Sequence[Any]) -> TextVectors:
        """Return the TF-IDF vectors of the stored texts."""
        return TextVectors.of(self.analyzer, tuple(map(str, values)))

    def between(self, queries: Sequence[Any], stored: TextVectors) -> FloatArray:
        return stored.differences([str(query) for query in queries])

    def _fitted(self, **fields: Any) -> Computation:
        return TextComputation(difference=self, **fields)


@dataclass(frozen=True, eq=False)
class TextComputation(Computation):
    """Fitted difference between texts, which the core computes from their TF-IDF vectors."""

    @property
    def is_tabled(self) -> bool:
        return False

    def answers(self, cells: FloatArray) -> bool:
        return not (cells < -1.0).any()

    @property
    def width(self) -> int:
        return 0

    @cached_property
    def _stored(self) -> StoredTexts:
        vectors: TextVectors = self._prepared
        return vectors.by_code(self._places, len(self.values))

    def add_to(self, plan: Plan, a: int, queries: FloatArray | None = None, unseen: Sequence[Value] = ()) -> None:
        labels = np.empty(0) if queries is None else np.unique(queries[queries < -1.0])
        texts = [str(unseen[-2 - int(label)]) for label in labels.tolist()]
        plan.texts(a, self._stored, labels, self._prepared.parts(texts), f_one=self.f_one, f_both=self.f_both)

    def among(self, codes: IntArray) -> TextComputation:
        """Return the same difference for comparing queries with only the texts that have the given codes."""
        fitted = replace(self)
        fitted.__dict__["_prepared"] = self._prepared
        fitted.__dict__["_stored"] = self._stored.among(np.unique(codes).astype(np.int64))
        return fitted

    def between_pairs(self, codes: IntArray) -> FloatArray:
        return raised(self._stored.differences_among(np.asarray(codes, np.int64)), self.power)


@dataclass(frozen=True, eq=False)
class TextVectors:
    """TF-IDF vectors of texts, for each kind of token of which there are any."""

    texts: tuple[str, ...]
    kinds: list[_TokenKind]
    _core: StoredTexts

    @classmethod
    def of(cls, analyzer: Analyzer, texts: tuple[str, ...]) -> TextVectors:
        """Return the vectors of some texts; they are computed once while any learner has them."""
        key = analyzer, hash(texts)
        known = _VECTORS.get(key)
        if known is None or known.texts != texts:
            _VECTORS[key] = known = cls._computed(analyzer, texts)
        return known

    @classmethod
    def _computed(cls, analyzer: Analyzer, texts: tuple[str, ...]) -> TextVectors:
        kinds, stored, words = [], [], []
        for name in VECTORIZERS if analyzer == "both" else (analyzer,):
            kind, counts = _TokenKind.of(name, texts)
            if kind.vocabulary:
                kinds.append(kind)
                stored.append(kind.weighted(counts))
                words.append(kind.words(texts))
        return cls(texts, kinds, StoredTexts(stored, len(texts), words))

    def parts(self, texts: Sequence[str]) -> list[_Arrays]:
        """Return the vectors of other texts; tokens that no stored text has are ignored."""
        return [kind.weighted(kind.counts(texts)) for kind in self.kinds]

    def differences(self, texts: Sequence[str]) -> FloatArray:
        """Return the differences of other texts from the stored texts, shape (texts, stored texts)."""
        return np.asarray(self._core.differences(self.parts(texts), len(texts)))

    def by_code(self, codes: Sequence[int], n_codes: int) -> StoredTexts:
        """Return the stored texts with the given codes, ascending, of ``n_codes`` codes."""
        if len(codes) == n_codes:
            return self._core

        def spread(starts: IdArray) -> IdArray:
            lengths = np.zeros(n_codes, np.int64)
            lengths[codes] = np.diff(starts)
            return np.concatenate([[0], np.cumsum(lengths)])

        parts = [(spread(starts), *rest) for starts, *rest in self.parts(self.texts)]
        words = [kind.words(self.texts) for kind in self.kinds]
        return StoredTexts(parts, n_codes, [held and (spread(held[0]), *held[1:]) for held in words])


_VECTORS: WeakValueDictionary[tuple[Analyzer, int], TextVectors] = WeakValueDictionary()
_Counts: TypeAlias = tuple[IdArray, Any, IdArray]  # starts of the texts, tokens, numbers of occurrences
_Arrays: TypeAlias = tuple[IdArray, Any, FloatArray, int]  # starts, tokens, weights, size of the vocabulary
_Words: TypeAlias = tuple[IdArray, Any, IdArray, Any, FloatArray]  # see the core
_MOST_RECENT = 10_000
_FEW = 32  # so many texts are counted without sparse matrices
_WORD = re.compile(VECTORIZERS["words"]["token_pattern"])


@dataclass(frozen=True, eq=False)
class _TokenKind:
    """The tokens of one kind in the stored texts, in alphabetical order, with their inverse document frequencies."""

    name: str
    vocabulary: dict[str, int]
    pieces: dict[str, int]
    tokens_of_pieces: Any  # sparse counts; words are split into their character n-grams only once
    idf: FloatArray
    recent: dict[str, Sequence[int]] = field(default_factory=dict)  # tokens of pieces of queries

    @classmethod
    def of(cls, name: str, texts: Sequence[str]) -> tuple[_TokenKind, _Counts]:
        """Return the tokens of some texts, and how often each text has each of them."""
        split, tokens_of, pieces = _SPLIT[name], _TOKENS[name], dict[str, int]()
        held = [[pieces.setdefault(piece, len(pieces)) for piece in split(text.lower())] for text in texts]
        tokens = [tokens_of(piece) for piece in pieces]
        vocabulary = {token: number for number, token in enumerate(sorted(set(chain.from_iterable(tokens))))}
        tokens_of_pieces = _counted([[vocabulary[token] for token in found] for found in tokens], len(vocabulary))
        counts = _as_counts(_counted(held, len(pieces)) @ tokens_of_pieces)
        document_counts = np.bincount(counts[1], minlength=len(vocabulary))
        idf = np.log((1.0 + len(texts)) / (1.0 + document_counts)) + 1.0
        return cls(name, vocabulary, pieces, tokens_of_pieces, idf), counts

    def counts(self, texts: Sequence[str]) -> _Counts:
        """Return how often each text has each of the tokens; other tokens are ignored."""
        if len(texts) > _FEW:
            return self._counts_of_many(texts)
        tokens, numbers = [np.empty(0, np.int32)], [np.empty(0, np.int64)]
        for text in texts:
            flat = chain.from_iterable(map(self._tokens, _SPLIT[self.name](text.lower())))
            distinct, occurrences = np.unique(np.array(list(flat), np.int32), return_counts=True)
            tokens.append(distinct)
            numbers.append(occurrences)
        starts = np.cumsum([len(distinct) for distinct in tokens], dtype=np.int64)
        return starts, np.concatenate(tokens), np.concatenate(numbers)

    def _counts_of_many(self, texts: Sequence[str]) -> _Counts:
        split, numbers, n_known = _SPLIT[self.name], dict(self.pieces), len(self.pieces)
        held = [[numbers.setdefault(piece, len(numbers)) for piece in split(text.lower())] for text in texts]
        new = [self._tokens(piece) for piece in islice(numbers, n_known, None)]
        tokens_of_pieces = sparse.vstack([self.tokens_of_pieces, _counted(new, len(self.vocabulary))])
        return _as_counts(_counted(held, len(numbers)) @ tokens_of_pieces)

    def _tokens(self, piece: str) -> Sequence[int]:
        known = self.recent.get(piece)
        if known is None:
            if len(self.recent) >= _MOST_RECENT:
                self.recent.clear()
            known = self.recent[piece] = self._tokens_looked_up(piece)
        return known

    def _tokens_looked_up(self, piece: str) -> Sequence[int]:
        place = self.pieces.get(piece)
        if place is None:
            numbers = map(self.vocabulary.get, _TOKENS[self.name](piece))
            return [number for number in numbers if number is not None]
        matrix = self.tokens_of_pieces
        span = slice(matrix.indptr[place], matrix.indptr[place + 1])
        return np.repeat(matrix.indices[span], matrix.data[span]).tolist()

    def words(self, texts: Sequence[str]) -> _Words | None:
        """Return the pieces of the stored texts and the tokens of the pieces, unless each piece is a token."""
        if self.name == "words":
            return None
        split, numbers, matrix = _SPLIT[self.name], self.pieces, self.tokens_of_pieces
        held = [[numbers[piece] for piece in split(text.lower())] for text in texts]
        starts = np.cumsum([0, *map(len, held)], dtype=np.int64)
        flat = np.fromiter(chain.from_iterable(held), np.int32, int(starts[-1]))
        weights = matrix.data * self.idf[matrix.indices]
        return starts, flat, matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), weights

    def weighted(self, counts: _Counts) -> _Arrays:
        """Return TF-IDF vectors in the format of the core, which scales them to length 1."""
        starts, tokens, numbers = counts
        return starts, tokens, (1.0 + np.log(numbers)) * self.idf[tokens], len(self.idf)


def _ngrams(word: str) -> list[str]:
    """Return the character n-grams of a word between spaces; a word shorter than n counts once, as the shortest."""
    padded = f" {word} "
    first, last = VECTORIZERS["characters"]["ngram_range"]
    found = []
    for n in range(first, last + 1):
        found += [padded[at : at + n] for at in range(max(len(padded) - n, 0) + 1)]
        if len(padded) <= n:
            break
    return found


_SPLIT: dict[str, Callable[[str], list[str]]] = {"words": _WORD.findall, "characters": str.split}
_TOKENS: dict[str, Callable[[str], list[str]]] = {"words": lambda word: [word], "characters": _ngrams}


def _counted(lists: Sequence[Sequence[int]], width: int) -> Any:
    """Return a sparse matrix with a row for each list, which contains how often the list has each number."""
    starts = np.cumsum([0, *map(len, lists)])
    numbers = np.fromiter(chain.from_iterable(lists), np.int64, int(starts[-1]))
    found = sparse.csr_matrix((np.ones(len(numbers), np.int64), numbers, starts), shape=(len(lists), width))
    found.sum_duplicates()
    return found


def _as_counts(matrix: Any) -> _Counts:
    matrix = matrix.tocsr()
    matrix.sort_indices()
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data


@dataclass(frozen=True)
class SetDifference(Computed):
    """Jaccard distance: 1 minus the number of common members divided by the size of the union; 0 for two empty sets.

    >>> difference = SetDifference()
    >>> difference.between([{"a", "b"}], difference.prepare([{"a", "b"}, {"b", "c"}, {"d"}])).round(2)
    array([[0.  , 0.67, 1.  ]])
    """

    accepts: ClassVar[tuple[str, ...]] = ("set",)

    def prepare(self, values: Sequence[Any]) -> tuple[dict[Any, int], Any, FloatArray]:
        """Return the index of each member, the indicator matrix of the stored sets, and the size of each set."""
        members = {member: place for place, member in enumerate(dict.fromkeys(m for value in values for m in value))}
        return members, _incidence(values, members).T.tocsr(), np.array([len(value) for value in values], np.float64)

    def between(self, queries: Sequence[Any], stored: tuple[dict[Any, int], Any, FloatArray]) -> FloatArray:
        members, incidence, sizes = stored
        shared = (_incidence(queries, members) @ incidence).toarray()
        union = np.array([[float(len(query))] for query in queries]) + sizes - shared
        return np.asarray(1.0 - np.divide(shared, union, out=np.ones_like(union), where=union > 0))


def _incidence(sets: Sequence[Any], members: dict[Any, int]) -> Any:
    """Return a sparse indicator matrix with a row for each set and a column for each member; ignore unknown members."""
    places = [[members[member] for member in one if member in members] for one in sets]
    starts = np.cumsum([0, *map(len, places)])
    columns = np.array([place for row in places for place in row], np.int64)
    return sparse.csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(sets), len(members)))


@dataclass(frozen=True)
class TaxonomyDifference(Computed):
    """Wu-Palmer distance, ``1 - 2 depth(c) / (depth(a) + depth(b))`` (Wu & Palmer 1994).

    Here c is the deepest common ancestor of the nodes a and b. A query value that is not a node of the taxonomy has
    difference 1 from every stored value.

    >>> device = Taxonomy({"device": {"printer": ["laser", "inkjet"], "router": None}})
    >>> difference = TaxonomyDifference(device)
    >>> difference.between(["laser"], difference.prepare(["laser", "inkjet", "router"]))
    array([[0. , 0.5, 1. ]])
    """

    taxonomy: Taxonomy

    accepts: ClassVar[tuple[str, ...]] = ("taxonomy",)
    _parameter_constraints: ClassVar[dict[str, Any]] = {"taxonomy": [Taxonomy]}

    def between(self, queries: Sequence[Any], stored: Sequence[Any]) -> FloatArray:
        above = {node: self.taxonomy.ancestors(node) for node in {*queries, *stored} if node in self.taxonomy}
        nameless = len(self.taxonomy.roots) > 1
        unseen = [1.0] * len(stored)
        return np.array(
            [[_wu_palmer(above[a], above[b], nameless) for b in stored] if a in above else unseen for a in queries]
        )


def _wu_palmer(a: tuple[str, ...], b: tuple[str, ...], nameless: bool) -> float:
    """Return the Wu-Palmer distance of two nodes, each given as a tuple of the node and its ancestors."""
    if a[0] == b[0]:
        return 0.0
    shared = set(a) & set(b)
    depths = len(a) + len(b) - 2 + 2 * nameless  # nameless: several roots have an unnamed common root
    return 1.0 - 2.0 * (len(shared) - 1 + nameless) / depths if shared else 1.0
