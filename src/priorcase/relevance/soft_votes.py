"""Rows that tell each other's targets by votes exp(-cost), and how well they do under some attribute weights."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from priorcase._core import Plan, Stretch, relief_sums
from priorcase._typing import FloatArray, IdArray
from priorcase.relevance.evidence import Evidence
from priorcase.relevance.sampling import shuffled
from priorcase.relevance.symbols import entropy

LOSSES = {"log": 0, "errors": 1, "squared": 2}
"""The core's numbers for its losses."""

# Pairs of rows by whose differences attributes are put on one scale.
_OTHERS = 10


@dataclass(frozen=True, slots=True)
class Told:
    """What rows are told by each other, as the core takes it.

    Parameters
    ----------
    labels, numbers
        Classes from 0, or numbers; the other is None.
    times
        How many rows each row stands for.
    shares
        The share of each class among all rows.
    loss
        The core's number for the loss.
    guess
        The loss of one answer for all rows: the entropy of the classes, or the variance of the numbers.
    """

    labels: IdArray | None
    numbers: FloatArray | None
    times: FloatArray
    shares: FloatArray
    loss: int
    guess: float

    @classmethod
    def of(cls, evidence: Evidence, loss: str | None) -> Told:
        """The targets of all rows."""
        if evidence.has_classes:
            return cls.by(evidence.classes()[0], None, evidence.repetitions(), loss)
        return cls.by(None, evidence.numbers(), evidence.repetitions(), loss)

    @classmethod
    def by(cls, labels: IdArray | None, numbers: FloatArray | None, times: FloatArray, loss: str | None) -> Told:
        """Classes or numbers; the loss is the log loss of classes or the squared error of numbers unless named."""
        if labels is None:
            scaled = _standard(np.empty(0) if numbers is None else numbers, times)
            return cls(None, scaled, times, np.ones(1), LOSSES[loss or "squared"], float(scaled.any()))
        codes = labels
        counts = np.bincount(codes, weights=times).astype(np.float64)
        shares = counts / counts.sum()
        guess = 1.0 - float((shares**2).sum()) if loss == "errors" else entropy(counts) * float(np.log(2.0))
        return cls(codes, None, times, shares, LOSSES[loss or "log"], guess)

    def at(self, rows: IdArray) -> Told:
        """The targets of some rows."""
        labels = None if self.labels is None else self.labels[rows]
        numbers = None if self.numbers is None else self.numbers[rows]
        return replace(self, labels=labels, numbers=numbers, times=self.times[rows])


class SoftVotes:
    """Some of the rows, and the loss of telling them by the others, as parts of the loss of one answer for all.

    Weights are given in units in which every attribute has the same mean contribution to costs.

    Parameters
    ----------
    evidence
        The stored rows.
    rows
        Positions of those that take part.
    told
        What they are told, row by row.
    """

    def __init__(self, evidence: Evidence, rows: IdArray, told: Told) -> None:
        plan, coded, cells = evidence.compiled(rows)
        self.size, self._guess, self._threads = rows.size, told.guess, evidence.threads
        self.times = told.times
        self.unit = _units(plan, coded, cells, evidence.threads)
        self._core = Stretch(plan, coded, cells, told.labels, told.numbers, told.times, told.shares, told.loss)

    def loss(self, weights: FloatArray, told: IdArray, votes: FloatArray) -> float:
        """The mean loss of some rows, named by their place among those that take part; the rest as in `slope`."""
        value, _ = self._core.evaluate(weights * self.unit, told, votes, self._threads, False)
        return value / self._guess

    def slope(self, weights: FloatArray, told: IdArray, votes: FloatArray) -> tuple[float, FloatArray]:
        """The mean loss of some rows and its gradient by the weights.

        Parameters
        ----------
        weights
            One for each attribute.
        told
            The rows to tell.
        votes
            How often each row votes; 0 where it does not.
        """
        value, gradient = self._core.evaluate(weights * self.unit, told, votes, self._threads, True)
        return value / self._guess, gradient * self.unit / self._guess


def _units(plan: Plan, coded: NDArray[np.uint8], cells: FloatArray, threads: int) -> FloatArray:
    """One over the mean contribution of each attribute to the cost of two rows; 0 where that overflows."""
    n = len(cells)
    order, rows = shuffled(n), np.arange(n, dtype=np.int64)
    others = np.stack([order[(np.argsort(order) + step) % n] for step in range(1, 1 + min(_OTHERS, n - 1))], axis=1)
    indptr = np.arange(n + 1, dtype=np.int64) * others.shape[1]
    ones = np.ones(others.size)
    sums = relief_sums(plan, coded, cells, rows, indptr, others.ravel(), ones, power=1.0, threads=threads)
    with np.errstate(over="ignore"):
        mean = sums.sum(axis=0) / others.size
    usable = np.isfinite(mean) & (mean < 1e100)
    return np.where(usable, 1.0 / np.where(usable & (mean > 1e-100), mean, 1.0), 0.0)


def _standard(numbers: FloatArray, times: FloatArray) -> FloatArray:
    """Numbers with mean 0 and variance 1; all 0 where they are equal."""
    scaled = numbers / (float(np.abs(numbers).max(initial=0.0)) or 1.0)
    centred = scaled - float(np.average(scaled, weights=times))
    variance = float(np.average(centred**2, weights=times))
    return centred / np.sqrt(variance) if variance > 1e-30 else np.zeros(numbers.size)
