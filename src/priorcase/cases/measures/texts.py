"""Measures of texts: TF-IDF, edit distance, embeddings from a model, and equality."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from sklearn.utils._param_validation import StrOptions

from priorcase import _core
from priorcase._parameters import is_whole, settle
from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.cases.measures.base import Measure
from priorcase.cases.measures.sets import Documents, postings
from priorcase.cases.table import CaseColumn
from priorcase.exceptions import ParameterError, failure, quoted
from priorcase.learning.estimator import thread_count

_WORD = re.compile(r"\w+")
_NEAR = 1.0 - 1e-9


def composed(text: str) -> str:
    """Return a text in which each letter with an accent is a single character (Unicode form NFC)."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def folded(text: str, *, accents: bool = False) -> str:
    """Return a text in lower case; if ``accents`` is True, also remove accents."""
    text = composed(text.casefold())
    if not accents or text.isascii():
        return text
    return "".join(mark for mark in unicodedata.normalize("NFKD", text) if not unicodedata.combining(mark))


def words(text: str) -> list[str]:
    """Return the words of a text: runs of letters (with combining marks), digits and underscores."""
    if text.isascii():
        return _WORD.findall(text)
    # In Python's regular expressions, \w does not match vowel signs such as those of Hindi.
    marks = "".join(mark for mark in sorted(set(text)) if unicodedata.category(mark).startswith("M"))
    return re.findall(f"[\\w{marks}]+", text) if marks else _WORD.findall(text)


class _Weighted(NamedTuple):
    """TF-IDF weights of the terms in the texts of a column."""

    documents: Documents
    idf: FloatArray
    unseen: float
    """The inverse document frequency of a term that occurs in no case."""
    postings: _core.Postings

    def proportional(self, asked: dict[int, int], found: FloatArray) -> list[int]:
        """Return the positions of the texts whose term counts are proportional to those of the query (cosine 1)."""
        begins, first = self.documents.begins, next(iter(asked))
        near = np.flatnonzero(found > _NEAR)
        places = []
        for place in near[begins[near + 1] - begins[near] == len(asked)].tolist():
            at = slice(begins[place], begins[place + 1])
            held = dict(zip(self.documents.terms[at].tolist(), self.documents.counts[at].tolist(), strict=True))
            if all(n * held.get(first, 0) == asked[first] * held.get(term, 0) for term, n in asked.items()):
                places.append(place)
        return places


