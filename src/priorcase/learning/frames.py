"""Answers as frames of the library that a learner was fitted with."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from importlib.util import find_spec
from itertools import count
from typing import Any, Literal, TypeAlias, cast, get_args

import narwhals.stable.v2 as nw
import numpy as np

from priorcase._typing import AnyArray, FloatArray, Name
from priorcase.learning.decoding import Row
from priorcase.learning.parameters import check_choice
from priorcase.learning.targets import objects
from priorcase.schema.values import content_of

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow", "modin", "cudf"]
_LIBRARIES: tuple[Backend, ...] = ("pandas", "polars", "pyarrow")


def backend_of(X: Any) -> Backend | None:
    """Name of the library whose frame X is; None for arrays and lists."""
    if not nw.dependencies.is_into_dataframe(X):
        return None
    return cast(Backend, nw.from_native(X, eager_only=True).implementation.value)


def installed_backend() -> Backend | None:
    """The frame library to take where none was used: the first of pandas, Polars and PyArrow that is installed."""
    return next((name for name in _LIBRARIES if find_spec(name) is not None), None)


def framed(columns: Mapping[str, Any], backend: Backend | None) -> Any:
    """Columns, each an array or a list, as a frame of a library; None for `installed_backend`.

    Where no library is installed, a dictionary of arrays. Values of several types become text in libraries that have
    no column for them.
    """
    if backend is None:
        backend = installed_backend()
    else:
        hint = "None takes the library that is installed."
        check_choice("backend", backend, get_args(Backend), hint=hint)
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


def by_attribute(
    columns: Mapping[str, Any], names: Sequence[Name], rows: Sequence[Row], parts: Mapping[str, FloatArray]
) -> dict[str, Any]:
    """Some columns, then the attributes' values by name, then ``PART of NAME`` for each part of each attribute.

    An attribute called like one of the first columns becomes ``NAME (value)``; where two columns would still have one
    name, the later becomes ``NAME (2)``.

    Examples
    --------
    >>> by_attribute({"total": [3]}, ["age", "total"], [(40, 7)], {"share": np.array([[1, 2]])})
    {'total': [3], 'age': [40], 'total (value)': [7], 'share of age': array([1]), 'share of total': array([2])}
    """
    found = dict(columns)
    for a, name in enumerate(names):
        label = f"{name} (value)" if str(name) in columns else str(name)
        found[free_label(label, found)] = [row[a] for row in rows]
    for part, values in parts.items():
        for a, name in enumerate(names):
            found[free_label(f"{part} of {name}", found)] = values[:, a]
    return found


def free_label(label: str, taken: Container[Any]) -> str:
    """The label, numbered where it is taken.

    Examples
    --------
    >>> free_label("age", {"age"}), free_label("age", ())
    ('age (2)', 'age')
    """
    return next(name for n in count(1) if (name := label if n == 1 else f"{label} ({n})") not in taken)
