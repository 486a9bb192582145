"""Rules for the parameters of the neighbour estimators, one sentence each."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal, TypeAlias, TypeGuard, cast

import joblib  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import ArrayLike

from priorcase.exceptions import ParameterError
from priorcase.neighbors.tally import Ties
from priorcase.schema import Schema
from priorcase.typing import FloatArray, Name

NNeighbors: TypeAlias = int | Literal["sqrt", "all", "loo"]
Algorithm: TypeAlias = Literal["auto", "tree", "scan", "plain", "exhaustive"]
AttributeWeights: TypeAlias = ArrayLike | Mapping[Name, float] | None

_LARGEST = float(np.finfo(np.float64).max)
_ALGORITHMS = ("auto", "tree", "scan", "plain", "exhaustive")


def check_n_neighbors(value: object, *, caller: str, named: Sequence[str] = ("sqrt", "all", "loo")) -> NNeighbors:
    """The number of neighbours, or one of its names."""
    if is_whole(value) and int(value) >= 1:
        return int(value)
    if isinstance(value, str) and value in named:
        return cast(NNeighbors, value)
    choices = f"a whole number >= 1, {_choices(named)}" if named else "a whole number >= 1"
    raise ParameterError.wrong(caller, "n_neighbors", value, expected=choices, hint="5 is a common choice.")


def check_choice(parameter: str, value: object, choices: Sequence[str], *, caller: str, hint: str) -> str:
    """One of some names."""
    if isinstance(value, str) and value in choices:
        return value
    raise ParameterError.wrong(caller, parameter, value, expected=_choices(choices), hint=hint)


def check_ties(value: object, choices: Sequence[str], *, caller: str) -> Ties:
    """The rule for ties of distances and of votes."""
    hint = "'majority' lets every row as near as the k-th vote; 'first' keeps exactly k, lower ids first."
    return cast(Ties, check_choice("ties", value, choices, caller=caller, hint=hint))


def check_algorithm(value: object, *, caller: str) -> Algorithm:
    """The way to search; all give the same answers."""
    hint = "'auto' picks the fastest; the answers are the same."
    return cast(Algorithm, check_choice("algorithm", value, _ALGORITHMS, caller=caller, hint=hint))


def check_n_jobs(value: object, *, caller: str) -> int | None:
    """The number of threads, or how many to leave."""
    if value is None:
        return None
    if is_whole(value) and int(value) != 0:
        return int(value)
    expected = "None or a whole number other than 0"
    raise ParameterError.wrong(caller, "n_jobs", value, expected=expected, hint="None and -1 use all cores.")


def thread_count(n_jobs: int | None) -> int:
    """Threads to use: None for all cores (at most ``OMP_NUM_THREADS``), -1 for all, -2 for all but one."""
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
        return min(_cores(), int(limit)) if limit.isdigit() and int(limit) > 0 else _cores()
    return n_jobs if n_jobs > 0 else max(1, _cores() + 1 + n_jobs)


@cache
def _cores() -> int:
    return int(joblib.cpu_count())


def check_attribute_weights(value: object, schema: Schema, *, caller: str) -> FloatArray | None:
    """One weight for each attribute, in schema order; None when all weigh the same.

    A mapping names the attributes whose weight is not 1.
    """
    if value is None:
        return None
    expected = "None, one number >= 0 for each attribute, or a mapping from attribute to number"
    hint = "a weight of 0 ignores an attribute, 2 makes it count double."
    if isinstance(value, str):
        raise ParameterError.wrong(caller, "attribute_weights", value, expected=expected, hint=hint)
    numbers = _from_mapping(value, schema, caller) if isinstance(value, Mapping) else value
    weights = as_floats(numbers)
    if weights is None:
        raise ParameterError.wrong(caller, "attribute_weights", value, expected=expected, hint=hint)
    usable = weights.shape == (len(schema),) and bool(np.isfinite(weights).all()) and bool((weights >= 0).all())
    if not usable or not weights.any():
        expected = f"{len(schema)} finite numbers >= 0, at least one of them positive"
        raise ParameterError.wrong(caller, "attribute_weights", value, expected=expected, hint=hint)
    return weights


def _from_mapping(given: Mapping[Name, float], schema: Schema, caller: str) -> list[float]:
    weights = [1.0] * len(schema)
    for key, weight in given.items():
        if schema.names is not None and key in schema.names:
            weights[schema.names.index(key)] = weight
        elif is_whole(key) and 0 <= int(key) < len(schema):
            weights[int(key)] = weight
        else:
            raise ParameterError.unknown_column(caller, "attribute_weights", key, schema.names, len(schema))
    return weights


def check_prior(value: object, class_weights: Sequence[FloatArray], *, caller: str) -> list[FloatArray | None]:
    """Dirichlet weights of the classes, one array for each output (None without a prior)."""
    expected = "None, 'frequency', a finite number >= 0, or one such number for each class"
    hint = "1.0 adds one vote for each class; 'frequency' adds one vote shared out as in the training rows."
    if value is None:
        return [None] * len(class_weights)
    if isinstance(value, str) and value == "frequency":
        return [weights / weights.sum() for weights in class_weights]
    if is_number(value) and 0 <= value <= _LARGEST:
        return [np.full(weights.size, float(value)) for weights in class_weights]
    if isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str) and len(class_weights) == 1:
        numbers, shape = as_floats(value), class_weights[0].shape
        if numbers is not None and numbers.shape == shape and bool(((numbers >= 0) & np.isfinite(numbers)).all()):
            return [numbers]
        expected = f"{class_weights[0].size} finite numbers >= 0, one for each class"
    raise ParameterError.wrong(caller, "prior", value, expected=expected, hint=hint)


def as_floats(values: object) -> FloatArray | None:
    """A copy of some numbers as float64; None where they are no real numbers within float64."""
    try:
        array = np.asarray(values)
        return array.astype(np.float64) if array.dtype.kind in "fiubO" else None
    except (TypeError, ValueError, OverflowError):
        return None


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number, of Python or NumPy; booleans are none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a real number, of Python or NumPy; booleans are none."""
    return is_whole(value) or isinstance(value, (float, np.floating))


def _choices(names: Sequence[str]) -> str:
    quoted = [repr(name) for name in names]
    return " or ".join(quoted) if len(quoted) < 3 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
