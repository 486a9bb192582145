"""Interpret single numbers and dates that users type, in the notations of different countries.

The command line, the service, the explorer and case bases use these functions. ``explorer/static/typed.js`` contains a
translation of `typed_number` for the fields of the page; the tests compare both functions.
"""

from __future__ import annotations

import datetime
import math
import re
from contextlib import suppress
from typing import TypeAlias

from priorcase.exceptions import ReadingError, quoted

Moment: TypeAlias = datetime.date | datetime.datetime

_PLAIN = re.compile(r"[-+]?(?:[0-9][0-9_]*\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_FRACTION = re.compile(r"[-+]?0[.,][0-9]+")  # no thousands: these would not begin with a zero
_EXACT = 2**53


def plain_number(text: str, decimal: str = ".") -> int | float | None:
    """Parse a finite number in the notation of programs, such as -12.5e3; return None for any other text.

    >>> plain_number("12.50"), plain_number("12,5"), plain_number("12,5", ","), plain_number("1e400")
    (12.5, None, 12.5, None)
    """
    bare = text.strip()
    if decimal == ",":
        bare = bare.replace(".", "?").replace(",", ".")
    if not _PLAIN.fullmatch(bare):
        return None
    return _finite(float(bare.replace("_", "")))


def _finite(number: float) -> int | float | None:
    """Return a number, as an integer if it is one; None if it is infinite."""
    if not math.isfinite(number):
        return None
    return int(number) if number == int(number) and abs(number) < _EXACT else number


def typed_number(text: str, decimal: str = ".") -> int | float | None:
    """Parse a number in any usual notation; return None if the text is not a number.

    A number with the given decimal mark and without thousands separators has this meaning. Any other text is read with
    both decimal marks; an error is raised if it has two meanings.

    >>> typed_number("1.516,34"), typed_number("1,5"), typed_number("1.516"), typed_number("1,516", ",")
    (1516.34, 1.5, 1.516, 1.516)
    >>> typed_number("many"), typed_number("12e"), typed_number("1e400")
    (None, None, None)
    """
    bare = text.strip()
    if _FRACTION.fullmatch(bare):
        return plain_number(bare.replace(",", "."))
    number = plain_number(bare, decimal)
    if number is not None:
        return number
    meanings = dict.fromkeys(_number_with(bare, mark) for mark in ".,")
    found = [number for number in meanings if number is not None]
    if len(found) > 1:
        examples = [f"{number:.4f}" if isinstance(number, float) else str(number) for number in found]
        raise ReadingError(f"{quoted(text)} can mean {found[0]} or {found[1]}. Write {examples[0]} or {examples[1]}.")
    return found[0] if found else None


def _number_with(text: str, mark: str) -> int | float | None:
    """Parse a number with this decimal mark and any thousands separators."""
    import pyarrow as pa

    from priorcase.datasets.values import NUMBER, Conventions, Meaning, apply

    if NUMBER.match(text.strip("()")) is None:  # Arrow also reads hexadecimal numbers
        return None
    try:
        _, column = apply(Meaning("numeric", decimal=mark), pa.array([text]), Conventions(missing=("",)), str, "")
    except (ReadingError, UnicodeError):
        return None
    number = column[0].as_py()
    return None if number is None else _finite(number)


def typed_date(text: str) -> Moment | None:
    """Parse a date, with or without a time, in any usual notation; return None if the text is not a date.

    An error is raised if the day and the month could be confused, which cannot happen in dates with dots.

    >>> typed_date("1.6.2025"), typed_date("12/31/2025"), typed_date("2025-06-01 08:30"), typed_date("soon")
    (datetime.date(2025, 6, 1), datetime.date(2025, 12, 31), datetime.datetime(2025, 6, 1, 8, 30), None)
    """
    bare = text.strip()
    for parse in (datetime.date.fromisoformat, datetime.datetime.fromisoformat):
        with suppress(ValueError):
            return parse(bare)
    orders = ["dmy"] if "." in bare else ["dmy", "mdy"]  # no country writes the month first with dots
    meanings = dict.fromkeys(_date_in(bare, order) for order in orders)
    found = [moment for moment in meanings if moment is not None]
    if len(found) > 1:
        either = " or ".join(map(str, found))
        raise ReadingError(f"{quoted(text)} can mean {either}. Write {either}.")
    return found[0] if found else None


def _date_in(text: str, order: str) -> Moment | None:
    """Parse a date with this order of day and month."""
    import pyarrow as pa

    from priorcase.datasets.values import Conventions, Meaning, apply

    try:
        _, column = apply(Meaning("date", format=order), pa.array([text]), Conventions(missing=("",)), str, "")
    except (ReadingError, UnicodeError):
        return None
    moment: datetime.datetime | None = column[0].as_py()
    if moment is None or ":" in text:
        return moment
    return moment.date()
