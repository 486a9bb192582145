"""Rules for the parameters of the neighbour estimators, one sentence each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from priorcase._numbers import is_number, is_whole
from priorcase.exceptions import ParameterError
from priorcase.instances.checks import as_floats
from priorcase.learning.parameters import check_choice, choices_text, is_list
from priorcase.neighbors.tally import Ties
from priorcase.schema import Nominal, Schema
from priorcase.search.scan import Algorithm
from priorcase.typing import FloatArray, Name

NNeighbors: TypeAlias = int | Literal["sqrt", "all", "loo"]
AttributeWeights: TypeAlias = ArrayLike | Mapping[Name, float] | Literal["bayes"] | None

_LARGEST = float(np.finfo(np.float64).max)


def check_n_neighbors(value: object, *, caller: str, named: Sequence[str] = ("sqrt", "all", "loo")) -> NNeighbors:
    """The number of neighbours, or one of its names."""
    if is_whole(value) and int(value) >= 1:
        return int(value)
    if isinstance(value, str) and value in named:
        return cast(NNeighbors, value)
    choices = f"a whole number >= 1, {choices_text(named)}" if named else "a whole number >= 1"
    raise ParameterError.wrong(
        caller, "n_neighbors", value, expected=choices, hint="5 is a common choice.", names=named
    )


def check_ties(value: object, choices: Sequence[str], *, caller: str) -> Ties:
    """The rule for ties of distances and of votes."""
    hint = "'majority' lets every row as near as the k-th vote; 'first' keeps exactly k, lower ids first."
    return cast(Ties, check_choice("ties", value, choices, caller=caller, hint=hint))


def check_algorithm(value: object, *, caller: str) -> Algorithm:
    """The way to search; all give the same answers."""
    hint = "'auto' picks the fastest; the answers are the same."
    return cast(Algorithm, check_choice("algorithm", value, get_args(Algorithm), caller=caller, hint=hint))


def check_attribute_weights(value: object, schema: Schema, *, caller: str) -> FloatArray | None:
    """One weight for each attribute, in schema order; None when all weigh the same.

    A mapping names the attributes whose weight is not 1.
    """
    if value is None:
        return None
    expected = "None, one number >= 0 for each attribute, a mapping from attribute to number, or 'bayes'"
    hint = "a weight of 0 ignores an attribute, 2 makes it count double; 'bayes' learns weights from the classes."
    if isinstance(value, str):
        raise ParameterError.wrong(caller, "attribute_weights", value, expected=expected, hint=hint, names=("bayes",))
    numbers = _from_mapping(value, schema, caller) if isinstance(value, Mapping) else value
    weights = as_floats(numbers)
    if weights is None:
        raise ParameterError.wrong(caller, "attribute_weights", value, expected=expected, hint=hint)
    usable = weights.shape == (len(schema),) and bool(np.isfinite(weights).all()) and bool((weights >= 0).all())
    if not usable or not weights.any():
        expected = f"{len(schema)} finite numbers >= 0, at least one of them positive"
        raise ParameterError.wrong(caller, "attribute_weights", value, expected=expected, hint=hint)
    return weights


def weighs_by_bayes(value: object) -> bool:
    """Whether the weights are to be learned from the rows: how probable it is that each attribute matters."""
    return isinstance(value, str) and value == "bayes"


def check_classes(targets: Schema | None, *, caller: str) -> None:
    """Refuse to learn weights where there is not one column of classes to learn them from."""
    if targets is None or len(targets) != 1 or not isinstance(targets.kinds[0], Nominal):
        expected = "None, numbers or a mapping where y is not one column of classes"
        hint = "'bayes' weighs an attribute by how probable it is that it depends on the class."
        raise ParameterError.wrong(caller, "attribute_weights", "bayes", expected=expected, hint=hint)


def _from_mapping(given: Mapping[Name, float], schema: Schema, caller: str) -> list[float]:
    weights = [1.0] * len(schema)
    positions = schema.positions(given, caller=caller, parameter="attribute_weights")
    for a, weight in zip(positions, given.values(), strict=True):
        weights[a] = weight
    return weights


def check_prior(value: object, class_weights: Sequence[FloatArray], *, caller: str) -> list[FloatArray | None]:
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
    raise ParameterError.wrong(caller, "prior", value, expected=expected, hint=hint, names=("frequency",))
