"""One additive model that answers like the average over all subsets of the attributes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from priorcase._typing import FloatArray
from priorcase.bayes.additive import AdditiveModel, Density, mixed
from priorcase.bayes.numeric import Numeric
from priorcase.bayes.shares import log_shares
from priorcase.bayes.statistics import Statistics
from priorcase.bayes.student import Student
from priorcase.bayes.subset_evidence import SubsetEvidence, SubsetWeights, discrete_evidence, pooled, prior_odds
from priorcase.bayes.tables import Estimates, class_cells, value_table, with_gaps
from priorcase.bayes.zeros import KeepZeros

EVIDENCE = Estimates("evidence", KeepZeros())


def subset_model(
    statistics: Statistics, weights: SubsetWeights, evidence: SubsetEvidence, numeric: Sequence[Numeric | None]
) -> AdditiveModel:
    """The average over all subsets: ``a_k prod_i [r_i phi_ki + (1 - r_i) psi_i]``."""
    classes = log_shares(class_cells(statistics.class_counts, weights.own.classes), "evidence", EVIDENCE.policy)
    densities = {}
    for a, strategy in enumerate(numeric):
        if isinstance(strategy, Student):
            moments = statistics.moments[a]
            own = strategy.parameters(moments)[statistics.codes]
            densities[a] = Density(own, False, strategy.parameters_pooled(moments), float(evidence.log_odds[a]))
    return AdditiveModel(classes, statistics.discrete, _value_table(statistics, weights, evidence), densities)


def _value_table(statistics: Statistics, weights: SubsetWeights, evidence: SubsetEvidence) -> FloatArray:
    """What each cell adds to the joint log of each class.

    A value never seen is answered as if it had been declared, and an attribute with one more value has another
    posterior probability to matter: for these cells everything is that of the wider attribute.
    """
    discrete = statistics.discrete
    attributes = list(discrete.attributes)
    included, excluded = discrete_evidence(discrete, weights, widened=True)
    wide = prior_odds(evidence.inclusion[attributes]) + (included - excluded)
    odds = np.where(discrete.inside, evidence.log_odds[attributes][discrete.of], wide[discrete.of])
    own = value_table(discrete, weights.own.cells, EVIDENCE)
    rest = value_table(pooled(discrete), weights.pooled, EVIDENCE)
    table = mixed(odds[:, np.newaxis], own, rest)
    return with_gaps(table, discrete, table[discrete.unseen])
