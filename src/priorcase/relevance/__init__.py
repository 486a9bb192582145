"""Attribute weights for distances, learned from the stored rows."""

from priorcase.relevance.base import WeightingMethod
from priorcase.relevance.information import Bayes, GainRatio, MutualInformation
from priorcase.relevance.leave_one_out import LeaveOneOutWeights
from priorcase.relevance.relief import Relief
from priorcase.relevance.table import AttributeWeights

__all__ = ["AttributeWeights", "Bayes", "GainRatio", "LeaveOneOutWeights", "MutualInformation", "Relief"]

_METHODS: dict[str, type[WeightingMethod]] = {
    each.method: each for each in (GainRatio, Relief, MutualInformation, Bayes, LeaveOneOutWeights)
}
METHODS = tuple(_METHODS)
"""Names of methods that estimators accept as ``attribute_weights``."""


def resolve_method(value: object) -> WeightingMethod | None:
    """Return the weighting method for a name or a `WeightingMethod`; None for any other value."""
    if isinstance(value, str):
        return _METHODS[value]() if value in _METHODS else None
    return value if isinstance(value, WeightingMethod) else None
