"""Past cases read from a table, with column kinds, a target and a task, for the command line and the explorer."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np

from priorcase.datasets.reading import check_column, line_numbers, place_of
from priorcase.exceptions import ReadingError
from priorcase.registry import Task, guess_task
from priorcase.schema import Kind, Nominal, Schema, Set, Text, uninformative_columns


class Reading(NamedTuple):
    """Options for reading a table: the declared kinds of columns, and the options of `read_table`.

    ``columns`` maps column names to kinds: a name such as ``"nominal"``, a tuple of ordinal levels, or an object for a
    kind with parameters, such as ``Circular(24)``.
    """

    columns: Mapping[str, str | tuple[str, ...] | Kind]
    options: Mapping[str, Any]


class Past(NamedTuple):
    """Past cases with their targets."""

    source: str
    task: Task
    target: str
    kinds: dict[str, Any]
    X: Any
    y: Any
    lines: tuple[int, ...]  # line number of each case in its file
    about: Mapping[str, Any]  # how the file was read
    declared: Collection[str] = ()
    schema: Mapping[str, str | Kind] = {}  # kinds that differ from those that learners infer
    uninformative: Mapping[str, Any] = {}  # columns that cannot help to predict, and why

    @property
    def left_out(self) -> list[str]:
        """Names of the columns that learners do not use."""
        return [name for name, why in self.uninformative.items() if why.left_out]


def target_of(table: Any) -> str:
    """Return the name of the target column: the target in ``table.attrs``, or the last column."""
    return str(table.attrs.get("target") or table.columns[-1])


def past_of(
    table: Any, target: str | None, reading: Reading, *, elsewhere: Collection[str] = (), missing: bool = False
) -> Past:
    """Return the past cases of a frame that was read from a file; columns in ``elsewhere`` can be absent."""
    about, source = table.attrs, str(table.attrs["source"])
    names = [*table.columns, *about.get("ignored", ())]
    target = target if target is not None else target_of(table)
    for name in [target, *(name for name in reading.columns if name not in elsewhere)]:
        check_column(source, name, names)
    if len(table) == 0:
        raise ReadingError(f"{source} has a header but no rows. Check that this is the right file.")
    column, X = table[target], table.drop(columns=[target])
    if column.dtype.kind == "M":
        raise ReadingError(
            f"the target {target!r} contains dates; expected numbers or classes. Compute a column of numbers or "
            f"classes from the dates, or pass --column {target}=nominal if each date is a class."
        )
    task: Task = "classify"
    if column.dtype.kind in "iuf":
        task = "regress" if reading.columns.get(target) == "numeric" else guess_task(set(column.dropna().tolist()))
    if not missing and (without := np.flatnonzero(column.isna())).size:
        raise ReadingError(
            f"{source} {place_of(about, int(without[0]))} has no value in the target column {target!r}; expected a "
            "value in every past case. Remove the row, or move it to the table of new cases."
        )
    if not len(X.columns):
        other = "another sheet (--read sheet=)" if "sheet" in about else "the right delimiter (--read delimiter=)"
        raise ReadingError(
            f"{source} has no column to predict {target!r} from. Add columns, ignore fewer columns, or pass {other}."
        )
    y = column.to_numpy(np.float64) if task == "regress" else class_labels(column)
    kinds: dict[str, Any] = dict(zip(map(str, X.columns), Schema.infer(X).kinds, strict=True))
    schema, kinds = _told(reading.columns, kinds)
    lines = tuple(line_numbers(about, np.arange(len(table))).tolist())
    return Past(source, task, target, kinds, X, y, lines, about, reading.columns, schema)


def _told(columns: Mapping[str, Any], kinds: dict[str, Any]) -> tuple[dict[str, str | Kind], dict[str, Any]]:
    """Return two mappings: the declared kinds that learners cannot infer from dtypes, and the kinds of all columns."""
    words = {"nominal": Nominal, "text": Text, "set": Set}
    schema: dict[str, str | Kind] = {}
    for name, told in columns.items():
        if name not in kinds or isinstance(told, tuple):
            continue
        if not isinstance(told, str):
            schema[name], kinds[name] = told, told
        elif told in words and type(kinds[name]) is not words[told]:
            schema[name], kinds[name] = told, words[told]()
    return schema, kinds


def without_uninformative(past: Past) -> Past:
    """Drop id columns and constant columns from the past cases, except columns whose kind was declared."""
    found = {str(name): why for name, why in uninformative_columns(past.X).items() if name not in past.declared}
    past = past._replace(uninformative=found)
    kinds = {name: kind for name, kind in past.kinds.items() if name not in past.left_out}
    return past._replace(X=past.X[list(kinds)], kinds=kinds)


def kinds_of_model(model: Any) -> dict[str, Any]:
    """Return the kinds of a fitted model's columns by name (``x0``, ``x1``, ... if it was fitted without names)."""
    names = model.schema_.names or [f"x{a}" for a in range(len(model.schema_))]
    return dict(zip(map(str, names), model.schema_.kinds, strict=True))


def as_stored(frame: Any, model: Any) -> Any:
    """Convert the nominal values of a frame to the types in the model; a file may contain them as strings."""
    instances, frame = model._stored().instances, frame.copy()
    for a, (name, kind) in enumerate(kinds_of_model(model).items()):
        if type(kind) is Nominal and frame[name].dtype.kind not in "iufbM":
            known = {str(value): value for value in instances.known(a)}
            known |= {str(value).lower(): value for value in known.values() if isinstance(value, bool)}
            frame[name] = frame[name].astype(object).map(lambda text, known=known: known.get(text, text))
    return frame


def class_labels(column: Any) -> Any:
    """Return the classes of a target as strings (None if missing); whole numbers have no decimal point."""
    values = column.tolist()
    whole = column.dtype.kind == "f" and all(value != value or value.is_integer() for value in values)
    texts = [str(int(value)) if whole and value == value else str(value) for value in values]
    missing = column.isna().tolist()
    return np.array([None if gap else text for gap, text in zip(missing, texts, strict=True)], dtype=object)
