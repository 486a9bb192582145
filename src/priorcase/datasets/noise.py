"""Noise in a table: values replaced by others of their column, classes by other classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

import narwhals.stable.v2 as nw
import numpy as np

from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.datasets.columns import NamedColumns
from priorcase.datasets.drawing import RandomState, check_share, generator
from priorcase.exceptions import ParameterError, TargetError, advice, prefix_errors, quoted
from priorcase.schema.columns import ArrayColumn, Column, ObjectColumn
from priorcase.schema.kinds import is_missing
from priorcase.schema.schema import open_source

__all__ = ["ClassDraw", "add_noise"]

ClassDraw: TypeAlias = Literal["distribution", "others"]
"""Where the class that replaces another comes from."""


@prefix_errors
def add_noise(
    X: Any,
    y: Any,
    *,
    attributes: float = 0.0,
    classes: float = 0.0,
    class_draw: ClassDraw = "distribution",
    random_state: RandomState = None,
) -> tuple[Any, Any]:
    """The table with some of its values or classes replaced by chance, as a new table.

    With probability ``attributes`` each value of each row is replaced by a value of the same column, drawn at random
    according to the column's distribution; this is the noise level of Aha, Kibler & Albert 1991. A value may be
    replaced by itself: in a column of two equally frequent values half of the replacements change nothing.

    What is replaced at a lower level is replaced at a higher one too, and by the same value, so that tables of one
    ``random_state`` differ by nothing but the level.

    Parameters
    ----------
    X
        The rows: a frame, an array, a list of rows or `NamedColumns`. What comes back is of the same make.
    y
        Their classes, or numbers to learn.
    attributes
        The probability that a value is replaced. A gap stays a gap, and no value becomes one.
    classes
        The probability that a class is replaced.
    class_draw
        The class that comes in its place: ``"distribution"``, that of a row drawn at random, perhaps the same again,
        as with attributes; ``"others"``, one of the other classes that occur, all equally probable, so that a part
        ``classes`` of the labels is wrong.
    random_state
        A seed, for the same noise in every run.

    Returns
    -------
    X, y
        The noisy rows and classes, in the order they came in.

    Examples
    --------
    >>> X = [[1, "red"], [2, "red"], [3, "blue"], [4, None]]
    >>> noisy, y = add_noise(X, ["a", "a", "b", "b"], attributes=0.5, random_state=1)
    >>> noisy
    [[1, 'blue'], [4, 'red'], [3, 'red'], [4, None]]
    >>> y
    ['a', 'a', 'b', 'b']
    >>> add_noise(X, ["a", "a", "b", "b"], classes=1, class_draw="others", random_state=1)[1]
    ['b', 'b', 'a', 'a']
    """
    attributes = check_share("attributes", attributes, hint="0.1 replaces one value of ten.")
    classes = check_share("classes", classes, hint="0.1 replaces one class of ten.")
    if class_draw not in (choices := get_args(ClassDraw)):
        remedy = advice(class_draw, choices, otherwise="'others' makes every replaced class a wrong one.")
        raise ParameterError(f"class_draw must be 'distribution' or 'others', got {quoted(class_draw)}. {remedy}")
    rng = generator(random_state)
    source = open_source(X)
    targets = _target_columns(y, source.rows)
    # Classes first: what becomes of them does not hang on the number of attributes.
    draw = _row_of_another_class if class_draw == "others" else _row_with_value
    y_rows = [_donors(column, classes, rng, draw) for column in targets]
    x_rows = [_donors(column, attributes, rng, _row_with_value) for column in source.columns]
    return _table_of(X, np.stack(x_rows, axis=1)), _targets_of(y, np.stack(y_rows, axis=1))


# -- whose values: for each cell the row that it takes its value from


def _donors(column: Column, level: float, rng: np.random.Generator, draw: Any) -> IntArray:
    """The row from which each row takes its value of a column: its own, or with probability ``level`` a drawn one."""
    known = ~_gaps(column)
    own = np.arange(known.size)
    chances, picks = rng.random(own.size), rng.random(own.size)
    replaced = (chances < level) & known
    return np.where(replaced, draw(column, known, picks), own) if replaced.any() else own


def _row_with_value(_column: Column, known: BoolArray, picks: FloatArray) -> IntArray:
    """Rows drawn at random among those that have a value."""
    rows = np.flatnonzero(known)
    return rows[(picks * rows.size).astype(np.intp)]


def _row_of_another_class(column: Column, known: BoolArray, picks: FloatArray) -> IntArray:
    """The first row of each drawn class, which is another than the row's own; its own row where there is no other."""
    codes = np.asarray(column.coded().codes)
    _, first, own = np.unique(codes[known], return_index=True, return_inverse=True)
    found = np.arange(codes.size)
    if first.size > 1:
        other = (picks[known] * (first.size - 1)).astype(np.intp)
        found[known] = np.flatnonzero(known)[first[other + (other >= own)]]
    return found


