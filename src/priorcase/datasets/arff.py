"""Tables from ARFF files, Weka's format: a header that says what each column means, then the rows.

Read as Weka reads them: nominal columns have the values of the header and no others, ``?`` is a gap unless quoted, a
percent sign outside quotation marks begins a comment, and what a sparse row leaves out is 0 or the first value. Unlike
Weka, a word may hold quotation marks and spaces. Text columns are nominal; dates are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import partial

from priorcase.datasets.arff_fields import ArffField, BrokenLineError, braced, listed_fields
from priorcase.datasets.delimited import check_names
from priorcase.datasets.errors import field_count, invalid_arff
from priorcase.datasets.text_table import Field, TextTable
from priorcase.exceptions import ReadingError
from priorcase.schema import Kind, Nominal, Numeric

__all__ = ["read_arff"]

_ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)\s*(.*)""", re.I | re.S)
_NUMERIC = ("numeric", "real", "integer")
_SPECIAL = re.compile(r"""['"%\t{\\]""")


def read_arff(text: str, source: str, *, missing: Collection[str] = ()) -> TextTable:
    """The fields of an ARFF file as text, with the kinds that its header declares.

    Examples
    --------
    >>> read_arff("@relation r\\n@attribute age real\\n@attribute size {S, L}\\n@data\\n7, S\\n?, L\\n", "shoes.arff")
    shoes.arff: 2 rows
       age   numeric             1 gap
       size  nominal ('S', 'L')
    """
    lines = enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1)
    kinds = _header(lines, source)
    rows: list[list[Field]] = []
    begins: list[int] = []
    for line, record in lines:
        if (fields := _row(record, kinds, source, line)) is not None:
            rows.append(fields)
            begins.append(line)
    gaps = set(missing)
    columns = [tuple(None if field in gaps else field for field in column) for column in zip(*rows, strict=True)]
    table = TextTable(source, tuple(kinds), tuple(columns) or ((),) * len(kinds), tuple(begins), kinds)
    table.check_levels(kinds)
    return table


def _header(lines: Iterator[tuple[int, str]], source: str) -> dict[str, Kind]:
    """What each column means; the lines go on after ``@data``."""
    named: list[tuple[str, Kind]] = []
    for line, record in lines:
        word = record.strip()
        if not word or word.startswith("%"):
            continue
        keyword = word.split()[0].lower()
        if keyword == "@data":
            break
        if keyword == "@attribute":
            named.append(_attribute(word, source, line))
        elif keyword != "@relation":
            hint = "An ARFF header has lines that begin with @relation, @attribute and @data, and comments after %."
            raise invalid_arff(source, line, f"{word[:40]!r} stands before @data", hint=hint)
    else:
        raise ReadingError(
            f"{source} is not valid ARFF: there is no line '@data'. An ARFF file has a line '@attribute NAME TYPE' for "
            "each column, then '@data', then the rows."
        )
    if not named:
        raise ReadingError(
            f"{source} is not valid ARFF: there is no line '@attribute'. An ARFF file has a line '@attribute NAME "
            "TYPE' for each column, then '@data', then the rows."
        )
    check_names([name for name, _ in named], source)
    return dict(named)


def _attribute(word: str, source: str, line: int) -> tuple[str, Kind]:
    """The name and the kind that a line of the header declares."""
    hint = "For example @attribute size {small, large}, or @attribute age numeric."
    if (found := _ATTRIBUTE.match(word)) is None:
        raise invalid_arff(source, line, "an attribute has no name and type", hint=hint)
    name, rest = listed_fields(found[1])[0].text, found[2].strip()
    if rest.startswith("{"):
        values = _values(braced, rest, source, line)
        if not values or None in values or len(set(values)) < len(values):
            problem = f"the values of {name!r} are not some different ones"
            raise invalid_arff(source, line, problem, hint=hint)
        return name, Nominal(tuple(str(value) for value in values))
    kind = rest.partition("%")[0].strip().lower()
    if kind in _NUMERIC:
        return name, Numeric()
    if kind == "string":
        return name, Nominal()
    if kind.split()[:1] == ["date"]:
        raise ReadingError(
            f"{source} has column {name!r} as date; expected numbers, text or categories. Say what the date means "
            "here: a number such as days since a reference date, or a category such as the month or the weekday."
        )
    raise invalid_arff(source, line, f"{name!r} has the type {rest[:40]!r}, which has no reading here", hint=hint)


def _row(record: str, kinds: dict[str, Kind], source: str, line: int) -> list[Field] | None:
    """The fields of one line; None where it has none."""
    if _SPECIAL.search(record) is None:
        fields: list[Field] = [None if (bare := field.strip()) == "?" else bare for field in record.split(",")]
        if fields == [""]:
            return None
        if "" in fields:
            raise _empty(source, line)
    else:
        record = record.strip()
        if not record or record.startswith("%"):
            return None
        if record.startswith("{"):
            return _sparse(record, kinds, source, line)
        fields = _values(listed_fields, record, source, line)
    if len(fields) == len(kinds) + 1 and (fields[-1] or "").startswith("{"):
        hint = "Give weights a column of their own, and hand them to fit as sample_weight."
        raise invalid_arff(source, line, "rows with weights are not read", hint=hint)
    if len(fields) != len(kinds):
        raise field_count(source, line, len(fields), len(kinds))
    return fields


def _sparse(record: str, kinds: dict[str, Kind], source: str, line: int) -> list[Field]:
    """A row that lists only what is not 0, or not the first value."""
    found = _checked(partial(braced, positions=True), record, source, line)
    fields: dict[int, Field] = {field.position or 0: _known(field) for field in found}
    if len(fields) < len(found) or max(fields, default=0) >= len(kinds):
        problem = f"a sparse row has a position twice, or one beyond {len(kinds) - 1}"
        raise invalid_arff(source, line, problem, hint="Positions are counted from 0.")
    for position, (name, kind) in enumerate(kinds.items()):
        if position not in fields:
            if kind == Nominal():
                problem = f"a sparse row leaves out {name!r}, which is text"
                raise invalid_arff(source, line, problem, hint="Write its value, or ? for a gap.")
            fields[position] = str(kind.values[0]) if isinstance(kind, Nominal) and kind.values else "0"
    return [fields[position] for position in range(len(kinds))]


def _values(divide: Callable[[str], list[ArffField]], text: str, source: str, line: int) -> list[Field]:
    return [_known(field) for field in _checked(divide, text, source, line)]


def _checked(divide: Callable[[str], list[ArffField]], text: str, source: str, line: int) -> list[ArffField]:
    """The fields of a text; an error that names the line where there are none, or one is empty."""
    try:
        found = divide(text)
    except BrokenLineError as error:
        raise invalid_arff(source, line, error.problem, hint=error.hint) from None
    if any(not field.text and not field.quoted for field in found):
        raise _empty(source, line)
    return found


def _known(field: ArffField) -> Field:
    return None if field.text == "?" and not field.quoted else field.text


def _empty(source: str, line: int) -> ReadingError:
    return invalid_arff(source, line, "a field is empty", hint="Write ? for a gap, '' for text without letters.")
