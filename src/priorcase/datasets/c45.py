"""Tables of Quinlan's C4.5: a ``.names`` file that describes the columns, a ``.data`` or ``.test`` file of rows.

A name ends with a comma, a colon, a line or a period that a space or a line follows; ``|`` begins a comment and a
backslash takes the next character as it is (Quinlan 1993, C4.5, section 1.2 of the user's guide). Of what C5.0 adds,
``label`` is read as ``ignore``, ``[ordered]`` as an order, and a first line that names a column makes it the target.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from priorcase.datasets.c45_names import Name, names_of
from priorcase.datasets.delimited import check_names
from priorcase.datasets.errors import field_count, invalid_names
from priorcase.datasets.text_table import Field, TextTable
from priorcase.exceptions import ReadingError
from priorcase.schema import Kind, Nominal, Numeric, Ordinal

__all__ = ["Columns", "read_c45", "read_names"]

CLASS = "class"
"""The column of the classes, which have no name in C4.5."""
_DATES = ("date", "time", "timestamp")
_ORDERED = "[ordered]"


@dataclass(frozen=True)
class Columns:
    """What a ``.names`` file says: a kind for each column of the rows, None for those to ignore, and the target."""

    kinds: dict[str, Kind | None]
    target: str


def read_c45(names: str, names_source: str, rows: str, source: str, *, missing: Collection[str] = ()) -> TextTable:
    """The fields of a C4.5 data file as text, with the kinds that the description of its columns declares.

    Columns to ignore are left out. The classes are the column ``"class"``.

    Examples
    --------
    >>> names = "no, yes.\\nage: continuous.\\nsize: S, L.\\n"
    >>> read_c45(names, "shoes.names", "7, S, yes.\\n?, L, no.\\n", "shoes.data")
    shoes.data: 2 rows
       age    numeric                1 gap
       size   nominal ('S', 'L')
       class  nominal ('no', 'yes')  target
    """
    about = read_names(names, names_source)
    fields, lines = _rows(rows, len(about.kinds), source)
    gaps = {"?", *missing}
    columns = zip(*fields, strict=True) if fields else iter([()] * len(about.kinds))
    known: dict[str, tuple[Field, ...]] = {
        name: tuple(None if field in gaps else field for field in column)
        for name, column in zip(about.kinds, columns, strict=True)
        if about.kinds[name] is not None
    }
    kinds = {name: kind for name, kind in about.kinds.items() if kind is not None}
    table = TextTable(source, tuple(known), tuple(known.values()), tuple(lines), kinds, about.target)
    table.check_levels(kinds)
    return table


def read_names(text: str, source: str) -> Columns:
    """What a ``.names`` file says about the columns."""
    entries = _entries(names_of(text), source)
    if not entries:
        raise invalid_names(source, 1, "there are no classes")
    classes, *attributes = entries
    if any(entry[0].ends != ":" for entry in attributes):
        entry = next(entry for entry in attributes if entry[0].ends != ":")
        raise invalid_names(source, entry[0].line, f"{entry[0].text!r} is followed by no colon")
    check_names([entry[0].text for entry in attributes], source)
    kinds = {entry[0].text: _kind(entry, source) for entry in attributes}
    if classes[0].ends == ":":
        raise invalid_names(source, classes[0].line, "the first line does not list the classes")
    if len(classes) == 1 and classes[0].text in kinds:
        target = classes[0].text
        if kinds[target] is None:
            raise invalid_names(source, classes[0].line, f"the target {target!r} is to be ignored")
        return Columns(kinds, target)
    if CLASS in kinds:
        raise invalid_names(source, classes[0].line, f"a column is called {CLASS!r}, as the classes are here")
    return Columns({**kinds, CLASS: _values(classes, source)}, CLASS)


def _entries(names: Sequence[Name], source: str) -> list[list[Name]]:
    """Names in groups: what a colon or commas hold together."""
    entries: list[list[Name]] = []
    going_on = False
    for name in names:
        if name.ends == ":" and going_on:
            raise invalid_names(source, name.line, f"{name.text!r} stands before a colon among values")
        if going_on:
            entries[-1].append(name)
        else:
            entries.append([name])
        going_on = name.ends in (",", ":")
    return entries


def _kind(entry: Sequence[Name], source: str) -> Kind | None:
    name, *values = entry
    if not values:
        raise invalid_names(source, name.line, f"{name.text!r} has no values")
    if len(values) > 1 or values[0].text.startswith(_ORDERED):
        return _values(values, source)
    word = values[0].text
    if word == "continuous":
        return Numeric()
    if word in ("ignore", "label"):
        return None
    if word in _DATES:
        raise ReadingError(
            f"{source} has column {name.text!r} as {word}; expected numbers, text or categories. Say what the date "
            "means here: a number such as days since a reference date, or a category such as the month or the weekday."
        )
    if word.split()[:1] == ["discrete"]:
        return Nominal()
    raise invalid_names(source, name.line, f"{name.text!r} has {word!r} as its only value")


def _values(values: Sequence[Name], source: str) -> Kind:
    words = [value.text for value in values]
    ordered = words[0].startswith(_ORDERED)
    if ordered:
        words[0] = words[0].removeprefix(_ORDERED).strip()
    if "" in words or len(set(words)) < len(words):
        raise invalid_names(source, values[0].line, f"the values {', '.join(words)} are not different ones")
    return Ordinal(tuple(words)) if ordered else Nominal(tuple(words))


def _rows(text: str, width: int, source: str) -> tuple[list[list[str]], list[int]]:
    rows: list[list[str]] = []
    lines: list[int] = []
    for line, record in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1):
        fields = _divided(record)
        if not fields:
            continue
        if len(fields) != width:
            raise field_count(source, line, len(fields), width)
        if "" in fields:
            raise invalid_names(source, line, "a field is empty")
        rows.append(fields)
        lines.append(line)
    return rows, lines


def _divided(record: str) -> list[str]:
    """The fields of a row."""
    if "|" in record or "\\" in record or ":" in record or ". " in record or "  " in record:
        return [name.text for name in names_of(record)]
    record = record.strip().removesuffix(".")
    return [field.strip() for field in record.split(",")] if record else []
