"""Errors that several readers of files raise."""

from __future__ import annotations

from collections.abc import Sequence

from priorcase.exceptions import ReadingError, advice, listed, nearest

# Up to this many names are listed where none is near the one that was meant.
_MANY = 20
# What may stand between fields where a header looks like a single column.
_DELIMITERS = ";\t|"


def not_text(source: str, encoding: str, line: int) -> ReadingError:
    """Bytes that stand for no characters."""
    return ReadingError(
        f"{source} line {line} is not text in the encoding {encoding}. Save the file as UTF-8, or name its encoding, "
        "latin-1 or utf-16 for example."
    )


def not_csv(source: str, line: int, reason: str) -> ReadingError:
    """Text that breaks the rules of CSV."""
    return ReadingError(
        f"{source} line {line} is not valid CSV: {reason}. Look for a quotation mark that is not closed, or write one "
        "inside a field twice."
    )


def not_parquet(source: str, reason: str) -> ReadingError:
    """Bytes that no library reads as Parquet."""
    return ReadingError(
        f"{source} is not valid Parquet: {reason}. Copy or download it again, or name its format if it is another."
    )


def invalid_arff(source: str, line: int, problem: str, *, hint: str) -> ReadingError:
    """A line that breaks the rules of ARFF."""
    return ReadingError(f"{source} line {line} is not valid ARFF: {problem}. {hint}")


def invalid_names(source: str, line: int, problem: str) -> ReadingError:
    """A description of columns that breaks the rules of C4.5."""
    return ReadingError(
        f"{source} line {line} is not valid for C4.5: {problem}. First come the classes, then for each column "
        "'NAME: continuous.', 'NAME: ignore.' or its values."
    )


def bad_manifest(path: str, problem: str) -> ReadingError:
    """A description of data sets that cannot be understood."""
    return ReadingError(
        f"{path} {problem}; expected JSON with 'datasets', a list of entries with name, file, rows, target and "
        "attributes. Copy it again, or remove it."
    )


def field_count(source: str, line: int, fields: int, expected: int) -> ReadingError:
    """A row longer or shorter than the header."""
    return ReadingError(
        f"{source} line {line} has {fields} field{'s' * (fields != 1)}; its header has {expected}. Put fields that "
        "hold the delimiter between quotation marks, or name the right delimiter."
    )


def no_column(source: str, name: str, names: Sequence[str]) -> ReadingError:
    """A column asked for that the file does not have."""
    shown = listed(names) if nearest(name, names) else listed(names, limit=_MANY)
    mark = next((mark for mark in _DELIMITERS if len(names) == 1 and mark in names[0]), None)
    if mark is None:
        remedy = advice(name, names, otherwise="Column names are compared letter by letter.")
    else:
        remedy = f"Name the delimiter {mark!r} if that is what stands between fields (delimiter=, --delimiter)."
    return ReadingError(f"{source} has no column {name!r}; it has {shown}. {remedy}")


def no_target(source: str, where: str, name: str) -> ReadingError:
    """A past case that does not say how it ended."""
    return ReadingError(
        f"{source} {where} has no value in the target column {name!r}; expected one in every past case. Remove the "
        "row, or move it to the table of new cases."
    )


def no_attributes(source: str, target: str) -> ReadingError:
    """A table of past cases of which nothing but the outcome is known."""
    return ReadingError(
        f"{source} has no column to compare cases by, beside the target {target!r} and ignored ones. Add columns, "
        "ignore fewer, or name the right delimiter."
    )
