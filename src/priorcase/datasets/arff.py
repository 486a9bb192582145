"""Read ARFF files, the format of Weka.

Nominal columns can only contain the values declared in the header. An unquoted ``?`` is a missing value, and a percent
sign outside quotation marks begins a comment. A value that is omitted from a sparse row is 0 or the first declared
value. A row is first split at commas or tabs. An unquoted field can then contain spaces and, after its first
character, quotation marks. If this gives the wrong number of fields, the row is split again by the rule of Weka, at any
sequence of blanks and commas.
"""

from __future__ import annotations

import re
from array import array
from contextlib import suppress
from itertools import chain

from priorcase.datasets.budget import Budget
from priorcase.datasets.delimited import RawTable, check_names, numbered_lines, runs
from priorcase.datasets.values import Meaning, text_of
from priorcase.exceptions import ReadingError

Field = str | None
Token = tuple[str, bool, bool]
"""A token of a line: its text, whether it is a brace, and whether it is quoted."""

_BLANK = "".join(map(chr, range(33)))  # all characters that Weka treats as blanks
_KEYWORD = re.compile(r"@[^\0- ,'\"%{}]*")
_ATTRIBUTE = re.compile(
    r"""[\0- ,]*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\0- ,{'"][^\0- ,{]*))[\0- ,]*(.*)""", re.S
)
_TYPE = re.compile(r"""(['"]?)([a-z]+)\1(?=[\0- ,%{[(]|$)""", re.I)
_SPECIAL = re.compile(r"""['"%\t{\\]""")
_BLANKS = r"[\0- ]*"
_QUOTED = r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\""""
_SPARSE = re.compile(r"[\r\n][\0- ,]*\{")
_FIELD = re.compile(rf"{_BLANKS}(?:{_QUOTED}|([^,%'\"\0- ][^,\t%]*))?({_BLANKS})", re.S)
_FIELD_IN_BRACES = re.compile(rf"{_BLANKS}(?:{_QUOTED}|([^,%'\"\0- {{}}][^,\t%{{}}]*))?({_BLANKS})", re.S)
_TOKEN = re.compile(rf"{_QUOTED}|([^\0- ,'\"%{{}}]+)|([{{}}])|(['\"%])", re.S)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[0-7]{1,3}|.)", re.S)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "b": "\b", "v": "\v", "a": "\a"}
_QUOTE_HINT = r"Write a quotation mark inside quotation marks as \' or \"."
_EMPTY_FIELD = "a field is empty. Write ? for a missing value, or '' for an empty string."
_ATTRIBUTE_HINT = "Declare a column as in '@attribute size {small, large}' or '@attribute age numeric'."
_IGNORED = ("@relation", "@inputs", "@input", "@outputs", "@output")
_NOT_CLOSED = f"a quotation mark is not closed. {_QUOTE_HINT}"
_WEIGHTS = "row weights are not supported. Store the weights in a column, and pass that column to fit as sample_weight."
_LONG = 2**16  # characters of a row that is checked before it is split
_DECLARED = 32  # characters of a long declared value
_NAN = ("NaN", "nan")
_OPEN, _CLOSE = ("{", True, False), ("}", True, False)
_PARTS_HINT = "An ARFF file has a line '@attribute NAME TYPE' for each column, then '@data', then the rows."


class MalformedError(Exception):
    """Error in a line of a file; the caller reports it as a `ReadingError` with the file name and the line number."""


def check_width(source: str, line: int, fields: int, expected: int) -> None:
    """Raise an error if a row does not have as many fields as the header."""
    if fields != expected:
        raise ReadingError(
            f"{source} line {line} has {fields} field{'s' * (fields != 1)}; its header has {expected}. Write ? "
            "for a missing value, and quote or escape commas within a field."
        )


def check_declarations(characters: int, budget: Budget) -> None:
    """Check the length of the declarations of the columns before their values are split."""
    budget.check_parts(characters // _DECLARED, "declared values")


def check_record(record: str, budget: Budget) -> None:
    """Check the number of fields of a long line before it is split."""
    if len(record) > _LONG:
        budget.check_parts(record.count(",") + record.count(" ") + record.count("\t"))


def read_arff(text: str, budget: Budget) -> RawTable:
    """Return the fields of an ARFF file as strings, and the declarations in the header."""
    source = budget.source
    lines, line = numbered_lines(text), 1
    characters = 0  # of all declarations
    declared: list[tuple[str, Meaning]] = []
    spaced: dict[str, Meaning] = {}
    rows: list[list[Field]] = []
    begins = array("q")
    try:
        for line, record in lines:
            word = record.strip().strip(_BLANK + ",")
            if not word or word.startswith("%"):
                continue
            found = _KEYWORD.match(word)
            keyword, rest = (found[0].lower(), word[found.end() :]) if found else ("", word)
            if keyword == "@data":
                lines = chain([(line, rest)], lines)  # the first row may be on the same line
                break
            if keyword == "@attribute":
                characters += len(rest)
                check_declarations(characters, budget)
                budget.check_table(0, len(declared) + 1)
                name, (meaning, *others) = _arff_attribute(rest)
                declared.append((name, meaning))
                for other in others:
                    spaced[name] = other
            elif keyword not in _IGNORED:
                raise MalformedError(f"unexpected {word[:40]!r} before @data. {_PARTS_HINT}")
        else:
            raise ReadingError(f"{source} is not valid ARFF: there is no line '@data'. {_PARTS_HINT}")
        if not declared:
            raise ReadingError(f"{source} is not valid ARFF: there is no line '@attribute'. {_PARTS_HINT}")
        check_names([name for name, _ in declared], source)
        meanings = dict(declared)
        if text.count("{") * len(meanings) > budget.most_cells:  # all fields of a sparse row are stored
            budget.check_table(sum(1 for _ in _SPARSE.finditer(text)), len(meanings))
        for line, record in lines:
            check_record(record, budget)
            budget.check_table(len(rows), len(meanings))
            if fields := _arff_row(record, meanings):
                check_width(source, line, len(fields), len(meanings))
                rows.append(fields)
                begins.append(line)
    except MalformedError as error:
        raise ReadingError(f"{source} line {line} is not valid ARFF: {error}") from None
    columns = dict(zip(meanings, zip(*rows, strict=True) if rows else [()] * len(meanings), strict=True))
    for name, column in columns.items():
        if name in spaced and not {*column} <= {None, *(meanings[name].values or ())}:
            meanings[name] = spaced[name]
        if meanings[name].kind == "numeric" and any(word in column for word in _NAN):  # Weka's missing value
            columns[name] = tuple(None if field in _NAN else field for field in column)
    texts = {name: text_of(column) for name, column in columns.items()}
    return RawTable(source, texts, len(rows), runs(begins), meanings)


def _arff_attribute(rest: str) -> tuple[str, list[Meaning]]:
    """Return the name and the possible meanings (in the order to try) of a column declared by ``@attribute``."""
    found = _ATTRIBUTE.match(rest)
    name = "" if found is None else found[3] or _ESCAPE.sub(_unescaped, found[1] or found[2] or "")
    if found is None or not name:
        raise MalformedError(f"an attribute has no name or no type. {_ATTRIBUTE_HINT}")
    rest = found[4]
    if rest.startswith("{"):
        return name, _nominal(rest, name)
    told = _TYPE.match(rest)
    kind, after = (told[2].lower(), rest[told.end() :].strip(_BLANK + ",")) if told else ("", "")
    if kind in ("numeric", "real", "integer"):  # Weka ignores what follows, such as a range
        return name, [Meaning("numeric", decimal=".", thousands="")]
    if kind == "string":
        return name, [Meaning("nominal")]
    if kind == "date":
        form = _tokens(after)[0][0] if after.startswith(("'", '"')) else after.partition("%")[0].strip() or None
        return name, [Meaning("date", format=java_format(form, name))]
    if kind == "relational":
        raise MalformedError(
            f"{name!r} is relational (a table within each row), which is not supported. Remove the attribute."
        )
    raise MalformedError(f"{name!r} has the type {rest[:40]!r}, which is not supported. {_ATTRIBUTE_HINT}")


def _nominal(braces: str, name: str) -> list[Meaning]:
    """Return the possible meanings of a nominal column, with the values split by the rule of Weka or at commas."""
    found: list[tuple[str, ...]] = []
    wrong = MalformedError(f"the values of {name!r} are not distinct. {_ATTRIBUTE_HINT}")
    for between_commas in (False, True):
        try:
            words = arff_fields(braces, braces=True) if between_commas else [word for word, *_ in _braced(braces)]
        except MalformedError as error:
            wrong = error
            continue
        values = tuple("?" if word is None else word for word in words)
        if len(set(values)) == len(values) and values not in found:
            found.append(values)
    if not found:
        raise wrong
    return [Meaning("nominal", values=values) for values in found]


def java_format(form: str | None, name: str = "") -> str:
    """Translate a date format of Java's SimpleDateFormat to ``strptime``; None means ISO 8601.

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
            raise MalformedError(
                f"{name!r} has the date format {form!r}, in which {letter!r} is not supported. Declare the column as "
                "string, or write its dates in another format."
            )
        found += codes[letter]
    return found


