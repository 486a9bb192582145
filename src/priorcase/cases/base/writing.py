"""Changes of a case base, each one transaction: durable when the method returns, or not done at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from priorcase.cases import conditions, kinds
from priorcase.cases.base import checked
from priorcase.cases.base.beside import Beside
from priorcase.cases.base.declaring import Declaring
from priorcase.cases.base.followed import Transaction
from priorcase.cases.base.ids import as_id, as_ids
from priorcase.cases.case import Case
from priorcase.cases.storage import NewCase, collector_paused
from priorcase.exceptions import CaseBaseError

UNCHANGED: Any = type("Unchanged", (), {"__repr__": lambda self: "<unchanged>"})()
"""What `revise` leaves as it is; None would take a solution away."""


class Writing(Declaring):
    """Adding, revising, forgetting and retiring."""

    def add(
        self,
        case: Mapping[str, Any],
        *,
        solution: Any = None,
        outcome: Any = None,
        key: str | None = None,
        note: str | None = None,
        by: str | None = None,
        why: str | None = None,
    ) -> int:
        """Add a case; it is on the disk when this returns.

        The first case of a base without declared attributes declares them, by its values.

        Parameters
        ----------
        case
            Attribute -> value; attributes left out, and None, are missing.
        solution, outcome
            What was done, and what came of it: any value that JSON can write down.
        key
            A name of the case's own (a ticket number): adding the same key again adds nothing and returns the id that
            has it, so that a caller who does not know whether an earlier call went through may repeat it.
        note, by, why
            A free note; who adds it and why.

        Returns
        -------
        int
            The id of the case, never used for another one.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     first = base.add({"device": "printer", "age": 3}, solution="replace the fuser", key="T-17")
        ...     again = base.add({"device": "printer", "age": 3}, solution="replace the fuser", key="T-17")
        >>> first == again
        True
        """
        beside = [([value], None) for value in (solution, outcome, key, note)]
        return self._add([case], beside, by=by, why=why)[0]

    def add_many(
        self,
        cases: Any,
        *,
        solution: str | Sequence[Any] | None = None,
        outcome: str | Sequence[Any] | None = None,
        key: str | Sequence[Any] | None = None,
        note: str | Sequence[Any] | None = None,
        by: str | None = None,
        why: str | None = None,
    ) -> list[int]:
        """Add many cases in one transaction: all of them or, if one is wrong, none.

        Parameters
        ----------
        cases
            A list of mappings, or a frame of pandas, Polars or PyArrow with one row for each case.
        solution, outcome, key, note
            The name of the column that holds it, which is then no attribute; or one value for each case.
        by, why
            Who adds them and why.

        Returns
        -------
        list of int
            An id for each case, in their order.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     base.add_many([{"age": 3, "fix": "fuser"}, {"age": 5, "fix": "drum"}], solution="fix")
        [1, 2]
        """
        rows = checked.rows_of(cases)
        named = {"solution": solution, "outcome": outcome, "key": key, "note": note}
        beside = [checked.split_off(rows, given, parameter=parameter) for parameter, given in named.items()]
        taken = {column for _, column in beside if column is not None}
        if taken:
            rows = [{name: value for name, value in row.items() if name not in taken} for row in rows]
        return self._add(rows, beside, by=by, why=why)

    def revise(
        self,
        id: int | Case,
        changes: Mapping[str, Any] | None = None,
        *,
        solution: Any = UNCHANGED,
        outcome: Any = UNCHANGED,
        note: str | None = None,
        by: str | None = None,
        why: str | None = None,
    ) -> None:
        """Change a case, or record what came of it: the feedback of the cycle.

        Parameters
        ----------
        id
            Which case: its id, or the case itself.
        changes
            Attribute -> new value; None makes it missing. Attributes left out stay.
        solution, outcome
            New ones; None takes them away.
        note
            A note to be added to the others.
        by, why
            Who changes it and why, for the history.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     id = base.add({"device": "printer"}, solution="restart it")
        ...     base.revise(id, outcome=False, note="was back the next day")
        ...     base.get(id).outcome
        False
        """
        note = checked.check_words(note, what="note")
        by, why = self._who(by, why)
        with self._writing() as transaction:
            id = as_id(id, self._table)
            (before,) = self._there([id])
            given = {} if changes is None else changes
            new = checked.check_case(given, self._table.attributes)
            values = dict(zip(self._table.attributes, before.values, strict=True))
            values |= {name: new.get(name) for name in given}
            texts = [
                stored if value is UNCHANGED else kinds.check_plain(value, what=what)
                for what, value, stored in (
                    ("solution", solution, before.solution),
                    ("outcome", outcome, before.outcome),
                )
            ]
            revised = NewCase(list(values.values()), texts[0], texts[1], before.key, note)
            transaction.writer.replace(id, revised, by=by, why=why)

    def forget(
        self,
        ids: int | Case | Iterable[int | Case] | None = None,
        /,
        *,
        by: str | None = None,
        why: str | None = None,
        **conditions: Any,
    ) -> int:
        """Forget cases: no byte of them stays in any file of the case base.

        Everything that was known of them goes: values, solution, outcome, key, notes, who added them and why, their
        records, and learners fitted with them (which are fitted anew when asked for). The history keeps that a case of
        that id was forgotten, when, and what ``by`` and ``why`` say here. What people declared stays: attributes, the
        values that a `Nominal` lists, and those that a measure names which `prefer` keeps.

        Parameters
        ----------
        ids
            One id or case, or several; or leave it out and give conditions.
        by, why
            Who forgets them and why.
        **conditions
            As in `find`: all cases that meet them are forgotten. No condition at all is refused.

        Returns
        -------
        int
            How many cases were forgotten.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     _ = base.add_many([{"age": 3}, {"age": 5}, {"age": 9}])
        ...     base.forget(age=pc.cases.at_least(5)), len(base)
        (2, 1)
        """
        if (ids is None) == (not conditions):
            raise CaseBaseError(
                "got neither or both of ids and conditions; expected one of them. Nothing was changed. forget(7), "
                "forget([7, 8]) or forget(device='printer')."
            )
        by, why = self._who(by, why)
        with self._writing() as transaction:
            chosen = self._table.ids[self._meeting(conditions)].tolist() if ids is None else as_ids(ids, self._table)
            if chosen:
                transaction.writer.delete(chosen, by=by, why=why)
        return len(chosen)

    def retire(self, ids: int | Case | Iterable[int | Case], *, by: str | None = None, why: str | None = None) -> None:
        """Keep cases, but retrieve them no more; `recall` lets them speak again.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     id = base.add({"age": 3})
        ...     base.retire(id, why="the model is no longer sold")
        ...     len(base.retrieve({"age": 3})), len(base)
        (0, 1)
        """
        self._retire(ids, True, by, why)

    def recall(self, ids: int | Case | Iterable[int | Case], *, by: str | None = None, why: str | None = None) -> None:
        """Let retired cases be retrieved again, with a fresh record."""
        self._retire(ids, False, by, why)

    def _add(
        self,
        cases: Sequence[Mapping[str, Any]],
        beside: Sequence[tuple[list[Any], str | None]],
        *,
        by: str | None,
        why: str | None,
    ) -> list[int]:
        by, why = self._who(by, why)
        with collector_paused(), self._writing() as transaction:
            attributes = self._table.attributes or self._learned(transaction, cases)
            columns = [values for values, _ in beside]
            new = [checked.new_case(case, attributes, *beside) for case, *beside in zip(cases, *columns, strict=True)]
            return self._insert(transaction, new, by=by, why=why)

    def _insert(
        self, transaction: Transaction, new: Sequence[checked.Checked], *, by: str | None, why: str | None
    ) -> list[int]:
        names = self._table.attributes or (new[0].attributes if new else ())
        cases = [
            NewCase(list(map(case.values.get, names)), case.solution, case.outcome, case.key, case.note) for case in new
        ]
        ids = transaction.writer.insert(cases, by=by, why=why)
        there = set(self._table.known(ids))
        for id, case in zip(ids, new, strict=True):
            if id not in there and id not in transaction.rows:  # else its key was there already
                transaction.rows[id] = (id, case.values, case.solution, case.outcome)
        return ids

    def _retire(self, ids: Any, retired: bool, by: str | None, why: str | None) -> None:
        by, why = self._who(by, why)
        with self._writing() as transaction:
            chosen = as_ids(ids, self._table)
            change: Callable[..., list[int]] = transaction.writer.retire if retired else transaction.writer.unretire
            change(chosen, by=by, why=why)

    def _meeting(self, given: Mapping[str, Any]) -> Any:
        """Which cases meet conditions."""
        if isinstance(given, Mapping) and isinstance(given.get("key"), str):
            found = self._store.with_key(given["key"])
            others = {name: condition for name, condition in given.items() if name != "key"}
            return (self._table.ids == found) & self._meeting(others)
        return conditions.mask(self._table, given, others=Beside(self._table, self._store))
