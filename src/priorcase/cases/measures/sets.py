"""Sets that are the more alike, the more members they have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from priorcase._typing import FloatArray, Value
from priorcase.cases.column import CaseColumn
from priorcase.cases.kinds import Stored
from priorcase.cases.measures.documents import Documents
from priorcase.cases.measures.local_similarity import Prepared
from priorcase.cases.measures.postings import Postings
from priorcase.schema.kinds import identity


class _SetMeasure:
    """What the measures of sets share: counting the members in common."""

    accepts: ClassVar[tuple[str, ...]] = ("set",)
    needs_solutions: ClassVar[bool] = False

    def prepare(
        self, column: CaseColumn, solutions: CaseColumn | None = None, previous: Prepared | None = None
    ) -> Prepared:
        if isinstance(previous, _Prepared) and previous.only_texts:
            documents = previous.documents.followed_by(column.values, _members)
        else:
            documents = Documents.of(column.values, _members)
        # Python takes (1,) and (True,) for one tuple; sets of such members are counted afresh each time.
        only_texts = all(isinstance(member, str) for member in documents.vocabulary)
        return _Prepared(self, documents, Postings.of(documents), documents.sizes().astype(np.float64), only_texts)

    def _compared(self, common: FloatArray, asked: int, sizes: FloatArray) -> FloatArray:
        raise NotImplementedError


@dataclass(frozen=True)
class Jaccard(_SetMeasure):
    """``|a & b| / |a | b|``: members in common of all members; 1 where both are empty. Symmetric.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> list(similarities({"noise", "jam"}, [{"jam", "smell"}], "set", Jaccard()).values())
    [0.333...]
    """

    def _compared(self, common: FloatArray, asked: int, sizes: FloatArray) -> FloatArray:
        return _divided(common, sizes + asked - common)


@dataclass(frozen=True)
class Dice(_SetMeasure):
    """``2 |a & b| / (|a| + |b|)``: kinder than `Jaccard` to sets of different sizes; 1 where both are empty. Symmetric.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> list(similarities({"noise", "jam"}, [{"jam", "smell"}], "set", Dice()).values())
    [0.5]
    """

    def _compared(self, common: FloatArray, asked: int, sizes: FloatArray) -> FloatArray:
        return _divided(2.0 * common, sizes + asked)


@dataclass(frozen=True)
class Containment(_SetMeasure):
    """``|a & b| / |a|``: how much of what the query a asks for the case b has, whatever else it has.

    1 for an empty query, which asks for nothing. Not symmetric, and 1 for every set that contains the query's.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> list(similarities({"noise", "jam"}, [{"jam", "smell"}], "set", Containment()).values())
    [0.5]
    """

    def _compared(self, common: FloatArray, asked: int, sizes: FloatArray) -> FloatArray:
        return common / asked if asked else np.ones(len(sizes))


@dataclass(frozen=True)
class Overlap(_SetMeasure):
    """``|a & b| / min(|a|, |b|)``: 1 where one set contains the other or both are empty, 0 where only one is.

    Symmetric.

    Examples
    --------
    >>> from priorcase.cases.measures import similarities
    >>> list(similarities({"noise", "jam"}, [{"jam", "smell"}], "set", Overlap()).values())
    [0.5]
    """

    def _compared(self, common: FloatArray, asked: int, sizes: FloatArray) -> FloatArray:
        smaller = np.minimum(sizes, asked)
        found = _divided(common, smaller)
        found[(smaller == 0) & (sizes + asked > 0)] = 0.0
        return found


@dataclass(frozen=True, eq=False)
class _Prepared:
    measure: _SetMeasure
    documents: Documents
    postings: Postings
    sizes: FloatArray
    only_texts: bool

    def similarities(self, query: Stored) -> FloatArray:
        members = _members(query)
        numbers = (self.documents.vocabulary.get(member, -1) for member in members)
        known = np.array([number for number in numbers if number >= 0], dtype=np.int64)
        common = self.postings.sums(known, np.ones(len(known)))
        return self.measure._compared(common, len(members), self.sizes)


def _members(value: Any) -> Sequence[Value]:
    # Python takes True for 1 and finds it where there is a 1: only then is it worth telling them apart.
    return list(map(identity, value)) if True in value or False in value else value


def _divided(above: FloatArray, below: FloatArray) -> FloatArray:
    """Quotients; 1 where both sides are 0."""
    return np.divide(above, below, out=np.ones(len(below)), where=below > 0)
