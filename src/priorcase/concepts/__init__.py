"""Learners that choose what to remember: IB1 to IB5 and PEBLS."""

from priorcase.concepts.exemplars import Exemplars
from priorcase.concepts.history import LearningHistory
from priorcase.concepts.ib1 import IB1
from priorcase.concepts.ib2 import IB2
from priorcase.concepts.ib3 import IB3
from priorcase.concepts.ib4 import IB4
from priorcase.concepts.ib5 import IB5
from priorcase.concepts.pebls import PEBLS
from priorcase.concepts.records import wilson_interval
from priorcase.concepts.value_differences import ValueDifferences

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
