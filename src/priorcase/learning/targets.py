"""What is to be learned, at the door: one column for each output."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from scipy import sparse

from priorcase._typing import AnyArray, FloatArray
from priorcase.exceptions import TargetError
from priorcase.instances import Instances
from priorcase.schema import Numeric, Schema
from priorcase.schema.values import families, is_missing


def read_numbers(y: Any) -> tuple[FloatArray, bool]:
    """Numbers to learn, shape (rows, outputs), and whether they came as one flat column."""
    array = as_array(y)
    values = array.reshape(len(array), -1)
    if values.dtype.kind == "O":
        if any(map(is_missing, values.flat)):
            raise TargetError.missing()
        found = families({type(value) for value in values.flat})
        if not found <= {"number", "boolean"}:
            raise TargetError.not_numbers(" and ".join(sorted(found)))
    elif values.dtype.kind not in "fiub":
        raise TargetError.not_numbers(str(values.dtype))
    with np.errstate(over="ignore"):
        try:
            numbers = values.astype(np.float64)
        except OverflowError:
            raise TargetError.infinite() from None
    check_finite(numbers)
    return numbers, array.ndim == 1


def learned_numbers(y: Any, instances: Instances | None) -> tuple[Schema, FloatArray, bool]:
    """Schema and values of numbers to learn, and whether they came as one flat column.

    Parameters
    ----------
    y
        The numbers, as a user gave them.
    instances
        The rows stored before, of whose outputs there must be as many; None for the first ones.
    """
    numbers, flat = read_numbers(y)
    n = numbers.shape[1]
    if instances is None:
        return Schema(None, (Numeric(),) * n), numbers, flat
    targets = instances.targets
    if targets is None or len(targets) != n:
        raise TargetError.outputs(n, 0 if targets is None else len(targets))
    return targets, numbers, flat


def has_fractions(array: AnyArray) -> bool:
    """Whether targets are numbers of which one has a fraction; a gap is none of a class and counts as one.

    Examples
    --------
    >>> [has_fractions(np.array(y)) for y in ([1.0, 2.0], [1.0, 2.5], ["1.5", "2"])]
    [False, True, False]
    """
    if array.dtype.kind == "O":
        if families({type(value) for value in array.flat}) != {"number"}:
            return False
        try:
            array = array.astype(np.float64)
        except (OverflowError, ValueError):  # beyond float64, or a signalling NaN: no class, and refused as a number
            return True
    return array.dtype.kind == "f" and bool((array != np.floor(array)).any())


def as_array(y: Any) -> AnyArray:
    """Targets of any make as an array of one or two dimensions that is not empty."""
    if type(y) is np.ndarray:
        return _checked(y)
    if y is None:
        raise TargetError.absent()
    if sparse.issparse(y):
        raise TargetError.unknown_labels("sparse")
    if isinstance(y, np.ma.MaskedArray) and np.ma.getmaskarray(y).any():
        raise TargetError.missing()
    if nw.dependencies.is_into_dataframe(y):
        try:
            y = nw.from_native(y, eager_only=True).to_numpy()
        except DuplicateError:
            y = np.asarray(y)  # targets go by position: their names do not matter
    elif isinstance(y, (list, tuple)):
        y = _from_list(y)
    return _checked(np.asarray(y))


def _checked(array: AnyArray) -> AnyArray:
    """The array, if it has one or two dimensions and is not empty."""
    if array.ndim not in (1, 2) or 0 in array.shape:
        raise TargetError.shape(array.shape)
    return array


def _from_list(y: list[Any] | tuple[Any, ...]) -> AnyArray:
    """As objects, so that numbers beside text stay numbers."""
    try:
        return np.array(y, dtype=object)
    except ValueError:
        raise TargetError.shape((len(y),)) from None


def objects(values: list[Any]) -> AnyArray:
    """A flat array of objects, whatever they are."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def check_finite(values: AnyArray) -> None:
    """Refuse NaN and infinity."""
    if np.isnan(values).any():
        raise TargetError.missing()
    if np.isinf(values).any():
        raise TargetError.infinite()
