"""Answers as frames of the library that a learner was fitted with."""

from __future__ import annotations

from collections.abc import Container, Mapping
from itertools import count
from typing import Any, Literal, TypeAlias, cast

import narwhals.stable.v2 as nw
import numpy as np

from priorcase.learning.targets import objects
from priorcase.schema.values import content_of
from priorcase.typing import AnyArray

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow", "modin", "cudf"]


def backend_of(X: Any) -> Backend | None:
    """Name of the library whose frame X is; None for arrays and lists."""
    if not nw.dependencies.is_into_dataframe(X):
        return None
    return cast(Backend, nw.from_native(X, eager_only=True).implementation.value)


def framed(columns: Mapping[str, Any], backend: Backend | None) -> Any:
    """Columns, each an array or a list, as a frame; as a dictionary of arrays where there is no library.

    Values of several types become text in libraries that have no column for them.
    """
    arrays = {label: column if isinstance(column, np.ndarray) else objects(column) for label, column in columns.items()}
    if backend is None:
        return arrays
    mixed = backend == "pandas"
    plain = {label: array.tolist() if mixed else _of_one_type(array) for label, array in arrays.items()}
    return nw.from_dict(plain, backend=backend).to_native()


def _of_one_type(array: AnyArray) -> list[Any]:
    values: list[Any] = array.tolist()
    if array.dtype.kind != "O" or content_of(values) != "any":
        return values
    return [None if value is None else str(value) for value in values]


def free_label(label: str, taken: Container[str]) -> str:
    """The label, numbered where it is taken.

    Examples
    --------
    >>> free_label("age", {"age"}), free_label("age", ())
    ('age (2)', 'age')
    """
    return next(name for n in count(1) if (name := label if n == 1 else f"{label} ({n})") not in taken)
