"""Levels that are the less alike, the more levels lie between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from priorcase.cases.column import CaseColumn
from priorcase.cases.measures.local_similarity import Prepared
from priorcase.cases.measures.number_line import Falling, NumberLine


@dataclass(frozen=True)
class Ranks:
    """``1 - |rank a - rank b| / (levels - 1)`` over all declared levels, stored or not.

    Symmetric.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> from priorcase.schema import Ordinal
    >>> similarities("S", ["S", "M", "XL"], Ordinal(("S", "M", "L", "XL")))
    {'S': 1.0, 'M': 0.666..., 'XL': 0.0}
    """

    accepts: ClassVar[tuple[str, ...]] = ("ordinal",)
    needs_solutions: ClassVar[bool] = False

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        line = NumberLine.of(self, column)
        return Falling(line, line.length(None))
