"""Every column as symbols, as PEBLS takes them: values, levels, intervals of numbers, and the gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, cast

import numpy as np

from priorcase._typing import FloatArray
from priorcase.instances import Instances
from priorcase.learning.frames import free_label
from priorcase.schema import Coded, Kind, Nominal, Numeric, Ordinal, ReadColumn, Schema, Table
from priorcase.similarity.class_differences import Discretised
from priorcase.similarity.statistics import Statistics, codes_of, first_seen
from priorcase.similarity.terms import Curve, MissingRule


@dataclass(frozen=True, eq=False)
class Symbols:
    """Stored rows whose numbers are replaced by the intervals they lie in; queries are read in the same way.

    A number outside the stored range belongs to the nearest interval. An interval that no stored row lies in is a value
    never seen, and a missing number is the same symbol as any missing value: "missing".

    Parameters
    ----------
    instances
        The rows as symbols, in the order of their ids and numbered from 0.
    edges
        Where the intervals of each numeric column begin; None for other columns.

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
        gaps = [np.nan] if bool((column < 0).any()) else []
        names: dict[str, None] = {}
        for name in (*self._names(a, codes.tolist()), *("?" for _ in gaps)):
            names[free_label(name, names)] = None
        return np.concatenate([codes, gaps]), tuple(names)

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
        texts = dict(zip(ends, told_apart(edges[ends]), strict=True))
        return [f"{texts[i]} to {texts[i + 1]}" if i + 1 in texts else f"{texts[i]} or more" for i in places]

    def _table(self, table: Table) -> Table:
        columns = tuple(
            column if edges is None else _in_intervals(column, edges)
            for column, edges in zip(table.columns, self.edges, strict=True)
        )
        return Table(self.instances.schema, len(table), columns)


def told_apart(numbers: FloatArray) -> list[str]:
    """Different numbers in six digits, or in as many as it takes to tell them apart.

    Examples
    --------
    >>> told_apart(np.array([20.0, 30.0])), told_apart(np.array([1e6, 1e6 + 0.25]))
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
