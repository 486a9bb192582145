"""ARFF, read as Weka reads it.

Nominal columns have the values of the header and no others, ``?`` is missing unless quoted, a percent sign outside
quotation marks begins a comment, what a sparse row leaves out is 0 or the first value, and blanks divide fields where
commas do not. Unlike in Weka, a word between commas may hold quotation marks and spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from priorcase.datasets.delimited import RawTable, check_names, runs
from priorcase.datasets.values import Meaning, text_of
from priorcase.exceptions import ReadingError

Field = str | None

_ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)\s*(.*)""", re.I | re.S)
_SPECIAL = re.compile(r"""['"%\t{\\]""")
_BLANKS = r"[ \t\f\v]*"
_QUOTED = r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\""""
_FIELD = re.compile(rf"{_BLANKS}(?:{_QUOTED}|([^,\t%'\"\s][^,\t%]*))?({_BLANKS})", re.S)
_FIELD_IN_BRACES = re.compile(rf"{_BLANKS}(?:{_QUOTED}|([^,\t%'\"\s{{}}][^,\t%{{}}]*))?({_BLANKS})", re.S)
_POSITION = re.compile(rf"{_BLANKS}(\d+)[ \t]+")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[0-7]{1,3}|.)", re.S)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "b": "\b", "v": "\v", "a": "\a"}
_QUOTE_HINT = r"Write a quotation mark inside quotation marks as \' or \"."
_EMPTY_FIELD = "a field is empty. Write ? for a missing value, '' for empty text."
_ATTRIBUTE_HINT = "For example @attribute size {small, large}, or @attribute age numeric."
_IGNORED = ("@relation", "@inputs", "@input", "@outputs", "@output")
_BLANK_FIELD = re.compile(rf"{_QUOTED}|([^\s,'\"%]+)|[\s,]+|(.)", re.S)
_PARTS_HINT = "An ARFF file has a line '@attribute NAME TYPE' for each column, then '@data', then the rows."


class MalformedError(Exception):
    """What is wrong with a line, and where the reader does not know it, the line."""


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines and their numbers; a form feed or a Unicode separator ends no line."""
    return enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1)


def check_width(source: str, line: int, fields: int, expected: int) -> None:
    """Raise unless a row has as many fields as the header."""
    if fields != expected:
        raise ReadingError(
            f"{source} line {line} has {fields} field{'s' * (fields != 1)}; its header has {expected}. Put fields that "
            "hold the delimiter between quotation marks, or name the right delimiter."
        )


def read_arff(text: str, source: str) -> RawTable:
    """The fields of an ARFF file as text, with what its header declares."""
    lines, line = numbered_lines(text), 1
    declared: list[tuple[str, Meaning]] = []
    rows: list[list[Field]] = []
    begins: list[int] = []
    try:
        for line, record in lines:  # noqa: B007 (the error names it)
            if not (word := record.strip()) or word.startswith("%"):
                continue
            keyword = word.split()[0].lower()
            if keyword == "@data":
                break
            if keyword == "@attribute":
                declared.append(_arff_attribute(word))
            elif keyword not in _IGNORED:
                raise MalformedError(f"{word[:40]!r} stands before @data. {_PARTS_HINT}")
        else:
            raise ReadingError(f"{source} is not valid ARFF: there is no line '@data'. {_PARTS_HINT}")
        if not declared:
            raise ReadingError(f"{source} is not valid ARFF: there is no line '@attribute'. {_PARTS_HINT}")
        check_names([name for name, _ in declared], source)
        meanings = dict(declared)
        for line, record in lines:
            if fields := _arff_row(record, meanings):
                check_width(source, line, len(fields), len(meanings))
                rows.append(fields)
                begins.append(line)
    except MalformedError as error:
        raise ReadingError(f"{source} line {line} is not valid ARFF: {error}") from None
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(meanings)
    texts = {name: text_of(column) for name, column in zip(meanings, columns, strict=True)}
    return RawTable(source, texts, len(rows), runs(begins), meanings)


def _arff_attribute(word: str) -> tuple[str, Meaning]:
    """The name of a column and what a line of the header says that it means."""
    if (found := _ATTRIBUTE.match(word)) is None:
        raise MalformedError(f"an attribute has no name and type. {_ATTRIBUTE_HINT}")
    name, rest = str(arff_fields(found[1])[0][1]), found[2].strip()
    if not name or name == "None":
        raise MalformedError(f"an attribute has no name and type. {_ATTRIBUTE_HINT}")
    if rest.startswith("{"):
        values = [value for _, value in arff_fields(rest.replace(",}", "}"), braces=True)]
        if not values or None in values or len(set(values)) < len(values):
            raise MalformedError(f"the values of {name!r} are not distinct ones. {_ATTRIBUTE_HINT}")
        return name, Meaning("nominal", values=tuple(map(str, values)))
    kind = rest.partition("%")[0].strip()
    if re.fullmatch(r"(?i)(?:numeric|real|integer)\s*(?:[\[(].*)?", kind):  # a range, which Weka reads and ignores
        return name, Meaning("numeric", decimal=".", thousands="")
    if kind.lower() == "string":
        return name, Meaning("nominal")
    if told := re.fullmatch(r"(?is)date(?:\s+(.+))?", kind):
        return name, Meaning("date", format=java_format(told[1] and str(arff_fields(rest[4:].strip())[0][1]), name))
    if kind.lower() == "relational":
        raise MalformedError(f"{name!r} is relational: a table within each row, which no table of columns can hold.")
    raise MalformedError(f"{name!r} has the type {rest[:40]!r}, which is not supported. {_ATTRIBUTE_HINT}")


