"""The distinct solutions among the retrieved cases, and what speaks for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Candidate:
    """A solution that some of the retrieved cases have.

    Parameters
    ----------
    solution
        The solution.
    probability
        Its share of the votes.
    support
        The weight of the cases in which it worked.
    against
        The weight of those in which it failed.
    cases
        Their numbers, the most similar first.
    """

    solution: Any
    probability: float
    support: float
    against: float
    cases: tuple[int, ...]
