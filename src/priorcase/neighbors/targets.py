"""Targets at the door and in store: class labels and numbers to learn, one column for each output."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from priorcase.exceptions import SampleWeightError, TargetError
from priorcase.instances import Instances
from priorcase.schema.values import families, is_missing
from priorcase.typing import AnyArray, FloatArray, IntArray

LabelSort: TypeAlias = Literal["text", "numbers", "booleans"]


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Class labels of some rows, shape (rows, outputs), all text, all whole numbers or all booleans."""

    values: AnyArray
    sort: LabelSort
    flat: bool

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type they came in; text of any width is one type."""
        return np.dtype("U") if self.values.dtype.kind == "U" else self.values.dtype


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The classes of one output.

    Parameters
    ----------
    labels
        The classes in ascending order.
    codes
        Position in ``labels`` of each stored row's class.
    weights
        How many rows each class has, weights counted as repetitions.
    """

    labels: AnyArray
    codes: IntArray
    weights: FloatArray


def read_labels(y: Any, *, caller: str) -> Labels:
    """Class labels from a list, an array, a series or a frame.

    Labels are text, whole numbers (also as floats) or booleans. A column vector is taken for one output, with
    scikit-learn's warning.
    """
    array = _as_array(y, caller)
    flat = array.ndim == 1
    if not flat and array.shape[1] == 1:
        text = "A column-vector y was passed when a 1d array was expected. Take its shape to (n_samples,) by ravel()."
        warnings.warn(text, DataConversionWarning, stacklevel=2)
        flat = True
    values = array.reshape(len(array), -1)
    if values.dtype.kind == "O":
        values = _homogeneous(values, caller)
    if values.dtype.kind == "f":
        _finite(values, caller)
        if (values != np.floor(values)).any():
            raise TargetError.unknown_labels(caller, "continuous")
    sorts: dict[str, LabelSort] = {
        "U": "text",
        "O": "text",
        "T": "text",
        "b": "booleans",
        "i": "numbers",
        "u": "numbers",
        "f": "numbers",
    }
    if values.dtype.kind not in sorts:
        raise TargetError.unknown_labels(caller, str(values.dtype))
    return Labels(values, sorts[values.dtype.kind], flat)


def read_numbers(y: Any, *, caller: str) -> tuple[FloatArray, bool]:
    """Numbers to learn, shape (rows, outputs), and whether they came as one flat column."""
    array = _as_array(y, caller)
    values = array.reshape(len(array), -1)
    if values.dtype.kind == "O":
        if any(map(is_missing, values.flat)):
            raise TargetError.missing(caller)
        found = families({type(value) for value in values.flat})
        if not found <= {"number", "boolean"}:
            raise TargetError.not_numbers(caller, " and ".join(sorted(found)))
    elif values.dtype.kind not in "fiub":
        raise TargetError.not_numbers(caller, str(values.dtype))
    with np.errstate(over="ignore"):
        try:
            numbers = values.astype(np.float64)
        except OverflowError:
            raise TargetError.infinite(caller) from None
    _finite(numbers, caller)
    return numbers, array.ndim == 1


def read_sample_weight(sample_weight: Any, rows: int, *, caller: str) -> FloatArray | None:
    """One weight for each row; a single number is the weight of every row; None when there are none."""
    if sample_weight is None:
        return None
    try:
        weights = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise SampleWeightError.wrong(caller, "that is not made of numbers") from None
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.ndim != 1:
        raise SampleWeightError.wrong(caller, f"of shape {weights.shape}: Sample weights must be 1D array or scalar")
    if weights.size != rows:
        raise TargetError.length(caller, "sample_weight", weights.size, rows)
    if not np.isfinite(weights).all():
        raise SampleWeightError.wrong(caller, "with a NaN or infinite entry")
    if (weights < 0).any():
        raise SampleWeightError.wrong(caller, "with a negative entry")
    return weights


def classes_of(instances: Instances, output: int, declared: AnyArray | None, dtype: np.dtype[Any]) -> Classes:
    """The classes among the stored rows of one output, and those declared beside them."""
    counts = np.asarray(instances.target_counts(output))
    values = list(instances.target_values(output))
    alive = np.flatnonzero(counts[: len(values)])
    present = label_array([values[code] for code in alive.tolist()], dtype)
    labels = np.unique(present if declared is None else np.concatenate((present, declared)))
    lookup = np.zeros(len(values) + 1, dtype=np.intp)
    lookup[alive] = np.searchsorted(labels, present)
    codes = lookup[instances.target(output)]
    weights = np.bincount(codes, weights=instances.weights, minlength=labels.size).astype(np.float64)
    return Classes(labels, codes, weights)


def common_dtype(one: np.dtype[Any], other: np.dtype[Any]) -> np.dtype[Any]:
    """A type for labels of both types."""
    return one if one == other else np.result_type(one, other)


def label_array(values: list[Any], dtype: np.dtype[Any]) -> AnyArray:
    """Labels as an array of the type they came in; fixed-width text as wide as the longest."""
    if dtype.kind == "O":
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array
    return np.array(values, dtype=np.dtype("U") if dtype.kind == "U" else dtype)


def _as_array(y: Any, caller: str) -> AnyArray:
    if y is None:
        raise TargetError.absent(caller)
    if sparse.issparse(y):
        raise TargetError.unknown_labels(caller, "sparse")
    if isinstance(y, np.ma.MaskedArray) and np.ma.getmaskarray(y).any():
        raise TargetError.missing(caller)
    if nw.dependencies.is_into_dataframe(y):
        y = nw.from_native(y, eager_only=True).to_numpy()
    elif isinstance(y, (list, tuple)):
        y = _from_list(y, caller)
    array: AnyArray = np.asarray(y)
    if array.ndim not in (1, 2) or 0 in array.shape:
        raise TargetError.shape(caller, array.shape)
    return array


def _from_list(y: list[Any] | tuple[Any, ...], caller: str) -> AnyArray:
    """As objects, so that numbers beside text stay numbers."""
    try:
        return np.array(y, dtype=object)
    except ValueError:
        raise TargetError.shape(caller, (len(y),)) from None


def _homogeneous(values: AnyArray, caller: str) -> AnyArray:
    """Objects as text, booleans or numbers, whichever they all are."""
    if any(map(is_missing, values.flat)):
        raise TargetError.missing(caller)
    found = families({type(value) for value in values.flat})
    if found == {"text"}:
        return values
    if found == {"boolean"}:
        return values.astype(bool)
    if found != {"number"}:
        raise TargetError.unknown_labels(
            caller, "a mix of " + " and ".join(sorted(found)) if len(found) > 1 else "unknown"
        )
    if not all(isinstance(value, (int, np.integer)) for value in values.flat):
        return values.astype(np.float64)
    try:
        return values.astype(np.int64)
    except OverflowError:
        raise TargetError.unknown_labels(caller, "numbers beyond 64 bits") from None


def _finite(values: AnyArray, caller: str) -> None:
    if np.isnan(values).any():
        raise TargetError.missing(caller)
    if np.isinf(values).any():
        raise TargetError.infinite(caller)
