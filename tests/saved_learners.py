"""Every learner of the library, in the makes that its own tests check."""

from __future__ import annotations

from typing import Any

import numpy as np

import priorcase as pc
from priorcase.evaluation.conformal import ConformalClassifier, ConformalRegressor
from tests import test_estimator_checks
from tests.concepts import test_concepts_checks, test_pebls_checks
from tests.local import test_local_checks

REDUCERS = [
    pc.CNN(),
    pc.RNN(),
    pc.ENN(),
    pc.RENN(),
    pc.AllKNN(),
    pc.DROP1(),
    pc.DROP2(),
    pc.DROP3(),
    pc.DROP4(),
    pc.DROP5(),
    pc.ICF(),
]
LEARNERS = [
    *test_estimator_checks.ESTIMATORS,
    *test_concepts_checks.LEARNERS,
    *test_local_checks.LEARNERS,
    *test_pebls_checks.ESTIMATORS,
    *REDUCERS,
    pc.SubsetAveragedBayes(),
    pc.AttributeSelector(pc.KNNClassifier()),
    pc.AttributeSelector(search="brace"),
    ConformalClassifier(pc.KNNClassifier(3)),
    ConformalRegressor(pc.KNNRegressor(3)),
    pc.MixtureModel(2, n_init=1, random_state=np.random.RandomState(7)),
    pc.KNNClassifier(distance=pc.Distance(nominal=pc.similarity.Overlap()), schema={"age": pc.Numeric()}),
]


def name_of(learner: Any) -> str:
    """The class of a learner in one word."""
    return type(learner).__name__
