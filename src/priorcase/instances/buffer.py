"""An array that grows at its end. Views that were handed out stay as they are."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from priorcase._typing import BoolArray, IdArray

Scalar = TypeVar("Scalar", bound=np.generic)


class Buffer(Generic[Scalar]):
    """An array that grows at its end, by half of its size when it is full."""

    __slots__ = ("_data", "_used")

    def __init__(self, data: NDArray[Scalar]) -> None:
        self._data = data
        self._used = len(data)

    def __len__(self) -> int:
        return self._used

    def __getstate__(self) -> NDArray[Scalar]:
        return self._data[: self._used].copy()

    def __setstate__(self, data: NDArray[Scalar]) -> None:
        self._data = data
        self._used = len(data)

    @property
    def dtype(self) -> np.dtype[Scalar]:
        """The type of an item."""
        return self._data.dtype

    def view(self) -> NDArray[Scalar]:
        """The items, read-only."""
        view = self._data[: self._used]
        view.flags.writeable = False
        return view

    def extend(self, items: NDArray[Any]) -> None:
        """Write items behind the last one."""
        end = self._used + len(items)
        if end > len(self._data):
            self._grow(end)
        self._data[self._used : end] = items
        self._used = end

    def push(self, item: Any) -> None:
        """Write one item behind the last one."""
        if self._used == len(self._data):
            self._grow(self._used + 1)
        self._data[self._used] = item
        self._used += 1

    def _grow(self, least: int) -> None:
        data = np.empty(max(least, self._used + self._used // 2), self._data.dtype)
        data[: self._used] = self._data[: self._used]
        self._data = data

    def keep(self, mask: BoolArray) -> None:
        """Drop the items that the mask leaves out."""
        self._data = self._data[: self._used][mask]
        self._used = len(self._data)

    def mark(self, rows: IdArray, item: Any) -> None:
        """Overwrite items in place: for buffers that no view of was handed out."""
        self._data[rows] = item

    def widen(self, dtype: Any) -> None:
        """Change to a larger type."""
        self._data = self._data[: self._used].astype(dtype)
