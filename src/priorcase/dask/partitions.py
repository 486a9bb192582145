"""Read the partitions of a table separately, with the same result as for the whole table.

A *sketch* summarizes the columns of a partition. It contains the distinct values of a nominal column in order of first
occurrence, or the type of a numeric column. The sketches of all partitions, in order, determine the schema of the whole
table and the code of each value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IdArray, Name, Value
from priorcase.exceptions import (
    ParameterError,
    PriorcaseError,
    SchemaError,
    SchemaMismatchError,
    TargetError,
    listed,
)
from priorcase.instances import Instances, check_weights
from priorcase.learning.estimator import check_declared, check_some
from priorcase.learning.targets import (
    Labeling,
    Labels,
    as_array,
    check_length,
    learned_labels,
    read_labels,
    read_numbers,
)
from priorcase.schema import Nominal, Numeric, Schema
from priorcase.schema.columns import COLLECTIONS, ArrayColumn, Coded, Column, ObjectColumn
from priorcase.schema.kinds import is_hashable, is_missing
from priorcase.schema.schema import Source, inferred, open_source

_SAMPLE = 20  # first known values, kept even if repeated, to distinguish free text from names


@dataclass(frozen=True)
class Partition:
    """One partition of a Dask table: its rows, targets and weights."""

    number: int
    frame: Any
    target: Any  # a series, or `InFrame` for a column of the frame
    weight: Any  # like the target

    def parts(self) -> tuple[Any, Any, FloatArray | None]:
        """Return rows, targets and weights; target and weight columns are removed from the rows."""
        X, found = self.frame, []
        if not X.columns.is_unique:
            repeated = X.columns[X.columns.duplicated()][0]
            raise SchemaError(f"X has more than one column named {repeated!r}. Rename or drop the repeated columns.")
        for name, given in (("y", self.target), ("sample_weight", self.weight)):
            if isinstance(given, InFrame):
                if given.column not in X.columns:
                    raise SchemaMismatchError(f"column {given.column!r}, passed as {name}, does not exist")
                given = self.frame[given.column]
                X = X.drop(columns=[given.name])
            found.append(given)
        if found[0] is not None and len(found[0]) != len(X):
            check_length(len(found[0]), len(X))
        return X, found[0], check_weights(found[1], len(X))


@dataclass(frozen=True)
class InFrame:
    """Name of a target or weight column that is part of the frame."""

    column: Name


@contextmanager
def of_partition(number: int) -> Iterator[None]:
    """Add the number of a partition to the messages of errors that are raised in this context."""
    try:
        yield
    except PriorcaseError as error:
        raise type(error)(f"partition {number}: {error.args[0]}") from None


# -- sketches


@dataclass(frozen=True, eq=False)
class Sketch:
    """Summary of a partition: its columns, reduced to a few rows, and the number of known values in each column."""

    number: int
    rows: int
    names: tuple[Name, ...] | None
    columns: tuple[Column, ...]
    known: tuple[int, ...]
    labels: Labels | None  # distinct labels, by first occurrence


def sketch(partition: Partition, nominal: frozenset[Name], classes: bool) -> Sketch:
    """Return the sketch of a partition; ``nominal`` contains the numeric columns to treat as nominal."""
    with of_partition(partition.number):
        X, y, _ = partition.parts()
        source = open_source(X)
        labels = None
        if len(X) and classes:
            labels = read_labels(y)
            _, first = np.unique(labels.values[:, 0], return_index=True)
            labels = replace(labels, values=labels.values[np.sort(first)])
        elif len(X):
            as_array(y)
        pairs = [_reduced(column, source.label(a) in nominal) for a, column in enumerate(source.columns)]
        columns, known = zip(*pairs, strict=True)
        return Sketch(partition.number, source.rows, source.names, columns, known, labels)


def _reduced(column: Column, distinct: bool) -> tuple[Column, int]:
    """Return a short column of the same kind, and the number of known values."""
    if isinstance(column, ArrayColumn):
        missing = column._missing
        known = np.flatnonzero(~missing)
        at = known[:1]  # one number is enough unless all distinct numbers are needed
        if column.array.dtype.kind == "f":  # infinite numbers raise an error when the rows are read
            at = np.flatnonzero(np.isfinite(column.array))[:1]
        if distinct or column.array.dtype.kind == "b":
            at = known[np.sort(np.unique(column.array[known], return_index=True)[1])]
        at = np.append(at, np.flatnonzero(missing)[:1])
        mask = None if column.mask is None else column.mask[at]
        return replace(column, array=column.array[at], mask=mask), known.size
    if isinstance(column, Coded):
        known = column.codes[column.codes >= 0]
        held = np.sort(np.unique(known, return_index=True)[1])
        codes = known[held]
        if known.size < len(column):
            codes = np.append(codes, -1)
        return replace(column, codes=codes), known.size
    values = [value for value in column.values if not is_missing(value)]
    few = values[:_SAMPLE] + list({_key(value): value for value in values[_SAMPLE:]}.values())
    if len(values) < len(column.values):
        few.append(None)
    return ObjectColumn(few, column.implied), len(values)


def _key(value: Any) -> Any:
    """Return a key for finding repeated values; equal values of different types have different keys."""
    if isinstance(value, COLLECTIONS) and all(map(is_hashable, value)):
        return type(value), frozenset(value)
    return (type(value), value) if is_hashable(value) else id(value)


# -- agreement


@dataclass(frozen=True, eq=False)
class Agreement:
    """Kinds of columns and codes of values, which are the same in all partitions, and the numbering of the rows."""

    empty: Instances  # no rows, but the kinds of the columns and the codes of the values
    labeling: Labeling | None
    offsets: tuple[int, ...]  # id of the first row of each partition
    rows: int


def agree(estimator: Any, sketches: Sequence[Sketch], classes: bool) -> Agreement:
    """Determine the schema that ``estimator`` would infer from the whole table, and the codes of all values."""
    source, filled = joined(sketches)
    if isinstance(estimator.schema, Schema):
        check_declared(estimator)
        schema = estimator.schema
        source = Source(source.names, tuple(source.columns[a] for a in schema._match(source)), source.rows)
    else:
        schema = inferred(source, estimator.categorical_features, estimator.schema, parameter="schema")
    table = schema.read(source)
    labeling, targets, target = None, Schema(None, (Numeric(),)), None
    if classes:
        labels = _joined_labels(filled)
        labeling, targets, values = learned_labels(labels, None, None, None)
        target = targets.read(values)
    coded = Instances(schema, targets)
    pairs = [*zip(coded._rows.columns, (*table.columns, None if target is None else target.columns[0]), strict=True)]
    found: list[Sequence[Value]] = []
    for a, (column, given) in enumerate(pairs):
        values_ = list(column.values)
        if isinstance(given, Coded):
            label = "y" if a == len(schema) else schema.label(a)
            new = column.prepare(given, len(values_), label)[1]
            values_ += list(new.values())
        found.append(values_)
    offsets = np.cumsum([0, *(each.rows for each in sketches)]).tolist()
    return Agreement(Instances.coded_alike(schema, targets, found), labeling, tuple(offsets[:-1]), offsets[-1])


def joined(sketches: Sequence[Sketch]) -> tuple[Source, list[Sketch]]:
    """Check that all partitions have the same columns; return the joined columns, and the sketches that have rows."""
    filled = [each for each in sketches if each.rows]
    check_some(len(filled), len(sketches[0].columns) if sketches else 0)
    first = filled[0]
    for each in filled:
        if (each.names is None) != (first.names is None) or set(each.names or ()) != set(first.names or ()):
            raise SchemaMismatchError(
                f"partition {each.number} has the columns {listed(each.names or ())}, but partition {first.number} has "
                f"{listed(first.names or ())}. All partitions need the same columns."
            )
    columns = tuple(_joined(filled, a) for a in range(len(first.columns)))
    return Source(first.names, columns, sum(each.rows for each in filled)), filled


def _joined(sketches: Sequence[Sketch], a: int) -> Column:
    """Join column ``a`` of all sketches into one short column."""
    name = a if sketches[0].names is None else sketches[0].names[a]
    own = [(each, each.columns[a if each.names is None else each.names.index(name)]) for each in sketches]
    told = [(each, column) for each, column in own if not column.empty()] or own[:1]
    first, kind = told[0][0].number, told[0][1]
    for each, column in told:
        if column.content != kind.content or getattr(column, "ordered", 0) != getattr(kind, "ordered", 0):
            raise SchemaMismatchError(
                f"column {name!r} is {_described(column)} in partition {each.number}, but {_described(kind)} in "
                f"partition {first}. Use the same type in all partitions."
            )
        if isinstance(kind, Coded) and kind.ordered and tuple(kind.values) != tuple(column.coded().values):
            raise SchemaMismatchError(
                f"column {name!r} has the ordered categories {listed(column.coded().values)} in partition "
                f"{each.number}, but {listed(kind.values)} in partition {first}. Use the same order in all partitions."
            )
    known = sum(each.known[a if each.names is None else each.names.index(name)] for each in sketches)
    columns = [column for _, column in told]
    if any(column.empty() for _, column in own) and not isinstance(columns[0], ArrayColumn):
        columns.append(ObjectColumn([None]) if isinstance(columns[0], ObjectColumn) else Coded(np.array([-1]), ()))
    if all(isinstance(column, ArrayColumn) for column in columns):
        return _joined_arrays(columns)
    if all(isinstance(column, Coded) for column in columns):
        return _joined_codes(columns, known)
    values: list[Any] = []
    for column in columns:
        values += column.values if isinstance(column, ObjectColumn) else column.coded().tolist()
    distinct = len({_key(value) for value in values if not is_missing(value)})
    few = sum(not is_missing(value) for value in values)
    repeated = next((value for value in values if not is_missing(value)), None)
    values += [repeated] * max(min(known, 2 * distinct) - few, 0)
    return ObjectColumn(values, getattr(kind, "implied", None))


def _described(column: Column) -> str:
    ordered = "ordered categories" if getattr(column, "ordered", False) else ""
    return ordered or {"any": "of mixed types"}.get(column.content, column.content)


def _joined_arrays(columns: Sequence[Any]) -> ArrayColumn:
    masks = None
    if any(column.mask is not None for column in columns):
        masks = np.concatenate([column._missing for column in columns])
    return ArrayColumn(np.concatenate([column.array for column in columns]), masks, columns[0].implied)


def _joined_codes(columns: Sequence[Any], known: int) -> Coded:
    index: dict[Value, int] = {}
    codes = []
    for column in columns:
        own = [index.setdefault(value, len(index)) for value in column.values]
        codes.append(np.array([*own, -1], np.int64)[column.codes])
    joined = np.concatenate(codes)
    # The test for free text compares the number of known rows with twice the number of values: repeat a value, so that
    # the test has the same result as for the whole table.
    more = min(known, 2 * len(index)) - int((joined >= 0).sum())
    if more > 0:
        joined = np.append(joined, np.full(more, joined[joined >= 0][0]))
    merged: Coded = replace(columns[0], codes=joined, values=list(index))
    return merged


def _joined_labels(sketches: Sequence[Sketch]) -> Labels:
    told = [(each.number, each.labels) for each in sketches if each.labels is not None]
    first = told[0]
    for number, labels in told:
        if labels.sort != first[1].sort:
            raise TargetError(
                f"the classes are {labels.sort} in partition {number}, but {first[1].sort} in partition {first[0]}. "
                "Use the same type of class in all partitions."
            )
    return replace(first[1], values=np.concatenate([labels.values for _, labels in told]))


# -- rows


def store(partition: Partition, agreement: Agreement, estimator: Any) -> Instances:
    """Return the rows of a partition, with the codes shared by all partitions and with their ids in the whole table."""
    number, empty = partition.number, agreement.empty
    stored = empty.from_id(agreement.offsets[number])
    with of_partition(number):
        X, y, weights = partition.parts()
        if not len(X):
            return stored
        table = empty.schema.read(X, known=empty.known)
        estimator._check_table(table, True)
        if agreement.labeling is not None:
            values: AnyArray = read_labels(y).values
        else:
            values = read_numbers(y)[0]
        if values.shape[1] != 1:
            raise TargetError(f"y must be one column, got {values.shape[1]}")
        if empty.targets is None:
            raise ParameterError("there are no targets")
        stored.append(table, empty.targets.read(values), weights)
    return stored if weights is None or weights.all() else stored.part(np.flatnonzero(weights))


# -- totals


@dataclass(frozen=True, eq=False)
class Totals:
    """Number of rows, their total weight, number of rows with each code, and range of each numeric column."""

    rows: int
    weight: float
    weighted: bool
    counts: tuple[IdArray | None, ...]
    ends: tuple[tuple[float, float], ...]


def totals(stored: Instances) -> Totals:
    kinds, weights = (*stored.schema.kinds, *(stored.targets.kinds if stored.targets else ())), stored.weights
    counts = tuple(stored.value_counts(j) if isinstance(kind, Nominal) else None for j, kind in enumerate(kinds))
    ends = []
    for j, kind in enumerate(kinds):
        low = high = math.nan
        if not isinstance(kind, Nominal) and len(stored):
            numbers = stored.column(j)
            low, high = float(np.fmin.reduce(numbers)), float(np.fmax.reduce(numbers))
        ends.append((low, high))
    total = float(len(stored)) if weights is None else float(weights.sum())
    return Totals(len(stored), total, weights is not None, counts, tuple(ends))


def join_totals(found: Sequence[Totals]) -> Totals:
    counts = []
    for own in zip(*(each.counts for each in found), strict=True):
        counts.append(None if own[0] is None else np.sum(own, axis=0))
    ends = []
    for own in zip(*(each.ends for each in found), strict=True):
        lows, highs = np.array(own).T
        ends.append((float(np.fmin.reduce(lows)), float(np.fmax.reduce(highs))))
    weight = math.fsum(each.weight for each in found)
    weighted = any(each.weighted for each in found)
    return Totals(sum(each.rows for each in found), weight, weighted, tuple(counts), tuple(ends))


def with_counts(agreement: Agreement, found: Totals) -> Instances:
    """Return the shared codes with the number of rows that have each code; a value without rows becomes unseen."""
    empty = agreement.empty
    values: list[Sequence[Value]] = []
    for j, kind in enumerate((*empty.schema.kinds, *(empty.targets.kinds if empty.targets else ()))):
        own, counts = empty.values(j), found.counts[j]
        if counts is not None and isinstance(kind, Nominal) and kind.values is None:
            own = tuple(value if count else None for value, count in zip(own, counts.tolist(), strict=True))
        values.append(own)
    return Instances.coded_alike(empty.schema, empty.targets, values, found.counts)


def check_aligned(number: int, what: str, expected: int) -> None:
    """Raise an error if targets or weights have a different number of partitions than the rows."""
    if number != expected:
        raise ParameterError(
            f"{what} has {number} partitions, but the rows have {expected}. Use the same partitions, or make {what} a "
            "column of X and pass its name."
        )
