"""Who can speak: cases with a solution that worked and that were not retired, by the rule of `reuse` for outcomes."""

from __future__ import annotations

import numpy as np

from priorcase._typing import BoolArray, FloatArray
from priorcase.cases.kinds import plain_shown
from priorcase.cases.reuse.sources import SourceCase
from priorcase.cases.reuse.success import HALF, Success, check_success, degree
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, quoted


def worked(table: CaseTable, success: Success = "outcome") -> FloatArray:
    """How well the solution of each case worked, from 0 to 1, by the rule of `reuse`.

    An outcome that is not known counts as 1, and so does that of a case that cannot speak: one that is retired or has
    no solution.

    Parameters
    ----------
    table
        The case base.
    success
        How outcomes are read: ``"outcome"`` as booleans or numbers from 0 (failed) to 1 (worked), any other one is an
        error; a function from an outcome to such a value; None: every solution worked.

    Examples
    --------
    >>> from priorcase.schema import Nominal
    >>> rows = [(1, {"make": "A"}, '"fix"', "false"), (2, {"make": "A"}, '"swap"', None)]
    >>> worked(CaseTable.of({"make": Nominal()}, rows))
    array([0., 1.])
    """
    check_success(success)
    column = table.column("outcome")
    heard = (table.column("solution").codes >= 0) & ~table.retired & (column.codes >= 0)
    degrees = np.ones(len(column.values) + 1)
    places = np.flatnonzero(heard)
    codes, firsts = np.unique(column.codes[places], return_index=True)
    for code, first in zip(codes.tolist(), firsts.tolist(), strict=True):
        case = _told(int(table.ids[places[first]]), str(column.values[code]))
        degrees[code] = degree(case, success)
    return np.where(heard, degrees[column.codes], 1.0)


def able(table: CaseTable, degrees: FloatArray) -> BoolArray:
    """Which cases have a solution that did not fail, and are not retired; one fails that worked no more than half."""
    found: BoolArray = (table.column("solution").codes >= 0) & ~table.retired & (degrees > HALF)
    return found


def has_failed(outcome: str | None, success: Success) -> bool:
    """Whether the solution of a new case failed, by its outcome as JSON text; not where that is not known."""
    check_success(success)
    try:
        return degree(_told(0, outcome), success) <= HALF
    except CaseBaseError:
        if callable(success):
            raise
        raise CaseBaseError(
            f"got outcome {quoted(plain_shown(outcome))}; expected True, False, a number from 0 to 1 or None to tell "
            "whether the solution worked. success= is a function that tells it, from True or 1 to False or 0; "
            "policy='always' keeps any outcome."
        ) from None


def _told(id: int, outcome: str | None) -> SourceCase:
    """A case of which only the outcome counts."""
    return SourceCase(id, 0.0, {}, "null", outcome, {})
