"""The Dirichlet weight of every cell of the counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray, Value
from priorcase.bayes.counts import FIRST
from priorcase.bayes.per_attribute import PerAttribute
from priorcase.bayes.priors import Prior
from priorcase.bayes.statistics import Discrete
from priorcase.instances import Instances
from priorcase.schema import Nominal


@dataclass(frozen=True, eq=False)
class CellWeights:
    """Weights of the cells, as a column for all classes or one for each.

    Parameters
    ----------
    cells
        Of each cell: cells by classes or by one.
    widened
        The same for a query that brings a new value, with which the attribute has one cell more.
    unseen
        Of that new cell: attributes by one.
    """

    cells: FloatArray
    widened: FloatArray
    unseen: FloatArray


def cell_weights(prior: Prior, discrete: Discrete, instances: Instances, n_classes: int) -> CellWeights:
    """What a prior gives to each cell; 0 for cells that are no values."""
    symmetric = prior.symmetric(discrete.sizes, n_classes)
    widened = prior.symmetric(discrete.sizes + 1, n_classes)
    inside = discrete.inside[:, np.newaxis]
    if symmetric is not None and widened is not None:
        column = np.where(inside, symmetric[discrete.of, np.newaxis], 0.0)
        wide = np.where(inside, widened[discrete.of, np.newaxis], 0.0)
        return CellWeights(column, wide, widened[:, np.newaxis])
    cells = np.zeros((len(discrete.of), n_classes))
    unseen = np.zeros((len(discrete.attributes), 1))
    for d, a in enumerate(discrete.attributes):
        kind, label = instances.schema.kinds[a], instances.schema.label(a)
        codes = discrete.codes(d)
        held = codes.start + np.flatnonzero(discrete.inside[codes])
        known = instances.values(a) if discrete.cuts[d] is None else range(codes.stop - codes.start)
        values: list[Value] = [known[cell - codes.start] for cell in held.tolist()]
        occurs = discrete.inside[codes.start - FIRST]
        # A gap that counts is the last value; an array has a weight for it were there none.
        if occurs or (discrete.gaps_count and isinstance(prior, PerAttribute) and prior.in_order(label)):
            held, values = np.append(held, codes.start - FIRST), [*values, None]
        declared = not isinstance(kind, Nominal) or kind.values is not None
        weights = prior.weights(label, values, n_classes, declared=declared)
        cells[held] = np.atleast_2d(weights).T
        if not occurs:
            cells[codes.start - FIRST] = 0.0
        unseen[d] = prior.unseen(label, values, n_classes)
    return CellWeights(cells, cells, unseen)
