"""Answers as small tables of texts, in plain characters, in HTML and in Markdown."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Container, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from priorcase.learning.texts import padded


@dataclass(frozen=True)
class Grid:
    """The answer to one query, or another table, as text: a title, a header, some lines, a note.

    Parameters
    ----------
    title, header, lines, note
        The texts.
    right
        Columns that are flush right.
    """

    title: str
    header: Sequence[str]
    lines: Sequence[Sequence[str]]
    note: str = ""
    right: Container[int] = ()


class GridResult(ABC):
    """A result that prints as one table: subclasses say which by `_grid`."""

    @abstractmethod
    def _grid(self) -> Grid:
        """The table."""

    def markdown(self) -> str:
        """The table in Markdown."""
        return grid_markdown(self._grid())

    def __str__(self) -> str:
        return grids_text([self._grid()])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return grids_html([self._grid()])


def grids_text(grids: Sequence[Grid], rest: str = "") -> str:
    """One below the other, columns aligned, and at the end how much is not shown. Without a title nothing is indented.

    Examples
    --------
    >>> print(grids_text([Grid("query 0", ["colour", "share"], [["red", "0.75"], ["blue", "0.25"]], right={1})]))
    query 0
      colour  share
      red      0.75
      blue     0.25
    """
    parts = []
    for grid in grids:
        widths = [text_width(column) for column in zip(grid.header, *grid.lines, strict=True)]
        lines, indent = ([grid.title], "  ") if grid.title else ([], "")
        for line in (grid.header, *grid.lines):
            cells = [
                padded(cell, width, right=column in grid.right)
                for column, (cell, width) in enumerate(zip(line, widths, strict=True))
            ]
            lines.append((indent + "  ".join(cells)).rstrip())
        if grid.note:
            lines.append(indent + grid.note)
        parts.append("\n".join(lines))
    return "\n\n".join(filter(None, [*parts, rest])) or "no queries"


def grids_html(grids: Sequence[Grid], rest: str = "") -> str:
    """The same for notebooks.

    Examples
    --------
    >>> grids_html([Grid("a < b", ["x"], [["1"]])])
    '<table><caption>a &lt; b</caption><thead><tr><th>x</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>'
    """
    parts = []
    for grid in grids:
        rows = [
            "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in line) + "</tr>"
            for tag, line in [("th", grid.header), *(("td", line) for line in grid.lines)]
        ]
        caption = f"<caption>{html.escape(grid.title)}</caption>"
        note = f"<p>{html.escape(grid.note)}</p>" if grid.note else ""
        parts.append(f"<table>{caption}<thead>{rows[0]}</thead><tbody>{''.join(rows[1:])}</tbody></table>{note}")
    if rest:
        parts.append(f"<p>{html.escape(rest)}</p>")
    return "".join(parts) or "no queries"


def grid_markdown(grid: Grid) -> str:
    """One of them in Markdown.

    Examples
    --------
    >>> print(grid_markdown(Grid("bins", ["bin", "rows"], [["low|high", "12"]], right={1})))
    **bins**
    <BLANKLINE>
    | bin | rows |
    | --- | ---: |
    | low\\|high | 12 |
    """
    rules = ["---:" if column in grid.right else "---" for column in range(len(grid.header))]
    lines = ([cell.replace("|", "\\|") for cell in line] for line in grid.lines)
    table = "\n".join(f"| {' | '.join(line)} |" for line in (grid.header, rules, *lines))
    return "\n\n".join(filter(None, [grid.title and f"**{grid.title}**", table, grid.note]))


def text_width(cells: Sequence[str]) -> int:
    """How many columns of a terminal the longest text takes."""
    return max(map(cell_len, cells))
