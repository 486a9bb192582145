"""The table of a report: rows and targets, and a summary of the columns."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from priorcase._grids import Grid, GridResult
from priorcase._numbers import number
from priorcase._typing import AnyArray, IntArray
from priorcase.datasets.columns import NamedColumns
from priorcase.datasets.reading import check_column, line_numbers, read_table
from priorcase.exceptions import (
    EvaluationError,
    NumericRangeError,
    ParameterError,
    TargetError,
    joined,
    quoted,
    similar_value,
)
from priorcase.learning.results import free_label
from priorcase.learning.targets import as_array, check_length, objects, read_labels, read_numbers
from priorcase.registry import Task, guess_task
from priorcase.reporting.formatting import PRINTED, count, percent, rest, unambiguous, value
from priorcase.schema import (
    Coded,
    Date,
    Kind,
    Nominal,
    Numeric,
    Ordinal,
    Set,
    Text,
    Uninformative,
    uninformative_columns,
)
from priorcase.schema.dates import date_text
from priorcase.schema.kinds import families, is_missing
from priorcase.schema.schema import backend_of, inferred, open_source
from priorcase.schema.uninformative import pattern

_LEAST_ROWS, _LARGEST = 10, 1e100
_BINS, _VALUES = 16, 16  # bars of a histogram, and values listed
_CODES = 5  # numeric columns with at most this many values may contain codes
_LEAST_LETTERS = 4  # minimum letters of a word that may be misspelled
_NAMED = 20  # maximum number of columns named in a remark
_LISTED = 3  # maximum number of values listed for a printed column
_IGNORED = ": ignored"
_ID = f"{Uninformative('id')}{_IGNORED}"
_REVEALS = "determines the target"
_DATE = re.compile(r"\d\d?[./]\d\d?[./]\d{4}\b")


# -- rows and targets


@dataclass(frozen=True, eq=False, repr=False)
class Problem(GridResult):
    """A table and its target; prints as one line."""

    name: str
    target: str
    task: Task
    X: NamedColumns
    y: AnyArray
    places: IntArray  # positions of the rows or, if ``place_word`` is "line", line numbers in a file
    place_word: str = "row"
    without_target: int = 0  # number of rows ignored because their target is missing
    declared: Collection[str] = ()  # columns with a declared kind, which are always used

    def __len__(self) -> int:
        return len(self.X)

    def _grid(self) -> Grid:
        size = f"{count(len(self), 'row')}, {count(len(self.X.kinds), 'column')}"
        return Grid(f"{self.name}: {size}; target {self.target} ({self.task})", [], [])

    @property
    def classes(self) -> bool:
        """Whether the task is classification."""
        return self.task == "classify"

    def taken(self, rows: IntArray) -> Problem:
        return replace(self, X=self.X.take(rows), y=self.y[rows], places=self.places[rows])

    def shown(self, name: str, row: int) -> str:
        """Return a cell as a string."""
        return value(self.X[name][row], self.X.kinds[name])

    def place(self, row: int) -> str:
        """Return the name of a row in the report, such as ``line 7``."""
        return f"{self.place_word} {int(self.places[row]):,}"


def opened(
    X: Any, y: Any, *, target: str | None, name: str | None, reading: Mapping[str, Any]
) -> tuple[Any, Any, dict[str, Any]]:
    """Return the rows, the targets and further arguments for `read_problem`; read the file if ``X`` is a path."""
    schema = reading.get("schema") or {}
    if not isinstance(schema, Mapping):
        raise ParameterError(f"schema must be a mapping from columns to kinds, got {quoted(schema)}.")
    kinds = dict(schema)
    if isinstance(y, str):  # the name of a column
        if target not in (None, y):
            raise TargetError(f"got y={quoted(y)} and target={quoted(target)}; expected one target. Pass one of them.")
        if not isinstance(X, str | os.PathLike) and backend_of(X) is None:
            raise TargetError(
                f"got y={quoted(y)}, the name of a column, and rows without column names. Pass one target for each "
                "row, or pass the rows as a frame."
            )
        y, target = None, y
    if isinstance(X, str | os.PathLike):
        if y is not None:
            raise TargetError(
                "got a file path and y; expected the targets in the file. Pass the target column as target=."
            )
        name, X = name or table_name(os.fspath(X)), read_table(X, **reading)
        kinds = {name: kind for name, kind in schema.items() if not _is_in_frame(kind)}
    elif others := [name for name in reading if name != "schema"]:
        raise ParameterError(
            f"got {others[0]}=, an option for reading files, but X is not a file path. Omit this option."
        )
    about = dict(getattr(X, "attrs", None) or {})
    found: dict[str, Any] = {
        "declared": tuple(schema),
        "kinds": kinds,
        "name": name or table_name(str(about.get("source", "the table"))),
    }
    if y is None:
        if backend_of(X) is None:
            raise TargetError("got no y; expected one target for each row. Pass y, or a frame that contains targets.")
        frame = nw.from_native(X, eager_only=True)
        target = target or about.get("target") or frame.columns[-1]
        check_column(str(about.get("source", "the frame")), target, frame.columns)
        kinds.pop(target, None)
        X, y = frame.drop(target).to_native(), frame.get_column(target).to_numpy()
    found["target"] = target or "target"
    index = getattr(X, "index", None)
    if about.get("lines") and index is not None and index.dtype.kind == "i":
        found |= {"places": line_numbers(about, index.to_numpy()), "place_word": "line"}
    return X, y, found


def _is_in_frame(kind: Any) -> bool:
    """Return whether `read_table` gives a column of the declared kind a dtype that implies this kind."""
    return kind in ("numeric", "date", "ignore") if isinstance(kind, str) else isinstance(kind, list | tuple | Ordinal)


def table_name(path: str) -> str:
    """Return the name of a table, derived from the path of its file."""
    return PurePath(path.removesuffix(".gz").partition("::")[0]).stem


def read_problem(
    X: Any,
    y: Any,
    *,
    name: str,
    target: str,
    task: Task | Literal["auto"] = "auto",
    places: IntArray | None = None,
    place_word: str = "row",
    declared: Collection[str] = (),
    kinds: Mapping[Any, Any] | None = None,
) -> Problem:
    """Return a table and its target as a `Problem`, without the rows whose target is missing."""
    table, array = named_columns(X, kinds), as_array(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise TargetError(f"got y with {array.shape[1]} columns; expected one target. Report on one target at a time.")
    check_length(len(array), len(table))
    values = array.tolist()
    kept = np.array([row for row, each in enumerate(values) if not is_missing(each)], dtype=np.int64)
    if kept.size < _LEAST_ROWS:
        raise EvaluationError(
            f"got {count(kept.size, 'row')} with a target; expected at least {_LEAST_ROWS}, since learners are "
            "compared on held-out rows."
        )
    targets = [values[row] for row in kept.tolist()]
    if task == "auto":
        numbers = families({type(each) for each in targets}) == {"number"}
        task = guess_task(set(targets)) if numbers else "classify"
    column = (read_numbers(targets)[0] if task == "regress" else read_labels(targets).values)[:, 0]
    if task == "regress" and np.abs(column).max() > _LARGEST:
        raise NumericRangeError(
            f"got numbers in the target {target!r} beyond {_LARGEST}; squared errors would overflow. Scale the target."
        )
    if np.unique(column).size < 2:
        raise EvaluationError(
            f"got a target {target!r} that is {quoted(targets[0])} in every row; expected two distinct values or "
            "more. Choose another column as the target."
        )
    where = np.arange(len(values)) if places is None else places
    taken = table if kept.size == len(table) else table.take(kept)
    without = len(values) - kept.size
    return Problem(name, target, task, taken, column, where[kept], place_word, without, declared)


def named_columns(X: Any, declared: Mapping[Any, Any] | None = None) -> NamedColumns:
    """Convert a table of any type to named columns; columns without names are named x0, x1, ..."""
    if isinstance(X, NamedColumns) and not declared:
        return X
    schema, source = inferred(X, "from_dtype", declared, parameter="schema"), open_source(X)
    read = schema.read(X)  # raises an error for values that no learner accepts, such as infinite numbers
    data: dict[str, Any] = {}
    kinds: dict[str, Kind] = {}
    for a, (kind, column) in enumerate(zip(schema.kinds, source.columns, strict=True)):
        label = free_label(f"x{a}" if schema.names is None else str(schema.names[a]), data)
        kinds[label] = kind
        cells = read.columns[a]
        if isinstance(kind, Numeric):
            data[label] = cells
        else:
            coded = cells if isinstance(cells, Coded) else column.coded()
            data[label] = objects([*coded.values, None])[np.asarray(coded.codes, dtype=np.intp)]
    return NamedColumns.of(data, kinds)


def scorable(problem: Problem) -> Problem:
    """Return the rows whose class occurs in at least two rows."""
    if not problem.classes:
        return problem
    _, codes, sizes = np.unique(problem.y, return_inverse=True, return_counts=True)
    repeated, rows = int((sizes > 1).sum()), np.flatnonzero(sizes[codes] > 1)
    least = min(_LEAST_ROWS, -(-len(problem) // 2))
    if repeated < 2 or rows.size < least:
        enough = f"only {rows.size:,} of {len(problem):,} rows have a class with two rows or more"
        found = {0: "every class has a single row", 1: "only one class has two rows or more"}.get(repeated, enough)
        raise EvaluationError(
            f"got a target {problem.target!r} in which {found}; expected at least two classes with two rows or more, "
            f"and at least {least} rows in these classes. Choose another column as the target: free text and ids "
            "cannot be predicted."
        )
    return problem.taken(rows)


# -- columns


@dataclass(frozen=True, repr=False)
class ColumnSummary(GridResult):
    """Summary of a column; prints as a line of a table.

    ``low``, ``median`` and ``high`` are the minimum, median and maximum of numbers, of dates, or of the word counts of
    texts; None for other kinds. ``values`` contains values with their counts: the most frequent values of a nominal
    column, the first levels of an ordinal column, the most frequent members of sets, or all classes of a target.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    low: float | str | None = None
    median: float | str | None = None
    high: float | str | None = None
    values: tuple[tuple[str, int], ...] = ()
    bars: tuple[int, ...] = ()  # counts of ``values``, or counts of numbers in bins of equal width
    remark: str = ""  # what is unusual about the column
    used: bool = True  # whether learners use the column

    @property
    def amounts(self) -> str:
        """Minimum, median and maximum of numbers, dates or word counts, as a string."""
        numbers = (self.low, self.median, self.high)
        texts = [x if isinstance(x, str) else number(x, 4) for x in numbers if x is not None]
        return " … ".join(texts) + " words" * (self.kind == "text")

    def _grid(self) -> Grid:
        return _column_grid("", [self])


