"""Files that the page uploads, stored in a temporary folder that other users cannot read.

The page sends the bytes of a file to ``POST /uploads``. Later requests, such as the request to predict the rows of the
file, refer to the upload by its id. The original file name is used for display only. At most four
uploads are kept; a further upload removes the oldest one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from threading import Lock

from priorcase.exceptions import UnknownIdError

UPLOADS = {"/uploads": 64 << 20}
"""Paths that accept files, with the maximum size of a file in bytes."""

_KEPT = 4  # maximum number of uploads; a further upload removes the oldest
_FORMATS = "csv|tsv|tab|txt|xlsx|xlsm|parquet|pq|feather|arrow|jsonl|ndjson|json|db|sqlite3?|arff|priorcase|cases"
_ENDINGS = re.compile(rf"(?:\.(?:{_FORMATS}))?(?:\.(?:gz|bz2|xz|zst))?\Z")


@dataclass(frozen=True)
class Upload:
    """An uploaded file: ``name`` is the display name, ``path`` the stored file."""

    id: int
    name: str
    path: Path = field(repr=False)
    size: int


class Uploads:
    """The uploaded files, newest last.

    Examples
    --------
    >>> uploads = Uploads()
    >>> sent = uploads.keep(b"age,color\\n31,red\\n", "../new cases.csv")
    >>> sent.name, sent.path.name, sent.path.read_bytes()[:9]
    ('new cases.csv', '1.csv', b'age,color')
    >>> uploads.close()
    >>> sent.path.exists()
    False
    """

    def __init__(self) -> None:
        self._folder: TemporaryDirectory[str] | None = None
        self._uploads: dict[int, Upload] = {}
        self._ids, self._lock = count(1), Lock()

    def keep(self, content: bytes, name: str) -> Upload:
        """Store the content of a file under a new name; keep a known suffix, because it determines the file format."""
        own = PurePosixPath(name.replace("\\", "/")).name or "file"
        found = _ENDINGS.search(own.lower())
        with self._lock:
            if self._folder is None:
                self._folder = TemporaryDirectory(prefix="priorcase-uploads-")
            id_ = next(self._ids)
            upload = Upload(id_, own, Path(self._folder.name) / f"{id_}{found[0] if found else ''}", len(content))
            upload.path.write_bytes(content)
            self._uploads[id_] = upload
            for old in list(self._uploads)[:-_KEPT]:
                self._remove(old)
        return upload

    def get(self, id_: int) -> Upload:
        """Return the upload with this id."""
        with self._lock:
            if id_ not in self._uploads:
                raise UnknownIdError(f"There is no upload {id_}; it may have been removed. Upload the file again.")
            return self._uploads[id_]

    def remove(self, id_: int) -> None:
        """Remove an upload that is no longer needed, if it still exists."""
        with self._lock:
            if id_ in self._uploads:
                self._remove(id_)

    def close(self) -> None:
        """Remove all uploads."""
        with self._lock:
            self._uploads.clear()
            if self._folder is not None:
                self._folder.cleanup()
                self._folder = None

    def _remove(self, id_: int) -> None:
        self._uploads.pop(id_).path.unlink(missing_ok=True)
