"""Differences between values written down by hand."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from priorcase._typing import BoolArray, FloatArray
from priorcase.exceptions import DistanceError
from priorcase.schema import Ordinal
from priorcase.schema.values import identity, is_missing, plain
from priorcase.similarity.checks import settle
from priorcase.similarity.statistics import Column
from priorcase.similarity.terms import Gaps, Lookup, Term


@dataclass(frozen=True)
class ValueTable:
    """Differences between values written down by hand: ``d = matrix[i][j]`` for query value i and stored value j.

    A query value that no stored row holds, and that the schema does not declare, gets the largest entry.

    Parameters
    ----------
    values
        The values the table knows; every stored or declared value of the column must be among them.
    matrix
        One row for each query value and one column for each stored value, in the order of ``values``: finite numbers,
        not negative, 0 on the diagonal. It need not be symmetric.

    Examples
    --------
    >>> ValueTable(("red", "orange", "blue"), [[0, 0.2, 1], [0.2, 0, 1], [1, 1, 0]])
    ValueTable(values=('red', 'orange', 'blue'), matrix=((0.0, 0.2, 1.0), (0.2, 0.0, 1.0), (1.0, 1.0, 0.0)))
    """

    values: tuple[Hashable, ...]
    matrix: Sequence[Sequence[float]]

    accepts: ClassVar[tuple[str, ...]] = ("ordinal", "nominal")
    needs_classes: ClassVar[bool] = False

    def __post_init__(self) -> None:
        values = _distinct(self.values)
        matrix = _square(self.matrix, len(values))
        if not np.all(np.isfinite(matrix)) or np.any(matrix < 0):
            raise DistanceError.table("a matrix with negative or infinite entries; expected finite numbers >= 0")
        if np.any(np.diag(matrix) != 0):
            raise DistanceError.table("a matrix whose diagonal is not 0; a value does not differ from itself")
        settle(self, values=values, matrix=tuple(tuple(row) for row in matrix.tolist()))

    def fit(self, column: Column, gaps: Gaps, power: float) -> Term:
        place = {identity(value): i for i, value in enumerate(self.values)}
        at = np.array([place.get(identity(value), -1) for value in column.values()], dtype=np.intp)
        needed = (column.row_counts() > 0) | _declared(column)
        if np.any(lacking := needed & (at < 0)):
            raise DistanceError.table_lacks(column.label, [column.values()[i] for i in np.flatnonzero(lacking)])
        matrix = np.array(self.matrix)
        largest = float(matrix.max(initial=0.0))
        table = np.where((at[:, None] < 0) | (at[None, :] < 0), largest, matrix[np.ix_(at, at)])
        return Lookup(power, Gaps(gaps.one, gaps.both), np.ascontiguousarray(table), largest)


def _distinct(values: object) -> tuple[Hashable, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise DistanceError.table(f"values={values!r}; expected several values")
    found = tuple(plain(value) for value in values)
    if any(is_missing(value) for value in found):
        problem = f"values={found!r} with a gap; expected none: the distance's missing= says what a gap costs"
        raise DistanceError.table(problem)
    try:
        distinct = {identity(value) for value in found}
    except TypeError:
        raise DistanceError.table(f"values={found!r}; expected values that can be hashed") from None
    if len(distinct) < len(found):
        raise DistanceError.table(f"values={found!r} with a value twice; expected distinct values")
    return found


def _square(matrix: object, n: int) -> FloatArray:
    try:
        given = np.asarray(matrix)
        square = given.astype(np.float64) if given.dtype.kind in "fiubO" else None
    except (TypeError, ValueError, OverflowError):
        square = None
    if square is None:
        raise DistanceError.table("a matrix that is not made of rows of numbers of one length")
    if square.shape != (n, n) or n == 0:
        raise DistanceError.table(f"{n} values and a matrix of shape {square.shape}; expected a square matrix")
    return square


def _declared(column: Column) -> BoolArray:
    kind = column.kind
    declared = kind.order if isinstance(kind, Ordinal) else getattr(kind, "values", None) or ()
    known = {identity(value) for value in declared}
    return np.array([identity(value) in known for value in column.values()], dtype=bool)
