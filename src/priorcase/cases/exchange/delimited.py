"""CSV: one row a case, for spreadsheets and other programs.

Columns ``id``, ``key``, ``solution``, ``outcome``, ``notes``, ``by``, ``why``, ``added_at``, ``revised_at`` and
``retired`` come first, then the attributes. What stands in a cell is told in ``cells.py``. Kinds have no place in a CSV
file: read back with the same attributes nothing is lost, without them numbers are numeric, lists sets, mappings graphs,
and everything else nominal.

Fields are parted by commas. A file whose header has none is read by its semicolons or tabs, as spreadsheets write it
where the comma is a decimal point.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

from priorcase.cases import kinds
from priorcase.cases.errors import unknown_attributes
from priorcase.cases.exchange.beside import beside, notes_as_plain
from priorcase.cases.exchange.cells import Cells, WrittenCells, plain_cell, plain_of, text_cell, text_of
from priorcase.cases.exchange.records import BESIDE, CaseRecord, ReadCases, Written
from priorcase.cases.kinds import CaseKind, Graph
from priorcase.exceptions import CaseBaseError, ReadingError, errors_at

__all__ = ["delimiter_of", "read_csv", "write_csv"]

_BLOCK = 1_000
_LONGEST = 200_000_000
_LONGEST_HEADER = 100_000
_TEXTS = ("key", "by", "why", "added_at", "revised_at")
_limit = Lock()


def write_csv(cases: Iterable[Written], attributes: Mapping[str, CaseKind], file: BinaryIO) -> int:
    """Write cases; how many."""
    writer = csv.writer(_Encoded(file))
    writer.writerow([*BESIDE, *attributes])
    columns = [WrittenCells(kind) for kind in attributes.values()]
    n = 0
    for case in cases:
        n += 1
        cells = (
            "" if value is None else column[type(value), value]
            for column, value in zip(columns, case.values, strict=True)
        )
        writer.writerow([*_beside_cells(case), *cells])
    return n


class _Encoded:
    """A file of bytes that takes text."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        return self._file.write(text.encode("utf-8"))


def _beside_cells(case: Written) -> list[str]:
    notes = json.dumps(notes_as_plain(case.notes), ensure_ascii=False) if case.notes else ""
    told = {"notes": notes, "solution": plain_cell(case.solution), "outcome": plain_cell(case.outcome)}
    told |= {name: text_cell(getattr(case, name)) for name in _TEXTS}
    told |= {"id": "" if case.id is None else str(case.id), "retired": "true" if case.retired else ""}
    return [told[name] for name in BESIDE]


def read_csv(path: Path, attributes: Mapping[str, CaseKind] | None, *, source: str) -> ReadCases | None:
    """The cases of an exported file; None where it is a table of others.

    Parameters
    ----------
    path
        The file.
    attributes
        What the values mean; None: as the cells look.
    source
        How messages call the file.
    """
    header = next((header for _, header in _rows(path, source)), [])
    names = header[len(BESIDE) :]
    if header[: len(BESIDE)] != [*BESIDE]:
        return None
    if attributes is None:
        attributes = _inferred(path, names, source)
    elif strange := [name for name in names if name not in attributes]:
        raise unknown_attributes(strange, attributes, source)
    return ReadCases(attributes, _records(path, names, attributes, source))


def _records(path: Path, names: Sequence[str], attributes: Mapping[str, CaseKind], source: str) -> Iterator[CaseRecord]:
    columns = {name: Cells(name, kind) for name, kind in attributes.items()}
    places = {name: len(BESIDE) + place for place, name in enumerate(names)}
    for line, row in islice(_rows(path, source), 1, None):
        with errors_at(f"{source} line {line}"):
            values = [cells[row[places[name]]] if name in places else None for name, cells in columns.items()]
        told = dict(zip(BESIDE, row, strict=False))
        yield CaseRecord(tuple(values), **beside(_as_plain(told), source=source, line=line))


def _as_plain(told: Mapping[str, str]) -> dict[str, Any]:
    """The cells beside the attributes as plain values."""
    found: dict[str, Any] = {name: text_of(told[name]) for name in _TEXTS}
    found |= {name: plain_of(told[name]) for name in ("id", "solution", "outcome", "notes", "retired")}
    return found


def _inferred(path: Path, names: Sequence[str], source: str) -> dict[str, CaseKind]:
    """Kinds as the cells look, by a first reading of the file."""
    samples: list[dict[type, Any]] = [{} for _ in names]
    for _, row in islice(_rows(path, source), 1, None):
        for cell, seen in zip(row[len(BESIDE) :], samples, strict=True):
            if cell and str not in seen:  # one text makes a column nominal, whatever comes
                value = plain_of(cell)
                seen[type(value)] = value
    return {
        name: Graph() if {*seen} == {dict} else kinds.infer(seen.values())
        for name, seen in zip(names, samples, strict=True)
    }


def delimiter_of(path: Path) -> str:
    """What parts the fields of a file, by its first line: a comma, or where there is none a semicolon or a tab."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        line = file.readline(_LONGEST_HEADER)
    for delimiter in ",;\t":
        if len(next(csv.reader([line], delimiter=delimiter), [])) > 1:
            return delimiter
    return ","


def _rows(path: Path, source: str) -> Iterator[tuple[int, list[str]]]:
    """The header and the rows, with the lines they begin on; all have as many cells as the header."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter_of(path), strict=True)
        line, width = 1, 0
        while True:
            block = []
            try:
                with _long_cells():
                    for row in islice(reader, _BLOCK):
                        block.append((line, row))
                        line = reader.line_num + 1
            except csv.Error as error:
                raise ReadingError(
                    f"{source} line {line} is not valid CSV: {error}. Look for a quotation mark that is not closed, or "
                    "write one inside a field twice."
                ) from error
            except UnicodeDecodeError as error:
                raise ReadingError(
                    f"{source} line {line} is not text in the encoding utf-8. Save the file as UTF-8."
                ) from error
            for at, row in block:
                width = width or len(row)
                if row and len(row) != width:
                    raise ReadingError(
                        f"{source} line {at} has {len(row)} field{'s' * (len(row) != 1)}; its header has {width}. Put "
                        "fields that hold the delimiter between quotation marks, or name the right delimiter."
                    )
                if row:
                    yield at, row
            if len(block) < _BLOCK:
                break
    if not width:
        raise CaseBaseError(f"{source} is empty; expected cases. Is this the right file?")


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let cells be as long as texts may be; the limit belongs to the whole process, and is given back."""
    with _limit:
        before = csv.field_size_limit(_LONGEST)
        try:
            yield
        finally:
            csv.field_size_limit(before)
