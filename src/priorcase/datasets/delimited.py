"""Read delimited text files: detect encoding, delimiter and header, then split the fields.

Fields are split by the rules of Python's ``csv`` module. Large files are split by PyArrow, with the same result. If
PyArrow fails, the file is read by the slower ``csv`` module, which finds the invalid line.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from priorcase.datasets.budget import Budget
from priorcase.datasets.values import DATE, MISSING, NUMBER, text_of
from priorcase.exceptions import ParameterError, ReadingError, quoted

DELIMITERS = (",", ";", "\t", "|")
WORDS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
_BLOCK = 2**20  # characters that are split into lines at once
_SAMPLE = 2**16  # characters from which the delimiter is detected
_RECORDS = 200
_LINES = 4  # number of lines to examine, even if they have more characters
LARGE = 2**19  # minimum size in bytes for which PyArrow is faster
_LONGEST = 2**27
_BREAKS = 1_000  # maximum number of jumps in line numbers; with more jumps, messages give row numbers
_YEAR = re.compile(r"(?:19|20)\d\d")
_SHORTEST_CODE = 4
_TITLED = 3  # minimum number of fields below a title if the text could also be a single column
_INTEGER = re.compile(r"-?[0-9]{1,15}")
_FLOAT = re.compile(r"-?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?")
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}:[0-9]{2})?")
_MARGIN = re.compile(r"^[ \t]+|[ \t]+(?=\r?$)", re.M)
_QUOTED_OR_BLANKS = re.compile(r'("[^"\n]*")|[ \t]+')
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class RawTable(NamedTuple):
    """The columns of a file as Arrow columns, before their kinds are inferred."""

    source: str
    columns: dict[str, Any]
    rows: int
    lines: tuple[tuple[int, int], ...] = ()  # pairs (row, line number), see `runs`; empty if unknown
    # Kinds and values that the file declares for its columns.
    declared: dict[str, Any] = {}  # noqa: RUF012 (never changed)
    target: str | None = None
    # Format of the file.
    about: dict[str, Any] = {}  # noqa: RUF012


def runs(lines: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return a pair (row, line) for each row that does not begin on the line directly after the previous row.

    The first row always has a pair. The result is empty if there are more than 1000 pairs.
    """
    found: list[tuple[int, int]] = []
    expected = None
    for row, line in enumerate(lines):
        if line != expected:
            if len(found) == _BREAKS:
                return ()
            found.append((row, line))
        expected = line + 1
    return tuple(found)


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Number the lines of a text; form feeds and Unicode separators do not end a line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    start, number = 0, 1
    while (end := text.find("\n", start)) >= 0:
        yield number, text[start:end]
        start, number = end + 1, number + 1
    yield number, text[start:]


# -- encoding


def encoding_of(content: bytes) -> str:
    """Detect a UTF encoding by a byte-order mark, zero bytes or valid UTF-8; otherwise, return cp1252 or Latin-1."""
    if content.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    for mark, name in _MARKS:
        if content.startswith(mark):
            return name
    head = content[: 2**12]
    zeros = head[0::2].count(0), head[1::2].count(0)
    if max(zeros) > 0.3 * len(head) and min(zeros) < 0.05 * len(head):
        return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
    if content.isascii():
        return "utf-8"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        # Windows writes the euro sign and curly quotation marks where Latin-1 has control characters.
        with suppress(UnicodeDecodeError):
            if re.search(rb"[\x80-\x9f]", content):
                content.decode("cp1252")
                return "cp1252"
        return "latin-1"
    return "utf-8"


def decoded(content: bytes, name: str, encoding: str | None = None) -> tuple[str, str]:
    """Decode bytes; return the text without a byte-order mark, and the encoding."""
    if encoding is not None and not isinstance(encoding, str):
        raise ParameterError(f"encoding must be None or a name such as 'utf-8', got {quoted(encoding)}.")
    found = encoding_of(content) if encoding is None else encoding
    try:
        text = content.decode("utf-8-sig" if found.lower() in {"utf-8", "utf8"} else found)
        line = text.count("\n", 0, text.index("\0")) + 1 if "\0" in text else None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
    except (LookupError, ValueError) as error:  # not an encoding, or not a text encoding
        raise ReadingError(
            f"The encoding {encoding!r} is unknown. Common encodings are utf-8, utf-16, latin-1 and cp1252."
        ) from error
    if line is not None:
        raise ReadingError(
            f"{name} line {line} is not text in the encoding {found}. Save the file as UTF-8, or pass its encoding, "
            "such as latin-1 or utf-16."
        )
    return text.removeprefix("\ufeff"), found.removesuffix("-sig").lower()


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let Python's ``csv`` reader accept fields of up to 2**27 characters."""
    before = csv.field_size_limit(_LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)


