"""Whether a new solved case is worth keeping: always, if the base is wrong, if it is new, or by records of use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from priorcase.exceptions import RetainError
from priorcase.learning.parameters import check_choice
from priorcase.reasoning.kinds import Stored
from priorcase.reasoning.retain.checks import check_count, check_share
from priorcase.reasoning.retain.decision import Decision, Duplicate, Trial, shown_solution
from priorcase.reasoning.retain.duplicates import duplicates_of
from priorcase.reasoning.retain.likeness import Likeness
from priorcase.reasoning.retain.outcomes import able
from priorcase.reasoning.retain.records import Record, poor
from priorcase.reasoning.retain.solutions import Solutions
from priorcase.reasoning.retain.speaking import Speakers, answered, most_similar
from priorcase.reasoning.table import CaseTable

Policy = Literal["always", "if_wrong", "if_new", "records"]

_HINT = "'if_wrong' keeps what the base would get wrong, 'if_new' what is no near-duplicate."


@dataclass(frozen=True, eq=False)
class Asked:
    """The base, asked about a new case whose solution is known."""

    solution: str
    solutions: Solutions
    speakers: Speakers
    duplicates: tuple[Duplicate, ...]
    records: Mapping[int, Record]
    dropping: float


def decide(
    table: CaseTable,
    case: Mapping[str, Stored],
    solution: str | None,
    *,
    policy: Policy = "if_wrong",
    likeness: Likeness | None = None,
    k: int = 1,
    tolerance: float | None = None,
    threshold: float = 0.95,
    records: Mapping[int, Record] | None = None,
    dropping: float = 0.875,
    caller: str = "retain",
) -> Decision:
    """What to do about a new solved case; nothing is changed here.

    Parameters
    ----------
    table
        The case base. Retired cases are not asked, nor those whose outcome says that their solution failed: False, or
        a number below 1/2.
    case, solution
        The new case as it would be stored, and its solution as JSON text.
    policy
        ``"always"``. ``"if_wrong"``: only if the base, asked now, would have answered otherwise (IB2): by a vote of the
        k most similar cases as in `Vote`, or for numbers by their mean, more than the tolerance off.
        ``"if_new"``: unless a stored case with the same solution is at least ``threshold`` similar. ``"records"``:
        always, but whoever of the k most similar spoke gets that into its record, and leaves where it is significantly
        worse than its solution is frequent (IB3).
    likeness
        How cases are compared; by the default measures of their kinds, all of one weight, where none is given.
    k
        How many cases speak. IB2 and IB3 ask the nearest.
    tolerance
        How far a right number may be off: needed where solutions are numbers.
    threshold
        From which similarity on two cases are near-duplicates; an attribute that only one of them knows counts as 0.
    records
        Those of stored cases by id; cases without one were never tried.
    dropping
        Confidence of each bound (one-sided) in the test that retires cases: 0.875 as in IB3.
    caller
        For messages.

    References
    ----------
    D. W. Aha, D. Kibler & M. K. Albert, *Machine Learning* 6, 1991, sections 3 and 4.
    """
    check_choice("policy", policy, get_args(Policy), caller=caller, hint=_HINT)
    check_count("k", k, caller=caller, hint="1 asks the most similar case alone.")
    check_share("threshold", threshold, caller=caller, hint="0.95 is usual.")
    if solution is None:
        raise RetainError.unsolved(caller)
    likeness = likeness or Likeness(table, caller=caller)
    strictly = policy in ("if_wrong", "records") or tolerance is not None
    known = Solutions.of(table, tolerance, caller=caller, new=solution) if strictly else Solutions.exactly(table)
    asked = Asked(
        solution,
        known,
        most_similar(likeness.to(case), able(table), k),
        duplicates_of(table, case, known.right(solution), likeness=likeness, threshold=threshold),
        records or {},
        dropping,
    )
    return _POLICIES[policy](table, asked, caller)


def _always(table: CaseTable, asked: Asked, caller: str) -> Decision:
    return Decision(True, "every case is kept", asked.duplicates)


def _if_wrong(table: CaseTable, asked: Asked, caller: str) -> Decision:
    if not asked.speakers.positions.size:
        return Decision(True, "no solved case was there to ask", asked.duplicates)
    answer, right = answered(table, asked.solutions, asked.speakers, asked.solution)
    if answer is None:
        return Decision(True, "nothing similar speaks for any solution", asked.duplicates)
    said = shown_solution(answer)
    reason = f"the base already answers {said}" if right else f"the base would have answered {said}"
    return Decision(not right, reason, asked.duplicates)


def _if_new(table: CaseTable, asked: Asked, caller: str) -> Decision:
    same = [other for other in asked.duplicates if other.agrees]
    if not same:
        return Decision(True, "no case with the same solution is that similar", asked.duplicates)
    reason = f"case {same[0].id} with the same solution is {same[0].similarity:.2f} similar"
    return Decision(False, reason, asked.duplicates)


def _records(table: CaseTable, asked: Asked, caller: str) -> Decision:
    right = asked.solutions.right(asked.solution)
    trials = tuple(Trial(int(table.ids[i]), bool(right[i])) for i in asked.speakers.positions)
    tried = {trial.id: asked.records.get(trial.id, Record()).after(trial.right) for trial in trials}
    # Of all solved cases, the new one counted: IB3 takes frequencies over everything seen.
    retire = poor(tried, table, asked.solutions, new=asked.solution, dropping=asked.dropping, caller=caller)
    count = len(trials)
    spoke = f"{count} case{'s' * (count != 1)} spoke for it, {sum(trial.right for trial in trials)} of them rightly"
    return Decision(True, f"every case is kept; {spoke}", asked.duplicates, trials, retire)


_POLICIES: dict[str, Callable[[CaseTable, Asked, str], Decision]] = {
    "always": _always,
    "if_wrong": _if_wrong,
    "if_new": _if_new,
    "records": _records,
}
