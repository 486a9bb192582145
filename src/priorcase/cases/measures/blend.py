"""Several measures of one attribute together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TypeGuard

from priorcase._parameters import as_python, is_number, settle
from priorcase._typing import FloatArray
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored
from priorcase.cases.measures.frozen import FrozenMapping
from priorcase.cases.measures.local_similarity import LocalSimilarity, Prepared
from priorcase.exceptions import ParameterError, quoted

Shares = Mapping[LocalSimilarity, float]


@dataclass(frozen=True)
class Blend:
    """``sum_m share_m s_m(a, b) / sum_m share_m``: the weighted mean of several measures of one attribute.

    Symmetric where all its measures are. A text may be compared by its words and by its letters:
    ``Blend({TfIdf(): 2, EditDistance(): 1})``.

    Parameters
    ----------
    measures
        From measures to their shares, numbers above 0; or some measures, which share alike.

    Examples
    --------
    >>> from priorcase.cases.measures import EditDistance, TfIdf, similarities
    >>> similarities("jams", ["jam", "dust"], "text", Blend({TfIdf(): 1, EditDistance(): 3}))
    {'jam': 0.5625, 'dust': 0.0}
    """

    measures: Shares

    def __post_init__(self) -> None:
        settle(self, measures=_checked(self.measures))

    @property
    def accepts(self) -> tuple[str, ...]:
        """The kinds that all measures compare."""
        first, *others = self.measures
        return tuple(kind for kind in first.accepts if all(kind in other.accepts for other in others))

    @property
    def needs_solutions(self) -> bool:
        """Whether any of its measures learns from solutions."""
        return any(measure.needs_solutions for measure in self.measures)

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        earlier: Mapping[LocalSimilarity, Prepared] = previous.parts if isinstance(previous, _Prepared) else {}
        parts = {measure: measure.prepare(column, solutions, earlier.get(measure)) for measure in self.measures}
        return _Prepared(parts, self.measures)


@dataclass(frozen=True, eq=False)
class _Prepared:
    parts: Mapping[LocalSimilarity, Prepared]
    shares: Shares

    def similarities(self, query: Stored) -> FloatArray:
        largest = max(self.shares.values())  # no overflow, however large the shares
        shares = [share / largest for share in self.shares.values()]
        # The shares are summed in the same order as the similarities, so that ones give exactly 1.
        weighted = (part.similarities(query) * share for part, share in zip(self.parts.values(), shares, strict=True))
        return reduce(add, weighted) / reduce(add, shares)


def is_measure(value: object) -> TypeGuard[LocalSimilarity]:
    """Whether a value is a local similarity, and not the class of one."""
    if type(value).__module__.startswith("priorcase.cases.measures."):
        return True  # looking for all methods takes as long as a small retrieval
    return isinstance(value, LocalSimilarity) and not isinstance(value, type)


def _checked(given: object) -> FrozenMapping[LocalSimilarity, float]:
    if isinstance(given, Sequence) and given and not isinstance(given, str) and all(map(is_measure, given)):
        given = dict.fromkeys(given, 1)
    if isinstance(given, Mapping) and given and all(map(is_measure, given)) and all(map(_is_share, given.values())):
        return FrozenMapping({measure: as_python(share) for measure, share in given.items()})
    raise ParameterError(
        "measures must be a mapping from measures to finite numbers above 0, or a list of measures, got "
        f"{quoted(given)}. For example Blend({{TfIdf(): 2, EditDistance(): 1}})."
    )


def _is_share(value: object) -> bool:
    return is_number(value) and 0 < as_python(value) < float("inf")
