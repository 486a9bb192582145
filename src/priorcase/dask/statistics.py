"""Statistics of rows on several machines, with exactly the same values as for a single table.

Minima, maxima, counts and exact sums are computed for each partition and then combined. Quantiles are computed by
`select`. For all other statistics, one worker receives the whole column with its targets and weights. This includes all
sums of weights, because the last bits of such a sum depend on the order of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dask
import numpy as np
from dask.delayed import Delayed, delayed
from numpy.typing import NDArray

from priorcase._typing import FloatArray
from priorcase.dask.partitions import Totals
from priorcase.instances import Instances
from priorcase.schema import Schema
from priorcase.similarity.statistics import (
    CENTRAL,
    FEW,
    LEAST_SQUARE,
    Column,
    Counts,
    Statistics,
    exact_parts,
    fences,
    first_seen,
    shares,
    sum_of_parts,
)

_DIGIT = 16  # bits determined in one round of selection
_SIGN = np.uint64(1 << 63)

Stored = Sequence[Delayed]
"""Rows of each partition, on its worker."""


def over(stored: Stored, function: Callable[..., Any], *given: Any) -> list[Any]:
    """Return the result of a function for each partition, computed on the worker that has the rows of the partition."""
    shared = [delayed(value, traverse=False) for value in given]
    call = delayed(function, pure=False)
    return list(dask.compute(*(call(part, *shared) for part in stored)))


class ReducedStatistics(Statistics):
    """Statistics of the rows of all partitions; ``empty`` contains the schema, and the codes with their counts."""

    def __init__(self, empty: Instances, target: int | None, stored: Stored, totals: Totals) -> None:
        super().__init__(empty, target)
        self.stored = stored
        self.totals = totals
        self._rows = totals.rows

    def column(self, a: int) -> ReducedColumn:
        return ReducedColumn(self, a)

    def classes(self) -> NDArray[np.intp]:
        def compute(old: object, start: int) -> NDArray[np.intp]:
            return first_seen(np.concatenate(over(self.stored, _classes, self.target)))

        return self.fact(("classes",), compute)  # type: ignore[no-any-return]

    def prior(self) -> FloatArray:
        if self.totals.weighted:
            return self.gathered(0, "prior")  # type: ignore[no-any-return]
        counts = self.instances.target_counts(self.target or 0)[self.classes()][None]
        return np.asarray(shares(counts, np.zeros(counts.shape[1]))[0])

    def gathered(self, a: int, name: str, *given: Any) -> Any:
        """Return a statistic of one column, computed on a single worker that receives the whole column."""

        def compute(old: object, start: int) -> Any:
            columns = [delayed(_only, pure=False)(part, a) for part in self.stored]
            (found,) = dask.compute(delayed(_ask, pure=False)(columns, self.target, name, given))
            return found

        return self.fact(("gathered", a, name, *given), compute)

    def find_inliers(self, columns: Sequence[int]) -> None:
        """Compute the ranges without outliers (see `inlier_range`) of several columns with one call of `select`."""
        if self.totals.weighted or not columns:
            return
        known = np.sum(over(self.stored, _known_counts, tuple(columns)), axis=0).tolist()
        wanted = {a: n for a, n in zip(columns, known, strict=True) if n >= FEW}
        ranks = {a: [max(math.ceil(q * n) - 1, 0) for q in CENTRAL] for a, n in wanted.items()}
        quantiles = select(self.stored, ranks)
        bounds = {a: fences(*quantiles[a]) for a in wanted}
        ends = over(self.stored, _ends_within, bounds)
        for a in columns:
            low, high = self.totals.ends[a]
            if a in wanted:
                low, high = min(each[a][0] for each in ends), max(each[a][1] for each in ends)
            self._facts["inliers", a] = low, high, 0


class ReducedColumn(Column):
    """Statistics of one attribute over the rows of all partitions."""

    all: ReducedStatistics

    def numbers(self) -> FloatArray:
        return self.all.gathered(self.a, "numbers")  # type: ignore[no-any-return]

    def inliers(self) -> tuple[float, float]:
        if self.all.totals.weighted:
            return self.all.gathered(self.a, "inliers")  # type: ignore[no-any-return]
        if ("inliers", self.a) not in self.all._facts:
            self.all.find_inliers([self.a])
        return super().inliers()

    def _ends(self, name: str) -> tuple[float, float]:
        return self.all.fact((name, self.a), lambda old, start: self.all.totals.ends[self.a])  # type: ignore[no-any-return]

    def remainders(self, unit: float, period: float) -> frozenset[float]:
        found = over(self.all.stored, _remainders, self.a, unit, period)
        return frozenset(sorted(set().union(*found))[:2])

    def deviation(self) -> float:
        if self.all.totals.weighted:
            return self.all.gathered(self.a, "deviation")  # type: ignore[no-any-return]
        (n,) = np.sum(over(self.all.stored, _known_counts, (self.a,)), axis=0).tolist()
        if not n:
            return 0.0
        mean = _joined_sum(over(self.all.stored, _sum_parts, self.a)) / float(n)
        spread = _joined_sum(over(self.all.stored, _square_parts, self.a, mean)) / float(n)
        low, high = self.all.totals.ends[self.a]
        if spread < LEAST_SQUARE and low < high:
            return self.all.gathered(self.a, "deviation")  # type: ignore[no-any-return]  # raises an error
        self.check_finite(spread, "their standard deviation")
        return math.sqrt(spread)

    def quantile(self, q: float) -> float:
        if self.all.totals.weighted:
            return self.all.gathered(self.a, "quantile", q)  # type: ignore[no-any-return]
        (n,) = np.sum(over(self.all.stored, _known_counts, (self.a,)), axis=0).tolist()
        return select(self.all.stored, {self.a: [max(math.ceil(q * n) - 1, 0)]})[self.a][0] if n else 0.0

    def class_counts(self) -> Counts:
        if self.all.totals.weighted:
            return self.all.gathered(self.a, "class_counts")  # type: ignore[no-any-return]
        return self._table(len(self.values()), over(self.all.stored, _class_table, self.a, self.all.target))

    def interval_counts(self, edges: FloatArray) -> Counts:
        if self.all.totals.weighted:
            return self.all.gathered(self.a, "interval_counts", _Edges(edges))  # type: ignore[no-any-return]
        return self._table(len(edges), over(self.all.stored, _interval_table, self.a, self.all.target, edges))[1:]

    def window_shares(self, width: float) -> tuple[FloatArray, FloatArray]:
        return self.all.gathered(self.a, "window_shares", width)  # type: ignore[no-any-return]

    def _table(self, n: int, found: Sequence[Counts]) -> Counts:
        """Return the sum of the tables of all partitions, with a column for each class in order of occurrence."""
        width = max(each.shape[1] for each in found)
        total = np.zeros((n + 1, width), np.int64)
        for each in found:
            total[:, : each.shape[1]] += each
        counts: Counts = total[:, 1:][:, self.all.classes()]
        return counts if counts.shape[1] else np.zeros((n + 1, 1))


class _Edges(tuple[float, ...]):
    """Edges of intervals as a hashable tuple, which can be part of a cache key."""

    def __new__(cls, edges: FloatArray) -> _Edges:
        return super().__new__(cls, edges.tolist())


# -- on the workers


def _classes(stored: Instances, target: int) -> NDArray[np.intp]:
    return first_seen(Statistics(stored, target).class_codes())


def _known(stored: Instances, a: int) -> FloatArray:
    numbers = np.asarray(stored.column(a), np.float64)
    return numbers[~np.isnan(numbers)]


def _known_counts(stored: Instances, columns: Sequence[int]) -> list[int]:
    return [int(len(stored) - np.isnan(np.asarray(stored.column(a), np.float64)).sum()) for a in columns]


def _ends_within(stored: Instances, bounds: Mapping[int, tuple[float, float]]) -> dict[int, tuple[float, float]]:
    """Return, for each column, the smallest and the largest number within the bounds of the column."""
    found = {}
    for a, (least, most) in bounds.items():
        numbers = _known(stored, a)
        low, high = numbers[numbers >= least], numbers[numbers <= most]
        found[a] = float(low.min(initial=math.inf)), float(high.max(initial=-math.inf))
    return found


def _remainders(stored: Instances, a: int, unit: float, period: float) -> frozenset[float]:
    return Statistics(stored, None).column(a).remainders(unit, period)


def _sum_parts(stored: Instances, a: int) -> list[float]:
    return exact_parts(_known(stored, a))


def _square_parts(stored: Instances, a: int, mean: float) -> list[float]:
    with np.errstate(over="ignore", invalid="ignore"):
        apart = _known(stored, a) - mean
        return exact_parts(apart * apart)


def _joined_sum(parts: Sequence[list[float]]) -> float:
    return sum_of_parts([number for own in parts for number in own])


def _class_table(stored: Instances, a: int, target: int) -> Counts:
    statistics = Statistics(stored, target)
    statistics.column(a).class_counts()
    return statistics._facts["counts", a]  # type: ignore[no-any-return]


def _interval_table(stored: Instances, a: int, target: int, edges: FloatArray) -> Counts:
    statistics = Statistics(stored, target)
    statistics.column(a).interval_counts(edges)
    return statistics._facts["intervals", a, tuple(edges.tolist())]  # type: ignore[no-any-return]


def _only(stored: Instances, a: int) -> Instances:
    """Return the rows reduced to a single column, together with their targets and weights."""
    schema = stored.schema
    names = None if schema.names is None else (schema.names[a],)
    return stored.reshaped(Schema(names, (schema.kinds[a],)), [a])


def _ask(parts: Sequence[Instances], target: int | None, name: str, given: Sequence[Any]) -> Any:
    statistics = Statistics(Instances.joined(parts), target)
    if name == "prior":
        return statistics.prior()
    given = [np.array(value) if isinstance(value, _Edges) else value for value in given]
    return getattr(statistics.column(0), name)(*given)


# -- selection


def select(stored: Stored, ranks: Mapping[int, Sequence[int]]) -> dict[int, list[float]]:
    """Return the order statistics of each column over all partitions, for the given ranks (starting at 0).

    Numbers are mapped to 64-bit integers that have the same order. Each result is determined from its highest to its
    lowest bits, 16 bits in each round. In a round, each partition selects the integers that begin with the bits known
    so far, and counts the values of their next 16 bits.
    """
    places = [(a, rank) for a, own in ranks.items() for rank in own]
    prefixes, left = [0] * len(places), [rank for _, rank in places]
    for shift in range(64 - _DIGIT, -1, -_DIGIT):
        asked = list(dict.fromkeys((a, prefix) for (a, _), prefix in zip(places, prefixes, strict=True)))
        counted = over(stored, _digits, asked, shift)
        for i, (a, _) in enumerate(places):
            at = asked.index((a, prefixes[i]))
            total = np.zeros(1 << _DIGIT, np.int64)
            for own in counted:
                digits, counts = own[at]
                total[digits] += counts
            reached = np.cumsum(total)
            digit = int(np.searchsorted(reached, left[i], side="right"))
            left[i] -= int(reached[digit - 1]) if digit else 0
            prefixes[i] = prefixes[i] << _DIGIT | digit
    found: dict[int, list[float]] = {a: [] for a in ranks}
    for (a, _), key in zip(places, prefixes, strict=True):
        found[a].append(_number(key))
    return found


def _digits(
    stored: Instances, asked: Sequence[tuple[int, int]], shift: int
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For each pair (column, prefix), return the distinct 16-bit digits that follow the prefix, and their counts."""
    found = []
    keys: dict[int, NDArray[np.uint64]] = {}
    for a, prefix in asked:
        if a not in keys:
            keys = {a: _keys(_known(stored, a)) >> np.uint64(shift)}
        own = keys[a]
        if shift < 64 - _DIGIT:
            own = own[own >> np.uint64(_DIGIT) == np.uint64(prefix)]
        counts = np.bincount((own & np.uint64((1 << _DIGIT) - 1)).astype(np.int64))
        digits = np.flatnonzero(counts)
        found.append((digits, counts[digits]))
    return found


def _keys(numbers: FloatArray) -> NDArray[np.uint64]:
    """Map floats to 64-bit integers that have the same order."""
    bits = (numbers + 0.0).view(np.uint64)  # turns -0.0 into 0.0
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def _number(key: int) -> float:
    bits = np.array([key], np.uint64)
    return float(np.where(bits & _SIGN, bits ^ _SIGN, ~bits).view(np.float64)[0])
