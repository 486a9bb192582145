"""The rollback journal beside a file: what SQLite would undo if it found one.

A journal does not name its file. One that was left beside a file by mistake (the base was replaced by a copy after a
crash) would be played into the wrong file, so its first page is compared with that of the base before SQLite sees it.
The layout is that of "Database File Format", section 3, at sqlite.org.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

from priorcase.cases.storage.schema import APPLICATION, PAGE
from priorcase.exceptions import CaseBaseFileError

_MAGIC = bytes.fromhex("d9d505f920a163d7")
_MOST = 64 * 1024 * 1024


@dataclass(frozen=True)
class Journal:
    """A journal that SQLite would play back.

    It knows how many pages the file had before, whether the file was written since (its own records are on the disk
    first), and the file's first page as it was before, where the journal has it.
    """

    pages: int
    written: bool
    first_page: bytes | None

    def fits(self, counter: int, pages: int) -> bool:
        """Whether it was made for a file of this change counter and size: a change raises the counter at its end."""
        if self.first_page is None:
            return self.written or self.pages == pages
        before = int.from_bytes(self.first_page[24:28], "big")
        return int.from_bytes(self.first_page[68:72], "big") == APPLICATION and counter in (before, before + 1)


def read_journal(path: Path) -> Journal | None:
    """The journal beside a file; None where there is none or it holds nothing to undo."""
    journal = Path(f"{path}-journal")
    try:
        if not stat.S_ISREG(journal.stat().st_mode):  # reading from a pipe would wait for ever
            raise CaseBaseFileError(
                f"The journal {path}-journal belongs to another file than {path}. The file was not changed. Move a "
                "case base together with its journal; where the base was restored from a backup, remove the journal."
            )
        with journal.open("rb") as file:
            data = file.read(_MOST)
    except OSError:
        return None
    if len(data) < 28 or data[:8] != _MAGIC:
        return None
    records = int.from_bytes(data[8:12], "big", signed=True)
    sector = int.from_bytes(data[20:24], "big")
    pages, written = int.from_bytes(data[16:20], "big"), records != 0
    if int.from_bytes(data[24:28], "big") != PAGE:
        return Journal(pages, written, bytes(PAGE))  # pages of another size are none of ours
    place, step = sector, PAGE + 8
    while records != 0 and place + step <= len(data):
        if int.from_bytes(data[place : place + 4], "big") == 1:
            return Journal(pages, written, data[place + 4 : place + 4 + PAGE])
        place, records = place + step, records - 1
    return Journal(pages, written, None)
