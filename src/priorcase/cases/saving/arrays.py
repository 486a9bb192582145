"""NumPy arrays as bytes, of a closed list of data types."""

from __future__ import annotations

import math
import re
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from priorcase._typing import AnyArray
from priorcase.cases.saving.nodes import Node

__all__ = [
    "TEXTS",
    "array_node",
    "array_of",
    "checked_shape",
    "data_type",
    "is_storable",
    "memory_order",
    "scalar_of",
    "texts_of",
]

_TYPES = re.compile(r"[<>|=]?(b1|[iu][1248]|f[248]|[US][0-9]{1,9}|[mM]8(\[[0-9]{0,6}[A-Za-z]{1,2}\])?)")
TEXTS: np.dtype[Any] | None = np.dtypes.StringDType() if hasattr(np.dtypes, "StringDType") else None
"""NumPy's data type for texts of any length, where it has it."""

_DIMENSIONS = 32
_LAST_CHARACTER = 0x10FFFF


def is_storable(dtype: np.dtype[Any]) -> bool:
    """Whether arrays of a data type are written as bytes: truth values, numbers, fixed text, dates and durations.

    Examples
    --------
    >>> [is_storable(np.dtype(name)) for name in ("f8", "U3", "M8[D]", "O", "c16")]
    [True, True, True, False, False]
    """
    return _TYPES.fullmatch(dtype.str) is not None


def data_type(text: object) -> np.dtype[Any]:
    """The data type that a file names; ``ValueError`` for one that is not in the list."""
    if not isinstance(text, str) or _TYPES.fullmatch(text) is None:
        raise ValueError("a data type that is not in the list")
    return np.dtype(text)


def memory_order(array: AnyArray) -> Literal["C", "F"]:
    """``F`` for an array laid out column by column, ``C`` for any other: sums go by the layout."""
    return "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"


def array_node(array: AnyArray, blobs: list[bytes]) -> Node:
    """The node of an array, whose bytes are added to ``blobs``."""
    order = memory_order(array)
    blobs.append(array.tobytes(order="A" if order == "F" else "C"))
    return ["array", array.dtype.str, list(array.shape), order, bool(array.flags.writeable), len(blobs[-1])]


def array_of(dtype: object, shape: object, order: object, writeable: object, data: memoryview) -> AnyArray:
    """The array that a node describes; it needs no more memory than ``data`` has bytes."""
    kind, sizes = data_type(dtype), checked_shape(shape)
    if order not in ("C", "F") or not kind.itemsize or math.prod(sizes) * kind.itemsize != len(data):
        raise ValueError("an array whose shape does not fit its bytes")
    flat: AnyArray = np.frombuffer(data, kind).copy() if len(data) else np.empty(math.prod(sizes), kind)
    _check_content(flat)
    array = flat.reshape(sizes, order=order)
    array.flags.writeable = bool(writeable)
    return array


def texts_of(shape: object, texts: object) -> AnyArray:
    """An array of texts of any length."""
    if TEXTS is None or not isinstance(texts, list) or not {*map(type, texts)} <= {str}:
        raise ValueError("texts that this NumPy does not know")
    return np.array(texts, dtype=TEXTS).reshape(checked_shape(shape))


def scalar_of(dtype: object, data: memoryview) -> np.generic:
    """The NumPy scalar that a node describes."""
    return array_of(dtype, [1], "C", True, data)[0]  # type: ignore[no-any-return]


def checked_shape(shape: object) -> tuple[int, ...]:
    """A shape as a file tells it; ``ValueError`` where it is none."""
    if not isinstance(shape, list) or len(shape) > _DIMENSIONS:
        raise ValueError("an array without a shape")
    if not all(type(size) is int and 0 <= size < 2**62 for size in shape):
        raise ValueError("an array of a shape that cannot be")
    return tuple(shape)


def _check_content(flat: AnyArray) -> None:
    """Refuse bytes that stand for no truth value or no character: later reads would be undefined."""
    if flat.dtype.kind == "b" and flat.size and int(flat.view(np.uint8).max()) > 1:
        raise ValueError("a truth value that is neither true nor false")
    if flat.dtype.kind == "U" and flat.nbytes:
        points: NDArray[np.uint32] = flat.view(np.dtype("u4").newbyteorder(flat.dtype.byteorder))
        if int(points.max()) > _LAST_CHARACTER:
            raise ValueError("text with characters that do not exist")
