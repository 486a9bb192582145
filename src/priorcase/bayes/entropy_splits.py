"""The cut of a column that leaves the least class entropy, by cumulative counts in sorted order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.distinct import between, distinct

# Entropies that differ by less than this share are equal up to rounding: the lowest cut is taken.
_TIE = 1e-12


@dataclass(frozen=True)
class Side:
    """The rows on one side of a cut: their weight, their classes and the entropy of these, in nats."""

    weight: float
    n_classes: int
    entropy: float


@dataclass(frozen=True)
class Split:
    """The best cut of a run of blocks: before block ``at``; ``gain`` is the information gain in nats."""

    at: int
    cut: float
    gain: float
    whole: Side
    left: Side
    right: Side


class ClassBlocks:
    """A column in ascending order, as blocks that no best cut falls into.

    Neighbouring values that occur in one and the same class only form a block: the best cut is always at its border
    (Fayyad & Irani 1992, theorem 1).
    """

    def __init__(self, values: FloatArray, classes: IntArray, n_classes: int, weights: FloatArray | None) -> None:
        order = np.argsort(classes, kind="stable")
        ends = np.searchsorted(classes[order], np.arange(n_classes + 1))
        groups = [order[a:b] for a, b in pairwise(ends) if b > a]
        columns = [distinct(values[rows], None if weights is None else weights[rows]) for rows in groups]
        columns = [column for column in columns if len(column)]
        points = np.unique(np.concatenate([np.empty(0), *(column.points for column in columns)]))
        places = [np.searchsorted(points, column.points) for column in columns]
        begins = _block_starts(len(points), places)
        block_of = np.cumsum(begins) - 1
        starts = np.flatnonzero(begins)
        self.cuts = np.append(np.nan, between(points[starts[1:] - 1], points[starts[1:]]))[: len(starts)]
        self.blocks: list[NDArray[np.intp]] = [block_of[at] for at in places]
        self.weights = [column.weights for column in columns]
        self._table = None
        if all(bool((w == np.floor(w)).all()) for w in self.weights):
            total = sum(float(w.sum()) for w in self.weights)
            whole = np.arange(total + 1) if total <= 4 * values.size else None
            self._table = None if whole is None else xlogy(whole, whole)

    def __len__(self) -> int:
        return len(self.cuts)

    def best_split(self, begin: int, end: int) -> Split | None:
        """The cut of the blocks ``begin`` to ``end`` with the highest gain, the lowest of equal ones; None if all
        gain nothing."""
        if end - begin < 2:
            return None
        parts = [_Part.of(at, w, begin, end) for at, w in zip(self.blocks, self.weights, strict=True)]
        parts = [part for part in parts if part.weight > 0]
        left, inside = np.zeros(end - begin - 1), np.zeros(end - begin - 1)
        for part in parts:
            reached = part.reached()
            left += reached
            inside += self._plogp(reached) + self._plogp(part.weight - reached)
        total = sum(part.weight for part in parts)
        rest = self._plogp(left) + self._plogp(total - left) - inside
        before = float(self._plogp(np.array([total]))[0] - sum(self._plogp(np.array([p.weight]))[0] for p in parts))
        tie = _TIE * total * (1 + abs(math.log(total)))
        if len(parts) < 2 or rest.min() >= before - tie:
            return None
        return self._split(parts, begin, int(np.argmax(rest <= rest.min() + tie)), before - float(rest.min()))

    def _split(self, parts: list[_Part], begin: int, i: int, gain: float) -> Split:
        weights = np.array([part.weight for part in parts])
        left = np.array([part.reached()[i] for part in parts])
        # Presence comes from places: a difference of fractional weights is not always 0 where it should be.
        first = np.array([part.at[0] <= i for part in parts])
        last = np.array([part.at[-1] > i for part in parts])
        whole, lower = _side(weights), _side(left[first])
        upper = _side(np.maximum(weights - left, 0)[last])
        at = begin + i + 1
        return Split(at, float(self.cuts[at]), gain / whole.weight, whole, lower, upper)

    def _plogp(self, weights: FloatArray) -> FloatArray:
        if self._table is not None:
            return self._table[weights.astype(np.int64)]
        weights = np.maximum(weights, 0)
        return np.asarray(xlogy(weights, weights))


@dataclass(frozen=True)
class _Part:
    """The rows of one class in a run of blocks: where, and how many."""

    at: NDArray[np.intp]
    weights: FloatArray
    length: int
    weight: float

    @classmethod
    def of(cls, blocks: NDArray[np.intp], weights: FloatArray, begin: int, end: int) -> _Part:
        low, high = np.searchsorted(blocks, [begin, end])
        return cls(blocks[low:high] - begin, weights[low:high], end - begin, float(weights[low:high].sum()))

    def reached(self) -> FloatArray:
        """The weight up to and with each block but the last."""
        counts = np.bincount(self.at, weights=self.weights, minlength=self.length)
        return np.cumsum(counts)[:-1].astype(np.float64)


def _block_starts(n: int, places: list[NDArray[np.intp]]) -> NDArray[np.bool_]:
    """Whether a block begins at each distinct value."""
    n_classes, only = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for k, at in enumerate(places):
        n_classes[at] += 1
        only[at] = k
    pure = n_classes == 1
    begins = np.ones(n, dtype=np.bool_)
    begins[1:] = ~(pure[1:] & pure[:-1] & (only[1:] == only[:-1]))
    return begins


def _side(weights: FloatArray) -> Side:
    total = float(weights.sum())
    shares = weights / total
    return Side(total, len(weights), float(-xlogy(shares, shares).sum()))