def _gaps(column: Column) -> BoolArray:
    if isinstance(column, ObjectColumn):
        return np.array([is_missing(value) for value in column.values], bool)
    if isinstance(column, ArrayColumn):
        return np.isnan(column.numbers())
    return np.asarray(column.coded().codes) < 0


def _target_columns(y: Any, rows: int) -> Sequence[Column]:
    """The columns of the targets, one for each target."""
    if y is None:
        raise TargetError(
            "requires y to be passed, but the target y is None. Pass the classes or numbers to learn, one for each row "
            "of X."
        )
    if _is_table(y):
        columns = open_source(y).columns
    elif nw.dependencies.is_into_series(y):
        columns = (ObjectColumn(nw.from_native(y, series_only=True).to_list()),)
    else:
        columns = (ObjectColumn(list(y.tolist() if isinstance(y, np.ndarray) else y)),)
    found = len(_gaps(columns[0]))
    if found != rows:
        raise TargetError(
            f"Found input variables with inconsistent numbers of samples: X has {rows} and y has {found}. Pass one "
            "entry of y for each row of X."
        )
    return columns


def _is_table(y: Any) -> bool:
    """Whether there are several targets, or one as a table of one column."""
    if nw.dependencies.is_into_series(y) or nw.dependencies.is_into_dataframe(y):
        return bool(nw.dependencies.is_into_dataframe(y))
    array = y if isinstance(y, np.ndarray) else np.array(y, dtype=object)
    ragged = array.ndim == 1 and any(isinstance(label, (list, np.ndarray)) for label in array.tolist())
    if array.ndim not in (1, 2) or ragged:
        raise TargetError(
            f"got y of shape {array.shape}; y should be a 1d array, or a 2d array with one column for each target. "
            "Pass a list or an array with one value for each row of X."
        )
    return array.ndim == 2


# -- the same make with the values of other rows


def _table_of(X: Any, rows: IntArray) -> Any:
    """A table of the make of X: the value at (i, a) is that of row ``rows[i, a]``."""
    columns = range(rows.shape[1])
    if isinstance(X, NamedColumns):
        return NamedColumns.of({name: X.data[name][rows[:, a]] for a, name in enumerate(X.kinds)}, X.kinds)
    if hasattr(X, "isetitem"):  # pandas, whose rows keep their index
        copied = X.copy()
        for a in columns:
            copied.isetitem(a, X.iloc[:, a].array.take(rows[:, a]))
        return copied
    if nw.dependencies.is_into_dataframe(X):
        frame = nw.from_native(X, eager_only=True)
        return frame.with_columns(*(frame[name][rows[:, a]] for a, name in enumerate(frame.columns))).to_native()
    if isinstance(X, (list, tuple)):
        table = [[X[i][a] for i, a in zip(line, columns, strict=True)] for line in rows.tolist()]
        return [tuple(row) if isinstance(given, tuple) else row for row, given in zip(table, X, strict=True)]
    return (X if isinstance(X, np.ndarray) else np.asarray(X))[rows, np.array(columns)]


def _targets_of(y: Any, rows: IntArray) -> Any:
    """The like for targets, which may be a single column."""
    if _is_table(y):
        return _table_of(y, rows)
    if hasattr(y, "iloc"):
        taken = y.iloc[rows[:, 0]]
        taken.index = y.index
        return taken
    if nw.dependencies.is_into_series(y):
        return nw.from_native(y, series_only=True)[rows[:, 0]].to_native()
    return y[rows[:, 0]] if isinstance(y, np.ndarray) else [y[i] for i in rows[:, 0].tolist()]