@dataclass(frozen=True)
class TfIdf(Measure):
    """Cosine similarity of TF-IDF vectors with weights ``tf(t) (ln((1 + n) / (1 + n_t)) + 1)``.

    ``tf(t)`` is the number of occurrences of term t in the text, n is the number of stored cases with a text, and n_t
    is the number of cases whose text contains t. The weights are the smoothed weights of scikit-learn's
    ``TfidfVectorizer``. Unlike in ``TfidfVectorizer``, words of the query that no case contains get the largest weight
    (n_t = 0), so a query that shares only "a" and "the" with a case has a low similarity to it. Texts with the same
    terms in the same proportions have similarity exactly 1. The measure is symmetric if every term of the query occurs
    in a stored case.

    Parameters
    ----------
    analyzer
        Whether terms are ``"words"`` or n-grams of ``"characters"``, which tolerate misspellings. Upper and lower case
        are treated alike.
    ngrams
        Smallest and largest number of words or characters in a term: (1, 2) uses single words and pairs of adjacent
        words. For characters, try (3, 4).
    stop_words
        Words to ignore.
    fold_accents
        Whether to ignore accents.

    >>> from priorcase.cases.measures import similarities
    >>> similarities("Jam in tray 2", ["paper jam", "tray empty", "no network"], "text", TfIdf())
    {'paper jam': 0.289..., 'tray empty': 0.289..., 'no network': 0.0}
    """

    analyzer: Literal["words", "characters"] = "words"
    ngrams: tuple[int, int] = (1, 1)
    stop_words: Collection[str] | None = None
    fold_accents: bool = False

    accepts = ("text", "nominal")
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "analyzer": [StrOptions({"words", "characters"})],
        "fold_accents": ["boolean"],
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        runs, stops = self.ngrams, self.stop_words
        pair = isinstance(runs, (tuple, list)) and len(runs) == 2 and all(map(is_whole, runs))
        if not pair or not 1 <= runs[0] <= runs[1]:
            raise ParameterError(
                "parameter 'ngrams' of TfIdf must be two integers >= 1, the smallest and the largest n, such as (1, "
                f"2), got {quoted(self.ngrams)}"
            )
        if stops is not None:
            if self.analyzer == "characters":
                raise ParameterError(
                    f"parameter 'stop_words' of TfIdf must be None if analyzer='characters', got {quoted(stops)}"
                )
            many = isinstance(stops, Collection) and not isinstance(stops, str)
            if not many or not all(isinstance(word, str) for word in stops):
                raise ParameterError(
                    "parameter 'stop_words' of TfIdf must be None or a list of words, such as ['the', 'a'], got "
                    f"{quoted(stops)}"
                )
            stops = tuple(sorted({folded(word, accents=self.fold_accents) for word in stops}))
        settle(self, ngrams=(int(runs[0]), int(runs[1])), stop_words=stops)

    def terms(self, text: str) -> list[str]:
        """Return the terms of a text, with repetitions.

        >>> TfIdf(stop_words=["in"]).terms("Paper jam in tray 2!")
        ['paper', 'jam', 'tray', '2']
        """
        return self._terms_of()(text)

    def _terms_of(self) -> Callable[[object], list[str]]:
        shortest, longest = self.ngrams
        stops, accents, by_words = frozenset(self.stop_words or ()), self.fold_accents, self.analyzer == "words"

        def terms(text: object) -> list[str]:
            plain = folded(str(text), accents=accents)
            if not by_words:
                plain = " ".join(plain.split())
                sizes = range(shortest, min(longest, len(plain)) + 1)
                return [plain[begin : begin + n] for n in sizes for begin in range(len(plain) - n + 1)]
            found = words(plain)
            if stops:
                found = [word for word in found if word not in stops]
            if shortest == longest == 1:
                return found
            sizes = range(shortest, min(longest, len(found)) + 1)
            return [" ".join(found[begin : begin + n]) for n in sizes for begin in range(len(found) - n + 1)]

        return terms

    def _prepare(self, column: CaseColumn, solutions: CaseColumn | None, earlier: _Weighted | None, /) -> _Weighted:
        texts = tuple(map(str, column.values))  # nominal values may be True and 1, which are equal
        documents = Documents.of(texts, self._terms_of(), earlier and earlier.documents)
        cases = column.counts.astype(np.float64)
        owners = np.repeat(np.arange(len(texts), dtype=np.int32), np.diff(documents.begins))
        holders = np.bincount(documents.terms, weights=cases[owners], minlength=len(documents.vocabulary))
        idf = np.log((1.0 + cases.sum()) / (1.0 + holders)) + 1.0
        weights = documents.counts * idf[documents.terms]
        norms = np.sqrt(np.bincount(owners, weights=weights * weights, minlength=len(cases)))
        unseen = math.log(1.0 + float(cases.sum())) + 1.0
        return _Weighted(documents, idf, unseen, postings(documents, weights / norms[owners]))

    def _compare(self, query: Any, column: CaseColumn, held: _Weighted, /) -> FloatArray:
        asked, vocabulary = Counter(self.terms(str(query))), held.documents.vocabulary
        # Sums are in the order of the query's terms, so that they do not depend on how terms are numbered.
        known = {number: n for term, n in asked.items() if (number := vocabulary.get(term)) is not None}
        terms = np.fromiter(known, np.int64, len(known))
        weights = np.fromiter(known.values(), np.float64, len(known)) * held.idf[terms]
        new = [n * held.unseen for term, n in asked.items() if term not in vocabulary]
        norm = math.sqrt(math.fsum([*(weights * weights), *(weight * weight for weight in new)]))
        found = held.postings.sums(terms, weights / norm if norm else weights)
        np.minimum(found, 1.0, out=found)
        if known and not new:
            found[held.proportional(known, found)] = 1.0
        if (place := column.place(query)) >= 0:
            found[place] = 1.0
        return found


