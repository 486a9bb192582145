"""What cases must have: conditions for finding, forgetting and retrieving.

A condition on an attribute is a plain value (equal to it; a node of a taxonomy means it or anything under it; a
member of a set means that the set contains it), None (missing), a list of values (any of them; all of them for a set),
a function of the value, or one of the conditions here. Cases in which the value is missing meet only conditions that
are about missing values: ``None``, ``missing()``, ``not_(known())`` and lists with one of these.
"""

from priorcase.cases.conditions.base import Condition
from priorcase.cases.conditions.content import contains, exactly, matches, under
from priorcase.cases.conditions.logic import all_of, known, missing, not_, one_of
from priorcase.cases.conditions.masking import mask
from priorcase.cases.conditions.order import above, at_least, at_most, below, between
from priorcase.cases.conditions.parsing import parse

__all__ = [
    "Condition",
    "above",
    "all_of",
    "at_least",
    "at_most",
    "below",
    "between",
    "contains",
    "exactly",
    "known",
    "mask",
    "matches",
    "missing",
    "not_",
    "one_of",
    "parse",
    "under",
]