def _column_grid(title: str, columns: Sequence[ColumnSummary]) -> Grid:
    """Return a grid with one line per column; for many columns, it contains only the first ones."""
    lines = []
    for one in columns[:PRINTED]:
        common = ", ".join(f"{name} {times:,}" for name, times in one.values[:_LISTED])
        common += ", ..." * (len(one.values) > _LISTED)
        lines.append([one.name, one.kind, f"{one.missing:,}", f"{one.distinct:,}", common or one.amounts, one.remark])
    header = ["column", "kind", "missing", "distinct", "values", "remark"]
    if not any(one.remark for one in columns[:PRINTED]):
        header, lines = header[:-1], [line[:-1] for line in lines]
    return Grid(title, header, lines, rest(len(columns), "more column"), [2, 3])


@dataclass(frozen=True, repr=False)
class TableSummary(GridResult):
    """Summary of a table; prints as a table of its columns."""

    rows: int
    missing: int
    rows_with_missing: int
    columns: tuple[ColumnSummary, ...]
    target: ColumnSummary
    repeated: int  # number of rows that equal an earlier row in all columns that learners use
    conflicting: int  # number of rows that equal another row in these columns but have a different target
    ceiling: float | None  # maximum accuracy on this table because of conflicting rows; None for regression
    remarks: tuple[str, ...] = ()  # sentences, or command-line options that users may copy

    def _grid(self) -> Grid:
        missing = count(self.missing, "missing value") if self.missing else "no missing values"
        title = f"{count(self.rows, 'row')}, {missing}; target {self.target.name}"
        return _column_grid(title, self.columns)

    @property
    def used(self) -> tuple[str, ...]:
        """Names of the columns that learners use."""
        return tuple(column.name for column in self.columns if column.used)

    @property
    def ignored(self) -> tuple[str, ...]:
        """Names of the columns that learners ignore."""
        return tuple(column.name for column in self.columns if not column.used)

    @property
    def compared(self) -> str:
        """Description of the columns in which rows are compared to find repeated and conflicting rows."""
        ids = any(column.remark == _ID and not column.used for column in self.columns)
        return "all columns other than ids" if ids else "all columns"


