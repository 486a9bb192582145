"""Missing and unseen values of queries: what they tell about the target, and how they are filled in.

A missing value counts as information only in columns in which the missing values of the stored rows depend on the
target. All other missing values, and values that no stored row has, tell nothing. Members of a stack that cannot
handle such cells predict copies of the query, in which the cells are filled in from stored rows that are near in the
known columns (hot-deck imputation); the predictions for the copies are averaged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import gammaln

from priorcase._locks import cached_property
from priorcase._typing import AnyArray, BoolArray, FloatArray, IntArray
from priorcase.instances import Instances
from priorcase.learning.resampling import stored_table
from priorcase.neighbors.transformer import KNNTransformer
from priorcase.neighbors.tuning import content_ranks
from priorcase.schema import Coded, Nominal, Ordinal, Schema, Set, Table, Taxonomy, Text
from priorcase.similarity.structured import VECTORIZERS

DONORS = 32  # number of stored rows from which a query is imputed
_MOST_ROWS = 2_000  # maximum number of stored rows that can be donors
_EVIDENCE = float(np.log(100.0))  # log Bayes factor; if missing values tell nothing, it is larger in 1 of 100 columns
_COMMON = 0.95  # share of the stored rows that have at most the usual number of missing values
_JEFFREYS = 0.5


@dataclass(frozen=True, eq=False)
class Queries:
    """Queries of a stack, in which values that no stored row has are replaced with missing values."""

    table: Table
    blank: BoolArray  # rows in which no cell tells anything
    incomplete: BoolArray  # rows with unexpected missing values, which some members cannot handle
    filled: BoolArray  # cells to be filled in for these members

    def __len__(self) -> int:
        return len(self.table)

    def part(self, rows: IntArray) -> Queries:
        """Return the queries at the given positions."""
        return Queries(_rows(self.table, rows), self.blank[rows], self.incomplete[rows], self.filled[rows])


@dataclass(frozen=True, eq=False)
class Imputation:
    """What missing values of the stored rows tell, and the stored rows from which queries are completed.

    ``informative`` marks the columns in which the missing values of the stored rows depend on the target, and ``gaps``
    the columns with missing values. ``usual`` is the number of uninformative missing values that a row may have.
    """

    instances: Instances
    truth: FloatArray
    is_class: bool
    gaps: BoolArray
    informative: BoolArray
    usual: int

    @classmethod
    def of(cls, instances: Instances, truth: FloatArray, weights: FloatArray | None, *, is_class: bool) -> Imputation:
        missing = _missing_in(instances)
        gaps: BoolArray = np.asarray(missing.any(axis=0))
        informative = np.zeros(gaps.size, bool)
        for a in np.flatnonzero(gaps & ~missing.all(axis=0)).tolist():
            evidence = _evidence_of_classes if is_class else _evidence_of_numbers
            informative[a] = evidence(missing[:, a], truth, _row_counts(weights, len(truth))) > _EVIDENCE
        counts = (missing & ~informative).sum(axis=1)
        usual = int(np.quantile(counts, _COMMON, method="lower")) if counts.size else 0
        return cls(instances, truth, is_class, gaps, informative, usual)

    def queries(self, table: Table) -> Queries:
        """Find the missing and unseen values of queries."""
        missing = missing_cells(table)
        unseen = ~missing & ~self._seen(table)
        absent = missing & ~self.informative | unseen
        unexpected = absent & (~self.gaps | unseen)
        incomplete = unexpected.any(axis=1) | (absent.sum(axis=1) > self.usual)
        if unseen.any():
            table = without_cells(table, unseen)
        blank: BoolArray = np.asarray(absent.all(axis=1))
        return Queries(table, blank, incomplete, absent & incomplete[:, None])

    def _seen(self, table: Table) -> BoolArray:
        """Return a mask of the cells with values that tell something because stored rows have them or similar ones."""
        cells = self.instances.encode(table)
        seen = np.ones(cells.shape, bool)
        for a, kind in enumerate(self.instances.schema.kinds):
            if isinstance(kind, Ordinal):
                seen[:, a] = cells[:, a] >= 0  # levels without rows have neighbors
            elif isinstance(kind, Nominal):
                seen[:, a] = self._seen_values(a, cells[:, a], table.columns[a])
        return seen

    def _seen_values(self, a: int, codes: FloatArray, column: Any) -> BoolArray:
        kind = self.instances.schema.kinds[a]
        if isinstance(kind, Taxonomy):
            return np.asarray(codes >= 0)
        counts = np.append(self.instances.value_counts(a), 0)
        inside = np.where((codes >= 0) & (codes < counts.size), codes, counts.size - 1).astype(np.intp)
        seen = counts[inside] > 0
        if isinstance(kind, Text | Set):
            for i in np.flatnonzero(~seen & (column.codes >= 0)).tolist():
                seen[i] = not self._parts[a].isdisjoint(_parts_of(kind, column.values[column.codes[i]]))
        return np.asarray(seen)

    @cached_property
    def _parts(self) -> dict[int, set[Any]]:
        """The words of the stored texts and the members of the stored sets, by column."""
        found = dict[int, set[Any]]()
        for a, kind in enumerate(self.instances.schema.kinds):
            if isinstance(kind, Text | Set):
                values, counts = self.instances.values(a), self.instances.value_counts(a)
                stored = (value for value, count in zip(values, counts.tolist(), strict=False) if count)
                found[a] = set().union(*(_parts_of(kind, value) for value in stored))
        return found

    @cached_property
    def _donors(self) -> _Donors:
        return _Donors.of(self)

    def averaged(self, queries: Queries, answer: Callable[[Table], FloatArray]) -> FloatArray:
        """Return the predictions of ``answer``, averaged over copies of the queries whose cells are filled in."""
        parts = self._donors.completed(queries)
        total = answer(parts[0])
        for part in parts[1:]:  # one at a time, so that a query gets identical results alone and in a batch
            total = total + answer(part)
        return total / len(parts)


# -- cells


def missing_cells(table: Table) -> BoolArray:
    """Return a mask of missing values, shape (rows, columns)."""
    cells = [column.codes if isinstance(column, Coded) else column for column in table.columns]
    return np.column_stack([_is_missing(column) for column in cells])


def without_cells(table: Table, absent: BoolArray) -> Table:
    """Return a table with some cells set to missing, given as a mask of shape (rows, columns)."""
    columns = list(table.columns)
    for a in np.flatnonzero(absent.any(axis=0)).tolist():
        column = columns[a]
        if isinstance(column, Coded):
            columns[a] = replace(column, codes=np.where(absent[:, a], -1, column.codes))
        else:
            columns[a] = np.where(absent[:, a], np.nan, column)
    return Table(table.schema, len(table), tuple(columns))


def _is_missing(column: AnyArray) -> BoolArray:
    return np.isnan(column) if column.dtype.kind == "f" else column < 0


def _missing_in(instances: Instances) -> BoolArray:
    return np.column_stack([_is_missing(instances.column(a)) for a in range(len(instances.schema))])


def _rows(table: Table, rows: IntArray) -> Table:
    return Table(table.schema, len(rows), tuple(column[rows] for column in table.columns))


def _parts_of(kind: Text | Set, value: Any) -> set[Any]:
    """Return the words of a text (its character n-grams if the column compares only these) or the members of a set."""
    if isinstance(kind, Set):
        return set(value)
    from sklearn.feature_extraction.text import CountVectorizer  # not needed without texts

    options = VECTORIZERS["characters" if kind.analyzer == "characters" else "words"]
    return set(CountVectorizer(**options).build_analyzer()(str(value)))


# -- what missing values tell


def _row_counts(weights: FloatArray | None, n: int) -> FloatArray:
    """Return sample weights scaled to sum to the effective number of rows."""
    if weights is None:
        return np.ones(n)
    return np.asarray(weights * (weights.sum() / np.square(weights).sum()))


def _evidence_of_classes(missing: BoolArray, truth: FloatArray, counts: FloatArray) -> float:
    """Return the log Bayes factor for different class probabilities of rows with and without the value."""
    classes = truth.astype(np.intp)
    width = int(classes.max()) + 1
    without: FloatArray = np.bincount(classes, weights=counts * missing, minlength=width).astype(np.float64)
    known: FloatArray = np.bincount(classes, weights=counts * ~missing, minlength=width).astype(np.float64)
    return _log_marginal(without) + _log_marginal(known) - _log_marginal(without + known)


def _log_marginal(counts: FloatArray) -> float:
    """Return the log marginal likelihood of class counts under Jeffreys' prior."""
    total = _JEFFREYS * counts.size
    gains = gammaln(counts + _JEFFREYS) - gammaln(_JEFFREYS)
    return float(gains.sum() + gammaln(total) - gammaln(counts.sum() + total))


