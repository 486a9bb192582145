"""Scores of the stored rows, each by the counts and sums of all others."""

from __future__ import annotations

import numpy as np

from priorcase._core import Scorer, normalise_rows
from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.additive import Scale, add_tables
from priorcase.bayes.counts import slots_of
from priorcase.bayes.gaussian import Gaussian
from priorcase.bayes.kernel_density import KernelDensity
from priorcase.bayes.left_out_classes import LeftOutClasses
from priorcase.bayes.loo_densities import loo_log_densities
from priorcase.bayes.memory import BayesMemory
from priorcase.bayes.prior_weights import PriorWeights
from priorcase.bayes.shares import Cells, log_shares
from priorcase.bayes.statistics import Statistics
from priorcase.bayes.student import Student
from priorcase.bayes.tables import Estimates, class_cells, left_out_table, value_cells, value_table


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
    additions = any(isinstance(strategy, (Student, Gaussian, KernelDensity)) for strategy in memory.numeric)
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
    left_out = LeftOutClasses(class_cells(statistics.class_counts, weights.classes), estimates)
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
    joint = LeftOutClasses(class_cells(statistics.class_counts, weights.classes), estimates).logs(own, row_weights)
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
