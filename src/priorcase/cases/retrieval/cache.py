"""Measures made ready for a table, kept until what they were made from changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from threading import Lock, RLock
from typing import Any

from priorcase.cases.column import CaseColumn
from priorcase.cases.measures import LocalSimilarity, Prepared
from priorcase.schema.kinds import is_hashable

_MOST = 4
"""So many measures of one attribute are kept: those of a user's functions and models may be large."""


@dataclass(frozen=True)
class _Kept:
    measure: LocalSimilarity
    column: CaseColumn
    solutions: CaseColumn | None
    prepared: Prepared


class MeasureCache:
    """Prepared measures by attribute and measure, the last few of each attribute.

    A change of the table makes only those anew whose column changed, or whose solutions did where they count. Several
    threads may ask at a time: what is ready is given at once, what is not is prepared by one of them.
    """

    def __init__(self) -> None:
        self._looking, self._preparing = Lock(), RLock()
        self._kept: dict[str, OrderedDict[Hashable, _Kept]] = {}
        self._last: dict[str, _Kept] = {}  # what was given last, to be given again without a lock or a hash

    def __len__(self) -> int:
        return sum(map(len, self._kept.values()))

    def get(self, column: CaseColumn, measure: LocalSimilarity, solutions: CaseColumn) -> Prepared:
        """A measure, ready for a column as it is now."""
        told = solutions if measure.needs_solutions else None
        last = self._last.get(column.name)
        if last is not None and last.measure is measure and last.column is column and last.solutions is told:
            return last.prepared
        key: Any = measure if is_hashable(measure) else id(measure)
        if (found := self._ready(key, column, told)) is not None:
            return found
        with self._preparing:
            if (found := self._ready(key, column, told)) is not None:
                return found
            with self._looking:
                before = self._kept.get(column.name, OrderedDict()).get(key)
            prepared = measure.prepare(column, told, None if before is None else before.prepared)
            with self._looking:
                kept = self._kept.setdefault(column.name, OrderedDict())
                kept[key] = _Kept(measure, column, told, prepared)
                kept.move_to_end(key)
                if len(kept) > _MOST:
                    kept.popitem(last=False)
            return prepared

    def clear(self) -> None:
        """Keep nothing: of values that were forgotten, say."""
        with self._looking:
            self._kept.clear()
            self._last.clear()

    def _ready(self, key: Hashable, column: CaseColumn, told: CaseColumn | None) -> Prepared | None:
        with self._looking:
            of_column = self._kept.get(column.name, OrderedDict())
            kept = of_column.get(key)
            # A column of a table is one object as long as it does not change.
            if kept is None or kept.column is not column or kept.solutions is not told:
                return None
            of_column.move_to_end(key)
            self._last[column.name] = kept
            return kept.prepared
