"""The time that a report may take."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter

from priorcase.exceptions import ParameterError, quoted

__all__ = ["Budget", "parse_budget"]

_UNITS = {"s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_HINT = "60, '60s' and '2min' are budgets."


@dataclass(frozen=True)
class Budget:
    """So many seconds from now.

    Parameters
    ----------
    total
        How many seconds in all.
    """

    total: float
    start: float = field(default_factory=perf_counter)

    @property
    def spent(self) -> float:
        """Seconds that have gone by."""
        return perf_counter() - self.start

    @property
    def left(self) -> float:
        """Seconds that are left; below 0 where the budget is overdrawn."""
        return self.total - self.spent

    def until(self, share: float) -> float:
        """Seconds that are left until a share of the whole is spent.

        Examples
        --------
        >>> round(Budget(60.0).until(0.5))
        30
        """
        return share * self.total - self.spent


def parse_budget(budget: object) -> float:
    """Seconds, from a number or from text.

    Examples
    --------
    >>> parse_budget(60), parse_budget("90s"), parse_budget("2 min")
    (60.0, 90.0, 120.0)
    """
    expected = "a number of seconds > 0, or text such as '60s' or '2min'"
    error = ParameterError(f"budget must be {expected}, got {quoted(budget)}. {_HINT}")
    if isinstance(budget, bool) or not isinstance(budget, (int, float, str)):
        raise error
    text = str(budget).strip().lower()
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = text[len(digits) :].strip() or "s"
    try:
        seconds = float(digits) * _UNITS[unit]
    except (ValueError, KeyError):
        raise error from None
    if not 0 < seconds < float("inf"):
        raise error
    return seconds
