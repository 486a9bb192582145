"""Format counts, percentages, names and cells for reports; `priorcase._numbers` formats other numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from priorcase.learning.results import value_text
from priorcase.schema import Date, Kind
from priorcase.schema.dates import date_text
from priorcase.schema.kinds import is_missing

_WIDEST = 28  # maximum number of characters of a cell
PRINTED = 20  # maximum number of lines of a printed table


def count(n: float, thing: str, things: str | None = None) -> str:
    return f"{n:,.0f} {thing if n == 1 else things or thing + 's'}"


def chance(rows: float) -> str:
    """Format an expected number of rows."""
    return f"{rows:.0f}" if rows >= 10 else f"{rows:.1f}" if rows >= 0.05 else "0"


def rest(lines: int, thing: str) -> str:
    """Return a note on the number of lines omitted from a printed table; empty if no lines are omitted."""
    return f"... and {count(lines - PRINTED, thing)}" if lines > PRINTED else ""


def percent(share: float, digits: int = 1, *, certain: bool = True) -> str:
    """Format a share as a percentage; with ``certain=False``, never as exactly 0% or 100%."""
    if math.isnan(share):
        return "-"
    least = 10.0**-digits
    if 100 * share < least / 2 and (share > 0 or not certain):
        return f"< {least:g}%"
    if 100 * share > 100 - least / 2 and (share < 1 or not certain):
        return f"> {100 - least:g}%"
    return f"{100 * share:.{digits}f}%"


def seconds(spent: float) -> str:
    if spent >= 600:
        return f"{spent / 60:.0f} min"
    return f"{spent:.0f} s" if spent >= 10 else f"{spent:.1f} s" if spent >= 0.1 else f"{spent:.2f} s"


def duration(allowed: float) -> str:
    """Format a time budget for `report`, such as ``5min``."""
    if allowed >= 7200:
        return f"{math.ceil(allowed / 3600)}h"
    return f"{math.ceil(allowed / 60)}min" if allowed > 60 else f"{math.ceil(allowed)}s"


def unambiguous(names: Iterable[str]) -> list[str]:
    """Return names for a list in a sentence; all names are quoted if any contains a comma or the word *and*."""
    found = list(names)
    return [repr(name) for name in found] if any("," in name or " and " in name for name in found) else found


def value(cell: Any, kind: Kind | None = None) -> str:
    """Format a cell of a table; a missing value becomes ``?``. For a `Date`, numbers are seconds since 1970."""
    if is_missing(cell):
        return "?"
    if isinstance(kind, Date) and isinstance(cell, float):
        return date_text(cell)
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return value_text(cell, _WIDEST)
