"""What PEBLS stores: the rows, the same as symbols, and the records of use of the exemplars.

An exemplar weighs ``w_X = used_X / correct_X >= 1``: how often X was the nearest exemplar, by how often its class was
then right (Cost & Salzberg 1993). Every record begins with 1 of 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeAlias, cast

import numpy as np

from priorcase._core import Exemplars
from priorcase._typing import FloatArray, IdArray
from priorcase.instances import Instances
from priorcase.learning.frames import free_label
from priorcase.learning.memory import Memory
from priorcase.learning.progress import bar
from priorcase.neighbors.votes import NeighborList
from priorcase.schema import Coded, Kind, Nominal, Numeric, Ordinal, ReadColumn, Schema, Table
from priorcase.similarity import Distance, FittedDistance
from priorcase.similarity.class_differences import Discretised
from priorcase.similarity.statistics import Statistics, codes_of, first_seen
from priorcase.similarity.terms import Curve, MissingRule

WeightingName: TypeAlias = Literal["one_pass", "multi_pass"]

# Between two blocks of rows, or batches of queries, Ctrl-C is heard.
_ROWS_AT_ONCE = 2048
_QUERIES_AT_ONCE = 8192
# Numbers beyond this have a range that may be infinite.
_HUGE = float(np.finfo(np.float64).max) / 2


@dataclass(frozen=True)
class Weighting:
    """How the records of exemplars are kept: see the parameters of `PEBLS`.

    ``"one_pass"`` is the published form: exemplars come one by one in the order of the rows, and of those stored so far
    the nearest, by ``w_X`` times the distance, answers for the new one. With ``"multi_pass"`` all rows are stored
    first; then each asks its nearest *other* exemplar, in turn and as often as there are passes.
    """

    name: WeightingName | None
    passes: int = 1
    inherit: bool = True

    def weigh(self, exemplars: Exemplars, cells: FloatArray, labels: IdArray) -> None:
        """Store all rows and compute their records."""
        if self.name == "one_pass":
            for part in _blocks(len(cells), 1):
                exemplars.arrive(cells[part], labels[part], self.inherit)
            return
        ones = np.ones(len(cells), np.int64)
        exemplars.store(cells, labels, ones, ones)
        for part in _blocks(len(cells), self.passes if self.name == "multi_pass" else 0):
            exemplars.sweep(cells[part], part.start)


def _blocks(rows: int, passes: int) -> Iterator[slice]:
    """The rows block by block, as often as there are passes, with a progress bar where that takes long."""
    starts = [start for _ in range(passes) for start in range(0, rows, _ROWS_AT_ONCE)]
    with bar(len(starts), shown=rows > 4 * _ROWS_AT_ONCE, text="PEBLS: records of exemplars") as advance:
        for start in starts:
            yield slice(start, min(start + _ROWS_AT_ONCE, rows))
            advance("PEBLS: records of exemplars")


class ExemplarMemory(Memory):
    """Stored rows and what PEBLS makes of them, each computed from the rows in id order when it is first needed."""

    def __init__(
        self,
        instances: Instances,
        *,
        distance: Distance,
        weighting: Weighting,
        bins: int | None,
        attribute_weights: FloatArray,
    ) -> None:
        super().__init__(instances)
        self.distance = distance
        self.weighting = weighting
        self.bins = bins
        self.attribute_weights = attribute_weights

    def __getstate__(self) -> dict[str, Any]:
        # A copy of a copy has records, but no exemplars before it is asked.
        computed = self._has("exemplars") or self._has("records")
        kept = {"records": (self.instances.version, self.records)} if computed else {}
        return super().__getstate__() | {"_cache": kept}

    @property
    def symbols(self) -> Symbols:
        """The rows as symbols."""
        return self.cached("symbols", lambda: Symbols.of(self.instances, self.bins))

    @property
    def fitted(self) -> FittedDistance:
        """The value differences, counted over the rows."""
        return self.cached("fitted", lambda: self.distance.fit(self.symbols.instances))

    @property
    def records(self) -> tuple[IdArray, IdArray]:
        """How often each exemplar was used, and how often it was correct."""

        def computed() -> tuple[IdArray, IdArray]:
            used, correct = self.exemplars.records()
            return used.astype(np.int64), correct.astype(np.int64)

        return self.cached("records", computed)

    @property
    def weights(self) -> FloatArray:
        """``used / correct`` of each exemplar."""
        used, correct = self.records
        return np.asarray(used / correct)

    @property
    def exemplars(self) -> Exemplars:
        """The compiled exemplars; records that came through a pickle are not computed again."""

        def computed() -> Exemplars:
            exemplars, cells = Exemplars(self.fitted.plan(), self.attribute_weights), self.symbols.instances.cells()
            labels = np.ascontiguousarray(self.instances.target(), dtype=np.int64)
            if self._has("records"):
                exemplars.store(cells, labels, *self.records)
            else:
                self.weighting.weigh(exemplars, cells, labels)
            return exemplars

        return self.cached("exemplars", computed)

    def search(
        self, cells: FloatArray, k: int, *, exclude: IdArray | None = None, ties: bool = False, threads: int = 1
    ) -> NeighborList:
        """The ``k`` exemplars nearest to each query by ``w_X Delta``; with ``ties`` all as near as the last of them.

        ``exclude`` has the position of an exemplar for each query that is not to be found.
        """
        found = []
        for start in range(0, len(cells), _QUERIES_AT_ONCE):
            part = slice(start, start + _QUERIES_AT_ONCE)
            left_out = None if exclude is None else exclude[part]
            found.append(self.exemplars.kneighbors(np.ascontiguousarray(cells[part]), k, ties, left_out, threads))
        lengths = np.concatenate([np.diff(indptr) for indptr, _, _ in found])
        rows = np.concatenate([rows for _, rows, _ in found]).astype(np.int64)
        distances = np.concatenate([distances for _, _, distances in found])
        return NeighborList(np.concatenate([[0], np.cumsum(lengths)]), rows, distances)

    def contributions(self, query: FloatArray, rows: IdArray) -> FloatArray:
        """The contribution of each attribute to ``w_X Delta`` of some exemplars, shape (exemplars, attributes)."""
        added = self.fitted.contributions(query, self.symbols.instances.cells(rows), self.attribute_weights)
        return np.asarray(self.weights[rows][:, None] * added)

    def differences(self, a: int) -> tuple[tuple[str, ...], FloatArray]:
        """Names of the symbols of attribute ``a`` that rows hold, and ``delta`` between any two of them."""
        codes, names = self.symbols.held(a)
        term = replace(self.distance, power=1.0).fit(self.symbols.instances).terms[a]
        return names, np.array([term.f(code, codes) for code in codes.tolist()])

    def _has(self, key: str) -> bool:
        """Whether something was computed from the rows stored now."""
        return self._cache.get(key, (-1, None))[0] == self.instances.version

    def _added(self, ids: IdArray) -> None:
        # A range beyond float64 must be refused now, with the rows that make it; any other can wait.
        numeric = [isinstance(kind, Numeric) for kind in self.instances.schema.kinds]
        columns, _, _ = self.instances.look_up(ids)
        if any(number and bool((np.abs(c) > _HUGE).any()) for number, c in zip(numeric, columns, strict=True)):
            _ = self.symbols


@dataclass(frozen=True, eq=False)
class Symbols:
    """Stored rows whose numbers are replaced by the intervals they lie in; queries are read in the same way.

    A number outside the stored range belongs to the nearest interval. An interval that no stored row lies in is an
    unseen value, and a missing number is the same symbol as any missing value. ``instances`` are the rows as symbols,
    in the order of their ids and numbered from 0; ``edges`` where the intervals of each numeric column begin.

    Examples
    --------
    >>> schema = Schema(("age", "colour"), (Numeric(), Nominal()))
    >>> stored = Instances(schema, Schema(None, (Nominal(),)))
    >>> rows = schema.read([[20, "red"], [60, "blue"], [None, "red"]])
    >>> _ = stored.append(rows, stored.targets.read([["no"], ["yes"], ["no"]]))
    >>> symbols = Symbols.of(stored, bins=4)
    >>> symbols.edges[0], symbols.instances.decode([0, 1, 2])
    (array([20., 30., 40., 50.]), [(0, 'red'), (3, 'blue'), (None, 'red')])
    >>> symbols.read(schema.read([[99, "red"], [45, "green"]]))
    array([[ 1.,  0.],
           [-1., -1.]])
    """

    instances: Instances
    edges: tuple[FloatArray | None, ...]

    @classmethod
    def of(cls, stored: Instances, bins: int | None) -> Self:
        """The rows stored now, numbers in ``bins`` intervals of equal width (None: ``max(5, number of classes)``)."""
        schema = stored.schema
        statistics = Statistics(stored, 0)
        edges = tuple(
            _edges(statistics, a, bins) if isinstance(kind, Numeric) else None for a, kind in enumerate(schema.kinds)
        )
        symbols = cls(Instances(_schema(schema), stored.targets), edges)
        columns = tuple(_stored_column(stored, a) for a in range(len(schema)))
        targets = None
        if stored.targets is not None:
            targets = Table(stored.targets, len(stored), (Coded(stored.target(), stored.target_values()),))
        symbols.instances.append(symbols._table(Table(schema, len(stored), columns)), targets)
        return symbols

    def read(self, table: Table) -> FloatArray:
        """Queries as cells: codes of symbols, NaN for missing, -1 for a value that no stored row holds."""
        return self.instances.encode(self._table(table))

    def held(self, a: int) -> tuple[FloatArray, tuple[str, ...]]:
        """Cells and names of the symbols of attribute ``a`` that rows hold, and "?" where one is missing.

        Intervals and levels are in their order, values in that of their first row. Of symbols that would have one
        name, such as 1 and "1", the later ones are numbered.
        """
        column = codes_of(self.instances.column(a))
        codes = first_seen(column)
        if self.edges[a] is not None or isinstance(self.instances.schema.kinds[a], Ordinal):
            codes = np.array(sorted(codes.tolist(), key=lambda code: self._place(a, code)), dtype=np.intp)
        missing = [np.nan] if bool((column < 0).any()) else []
        names: dict[str, None] = {}
        for name in (*self._names(a, codes.tolist()), *("?" for _ in missing)):
            names[free_label(name, names)] = None
        return np.concatenate([codes, missing]), tuple(names)

    def _place(self, a: int, code: int) -> int:
        value = self.instances.values(a)[code]
        return code if self.edges[a] is None else int(cast(int, value))

    def _names(self, a: int, codes: list[int]) -> list[str]:
        """What codes stand for; an interval by where it begins and ends."""
        edges = self.edges[a]
        if edges is None:
            return [str(self.instances.values(a)[code]) for code in codes]
        places = [self._place(a, code) for code in codes]
        ends = sorted({end for i in places for end in (i, i + 1) if end < edges.size})
        texts = dict(zip(ends, distinct_texts(edges[ends]), strict=True))
        return [f"{texts[i]} to {texts[i + 1]}" if i + 1 in texts else f"{texts[i]} or more" for i in places]

    def _table(self, table: Table) -> Table:
        columns = tuple(
            column if edges is None else _in_intervals(column, edges)
            for column, edges in zip(table.columns, self.edges, strict=True)
        )
        return Table(self.instances.schema, len(table), columns)


def distinct_texts(numbers: FloatArray) -> list[str]:
    """Different numbers in six digits, or in as many as it takes to distinguish them.

    Examples
    --------
    >>> distinct_texts(np.array([20.0, 30.0])), distinct_texts(np.array([1e6, 1e6 + 0.25]))
    (['20', '30'], ['1000000', '1000000.2'])
    """
    for digits in range(6, 17):
        texts = [f"{number:.{digits}g}" for number in numbers.tolist()]
        if len(set(texts)) == len(texts):
            return texts
    return [repr(number) for number in numbers.tolist()]


def _schema(schema: Schema) -> Schema:
    """The schema of the symbols. What values without a declaration are was checked when they were stored."""
    return Schema(schema.names, tuple(_kind(kind) for kind in schema.kinds))


def _kind(kind: Kind) -> Kind:
    return kind if isinstance(kind, Ordinal) or (isinstance(kind, Nominal) and kind.values is not None) else Nominal()


def _edges(statistics: Statistics, a: int, bins: int | None) -> FloatArray:
    """Where `Discretised` lets the intervals begin, so that the same numbers fall together in both."""
    term = Discretised(bins).fit(statistics.column(a), MissingRule(), 1.0)
    assert isinstance(term, Curve)  # what Discretised makes
    return term.breaks


def _stored_column(stored: Instances, a: int) -> ReadColumn:
    column = stored.column(a)
    return Coded(column, stored.values(a)) if isinstance(stored.schema.kinds[a], Nominal) else column


def _in_intervals(column: ReadColumn, edges: FloatArray) -> Coded:
    assert isinstance(column, np.ndarray)  # what Schema.read makes of numeric attributes
    found = np.clip(np.searchsorted(edges, column, side="right") - 1, 0, None)
    return Coded(np.where(np.isnan(column), -1, found).astype(np.int32), range(edges.size))
