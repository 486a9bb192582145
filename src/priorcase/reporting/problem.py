"""The table a report is about: named columns with kinds, one known target for each row, and how rows are called."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from priorcase._typing import AnyArray, IntArray
from priorcase.datasets.columns import NamedColumns
from priorcase.exceptions import EvaluationError, TargetError, quoted
from priorcase.learning.results import free_label
from priorcase.learning.targets import as_array, check_finite, objects
from priorcase.schema import Coded, Kind, Numeric
from priorcase.schema.kinds import families, is_missing
from priorcase.schema.schema import inferred, open_source

__all__ = ["Problem", "Task", "read_problem"]

Task: TypeAlias = Literal["classify", "regress"]

_FEW = 10
_LEAST_ROWS = 10


@dataclass(frozen=True, eq=False)
class Problem:
    """A table and what is to be answered.

    Parameters
    ----------
    name
        What the table is called.
    target
        The name of the target column.
    task
        Whether the target is a class or a number.
    X, y
        The other columns, and the target of each row.
    places
        Where each row stands: its position from 0, or its line in a file.
    place_word
        What such a place is called: ``"row"`` or ``"line"``.
    without_target
        How many rows were set aside because their target is missing.
    """

    name: str
    target: str
    task: Task
    X: NamedColumns
    y: AnyArray
    places: IntArray
    place_word: str = "row"
    without_target: int = 0

    def __len__(self) -> int:
        return len(self.X)

    @property
    def classes(self) -> bool:
        """Whether the target is a class."""
        return self.task == "classify"

    def taken(self, rows: IntArray) -> Problem:
        """Some of the rows."""
        return replace(self, X=self.X.take(rows), y=self.y[rows], places=self.places[rows])

    def place(self, row: int) -> str:
        """How a row is called."""
        return f"{self.place_word} {int(self.places[row]):,}"


def read_problem(
    X: Any,
    y: Any,
    *,
    name: str,
    target: str,
    task: Task | Literal["auto"] = "auto",
    places: IntArray | None = None,
    place_word: str = "row",
) -> Problem:
    """The table as named columns, without rows whose target is missing."""
    table = named_columns(X)
    array = as_array(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise TargetError(
            f"got y with {array.shape[1]} columns; expected one class for each row. Fit one model for each target."
        )
    if len(array) != len(table):
        raise TargetError(
            f"Found input variables with inconsistent numbers of samples: X has {len(table)} and y has {len(array)}. "
            "Pass one entry of y for each row of X."
        )
    values = array.tolist()
    known = np.array([not is_missing(each) for each in values], dtype=bool)
    kept = np.flatnonzero(known)
    where = np.arange(len(values)) if places is None else places
    if kept.size < _LEAST_ROWS:
        rows = int(kept.size)
        raise EvaluationError(
            f"got {rows} row{'' if rows == 1 else 's'} with a known target; expected at least {_LEAST_ROWS}. Learners "
            "are compared on rows they have not seen, which takes some rows."
        )
    targets = [values[row] for row in kept.tolist()]
    chosen = task if task != "auto" else _task(targets)
    column = _numbers(targets) if chosen == "regress" else _labels(targets)
    if np.unique(column).size < 2:
        raise EvaluationError(
            f"got a target {target!r} that is {quoted(targets[0])} in every row; expected two values or more. Name "
            "another column as the target."
        )
    taken = table if kept.size == len(table) else table.take(kept)
    return Problem(name, target, chosen, taken, column, where[kept], place_word, len(values) - kept.size)


def named_columns(X: Any) -> NamedColumns:
    """A table of any make as named columns; those without names are called x0, x1, ...

    Examples
    --------
    >>> named_columns([[7.5, "S"], [None, "L"]])
    NamedColumns: 2 rows
       x0  x1
      7.5   S
        ?   L
    """
    if isinstance(X, NamedColumns):
        return X
    schema = inferred(X, "from_dtype", None)
    source = open_source(X)
    data: dict[str, Any] = {}
    kinds: dict[str, Kind] = {}
    for a, (kind, column) in enumerate(zip(schema.kinds, source.columns, strict=True)):
        label = free_label(f"x{a}" if schema.names is None else str(schema.names[a]), data)
        data[label] = column.numbers() if isinstance(kind, Numeric) else _values(column.coded())
        kinds[label] = kind
    return NamedColumns.of(data, kinds)


def _values(coded: Coded) -> AnyArray:
    values = objects([*coded.values, None])
    return values[np.asarray(coded.codes, dtype=np.intp)]


def _task(targets: list[Any]) -> Task:
    """Numbers are a regression unless they are few and whole, which are more often codes of classes."""
    if families({type(each) for each in targets}) != {"number"}:
        return "classify"
    distinct = set(targets)
    whole = all(float(each).is_integer() for each in distinct)
    return "classify" if whole and len(distinct) <= _FEW else "regress"


def _labels(targets: list[Any]) -> AnyArray:
    found = families({type(each) for each in targets})
    return np.array(targets) if len(found) == 1 and found <= {"text", "number", "boolean"} else objects(targets)


def _numbers(targets: list[Any]) -> AnyArray:
    found = families({type(each) for each in targets})
    if not found <= {"number", "boolean"}:
        raise TargetError(
            f"got y as {' and '.join(sorted(found))}; expected real numbers. A classifier learns text, categories and "
            "booleans."
        )
    numbers = np.array(targets, dtype=np.float64)
    check_finite(numbers)
    return numbers
