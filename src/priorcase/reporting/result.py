"""The report: plain data that prints as a summary, and is written as a page or as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from priorcase.reporting.calibrating import Calibration
from priorcase.reporting.choosing import Verdict
from priorcase.reporting.comparing import Compared
from priorcase.reporting.explaining import Explained
from priorcase.reporting.next_steps import NextSteps
from priorcase.reporting.oddities import Oddities
from priorcase.reporting.problem import Problem
from priorcase.reporting.suspects import Suspects
from priorcase.reporting.understanding import Understanding
from priorcase.reporting.worth import Worth

if TYPE_CHECKING:
    import os

__all__ = ["Made", "Report"]


@dataclass(frozen=True)
class Made:
    """How a report was made.

    Parameters
    ----------
    version
        That of priorcase.
    seed, budget, seconds
        The seed, the seconds it was allowed and those it took.
    date
        The day, as ``2026-01-31``.
    """

    version: str
    seed: int
    budget: float
    seconds: float
    date: str


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """What a table says, which learner to trust on it, and why; prints as a short summary.

    Parameters
    ----------
    problem
        The table.
    understanding
        What was understood of it.
    compared
        How learners did: on all rows, or on a sample first and then on all rows; the last is the one to go by.
    verdict
        The learner to trust.
    worth, oddities, suspects, calibration, explained
        What columns are worth, odd rows, rows whose target may be wrong, whether probabilities hold, and three
        predictions with their precedents; None, or empty, where the budget did not allow it.
    skipped
        What was left out, and why.
    next_steps
        How to go on.
    made
        How the report was made.

    Examples
    --------
    >>> import priorcase as pc
    >>> from priorcase.reporting import report
    >>> X, y = pc.datasets.load_repairs()
    >>> found = report(X, y, target="job", name="repairs", budget=20)
    >>> found.verdict.beats_guessing
    True
    """

    problem: Problem
    understanding: Understanding
    compared: tuple[Compared, ...]
    verdict: Verdict
    worth: Worth | None
    oddities: Oddities | None
    suspects: Suspects | None
    calibration: Calibration | None
    explained: tuple[Explained, ...]
    skipped: tuple[str, ...]
    next_steps: NextSteps
    made: Made

    def __str__(self) -> str:
        from priorcase.reporting.summary import summary_text

        return summary_text(self)

    __repr__ = __str__

    def html(self) -> str:
        """One page with everything in it: no other file and no network is needed to read it."""
        from priorcase.reporting.page import page

        return page(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def json(self) -> str:
        """The same as one JSON document; numbers that are not finite are null."""
        from priorcase.reporting.document import document

        return document(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report: as JSON if the name ends in ``.json``, else as a page.

        Parameters
        ----------
        path
            Where to; a file that is there is replaced.
        """
        text = self.json() if str(path).endswith(".json") else self.html()
        Path(path).write_text(text, encoding="utf-8")
