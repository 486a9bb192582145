"""Who can speak: cases with a solution that worked and that were not retired."""

from __future__ import annotations

import numpy as np

from priorcase._numbers import is_number
from priorcase.reasoning.kinds import plain_shown
from priorcase.reasoning.table import CaseTable
from priorcase.typing import BoolArray, FloatArray

_HALF = 0.5


def worked(table: CaseTable) -> FloatArray:
    """How well the solution of each case worked, from 0 to 1: its outcome where that is a boolean or such a number.

    Any other outcome, and one that is not known, counts as 1: no words are guessed.

    Examples
    --------
    >>> from priorcase.schema import Nominal
    >>> rows = [(1, {"make": "A"}, '"fix"', "false"), (2, {"make": "A"}, '"swap"', '"fine"')]
    >>> worked(CaseTable.of({"make": Nominal()}, rows))
    array([0., 1.])
    """
    column = table.column("outcome")
    degrees = [_degree(plain_shown(str(text))) for text in column.values]
    found: FloatArray = np.array([*degrees, 1.0])[column.codes]  # -1, not known, is the last one
    return found


def able(table: CaseTable) -> BoolArray:
    """Which cases have a solution that worked at least half, and are not retired."""
    found: BoolArray = (table.column("solution").codes >= 0) & ~table.retired & (worked(table) >= _HALF)
    return found


def _degree(outcome: object) -> float:
    if isinstance(outcome, bool) or (is_number(outcome) and 0 <= outcome <= 1):
        return float(outcome)
    return 1.0
