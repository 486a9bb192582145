"""Check that a file is unchanged since priorcase wrote it: header, journal, pages, and every row that is read.

The header and the journal are checked before SQLite opens the file, since SQLite writes to the files that it opens: it
undoes interrupted changes, and treats an empty file as a new database. On each connection, the pages of a table and its
indexes are checked before they are first used, and the whole file is checked before it is first changed. Rows are
checked against their types and checksums when they are read, and tables are checked against the recorded number of rows
and sum of checksums.

Problems are raised as ``sqlite3.DatabaseError``, like errors of SQLite itself; ``sqlite.file_errors`` converts these
exceptions to errors of the library, whose messages name the file.
"""

from __future__ import annotations

import json
import math
import os
import secrets
import sqlite3
import stat
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, product
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from priorcase._files import APPLICATION
from priorcase.cases.storage.records import JSON, Declaration, Plain
from priorcase.cases.storage.sqlite import (
    COLUMNS,
    PAGE,
    VERSION,
    expected_tables,
    opening_errors,
    tables_of,
)
from priorcase.exceptions import CaseBaseFileError, quoted

canonical = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode
CaseRow = tuple[int, int, int | None, str, str | None, str | None, str | None, int]

_SHOWN = 20  # findings of one verification
_BATCH = 500  # rows that are checked together; more would not stay in the processor's cache
_LARGEST = 2**62  # beyond any id or step
_DEEPEST = 100  # levels of a solution or outcome; deeper ones are refused when they are added
_ATOMS = {str, int, bool, type(None)}
_MADE_UP = (KeyError, TypeError, ValueError, AttributeError, RecursionError)  # from JSON that we did not write


# -- checksums: 64 bits of BLAKE2b over the fields of a row, as a signed number


def checksum(*fields: object) -> int:
    """Return the checksum of a row, which covers the content, length and type (bytes, None or other) of each field."""
    digest = blake2b(digest_size=8)
    for part in fields:
        kind = b"-" if part is None else b"#" if isinstance(part, bytes) else b"+"
        data = part if isinstance(part, bytes) else b"" if part is None else str(part).encode()
        digest.update(b"%s%d:" % (kind, len(data)))
        digest.update(data)
    return int.from_bytes(digest.digest(), "big", signed=True)


def case_checksum(
    id: int, added: int, revised: int | None, data: str, solution: str | None, outcome: str | None, key: str | None
) -> int:
    """Return the checksum of a case; its fields are joined by null characters, which no field before the key has."""
    text = f"{id}\0{added}\0{revised}\0{data}\0{solution}\0{outcome}\0" + ("-" if key is None else f"+{key}")
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def event_checksum(sequence: int, at: str, action: str, id: int | None, by: str | None, why: str | None) -> int:
    """Return the checksum of a step of the history; the length of ``by`` marks where ``why`` begins."""
    who = "-" if by is None else f"+{len(by)}:{by}"
    text = f"{sequence}\0{at}\0{action}\0{id}\0{who}" + ("-" if why is None else f"+{why}")
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


# -- rows

COUNTED = {1: ("cases", "history", "notes"), 2: ("cases", "history", "notes", "retirements", "uses", "learners")}
_CHECKSUMS: dict[str, Callable[..., int]] = {"cases": case_checksum, "history": event_checksum}
_SHAPES = {table: set(product(*columns.values())) for table, columns in COLUMNS.items()}  # types that a row may have
_SELECT = {table: f"SELECT {', '.join(columns)} FROM {table} " for table, columns in COLUMNS.items()}
AMONG = "IN (SELECT value FROM json_each(?))"  # so that no value ever becomes part of a statement


def read_rows(connection: sqlite3.Connection, table: str, where: str = "", *parameters: object) -> list[Any]:
    rows = connection.execute(_SELECT[table] + where, parameters).fetchall()
    check_rows(table, rows)
    return rows


