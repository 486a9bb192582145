"""Additive models: the joint log of a class is a sum of one term for the class and one for each attribute.

``ln P(k, q) = ln a_k + sum_i ln phi_ki(q_i)``. The terms of discrete attributes are one table, a line for each cell
(attribute and value) and a column for each class; those of numeric attributes are densities. Every answer comes from
these: probabilities, contributions, any column, joint distributions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property

import numpy as np
from scipy.special import log_expit

from priorcase._core import Scorer, normalise_rows
from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.bayes.kernel_density import FittedKernels, KernelDensity
from priorcase.bayes.memory import FIRST, MISSING, UNSEEN, Discrete, Statistics
from priorcase.bayes.moments import Moments
from priorcase.bayes.numeric import Gaussian, Numeric, Student, log_densities
from priorcase.bayes.predictive import Cells, Predictive, ZeroPolicy, log_shares
from priorcase.bayes.priors import CellWeights
from priorcase.instances import Instances
from priorcase.schema import Coded, Table

# Below it one matrix of cells is quicker to make than a translation for each column.
_FEW_CELLS = 20_000


class Scale(IntEnum):
    """What scores are: logs of joint probabilities, or (log-)probabilities of the classes."""

    JOINT = 0
    LOG_PROBABILITY = 1
    PROBABILITY = 2


# -- the table of the discrete attributes


@dataclass(frozen=True, eq=False)
class Estimates:
    """How cells become probabilities."""

    predictive: Predictive
    policy: ZeroPolicy


def class_cells(counts: FloatArray, weights: FloatArray) -> Cells:
    """The classes as cells."""
    cells = Cells(counts, counts.sum(), weights, weights.sum(), np.asarray(float(counts.size)), np.zeros(()))
    return replace(cells, mass=cells.peak.sum())


def value_cells(discrete: Discrete, weights: CellWeights) -> Cells:
    """The values of every discrete attribute as cells."""
    seen = _cells(discrete, weights.cells, np.zeros((len(discrete.attributes), 1)), 0)
    # Cells that are no values have no weight: any positive number keeps their logarithm defined.
    weight = np.where(discrete.inside[:, np.newaxis], seen.weight, 1.0)
    return replace(seen, weight=weight, weights=seen.weights + (seen.weights == 0))


def _unseen_cells(discrete: Discrete, weights: CellWeights) -> Cells:
    """One more value for each discrete attribute, which no row has: attributes by classes."""
    wide = _cells(discrete, weights.widened, weights.unseen, 1)
    first = discrete.starts[:-1]
    total, all_weights, size, mass = (part[first] for part in (wide.total, wide.weights, wide.size, wide.mass))
    return Cells(np.zeros_like(discrete.totals), total, weights.unseen, all_weights, size, mass)


def _cells(discrete: Discrete, weights: FloatArray, more: FloatArray, cells_more: int) -> Cells:
    """Cells with the totals of their attribute, to which so many cells of some weight are added."""
    of = discrete.of
    sums = discrete.per_attribute(weights) + more
    sizes = (discrete.sizes + cells_more).astype(np.float64)[:, np.newaxis]
    peaks = np.where(discrete.inside[:, np.newaxis], np.maximum(discrete.counts + (weights - 1.0), 0.0), 0.0)
    masses = discrete.per_attribute(peaks) + cells_more * np.maximum(more - 1.0, 0.0)
    return Cells(discrete.counts, discrete.totals[of], weights, sums[of], sizes[of], masses[of])


def value_table(discrete: Discrete, weights: CellWeights, estimates: Estimates) -> FloatArray:
    """What each cell adds to the joint log of each class; missing that is no value adds nothing."""
    new = log_shares(_unseen_cells(discrete, weights), estimates.predictive, estimates.policy)
    seen = log_shares(value_cells(discrete, weights), estimates.predictive, estimates.policy)
    return with_missing(np.where(discrete.inside[:, np.newaxis], seen, new[discrete.of]), discrete, new)


def left_out_table(discrete: Discrete, weights: CellWeights, estimates: Estimates) -> FloatArray:
    """What each cell adds to the joint log of each class when one of its own rows is left out."""
    less = value_cells(discrete, weights).without(1.0)
    logs = log_shares(less, estimates.predictive, estimates.policy)
    return with_missing(logs, discrete, np.zeros_like(discrete.totals))


def with_missing(logs: FloatArray, discrete: Discrete, new: FloatArray) -> FloatArray:
    """The table with what missing adds: nothing, or what a new value adds where missing is a value not seen yet."""
    cells = discrete.starts[:-1] + MISSING
    outside = ~discrete.inside[cells]
    logs[cells[outside]] = new[outside] if discrete.missing_counts else 0.0
    return logs


# -- densities of the numeric attributes


@dataclass(frozen=True, eq=False)
class Density:
    """The density of a numeric attribute in each class.

    ``parameters`` are those of `log_densities`, one row for each class. Where the class may not matter, ``pooled`` are
    the parameters for all classes together and ``log_odds`` the log-odds that it does. (Not the probability: of one
    near 1 nothing would be left for the other density, which may be far larger.)
    """

    parameters: FloatArray
    normal: bool
    pooled: FloatArray | None = None
    log_odds: float = np.inf

    def logs(self, x: FloatArray) -> FloatArray:
        """What each number adds to the joint log of each class; 0 where it is missing."""
        own = log_densities(self.parameters, x)
        if self.pooled is None:
            return own
        both = mixed(self.log_odds, own, log_densities(self.pooled[np.newaxis], x))
        return np.where(np.isnan(x)[:, np.newaxis], 0.0, both)


@dataclass(frozen=True, eq=False)
class KernelTerm:
    """A kernel density, and the known values of each class."""

    strategy: KernelDensity
    values: Sequence[tuple[FloatArray, FloatArray | None]]

    def logs(self, x: FloatArray) -> FloatArray:
        """What each number adds to the joint log of each class; 0 where it is missing."""
        return self._fitted.log_density(x)

    @cached_property
    def _fitted(self) -> FittedKernels:
        return self.strategy.fit(self.values)


def numeric_terms(
    statistics: Statistics, numeric: Sequence[Numeric | None]
) -> tuple[dict[int, Density], dict[int, KernelTerm]]:
    """The densities of the numeric attributes, by position in the schema."""
    densities: dict[int, Density] = {}
    kernels: dict[int, KernelTerm] = {}
    columns: dict[Student | Gaussian, list[int]] = {}
    for a, strategy in enumerate(numeric):
        if isinstance(strategy, (Student, Gaussian)):
            columns.setdefault(strategy, []).append(a)
        elif isinstance(strategy, KernelDensity):
            kernels[a] = KernelTerm(strategy, statistics.sorted_values[a])
    for strategy, attributes in columns.items():
        moments = Moments.stacked([statistics.moments[a] for a in attributes])
        parameters = strategy.parameters(moments)[:, statistics.codes]
        densities |= {
            a: Density(own, isinstance(strategy, Gaussian)) for a, own in zip(attributes, parameters, strict=True)
        }
    return densities, kernels


def mixed(log_odds: float | FloatArray, own: FloatArray, rest: FloatArray) -> FloatArray:
    """The log of a mixture of two probabilities given by their logs: the first one's share has these log-odds.

    Examples
    --------
    >>> np.exp(mixed(np.log(3.0), np.log(np.array([0.4])), np.log(np.array([0.8]))))
    array([0.5])
    """
    return np.logaddexp(log_expit(log_odds) + own, log_expit(-np.asarray(log_odds)) + rest)


# -- the model


@dataclass(frozen=True, eq=False)
class AdditiveModel:
    """Joint logs of the classes as sums over the attributes.

    ``prior`` is the log-share of each class, ``table`` what each cell of ``discrete`` adds for each class;
    ``densities`` and ``kernels`` are what numeric attributes add, by position in the schema.
    """

    prior: FloatArray
    discrete: Discrete
    table: FloatArray
    densities: Mapping[int, Density] = field(default_factory=dict)
    kernels: Mapping[int, KernelTerm] = field(default_factory=dict)

    @cached_property
    def scorer(self) -> Scorer:
        """The compiled sum, but for kernel densities."""
        scorer = Scorer(np.ascontiguousarray(self.prior), np.ascontiguousarray(self.table))
        add_tables(scorer, self.discrete)
        for a, density in self.densities.items():
            if density.pooled is None:
                scorer.add_density(a, np.ascontiguousarray(density.parameters), density.normal)
            else:
                both = np.concatenate([density.parameters, density.pooled[np.newaxis]])
                log_in, log_out = float(log_expit(density.log_odds)), float(log_expit(-density.log_odds))
                scorer.add_mixed(a, both, log_in, log_out)
        return scorer

    def scores(self, instances: Instances, table: Table, scale: Scale, *, threads: int) -> FloatArray:
        """Scores of the classes for each query, (queries, classes)."""
        found = np.empty((len(table), self.prior.size))
        first = Scale.JOINT if self.kernels else scale
        cells = table.block
        if cells is None and len(table) * len(instances.schema) <= _FEW_CELLS:
            cells = instances.encode(table)
        if cells is not None:
            self.scorer.score_cells(np.ascontiguousarray(cells), first, threads, found)
        else:
            self.scorer.score(*_query_columns(instances, table), first, threads, found)
        for a, term in self.kernels.items():
            found += term.logs(np.asarray(table.columns[a]))
        if self.kernels and scale != Scale.JOINT:
            normalise_rows(found, scale)
        return found

    def terms(self, cells: FloatArray) -> FloatArray:
        """What each attribute adds to the joint log of each class, (queries, attributes, classes)."""
        found = np.zeros((len(cells), cells.shape[1], self.prior.size))
        for d, a in enumerate(self.discrete.attributes):
            found[:, a] = self.table[self.discrete.starts[d] + query_slots(cells[:, a], self.discrete, d)]
        for a, density in self.densities.items():
            found[:, a] = density.logs(cells[:, a])
        for a, kernel in self.kernels.items():
            found[:, a] = kernel.logs(cells[:, a])
        return found


def add_tables(scorer: Scorer, discrete: Discrete) -> None:
    """Tell a scorer where the cells of each discrete attribute lie."""
    starts = discrete.starts.tolist()
    for d, a in enumerate(discrete.attributes):
        scorer.add_table(a, starts[d], starts[d + 1] - starts[d], discrete.cuts[d])


def query_slots(cells: FloatArray, discrete: Discrete, d: int) -> IntArray:
    """The slot of each query's value of discrete attribute ``d``."""
    missing, cuts = np.isnan(cells), discrete.cuts[d]
    known = np.where(missing, 0.0, cells)
    codes = known.astype(np.intp) if cuts is None else np.searchsorted(cuts, known, side="right")
    size = int(discrete.starts[d + 1] - discrete.starts[d]) - FIRST
    slots = np.where((codes < 0) | (codes >= size), UNSEEN, codes + FIRST)
    return np.where(missing, MISSING, slots)


def _query_columns(instances: Instances, table: Table) -> tuple[list[AnyArray], list[AnyArray | None]]:
    """The columns of a table as they are, and for the nominal ones the slot of each of their codes."""
    columns: list[AnyArray] = []
    translate: list[AnyArray | None] = []
    for a, column in enumerate(table.columns):
        if isinstance(column, Coded):
            slots = np.full(len(column.values) + 1, MISSING, np.int32)
            for position, code in instances.translation(a, column).items():
                slots[position + 1] = UNSEEN if code < 0 else code + FIRST
            codes = column.codes
            columns.append(codes if codes.dtype.itemsize <= 4 and codes.dtype.kind == "i" else codes.astype(np.int32))
            translate.append(slots)
        else:
            columns.append(column)
            translate.append(None)
    return columns, translate
