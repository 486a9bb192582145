"""Rules for ``attribute_weights``: numbers that are given, or a way to learn them from the stored rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from priorcase._typing import FloatArray, Name
from priorcase.bayes.subset_evidence import RelevanceWeights
from priorcase.exceptions import ParameterError
from priorcase.instances import Instances
from priorcase.instances.instances import as_floats
from priorcase.learning.parameters import choices_text
from priorcase.relevance.bayes import Bayes
from priorcase.relevance.leave_one_out import LeaveOneOut
from priorcase.relevance.names import METHODS, weighing_of
from priorcase.relevance.weighing import Learned, LocalWeighing, Weighing
from priorcase.schema import Nominal, Schema

Method: TypeAlias = Literal["gain_ratio", "relief", "mutual_information", "bayes", "loo"]
AttributeWeights: TypeAlias = ArrayLike | Mapping[Name, float] | Method | Weighing | None
"""What estimators take for ``attribute_weights``."""

Weights: TypeAlias = FloatArray | RelevanceWeights | Learned | None
"""What a memory is given: numbers, counts or a way to learn that follow the rows, or None where all weigh the same."""

_HINT = "a weight of 0 ignores an attribute, 2 makes it count double; a name learns the weights from the targets."


def attribute_weights(value: object, instances: Instances, *, owner: str, threads: int) -> Weights:
    """The weights for a memory of some instances, which may still be empty.

    Parameters
    ----------
    value
        As a user gave it.
    instances
        The rows, whose targets say what can be learned.
    owner
        Whose memory it is.
    threads
        How many threads share the learning.
    """
    weighing = weighing_of(value)
    if weighing is None:
        return _numbers(value, instances.schema)
    _check_targets(value, weighing, instances.targets)
    if isinstance(weighing, Bayes):
        return RelevanceWeights(instances, owner=owner, threads=threads)
    return Learned(weighing, threads)


def learns_weights(value: object) -> bool:
    """Whether the weights are to be learned from the rows and their targets."""
    return weighing_of(value) is not None


def needs_one_target(value: object) -> bool:
    """Whether the weights can be learned from one target only."""
    weighing = weighing_of(value)
    return isinstance(weighing, Bayes) or (isinstance(weighing, LocalWeighing) and weighing.local)


def _numbers(value: object, schema: Schema) -> FloatArray | None:
    """One weight for each attribute, in schema order; None when all weigh the same.

    A mapping names the attributes whose weight is not 1.
    """
    if value is None:
        return None
    given = "None, one number >= 0 for each attribute, a mapping from attribute to number"
    expected = f"{given}, or a way to learn them: {choices_text(METHODS)}"
    if isinstance(value, str):
        raise ParameterError.wrong("attribute_weights", value, expected=expected, hint=_HINT, names=METHODS)
    numbers = _from_mapping(value, schema) if isinstance(value, Mapping) else value
    weights = as_floats(numbers)
    if weights is None:
        raise ParameterError.wrong("attribute_weights", value, expected=expected, hint=_HINT)
    usable = weights.shape == (len(schema),) and bool(np.isfinite(weights).all()) and bool((weights >= 0).all())
    if not usable or not weights.any():
        expected = f"{len(schema)} finite numbers >= 0, at least one of them positive"
        raise ParameterError.wrong("attribute_weights", value, expected=expected, hint=_HINT)
    return weights


def _from_mapping(given: Mapping[Name, float], schema: Schema) -> list[float]:
    weights = [1.0] * len(schema)
    positions = schema.positions(given, parameter="attribute_weights")
    for a, weight in zip(positions, given.values(), strict=True):
        weights[a] = weight
    return weights


def _check_targets(value: object, weighing: Weighing, targets: Schema | None) -> None:
    """Refuse to learn weights where there is no target of the right sort to learn them from."""
    if targets is not None and (len(targets) == 1 or not needs_one_target(value)):
        has_classes = isinstance(targets.kinds[0], Nominal)
        odd = weighing.refuses(has_classes) if isinstance(weighing, LeaveOneOut) else None
        if odd is not None and isinstance(weighing, LeaveOneOut):
            hint = "leave loss out: it then goes with y."
            raise ParameterError.wrong("attribute_weights.loss", weighing.loss, expected=odd, hint=hint)
        if weighing.takes_numbers or has_classes:
            return
    sorts = "classes or numbers" if weighing.takes_numbers else "classes"
    expected = f"None, numbers or a mapping where y is not one column of {sorts}"
    hint = f"{weighing.method!r} weighs an attribute by what it has to do with y."
    if isinstance(weighing, Bayes):
        hint = "'bayes' weighs an attribute by how probable it is that it depends on the class."
    raise ParameterError.wrong("attribute_weights", value, expected=expected, hint=hint)
