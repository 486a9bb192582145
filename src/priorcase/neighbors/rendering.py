"""Precedents as plain text and HTML, both from one grid of strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from priorcase.learning.grids import Grid, grids_html, grids_text, text_width
from priorcase.learning.texts import rest_text, short, value_text
from priorcase.neighbors.texts import answer_text, item

if TYPE_CHECKING:
    from priorcase.neighbors.precedents import Precedents

_QUERIES = 5
_VOTERS = 10
_WIDTH = 120
_VALUE_WIDTH = 24


def as_text(precedents: Precedents) -> str:
    """Aligned columns in plain characters."""
    return grids_text(_grids(precedents, _WIDTH), rest_text(_QUERIES, len(precedents)))


def as_html(precedents: Precedents) -> str:
    """Tables for notebooks."""
    return grids_html(_grids(precedents, None), rest_text(_QUERIES, len(precedents)))


def _grids(precedents: Precedents, width: int | None) -> list[Grid]:
    return [_grid(one, width) for one in precedents[:_QUERIES]]


def _grid(one: Precedents, width: int | None) -> Grid:
    """The grid of a single query; with a width, only the attributes that fit, those that add most to the distances."""
    attributes = [_attribute_column(one, a) for a in range(len(one.names))]
    fixed = _fixed_columns(one)
    shown = list(range(len(attributes)))
    if width is not None:
        room = width - sum(text_width(column) + 2 for column in fixed)
        shown = _fitting(attributes, one.shares.sum(axis=0), room)
    columns = fixed + [attributes[a] for a in shown]
    rows = [list(line) for line in zip(*columns, strict=True)]
    notes = []
    if one.ids.size > _VOTERS:
        notes.append(f"{one.ids.size - _VOTERS} more voters")
    if len(shown) < len(attributes):
        notes.append(f"{len(attributes) - len(shown)} more attributes")
    note = f"and {' and '.join(notes)}" if notes else ""
    title = f"query {one.numbers[0]}: {''.join(answer_text(one, _VALUE_WIDTH))}"
    return Grid(title, rows[0], rows[1:], note, right=range(1, len(fixed) - 1))


def _fixed_columns(one: Precedents) -> list[list[str]]:
    """Rank, id, vote, distance and target of the query, its voters and its nearest unlike case."""
    n = min(one.ids.size, _VOTERS)
    columns = [
        ["", "query", *(str(rank + 1) for rank in range(n))],
        ["id", "", *(str(i) for i in one.ids[:n])],
        ["vote", "", *(f"{vote:.0%}" for vote in one.votes[:n])],
        ["distance", "", *(f"{distance:.4g}" for distance in one.distances[:n])],
        ["target", "", *(_value(item(one.targets, i)) for i in range(n))],
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
    cells = [short(str(one.names[a]), _VALUE_WIDTH), _value(one.queries[0][a])]
    cells += [f"{_value(one.rows[i][a])} ({one.shares[i, a]:.2g})" for i in range(n)]
    cells += [f"{_value(u.row[a])} ({u.shares[a]:.2g})" for u in one.unlike if u is not None]
    return cells


def _fitting(columns: Sequence[Sequence[str]], shares: Any, room: int) -> list[int]:
    """Positions, in table order, of the columns that fit into ``room`` characters: the largest shares, at least one."""
    taken: list[int] = []
    for a in np.argsort(-np.nan_to_num(shares, posinf=np.inf), kind="stable").tolist():
        room -= text_width(columns[a]) + 2
        if room < 0 and taken:
            break
        taken.append(a)
    return sorted(taken)


def _value(value: Any) -> str:
    return value_text(value, _VALUE_WIDTH)
