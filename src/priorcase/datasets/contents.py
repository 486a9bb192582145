"""What a file holds: bytes, unpacked, and the text that they are."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path
from typing import IO, TypeAlias

from priorcase.datasets.errors import not_text
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
        raise ReadingError(
            f"A table is read from a path or an open binary file; got {type(source).__name__}. A frame, an array or a "
            "list of rows needs no reading: pass it to fit as it is."
        )
    else:
        name, content = name or str(getattr(source, "name", "the table")), source.read()
    if not hasattr(content, "decode"):  # text, from a stream whose type said bytes
        raise ReadingError(
            f"{name} was opened as text; expected a path or a binary file. Pass the path, open(path, 'rb'), or "
            "io.BytesIO(text.encode())."
        )
    if content.startswith(_WORKBOOKS):
        raise ReadingError(
            f"{name} is an Excel or OpenDocument workbook or an archive, which is no table yet. Save its sheet as CSV, "
            "or read it by pandas.read_excel and pass the frame."
        )
    if not content.startswith(_GZIP_MAGIC):
        return name, content
    try:
        return name, gzip.decompress(content)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ReadingError(f"{name} looks gzipped but is cut short or damaged. Copy or download it again.") from error


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
        raise not_text(name, encoding, line) from error
    except LookupError as error:
        raise ReadingError(
            f"The encoding {encoding!r} is unknown. Common ones are utf-8, utf-16, latin-1 and cp1252."
        ) from error
    if "\0" in text:
        raise not_text(name, encoding, text.count("\n", 0, text.index("\0")) + 1)
    return text
