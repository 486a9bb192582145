"""How long a search may go on: a number of steps, and seconds as the last resort."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from priorcase._parameters import is_number, is_whole
from priorcase.exceptions import ParameterError, quoted

_LOOK = 64


class BudgetSpentError(Exception):
    """The search has taken all the steps or seconds it was given; never leaves this package."""


class Budget:
    """Steps and seconds that searches share; ``spend`` raises when either is used up.

    Steps are the same on every machine, so that what a cut search has found is the same too; seconds are not.

    Parameters
    ----------
    steps, seconds
        How much there is.
    """

    def __init__(self, steps: int, seconds: float) -> None:
        self.steps = steps
        self.seconds = seconds
        self.taken = 0
        self._look = 0
        self._end = monotonic() + seconds
        self._cut = ""
        self._shortened = ""

    def spend(self, steps: int = 1) -> None:
        """So many steps more."""
        if self._cut:
            raise BudgetSpentError
        self.taken += steps
        if self.taken > self.steps:
            self._cut = "steps"
            raise BudgetSpentError
        if self.taken < self._look:
            return
        self._look = self.taken + _LOOK
        if monotonic() > self._end:
            self._cut = "seconds"
            raise BudgetSpentError

    @contextmanager
    def part(self, share: float) -> Iterator[Budget]:
        """A share of what is left, so that one hard part of a search leaves something for the others.

        Where it is spent, the context is left quietly, and ``cut`` of this budget says so.
        """
        part = Budget(max(1, int((self.steps - self.taken) * share)), max(0.0, self._end - monotonic()) * share)
        try:
            yield part
        except BudgetSpentError:
            pass
        finally:
            self.taken += min(part.taken, part.steps)
            self._shortened = self._shortened or part._cut or part._shortened

    @property
    def cut(self) -> str:
        """What cut the search or a part of it, in words; empty where it went to its end.

        Examples
        --------
        >>> Budget(10, 1.0).cut
        ''
        """
        allowed = {"steps": f"{self.steps:,} steps", "seconds": f"{self.seconds:.3g} seconds"}
        if self._cut:
            return f"the search was cut after {allowed[self._cut]}"
        return self._shortened and f"parts of the search were cut to stay within {allowed[self._shortened]}"


def check_budget(steps: object, seconds: object) -> Budget:
    """A budget from a user's numbers."""
    if not is_whole(steps) or int(steps) < 1:
        raise ParameterError(
            f"steps must be a whole number >= 1, got {quoted(steps)}. 100_000 steps take some seconds."
        )
    if not is_number(seconds) or not float(seconds) > 0:
        raise ParameterError(f"seconds must be a number > 0, got {quoted(seconds)}. 10.0 is usual.")
    return Budget(int(steps), float(seconds))


def check_count(parameter: str, value: object, *, least: int, hint: str) -> int:
    """A whole number of at least so many."""
    if not is_whole(value) or int(value) < least:
        raise ParameterError(f"{parameter} must be a whole number >= {least}, got {quoted(value)}. {hint}")
    return int(value)
