"""Local similarities of one description with all cases, attribute by attribute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray
from priorcase.cases.kinds import Stored
from priorcase.cases.measures import LocalSimilarity
from priorcase.cases.retrieval.cache import MeasureCache
from priorcase.cases.scoring import Unknown, all_similarities, local_similarities
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, quoted


@dataclass(frozen=True)
class Comparison:
    """What is known of a description, compared with every distinct value of the table.

    Parameters
    ----------
    names
        The attributes that are known and compared.
    codes
        For each, the place of each case's value.
    tables
        For each, the similarity of each distinct value.
    weights
        For each, its weight.
    """

    names: tuple[str, ...]
    codes: tuple[IntArray, ...]
    tables: tuple[FloatArray, ...]
    weights: FloatArray

    def local(self, positions: IdArray) -> FloatArray:
        """Local similarities of some cases, shape (cases, attributes); NaN where a case's value is missing."""
        return local_similarities(self.codes, self.tables, positions)

    def similarities(self, positions: IntArray, unknown: Unknown) -> FloatArray:
        """Overall similarities of some cases."""
        if not self.names:
            return np.zeros(len(positions))
        codes = [codes[positions] for codes in self.codes]
        return all_similarities(codes, self.tables, self.weights, unknown=unknown)


@dataclass(frozen=True)
class Comparer:
    """How descriptions are compared with the cases of a table."""

    table: CaseTable
    weights: Mapping[str, float]
    measures: Mapping[str, LocalSimilarity]
    cache: MeasureCache

    def compare(self, description: Mapping[str, Stored]) -> Comparison:
        """Local similarities of a description with every distinct value; missing values are left out."""
        solutions = self.table.column("solution")
        names, codes, tables = [], [], []
        for name in self.table.attributes:
            value = description.get(name)
            if value is None:
                continue
            column = self.table.column(name)
            found = self.cache.get(column, self.measures[name], solutions).similarities(value)
            names.append(name)
            codes.append(column.codes)
            tables.append(checked(found, len(column.values), name, self.measures[name]))
        weights = np.array([self.weights[name] for name in names], dtype=np.float64)
        return Comparison(tuple(names), tuple(codes), tuple(tables), weights)


def checked(found: AnyArray, values: int, name: str, measure: LocalSimilarity) -> FloatArray:
    """Similarities as they are, after a look at those of measures that are not the library's own."""
    if type(measure).__module__.startswith("priorcase."):
        return found
    try:
        array = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise CaseBaseError(
            f"The measure {quoted(measure)} of {name!r} gave {quoted(found)}; expected one number from 0 to 1 a value. "
            "A similarity is 1 for the same and 0 for nothing in common."
        ) from None
    if array.shape != (values,):
        raise CaseBaseError(
            f"The measure {quoted(measure)} of {name!r} gave an array of shape {array.shape} for {values} values; "
            "expected one number from 0 to 1 a value. A similarity is 1 for the same and 0 for nothing in common."
        )
    if array.size and not (array.min() >= 0.0 and array.max() <= 1.0):
        raise CaseBaseError(
            f"The measure {quoted(measure)} of {name!r} gave the similarity "
            f"{array[~((array >= 0.0) & (array <= 1.0))][0]}; expected one number from 0 to 1 a value. A similarity is "
            "1 for the same and 0 for nothing in common."
        )
    return array
