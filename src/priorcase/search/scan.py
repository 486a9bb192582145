"""Exact search by the compiled core: a scan of byte-sized bounds, and a kd-tree above it."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from priorcase import _core
from priorcase._locks import Lock
from priorcase._typing import FloatArray, IdArray
from priorcase.exceptions import DistanceError, ParameterError, UnknownIdError
from priorcase.instances import Instances
from priorcase.instances.instances import check_ids
from priorcase.schema import Numeric
from priorcase.search import exhaustive
from priorcase.search.batches import Found, in_batches
from priorcase.search.checks import (
    check_count,
    check_excluded,
    check_queries,
    check_radii,
    check_threads,
    check_weights,
)
from priorcase.search.neighbors import Neighbors
from priorcase.similarity import FittedDistance

Algorithm = Literal["auto", "tree", "scan", "plain", "exhaustive"]
"""How to search; all give the same answer.

``scan`` rules rows out by byte-sized lower bounds before it measures them, ``tree`` rules out whole regions first,
``plain`` measures every row in a compiled loop, ``exhaustive`` does so in NumPy, and ``auto`` takes the tree while it
pays and the scan otherwise.
"""

NUMBERS: dict[str, int] = {"auto": 0, "tree": 1, "scan": 2, "plain": 3}
"""The core's numbers for its algorithms."""
_ROWS_AT_ONCE = 65_536
# Between two batches Ctrl-C is heard; these many values are compared in about half a second.
_VALUES_AT_ONCE = {"auto": 20_000_000_000, "tree": 20_000_000_000, "scan": 20_000_000_000, "plain": 250_000_000}
_QUERIES_AT_ONCE = 8_192