@dataclass(frozen=True)
class EditDistance(Measure):
    """Similarity by edit distance: ``1 - distance / length of the longer text``.

    The Levenshtein (1966) distance is the minimum number of characters to insert, delete or replace. Two empty strings
    have similarity 1. The measure is suited to short strings such as names, codes and model numbers. Symmetric. By
    default, upper and lower case are equal (``ignore_case``).

    >>> from priorcase.cases.measures import similarities
    >>> similarities("LaserJet 400", ["laser jet 400", "LaserJet 401"], "text", EditDistance())
    {'laser jet 400': 0.923..., 'LaserJet 401': 0.916...}
    """

    ignore_case: bool = True

    accepts = ("text", "nominal", "taxonomy")
    _parameter_constraints: ClassVar[dict[str, Any]] = {"ignore_case": ["boolean"]}

    def _prepare(self, column: CaseColumn, *_: Any) -> _core.PackedTexts:
        texts = list(map(self._read, column.values))
        offsets = np.fromiter(accumulate(map(len, texts), initial=0), np.int64, len(texts) + 1)
        return _core.PackedTexts(_characters(texts), offsets)

    def _compare(self, query: Any, column: CaseColumn, texts: _core.PackedTexts, /) -> FloatArray:
        return texts.edit_similarities(_characters([self._read(query)]), thread_count(None))

    def _read(self, value: object) -> str:
        return folded(str(value)) if self.ignore_case else composed(str(value))


def _characters(texts: Iterable[str]) -> AnyArray:
    return np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


@dataclass(frozen=True)
class EqualText(Measure):
    """Similarity 1 for strings that are equal except for capitals and whitespace, otherwise 0. Symmetric.

    >>> from priorcase.cases.measures import similarities
    >>> similarities(" Paper  JAM", ["paper jam", "paper jams"], "text", EqualText())
    {'paper jam': 1.0, 'paper jams': 0.0}
    """

    accepts = ("text", "nominal", "taxonomy")

    def _prepare(self, column: CaseColumn, *_: Any) -> tuple[dict[str, int], IntArray]:
        numbers: dict[str, int] = {}
        held = [numbers.setdefault(self._read(value), len(numbers)) for value in column.values]
        return numbers, np.array(held, dtype=np.int64)

    def _compare(self, query: Any, column: CaseColumn, state: tuple[dict[str, int], IntArray], /) -> FloatArray:
        numbers, held = state
        return np.asarray(held == numbers.get(self._read(query), -1), dtype=np.float64)

    def _read(self, value: object) -> str:
        return " ".join(folded(str(value)).split())


class _Vectors(NamedTuple):
    places: dict[str, int]
    rows: AnyArray


