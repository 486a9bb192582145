"""The limits for reading one file, which every reader checks before it allocates memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from priorcase._parameters import is_whole
from priorcase.exceptions import ParameterError, ReadingError, quoted

MAX_BYTES = 2**30
"""Default limit on the size of a decompressed file."""

CELL = 8
"""Size of a cell in bytes: a number, or a reference to a string."""

_COLUMN = 1024  # the name, kind and buffers of a column need as much memory as this many cells
_PART = 1024  # bytes of the limit for each part of what is parsed at once, such as the fields of a record
_LEAST = 2**23  # a table of a million cells is never too large


def check_max_bytes(max_bytes: object) -> None:
    if not is_whole(max_bytes) or max_bytes < 0:
        raise ParameterError(f"max_bytes must be an integer >= 0, got {quoted(max_bytes)}.")


class Budget:
    """The limits for reading one file: its decoded size, and the number of its cells (rows x columns).

    A file can have at most ``max_bytes`` bytes after decompression and decoding, and at most one cell for each 8 of
    these bytes. A column counts as 1024 additional cells. A file of more than ``max_bytes`` bytes that is not
    compressed can have as many cells as bytes (``stored`` is the size of the file as it is stored).
    """

    def __init__(self, source: str, max_bytes: int = MAX_BYTES, stored: int = 0) -> None:
        self.source = source
        self.max_bytes = max_bytes
        self.most_bytes = max(max_bytes, CELL * stored, _LEAST)
        self.most_cells = self.most_bytes // CELL
        self._used = 0

    def charge(self, size: int) -> None:
        """Add decoded bytes; raise `ReadingError` if there are more than ``max_bytes`` of them."""
        self._used += size
        if self._used > self.max_bytes:
            self.refuse(limit=self.max_bytes)

    def check_size(self, size: int) -> None:
        """Raise `ReadingError` if something of this size, which is not kept, is larger than ``max_bytes``."""
        if size > self.max_bytes:
            self.refuse(limit=self.max_bytes)

    def check_table(self, rows: int, columns: int) -> None:
        """Raise `ReadingError` if a table has too many cells."""
        if (rows + _COLUMN) * columns > self.most_cells:
            shape = f"{rows:,} row{'s' * (rows != 1)} x {columns:,} column{'s' * (columns != 1)}"
            counted = f"counting {CELL} bytes for each cell and {CELL * _COLUMN:,} bytes for each column"
            self.refuse(f" ({shape}, {counted})")

    def check_parts(self, parts: int, what: str = "fields in one record") -> None:
        """Raise `ReadingError` if something that is parsed at once has too many parts."""
        if parts > self.most_bytes // _PART:
            self.refuse(f" (about {parts:,} {what})")

    def refuse(self, detail: str = "", limit: int | None = None) -> NoReturn:
        """Raise `ReadingError`; ``detail`` says in parentheses what is too large."""
        limit = self.most_bytes if limit is None else limit
        raise ReadingError(
            f"{self.source} has more than {limit:,} bytes uncompressed{detail}. Pass a larger max_bytes "
            "(--read max_bytes=) if you trust the file."
        )


@contextmanager
def memory_errors(source: str) -> Iterator[None]:
    """Convert a `MemoryError` to a `ReadingError`."""
    try:
        yield
    except MemoryError as error:
        raise ReadingError(
            f"{source} needs more memory than is available. Check that the file is not damaged, read it on a computer "
            "with more memory, or pass a smaller table."
        ) from error


def reason(error: BaseException) -> str:
    """Return the first line of an error message of another library, without the final period."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")[:200]
