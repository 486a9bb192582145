"""Cases read from a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from priorcase._parameters import check_choice
from priorcase.cases.exchange.delimited import delimiter_of, read_csv
from priorcase.cases.exchange.exporting import ENDINGS, Format
from priorcase.cases.exchange.json_lines import read_json_lines
from priorcase.cases.exchange.parquet import read_parquet
from priorcase.cases.exchange.plain_tables import read_plain_table
from priorcase.cases.exchange.records import ReadCases
from priorcase.cases.kinds import CaseKind
from priorcase.datasets.reading import FORMATS
from priorcase.exceptions import CaseBaseError, named

__all__ = ["read_cases"]


def read_cases(
    path: str | os.PathLike[str],
    attributes: Mapping[str, CaseKind] | None = None,
    *,
    solution: str | None = None,
    outcome: str | None = None,
    key: str | None = None,
    note: str | None = None,
    format: str | None = None,
) -> ReadCases:
    """The attributes and the cases of a file that `export` wrote, or of a table of others.

    Cases are read as they are asked for, one after the other: a mistake in a later line shows when it is reached, and
    names that line.

    Parameters
    ----------
    path
        JSON lines, CSV, TSV, ARFF, Parquet or C4.5.
    attributes
        What the values mean; a file with others is an error. None: as the file says, else as its values look: numbers
        are numeric, lists sets, everything else nominal.
    solution, outcome, key, note
        For a table of others: the columns that hold them, where they are not called so. They are no attributes, nor are
        ``by`` and ``why``, who added the case and what for, nor ``id``, which is passed over unless it is named here.
    format
        None: by the end of the name and by the content.

    Raises
    ------
    ReadingError, CaseBaseError
        The file is not what its format allows, or it does not fit ``attributes``; the message says where.
    OSError
        It cannot be opened.
    """
    path, source = Path(path), str(path)
    if path.is_dir():
        raise CaseBaseError(
            f"got {source}, which is a directory; expected a file. Name a file in it, for example cases.jsonl."
        )
    if format is not None:
        choices = tuple(dict.fromkeys([*get_args(Format), *FORMATS]))
        check_choice("format", format, choices, hint="Leave it out to go by name and content.")
    given = {"solution": solution, "outcome": outcome, "key": key, "note": note}
    columns = {part: name for part, name in given.items() if name is not None}
    found = format or ENDINGS.get(path.suffix.lower())
    if found == "jsonl":
        return read_json_lines(path, attributes, columns, source=source)
    exported: ReadCases | None = None
    delimiter: str | None = None
    if found == "parquet":
        exported = read_parquet(path, attributes, columns, source=source)
    elif found == "csv":
        exported, delimiter = read_csv(path, attributes, source=source), delimiter_of(path)
        if exported is not None and columns:
            raise CaseBaseError(
                f"{source} was exported from a case base and says itself what its columns are; got "
                f"{named('parameter', columns)}. Leave them out."
            )
    if exported is not None:
        return exported
    return read_plain_table(path, attributes, columns, source=source, format=format, delimiter=delimiter)