def _arff_row(record: str, meanings: dict[str, Meaning]) -> list[Field]:
    """Return the fields of a line, or an empty list if the line is blank or a comment."""
    record = record.strip(_BLANK + ",")
    if not record or record.startswith("%"):
        return []
    if _SPECIAL.search(record) is None:  # nearly every row
        fields: list[Field] = [None if (bare := field.strip()) == "?" else bare for field in record.split(",")]
        if len(fields) == len(meanings) and "" not in fields:
            return fields
    if record.startswith("{"):
        return _sparse_row(_braced(record), meanings)
    wrong, fields = None, []
    try:
        fields = arff_fields(record)
    except MalformedError as error:
        wrong = error
    if len(fields) != len(meanings):
        with suppress(MalformedError):
            tokens = _tokens(record)
            if tokens[len(meanings) : len(meanings) + 1] == [_OPEN]:
                wrong = MalformedError(_WEIGHTS)
            elif len(tokens) == len(meanings) and _OPEN not in tokens:
                return [_field(token) for token in tokens]
        if wrong is not None:
            raise wrong
    return fields


def _sparse_row(tokens: list[Token], meanings: dict[str, Meaning]) -> list[Field]:
    """Return all fields of a sparse row, in which zeros and the first values of nominal columns are omitted."""
    fields: dict[int, Field] = {}
    for at in range(0, len(tokens), 2):
        place, value = tokens[at][0], tokens[at + 1 : at + 2]
        if not (place.isascii() and place.isdecimal() and value):
            raise MalformedError(
                f"{place!r} is not a position (from 0) followed by a value. Write {{POSITION VALUE, POSITION VALUE}}."
            )
        if int(place) in fields or int(place) >= len(meanings):
            raise MalformedError(
                f"a sparse row has a duplicate position, or a position beyond {len(meanings) - 1}. Positions start "
                "at 0."
            )
        fields[int(place)] = _field(value[0])
    for position, (name, meaning) in enumerate(meanings.items()):
        if position not in fields:
            if meaning.kind != "numeric" and not meaning.values:
                held = "a date" if meaning.kind == "date" else "text"
                raise MalformedError(
                    f"a sparse row omits {name!r}, which is {held}. Write the value, or ? for a missing value."
                )
            fields[position] = meaning.values[0] if meaning.values else "0"
    return [fields[position] for position in range(len(meanings))]


