"""Every learner of the library, in a few settings each, for tests that save and load them."""

from __future__ import annotations

from typing import Any

import numpy as np

import priorcase as pc
from priorcase.bayes import Laplace, Student
from priorcase.evaluation import ConformalClassifier, ConformalRegressor
from priorcase.local import LocalLogistic, LocalNaiveBayes
from priorcase.neighbors import KNNClassifierCV, KNNRegressorCV
from priorcase.similarity import Absolute, Overlap, Tricube

DISTANCE = pc.Distance(nominal=Overlap(), attributes={"age": Absolute("std")})

LEARNERS: list[Any] = [
    pc.StackedClassifier([pc.KNNClassifier(3), pc.NaiveBayes()], random_state=np.random.RandomState(1)),
    pc.StackedRegressor({"nearest": pc.KNNRegressor(3), "local": pc.LocallyWeightedRegressor(8, ridge=1.0)}, folds=3),
    pc.KNNClassifier(),
    pc.KNNClassifier("loo", ties="nearest", vote="inverse_square"),
    pc.KNNClassifier("all", vote="gaussian", prior=0.5, ties="reduce", distance="hvdm"),
    pc.KNNClassifier(3, attribute_weights="bayes", vote=Tricube()),
    pc.KNNClassifier(attribute_weights="loo", vote="gaussian", prior=0.1, temperature=0.5),
    pc.KNNClassifier(distance=DISTANCE, schema={"age": pc.Numeric()}),
    pc.KNNRegressor("sqrt", vote="tricube", distance="gower", ties="first"),
    pc.KNNRegressor(attribute_weights="relief", vote="gaussian", bandwidth=0.5),
    pc.KNNTransformer(),
    pc.KNNTransformer(mode="connectivity", distance="manhattan", categorical_features=[]),
    KNNClassifierCV({"n_neighbors": (1, 5), "vote": ("uniform", Tricube()), "distance": ("heom", "hvdm")}),
    KNNRegressorCV([{"n_neighbors": [2, 4]}], random_state=np.random.RandomState(2)),
    pc.NaiveBayes(),
    pc.NaiveBayes("map", numeric="gaussian", zero_policy="cap100", missing="value"),
    pc.NaiveBayes("sc", numeric="kernel"),
    pc.NaiveBayes(prior=Laplace(), numeric={"age": Student(), "doors": "mdl"}),
    pc.SubsetAveragedBayes(),
    pc.TreeAveragedBayes(),
    pc.TreeAugmentedBayes("bdeu", numeric="kmeans"),
    pc.SuperParentAveragedBayes("auto"),
    pc.AODE(numeric="equal_frequency"),
    pc.MixtureModel(max_components=3, selection="held_out", n_init=1, random_state=0),
    pc.MixtureModel(2, n_init=1, random_state=np.random.RandomState(7)),
    pc.IB1(),
    pc.IB1(ties="first", distance="heom", window=30),
    pc.IB1(distance="hvdm"),
    pc.IB1(per_class=True, history=True),
    pc.IB2(per_class=True),
    pc.IB2(distance="mvdm", schema={"doors": pc.Nominal(), "age": pc.Nominal()}),
    pc.IB3(random_state=0, decay=0.99, history="replay", distance="hvdm"),
    pc.IB3(random_state=np.random.RandomState(3), shuffle=True),
    pc.IB4(random_state=0, weight_power=1, window=50),
    pc.IB5(random_state=0, missing="scale", history="replay"),
    pc.PEBLS(),
    pc.PEBLS(3, weighting="one_pass", inherit=False, exponent=2, unseen="zero", ties="first"),
    pc.LocallyWeightedRegressor(),
    pc.LocallyWeightedRegressor(bandwidth="query", ridge=0.1),
    pc.LocallyWeightedRegressor(span=0.75, robust=2, distance="manhattan", categorical_features=[]),
    pc.LocallyWeightedClassifier(bandwidth="loo", model=LocalNaiveBayes(numeric="gaussian"), prior=None),
    pc.LocallyWeightedClassifier("all", model=LocalLogistic(0.1), distance="hvdm", kernel="uniform"),
    pc.RBFNetworkRegressor(centers="em"),
    pc.RBFNetworkRegressor(4, random_state=np.random.RandomState(5)),
    pc.RBFNetworkClassifier(centers="stratified", width="neighbors", alpha="loo"),
    pc.AttributeSelector(pc.KNNClassifier()),
    ConformalClassifier(pc.KNNClassifier(3)),
    ConformalClassifier(pc.NaiveBayes(), nonconformity="aps", randomized=True, class_conditional=True),
    ConformalRegressor(pc.LocallyWeightedRegressor(10), nonconformity="scaled", folds=3),
    ConformalRegressor(pc.KNNRegressor(3), method="jackknife+"),
    ConformalRegressor(pc.RBFNetworkRegressor(3), method="cv+", folds=2),
    pc.AttributeSelector(search="brace"),
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


def name_of(learner: Any) -> str:
    """The class of a learner."""
    return type(learner).__name__
