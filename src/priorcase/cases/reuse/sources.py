"""The retrieved cases as reuse reads them: copies, the most similar first."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from priorcase._parameters import is_number
from priorcase.cases.kinds import CaseKind, check_plain, plain_shown
from priorcase.exceptions import CaseBaseError, quoted

Share: TypeAlias = tuple[float | None, float]
"""A local similarity, None where it does not count, and the attribute's weight."""


class SourceCase(Mapping[str, Any]):
    """A retrieved case that a proposal may be made from: its known attributes, its solution and its outcome.

    It is a copy, and so is every solution that it hands out: nothing done to it reaches the case base.

    Parameters
    ----------
    id
        The case's number.
    similarity
        How similar it is to the query, from 0 to 1.
    values
        The attributes that the case knows.
    solution, outcome
        As canonical JSON text; None for none.
    shares
        For each attribute that the query knows, its local similarity, None where it does not count, and its weight.
    """

    __slots__ = ("_outcome", "_values", "id", "shares", "similarity", "solution_text")

    def __init__(
        self,
        id: int,
        similarity: float,
        values: Mapping[str, Any],
        solution: str,
        outcome: str | None,
        shares: Mapping[str, Share],
    ) -> None:
        self.id, self.similarity, self.shares = id, similarity, dict(shares)
        self._values = {name: copy.deepcopy(value) for name, value in values.items() if value is not None}
        self.solution_text, self._outcome = solution, outcome

    @property
    def solution(self) -> Any:
        """The solution."""
        return plain_shown(self.solution_text)

    @property
    def outcome(self) -> Any:
        """What came of it; None where that is not known."""
        return plain_shown(self._outcome)

    def copied(self) -> SourceCase:
        """A copy of its own for a user's function."""
        return SourceCase(self.id, self.similarity, self._values, self.solution_text, self._outcome, self.shares)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"SourceCase({self.id}, {self._values!r}, solution={self.solution!r}, outcome={self.outcome!r})"


@dataclass(frozen=True)
class Sources:
    """The cases of a retrieval that have a solution.

    Parameters
    ----------
    cases
        The most similar first; of equally similar ones that with the lower number.
    skipped
        How many retrieved cases have no solution.
    kinds
        What the attributes are; None where only their values say so.
    """

    cases: tuple[SourceCase, ...]
    skipped: int
    kinds: Mapping[str, CaseKind] | None

    def of_one_kind(self) -> str:
        """What all solutions are: ``"text"``, ``"number"``, ``"boolean"``, ``"list"`` or ``"mapping"``."""
        first: dict[str, int] = {}
        for case in self.cases:
            first.setdefault(solution_kind(case.solution), case.id)
        if len(first) > 1:
            told = ", ".join(f"{kind} (case {id})" for kind, id in first.items())
            raise CaseBaseError(
                f"got solutions of several kinds: {told}; expected one kind. method='copy' takes the most similar "
                "case alone."
            )
        return next(iter(first))

    def attributes(self) -> list[str]:
        """All attributes, in the declared order, or in that in which the cases name them."""
        if self.kinds is not None:
            return list(self.kinds)
        return list(dict.fromkeys(name for case in self.cases for name in (*case, *case.shares)))


def read_sources(retrieval: object, kinds: Mapping[str, CaseKind] | None) -> Sources:
    """The cases of a retrieval, sorted and copied; an error where there is none, or none with a solution."""
    found, skipped = [], 0
    for match in _matches(retrieval):
        text = check_plain(match.case.solution, what="solution")
        if text is None:
            skipped += 1
            continue
        outcome = check_plain(match.case.outcome, what="outcome")
        shares = {name: (share.similarity, share.weight) for name, share in match.shares.items()}
        found.append(SourceCase(match.id, float(match.similarity), dict(match.case), text, outcome, shares))
    if not found:
        if not skipped:
            raise CaseBaseError(
                "got no retrieved cases; expected at least one. Ask with fewer conditions (where=), or add cases first."
            )
        which = "the only retrieved case has no" if skipped == 1 else f"none of {skipped} retrieved cases has a"
        raise CaseBaseError(
            f"{which} solution. Retrieve more cases (k=), or add solutions with revise(id, solution=...)."
        )
    found.sort(key=lambda case: (-case.similarity, case.id))
    return Sources(tuple(found), skipped, kinds)


def _matches(retrieval: object) -> list[Any]:
    matches = list(retrieval) if isinstance(retrieval, Iterable) and not isinstance(retrieval, str) else [retrieval]
    for match in matches:
        if not all(hasattr(match, name) for name in ("id", "similarity", "shares", "case")):
            raise CaseBaseError(
                f"got {quoted(retrieval)}; expected retrieved cases. Pass what retrieve(query) returned."
            )
    return matches


def solution_kind(value: Any) -> str:
    """What a solution is, in one word.

    Examples
    --------
    >>> [solution_kind(value) for value in ("reboot", 3, True, ["a"], {"a": 1})]
    ['text', 'number', 'boolean', 'list', 'mapping']
    """
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool):
        return "boolean"
    if is_number(value):
        return "number"
    return "list" if isinstance(value, list) else "mapping"
