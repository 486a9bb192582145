"""Whether an attribute depends on the class: how probable its values are if it does, and if it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import expit

from priorcase._typing import FloatArray
from priorcase.bayes.cell_weights import CellWeights, cell_weights
from priorcase.bayes.marginals import log_marginals
from priorcase.bayes.numeric import Numeric
from priorcase.bayes.predictive import log_marginal
from priorcase.bayes.prior_weights import PriorWeights, prior_weights
from priorcase.bayes.priors import Auto, Dirichlet, Prior
from priorcase.bayes.statistics import Discrete, Statistics
from priorcase.bayes.student import Student
from priorcase.instances import Instances


@dataclass(frozen=True, eq=False)
class SubsetWeights:
    """A prior applied to the counts at hand.

    Parameters
    ----------
    own
        Weights of the classes, and of the cells in each class for attributes that matter.
    pooled
        Weights of the cells for attributes that do not.
    """

    own: PriorWeights
    pooled: CellWeights


@dataclass(frozen=True, eq=False)
class SubsetEvidence:
    """For each attribute the log marginal likelihood of its values, in schema order.

    Parameters
    ----------
    inclusion
        The prior probability that the attribute matters.
    included, excluded
        The log marginal likelihood if it does, each class having a distribution of its own, and if it does not.
    """

    inclusion: FloatArray
    included: FloatArray
    excluded: FloatArray

    @cached_property
    def log_odds(self) -> FloatArray:
        """Posterior log-odds that the attribute matters."""
        return prior_odds(self.inclusion) + (self.included - self.excluded)

    @property
    def relevance(self) -> FloatArray:
        """Posterior probability that the attribute matters."""
        found: FloatArray = expit(self.log_odds)
        return found

    @property
    def log_totals(self) -> FloatArray:
        """The log of the probability of the attribute's values, both cases added up."""
        with np.errstate(divide="ignore"):
            return np.logaddexp(np.log(self.inclusion) + self.included, np.log1p(-self.inclusion) + self.excluded)


def prior_odds(inclusion: FloatArray) -> FloatArray:
    """Log-odds of probabilities; infinite at 0 and 1."""
    with np.errstate(divide="ignore"):
        return np.log(inclusion) - np.log1p(-inclusion)


def pooled(discrete: Discrete) -> Discrete:
    """The counts with all classes taken for one."""
    return replace(discrete, counts=discrete.counts.sum(axis=1, keepdims=True))


def subset_weights(
    prior: Prior | Auto, class_prior: object, inclusion: FloatArray, statistics: Statistics, instances: Instances
) -> SubsetWeights:
    """The weights that a prior gives; an automatic one is chosen first: the one with the largest sum over subsets.

    An attribute that does not matter is weighed as if there were one class only: the same weight for each value, but
    ``s / n`` under ``BDeu(s)``, which shares out its rows. Weights given by class and value are averaged over classes.
    """

    def applied(settled: Prior) -> SubsetWeights:
        own = prior_weights(settled, class_prior, statistics, instances)
        return SubsetWeights(own, _pooled_weights(settled, own.cells, statistics.discrete, instances))

    def total(weight: float) -> float:
        weights = applied(Dirichlet(weight))
        classes = log_marginal(statistics.class_counts, weights.own.classes)
        included, excluded = discrete_evidence(statistics.discrete, weights)
        discrete = SubsetEvidence(inclusion[list(statistics.discrete.attributes)], included, excluded)
        return float(classes) + float(discrete.log_totals.sum())

    return applied(prior.chosen(total) if isinstance(prior, Auto) else prior)


def _pooled_weights(prior: Prior, own: CellWeights, discrete: Discrete, instances: Instances) -> CellWeights:
    if prior.symmetric(discrete.sizes, 1) is not None:
        return cell_weights(prior, discrete, instances, 1)
    means = own.cells.mean(axis=1, keepdims=True)
    return CellWeights(means, means, own.unseen)


def discrete_evidence(
    discrete: Discrete, weights: SubsetWeights, *, widened: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Log marginal likelihoods of the discrete attributes if they matter, and if they do not.

    With ``widened`` every attribute could have had one more value, which no row has.
    """
    own, rest = weights.own.cells, weights.pooled
    if widened:
        included = log_marginals(discrete, own.widened, own.unseen)
        excluded = log_marginals(pooled(discrete), rest.widened, rest.unseen)
    else:
        included, excluded = log_marginals(discrete, own.cells), log_marginals(pooled(discrete), rest.cells)
    return included.sum(axis=1), excluded[:, 0]


def subset_evidence(
    statistics: Statistics, weights: SubsetWeights, numeric: Sequence[Numeric | None], inclusion: FloatArray
) -> SubsetEvidence:
    """The log marginal likelihoods of all attributes."""
    included, excluded = np.zeros(len(numeric)), np.zeros(len(numeric))
    attributes = list(statistics.discrete.attributes)
    included[attributes], excluded[attributes] = discrete_evidence(statistics.discrete, weights)
    for a, strategy in enumerate(numeric):
        if isinstance(strategy, Student):
            moments = statistics.moments[a]
            included[a] = strategy.log_marginal(moments)[statistics.codes].sum()
            excluded[a] = strategy.log_marginal_pooled(moments)
    return SubsetEvidence(inclusion, included, excluded)
