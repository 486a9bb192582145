"""Learners that choose what to remember: IB1 to IB5 and PEBLS."""

from priorcase.concepts.exemplars import Exemplars
from priorcase.concepts.pebls import PEBLS
from priorcase.concepts.value_differences import ValueDifferences

__all__ = ["PEBLS", "Exemplars", "ValueDifferences"]