# -- delimiter and header


def check_delimiter(delimiter: object) -> None:
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n\0':
        raise ParameterError(f"delimiter must be a single character such as ',' or ';', got {quoted(delimiter)}.")


def _head(content: str | bytes) -> str:
    """Return complete lines from the start of a text: about 65,536 characters, or more if the first line is long."""
    first = content.find("\n") if isinstance(content, str) else content.find(b"\n")
    size = max(_SAMPLE, _LINES * (first + 1)) if first >= 0 else len(content)
    head = content[:size] if isinstance(content, str) else content[:size].decode("utf-8", "ignore")
    return head[: head.rindex("\n") + 1] if len(content) > size else head


@_long_fields()
def _sample(head: str, delimiter: str) -> list[list[str]]:
    """Return the first 200 records of a text."""
    found: list[list[str]] = []
    with suppress(csv.Error):
        for record in csv.reader(io.StringIO(head, newline=""), delimiter=delimiter, skipinitialspace=True):
            if record:
                found.append([field.strip() for field in record])
            if len(found) == _RECORDS:
                break
    return found


def delimiter_of(text: str, usual: str = ",") -> str:
    """Return the delimiter that best splits all records into the same number of fields; ``usual`` if none is found."""
    best, found = (0.0, 0.0, 0), usual
    for mark in dict.fromkeys((usual, *DELIMITERS)):
        records = _sample(text, mark)
        width = len(records[0]) if records else 0
        if width < 2:
            continue
        alike = sum(len(record) == width for record in records) / len(records)
        fields = [field for record in records for field in record]
        # A field that contains another delimiter is a number with a decimal comma, or else this delimiter is wrong.
        clean = sum(NUMBER.match(field) is not None or not any(map(field.__contains__, DELIMITERS)) for field in fields)
        score = (round(alike, 1), round(clean / len(fields), 1), width)
        if score > best:
            best, found = score, mark
    return " " if (best[2] == 0 or found == "\t") and _blanks_divide(text, best[2]) else found


def _blanks_divide(text: str, width: int) -> bool:
    """Return whether blanks split the lines into equally many (> ``width``) fields, most of which are numbers."""
    records, lines = _sample(_with_tabs(text), "\t"), text.splitlines()
    first = len(records[0]) if records else 0
    records, lines = records[1:] or records, lines[1:] or lines  # the first may be a header
    fields = [field for record in records for field in record if field not in MISSING]
    if len({*map(len, records)}) != 1 or len(records[0]) <= max(width, 1) or not 0 <= len(records[0]) - first <= 1:
        return False
    if all(_typed(line.strip()) for line in lines):  # 1 234 or 5 May 2024 in a single column
        return False
    return 2 * sum(NUMBER.match(field) is not None for field in fields) > len(fields)


def _with_tabs(text: str) -> str:
    """Replace the blanks between fields by single tabs."""
    text = _MARGIN.sub("", text)
    return _QUOTED_OR_BLANKS.sub(lambda found: found[1] or "\t", text)


def has_header(records: Sequence[Sequence[str]]) -> bool:
    """Return whether the first record is a header, judging by the types of its fields and by fields repeated below."""
    first, body = records[0], records[1:]
    if not body:
        return not all(map(_typed, first))
    columns = [[record[at] for record in body if at < len(record)] for at in range(len(first))]
    columns = [[field for field in column if field and field not in MISSING] for column in columns]
    typed = [_typed(field) for field in first]
    named = [bool(field) and field not in MISSING for field in first]
    below = [bool(column) and 2 * sum(map(_typed, column)) > len(column) for column in columns]
    if any(typed):
        if any(there and not here and name for name, here, there in zip(named, typed, below, strict=True)):
            return True
        if not first[0] and len(set(first)) == len(first) > 2 and len(columns[0]) == len(body):
            return True  # levels as the header of a table of counts, with an empty name for the row names
        years = [field for field, here in zip(first, typed, strict=True) if here]
        return all(map(_YEAR.fullmatch, years)) and len(set(years)) == len(years) > 1 and not all(typed)
    if any(there and name for name, there in zip(named, below, strict=True)) or "" in first:
        return True
    repeated = sum(field in column for field, column in zip(first, columns, strict=True))
    return 2 * repeated < len(first) or len(body) < 2


