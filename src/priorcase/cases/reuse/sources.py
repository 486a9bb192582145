"""Copies of the retrieved cases, the degrees to which their solutions worked, and their weights."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.utils._param_validation import StrOptions

from priorcase._parameters import check_value, is_number
from priorcase._typing import BoolArray, FloatArray
from priorcase.cases.case import Case
from priorcase.cases.kinds import CaseKind, check_plain, plain_shown
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, PriorcaseError, failure, quoted

Success: TypeAlias = Literal["outcome"] | Callable[[Any], bool | float] | None
"""How to interpret outcomes: as stored, with a function, or not at all."""

Weights: TypeAlias = Literal["similarity", "uniform", "inverse_square"]
"""Weighting of cases by their similarities."""

SUCCESS = [StrOptions({"outcome"}), callable, None]
WEIGHTS = [StrOptions({"similarity", "uniform", "inverse_square"})]

HALF = 0.5
"""A solution worked if its degree of success is above 1/2."""

_IDENTICAL = 1e-12  # rounding error of similarities, which are sums: one that should be 1 can be smaller by this


@dataclass(frozen=True, eq=False, repr=False)
class SourceCase(Case):
    """A copy of a retrieved case: its known values, its similarity to the query, and the attributes' contributions."""

    id: int = 0
    similarity: float = 0.0
    contributions: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Sources:
    """The retrieved cases that have a solution, the most similar first, and the kinds of their attributes."""

    cases: tuple[SourceCase, ...]
    skipped: int
    kinds: Mapping[str, CaseKind]

    def of_one_kind(self) -> str:
        """Return the type of all solutions in one word; raise an error if there are several types."""
        first: dict[str, int] = {}
        for case in self.cases:
            first.setdefault(solution_kind(case.solution), case.id)
        if len(first) > 1:
            types = ", ".join(f"{kind} (case {id})" for kind, id in first.items())
            raise CaseBaseError(
                f"got solutions of several types: {types}; expected one type. To use only the most similar case, pass "
                "method='copy'."
            )
        return next(iter(first))


def read_sources(matches: Sequence[Any], kinds: Mapping[str, CaseKind]) -> Sources:
    """Return the matches that have a solution, the most similar first; equally similar cases are sorted by id."""
    if not matches:
        raise CaseBaseError(
            "got no retrieved cases; expected at least one. Retrieve with fewer conditions (where=), or add cases."
        )
    found: list[SourceCase] = []
    for match in matches:
        text = check_plain(match.case.solution, what="solution")
        if text is not None:
            known = {name: value for name, value in match.case.items() if value is not None}
            outcome = check_plain(match.case.outcome, what="outcome")
            copied = known, plain_shown(text), plain_shown(outcome), match.id
            found.append(SourceCase(*copied, similarity=float(match.similarity), contributions=match.contributions))
    if not found:
        n = len(matches)
        which = "the only retrieved case has no" if n == 1 else f"none of {n} retrieved cases has a"
        raise CaseBaseError(
            f"{which} solution. Retrieve more cases, or add a solution to a retrieved case with revise."
        )
    found.sort(key=lambda case: (-case.similarity, case.id))
    return Sources(tuple(found), len(matches) - len(found), kinds)


def solution_kind(value: Any) -> str:
    """Return the type of a solution in one word."""
    if is_number(value):
        return "number"
    return {str: "text", bool: "boolean", list: "list"}.get(type(value), "mapping")


# -- how well solutions worked


def degree(outcome: Any, success: Success, *, id: int | None) -> float:
    """Return how well a case worked, from 0 (failed) to 1; a case with an unknown outcome counts as 1."""
    if success is None or outcome is None:
        return 1.0
    found = called(success, outcome, owner="parameter 'success'") if callable(success) else outcome
    if isinstance(found, bool) or (is_number(found) and 0 <= found <= 1):
        return float(found)
    if callable(success):
        raise CaseBaseError(
            f"success returned {quoted(found)}{'' if id is None else f' for case {id}'}; expected True, False or a "
            "number from 0 to 1. Pass for example success=lambda outcome: outcome == 'solved'."
        )
    raise CaseBaseError(
        f"got outcome {quoted(outcome)}{'' if id is None else f' of case {id}'}; expected True, False, a number from 0 "
        "to 1, or None. Pass success=None to use every case, or a function that converts an outcome to one of these "
        "values."
    )


def worked(table: CaseTable, success: Success = "outcome") -> FloatArray:
    """Return how well the solution of each case of a table worked, from 0 to 1.

    Unknown outcomes count as 1, and so do the outcomes of cases that are retired or have no solution.
    """
    check_value("success", success, SUCCESS)
    column = table.column("outcome")
    read = (table.column("solution").codes >= 0) & ~table.retired & (column.codes >= 0)
    degrees = np.ones(len(column.values) + 1)
    places = np.flatnonzero(read)
    codes, firsts = np.unique(column.codes[places], return_index=True)
    for code, first in zip(codes.tolist(), firsts.tolist(), strict=True):
        outcome = plain_shown(str(column.values[code]))
        degrees[code] = degree(outcome, success, id=int(table.ids[places[first]]))
    return np.where(read, degrees[column.codes], 1.0)


def able(table: CaseTable, degrees: FloatArray) -> BoolArray:
    """Return a mask of the cases that are not retired and have a solution that did not fail."""
    found: BoolArray = (table.column("solution").codes >= 0) & ~table.retired & (degrees > HALF)
    return found


# -- weights


def weigh(similarities: Sequence[float], how: Weights) -> list[float]:
    """Return a weight from 0 to 1 for each case."""
    if how == "uniform":
        return [1.0] * len(similarities)
    if how == "similarity":
        return list(similarities)
    nearest = 1.0 - max(similarities)
    if nearest <= _IDENTICAL:
        return [float(1.0 - s <= _IDENTICAL) for s in similarities]  # the limit of the formula below
    return [(nearest / (1.0 - s)) ** 2 for s in similarities]


def effective(weights: Sequence[float]) -> float:
    """Return the effective number of cases, ``(sum w)^2 / sum w^2``."""
    largest = max(weights)
    shares = [w / largest for w in weights]  # no overflow, whatever the scale
    return math.fsum(shares) ** 2 / math.fsum(share * share for share in shares)


# -- functions of users


def called(function: Callable[..., Any], *arguments: Any, owner: str) -> Any:
    """Call a user's function with copies of the arguments; ``owner`` describes the function in error messages."""
    try:
        found = function(*copy.deepcopy(arguments))
    except Exception as error:  # a user's function can raise anything; it is chained as the cause
        raise CaseBaseError(
            f"the function of {owner} raised {failure(error).rstrip('.')}. See the traceback above."
        ) from error
    return bool(found) if isinstance(found, np.bool_) else found


def copied_solution(solution: Any, *, owner: str) -> Any:
    """Return a copy of a user's solution; raise an error if JSON cannot represent it."""
    try:
        text, cause = check_plain(solution, what="solution"), None
    except PriorcaseError as error:
        text, cause = None, error
    if text is None:
        raise CaseBaseError(
            f"{owner} gives {quoted(solution)} as the solution; expected a value that JSON can represent. Return a "
            "string, number or boolean, or a list or mapping of such values, not None."
        ) from cause
    return plain_shown(text)
