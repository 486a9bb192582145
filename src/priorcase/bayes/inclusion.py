"""How probable it is, before any row was seen, that an attribute matters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from priorcase._parameters import as_python, is_number
from priorcase._typing import FloatArray, Name
from priorcase.exceptions import ParameterError
from priorcase.instances.instances import as_floats
from priorcase.learning.parameters import is_list
from priorcase.schema import Schema

Inclusion: TypeAlias = float | Mapping[Name, float] | Any

_HINT = "0.5 makes all subsets of the attributes equally probable; 1 keeps an attribute in, 0 keeps it out."


def check_inclusion(value: object) -> None:
    """Refuse what cannot be the probabilities of any table's columns.

    Examples
    --------
    >>> check_inclusion(0.5)
    """
    if isinstance(value, Mapping):
        for key, given in value.items():
            _probability(given, f"inclusion[{key!r}]")
    elif not is_list(value) and not hasattr(value, "__array__"):
        _probability(value, "inclusion", also=", one for each attribute, or a mapping from attribute to number")


def resolve_inclusion(value: object, schema: Schema) -> FloatArray:
    """The probability of each attribute, in schema order; a mapping names those that do not have 1/2.

    Examples
    --------
    >>> from priorcase.schema import Numeric
    >>> resolve_inclusion({"age": 0.9}, Schema(("age", "size"), (Numeric(), Numeric())))
    array([0.9, 0.5])
    """
    check_inclusion(value)
    n = len(schema)
    if is_number(value):
        return np.full(n, float(as_python(value)))
    if isinstance(value, Mapping):
        found = np.full(n, 0.5)
        found[list(schema.positions(value, parameter="inclusion"))] = [
            float(as_python(given)) for given in value.values()
        ]
        return found
    given = as_floats(value)
    if given is None or given.shape != (n,) or not ((given >= 0.0) & (given <= 1.0)).all():
        expected = f"{n} numbers from 0 to 1, one for each attribute"
        raise ParameterError.wrong("inclusion", value, expected=expected, hint=_HINT)
    return given


def _probability(value: object, parameter: str, also: str = "") -> None:
    if not is_number(value) or not 0.0 <= as_python(value) <= 1.0:
        raise ParameterError.wrong(parameter, value, expected=f"a number from 0 to 1{also}", hint=_HINT)
