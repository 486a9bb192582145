"""Which cases of a table have a solution that worked, by the rule of outcomes."""

from __future__ import annotations

import numpy as np

from priorcase._typing import BoolArray
from priorcase.cases.reuse.sources import SourceCase
from priorcase.cases.reuse.success import Success, check_success, degree, has_worked
from priorcase.cases.table import CaseTable


def with_success(table: CaseTable, success: Success = "outcome") -> BoolArray:
    """Which cases have a solution that worked, as far as is known, and are not retired.

    Each distinct outcome is read once. Those of other cases are not read: nothing need be said about them.

    Parameters
    ----------
    table
        The cases.
    success
        How outcomes are read, as for `Copy`.

    Examples
    --------
    >>> from priorcase.schema import Nominal
    >>> told = [('"fix"', "false"), ('"swap"', None), ('"swap"', "0.5"), (None, "0.9")]
    >>> rows = [(id, {"make": "A"}, *each) for id, each in enumerate(told)]
    >>> with_success(CaseTable.of({"make": Nominal()}, rows)).tolist()
    [False, True, False, False]
    """
    check_success(success)
    column = table.column("outcome")
    solved: BoolArray = (table.column("solution").codes >= 0) & ~table.retired
    places = np.flatnonzero(solved & (column.codes >= 0))
    codes, firsts = np.unique(column.codes[places], return_index=True)
    worked = np.ones(len(column.values) + 1, dtype=np.bool_)  # the last: not known
    for code, first in zip(codes.tolist(), firsts.tolist(), strict=True):
        case = SourceCase(int(table.ids[places[first]]), 0.0, {}, "null", str(column.values[code]), {})
        worked[code] = has_worked(degree(case, success))
    return solved & worked[column.codes]
