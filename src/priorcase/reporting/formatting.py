"""Numbers, names and cells as a report shows them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from priorcase.learning.results import value_text
from priorcase.schema import Date, Kind
from priorcase.schema.dates import date_text
from priorcase.schema.kinds import is_missing

_WIDEST = 28  # characters of a cell


def count(n: float, thing: str, things: str | None = None) -> str:
    return f"{n:,.0f} {thing if n == 1 else things or thing + 's'}"


def percent(share: float, digits: int = 1) -> str:
    if math.isnan(share):
        return "-"
    least = 10.0**-digits
    if share in (0.0, 1.0):
        return f"{100 * share:.0f}%"
    if 0 < 100 * share < least / 2:
        return f"< {least:g}%"
    if 100 - least / 2 < 100 * share < 100:
        return f"> {100 - least:g}%"
    return f"{100 * share:.{digits}f}%"


def number(x: float, digits: int = 3, *, grouped: bool = True) -> str:
    """A number to so many significant digits, with commas between thousands if ``grouped``."""
    if math.isnan(x):
        return "-"
    if math.isinf(x):
        return "-infinity" if x < 0 else "infinity"
    if x == 0:
        return "0"
    size = math.floor(math.log10(abs(x)))
    if size < -4 or size > 14:
        return f"{x:.{digits - 1}e}"
    text = f"{x:,.{max(digits - 1 - size, 0)}f}"
    return text if grouped else text.replace(",", "")


def plus_minus(x: float, error: float) -> str:
    """A number with its standard error, to the digits that the error allows."""
    if not math.isfinite(x) or not math.isfinite(error):
        return number(x)
    if error <= 0 or max(abs(x), error) >= 1e15 or error < 1e-7:
        return f"{number(x)} ± {number(error)}"
    places = max(1 - math.floor(math.log10(error)), 0)
    most = max(3 - math.floor(math.log10(abs(x))), 0) if x else places
    if most < places:  # more digits than anyone reads
        least = 10.0**-most
        return f"{x:,.{most}f} ± " + (f"{error:,.{most}f}" if error >= least / 2 else f"< {least:g}")
    return f"{x:,.{places}f} ± {error:,.{places}f}"


def seconds(spent: float) -> str:
    if spent >= 600:
        return f"{spent / 60:.0f} min"
    return f"{spent:.0f} s" if spent >= 10 else f"{spent:.1f} s" if spent >= 0.1 else f"{spent:.2f} s"


def duration(allowed: float) -> str:
    """A time budget as `report` reads it, such as ``5min``."""
    if allowed >= 7200:
        return f"{math.ceil(allowed / 3600)}h"
    return f"{math.ceil(allowed / 60)}min" if allowed > 60 else f"{math.ceil(allowed)}s"


def unambiguous(names: Iterable[str]) -> list[str]:
    """Names for a list in a sentence: all of them quoted where one contains a comma or the word *and*."""
    found = list(names)
    return [repr(name) for name in found] if any("," in name or " and " in name for name in found) else found


def value(cell: Any, kind: Kind | None = None) -> str:
    """One cell of a table; ``?`` where it is missing. A date may come as seconds, if ``kind`` says so."""
    if is_missing(cell):
        return "?"
    if isinstance(kind, Date) and isinstance(cell, float):
        return date_text(cell)
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.0f}" if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.6g}"
    return value_text(cell, _WIDEST)
