"""Standard input where a file is asked for."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from priorcase.cli.errors import BadInputError
from priorcase.exceptions import PriorcaseError

__all__ = ["as_file"]

_PACKED = b"\x1f\x8b"


@contextmanager
def as_file(table: str) -> Iterator[str]:
    """The path of a table: of a copy, which is gone afterwards, where it is standard input (``-``).

    The copy is named after its content: JSON lines begin with a brace, Parquet says what it is, all else is CSV or what
    the readers of tables make of it. Errors speak of standard input.
    """
    if table != "-":
        yield table
        return
    content = sys.stdin.buffer.read()
    if content.startswith(_PACKED):
        content = gzip.decompress(content)
    if not content.strip():
        raise BadInputError("standard input is empty; expected cases. Is the file before the < there?")
    ending = ".parquet" if content.startswith(b"PAR1") else ".jsonl" if content.lstrip()[:1] == b"{" else ".csv"
    with TemporaryDirectory(prefix="priorcase-") as folder:
        path = Path(folder) / f"standard-input{ending}"
        path.write_bytes(content)
        try:
            yield str(path)
        except PriorcaseError as error:
            raise BadInputError(str(error).replace(str(path), "standard input")) from error
