"""What may be passed as counts and as prior weights."""

from __future__ import annotations

import numpy as np

from priorcase._parameters import as_python, is_number
from priorcase._typing import FloatArray
from priorcase.exceptions import CountsError, PriorError
from priorcase.instances.instances import as_floats

# Within these the formulas neither overflow nor vanish; what a user gives may be divided among values and added up.
LEAST, MOST = 1e-300, 1e300
_LEAST_GIVEN, _MOST_GIVEN = 1e-100, 1e100
_UNIFORM = "1.0 is the uniform prior."


def as_counts(values: object) -> FloatArray:
    """Counts as float64: finite, at least 0, with an axis of values, and with a sum along it of at most 1e300.

    Examples
    --------
    >>> as_counts([3, 1])
    array([3., 1.])
    """
    counts = as_floats(values)
    if counts is None:
        raise CountsError.wrong("made of something else than numbers within float64")
    if counts.ndim == 0 or counts.shape[-1] == 0:
        raise CountsError.wrong(f"of shape {counts.shape}, which has no values")
    check_amounts(counts)
    with np.errstate(over="ignore"):
        if (counts.sum(axis=-1) > MOST).any():
            raise CountsError.wrong("with a sum above 1e300")
    return counts


def check_amounts(counts: FloatArray) -> None:
    """Refuse counts that are negative, infinite or no numbers."""
    if not np.isfinite(counts).all():
        raise CountsError.wrong("with a NaN or infinite entry")
    if (counts < 0).any():
        raise CountsError.wrong("with a negative entry")


def as_weights(values: object, shape: tuple[int, ...], *, parameter: str = "prior") -> FloatArray:
    """Prior weights as float64, finite and above 0, spread over the shape of the counts they are for.

    Examples
    --------
    >>> as_weights(0.5, (2,))
    array([0.5, 0.5])
    """
    weights = as_floats(values)
    if weights is None or isinstance(values, (bool, np.bool_)):
        raise PriorError.wrong_weight(parameter, values, hint=_UNIFORM)
    if weights.ndim == 0 and not LEAST <= weights <= MOST:
        raise PriorError.wrong_weight(parameter, values, hint=_UNIFORM)
    check_positive(weights, parameter=parameter)
    try:
        return np.broadcast_to(weights, shape)
    except ValueError:
        raise PriorError.shape(parameter, weights.shape, f"one that spreads over counts of {shape}") from None


def check_positive(weights: FloatArray, *, parameter: str) -> None:
    """Refuse several weights of which some is not a number above 0."""
    if not np.isfinite(weights).all():
        raise PriorError.wrong_entry(parameter, "with a NaN or infinite entry")
    if (weights <= 0).any():
        raise PriorError.wrong_entry(parameter, "with a negative or zero entry")
    if (weights < LEAST).any() or (weights > MOST).any():
        raise PriorError.wrong_entry(parameter, "with an entry below 1e-300 or above 1e300")


def positive(parameter: str, value: object, *, hint: str = _UNIFORM) -> float:
    """A number above 0, from 1e-100 to 1e100, as Python's float.

    Examples
    --------
    >>> positive("example", "prior", 2)
    2.0
    """
    if is_number(value) and _LEAST_GIVEN <= (number := as_python(value)) <= _MOST_GIVEN:
        return float(number)
    raise PriorError.wrong_weight(parameter, value, hint=hint)
