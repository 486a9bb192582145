"""Numbers and counts as a reader wants them: few digits, thousands apart, no jargon."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from priorcase.schema.kinds import is_missing

__all__ = ["count", "listed", "number", "number_pair", "percent", "plain", "seconds", "short", "signed", "value"]

_LONGEST = 28


def count(n: float, thing: str, things: str | None = None) -> str:
    """A number of things.

    Examples
    --------
    >>> count(1, "row"), count(48842, "row"), count(2, "class", "classes")
    ('1 row', '48,842 rows', '2 classes')
    """
    return f"{n:,.0f} {thing if n == 1 else things or thing + 's'}"


def percent(share: float, digits: int = 1) -> str:
    """A share of one as per cent.

    Examples
    --------
    >>> percent(0.8613), percent(1.0), percent(0.00004), percent(float("nan"))
    ('86.1 %', '100 %', '< 0.1 %', '-')
    """
    if math.isnan(share):
        return "-"
    if share in (0.0, 1.0):
        return f"{share:.0%}".replace("%", " %")
    least = 10.0**-digits
    if 0 < 100 * share < least / 2:
        return f"< {least:g} %"
    if 100 - least / 2 < 100 * share < 100:
        return f"> {100 - least:g} %"
    return f"{100 * share:.{digits}f} %"


def number(x: float, digits: int = 3) -> str:
    """A number to so many significant digits, whole thousands apart; a word where it is not finite.

    Examples
    --------
    >>> number(0.30456), number(1234567.8), number(-0.0000123), number(float("-inf")), number(float("nan"))
    ('0.305', '1,234,568', '-1.23e-05', 'minus infinity', '-')
    """
    if math.isnan(x):
        return "-"
    if math.isinf(x):
        return "minus infinity" if x < 0 else "infinity"
    if x == 0:
        return "0"
    size = math.floor(math.log10(abs(x)))
    if size < -4 or size > 14:
        return f"{x:.{digits - 1}e}"
    return f"{x:,.{max(digits - 1 - size, 0)}f}"


def plain(x: float, digits: int = 3) -> str:
    """A number as it would stand in a table: as `number`, thousands not apart.

    Examples
    --------
    >>> plain(35435.2), plain(0.30456)
    ('35435', '0.305')
    """
    return number(x, digits).replace(",", "")


def number_pair(x: float, error: float) -> tuple[str, str]:
    """A number and how far it may be off, to as many digits as that allows.

    Examples
    --------
    >>> number_pair(-0.30456, 0.00377), number_pair(2.1364, 0.21), number_pair(12345.6, 321.0)
    (('-0.3046', '0.0038'), ('2.14', '0.21'), ('12,346', '321'))
    >>> number_pair(-0.550251, 0.000033)
    ('-0.5503', '< 0.0001')
    """
    if not math.isfinite(error) or error <= 0 or not math.isfinite(x):
        return number(x), number(error)
    places = max(1 - math.floor(math.log10(error)), 0)
    most = max(3 - math.floor(math.log10(abs(x))), 0) if x else places
    if most < places:  # more digits than anyone reads
        least = 10.0**-most
        return f"{x:,.{most}f}", f"{error:,.{most}f}" if error >= least / 2 else f"< {least:g}"
    return (f"{x:,.{places}f}", f"{error:,.{places}f}") if places <= 8 else (number(x), number(error))


def signed(x: float, digits: int = 2) -> str:
    """A number with its sign, a true minus where it is below zero.

    Examples
    --------
    >>> signed(0.0312), signed(-1.5)
    ('+0.031', '\u22121.5')
    """
    text = number(abs(x), digits)
    return f"\u2212{text}" if x < 0 else f"+{text}"


def seconds(spent: float) -> str:
    """A time.

    Examples
    --------
    >>> seconds(0.0312), seconds(4.26), seconds(71), seconds(4000)
    ('0.03 s', '4.3 s', '71 s', '67 min')
    """
    if spent >= 600:
        return f"{spent / 60:.0f} min"
    return f"{spent:.0f} s" if spent >= 10 else f"{spent:.1f} s" if spent >= 0.1 else f"{spent:.2f} s"


def value(cell: Any, width: int = _LONGEST) -> str:
    """One cell of a table; ``?`` where it is missing.

    Examples
    --------
    >>> value(None), value(1455435.0), value(0.25), value("a\\nlong text that goes on and on and on")
    ('?', '1455435', '0.25', 'a long text that goes on an…')
    """
    if is_missing(cell):
        return "?"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.0f}" if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.6g}"
    return short(str(cell), width)


def short(text: str, width: int = _LONGEST) -> str:
    """Text on one line, cut to so many characters."""
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"


def listed(names: Sequence[str], last: str = "and", most: int = 6) -> str:
    """Names as a sentence lists them.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"]), listed(list("abcdefgh"), most=3)
    ('a', 'a, b and c', 'a, b, c and 5 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"
