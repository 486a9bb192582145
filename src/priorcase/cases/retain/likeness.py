"""How alike all cases of a table are to a query: whole columns of similarities, not only the best."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from priorcase._locks import cached_property
from priorcase._typing import FloatArray, IntArray
from priorcase.cases.kinds import Stored
from priorcase.cases.measures import LocalSimilarity
from priorcase.cases.retrieval.cache import MeasureCache
from priorcase.cases.retrieval.comparing import checked
from priorcase.cases.retrieval.parameters import check_unknown, measures_of, weights_of
from priorcase.cases.scoring import Unknown, all_similarities
from priorcase.cases.table import CaseTable
from priorcase.learning.estimator import thread_count

_FEW = 512


class Likeness:
    """Similarities of all cases of a table, retired ones too, to a query, as in `retrieve`.

    ``sum_a w_a s_a / sum_a w_a`` over the attributes that the query knows. Where the stored case does not know one of
    them, ``s_a`` is 0, or the attribute is left out of both sums (``unknown="ignore"``).

    Parameters
    ----------
    table
        The cases as they are now: later changes of the table do not reach the comparison.
    weights
        Of attributes, 1 where none is given.
    measures
        Of attributes; the usual one of their kind where none is given.
    unknown
        What a value means that the stored case does not know.
    cache
        Where prepared measures are kept.

    Examples
    --------
    >>> from priorcase.schema import Nominal
    >>> rows = [(1, {"make": "A", "fuel": "gas"}, None, None), (2, {"make": "B"}, None, None)]
    >>> like = Likeness(CaseTable.of({"make": Nominal(), "fuel": Nominal()}, rows))
    >>> like.to({"make": "B"}), like.to({"make": "A"}, both=True)
    (array([0., 1.]), array([0.5, 0. ]))
    """

    def __init__(
        self,
        table: CaseTable,
        *,
        weights: Mapping[str, float] | None = None,
        measures: Mapping[str, LocalSimilarity] | None = None,
        unknown: Unknown = "different",
        cache: MeasureCache | None = None,
    ) -> None:
        self.attributes = dict(table.attributes)
        self.ids = table.ids
        self.columns = {name: table.column(name) for name in (*self.attributes, "solution")}
        self.weights = weights_of(self.attributes, weights)
        self.ignores = check_unknown(unknown) == "ignore"
        self._measures = measures_of(self.attributes, measures)
        self._cache = cache or MeasureCache()
        self._of_values: dict[tuple[str, int], FloatArray] = {}

    @cached_property
    def _filled(self) -> dict[str, IntArray]:
        """Places of values, with one more after the last in place of gaps."""
        columns = {name: self.columns[name] for name in self.attributes}
        return {name: np.where(c.codes < 0, np.int32(len(c.values)), c.codes) for name, c in columns.items()}

    def by_value(self, name: str, query: Stored) -> FloatArray:
        """The similarity of each distinct value of an attribute; remembered where the attribute has few of them."""
        column, measure = self.columns[name], self._measures[name]
        key = (name, column.place(query))
        found = self._of_values.get(key) if key[1] >= 0 else None
        if found is None:
            prepared = self._cache.get(column, measure, self.columns["solution"])
            found = checked(prepared.similarities(query), len(column.values), name, measure)
            if key[1] >= 0 and len(column.values) <= _FEW:
                self._of_values[key] = found
        return found

    def by_case(self, name: str, query: Stored) -> FloatArray:
        """The similarity of each case by one attribute, NaN where the case does not know it."""
        return np.append(self.by_value(name, query), np.nan)[self.columns[name].codes]

    def to(self, query: Mapping[str, Stored], *, both: bool = False, upto: int | None = None) -> FloatArray:
        """One similarity for each case; 0 where nothing is compared.

        Parameters
        ----------
        query
            Stored values by attribute; None where one is not known.
        both
            Whether an attribute that only the stored case knows counts like one that only the query knows.
        upto
            How many cases to compare, from the first on; None for all.
        """
        known = [name for name, weight in self.weights.items() if weight and query.get(name) is not None]
        codes, tables = (
            [self.columns[name].codes for name in known],
            [self.by_value(name, query[name]) for name in known],
        )
        ignores = self.ignores
        if both and not ignores:
            # A place of its own, alike to nothing, is how a gap of the case counts where gaps of both do not.
            codes, tables = [self._filled[name] for name in known], [np.append(table, 0.0) for table in tables]
            others = [name for name, weight in self.weights.items() if weight and query.get(name) is None]
            codes += [self.columns[name].codes for name in others]
            tables += [np.zeros(len(self.columns[name].values)) for name in others]
            known, ignores = known + others, True
        n = self.ids.size if upto is None else upto
        if not known or not n:
            return np.zeros(n)
        codes = [places[:n] for places in codes]
        weights = np.array([self.weights[name] for name in known])
        unknown: Unknown = "ignore" if ignores else "different"
        return all_similarities(codes, tables, weights, unknown=unknown, n_threads=thread_count(None))

    def of(self, position: int, *, both: bool = False, before: bool = False) -> FloatArray:
        """The same with a stored case as the query; its similarity to itself is among them, unless those before do."""
        at = {name: int(self.columns[name].codes[position]) for name in self.attributes}
        values = {name: None if code < 0 else self.columns[name].values[code] for name, code in at.items()}
        return self.to(values, both=both, upto=position if before else None)
