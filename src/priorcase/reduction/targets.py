"""What the rows of a table to be reduced are worth keeping for: their classes, or numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from priorcase.exceptions import ReductionError, TargetError
from priorcase.learning.labels import read_labels
from priorcase.learning.targets import as_array, has_fractions, read_numbers
from priorcase.schema import Nominal, Numeric, Schema, Table
from priorcase.typing import AnyArray, FloatArray, IdArray

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

    def table(self, caller: str) -> Table:
        """The targets as a table with one column."""
        return self.schema.read(self.values, caller=caller)


def read_targets(y: Any, sort: TargetSort, *, caller: str) -> Targets:
    """Targets of any make; with ``"auto"`` they are numbers where one of them has a fraction, and classes otherwise."""
    if sort == "numbers" or (sort == "auto" and has_fractions(as_array(y, caller))):
        return _numbers(y, caller)
    labels = read_labels(y, caller=caller).values
    _check_one(labels, caller)
    classes, codes = np.unique(labels[:, 0], return_inverse=True)
    if len(classes) < 2:
        raise ReductionError.one_class(caller, classes.tolist()[0])
    return Targets(labels, classes, codes.astype(np.int64))


def _numbers(y: Any, caller: str) -> Targets:
    numbers, _ = read_numbers(y, caller=caller)
    _check_one(numbers, caller)
    with np.errstate(over="ignore"):
        # Squares of differences are added up, as many as there are rows at most.
        largest = np.square(np.abs(numbers).max() * 2.0) * len(numbers)
    if not np.isfinite(largest):
        raise TargetError.infinite(caller)
    return Targets(numbers)


def _check_one(values: AnyArray, caller: str) -> None:
    if values.shape[1] > 1:
        raise ReductionError.several_targets(caller, values.shape[1])
