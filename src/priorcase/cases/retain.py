"""Retain: decide whether a new solved case is worth keeping, and record how often stored cases were right.

The policies are ``"always"``, ``"if_wrong"``, ``"if_new"`` and ``"records"``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from priorcase._numbers import number
from priorcase._parameters import check_choice, is_number
from priorcase._typing import AnyArray, Backend, BoolArray, FloatArray, IdArray, IntArray, Value
from priorcase.cases.kinds import Stored, plain_shown, written
from priorcase.cases.reuse import HALF, Success, able, degree, tally, worked
from priorcase.cases.scoring import Likeness, check_count, check_share
from priorcase.cases.table import CaseTable
from priorcase.concepts.records import normal_quantile, verdicts, wilson_bounds
from priorcase.exceptions import CaseBaseError, ParameterError, listed, quoted
from priorcase.learning.results import Grid, GridResult, TextResult, framed, short

Policy = Literal["always", "if_wrong", "if_new", "records"]

_SHOWN = 20
_ROUNDING = 1e-12


# -- solutions


@dataclass(frozen=True, eq=False)
class Solutions:
    """The solutions of all cases of a table; solutions agree if they are equal or differ by at most the tolerance."""

    codes: IntArray
    """Position of each case's solution in ``texts``, or -1 for a case without a solution."""
    texts: tuple[str, ...]
    """The distinct solutions as JSON text."""
    numbers: FloatArray | None
    """The distinct solutions as numbers, or None if there is no tolerance."""
    tolerance: float

    @classmethod
    def of(cls, table: CaseTable, tolerance: float | None, *, new: str | None = None) -> Solutions:
        """Return the solutions of a table; a tolerance is required if all solutions, including ``new``, are numbers."""
        found = cls.exactly(table)
        values = [plain_shown(text) for text in (*found.texts, *([] if new is None else [new]))]
        if tolerance is None:
            if values and all(map(is_number, values)):
                raise ParameterError(
                    "tolerance is required, since all solutions are numbers. Pass the largest difference at which two "
                    "numbers agree; store class labels that look like numbers as strings."
                )
            return found
        if not is_number(tolerance) or not 0 <= tolerance < math.inf:
            raise ParameterError(
                f"tolerance must be None or a number >= 0, got {quoted(tolerance)}. Two numbers agree if they "
                "differ by at most the tolerance."
            )
        for value in values:
            if not is_number(value):
                raise ParameterError(
                    f"got tolerance={quoted(tolerance)}, but the solution {quoted(value)} is not a number. Omit "
                    "tolerance: solutions that are not numbers agree if they are equal."
                )
        return cls(found.codes, found.texts, np.array(values[: len(found.texts)], dtype=float), float(tolerance))

    @classmethod
    def exactly(cls, table: CaseTable) -> Solutions:
        """Return the solutions of a table without a tolerance: two solutions agree only if they are equal."""
        column = table.column("solution")
        return cls(column.codes, tuple(map(str, column.values)), None, 0.0)

    @property
    def solved(self) -> BoolArray:
        found: BoolArray = self.codes >= 0
        return found

    def agreeing(self, text: str) -> BoolArray:
        """Return a mask of the distinct solutions that agree with the solution ``text``, which can be new."""
        if self.numbers is not None:
            low, high = self.around(float(plain_shown(text)))
            near: BoolArray = (self.numbers >= low) & (self.numbers <= high)
            return near
        return np.array([other == text for other in self.texts], dtype=bool)

    def around(self, number: FloatArray | float) -> tuple[FloatArray | float, FloatArray | float]:
        """Return the smallest and the largest number that agree with a number, allowing for rounding errors."""
        # For example, 0.8 and 0.7 agree if the tolerance is 0.1, although 0.8 - 0.7 > 0.1 in floating-point arithmetic.
        reach = self.tolerance + _ROUNDING * np.abs(number)
        return number - reach, number + reach

    def right(self, text: str) -> BoolArray:
        """Return a mask of the cases whose solution agrees with the given solution."""
        if not self.texts:
            return np.zeros(self.codes.size, dtype=bool)
        found: BoolArray = self.agreeing(text)[self.codes] & self.solved
        return found

    def value(self, position: int) -> Any:
        code = int(self.codes[position])
        return plain_shown(self.texts[code]) if code >= 0 else None


