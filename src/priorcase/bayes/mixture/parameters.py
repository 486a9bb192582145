"""The parameters of a mixture, and what the prior says of them.

A row has a hidden component k with probability ``p_k``. Given it, the attributes are independent: a discrete one has
value l with probability ``phi_kl``, a numeric one is Gaussian with mean ``mu_k`` and precision ``lambda_k``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammaln

from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.mixture.prior import Prior
from priorcase.bayes.mixture.truncation import log_below

LOG_2PI = math.log(2.0 * math.pi)


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """The parameters of all components.

    Parameters
    ----------
    log_weights
        Log-probability of each component.
    means, precisions
        Of each numeric attribute in each component, in standard units, shape (attributes, components).
    tables
        For each discrete attribute of n values, log-probabilities in each component, shape (components, n + 2): of the
        values, 0 for a missing one, and that of a value never seen.
    """

    log_weights: FloatArray
    means: FloatArray
    precisions: FloatArray
    tables: tuple[FloatArray, ...]

    def __len__(self) -> int:
        return len(self.log_weights)

    @property
    def free(self) -> int:
        """How many numbers can be chosen freely."""
        values = sum(max(table.shape[1] - 3, 0) for table in self.tables)
        return len(self) - 1 + len(self) * int(values + 2 * len(self.means))

    def ordered(self, order: IntArray) -> Parameters:
        """The components in another order."""
        tables = tuple(table[order] for table in self.tables)
        return Parameters(self.log_weights[order], self.means[:, order], self.precisions[:, order], tables)

    def listing(self, orders: Sequence[IntArray]) -> Parameters:
        """The values of each discrete attribute in another order."""
        tables = (table[:, [*order, -2, -1]] for table, order in zip(self.tables, orders, strict=True))
        return replace(self, tables=tuple(np.ascontiguousarray(table) for table in tables))

    def log_prior(self, prior: Prior) -> float:
        """The log of the prior density, over log-odds of probabilities, means, and logs of precisions.

        With weight a, the density of probabilities ``phi`` is ``G(n a) / G(a)^n prod_l phi_l^a`` over log-odds, and
        that of ``mu, ln lambda`` is ``N(mu; 0, 1 / (strength lambda)) Gamma(lambda; shape, rate) lambda``,
        the Gamma cut off at the largest precision.
        """
        total = _log_dirichlet(self.log_weights, prior.weight)
        total += sum(_log_dirichlet(table[:, :-2], prior.weight) for table in self.tables)
        logs, strengths = np.log(self.precisions), prior.strength * self.precisions
        gauss = 0.5 * (math.log(prior.strength) - LOG_2PI + logs - strengths * np.square(self.means))
        gamma = prior.shape * (math.log(prior.rate) + logs) - float(gammaln(prior.shape)) - prior.rate * self.precisions
        gamma -= log_below(np.array(prior.shape), prior.rate * prior.bounds)
        return total + float((gauss + gamma).sum())


def _log_dirichlet(logs: FloatArray, weight: float) -> float:
    """The log-density of Dirichlet probabilities over their log-odds, summed over all but the last axis."""
    n = logs.shape[-1]
    constant = float(gammaln(n * weight) - n * gammaln(weight)) if n else 0.0
    return constant * float(logs.size // max(n, 1)) + weight * float(logs.sum())
