"""Cases given to others and taken from them: files of JSON lines, CSV and Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from priorcase.cases.base.checked import check_names
from priorcase.cases.base.followed import Transaction
from priorcase.cases.base.learned import Learned
from priorcase.cases.exchange import CaseRecord, Format, export, read_cases
from priorcase.cases.storage import NewCase, StoredCase

_BLOCK = 1_000


class Exchanged(Learned):
    """Exporting and importing."""

    def export(
        self,
        path: str | os.PathLike[str],
        /,
        *,
        format: Format | None = None,
        overwrite: bool = False,
        **conditions: Any,
    ) -> int:
        """Write cases to a file, whole or not at all.

        Parameters
        ----------
        path
            Where to: ``.jsonl`` has everything, kinds too; ``.parquet`` the same in typed columns; ``.csv`` all but
            the kinds, for spreadsheets.
        format
            ``"jsonl"``, ``"parquet"`` or ``"csv"``; None: by the end of the name.
        overwrite
            Whether a file that is there is replaced.
        **conditions
            As in `find`: which cases; without one all.

        Returns
        -------
        int
            How many cases were written.

        Notes
        -----
        Others may write meanwhile: a case is written as it is when its turn comes, and not at all if it was forgotten.
        `backup` is of one moment.

        Examples
        --------
        >>> import priorcase as pc, tempfile
        >>> with pc.CaseBase.temporary() as base, tempfile.TemporaryDirectory() as folder:
        ...     _ = base.add({"device": "printer", "age": 3}, solution="clean it")
        ...     base.export(f"{folder}/cases.jsonl")
        ...     with pc.CaseBase.temporary() as copy:
        ...         copy.import_(f"{folder}/cases.jsonl"), copy.digest() == base.digest()
        1
        ([1], True)
        """
        with self._reading() as table:
            ids = table.ids[self._meeting(conditions)].tolist()
            attributes = dict(table.attributes)
        return export(self._stored(ids), path, attributes, format=format, overwrite=overwrite)

    def import_(
        self,
        path: str | os.PathLike[str],
        *,
        solution: str | None = None,
        outcome: str | None = None,
        key: str | None = None,
        note: str | None = None,
        format: str | None = None,
        by: str | None = None,
        why: str | None = None,
    ) -> list[int]:
        """Add the cases of a file in one transaction: all of them or, if one is wrong, none.

        Parameters
        ----------
        path
            What `export` wrote, here or elsewhere; or any table: CSV, TSV, ARFF, Parquet, C4.5, JSON lines.
        solution, outcome, key, note
            For a table of others: the columns that hold them, where they are not called so.
        format
            None: by the end of the name and by the content.
        by, why
            Who imports them and why, for cases that do not say themselves.

        Returns
        -------
        list of int
            An id for each case; where a key was there already, the id that has it, and the case is not added.

        Notes
        -----
        Cases get new ids, and the time of the import. Who added them, why, and all notes are taken over.

        Examples
        --------
        >>> import priorcase as pc, tempfile, pathlib
        >>> with pc.CaseBase.temporary() as base, tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "cars.csv")
        ...     _ = path.write_text("make,miles,price\\nford,10,900\\naudi,,1200\\n")
        ...     base.import_(path, solution="price"), base.get(2)["miles"], base.get(2).solution
        ([1, 2], None, 1200)
        """
        by, why = self._who(by, why)
        with self._writing() as transaction:
            declared = self._table.attributes or None
            read = read_cases(path, declared, solution=solution, outcome=outcome, key=key, note=note, format=format)
            if declared is None:
                check_names(read.attributes)
                self._declare(transaction, read.attributes, by=by, why=why)
            ids: list[int] = []
            for (named, reason), group in groupby(read.cases, lambda case: (case.by or by, case.why or why)):
                cases = list(group)
                new = [NewCase(list(case.values), case.solution, case.outcome, case.key) for case in cases]
                seen = len(transaction.writer.changes)
                there = transaction.writer.insert(new, by=named, why=reason)
                added = {change.id for change in transaction.writer.changes[seen:]}
                self._beside(transaction, {id: case for id, case in zip(there, cases, strict=True) if id in added})
                ids += there
        return ids

    def _beside(self, transaction: Transaction, fresh: dict[int, CaseRecord]) -> None:
        """Notes and retirements of cases that were imported."""
        for id, case in fresh.items():
            for note in case.notes:
                same = NewCase(list(case.values), case.solution, case.outcome, case.key, note.text)
                transaction.writer.replace(id, same, by=note.by, why=None)
        if retired := [id for id, case in fresh.items() if case.retired]:
            transaction.writer.retire(retired)

    def _stored(self, ids: list[int]) -> Iterator[StoredCase]:
        for start in range(0, len(ids), _BLOCK):
            yield from self._store.fetch(ids[start : start + _BLOCK])
