"""The ways to learn attribute weights, by name."""

from __future__ import annotations

from priorcase.relevance.bayes import Bayes
from priorcase.relevance.gain_ratio import GainRatio
from priorcase.relevance.leave_one_out import LeaveOneOut
from priorcase.relevance.mutual_information import MutualInformation
from priorcase.relevance.relief import Relief
from priorcase.relevance.weighing import Weighing

_KNOWN: tuple[type[Weighing], ...] = (GainRatio, Relief, MutualInformation, Bayes, LeaveOneOut)

METHODS: tuple[str, ...] = tuple(weighing.method for weighing in _KNOWN)
"""Names that estimators take for ``attribute_weights``."""


def weighing_of(value: object) -> Weighing | None:
    """The way to learn that a name or an object stands for; None where it stands for none.

    Examples
    --------
    >>> weighing_of("bayes"), weighing_of([1.0, 2.0])
    (Bayes(), None)
    """
    if isinstance(value, str):
        return next((weighing() for weighing in _KNOWN if weighing.method == value), None)
    return value if isinstance(value, Weighing) and not isinstance(value, type) else None
