"""What was understood of a table: its columns, its gaps, its target, and what is strange about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np

from priorcase._typing import IntArray
from priorcase.reporting.columns import ColumnSummary, codes_of, summary_of
from priorcase.reporting.problem import Problem
from priorcase.reporting.words import count, listed, percent, value
from priorcase.schema import Nominal, Numeric

__all__ = ["Understanding", "understand"]

_OWN_VALUES = 0.7
_ENOUGH_FOR_IDS = 20
_CODES = 5
_MOSTLY = 0.5
_NEARLY_ALL = 0.999
_LEFT_OUT = ": left out"
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?\b|\d\d?[./]\d\d?[./]\d{4}\b")
_NAMES_ROWS = f"names each row{_LEFT_OUT}"
_TELLS = "tells the target"


@dataclass(frozen=True)
class Understanding:
    """What was understood of a table.

    Parameters
    ----------
    rows, gaps, rows_with_gaps
        How many rows, missing fields, and rows with one.
    columns, target
        The columns, and the target.
    repeated
        How many rows repeat an earlier one in all columns that are used, whatever their target.
    conflicting
        How many rows have the same values in all these columns as another row, and another target.
    ceiling
        The share of the rows that the best rule could get right, given such conflicts; None for numbers.
    remarks
        What a reader should know before reading on, a sentence each.
    """

    rows: int
    gaps: int
    rows_with_gaps: int
    columns: tuple[ColumnSummary, ...]
    target: ColumnSummary
    repeated: int
    conflicting: int
    ceiling: float | None
    remarks: tuple[str, ...]

    @property
    def everywhere(self) -> str:
        """In which columns rows are alike that are said to be, in words."""
        named = any(column.remark == _NAMES_ROWS and not column.used for column in self.columns)
        return "every column that does not name rows" if named else "every column"

    @property
    def used(self) -> tuple[str, ...]:
        """Names of the columns that learners are given."""
        return tuple(column.name for column in self.columns if column.used)


def understand(problem: Problem) -> Understanding:
    """What a table holds, and what is strange about it."""
    codes = codes_of(problem.X)
    kind = Nominal() if problem.classes else Numeric()
    target_codes = np.unique(problem.y, return_inverse=True)[1].astype(np.int64)
    target = summary_of(problem.target, problem.y, kind, target_codes)
    columns = []
    for name, column_kind in problem.X.kinds.items():
        plain = summary_of(name, problem.X[name], column_kind, codes[name])
        columns.append(_remarked(plain, codes[name]))
    columns = list(_twins(columns, codes, target_codes if problem.classes else None, problem.target))
    if not any(column.used for column in columns):  # better a strange column than none
        columns = [replace(column, used=True, remark=column.remark.replace(_LEFT_OUT, "")) for column in columns]
    gaps = np.stack([each < 0 for each in codes.values()])
    told = {column.name: codes[column.name] for column in columns if column.used}  # an id would make every row its own
    repeated, conflicting, ceiling = _repetitions(told, target_codes, problem.classes)
    found = Understanding(
        len(problem),
        int(gaps.sum()),
        int(gaps.any(axis=0).sum()),
        tuple(columns),
        target,
        repeated,
        conflicting,
        ceiling,
        (),
    )
    return replace(found, remarks=tuple(_remarks(problem, found)))


def _remarked(column: ColumnSummary, codes: IntArray) -> ColumnSummary:
    """The column with a remark where it is an id, never changes, or is mostly gaps."""
    known = codes.size - column.missing
    if column.distinct == 1 and column.missing:  # a gap is often how "no" is written
        return replace(column, remark="one value or a gap")
    if column.distinct <= 1:
        words = "never known" if column.distinct == 0 else "always the same value"
        return replace(column, remark=f"{words}{_LEFT_OUT}", used=False)
    if known >= _ENOUGH_FOR_IDS and _is_id(column, codes, known):
        return replace(column, remark=_NAMES_ROWS, used=False)
    if column.missing > _MOSTLY * codes.size:
        return replace(column, remark=f"{percent(column.missing / codes.size, 0)} missing")
    return column


def _is_id(column: ColumnSummary, codes: IntArray, known: int) -> bool:
    if column.kind == "nominal":
        return column.distinct >= _OWN_VALUES * known
    counted = column.low is not None and column.high is not None and column.high - column.low == known - 1
    steps = np.diff(codes[codes >= 0])
    return column.distinct == known and counted and (bool((steps == 1).all()) or bool((steps == -1).all()))


def _twins(
    columns: list[ColumnSummary], codes: dict[str, IntArray], target: IntArray | None, target_name: str
) -> Iterator[ColumnSummary]:
    """Remarks on columns that say the same as an earlier one, or as the target."""
    earlier: dict[bytes, str] = {}
    answer = None if target is None else _pattern(target)
    for column in columns:
        if not column.used:
            yield column
            continue
        pattern = _pattern(codes[column.name])
        twin = earlier.setdefault(pattern, column.name)
        if pattern == answer:
            yield replace(column, remark=f"{_TELLS}: is it known before {target_name} is?")
        elif twin != column.name:
            yield replace(column, remark=f"says the same as {twin}")
        else:
            yield column


def _pattern(codes: IntArray) -> bytes:
    """A digest that two columns share if each value of either goes with one of the other, gaps being a value, too."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.empty(first.size, dtype=np.int64)
    order[np.argsort(first)] = np.arange(first.size)
    return blake2b(order[inverse].tobytes(), digest_size=16).digest()


