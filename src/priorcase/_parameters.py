"""Checks of estimator parameters against constraints that each estimator declares once, in scikit-learn's format.

An estimator declares ``_parameter_constraints``, a mapping from each parameter to a list of constraints. The value of a
parameter must satisfy at least one of its constraints. A constraint is ``Interval(Integral, 1, None, closed="left")``
or ``StrOptions({"a", "b"})`` from ``sklearn.utils._param_validation``, ``"boolean"``, ``"random_state"``,
``"array-like"``, ``callable``, ``None`` or a class. `check_parameters` checks all parameters of an estimator.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any, TypeGuard

import numpy as np

from priorcase.exceptions import ParameterError, advice, nearest, quoted

_LARGEST = int(np.finfo(np.float64).max)


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a value is a Python or NumPy integer; booleans and time spans are not integers.

    Examples
    --------
    >>> [is_whole(value) for value in (3, np.int8(3), 3.0, True, "3", np.timedelta64(3, "s"))]
    [True, True, False, False, False, False]
    """
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a real Python or NumPy number; booleans are not numbers."""
    return is_whole(value) or isinstance(value, (float, np.floating))


def as_python(value: float) -> int | float:
    """Convert a number to a Python int or float, so that equal parameters print alike.

    Integers beyond the range of float64 become infinity or minus infinity.

    Examples
    --------
    >>> as_python(np.int64(3)), as_python(np.float32(0.5)), as_python(10**400)
    (3, 0.5, inf)
    """
    if not is_whole(value):
        return float(value)
    try:
        float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return int(value)


def floats_or_none(values: object) -> tuple[float, ...] | None:
    """Return a nonempty collection of numbers as a tuple of Python floats; return None for any other value."""
    try:
        found = tuple(values) if isinstance(values, Iterable) else ()
    except TypeError:  # an array without dimensions
        return None
    return tuple(float(as_python(value)) for value in found) if found and all(map(is_number, found)) else None


def check_parameters(estimator: Any) -> None:
    """Check the parameters of an estimator against its ``_parameter_constraints``."""
    for name, value in estimator.get_params(deep=False).items():
        if name in estimator._parameter_constraints:
            check_value(name, value, estimator._parameter_constraints[name])


def check_fields(strategy: Any) -> None:
    """Check the fields of a frozen dataclass against its ``_parameter_constraints``; convert NumPy values to Python."""
    for name, constraints in strategy._parameter_constraints.items():
        value = getattr(strategy, name)
        check_value(f"parameter {name!r} of {type(strategy).__name__}", value, constraints)
        if isinstance(value, np.bool_):
            value = bool(value)
        elif isinstance(value, np.str_):
            value = str(value)
        elif is_number(value):
            value = as_python(value)
        settle(strategy, **{name: value})


def settle(strategy: object, **parameters: object) -> None:
    """Set fields of a frozen dataclass; to be called only while the object is being created."""
    for name, value in parameters.items():
        object.__setattr__(strategy, name, value)


def check_value(name: str, value: Any, constraints: Sequence[Any]) -> None:
    """Raise ``ParameterError`` unless a value satisfies at least one of the constraints (in scikit-learn's format).

    Examples
    --------
    >>> from sklearn.utils._param_validation import Interval, StrOptions
    >>> check_value("k", "srqt", [Interval(Integral, 1, None, closed="left"), StrOptions({"sqrt"})])
    Traceback (most recent call last):
    priorcase.exceptions.ParameterError: k must be an int in the range [1, inf) or a str among {'sqrt'}, got 'srqt'. Did
    you mean 'sqrt'?
    """
    from sklearn.utils._param_validation import Options, make_constraint  # slow to import, and often not needed

    made = [make_constraint(constraint) for constraint in constraints]
    if any(_satisfies(value, constraint) for constraint in made):
        return
    shown = [_described(constraint) for constraint in made if not constraint.hidden]
    expected = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
    meant = nearest(value, [name for one in made if isinstance(one, Options) for name in one.options])
    question = "" if meant is None else f". Did you mean {meant!r}?"
    raise ParameterError(f"{name} must be {expected}, got {quoted(value)}{question}")


def check_choice(parameter: str, value: object, choices: Sequence[str], *, hint: str) -> str:
    """Return the value if it is one of the choices; raise ``ParameterError`` otherwise."""
    if isinstance(value, str) and value in choices:
        return value
    remedy = advice(value, choices, otherwise=hint)
    raise ParameterError(f"{parameter} must be {choices_text(choices)}, got {quoted(value)}. {remedy}")


def check_flag(parameter: str, value: object, *, hint: str) -> bool:
    """Return a Python or NumPy boolean as a Python bool; raise ``ParameterError`` for any other value."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ParameterError(f"{parameter} must be True or False, got {quoted(value)}. {hint}")


def check_seed(value: object) -> int:
    """Return an integer ``random_state`` unchanged; for any other ``random_state``, return an integer drawn with it."""
    from sklearn.utils import check_random_state

    if is_whole(value) and 0 <= int(value) < 2**32:
        return int(value)
    try:
        return int(check_random_state(value).randint(2**31 - 1))
    except ValueError:
        text = "random_state must be None, an integer from 0 to 2**32 - 1 or a numpy.random.RandomState, got "
        raise ParameterError(f"{text}{quoted(value)}. Pass an integer for reproducible results.") from None


def choices_text(names: Sequence[str]) -> str:
    """Join names for a sentence, as in ``'a', 'b' or 'c'``."""
    return " or ".join(filter(None, [", ".join(map(repr, names[:-1])), repr(names[-1])]))


def is_list(value: object) -> bool:
    """Return whether a value is an array or a sequence other than a string."""
    return isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str)


def _described(constraint: Any) -> str:
    """Return a constraint as text for a message; choices are sorted, and class names do not include the module."""
    if hasattr(constraint, "options"):
        return f"{str(constraint).partition('{')[0]}{{{', '.join(sorted(map(repr, constraint.options)))}}}"
    text = re.sub(r"'(?:[\w.]+\.)?(\w+)'", r"\1", str(constraint))
    return text.replace("an instance of bool or an instance of bool", "a bool")


def _satisfies(value: Any, constraint: Any) -> bool:
    if hasattr(constraint, "closed"):  # an Interval
        if isinstance(value, (bool, np.bool_, np.timedelta64)):
            return False
        if isinstance(value, np.floating):
            value = float(value)  # a float32 would be compared in float32, where wide bounds overflow
        if isinstance(value, Integral) and constraint.type is not Integral and abs(int(value)) > _LARGEST:
            return False
        value = as_python(value) if is_number(value) else value  # a float32 cannot be compared with 1e100
    return bool(constraint.is_satisfied_by(value))
