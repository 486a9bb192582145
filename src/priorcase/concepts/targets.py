"""Targets at the door of a concept learner: a class for each row, or a column of 0 and 1 for each class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from priorcase.concepts.roll import ClassRoll
from priorcase.exceptions import ConceptError, SchemaError, TargetError
from priorcase.learning.labels import Labels, read_labels
from priorcase.schema import Coded, Nominal, Schema, Table
from priorcase.schema.values import is_missing
from priorcase.typing import AnyArray, Name, Value

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


def read_targets(y: Any, roll: ClassRoll | None, classes: Any, *, several: bool, first_id: int, caller: str) -> Targets:
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
    caller
        Who asks, for messages.
    """
    labels = read_labels(y, caller=caller)
    if roll is not None and roll.indicator == labels.flat:
        raise ConceptError.other_shape(caller, indicator=not labels.flat)
    if roll is not None and not roll.rows.any() and not roll.closed:
        roll = None  # every row was forgotten: what they were is forgotten too
    if not labels.flat:
        if not several:
            raise ConceptError.several_labels(caller, labels.values.shape[1])
        return _indicator(y, labels, roll, classes, first_id, caller)
    if roll is None:
        roll = ClassRoll((), np.zeros(0, np.int64), labels.sort, (), ())
    _check_sort(labels, roll, caller)
    if classes is not None:
        roll = _announced(roll, classes, caller)
    if roll.closed and (strangers := sorted(set(labels.values[:, 0].tolist()) - _declared(roll))):
        raise TargetError.undeclared(caller, strangers, sorted(_declared(roll)))
    roll, codes = roll.called(labels, first_id)
    return Targets(codes, roll)


def _announced(roll: ClassRoll, classes: Any, caller: str) -> ClassRoll:
    """The roll with classes announced beside those announced before."""
    labels = read_classes(classes, caller)
    _check_sort(labels, roll, caller)
    roll = roll.announced(labels)
    met: set[Any] = {label for label, rows in zip(roll.labels, roll.rows.tolist(), strict=True) if rows}
    strangers: list[Any] = sorted(met - _declared(roll))
    if strangers:
        raise ConceptError.seen_undeclared(caller, strangers, sorted(_declared(roll)))
    return roll


def _declared(roll: ClassRoll) -> set[Any]:
    return {label for label, declared in zip(roll.labels, roll.declared, strict=True) if declared}


def _check_sort(labels: Labels, roll: ClassRoll, caller: str) -> None:
    if roll.sort is not None and labels.sort != roll.sort:
        raise TargetError.other_labels(caller, labels.sort, roll.sort)


def read_classes(classes: Any, caller: str) -> Labels:
    """Classes that are announced, read as a target is."""
    values = list(classes) if isinstance(classes, Iterable) and not isinstance(classes, str) else None
    if not values or any(isinstance(value, (list, tuple, np.ndarray)) or is_missing(value) for value in values):
        raise TargetError.not_classes(caller, classes)
    return read_labels(classes if isinstance(classes, np.ndarray) else values, caller=caller)


def _indicator(y: Any, labels: Labels, roll: ClassRoll | None, classes: Any, first_id: int, caller: str) -> Targets:
    """Targets as columns of 0 and 1."""
    values, names = labels.values, _column_names(y, caller)
    if strangers := sorted(set(np.unique(values).tolist()) - {0, 1}, key=str):
        raise ConceptError.not_indicator(caller, strangers)
    if roll is None:
        roll = ClassRoll(
            tuple(range(values.shape[1])) if names is None else names,
            np.zeros(values.shape[1], np.int64),
            None,
            ((first_id, labels.dtype),),
            (True,) * values.shape[1],
        )
    elif len(roll.labels) != values.shape[1]:
        raise TargetError.outputs(caller, values.shape[1], len(roll.labels))
    elif names is not None and roll.labels != tuple(range(len(names))):
        values = values[:, _matched(names, roll.labels, caller)]
    if classes is not None and list(classes) != list(roll.labels):
        raise ConceptError.indicator_classes(caller, classes, roll.labels)
    members = values.astype(bool)
    return Targets(members, roll.counted(members.sum(axis=0)))


def _column_names(y: Any, caller: str) -> tuple[Value, ...] | None:
    if not nw.dependencies.is_into_dataframe(y):
        return None
    try:
        return tuple(nw.from_native(y, eager_only=True).columns)
    except DuplicateError:
        raise SchemaError.duplicate_names(caller, [name for name, n in Counter(y.columns).items() if n > 1]) from None


def _matched(names: tuple[Name, ...], labels: tuple[Value, ...], caller: str) -> list[int]:
    """For each class the position of its column."""
    unseen = [name for name in names if name not in labels]
    if unseen:
        raise ConceptError.other_columns(caller, unseen, [label for label in labels if label not in names])
    return [names.index(label) for label in labels]
