"""Attribute weights from the rows that others store: how probable it is that each attribute matters."""

from __future__ import annotations

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IdArray
from priorcase.bayes.memory import BayesMemory
from priorcase.bayes.priors import Dirichlet
from priorcase.bayes.student import Student
from priorcase.bayes.subset_evidence import subset_evidence, subset_weights
from priorcase.instances import Instances
from priorcase.learning.labels import Labelling
from priorcase.schema import Numeric

# Weights below it would leave distances that are nothing but rounding.
LEAST_WEIGHT = 1e-12

# The order of the classes is all that matters here, and objects of any kind have one.
_LABELLING = Labelling(flat=True, sort="text", batches=((0, np.dtype(object)),))


class RelevanceWeights(BayesMemory):
    """Weights that follow the stored rows: the ``relevance_`` of a `SubsetAveragedBayes` with its default parameters.

    A weight below 1e-12 is 0. Where no weight is left all attributes weigh the same.

    Parameters
    ----------
    instances
        The rows, with their classes as the only target. Whoever adds and removes them must say so here.
    owner
        Whose rows they are, for messages.
    threads
        Threads to count with.
    """

    def __init__(self, instances: Instances, *, owner: str, threads: int = 1) -> None:
        numeric = [Student() if isinstance(kind, Numeric) else None for kind in instances.schema.kinds]
        super().__init__(instances, owner=owner, numeric=numeric, missing_counts=False, threads=threads)

    @property
    def weights(self) -> FloatArray:
        """One weight for each attribute, by the rows stored now."""
        return self.cached("relevance", self._weights)

    def _weights(self) -> FloatArray:
        if not len(self):
            return np.ones(len(self.numeric))
        statistics, inclusion = self.statistics(_LABELLING, self.threads), np.full(len(self.numeric), 0.5)
        weights = subset_weights(Dirichlet(1.0), None, inclusion, statistics, self.instances)
        relevance = subset_evidence(statistics, weights, self.numeric, inclusion).relevance
        kept = np.where(relevance < LEAST_WEIGHT, 0.0, relevance)
        return kept if kept.any() else np.ones(kept.size)

    def follow(self, ids: IdArray) -> None:
        """Rows were added."""
        self._added(ids)

    def follow_removal(self, rows: tuple[list[AnyArray], list[AnyArray], FloatArray | None]) -> None:
        """Rows, looked up before, were removed."""
        counts, sums = self._counts, self._sums
        self.reset()
        if len(self.instances):
            self._count(counts, sums, *rows, sign=-1)
            self._counts, self._sums = counts, sums

    def reset(self) -> None:
        """Rows came and went unseen: count all again."""
        self._cache.clear()
        self._counts = self._sums = None