def summarize(problem: Problem) -> TableSummary:
    """Summarize the columns of a table, and remark on unusual columns and rows."""
    codes = {  # codes from 0, for numbers in ascending order; -1 if the value is missing
        name: pd.factorize(problem.X[name], sort=isinstance(kind, Numeric))[0].astype(np.int64)
        for name, kind in problem.X.kinds.items()
    }
    target_codes = np.unique(problem.y, return_inverse=True)[1].astype(np.int64)
    target_kind = Nominal() if problem.classes else Numeric()
    target = _column(problem.target, problem.y, target_kind, target_codes, most=len(problem))
    useless = {name: why for name, why in uninformative_columns(problem.X).items() if name not in problem.declared}
    answer = pattern(target_codes) if problem.classes else None
    columns = []
    for name, kind in problem.X.kinds.items():
        column = _column(name, problem.X[name], kind, codes[name])
        reveals = answer is not None and np.array_equal(pattern(codes[name]), answer)
        columns.append(_remarked(column, useless.get(name), len(problem), problem.target if reveals else None))
    missing = np.stack([each < 0 for each in codes.values()])
    used = [codes[column.name] for column in columns if column.used]  # with an id no row would repeat another
    repeated, conflicting, ceiling = _repetitions(used, target_codes, problem.classes)
    cells, rows = int(missing.sum()), int(missing.any(axis=0).sum())
    found = TableSummary(len(problem), cells, rows, tuple(columns), target, repeated, conflicting, ceiling)
    return replace(found, remarks=tuple(_remarks(problem, found)))