def _typed(field: str) -> bool:
    return NUMBER.match(field) is not None or DATE.match(field) is not None


# -- fields


def read_delimited(
    content: str | bytes,
    budget: Budget,
    *,
    delimiter: str | None = None,
    usual: str = ",",
    header: bool | None = None,
    like: Mapping[str, Any] | None = None,
    texts: Collection[str] | None = None,
) -> RawTable:
    """Split a text, or undecoded UTF-8 bytes, into columns.

    In a large file, columns of plain numbers or ISO dates are converted. Columns in ``texts`` always stay strings; None
    means all columns. ``like`` contains the reading options of a reference table.
    """
    source = budget.source
    start, head = 1, _head(content)
    _check_head(head, budget)
    if told := re.match(r"sep=(.)\r?\n", head):  # declared as in Excel
        delimiter, content, head, start = delimiter or told[1], content[told.end() :], head[told.end() :], 2
    between = delimiter_of(head, usual) if delimiter is None else delimiter
    check_delimiter(between)
    mark = between
    if between == " ":
        content, mark = _with_tabs(content if isinstance(content, str) else decoded(content, source, "utf-8")[0]), "\t"
        head = _head(content)
    records = _sample(head, mark)
    if delimiter is None and header is None and len(records[:1] and records[0]) == 1 and _has_title(head, _TITLED):
        raise _title(source, start + head[: len(head) - len(head.lstrip())].count("\n"))
    if header is not False and _has_row_names(records):
        records[0].insert(0, "")
        content = mark + content if isinstance(content, str) else mark.encode() + content
    names = None if like is None else list(like["columns"])
    if header is None and records:
        known = names is not None and _is_like(records[0], names)
        header = has_header(records) if like is None else known or like.get("header") is not False
    first = [field.strip() for field in records[0]] if records else []
    budget.check_table(len(records), len(first))
    unnamed = [at for at, name in enumerate(first) if header and not name]
    if header:
        taken = set(first)
        labels = [name or free_name(at, taken) for at, name in enumerate(first)]
    elif names is not None and len(names) == len(first):
        labels = names
    else:
        labels = [free_name(at, ()) for at in range(len(first))]
    if len(content) > budget.most_cells:  # a cell has at least one byte, which is the delimiter
        _check_cells(content, mark, len(labels), bool(header), budget)
    columns, regular = None, True
    if len(content) >= LARGE and len(labels) == len(set(labels)) and mark.isascii():
        content = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        columns, regular = _split_fast(content, mark, labels, records, header=bool(header), texts=texts)
    if columns is None:
        text = content if isinstance(content, str) else decoded(content, source, "utf-8")[0]
        rows, lines, width = _split(text, budget, mark, start=start, header=header is not False)
        if not rows:
            raise ReadingError(
                f"{source} is empty; expected a header and one row per case. Check that this is the right file."
            )
        if header:
            rows, lines = rows[1:], _after_first(lines)
        columns = [text_of(column) for column in zip(*rows, strict=True)] or [text_of([]) for _ in range(width)]
    else:
        lines = ((0, start + bool(header)),)
        if not regular:
            text = content if isinstance(content, str) else content.decode("utf-8")
            lines = runs(_lines_of(text, mark, start))
            lines = _after_first(lines) if header else lines
    check_names(labels, source)
    about = {"delimiter": between, "header": bool(header)}
    found, n = dict(zip(labels, columns, strict=True)), len(columns[0])
    for label in [labels[at] for at in unnamed if n and _is_empty(columns[at])]:
        del found[label]  # empty, because each line ends with a delimiter
    if unnamed := [at for at in unnamed if labels[at] in found]:
        about["unnamed"] = [labels[at] for at in unnamed]
    return RawTable(source, found, n, lines, about=about)


