"""Learners put into the file and taken out of it."""

from __future__ import annotations

from collections.abc import Iterable

from priorcase.cases.storage.checksums import checksum
from priorcase.cases.storage.learners import ranges_of, read_learners
from priorcase.cases.storage.transaction import Transaction
from priorcase.exceptions import CaseBaseFileError, listed


class LearnerWriter(Transaction):
    """Learners kept with the cases, within a transaction."""

    def put_learner(
        self,
        name: str,
        recipe: str,
        *,
        state: bytes | None = None,
        fitted_on: Iterable[int] | None = None,
        by: str | None = None,
        why: str | None = None,
    ) -> None:
        """Keep a learner under a name; the cases that its state was fitted on must all be there still."""
        ids = None if fitted_on is None else set(fitted_on)
        if ids is not None and (gone := ids - self._ids("cases", ids)):
            raise CaseBaseFileError(
                f"{self._path} no longer has the cases {listed(sorted(gone))} that this learner was fitted on; nothing "
                "was changed. Fit it again on the cases that are there."
            )
        self._take_learner(name)
        sequence = self._record("learned", [None], by, why)
        row = (name, sequence, recipe, state, None if ids is None else ranges_of(ids))
        self._write_learner(row)

    def drop_learner(self, name: str, *, by: str | None = None, why: str | None = None) -> bool:
        """Remove a learner; False where there is none of that name."""
        found = self._take_learner(name)
        if found:
            self._record("unlearned", [None], by, why)
        return found

    def _take_learner(self, name: str) -> bool:
        sums = self._connection.execute("SELECT sum FROM learners WHERE name = ?", (name,)).fetchall()
        self._connection.execute("DELETE FROM learners WHERE name = ?", (name,))
        self._counters.tables["learners"].remove(sum for (sum,) in sums)
        return bool(sums)

    def _write_learner(self, row: tuple[str, int, str, bytes | None, str | None]) -> None:
        sum = checksum(*row)
        self._connection.execute("INSERT INTO learners VALUES (?, ?, ?, ?, ?, ?)", (*row, sum))
        self._counters.tables["learners"].add([sum])

    def _blank_learners(self, gone: list[int]) -> None:
        """Erase the states of all learners that were fitted on one of some cases; their recipes stay."""
        for learner in read_learners(self._connection, self._path):
            if learner.fitted_on is None or not set(gone).isdisjoint(learner.fitted_on):
                self._take_learner(learner.name)
                left = None if learner.fitted_on is None else ranges_of(set(learner.fitted_on) - set(gone))
                self._write_learner((learner.name, learner.sequence, learner.recipe, None, left))