def _tokens(text: str) -> list[Token]:
    """Split a line into words and braces, as Weka does; ignore a comment at the end of the line."""
    tokens: list[Token] = []
    for single, double, word, brace, mark in _TOKEN.findall(text):
        if mark == "%":
            break
        if mark:
            raise MalformedError(_NOT_CLOSED)
        if word or brace:
            tokens.append((word or brace, bool(brace), False))
        else:
            tokens.append((_ESCAPE.sub(_unescaped, single or double), False, True))
    return tokens


def _braced(text: str) -> list[Token]:
    """Return the words between the braces at the start of a line; words are split by the rule of Weka."""
    tokens = _tokens(text)
    if _CLOSE not in tokens:
        raise MalformedError("a brace is not closed. Close it on the line where it is opened.")
    end = tokens.index(_CLOSE)
    if after := tokens[end + 1 :]:
        follows = (
            _WEIGHTS
            if after[0] == _OPEN
            else f"{after[0][0]!r} follows the closing brace. Remove it, or put % before it."
        )
        raise MalformedError(follows)
    if _OPEN in tokens[1:end]:
        raise MalformedError("braces are nested. Quote values that contain a brace.")
    return tokens[1:end]


def _field(token: Token) -> Field:
    return None if token == ("?", False, False) else token[0]


def arff_fields(text: str, *, braces: bool = False) -> list[Field]:
    """Split a line at commas or tabs, ignoring a trailing comment; if ``braces``, split only the list in braces."""
    fields: list[Field] = []
    at, more, empty = int(braces), True, False
    while more:
        found = (_FIELD_IN_BRACES if braces else _FIELD).match(text, at)
        assert found is not None  # the pattern always matches, because all of its parts are optional
        single, double, word, blanks = found.groups()
        inside = single if single is not None else double
        value = (word or "").strip() if inside is None else _ESCAPE.sub(_unescaped, inside)
        empty |= not value and inside is None
        fields.append(None if value == "?" and inside is None else value)
        at = found.end()
        if braces and text.startswith("}", at):
            at, more = at + 1, False
        elif at == len(text) or text[at] == "%":
            if braces:
                raise MalformedError("a brace is not closed. Close it on the line where it is opened.")
            more = False
        elif text[at] == ",":
            at += 1
        elif "\t" not in blanks:
            if text[at] in "'\"" and not value and inside is None:
                raise MalformedError(_NOT_CLOSED)
            raise MalformedError(f"expected a comma before {text[at : at + 40]!r}. {_QUOTE_HINT}")
    if braces and (rest := text[at:].partition("%")[0].strip(_BLANK + ",")):
        raise MalformedError(f"{rest[:40]!r} follows the closing brace. Remove it, or put % before it.")
    if empty:
        raise MalformedError(_EMPTY_FIELD)
    return fields


def _unescaped(found: re.Match[str]) -> str:
    code = found[1]
    if len(code) == 5:
        return chr(int(code[1:], 16))
    return chr(int(code, 8)) if code[0] in "01234567" else _ESCAPES.get(code, code)
