"""A folder of data sets: CSV files, and a ``manifest.json`` that says what their columns mean."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from priorcase._typing import AnyArray
from priorcase.datasets.columns import NamedColumns
from priorcase.datasets.contents import contents, decoded
from priorcase.datasets.delimited import read_delimited
from priorcase.datasets.description import Description
from priorcase.datasets.errors import bad_manifest, no_target
from priorcase.datasets.text_table import TextTable
from priorcase.exceptions import ReadingError

__all__ = ["MANIFEST", "Described", "described", "read_described", "read_fields"]

MANIFEST = "manifest.json"
Described: TypeAlias = dict[str, Description]


def described(folder: Path) -> Described:
    """The data sets that the manifest of a folder describes, by name."""
    path = folder / MANIFEST
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["datasets"]
        found = [Description.of(entry, str(path)) for entry in entries]
    except (UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise bad_manifest(str(path), f"is no manifest ({type(error).__name__})") from error
    return {description.name: description for description in found}


def read_described(folder: Path, about: Description) -> tuple[NamedColumns, AnyArray]:
    """The attributes and the target of a data set, of the kinds that its description gives them.

    Only an empty field is a gap. A numeric target is an array of floats, any other one of text.
    """
    table = read_fields(folder, about)
    return table.typed(about.kinds), table.values(about.target, about.target_kind)


def read_fields(folder: Path, about: Description) -> TextTable:
    """The attributes and the target of a data set as text, checked against its description."""
    path = folder / about.file
    if not path.is_file():
        raise bad_manifest(str(folder / MANIFEST), f"describes {about.file!r}, which is not beside it")
    source, content = contents(path)
    if about.size is not None and len(content) != about.size:
        raise ReadingError(
            f"{source} has {len(content)} bytes, unpacked; its manifest.json says {about.size}. The file is damaged or "
            "another one: copy or download it again."
        )
    if about.sha256 is not None and (checksum := hashlib.sha256(content).hexdigest()) != about.sha256:
        raise ReadingError(
            f"{source} has {checksum} as its checksum; its manifest.json says {about.sha256}. The file is damaged or "
            "another one: copy or download it again."
        )
    table = read_delimited(decoded(content, source), source, missing=())
    if len(table) != about.rows:
        raise ReadingError(
            f"{source} has {len(table)} rows; its manifest.json says {about.rows}. The file is damaged or another one: "
            "copy or download it again."
        )
    kinds = {**about.kinds, about.target: about.target_kind}
    table.require(kinds)
    table.check_levels(about.kinds)
    fields = table.column(about.target)
    if None in fields:
        raise no_target(source, table.where(fields.index(None)), about.target)
    return replace(table.without(set(table.names) - set(kinds)), declared=kinds, target=about.target)
