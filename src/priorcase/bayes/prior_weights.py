"""A prior applied to the counts at hand: the weight of every cell and class, and how probable it makes the rows."""

from __future__ import annotations

from dataclasses import dataclass

from priorcase._typing import FloatArray
from priorcase.bayes.cell_weights import CellWeights, cell_weights
from priorcase.bayes.marginals import log_marginals
from priorcase.bayes.predictive import log_marginal
from priorcase.bayes.priors import Auto, Dirichlet, Prior, resolve_class_prior
from priorcase.bayes.statistics import Statistics
from priorcase.instances import Instances


@dataclass(frozen=True, eq=False)
class PriorWeights:
    """A prior, with the weights that it gives to cells and classes."""

    prior: Prior
    cells: CellWeights
    classes: FloatArray


def prior_weights(
    prior: Prior | Auto, class_prior: object, statistics: Statistics, instances: Instances
) -> PriorWeights:
    """The weights that a prior gives; an automatic one is chosen first."""

    def applied(settled: Prior) -> PriorWeights:
        classes = resolve_class_prior(class_prior, settled, statistics.labels.tolist())
        cells = cell_weights(settled, statistics.discrete, instances, statistics.n_classes)
        return PriorWeights(settled, cells, classes)

    if isinstance(prior, Auto):
        prior = prior.chosen(lambda weight: counts_evidence(statistics, applied(Dirichlet(weight))))
    return applied(prior)


def counts_evidence(statistics: Statistics, weights: PriorWeights) -> float:
    """The log marginal likelihood of classes and discrete values (Kontkanen et al. 1998, eq. 8)."""
    classes = log_marginal(statistics.class_counts, weights.classes)
    return float(classes) + float(log_marginals(statistics.discrete, weights.cells.cells).sum())
