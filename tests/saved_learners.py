"""Every learner of the library, in the makes that its own tests check."""

from __future__ import annotations

from typing import Any

import numpy as np

import priorcase as pc
from priorcase.evaluation.conformal import ConformalClassifier, ConformalRegressor
from tests import test_contract

LEARNERS = [
    *test_contract.LEARNERS,
    *test_contract.SETTINGS,
    *test_contract.REDUCERS,
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
