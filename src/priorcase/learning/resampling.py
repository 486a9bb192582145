"""Some of the rows of a table, in the make it came in, for learners that choose which rows to keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self

import numpy as np

from priorcase._typing import IdArray
from priorcase.learning.state import changes
from priorcase.schema.table import Source


class Resampler(Protocol):
    """An estimator that chooses the rows to keep."""

    @property
    def sample_indices_(self) -> IdArray:
        """Positions of the rows kept, ascending."""

    def fit(self, X: Any, y: Any, /) -> Self:
        """Choose the rows to keep."""


class ResamplingMixin:
    """What imbalanced-learn's users expect of a `Resampler`."""

    @changes
    def fit_resample(self: Resampler, X: Any, y: Any) -> tuple[Any, Any]:
        """The rows kept and their targets, in the order and the make they came in.

        A frame or series of pandas gives one with the kept part of its index, one of Polars or PyArrow the like, an
        array an array, and a list or another sequence a list. Positions of the rows kept are in ``sample_indices_``.

        Parameters
        ----------
        X
            The rows: a frame, an array or a list of rows.
        y
            Their targets.
        """
        self.fit(X, y)
        return taken_rows(X, self.sample_indices_), taken_rows(y, self.sample_indices_)


def taken_rows(table: Any, positions: IdArray) -> Any:
    """The rows at some positions of a frame, a series, an array or a list, in the make it came in.

    Examples
    --------
    >>> taken_rows([[1, "red"], [2, "blue"], [3, "red"]], np.array([0, 2]))
    [[1, 'red'], [3, 'red']]
    >>> taken_rows(np.array([10, 20, 30]), np.array([1]))
    array([20])
    """
    if isinstance(table, Source) and hasattr(table, "take"):  # a table that came with the library, or was read by it
        return table.take(positions)
    if isinstance(table, Sequence):
        return [table[i] for i in positions.tolist()]
    if hasattr(table, "iloc"):
        return table.iloc[positions]
    if hasattr(table, "tuples") or type(table).__module__.partition(".")[0] == "pyarrow":  # built-in, Arrow
        return table.take(positions)
    # Polars, NumPy and what behaves like it; things that only turn into an array come back as one.
    return table[positions] if hasattr(table, "__getitem__") else np.asarray(table)[positions]
