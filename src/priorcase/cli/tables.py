"""The two tables of a request, read and checked against each other."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import click

from priorcase.cli.request import Request
from priorcase.datasets.columns import NamedColumns
from priorcase.datasets.delimited import read_text
from priorcase.datasets.text_table import MISSING, TextTable, parse_number
from priorcase.exceptions import ReadingError
from priorcase.schema import Kind, Nominal, Numeric, Ordinal
from priorcase.typing import AnyArray

__all__ = ["Problem", "load"]

_FEW = 10


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
    train, query = _read(request.train, request), _read(request.query, request)
    ordinal = dict(request.ordinal)
    train.require([request.target, *request.ignore])
    if len(train) == 0:
        raise ReadingError.no_rows(train.source)
    declared = train.kinds(numeric=request.numeric, nominal=request.nominal, ordinal=ordinal)
    task = _task(request, train, declared[request.target])
    kinds = {name: kind for name, kind in declared.items() if name not in {request.target, *request.ignore}}
    if not kinds:
        raise ReadingError.no_attributes(train.source, request.target)
    train.check_levels(kinds)
    _check_query(query, train, kinds, request)
    past, new = train.typed(kinds), query.typed(kinds)
    targets, actual = _targets(train, request.target, task), _actual(query, request.target, task)
    repeated = _repeated(past, targets, new, actual)
    return Problem(
        task=task,
        kinds=kinds,
        train=past,
        targets=targets,
        train_lines=tuple(train.lines),
        query=new,
        lines=tuple(query.lines),
        actual=actual,
        repeated=repeated,
        notes=(*_notes(train, kinds, request), *_repetition(repeated, len(new))),
    )


def _read(path: str, request: Request) -> TextTable:
    source, name = (sys.stdin.buffer, "standard input") if path == "-" else (path, None)
    missing = request.missing or MISSING
    return read_text(source, missing=missing, delimiter=request.delimiter, encoding=request.encoding, name=name)


def _task(request: Request, train: TextTable, kind: Kind) -> Literal["classify", "regress"]:
    """Numbers are a regression unless they are few and whole, which are more often codes of classes."""
    if request.task != "auto":
        return request.task
    if isinstance(kind, Nominal | Ordinal):
        return "classify"
    if request.target in request.numeric:
        return "regress"
    numbers = {parse_number(field) for field in train.column(request.target) if field is not None}
    codes = len(numbers) <= _FEW and all(number is not None and number.is_integer() for number in numbers)
    return "classify" if codes else "regress"


def _targets(train: TextTable, target: str, task: str) -> AnyArray:
    fields = train.column(target)
    if None in fields:
        raise ReadingError.no_target(train.source, train.where(fields.index(None)), target)
    if task == "regress":
        return train.values(target, Numeric())
    return train.values(target, Nominal())


def _actual(query: TextTable, target: str, task: str) -> tuple[str | float | None, ...] | None:
    if target not in query:
        return None
    if task == "classify":
        return query.column(target)
    numbers = query.values(target, Numeric())
    return tuple(None if math.isnan(number) else number for number in numbers.tolist())


def _repeated(
    past: NamedColumns, targets: AnyArray, new: NamedColumns, actual: tuple[str | float | None, ...] | None
) -> int:
    """How many new cases are past cases too; none where their targets are not known."""
    if actual is None:
        return 0
    stored = set(zip(past.tuples(), targets.tolist(), strict=True))
    return sum(case in stored for case in zip(new.tuples(), actual, strict=True))


def _repetition(repeated: int, new: int) -> Iterator[str]:
    if repeated:
        yield (
            f"{repeated} of {new} new cases stand among the past cases, target included, and speak for themselves: "
            "their answers say nothing about cases never seen"
        )


def _check_query(query: TextTable, train: TextTable, kinds: dict[str, Kind], request: Request) -> None:
    query.require(kinds)
    for name in query.names:
        if name not in kinds and name != request.target and name not in request.ignore:
            raise ReadingError.extra_column(query.source, name, train.source)


def _notes(train: TextTable, kinds: dict[str, Kind], request: Request) -> Iterator[str]:
    for name, field, line in train.doubtful(kinds):
        if name not in request.nominal:
            remedy = f"--missing {field!r} or --nominal {name} says what it is"
            yield f"column {name!r} is read as nominal: line {line} holds {field!r} among numbers; {remedy}"
