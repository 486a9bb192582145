"""Distances from rows to centres, which need not be stored rows: their numbers may be means."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from priorcase._typing import FloatArray
from priorcase.instances import Instances
from priorcase.search import Index
from priorcase.similarity import FittedDistance


class Centers:
    """Centres, and how far rows are from them by the distance fitted to the stored rows.

    Parameters
    ----------
    instances
        The stored rows, whose code numbers the centres use.
    fitted
        The distance.
    attribute_weights
        One weight for each attribute; None where all weigh the same.
    cells
        The centres as cells, shape (centres, attributes).
    """

    def __init__(
        self, instances: Instances, fitted: FittedDistance, attribute_weights: FloatArray | None, cells: FloatArray
    ) -> None:
        self._instances = instances
        self.fitted = fitted
        self.attribute_weights = attribute_weights
        self.cells = np.ascontiguousarray(cells)

    def __len__(self) -> int:
        return len(self.cells)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_index"}

    def at(self, cells: FloatArray) -> Centers:
        """Other centres for the same rows."""
        return Centers(self._instances, self.fitted, self.attribute_weights, cells)

    def distances(self, cells: FloatArray, *, threads: int = 1) -> FloatArray:
        """Distance of each row from each centre, shape (rows, centres)."""
        index = self._index
        queries = np.ascontiguousarray(self.fitted.prepare(cells))
        weights = index.ones if self.attribute_weights is None else self.attribute_weights[None, :]
        ids = np.arange(len(self), dtype=np.int64)
        costs = index.core.costs(index.plan_of(self.fitted), queries, weights, ids, threads)
        return self.fitted.finish(costs)

    def squares(self, cells: FloatArray, *, threads: int = 1) -> FloatArray:
        """Squared distances; infinite where they are beyond float64."""
        distances = self.distances(cells, threads=threads)
        with np.errstate(over="ignore"):
            return distances * distances

    @cached_property
    def _index(self) -> Index:
        index = Index(self._instances, self.fitted, np.empty(0, np.int64))
        index.take(np.arange(len(self), dtype=np.int64), self.cells)
        return index


def gaussian(squares: FloatArray, widths: FloatArray | float) -> FloatArray:
    """How strongly each centre answers: ``exp(-d^2 / (2 sigma^2))`` (Mitchell 1997, eq. 8.9).

    Examples
    --------
    >>> gaussian(np.array([[0.0, 2.0, np.inf]]), 1.0)
    array([[1.        , 0.36787944, 0.        ]])
    """
    with np.errstate(over="ignore"):
        scaled: FloatArray = squares / widths
        scaled /= widths  # not by the square, which may vanish
    scaled *= -0.5
    return np.exp(scaled, out=scaled)
