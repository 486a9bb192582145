"""Answers as frames of the library that a learner was fitted with."""

from __future__ import annotations

from collections.abc import Container, Mapping
from itertools import count
from typing import Any, Literal, TypeAlias, cast

import narwhals.stable.v2 as nw
import numpy as np

from priorcase.learning.targets import objects

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow", "modin", "cudf"]


def backend_of(X: Any) -> Backend | None:
    """Name of the library whose frame X is; None for arrays and lists."""
    if not nw.dependencies.is_into_dataframe(X):
        return None
    return cast(Backend, nw.from_native(X, eager_only=True).implementation.value)


def framed(columns: Mapping[str, Any], backend: Backend | None) -> Any:
    """Columns, each an array or a list, as a frame; as a dictionary of arrays where there is no library."""
    if backend is None:
        return {
            label: column if isinstance(column, np.ndarray) else objects(column) for label, column in columns.items()
        }
    plain = {label: column.tolist() if isinstance(column, np.ndarray) else column for label, column in columns.items()}
    return nw.from_dict(plain, backend=backend).to_native()


def free_label(label: str, taken: Container[str]) -> str:
    """The label, numbered where it is taken.

    Examples
    --------
    >>> free_label("age", {"age"}), free_label("age", ())
    ('age (2)', 'age')
    """
    return next(name for n in count(1) if (name := label if n == 1 else f"{label} ({n})") not in taken)
