"""Columns of a mixture (numeric, discrete and text), standard units of numeric columns, and encoded rows.

A text is a discrete attribute that can have any number of values in a row, namely its words.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from priorcase._locks import cached_property
from priorcase._typing import AnyArray, FloatArray, IntArray, Value
from priorcase.bayes.columns import shown_order
from priorcase.bayes.parts import Parts, has_parts
from priorcase.bayes.words import Words
from priorcase.instances import Instances
from priorcase.instances.instances import unseen_values, with_unseen
from priorcase.learning.sorted_rows import value_orders
from priorcase.schema import Nominal, Numeric, Schema, Table, Text

_FARTHEST = 1e100  # squares and sums of squares of numbers in standard units must not overflow
_AT_ONCE = 32768  # numbers of a block that fit into a core's cache


@dataclass(frozen=True, slots=True)
class Scale:
    """Standard units of a numeric column: ``z = (x / unit - center) / spread``."""

    unit: float  # the largest absolute value, so that no step overflows
    center: float  # the mean in that unit
    spread: float  # the standard deviation in that unit
    grain: float  # half of the rows have no other number nearer than this

    @classmethod
    def of(cls, column: FloatArray, weights: FloatArray) -> Scale | None:
        """Create the scale of a column; return None if the column has fewer than two distinct numbers."""
        known = ~np.isnan(column)
        # Distinct numbers, so that repeated numbers count exactly like one number with their total weight.
        values, place = np.unique(column[known], return_inverse=True)
        if values.size < 2:
            return None
        rows: FloatArray = np.bincount(place, weights=weights[known]).astype(np.float64)
        unit = float(np.abs(values).max())
        values = values / unit
        total = rows.sum()
        center = float((rows * values).sum() / total)
        spread = math.sqrt(float((rows * np.square(values - center)).sum() / total))
        # The grain: the median over the rows of the distance to the nearest other number.
        steps = np.concatenate(([np.inf], np.diff(values), [np.inf]))
        nearest = np.minimum(steps[:-1], steps[1:])
        order = np.argsort(nearest, kind="stable")
        below = np.cumsum(rows[order])
        grain = float(nearest[order[np.searchsorted(below, 0.5 * below[-1])]])
        return cls(unit, center, spread, grain) if spread and grain else None

    @property
    def log_width(self) -> float:
        """Log of the length of one standard unit, measured in the units of the column."""
        return math.log(self.unit) + math.log(self.spread)

    def standard(self, values: FloatArray) -> FloatArray:
        """Return numbers in standard units, clipped to an absolute value of 1e100."""
        with np.errstate(over="ignore"):
            return np.clip((values / self.unit - self.center) / self.spread, -_FARTHEST, _FARTHEST)

    def original(self, standard: FloatArray) -> FloatArray:
        """Return numbers in the units of the column."""
        return np.asarray((standard * self.spread + self.center) * self.unit)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Rows as numbers in standard units and codes of values, with their weights."""

    numbers: FloatArray  # numeric attributes in standard units, shape (attributes, rows); 0 if missing
    known: tuple[FloatArray | None, ...]  # for each numeric attribute, 1 if known, otherwise 0; None if all are known
    # For discrete attributes with n values: n if missing, n + 1 if unseen. For texts: the row of ``documents``; row 0
    # has no words and stands for a missing text. Shape (attributes, rows).
    codes: IntArray
    offsets: FloatArray  # the log-Jacobian of the conversion to standard units, for each row
    weights: FloatArray
    documents: Mapping[int, Any] = field(default_factory=dict)  # word counts of each text, by attribute

    def __len__(self) -> int:
        return len(self.weights)

    def blocks(self, width: int) -> Iterator[slice]:
        """Yield blocks of rows, so small that ``width`` numbers for each row of a block fit into the cache."""
        rows = max(256, _AT_ONCE // max(width, 1))
        return (slice(start, min(start + rows, len(self))) for start in range(0, len(self), rows))

    def take(self, rows: IntArray | slice, weights: FloatArray | None = None) -> Cells:
        """Return some rows, optionally with other weights."""
        return Cells(
            np.ascontiguousarray(self.numbers[:, rows]),
            tuple(None if known is None else np.ascontiguousarray(known[rows]) for known in self.known),
            np.ascontiguousarray(self.codes[:, rows]),
            self.offsets[rows],
            self.weights[rows] if weights is None else weights,
            self.documents,
        )

    def words(self, j: int, rows: slice) -> Any:
        """Return the word counts of text attribute ``j`` as a sparse matrix, shape (rows, words)."""
        return self.documents[j][self.codes[j, rows]]

    def merged(self) -> Cells:
        """Return the distinct rows with summed weights; equal rows must be adjacent."""
        changes = np.zeros(len(self), bool)
        changes[:1] = True
        for column in (*self.numbers, *self.codes, *(known for known in self.known if known is not None)):
            changes[1:] |= column[1:] != column[:-1]
        if changes.all():
            return self
        first = np.flatnonzero(changes)
        return self.take(first, np.add.reduceat(self.weights, first))


@dataclass(frozen=True, eq=False)
class Layout:
    """Columns of a mixture and their encoding."""

    reader: Instances  # encodes queries; has no rows, and its schema declares the values of all nominal columns
    numeric: tuple[int, ...]  # positions of the numeric columns with at least two distinct numbers
    scales: tuple[Scale, ...]  # their standard units
    constant: dict[int, float | None]  # the only number of each other numeric column; None if it has none
    discrete: tuple[int, ...]  # positions of the nominal and ordinal columns, and of texts
    values: tuple[tuple[Value, ...], ...]  # of each discrete column, followed by the class if there is one
    has_class: bool
    parts: Parts | None = None  # how columns of a table were split

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of values of each discrete attribute."""
        return tuple(map(len, self.values))

    @cached_property
    def texts(self) -> dict[int, Words]:
        """Positions of the text attributes among the discrete attributes, each with its word counter."""
        kinds = [self.reader.schema.kinds[a] for a in self.discrete]
        return {j: Words.of(kind) for j, kind in enumerate(kinds) if isinstance(kind, Text)}

    def column_of(self, a: int) -> int:
        """Return the column of the table that attribute ``a`` is a part of."""
        return a if self.parts is None else int(self.parts.columns[a])

    def attributes_of(self, column: int) -> list[int]:
        """Return the attributes of a column of the table; the class is at the position after the last column."""
        if self.parts is None:
            return [column]
        found: list[int] = self.parts.attributes_of(column).tolist()
        return found if column < len(self.parts.source) else [len(self.reader.schema)]

    @cached_property
    def table_reader(self) -> Instances:
        """`Instances` object without rows that reads tables of queries."""
        if self.parts is None:
            return self.reader
        source, taken = self.parts.source, self.parts.taken
        kinds = [
            self.reader.schema.kinds[self.attributes_of(a)[0]]
            if isinstance(kind, Nominal) and taken[a] is None
            else kind
            for a, kind in enumerate(source.kinds)
        ]
        return Instances(Schema(source.names, tuple(kinds)))

    def matrix(self, table: Table) -> FloatArray:
        """Convert queries that `table_reader` has read to a matrix with one column for each attribute."""
        if self.parts is not None:
            table = Table(self.reader.schema, len(table), self.parts.table(table).columns)
        return self.reader.encode(table)

    def discrete_at(self, a: int) -> int | None:
        """Return the position of ``a`` among the discrete attributes (the class is last), or None if it is numeric."""
        if self.has_class and a == len(self.reader.schema):
            return len(self.values) - 1
        return self.discrete.index(a) if a in self.discrete else None

    def reordered(self, orders: Sequence[IntArray]) -> Layout:
        """Return the layout with the values of each discrete attribute in another order."""
        pairs = zip(self.values, orders, strict=True)
        values = tuple(tuple(found[i] for i in order.tolist()) for found, order in pairs)
        schema = declaring(self.reader.schema, dict(zip(self.discrete, values, strict=False)))
        return replace(self, reader=query_reader(schema), values=values)

    def encode(self, matrix: FloatArray, classes: IntArray | None = None, weights: FloatArray | None = None) -> Cells:
        """Encode rows, given a matrix of numbers, ranks and codes (NaN if missing, -1 if unseen), and their classes."""
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
        documents = dict[int, Any]()
        for j, a in enumerate(self.discrete):
            if j in self.texts:
                codes[j], documents[j] = _documents(matrix[:, a], self.texts[j], self.values[j])
                continue
            size = len(self.values[j])
            codes[j] = np.where(np.isnan(matrix[:, a]), size, matrix[:, a])
            codes[j, codes[j] < 0] = size + 1
        if self.has_class:
            codes[-1] = len(self.values[-1]) if classes is None else classes
        return Cells(numbers, tuple(known), codes, offsets, np.ones(n) if weights is None else weights, documents)


def _documents(cells: FloatArray, counter: Words, words: tuple[Value, ...]) -> tuple[IntArray, Any]:
    """Return the row of each text in a matrix of word counts, and this matrix, whose first row is empty."""
    codes, known, texts = np.zeros(len(cells), np.intp), ~np.isnan(cells), unseen_values(cells)
    distinct, places = np.unique(cells[known], return_inverse=True)
    codes[known] = places.ravel() + 1
    return codes, counter.counts(["", *(str(texts[-2 - int(cell)]) for cell in distinct.tolist())], words)


def query_reader(schema: Schema) -> Instances:
    """Return an `Instances` object without rows that reads queries and keeps the texts in them."""
    reader = Instances(schema)
    reader.keeps_unseen = tuple(a for a, kind in enumerate(schema.kinds) if isinstance(kind, Text))
    return reader


def lay_out(
    instances: Instances, classes: IntArray | None = None, labels: AnyArray | None = None
) -> tuple[Layout, Cells, tuple[IntArray, ...]]:
    """Return the layout of some rows, the encoded rows, and the display order of each discrete attribute's values."""
    parts = Parts.of(instances, arcs=True) if has_parts(instances.schema) else None
    instances = instances if parts is None else parts.instances(instances)
    schema, n = instances.schema, len(instances)
    weights = np.ones(n) if instances.weights is None else instances.weights
    numeric = [a for a, kind in enumerate(schema.kinds) if isinstance(kind, Numeric)]
    discrete = [a for a in range(len(schema)) if a not in numeric]
    matrix = _with_texts(instances)
    values, shown = _renumber(instances, matrix, discrete, classes, weights)
    # Equal rows must be adjacent, see `Cells.merged`.
    order = np.lexsort([*np.asarray(matrix).T, *([] if classes is None else [classes])][::-1])
    matrix, weights = matrix[order], weights[order]
    scales = {a: Scale.of(matrix[:, a], weights) for a in numeric}
    kept = {a: scale for a, scale in scales.items() if scale is not None}
    numbers = {a: matrix[~np.isnan(matrix[:, a]), a] for a in numeric if a not in kept}
    layout = Layout(
        reader=query_reader(declaring(schema, dict(zip(discrete, values, strict=True)))),
        numeric=tuple(kept),
        scales=tuple(kept.values()),
        constant={a: float(known[0]) if known.size else None for a, known in numbers.items()},
        discrete=tuple(discrete),
        values=(*values, tuple(labels.tolist())) if labels is not None else tuple(values),
        has_class=labels is not None,
        parts=parts,
    )
    shown += [] if labels is None else [np.arange(labels.size)]
    return layout, layout.encode(matrix, None if classes is None else classes[order], weights), tuple(shown)


def _with_texts(instances: Instances) -> FloatArray:
    """Return the stored rows as a matrix; texts are numbered in sorted order, as in queries."""
    matrix, texts = instances.cells(), list[Value]()
    for a, kind in enumerate(instances.schema.kinds):
        if isinstance(kind, Text):
            values, found = instances.values(a), sorted(map(str, instances.known(a)))
            numbers = {text: -2.0 - number for number, text in enumerate(found, start=len(texts))}
            codes = np.asarray(instances.column(a), np.int64).tolist()
            matrix[:, a] = [np.nan if code < 0 else numbers[str(values[code])] for code in codes]
            texts += found
    return with_unseen(matrix, texts) if texts else matrix


def _renumber(
    instances: Instances, matrix: FloatArray, discrete: Sequence[int], classes: IntArray | None, weights: FloatArray
) -> tuple[list[tuple[Value, ...]], list[IntArray]]:
    """Return the values of each discrete column and their display order; renumber the codes in ``matrix``."""
    kinds = instances.schema.kinds
    texts = {a: kind for a, kind in enumerate(kinds) if isinstance(kind, Text)}
    nominal = [a for a in discrete if isinstance(kinds[a], Nominal) and a not in texts]
    ranked = [matrix[:, a] for a in range(matrix.shape[1]) if a not in nominal]
    ranked += [] if classes is None else [classes.astype(np.float64)]
    codes = [np.asarray(instances.column(a), np.int64) for a in nominal]
    sizes = [instances.n_values(a) for a in nominal]
    found = {
        a: Words.of(texts[a]).vocabulary(instances.known(a)) if a in texts else instances.values(a) for a in discrete
    }
    shown = {a: np.arange(len(found[a])) for a in discrete}
    for a, column, order in zip(nominal, codes, value_orders(ranked, codes, sizes, weights), strict=True):
        known = [code for code in order.tolist() if found[a][code] is not None]  # None: rows with zero weight
        positions = np.full(order.size + 1, np.nan)
        positions[known] = np.arange(len(known))
        matrix[:, a] = positions[column]
        places = shown_order([found[a][code] for code in sorted(known)], instances.schema.kinds[a])
        shown[a] = np.argsort(known)[places]
        found[a] = tuple(found[a][code] for code in known)
    return [found[a] for a in discrete], [shown[a] for a in discrete]


def declaring(schema: Schema, values: dict[int, tuple[Value, ...]]) -> Schema:
    """Return a schema that declares the values of its nominal columns, so that their codes do not depend on rows."""
    found = [
        Nominal(values[a]) if isinstance(kind, Nominal) and not isinstance(kind, Text) and values[a] else kind
        for a, kind in enumerate(schema.kinds)
    ]
    return Schema(schema.names, tuple(found))