def most_similar(similarities: FloatArray, allowed: BoolArray, k: int) -> IntArray:
    """Return the positions of the k most similar allowed cases, the most similar first; ties go to the older case."""
    places = np.flatnonzero(allowed)
    if places.size > k:
        border = np.partition(similarities[places], places.size - k)[places.size - k]
        places = places[similarities[places] >= border]
    return places[np.argsort(-similarities[places], kind="stable")][:k]


# -- decisions


@dataclass(frozen=True)
class Duplicate:
    """A near-duplicate of a new case: its id, its similarity to the new case, and whether the solutions agree."""

    id: int
    similarity: float
    agrees: bool


@dataclass(frozen=True)
class Trial:
    """A stored case that was used for a query whose solution is now known, and whether the case was right."""

    id: int
    right: bool


@dataclass(frozen=True, repr=False)
class Retained(TextResult):
    """Result of `CaseBase.retain`; prints as one or two sentences.

    ``kept`` states whether the case was kept, ``id`` is its new id (None if it was not kept), and ``reason`` explains
    the decision. ``duplicates`` are the near-duplicates among the stored cases, the most similar first. ``trials`` are
    the stored cases whose records were updated. ``retired`` are the ids of the cases that were retired; retired cases
    stay in the file but are no longer retrieved.

    Examples
    --------
    >>> Retained(True, 7, "the case base would have proposed 'toner'", retired=(3,))
    Kept as case 7: the case base would have proposed 'toner'. Retired: case 3.
    """

    kept: bool
    id: int | None
    reason: str
    duplicates: tuple[Duplicate, ...] = ()
    trials: tuple[Trial, ...] = ()
    retired: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return self.kept

    def __repr__(self) -> str:
        parts = [f"Kept as case {self.id}: {self.reason}." if self.kept else f"Not kept: {self.reason}."]
        if others := [other.id for other in self.duplicates if not other.agrees]:
            parts.append(f"Near-duplicates with another solution: {_cases_text(others)}.")
        if self.retired:
            parts.append(f"Retired: {_cases_text(self.retired)}.")
        return " ".join(parts)


def _cases_text(ids: Sequence[int]) -> str:
    return f"case{'s' * (len(ids) != 1)} {listed(map(int, ids))}"


def shown_solution(value: Value) -> str:
    """Format a solution as at most 60 characters, for use in a sentence."""
    text = number(value) if isinstance(value, float) else repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def decide(
    table: CaseTable,
    case: Mapping[str, Stored],
    solution: str | None,
    outcome: str | None = None,
    *,
    policy: Policy = "if_wrong",
    likeness: Likeness | None = None,
    k: int = 1,
    tolerance: float | None = None,
    threshold: float = 0.95,
    records: Mapping[int, Record] | None = None,
    dropping: float = 0.875,
    success: Success = "outcome",
) -> Retained:
    """Decide whether to keep a new solved case, without changing the case base. See `CaseBase.retain`.

    The policies ``"if_wrong"`` and ``"records"`` are IB2 and IB3 (Aha, Kibler & Albert, *Machine Learning* 6, 1991,
    sections 3 and 4). ``records`` contains the records of stored cases by id, and ``dropping`` is the confidence level
    of the test that retires cases.
    """
    hint = "'if_wrong' keeps cases that the case base solves wrongly; 'if_new' keeps cases without near-duplicates."
    check_choice("policy", policy, get_args(Policy), hint=hint)
    check_count("k", k, hint="k=1 uses only the most similar case.")
    check_share("threshold", threshold, hint="A threshold of 0.95 is usual.")
    if solution is None:
        raise CaseBaseError(
            "got a case without a solution; expected a solved case. Pass solution=..., or use add for unsolved cases."
        )
    likeness = likeness or Likeness(table)
    needs_tolerance = policy in ("if_wrong", "records") or tolerance is not None
    solutions = Solutions.of(table, tolerance, new=solution) if needs_tolerance else Solutions.exactly(table)
    success = None if policy == "always" else success
    degrees = worked(table, success)
    failed = degree(plain_shown(outcome), success, id=None) <= HALF
    right = solutions.right(solution)
    alike = likeness.to(case, both=True)
    places = most_similar(alike, (alike >= threshold) & ~table.retired, len(table))
    near = tuple(Duplicate(int(table.ids[i]), float(alike[i]), bool(right[i])) for i in places)
    if policy == "always":
        return Retained(True, None, "every case is kept", near)
    failures: BoolArray = solutions.solved & ~table.retired & (degrees <= HALF)
    if policy == "if_new":
        return _if_new(table, near, failures, failed)
    similarities = likeness.to(case)
    nearest = most_similar(similarities, able(table, degrees), k)
    if policy == "if_wrong":
        keep, reason = _if_wrong(table, solutions, similarities, nearest, failures, degrees, solution, failed)
        return Retained(keep, None, reason, near)
    answered = zip(table.ids[nearest].tolist(), right[nearest].tolist(), strict=True)
    # If the new solution failed, the cases that proposed it were wrong; it is unknown whether the others were right.
    trials = tuple(Trial(id, agrees and not failed) for id, agrees in answered if agrees or not failed)
    tried = {trial.id: (records or {}).get(trial.id, Record()).after(trial.right) for trial in trials}
    positions = np.array([table.position(id) for id in tried], dtype=np.int64)
    frequencies = _frequencies(solutions, degrees, positions, new=None if failed else solution)
    *_, verdict = _judged([*tried.values()], *frequencies, normal_quantile(dropping, parameter="dropping"))
    retire = tuple(sorted(id for id, each in zip(tried, verdict, strict=True) if each == "poor"))
    count = f"{len(trials):,} case{'s' * (len(trials) != 1)}"
    result = (
        f"{count} proposed this solution, which failed"
        if failed
        else f"{count} proposed a solution, {sum(right[nearest])} of them correctly"
    )
    return Retained(True, None, f"every case is kept; {result}", near, trials, retire)


