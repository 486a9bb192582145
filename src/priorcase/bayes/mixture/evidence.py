"""How probable the rows are under a number of components, averaged over the parameters: the Cheeseman-Stutz score."""

from __future__ import annotations

import math

import numpy as np

from priorcase.bayes.gamma import log_rising
from priorcase.bayes.mixture.cells import Cells
from priorcase.bayes.mixture.em import Climb
from priorcase.bayes.mixture.parameters import LOG_2PI, Parameters
from priorcase.bayes.mixture.prior import Prior
from priorcase.bayes.mixture.statistics import Statistics
from priorcase.bayes.mixture.truncation import log_below
from priorcase.bayes.predictive import log_marginal


def cheeseman_stutz(run: Climb, cells: Cells, prior: Prior) -> float:
    """An approximation of the log evidence: ``ln P(D^ | M) + ln P(D | theta^) - ln P(D^ | theta^) + ln K!``.

    ``theta^`` are the most probable parameters and ``D^`` the rows completed with the components expected there, whose
    evidence is known in closed form (Cheeseman & Stutz 1996). The first three terms measure one peak of the posterior;
    ``ln K!`` counts its copies, one for each order that the K components can be named in. With one component nothing is
    hidden and the score is exact; where components lie apart it is nearly so; where they overlap it is too low.

    Parameters
    ----------
    run
        EM at its end.
    cells
        The rows.
    prior
        The weight of the prior.
    """
    units = float((cells.weights * cells.offsets).sum())
    completed = log_evidence(run.statistics, prior)
    peak = completed + run.log_likelihood - log_complete(run.parameters, run.statistics) + units
    return peak + math.lgamma(len(run.parameters) + 1)


def log_evidence(statistics: Statistics, prior: Prior) -> float:
    """``ln P(D^ | M)``: completed rows under a mixture, averaged over its parameters, in standard units."""
    total = float(log_marginal(statistics.rows, prior.weight))
    total += sum(float(log_marginal(counts, prior.weight).sum()) for counts in statistics.counts if counts.shape[1])
    # The posterior of mean and precision is again a Normal-Gamma.
    n = statistics.known
    strength, shape = prior.strength + n, prior.shape + 0.5 * n
    rate = prior.rate + 0.5 * np.maximum(statistics.squares - np.square(statistics.sums) / strength, 0.0)
    logs = log_rising(np.full_like(n, prior.shape), 0.5 * n) + prior.shape * math.log(prior.rate)
    logs += 0.5 * np.log(prior.strength / strength) - shape * np.log(rate) - 0.5 * n * LOG_2PI
    # Both of them end at the largest precision.
    logs += log_below(shape, rate * prior.bounds) - log_below(np.array(prior.shape), prior.rate * prior.bounds)
    return total + float(logs.sum())


def log_complete(parameters: Parameters, statistics: Statistics) -> float:
    """``ln P(D^ | theta)``: completed rows under given parameters, in standard units."""
    total = float((statistics.rows * parameters.log_weights).sum())
    for counts, table in zip(statistics.counts, parameters.tables, strict=True):
        total += float((counts * table[:, :-2]).sum())
    means, precisions, n = parameters.means, parameters.precisions, statistics.known
    squares = statistics.squares - 2.0 * means * statistics.sums + np.square(means) * n
    return total + float((0.5 * n * (np.log(precisions) - LOG_2PI) - 0.5 * precisions * squares).sum())
