"""Losses of left-out rows are those of fits without them."""

from __future__ import annotations

import numpy as np

from priorcase.neighbors import KNNRegressor
from priorcase.selection import AttributeSelector


def test_kernels_reach_to_the_next_neighbor() -> None:
    X, y = np.random.default_rng(3).random((30, 1)), np.random.default_rng(4).random(30)
    model = KNNRegressor(3, vote="tricube", distance="euclidean")
    others = [np.arange(30) != row for row in range(30)]
    errors = [float(model.fit(X[at], y[at]).predict(X[~at])[0] - y[~at][0]) ** 2 for at in others]
    history = AttributeSelector(model, n_features=1).fit(X, y).history_
    np.testing.assert_allclose(history.scores, [np.mean(errors)], rtol=1e-12)
