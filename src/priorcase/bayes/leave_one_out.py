"""Scores of the stored rows, each by the counts and moments of all others."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from priorcase._core import Scorer, normalise_rows
from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.additive import (
    Estimates,
    Scale,
    add_tables,
    class_cells,
    left_out_table,
    value_cells,
    value_table,
)
from priorcase.bayes.kernel_density import KernelDensity
from priorcase.bayes.memory import BayesMemory, Statistics, slots_of
from priorcase.bayes.numeric import DENSITIES, Gaussian, Student, loo_log_densities
from priorcase.bayes.predictive import Cells, log_shares
from priorcase.bayes.priors import PriorWeights


def left_out_scores(
    memory: BayesMemory,
    statistics: Statistics,
    weights: PriorWeights,
    estimates: Estimates,
    scale: Scale,
    *,
    threads: int,
) -> FloatArray:
    """Scores of the classes for each stored row without itself; joint logs up to a constant for each row."""
    instances = memory.instances
    table = value_table(statistics.discrete, weights.cells, estimates)
    additions = any(isinstance(strategy, DENSITIES) for strategy in memory.numeric)
    first = Scale.JOINT if additions else scale
    if instances.weights is None:
        joint = _unweighted(memory, statistics, weights, estimates, table, first, threads)
    else:
        first = Scale.JOINT
        joint = _weighted(memory, statistics, weights, estimates, table)
    own, row_weights = instances.target().astype(np.intp), instances.weights
    for a, strategy in enumerate(memory.numeric):
        column = instances.column(a)
        if isinstance(strategy, (Student, Gaussian)):
            logs = loo_log_densities(strategy, statistics.moments[a], column, own, row_weights)
            joint += logs[:, statistics.codes]
        elif isinstance(strategy, KernelDensity):
            positions = memory.class_positions(statistics.codes)
            joint += strategy.loo_log_density(column, positions, statistics.sorted_values[a], row_weights)
    if first != scale:
        normalise_rows(joint, scale)
    return joint


def _unweighted(
    memory: BayesMemory,
    statistics: Statistics,
    weights: PriorWeights,
    estimates: Estimates,
    table: FloatArray,
    scale: Scale,
    threads: int,
) -> FloatArray:
    """A look-up for each row: tables with one row less in the row's own class."""
    instances, discrete = memory.instances, statistics.discrete
    left_out = _LeftOutClasses(class_cells(statistics.class_counts, weights.classes), estimates)
    alike = left_out.alike(1.0)
    nothing = np.zeros(statistics.n_classes)
    others, own = alike if alike is not None else (nothing, nothing)
    scorer = Scorer(others, np.ascontiguousarray(table))
    scorer.leave_out(own, np.ascontiguousarray(left_out_table(discrete, weights.cells, estimates)))
    add_tables(scorer, discrete)
    columns = [instances.column(a) for a in range(len(instances.schema))]
    joint = np.empty((len(instances), statistics.n_classes))
    translate, first = statistics.class_slots(), scale if alike is not None else Scale.JOINT
    scorer.score_left_out(columns, [None] * len(columns), instances.target(), translate, first, threads, joint)
    if alike is None:
        joint += left_out.logs(memory.class_positions(statistics.codes), np.ones(len(instances)))
        normalise_rows(joint, scale)
    return joint


def _weighted(
    memory: BayesMemory, statistics: Statistics, weights: PriorWeights, estimates: Estimates, table: FloatArray
) -> FloatArray:
    """The same where each row takes its own weight out of its cells."""
    instances, discrete = memory.instances, statistics.discrete
    row_weights = np.asarray(instances.weights)
    own, rows = memory.class_positions(statistics.codes), np.arange(len(instances))
    joint = _LeftOutClasses(class_cells(statistics.class_counts, weights.classes), estimates).logs(own, row_weights)
    cells = value_cells(discrete, weights.cells)
    for d, a in enumerate(discrete.attributes):
        at = discrete.starts[d] + slots_of(instances.column(a), discrete.cuts[d])
        added = table[at]
        counted = discrete.inside[at]
        less = _picked(cells, at[counted], own[counted]).without(row_weights[counted])
        added[rows[counted], own[counted]] = log_shares(less, estimates.predictive, estimates.policy)
        joint += added
    return joint


def _picked(cells: Cells, at: IntArray, classes: IntArray) -> Cells:
    """Single cells by position and class."""

    def pick(part: FloatArray) -> FloatArray:
        wide = np.broadcast_to(part, cells.count.shape)
        return wide[at, classes]

    parts = (cells.count, cells.total, cells.weight, cells.weights, cells.size, cells.mass)
    return Cells(*map(pick, parts))


@dataclass(frozen=True, eq=False)
class _LeftOutClasses:
    """The classes as cells, of which rows are left out."""

    cells: Cells
    estimates: Estimates

    def alike(self, rows: float) -> tuple[FloatArray, FloatArray] | None:
        """Log-shares without so many rows: of the other classes, and of the class that lost them.

        None where the shares of the others depend on which class that is.
        """
        losses = self._losses(np.asarray(rows), slice(None))
        if not (losses[self.cells.count >= rows] == rows).all():
            return None
        others = replace(self.cells, total=_less(self.cells.total, rows), mass=_less(self.cells.mass, rows))
        own = replace(others, count=_less(self.cells.count, rows))
        predictive, policy = self.estimates.predictive, self.estimates.policy
        return log_shares(others, predictive, policy), log_shares(own, predictive, policy)

    def logs(self, own: IntArray, row_weights: FloatArray) -> FloatArray:
        """Log-shares of all classes for each row without itself, (rows, classes)."""
        cells, rows = self.cells, row_weights[:, np.newaxis]
        counts = np.repeat(cells.count[np.newaxis], len(own), axis=0)
        counts[np.arange(len(own)), own] = _less(cells.count[own], row_weights)
        losses = self._losses(row_weights, own)[:, np.newaxis]
        left = replace(cells, count=counts, total=_less(cells.total, rows), mass=_less(cells.mass, losses))
        return log_shares(left, self.estimates.predictive, self.estimates.policy)

    def _losses(self, rows: FloatArray, of: IntArray | slice) -> FloatArray:
        """What ``mass`` loses when rows leave some classes: less than these where a weight below 1 is cut off."""
        count, weight, peak = self.cells.count[of], self.cells.weight[of], self.cells.peak[of]
        if self.estimates.predictive != "map":  # which alone asks for the mass
            return np.broadcast_to(rows, count.shape)
        return np.where(count - rows + (weight - 1.0) >= 0.0, rows, peak)


def _less(amount: FloatArray, gone: FloatArray | float) -> FloatArray:
    return np.maximum(amount - gone, 0.0)