def _column(name: str, column: AnyArray, kind: Kind, codes: IntArray, most: int = _VALUES) -> ColumnSummary:
    known = np.flatnonzero(codes >= 0)
    missing, counts = codes.size - known.size, np.bincount(codes[known])
    word = type(kind).__name__.lower()
    if isinstance(kind, (Numeric, Text)):
        numbers = (
            column[known] if isinstance(kind, Numeric) else np.array([len(text.split()) for text in column[known]])
        )
        if not numbers.size:
            return ColumnSummary(name, word, missing, 0)
        low, high = float(numbers.min()), float(numbers.max())
        exponent = int(np.frexp(max(-low, high))[1]) - 1  # divided by a power of two, no sum or difference overflows
        scaled = np.ldexp(numbers.astype(np.float64), -exponent)
        ends = low, float(np.ldexp(np.median(scaled), exponent)), high
        bars = np.histogram(scaled, bins=_BINS)[0] if low < high else counts
        first, middle, last = map(date_text, ends) if isinstance(kind, Date) else ends
        return ColumnSummary(name, word, missing, counts.size, first, middle, last, (), tuple(bars.tolist()))
    if isinstance(kind, Set):
        members = Counter(value(member) for held in column[known] for member in held)
        common = tuple(sorted(members.items(), key=lambda each: (-each[1], each[0]))[:most])
        return ColumnSummary(name, word, missing, len(members), values=common, bars=tuple(n for _, n in common))
    held = column[known[np.unique(codes[known], return_index=True)[1]]]  # one value for each code
    order = np.argsort(-counts, kind="stable").tolist()
    if isinstance(kind, Ordinal):
        ranks, levels = {level: rank for rank, level in enumerate(kind.order)}, held.tolist()
        order = sorted(range(counts.size), key=lambda code: ranks.get(levels[code], len(ranks)))
    top = tuple((value(held[code]), int(counts[code])) for code in order[:most])
    return ColumnSummary(name, word, missing, counts.size, values=top, bars=tuple(n for _, n in top))


def _remarked(column: ColumnSummary, useless: Uninformative | None, rows: int, reveals: str | None) -> ColumnSummary:
    """Add a remark if the column is uninformative, is mostly missing, or determines the target named ``reveals``."""
    if useless is not None and useless.left_out:
        return replace(column, remark=f"{useless}{_IGNORED}", used=False)
    if reveals is not None:
        return replace(column, remark=f"{_REVEALS}: is this column known before {reveals}?")
    if useless is not None:
        return replace(column, remark=str(useless))
    if column.missing > 0.5 * rows:
        return replace(column, remark=f"{percent(column.missing / rows, 0)} missing")
    return column


def _repetitions(columns: list[IntArray], target: IntArray, classes: bool) -> tuple[int, int, float | None]:
    """Return the numbers of repeated and conflicting rows, and the ceiling of the accuracy (see `TableSummary`)."""
    rows = pd.DataFrame(dict(enumerate(columns)))
    group = rows.groupby(list(rows.columns), sort=False).ngroup()
    alike = pd.Series(target).groupby([group, target]).size().groupby(level=0)
    conflicting = int(alike.sum()[alike.size() > 1].sum())
    return int(rows.duplicated().sum()), conflicting, float(alike.max().sum() / len(rows)) if classes else None


