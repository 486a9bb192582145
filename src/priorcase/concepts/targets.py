"""Targets at the door of a concept learner: a class for each row, or a column of 0 and 1 for each class."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import AnyArray
from priorcase.concepts.memberships import column_names, holds_lists, members, read_columns, strangers
from priorcase.concepts.roll import ClassRoll
from priorcase.exceptions import ConceptError, TargetError
from priorcase.learning.labels import Labels, read_labels
from priorcase.schema import Coded, Nominal, Schema, Table
from priorcase.schema.values import is_missing

_ONE = Schema(None, (Nominal(),))


@dataclass(frozen=True, eq=False)
class Targets:
    """What some rows are.

    Parameters
    ----------
    coded
        As learned: codes on the roll, shape (rows,), or whether each row belongs to each class, (rows, classes).
    roll
        The classes met so far, these included.
    """

    coded: AnyArray
    roll: ClassRoll

    def __len__(self) -> int:
        return len(self.coded)

    def part(self, rows: slice) -> Targets:
        """Those of some rows; the roll stays that of all."""
        return Targets(self.coded[rows], self.roll)

    @property
    def schema(self) -> Schema:
        """How they are stored."""
        return Schema(None, (Nominal(),) * self.coded.shape[1]) if self.roll.indicator else _ONE

    def table(self) -> Table:
        """As they are stored beside the rows: classes by name, memberships as 0 and 1."""
        if not self.roll.indicator:
            return Table(self.schema, len(self), (Coded(self.coded, self.roll.labels),))
        return Table(self.schema, len(self), tuple(Coded(inside.astype(np.int8), (0, 1)) for inside in self.coded.T))


def read_targets(y: Any, roll: ClassRoll | None, classes: Any, *, several: bool, first_id: int) -> Targets:
    """Targets of some rows.

    Parameters
    ----------
    y
        Classes, or an indicator with a column for each class.
    roll
        The classes met so far; None before the first rows.
    classes
        Classes announced in this call; None for none.
    several
        Whether there is a description for each class, so that rows may belong to several.
    first_id
        The id of the first of the rows.
    """
    labels = _read(y, roll, classes, several=several)
    if roll is not None and roll.indicator == labels.flat:
        raise ConceptError.other_shape(indicator=not labels.flat)
    if roll is not None and not roll.rows.any() and not roll.closed:
        roll = None  # every row was forgotten: what they were is forgotten too
    if not labels.flat:
        if not several:
            raise ConceptError.several_labels(labels.values.shape[1])
        return _indicator(y, labels, roll, classes, first_id)
    if roll is None:
        roll = ClassRoll((), np.zeros(0, np.int64), labels.sort, (), ())
    _check_sort(labels, roll)
    if classes is not None:
        roll = _announced(roll, classes)
    if roll.closed and (unknown := sorted(set(labels.values[:, 0].tolist()) - _declared(roll))):
        raise TargetError.undeclared(unknown, sorted(_declared(roll)))
    roll, codes = roll.called(labels, first_id)
    return Targets(codes, roll)


def read_truth(y: Any, roll: ClassRoll) -> AnyArray:
    """Columns of 0 and 1 to compare answers with, in the order of the classes."""
    labels = _read(y, roll, None, several=True)
    if labels.flat:
        raise ConceptError.other_shape(indicator=False)
    return members(y, labels, roll)


def _read(y: Any, roll: ClassRoll | None, classes: Any, *, several: bool) -> Labels:
    """Labels of some rows, flat or in columns."""
    try:
        columns = read_columns(y) if several and (roll is None or roll.indicator) else None
        if columns is None or (roll is None and not _is_indicator(y, columns, classes)):
            columns = read_labels(y)
    except TargetError:
        if holds_lists(y):
            raise ConceptError.label_lists() from None
        raise
    if not columns.flat and columns.sort == "text" and holds_lists(y):
        raise ConceptError.label_lists()
    return columns


def _is_indicator(y: Any, columns: Labels, classes: Any) -> bool:
    """Whether the first columns say of each row if it belongs to a class: a single one may hold the classes instead."""
    if columns.values.shape[1] > 1:
        return True
    named = classes is None or _listed(classes) == list(column_names(y) or (0,))
    return named and not strangers(columns)


def _announced(roll: ClassRoll, classes: Any) -> ClassRoll:
    """The roll with classes announced beside those announced before."""
    labels = read_classes(classes)
    _check_sort(labels, roll)
    roll = roll.announced(labels)
    met: set[Any] = {label for label, rows in zip(roll.labels, roll.rows.tolist(), strict=True) if rows}
    undeclared: list[Any] = sorted(met - _declared(roll))
    if undeclared:
        raise ConceptError.seen_undeclared(undeclared, sorted(_declared(roll)))
    return roll


def _declared(roll: ClassRoll) -> set[Any]:
    return {label for label, declared in zip(roll.labels, roll.declared, strict=True) if declared}


def _check_sort(labels: Labels, roll: ClassRoll) -> None:
    if roll.sort is not None and labels.sort != roll.sort:
        raise TargetError.other_labels(labels.sort, roll.sort)


def read_classes(classes: Any) -> Labels:
    """Classes that are announced, read as a target is."""
    values = list(classes) if isinstance(classes, Iterable) and not isinstance(classes, str) else None
    if not values or any(isinstance(value, (list, tuple, np.ndarray)) or is_missing(value) for value in values):
        raise TargetError.not_classes(classes)
    return read_labels(classes if isinstance(classes, np.ndarray) else values)


def _indicator(y: Any, labels: Labels, roll: ClassRoll | None, classes: Any, first_id: int) -> Targets:
    """Targets as columns of 0 and 1."""
    if roll is None:
        n = labels.values.shape[1]
        names = column_names(y) or tuple(range(n))
        roll = ClassRoll(names, np.zeros(n, np.int64), None, ((first_id, labels.dtype),), (True,) * n)
    coded = members(y, labels, roll)
    if classes is not None and _listed(classes) != list(roll.labels):
        raise ConceptError.indicator_classes(_listed(classes), roll.labels)
    return Targets(coded, roll.counted(coded.sum(axis=0)))


def _listed(classes: Any) -> list[Any]:
    return list(classes) if isinstance(classes, Iterable) and not isinstance(classes, str) else [classes]