def _if_new(table: CaseTable, near: tuple[Duplicate, ...], failures: BoolArray, failed: bool) -> Retained:
    """Keep a case unless a near-duplicate has the same solution and the same outcome (worked or failed)."""
    same = [other for other in near if other.agrees]
    if not same:
        return Retained(True, None, "no case with the same solution is similar enough", near)
    alike = [other for other in same if failures[table.position(other.id)] == failed]
    first = (alike or same)[0]
    reason = f"case {first.id} has the same solution (similarity {first.similarity:.2f})"
    if alike:
        return Retained(False, None, reason, near)
    return Retained(True, None, f"{reason}, but there it {'worked' if failed else 'failed'}", near)


def _if_wrong(
    table: CaseTable,
    solutions: Solutions,
    similarities: FloatArray,
    nearest: IntArray,
    failures: BoolArray,
    degrees: FloatArray,
    solution: str,
    failed: bool,
) -> tuple[bool, str]:
    """Keep a case that worked if another solution is proposed; keep a case that failed if its solution is proposed."""
    if not nearest.size:
        return not failed, "there was no successfully solved case to compare with"
    # Failed cases that are at least as similar as the last one used count against their solution.
    against = np.flatnonzero(failures & (similarities >= similarities[nearest[-1]]) & (similarities > 0))
    asked = np.sort(np.concatenate([nearest, against]))
    asked = asked[np.argsort(-similarities[asked], kind="stable")]
    codes, answer, same = solutions.codes[asked], None, False
    if solutions.numbers is not None:  # their mean, weighted by similarity and by how well solutions worked
        weights = similarities[asked] * np.where(degrees[asked] > HALF, degrees[asked], 0.0)
        if weights.sum() > 0:
            answer = float(np.average(solutions.numbers[codes], weights=weights))
            low, high = solutions.around(float(plain_shown(solution)))
            same = bool(low <= answer <= high)
    else:
        given = [plain_shown(solutions.texts[code]) for code in codes]
        votes, _ = tally(table.ids[asked].tolist(), given, similarities[asked].tolist(), degrees[asked].tolist())
        if votes[0].probability > 0:
            answer = votes[0].solution
            same = written(answer) == solution
    if answer is None:
        if against.size:
            return not failed, "for every solution of the similar cases, failures outweigh successes"
        return not failed, "no similar case supports any solution"
    said = shown_solution(answer)
    if failed:
        known = f"it failed, and the case base proposes {said}"
        return same, f"the case base would have proposed {said}, which failed" if same else known
    return not same, f"the case base already proposes {said}" if same else f"the case base would have proposed {said}"


# -- records of use


@dataclass(frozen=True)
class Record:
    """The number of solved queries for which a case was used, and the number for which the case was right."""

    tried: int = 0
    right: int = 0

    def after(self, right: bool) -> Record:
        return Record(self.tried + 1, self.right + right)