def _declared_nominal(names: Sequence[str]) -> str:
    """Return the command-line options that declare columns as nominal."""
    plain = ",".join(name for name in names if "," not in name)
    columns = [*filter(None, [plain]), *(name for name in names if "," in name)]
    return shlex.join(word for column in columns for word in ("--column", f"{column}=nominal"))


def _misspelled(label: object, others: Sequence[object]) -> object:
    """Return a class that differs from ``label`` only in case, blanks or, for longer words, one letter; else None."""
    if not isinstance(label, str):
        return None
    if (same := similar_value(label, others)) is not None:
        return same
    return next((other for other in others if isinstance(other, str) and _differ_in_a_letter(label, other)), None)


def _differ_in_a_letter(first: str, second: str) -> bool:
    """Return whether two words of at least four letters differ only in one letter."""
    short, long = sorted((first.casefold(), second.casefold()), key=len)
    start = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    end = start + (len(short) == len(long))
    differing = short[start:end] + long[start : start + 1]
    # Words that differ in a digit, such as type1 and type2, are not misspelled.
    return len(short) >= _LEAST_LETTERS and differing.isalpha() and short[end:] == long[start + 1 :]


def is_option(remark: str) -> bool:
    """Return whether a remark is a command-line option that users may copy; such a remark must not be wrapped."""
    return remark.startswith("--column ")


def _remarks(problem: Problem, found: TableSummary) -> Iterator[str]:
    target = problem.target
    if out := [column for column in found.columns if not column.used]:
        why = [column.remark.removesuffix(_IGNORED) for column in out]
        names = unambiguous(column.name for column in out)
        told = joined([f"{name} ({each})" for name, each in zip(names, why, strict=True)])
        yield f"Dropped: {told}. To keep a column, declare its kind (--column NAME=KIND)."
    if problem.without_target:
        yield f"Ignored because {target} is missing: {count(problem.without_target, 'row')}."
    if names := [column.name for column in found.columns if column.remark.startswith(_REVEALS)]:
        verb, they = ("determines", "it is") if len(names) == 1 else ("determine", "they are")
        yield (
            f"{joined(unambiguous(names))} {verb} {target}: the estimates in this report are meaningful only if {they} "
            f"known before {target} is known."
        )
    numeric = [column for column in found.columns if column.used and column.kind == "numeric"]
    if names := [column.name for column in numeric if 1 < column.distinct <= _CODES]:
        verb, these = ("has", "is") if len(names) == 1 else ("have", "are")
        told = f"{joined(unambiguous(names), _NAMED)} {verb} few different numbers and {these} read as numeric; if the "
        told += f"numbers are codes, declare the {'column' if len(names) == 1 else 'columns'} as nominal"
        if len(names) > _NAMED:
            yield f"{told} (--column NAME=nominal)."
        else:
            yield f"{told}:"
            yield _declared_nominal(names)
    texts = [column for column in found.columns if column.values]
    if names := [column.name for column in texts if all(_DATE.match(each) for each, _ in column.values)]:
        verb, these = ("contains", "is") if len(names) == 1 else ("contain", "are")
        yield (
            f"{joined(unambiguous(names))} {verb} dates and {these} read as nominal: convert dates with read_table, "
            "pandas.to_datetime or --column NAME=date."
        )
    if found.conflicting:
        text = f"{count(found.conflicting, 'row')} equal another row in {found.compared} but not in {target}"
        if found.ceiling is not None and found.ceiling < 0.999:
            text += f": no model of these columns can have an accuracy above {percent(found.ceiling)} on this table"
        yield f"{text}."
    if problem.classes:
        labels, sizes = np.unique(problem.y, return_counts=True)
        if single := labels[sizes == 1].tolist():
            meant = [_misspelled(label, labels[sizes > 1].tolist()) for label in single]
            shown = [
                name if other is None else f"{name} (a misspelling of {value(other)}?)"
                for name, other in zip(unambiguous(map(value, single)), meant, strict=True)
            ]
            noun = "Class" if len(single) == 1 else "Classes"
            yield f"{noun} with a single row, which cannot be scored: {joined(shown)}."
