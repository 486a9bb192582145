"""What retrieval is asked with, checked: weights, measures, which cases, and how many."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np

from priorcase._parameters import as_python, check_choice, is_number, is_whole
from priorcase._typing import BoolArray
from priorcase.cases.conditions import mask
from priorcase.cases.errors import unknown_attributes
from priorcase.cases.kinds import CaseKind
from priorcase.cases.measures import LocalSimilarity, as_measure, default_measure
from priorcase.cases.scoring import Unknown
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, ParameterError, quoted


def check_unknown(value: object) -> Unknown:
    """How missing values of cases count."""
    hint = "'different' counts them as not alike, 'ignore' leaves them out of the comparison."
    check_choice("unknown", value, get_args(Unknown), hint=hint)
    return value  # type: ignore[return-value]


def check_count(parameter: str, value: object, *, least: int = 1, usual: int = 5) -> int:
    """How many."""
    if not is_whole(value) or value < least:
        raise ParameterError(f"{parameter} must be a whole number >= {least}, got {quoted(value)}. {usual} is usual.")
    return int(value)


def check_diversity(value: object) -> float:
    """How much variety counts."""
    if not is_number(value) or not 0 <= value <= 1:
        raise ParameterError(
            f"diversity must be a number from 0 to 1, got {quoted(value)}. 0 is the most similar cases, 1 the most "
            "different ones among them."
        )
    return float(value)


def weights_of(attributes: Mapping[str, CaseKind], weights: object) -> dict[str, float]:
    """The weight of each attribute: as given, and 1 where none is.

    Examples
    --------
    >>> from priorcase.schema import Numeric
    >>> weights_of({"age": Numeric(), "size": Numeric()}, {"age": 2})
    {'age': 2.0, 'size': 1.0}
    """
    if weights is None:
        return dict.fromkeys(attributes, 1.0)
    if not isinstance(weights, Mapping):
        raise ParameterError(
            f"weights must be None or a mapping from attributes to numbers, got {quoted(weights)}. For example "
            "{'age': 2, 'colour': 0}."
        )
    _known(attributes, weights)
    for name, weight in weights.items():
        if not is_number(weight) or not 0 <= as_python(weight) < math.inf:
            raise CaseBaseError(
                f"got the weight {quoted(weight)} for {quoted(name)}; expected a finite number >= 0. 0 leaves an "
                "attribute out; attributes that are not named have weight 1."
            )
    found = {name: float(weights.get(name, 1.0)) for name in attributes}
    if not any(found.values()):
        raise CaseBaseError(
            "got weights that are all 0; expected one above 0. Attributes that are not named have weight 1."
        )
    return found


def fixed_weights(attributes: Mapping[str, CaseKind], compared: Sequence[str], fixed: object) -> dict[str, float]:
    """The weights that stay as given while others are learned, in the order of the attributes.

    Examples
    --------
    >>> from priorcase.schema import Numeric
    >>> kinds = {"age": Numeric(), "size": Numeric()}
    >>> fixed_weights(kinds, list(kinds), {"size": 0})
    {'size': 0.0}
    """
    if fixed is None:
        return {}
    if not isinstance(fixed, Mapping):
        raise ParameterError(
            f"fixed must be None or a mapping from attributes to numbers, got {quoted(fixed)}. For example {{'colour': "
            "0} leaves one out."
        )
    _known(attributes, fixed)
    if told := [name for name in fixed if name not in compared]:
        raise CaseBaseError(
            f"got a fixed weight for {told[0]!r}, which is to be told and so has no part in comparisons. Leave it out "
            "of fixed."
        )
    for name, weight in fixed.items():
        if not is_number(weight) or not 0 <= as_python(weight) < math.inf:
            raise CaseBaseError(
                f"got the weight {quoted(weight)} for {quoted(name)}; expected a finite number >= 0. 0 leaves an "
                "attribute out; attributes that are not named have weight 1."
            )
    found = {name: float(fixed[name]) for name in compared if name in fixed}
    if len(found) == len(compared) and not any(found.values()):
        raise CaseBaseError(
            "got fixed weights of 0 for all attributes; nothing is left to compare cases by. Leave out of fixed those "
            "whose weights are to be learned."
        )
    return found


def measures_of(attributes: Mapping[str, CaseKind], measures: object) -> dict[str, LocalSimilarity]:
    """The measure of each attribute: as given, and the usual one of its kind where none is.

    Examples
    --------
    >>> from priorcase.schema import Nominal, Numeric
    >>> measures_of({"age": Numeric(), "make": Nominal()}, {"make": "mvdm"})
    {'age': Linear(range=None, log=False), 'make': MVDM(power=1, unseen='different')}
    """
    if measures is None:
        return {name: default_measure(kind) for name, kind in attributes.items()}
    if not isinstance(measures, Mapping):
        raise ParameterError(
            f"measures must be None or a mapping from attributes to measures, got {quoted(measures)}. For example "
            "{'message': 'edit'}."
        )
    _known(attributes, measures)
    return {
        name: as_measure(measures[name], kind, name) if name in measures else default_measure(kind)
        for name, kind in attributes.items()
    }


def allowed(table: CaseTable, where: object) -> BoolArray:
    """Which cases may be retrieved: those that are not retired and meet the conditions."""
    live: BoolArray = ~table.retired
    if where is None:
        return live
    if isinstance(where, np.ndarray):
        if where.dtype != np.bool_ or where.shape != (len(table),):
            raise CaseBaseError(
                f"got where as an array of {where.dtype} of shape {where.shape}; expected {len(table)} booleans, or "
                "conditions by name. For example where={'fuel': 'diesel'}."
            )
        return live & where
    return live & mask(table, where)  # type: ignore[arg-type]


def _known(attributes: Mapping[str, CaseKind], given: Mapping[str, object]) -> None:
    if unknown := [name for name in given if name not in attributes]:
        raise unknown_attributes(unknown, attributes)