def _check_head(head: str, budget: Budget) -> None:
    """Check the number of fields on the first line, and in the sample, for every delimiter that could be meant."""
    first = head[: head.find("\n") + 1] or head
    for mark in DELIMITERS:
        if '"' not in first:
            budget.check_table(1, first.count(mark) + 1)
    if len(head) <= _SAMPLE:
        return
    for mark in (*DELIMITERS, " "):
        budget.check_parts(head.count(mark) // _LINES)


def _check_cells(content: str | bytes, mark: str, columns: int, header: bool, budget: Budget) -> None:
    """Check the number of cells of a table: at most one for each delimiter and for each line."""
    if isinstance(content, str):
        cells = content.count(mark) + content.count("\n")
    else:
        cells = content.count(mark.encode()) + content.count(b"\n")
    budget.check_table(cells // columns - header, columns)


def _text_lines(text: str) -> Iterator[str]:
    """Yield the lines of a text with their ends, for Python's ``csv`` reader; only a part of the text is copied."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _BLOCK) + 1 or len(text)
        yield from io.StringIO(text[start:end], newline="")
        start = end


def checked_lines(lines: Iterable[str], mark: str, budget: Budget) -> Iterator[str]:
    """Yield lines; a line with very many fields raises an error before it is split."""
    for line in lines:
        if len(line) > _SAMPLE:
            budget.check_parts(line.count(mark))
        yield line


def _is_empty(column: Any) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(pc.equal(pc.utf8_trim_whitespace(pc.fill_null(column.cast("string"), "")), "")).as_py())


def _has_row_names(records: Sequence[Sequence[str]]) -> bool:
    """Return whether each row begins with a row name that has no column name in the header, as in files from R."""
    first, body = records[:1], records[1:]
    wider = len(body) > 1 and all(len(record) == len(first[0]) + 1 for record in body)
    return wider and len({record[0] for record in body}) == len(body) and any(record[-1] for record in body)


def free_name(at: int, taken: Iterable[str]) -> str:
    """Return a name, derived from the position, for a column without a name."""
    name = f"column_{at + 1}"
    while name in taken:
        name += "_"
    return name


def _is_like(first: Sequence[str], names: Sequence[str]) -> bool:
    return len({*first} & {*names}) * 2 > len(first) > 0


def _after_first(lines: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    """Return the (row, line) pairs of the rows after the header, given the pairs of all rows."""
    if not lines:
        return ()
    later = [(row - 1, line) for row, line in lines[1:]]
    return tuple(later) if later and later[0][0] == 0 else ((0, lines[0][1] + 1), *later)


@_long_fields()
def _split(
    text: str, budget: Budget, mark: str, *, start: int, header: bool
) -> tuple[list[list[str | None]], tuple[tuple[int, int], ...], int]:
    """Split a text into records; return the records, their (row, line) pairs (see `runs`), and the number of fields."""
    source = budget.source
    records = checked_lines(_text_lines(text), mark, budget)
    reader = csv.reader(records, delimiter=mark, skipinitialspace=True, strict=True)
    rows: list[list[str | None]] = []
    lines = array("q")
    line, width, once = start, 0, dict[str, str]()
    try:
        for record in reader:
            if record:
                width = width or len(record)
                if len(record) != width:
                    if width == 1 and _has_title(_head(text)):
                        raise _title(source, lines[0])
                    fields = f"{len(record)} field{'s' * (len(record) != 1)}"
                    raise ReadingError(
                        f"{source} line {line} has {fields}; its {'header' if header else 'first line'} has {width}. "
                        "Quote fields that contain the delimiter, or pass the right delimiter."
                    )
                rows.append([once.setdefault(field, field) or None for field in record])
                lines.append(line)
            line = reader.line_num + start
    except csv.Error as error:
        remedy = "Check for an unclosed quotation mark; a quotation mark inside a field is written twice."
        raise ReadingError(f"{source} line {line} is not valid CSV: {error}. {remedy}") from error
    return rows, runs(lines), width


def _has_title(head: str, least: int = 2) -> bool:
    """Return whether the first line has one field and all other lines have the same number of fields (>= ``least``)."""
    for mark in DELIMITERS:
        first, *others = map(len, _sample(head, mark) or [[]])
        if first == 1 and len(others) > 1 and len({*others}) == 1 and others[0] >= least:
            return True
    return False


def _title(source: str, line: int) -> ReadingError:
    return ReadingError(
        f"{source} line {line} looks like a title above the header. Delete this line and every other line "
        "above the header."
    )


def _lines_of(text: str, mark: str, start: int) -> Iterable[int]:
    """Yield, for each record, the number of the line on which the record begins."""
    reader = csv.reader(_text_lines(text), delimiter=mark, skipinitialspace=True)
    line = start
    with _long_fields():
        for record in reader:
            if record:
                yield line
            line = reader.line_num + start


def _split_fast(
    content: bytes,
    mark: str,
    labels: Sequence[str],
    records: Sequence[Sequence[str]],
    *,
    header: bool,
    texts: Collection[str] | None,
) -> tuple[list[Any] | None, bool]:
    """Return the columns read by PyArrow (None if it cannot read them), and whether each line of the text is a row."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    quotes = b'"' in content
    first, between = content[: content.find(b"\n")], re.escape(mark.encode())
    if quotes and (b'"' in first or content.count(b'"') % 2 or re.search(rb"(?:" + between + rb'|\n) +"', content)):
        return None, False
    if not first.strip() or b"\r" in first[:-1] or b"\0" in content:
        return None, False
    plain = {name: pa.string() for name in labels}
    kinds = {} if texts is None else _plain_types(labels, records[1:] if header else records, texts)
    empty = quotes or len(labels) == 1  # lines may then be empty or inside quotation marks, and are not always rows
    for types, skipped in [(plain | kinds, empty), (plain | kinds, True), (plain, True)]:
        try:
            table = arrow_csv.read_csv(
                pa.py_buffer(content),
                read_options=arrow_csv.ReadOptions(column_names=labels, skip_rows=int(header), block_size=2**22),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=mark, newlines_in_values=quotes, ignore_empty_lines=skipped
                ),
                convert_options=arrow_csv.ConvertOptions(column_types=types, null_values=[""]),
            )
        except pa.ArrowException:
            continue
        if all(_is_exact(table.column(name)) for name in kinds if types is not plain):
            return list(table.columns), not skipped
    return None, False


def _plain_types(labels: Sequence[str], records: Sequence[Sequence[str]], texts: Collection[str]) -> dict[str, Any]:
    """Return the Arrow types of the columns in which all sampled fields are plain numbers or ISO dates."""
    import pyarrow as pa

    found: dict[str, Any] = {}
    for at, name in enumerate(labels):
        held = [record[at] for record in records if at < len(record)]
        fields = [field for field in held if field and field not in MISSING and field != "."]
        if any("," in field and NUMBER.match(field) for field in fields):
            return {}  # commas are decimal marks
        if name in texts or not fields or len(fields) < len([field for field in held if field]):
            continue  # markers of missing values are reported, so this column is not converted here
        if all(map(_INTEGER.fullmatch, fields)):
            if len({*map(len, fields)}) > 1 or len(fields[0]) < _SHORTEST_CODE:  # otherwise, these may be codes
                found[name] = pa.int64()
        elif all(map(_FLOAT.fullmatch, fields)):
            found[name] = pa.float64()
        elif all(map(_ISO.fullmatch, fields)):
            found[name] = pa.timestamp("us")
    return found


def _is_exact(column: Any) -> bool:
    """Return whether all numbers are finite and in the range in which float64 represents integers exactly."""
    import pyarrow.compute as pc
    from pyarrow import types

    if types.is_timestamp(column.type):
        return True
    extremes = pc.min_max(column).as_py()
    if extremes["min"] is None:
        return False
    exact = extremes["min"] >= -(2**53) and extremes["max"] <= 2**53
    return exact and not (types.is_floating(column.type) and pc.any(pc.is_nan(column)).as_py())


def check_names(header: Sequence[str], source: str) -> None:
    """Raise an error if a header has a duplicate name."""
    seen: set[str] = set()
    for name in header:
        if name in seen:
            raise ReadingError(f"{source} has two columns named {name!r} in its header. Rename one of them.")
        seen.add(name)
