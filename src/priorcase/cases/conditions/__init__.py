"""Conditions on cases, for finding, forgetting and retrieving them.

A condition on an attribute is a plain value (equal to it; a node of a taxonomy means it or anything under it; a member
of a set means that the set contains it), None (missing), a list of values (any of them; all of them for a set), a
function of the value, or one of the conditions here. If the value of a case is missing, only conditions about missing
values hold: ``None``, ``missing()``, ``not_(known())`` and lists with one of these.
"""

from priorcase.cases.conditions.conditions import (
    Condition,
    above,
    all_of,
    at_least,
    at_most,
    below,
    between,
    contains,
    exactly,
    known,
    mask,
    matches,
    missing,
    not_,
    one_of,
    under,
)
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
