"""Cases written to a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from priorcase._parameters import check_choice
from priorcase.cases.exchange.delimited import write_csv
from priorcase.cases.exchange.json_lines import write_json_lines
from priorcase.cases.exchange.parquet import import_pyarrow, write_parquet
from priorcase.cases.exchange.records import Written
from priorcase.cases.kinds import CaseKind
from priorcase.cases.saving.whole_files import whole_file
from priorcase.exceptions import CaseBaseError, listed

__all__ = ["ENDINGS", "Format", "export"]

Format: TypeAlias = Literal["jsonl", "csv", "parquet"]

ENDINGS: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
"""What the end of a file's name says of its format."""


def export(
    cases: Iterable[Written],
    path: str | os.PathLike[str],
    attributes: Mapping[str, CaseKind],
    *,
    format: Format | None = None,
    overwrite: bool = False,
) -> int:
    """Write cases to a file, whole or not at all; how many.

    ========  ==========================================================================================
    jsonl     everything: values, solutions, outcomes, keys, notes, who added a case, when and why, and the kinds
    parquet   the same in typed columns; needs PyArrow
    csv       the same for spreadsheets, but the kinds, which have no place in it
    ========  ==========================================================================================

    Parameters
    ----------
    cases
        One after the other, values in the order of the attributes as they are stored.
    path
        Where to.
    attributes
        Names and kinds.
    format
        None: by the end of the name.
    overwrite
        Whether a file that is there is replaced.

    Examples
    --------
    >>> import tempfile
    >>> from priorcase.cases.exchange import CaseRecord, read_cases
    >>> from priorcase.schema import Numeric
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     n = export([CaseRecord((3,), '"fix"')], f"{folder}/cases.jsonl", {"age": Numeric()})
    ...     n, [case.values for case in read_cases(f"{folder}/cases.jsonl").cases]
    (1, [(3,)])
    """
    path = Path(path)
    if format is not None:
        check_choice("format", format, get_args(Format), hint="Leave it out to go by the end of the name.")
    elif (format := ENDINGS.get(path.suffix.lower())) is None:
        raise CaseBaseError(
            f"cannot tell the format of {path!s} by its name; expected one of {listed(get_args(Format))}. End the "
            "name in .jsonl, .csv or .parquet, or pass format=."
        )
    if path.is_dir():
        raise CaseBaseError(
            f"got {path!s}, which is a directory; expected a file. Name a file in it, for example cases.jsonl."
        )
    if not path.parent.is_dir():
        raise CaseBaseError(
            f"cannot write to {path.parent!s}, which is no folder. Create the folder first, or check the path."
        )
    if format == "parquet":
        import_pyarrow()
    try:
        with whole_file(path, overwrite=overwrite) as file:
            if format == "parquet":
                return write_parquet(cases, attributes, file)
            return (write_csv if format == "csv" else write_json_lines)(cases, attributes, file)
    except FileExistsError:
        raise CaseBaseError(
            f"would replace {path!s}, which exists; nothing was written. Name another file, or pass overwrite=True."
        ) from None
