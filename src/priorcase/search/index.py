"""Exact nearest-neighbor search in the compiled core, by a kd-tree or by a scan of one-byte bounds of distances."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase import _core
from priorcase._grids import Grid, TextResult, grids_html
from priorcase._locks import cached_property
from priorcase._numbers import number
from priorcase._parameters import check_value
from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray
from priorcase.exceptions import ParameterError, QueryIndexError, UnknownIdError, listed, prefix_errors, quoted
from priorcase.instances import Instances, check_ids
from priorcase.similarity import FittedDistance

# Search algorithms with identical results. ``scan`` skips rows by one-byte lower bounds of their distances, ``tree``
# skips whole regions first, ``plain`` computes every distance, and ``auto`` uses the faster of tree and scan.
Algorithm = Literal["auto", "tree", "scan", "plain"]
ALGORITHMS: dict[str, int] = {"auto": 0, "tree": 1, "scan": 2, "plain": 3}  # numbers in the core
_POSITIVE = Interval(Integral, 1, None, closed="left")

_ROWS_AT_ONCE = 65_536
_QUERIES, _ROWS = 5, 10  # number of queries, and of rows per query, shown in notebooks

# Counts are floats: ten rows with weight 0.1 must reach one although their floating-point sum is smaller.
SLACK = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Neighbors:
    """Nearest rows of some queries, sorted by distance and then by id.

    ``ids``, ``costs`` and ``distances`` are flat arrays; the entries of query q are at ``indptr[q]:indptr[q + 1]``.

    Parameters
    ----------
    indptr
        Start of each query's entries, followed by the end of the last query.
    ids, distances
        Ids of the rows found, and their distances from the query.
    costs
        The distances before the root is taken; equal distances have equal costs.

    Examples
    --------
    >>> costs = np.array([1.0, 4.0, 9.0])
    >>> found = Neighbors(np.array([0, 2, 3]), np.array([7, 4, 1]), costs, np.sqrt(costs))
    >>> found
    Neighbors(2 queries, 3 rows)
    >>> found[0]
    (array([7, 4]), array([1., 2.]))
    >>> found.rectangular(1)
    (array([[7],
           [1]]), array([[1.],
           [3.]]))
    """

    indptr: IdArray
    ids: IdArray
    costs: FloatArray
    distances: FloatArray

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __repr__(self) -> str:
        return f"Neighbors({len(self):,} queries, {len(self.ids):,} rows)"

    def _repr_html_(self) -> str:
        lines = []
        for query in range(min(len(self), _QUERIES)):
            for id_, distance in zip(*(part[:_ROWS].tolist() for part in self[query]), strict=True):
                lines.append([str(query), str(id_), f"{number(distance, 4)}"])
        note = "" if len(lines) == len(self.ids) else f"... and {len(self.ids) - len(lines):,} more rows"
        return grids_html([Grid(repr(self), ["query", "id", "distance"], lines, note, right=range(3))])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Neighbors):
            return NotImplemented
        return all(np.array_equal(value, getattr(other, name)) for name, value in vars(self).items())

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    @prefix_errors
    def __getitem__(self, query: int) -> tuple[IdArray, FloatArray]:
        """Return ids and distances of the rows of one query."""
        if not -len(self) <= query < len(self):
            raise QueryIndexError(f"query {query} does not exist; there are {len(self)} queries, numbered from 0")
        part = slice(self.indptr[query % len(self)], self.indptr[query % len(self) + 1])
        return self.ids[part], self.distances[part]

    def __iter__(self) -> Iterator[tuple[IdArray, FloatArray]]:
        return (self[query] for query in range(len(self)))

    @property
    def counts(self) -> IdArray:
        """Number of rows found for each query."""
        return np.diff(self.indptr)

    @prefix_errors
    def rectangular(self, k: int) -> tuple[IdArray, FloatArray]:
        """Return ids and distances of the first k rows of every query, each of shape (queries, k)."""
        check_value("k", k, [Interval(Integral, 0, None, closed="left")])
        counts = self.counts
        if np.any(counts < k):
            short = int(np.argmax(counts < k))
            raise ParameterError(
                f"k must be at most {int(counts[short])}, the number of rows found for query {short}, got {k}"
            )
        places = self.indptr[:-1, None] + np.arange(k)
        return self.ids[places], self.distances[places]


@dataclass(frozen=True, eq=False)
class NeighborList:
    """Neighbors of several queries in flat arrays; the neighbors of query i are at ``indptr[i]:indptr[i + 1]``."""

    indptr: IntArray
    rows: IntArray  # positions among the stored rows
    distances: FloatArray
    counts: FloatArray | None = None  # weight of each neighbor, which counts as this many rows; None: all 1
    bandwidths: FloatArray | None = None  # bandwidth h of each query, for kernel votes K(d / h)

    def __len__(self) -> int:
        return self.indptr.size - 1

    @property
    def lengths(self) -> IntArray:
        """Number of neighbors of each query."""
        return np.diff(self.indptr)

    def spans(self) -> zip[tuple[int, int]]:
        """Return, for each query, the start and end of its neighbors in the flat arrays."""
        return zip(self.indptr[:-1].tolist(), self.indptr[1:].tolist(), strict=True)

    def queries(self) -> IntArray:
        """Return, for each neighbor in the flat arrays, the position of its query."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def nearest(self, k: int, *, whole_ties: bool, bandwidth: bool = False) -> NeighborList:
        """Return the ``k`` nearest rows of each query and, with ``whole_ties``, all rows tied with the k-th row."""
        starts = self.indptr[:-1]
        if self.counts is None and not bandwidth and self.rows.size == k * starts.size:
            return self
        last = starts + np.minimum(self._before(k), self.lengths - 1)
        stops = self._tie_ends(last) if whole_ties else last + 1
        indptr = np.concatenate(([0], np.cumsum(stops - starts)))
        taken = np.arange(indptr[-1]) + np.repeat(starts - indptr[:-1], stops - starts)
        counts = None
        if self.counts is not None:
            counts = self.counts[taken]
            if not whole_ties:
                before = self._reach[last] - self.counts[last]
                counts[indptr[1:] - 1] = np.minimum(self.counts[last], k - before)
        bandwidths = None
        if bandwidth:  # the distance of the (k+1)-th row; without such a row, slightly more than that of the k-th
            following = self._before(k + 1)
            exists = following < self.lengths
            at = starts + np.where(exists, following, 0)
            bandwidths = np.where(exists, self.distances[at], self.distances[last] * (1 + SLACK))
        return NeighborList(indptr, self.rows[taken], self.distances[taken], counts, bandwidths)

    @cached_property
    def _reach(self) -> FloatArray:
        """Cumulative sums of ``counts`` within each query, so that rounding does not depend on other queries."""
        counts = cast(FloatArray, self.counts)
        return np.concatenate([np.cumsum(counts[start:stop]) for start, stop in self.spans()])

    def _before(self, k: int) -> IntArray:
        """Return, for each query, the number of neighbors whose cumulative count (`_reach`) is below ``k``."""
        if self.counts is None:
            return np.minimum(k - 1, self.lengths)
        before: IntArray = np.add.reduceat((self._reach < k * (1 - SLACK)).astype(np.int64), self.indptr[:-1])
        return before

    def _tie_ends(self, positions: IntArray) -> IntArray:
        """Return, for each position in the flat arrays, the end of the block of tied neighbors around it."""
        starts = np.ones(self.rows.size + 1, dtype=bool)
        starts[1:-1] = self.distances[1:] != self.distances[:-1]
        starts[self.indptr] = True
        bounds = np.flatnonzero(starts)
        return bounds[np.searchsorted(bounds, positions, side="right")]


