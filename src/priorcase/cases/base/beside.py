"""What conditions may be about that is not in the columns of the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from priorcase.cases.storage import Store
from priorcase.cases.table import CaseTable

_NAMES = ("key", "by", "retired")


class Beside(Mapping[str, Sequence[object]]):
    """Keys, who added a case, and whether it is retired, for each case; read when a condition asks."""

    def __init__(self, table: CaseTable, store: Store) -> None:
        self._table, self._store = table, store

    def __getitem__(self, name: str) -> Sequence[object]:
        if name == "retired":
            flags: list[object] = self._table.retired.tolist()
            return flags
        if name not in _NAMES:
            raise KeyError(name)
        found = self._store.keys() if name == "key" else self._store.authors()
        return [found.get(id) for id in self._table.ids.tolist()]

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)
