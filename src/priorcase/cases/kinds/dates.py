"""Days and moments: dates."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

_DAY = 86_400.0
_UTC = datetime.UTC


@dataclass(frozen=True, slots=True)
class Date:
    """A day or a moment; two of them differ by how far they lie apart.

    Dates, datetimes (with an offset or without), NumPy's and pandas' ones, and ISO 8601 texts are taken. A moment
    without an offset stands for itself: compare such moments only with others of the same clock.

    Examples
    --------
    >>> Date()
    Date()
    """

    def describe(self) -> str:
        """The kind in words, as messages say it."""
        return "date"


def as_iso(value: Any) -> str | None:
    """A day or moment as ISO text; None where it is none.

    Examples
    --------
    >>> as_iso(datetime.date(2024, 5, 1)), as_iso("20240501"), as_iso("2024-05-01 10:30"), as_iso("yesterday")
    ('2024-05-01', '2024-05-01', '2024-05-01T10:30:00', None)
    """
    if isinstance(value, np.datetime64):
        days = np.datetime_data(value.dtype)[0] in {"D", "M", "Y", "W"}
        value = value.astype("datetime64[D]" if days else "datetime64[us]").item()
    if isinstance(value, str):
        value = _parsed(value)
    if isinstance(value, datetime.datetime):
        # Subclasses (pandas) know nanoseconds, which ISO texts of Python do not.
        parts = (value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond)
        return datetime.datetime(*parts, tzinfo=_fixed(value)).isoformat()
    return value.isoformat() if isinstance(value, datetime.date) else None


def from_iso(text: str) -> datetime.date | datetime.datetime:
    """The day or moment of an ISO text that `as_iso` wrote."""
    return datetime.date.fromisoformat(text) if len(text) == 10 else datetime.datetime.fromisoformat(text)


@lru_cache(maxsize=65_536)
def days(text: str) -> float:
    """A day or moment as a number of days, with fractions for times; moments with an offset in UTC.

    Examples
    --------
    >>> days("2024-05-02") - days("2024-05-01"), days("2024-05-01T12:00:00") - days("2024-05-01")
    (1.0, 0.5)
    """
    value = from_iso(text)
    if not isinstance(value, datetime.datetime):
        return float(value.toordinal())
    if value.tzinfo is not None:
        value = value.astimezone(_UTC)
    seconds = value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    return value.toordinal() + seconds / _DAY


def _parsed(text: str) -> datetime.date | None:
    text = text.strip()
    for parse in (datetime.date.fromisoformat, datetime.datetime.fromisoformat):
        try:
            return parse(text)
        except ValueError:
            continue
    return None


def _fixed(value: datetime.datetime) -> datetime.timezone | None:
    """The offset alone: a zone's name cannot be written down."""
    offset = value.utcoffset()
    return None if offset is None else datetime.timezone(offset)
