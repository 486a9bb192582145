"""The solution of the most similar case, to be adapted or to be used as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from priorcase.cases.reuse.common_ground import alike, all_failed, strangers
from priorcase.cases.reuse.differences import differences
from priorcase.cases.reuse.proposal import Proposal, Source
from priorcase.cases.reuse.sources import Sources
from priorcase.cases.reuse.success import Success, check_success, degree, has_worked


@dataclass(frozen=True)
class Copy:
    """The solution of the most similar case that did not fail: ``solution(argmax s_i)``.

    The first step of transformational adaptation: rules and critics may change the copy. In what the query differs from
    the case is listed, so that a person can adapt it too. Of equally similar cases the one with the lower number is
    taken; a case failed where its outcome says no more than 1/2. Nothing is proposed where all failed that have
    anything in common with the query, a similarity above 0.

    Parameters
    ----------
    success
        How outcomes are read: ``"outcome"`` as booleans or numbers from 0 (failed) to 1 (worked); a function from an
        outcome to such a value; None lets every case count. An outcome that is not known counts as 1.

    Examples
    --------
    >>> import priorcase as pc
    >>> with pc.CaseBase.temporary() as base:
    ...     ages = [{"age": 1}, {"age": 2}, {"age": 9}]
    ...     _ = base.add_many(ages, solution=["oil", "swap", "look"], outcome=[False, True, True])
    ...     found = base.retrieve({"age": 1})
    ...     [base.reuse(found, pc.cases.Copy(success)).solution for success in ("outcome", None)]
    ['swap', 'oil']
    """

    name: ClassVar[str] = "copy"
    adapts: ClassVar[bool] = True

    success: Success = "outcome"

    def check(self) -> None:
        """Refuse parameters that break their rules."""
        check_success(self.success)

    def propose(self, sources: Sources, query: Mapping[str, Any]) -> Proposal:
        """What the retrieved cases propose."""
        if (nothing := strangers(sources, self.name)) is not None:
            return nothing
        failed, cases = 0, alike(sources)
        for case in cases:
            if has_worked(degree(case, self.success)):
                how = f"The solution of case {case.id}, the most similar {'that did not fail' if failed else 'one'}"
                return Proposal(
                    case.solution,
                    self.name,
                    how + ("" if self.adapts else ", as it is"),
                    case.similarity,
                    case.id,
                    (Source.of(case, 1.0),),
                    differences=differences(query, case),
                    notes=(failed_note(failed),) * bool(failed),
                )
            failed += 1
        return all_failed(sources, cases, self.name, [failed_note(failed)])


@dataclass(frozen=True)
class Null(Copy):
    """The same as `Copy`, to be used as it is: null adaptation (Kolodner 1993, chapter 11).

    Nothing may change the solution: rules are refused, and what critics find is reported but not repaired. What a
    person should look at before using it is in the list of differences.

    Parameters
    ----------
    success
        As for `Copy`.

    Examples
    --------
    >>> import priorcase as pc
    >>> with pc.CaseBase.temporary() as base:
    ...     _ = base.add({"age": 1, "make": "A"}, solution="oil")
    ...     proposal = base.reuse({"age": 1, "make": "B"}, pc.cases.Null())
    >>> proposal.solution, [difference.attribute for difference in proposal.differences]
    ('oil', ['make'])
    """

    name: ClassVar[str] = "null"
    adapts: ClassVar[bool] = False


def failed_note(failed: int) -> str:
    """How many cases were left out because they failed."""
    return "1 case that failed was left out" if failed == 1 else f"{failed} cases that failed were left out"
