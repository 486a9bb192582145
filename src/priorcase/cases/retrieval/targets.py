"""What cases tell each other: classes by votes, numbers by means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from priorcase._parameters import check_choice, is_number
from priorcase._typing import BoolArray, FloatArray, IdArray, IntArray
from priorcase.cases import kinds
from priorcase.cases.reuse.outcomes import with_success
from priorcase.cases.reuse.success import Success
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, listed, quoted
from priorcase.schema import Numeric

_TOLD = ("numeric", "ordinal", "nominal", "taxonomy")


class Target(Protocol):
    """What is told, and how wrong that is."""

    @property
    def name(self) -> str:
        """What the loss is called."""
        ...

    def losses(self, cases: IdArray, found: IdArray, similarities: FloatArray) -> FloatArray:
        """The loss of each of some cases, told by others that were found for it (-1 for none)."""
        ...

    def mean(self, losses: FloatArray) -> float:
        """The loss of all cases."""
        ...

    def rare(self, k: int) -> tuple[int, int]:
        """How many of what is told occurs fewer than k times, and how many there are; none where they are numbers."""
        ...


@dataclass(frozen=True)
class Votes:
    """Solutions told by votes as heavy as cases are similar: ``-log((k v + p) / (k + 1))``.

    v is the own solution's part of the votes of k cases and p its part of all cases, which has one vote more, so that
    few votes are not taken for certainty; without any vote v is p.
    """

    codes: IntArray
    k: int
    name: str = "log loss"

    def losses(self, cases: IdArray, found: IdArray, similarities: FloatArray) -> FloatArray:
        prior = np.bincount(self.codes)[self.codes[cases]] / len(self.codes)
        votes = np.where(found >= 0, similarities, 0.0)
        own = np.where(self.codes[found] == self.codes[cases][:, None], votes, 0.0).sum(axis=1)
        total = votes.sum(axis=1)
        share = np.divide(own, total, out=prior.copy(), where=total > 0)
        losses: FloatArray = -np.log((self.k * share + prior) / (self.k + 1))
        return losses

    def mean(self, losses: FloatArray) -> float:
        return float(losses.mean())

    def rare(self, k: int) -> tuple[int, int]:
        counts = np.bincount(self.codes)
        return int(np.count_nonzero(counts < k)), len(counts)


@dataclass(frozen=True)
class Means:
    """Numbers told by means, weighted by similarity; without any similarity by the mean of all cases.

    They are divided by ``unit``, a power of two near the largest of them, so that no square overflows.
    """

    numbers: FloatArray
    unit: float
    name: str = "root mean squared error"

    def losses(self, cases: IdArray, found: IdArray, similarities: FloatArray) -> FloatArray:
        weights = np.where(found >= 0, similarities, 0.0)
        total = weights.sum(axis=1)
        told = np.full(len(cases), self.numbers.mean())
        np.divide((weights * self.numbers[found]).sum(axis=1), total, out=told, where=total > 0)
        errors: FloatArray = (told - self.numbers[cases]) ** 2
        return errors

    def mean(self, losses: FloatArray) -> float:
        return float(np.sqrt(losses.mean())) * self.unit

    def rare(self, k: int) -> tuple[int, int]:
        return 0, 0


def solved(table: CaseTable, target: str, success: Success) -> BoolArray:
    """Which cases can tell others: those that are not retired and have a solution, and one that worked."""
    if target == "solution":
        return with_success(table, success)
    return (table.column(target).codes >= 0) & ~table.retired


def check_target(table: CaseTable, target: object) -> str:
    """What is told: the solution, the outcome, or an attribute that is a number or a name."""
    names = [name for name, kind in table.attributes.items() if kinds.kind_name(kind) in _TOLD]
    hint = f"Of the attributes {listed(names, limit=12)} can be told." if names else "'solution' is usual."
    check_choice("target", target, ("solution", "outcome", *names), hint=hint)
    return str(target)


def target_of(table: CaseTable, target: str, positions: IdArray, k: int) -> Target:
    """Numbers where all solutions are numbers, classes where none is; an attribute is what its kind says."""
    column = table.column(target)
    places, own = np.unique(column.codes[positions], return_inverse=True)
    if len(places) < 2:
        raise CaseBaseError(
            f"found one and the same {target} in all cases; there is nothing to tell apart. Weights matter only where "
            "solutions differ."
        )
    if column.kind is not None:
        numeric = isinstance(column.kind, Numeric)
        return _means(column.numbers()[places][own]) if numeric else Votes(own, k)
    values = [kinds.plain_shown(str(column.values[place])) for place in places.tolist()]
    numbers = [value for value in values if is_number(value)]
    if not numbers:
        return Votes(own, k)
    if len(numbers) < len(values):
        raise CaseBaseError(
            f"found numbers such as {quoted(numbers[0])} and others such as "
            f"{quoted(next(value for value in values if not is_number(value)))} as {target}. Numbers are predicted "
            "by means and other solutions by votes; revise the odd ones, or give weights."
        )
    return _means(np.array(values, dtype=np.float64)[own])


def _means(numbers: FloatArray) -> Means:
    unit = math.ldexp(1.0, math.frexp(float(np.abs(numbers).max()))[1] - 1)
    return Means(numbers / unit, unit)
