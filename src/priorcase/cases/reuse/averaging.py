"""The mean of the retrieved cases' numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from priorcase.cases.reuse.common_ground import strangers
from priorcase.cases.reuse.differences import differences
from priorcase.cases.reuse.proposal import Proposal, ranked
from priorcase.cases.reuse.sources import SourceCase, Sources
from priorcase.cases.reuse.spread import Spread, check_level
from priorcase.cases.reuse.success import Success, check_success, degree
from priorcase.cases.reuse.weights import Weights, check_weights, effective, weigh
from priorcase.exceptions import CaseBaseError, quoted

# Of cases worth no more than one and this, all but one weigh next to nothing.
_ALONE = 1e-6


@dataclass(frozen=True)
class Mean:
    """The weighted mean of numeric solutions, with its spread.

    ``m = sum w y / sum w`` (Mitchell 1997, eq. 8.4). With ``p = w / sum w`` and the effective number of cases
    ``n = 1 / sum p^2`` the deviation is ``sqrt(n / (n - 1) sum p (y - m)^2)``, without bias for weights that do not
    depend on the numbers, and the interval for a new number ``m +- t_(n-1) deviation sqrt(1 + 1/n)``. A case whose
    solution worked to the degree ``u`` counts with ``u w``. A single case has no spread, nor have several of which one
    has all the weight. Nothing is proposed where no case has anything in common with the query.

    Parameters
    ----------
    weights, success
        As for `Vote`.
    level
        How often the interval is to hold the number of a new case.

    Examples
    --------
    >>> import priorcase as pc
    >>> with pc.CaseBase.temporary() as base:
    ...     _ = base.add_many([{"age": 1}, {"age": 2}, {"age": 9}], solution=[900, 700, 50])
    ...     base.reuse({"age": 1.5}, pc.cases.Mean("uniform"), k=2).solution
    800.0
    """

    name: ClassVar[str] = "mean"
    adapts: ClassVar[bool] = True

    weights: Weights = "similarity"
    success: Success = "outcome"
    level: float = 0.95

    def check(self) -> None:
        """Refuse parameters that break their rules."""
        check_weights(self.weights)
        check_success(self.success)
        check_level(self.level)

    def propose(self, sources: Sources, query: Mapping[str, Any]) -> Proposal:
        """What the retrieved cases propose."""
        check_numbers(sources, self.name)
        if (nothing := strangers(sources, self.name)) is not None:
            return nothing
        cases, shares = weighed(sources, self.weights, self.success, self.name)
        numbers, unit = in_units(cases)
        n = effective(shares)
        mean = math.fsum(share * number for share, number in zip(shares, numbers, strict=True))
        spread = None
        if n > 1 + _ALONE:
            squares = math.fsum(share * (number - mean) ** 2 for share, number in zip(shares, numbers, strict=True))
            deviation = math.sqrt(n / (n - 1) * squares)
            spread = Spread.around(mean, deviation, 1 / n, n - 1, level=float(self.level), n=n).times(unit)
        how = f"The mean of {len(cases)} {'case' if len(cases) == 1 else 'cases'}, weights {self.weights!r}"
        return Proposal(
            mean * unit,
            self.name,
            how,
            base=cases[0].id,
            sources=ranked(cases, shares),
            spread=spread,
            differences=differences(query, cases[0]),
            notes=left_out(sources, cases),
        )


def check_numbers(sources: Sources, method: str) -> None:
    """Refuse solutions that are no numbers."""
    if (kind := sources.of_one_kind()) != "number":
        raise CaseBaseError(
            f"got method={method!r} and {kind} solutions such as {quoted(sources.cases[0].solution)}; expected "
            "numbers. method='vote' goes with any solution, method='compose' with mappings."
        )


def weighed(sources: Sources, weights: Weights, success: Success, method: str) -> tuple[list[SourceCase], list[float]]:
    """The cases that count at all, and their weights, which add up to 1."""
    raw = weigh([case.similarity for case in sources.cases], weights)
    raw = [w * degree(case, success) for w, case in zip(raw, sources.cases, strict=True)]
    total = math.fsum(raw)
    if not total:
        cases = len(raw)
        which = "the retrieved case weighs" if cases == 1 else f"all {cases} retrieved cases weigh"
        raise CaseBaseError(
            f"got method={method!r}, and {which} nothing: no similarity, or all failed. weights='uniform' and "
            "success=None let every case count."
        )
    pairs = [(case, w / total) for case, w in zip(sources.cases, raw, strict=True) if w]
    return [case for case, _ in pairs], [share for _, share in pairs]


def in_units(cases: Sequence[SourceCase]) -> tuple[list[float], float]:
    """The cases' numbers in units of a power of two that is near the largest, so that no square overflows; the unit."""
    numbers = [float(case.solution) for case in cases]
    unit = math.ldexp(1.0, math.frexp(max(map(abs, numbers)))[1] - 1)
    return [number / unit for number in numbers], unit


def left_out(sources: Sources, cases: Sequence[SourceCase]) -> tuple[str, ...]:
    """How many cases have no weight: they failed, or have nothing in common with the query."""
    n = len(sources.cases) - len(cases)
    return (f"{n} {'case has' if n == 1 else 'cases have'} no weight",) * bool(n)