class Index:
    """The rows of some instances, laid out to be searched; follows them through `append` and `remove`.

    Every answer is exact, is ordered by cost and then by id, and has the same bits for any batch size, number of
    threads, algorithm and kind of CPU. Queries are cells as `Instances.encode` makes them.

    Parameters
    ----------
    instances
        The rows.
    fitted
        The distance by which the rows are first put in order; later searches may use another one of the same table.
    ids
        The rows to begin with; None for all.

    Examples
    --------
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

    def __init__(self, instances: Instances, fitted: FittedDistance, ids: IdArray | None = None) -> None:
        self.lock = Lock()
        self._instances = instances
        self._state: tuple[object, int] | None = None
        coded = [not isinstance(kind, Numeric) for kind in instances.schema.kinds]
        self.core = _core.Index(np.array(coded, dtype=np.uint8))
        self._latest = fitted, fitted.plan()
        self.ones = np.ones((1, len(coded)))
        self.append(instances.ids if ids is None else ids)
        self.core.organise(self._latest[1])

    def holds(self, instances: Instances) -> bool:
        """Whether the rows of the index are those of some instances, no more and no fewer."""
        state = self._state
        same = state is not None and state[0] is instances.line and state[1] == instances.version
        return same and not self.lock.held_at_fork

    def follow(self, before: Instances, after: Instances) -> bool:
        """Go over to the rows that came from others by a change, which `append`, `take` or `remove` then makes here.

        False where the index does not hold the rows before the change. Until the change is made, `holds` is False.
        """
        with self.lock:
            if not self.holds(before):
                return False
            self._state, self._instances = None, after
            return True

    def __len__(self) -> int:
        return len(self.core)

    def __repr__(self) -> str:
        return f"Index({len(self)} rows)"

    @property
    def nbytes(self) -> int:
        """Bytes held by the compiled index."""
        return self.core.nbytes

    def append(self, ids: ArrayLike) -> None:
        """Take in rows that were appended to the instances; all of them, or none and an error says why."""
        ids = self._checked_ids(ids, held=False)
        positions = self._instances.positions(ids)
        with self.lock:
            for start in range(0, len(ids), _ROWS_AT_ONCE):
                part = slice(start, start + _ROWS_AT_ONCE)
                self._take(np.ascontiguousarray(ids[part]), self._instances.cells(positions[part]))
            self._settle()

    def take(self, ids: IdArray, cells: FloatArray) -> None:
        """Take in rows by their cells; nothing is checked in words."""
        with self.lock:
            self._take(ids, cells)
            self._settle()

    def _take(self, ids: IdArray, cells: FloatArray) -> None:
        self.core.append(ids, np.ascontiguousarray(self._latest[0].prepare(cells)))

    def _settle(self) -> None:
        self._state = self._instances.line, self._instances.version

    def remove(self, ids: ArrayLike) -> None:
        """Leave out rows that were removed from the instances; all of them, or none and an error says why."""
        with self.lock:
            self.core.remove(self._checked_ids(ids, held=True))
            self._settle()

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
        """The k nearest rows of each query; all rows where there are fewer than k.

        Parameters
        ----------
        fitted
            The distance.
        queries
            Cells of the queries, shape (q, A).
        k
            How many rows to find.
        weights
            Attribute weights, one row for all queries, shape (A,), or one for each, shape (q, A); None: all 1.
        exclude
            An id for each query that is not to be found, such as the query's own; -1 excludes nothing.
        ties
            Find also every further row whose cost equals that of the k-th.
        algorithm
            How to search; see `Algorithm`.
        threads
            How many threads share the queries.
        """
        check_count(k)
        queries, weights, exclude = self._checked(fitted, queries, weights, exclude, algorithm, threads)
        if algorithm == "exhaustive":
            rows = fitted.prepare(self._instances.cells())
            return _result(
                fitted, exhaustive.kneighbors(fitted, rows, self._instances.ids, queries, k, weights, exclude, ties)
            )
        plan = self.plan_of(fitted)

        def search(part: slice) -> Found:
            found: Found = self.core.kneighbors(
                plan,
                queries[part],
                self._weights(weights, part),
                k,
                ties,
                None if exclude is None else exclude[part],
                NUMBERS[algorithm],
                threads,
            )
            return found

        return _result(fitted, in_batches(search, len(queries), self._queries_at_once(algorithm)))

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
        """The rows at a distance of at most ``radius``: one number for all queries, or one for each.

        The other parameters are those of `kneighbors`.
        """
        queries, weights, exclude = self._checked(fitted, queries, weights, exclude, algorithm, threads)
        radii = check_radii(radius, len(queries))
        if algorithm == "exhaustive":
            rows = fitted.prepare(self._instances.cells())
            return _result(
                fitted, exhaustive.within(fitted, rows, self._instances.ids, queries, radii, weights, exclude)
            )
        plan = self.plan_of(fitted)
        limits = _largest_costs(fitted, radii)

        def search(part: slice) -> Found:
            indptr, ids, costs = self.core.within(
                plan,
                queries[part],
                self._weights(weights, part),
                limits[part],
                None if exclude is None else exclude[part],
                NUMBERS[algorithm],
                threads,
            )
            # The limits leave room for the rounding of powers and roots; the distance itself decides.
            near = fitted.finish(costs) <= np.repeat(radii[part], np.diff(indptr))
            return np.concatenate([[0], np.cumsum(near)])[indptr], ids[near], costs[near]

        return _result(fitted, in_batches(search, len(queries), self._queries_at_once(algorithm)))

    def costs(
        self, fitted: FittedDistance, queries: ArrayLike, *, weights: ArrayLike | None = None, threads: int = 1
    ) -> FloatArray:
        """Costs of all rows, in the order of their ids, for each of a few queries: shape (q, rows)."""
        queries, weights, _ = self._checked(fitted, queries, weights, None, "plain", threads)
        part = slice(0, len(queries))
        costs: FloatArray = self.core.costs(
            self.plan_of(fitted), queries, self._weights(weights, part), self._instances.ids, threads
        )
        return costs

    def _checked_ids(self, ids: ArrayLike, *, held: bool) -> IdArray:
        wanted = check_ids(ids)
        if not (wanted[1:] > wanted[:-1]).all():
            distinct, counts = np.unique(wanted, return_counts=True)
            if len(distinct) < len(wanted):
                raise UnknownIdError.repeated(distinct[counts > 1].tolist())
        wrong = wanted[self.core.holds(wanted).astype(bool) != held]
        if wrong.size:
            raise (UnknownIdError.absent if held else UnknownIdError.present)(wrong.tolist())
        return wanted

    def plan_of(self, fitted: FittedDistance) -> _core.Plan:
        """The distance as the core takes it."""
        latest, plan = self._latest
        if not fitted.covers(self._instances):
            raise DistanceError.outdated()
        if fitted is not latest:
            if fitted.terms is not latest.terms or fitted.distance is not latest.distance:
                plan = fitted.plan()
            self._latest = fitted, plan  # in one step: other threads may be searching
        return plan

    def _queries_at_once(self, algorithm: Algorithm) -> int:
        values = max(len(self), 1) * self.ones.size
        return max(1, min(_QUERIES_AT_ONCE, _VALUES_AT_ONCE[algorithm] // values))

    def _weights(self, weights: FloatArray | None, part: slice) -> FloatArray:
        if weights is None:
            return self.ones
        return weights[None, :] if weights.ndim == 1 else weights[part]

    def _checked(
        self,
        fitted: FittedDistance,
        queries: ArrayLike,
        weights: ArrayLike | None,
        exclude: ArrayLike | None,
        algorithm: str,
        threads: int,
    ) -> tuple[FloatArray, FloatArray | None, IdArray | None]:
        """What every search is asked with, refused in words or made ready."""
        if algorithm not in get_args(Algorithm):
            names = ", ".join(map(repr, get_args(Algorithm)))
            expected, hint = f"one of {names}", "'auto' suits all data."
            raise ParameterError.wrong("algorithm", algorithm, expected=expected, hint=hint)
        check_threads(threads)
        width = self.ones.size
        cells = check_queries(queries, width)
        weighted = check_weights(weights, len(cells), width)
        excluded = check_excluded(exclude, len(cells))
        return np.ascontiguousarray(fitted.prepare(cells)), weighted, excluded


def _largest_costs(fitted: FittedDistance, radii: FloatArray) -> FloatArray:
    """Costs that no row within the radius exceeds."""
    if not fitted.distance.root:
        return radii
    with np.errstate(over="ignore"):
        limits: FloatArray = np.where(radii < 0, -1.0, np.abs(radii) ** fitted.distance.power * (1 + 1e-9))
    return limits


def _result(fitted: FittedDistance, found: Found) -> Neighbors:
    indptr, ids, costs = found
    # The core's integers are C's long long, the same bits as NumPy's int64 under another name.
    return Neighbors(indptr.view(np.int64), ids.view(np.int64), costs, fitted.finish(costs))
