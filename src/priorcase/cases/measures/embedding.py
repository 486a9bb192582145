"""Texts that are alike where a user's model puts them near each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from priorcase._typing import AnyArray, FloatArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored
from priorcase.cases.measures.local_similarity import Prepared
from priorcase.exceptions import ParameterError, failure, quoted


@dataclass(frozen=True)
class Embedding:
    """``max(0, cosine)`` of the vectors that a model gives two texts.

    Vectors of stored texts are kept, so that only new texts go through the model; those of texts that no case has any
    more are dropped. A vector of zeros is like nothing, but a stored text is always like itself. Symmetric.

    Parameters
    ----------
    model
        A function from a list of texts to a table of numbers, one row for each text; or an object with ``encode`` that
        is such a function, as the models of sentence-transformers have. It must give equal texts equal vectors.
    name
        What to call the model in tables and messages.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> def letters(texts):
    ...     return [[text.count("a"), text.count("b")] for text in texts]
    >>> similarities("aab", ["a", "ab", "b"], "text", Embedding(letters, name="letters"))
    {'a': 0.894..., 'ab': 0.948..., 'b': 0.447...}
    """

    model: Any = field(repr=False)
    name: str = "embedding"
    _kept: dict[str, _Vectors] = field(init=False, repr=False, compare=False, hash=False, default_factory=dict)

    accepts: ClassVar[tuple[str, ...]] = ("text", "nominal", "taxonomy")
    needs_solutions: ClassVar[bool] = False

    def __post_init__(self) -> None:
        encodes = callable(self.model) or callable(getattr(self.model, "encode", None))
        if not encodes or isinstance(self.model, (str, type)):  # texts can be encoded, too
            raise ParameterError(
                "model must be a function from a list of texts to a 2-d array, or an object with .encode, got "
                f"{quoted(self.model)}. For example SentenceTransformer('...'), or its .encode."
            )
        if not isinstance(self.name, str) or not self.name:
            raise ParameterError(
                f"name must be a text that is not empty, got {quoted(self.name)}. It names the model in tables and "
                "messages."
            )

    def __hash__(self) -> int:
        return hash((id(self.model), self.name))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Embedding) and self.model is other.model and self.name == other.name

    def __reduce__(self) -> tuple[Any, ...]:
        return Embedding, (self.model, self.name)

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        earlier = previous.vectors if isinstance(previous, _Prepared) and previous.measure == self else None
        earlier = earlier or self._kept.get(column.name) or _Vectors({}, np.empty((0, 0)))
        vectors = self._extended(earlier, tuple(map(str, column.values)), column.name)
        self._kept[column.name] = vectors
        return _Prepared(self, column, vectors)

    def _extended(self, earlier: _Vectors, texts: tuple[str, ...], attribute: str) -> _Vectors:
        """The vectors of some texts, those known from earlier not computed again."""
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        new = [text for text in places if text not in earlier.places]
        rows = self.encoded(new, attribute, earlier.rows.shape[1]) if new else earlier.rows[:0]
        known = [text for text in places if text in earlier.places]
        found = np.empty((len(places), max(rows.shape[1], earlier.rows.shape[1])), dtype=rows.dtype)
        if known:
            found[[places[text] for text in known]] = earlier.rows[[earlier.places[text] for text in known]]
        found[[places[text] for text in new]] = rows
        return _Vectors(places, found)

    def encoded(self, texts: Sequence[str], attribute: str, width: int = 0) -> AnyArray:
        """The vectors of some texts, of length 1 each (or 0), in the model's own precision."""
        encode = getattr(self.model, "encode", None)
        try:
            answer = encode(list(texts)) if callable(encode) else self.model(list(texts))
        except Exception as error:  # whatever a user's model raises; it is the cause of what is raised here
            raise ParameterError(
                f"{quoted(self)} raised {failure(error)} for {len(texts)} text{'s' * (len(texts) != 1)} of attribute "
                f"{attribute!r}. The traceback above this one shows where."
            ) from error
        try:
            rows = np.asarray(answer)
        except (TypeError, ValueError):
            n_texts = len(texts)
            raise ParameterError(
                f"the model of {quoted(self)} returned rows of different lengths for {n_texts} "
                f"text{'s' * (n_texts != 1)} of attribute {attribute!r}; expected a table of finite numbers: one row "
                "for each text, always as many columns. A model is a function from a list of texts to a 2-d array, or "
                "has .encode that is one."
            ) from None
        if problem := _wrong_with(rows, len(texts), width):
            n_texts = len(texts)
            raise ParameterError(
                f"the model of {quoted(self)} returned {problem} for {n_texts} text{'s' * (n_texts != 1)} of attribute "
                f"{attribute!r}; expected a table of finite numbers: one row for each text, always as many columns. A "
                "model is a function from a list of texts to a 2-d array, or has .encode that is one."
            )
        rows = rows if rows.dtype == np.float32 else rows.astype(np.float64)
        largest = np.abs(rows).max(axis=1, keepdims=True)
        rows = rows / np.where(largest > 0, largest, 1)  # squares of very large numbers are infinite
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
        return np.asarray(rows / np.where(norms > 0, norms, 1))


def _wrong_with(rows: AnyArray, n_texts: int, width: int) -> str | None:
    """What keeps a model's answer from being vectors; None where nothing does."""
    if rows.dtype.kind not in "fiu":
        return f"an array of {rows.dtype}"
    if rows.ndim != 2:
        return f"{rows.ndim} dimension{'s' * (rows.ndim != 1)}"
    if len(rows) != n_texts:
        return f"{len(rows)} row{'s' * (len(rows) != 1)}"
    if rows.shape[1] == 0 or width not in (0, rows.shape[1]):
        return f"{rows.shape[1]} columns" + (f" after {width} before" if width else "")
    return None if np.isfinite(rows).all() else "numbers that are not finite"


@dataclass(frozen=True, eq=False)
class _Vectors:
    places: dict[str, int]
    rows: AnyArray


@dataclass(frozen=True, eq=False)
class _Prepared:
    measure: Embedding
    column: CaseColumn
    vectors: _Vectors

    def similarities(self, query: Stored) -> FloatArray:
        if not self.column.values:
            return np.empty(0)
        text, rows = str(query), self.vectors.rows
        place = self.vectors.places.get(text, -1)
        asked = rows[place] if place >= 0 else self.measure.encoded([text], self.column.name, rows.shape[1])[0]
        # Not a matrix product of the linear algebra library, whose bits depend on the number of threads.
        found: FloatArray = np.einsum("ij,j->i", rows, asked.astype(rows.dtype, copy=False)).astype(np.float64)
        if len(rows) != len(self.column.values):
            found = found[[self.vectors.places[str(value)] for value in self.column.values]]
        np.clip(found, 0.0, 1.0, out=found)
        if (own := self.column.place(query)) >= 0:
            found[own] = 1.0
        return found