def _evidence_of_numbers(missing: BoolArray, truth: FloatArray, counts: FloatArray) -> float:
    """Return the log Bayes factor (by BIC) for different means of rows with and without the value."""
    n = counts.sum()
    mean = float(np.average(truth, weights=counts))
    total = float(counts @ np.square(truth - mean))
    if total <= 0.0:
        return 0.0
    within = 0.0
    for part in (missing, ~missing):
        if (weight := float(counts[part].sum())) > 0.0:
            center = float(counts[part] @ truth[part]) / weight
            within += float(counts[part] @ np.square(truth[part] - center))
    share = max(within / total, float(np.finfo(np.float64).eps))
    return float(-0.5 * n * np.log(share) - 0.5 * np.log(n))


# -- donors


@dataclass(frozen=True, eq=False)
class _Donors:
    """Stored rows from which queries are imputed, in an order that depends only on the values of the rows."""

    cases: Table
    index: KNNTransformer
    informative: IntArray  # columns in which missing values tell something: an indicator each is added

    @classmethod
    def of(cls, imputation: Imputation) -> _Donors:
        instances, informative = imputation.instances, np.flatnonzero(imputation.informative)
        cases = stored_table(instances, _spread(imputation)[:_MOST_ROWS])
        shown = _with_indicators(cases, missing_cells(cases), informative)
        index = KNNTransformer(min(DONORS, len(cases)), schema=shown.schema).fit(shown)
        return cls(cases, index, informative)

    def completed(self, queries: Queries) -> list[Table]:
        """Return copies of the queries, imputed from the nearest row, from the second nearest row, and so on."""
        shown = _with_indicators(queries.table, missing_cells(queries.table) & ~queries.filled, self.informative)
        _, nearest = self.index.kneighbors(shown)
        return [self._with(queries, donors) for donors in nearest.T]

    def _with(self, queries: Queries, donors: IntArray) -> Table:
        table = queries.table
        columns = list(table.columns)
        for a, (own, others) in enumerate(zip(columns, self.cases.columns, strict=True)):
            filled = queries.filled[:, a]
            if isinstance(own, Coded) and isinstance(others, Coded):
                codes, offset = others.codes[donors].astype(np.int64), len(own.values)
                codes = np.where(filled, np.where(codes >= 0, codes + offset, -1), own.codes)
                columns[a] = replace(own, codes=codes, values=(*own.values, *others.values))
            elif not isinstance(own, Coded) and not isinstance(others, Coded):
                columns[a] = np.where(filled, others[donors], own)
        return Table(table.schema, len(table), tuple(columns))


