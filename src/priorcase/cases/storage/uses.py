"""Uses of cases, and cases that are kept but no longer retrieved."""

from __future__ import annotations

import json
from collections.abc import Iterable

from priorcase.cases.storage.checksums import checksum
from priorcase.cases.storage.transaction import Transaction


class UseWriter(Transaction):
    """Records of uses, and retirements, within a transaction."""

    def retire(self, ids: Iterable[int], *, by: str | None = None, why: str | None = None) -> list[int]:
        """Keep cases, but not to be retrieved; returns the ids of those that were retired by this."""
        there = self._ids("cases", ids)
        new = sorted(there - self._ids("retirements", there))
        first = self._record("retired", new, by, why)
        rows = [(id, sequence, checksum(id, sequence)) for sequence, id in enumerate(new, first)]
        self._connection.executemany("INSERT INTO retirements VALUES (?, ?, ?)", rows)
        self._counters.tables["retirements"].add(row[2] for row in rows)
        return new

    def unretire(self, ids: Iterable[int], *, by: str | None = None, why: str | None = None) -> list[int]:
        """Let retired cases be retrieved again, their uses forgotten; returns the ids of those that were retired."""
        found = sorted(self._ids("retirements", ids))
        for table in ("retirements", "uses"):
            self._drop(table, json.dumps(found))
        self._record("unretired", found, by, why)
        return found

    def record_use(
        self,
        ids: Iterable[int],
        *,
        helped: bool | None = None,
        detail: str | None = None,
        by: str | None = None,
        why: str | None = None,
    ) -> list[int]:
        """Record that cases were used, and whether they helped; returns the ids of those that are there."""
        found = sorted(self._ids("cases", ids))
        first = self._record("used", found, by, why)
        fields = [
            (sequence, id, None if helped is None else int(helped), detail) for sequence, id in enumerate(found, first)
        ]
        rows = [(*row, checksum(*row)) for row in fields]
        self._connection.executemany("INSERT INTO uses VALUES (?, ?, ?, ?, ?)", rows)
        self._counters.tables["uses"].add(row[4] for row in rows)
        return found
