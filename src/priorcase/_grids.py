"""Printed tables of results, for terminals, notebooks (HTML) and Markdown."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from rich.cells import cell_len

from priorcase.exceptions import visible

# Text has the color of the notebook, light or dark; lines are a gray that is visible on both. The class is named twice
# to take precedence over Jupyter's rules for tables.
_RULES = {
    "": "overflow-x:auto",
    " table": "border:none;border-collapse:collapse;color:inherit;margin:.4em 0;table-layout:auto;width:max-content",
    " caption": "caption-side:top;color:inherit;font-weight:600;padding:.2em 0;text-align:left;white-space:pre",
    " td": "border:none;border-top:1px solid rgba(128,128,128,.25);max-width:40em;padding:.25em .7em;text-align:left;"
    "vertical-align:top",
    " th": "border:none;border-bottom:1px solid rgba(128,128,128,.7);font-weight:600;padding:.25em .7em;"
    "text-align:left;vertical-align:bottom",
    " .right": "font-variant-numeric:tabular-nums;text-align:right",
    " p": "margin:.2em 0;opacity:.8;white-space:pre-line",
    " pre": "background:none;color:inherit;margin:.2em 0;white-space:pre-wrap",
}
_STYLE = f"<style>{''.join(f'div.priorcase.priorcase{part}{{{rule}}}' for part, rule in _RULES.items())}</style>"


@dataclass(frozen=True)
class Grid:
    """A table of text cells with a title and a note, such as the result of one query."""

    title: str
    header: Sequence[str]
    lines: Sequence[Sequence[str]]
    note: str = ""
    right: Container[int] = ()  # positions of the right-aligned columns

    def __post_init__(self) -> None:
        for name in ("title", "note"):
            lines = getattr(self, name).split("\n")
            object.__setattr__(self, name, "\n".join(map(visible, lines)))
        object.__setattr__(self, "header", list(map(visible, self.header)))
        object.__setattr__(self, "lines", [list(map(visible, line)) for line in self.lines])


# -- results


class GridsResult(ABC):
    """Base class of results that print as tables; subclasses define tables in `_grids` and a final note in `_rest`."""

    _caption: ClassVar[str] = ""  # in notebooks, the title of the first table if the table has no title

    @abstractmethod
    def _grids(self) -> list[Grid]: ...

    def _rest(self) -> str:
        return ""

    def markdown(self) -> str:
        """Return the tables in Markdown."""
        return "\n\n".join(filter(None, [*map(grid_markdown, self._grids()), self._rest()]))

    def __str__(self) -> str:
        return grids_text(self._grids(), self._rest())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        grids = self._grids()
        if grids and not grids[0].title:
            grids[0] = replace(grids[0], title=self._caption)
        return grids_html(grids, self._rest())


class GridResult(GridsResult):
    """Base class of results that print as one table; subclasses define the table in `_grid`."""

    @abstractmethod
    def _grid(self) -> Grid: ...

    def _grids(self) -> list[Grid]:
        return [self._grid()]


class TextResult:
    """Base class of results that print as a few lines of text, in notebooks as well as in terminals."""

    def _repr_html_(self) -> str:
        return text_html(str(self))


# -- terminals, notebooks, Markdown


def text_width(cells: Sequence[str]) -> int:
    """Return the width of the widest string, in terminal columns."""
    return max(map(cell_len, cells))


def grids_text(grids: Sequence[Grid], rest: str = "") -> str:
    """Return tables as text, one below the other, followed by the note ``rest``."""
    parts = []
    for grid in grids:
        widths = [text_width(column) for column in zip(grid.header, *grid.lines, strict=True)]
        lines, indent = ([grid.title], "  ") if grid.title else ([], "")
        for line in (grid.header, *grid.lines) if grid.header else ():
            cells = []
            for column, (cell, width) in enumerate(zip(line, widths, strict=True)):
                space = " " * (width - cell_len(cell))
                cells.append(space + cell if column in grid.right else cell + space)
            lines.append((indent + "  ".join(cells)).rstrip())
        if grid.note:
            lines.append(indent + grid.note)
        parts.append("\n".join(lines))
    return "\n\n".join(filter(None, [*parts, rest])) or "no queries"


def grids_html(grids: Sequence[Grid], rest: str = "") -> str:
    """Return tables as HTML for notebooks, with their titles as captions and all text escaped."""
    parts = []
    for grid in grids:
        note = _paragraph(grid.note)
        if not grid.header:
            parts.append(_paragraph(grid.title) + note)
            continue
        caption = f"<caption>{html.escape(grid.title)}</caption>" if grid.title else ""
        head = _row("th", grid.header, grid.right)
        body = "".join(_row("td", line, grid.right) for line in grid.lines)
        parts.append(f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>{note}")
    return scoped_html("".join([*parts, _paragraph(rest)]) or "<p>no queries</p>")


def text_html(text: str) -> str:
    """Return text as HTML for notebooks; the font has a fixed width, and line breaks are preserved."""
    return scoped_html(f"<pre>{html.escape(visible(text, keep=chr(10)))}</pre>")


def scoped_html(content: str) -> str:
    """Wrap HTML content in a ``div`` element with the style sheet that all results share."""
    return f'<div class="priorcase">{_STYLE}{content}</div>'


def _row(tag: str, line: Sequence[str], right: Container[int]) -> str:
    cells = []
    for column, cell in enumerate(line):
        look = ' class="right"' if column in right else ""
        cells.append(f"<{tag}{look}>{html.escape(cell)}</{tag}>")
    return f"<tr>{''.join(cells)}</tr>"


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>" if text else ""


def grid_markdown(grid: Grid) -> str:
    lines = []
    if grid.header:
        rules = ["---:" if column in grid.right else "---" for column in range(len(grid.header))]
        cells = ([cell.replace("|", "\\|") for cell in line] for line in grid.lines)
        lines = [f"| {' | '.join(line)} |" for line in (grid.header, rules, *cells)]
    return "\n\n".join(filter(None, [grid.title and f"**{grid.title}**", "\n".join(lines), grid.note]))
