"""The tables of a request, read and checked against each other."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import click

from priorcase._typing import AnyArray
from priorcase.cli.request import Request, Task
from priorcase.cli.table_options import check_reading, is_data_set
from priorcase.datasets.catalog import available, load_fields
from priorcase.datasets.columns import NamedColumns, TextTable, parse_number
from priorcase.datasets.reading import read_table
from priorcase.exceptions import ReadingError
from priorcase.schema import Kind, Nominal, Numeric, Ordinal

__all__ = ["Cases", "Problem", "cases", "load", "read"]

READING = ("ignore", "numeric", "nominal", "ordinal", "missing", "delimiter", "encoding", "format")
"""The options that say how a table is read, as :func:`cases` takes them and ``reading_options`` adds them."""
_FEW = 10


@dataclass(frozen=True)
class Cases:
    """Past cases with their targets, column by column.

    ``lines`` says where each row stands in its file, and ``notes`` what a reader should know about the reading.
    """

    source: str
    task: Literal["classify", "regress"]
    target: str
    kinds: dict[str, Kind]
    X: NamedColumns
    y: AnyArray
    lines: tuple[int, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Problem:
    """Past cases with their targets, and new cases, column by column.

    ``lines`` and ``train_lines`` say where each row stands in its file; ``actual`` is the target of the new cases where
    their file has it, and ``repeated`` counts those new cases that are past cases too, target and all.
    """

    task: Literal["classify", "regress"]
    kinds: dict[str, Kind]
    train: NamedColumns
    targets: AnyArray
    train_lines: tuple[int, ...]
    query: NamedColumns
    lines: tuple[int, ...]
    actual: tuple[str | float | None, ...] | None
    repeated: int
    notes: tuple[str, ...]


def load(request: Request) -> Problem:
    """Read both tables, decide what the columns of the first mean, and read the second alike."""
    if request.train == request.query == "-":
        raise click.UsageError("--train and --query cannot both be standard input.", click.get_current_context())
    options = {name: getattr(request, name) for name in READING}
    check_reading([request.train, request.query], options)
    query = read(request.query, **options)
    past = cases(request.train, request.target, task=request.task, elsewhere=query.names, **options)
    _check_query(query, past, request)
    new, actual = query.typed(past.kinds), _actual(query, past.target, past.task)
    repeated = _repeated(past, new, actual)
    return Problem(
        task=past.task,
        kinds=past.kinds,
        train=past.X,
        targets=past.y,
        train_lines=past.lines,
        query=new,
        lines=tuple(query.lines),
        actual=actual,
        repeated=repeated,
        notes=(*past.notes, *_repetition(repeated, len(new))),
    )


def cases(
    path: str,
    target: str | None,
    *,
    task: Task = "auto",
    elsewhere: Collection[str] = (),
    gaps: bool = False,
    **reading: Any,
) -> Cases:
    """The past cases of a file, or of standard input for ``-``.

    Parameters
    ----------
    path
        The file.
    target
        The column to answer; None for the one that the file names, else the last, which is noted.
    task
        ``"auto"`` to tell the task from the target.
    elsewhere
        Columns of another table: what is to be ignored may be one of them.
    gaps
        Whether targets may be missing.
    reading
        The values of the options that ``reading_options`` adds.
    """
    table = read(path, **reading)
    noted = [] if target is not None or table.target else [f"the target is {table.names[-1]!r}, the last column"]
    target = target if target is not None else table.target or table.names[-1]
    if target in reading["ignore"]:
        problem = f"--ignore {target} leaves out the target, which is to be answered."
        raise click.UsageError(problem, click.get_current_context(silent=True))
    ignore, nominal = reading["ignore"], reading["nominal"]
    table.require([target, *(name for name in ignore if name not in elsewhere)])
    if len(table) == 0:
        raise ReadingError(
            f"{table.source} has a header but no rows; expected at least one case. Is this the right file?"
        )
    told = table.kinds(numeric=reading["numeric"], nominal=nominal, ordinal=dict(reading["ordinal"]))
    found = _task(task, table, target, told[target], numeric=target in reading["numeric"])
    kinds = {name: kind for name, kind in told.items() if name not in {target, *ignore}}
    table.require_attributes(kinds, target)
    table.check_levels(kinds)
    return Cases(
        source=table.source,
        task=found,
        target=target,
        kinds=kinds,
        X=table.typed(kinds),
        y=_targets(table, target, found, gaps),
        lines=tuple(table.lines),
        notes=(*noted, *_notes(table, kinds, nominal)),
    )


def read(path: str, **reading: Any) -> TextTable:
    """The fields of a file, of standard input for ``-``, or of a data set where its name stands and no such file is."""
    if is_data_set(path):
        if available().places[path] == "OpenML":
            click.echo(f"priorcase: note: asking OpenML for the data set {path!r}, to be kept in the cache", err=True)
        return load_fields(path)
    source, name = (sys.stdin.buffer, "standard input") if path == "-" else (path, None)
    options = {option: reading[option] for option in ("delimiter", "encoding", "format")}
    return read_table(source, missing=reading["missing"] or None, name=name, **options)


def _task(task: Task, table: TextTable, target: str, kind: Kind, *, numeric: bool) -> Literal["classify", "regress"]:
    """Numbers are a regression unless they are few and whole, which are more often codes of classes."""
    if task != "auto":
        return task
    if isinstance(kind, Nominal | Ordinal):
        return "classify"
    if numeric:
        return "regress"
    numbers = {parse_number(field) for field in set(table.column(target)) if field is not None}
    codes = len(numbers) <= _FEW and all(number is not None and number.is_integer() for number in numbers)
    return "classify" if codes else "regress"


def _targets(table: TextTable, target: str, task: str, gaps: bool) -> AnyArray:
    if not gaps:
        table.require_targets(target)
    return table.values(target, Numeric() if task == "regress" else Nominal())


def _actual(query: TextTable, target: str, task: str) -> tuple[str | float | None, ...] | None:
    if target not in query:
        return None
    if task == "classify":
        return query.column(target)
    numbers = query.values(target, Numeric())
    return tuple(None if math.isnan(number) else number for number in numbers.tolist())


def _repeated(past: Cases, new: NamedColumns, actual: tuple[str | float | None, ...] | None) -> int:
    """How many new cases are past cases too; none where their targets are not known."""
    if actual is None:
        return 0
    stored = set(zip(past.X.tuples(), past.y.tolist(), strict=True))
    return sum(case in stored for case in zip(new.tuples(), actual, strict=True))


def _repetition(repeated: int, new: int) -> Iterator[str]:
    if repeated:
        yield (
            f"{repeated} of {new} new cases stand among the past cases, target included, and speak for themselves: "
            "their answers say nothing about cases never seen"
        )


def _check_query(query: TextTable, past: Cases, request: Request) -> None:
    query.require(past.kinds)
    for name in query.names:
        if name not in past.kinds and name != past.target and name not in request.ignore:
            raise ReadingError(
                f"{query.source} has a column {name!r} that {past.source} does not have. Leave it out (--ignore), or "
                "rename it to the column it stands for."
            )


def _notes(table: TextTable, kinds: Mapping[str, Kind], nominal: tuple[str, ...]) -> Iterator[str]:
    for name, field, line in table.doubtful(kinds):
        if name not in nominal:
            remedy = f"--missing {field!r} or --nominal {name} says what it is"
            yield f"column {name!r} is read as nominal: line {line} holds {field!r} among numbers; {remedy}"
