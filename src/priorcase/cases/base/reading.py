"""What a case base can be asked about its cases and about itself."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from priorcase._parameters import is_whole
from priorcase.cases import kinds
from priorcase.cases.base import checked
from priorcase.cases.base.history import History
from priorcase.cases.base.ids import as_id, whole_id
from priorcase.cases.base.verification import Verification
from priorcase.cases.base.writing import Writing
from priorcase.cases.case import Case
from priorcase.cases.errors import unknown_ids
from priorcase.exceptions import UnknownIdError, quoted

_BLOCK = 1_000
_FORMAT = b"priorcase cases 1"


class Reading(Writing):
    """Getting, finding, verifying, backing up."""

    def __len__(self) -> int:
        with self._reading() as table:
            return len(table)

    def __contains__(self, id: object) -> bool:
        with self._reading() as table:
            found = id.id if isinstance(id, Case) else id
            return is_whole(found) and abs(found) < 2**62 and found in table

    def __iter__(self) -> Iterator[Case]:
        return self.find()

    def get(self, id: int | Case | None = None, *, key: str | None = None) -> Case:
        """The case of an id, or of a key.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     id = base.add({"device": "printer"}, solution="restart it")
        ...     base.get(id)["device"], base.get(id).solution
        ('printer', 'restart it')
        """
        if (id is None) == (key is None):
            raise UnknownIdError("got neither or both of id and key; expected one. get(7) or get(key=...).")
        with self._reading() as table:
            if key is not None:
                id = self._store.with_key(str(checked.check_key(key)))
                if id is None:
                    raise UnknownIdError(f"got the key {quoted(key)}, which no case has. find() shows all cases.")
            id = as_id(id, table)
            found = self._cases([id])
        if not found:  # another process has just forgotten it
            raise unknown_ids([id])
        return found[0]

    def find(self, /, **conditions: Any) -> Iterator[Case]:
        """The cases that meet all conditions, by ascending id; without a condition all.

        Parameters
        ----------
        **conditions
            For attributes, and for ``solution``, ``outcome``, ``key``, ``by``, ``retired`` and ``id``: a value
            (equal to it; a node of a taxonomy means it or anything under it; a member of a set that it contains it),
            None (missing), a list of values (any of them; all of them for a set), a function of the value, or a
            condition such as ``cases.at_most(50_000)``, ``between``, ``contains``, ``not_``. Attributes whose names
            are no Python names are given by ``find(**{"paint colour": "black"})``.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     _ = base.add_many([{"age": 3, "make": "A"}, {"age": 5, "make": "B"}, {"age": None, "make": "B"}])
        ...     [case.id for case in base.find(make="B")], [case.id for case in base.find(age=pc.cases.at_most(3))]
        ([2, 3], [1])
        """
        with self._reading() as table:
            ids = table.ids[self._meeting(conditions)].tolist()
        return self._one_by_one(ids)

    def _one_by_one(self, ids: list[int]) -> Iterator[Case]:
        for start in range(0, len(ids), _BLOCK):
            with self._reading() as table:
                block = [id for id in ids[start : start + _BLOCK] if id in table]
                cases = self._cases(block)
            yield from cases

    def digest(self) -> str:
        """A fingerprint of the attributes and of all cases in the order of their ids, as hexadecimal text.

        Values, solutions, outcomes, keys, notes and who added a case and why count; ids and times do not. So a base
        from which cases were forgotten has the digest of one that never had them.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     _ = base.add({"age": 3})
        ...     before = base.digest()
        ...     _ = base.forget(base.add({"age": 4}))
        ...     base.digest() == before
        True
        """
        with self._moment() as table:
            parts = sha256(_FORMAT)
            described = [[name, kinds.describe(kind)] for name, kind in table.attributes.items()]
            _add(parts, kinds.written(described))
            ids = table.ids.tolist()
            for start in range(0, len(ids), _BLOCK):
                for case in self._there(ids[start : start + _BLOCK]):
                    notes = [[note.by, note.text] for note in case.notes]
                    content = [
                        case.values,
                        case.solution,
                        case.outcome,
                        case.key,
                        notes,
                        case.by,
                        case.why,
                        case.retired,
                    ]
                    _add(parts, kinds.written(content))
        return parts.hexdigest()

    def history(self, id: int | Case | None = None) -> History:
        """What changed when, by whom and why: of one case, or of all. Of forgotten cases it says only that they are.

        An id that no case ever had has no history.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary(by="desk 2") as base:
        ...     id = base.add({"device": "printer"}, why="first of its kind")
        ...     [(event.action, event.by, event.why) for event in base.history(id)]
        [('added', 'desk 2', 'first of its kind')]
        """
        return History(self._store.history(None if id is None else whole_id(id)))

    def verify(self) -> Verification:
        """Check every byte of the file that means something: its pages, every checksum, every count, every key.

        `open` looks at every case already, and refuses a file in which one is damaged; this looks at all the rest.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     _ = base.add({"device": "printer"})
        ...     base.verify()
        clean: 1 case
        """
        with self._moment() as table:
            return Verification(len(table), tuple(map(str, self._store.verify())))

    def backup(self, path: str | Path) -> None:
        """Copy the case base to another file, as it is at one moment, while others read and write it.

        The other file must not exist. What is forgotten here afterwards is still in the copy.

        Examples
        --------
        >>> import priorcase as pc, tempfile
        >>> with pc.CaseBase.temporary() as base, tempfile.TemporaryDirectory() as folder:
        ...     _ = base.add({"age": 3})
        ...     base.backup(f"{folder}/copy.priorcase")
        ...     with pc.CaseBase.open(f"{folder}/copy.priorcase") as copy:
        ...         len(copy)
        1
        """
        self._store.backup(checked.check_path(path))


def _add(parts: Any, text: str) -> None:
    content = text.encode("utf-8")
    parts.update(b"%d:" % len(content))
    parts.update(content)
