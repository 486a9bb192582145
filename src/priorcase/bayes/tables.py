"""Tables of log-probabilities: what each value of each discrete attribute adds to the joint log of each class."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from priorcase._typing import FloatArray
from priorcase.bayes.cell_weights import CellWeights
from priorcase.bayes.counts import MISSING
from priorcase.bayes.shares import Cells, Predictive, log_shares
from priorcase.bayes.statistics import Discrete
from priorcase.bayes.zeros import ZeroPolicy


@dataclass(frozen=True, eq=False)
class Estimates:
    """How cells become probabilities."""

    predictive: Predictive
    policy: ZeroPolicy


def class_cells(counts: FloatArray, weights: FloatArray) -> Cells:
    """The classes as cells."""
    cells = Cells(counts, counts.sum(), weights, weights.sum(), np.asarray(float(counts.size)), np.zeros(()))
    return Cells(cells.count, cells.total, cells.weight, cells.weights, cells.size, cells.peak.sum())


def value_cells(discrete: Discrete, weights: CellWeights) -> Cells:
    """The values of every discrete attribute as cells."""
    seen = _cells(discrete, weights.cells, np.zeros((len(discrete.attributes), 1)), 0)
    # Cells that are no values have no weight: any positive number keeps their logarithm defined.
    weight = np.where(discrete.inside[:, np.newaxis], seen.weight, 1.0)
    return replace(seen, weight=weight, weights=seen.weights + (seen.weights == 0))


def unseen_cells(discrete: Discrete, weights: CellWeights) -> Cells:
    """One more value for each discrete attribute, which no row has: attributes by classes."""
    wide = _cells(discrete, weights.widened, weights.unseen, 1)
    first = discrete.starts[:-1]
    nothing = np.zeros_like(discrete.totals)
    parts = (wide.total, wide.weights, wide.size, wide.mass)
    total, all_weights, size, mass = (part[first] for part in parts)
    return Cells(nothing, total, weights.unseen, all_weights, size, mass)


def _cells(discrete: Discrete, weights: FloatArray, more: FloatArray, cells_more: int) -> Cells:
    """Cells with the totals of their attribute, to which so many cells of some weight are added."""
    of = discrete.of
    sums = discrete.per_attribute(weights) + more
    sizes = (discrete.sizes + cells_more).astype(np.float64)[:, np.newaxis]
    peaks = np.where(discrete.inside[:, np.newaxis], np.maximum(discrete.counts + (weights - 1.0), 0.0), 0.0)
    masses = discrete.per_attribute(peaks) + cells_more * np.maximum(more - 1.0, 0.0)
    return Cells(discrete.counts, discrete.totals[of], weights, sums[of], sizes[of], masses[of])


def value_table(discrete: Discrete, weights: CellWeights, estimates: Estimates) -> FloatArray:
    """What each cell adds to the joint log of each class; a gap that is no value adds nothing."""
    new = log_shares(unseen_cells(discrete, weights), estimates.predictive, estimates.policy)
    seen = log_shares(value_cells(discrete, weights), estimates.predictive, estimates.policy)
    return with_gaps(np.where(discrete.inside[:, np.newaxis], seen, new[discrete.of]), discrete, new)


def left_out_table(discrete: Discrete, weights: CellWeights, estimates: Estimates) -> FloatArray:
    """What each cell adds to the joint log of each class when one of its own rows is left out."""
    less = value_cells(discrete, weights).without(1.0)
    logs = log_shares(less, estimates.predictive, estimates.policy)
    return with_gaps(logs, discrete, np.zeros_like(discrete.totals))


def with_gaps(logs: FloatArray, discrete: Discrete, new: FloatArray) -> FloatArray:
    """The table with what a gap adds: nothing, or what a new value adds where gaps are values but never occurred."""
    gaps = discrete.starts[:-1] + MISSING
    outside = ~discrete.inside[gaps]
    logs[gaps[outside]] = new[outside] if discrete.gaps_count else 0.0
    return logs
