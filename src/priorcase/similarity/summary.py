"""What is kept of statistics for the time when more rows have come."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from operator import gt, lt
from typing import Any

Key = tuple[Hashable, ...]


@dataclass(frozen=True)
class Summary:
    """The statistics of the first ``rows`` rows that appended rows can extend.

    ``ranges`` are the smallest and the largest known number of each column where nothing else was asked for, and
    infinite where not even they were; None where it was more. A row within them changes nothing in what was computed
    from the statistics.
    """

    rows: int
    removals: int
    extendable: bool
    facts: dict[Key, Any] = field(repr=False)
    ranges: tuple[tuple[float, ...], tuple[float, ...]] | None = None

    def holds(self, row: Sequence[float]) -> bool:
        """Whether one more row, given by its cells, leaves everything as it is."""
        if self.ranges is None or not self.extendable:
            return False
        low, high = self.ranges
        return not (any(map(lt, row, low)) or any(map(gt, row, high)))

    def with_one_more(self) -> Summary:
        """The summary with one more row that it holds."""
        return Summary(self.rows + 1, self.removals, self.extendable, self.facts, self.ranges)
