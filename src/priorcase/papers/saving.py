"""A reproduction as files: Markdown, numbers as CSV, pictures as PNG or PDF."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from priorcase.papers.figure_table import FigureTable, csv_text
from priorcase.papers.reproduction import Part, Reproduction


def files(reproduction: Reproduction, formats: Collection[str] = ("markdown", "csv", "png")) -> dict[str, bytes]:
    """The content of each file, by its path inside a folder.

    ``PAPER.md`` and, in a folder of the paper's name, ``table-N.csv``, ``figure-N.csv`` with the plotted numbers,
    ``figure-N-table.csv`` with the small tables of a figure, and ``figure-N.png`` or ``figure-N.pdf``. Where only one
    item was made, the Markdown is ``PAPER-table-N.md``, so that it does not take the place of the whole paper's.

    Parameters
    ----------
    reproduction
        What to write.
    formats
        Some of text, markdown, csv, png and pdf.
    """
    found: dict[str, bytes] = {}
    inside = PurePosixPath(reproduction.paper.key)
    shown: dict[str, str] = {}
    for part in reproduction.parts:
        if "csv" in formats:
            found |= {str(inside / name): text.encode() for name, text in _numbers(part).items()}
        for picture in part.pictures:
            for form in ("png", "pdf"):
                if form in formats:
                    name = str(inside / f"{picture.name}.{form}")
                    found[name] = picture.image(form)
                    shown.setdefault(picture.name, name)
    if "markdown" in formats:
        found[f"{reproduction.key}.md"] = reproduction.markdown(shown).encode()
    if "text" in formats:
        found[f"{reproduction.key}.txt"] = f"{reproduction}\n".encode()
    return found


def save(reproduction: Reproduction, folder: Path, formats: Collection[str]) -> list[Path]:
    """The files in a folder, which is made where it is missing; their paths.

    Everything is made before anything is written, and a file takes its place whole or not at all.
    """
    made = files(reproduction, formats)
    paths = []
    for name, content in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_whole(path, content)
        paths.append(path)
    return paths


def _numbers(part: Part) -> dict[str, str]:
    """The CSV files of a part."""
    found = {f"{picture.name}.csv": picture.csv() for picture in part.pictures}
    if part.tables:
        name = f"{part.key}-table.csv" if f"{part.key}.csv" in found else f"{part.key}.csv"
        found[name] = _joined(part.tables)
    return found


def _joined(tables: tuple[FigureTable, ...]) -> str:
    columns = [table.tidy() for table in tables]
    return csv_text({name: [value for each in columns for value in each[name]] for name in columns[0]})


def _write_whole(path: Path, content: bytes) -> None:
    """A file beside the path first, then in its place."""
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(beside, path)
    except BaseException:  # whatever stops the writing, no half file stays
        Path(beside).unlink(missing_ok=True)
        raise