def check_rows(table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Raise DatabaseError if a row has a value of the wrong type or does not match its checksum."""
    shapes, right = _SHAPES[table], _CHECKSUMS.get(table, checksum)
    for row in rows:
        if tuple(map(type, row)) not in shapes:
            names = COLUMNS[table].items()
            wrong = next(name for (name, types), value in zip(names, row, strict=True) if type(value) not in types)
            raise sqlite3.DatabaseError(f"row {quoted(row[0])} of {table} is invalid: its {wrong} has the wrong type")
        if right(*row[:-1]) != row[-1]:
            raise sqlite3.DatabaseError(f"row {quoted(row[0])} of {table} does not match its checksum")


def with_checksums(table: str, rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    right = _CHECKSUMS.get(table, checksum)
    return [(*row, right(*row)) for row in rows]


# -- JSON in rows


def _not_finite(text: str) -> NoReturn:
    raise ValueError(text)


def _finite(text: str) -> float:
    if math.isinf(number := float(text)):
        raise ValueError(text)
    return number


_decode = json.JSONDecoder(parse_constant=_not_finite).decode  # 1e999 becomes infinity; callers check for it
_decode_finite = json.JSONDecoder(parse_constant=_not_finite, parse_float=_finite).decode
_SEPARATOR = secrets.token_hex(8)  # random, so that no stored text can contain it and pass for several values


def parse_all(texts: Sequence[str], what: str, decode: Callable[[str], Any] = _decode) -> list[Any]:
    """Parse many JSON strings at once and return their values."""
    joined = f',"{_SEPARATOR}",'.join(texts)
    try:
        found: list[Any] = decode(f"[{joined}]")
        if len(found) != max(2 * len(texts) - 1, 0) or found[1::2].count(_SEPARATOR) != len(texts[1:]):
            raise ValueError
        if "\\u" in joined:  # only an escape can contain a lone surrogate, for which encoding fails
            canonical(found).encode()
    except _MADE_UP as error:
        raise sqlite3.DatabaseError(f"{what} has an invalid format") from error
    return found[::2]


def check_json(texts: Iterable[str | None], what: str) -> None:
    """Raise DatabaseError if a string is not a JSON value, or is nested too deeply."""
    distinct = [text for text in set(texts) if text is not None]
    values = parse_all(distinct, what, _decode_finite)
    for text, value in zip(distinct, values, strict=True):
        if len(text) > 2 * _DEEPEST and text.count("[") + text.count("{") > _DEEPEST and _depth(value) > _DEEPEST:
            raise sqlite3.DatabaseError(f"{what} is nested too deeply")


def _depth(value: object) -> int:
    depth, level = -1, [value]
    while level:
        depth += 1
        parts = [part.values() if isinstance(part, dict) else part for part in level if isinstance(part, (dict, list))]
        level = [each for part in parts for each in part]
    return depth


def frozen(value: object, depth: int = 0) -> Plain:
    """Return a value that was parsed from JSON, with all lists converted back to tuples."""
    if type(value) in _ATOMS or (type(value) is float and math.isfinite(value)):
        return value  # type: ignore[return-value]
    if not isinstance(value, list) or depth == _DEEPEST:
        raise sqlite3.DatabaseError("the data of a case has an invalid format")
    return tuple(value if _ATOMS.issuperset(map(type, value)) else [frozen(part, depth + 1) for part in value])


def parse_values(rows: Sequence[CaseRow], width: int) -> list[list[Any]]:
    """Return the values of each case; an attribute that was declared after a case was stored has the value None."""
    found = parse_all([row[3] for row in rows], "the data of a case")
    for row in found:
        if type(row) is not list:
            raise sqlite3.DatabaseError("the data of a case has an invalid format")
        if len(row) > width:
            raise sqlite3.DatabaseError("a case has more values than there are attributes")
        if len(row) < width:
            row.extend([None] * (width - len(row)))
    return found


def frozen_columns(rows: Sequence[CaseRow], width: int) -> list[tuple[Plain, ...]]:
    columns: list[list[Plain]] = [[] for _ in range(width)]
    for first in range(0, len(rows), _BATCH):
        values = parse_values(rows[first : first + _BATCH], width)
        for column, part in zip(columns, zip(*values, strict=True), strict=False):
            types = set(map(type, part))
            plain = types <= _ATOMS or (types <= _ATOMS | {float} and not (math.inf in part or -math.inf in part))
            column.extend(part if plain else map(frozen, part))
    return list(map(tuple, columns))


def ranges_of(ids: Iterable[int]) -> str:
    """Return ids as a JSON list of ranges, such as [[1,3],[5,5]] for the ids 1, 2, 3 and 5."""
    ranges: list[list[int]] = []
    for id in sorted(set(ids)):
        if ranges and ranges[-1][1] == id - 1:
            ranges[-1][1] = id
        else:
            ranges.append([id, id])
    return canonical(ranges)


def ids_of(ranges: str, cases: int) -> tuple[int, ...]:
    """Return the ids in a JSON list of ranges; raise an error if there are more than ``cases`` ids."""
    try:
        found = [(first, last) for first, last in _decode(ranges)]
        whole = all(type(end) is int for pair in found for end in pair)
        if not whole or not all(0 < first <= last < _LARGEST for first, last in found):
            raise ValueError
        if sum(last - first + 1 for first, last in found) > cases:
            raise ValueError
    except _MADE_UP as error:
        raise sqlite3.DatabaseError("the cases of a learner have an invalid format") from error
    return tuple(chain.from_iterable(range(first, last + 1) for first, last in found))


# -- the header of a file


@dataclass
class Tally:
    """The number of rows of a table, and the sum of the checksums of these rows modulo 2^64."""

    rows: int = 0
    sum: int = 0

    def count(self, rows: Sequence[tuple[Any, ...]], sign: int = 1) -> None:
        """Add rows to the tally, or subtract them if ``sign`` is -1; the last field of each row is its checksum."""
        self.rows += sign * len(rows)
        self.sum = (self.sum + sign * sum(row[-1] for row in rows)) % 2**64

    def check(self, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Raise DatabaseError if the rows of a table do not match the tally."""
        found = Tally()
        found.count(rows)
        if problem := self.problem(table, found):
            raise sqlite3.DatabaseError(problem)

    def problem(self, table: str, found: Tally) -> str:
        """Describe how the rows found in a table differ from the tally; return an empty string if the rows match."""
        if found.rows != self.rows:
            return f"table {table} has {found.rows:,} row{'s' * (found.rows != 1)}, but {self.rows:,} were recorded"
        return "" if found == self else f"the checksums of table {table} do not add up to the recorded sum"


@dataclass
class Counters:
    """The last id assigned to a case, the number of the last step of the history, and the tallies of all tables."""

    last_id: int = 0
    sequence: int = 0
    wipe: int = 0  # last step of the transaction that forgot cases, if wiping is pending; otherwise 0
    tables: dict[str, Tally] = field(default_factory=lambda: {table: Tally() for table in COUNTED[VERSION]})


def read_meta(connection: sqlite3.Connection, name: str) -> str:
    """Return one entry of the table ``meta``, after checking the entry."""
    rows = read_rows(connection, "meta", "WHERE name = ?", name)
    if not rows:
        raise sqlite3.DatabaseError("an entry of table meta is missing")
    return str(rows[0][1])


def read_counters(connection: sqlite3.Connection) -> Counters:
    try:
        found = _decode(read_meta(connection, "counters"))
        tables = {name: Tally(rows, total) for name, (rows, total) in found["tables"].items()}
        for table in COUNTED[VERSION]:  # an older version does not count them all
            tables.setdefault(table, Tally())
        counters = Counters(found["last_id"], found["sequence"], found["wipe"], tables)
        steps = [counters.last_id, counters.sequence, counters.wipe, *(tally.rows for tally in tables.values())]
        if set(map(type, steps + [tally.sum for tally in tables.values()])) != {int}:
            raise TypeError
        if len(tables) != len(COUNTED[VERSION]) or min(steps) < 0 or max(steps) >= _LARGEST:
            raise ValueError
    except _MADE_UP as error:
        raise sqlite3.DatabaseError("its counters have an invalid format") from error
    return counters


def write_counters(connection: sqlite3.Connection, counters: Counters) -> None:
    tables: dict[str, JSON] = {name: [tally.rows, tally.sum] for name, tally in counters.tables.items()}
    numbers: dict[str, JSON] = {"last_id": counters.last_id, "sequence": counters.sequence, "wipe": counters.wipe}
    _write_meta(connection, "counters", canonical({**numbers, "tables": tables}))


def read_declaration(connection: sqlite3.Connection) -> Declaration:
    attributes, text = _parse_attributes(read_meta(connection, "attributes")), read_meta(connection, "settings")
    check_json([text], "its settings")
    settings = _decode(text)
    if type(settings) is not dict:
        raise sqlite3.DatabaseError("its settings have an invalid format")
    return Declaration(attributes, settings)


def _parse_attributes(text: str) -> list[tuple[str, JSON]]:
    check_json([text], "its list of attributes")
    try:
        found = [(name, kind) for name, kind in _decode(text)]
        if not all(type(name) is str and type(kind["kind"]) is str for name, kind in found):
            raise ValueError
        if len({name for name, _ in found}) < len(found):
            raise ValueError
    except _MADE_UP as error:
        raise sqlite3.DatabaseError("its attributes have an invalid format") from error
    return found


@lru_cache(maxsize=64)
def attributes_in(text: str) -> int:
    """Return the number of attributes in a declaration; cached, since parsing long declarations is slow."""
    return len(_parse_attributes(text))


def write_declaration(connection: sqlite3.Connection, declaration: Declaration) -> None:
    _write_meta(connection, "attributes", canonical([[name, kind] for name, kind in declaration.attributes]))
    _write_meta(connection, "settings", canonical(declaration.settings))


def _write_meta(connection: sqlite3.Connection, name: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", (name, value, checksum(name, value)))


# -- the file and its journal, before SQLite opens them

_FILE_MAGIC = b"SQLite format 3\0"
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
_HEADER = 100
_JOURNAL_HEADER = struct.Struct(">8siIIII")  # magic, records, nonce, pages of the file before, sector size, page size
_RECORD = PAGE + 8  # a page number, the page, a checksum
_LOCK_PAGE = 2**30 // PAGE + 1  # never holds content; in a journal its number marks the name of a super-journal
_TRIES = 20
_PAUSE = 0.005


def check_file(path: Path) -> None:
    """Raise an error if a file is not a complete case base of a known version, or has the journal of another file."""
    for attempt in range(_TRIES):
        try:
            _check_file(path)
            return
        except (CaseBaseFileError, sqlite3.DatabaseError):
            if attempt + 1 == _TRIES or not _being_written(path):
                raise
        time.sleep(_PAUSE)  # another process may be committing; a file that nobody writes is not checked again


def _being_written(path: Path) -> bool:
    """Return whether the file has a journal, and the file or the journal changed within the last second."""
    try:
        changed = max(path.stat().st_mtime, os.lstat(f"{path}-journal").st_mtime)
    except OSError:
        return False
    return time.time() - changed < 1.0


def _check_file(path: Path) -> None:
    header, size = _read_header(path)
    magic = header.startswith(_FILE_MAGIC[: len(header)])
    ours = len(header) == _HEADER and _number(header, 68) == APPLICATION
    if ours and not magic:
        raise sqlite3.DatabaseError("its first bytes are wrong")
    if 0 < len(header) < _HEADER and magic:
        raise sqlite3.DatabaseError(f"it was cut off after {size} bytes")
    if not ours:
        found = "empty" if size == 0 else "an SQLite file of another program" if magic else "a file of another kind"
        raise CaseBaseFileError(
            f"{path!s} is not a case base: it is {found}. The file was not changed. Check the path. To import "
            "a table, run 'priorcase cases new NAME.cases --like TABLE' and then 'priorcase cases add NAME.cases "
            "--from TABLE', or call CaseBase.import_ in Python."
        )
    _check_header(path, header)
    if os.path.lexists(f"{path}-wal"):  # SQLite would read it regardless of the header
        raise CaseBaseFileError(
            f"Next to {path} there is a write-ahead log {path}-wal, which priorcase never writes. Neither file was "
            "changed. Move the log away, or close the program that opened the case base."
        )
    try:
        journal = _read_journal(path, size)
        pages, counter = _number(header, 28), _number(header, 24)
        if journal is not None:  # a change is going on or was interrupted: SQLite knows which size is right
            before, written, first_page = journal
            fits = written or before == pages
            if first_page is not None:  # a change raises the counter at its end
                fits = _number(first_page, 68) == APPLICATION and counter - _number(first_page, 24) in (0, 1)
            if not fits:
                raise _JournalError("belongs to another file")
            _check_header(path, header if first_page is None else first_page)
        # SQLite shortens a file only after a change is committed: a crash may leave pages beyond its end.
        elif size < pages * PAGE or size % PAGE:
            raise sqlite3.DatabaseError(f"it has {size:,} bytes, but its header says {pages * PAGE:,}")
        elif counter != _number(header, 92):
            raise sqlite3.DatabaseError("its header is wrong")
    except _JournalError as error:
        raise CaseBaseFileError(
            f"The journal {path}-journal {error}, so it is not used to restore {path}. Nothing was changed. "
            "Always move a case base together with its journal. If the case base was restored from a backup, remove "
            "the journal."
        ) from None


def _read_header(path: Path) -> tuple[bytes, int]:
    with opening_errors(path):
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):  # reading from a pipe could wait forever
            kind = "directory" if stat.S_ISDIR(mode) else "device or pipe, not a regular file"
            raise CaseBaseFileError(f"{path!s} is a {kind}; a case base is one file, for example desk.cases.")
        with path.open("rb") as file:
            return file.read(_HEADER), os.fstat(file.fileno()).st_size


def _number(data: bytes, place: int) -> int:
    return int.from_bytes(data[place : place + 4], "big")


def _check_header(path: Path, header: bytes) -> None:
    """Check the version in a header, and the header fields that are the same in all case bases."""
    if (version := _number(header, 60)) > VERSION:
        raise CaseBaseFileError(
            f"The case base {path!s} was written by a newer priorcase: its format is version {version}, and this "
            f"priorcase supports versions up to {VERSION}. The file was not changed. Upgrade priorcase to open it."
        )
    fixed = (int.from_bytes(header[16:18], "big"), *header[18:24], _number(header, 52), _number(header, 56))
    if fixed != (PAGE, 1, 1, 0, 64, 32, 32, 0, 1) or version < 1:  # 1, 1: no write-ahead log
        raise sqlite3.DatabaseError("its header is wrong")


class _JournalError(Exception):
    """A problem with a journal."""


def _read_journal(path: Path, size: int) -> tuple[int, bool, bytes | None] | None:
    """Return the number of pages before the change, whether the journal contains pages, and the old first page.

    Returns None if there is no change to undo. The layout is described in "Database File Format", section 3, at
    sqlite.org.
    """
    # SQLite plays back any journal: it follows links, deletes a file named in it, and resizes the case base.
    journal = Path(f"{path}-journal")
    try:
        status = journal.lstat()
        if not stat.S_ISREG(status.st_mode) or (status.st_nlink > 1 and status.st_size > 0):
            raise _JournalError("belongs to another file: it is a link, or not a regular file")
        with journal.open("rb") as file:
            return _parse_journal(file, status.st_size, size) if status.st_size else None
    except OSError:  # there is no journal, or SQLite cannot read it either and raises an error
        return None


def _parse_journal(file: BinaryIO, length: int, size: int) -> tuple[int, bool, bytes | None] | None:
    file.seek(max(length - 8, 0))
    if length >= 16 and file.read(8) == _JOURNAL_MAGIC:
        raise _JournalError("names a super-journal, which SQLite would delete")
    file.seek(0)
    header = file.read(_JOURNAL_HEADER.size)
    # SQLite writes the magic and the number of records only once the records are on the disk, and zeros before. A
    # failed write may have left only a part of the magic; SQLite then plays back nothing.
    started = header.startswith(_JOURNAL_MAGIC)
    if not started and not _JOURNAL_MAGIC.startswith(header[:12].rstrip(b"\0")):
        raise _JournalError("is a file of another kind")
    if len(header) < _JOURNAL_HEADER.size or not any(header):
        return None
    *_, pages, sector, page = _JOURNAL_HEADER.unpack(header)
    if page != PAGE or sector & (sector - 1) or not 32 <= sector <= 65536 or not 1 <= pages <= size // PAGE:
        raise _JournalError(f"belongs to another file, with {pages:,} pages of {page:,} bytes")
    if not started:
        return None
    place, written, first_page = 0, False, None
    while len(header) == _JOURNAL_HEADER.size and header.startswith(_JOURNAL_MAGIC):  # one header for each sync
        _, records, nonce, *same = _JOURNAL_HEADER.unpack(header)
        place += sector
        file.seek(place)
        if records < 0:  # all that follow
            records = max(length - place, 0) // _RECORD
        for _ in range(records):
            record = file.read(_RECORD)
            number, data = _number(record, 0), record[4:-4]
            right = (nonce + sum(data[PAGE % 200 :: 200])) % 2**32 == _number(record, PAGE + 4)  # every 200th byte
            again = number == 1 and first_page is not None  # SQLite would play back both
            if len(record) < _RECORD or not 1 <= number <= pages or number == _LOCK_PAGE or again or not right:
                raise _JournalError("belongs to another file or is damaged: a page in it is invalid")
            written = True
            first_page = data if number == 1 else first_page
        if same != [pages, sector, page]:
            raise _JournalError("belongs to another file or is damaged: its headers differ from each other")
        place = -(-(place + records * _RECORD) // sector) * sector
        file.seek(place)
        header = file.read(_JOURNAL_HEADER.size)
    return pages, written, first_page


# -- the whole file


def check_tables(connection: sqlite3.Connection) -> int:
    """Return the version of a file; raise an error unless its tables are exactly the tables of that version."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if not 1 <= version <= VERSION or tables_of(connection) != expected_tables(version):
        raise sqlite3.DatabaseError("its tables are not the tables of a case base")
    return int(version)


def check_pages(connection: sqlite3.Connection, table: str | None = None) -> None:
    """Raise DatabaseError if a page is damaged or an index does not match its table; None checks all tables."""
    for (found,) in connection.execute(f"PRAGMA integrity_check({table or 1})"):
        if found != "ok":
            raise sqlite3.DatabaseError(f"SQLite finds: {' '.join(found.split())}")


def check_tallies(connection: sqlite3.Connection) -> None:
    for table, tally in read_counters(connection).tables.items():
        tally.check(table, connection.execute(f"SELECT sum FROM {table} NOT INDEXED").fetchall())


_STRAYS = {
    "notes on a case that does not exist": "SELECT count(*) FROM notes WHERE id NOT IN (SELECT id FROM cases)",
    "notes whose addition is not in the history": """
        SELECT count(*) FROM notes WHERE sequence NOT IN (SELECT sequence FROM history)""",
    "cases whose addition is not in the history": """
        SELECT count(*) FROM cases AS c WHERE NOT EXISTS
        (SELECT 1 FROM history AS h WHERE h.sequence = c.added AND h.id = c.id AND h.action = 'added')""",
    "cases whose last revision is not in the history": """
        SELECT count(*) FROM cases AS c WHERE c.revised IS NOT NULL AND NOT EXISTS
        (SELECT 1 FROM history AS h WHERE h.sequence = c.revised AND h.id = c.id AND h.action = 'revised')""",
    "cases that still exist, although the history says that they were forgotten": """
        SELECT count(*) FROM cases WHERE id IN (SELECT id FROM history WHERE action = 'forgotten')""",
}
_STRAYS_SINCE_2 = {
    "records of the retirement of a case that does not exist": """
        SELECT count(*) FROM retirements WHERE id NOT IN (SELECT id FROM cases)""",
    "records of the use of a case that does not exist": """
        SELECT count(*) FROM uses WHERE id NOT IN (SELECT id FROM cases)""",
    "records of a use that is not in the history": """
        SELECT count(*) FROM uses WHERE sequence NOT IN (SELECT sequence FROM history)""",
}


def findings(connection: sqlite3.Connection, version: int = VERSION) -> list[str]:
    """Return the problems found in a file of format ``version``; the caller must have opened a transaction."""
    found = [f"SQLite: {text}" for (text,) in connection.execute("PRAGMA integrity_check") if text != "ok"]
    if tables_of(connection) != expected_tables(version):
        found.append("its tables are not the tables of a case base")
    if connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
        found.append("another program has set it to write-ahead logging")
    if connection.execute("SELECT count(*) FROM meta").fetchone() != (3,):
        found.append("meta has unexpected entries")
    counters = read_counters(connection)
    width = len(read_declaration(connection).attributes)
    for table in COUNTED[version]:
        found += _table_findings(connection, table, counters, width)
    for what, sql in (_STRAYS | (_STRAYS_SINCE_2 if version >= 2 else {})).items():
        (number,) = connection.execute(sql).fetchone()
        if number:
            found.append(f"{what}: {number:,}")
    (twice,) = connection.execute("SELECT count(key) - count(DISTINCT key) FROM cases NOT INDEXED").fetchone()
    if twice:
        found.append(f"cases with the key of another case: {twice:,}")
    last, rows = connection.execute("SELECT max(sequence), count(*) FROM history NOT INDEXED").fetchone()
    if not last == rows == counters.sequence:
        found.append(
            f"steps in the history: {rows:,}; number of the last step: {last}; recorded number of steps: "
            f"{counters.sequence:,}"
        )
    return found[:_SHOWN]


def _table_findings(connection: sqlite3.Connection, table: str, counters: Counters, width: int) -> Iterator[str]:
    cursor, counted = connection.execute(f"{_SELECT[table]} NOT INDEXED"), Tally()
    for rows in iter(lambda: cursor.fetchmany(_BATCH), []):
        try:
            _check_content(connection, table, rows, counters, width)
            counted.count(rows)
        except sqlite3.DatabaseError:
            for row in rows:
                try:
                    _check_content(connection, table, [row], counters, width)
                    counted.count([row])
                except sqlite3.DatabaseError as error:
                    yield str(error) if str(error).startswith("row ") else f"row {quoted(row[0])} of {table}: {error}"
    if problem := counters.tables[table].problem(table, counted):
        yield problem


def _check_content(connection: sqlite3.Connection, table: str, rows: list[Any], counters: Counters, width: int) -> None:
    check_rows(table, rows)
    if table == "cases":
        check_json({text for row in rows for text in row[4:6]}, "its solution or outcome")
        frozen_columns(rows, width)
        if not all(1 <= row[0] <= counters.last_id for row in rows):
            raise sqlite3.DatabaseError("its id was never assigned")
    elif table == "uses" and not {row[2] for row in rows} <= {None, 0, 1}:
        raise sqlite3.DatabaseError("its value of 'helped' is invalid")
    elif table == "learners":
        for row in rows:
            ids = () if row[4] is None else ids_of(row[4], counters.tables["cases"].rows)
            asked = f"SELECT count(*) FROM cases WHERE id {AMONG}"
            if connection.execute(asked, (json.dumps(ids),)).fetchone() != (len(ids),):
                raise sqlite3.DatabaseError("it was fitted to cases that do not exist")
