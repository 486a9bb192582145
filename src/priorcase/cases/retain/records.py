"""Records of use: how often the solution of a case was right when it spoke, and whether that is good enough."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, Backend, BoolArray, FloatArray, IdArray, IntArray
from priorcase.cases.retain.outcomes import worked
from priorcase.cases.retain.solutions import Solutions
from priorcase.cases.reuse.success import HALF, Success
from priorcase.cases.table import CaseTable
from priorcase.concepts.records import normal_quantile, verdicts, wilson_bounds
from priorcase.learning.results import Grid, GridResult, framed, short

_HEADER = ("id", "solution", "tried", "right", "accuracy", "base rate", "verdict")
_SHOWN = 20


@dataclass(frozen=True)
class Record:
    """How often a case spoke for a query that was solved since, and how often it was right.

    Examples
    --------
    >>> Record().after(True).after(False)
    Record(tried=2, right=1)
    """

    tried: int = 0
    right: int = 0

    def after(self, right: bool) -> Record:
        """The record after one more trial."""
        return Record(self.tried + 1, self.right + right)


@dataclass(frozen=True, repr=False, eq=False)
class Records(GridResult):
    """Records of use of all cases with a solution; prints as a table of those that spoke, the most often first.

    Parameters
    ----------
    ids, solutions
        The cases, and what they say.
    tried, right
        How often each spoke, and how often it was right.
    accuracy, base_rate
        Wilson's bounds, at the level of acceptance, of how often each is right and of how frequent its solution is
        among all solved cases: shape (cases, 2).
    verdict
        ``"acceptable"``: surely right more often than its solution is frequent. ``"poor"``: surely less often.
        ``"mediocre"``: neither is sure yet.
    retired
        Who is retired.
    """

    ids: IdArray
    solutions: tuple[Any, ...]
    tried: IntArray
    right: IntArray
    accuracy: FloatArray
    base_rate: FloatArray
    verdict: AnyArray
    retired: BoolArray

    def __len__(self) -> int:
        return self.ids.size

    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each case; lower and upper bounds are columns of their own.

        Parameters
        ----------
        backend
            The library whose frame to return: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None: the first of them
            that is installed; a dictionary of arrays where none is.
        """
        columns = {
            "id": self.ids,
            "solution": list(self.solutions),
            "tried": self.tried,
            "right": self.right,
            "accuracy_low": self.accuracy[:, 0],
            "accuracy_high": self.accuracy[:, 1],
            "base_rate_low": self.base_rate[:, 0],
            "base_rate_high": self.base_rate[:, 1],
            "verdict": self.verdict,
            "retired": self.retired,
        }
        return framed(columns, backend)

    def _grid(self) -> Grid:
        spoke = int((self.tried > 0).sum())
        order = np.argsort(-self.tried, kind="stable")[: min(spoke, _SHOWN)]
        lines = [
            [
                str(self.ids[i]),
                short(str(self.solutions[i]), 32),
                str(self.tried[i]),
                str(self.right[i]),
                _between(self.accuracy[i]),
                _between(self.base_rate[i]),
                f"{self.verdict[i]}{', retired' * bool(self.retired[i])}",
            ]
            for i in order
        ]
        solved = f"{len(self)} solved case{'s' * (len(self) != 1)}"
        title = f"records of use: {solved}, {spoke or 'none'} of them spoke, {int(self.retired.sum())} retired"
        more, silent = spoke - len(lines), len(self) - spoke
        notes = [f"... and {more} more case{'s' * (more != 1)} that spoke"] if more else []
        if silent:
            notes.append(f"{silent} case{'s' * (silent != 1)} never spoke")
        return Grid(title, _HEADER if lines else ("no records yet",), lines, "; ".join(notes), right={0, 2, 3})


