"""Hot-deck imputation, which fills in missing values of queries from the nearest stored rows.

Some learners cannot handle missing values in a column that is complete in the training rows. A query with such an
unexpected missing value is copied several times. The missing values of each copy are filled in from a different stored
row that is near in the known columns, and the predictions for the copies are averaged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from priorcase._typing import AnyArray, BoolArray, FloatArray, IntArray
from priorcase.instances import Instances
from priorcase.learning.resampling import stored_table
from priorcase.learning.state import Memory
from priorcase.neighbors.transformer import KNNTransformer
from priorcase.neighbors.tuning import content_ranks
from priorcase.schema import Coded, Table

_DONORS = 32  # number of stored rows from which a query is imputed
_MOST_ROWS = 2_000  # maximum number of stored rows that can be donors


def averaged(memory: Memory, table: Table, answer: Callable[[Table], FloatArray]) -> FloatArray:
    """Return the predictions of ``answer``, averaged over imputations of queries with unexpected missing values."""
    missing = missing_cells(table)
    if not missing.any():
        return answer(table)
    usual = memory.cached("missing cells", lambda: _missing_in(memory.instances))
    # Unexpected: missing in a column that is complete in the stored rows, or more missing values than any stored row.
    odd = (missing & ~usual.any(axis=0)).any(axis=1) | (missing.sum(axis=1) > usual.sum(axis=1).max())
    if not odd.any():
        return answer(table)
    donors = memory.cached("donors", lambda: _Donors.of(memory.instances))
    parts = donors.completed(_rows(table, np.flatnonzero(odd)))
    total = answer(parts[0])
    for part in parts[1:]:  # one at a time, so that a query gets identical results alone and in a batch
        total = total + answer(part)
    found = np.empty((len(table), total.shape[1]))
    found[odd] = total / len(parts)
    if not odd.all():
        found[~odd] = answer(_rows(table, np.flatnonzero(~odd)))
    return found


def missing_cells(table: Table) -> BoolArray:
    """Return a mask of missing values, shape (rows, columns)."""
    cells = [column.codes if isinstance(column, Coded) else column for column in table.columns]
    return np.column_stack([_is_missing(column) for column in cells])


def _is_missing(column: AnyArray) -> BoolArray:
    return np.isnan(column) if column.dtype.kind == "f" else column < 0


def _missing_in(instances: Instances) -> BoolArray:
    """Return the distinct patterns of missing values in the stored rows."""
    columns = [_is_missing(instances.column(a)) for a in range(len(instances.schema))]
    return np.unique(np.column_stack(columns), axis=0)


def _rows(table: Table, rows: IntArray) -> Table:
    return Table(table.schema, len(rows), tuple(column[rows] for column in table.columns))


@dataclass(frozen=True, eq=False)
class _Donors:
    """Stored rows from which queries are imputed, in an order that depends only on the values of the rows."""

    cases: Table
    index: KNNTransformer

    @classmethod
    def of(cls, instances: Instances) -> _Donors:
        # Ties in distance are broken by position, and the original table may be sorted by class.
        ranks = content_ranks(instances, np.empty((len(instances), 0)), 0)
        cases = stored_table(instances, np.argsort(ranks, kind="stable")[:_MOST_ROWS])
        index = KNNTransformer(min(_DONORS, len(cases)), schema=instances.schema).fit(cases)
        return cls(cases, index)

    def completed(self, table: Table) -> list[Table]:
        """Return copies of the queries, imputed from the nearest row, from the second nearest row, and so on."""
        _, nearest = self.index.kneighbors(table)
        return [self._with(table, donors) for donors in nearest.T]

    def _with(self, table: Table, donors: IntArray) -> Table:
        columns = list(table.columns)
        for a, (own, others) in enumerate(zip(columns, self.cases.columns, strict=True)):
            if isinstance(own, Coded) and isinstance(others, Coded):
                codes, offset = others.codes[donors].astype(np.int64), len(own.values)
                filled = np.where(own.codes >= 0, own.codes, np.where(codes >= 0, codes + offset, -1))
                columns[a] = replace(own, codes=filled, values=(*own.values, *others.values))
            elif not isinstance(own, Coded) and not isinstance(others, Coded):
                columns[a] = np.where(_is_missing(own), others[donors], own)
        return Table(table.schema, len(table), tuple(columns))
