"""Rules for the parameters of the neighbour estimators, one sentence each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, cast, get_args

import numpy as np

from priorcase._parameters import is_number, is_whole
from priorcase._typing import FloatArray
from priorcase.exceptions import ParameterError
from priorcase.instances.instances import as_floats
from priorcase.learning.parameters import check_choice, choices_text, is_list
from priorcase.neighbors.tally import Ties
from priorcase.search.scan import Algorithm

NNeighbors: TypeAlias = int | Literal["sqrt", "all", "loo"]

_LARGEST = float(np.finfo(np.float64).max)
_COLDEST = 1e-9


def check_n_neighbors(value: object, *, named: Sequence[str] = ("sqrt", "all", "loo")) -> NNeighbors:
    """The number of neighbours, or one of its names."""
    if is_whole(value) and int(value) >= 1:
        return int(value)
    if isinstance(value, str) and value in named:
        return cast(NNeighbors, value)
    choices = f"a whole number >= 1, {choices_text(named)}" if named else "a whole number >= 1"
    raise ParameterError.wrong("n_neighbors", value, expected=choices, hint="5 is a common choice.", names=named)


def check_ties(value: object, choices: Sequence[str]) -> Ties:
    """The rule for ties of distances and of votes."""
    hint = "'majority' lets every row as near as the k-th vote; 'first' keeps exactly k, lower ids first."
    return cast(Ties, check_choice("ties", value, choices, hint=hint))


def check_bandwidth(value: object) -> float | None:
    """How far a kernel reaches, in units of the distance; None where it follows the neighbours."""
    if value is None:
        return None
    if is_number(value) and 0 < value <= _LARGEST:
        return float(value)
    hint = "None lets kernels reach as far as the first row that does not vote."
    raise ParameterError.wrong("bandwidth", value, expected="None or a finite number above 0", hint=hint)


def check_temperature(value: object) -> float:
    """How flat probabilities are."""
    if is_number(value) and _COLDEST <= value <= _LARGEST:
        return float(value)
    hint = "1.0 leaves shares of the vote as they are, more makes them flatter, less makes them sharper."
    raise ParameterError.wrong("temperature", value, expected="a finite number above 1e-9", hint=hint)


def check_algorithm(value: object) -> Algorithm:
    """The way to search; all give the same answers."""
    hint = "'auto' picks the fastest; the answers are the same."
    return cast(Algorithm, check_choice("algorithm", value, get_args(Algorithm), hint=hint))


def check_prior(value: object, class_weights: Sequence[FloatArray]) -> list[FloatArray | None]:
    """Dirichlet weights of the classes, one array for each output; None without a prior, or with one of weight 0."""
    single = len(class_weights) == 1
    expected = "None, 'frequency'" + (", " if single else " or ") + "a finite number >= 0"
    expected += ", or one such number for each class" if single else " where there are several targets"
    hint = "1.0 adds one vote for each class; 'frequency' adds one vote shared out as in the training rows."
    if value is None or (is_number(value) and value == 0):
        return [None] * len(class_weights)
    if isinstance(value, str) and value == "frequency":
        return [weights / weights.sum() for weights in class_weights]
    if is_number(value) and 0 < value <= _LARGEST:
        return [np.full(weights.size, float(value)) for weights in class_weights]
    if is_list(value) and single:
        numbers, shape = as_floats(value), class_weights[0].shape
        if numbers is not None and numbers.shape == shape and bool(((numbers >= 0) & np.isfinite(numbers)).all()):
            return [numbers if numbers.any() else None]
        expected = f"{class_weights[0].size} finite numbers >= 0, one for each class"
    raise ParameterError.wrong("prior", value, expected=expected, hint=hint, names=("frequency",))