@dataclass(frozen=True, repr=False, eq=False)
class Records(GridResult):
    """Table of the usage records of all cases with a solution; prints the used cases, the most used first.

    ``ids`` and ``solutions`` identify the cases; ``tried`` is the number of times that each case proposed its solution,
    and ``right`` the number of times that the solution was right. ``accuracy`` and ``base_rate``, of shape (cases, 2),
    are Wilson intervals for the accuracy of each case and for the relative frequency of its solution among all cases
    whose solution worked. The ``verdict`` is ``"acceptable"`` if the accuracy is significantly higher than the relative
    frequency, ``"poor"`` if the accuracy is significantly lower, and ``"mediocre"`` otherwise. ``retired`` marks
    retired cases.
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
        """Return a frame with one row per case, with lower and upper bounds in separate columns.

        For ``backend`` see `Competence.frame`.
        """
        columns = {"id": self.ids, "solution": list(self.solutions), "tried": self.tried, "right": self.right}
        for name, bounds in (("accuracy", self.accuracy), ("base_rate", self.base_rate)):
            columns |= {f"{name}_low": bounds[:, 0], f"{name}_high": bounds[:, 1]}
        return framed({**columns, "verdict": self.verdict, "retired": self.retired}, backend)

    def _grid(self) -> Grid:
        used = int((self.tried > 0).sum())
        lines = []
        for i in np.argsort(-self.tried, kind="stable")[: min(used, _SHOWN)]:
            bounds = [f"{low:.2f} to {high:.2f}" for low, high in (self.accuracy[i], self.base_rate[i])]
            verdict = f"{self.verdict[i]}{', retired' * bool(self.retired[i])}"
            counts = [str(self.tried[i]), str(self.right[i])]
            lines.append([str(self.ids[i]), short(str(self.solutions[i]), 32), *counts, *bounds, verdict])
        solved = f"{len(self):,} solved case{'s' * (len(self) != 1)}"
        title = f"records of use: {solved}, {used or 'none'} of them used, {int(self.retired.sum()):,} retired"
        more, never = used - len(lines), len(self) - used
        notes = [f"... and {more:,} more case{'s' * (more != 1)} used"] if more else []
        if never:
            notes.append(f"{never:,} case{'s' * (never != 1)} never used")
        header = (
            ("id", "solution", "tried", "right", "accuracy", "base rate", "verdict") if lines else ("no records yet",)
        )
        return Grid(title, header, lines, "; ".join(notes), right={0, 2, 3})


def records_of(
    table: CaseTable,
    records: Mapping[int, Record],
    *,
    tolerance: float | None = None,
    acceptance: float = 0.9,
    dropping: float = 0.875,
    success: Success = "outcome",
) -> Records:
    """Return the usage records of all cases with a solution as one table; see `CaseBase.records`.

    ``acceptance`` and ``dropping`` are the confidence levels of the tests for acceptable cases and for poor cases.
    """
    solutions = Solutions.of(table, tolerance)
    accepting = normal_quantile(acceptance, parameter="acceptance")
    rejecting = normal_quantile(dropping, parameter="dropping")
    positions = np.flatnonzero(solutions.solved)
    found = [records.get(int(id), Record()) for id in table.ids[positions]]
    frequencies = _frequencies(solutions, worked(table, success), positions)
    accuracy, base_rate, verdict = _judged(found, *frequencies, accepting)
    verdict[verdict == "poor"] = "mediocre"
    verdict[_judged(found, *frequencies, rejecting)[2] == "poor"] = "poor"
    return Records(
        table.ids[positions],
        tuple(solutions.value(int(i)) for i in positions),
        np.array([record.tried for record in found], dtype=np.int64),
        np.array([record.right for record in found], dtype=np.int64),
        np.column_stack(accuracy),
        np.column_stack(base_rate),
        verdict,
        table.retired[positions],
    )


def _frequencies(
    solutions: Solutions, degrees: FloatArray, positions: IntArray, *, new: str | None = None
) -> tuple[FloatArray, int]:
    """Return the number of successful cases that agree with each case in ``positions``, and of all successful cases."""
    counted = solutions.solved & (degrees > HALF)  # including retired cases
    counts = np.bincount(solutions.codes[counted], minlength=len(solutions.texts)).astype(float)
    codes = solutions.codes[positions]
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


def _judged(records: Sequence[Record], holders: FloatArray, seen: int, z: float) -> tuple[Any, Any, AnyArray]:
    """Return Wilson intervals for the accuracies and the solution frequencies, and the verdict on each record (IB3)."""
    right = np.array([record.right for record in records], dtype=float)
    tried = np.array([record.tried for record in records], dtype=float)
    accuracy = wilson_bounds(right, tried, z)
    base_rate = wilson_bounds(holders, np.full(holders.shape, float(seen)), z)
    return accuracy, base_rate, verdicts(accuracy, base_rate)
