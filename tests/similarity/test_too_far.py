"""Numbers so large that distances overflow cannot be told apart: an error, never an answer by id."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import priorcase as pc
from priorcase.exceptions import NumericRangeError
from priorcase.neighbors import KNNClassifier, KNNRegressor, KNNTransformer
from priorcase.similarity import Distance

X, Y = [[0.0], [1.0], [2.0]], [10, 20, 30]
FAR = [[1.0], [1e200]]
WORDS = r"query 1 .*row 0"


@pytest.mark.parametrize("algorithm", ["auto", "plain"])
@pytest.mark.parametrize(
    "model", [KNNRegressor(1), KNNClassifier(1), KNNRegressor("all"), KNNRegressor(1, vote="tricube")]
)
def test_overflow_is_refused(model: Any, algorithm: Any) -> None:
    model = clone(model).set_params(algorithm=algorithm).fit(X, Y)
    for ask in (model.predict, model.precedents, lambda queries: model.kneighbors(queries, 2)):
        with pytest.raises(NumericRangeError, match=WORDS):
            ask(FAR)
    assert model.predict([[1e150]]).shape == (1,)


def test_overflow_of_weighted_rows_is_refused() -> None:
    model = KNNRegressor(2).fit(X, Y, sample_weight=[1, 2, 3])
    with pytest.raises(NumericRangeError, match=WORDS):
        model.predict(FAR)


def test_rows_that_are_not_needed_may_be_too_far() -> None:
    model = KNNRegressor(1, distance="euclidean").fit([[0.0], [1.0], [1e200]], Y, sample_weight=[3, 1, 1])
    assert model.predict([[0.1]]).tolist() == [10.0]
    with pytest.raises(NumericRangeError, match=r"row 2"):
        model.kneighbors([[0.1]], 3)
    kernel = KNNRegressor(2, distance="euclidean", vote="tricube").fit([[0.0], [1.0], [1e200]], Y)
    with pytest.raises(NumericRangeError, match=r"row 2"):  # the bandwidth is the third's distance
        kernel.predict([[0.1]])


def test_overflow_between_stored_rows_is_refused() -> None:
    rows = [[0.0], [1.0], [1e200]]
    with pytest.raises(NumericRangeError, match="so large"):
        KNNTransformer(2, distance="euclidean").fit_transform(rows)
    with pytest.raises(NumericRangeError, match="so large"):
        KNNRegressor("loo", distance="euclidean").fit(rows, Y).predict(rows)


def test_rows_without_a_known_value_in_common_are_infinitely_far_by_rule() -> None:
    model = KNNRegressor(2, distance=Distance(missing="skip"), schema=None)
    model.fit([[1.0, None], [None, 2.0], [None, 3.0]], Y)
    assert model.kneighbors([[1.0, None]], 2)[0].tolist() == [[0.0, np.inf]]
    assert np.isfinite(model.predict([[1.0, None]])).all()
    with pytest.raises(NumericRangeError, match=r"query 0 .*row 1"):
        model.predict([[None, 1e200]])


@pytest.mark.parametrize(
    "fit",
    [
        lambda rows, y: KNNClassifier(1, distance="euclidean").fit(rows, y).predict([[5e200]]),
        lambda rows, y: pc.IB1(distance="euclidean").fit(rows, y).predict([[5e200]]),
        lambda rows, y: pc.reduction.ENN(1, distance="euclidean").fit(rows, y),
        lambda rows, y: pc.AttributeSelector(KNNClassifier(3, distance="euclidean")).fit(rows, y),
    ],
)
def test_all_learners_refuse_overflow_in_the_same_words(fit: Any) -> None:
    with pytest.raises(NumericRangeError, match=r"so large that .* is infinite in float64"):
        fit([[0.0], [1.0], [1e200], [-1e200]], ["a", "b", "a", "b"])
