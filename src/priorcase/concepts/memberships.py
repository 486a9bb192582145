"""Rows that belong to several classes, or to none: a column of 0 and 1 for each class, called an indicator."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from priorcase._typing import BoolArray, Name, Value
from priorcase.concepts.roll import ClassRoll
from priorcase.exceptions import ConceptError, SchemaError, TargetError
from priorcase.learning.labels import Labels, read_labels
from priorcase.learning.targets import as_array


def read_columns(y: Any) -> Labels | None:
    """Targets that came as columns, be it a single one; None where they are flat."""
    array = as_array(y)
    if array.ndim == 1:
        return None
    if array.shape[1] > 1:
        return read_labels(y)
    return replace(read_labels(array[:, 0]), flat=False)


def strangers(labels: Labels) -> list[Value]:
    """What columns hold beside 0 and 1."""
    return sorted(set(np.unique(labels.values).tolist()) - {0, 1}, key=str)


def members(y: Any, labels: Labels, roll: ClassRoll) -> BoolArray:
    """Whether each row belongs to each class of a roll; columns are matched by name where both sides have names."""
    values, names = labels.values, column_names(y)
    if found := strangers(labels):
        raise ConceptError.not_indicator(found)
    if len(roll.labels) != values.shape[1]:
        raise TargetError.outputs(values.shape[1], len(roll.labels))
    if names is not None and roll.labels != tuple(range(len(names))):
        values = values[:, _matched(names, roll.labels)]
    return values.astype(bool)


def column_names(y: Any) -> tuple[Name, ...] | None:
    """The names of the columns of a frame."""
    if not nw.dependencies.is_into_dataframe(y):
        return None
    try:
        return tuple(nw.from_native(y, eager_only=True).columns)
    except DuplicateError:
        raise SchemaError.duplicate_names([name for name, n in Counter(y.columns).items() if n > 1]) from None


def holds_lists(y: Any) -> bool:
    """Whether the entries of a target are collections, such as lists of labels.

    Examples
    --------
    >>> holds_lists([["night"], ["big", "night"]]), holds_lists(["night", "big"])
    (True, False)
    """
    entries = y if isinstance(y, (list, tuple)) else np.asarray(y, dtype=object).ravel()
    return any(isinstance(entry, (list, tuple, set, frozenset, np.ndarray)) for entry in entries)


def _matched(names: tuple[Name, ...], labels: tuple[Value, ...]) -> list[int]:
    """For each class the position of its column."""
    unseen = [name for name in names if name not in labels]
    if unseen:
        raise ConceptError.other_columns(unseen, [label for label in labels if label not in names])
    return [names.index(label) for label in labels]
