"""One mixed table with gaps, in every container that learners accept."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from priorcase.schema import Circular, Kind, Taxonomy

Rows = list[list[Any]]

NAMES = ("age", "income", "colour", "member", "grade")


def training_rows(n: int = 60, seed: int = 0, gaps: float = 0.1) -> Rows:
    """Two numbers, a text, a boolean and a category, each missing now and then."""
    rng = np.random.default_rng(seed)
    rows: Rows = []
    for _ in range(n):
        row: list[Any] = [
            float(rng.integers(18, 90)),
            float(rng.normal(30, 8)),
            str(rng.choice(["red", "green", "blue"])),
            bool(rng.integers(2)),
            str(rng.choice(["A", "B"])),
        ]
        rows.append([None if rng.random() < gaps else value for value in row])
    return rows


def classes(rows: Rows) -> list[str]:
    """A class that depends on the row, so that learners have something to learn."""
    return ["old" if (row[0] or 40) + 20 * (row[2] == "blue") > 55 else "young" for row in rows]


def numbers(rows: Rows) -> list[float]:
    """A number that depends on the row."""
    return [(row[0] or 40.0) + 10.0 * (row[2] == "blue") for row in rows]


def columns(rows: Rows) -> dict[str, list[Any]]:
    return {name: [row[a] for row in rows] for a, name in enumerate(NAMES)}


def as_pandas(rows: Rows) -> pd.DataFrame:
    """Floats with NaN, objects, nullable booleans and a category."""
    table = columns(rows)
    return pd.DataFrame(
        {
            "age": pd.array(table["age"], dtype="Float64"),
            "income": [math.nan if value is None else value for value in table["income"]],
            "colour": pd.Series(table["colour"], dtype=object),
            "member": pd.array(table["member"], dtype="boolean"),
            "grade": pd.Categorical(table["grade"]),
        }
    )


def as_pandas_strings(rows: Rows) -> pd.DataFrame:
    """What pandas makes of the columns by itself."""
    return pd.DataFrame(columns(rows))


def as_polars(rows: Rows) -> pl.DataFrame:
    return pl.DataFrame(
        columns(rows),
        schema={
            "age": pl.Float64,
            "income": pl.Float64,
            "colour": pl.String,
            "member": pl.Boolean,
            "grade": pl.Categorical,
        },
    )


def as_pyarrow(rows: Rows) -> pa.Table:
    types = (pa.float64(), pa.float64(), pa.string(), pa.bool_(), pa.string())
    table = columns(rows)
    arrays = [pa.array(table[name], type=kind) for name, kind in zip(NAMES, types, strict=True)]
    arrays[-1] = arrays[-1].dictionary_encode()
    return pa.table(dict(zip(NAMES, arrays, strict=True)))


def as_objects(rows: Rows) -> np.ndarray[Any, Any]:
    array = np.empty((len(rows), len(NAMES)), dtype=object)
    for i, row in enumerate(rows):
        array[i] = [np.nan if value is None and a % 2 else value for a, value in enumerate(row)]
    return array


def as_lists(rows: Rows) -> Rows:
    return [list(row) for row in rows]


KINDS: dict[str, Kind | str] = {
    "age": "numeric",
    "angle": Circular(360),
    "opened": "date",
    "note": "text",
    "parts": "set",
    "device": Taxonomy({"device": {"printer": ["laser", "inkjet"], "router": ["wifi", "cable"]}}),
}
_NOTES = {
    "red": "paper jam in the tray of printer {}, fan is loud",
    "green": "no network since morning in room {}",
    "blue": "screen of machine {} flickers, then stays dark",
    "violet": "coffee over the keyboard of desk {}",
}
_DEVICES = {(True, "A"): "laser", (True, "B"): "printer", (False, "A"): "wifi", (False, "B"): "cable"}


def as_every_kind(rows: Rows) -> pd.DataFrame:
    """The same rows told by columns of other kinds (`KINDS`): a circular number, a date, a text, a set, a taxonomy."""
    made = []
    for age, income, colour, member, grade in rows:
        moment = (
            None if age is None or income is None else pd.Timestamp("2021-03-01") + pd.Timedelta(hours=age * income)
        )
        note = None if colour is None else _NOTES[colour].format("?" if age is None else int(age) % 7)
        parts = None if grade is None else {grade, *([colour] if colour else []), *(["fan"] if member else [])}
        angle = None if income is None else 30.0 * income % 360.0
        made.append([age, angle, moment, note, parts, _DEVICES.get((member, grade))])
    table = pd.DataFrame(made, columns=list(KINDS))
    return table.astype({"age": float, "angle": float, "opened": "datetime64[us]"})


SAME_TABLE: dict[str, Callable[[Rows], Any]] = {
    "pandas": as_pandas,
    "pandas strings": as_pandas_strings,
    "polars": as_polars,
    "pyarrow": as_pyarrow,
    "objects": as_objects,
    "lists": as_lists,
}
CONTAINERS: dict[str, Callable[[Rows], Any]] = {
    **SAME_TABLE,
    "every kind": as_every_kind,
    "no texts": lambda rows: as_every_kind(rows).drop(columns=["note", "parts"]),
}


def has_names(kind: str) -> bool:
    return kind not in ("objects", "lists")


def select(table: Any, names: Sequence[str]) -> Any:
    """Some columns of a frame, in the given order."""
    return (
        table.select(list(names))
        if hasattr(table, "select") and not isinstance(table, pd.DataFrame)
        else table[list(names)]
    )