def java_format(form: str | None, name: str = "") -> str:
    """The format of ``strptime`` for one of Java's SimpleDateFormat; ISO 8601 if there is none.

    >>> java_format("dd.MM.yy 'at' HH:mm")
    '%d.%m.%y at %H:%M'
    """
    parts = re.findall(r"'((?:[^']|'')*)'|(([A-Za-z])\3*)|([^A-Za-z']+)", form or "yyyy-MM-dd'T'HH:mm:ss")
    found = ""
    for literal, run, letter, other in parts:
        if not run:
            found += (literal.replace("''", "'") + other).replace("%", "%%")
            continue
        codes = {"y": "%y" if len(run) == 2 else "%Y", "M": "%m" if len(run) < 3 else "%b" if len(run) == 3 else "%B"}
        codes |= {"d": "%d", "H": "%H", "h": "%I", "m": "%M", "s": "%S", "S": "%f", "a": "%p", "Z": "%z", "X": "%z"}
        codes |= {"D": "%j", "E": "%a" if len(run) < 4 else "%A", "z": "%z", "k": "%H", "K": "%I", "u": "%u", "Y": "%Y"}
        if letter not in codes:
            raise MalformedError(f"{name!r} has the date format {form!r}, in which {letter!r} is not known.")
        found += codes[letter]
    return found


def _arff_row(record: str, meanings: dict[str, Meaning]) -> list[Field]:
    """The fields of one line; none where it is empty."""
    record = record.strip()
    if not record or record.startswith("%"):
        return []
    if _SPECIAL.search(record) is None and not record.endswith(","):  # nearly every row
        fields: list[Field] = [None if (bare := field.strip()) == "?" else bare for field in record.split(",")]
        if len(fields) == len(meanings) and "" not in fields:
            return fields
    if record.startswith("{"):
        return _sparse_row(arff_fields(record, braces=True, positions=True), meanings)
    if record.endswith(","):
        record = record.rstrip(", \t")
    try:
        fields = [value for _, value in arff_fields(record)]
    except MalformedError:
        if len(fields := _blank_fields(record)) == len(meanings):
            return fields
        raise
    if len(fields) != len(meanings):
        if len(fields) == len(meanings) + 1 and (fields[-1] or "").startswith("{"):
            raise MalformedError(
                "rows with weights are not read. Give weights a column, and pass it to fit as sample_weight."
            )
        if len(split := _blank_fields(record)) == len(meanings):
            return split
    return fields


def _blank_fields(record: str) -> list[Field]:
    """The fields of a line as Weka's tokenizer has them: blanks and commas alike divide them."""
    fields: list[Field] = []
    for single, double, word, other in _BLANK_FIELD.findall(record):
        if other == "%":
            break
        if other:
            return []
        if word:
            fields.append(None if word == "?" else word)
        elif single or double:
            fields.append(_ESCAPE.sub(_unescaped, single or double))
    return fields


def _sparse_row(found: list[tuple[int, Field]], meanings: dict[str, Meaning]) -> list[Field]:
    """A row that lists only what is not 0, or not the first value."""
    fields = dict(found)
    if len(fields) < len(found) or max(fields, default=0) >= len(meanings):
        raise MalformedError(
            f"a sparse row has a position twice, or one beyond {len(meanings) - 1}. They count from 0."
        )
    for position, (name, meaning) in enumerate(meanings.items()):
        if position not in fields:
            if meaning.kind != "numeric" and meaning.values is None:
                held = "a date" if meaning.kind == "date" else "text"
                raise MalformedError(f"a sparse row leaves out {name!r}, which is {held}. Write its value, or ?.")
            fields[position] = meaning.values[0] if meaning.values else "0"
    return [fields[position] for position in range(len(meanings))]


def arff_fields(text: str, *, braces: bool = False, positions: bool = False) -> list[tuple[int, Field]]:
    """The positions and values of the fields of a line, or of the braces it begins with, up to a comment."""
    fields: list[tuple[int, Field]] = []
    at, more, empty = int(braces), True, False
    if braces and text[1:].lstrip().startswith("}"):
        at, more = text.index("}") + 1, False
    while more:
        position = len(fields)
        if positions:
            if (numbered := _POSITION.match(text, at)) is None:
                here = text[at : at + 40].lstrip()
                raise MalformedError(f"{here!r} is not a position from 0 with its value: {{POSITION VALUE, ...}}.")
            position, at = int(numbered[1]), numbered.end()
        found = (_FIELD_IN_BRACES if braces else _FIELD).match(text, at)
        assert found is not None  # every part of it may be empty
        single, double, word, blanks = found.groups()
        inside = single if single is not None else double
        value = (word or "").strip() if inside is None else _ESCAPE.sub(_unescaped, inside)
        empty |= not value and inside is None
        fields.append((position, None if value == "?" and inside is None else value))
        at = found.end()
        if braces and text.startswith("}", at):
            at, more = at + 1, False
        elif at == len(text) or text[at] == "%":
            if braces:
                raise MalformedError("a brace is not closed. It must end on the line where it begins.")
            more = False
        elif text[at] == ",":
            at += 1
        elif "\t" not in blanks:
            if text[at] in "'\"" and not value and inside is None:
                raise MalformedError(f"a quotation mark is not closed. {_QUOTE_HINT}")
            raise MalformedError(f"{text[at : at + 40]!r} stands where a comma is expected. {_QUOTE_HINT}")
    if braces and (rest := text[at:].partition("%")[0].strip()):
        raise MalformedError(f"{rest[:40]!r} follows the closing brace. A comment begins with %.")
    if empty:
        raise MalformedError(_EMPTY_FIELD)
    return fields


def _unescaped(found: re.Match[str]) -> str:
    code = found[1]
    if len(code) == 5:
        return chr(int(code[1:], 16))
    return chr(int(code, 8)) if code[0] in "01234567" else _ESCAPES.get(code, code)
