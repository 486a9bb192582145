"""Values that are either the same or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from priorcase._typing import FloatArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored
from priorcase.cases.measures.local_similarity import Prepared


@dataclass(frozen=True)
class Equality:
    """1 for the same value, otherwise 0. Symmetric; for attributes of any kind.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> similarities("red", ["red", "blue"], "nominal")
    {'red': 1.0, 'blue': 0.0}
    """

    accepts: ClassVar[tuple[str, ...]] = ("numeric", "ordinal", "nominal", "text", "set", "date", "taxonomy", "graph")
    needs_solutions: ClassVar[bool] = False

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        return _Prepared(column)


@dataclass(frozen=True, eq=False)
class _Prepared:
    column: CaseColumn

    def similarities(self, query: Stored) -> FloatArray:
        found = np.zeros(len(self.column.values))
        if (place := self.column.place(query)) >= 0:
            found[place] = 1.0
        return found
