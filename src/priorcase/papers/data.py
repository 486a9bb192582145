"""The data sets of the papers, as read and as discrete codes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.bayes.discretise import CutPoints, bin_of
from priorcase.datasets import NamedColumns, load
from priorcase.schema import Numeric


class LabelBlind(Protocol):
    """A discretiser that needs no classes, so that it may see all rows of a column."""

    def learned_from(self, column: FloatArray) -> CutPoints:
        """The cut points of a column."""
        ...


@dataclass(frozen=True, eq=False)
class DiscreteTable:
    """Rows of small whole numbers, as the papers' formulas take them.

    Parameters
    ----------
    name
        Name of the data set.
    codes
        The value of each attribute, shape (rows, attributes); a gap is a value like any other.
    sizes
        How many values each attribute has: those that occur.
    truth
        The class of each row, as a position in ``classes``.
    classes
        The classes, sorted.
    """

    name: str
    codes: IntArray
    sizes: tuple[int, ...]
    truth: IntArray
    classes: tuple[Any, ...]

    def __len__(self) -> int:
        return self.truth.size


def read_described(folder: Path | None, name: str) -> tuple[NamedColumns, AnyArray]:
    """The attributes and the target of a data set: of the folder, else from where `priorcase.datasets.load` looks."""
    return load(name, folder=folder)


def discrete(name: str, X: NamedColumns, y: AnyArray, numeric: LabelBlind) -> DiscreteTable:
    """A table as codes: values in sorted order, a gap as one more value, numbers by bins learned from the whole column.

    Cut points see all rows once, but no class, as those of the papers most likely did.

    Examples
    --------
    >>> from priorcase.bayes.discretise import EqualWidth
    >>> from priorcase.schema import Nominal
    >>> kinds = {"age": Numeric(), "size": Nominal()}
    >>> X = NamedColumns.of({"age": [7.0, 8.0, 11.0, None], "size": ["S", None, "L", "S"]}, kinds)
    >>> table = discrete("shoes", X, np.array(["b", "a", "a", "b"], dtype=object), EqualWidth(2))
    >>> table.codes.T
    array([[0, 0, 1, 2],
           [1, 2, 0, 1]])
    >>> table.sizes, table.classes
    ((3, 3), ('a', 'b'))
    """
    columns = [
        _occurring(bin_of(np.array(numeric.learned_from(column).points), column))
        if isinstance(X.kinds[label], Numeric)
        else _coded(column)[0]
        for label, column in X.data.items()
    ]
    truth, classes = _coded(y)
    codes = np.column_stack(columns)
    return DiscreteTable(name, codes, tuple((codes.max(axis=0) + 1).tolist()), truth, classes)


def _coded(column: AnyArray) -> tuple[IntArray, tuple[Any, ...]]:
    """The position of each value among the sorted ones; that of a gap is one beyond."""
    cells = column.tolist()
    values = sorted({cell for cell in cells if cell is not None}, key=str)
    code_of = {None: len(values), **{value: code for code, value in enumerate(values)}}
    return np.array([code_of[cell] for cell in cells], dtype=np.int64), tuple(values)


def _occurring(bins: IntArray) -> IntArray:
    """Bins renumbered so that all occur; gaps, which are -1, come last."""
    last = bins.max(initial=0) + 1
    codes: IntArray = np.unique(np.where(bins < 0, last, bins), return_inverse=True)[1]
    return codes