def _repetitions(codes: dict[str, IntArray], target: IntArray, classes: bool) -> tuple[int, int, float | None]:
    """How many rows repeat another, how many contradict one, and the share right that this leaves."""
    group = np.zeros(target.size, dtype=np.int64)
    for column in codes.values():  # numbered anew after each column, so that numbers stay small
        group = np.unique(group * (int(column.max()) + 2) + column + 1, return_inverse=True)[1].astype(np.int64)
    groups, targets = int(group.max()) + 1, int(target.max()) + 1
    pairs, sizes = np.unique(group * targets + target, return_counts=True)
    kinds = np.bincount(pairs // targets, minlength=groups)
    conflicting = int(np.bincount(group, minlength=groups)[kinds > 1].sum())
    if not classes:
        return target.size - groups, conflicting, None
    best = np.zeros(groups, dtype=np.int64)
    np.maximum.at(best, pairs // targets, sizes)
    return target.size - groups, conflicting, float(best.sum() / target.size)


def _remarks(problem: Problem, found: Understanding) -> Iterator[str]:
    if problem.without_target:
        yield f"{count(problem.without_target, 'row')} without a known {problem.target} took no part."
    telling = [column.name for column in found.columns if column.remark.startswith(_TELLS)]
    if telling:
        verb, it_is = ("tells", "it is") if len(telling) == 1 else ("tell", "they are")
        yield (
            f"{listed(telling)} {verb} {problem.target} outright: no estimate here is worth anything unless {it_is} "
            f"known before {problem.target} is."
        )
    coded = [
        column.name
        for column in found.columns
        if column.used and column.kind == "numeric" and 1 < column.distinct <= _CODES
    ]
    if coded:
        are = "holds" if len(coded) == 1 else "hold"
        yield (
            f"{listed(coded)} {are} few different numbers and {'is' if len(coded) == 1 else 'are'} read as amounts; "
            "if these are codes, say so (--nominal COLUMN)."
        )
    dates = [column.name for column in found.columns if column.values and all(_DATE.match(v) for v, _ in column.values)]
    if dates:
        verb, are = ("holds", "is") if len(dates) == 1 else ("hold", "are")
        yield (
            f"{listed(dates)} {verb} dates and {are} read as names, which tells little: days since some date, months "
            "or weekdays would tell more."
        )
    if found.conflicting:
        text = (
            f"{count(found.conflicting, 'row')} agree with another row in {found.everywhere} and differ in "
            f"{problem.target}"
        )
        if found.ceiling is not None and found.ceiling < _NEARLY_ALL:
            text += f": no rule on these columns can be right in more than {percent(found.ceiling)} of the rows"
        yield f"{text}."
    if problem.classes:
        labels, sizes = np.unique(problem.y, return_counts=True)
        if single := [value(label) for label in labels[sizes == 1].tolist()]:
            each = "" if len(single) == 1 else "each of "
            yield f"Of {each}{listed(single)} there is a single row: nothing can be learned of it; it is not scored."
