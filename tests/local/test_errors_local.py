"""What locally weighted regression and classification refuse: the call, the exception and a telling word."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from priorcase.exceptions import (
    NotAvailableError,
    NumericRangeError,
    ParameterError,
    PriorcaseError,
    TargetError,
    TooFewRowsError,
)
from priorcase.local import (
    LocalLinear,
    LocalLogistic,
    LocallyWeightedClassifier,
    LocallyWeightedRegressor,
    LocalNaiveBayes,
)
from priorcase.similarity import Tricube

X = np.arange(12.0).reshape(6, 2) ** 2
Y = np.array([1.0, 2.0, 4.0, 3.0, 5.0, 9.0])
CLASSES = ["a", "a", "b", "a", "b", "b"]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be"),
        ({"n_neighbors": True}, "n_neighbors must be"),
        ({"n_neighbors": np.float64(3)}, "n_neighbors must be"),
        ({"degree": 3}, "degree"),
        ({"degree": True}, "degree"),
        ({"kernel": "tricubic"}, "[Dd]id you mean 'tricube'"),
        ({"kernel": len}, "kernel"),
        ({"kernel": Tricube}, "kernel must be a name or an instance"),
        ({"bandwidth": 0}, "bandwidth must be"),
        ({"bandwidth": np.inf}, "bandwidth must be"),
        ({"bandwidth": np.float32("nan")}, "bandwidth must be"),
        ({"bandwidth": "lo"}, "bandwidth must be"),
        ({"span": 0.0}, "span must be"),
        ({"span": 1e308}, "span must be"),
        ({"span": np.float64(1e308)}, "span must be"),
        ({"span": 10**400}, "span must be"),
        ({"span": 0.5, "n_neighbors": 3}, "n_neighbors must be None with span"),
        ({"span": 0.5, "bandwidth": 1.0}, "bandwidth must be None with span"),
        ({"bandwidth": "query", "n_neighbors": 4}, "n_neighbors must be None with bandwidth='query'"),
        ({"bandwidth": "loo", "n_neighbors": "loo"}, "with bandwidth='loo'"),
        ({"ridge": -0.1}, "ridge"),
        ({"ridge": 0.1, "degree": 0}, r"ridge must be 0\.0 with degree=0"),
        ({"rcond": 1.0}, "rcond"),
        ({"robust": -1}, "robust must be"),
        ({"solver": "newton"}, "solver must be"),
        ({"learning_rate": 0}, "learning_rate must be"),
        ({"max_steps": 0}, "max_steps must be"),
        ({"tol": 1.0}, "tol must be"),
        ({"algorithm": "bogus"}, "algorithm must be a str among {'auto', 'plain', 'scan', 'tree'}"),
    ],
    ids=str,
)
def test_parameters_of_the_regressor(parameters: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words) as caught:
        LocallyWeightedRegressor(**parameters).fit(X, Y)
    assert str(caught.value).startswith("LocallyWeightedRegressor.fit: ")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"model": "tree"}, "model must be"),
        ({"model": LocalLogistic}, "model must be"),
        ({"bandwidth": "query"}, "bandwidth must be"),
        ({"bandwidth": float("nan")}, "bandwidth must be"),
        ({"prior": -1}, "prior must be"),
        ({"prior": "laplace"}, "prior must be"),
        ({"prior": 1e308}, "prior must be"),  # the sum over classes would be infinite and all probabilities 0
        ({"prior": np.float64("inf")}, "prior must be"),
        ({"prior": [1.0, 2.0]}, "prior must be"),
        ({"prior": np.ones(2)}, "prior must be"),
        ({"n_neighbors": 0}, "n_neighbors must be"),
        ({"kernel": "cosine"}, "kernel"),
    ],
    ids=str,
)
def test_parameters_of_the_classifier(parameters: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words) as caught:
        LocallyWeightedClassifier(**parameters).fit(X, CLASSES)
    assert str(caught.value).startswith("LocallyWeightedClassifier.fit: ")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: LocalNaiveBayes(prior=0), "prior"),
        (lambda: LocalNaiveBayes(prior=np.float64(1e308)), "prior"),
        (lambda: LocalNaiveBayes(numeric="kernel"), "numeric"),  # type: ignore[arg-type]
        (lambda: LocalLogistic(ridge=0.0), "ridge"),
        (lambda: LocalLogistic(max_iter=0), "max_iter"),
        (lambda: LocalLinear(degree=3), "degree"),
        (lambda: LocalLinear(degree=0, ridge=1.0), "ridge"),
    ],
)
def test_options_of_the_models(make: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        make()


def regressor(*args: Any, y: Any = Y, **kwargs: Any) -> LocallyWeightedRegressor:
    return LocallyWeightedRegressor(*args, **kwargs).fit(X, y)


def classifier(*args: Any, y: Any = CLASSES, **kwargs: Any) -> LocallyWeightedClassifier:
    return LocallyWeightedClassifier(*args, **kwargs).fit(X, y)


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda: regressor(3).confidence_interval(X, level=95), ParameterError, "level must be"),
        (lambda: regressor(3).predict_interval(X, level=np.nan), ParameterError, "level must be"),
        (lambda: regressor(3).precedents(X, target=1), ParameterError, "target must be"),
        (lambda: regressor(3, y=np.stack([Y, Y], axis=1)).precedents(X, target=2), ParameterError, "target must be"),
        (lambda: regressor(bandwidth="query").kneighbors(X), ParameterError, "n_neighbors"),
        (lambda: regressor(bandwidth="query").n_neighbors_, NotAvailableError, "each query has its own number"),
        (lambda: regressor(3).bandwidth_, NotAvailableError, "only if bandwidth is a number or 'loo'"),
        (lambda: regressor(3).loo_curve_, NotAvailableError, "n_neighbors=3"),
        (lambda: regressor(span=0.5).loo_curve_, NotAvailableError, "span=0.5"),
        (lambda: regressor(7).predict(X), TooFewRowsError, "Expected n_neighbors <= n_samples_fit"),
        (lambda: regressor(6).loo_predict(), TooFewRowsError, "Expected n_neighbors < n_samples_fit"),
        (lambda: regressor(3).loo_predict(relearn="yes"), ParameterError, "relearn"),  # type: ignore[arg-type]
        (lambda: regressor(distance="mvdm"), PriorcaseError, "class"),
        (lambda: regressor(y=[*Y[:5], np.nan]), TargetError, "Input y contains NaN"),
        (lambda: regressor(y=[*Y[:5], np.inf]), TargetError, "Input y contains infinity"),
        (lambda: regressor(y=CLASSES), TargetError, "got text"),
        (lambda: regressor(y=Y * 1e307), NumericRangeError, r"1e\+100"),
        (lambda: regressor(3).partial_fit(X, Y * 1e200), NumericRangeError, r"1e\+100"),
        (lambda: classifier(algorithm="bogus"), ParameterError, "algorithm must be"),
        (lambda: classifier(model=3), ParameterError, "or an instance of LocalLinear, got 3"),
        (lambda: regressor(3).partial_fit(X, np.stack([Y, Y], axis=1)), TargetError, "2"),
        (lambda: classifier(3).bandwidth_, NotAvailableError, "only if bandwidth is a number or 'loo'"),
        (lambda: classifier(3).loo_curve_, NotAvailableError, "n_neighbors=3"),
        (lambda: classifier(7).predict(X), TooFewRowsError, "Expected n_neighbors <= n_samples_fit"),
        (lambda: classifier(6).loo_predict_proba(), TooFewRowsError, "Expected n_neighbors < n_samples_fit"),
        (lambda: classifier(y=[[0, 1]] * 6), TargetError, "2 columns"),
        (lambda: classifier(y=[0.0, 1.0, np.nan, 0.0, 1.0, 1.0]), TargetError, "missing|NaN"),
    ],
)
def test_questions(ask: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        ask()
    assert str(caught.value).startswith("LocallyWeighted")


def test_the_largest_targets_are_predicted() -> None:
    model = LocallyWeightedRegressor(4, degree=0).fit(X, Y * 1e99)
    np.testing.assert_allclose(model.predict(X), LocallyWeightedRegressor(4, degree=0).fit(X, Y).predict(X) * 1e99)
    assert np.isfinite(model.predict_interval(X)).all()


def test_no_rows_to_predict_from() -> None:
    model = LocallyWeightedRegressor().fit(X[:1], Y[:1])
    assert model.predict(X).tolist() == [1.0] * 6
    with pytest.raises(TooFewRowsError, match="at least two rows"):
        model.loo_residuals()
    model.forget([0])
    for ask in (model.predict, model.coefficients, model.precedents, model.predict_interval):
        with pytest.raises(TooFewRowsError, match="forgotten"):
            ask(X)
    for check in (model.hat_values, model.loo_residuals, model.loo_predict):
        with pytest.raises(TooFewRowsError, match="forgotten"):
            check()


@pytest.mark.parametrize("robust", [0, 2])
def test_more_neighbors_than_rows_until_rows_are_added(robust: int) -> None:
    model = LocallyWeightedRegressor(7, robust=robust).fit(X, Y)
    with pytest.raises(TooFewRowsError, match="n_neighbors = 7"):
        model.predict(X)
    assert model.partial_fit(X, Y).predict(X).shape == (6,)


def test_the_largest_span_is_a_global_fit() -> None:
    rows = X * 1e200
    whole = LocallyWeightedRegressor("all", kernel="uniform", distance="manhattan").fit(rows, Y)
    np.testing.assert_allclose(
        LocallyWeightedRegressor(span=1e100, distance="manhattan").fit(rows, Y).predict(rows), whole.predict(rows)
    )
