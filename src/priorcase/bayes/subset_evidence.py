"""Whether an attribute depends on the class: the marginal likelihoods of its values if it does, and if it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import expit

from priorcase._typing import AnyArray, FloatArray, IdArray
from priorcase.bayes.memory import BayesMemory, Discrete, Statistics
from priorcase.bayes.numeric import Numeric, Student
from priorcase.bayes.predictive import log_marginal
from priorcase.bayes.priors import (
    Auto,
    CellWeights,
    Dirichlet,
    Prior,
    PriorWeights,
    cell_weights,
    log_marginals,
    prior_weights,
)
from priorcase.instances import Instances
from priorcase.learning.labels import Labelling
from priorcase.schema import Numeric as NumericKind

# Smaller weights would leave distances that are mere rounding errors.
MIN_WEIGHT = 1e-12

# Only the order of the classes matters here, and any objects can be ordered as text.
_LABELLING = Labelling(flat=True, sort="text", batches=((0, np.dtype(object)),))


@dataclass(frozen=True, eq=False)
class SubsetWeights:
    """A prior applied to the counts: weights by class for attributes that matter, and pooled for those that do not."""

    own: PriorWeights
    pooled: CellWeights


@dataclass(frozen=True, eq=False)
class SubsetEvidence:
    """For each attribute the log marginal likelihood of its values, in schema order.

    ``inclusion`` is the prior probability that it matters; ``included`` is the log marginal likelihood if it does, each
    class having a distribution of its own, and ``excluded`` if it does not.
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
        """The log of the marginal likelihood of the attribute's values, summed over both cases."""
        with np.errstate(divide="ignore"):
            return np.logaddexp(np.log(self.inclusion) + self.included, np.log1p(-self.inclusion) + self.excluded)


def prior_odds(inclusion: FloatArray) -> FloatArray:
    """Log-odds of probabilities; infinite at 0 and 1."""
    with np.errstate(divide="ignore"):
        return np.log(inclusion) - np.log1p(-inclusion)


def pooled(discrete: Discrete) -> Discrete:
    """The counts with all classes joined into one."""
    return replace(discrete, counts=discrete.counts.sum(axis=1, keepdims=True))


def subset_weights(
    prior: Prior | Auto, class_prior: object, inclusion: FloatArray, statistics: Statistics, instances: Instances
) -> SubsetWeights:
    """The weights of a prior; ``Auto`` chooses the weight with the largest marginal likelihood over all subsets.

    Attributes that do not matter are weighted as if there were one class only: the same weight for each value, but
    ``s / n`` under ``BDeu(s)``, which distributes its rows. Weights given by class and value are averaged over classes.
    """

    def applied(settled: Prior) -> SubsetWeights:
        own = prior_weights(settled, class_prior, statistics, instances)
        if settled.symmetric(statistics.discrete.sizes, 1) is not None:
            return SubsetWeights(own, cell_weights(settled, statistics.discrete, instances, 1))
        means = own.cells.cells.mean(axis=1, keepdims=True)
        return SubsetWeights(own, CellWeights(means, means, own.cells.unseen))

    def total(weight: float) -> float:
        weights = applied(Dirichlet(weight))
        classes = log_marginal(statistics.class_counts, weights.own.classes)
        included, excluded = discrete_evidence(statistics.discrete, weights)
        discrete = SubsetEvidence(inclusion[list(statistics.discrete.attributes)], included, excluded)
        return float(classes) + float(discrete.log_totals.sum())

    return applied(prior.chosen(total) if isinstance(prior, Auto) else prior)


def discrete_evidence(
    discrete: Discrete, weights: SubsetWeights, *, widened: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Log marginal likelihoods of the discrete attributes if they matter, and if they do not.

    With ``widened`` every attribute has one more value, which no row has.
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


class RelevanceWeights(BayesMemory):
    """Attribute weights for distances: the ``relevance_`` of a `SubsetAveragedBayes` with default parameters.

    The weights follow the rows of another learner, which reports rows that it adds and removes. Weights below 1e-12
    are 0. Where no weight is left, all attributes have the same weight.
    """

    def __init__(self, instances: Instances, *, owner: str, threads: int = 1) -> None:
        numeric = [Student() if isinstance(kind, NumericKind) else None for kind in instances.schema.kinds]
        super().__init__(instances, owner=owner, numeric=numeric, missing_counts=False, threads=threads)

    @property
    def weights(self) -> FloatArray:
        """One weight for each attribute, from the rows stored now."""
        return self.cached("relevance", self._weights)

    def _weights(self) -> FloatArray:
        if not len(self):
            return np.ones(len(self.numeric))
        statistics, inclusion = self.statistics(_LABELLING, self.threads), np.full(len(self.numeric), 0.5)
        weights = subset_weights(Dirichlet(1.0), None, inclusion, statistics, self.instances)
        relevance = subset_evidence(statistics, weights, self.numeric, inclusion).relevance
        kept = np.where(relevance < MIN_WEIGHT, 0.0, relevance)
        return kept if kept.any() else np.ones(kept.size)

    def follow(self, ids: IdArray) -> None:
        """Rows were added."""
        self._added(ids)

    def follow_removal(self, rows: tuple[list[AnyArray], list[AnyArray], FloatArray | None]) -> None:
        """Rows, looked up before, were removed."""
        self._cache.clear()
        if len(self.instances):
            self._count(self._counts, self._sums, *rows, sign=-1)
        else:
            self._counts = self._sums = None
