"""The average over all subsets of the attributes for each stored row, by all other rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.additive import mixed
from priorcase.bayes.counts import slots_of
from priorcase.bayes.gamma import log_rising
from priorcase.bayes.left_out_moments import leave_one_out
from priorcase.bayes.memory import BayesMemory
from priorcase.bayes.numeric import log_densities
from priorcase.bayes.predictive import evidence_share
from priorcase.bayes.shares import Cells
from priorcase.bayes.statistics import Discrete, Statistics
from priorcase.bayes.student import Student
from priorcase.bayes.subset_evidence import SubsetEvidence, SubsetWeights, pooled, prior_odds
from priorcase.bayes.subset_model import EVIDENCE
from priorcase.bayes.tables import value_cells, value_table

_NUMBERS_AT_ONCE = 2**17


def left_out_joint_logs(
    memory: BayesMemory, statistics: Statistics, weights: SubsetWeights, evidence: SubsetEvidence
) -> FloatArray:
    """Joint logs of the classes for each stored row without itself, up to a constant for each row."""
    instances = memory.instances
    own = memory.class_positions(statistics.codes)
    joint = _class_logs(statistics, weights, own, instances.weights)
    terms = DiscreteTerms.of(statistics, weights, evidence)
    for d, a in enumerate(statistics.discrete.attributes):
        cells = statistics.discrete.starts[d] + slots_of(instances.column(a), statistics.discrete.cuts[d])
        terms.add(joint, cells, own, instances.weights)
    for a, strategy in enumerate(memory.numeric):
        if isinstance(strategy, Student):
            _add_numbers(joint, memory, statistics, a, float(evidence.inclusion[a]))
    return joint


def _class_logs(
    statistics: Statistics, weights: SubsetWeights, own: IntArray, row_weights: FloatArray | None
) -> FloatArray:
    """Log-shares of the classes without each row, but for the total, which all classes share."""
    counts = statistics.class_counts + weights.own.classes
    joint = np.repeat(np.log(counts)[np.newaxis], own.size, axis=0)
    less = np.maximum(statistics.class_counts[own] - (1.0 if row_weights is None else row_weights), 0.0)
    joint[np.arange(own.size), own] = np.log(less + weights.own.classes[own])
    return joint


@dataclass(frozen=True, eq=False)
class DiscreteTerms:
    """What a value adds to the joint logs of the classes when a row that holds it is left out.

    Without a row of weight w that has a value f rows of its class have, of h in all, the marginal likelihood of the
    class is smaller by ``G(f + s) / G(f - w + s)`` over ``G(h + S) / G(h - w + S)``; for w = 1 by the probability of
    the row's own value. So is that of all classes taken for one, and the odds that the attribute matters follow.
    """

    discrete: Discrete
    table: FloatArray
    own: Cells
    rest: Cells
    log_odds: FloatArray

    @classmethod
    def of(cls, statistics: Statistics, weights: SubsetWeights, evidence: SubsetEvidence) -> DiscreteTerms:
        """From all rows."""
        discrete = statistics.discrete
        own, rest = value_cells(discrete, weights.own.cells), value_cells(pooled(discrete), weights.pooled)
        odds = evidence.log_odds[list(discrete.attributes)][discrete.of]
        return cls(discrete, value_table(discrete, weights.own.cells, EVIDENCE), own, rest, odds)

    def add(self, joint: FloatArray, cells: IntArray, own: IntArray, row_weights: FloatArray | None) -> None:
        """Add the terms of one attribute, whose value each row has in a cell; a gap that is no value adds nothing."""
        if row_weights is not None:
            rows = np.flatnonzero(self.discrete.inside[cells])
            step = max(1, _NUMBERS_AT_ONCE // joint.shape[1])
            for part in (rows[start : start + step] for start in range(0, rows.size, step)):
                joint[part] += self._terms(cells[part], own[part], row_weights[part])
            return
        # Rows with the same value and class lose the same: one look-up for each.
        first, n = int(cells.min(initial=len(self.table))), joint.shape[1]
        keys = (cells - first) * n + own
        held = np.zeros((int(cells.max(initial=first)) - first + 1) * n, bool)
        held[keys] = True
        held &= np.repeat(self.discrete.inside[first : first + held.size // n], n)
        pairs = np.flatnonzero(held)
        terms = np.zeros((pairs.size + 1, n))
        terms[:-1] = self._terms(first + pairs // n, pairs % n, np.ones(pairs.size))
        number = np.full(held.size, pairs.size)
        number[pairs] = np.arange(pairs.size)
        joint += terms[number[keys]]

    def _terms(self, cells: IntArray, own: IntArray, w: FloatArray) -> FloatArray:
        """The terms of rows that have values in these cells, are of these classes and have these weights."""
        odds = self.log_odds[cells]
        logs = []
        for part, column, sign in ((self.own, own, -1), (self.rest, np.zeros_like(own), 1)):
            count, total, weight, weights = _picked(part, cells, column)
            count, total = np.maximum(count - w, 0.0), np.maximum(total - w, 0.0)
            odds = odds + sign * (log_rising(count + weight, w) - log_rising(total + weights, w))
            logs.append(np.log(evidence_share(count, total, weight, weights)))
        by_class = self.table[cells]
        by_class[np.arange(cells.size), own] = logs[0]
        return mixed(odds[:, np.newaxis], by_class, logs[1][:, np.newaxis])


def _picked(cells: Cells, at: IntArray, classes: IntArray) -> tuple[FloatArray, ...]:
    """Count, total, weight and weights of single cells by position and class."""
    parts = (cells.count, cells.total, cells.weight, cells.weights)
    return tuple(np.broadcast_to(part, cells.count.shape)[at, classes] for part in parts)


def _add_numbers(joint: FloatArray, memory: BayesMemory, statistics: Statistics, a: int, inclusion: float) -> None:
    """Add the terms of a numeric attribute: the default prior is that of the other rows, so every class is new."""
    strategy, moments, instances = memory.numeric[a], statistics.moments[a], memory.instances
    assert isinstance(strategy, Student)
    if not moments.says_something():
        return
    x, own, weights = instances.column(a), instances.target().astype(np.intp), instances.weights
    odds = prior_odds(np.array(inclusion))
    known = np.flatnonzero(~np.isnan(x))
    step = max(1, _NUMBERS_AT_ONCE // len(moments.n))
    for rows in (known[start : start + step] for start in range(0, known.size, step)):
        less = leave_one_out(moments, x[rows], own[rows], None if weights is None else weights[rows])
        included = strategy.log_marginal(less)[:, statistics.codes].sum(axis=1)
        log_odds = odds + (included - strategy.log_marginal_pooled(less))
        by_class = log_densities(strategy.parameters(less)[:, statistics.codes], x[rows])
        rest = log_densities(strategy.parameters_pooled(less)[:, np.newaxis], x[rows])
        joint[rows] += mixed(log_odds[:, np.newaxis], by_class, rest)
