"""What the library warns of while it answers, by lines of the query table."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from priorcase.exceptions import FarQueryWarning, UnsettledFitWarning

__all__ = ["Notices", "noticed"]

_SHOWN = 5


@dataclass
class Notices:
    """New cases, by their lines, that are far from everything, and those whose fits did not come to rest."""

    far: list[int] = field(default_factory=list)
    unsettled: list[int] = field(default_factory=list)

    def texts(self) -> Iterator[str]:
        """What a reader of the answers should know."""
        if self.far:
            yield (
                f"no past case lies within the bandwidth at {_lines(self.far)}: those nearest answer there; a larger "
                "--bandwidth, or --neighbors in its place, reaches every new case"
            )
        if self.unsettled:
            yield f"the local models at {_lines(self.unsettled)} did not settle: their probabilities are approximate"


@contextmanager
def noticed(notices: Notices, lines: tuple[int, ...]) -> Iterator[None]:
    """Note down warnings about new cases that stand in these lines; other warnings pass."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    far, unsettled = set[int](), set[int]()
    for warning in caught:
        if isinstance(warning.message, FarQueryWarning):
            far.update(warning.message.queries)
        elif isinstance(warning.message, UnsettledFitWarning):
            unsettled.update(warning.message.queries)
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    notices.far += [lines[i] for i in sorted(far)]
    notices.unsettled += [lines[i] for i in sorted(unsettled)]


def _lines(lines: list[int]) -> str:
    """Lines as a sentence names them, the first few.

    Examples
    --------
    >>> _lines([4]), _lines([2, 3, 5, 7, 11, 13])
    ('line 4', 'lines 2, 3, 5, 7, 11 and 1 more')
    """
    shown, more = ", ".join(map(str, lines[:_SHOWN])), len(lines) - _SHOWN
    return f"line{'' if len(lines) == 1 else 's'} {shown}{f' and {more} more' if more > 0 else ''}"
