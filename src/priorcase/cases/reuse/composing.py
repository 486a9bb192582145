"""A solution whose parts come from different cases."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from priorcase._parameters import is_whole
from priorcase.cases.errors import unknown_attributes
from priorcase.cases.kinds import written
from priorcase.cases.reuse.calling import OR_NONE, called, check_function
from priorcase.cases.reuse.common_ground import strangers
from priorcase.cases.reuse.copying import failed_note
from priorcase.cases.reuse.differences import differences
from priorcase.cases.reuse.proposal import Proposal, Source
from priorcase.cases.reuse.sources import SourceCase, Sources
from priorcase.cases.reuse.success import Success, check_success, degree, has_worked
from priorcase.exceptions import CaseBaseError, ParameterError, listed, misspelt, quoted

_TOLD = 3

Offer = tuple[float, SourceCase]
"""A case that has some part, and how similar it is to the query in what matters for that part."""


@dataclass(frozen=True)
class Compose:
    """For each part of the solution that of the case most similar to the query in what matters for the part.

    Solutions are mappings from parts to their values. For a part, a case is as similar as it is in the attributes ``a``
    that matter for it, ``sum_a w_a s_a / sum_a w_a``; 0 where the query knows none of them. Of all choices of one case
    for each part whose parts go together the one with the largest sum of these similarities is taken. Choices are tried
    from the best on, parts falling back to their next best cases, so the first that fits is the answer. Cases that
    failed (outcomes up to 1/2) offer nothing. Nothing is proposed where no choice fits, and where no case has anything
    in common with the query; a note names the parts for which that is so.

    Parameters
    ----------
    parts
        For each part that the solution shall have the attributes that matter for it; an empty list, or None, for all.
        None: every part that any case has, by the whole similarity.
    compatible
        A function of the parts, a mapping, that says whether they go together: True, False, or the conflict in words.
    success
        As for `Copy`.
    tries
        How many choices to try at most.

    Examples
    --------
    >>> import priorcase as pc
    >>> with pc.CaseBase.temporary() as base:
    ...     _ = base.add({"room": "hall", "guests": 90}, solution={"tables": 12, "light": "dim"})
    ...     _ = base.add({"room": "tent", "guests": 20}, solution={"tables": 3, "light": "lanterns"})
    ...     parts = {"tables": ["guests"], "light": ["room"]}
    ...     base.reuse({"room": "tent", "guests": 85}, pc.cases.Compose(parts)).solution
    {'tables': 12, 'light': 'lanterns'}
    """

    name: ClassVar[str] = "compose"
    adapts: ClassVar[bool] = True

    parts: Mapping[str, Sequence[str] | None] | None = None
    compatible: Callable[[dict[str, Any]], bool | str] | None = None
    success: Success = "outcome"
    tries: int = 10_000

    def check(self) -> None:
        """Refuse parameters that break their rules."""
        check_success(self.success)
        hint = "It returns True, False, or the conflict as a text."
        check_function("compatible", self.compatible, of="the parts", hint=hint, beside=OR_NONE)
        if not is_whole(self.tries) or self.tries < 1:
            raise ParameterError(f"tries must be a whole number >= 1, got {quoted(self.tries)}. 10000 takes a moment.")
        if self.parts is not None and not _are_parts(self.parts):
            raise ParameterError(
                f"parts must be None or a mapping from parts to lists of attributes, got {quoted(self.parts)}. For "
                "example {'pump': ['flow', 'height'], 'pipe': ['flow']}."
            )

    def propose(self, sources: Sources, query: Mapping[str, Any]) -> Proposal:
        """What the retrieved cases propose."""
        if (kind := sources.of_one_kind()) != "mapping":
            raise CaseBaseError(
                f"got method='compose' and {kind} solutions such as {quoted(sources.cases[0].solution)}; expected "
                "mappings. Store solutions as mappings from parts to values, or take method='copy'."
            )
        if (nothing := strangers(sources, self.name)) is not None:
            return nothing
        worked = [case for case in sources.cases if has_worked(degree(case, self.success))]
        notes = [failed_note(len(sources.cases) - len(worked))] if len(worked) < len(sources.cases) else []
        if not worked:
            return Proposal(None, self.name, "All retrieved cases failed", notes=tuple(notes))
        offers = self._offers(worked, sources)
        chosen, tried, conflicts = self._first_fitting(offers)
        told = [f"rejected: {text}" for text in conflicts[:_TOLD]]
        if len(conflicts) > _TOLD:
            told.append(f"rejected: {len(conflicts) - _TOLD} others")
        how = f"{len(offers)} parts, each from the most similar case that has it"
        if chosen is None:
            choices = math.prod(map(len, offers.values()))
            seen = f"none of {choices}" if tried == choices else f"none of the best {tried} of {choices}"
            problem = f"{seen} ways to combine the parts fits"
            return Proposal(None, self.name, how, problems=(problem,), notes=(*notes, *told))
        how += " and goes with the others" if conflicts else ""
        offered = dict(zip(offers, chosen, strict=True))
        base = min((case for _, case in chosen), key=lambda case: (-case.similarity, case.id))
        notes += [_guessed(part) for part, (score, _) in offered.items() if not score]
        return Proposal(
            {part: case.solution[part] for part, (_, case) in offered.items()},
            self.name,
            how,
            min(score for score, _ in chosen),
            base.id,
            tuple(replace(Source.of(case, 1.0, part), similarity=score) for part, (score, case) in offered.items()),
            differences=differences(query, base),
            notes=(*notes, *told),
        )

    def _offers(self, cases: Sequence[SourceCase], sources: Sources) -> dict[str, list[Offer]]:
        """For each part the cases that have it, the most similar first, each distinct value once."""
        wanted = self.parts
        if wanted is None:
            wanted = dict.fromkeys(sorted({part for case in cases for part in case.solution}))
        known = sources.attributes()
        offers: dict[str, list[Offer]] = {}
        for part, named in wanted.items():
            if absent := [name for name in named or () if name not in known]:
                raise unknown_attributes(absent, known)
            having = [(_score(case, named), case) for case in cases if part in case.solution]
            if not having:
                parts = sorted({name for case in cases for name in case.solution})
                remedy = misspelt([part], parts) or "Retrieve more cases (k=), or leave the part out."
                raise CaseBaseError(
                    f"got parts with {part!r}, which no retrieved case that worked has; there are {listed(parts)}. "
                    f"{remedy}"
                )
            having.sort(key=lambda offer: (-offer[0], -offer[1].similarity, offer[1].id))
            distinct: dict[str, Offer] = {}
            for offer in having:
                distinct.setdefault(written(offer[1].solution[part]), offer)
            offers[part] = list(distinct.values())
        return offers

    def _first_fitting(self, offers: Mapping[str, list[Offer]]) -> tuple[tuple[Offer, ...] | None, int, list[str]]:
        """The best choice whose parts go together, how many were tried, and why the others did not fit."""
        conflicts: list[str] = []
        tried = 0
        for chosen in _best_first(list(offers.values())):
            if tried == self.tries:
                break
            tried += 1
            verdict = self._verdict({p: o[1].solution[p] for p, o in zip(offers, chosen, strict=True)})
            if verdict is True:
                return chosen, tried, conflicts
            which = ", ".join(f"{part} of case {offer[1].id}" for part, offer in zip(offers, chosen, strict=True))
            conflicts.append(f"{which}{': ' if verdict else ''}{verdict or ''}")
        return None, tried, conflicts

    def _verdict(self, parts: dict[str, Any]) -> bool | str:
        if self.compatible is None:
            return True
        found: object = called(self.compatible, parts, owner="compatible")
        if isinstance(found, bool) or (isinstance(found, str) and found):
            return found
        raise CaseBaseError(
            f"the function of compatible returned {quoted(found)}; expected True, False, or the conflict as a text. "
            "Every way through the function must end in a return."
        )


def _best_first(offers: Sequence[list[Offer]]) -> Iterator[tuple[Offer, ...]]:
    """All choices of one offer for each part, by their sum of similarities, the largest first; of equals by ranks."""

    def entry(ranks: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        return -math.fsum(of[rank][0] for of, rank in zip(offers, ranks, strict=True)), ranks

    first = (0,) * len(offers)
    queue, seen = [entry(first)], {first}
    while queue:
        ranks = heapq.heappop(queue)[1]
        yield tuple(of[rank] for of, rank in zip(offers, ranks, strict=True))
        for place, rank in enumerate(ranks):
            after = (*ranks[:place], rank + 1, *ranks[place + 1 :])
            if rank + 1 < len(offers[place]) and after not in seen:
                seen.add(after)
                heapq.heappush(queue, entry(after))


def _score(case: SourceCase, named: Sequence[str] | None) -> float:
    """How similar a case is in some attributes; in all where none is named."""
    if not named:
        return case.similarity
    shares = [case.shares[name] for name in dict.fromkeys(named) if name in case.shares]
    known = [(similarity, weight) for similarity, weight in shares if similarity is not None]
    total = math.fsum(weight for _, weight in known)
    return math.fsum(weight * similarity for similarity, weight in known) / total if total else 0.0


def _guessed(part: str) -> str:
    return f"in what matters for {part!r} no case has anything in common with the query"


def _are_parts(parts: object) -> bool:
    return (
        isinstance(parts, Mapping)
        and len(parts) > 0
        and all(
            isinstance(part, str)
            and (named is None or (isinstance(named, Collection) and not isinstance(named, (str, Mapping))))
            and all(isinstance(name, str) for name in named or ())
            for part, named in parts.items()
        )
    )
