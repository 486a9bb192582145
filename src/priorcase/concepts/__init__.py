"""Instance-based concept learners: IB1 to IB5 and PEBLS."""

from priorcase.concepts.ib import IB1, IB2, IB3, IB4, IB5
from priorcase.concepts.pebls import PEBLS
from priorcase.concepts.records import wilson_interval
from priorcase.concepts.results import Exemplars, LearningHistory, ValueDifferences

__all__ = [
    "IB1",
    "IB2",
    "IB3",
    "IB4",
    "IB5",
    "PEBLS",
    "Exemplars",
    "LearningHistory",
    "ValueDifferences",
    "wilson_interval",
]
