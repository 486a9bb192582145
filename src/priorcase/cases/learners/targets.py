"""What a learner is to predict: solutions, outcomes or an attribute, as classes or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, IntArray
from priorcase.cases import kinds
from priorcase.cases.errors import unknown_attributes
from priorcase.cases.kinds import Date, Graph, Set, Text
from priorcase.cases.table import BESIDE, CaseTable
from priorcase.exceptions import CaseBaseError, listed
from priorcase.schema.kinds import content_of

__all__ = ["Targets", "read_targets"]

_UNREADABLE = (Text, Graph, Set)


class Targets:
    """The targets of all cases of a table.

    Parameters
    ----------
    codes
        For each case a place in ``values``, -1 where it has no target.
    values
        Distinct targets: text, booleans or numbers, and never two of these.
    """

    def __init__(self, codes: IntArray, values: AnyArray) -> None:
        self.codes = codes
        self.values = values

    def at(self, positions: IntArray) -> AnyArray:
        """The targets of cases that have one, as estimators take y."""
        found: AnyArray = self.values[self.codes[positions]]
        return found


def read_targets(table: CaseTable, target: str) -> Targets:
    """The targets of a table: texts, booleans, whole numbers or floats.

    Dates are days. Solutions and outcomes may be anything, so these are looked at: text or booleans make classes,
    numbers numbers; a mixture, a list or a mapping is an error.

    Parameters
    ----------
    table
        The cases.
    target
        ``"solution"``, ``"outcome"`` or the name of an attribute.
    """
    if target not in BESIDE and target not in table.attributes:
        raise unknown_attributes([target], [*BESIDE, *table.attributes])
    column = table.column(target)
    if isinstance(column.kind, _UNREADABLE):
        raise CaseBaseError(
            f"got target={target!r}, a {kinds.kind_name(column.kind)} attribute; expected numbers, dates, levels or "
            "names. Name another target: 'solution', 'outcome' or such an attribute."
        )
    if column.kind is None:
        values: Sequence[Any] = [kinds.plain_shown(str(text)) for text in column.values]
    else:
        values = column.numbers().tolist() if isinstance(column.kind, Date) else column.values
    return Targets(column.codes, _alike(values, target))


def _alike(values: Sequence[Any], target: str) -> AnyArray:
    """Values of one sort as an array."""
    sorts = {content_of([value]) for value in values}
    if len(sorts) > 1 or not sorts <= {"text", "numbers", "booleans"}:
        examples = listed(list({content_of([value]): value for value in reversed(values)}.values())[::-1], limit=3)
        raise CaseBaseError(
            f"got the target {target!r} with values such as {examples}. Learners take only text, only numbers or only "
            "booleans; keep what is to be learned in an attribute."
        )
    if "text" in sorts or not values:
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array
    if "booleans" in sorts:
        return np.array(values, dtype=bool)
    whole = all(isinstance(value, int) and abs(value) < 2**63 for value in values)
    return np.array(values, dtype=np.int64 if whole else np.float64)
