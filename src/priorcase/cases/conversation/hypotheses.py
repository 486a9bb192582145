"""What the answer may be: the solutions of the cases, numbers in groups of a width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import FloatArray, IdArray, IntArray
from priorcase.cases.kinds import plain_shown
from priorcase.cases.retain.solutions import Solutions
from priorcase.cases.reuse import Candidate


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """For each case which answer it speaks for.

    Parameters
    ----------
    codes
        The number of its answer; 0 for cases without a solution, which never count.
    count
        How many answers there are.
    solutions
        The solutions of the cases. Numbers are grouped from the least on: a group begins at the first number that is
        more than twice the tolerance above where the one before began.
    """

    codes: IntArray
    count: int
    solutions: Solutions

    @classmethod
    def of(cls, solutions: Solutions) -> Hypotheses:
        """Those of a table."""
        if solutions.numbers is None:
            return cls(np.maximum(solutions.codes, 0), max(1, len(solutions.texts)), solutions)
        groups = grouped(solutions.numbers, 2.0 * solutions.tolerance)
        return cls(np.append(groups, 0)[solutions.codes], int(groups.max(initial=0)) + 1, solutions)

    def ranked(self, weights: FloatArray, none: float, floor: float, ids: IdArray) -> tuple[Candidate, ...]:
        """The answers with their probabilities, the most probable first; of equals that of the oldest case.

        Only those are listed that count more than ``floor`` times as much as the best.

        Parameters
        ----------
        weights
            How much each case counts.
        none
            How much counts that none of the answers is right.
        floor
            As for cases.
        ids
            Of the cases.
        """
        counted = np.bincount(self.codes, weights=weights, minlength=self.count).astype(float)
        total = float(counted.sum()) + none
        listed = np.flatnonzero(counted > floor * counted.max())
        able = np.flatnonzero(weights > 0)
        order = able[np.lexsort((-weights[able], self.codes[able]))]  # stable: of equals the oldest
        ends = np.cumsum(np.bincount(self.codes[order], minlength=self.count))
        found = []
        for code in listed.tolist():
            places = order[ends[code - 1] if code else 0 : ends[code]]
            heard, support = tuple(ids[places].tolist()), float(counted[code])
            value = self._value(places, weights)
            found.append((Candidate(value, support / total, support, 0.0, heard), int(places.min())))
        found.sort(key=lambda pair: (-round(pair[0].probability, 12), pair[1]))
        return tuple(candidate for candidate, _ in found)

    def _value(self, places: IntArray, weights: FloatArray) -> Any:
        """What these cases say together: their solution, or the mean of their numbers."""
        codes = self.solutions.codes[places]
        if self.solutions.numbers is None:
            return plain_shown(self.solutions.texts[int(codes[0])])
        numbers = self.solutions.numbers[codes]
        return float(np.average(numbers, weights=weights[places])) if np.ptp(numbers) else float(numbers[0])


def grouped(numbers: FloatArray, width: float) -> IntArray:
    """The number of each number's group, from the least on, none of them wider than this but for rounding.

    Examples
    --------
    >>> grouped(np.array([5.0, 1.0, 2.0, 3.5]), 2.0)
    array([1, 0, 0, 1])
    """
    found = np.zeros(numbers.size, dtype=np.int64)
    begin, group = float("-inf"), -1
    for place in np.argsort(numbers, kind="stable").tolist():
        number = float(numbers[place])
        if number - begin > width + 1e-12 * abs(number):
            begin, group = number, group + 1
        found[place] = group
    return found
