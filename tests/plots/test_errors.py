"""What cannot be drawn is refused, with a message that says why."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import priorcase as pc
from priorcase.exceptions import ParameterError, TargetError
from priorcase.plots import (
    ConceptDisplay,
    DecisionSurface,
    LeaveOneOutDisplay,
    LocalFitDisplay,
    PrecedentsDisplay,
    TreePosterior,
    VoronoiCells,
    WeightsDisplay,
)
from priorcase.relevance import LeaveOneOutWeights

RNG = np.random.default_rng(0)
N = 40
X = RNG.uniform(size=(N, 2))
Y = np.where(X[:, 0] > 0.5, "plus", "minus")
SUMS = X.sum(axis=1)
BOTH = np.column_stack([Y, Y])
GAPS = [[1.0, None, "a"], [2.0, None, "b"]]


def knn(y: Any = Y, rows: Any = X, **options: Any) -> Any:
    return pc.KNNClassifier(1, **options).fit(rows, y)


def line() -> Any:
    return pc.LocallyWeightedRegressor(5).fit(X[:, :1], SUMS)


def weighted() -> Any:
    return knn(attribute_weights="relief")


def ib3() -> Any:
    return pc.IB3(random_state=0).fit(X, Y)


def trees() -> Any:
    return TreePosterior.of(pc.TreeAveragedBayes().fit(X, Y))


surface, cells, concept, fit = DecisionSurface.of, VoronoiCells.of, ConceptDisplay.of, LocalFitDisplay.of
precedents, weights, scores = PrecedentsDisplay.of, WeightsDisplay.of, LeaveOneOutDisplay.of

MISTAKES: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: surface(knn(), X, resolution=1), ParameterError, "resolution"),
    (lambda: surface(knn(), X, proba="yes"), ParameterError, "proba"),
    (lambda: surface(knn(), X, columns=(0,)), ParameterError, "two columns"),
    (lambda: surface(knn(), X, columns=(0, "age")), ParameterError, "'age', which is not a column"),
    (lambda: surface(knn(), X, columns=(1, 1)), ParameterError, "the same column"),
    (lambda: surface(knn(rows=X[:, :1]), X[:, :1]), ParameterError, "LocalFitDisplay"),
    (lambda: surface(knn(), np.empty((0, 2))), ParameterError, "at least one row"),
    (lambda: surface(knn(["u", "v"], GAPS), GAPS, columns=(0, 1)), ParameterError, "missing in every row"),
    (lambda: surface(knn(), X, Y[1:]), TargetError, "X has 40 and y has 39"),
    (lambda: surface(knn(), X, BOTH), TargetError, "several target columns"),
    (lambda: surface(knn(BOTH), X), TargetError, "several target columns"),
    (lambda: cells(np.column_stack([X, X]), Y), ParameterError, "two numeric columns"),
    (lambda: cells([[1.0, "a"], [2.0, "b"]], [0, 1]), ParameterError, "two numeric columns"),
    (lambda: cells([[1.0, np.nan], [2.0, 1.0]], [0, 1]), ParameterError, "without missing values"),
    (lambda: cells(knn(rows=X[:, :1])), ParameterError, "two numeric columns"),
    (lambda: cells(knn(), Y), ParameterError, "None if a model is passed"),
    (lambda: cells(X), ParameterError, "target of each row"),
    (lambda: cells(X, Y[1:]), TargetError, "X has 40 and y has 39"),
    (lambda: cells(pc.NaiveBayes().fit(X, Y)), ParameterError, "must predict from stored rows"),
    (lambda: cells(knn(distance="manhattan")), ParameterError, "Euclidean"),
    (lambda: cells(knn(attribute_weights=[1.0, 0.0])), ParameterError, "weights above 0"),
    (lambda: cells(knn(attribute_weights=LeaveOneOutWeights(local=True))), ParameterError, "everywhere"),
    (lambda: cells(pc.IB4(random_state=0).fit(X, Y)), ParameterError, "one description for all classes"),
    (lambda: cells(knn(BOTH)), TargetError, "several target columns"),
    (lambda: concept(knn()), ParameterError, "concept learner"),
    (lambda: concept(ib3(), X), ParameterError, "passed together"),
    (lambda: concept(ib3(), X[1:], Y[1:]), ParameterError, "40 rows that were learned, got 39 rows"),
    (lambda: concept(ib3(), X, Y[1:]), TargetError, "X has 40 and y has 39"),
    (lambda: concept(ib3(), concept="plus"), ParameterError, "share a description"),
    (lambda: concept(pc.IB4(random_state=0).fit(X, Y)), ParameterError, "'minus'"),
    (lambda: fit(line(), level=1.0), ParameterError, "level"),
    (lambda: fit(line(), resolution=1), ParameterError, "resolution"),
    (lambda: fit(line(), X[:, :1]), ParameterError, "passed together"),
    (lambda: fit(line(), column="size"), ParameterError, "'size', which is not a column"),
    (lambda: fit(line(), at=N), ParameterError, "from 0 to 39"),
    (lambda: fit(line(), X[:, :1], SUMS[1:]), TargetError, "X has 40 and y has 39"),
    (lambda: fit(knn()), ParameterError, "regressor"),
    (lambda: fit(LinearRegression().fit(X, SUMS)), ParameterError, "must predict from stored rows"),
    (lambda: fit(line(), X[:, :1], X), TargetError, "several target columns"),
    (lambda: fit(pc.KNNRegressor(2).fit(X, X), X, SUMS), TargetError, "several target columns"),
    (lambda: precedents(knn(), X, most=0), ParameterError, "most"),
    (lambda: precedents(knn().precedents(X), X), ParameterError, "None if precedents are passed"),
    (lambda: precedents(knn()), ParameterError, "X=None"),
    (lambda: precedents(LinearRegression(), X), ParameterError, "precedents"),
    (lambda: precedents(knn(), X[:2], query=7), IndexError, "7"),
    (lambda: weights(LinearRegression()), ParameterError, "attribute weights"),
    (lambda: weights(weighted(), X, Y, bootstrap=1), ParameterError, "bootstrap"),
    (lambda: weights(weighted(), bootstrap=5), ParameterError, "without a model, X and y"),
    (lambda: weights(weighted().attribute_weights_, X, Y, bootstrap=5), ParameterError, "without a model, X and y"),
    (lambda: weights(weighted(), level=2), ParameterError, "level"),
    (lambda: scores(knn()), ParameterError, "leave-one-out"),
    (lambda: scores(LinearRegression()), ParameterError, "leave-one-out"),
    (lambda: TreePosterior.of(pc.NaiveBayes().fit(X, Y)), ParameterError, "edges"),
    (lambda: trees().plot(kind="graph"), ParameterError, "kind"),
    (lambda: weighted().attribute_weights_.plot(ax=5), ParameterError, "a matplotlib Axes, got 5"),
]


@pytest.mark.parametrize(("call", "error", "words"), MISTAKES)
def test_what_cannot_be_drawn_is_refused(call: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=re.escape(words)) as caught:
        call()
    assert "\n" not in str(caught.value)
