"""Small tables as aligned text, Markdown and HTML."""

from __future__ import annotations

import html
from collections.abc import Sequence

Line = Sequence[str]


def aligned(header: Line, lines: Sequence[Line], *, left: int = 1, indent: str = "  ") -> str:
    """Columns of equal width: the first ``left`` begin, the others end, at the same place.

    Examples
    --------
    >>> print(aligned(["bin", "rows"], [["low", "12"], ["high", "3"]], indent=""))
    bin   rows
    low     12
    high     3
    """
    widths = [max(map(len, column)) for column in zip(header, *lines, strict=True)]
    texts = []
    for line in (header, *lines):
        cells = [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        texts.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(texts)


def as_markdown(header: Line, lines: Sequence[Line], *, left: int = 1) -> str:
    """The same in Markdown.

    Examples
    --------
    >>> print(as_markdown(["bin", "rows"], [["low", "12"]]))
    | bin | rows |
    | --- | ---: |
    | low | 12 |
    """
    rules = ["---" if column < left else "---:" for column in range(len(header))]
    rows = (header, rules, *([cell.replace("|", "\\|") for cell in line] for line in lines))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def as_html(caption: str, header: Line, lines: Sequence[Line]) -> str:
    """The same for notebooks, under a caption.

    Examples
    --------
    >>> as_html("p < 1", ["bin"], [["low"]])
    '<table><caption>p &lt; 1</caption><thead><tr><th>bin</th></tr></thead><tbody><tr><td>low</td></tr></tbody></table>'
    """
    head = _row("th", header)
    body = "".join(_row("td", line) for line in lines)
    return f"<table><caption>{html.escape(caption)}</caption><thead>{head}</thead><tbody>{body}</tbody></table>"


def _row(tag: str, cells: Line) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in cells)}</tr>"
