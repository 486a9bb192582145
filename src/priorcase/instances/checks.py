"""What a caller may pass as rows, as their ids and as their weights."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from priorcase._typing import FloatArray, IdArray
from priorcase.exceptions import SampleWeightError, SchemaMismatchError, TargetError, UnknownIdError
from priorcase.schema import Schema, Table

# Products of weights and votes must neither overflow nor vanish.
_LEAST_WEIGHT, _MOST_WEIGHT = 1e-100, 1e100


def check_tables(schema: Schema, target_schema: Schema | None, table: Table, targets: Table | None) -> None:
    """Refuse rows or targets that were not read under these schemas, or not row by row alike."""
    if table.schema is not schema and table.schema != schema:
        raise SchemaMismatchError.other_table("a table read under another schema")
    if (targets is None) != (target_schema is None):
        stated = "no targets, but stores some" if targets is None else "targets, but stores none"
        raise SchemaMismatchError.other_table(stated)
    if targets is not None and targets.schema is not target_schema and targets.schema != target_schema:
        raise SchemaMismatchError.other_table("targets read under another schema")
    if targets is not None and len(targets) != len(table):
        raise SchemaMismatchError.other_table(f"{len(table)} rows and {len(targets)} targets")


def check_ids(ids: ArrayLike) -> IdArray:
    """A list of integers, as an array."""
    wanted = np.asarray(ids)
    if wanted.ndim != 1 or (wanted.size and wanted.dtype.kind not in "iu"):
        raise UnknownIdError.not_integers(f"{wanted.ndim}-dimensional {wanted.dtype} data")
    return wanted.astype(np.int64)


def check_weights(weights: Any, rows: int, *, parameter: str = "weights") -> FloatArray | None:
    """One weight for each row, as a new array; None where there are none.

    Parameters
    ----------
    weights
        Finite numbers that are 0 or between 1e-100 and 1e100; a single one is the weight of every row.
    rows
        How many rows there are.

    Examples
    --------
    >>> check_weights(2, 3, "example")
    array([2., 2., 2.])
    """
    if weights is None:
        return None
    checked = as_floats(weights)
    if checked is None:
        problem = "made of something else than numbers within float64"
        raise SampleWeightError.wrong(problem, parameter=parameter)
    if checked.ndim == 0:
        checked = np.full(rows, float(checked))
    if checked.ndim != 1:
        problem = f"of shape {checked.shape}: Sample weights must be 1D array or scalar"
        raise SampleWeightError.wrong(problem, parameter=parameter)
    if checked.size != rows:
        raise TargetError.length(parameter, checked.size, rows)
    if broken := _broken(checked):
        raise SampleWeightError.wrong(broken, parameter=parameter)
    return checked


def as_floats(values: object) -> FloatArray | None:
    """A copy of some numbers as float64; None where they are no real numbers within float64.

    Examples
    --------
    >>> as_floats([1, 2]), as_floats(["1"])
    (array([1., 2.]), None)
    """
    try:
        array = np.asarray(values)
        return array.astype(np.float64) if array.dtype.kind in "fiubO" else None
    except (TypeError, ValueError, OverflowError):
        return None


def _broken(weights: FloatArray) -> str | None:
    """How weights break the rule, in words."""
    if not np.isfinite(weights).all():
        return "with a NaN or infinite entry"
    if (weights < 0).any():
        return "with a negative entry"
    if (weights > _MOST_WEIGHT).any() or ((weights > 0) & (weights < _LEAST_WEIGHT)).any():
        return "with an entry above 1e100 or between 0 and 1e-100"
    return None
