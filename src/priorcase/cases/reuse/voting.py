"""The solution that most of the retrieved cases speak for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from priorcase._parameters import as_python, is_number
from priorcase.cases.kinds import written
from priorcase.cases.reuse.candidates import Candidate, net
from priorcase.cases.reuse.common_ground import strangers
from priorcase.cases.reuse.differences import differences
from priorcase.cases.reuse.proposal import Proposal, ranked
from priorcase.cases.reuse.sources import SourceCase, Sources
from priorcase.cases.reuse.success import Success, check_success, degree
from priorcase.cases.reuse.weights import Weights, check_weights, weigh
from priorcase.exceptions import ParameterError, quoted
from priorcase.schema.kinds import plain

_DIGITS = 12


@dataclass(frozen=True)
class Vote:
    """The solution with the most votes, and the probability of each.

    A case of weight ``w`` whose solution worked to the degree ``u`` speaks with ``w u`` for its solution and with
    ``w (1 - u)`` against it. A solution has as many votes as what speaks for it exceeds what speaks against it,
    ``v_s = max(0, sum w u - sum w (1 - u))``, and the probability ``(v_s + a) / (V + a (K + 1))`` with ``V`` all votes,
    ``K`` the distinct solutions and ``a`` the prior. What is left, ``a / (V + a (K + 1))``, is the probability that
    none of them is right. Of equally probable solutions the one of the more similar case wins. Nothing is proposed
    where no solution has a vote, and where no case has anything in common with the query.

    Parameters
    ----------
    weights
        ``"similarity"``; ``"uniform"``; ``"inverse_square"`` of ``1 - s``, in units of the most similar case.
    prior
        ``a``: 0 takes shares as they are; with 1 (Laplace), three of three similar cases make 4/5 and not certainty.
    success
        As for `Copy`; None lets every case vote for its solution.

    Examples
    --------
    >>> import priorcase as pc
    >>> with pc.CaseBase.temporary() as base:
    ...     _ = base.add_many([{"age": 1}, {"age": 2}, {"age": 3}], solution=["oil", "oil", "swap"])
    ...     found = base.retrieve({"age": 1}, k=2)
    ...     base.reuse(found, pc.cases.Vote("uniform", prior=1)).confidence
    0.75
    """

    name: ClassVar[str] = "vote"
    adapts: ClassVar[bool] = True

    weights: Weights = "similarity"
    prior: float = 0.0
    success: Success = "outcome"

    def check(self) -> None:
        """Refuse parameters that break their rules."""
        check_weights(self.weights)
        check_success(self.success)
        if not is_number(self.prior) or not 0 <= as_python(self.prior) < math.inf:
            raise ParameterError(
                f"prior must be a finite number >= 0, got {quoted(self.prior)}. 0 takes the shares as they are, 1 is "
                "Laplace's."
            )

    def propose(self, sources: Sources, query: Mapping[str, Any]) -> Proposal:
        """What the retrieved cases propose."""
        sources.of_one_kind()
        if (nothing := strangers(sources, self.name)) is not None:
            return nothing
        weights = weigh([case.similarity for case in sources.cases], self.weights)
        degrees = [degree(case, self.success) for case in sources.cases]
        candidates, unseen = tally(sources.cases, weights, degrees, float(self.prior))
        how = f"The vote of {len(sources.cases)} cases, weights {self.weights!r}"
        how += f", prior {self.prior:g}" if self.prior else ""
        if not any(candidate.votes for candidate in candidates):
            doubt = "nothing speaks more for a solution than against it"
            return Proposal(None, self.name, f"{how}: {doubt}", candidates=candidates, unseen=unseen)
        winner = candidates[0]
        text = written(plain(winner.solution))
        speaking = [
            (case, weight * worked)
            for case, weight, worked in zip(sources.cases, weights, degrees, strict=True)
            if _named(case) == text and weight * worked
        ]
        cases = [case for case, _ in speaking]
        total = math.fsum(weight for _, weight in speaking)
        return Proposal(
            winner.solution,
            self.name,
            how,
            winner.probability,
            cases[0].id,
            ranked(cases, [weight / total for _, weight in speaking]),
            candidates,
            unseen,
            differences=differences(query, cases[0]),
        )


def tally(
    cases: Sequence[SourceCase], weights: Sequence[float], degrees: Sequence[float], prior: float
) -> tuple[tuple[Candidate, ...], float]:
    """The candidates, the most probable first, and the probability that none is right.

    Shares are 0 where there is neither a vote nor a prior.
    """
    supporters: dict[str, list[int]] = {}
    for i, case in enumerate(cases):
        supporters.setdefault(_named(case), []).append(i)
    sums = {
        text: (math.fsum(weights[i] * degrees[i] for i in of), math.fsum(weights[i] * (1.0 - degrees[i]) for i in of))
        for text, of in supporters.items()
    }
    votes = {text: net(*both) for text, both in sums.items()}
    unit = max(prior, 1.0)  # no overflow, however large the prior
    prior /= unit
    whole = math.fsum([*(vote / unit for vote in votes.values()), prior * (len(votes) + 1)])
    share = {text: (vote / unit + prior) / whole if whole else 0.0 for text, vote in votes.items()}
    found = [
        Candidate(cases[of[0]].solution, share[text], *sums[text], tuple(cases[i].id for i in of))
        for text, of in supporters.items()
    ]
    # Stable, and blind to rounding: among equals the more similar case decides.
    found.sort(key=lambda candidate: -round(candidate.probability, _DIGITS))
    return tuple(found), prior / whole if whole else 0.0


def _named(case: SourceCase) -> str:
    """A text that is the same for the same solution: 5 and 5.0 are one."""
    return written(plain(case.solution))
