"""The distinct solutions among the retrieved cases, and what speaks for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_ROUNDING = 1e-12


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

    @property
    def votes(self) -> float:
        """By how much what speaks for it exceeds what speaks against it; 0 where it does not."""
        return net(self.support, self.against)


def net(support: float, against: float) -> float:
    """``max(0, support - against)``, and 0 where no more than rounding is between the two.

    Examples
    --------
    >>> net(1.0, 0.75), net(0.5, 0.75), net(0.3 + 0.7, (1 - 0.3) + (1 - 0.7))
    (0.25, 0.0, 0.0)
    """
    more = support - against
    return more if more > _ROUNDING * support else 0.0
