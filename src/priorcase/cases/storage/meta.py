"""What a case base says of itself: its declaration, and how many rows its tables must have."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from priorcase.cases.errors import damaged_base
from priorcase.cases.storage.checksums import checksum, total
from priorcase.cases.storage.records import JSON, Declaration

canonical = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode
"""JSON text of a value, the same for equal values."""


@dataclass
class Tally:
    """How many rows a table has, and the sum of their checksums."""

    rows: int = 0
    sum: int = 0

    def add(self, sums: Iterable[int]) -> None:
        """Count new rows."""
        sums = list(sums)
        self.rows, self.sum = self.rows + len(sums), total(sums, start=self.sum)

    def remove(self, sums: Iterable[int]) -> None:
        """Count rows that went."""
        sums = list(sums)
        self.rows, self.sum = self.rows - len(sums), total((-value for value in sums), start=self.sum)


@dataclass
class Counters:
    """The last id and the last step that were given out, the step whose bytes wait to be wiped, and all tallies."""

    last_id: int = 0
    sequence: int = 0
    wipe: int = 0
    tables: dict[str, Tally] = field(default_factory=dict)

    def text(self) -> str:
        """Its canonical JSON."""
        tables: dict[str, JSON] = {name: [tally.rows, tally.sum] for name, tally in self.tables.items()}
        return canonical({"last_id": self.last_id, "sequence": self.sequence, "wipe": self.wipe, "tables": tables})

    @classmethod
    def parse(cls, text: str) -> Counters:
        """The counters that a text says."""
        found = json.loads(text)
        tables = {name: Tally(rows, sum) for name, (rows, sum) in found["tables"].items()}
        return cls(found["last_id"], found["sequence"], found["wipe"], tables)


def read_meta(connection: sqlite3.Connection, path: str) -> dict[str, str]:
    """Every entry, each checked against its checksum."""
    found: dict[str, str] = {}
    for name, value, sum in connection.execute("SELECT name, value, sum FROM meta"):
        if sum != checksum(name, value):
            raise damaged_base(path, "what it says of itself does not fit its checksum")
        found[name] = value
    if set(found) != {"attributes", "settings", "counters"}:
        raise damaged_base(path, "what it says of itself is incomplete")
    return found


@lru_cache(maxsize=64)
def attributes_in(text: str) -> int:
    """How many attributes a declaration has; taxonomies make it long, and every look at a case asks."""
    return len(json.loads(text))


def read_counters(connection: sqlite3.Connection, path: str) -> Counters:
    """The counters."""
    return Counters.parse(read_meta(connection, path)["counters"])


def read_declaration(connection: sqlite3.Connection, path: str) -> Declaration:
    """The declared attributes and settings."""
    found = read_meta(connection, path)
    attributes = [(name, kind) for name, kind in json.loads(found["attributes"])]
    return Declaration(attributes, json.loads(found["settings"]))


def write_meta(connection: sqlite3.Connection, name: str, value: str) -> None:
    """Set one entry."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", (name, value, checksum(name, value)))


def write_declaration(connection: sqlite3.Connection, declaration: Declaration) -> None:
    """Set the declared attributes and settings."""
    write_meta(connection, "attributes", canonical([[name, kind] for name, kind in declaration.attributes]))
    write_meta(connection, "settings", canonical(declaration.settings))
