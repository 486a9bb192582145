"""Pieces of HTML: escaped text, tables with headers, and sentences with stressed words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Cell", "minus", "paragraphs", "stressed", "table", "text"]

_MINUS = re.compile(r"(?<![\w.-])-(?=\d)")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_SHORT = 24


def minus(words: str) -> str:
    """Text with true minus signs before numbers.

    Examples
    --------
    >>> minus("-0.35 (95 % interval -1 to 2), k-1")
    '−0.35 (95 % interval −1 to 2), k-1'
    """
    return _MINUS.sub("\u2212", words)


def text(words: str) -> str:
    """Text as HTML shows it; what belongs to a number stays on its line."""
    return escape(minus(words), quote=True).replace("± ", "±\u00a0").replace(" %", "\u00a0%")


def stressed(sentence: str) -> str:
    """A sentence, with what stands between double asterisks stressed.

    Examples
    --------
    >>> stressed("Trust **a < b**.")
    'Trust <strong>a &lt; b</strong>.'
    """
    return _BOLD.sub(r"<strong>\1</strong>", text(sentence))


def paragraphs(sentences: Iterable[str]) -> str:
    """A paragraph for each sentence."""
    return "".join(f"<p>{stressed(sentence)}</p>" for sentence in sentences)


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its HTML, and its classes.

    Parameters
    ----------
    html
        What it shows.
    kind
        Classes of the style sheet: ``"n"`` for numbers, ``"wide"`` for what narrow screens do without.
    """

    html: str
    kind: str = ""

    @classmethod
    def named(cls, name: str) -> Cell:
        """A name, on one line unless it is long."""
        return cls(text(name), "w" if len(name) <= _SHORT else "long")


def table(
    header: Sequence[Cell], lines: Sequence[tuple[str, Sequence[Cell]]], *, caption: str = "", scroll: bool = True
) -> str:
    """A table whose first column names its lines.

    Parameters
    ----------
    header
        The headings.
    lines
        A class for each line, and its cells.
    caption
        What the table shows.
    scroll
        Whether it scrolls by itself where the screen is narrow.
    """
    head = "".join(f'<th scope="col"{_kind(cell)}>{cell.html}</th>' for cell in header)
    rows = []
    for kind, cells in lines:
        first, *rest = cells
        named = f'<th scope="row"{_kind(first)}>{first.html}</th>'
        others = "".join(f"<td{_kind(cell)}>{cell.html}</td>" for cell in rest)
        rows.append(f"<tr{_kind(Cell('', kind))}>{named}{others}</tr>")
    top = f"<caption><span>{text(caption)}</span></caption>" if caption else ""
    whole = f"<table>{top}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f'<div class="scroll">{whole}</div>' if scroll else whole


def _kind(cell: Cell) -> str:
    return f' class="{cell.kind}"' if cell.kind else ""
