"""The cache: a folder for each data set that was downloaded, with a CSV file and its manifest."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from priorcase.datasets.manifest import MANIFEST
from priorcase.datasets.text_table import TextTable
from priorcase.exceptions import ReadingError
from priorcase.schema import Kind, Numeric, Ordinal

__all__ = ["keep"]


def keep(
    folder: Path, name: str, table: TextTable, kinds: Mapping[str, Kind], target: str, *, about: Mapping[str, Any]
) -> None:
    """Write a table into a new folder, with all of it or nothing; one that is there already stays.

    Parameters
    ----------
    folder
        Where to keep it; its parents are made.
    name
        What the data set is called.
    table
        Its columns.
    kinds
        What the attributes mean.
    target
        The column to predict.
    about
        More fields for the manifest.
    """
    content = _csv(table)
    entry = {
        "name": name,
        "file": f"{name}.csv.gz",
        "rows": len(table),
        "target": {"name": target, "kind": "numeric" if table.declared[target] == Numeric() else "nominal"},
        "attributes": [{"name": label, **_described(kind)} for label, kind in kinds.items()],
        "bytes_uncompressed": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        **about,
    }
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".", dir=folder.parent))
        try:
            (draft / entry["file"]).write_bytes(gzip.compress(content, mtime=0))
            (draft / MANIFEST).write_text(json.dumps({"datasets": [entry]}, indent=1), encoding="utf-8")
            draft.chmod(0o755)
            os.replace(draft, folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        if not (folder / MANIFEST).is_file():  # else somebody was quicker
            raise ReadingError(
                f"The data set was downloaded but cannot be kept in {str(folder)!r}: {error.strerror or str(error)}. "
                "Set PRIORCASE_CACHE to a folder that can be written."
            ) from error


def _csv(table: TextTable) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.names)
    writer.writerows(["" if field is None else field for field in row] for row in zip(*table.columns, strict=True))
    return text.getvalue().encode()


def _described(kind: Kind) -> dict[str, Any]:
    if isinstance(kind, Ordinal):
        return {"kind": "ordinal", "order": list(kind.order)}
    return {"kind": "numeric" if isinstance(kind, Numeric) else "nominal"}
