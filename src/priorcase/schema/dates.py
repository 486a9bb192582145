"""Conversion of dates and times to seconds since the start of 1970; times with a UTC offset are converted to UTC."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from priorcase._typing import FloatArray
from priorcase.schema.kinds import is_missing

DAY = 86_400.0
WEEK = 7 * DAY
YEAR = 365.2425 * DAY

_EPOCH = datetime.datetime(1970, 1, 1)
_FIRST, _LAST = -719_162 * DAY, 2_932_897 * DAY - 1  # range of datetime
_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?")


def seconds_of(value: Any) -> float | None:
    """Convert a date, a datetime or an ISO string to seconds since 1970; return None for anything else.

    >>> seconds_of("1970-01-02"), seconds_of(datetime.datetime(1970, 1, 1, 0, 1)), seconds_of("soon")
    (86400.0, 60.0, None)
    """
    if isinstance(value, str):
        return _parsed(value.strip())
    if isinstance(value, np.datetime64):
        return float(seconds_of_array(np.array([value]))[0])
    if isinstance(value, datetime.datetime):
        # Subclasses (pandas) have nanoseconds, which are dropped.
        offset = value.utcoffset() or datetime.timedelta()
        clock = value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
        return (value.toordinal() - _EPOCH.toordinal()) * DAY + clock - offset.total_seconds()
    if isinstance(value, datetime.date):
        return (value.toordinal() - _EPOCH.toordinal()) * DAY
    return None


@lru_cache(maxsize=65_536)
def _parsed(text: str) -> float | None:
    if not _ISO.fullmatch(text):
        return None
    try:
        return seconds_of(datetime.datetime.fromisoformat(text.replace(",", ".")))
    except ValueError:
        return None


def seconds_of_array(dates: Any) -> FloatArray:
    """Convert a NumPy array of dates to seconds since 1970; NaT becomes NaN."""
    whole = dates.astype("datetime64[us]")
    seconds = whole.astype(np.int64) / 1e6
    seconds[np.isnat(whole)] = np.nan
    return np.asarray(seconds, np.float64)


def seconds_of_day(time: datetime.time) -> float:
    return time.hour * 3600 + time.minute * 60 + time.second + time.microsecond / 1e6


def date_of(seconds: float) -> datetime.date | datetime.datetime:
    """Convert seconds since 1970 to a date, or to a datetime if the time of day is not midnight.

    >>> date_of(86400.0), date_of(86460.0)
    (datetime.date(1970, 1, 2), datetime.datetime(1970, 1, 2, 0, 1))
    """
    moment = _EPOCH + datetime.timedelta(seconds=seconds)
    return moment.date() if seconds % DAY == 0 else moment


def date_text(seconds: float) -> str:
    """Format seconds since 1970 as an ISO date, followed by the time of day unless it is midnight.

    >>> date_text(86400.0), date_text(86460.0), date_text(86461.4)
    ('1970-01-02', '1970-01-02 00:01', '1970-01-02 00:01:01')
    """
    moment = _EPOCH + datetime.timedelta(seconds=round(min(max(seconds, _FIRST), _LAST)))
    if moment.time() == datetime.time():
        return moment.date().isoformat()
    return moment.isoformat(" ", "seconds" if moment.second else "minutes")


def are_dates(values: Iterable[Any]) -> bool:
    """Return whether all known values are ISO date strings; False if all values are missing."""
    known = [value for value in values if not is_missing(value)]
    return bool(known) and all(isinstance(value, str) and _parsed(value.strip()) is not None for value in known)
