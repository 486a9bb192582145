"""Values that are alike where they have the same solutions: the modified value difference metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from scipy import sparse

from priorcase._parameters import as_python, is_number, settle
from priorcase._typing import AnyArray, FloatArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored
from priorcase.cases.measures.checks import choice
from priorcase.cases.measures.local_similarity import Prepared
from priorcase.exceptions import ParameterError, quoted

Unseen = Literal["different", "prior"]


@dataclass(frozen=True)
class MVDM:
    """``1 - delta / 2`` with ``delta = sum_c |P(c|a) - P(c|b)| ** power``; c runs over the distinct solutions.

    ``P(c|a)`` is the share of solution c among the stored cases that have value a and a known solution: Cost &
    Salzberg's (1993) modified value difference metric, whose delta is at most 2. For a power of 1 it is
    ``sum_c min(P(c|a), P(c|b))``, what the two distributions have in common, and computed from whole numbers.
    Symmetric. Solutions count as they are: it learns where few of them recur, not where they are free numbers.

    Parameters
    ----------
    power
        Cost & Salzberg's k, 1 or more.
    unseen
        A value without a case of known solution: ``"different"`` from all others (similarity 0, delta at its largest),
        or with the ``"prior"`` as its distribution, the shares among all cases. A stored value is always like itself.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> fixes = ["swap", "swap", "clean", "clean", "swap"]
    >>> similarities("laser", ["laser", "inkjet", "inkjet", "plotter", "laser"], "nominal", MVDM(), solutions=fixes)
    {'laser': 1.0, 'inkjet': 0.5, 'plotter': 0.0}
    """

    power: float = 1
    unseen: Unseen = "different"

    accepts: ClassVar[tuple[str, ...]] = ("nominal", "ordinal", "taxonomy")
    needs_solutions: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not is_number(self.power) or not 1 <= as_python(self.power) < np.inf:
            raise ParameterError(
                f"power must be a finite number >= 1, got {quoted(self.power)}. 1 is Cost and Salzberg's choice."
            )
        hint = "'different' says that a value never seen has nothing in common with others."
        unseen = choice("unseen", self.unseen, get_args(Unseen), hint=hint)
        settle(self, power=as_python(self.power), unseen=unseen)

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        if solutions is None:
            raise ParameterError(
                f"{quoted(self)} compares the values of {column.name!r} by their solutions, and was given none. Take a "
                "measure that needs no solutions, such as Equality()."
            )
        known = (column.codes >= 0) & (solutions.codes >= 0)
        shape = (len(column.values), len(solutions.values))
        ones = np.ones(int(known.sum()), dtype=np.int64)
        by_value = sparse.csr_array((ones, (column.codes[known], solutions.codes[known])), shape=shape)
        by_value.sum_duplicates()
        solved = solutions.codes[solutions.codes >= 0]
        prior = (
            np.bincount(solved, minlength=shape[1]) if self.unseen == "prior" else np.zeros(shape[1], dtype=np.int64)
        )
        totals: AnyArray = np.asarray(by_value.sum(axis=1)).ravel()
        return _Prepared(column, by_value, by_value.tocsc(), totals, prior, self.power)


@dataclass(frozen=True, eq=False)
class _Prepared:
    column: CaseColumn
    by_value: Any
    by_solution: Any
    totals: AnyArray
    prior: AnyArray
    power: float

    def similarities(self, query: Stored) -> FloatArray:
        place = self.column.place(query)
        profile = self._profile(place)
        shared = self._shared(profile) if self.power == 1 else self._powered(profile)
        shared[self.totals == 0] = self._of_prior(profile)
        if place >= 0:
            shared[place] = 1.0
        return shared

    def _profile(self, place: int) -> AnyArray:
        """How often the query's value has each solution; the prior where it has none."""
        profile = np.zeros(self.by_value.shape[1], dtype=np.int64)
        begin, end = self.by_value.indptr[place : place + 2] if place >= 0 else (0, 0)
        profile[self.by_value.indices[begin:end]] = self.by_value.data[begin:end]
        return profile if end > begin else self.prior

    def _of_prior(self, profile: AnyArray) -> float:
        """How alike a value is of which nothing is known but the prior; 0 where there is none."""
        total, asked = int(self.prior.sum()), int(profile.sum())
        if not total or not asked:
            return 0.0
        if self.power == 1:
            return int(np.minimum(self.prior * asked, profile * total).sum()) / (total * asked)
        deltas = np.abs(self.prior / total - profile / asked) ** self.power
        return max(0.0, 1.0 - float(deltas.sum()) / 2.0)

    def _shared(self, profile: AnyArray) -> FloatArray:
        """``sum_c min(n_vc N_q, n_qc N_v) / (N_v N_q)``: whole numbers until the division."""
        totals, asked = self.totals, int(profile.sum())
        places, counts, solutions = self._entries(np.flatnonzero(profile))
        common = np.minimum(counts * asked, profile[solutions] * totals[places])
        sums = np.bincount(places, weights=common, minlength=len(totals))
        found = np.zeros(len(totals))
        np.divide(sums, totals * asked, out=found, where=(totals > 0) & (asked > 0))
        return found

    def _powered(self, profile: AnyArray) -> FloatArray:
        """``1 - sum_c |P(c|v) - P(c|q)|^k / 2``, the solutions that only one of both has apart."""
        totals, asked = self.totals, int(profile.sum())
        if asked == 0:
            return np.zeros(len(totals))
        places, counts, solutions = self._entries(np.arange(self.by_solution.shape[1]))
        theirs, ours = counts / totals[places], profile / asked
        deltas = np.bincount(places, weights=np.abs(theirs - ours[solutions]) ** self.power, minlength=len(totals))
        covered = np.bincount(places, weights=ours[solutions] ** self.power, minlength=len(totals))
        deltas = deltas + np.maximum(float((ours**self.power).sum()) - covered, 0.0)
        return np.where(totals > 0, np.clip(1.0 - deltas / 2.0, 0.0, 1.0), 0.0)

    def _entries(self, solutions: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray]:
        """Values, counts and solutions of all entries of some solutions."""
        table = self.by_solution
        begins, sizes = table.indptr[solutions], table.indptr[solutions + 1] - table.indptr[solutions]
        offsets = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(begins, sizes)
        return table.indices[offsets], table.data[offsets], np.repeat(solutions, sizes)
