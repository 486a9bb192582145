"""Differences between texts, between sets and between nodes of a taxonomy, computed in Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils._param_validation import StrOptions

from priorcase._typing import FloatArray
from priorcase.schema.kinds import Analyzer
from priorcase.schema.taxonomy import Taxonomy
from priorcase.similarity.computed import Computed

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

# Equal texts differ only by rounding.
_NOTHING = 1e-12
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

    def prepare(self, values: Sequence[Any]) -> tuple[int, list[tuple[CountVectorizer, TfidfTransformer, Any]]]:
        """Return the number of stored texts, and the fitted vectorizers and vectors for each kind of token."""
        from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer  # not needed without texts

        found = []
        for name in VECTORIZERS if self.analyzer == "both" else (self.analyzer,):
            counter, weights = CountVectorizer(**VECTORIZERS[name]), TfidfTransformer(sublinear_tf=True)
            try:
                counts = counter.fit_transform(map(str, values))
            except ValueError:  # no text has a token
                continue
            counts.sort_indices()  # makes vector lengths identical for any order of the texts
            found.append((counter, weights, weights.fit_transform(counts).T.tocsr()))
        return len(values), found

    def between(self, queries: Sequence[Any], stored: tuple[int, list[Any]]) -> FloatArray:
        n, vectorizers = stored
        if not vectorizers:
            return np.ones((len(queries), n))
        parts = [
            (weights.transform(counter.transform(map(str, queries))) @ vectors).toarray()
            for counter, weights, vectors in vectorizers
        ]
        difference: FloatArray = 1.0 - sum(parts) / len(parts)
        return np.where(difference < _NOTHING, 0.0, difference)


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
