"""Files for download: CSV in the notation of the table, and responses that contain a file.

CSV files have the delimiter, decimal marks and date formats of the file that was read, so that they match the user's
other files.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from fastapi import Response

from priorcase.datasets.csv_files import CSVWriter
from priorcase.serve.app import Service

_DELIMITERS = ",;\t|"
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True)
class Notation:
    """Number and date format of a text file: delimiter, decimal mark of each column, and date formats."""

    delimiter: str = ","
    decimal: str = "."  # of columns in which no decimal mark was detected
    decimals: Mapping[str, str] = field(default_factory=dict)
    dates: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, about: Mapping[str, Any]) -> Notation:
        """Return the notation of a text file from the ``attrs`` of its frame; for other tables, the default notation.

        >>> Notation.of({"delimiter": ";", "columns": {"price": {"kind": "numeric", "decimal": ","}}})
        Notation(delimiter=';', decimal=',', decimals={'price': ','}, dates={})
        """
        if "delimiter" not in about:
            return cls()
        columns = about["columns"]
        decimals = {name: one["decimal"] for name, one in columns.items() if one.get("decimal")}
        dates = {name: one.get("format") or "ymd" for name, one in columns.items() if one["kind"] == "date"}
        delimiter = about["delimiter"] if about["delimiter"] in _DELIMITERS else ","
        return cls(delimiter, "," if "," in decimals.values() else ".", decimals, dates)

    def number(self, column: str, value: Any) -> Any:
        """Return a float with the decimal mark of its column; other values are returned unchanged."""
        mark = self.decimals.get(column, self.decimal)
        return repr(value).replace(".", ",") if isinstance(value, float) and mark == "," else value

    def date(self, column: str, value: Any) -> Any:
        """Return an ISO date in the format of its column; values of other columns are returned unchanged.

        >>> Notation(decimal=",", dates={"day": "dmy"}).date("day", "2025-03-16T00:00:00")
        '16.03.2025'
        """
        form = self.dates.get(column)
        if form is None or not isinstance(value, str) or value in ("", "NaT"):
            return "" if value == "NaT" else value
        day = datetime.fromisoformat(value)
        if "%" in form:
            return day.strftime(form)
        mark = "." if self.decimal == "," else "/"
        shown = {"dmy": f"%d{mark}%m{mark}%Y", "mdy": "%m/%d/%Y"}.get(form, "%Y-%m-%d")
        clock = day.time().isoformat()
        return day.strftime(shown) + (f" {clock}" if day.time() != day.time().min else "")


def csv_file(header: Iterable[Any], rows: Iterable[Iterable[Any]], notation: Notation | None = None) -> bytes:
    """Return a table as CSV, with a byte order mark that tells spreadsheets to read it as UTF-8.

    >>> csv_file(["a", "=b"], [[1, "x"]])
    b"\\xef\\xbb\\xbfa,'=b\\n1,x\\n"
    """
    notation = notation or Notation()
    header = list(header)
    text = io.StringIO()
    writer = CSVWriter(text, delimiter=notation.delimiter)
    writer.write(header)
    for row in rows:
        writer.write(notation.number(name, cell) for name, cell in zip(header, row, strict=True))
    return text.getvalue().encode("utf-8-sig")


async def download(service: Service, make: Callable[[], tuple[bytes, str]], kind: str) -> Response:
    """Return a response with the file that ``make`` creates in a thread; unsafe characters in its name are replaced."""
    named: list[str] = []

    def content() -> bytes:
        found, name = make()
        named.append(_UNSAFE.sub("_", name))
        return found

    response = await service.answer(content)
    response.headers["content-type"] = kind
    response.headers["content-disposition"] = f'attachment; filename="{named[0]}"'
    return response
