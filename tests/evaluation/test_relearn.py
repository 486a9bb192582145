"""Leave-one-out with ``relearn=True`` is a refit without each row, for every learner, also if the row sets a range."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import priorcase as pc
from priorcase.local import LocalNaiveBayes

N = 18
CLASSIFIERS = [
    pc.KNNClassifier(3, vote="inverse_square"),
    pc.KNNClassifier("loo", distance="hvdm", vote="gaussian"),
    pc.KNNClassifierCV({"n_neighbors": (1, 3)}),
    pc.LocallyWeightedClassifier(8, model="naive_bayes"),
    pc.LocallyWeightedClassifier("all", model=LocalNaiveBayes(numeric="gaussian"), kernel="gaussian", bandwidth=0.4),
    pc.LocallyWeightedClassifier(10, model="linear"),
    pc.RBFNetworkClassifier(4),
    pc.NaiveBayes(),
    pc.NaiveBayes(numeric="kmeans", prior="auto"),
    pc.NaiveBayes("map", numeric="equal_width"),
    pc.SubsetAveragedBayes(inclusion=0.5),
    pc.TreeAveragedBayes(numeric="equal_frequency"),
    pc.TreeAugmentedBayes("auto", numeric="kmeans"),
    pc.SuperParentAveragedBayes(),
    pc.AODE(numeric="kmeans"),
]
REGRESSORS = [
    pc.KNNRegressor(3, vote="inverse_square"),
    pc.KNNRegressor(3, attribute_weights="relief"),
    pc.KNNRegressorCV({"n_neighbors": (1, 3)}),
    pc.LocallyWeightedRegressor(8, degree=0),
    pc.LocallyWeightedRegressor(bandwidth=0.6, ridge=0.5, robust=1),
    pc.RBFNetworkRegressor(4, width=1.0, alpha=0.3),
]


def table() -> tuple[pd.DataFrame, list[str], list[float]]:
    """Rows of which one alone sets the range of a column, and one has a value of its own."""
    rng = np.random.default_rng(11)
    X = pd.DataFrame({"size": rng.normal(size=N).round(2), "weight": rng.integers(0, 9, N).astype(float)})
    X["colour"] = rng.choice(["red", "blue"], N)
    X.loc[2, "size"], X.loc[5, "weight"], X.loc[7, "colour"] = 9.0, 40.0, "green"
    X.loc[9, "weight"] = np.nan
    truth = np.where((X["size"] > 0) ^ (rng.random(N) < 0.15), "yes", "no")
    return X, truth.tolist(), (X["size"].clip(-3, 3) + rng.normal(size=N) / 3).tolist()


@pytest.mark.filterwarnings("ignore::priorcase.exceptions.FarQueryWarning")
@pytest.mark.filterwarnings("ignore::priorcase.exceptions.UninformativeColumnWarning")
@pytest.mark.parametrize("learner", [*CLASSIFIERS, *REGRESSORS], ids=str)
def test_relearning_is_refitting_without_each_row(learner: Any) -> None:
    X, labels, numbers = table()
    classifies = hasattr(learner, "predict_proba")
    y = labels if classifies else numbers
    ask, left_out = ("predict_proba", "loo_predict_proba") if classifies else ("predict", "loo_predict")
    expected = []
    for i in range(N):
        rest = [j for j in range(N) if j != i]
        with warnings.catch_warnings():  # the row with a value of its own is a query with an unseen value
            warnings.simplefilter("ignore")
            model = clone(learner).fit(X.iloc[rest], [y[j] for j in rest])
            expected.append(getattr(model, ask)(X.iloc[[i]])[0])
    full = clone(learner).fit(X, y)
    np.testing.assert_allclose(getattr(full, left_out)(relearn=True), expected, rtol=1e-9, atol=1e-12)
    held = getattr(full, left_out)()
    assert not np.allclose(held, expected, rtol=1e-9, atol=1e-12)  # something was held fixed, as the docstring says
