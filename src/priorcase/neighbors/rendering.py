"""Precedents as plain text and HTML, both from one grid of strings."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from priorcase.neighbors.precedents import Precedents

_QUERIES = 5
_VOTERS = 10
_WIDTH = 120
_VALUE_WIDTH = 24


@dataclass(frozen=True)
class Grid:
    """One query's precedents as text: a title, a header, one line for each case, a note."""

    title: str
    header: list[str]
    lines: list[list[str]]
    note: str
    numeric: int

    def widths(self) -> list[int]:
        return [max(map(len, column)) for column in zip(self.header, *self.lines, strict=True)]


def as_text(precedents: Precedents) -> str:
    """Aligned columns in plain characters."""
    parts = []
    for grid in _grids(precedents, _WIDTH):
        widths = grid.widths()
        lines = [grid.title]
        for line in (grid.header, *grid.lines):
            cells = [
                cell.rjust(width) if 0 < column <= grid.numeric else cell.ljust(width)
                for column, (cell, width) in enumerate(zip(line, widths, strict=True))
            ]
            lines.append(("  " + "  ".join(cells)).rstrip())
        if grid.note:
            lines.append(f"  {grid.note}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts + _rest(precedents)) if parts else "no queries"


def as_html(precedents: Precedents) -> str:
    """Tables for notebooks."""
    parts = []
    for grid in _grids(precedents, None):
        rows = [
            "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in line) + "</tr>"
            for tag, line in [("th", grid.header), *(("td", line) for line in grid.lines)]
        ]
        caption = f"<caption>{html.escape(grid.title)}</caption>"
        note = f"<p>{html.escape(grid.note)}</p>" if grid.note else ""
        parts.append(f"<table>{caption}<thead>{rows[0]}</thead><tbody>{''.join(rows[1:])}</tbody></table>{note}")
    return "".join(parts + [f"<p>{html.escape(text)}</p>" for text in _rest(precedents)]) or "no queries"


def _grids(precedents: Precedents, width: int | None) -> list[Grid]:
    return [_grid(precedents[i], i, width) for i in range(min(len(precedents), _QUERIES))]


def _rest(precedents: Precedents) -> list[str]:
    more = len(precedents) - _QUERIES
    return [f"... and {more} more queries"] if more > 0 else []


def _grid(one: Precedents, number: int, width: int | None) -> Grid:
    """The grid of a single query; with a width, only the attributes that fit, those that add most to the distances."""
    attributes = [_attribute_column(one, a) for a in range(len(one.names))]
    fixed = _fixed_columns(one)
    shown = list(range(len(attributes)))
    if width is not None:
        room = width - sum(max(map(len, column)) + 2 for column in fixed)
        shown = _fitting(attributes, one.shares.sum(axis=0), room)
    columns = fixed + [attributes[a] for a in shown]
    rows = [list(line) for line in zip(*columns, strict=True)]
    notes = []
    if one.ids.size > _VOTERS:
        notes.append(f"{one.ids.size - _VOTERS} more voters")
    if len(shown) < len(attributes):
        notes.append(f"{len(attributes) - len(shown)} more attributes")
    note = f"and {' and '.join(notes)}" if notes else ""
    return Grid(_title(one, number), rows[0], rows[1:], note, numeric=len(fixed) - 2)


def _title(one: Precedents, number: int) -> str:
    title = f"query {number}: {_value(_item(one.predictions, 0))}"
    if one.probabilities is None or one.classes is None:
        return title
    order = np.argsort(-one.probabilities[0], kind="stable")[:4]
    shares = ", ".join(f"{_value(one.classes[c])} {one.probabilities[0, c]:.2f}" for c in order)
    return f"{title}  ({shares}{', ...' if one.classes.size > 4 else ''})"


def _fixed_columns(one: Precedents) -> list[list[str]]:
    """Rank, id, vote, distance and target of the query, its voters and its nearest unlike case."""
    n = min(one.ids.size, _VOTERS)
    columns = [
        ["", "query", *(str(rank + 1) for rank in range(n))],
        ["id", "", *(str(i) for i in one.ids[:n])],
        ["vote", "", *(f"{vote:.0%}" for vote in one.votes[:n])],
        ["distance", "", *(f"{distance:.4g}" for distance in one.distances[:n])],
        ["target", "", *(_value(_item(one.targets, i)) for i in range(n))],
    ]
    for unlike in one.unlike:
        if unlike is not None:
            texts = ("unlike", str(unlike.id), "", f"{unlike.distance:.4g}", _value(unlike.target))
            for column, text in zip(columns, texts, strict=True):
                column.append(text)
    return columns


def _attribute_column(one: Precedents, a: int) -> list[str]:
    """One attribute's values, each with what it adds to the distance."""
    n = min(one.ids.size, _VOTERS)
    cells = [str(one.names[a]), _value(one.queries[0][a])]
    cells += [f"{_value(one.rows[i][a])} ({one.shares[i, a]:.2g})" for i in range(n)]
    cells += [f"{_value(u.row[a])} ({u.shares[a]:.2g})" for u in one.unlike if u is not None]
    return cells


def _fitting(columns: Sequence[Sequence[str]], shares: Any, room: int) -> list[int]:
    """Positions, in table order, of the columns that fit into ``room`` characters: the largest shares, at least one."""
    taken: list[int] = []
    for a in np.argsort(-np.nan_to_num(shares, posinf=np.inf), kind="stable").tolist():
        room -= max(map(len, columns[a])) + 2
        if room < 0 and taken:
            break
        taken.append(a)
    return sorted(taken)


def _item(values: Any, i: int) -> Any:
    return values[i] if values.ndim == 1 else tuple(values[i].tolist())


def _value(value: Any) -> str:
    """A value in few characters."""
    if value is None:
        return "?"
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    text = str(value).replace("\n", " ")
    return text if len(text) <= _VALUE_WIDTH else f"{text[: _VALUE_WIDTH - 1]}…"
