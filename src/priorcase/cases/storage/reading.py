"""Cases and history as the file has them, each row checked against its checksum on the way."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from priorcase.cases.errors import damaged_base
from priorcase.cases.storage.checksums import case_checksum, checksum, event_checksum, total
from priorcase.cases.storage.meta import Tally, attributes_in, read_counters, read_declaration, read_meta
from priorcase.cases.storage.records import Change, Event, Loaded, Note, Plain, Step, StoredCase, Use

_ALL = "SELECT id, added, revised, data, solution, outcome, key, sum FROM cases ORDER BY id"
_SOME = """
    SELECT id, added, revised, data, solution, outcome, key, sum
    FROM cases WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"""
_NOTES = """
    SELECT n.sequence, n.id, n.text, n.sum, h.at, h.by FROM notes AS n JOIN history AS h USING (sequence)
    WHERE n.id IN (SELECT value FROM json_each(?)) ORDER BY n.sequence"""
_USES = """
    SELECT u.sequence, h.at, u.id, u.helped, u.detail, h.by, u.sum FROM uses AS u JOIN history AS h USING (sequence)
    WHERE ?1 IS NULL OR u.id IN (SELECT value FROM json_each(?2)) ORDER BY u.sequence"""
_RETIRED = "SELECT id, sequence, sum FROM retirements WHERE id IN (SELECT value FROM json_each(?))"
_EVENTS = "SELECT sequence, at, action, id, by, why, sum FROM history "
_TYPES: tuple[set[type], ...] = (
    {int},
    {int},
    {int, type(None)},
    {str},
    {str, type(None)},
    {str, type(None)},
    {str, type(None)},
    {int},
)

CaseRow = tuple[int, int, int | None, str, str | None, str | None, str | None, int]


def check_cases(rows: Sequence[CaseRow], path: str) -> None:
    """Raise CaseBaseFileError where a row is not what was written."""
    for column, types in zip(zip(*rows, strict=True), _TYPES, strict=False):
        if not set(map(type, column)) <= types:
            raise damaged_base(path, "a case has a field of another kind")
    for id, added, revised, data, solution, outcome, key, sum in rows:
        if case_checksum(id, added, revised, data, solution, outcome, key) != sum:
            raise damaged_base(path, f"case {id} does not fit its checksum")


def frozen(value: object) -> Plain:
    """A value as it was given: the lists of JSON were tuples."""
    return tuple(frozen(part) for part in value) if isinstance(value, list) else value  # type: ignore[return-value]


def parse_all(texts: Iterable[str], width: int) -> list[list[object]]:
    """The values of many cases, in one pass; a case older than an attribute does not know it."""
    rows: list[list[object]] = json.loads(f"[{','.join(texts)}]")
    for row in rows:
        if len(row) < width:
            row.extend([None] * (width - len(row)))
    return rows


def load(connection: sqlite3.Connection, path: str) -> Loaded:
    """All cases; the caller holds a transaction."""
    declaration = read_declaration(connection, path)
    counters = read_counters(connection, path)
    rows: list[CaseRow] = connection.execute(_ALL).fetchall()
    check_cases(rows, path)
    if (len(rows), total(row[7] for row in rows)) != (counters.tables["cases"].rows, counters.tables["cases"].sum):
        raise damaged_base(path, f"it has {len(rows):,} cases, and not those it counted")
    width = len(declaration.attributes)
    values = parse_all((row[3] for row in rows), width)
    if any(len(row) != width for row in values):
        raise damaged_base(path, "a case has more values than there are attributes")
    columns: list[tuple[Plain, ...]] = list(zip(*values, strict=True)) if rows else [()] * width
    columns = [tuple(map(frozen, column)) if list in set(map(type, column)) else column for column in columns]
    ids, _, _, _, solutions, outcomes, keys, _ = map(list, zip(*rows, strict=True)) if rows else ([] for _ in range(8))
    retired = read_retired(connection, path, counters.tables["retirements"])
    flags = [id in retired for id in ids]
    last = _events(connection.execute(_EVENTS + "WHERE sequence = ?", (counters.sequence,)), path)
    if not last:
        raise damaged_base(path, "steps of its history are missing")
    return Loaded(declaration, ids, keys, columns, solutions, outcomes, flags, Step(*last[0][:2]))


def read_retired(connection: sqlite3.Connection, path: str, tally: Tally) -> set[int]:
    """The ids of the cases that are not to be retrieved."""
    count, found = Tally(), set()
    for id, sum in _retirements(connection.execute("SELECT id, sequence, sum FROM retirements"), path):
        count.add([sum])
        found.add(id)
    if count != tally:
        raise damaged_base(path, "retirements of cases are missing")
    return found


def _retirements(rows: Iterable[tuple[int, int, int]], path: str) -> Iterator[tuple[int, int]]:
    """Ids of retired cases and the checksums of their rows, each checked."""
    for id, sequence, sum in rows:
        if checksum(id, sequence) != sum:
            raise damaged_base(path, f"the retirement of case {id} does not fit its checksum")
        yield id, sum


def read_uses(connection: sqlite3.Connection, path: str, asked: str | None) -> list[Use]:
    """All recorded uses, or those of some cases, whose ids are given as JSON, in order."""
    found = []
    for sequence, at, id, helped, detail, by, sum in connection.execute(_USES, (asked, asked)):
        if checksum(sequence, id, helped, detail) != sum:
            raise damaged_base(path, f"a use of case {id} does not fit its checksum")
        found.append(Use(sequence, at, id, None if helped is None else bool(helped), detail, by))
    return found


def fetch(connection: sqlite3.Connection, path: str, ids: Sequence[int]) -> list[StoredCase]:
    """Some cases with their provenance, in the order asked for; ids that name none are left out."""
    asked = json.dumps(list(ids))
    rows: list[CaseRow] = connection.execute(_SOME, (asked,)).fetchall()
    check_cases(rows, path)
    width = attributes_in(read_meta(connection, path)["attributes"])
    notes: dict[int, list[Note]] = {}
    for sequence, id, text, sum, at, by in connection.execute(_NOTES, (asked,)):
        if checksum(sequence, id, text) != sum:
            raise damaged_base(path, f"a note on case {id} does not fit its checksum")
        notes.setdefault(id, []).append(Note(at, by, text))
    retired = {id for id, _ in _retirements(connection.execute(_RETIRED, (asked,)), path)}
    steps = {event.sequence: event for event in history_of(connection, path, asked)}
    cases = {}
    for row, values in zip(rows, parse_all((row[3] for row in rows), width), strict=True):
        id, added, revised, _, solution, outcome, key, _ = row
        if added not in steps or (revised is not None and revised not in steps):
            raise damaged_base(path, f"the history of case {id} is incomplete")
        at = None if revised is None else steps[revised].at
        first = steps[added]
        shown = tuple(map(frozen, values))
        noted = tuple(notes.get(id, ()))
        provenance = (first.at, first.by, first.why, at)
        cases[id] = StoredCase(id, key, shown, solution, outcome, noted, *provenance, id in retired)
    return [cases[id] for id in ids if id in cases]


def _events(rows: Iterable[tuple[int, str, str, int | None, str | None, str | None, int]], path: str) -> list[Event]:
    """Steps of the history, each checked."""
    events = []
    for sequence, at, action, id, by, why, sum in rows:
        event = Event(sequence, at, action, id, by, why)
        if event_checksum(*event) != sum:
            raise damaged_base(path, f"step {event.sequence} of its history does not fit its checksum")
        events.append(event)
    return events


def history_of(connection: sqlite3.Connection, path: str, asked: str) -> list[Event]:
    """The history of some cases, whose ids are given as JSON."""
    where = "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY sequence"
    return _events(connection.execute(_EVENTS + where, (asked,)), path)


def whole_history(connection: sqlite3.Connection, path: str) -> list[Event]:
    """The history of all cases."""
    return _events(connection.execute(_EVENTS + "ORDER BY sequence"), path)


def changes_since(connection: sqlite3.Connection, path: str, step: Step) -> list[Change] | None:
    """All steps after a given one; None where the history does not have that one: it is another file's."""
    rows = connection.execute(_EVENTS + "WHERE sequence >= ? ORDER BY sequence", (step.sequence,))
    first, *events = _events(rows, path) or (None,)
    if first is None or Step(first.sequence, first.at) != step:
        return None
    if len(events) != read_counters(connection, path).sequence - step.sequence:
        raise damaged_base(path, "steps of its history are missing")
    return [Change(*event[:4]) for event in events]
