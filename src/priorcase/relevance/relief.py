"""Relief: an attribute matters where near rows of other classes differ in it more than near rows of the same class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from priorcase._core import relief_sums
from priorcase._parameters import is_whole
from priorcase._typing import FloatArray, IdArray
from priorcase.exceptions import ParameterError
from priorcase.learning.progress import blocks
from priorcase.relevance.evidence import Evidence
from priorcase.relevance.near import Near, near
from priorcase.relevance.sampling import some
from priorcase.search import Index
from priorcase.similarity.checks import settle
from priorcase.similarity.terms import raised

MOST_SAMPLES = 2_000
"""How many rows are looked around unless said otherwise."""

# For each row and class a search of its own.
_MOST_SEARCHES = 200_000
_LEAST_SAMPLES = 100


@dataclass(frozen=True)
class Relief:
    """ReliefF for classes, RReliefF for numbers; differences are those of the estimator's own fitted distance.

    For classes, summed over m rows R, with k nearest rows of each class (Robnik-Sikonja & Kononenko 2003, figure 2)::

        W(A) = (1 / m k) sum_R [ sum_C P(C) / (1 - P(class of R)) sum_misses d_A(R, M) - sum_hits d_A(R, H) ]

    For numbers, with the k nearest rows I of R and differences d_y of targets in parts of their range (figure 3)::

        W(A) = N_yA / N_y - (N_A - N_yA) / (m - N_y)
        N_y = sum d_y(R, I) / k,    N_A = sum d_A(R, I) / k,    N_yA = sum d_y(R, I) d_A(R, I) / k

    An axis is stretched by its W: differences are multiplied by it before they are raised to the distance's power, so
    that its weight in the cost is ``W ** power`` (Aha 1992 squares his weights too); a negative W counts as 0.
    Neighbours are found with all attributes weighing the same, so that attributes which matter only together are seen;
    where most attributes are noise it needs many rows. A class of fewer than k others is looked at as a whole. Where
    the distance leaves gaps out, they add nothing.

    Parameters
    ----------
    n_neighbors
        k, how many neighbours of each class are looked at.
    n_samples
        m, how many rows are looked around, always the same ones of as many rows; None: 2,000 of them, or all where
        there are fewer. With very many classes fewer, so that there are no more than 200,000 searches.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [[0.0, 5.0], [0.1, 1.0], [0.9, 4.0], [1.0, 2.0]], ["no", "no", "yes", "yes"]
    >>> pc.KNNClassifier(1, attribute_weights=Relief(n_neighbors=1)).fit(X, y).attribute_weights_
    array([0.64, 0.  ])
    """

    n_neighbors: int = 10
    n_samples: int | None = None

    method: ClassVar[str] = "relief"
    takes_numbers: ClassVar[bool] = True

    def __post_init__(self) -> None:
        settle(self, n_neighbors=_at_least_one("n_neighbors", self.n_neighbors, "10 is usual."))
        if self.n_samples is not None:
            hint = "None looks around 2,000 rows, or around all where there are fewer."
            settle(self, n_samples=_at_least_one("n_samples", self.n_samples, hint))

    def learn(self, evidence: Evidence) -> FloatArray:
        """``W ** power`` of each attribute."""
        return raised(np.maximum(self.scores(evidence), 0.0), evidence.fitted.distance.power)

    def scores(self, evidence: Evidence) -> FloatArray:
        """W of each attribute, which may be negative; 0 where differences are beyond float64."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = self._of_classes(evidence) if evidence.has_classes else self._of_numbers(evidence)
        return np.where(np.isfinite(found), found, 0.0)

    def _of_classes(self, evidence: Evidence) -> FloatArray:
        codes, n_classes = evidence.classes()
        times = evidence.repetitions()
        ids = evidence.instances.ids
        indexes = [Index(evidence.instances, evidence.fitted, ids[codes == c]) for c in range(n_classes)]
        shares = np.bincount(codes, weights=times) / times.sum()
        searches = max(_LEAST_SAMPLES, _MOST_SEARCHES // n_classes)
        total, looked = np.zeros(evidence.width), 0.0
        for rows in self._samples(evidence, searches):
            lists = [self._near(evidence, index, rows) for index in indexes]
            for c, found in enumerate(lists):
                other = shares[c] / np.where(codes[rows] == c, 1.0, 1.0 - shares[codes[rows]])
                factors = times[rows] * np.where(codes[rows] == c, -1.0, other)
                total += _summed(evidence, rows, found, _spread(found, factors))
            looked += float(times[rows].sum())
        return total / looked

    def _of_numbers(self, evidence: Evidence) -> FloatArray:
        numbers, times = _in_range(evidence.numbers()), evidence.repetitions()
        index, looked, differing = evidence.index(), 0.0, 0.0
        by_all, by_differing = np.zeros(evidence.width), np.zeros(evidence.width)
        for rows in self._samples(evidence, _MOST_SEARCHES):
            found = self._near(evidence, index, rows)
            parts = _spread(found, times[rows])
            gaps = np.abs(numbers[rows][found.queries()] - numbers[found.rows])
            by_all += _summed(evidence, rows, found, parts)
            by_differing += _summed(evidence, rows, found, parts * gaps)
            differing += float((parts * gaps).sum())
            looked += float(parts.sum())
        if not 0.0 < differing < looked:
            return np.zeros(evidence.width)
        return by_differing / differing - (by_all - by_differing) / (looked - differing)

    def _near(self, evidence: Evidence, index: Index, rows: IdArray) -> Near:
        instances = evidence.instances
        return near(evidence, index, instances.cells(rows), instances.ids[rows], self.n_neighbors)

    def _samples(self, evidence: Evidence, most: int) -> Iterator[IdArray]:
        """Positions of the rows to look around, block by block."""
        chosen = some(len(evidence), min(self.n_samples or MOST_SAMPLES, most))
        for part in blocks(chosen.size, text=f"{evidence.owner}: relief"):
            yield chosen[part]


def _spread(found: Near, factors: FloatArray) -> FloatArray:
    """The factor of each query shared out among its neighbours by their counts."""
    totals = found.totals()
    each: FloatArray = (factors / np.where(totals > 0, totals, 1.0))[found.queries()] * found.counts
    return each


def _summed(evidence: Evidence, rows: IdArray, found: Near, factors: FloatArray) -> FloatArray:
    """The sum of factor times difference in each attribute over all entries."""
    used, at = np.unique(np.concatenate([rows, found.rows]), return_inverse=True)
    at = at.ravel()
    sums = relief_sums(
        *evidence.compiled(used),
        at[: rows.size],
        found.indptr,
        at[rows.size :],
        factors,
        power=evidence.fitted.distance.power,
        threads=evidence.threads,
    )
    return np.asarray(sums.sum(axis=0))


def _in_range(numbers: FloatArray) -> FloatArray:
    """Numbers in parts of their range; 0 where all are equal."""
    largest = float(np.abs(numbers).max(initial=0.0)) or 1.0
    scaled = numbers / largest  # the range itself may be beyond float64
    span = float(scaled.max() - scaled.min())
    return scaled / span if span > 0 else np.zeros(numbers.size)


def _at_least_one(parameter: str, value: object, hint: str) -> int:
    if is_whole(value) and int(value) >= 1:
        return int(value)
    raise ParameterError.wrong(parameter, value, expected="a whole number >= 1", hint=hint)
