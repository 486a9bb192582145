"""How probable the values of each discrete attribute are, all parameters averaged over."""

from __future__ import annotations

import numpy as np

from priorcase._typing import FloatArray
from priorcase.bayes.gamma import log_rising
from priorcase.bayes.statistics import Discrete
from priorcase.bayes.weighted import weighted_counts


def log_marginals(discrete: Discrete, weights: FloatArray, more: FloatArray | float = 0.0) -> FloatArray:
    """The log marginal likelihood of each discrete attribute in each class: attributes by classes.

    A factor of Kontkanen et al. 1998, eq. 8, see ``log_marginal``. The terms of an attribute are added up with one
    rounding, so that it does not matter in which order its values were first seen.

    Parameters
    ----------
    discrete
        The counts.
    weights
        The Dirichlet weight of each cell, 0 where it is no value: cells by classes or by one.
    more
        The weight of one more value of each attribute, which no row has: attributes by one.

    Examples
    --------
    A 1 and then a 0 under the uniform prior, 1/2 times 1/3, and 1/3 times 1/4 where there could have been a 2 too:

    >>> inside = np.array([False, False, True, True])
    >>> discrete = Discrete((0,), np.array([0, 4]), (None,), np.array([[0.0], [0.0], [1.0], [1.0]]), inside)
    >>> np.exp(log_marginals(discrete, inside[:, np.newaxis] * 1.0)) * 6
    array([[1.]])
    >>> np.exp(log_marginals(discrete, inside[:, np.newaxis] * 1.0, np.ones((1, 1)))) * 12
    array([[1.]])
    """
    shape = discrete.totals.shape
    cells, classes = np.nonzero(np.where(discrete.inside[:, np.newaxis], discrete.counts, 0.0))
    terms = log_rising(np.broadcast_to(weights, discrete.counts.shape)[cells, classes], discrete.counts[cells, classes])
    values = weighted_counts(discrete.of[cells] * shape[1] + classes, terms, shape[0] * shape[1]).reshape(shape)
    sums = np.broadcast_to(discrete.per_attribute(weights) + more, shape)
    # An attribute without values has no weight, and no counts either.
    return values - np.where(discrete.totals > 0, log_rising(np.where(sums > 0, sums, 1.0), discrete.totals), 0.0)
