"""Read C4.5 files, in which ``x.names`` describes the columns of ``x.data`` or ``x.test``.

A name ends at a comma, at a colon, at the end of a line, or at a period followed by a space or the end of a line.
A vertical bar begins a comment, and a backslash escapes the next character (Quinlan 1993, C4.5, section 1.2 of the
user's guide). Some extensions of C5.0 are supported. Columns of type ``label`` are ignored, ``[ordered]`` declares an
ordinal column, columns of type ``date`` or ``timestamp`` are dates, and the first line can name the target column.
"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from priorcase.datasets.arff import MalformedError, check_declarations, check_record, check_width
from priorcase.datasets.budget import Budget
from priorcase.datasets.delimited import RawTable, check_names, numbered_lines, runs
from priorcase.datasets.files import PACKED, Readable, contents
from priorcase.datasets.values import Meaning, text_of
from priorcase.exceptions import ReadingError

_CLASS = "class"  # the name of the target column, which has no name in C4.5
_ORDERED = "[ordered]"
_C45_TOKEN = re.compile(r"\|[^\n]*|\s+|((?:[^\\,:\n|.]+|\.(?![\s|])|\\[^\n]|\\(?=\n))*)([,:.]|(?=[\n|]))")
_C45_SPECIAL = re.compile(r"[|\\:]|\. |  ")
_C45_ESCAPE = re.compile(r"\\([^\n])")
_NAMES_HINT = "List the classes first, then the columns as 'NAME: continuous', 'NAME: ignore' or 'NAME: VALUE, VALUE'."


class C45Name(NamedTuple):
    """A name, the mark that ends the name (a comma, a colon, a period or a line end), and its line number."""

    text: str
    ends: str
    line: int


def read_c45(names: str, names_source: str, rows: str, budget: Budget) -> RawTable:
    """Return the fields of a C4.5 data file as strings, and the declarations in the ``.names`` file."""
    source = budget.source
    check_declarations(len(names), Budget(names_source, budget.max_bytes))
    meanings, target = read_c45_names(names, names_source)
    fields: list[list[str | None]] = []
    lines = array("q")
    for line, record in numbered_lines(rows):
        check_record(record, budget)
        budget.check_table(len(fields), len(meanings))
        if found := _c45_fields(record):
            check_width(source, line, len(found), len(meanings))
            if "" in found:
                raise ReadingError(
                    f"{source} line {line} is not valid for C4.5: a field is empty. Write ? for a missing value."
                )
            fields.append([None if field in ("?", "N/A") else field for field in found])
            lines.append(line)
    columns = list(zip(*fields, strict=True)) if fields else [()] * len(meanings)
    known = {name: meaning for name, meaning in meanings.items() if meaning.kind != "ignore"}
    texts = {name: text_of(column) for name, column in zip(meanings, columns, strict=True) if name in known}
    return RawTable(source, texts, len(fields), runs(lines), known, target)


def read_c45_names(text: str, source: str) -> tuple[dict[str, Meaning], str]:
    """Return the kinds of the columns described by a ``.names`` file, and the name of the target."""
    try:
        classes, *attributes = _c45_entries(c45_names(text))
        for name, *_ in attributes:
            if name.ends != ":":
                raise MalformedError(f"{name.text!r} is not followed by a colon", name.line)
        check_names([name.text for name, *_ in attributes], source)
        kinds = {name.text: _c45_meaning(name, values) for name, *values in attributes}
        first = classes[0]
        if first.ends == ":":
            raise MalformedError("the first line does not list the classes", first.line)
        if len(classes) == 1 and first.text in kinds:
            if kinds[first.text].kind == "ignore":
                raise MalformedError(f"the target {first.text!r} is declared as ignored", first.line)
            return kinds, first.text
        if _CLASS in kinds:
            raise MalformedError(f"a column is called {_CLASS!r}, but this is the name of the target", first.line)
        return {**kinds, _CLASS: _c45_values(classes)}, _CLASS
    except MalformedError as error:
        problem, line = error.args
        raise ReadingError(f"{source} line {line} is not valid for C4.5: {problem}. {_NAMES_HINT}") from None


def _c45_entries(names: Sequence[C45Name]) -> list[list[C45Name]]:
    """Group names into entries; each entry is the list of classes, or an attribute followed by its values."""
    entries: list[list[C45Name]] = []
    going_on = False
    for name in names:
        if name.ends == ":" and going_on:
            raise MalformedError(f"{name.text!r} is followed by a colon in a list of values", name.line)
        if going_on:
            entries[-1].append(name)
        else:
            entries.append([name])
        going_on = name.ends in (",", ":")
    if not entries:
        raise MalformedError("there are no classes", 1)
    return entries


def _c45_meaning(name: C45Name, values: Sequence[C45Name]) -> Meaning:
    if not values:
        raise MalformedError(f"{name.text!r} has no values", name.line)
    word = values[0].text
    if len(values) > 1 or word.startswith(_ORDERED):
        return _c45_values(values)
    if word == "continuous":
        return Meaning("numeric", decimal=".", thousands="")
    if word in ("ignore", "label"):
        return Meaning("ignore")
    if word in ("date", "timestamp"):
        return Meaning("date", format="ymd")
    if word == "time" or word.split()[:1] == ["discrete"]:
        return Meaning("nominal")
    raise MalformedError(f"{name.text!r} has only one value, {word!r}, which is not a type", name.line)


def _c45_values(values: Sequence[C45Name]) -> Meaning:
    words = [value.text for value in values]
    ordered = words[0].startswith(_ORDERED)
    words[0] = words[0].removeprefix(_ORDERED).strip()
    if "" in words or len(set(words)) < len(words):
        raise MalformedError(f"the values {', '.join(words)} are not distinct", values[0].line)
    return Meaning("ordinal" if ordered else "nominal", values=tuple(words))


def _c45_fields(record: str) -> list[str]:
    """Return the fields of one row of a data file."""
    if _C45_SPECIAL.search(record):
        return [name.text for name in c45_names(record)]
    record = record.strip().removesuffix(".")
    return [field.strip() for field in record.split(",")] if record else []


def c45_names(text: str) -> list[C45Name]:
    """Return the names in a string, in order; several spaces within a name are read as one space."""
    names, line = [], 1
    for found in _C45_TOKEN.finditer(text.replace("\r\n", "\n").replace("\r", "\n") + "\n"):
        word, ends = found.groups()
        if ends is None:  # a comment, or spaces
            line += found[0].count("\n")
        else:
            word = _C45_ESCAPE.sub(r"\1", word) if "\\" in word else word
            names.append(C45Name(" ".join(word.split()), ends or "\n", line))
    return names


def c45_files(source: Readable, content: bytes, budget: Budget) -> tuple[tuple[Budget, bytes], tuple[Budget, bytes]]:
    """Return the limits and contents of the ``.names`` file and of the data file, given the path of either file."""
    called = budget.source
    if not isinstance(source, str | os.PathLike):
        raise ReadingError(
            f"{called} cannot be read as C4.5 from an open file, because a .names file in the same folder is needed. "
            "Pass the path of the file."
        )
    path = Path(source)
    stem = path.with_suffix("") if path.suffix.lower() in PACKED else path
    about, rows = (_beside(stem, suffix) for suffix in (".names", ".data"))
    if stem.suffix.lower() == ".names":
        if rows is None:
            data = stem.with_suffix(".data").name
            problem = f"{called} describes the columns of {data}, which is not in the same folder"
            raise ReadingError(f"{problem}. Add the data file, or pass another file that contains the rows.")
        about, (budget, content) = path, contents(rows, max_bytes=budget.max_bytes)
    if about is None:
        names = stem.with_suffix(".names").name
        problem = f"{called} needs {names} in the same folder, to describe the columns"
        raise ReadingError(f"{problem}. Add the .names file, or pass format='csv' to read a CSV file.")
    return contents(about, max_bytes=budget.max_bytes), (budget, content)


def _beside(stem: Path, suffix: str) -> Path | None:
    """Return the path of ``stem`` with another suffix if such a plain or compressed file exists, otherwise None."""
    other = stem.with_suffix(suffix)
    names = (other.name, *(f"{other.name}{suffix}" for suffix in PACKED))
    return next((path for path in map(other.with_name, names) if path.is_file()), None)
