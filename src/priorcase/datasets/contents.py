"""What a file holds: bytes, unpacked, and the text that they are."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path
from typing import IO, TypeAlias

from priorcase.exceptions import ReadingError

__all__ = ["Readable", "contents", "decoded"]

Readable: TypeAlias = str | os.PathLike[str] | IO[bytes]
"""A path, or an open binary file."""

_GZIP_MAGIC = b"\x1f\x8b"
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""How workbooks begin, those of today and those of old; other archives begin so too."""


def contents(source: Readable, name: str | None = None) -> tuple[str, bytes]:
    """How messages call a file, and its bytes; a gzipped one is unpacked whatever its name."""
    if isinstance(source, str | os.PathLike):
        name, content = name or os.fspath(source), Path(source).read_bytes()
    elif not hasattr(source, "read"):
        raise ReadingError.not_a_file(source)
    else:
        name, content = name or str(getattr(source, "name", "the table")), source.read()
    if not hasattr(content, "decode"):  # text, from a stream whose type said bytes
        raise ReadingError.not_bytes(name)
    if content.startswith(_WORKBOOKS):
        raise ReadingError.workbook(name)
    if not content.startswith(_GZIP_MAGIC):
        return name, content
    try:
        return name, gzip.decompress(content)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ReadingError.damaged(name) from error


def decoded(content: bytes, name: str, encoding: str = "utf-8") -> str:
    """The bytes as text; a byte-order mark is passed over.

    Examples
    --------
    >>> decoded(b"\\xef\\xbb\\xbfage", "t.csv")
    'age'
    """
    try:
        text = content.decode("utf-8-sig" if encoding.lower() in {"utf-8", "utf8"} else encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ReadingError.not_text(name, encoding, line) from error
    except LookupError as error:
        raise ReadingError.unknown_encoding(encoding) from error
    if "\0" in text:
        raise ReadingError.not_text(name, encoding, text.count("\n", 0, text.index("\0")) + 1)
    return text
