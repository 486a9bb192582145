"""Measures of nominal values: equality, tables of similarities, and the modified value difference metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._parameters import as_python, settle
from priorcase._typing import AnyArray, FloatArray, Value
from priorcase.cases.measures.base import SIMILARITY, FrozenMapping, Measure, is_similarity
from priorcase.cases.table import CaseColumn
from priorcase.exceptions import ParameterError, quoted
from priorcase.schema.kinds import identity, is_hashable, plain


@dataclass(frozen=True)
class Equality(Measure):
    """Similarity 1 for equal values, otherwise 0; supports attributes of any kind. Symmetric.

    >>> from priorcase.cases.measures import similarities
    >>> similarities("red", ["red", "blue"], "nominal")
    {'red': 1.0, 'blue': 0.0}
    """

    def _compare(self, query: Any, column: CaseColumn, _: None, /) -> FloatArray:
        found = np.zeros(len(column.values))
        if (place := column.place(query)) >= 0:
            found[place] = 1.0
        return found


@dataclass(frozen=True)
class SimilarityTable(Measure):
    """Table of similarities for pairs of values; 1 for equal values, ``otherwise`` for pairs that are not listed.

    ``pairs`` maps tuples of two different values, (query's value, case's value), to similarities from 0 to 1. With
    ``symmetric=True``, each pair applies in both directions.

    >>> from priorcase.cases.measures import similarities
    >>> similarities("orange", ["red", "orange", "blue"], "nominal", SimilarityTable({("red", "orange"): 0.8}))
    {'red': 0.8, 'orange': 1.0, 'blue': 0.0}
    """

    pairs: Mapping[tuple[Value, Value], float]
    symmetric: bool = True
    otherwise: float = 0.0

    accepts = ("nominal", "ordinal", "taxonomy")
    _parameter_constraints: ClassVar[dict[str, Any]] = {"symmetric": ["boolean"], "otherwise": [SIMILARITY]}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.pairs, Mapping):
            raise ParameterError(
                f"parameter 'pairs' of SimilarityTable must be a mapping from pairs of values to similarities, got "
                f"{quoted(self.pairs)}. For example SimilarityTable({{('red', 'orange'): 0.8}})."
            )
        found: dict[tuple[Value, Value], float] = {}
        seen: dict[tuple[Value, Value], float] = {}
        for pair, similarity in self.pairs.items():
            if not isinstance(pair, tuple) or len(pair) != 2 or not all(map(_is_name, pair)):
                raise ParameterError(
                    "parameter 'pairs' of SimilarityTable must have tuples of two values as keys, such as ('red', "
                    f"'orange'), got {quoted(pair)}"
                )
            first, second = identity(plain(pair[0])), identity(plain(pair[1]))
            if not is_similarity(similarity) or (first == second and similarity != 1):
                expected = "1, since both values are equal" if first == second else "a number from 0 to 1"
                raise ParameterError(
                    f"parameter 'pairs' of SimilarityTable must map {pair!r} to {expected}, got {quoted(similarity)}"
                )
            if self.symmetric and seen.setdefault((second, first), similarity) != similarity:
                raise ParameterError(
                    "parameter 'pairs' of SimilarityTable must agree in both directions if symmetric=True, got "
                    f"{similarity!r} in one direction and {seen[second, first]!r} in the other for {pair[0]!r} and "
                    f"{pair[1]!r}. Pass symmetric=False, or list the pair once."
                )
            seen[first, second] = similarity
            found[plain(pair[0]), plain(pair[1])] = as_python(similarity)
        settle(self, pairs=FrozenMapping(found))

    def _prepare(self, column: CaseColumn, *_: Any) -> dict[Value, dict[int, float]]:
        rows: dict[Value, dict[int, float]] = {}
        for (first, second), similarity in self.pairs.items():
            for asked, stored in [(first, second), (second, first)][: 1 + self.symmetric]:
                row = rows.setdefault(identity(asked), {})
                if (place := column.place(stored)) >= 0:  # type: ignore[arg-type]
                    row[place] = similarity
        return rows

    def _compare(self, query: Any, column: CaseColumn, rows: dict[Value, dict[int, float]], /) -> FloatArray:
        found = np.full(len(column.values), float(self.otherwise))
        for place, similarity in rows.get(identity(query), {}).items():
            found[place] = similarity
        if (place := column.place(query)) >= 0:
            found[place] = 1.0
        return found


def _is_name(value: object) -> bool:
    return is_hashable(value) and isinstance(plain(value), (str, int, float, bool))


class _Counts(NamedTuple):
    """For each value of a column, the number of cases with each solution."""

    by_value: Any  # CSR: values x solutions
    by_solution: Any  # the same as CSC
    totals: AnyArray
    prior: AnyArray

    def profile(self, place: int) -> AnyArray:
        """Return the counts of all solutions for a value, or the prior counts if the value occurs in no solved case."""
        profile = np.zeros(self.by_value.shape[1], dtype=np.int64)
        begin, end = self.by_value.indptr[place : place + 2] if place >= 0 else (0, 0)
        profile[self.by_value.indices[begin:end]] = self.by_value.data[begin:end]
        return profile if end > begin else self.prior

    def entries(self, solutions: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray]:
        """Return the nonzero counts of the given solutions as three arrays: value positions, counts and solutions."""
        table = self.by_solution
        begins, sizes = table.indptr[solutions], table.indptr[solutions + 1] - table.indptr[solutions]
        offsets = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(begins, sizes)
        return table.indices[offsets], table.data[offsets], np.repeat(solutions, sizes)


@dataclass(frozen=True)
class MVDM(Measure):
    """Similarity by the modified value difference metric, ``1 - sum_c |P(c|a) - P(c|b)| ** power / 2``.

    ``P(c|a)`` is the relative frequency of solution c among the stored cases with value a and a known solution. The sum
    is the metric of Cost & Salzberg (1993), which is at most 2. With power 1, the similarity equals ``sum_c min(P(c|a),
    P(c|b))`` and is computed from integer counts. Use this measure only if many cases share the same solutions.
    Symmetric.

    ``power`` is Cost & Salzberg's k, at least 1. ``unseen`` applies to values that occur in no case with a solution.
    With ``"different"``, these values have similarity 0 to all other values; with ``"prior"``, their ``P(c|a)`` are the
    frequencies of the solutions among all cases.

    >>> from priorcase.cases.measures import similarities
    >>> fixes = ["swap", "swap", "clean", "clean", "swap"]
    >>> similarities("laser", ["laser", "inkjet", "inkjet", "plotter", "laser"], "nominal", MVDM(), solutions=fixes)
    {'laser': 1.0, 'inkjet': 0.5, 'plotter': 0.0}
    """

    power: float = 1
    unseen: Literal["different", "prior"] = "different"

    accepts = ("nominal", "ordinal", "taxonomy")
    needs_solutions = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "power": [Interval(Real, 1, None, closed="left")],
        "unseen": [StrOptions({"different", "prior"})],
    }

    def _prepare(self, column: CaseColumn, solutions: CaseColumn | None, *_: Any) -> _Counts:
        if solutions is None:
            raise ParameterError(
                f"{quoted(self)} compares the values of {column.name!r} by their solutions, but no solutions were "
                "passed. Pass solutions, or choose another measure, such as Equality()."
            )
        known = (column.codes >= 0) & (solutions.codes >= 0)
        shape = (len(column.values), len(solutions.values))
        ones = np.ones(int(known.sum()), dtype=np.int64)
        by_value = sparse.csr_array((ones, (column.codes[known], solutions.codes[known])), shape=shape)
        by_value.sum_duplicates()
        solved = solutions.codes[solutions.codes >= 0] if self.unseen == "prior" else solutions.codes[:0]
        prior = np.bincount(solved, minlength=shape[1])
        return _Counts(by_value, by_value.tocsc(), np.asarray(by_value.sum(axis=1)).ravel(), prior)

    def _compare(self, query: Any, column: CaseColumn, counts: _Counts, /) -> FloatArray:
        place = column.place(query)
        profile = counts.profile(place)
        found = self._shared(profile, counts) if self.power == 1 else self._powered(profile, counts)
        found[counts.totals == 0] = self._of_prior(profile, counts.prior)
        if place >= 0:
            found[place] = 1.0
        return found

    def _shared(self, profile: AnyArray, counts: _Counts) -> FloatArray:
        """Return the similarity of each value v to the query's value q: ``sum_c min(n_vc N_q, n_qc N_v) / (N_v N_q)``.

        ``n_vc`` is the number of cases with value v and solution c, and ``N_v`` is the sum of ``n_vc`` over c.
        """
        totals, asked = counts.totals, int(profile.sum())
        places, held, solutions = counts.entries(np.flatnonzero(profile))
        common = np.minimum(held * asked, profile[solutions] * totals[places])
        sums = np.bincount(places, weights=common, minlength=len(totals))
        found: FloatArray = np.zeros(len(totals))
        np.divide(sums, totals * asked, out=found, where=(totals > 0) & (asked > 0))
        return found

    def _powered(self, profile: AnyArray, counts: _Counts) -> FloatArray:
        """Return the similarity of each value v to the query's value q, ``1 - sum_c |P(c|v) - P(c|q)|^power / 2``."""
        totals, asked = counts.totals, int(profile.sum())
        if asked == 0:
            return np.zeros(len(totals))
        places, held, solutions = counts.entries(np.arange(counts.by_solution.shape[1]))
        theirs, ours = held / totals[places], profile / asked
        deltas = np.bincount(places, weights=np.abs(theirs - ours[solutions]) ** self.power, minlength=len(totals))
        covered = np.bincount(places, weights=ours[solutions] ** self.power, minlength=len(totals))
        # Add the terms of solutions that do not occur with v, for which P(c|v) = 0.
        deltas = deltas + np.maximum(float((ours**self.power).sum()) - covered, 0.0)
        return np.where(totals > 0, np.clip(1.0 - deltas / 2.0, 0.0, 1.0), 0.0)

    def _of_prior(self, profile: AnyArray, prior: AnyArray) -> float:
        """Return the similarity of the query's value to values that occur in no case with a solution."""
        total, asked = int(prior.sum()), int(profile.sum())
        if not total or not asked:
            return 0.0
        if self.power == 1:
            return int(np.minimum(prior * asked, profile * total).sum()) / (total * asked)
        deltas = np.abs(prior / total - profile / asked) ** self.power
        return max(0.0, 1.0 - float(deltas.sum()) / 2.0)
