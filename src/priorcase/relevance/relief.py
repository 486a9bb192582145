"""Relief: an attribute is relevant if near rows of different classes differ more in it than near rows of one class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.utils._param_validation import Interval

from priorcase._core import relief_sums
from priorcase._typing import FloatArray, IdArray
from priorcase.learning.resampling import blocks
from priorcase.relevance.base import TrainingData, WeightingMethod, fixed_sample
from priorcase.search import Index
from priorcase.search.index import SLACK, NeighborList
from priorcase.similarity.differences import raised

_SAMPLES = 2_000
# Maximum number of searches, one for each sampled row and class.
_MAX_SEARCHES = 200_000
_MIN_SAMPLES = 100
# If rows have tiny weights, at most this many times k rows are searched.
_MAX_GROWTH = 16
_AT_LEAST_ONE = Interval(Integral, 1, None, closed="left")


@dataclass(frozen=True)
class Relief(WeightingMethod):
    """ReliefF weights for classes and RReliefF weights for numeric targets, with the estimator's distance.

    For classes, R runs over m rows, H (hits) over the k nearest rows of the same class, and M (misses) over the k
    nearest rows of each other class C (Robnik-Sikonja & Kononenko 2003, figure 2)::

        W(A) = (1 / m k) sum_R [ sum_C P(C) / (1 - P(class of R)) sum_misses d_A(R, M) - sum_hits d_A(R, H) ]

    For numbers, I runs over the k nearest rows of R, and d_y is a target difference divided by the range (figure 3)::

        W(A) = N_yA / N_y - (N_A - N_yA) / (m - N_y)
        N_y = sum d_y(R, I) / k,    N_A = sum d_A(R, I) / k,    N_yA = sum d_y(R, I) d_A(R, I) / k

    Differences are multiplied by W before they are raised to the power of the distance, so the attribute weight is
    ``W ** power`` (Aha 1992 also squares the weights). A negative W is set to 0. Neighbors are found with equal
    weights. The method can detect attributes that matter only together, but needs many rows if most attributes are
    noise.

    Parameters
    ----------
    n_neighbors
        Number k of neighbors of each class; for a numeric target, number k of neighbors in total.
    n_samples
        Number m of rows R, which are a fixed sample. None: at most 2,000 rows. If m times the number of classes exceeds
        200,000, the sample is reduced, but not below 100 rows.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [[0.0, 5.0], [0.1, 1.0], [0.9, 4.0], [1.0, 2.0]], ["no", "no", "yes", "yes"]
    >>> pc.KNNClassifier(1, attribute_weights=Relief(n_neighbors=1)).fit(X, y).attribute_weights_.weights
    array([0.64, 0.  ])
    """

    n_neighbors: int = 10
    n_samples: int | None = None

    method: ClassVar[str] = "relief"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [_AT_LEAST_ONE],
        "n_samples": [_AT_LEAST_ONE, None],
    }

    def learn(self, data: TrainingData) -> FloatArray:
        """Return the Relief score W of each attribute (0 if negative), raised to the power of the distance."""
        return raised(np.maximum(self.scores(data), 0.0), data.fitted.distance.power)

    def scores(self, data: TrainingData) -> FloatArray:
        """Return the Relief score W of each attribute, which can be negative; 0 if differences overflow float64."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = self._class_scores(data) if data.has_classes else self._number_scores(data)
        return np.where(np.isfinite(found), found, 0.0)

    def _class_scores(self, data: TrainingData) -> FloatArray:
        codes, weights, ids = data.targets(), data.row_weights(), data.instances.ids
        n_classes = int(codes.max(initial=-1)) + 1
        indexes = [Index(data.instances, data.fitted, ids[codes == c]) for c in range(n_classes)]
        prior = np.bincount(codes, weights=weights) / weights.sum()
        total, n_sampled = np.zeros(data.n_attributes), 0.0
        for rows in self._samples(data, max(_MIN_SAMPLES, _MAX_SEARCHES // n_classes)):
            found = [self._neighbors(data, index, rows) for index in indexes]
            for c, near in enumerate(found):
                miss = prior[c] / np.where(codes[rows] == c, 1.0, 1.0 - prior[codes[rows]])
                factors = weights[rows] * np.where(codes[rows] == c, -1.0, miss)
                total += _summed(data, rows, near, _divide(factors, near))
            n_sampled += float(weights[rows].sum())
        return total / n_sampled

    def _number_scores(self, data: TrainingData) -> FloatArray:
        weights, numbers = data.row_weights(), data.targets()
        numbers = numbers / (float(np.abs(numbers).max(initial=0.0)) or 1.0)  # their range may be beyond float64
        span = float(numbers.max() - numbers.min())
        numbers = numbers / span if span > 0 else np.zeros(numbers.size)
        index, n_sampled, n_y = data.index(), 0.0, 0.0
        n_a, n_ya = np.zeros(data.n_attributes), np.zeros(data.n_attributes)
        for rows in self._samples(data, _MAX_SEARCHES):
            near = self._neighbors(data, index, rows)
            parts = _divide(weights[rows], near)
            differing = parts * np.abs(numbers[rows][near.queries()] - numbers[near.rows])
            n_a += _summed(data, rows, near, parts)
            n_ya += _summed(data, rows, near, differing)
            n_y += float(differing.sum())
            n_sampled += float(parts.sum())
        return n_ya / n_y - (n_a - n_ya) / (n_sampled - n_y) if 0.0 < n_y < n_sampled else np.zeros(data.n_attributes)

    def _neighbors(self, data: TrainingData, index: Index, rows: IdArray) -> NeighborList:
        return weighted_neighbors(data, index, data.instances.cells(rows), data.instances.ids[rows], self.n_neighbors)

    def _samples(self, data: TrainingData, most: int) -> Iterator[IdArray]:
        """Yield the positions of at most ``most`` sampled rows, in blocks."""
        sampled = fixed_sample(len(data), min(self.n_samples or _SAMPLES, most))
        for part in blocks(sampled.size, text="relief"):
            yield sampled[part]


def _summed(data: TrainingData, rows: IdArray, near: NeighborList, factors: FloatArray) -> FloatArray:
    """Return, for each attribute, the sum of factor times difference over all pairs of a row and a neighbor."""
    used, at = np.unique(np.concatenate([rows, near.rows]), return_inverse=True)
    queries, found = np.split(at.ravel(), [rows.size])
    arguments, power = data.core_arguments(used), data.fitted.distance.power
    sums = relief_sums(*arguments, queries, near.indptr, found, factors, power=power, threads=data.threads)
    return np.asarray(sums.sum(axis=0))


def _totals(near: NeighborList) -> FloatArray:
    """Return the total weight of each query's neighbors."""
    return np.bincount(near.queries(), weights=near.counts, minlength=len(near)).astype(np.float64)


def _divide(factors: FloatArray, near: NeighborList) -> FloatArray:
    """Divide the factor of each query among its neighbors in proportion to their counts."""
    totals = _totals(near)
    return np.asarray((factors / np.where(totals > 0, totals, 1.0))[near.queries()] * cast(FloatArray, near.counts))


def weighted_neighbors(
    data: TrainingData, index: Index, cells: FloatArray, own: IdArray | None, k: int, weights: FloatArray | None = None
) -> NeighborList:
    """Return the nearest rows of an index to each query, with a total weight of at most ``k``.

    If the queries are stored rows, ``own`` contains their ids, and no query is its own neighbor; a row with weight 2
    still has one copy of itself as a neighbor.
    """
    ids, row_weights = data.instances.ids, data.instances.weights
    wanted, most = k if row_weights is None else k + 1, min(len(index), _MAX_GROWTH * k)
    exclude, algorithm, threads = own if row_weights is None else None, data.algorithm, data.threads
    while True:
        n = min(wanted, most)
        found = index.kneighbors(
            data.fitted, cells, n, weights=weights, exclude=exclude, algorithm=algorithm, threads=threads
        )
        indptr, rows = found.indptr, np.searchsorted(ids, found.ids)
        if row_weights is None:
            return NeighborList(indptr, rows, found.distances, np.ones(rows.size))
        left = row_weights[rows]
        if own is not None:
            is_own = found.ids == np.repeat(own, np.diff(indptr))
            left = left - np.where(is_own, np.minimum(left, 1.0), 0.0)
        reached = np.empty_like(left)
        for start, stop in zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True):
            np.cumsum(left[start:stop], out=reached[start:stop])
        counts = np.minimum(left, k - (reached - left))  # the last row counts only in part if the total would exceed k
        kept = counts > SLACK
        indptr = np.concatenate(([0], np.cumsum(kept)))[indptr]
        near = NeighborList(indptr, rows[kept], found.distances[kept], counts[kept])
        if wanted >= most or (_totals(near) >= k * (1 - SLACK)).all():
            return near
        wanted *= 2
