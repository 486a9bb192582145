"""Cells of a CSV file: values as text, and back.

A cell without anything is missing. Numbers, truth values, lists and mappings are JSON. Text stands as it is, unless it
is empty, could be taken for JSON, or for a formula by a spreadsheet: then it is JSON text, between quotation marks that
belong to the cell. So ``""`` in a cell is the empty text, ``"7"`` a text, ``7`` a number, and ``"=A1"`` no formula.
"""

from __future__ import annotations

import json
from typing import Any

from priorcase.cases import kinds
from priorcase.cases.kinds import CaseKind, Date, Graph, Set, Stored, Taxonomy, Text

__all__ = ["Cells", "WrittenCells", "cell_of", "plain_cell", "plain_of", "text_cell", "text_of"]

_MANY = 50_000
_QUOTED = ('"', "=", "+", "-", "@", "\t", "\r")
"""Texts that begin so are written between quotation marks. Spreadsheets would compute those that look like formulas."""


def text_cell(text: str | None) -> str:
    """A text that is never anything else, or nothing.

    Examples
    --------
    >>> text_cell("red"), text_cell(None), text_cell(""), text_cell('"so"'), text_cell("=A1")
    ('red', '', '""', '"\\\\"so\\\\""', '"=A1"')
    """
    if text is None:
        return ""
    return json.dumps(text, ensure_ascii=False) if not text or text.startswith(_QUOTED) else text


def text_of(cell: str) -> str | None:
    """The text of such a cell."""
    if not cell:
        return None
    if cell[0] == '"' and isinstance(found := _parsed(cell), str):
        return found
    return cell


def plain_cell(text: str | None) -> str:
    """A solution or an outcome, which is a JSON text already.

    Examples
    --------
    >>> plain_cell('"fix"'), plain_cell('"7"'), plain_cell("7"), plain_cell(None)
    ('fix', '"7"', '7', '')
    """
    if text is None:
        return ""
    value = json.loads(text) if text[0] == '"' else ""
    return value if _stands(value) else text


def plain_of(cell: str) -> Any:
    """The solution or outcome of a cell; None where there is none."""
    if not cell:
        return None
    found = _parsed(cell)
    return cell if found is _NONE else found


def cell_of(kind: CaseKind, value: Stored) -> str:
    """A stored value as a cell."""
    if value is None:
        return ""
    if isinstance(value, str) and (isinstance(kind, Graph) or _stands(value)):
        return value
    return json.dumps(value, ensure_ascii=False)


class WrittenCells(dict[tuple[type, Any], str]):
    """The cells of one column's values, each made once; by type too, since True equals 1."""

    def __init__(self, kind: CaseKind) -> None:
        super().__init__()
        self.kind = kind

    def __missing__(self, typed: tuple[type, Any]) -> str:
        if len(self) >= _MANY:
            self.clear()
        cell = cell_of(self.kind, typed[1])
        if not isinstance(self.kind, Text | Set):  # members of sets have types of their own
            self[typed] = cell
        return cell


class Cells(dict[str, Stored]):
    """The stored values of one column's cells, each different cell read once; where memory would grow, anew."""

    def __init__(self, name: str, kind: CaseKind) -> None:
        super().__init__()
        self.name, self.kind = name, kind

    def __missing__(self, cell: str) -> Stored:
        if len(self) >= _MANY:
            self.clear()
        if not cell:
            value: Any = None
        elif isinstance(self.kind, Text | Taxonomy | Date):
            value = text_of(cell)
        else:
            value = cell if isinstance(self.kind, Graph) else plain_of(cell)
        stored = kinds.check(self.kind, value, attribute=self.name)
        if not isinstance(self.kind, Text):
            self[cell] = stored
        return stored


def _stands(text: str) -> bool:
    """Whether a text stands in a cell as it is."""
    return bool(text) and not text.startswith(_QUOTED) and _parsed(text) is _NONE


_NONE: Any = object()
_BEGINNINGS = frozenset('"-0123456789[{tfnNI \t\n\r')


def _parsed(text: str) -> Any:
    """The value of a JSON text; something else where it is none."""
    if text[0] not in _BEGINNINGS:
        return _NONE
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NONE
