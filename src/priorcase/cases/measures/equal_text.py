"""Texts that are the same but for capitals and spaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored
from priorcase.cases.measures.local_similarity import Prepared
from priorcase.cases.measures.words import folded


@dataclass(frozen=True)
class EqualText:
    """1 for texts that are the same but for capitals, and for spaces around and between words; otherwise 0. Symmetric.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> similarities(" Paper  JAM", ["paper jam", "paper jams"], "text", EqualText())
    {'paper jam': 1.0, 'paper jams': 0.0}
    """

    accepts: ClassVar[tuple[str, ...]] = ("text", "nominal", "taxonomy")
    needs_solutions: ClassVar[bool] = False

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        numbers: dict[str, int] = {}
        found = [numbers.setdefault(_seen(value), len(numbers)) for value in column.values]
        return _Prepared(numbers, np.array(found, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class _Prepared:
    numbers: dict[str, int]
    """The distinct texts, as they are compared."""
    held: IntArray

    def similarities(self, query: Stored) -> FloatArray:
        return np.asarray(self.held == self.numbers.get(_seen(query), -1), dtype=np.float64)


def _seen(value: Stored) -> str:
    return " ".join(folded(str(value)).split())
