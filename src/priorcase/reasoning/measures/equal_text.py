"""Texts that are the same but for capitals and spaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from priorcase.reasoning.column import CaseColumn
from priorcase.reasoning.kinds import Stored
from priorcase.reasoning.measures.local_similarity import Prepared
from priorcase.reasoning.measures.words import folded
from priorcase.typing import FloatArray


@dataclass(frozen=True)
class EqualText:
    """1 for texts that are the same but for capitals, and for spaces around and between words; otherwise 0. Symmetric.

    Examples
    --------
    >>> EqualText()
    EqualText()
    """

    accepts: ClassVar[tuple[str, ...]] = ("text", "nominal", "taxonomy")
    needs_solutions: ClassVar[bool] = False

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        places: dict[str, list[int]] = {}
        for place, value in enumerate(column.values):
            places.setdefault(_seen(value), []).append(place)
        return _Prepared(places, len(column.values))


@dataclass(frozen=True, eq=False)
class _Prepared:
    places: dict[str, list[int]]
    n_values: int

    def similarities(self, query: Stored) -> FloatArray:
        found = np.zeros(self.n_values)
        found[self.places.get(_seen(query), [])] = 1.0
        return found


def _seen(value: Stored) -> str:
    return " ".join(folded(str(value)).split())
