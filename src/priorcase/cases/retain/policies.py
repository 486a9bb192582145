"""Whether a new solved case is worth keeping: always, if the base is wrong, if it is new, or by records of use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from priorcase._parameters import check_choice
from priorcase._typing import BoolArray, FloatArray
from priorcase.cases.kinds import Stored
from priorcase.cases.retain.checks import check_count, check_share
from priorcase.cases.retain.decision import Decision, Duplicate, Trial, shown_solution
from priorcase.cases.retain.duplicates import duplicates_of
from priorcase.cases.retain.likeness import Likeness
from priorcase.cases.retain.outcomes import able, has_failed, worked
from priorcase.cases.retain.records import Record, poor
from priorcase.cases.retain.solutions import Solutions
from priorcase.cases.retain.speaking import Speakers, answered, most_similar, objecting
from priorcase.cases.reuse.success import HALF, Success
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError

Policy = Literal["always", "if_wrong", "if_new", "records"]

_HINT = "'if_wrong' keeps what the base would get wrong, 'if_new' what is no near-duplicate."


@dataclass(frozen=True, eq=False)
class Asked:
    """The base, asked about a new case whose solution is known, and whether that failed."""

    solution: str
    failed: bool
    solutions: Solutions
    degrees: FloatArray
    similarities: FloatArray
    speakers: Speakers
    duplicates: tuple[Duplicate, ...]
    records: Mapping[int, Record]
    dropping: float

    def all_failed(self, table: CaseTable) -> BoolArray:
        """Which live cases have a solution that failed."""
        found: BoolArray = self.solutions.solved & ~table.retired & (self.degrees <= HALF)
        return found


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
) -> Decision:
    """What to do about a new solved case; nothing is changed here.

    Parameters
    ----------
    table
        The case base. Retired cases are not asked, nor those whose outcome says that their solution failed: False, or
        a number up to 1/2. These speak against it where they are at least as similar as those that are asked.
    case, solution, outcome
        The new case as it would be stored, and its solution and outcome as JSON text.
    policy
        ``"always"``. ``"if_wrong"``: only if the base, asked now, would have answered otherwise (IB2): by a vote of the
        k most similar cases as in `Vote`, or for numbers by their mean, more than the tolerance off. A solution that
        failed is kept only if the base would have proposed just that.
        ``"if_new"``: unless a stored case with the same solution, which helped or failed there as well, is at least
        ``threshold`` similar. ``"records"``: always, but whoever of the k most similar spoke gets that into its record,
        and leaves where it is significantly worse than its solution is frequent (IB3). Where the new solution failed,
        those that spoke for it were wrong; nothing is known of the others.
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
    success
        How outcomes are read, as in `reuse`; ``policy="always"`` reads none.

    References
    ----------
    D. W. Aha, D. Kibler & M. K. Albert, *Machine Learning* 6, 1991, sections 3 and 4.
    """
    check_choice("policy", policy, get_args(Policy), hint=_HINT)
    check_count("k", k, hint="1 asks the most similar case alone.")
    check_share("threshold", threshold, hint="0.95 is usual.")
    if solution is None:
        raise CaseBaseError(
            "got a case without a solution; nothing can be said about whether it is worth keeping. Pass solution=...; "
            "add keeps unsolved cases."
        )
    likeness = likeness or Likeness(table)
    strictly = policy in ("if_wrong", "records") or tolerance is not None
    known = Solutions.of(table, tolerance, new=solution) if strictly else Solutions.exactly(table)
    how = None if policy == "always" else success
    degrees, similarities = worked(table, how), likeness.to(case)
    asked = Asked(
        solution,
        has_failed(outcome, how),
        known,
        degrees,
        similarities,
        most_similar(similarities, able(table, degrees), k),
        duplicates_of(table, case, known.right(solution), likeness=likeness, threshold=threshold),
        records or {},
        dropping,
    )
    return _POLICIES[policy](table, asked)


def _always(table: CaseTable, asked: Asked) -> Decision:
    return Decision(True, "every case is kept", asked.duplicates)


def _if_wrong(table: CaseTable, asked: Asked) -> Decision:
    """A case that worked is news where the base says something else; one that failed, where the base says just that."""
    if not asked.speakers.positions.size:
        return Decision(not asked.failed, "no solved case was there to ask", asked.duplicates)
    heard = objecting(asked.speakers, asked.similarities, asked.all_failed(table))
    answer, same = answered(table, asked.solutions, heard, asked.degrees, asked.solution)
    if answer is None:
        doubt = "more for a solution than against it" if heard.positions.size > asked.speakers.positions.size else ""
        reason = f"nothing similar speaks {doubt or 'for any solution'}"
        return Decision(not asked.failed, reason, asked.duplicates)
    said = shown_solution(answer)
    if asked.failed:
        reason = (
            f"the base would have answered {said}, which failed" if same else f"it failed, and the base says {said}"
        )
        return Decision(same, reason, asked.duplicates)
    reason = f"the base already answers {said}" if same else f"the base would have answered {said}"
    return Decision(not same, reason, asked.duplicates)


def _if_new(table: CaseTable, asked: Asked) -> Decision:
    same = [other for other in asked.duplicates if other.agrees]
    if not same:
        return Decision(True, "no case with the same solution is that similar", asked.duplicates)
    failed = asked.all_failed(table)
    alike = [other for other in same if failed[table.position(other.id)] == asked.failed]
    first = (alike or same)[0]
    reason = f"case {first.id} with the same solution is {first.similarity:.2f} similar"
    if alike:
        return Decision(False, reason, asked.duplicates)
    return Decision(True, f"{reason}, but there it {'helped' if asked.failed else 'failed'}", asked.duplicates)


def _records(table: CaseTable, asked: Asked) -> Decision:
    same = asked.solutions.right(asked.solution)
    spoke = [(int(table.ids[i]), bool(same[i])) for i in asked.speakers.positions]
    if asked.failed:  # those that said the same were wrong; nobody knows about the others
        trials = tuple(Trial(id, False) for id, agreed in spoke if agreed)
    else:
        trials = tuple(Trial(id, agreed) for id, agreed in spoke)
    tried = {trial.id: asked.records.get(trial.id, Record()).after(trial.right) for trial in trials}
    # Of all cases whose solution worked, the new one counted: IB3 takes frequencies over everything seen.
    new = None if asked.failed else asked.solution
    retire = poor(tried, table, asked.solutions, asked.degrees, new=new, dropping=asked.dropping)
    count = len(trials)
    told = f"{count} case{'s' * (count != 1)} spoke for it"
    told += ", which failed" if asked.failed else f", {sum(trial.right for trial in trials)} of them rightly"
    return Decision(True, f"every case is kept; {told}", asked.duplicates, trials, retire)


_POLICIES: dict[str, Callable[[CaseTable, Asked], Decision]] = {
    "always": _always,
    "if_wrong": _if_wrong,
    "if_new": _if_new,
    "records": _records,
}