@dataclass(frozen=True)
class Embedding(Measure):
    """Cosine similarity of text embeddings from your own model, ``max(0, cosine)``.

    ``model`` is a function that takes a list of strings and returns a 2-d array with one row per text, or an object
    whose method ``encode`` is such a function, like the models of sentence-transformers. The model must return equal
    vectors for equal strings. Vectors of stored texts are cached, so the model encodes only new texts. ``name`` is the
    model's name in tables and messages. A text with a zero vector has similarity 0 to every other text and 1 to itself.
    Symmetric.

    >>> from priorcase.cases.measures import similarities
    >>> def letters(texts):
    ...     return [[text.count("a"), text.count("b")] for text in texts]
    >>> similarities("aab", ["a", "ab", "b"], "text", Embedding(letters, name="letters"))
    {'a': 0.894..., 'ab': 0.948..., 'b': 0.447...}
    """

    model: Any = field(repr=False)
    name: str = "embedding"
    _kept: dict[str, _Vectors] = field(init=False, repr=False, compare=False, hash=False, default_factory=dict)

    accepts = ("text", "nominal", "taxonomy")

    def __post_init__(self) -> None:
        encodes = callable(self.model) or callable(getattr(self.model, "encode", None))
        if not encodes or isinstance(self.model, (str, type)):  # strings have a method encode, too
            raise ParameterError(
                "parameter 'model' of Embedding must be a function from a list of strings to a 2-d array, or an object "
                f"whose method encode is such a function, got {quoted(self.model)}"
            )
        if not isinstance(self.name, str) or not self.name:
            raise ParameterError(f"parameter 'name' of Embedding must be a non-empty string, got {quoted(self.name)}")

    def __hash__(self) -> int:
        return hash((id(self.model), self.name))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Embedding) and self.model is other.model and self.name == other.name

    def __reduce__(self) -> tuple[Any, ...]:
        return Embedding, (self.model, self.name)

    def _prepare(self, column: CaseColumn, solutions: CaseColumn | None, earlier: _Vectors | None, /) -> _Vectors:
        before = earlier or self._kept.get(column.name) or _Vectors({}, np.empty((0, 0)))
        texts = list(dict.fromkeys(map(str, column.values)))
        rows, places = before.rows, dict(before.places)
        if new := [text for text in texts if text not in places]:
            encoded = self._encoded(new, column.name, rows.shape[1])
            rows = np.concatenate([rows.reshape(-1, encoded.shape[1]).astype(encoded.dtype, copy=False), encoded])
            places |= {text: place for place, text in enumerate(new, len(places))}
        at = [places[text] for text in texts]
        self._kept[column.name] = vectors = _Vectors({text: i for i, text in enumerate(texts)}, rows[at])
        return vectors

    def _compare(self, query: Any, column: CaseColumn, vectors: _Vectors, /) -> FloatArray:
        if not column.values:
            return np.empty(0)
        (places, rows), text = vectors, str(query)
        asked = rows[places[text]] if text in places else self._encoded([text], column.name, rows.shape[1])[0]
        # Not a matrix product of the linear algebra library, whose last bits depend on the number of threads.
        found: FloatArray = np.einsum("ij,j->i", rows, asked.astype(rows.dtype, copy=False)).astype(np.float64)
        if len(rows) != len(column.values):
            found = found[[places[str(value)] for value in column.values]]
        np.clip(found, 0.0, 1.0, out=found)
        if (own := column.place(query)) >= 0:
            found[own] = 1.0
        return found

    def _encoded(self, texts: list[str], attribute: str, width: int) -> AnyArray:
        """Encode texts with the model, and scale the vectors to length 1. Zero vectors are not scaled."""
        asked = f"{len(texts)} text{'s' * (len(texts) != 1)} of attribute {attribute!r}"
        encode = getattr(self.model, "encode", None)
        try:
            answer = encode(list(texts)) if callable(encode) else self.model(list(texts))
        except Exception as error:  # a user's model can raise anything; it is chained as the cause
            raise ParameterError(
                f"{quoted(self)} raised {failure(error)} for {asked}. See the traceback above."
            ) from error
        try:
            rows = np.asarray(answer)
            problem = _wrong_with(rows, len(texts), width)
        except (TypeError, ValueError):
            problem = "rows of different lengths"
        if problem:
            raise ParameterError(
                f"the model of {quoted(self)} returned {problem} for {asked}; expected a 2-d array of finite numbers "
                "with one row for each text and the same number of columns in every call."
            )
        rows = rows if rows.dtype == np.float32 else rows.astype(np.float64)
        largest = np.abs(rows).max(axis=1, keepdims=True)
        rows = rows / np.where(largest > 0, largest, 1)  # squares of very large numbers are infinite
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
        return np.asarray(rows / np.where(norms > 0, norms, 1))


def _wrong_with(rows: AnyArray, n_texts: int, width: int) -> str | None:
    """Describe what is wrong with a model's output; return None if the output is a valid array of vectors."""
    if rows.dtype.kind not in "fiu":
        return f"an array of {rows.dtype}"
    if rows.ndim != 2 or len(rows) != n_texts or rows.shape[1] == 0:
        return f"an array of shape {rows.shape}"
    if width not in (0, rows.shape[1]):
        return f"{rows.shape[1]} columns (previously {width})"
    return None if np.isfinite(rows).all() else "numbers that are not finite"
