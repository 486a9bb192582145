"""Which columns a mixture reads how: numeric, discrete, or silent; and rows encoded that way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray, Value
from priorcase.bayes.columns import shown_order
from priorcase.bayes.mixture.cells import Cells
from priorcase.bayes.mixture.scales import Scale
from priorcase.instances import Instances
from priorcase.learning.canonical import row_order, value_orders
from priorcase.schema import Kind, Nominal, Numeric, Schema


@dataclass(frozen=True, eq=False)
class Layout:
    """The columns of a mixture.

    Parameters
    ----------
    reader
        Encodes queries; it holds no rows, and its schema declares the values of every nominal column.
    numeric, scales
        Positions of the numeric columns that say something, and their standard units.
    silent
        The only number of each numeric column that says nothing, by position; None where there is none at all.
    discrete
        Positions of the nominal and ordinal columns.
    values
        The values of each discrete column, and of the class at the end if there is one.
    classed
        Whether there is a class.
    """

    reader: Instances
    numeric: tuple[int, ...]
    scales: tuple[Scale, ...]
    silent: dict[int, float | None]
    discrete: tuple[int, ...]
    values: tuple[tuple[Value, ...], ...]
    classed: bool

    @property
    def schema(self) -> Schema:
        """What the columns mean, with the values of the nominal ones."""
        return self.reader.schema

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each discrete attribute has."""
        return tuple(map(len, self.values))

    @property
    def log_widths(self) -> FloatArray:
        """The log of one standard unit of each numeric attribute."""
        return np.array([scale.log_width for scale in self.scales])

    @property
    def largest_precisions(self) -> FloatArray:
        """The largest precision of each numeric attribute, in standard units."""
        return np.array([scale.largest_precision for scale in self.scales])

    def discrete_at(self, a: int) -> int | None:
        """Which discrete attribute column ``a`` is, the class coming after all columns; None where it is numeric."""
        if self.classed and a == len(self.schema):
            return len(self.values) - 1
        return self.discrete.index(a) if a in self.discrete else None

    def listing(self, orders: Sequence[IntArray]) -> Layout:
        """The layout with the values of each discrete attribute in another order."""
        values = tuple(
            tuple(found[i] for i in order.tolist()) for found, order in zip(self.values, orders, strict=True)
        )
        schema = _closed(self.schema, dict(zip(self.discrete, values, strict=False)))
        return replace(self, reader=Instances(schema), values=values)

    def encode(self, matrix: FloatArray, classes: IntArray | None = None, weights: FloatArray | None = None) -> Cells:
        """Rows of cells (numbers, ranks and codes; NaN missing, -1 never seen), and their classes if they are known."""
        n = len(matrix)
        numbers, offsets = np.zeros((len(self.numeric), n)), np.zeros(n)
        known: list[FloatArray | None] = []
        for j, (a, scale) in enumerate(zip(self.numeric, self.scales, strict=True)):
            column = scale.standard(matrix[:, a])
            there = ~np.isnan(column)
            numbers[j, there] = column[there]
            offsets -= scale.log_width * there
            known.append(None if there.all() else there.astype(np.float64))
        codes = np.empty((len(self.values), n), np.intp)
        for j, a in enumerate(self.discrete):
            codes[j] = _coded(matrix[:, a], len(self.values[j]))
        if self.classed:
            codes[-1] = len(self.values[-1]) if classes is None else classes
        return Cells(numbers, tuple(known), codes, offsets, np.ones(n) if weights is None else weights)


@dataclass(frozen=True, eq=False)
class LaidOut:
    """Rows to learn from.

    Parameters
    ----------
    layout
        The columns, their values in an order that does not depend on their names.
    cells
        The rows in an order of their own: equal ones together.
    shown
        For each discrete attribute the positions of its values in the order in which they are shown: declared values
        and levels as declared, others ascending.
    """

    layout: Layout
    cells: Cells
    shown: tuple[IntArray, ...]


def lay_out(instances: Instances, classes: IntArray | None, labels: AnyArray | None) -> LaidOut:
    """The layout for some rows, and the rows."""
    schema, n = instances.schema, len(instances)
    weights = np.ones(n) if instances.weights is None else instances.weights
    numeric = [a for a, kind in enumerate(schema.kinds) if isinstance(kind, Numeric)]
    discrete = [a for a in range(len(schema)) if a not in numeric]
    matrix = instances.cells()
    values, shown = _renumber(instances, matrix, numeric, discrete, classes, weights)
    order = row_order(matrix.T, [] if classes is None else [classes])
    matrix, weights = matrix[order], weights[order]
    scales = {a: Scale.of(matrix[:, a], weights) for a in numeric}
    kept = {a: scale for a, scale in scales.items() if scale is not None}
    layout = Layout(
        reader=Instances(_closed(schema, dict(zip(discrete, values, strict=True)))),
        numeric=tuple(kept),
        scales=tuple(kept.values()),
        silent={a: _only(matrix[:, a]) for a in numeric if a not in kept},
        discrete=tuple(discrete),
        values=(*values, tuple(labels.tolist())) if labels is not None else tuple(values),
        classed=labels is not None,
    )
    shown += [] if labels is None else [np.arange(labels.size)]
    return LaidOut(layout, layout.encode(matrix, None if classes is None else classes[order], weights), tuple(shown))


def _renumber(
    instances: Instances,
    matrix: FloatArray,
    numeric: Sequence[int],
    discrete: Sequence[int],
    classes: IntArray | None,
    weights: FloatArray,
) -> tuple[list[tuple[Value, ...]], list[IntArray]]:
    """The values of each discrete column, and their positions in the order in which they are shown.

    The codes of nominal values in ``matrix`` become positions among them.
    """
    nominal = [a for a in discrete if isinstance(instances.schema.kinds[a], Nominal)]
    ranked = [matrix[:, a] for a in range(matrix.shape[1]) if a not in nominal]
    ranked += [] if classes is None else [classes.astype(np.float64)]
    codes = [np.asarray(instances.column(a), np.int64) for a in nominal]
    sizes = [len(instances.values(a)) for a in nominal]
    found = {a: instances.values(a) for a in discrete}
    shown = {a: np.arange(len(found[a])) for a in discrete}
    for a, column, order in zip(nominal, codes, value_orders(ranked, codes, sizes, weights), strict=True):
        known = [code for code in order.tolist() if found[a][code] is not None]  # None: its rows weighed nothing
        positions = np.full(order.size + 1, np.nan)
        positions[known] = np.arange(len(known))
        matrix[:, a] = positions[column]
        listed = sorted(known)
        places = shown_order([found[a][code] for code in listed], instances.schema.kinds[a])
        shown[a] = np.argsort(known)[places]
        found[a] = tuple(found[a][code] for code in known)
    return [found[a] for a in discrete], [shown[a] for a in discrete]


def _closed(schema: Schema, values: dict[int, tuple[Value, ...]]) -> Schema:
    """The schema with the values of its nominal columns declared, so that they keep their codes without rows."""
    kinds: list[Kind] = list(schema.kinds)
    for a, found in values.items():
        if isinstance(kinds[a], Nominal) and found:
            kinds[a] = Nominal(found)
    return Schema(schema.names, tuple(kinds))


def _coded(column: FloatArray, size: int) -> IntArray:
    """Codes of a column of cells: those of missing and never seen values come after the others."""
    missing = np.isnan(column)
    codes = np.where(missing, size, column).astype(np.intp)
    codes[codes < 0] = size + 1
    return codes


def _only(column: FloatArray) -> float | None:
    known = column[~np.isnan(column)]
    return float(known[0]) if known.size else None