def records_of(
    table: CaseTable,
    records: Mapping[int, Record],
    *,
    tolerance: float | None = None,
    acceptance: float = 0.9,
    dropping: float = 0.875,
    success: Success = "outcome",
) -> Records:
    """The records of use of all cases with a solution, as one table.

    Parameters
    ----------
    table
        The case base.
    records
        By id; cases without one were never tried.
    tolerance
        How far a right number may be off: needed where solutions are numbers.
    acceptance, dropping
        Confidence of each bound (one-sided) in the test for acceptable and for poor cases, as in IB3.
    success
        How outcomes are read, as in `reuse`: a solution is as frequent as it worked.
    """
    solutions = Solutions.of(table, tolerance)
    accepting = normal_quantile(acceptance, parameter="acceptance")
    rejecting = normal_quantile(dropping, parameter="dropping")
    positions = np.flatnonzero(solutions.solved)
    found = [records.get(int(id), Record()) for id in table.ids[positions]]
    tried = np.array([record.tried for record in found], dtype=np.int64)
    right = np.array([record.right for record in found], dtype=np.int64)
    holders, seen = frequencies(solutions, worked(table, success), positions)
    accuracy = wilson_bounds(right.astype(float), tried.astype(float), accepting)
    base_rate = wilson_bounds(holders, np.full(holders.shape, float(seen)), accepting)
    verdict = verdicts(accuracy, base_rate)
    verdict[verdict == "poor"] = "mediocre"
    verdict[_is_poor(right, tried, holders, seen, rejecting)] = "poor"
    values = tuple(solutions.value(int(i)) for i in positions)
    bounds = (np.column_stack(accuracy), np.column_stack(base_rate))
    return Records(table.ids[positions], values, tried, right, *bounds, verdict, table.retired[positions])


def poor(
    tried: Mapping[int, Record],
    table: CaseTable,
    solutions: Solutions,
    degrees: FloatArray,
    *,
    new: str | None,
    dropping: float,
) -> tuple[int, ...]:
    """Which of the cases just tried are surely right less often than their solution is frequent.

    ``upper(right, tried) < lower(cases with that solution, all solved cases)``, Wilson's bounds of IB3.

    Parameters
    ----------
    tried
        Records of those that just spoke.
    table, solutions, degrees
        The case base, and how well the solution of each case worked.
    new
        The solution of the case that comes in, which counts as seen; None where it failed.
    dropping
        Confidence of each bound.
    """
    z = normal_quantile(dropping, parameter="dropping")
    if not tried:
        return ()
    ids = list(tried)
    positions = np.array([table.position(id) for id in ids])
    holders, seen = frequencies(solutions, degrees, positions, new=new)
    right = np.array([tried[id].right for id in ids])
    trials = np.array([tried[id].tried for id in ids])
    gone = _is_poor(right, trials, holders, seen, z)
    return tuple(sorted(id for id, bad in zip(ids, gone, strict=True) if bad))


def frequencies(
    solutions: Solutions, degrees: FloatArray, positions: Iterable[int] | IntArray, *, new: str | None = None
) -> tuple[FloatArray, int]:
    """In how many cases the solution of each of these worked, and how many cases with a solution that worked there are.

    Retired cases count as well: their solution was seen to work.
    """
    helped = solutions.solved & (degrees > HALF)
    counts = np.bincount(solutions.codes[helped], minlength=len(solutions.texts)).astype(float)
    codes = solutions.codes[np.asarray(positions, dtype=np.int64)]
    if solutions.numbers is None:
        holders = counts[codes]
    else:
        order = np.argsort(solutions.numbers, kind="stable")
        levels, below = solutions.numbers[order], np.append(0.0, np.cumsum(counts[order]))
        low, high = solutions.around(solutions.numbers[codes])
        first, last = np.searchsorted(levels, low, side="left"), np.searchsorted(levels, high, side="right")
        holders = below[last] - below[first]
    if new is None:
        return holders, int(counts.sum())
    return holders + solutions.agreeing(new)[codes], int(counts.sum()) + 1


def _is_poor(right: IntArray, tried: IntArray, holders: FloatArray, seen: int, z: float) -> BoolArray:
    accuracy = wilson_bounds(right.astype(float), tried.astype(float), z)
    frequency = wilson_bounds(holders, np.full(holders.shape, float(seen)), z)
    found: BoolArray = verdicts(accuracy, frequency) == "poor"
    return found


def _between(bounds: FloatArray) -> str:
    return f"{bounds[0]:.2f} to {bounds[1]:.2f}"