class Index(TextResult):
    """Search index over stored rows, with exact results and incremental updates by `append` and `remove`.

    Results are ordered by distance and then by id, and are identical for any batch size, number of threads, algorithm
    and CPU. Queries are rows encoded by `Instances.encode`. Any number of threads can search at the same time, and one
    thread can change the index meanwhile. A copy made by `fork` shares its rows with the original in memory, but keeps
    the rows that it had when the original changes, and the other way round.

    ``fitted`` is the distance used to build the index; later searches may use another distance for the same table.
    ``ids`` contains the ids of the rows to include; None includes all rows. ``threads`` is the number of threads for
    building the index.

    >>> from priorcase.schema import Nominal, Numeric, Schema
    >>> from priorcase.similarity import resolve
    >>> schema = Schema(("age", "colour"), (Numeric(), Nominal()))
    >>> instances = Instances(schema)
    >>> _ = instances.append(schema.read([[31, "red"], [40, "blue"], [None, "red"]]))
    >>> fitted = resolve("heom").fit(instances, None)
    >>> index = Index(instances, fitted)
    >>> query = instances.encode(schema.read([[40, "red"]]))
    >>> index.kneighbors(fitted, query, 2)[0]
    (array([0, 1]), array([1., 1.]))
    """

    def __init__(
        self, instances: Instances, fitted: FittedDistance, ids: IdArray | None = None, *, threads: int = 1
    ) -> None:
        self._begin(_core.Index(fitted.coded(instances.schema)), instances, fitted)
        self.append(instances.ids if ids is None else ids, threads=threads)
        self.core.organise(self._latest[1], threads)

    def _begin(self, core: _core.Index, instances: Instances, fitted: FittedDistance) -> None:
        self.core = core
        self.ones = np.ones((1, fitted.coded(instances.schema).size))
        self._instances = instances
        self._latest = fitted, fitted.plan()
        self.torn = False  # whether the process was forked while another thread changed the index
        _INDEXES.add(self)

    def fork(self, instances: Instances) -> Self:
        """Return an index of the same rows that can be changed without affecting this one.

        ``instances`` contains the rows of the index; further rows in it are ignored until they are added to the index.
        """
        other = object.__new__(type(self))
        other.__dict__ = self.__dict__ | {"core": self.core.fork(), "_instances": instances}
        _INDEXES.add(other)
        return other

    @classmethod
    def restored(
        cls, instances: Instances, fitted: FittedDistance, arrays: dict[str, AnyArray], *, threads: int = 1
    ) -> Index:
        """Restore an index from the arrays that `saved` returned, without copying the arrays.

        Each array may be read-only and must be followed by at least 64 bytes of readable memory, as in a mapped file.
        If the ids in the arrays differ from those of ``instances``, ``ValueError`` is raised. The compiled core checks
        everything that a search relies on, but does not compare the saved rows with ``instances``.
        """
        index, ids = cls.__new__(cls), instances.ids
        index._begin(_core.Index(fitted.coded(instances.schema), arrays, threads), instances, fitted)
        if len(index) != ids.size or not index.core.holds(ids).all():
            raise ValueError("an index of different rows")
        return index

    def saved(self, fitted: FittedDistance, *, threads: int = 1) -> dict[str, AnyArray]:
        """Return the arrays that `restored` needs, without a trace of removed rows."""
        plan = self.plan_of(fitted)
        self.core.organise(plan, threads)
        return self.core.parts(plan, threads)

    def __len__(self) -> int:
        return len(self.core)

    def __repr__(self) -> str:
        return f"Index({len(self):,} rows)"

    @property
    def nbytes(self) -> int:
        """Size of the compiled index in bytes."""
        return self.core.nbytes

    def append(self, ids: ArrayLike, *, threads: int = 1) -> None:
        """Add rows that were appended to the instances; if an id is invalid, no row is added."""
        ids = self._checked_ids(ids, held=False)
        positions = self._instances.positions(ids)
        core = self.core.fork()
        for start in range(0, len(ids), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            self._add(core, np.ascontiguousarray(ids[part]), self._instances.cells(positions[part]), threads)
        self.core = core

    def take(self, ids: IdArray, cells: FloatArray) -> None:
        """Add encoded rows without checking their ids; otherwise the same as `append`."""
        self._add(self.core, ids, cells)

    def _add(self, core: _core.Index, ids: IdArray, cells: FloatArray, threads: int = 1) -> None:
        core.append(ids, self._latest[0].stored_cells(ids, cells), threads)

    def remove(self, ids: ArrayLike) -> None:
        """Remove rows that were removed from the instances; if an id is invalid, no row is removed."""
        self.core.remove(self._checked_ids(ids, held=True))

    def kneighbors(
        self,
        fitted: FittedDistance,
        queries: ArrayLike,
        k: int,
        *,
        weights: ArrayLike | None = None,
        exclude: ArrayLike | None = None,
        ties: bool = False,
        algorithm: Algorithm = "auto",
        threads: int = 1,
    ) -> Neighbors:
        """Find the k nearest rows of each query, or all rows if there are fewer than k.

        ``queries`` contains encoded rows, shape (q, A). ``weights`` contains attribute weights, shape (A,) or (q, A);
        by default, all weights are 1. ``exclude`` contains one id to exclude for each query, such as the query's own
        id, or -1 to exclude no row. ``ties=True`` also returns all rows tied with the k-th row.
        """
        if type(k) is not int or k < 1:
            check_value("k", k, [_POSITIVE])
        queries, weights, exclude = self._checked(fitted, queries, weights, exclude, algorithm, threads)
        found = [
            self.core.kneighbors(plan, *asked, k, ties, left_out, ALGORITHMS[algorithm], threads)
            for plan, asked, left_out, _ in self._blocks(fitted, queries, weights, exclude)
        ]
        return _neighbors(fitted, *_joined(found))

    def within(
        self,
        fitted: FittedDistance,
        queries: ArrayLike,
        radius: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        exclude: ArrayLike | None = None,
        algorithm: Algorithm = "auto",
        threads: int = 1,
    ) -> Neighbors:
        """Find all rows within ``radius``, which is one number for all queries or one number per query.

        For the other parameters, see `kneighbors`.
        """
        queries, weights, exclude = self._checked(fitted, queries, weights, exclude, algorithm, threads)
        try:
            radii = np.ascontiguousarray(np.broadcast_to(np.asarray(radius, dtype=np.float64), (len(queries),)))
        except (TypeError, ValueError):
            radii = np.array([np.nan])
        if np.isnan(radii).any():
            raise ParameterError(
                f"radius must be a number, or one number for each of the {len(queries)} queries, got {quoted(radius)}"
            )
        limits = radii
        if fitted.distance.root:
            with np.errstate(over="ignore"):
                limits = np.where(radii < 0, -1.0, np.abs(radii) ** fitted.distance.power * (1 + 1e-9))
        found = [
            self.core.within(plan, *asked, limits[part], left_out, ALGORITHMS[algorithm], threads)
            for plan, asked, left_out, part in self._blocks(fitted, queries, weights, exclude)
        ]
        indptr, ids, costs = _joined(found)
        # The limits allow for the rounding of powers and roots; the exact comparison uses the distance.
        near = fitted.finish(costs) <= np.repeat(radii, np.diff(indptr))
        return _neighbors(fitted, np.concatenate([[0], np.cumsum(near)])[indptr], ids[near], costs[near])

    def costs(
        self,
        fitted: FittedDistance,
        queries: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        ids: IdArray | None = None,
        threads: int = 1,
    ) -> FloatArray:
        """Return the costs between queries and all rows, or only the rows with the given ``ids``, shape (q, rows).

        Costs are distances before the root is taken. Equal distances have equal costs.
        """
        queries, weights, _ = self._checked(fitted, queries, weights, None, "plain", threads)
        ids = self._instances.ids if ids is None else ids
        blocks = self._blocks(fitted, queries, weights, None)
        found = [self.core.costs(plan, *asked, ids, threads) for plan, asked, *_ in blocks]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _blocks(
        self, fitted: FittedDistance, queries: FloatArray, weights: FloatArray, exclude: IdArray | None
    ) -> Iterator[tuple[_core.Plan, tuple[FloatArray, FloatArray], IdArray | None, slice]]:
        """Yield the plan, the queries with their weights, the excluded ids and the slice of each block of queries."""
        n, size = len(queries), fitted.queries_at_once
        if size is None or fitted.answers(queries):
            size = n
        # Blocks limit the size of the tables of differences that are computed in Python.
        for start in range(0, max(n, 1), max(size, 1)):
            part = slice(start, start + size)
            plan, asked = self.plan_for(fitted, queries[part])
            own = weights[part] if len(weights) > 1 else weights
            yield plan, (asked, own), None if exclude is None else exclude[part], part

    def plan_for(self, fitted: FittedDistance, queries: FloatArray) -> tuple[_core.Plan, FloatArray]:
        """Return the distance and the queries in the format of the compiled core."""
        plan = self.plan_of(fitted)
        if fitted.queries_at_once is None or fitted.answers(queries):
            return plan, np.ascontiguousarray(fitted.prepare(queries))
        return fitted.for_queries(queries)

    def plan_of(self, fitted: FittedDistance) -> _core.Plan:
        """Return the distance in the format of the compiled core.

        Differences that are computed in Python are available only between stored values.
        """
        latest, plan = self._latest
        if not fitted.covers(self._instances):
            raise ParameterError(
                "the distance was fitted before some of the stored values were added; use "
                "fitted.refreshed(instances), or fit the distance again"
            )
        if fitted is not latest:
            if fitted.terms is not latest.terms or fitted.distance is not latest.distance:
                plan = fitted.plan()
            self._latest = fitted, plan  # atomic: other threads may be searching
        return plan

    def _checked_ids(self, ids: ArrayLike, *, held: bool) -> IdArray:
        """Return ids as an array; with ``held``, all of them must be in the index, and otherwise none of them."""
        wanted = check_ids(ids, distinct=True)
        wrong = wanted[self.core.holds(wanted).astype(bool) != held]
        if wrong.size:
            stated = "are not in the index" if held else "are in the index already"
            raise UnknownIdError(f"rows with the ids {listed(wrong.tolist())} {stated}; the index is unchanged")
        return wanted

    def _checked(
        self,
        fitted: FittedDistance,
        queries: ArrayLike,
        weights: ArrayLike | None,
        exclude: ArrayLike | None,
        algorithm: str,
        threads: int,
    ) -> tuple[FloatArray, FloatArray, IdArray | None]:
        """Check the parameters of a search; return the queries, the weights as a matrix, and the excluded ids."""
        if algorithm not in ALGORITHMS:
            check_value("algorithm", algorithm, [StrOptions(set(ALGORITHMS))])
        if type(threads) is not int or threads < 1:
            check_value("threads", threads, [_POSITIVE])
        width, n_columns = self.ones.size, len(self._instances.schema)
        cells = _floats(queries)
        if cells.ndim != 2 or cells.shape[1] != n_columns:
            raise ParameterError(
                f"queries must be an array with {n_columns} columns from Instances.encode, got {quoted(queries)}"
            )
        count, rows = len(cells), self.ones
        if weights is not None:
            rows = _floats(weights)
            if rows.shape not in ((width,), (count, width)) or not np.isfinite(rows).all() or (rows < 0).any():
                raise ParameterError(
                    f"weights must be {width} finite numbers >= 0, or {width} such numbers for each of the {count} "
                    f"queries, got {quoted(weights)}"
                )
            rows = np.atleast_2d(rows)
        if exclude is not None:
            exclude = np.asarray(exclude)
            if exclude.shape != (count,) or (count and exclude.dtype.kind not in "iu"):
                raise ParameterError(
                    f"exclude must contain {count} ids, one per query (-1 to exclude no row), got {quoted(exclude)}"
                )
            exclude = np.ascontiguousarray(exclude, dtype=np.int64)
        return cells, rows, exclude


def _joined(found: list[tuple[IdArray, IdArray, FloatArray]]) -> tuple[IdArray, IdArray, FloatArray]:
    """Concatenate the neighbor lists of all blocks of queries."""
    if len(found) == 1:
        return found[0]
    indptr, ids, costs = zip(*found, strict=True)
    lengths = np.concatenate([np.diff(starts) for starts in indptr])
    return np.concatenate([[0], np.cumsum(lengths)]), np.concatenate(ids), np.concatenate(costs)


def _neighbors(fitted: FittedDistance, indptr: IdArray, ids: IdArray, costs: FloatArray) -> Neighbors:
    # The core's integers are C's long long: NumPy's int64 under another name.
    return Neighbors(indptr.view(np.int64), ids.view(np.int64), costs, fitted.finish(costs))


def _floats(numbers: ArrayLike) -> FloatArray:
    """Convert ``numbers`` to an array of floats; return an empty array if ``numbers`` is not numeric."""
    try:
        return np.asanyarray(numbers, dtype=np.float64, order="C")  # keeps the unseen values of queries
    except (TypeError, ValueError):
        return np.empty(0)


_INDEXES: weakref.WeakSet[Index] = weakref.WeakSet()


def _free_in_child() -> None:
    for index in _INDEXES:
        index.torn |= index.core.torn_by_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_in_child)
