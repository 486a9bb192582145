"""Tables with a date, a circular number, a set, a text and a name, as hypothesis draws them."""

from __future__ import annotations

import datetime
from typing import Any

import pandas as pd
from hypothesis import strategies as st

import priorcase as pc

KINDS: dict[str, Any] = {
    "when": pc.Date(("season", "weekday", "hour")),
    "angle": pc.Circular(360),
    "tags": pc.Set(),
    "note": pc.Text(),
    "colour": pc.Nominal(("red", "green", "blue")),
}
REFERENCE = {
    "when": ("date", ("season", "weekday", "hour")),
    "angle": ("circular", 360.0),
    "tags": ("set", None),
    "note": ("text", None),
    "colour": ("nominal", None),
}
_WORDS = ("paper", "jam", "Tray", "printer", "no", "network", "7")

_VALUES = {
    "when": st.datetimes(datetime.datetime(1960, 1, 1), datetime.datetime(2030, 1, 1)).map(
        lambda moment: moment.replace(microsecond=0)
    ),
    "angle": st.sampled_from([0.0, 10.0, 29.999, 30.0, 359.5, 360.0, -5.0, 725.0, 180.0]),
    "tags": st.frozensets(st.sampled_from("xyzw"), max_size=3),
    "note": st.lists(st.sampled_from(_WORDS), max_size=6).map(" ".join),
    "colour": st.sampled_from(["red", "green", "blue"]),
}
_ROW = st.fixed_dictionaries({name: st.none() | values for name, values in _VALUES.items()})


def rows(least: int = 3, most: int = 14) -> st.SearchStrategy[list[dict[str, Any]]]:
    return st.lists(_ROW, min_size=least, max_size=most)


def frame(drawn: list[dict[str, Any]], names: list[str] | None = None) -> pd.DataFrame:
    """Rows as a frame, whose columns have the types in which dates, numbers and others usually come."""
    table = pd.DataFrame({name: pd.Series([row[name] for row in drawn], dtype=object) for name in names or list(KINDS)})
    if "when" in table:
        table["when"] = pd.to_datetime(table["when"]).astype("datetime64[ns]")
    if "angle" in table:
        table["angle"] = table["angle"].astype(float)
    return table


@st.composite
def labeled(draw: Any, least: int = 4, most: int = 14) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows and their classes, of which each has at least one."""
    drawn = draw(rows(least, most))
    labels = [draw(st.sampled_from("ab")) for _ in drawn]
    return drawn, ["a", "b", *labels[2:]]
