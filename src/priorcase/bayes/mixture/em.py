"""Expectation and maximisation, in turns, until the posterior stops growing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray
from priorcase.bayes.mixture.cells import Cells
from priorcase.bayes.mixture.parameters import Parameters
from priorcase.bayes.mixture.prior import Prior
from priorcase.bayes.mixture.statistics import Statistics, expectation
from priorcase.bayes.predictive import evidence_share


@dataclass(frozen=True, slots=True, eq=False)
class Climb:
    """One run of EM.

    Parameters
    ----------
    parameters
        Where it ended.
    statistics, log_likelihood
        What the rows add up to there, and their log-likelihood, in standard units.
    history
        The log of likelihood times prior at the start and after each iteration; it never falls.
    converged
        Whether it stopped because the last iteration gained next to nothing.
    """

    parameters: Parameters
    statistics: Statistics
    log_likelihood: float
    history: FloatArray
    converged: bool

    @property
    def log_posterior(self) -> float:
        """Log of likelihood times prior at the end."""
        return float(self.history[-1])


def maximisation(statistics: Statistics, prior: Prior) -> Parameters:
    """The M-step: the most probable parameters for completed rows.

    Of n rows, with prior weight a: a probability is ``(n_l + a) / (n + a n_values)``; a mean is ``s / (n + strength)``
    and a variance ``(2 rate + q - s^2 / (n + strength)) / (n + 2 shape + 1)``, where s is the sum and q the sum of
    squares, in standard units, and not below what the grain of the numbers allows. All have the largest posterior
    density over log-odds, means and logs of precisions.
    """
    rows, known = statistics.rows, statistics.known
    means = statistics.sums / (known + prior.strength)
    deviations = np.maximum(statistics.squares - statistics.sums * means, 0.0)
    return Parameters(
        log_weights=np.log(evidence_share(rows, rows.sum(), prior.weight, prior.weight * rows.size)),
        means=means,
        precisions=np.minimum((known + 2.0 * prior.shape + 1.0) / (2.0 * prior.rate + deviations), prior.bounds),
        tables=tuple(_table(counts, prior.weight) for counts in statistics.counts),
    )


def climb(cells: Cells, start: Statistics, *, prior: Prior, max_iter: int, tol: float) -> Climb:
    """EM from some statistics on, for at most ``max_iter`` iterations or until one gains at most ``tol`` a row."""
    parameters = maximisation(start, prior)
    statistics, likelihood = expectation(parameters, cells)
    history = [likelihood + parameters.log_prior(prior)]
    enough = tol * float(cells.weights.sum())
    converged = False
    while not converged and len(history) <= max_iter:
        parameters = maximisation(statistics, prior)
        statistics, likelihood = expectation(parameters, cells)
        history.append(likelihood + parameters.log_prior(prior))
        converged = history[-1] - history[-2] <= enough
    return Climb(parameters, statistics, likelihood, np.array(history), converged)


def _table(counts: FloatArray, prior: float) -> FloatArray:
    """Log-probabilities of the values, 0 for a missing one, and that of a value never seen, which widens the domain."""
    n = counts.shape[1]
    total = counts.sum(axis=1, keepdims=True)
    table = np.zeros((len(counts), n + 2))
    table[:, :n] = np.log(evidence_share(counts, total, prior, prior * n)) if n else 0.0
    table[:, n + 1] = np.log(evidence_share(0.0, total[:, 0], prior, prior * (n + 1)))
    return table
