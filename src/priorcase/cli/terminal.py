"""What a command prints and writes: text for terminals, JSON, and files.

Cells, class names, texts and keys may hold anything, so control and bidirectional characters are escaped in everything
that is printed. CSV, HTML and JSON lines that go to a pipe or a file are left as they are.
"""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from priorcase.exceptions import visible, visible_json

Forms = Mapping[str, Callable[[], str | bytes]]
"""What a command can deliver, by the ending of a file: ``txt``, ``json``, ``csv``, ``html``, ``png``, ..."""


def escape(text: str) -> str:
    """The text with control and bidirectional characters, but tabs and line ends, written as escapes."""
    return visible(text, keep="\t\n")


def one_line(text: str) -> str:
    """The text with its lines joined by spaces, escaped."""
    return escape(" ".join(text.split()))


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print text, escaped."""
    click.echo(escape(text), err=err, nl=nl)


def note(text: str) -> None:
    """Say on standard error what a reader should know."""
    click.echo(f"priorcase: note: {one_line(text)}", err=True)


def terminal_width() -> int:
    """How many columns the terminal has; 80 where there is none."""
    return shutil.get_terminal_size().columns


def safe_console() -> Any:
    """A console of rich that escapes what it renders, and leaves a closed pipe to the command."""
    from rich.console import Console  # loaded here: --help must not wait for it
    from rich.segment import Segment

    class SafeConsole(Console):
        def render(self, renderable: Any, options: Any = None) -> Any:
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(escape(segment.text), segment.style)

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return SafeConsole(highlight=False)


def plain(value: Any) -> Any:
    """A value as JSON can write it: NumPy's numbers as Python's, sets as lists, null for what is not finite."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return [plain(item) for item in sorted(value, key=lambda item: (str(type(item)), item))]
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "to_json"):
        return value.to_json()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def json_text(document: Any) -> str:
    """One JSON document; control and bidirectional characters are written as escapes of JSON.

    Examples
    --------
    >>> print(json_text({"a": float("nan"), "b": "\u202e"}))
    {
      "a": null,
      "b": "\\u202e"
    }
    """
    return visible_json(json.dumps(plain(document), indent=2, ensure_ascii=False, allow_nan=False))


def lines_of(frame: Any) -> list[dict[str, Any]]:
    """The rows of a frame of any library, or of a dictionary of columns."""
    import narwhals.stable.v2 as nw

    columns = frame if isinstance(frame, dict) else nw.from_native(frame, eager_only=True).to_dict(as_series=False)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def csv_text(lines: Sequence[Mapping[str, Any]], header: Sequence[str] | None = None) -> str:
    """Lines as CSV; nothing stands where nothing is known."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header if header is not None else lines[0] if lines else ())
    for line in lines:
        empty = (value is None or (isinstance(value, float) and math.isnan(value)) for value in line.values())
        writer.writerow(["" if none else value for none, value in zip(empty, line.values(), strict=True)])
    return text.getvalue()


class Output(NamedTuple):
    """What ``--json`` and ``--out`` ask for."""

    as_json: bool
    out: str | None

    def show(self, text: str, document: Any) -> None:
        """Print or write a text, or a document as JSON."""
        self.deliver({"txt": lambda: text, "json": lambda: json_text(document)})

    def deliver(self, forms: Forms, *, form: str = "txt", shown: bool = False) -> None:
        """Print a result, or write it to a file in the form that the end of its name says.

        ``form`` is what is printed without ``--json``; with ``shown`` the text is printed beside a file.
        """
        from priorcase._files import write_file

        form = "json" if self.as_json else form
        if self.out is None or self.out == "-":
            text = str(forms[form]()).removesuffix("\n")
            raw = form not in ("txt", "json") and not sys.stdout.isatty()
            click.echo(text if raw else escape(text), color=True)
            return
        ending = Path(self.out).suffix[1:].lower()
        content = forms[ending if ending in forms else form]()
        write_file(Path(self.out), content.encode("utf-8") if isinstance(content, str) else content)
        if shown and not self.as_json:
            say(str(forms["txt"]()))
        say(f"Written: {self.out}")
