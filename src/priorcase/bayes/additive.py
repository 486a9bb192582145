"""A model whose joint logs are sums: one term for the class, one for each attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

import numpy as np
from scipy.special import log_expit

from priorcase._core import Scorer, normalise_rows
from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.bayes.counts import FIRST, MISSING, UNSEEN
from priorcase.bayes.kernel_density import FittedKernels, KernelDensity
from priorcase.bayes.numeric import log_densities
from priorcase.bayes.statistics import Discrete
from priorcase.instances import Instances
from priorcase.schema import Coded, Table

# Below it one matrix of cells is quicker to make than a translation for each column.
_FEW_CELLS = 20_000


class Scale(IntEnum):
    """What scores are: logs of joint probabilities, or (log-)probabilities of the classes."""

    JOINT = 0
    LOG_PROBABILITY = 1
    PROBABILITY = 2


@dataclass(frozen=True, eq=False)
class Density:
    """The density of a numeric attribute in each class.

    Parameters
    ----------
    parameters
        Those of `log_densities`, one row for each class.
    normal
        Whether it is a normal density; otherwise a Student one.
    pooled, log_odds
        Where the class may not matter: the parameters for all classes together, and the log-odds that it does. (Not
        the probability: of one near 1 nothing would be left for the other density, which may be far larger.)
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
        """What every question would work out anew."""
        return self.strategy.fit(self.values)


@dataclass(frozen=True, eq=False)
class AdditiveModel:
    """Joint logs of the classes as sums over the attributes.

    Parameters
    ----------
    prior
        The log-share of each class.
    discrete
        Where the cells of the discrete attributes lie.
    table
        What each cell adds for each class.
    densities, kernels
        What numeric attributes add, by position in the schema.
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
            self.scorer.score(*query_columns(instances, table), first, threads, found)
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


def mixed(log_odds: float | FloatArray, own: FloatArray, rest: FloatArray) -> FloatArray:
    """The log of a mixture of two probabilities given by their logs: the first one's share has these log-odds.

    Examples
    --------
    >>> np.exp(mixed(np.log(3.0), np.log(np.array([0.4])), np.log(np.array([0.8]))))
    array([0.5])
    """
    return np.logaddexp(log_expit(log_odds) + own, log_expit(-np.asarray(log_odds)) + rest)


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


def query_columns(instances: Instances, table: Table) -> tuple[list[AnyArray], list[AnyArray | None]]:
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
