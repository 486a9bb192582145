"""For each term the values that hold it: sums over what a query and each value have in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from priorcase import _core
from priorcase._typing import AnyArray, FloatArray
from priorcase.cases.measures.documents import Documents


@dataclass(frozen=True, eq=False)
class Postings:
    """Entries by term: ``indices[indptr[t] : indptr[t + 1]]`` are the values that hold term t."""

    indptr: AnyArray
    indices: AnyArray
    weights: FloatArray | None
    n_values: int

    @classmethod
    def of(cls, documents: Documents, weights: FloatArray | None = None) -> Postings:
        """The postings of documents, each entry with its weight, or with 1."""
        shape = (len(documents.values), len(documents.vocabulary))
        data = np.ones(len(documents.terms)) if weights is None else weights
        table = sparse.csr_array((data, documents.terms, documents.begins), shape=shape).tocsc()
        indptr, indices = table.indptr.astype(np.int64), table.indices.astype(np.int32)
        return cls(indptr, indices, None if weights is None else table.data, shape[0])

    def sums(self, terms: AnyArray, term_weights: FloatArray) -> FloatArray:
        """For each value ``sum_t w_t w_vt`` over the given terms, in their order."""
        terms = np.ascontiguousarray(terms, dtype=np.int64)
        return _core.accumulate(self.indptr, self.indices, self.weights, terms, term_weights, self.n_values)
