"""Files that the browser saves: CSV that no spreadsheet takes for formulas, and the response that has a file."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable
from typing import Any

from fastapi import Response

from priorcase.serve.app import Service

_FORMULA = re.compile(r"[=@\t\r]|[+-](?!\Z)(?![0-9.]+\Z)")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")


def inert(cell: Any) -> Any:
    """Escape a cell that a spreadsheet would take for a formula: such strings begin with an apostrophe.

    >>> inert("=1+1"), inert("-5 dB"), inert(-5), inert("a=b"), inert("-5"), inert("+")
    ("'=1+1", "'-5 dB", -5, 'a=b', '-5', '+')
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def csv_file(header: Iterable[Any], rows: Iterable[Iterable[Any]]) -> bytes:
    """A table as CSV, with a byte order mark by which spreadsheets know that it is UTF-8.

    >>> csv_file(["a", "=b"], [[1, "x"]])
    b"\\xef\\xbb\\xbfa,'=b\\n1,x\\n"
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(inert, header))
    writer.writerows(map(inert, row) for row in rows)
    return text.getvalue().encode("utf-8-sig")


async def download(service: Service, make: Callable[[], tuple[bytes, str]], kind: str) -> Response:
    """A file that a thread makes, to be saved by the browser, with its name, of which plain letters are kept."""
    named: list[str] = []

    def content() -> bytes:
        found, name = make()
        named.append(_UNSAFE.sub("_", name))
        return found

    response = await service.answer(content)
    response.headers["content-type"] = kind
    response.headers["content-disposition"] = f'attachment; filename="{named[0]}"'
    return response