def _spread(imputation: Imputation) -> IntArray:
    """Return the rows in an order in which each class, or part of the range of the target, is spread evenly."""
    # Ties in distance are broken by position: if little is known, the nearest rows are the first rows. They should
    # have the class frequencies, even if the original table is sorted by class.
    truth = imputation.truth
    ranks = content_ranks(imputation.instances, truth[:, None], 0)
    groups = truth
    if not imputation.is_class:
        by_target = np.lexsort((ranks, truth))
        groups = np.empty(truth.size)
        groups[by_target] = np.arange(truth.size) * min(DONORS, truth.size) // max(truth.size, 1)
    order = np.lexsort((ranks, groups))
    _, starts, sizes = np.unique(groups[order], return_index=True, return_counts=True)
    within = np.arange(truth.size) - np.repeat(starts, sizes)
    places = (within + 0.5) / np.repeat(sizes, sizes)
    return np.asarray(order[np.lexsort((ranks[order], places))])


def _with_indicators(table: Table, missing: BoolArray, informative: IntArray) -> Table:
    """Return a table with an additional column for each column in which missing values tell something."""
    if not informative.size:
        return table
    schema = table.schema
    kinds = (*schema.kinds, *(Nominal() for _ in informative))
    indicators = (Coded(missing[:, a].astype(np.int64), ("known", "missing")) for a in informative.tolist())
    return Table(Schema(None, kinds), len(table), (*table.columns, *indicators))
