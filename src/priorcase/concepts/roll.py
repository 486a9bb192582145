"""The classes a learner has met or was told of: a roll that goes on when no stored row has a class any more."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from priorcase._typing import AnyArray, IdArray, Value
from priorcase.learning.labels import Labels, LabelSort, label_array
from priorcase.learning.targets import objects
from priorcase.schema.values import content_of


@dataclass(frozen=True, eq=False)
class ClassRoll:
    """Classes by their codes, in the order of their first rows.

    Parameters
    ----------
    labels
        The class of each code; None where all its rows were forgotten.
    rows
        How many rows of each class have come and were not forgotten.
    sort
        What the classes are; None where they are the columns of an indicator.
    batches
        The id from which on rows came with labels of a type, and that type, ascending by id.
    declared
        Whether each class was announced, and so stays without rows.
    types
        The types in which classes were announced.
    """

    labels: tuple[Value, ...]
    rows: IdArray
    sort: LabelSort | None
    batches: tuple[tuple[int, np.dtype[Any]], ...]
    declared: tuple[bool, ...]
    types: tuple[np.dtype[Any], ...] = ()

    @property
    def indicator(self) -> bool:
        """Whether rows belong to several classes, or none: their targets are columns of 0 and 1."""
        return self.sort is None

    @property
    def closed(self) -> bool:
        """Whether classes were announced, so that there can be no others."""
        return self.indicator or any(self.declared)

    @cached_property
    def codes(self) -> IdArray:
        """Codes of the classes that have rows or were announced, in the order of ``classes``."""
        alive = np.flatnonzero((self.rows > 0) | np.array(self.declared, bool))
        if self.indicator or not alive.size:
            return alive
        return alive[np.argsort(self._array(alive), kind="stable")]

    @cached_property
    def classes(self) -> AnyArray:
        """The classes, ascending; the columns of an indicator in their own order."""
        classes = self._array(self.codes)
        classes.flags.writeable = False  # handed out as classes_
        return classes

    @cached_property
    def index(self) -> dict[Value, int]:
        """The code of each class."""
        return {label: code for code, label in enumerate(self.labels) if label is not None}

    def called(self, labels: Labels, first_id: int) -> tuple[Self, IdArray]:
        """The roll with the classes of more rows, the first of which gets ``first_id``; and the codes of those rows."""
        values = labels.values[:, 0]
        if len(values) == 1:  # one row at a time must be quick
            found, inverse = values, np.zeros(1, np.intp)
            roll = self.with_labels(found.tolist())
        else:
            found, first, inverse = np.unique(values, return_index=True, return_inverse=True)
            roll = self.with_labels(found[np.argsort(first)].tolist())
        codes = np.array([roll.index[label] for label in found.tolist()], np.int64)[inverse]
        if not self.batches or self.batches[-1][1] != labels.dtype:
            roll = replace(roll, batches=(*self.batches, (first_id, labels.dtype)))
        return roll.counted(np.bincount(codes, minlength=roll.rows.size)), codes

    def with_labels(self, labels: list[Value]) -> Self:
        """The roll with some more classes, which have no rows yet."""
        new = tuple(label for label in labels if label not in self.index)
        if not new:
            return self
        rows = np.concatenate([self.rows, np.zeros(len(new), np.int64)])
        return replace(self, labels=self.labels + new, rows=rows, declared=self.declared + (False,) * len(new))

    def announced(self, labels: Labels) -> Self:
        """The roll with some classes announced."""
        here = dict.fromkeys(labels.values[:, 0].tolist())
        roll = self.with_labels(list(here))
        declared = (was or label in here for was, label in zip(roll.declared, roll.labels, strict=True))
        return replace(roll, declared=tuple(declared), types=(*self.types, labels.dtype))

    def counted(self, rows: IdArray) -> Self:
        """The roll with some more rows of each class."""
        if ((self.rows == 0) & (rows > 0)).any():
            return replace(self, rows=self.rows + rows)
        # Classes with rows stay the same ones, and so does all that was computed of them.
        roll = copy(self)
        roll.__dict__["rows"] = self.rows + rows
        return roll

    def left(self, rows: IdArray, ids: IdArray) -> Self:
        """The roll when only some rows are left: how many of each class, and their ids, ascending.

        A class without rows keeps its code, which descriptions may go by, but not its name, unless it was announced.
        """
        named = zip(self.labels, rows.tolist(), self.declared, strict=True)
        labels = tuple(label if count or declared else None for label, count, declared in named)
        of = np.searchsorted([start for start, _ in self.batches], ids, side="right") - 1
        batches = tuple(self.batches[batch] for batch in np.unique(of).tolist())
        return replace(self, labels=labels, rows=rows, batches=batches or self.batches[-1:])

    def _array(self, codes: IdArray) -> AnyArray:
        """Classes as an array of the type they came in."""
        labels = [self.labels[code] for code in codes.tolist()]
        if not self.indicator:
            return label_array(labels, np.result_type(*(dtype for _, dtype in self.batches), *self.types))
        plain = content_of(labels) in ("text", "numbers")
        return np.array(labels) if plain else objects(labels)
