"""What the rows of a table to be reduced are worth keeping for: their classes, or numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IdArray
from priorcase.exceptions import ReductionError, TargetError
from priorcase.learning.labels import read_labels
from priorcase.learning.targets import as_array, has_fractions, read_numbers
from priorcase.schema import Nominal, Numeric, Schema, Table

TargetSort: TypeAlias = Literal["auto", "classes", "numbers"]


@dataclass(frozen=True, eq=False)
class Targets:
    """One target for each row.

    Parameters
    ----------
    values
        The targets, shape (rows, 1).
    classes
        The classes in ascending order; None where the targets are numbers.
    codes
        The position of each row's class in ``classes``; None where the targets are numbers.
    """

    values: AnyArray
    classes: AnyArray | None = None
    codes: IdArray | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def numbers(self) -> FloatArray:
        """The targets as numbers."""
        return np.ascontiguousarray(self.values[:, 0], dtype=np.float64)

    @property
    def schema(self) -> Schema:
        """What the one column of targets means."""
        return Schema(None, (Numeric() if self.classes is None else Nominal(),))

    def table(self) -> Table:
        """The targets as a table with one column."""
        return self.schema.read(self.values)


def read_targets(y: Any, sort: TargetSort) -> Targets:
    """Targets of any make; with ``"auto"`` they are numbers where one of them has a fraction, and classes otherwise."""
    if sort == "numbers" or (sort == "auto" and has_fractions(as_array(y))):
        return _numbers(y)
    labels = read_labels(y).values
    _check_one(labels)
    classes, codes = np.unique(labels[:, 0], return_inverse=True)
    if len(classes) < 2:
        raise ReductionError.one_class(classes.tolist()[0])
    return Targets(labels, classes, codes.astype(np.int64))


def _numbers(y: Any) -> Targets:
    numbers, _ = read_numbers(y)
    _check_one(numbers)
    with np.errstate(over="ignore"):
        # Squares of differences are added up, as many as there are rows at most.
        largest = np.square(np.abs(numbers).max() * 2.0) * len(numbers)
    if not np.isfinite(largest):
        raise TargetError.infinite()
    return Targets(numbers)


def _check_one(values: AnyArray) -> None:
    if values.shape[1] > 1:
        raise ReductionError.several_targets(values.shape[1])
