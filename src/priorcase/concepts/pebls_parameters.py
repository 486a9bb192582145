"""Rules for the parameters of PEBLS, one sentence each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeAlias, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from priorcase._parameters import as_python, is_number, is_whole
from priorcase._typing import FloatArray, Name
from priorcase.exceptions import ParameterError
from priorcase.instances.instances import as_floats
from priorcase.learning.parameters import check_choice
from priorcase.schema import Schema
from priorcase.similarity.class_differences import Unseen

AttributeWeights: TypeAlias = ArrayLike | Mapping[Name, float] | None

_MOST_BINS = 1_000_000
_LARGEST_DIFFERENCE = 2.0


def check_power(parameter: str, value: object, *, hint: str) -> float:
    """A finite number of 1 or more."""
    if is_number(value) and 1 <= (number := as_python(value)) < math.inf:
        return number
    raise ParameterError.wrong(parameter, value, expected="a finite number >= 1", hint=hint)


def check_count(value: object) -> int:
    """How many exemplars to list."""
    if is_whole(value) and int(value) >= 1:
        return int(value)
    raise ParameterError.wrong("n", value, expected="None or a whole number >= 1", hint="None lists all exemplars.")


def check_bins(value: object) -> int | None:
    """A number of intervals, or None."""
    if value is None or (is_whole(value) and 1 <= value <= _MOST_BINS):
        return None if value is None else int(value)
    expected = f"None or a whole number from 1 to {_MOST_BINS}"
    hint = "None cuts numbers into max(5, number of classes) intervals of equal width."
    raise ParameterError.wrong("bins", value, expected=expected, hint=hint)


def check_unseen(value: object) -> Unseen:
    """What a value without rows is like."""
    hint = "'maximal' is as far from every value as two values can be; 'prior' is like the average row."
    return cast(Unseen, check_choice("unseen", value, get_args(Unseen), hint=hint))


def check_attribute_weights(value: object, schema: Schema) -> FloatArray:
    """One weight for each attribute, in schema order; a mapping names those whose weight is not 1."""
    if value is None:
        return np.ones(len(schema))
    weights = None if isinstance(value, str) else as_floats(_listed(value, schema))
    if weights is not None and weights.shape == (len(schema),):
        usable = np.isfinite(weights) & (weights >= 0)
        if usable.all() and weights.any():
            return weights
    expected = f"None, {len(schema)} finite numbers >= 0, not all 0, or a mapping from attribute to number"
    hint = "a weight of 0 ignores an attribute, 2 makes it count double."
    raise ParameterError.wrong("attribute_weights", value, expected=expected, hint=hint)


def _listed(given: object, schema: Schema) -> object:
    """A mapping as a list."""
    if not isinstance(given, Mapping):
        return given
    weights: list[object] = [1.0] * len(schema)
    positions = schema.positions(given, parameter="attribute_weights")
    for a, weight in zip(positions, given.values(), strict=True):
        weights[a] = weight
    return weights


def check_reach(power: float, attribute_weights: FloatArray, most_used: int) -> None:
    """Refuse a power and weights by which a distance could be beyond float64."""
    with np.errstate(over="ignore"):
        farthest = float(np.float64(_LARGEST_DIFFERENCE) ** power * attribute_weights.sum() * most_used)
    if not math.isfinite(farthest):
        expected = "one by which no distance is beyond float64: 2 ** power, times the sum of the attribute weights"
        raise ParameterError.wrong("power", power, expected=expected, hint="2 is the usual power, 1 the other.")
