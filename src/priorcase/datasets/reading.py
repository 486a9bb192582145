"""Tables from files: CSV, TSV, ARFF, Parquet and C4.5."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from priorcase.datasets.arff import read_arff
from priorcase.datasets.c45 import read_c45
from priorcase.datasets.contents import Readable, contents, decoded
from priorcase.datasets.delimited import read_delimited
from priorcase.datasets.formats import Format, format_of
from priorcase.datasets.parquet import read_parquet
from priorcase.datasets.text_table import MISSING, TextTable
from priorcase.exceptions import ReadingError, prefix_errors, quoted

__all__ = ["read_table"]

_DELIMITED = {"csv": ",", "tsv": "\t"}


@prefix_errors
def read_table(
    source: Readable,
    *,
    format: Format | None = None,
    target: str | None = None,
    missing: Collection[str] | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    name: str | None = None,
) -> TextTable:
    """The table that a file holds, as text with what is known about its columns.

    ========  ======================================================================================================
    csv, tsv  a header row, then rows; columns that hold only numbers are numeric, others nominal
    arff      Weka's format, dense or sparse; kinds by its header, nominal columns with the values declared there
    parquet   through PyArrow or Polars; kinds by type, ordered dictionaries ordinal
    c4.5      ``x.names`` describes the rows of ``x.data`` or ``x.test``; the target is ``"class"``
    ========  ======================================================================================================

    Gzipped files are unpacked. ``read_table(...).split("price")`` makes X and y of it.

    Parameters
    ----------
    source
        A path or an open binary file. For C4.5 the path of the ``.data``, the ``.test`` or the ``.names`` file, which
        stands for its ``.data``.
    format
        The format; None to tell it from the content and the name.
    target
        The column to predict; None for the one that the file names, if it does.
    missing
        Fields read as missing. None: ``?``, ``NA``, ``NaN``, ``nan``, ``null`` and ``NULL`` in CSV and TSV; in other
        formats only what the format itself calls missing, which always is.
    delimiter
        The character between fields of CSV; None for a comma, or a tab in TSV.
    encoding
        How characters are stored.
    name
        How messages call the file; its path if None.

    Raises
    ------
    ReadingError
        The file is not a table in this format; the message says where and what to do.
    OSError
        The file cannot be opened.

    Examples
    --------
    >>> import io
    >>> read_table(io.BytesIO(b"age\\tsize\\n7\\tS\\n\\tL\\n"), name="shoes.tsv")
    shoes.tsv: 2 rows
       age   numeric  1 gap
       size  nominal
    """
    called, content = contents(source, name)
    found = format_of(source, content, format)
    if delimiter is not None and found not in _DELIMITED:
        raise ReadingError(
            f"got delimiter={quoted(delimiter)} for a table in the format {found}. Leave it out: it is for "
            f"{' and '.join(['csv', 'tsv'])} only."
        )
    if found == "parquet":
        table = read_parquet(content, called, missing=missing or ())
    elif found == "arff":
        table = read_arff(decoded(content, called, encoding), called, missing=missing or ())
    elif found == "c4.5":
        table = _c45(source, content, called, encoding=encoding, missing=missing or ())
    else:
        gaps = MISSING if missing is None else missing
        text = decoded(content, called, encoding)
        table = read_delimited(text, called, missing=gaps, delimiter=delimiter or _DELIMITED[found])
    if target is None:
        return table
    table.require([target])
    return replace(table, target=target)


def _c45(source: Readable, content: bytes, called: str, *, encoding: str, missing: Collection[str]) -> TextTable:
    """Rows and the description of their columns, one of which was named."""
    if not isinstance(source, str | os.PathLike):
        raise ReadingError(
            f"{called} cannot be read as C4.5: the columns are described in another file, the .names. Name the .data "
            "file by its path."
        )
    path = Path(source)
    stem = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    about, rows = (_beside(stem, ending) for ending in (".names", ".data"))
    if stem.suffix.lower() == ".names":
        if rows is None:
            raise ReadingError(
                f"{called} describes the columns of {stem.with_suffix('.data').name}, which is not beside it. Put it "
                "there, or name the file that holds the rows."
            )
        about, (called, content) = path, contents(rows)
    if about is None:
        raise ReadingError(
            f"{called} needs {stem.with_suffix('.names').name} beside it, which describes its columns. Put it there, "
            "or read the file as CSV if its first row names the columns."
        )
    names_called, names = contents(about)
    texts = decoded(names, names_called, encoding), decoded(content, called, encoding)
    return read_c45(texts[0], names_called, texts[1], called, missing=missing)


def _beside(stem: Path, ending: str) -> Path | None:
    """The file of the same name with another ending, packed or not."""
    other = stem.with_suffix(ending)
    return next((path for path in (other, other.with_name(f"{other.name}.gz")) if path.is_file()), None)
