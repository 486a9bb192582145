"""Errors of mixtures and of networks of radial basis functions: the call, the exception, a telling word."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from threadpoolctl import threadpool_info, threadpool_limits  # type: ignore[import-untyped]

from priorcase.bayes import TARGET, MixtureModel
from priorcase.exceptions import (
    NotAvailableError,
    NumericRangeError,
    ParameterError,
    PriorcaseError,
    TargetError,
    TooFewRowsError,
    TooLargeError,
)
from priorcase.local import RBFNetworkClassifier, RBFNetworkRegressor
from priorcase.local.rbf.centers import MAX_CENTERS, gaussian
from priorcase.relevance import LeaveOneOutWeights

X = pd.DataFrame({"x": [0.0, 1.0, 1.5, 5.0, 6.0, 6.5], "size": list("SSMLLM"), "load": [1.0, 2.0, 2.5, 7.0, 8.0, 9.0]})
Y = ["low"] * 3 + ["high"] * 3


# -- mixtures

MIXTURE_PARAMETERS: list[tuple[str, Any]] = [
    ("n_components", 0),
    ("n_components", 2.0),
    ("n_components", True),
    ("n_components", "best"),
    ("n_components", 7),
    ("n_components", np.int64(7)),
    ("max_components", 0),
    ("selection", "bic"),
    ("n_init", 0),
    ("max_iter", 1.5),
    ("tol", -1.0),
    ("tol", "small"),
    ("tol", math.inf),
    ("prior", 0.0),
    ("prior", math.nan),
    ("prior", 1e308),
    ("prior", np.float64(1e308)),
    ("prior", 10**400),
    ("prior", 5e-324),
    ("random_state", "seven"),
    ("n_jobs", 0),
    ("n_jobs", 1.5),
    ("n_jobs", True),
    ("progress", "yes"),
    ("schema", 3),
]


@pytest.mark.parametrize(("name", "value"), MIXTURE_PARAMETERS)
def test_mixture_parameters(name: str, value: Any) -> None:
    with pytest.raises(ParameterError, match=rf"^MixtureModel\.fit: {name} must be "):
        MixtureModel(**{name: value}).fit(X)


@pytest.mark.parametrize("model", [MixtureModel(2, random_state=0), MixtureModel(2, random_state=0, n_jobs=1)])
def test_numpy_scalars_are_parameters(model: MixtureModel) -> None:
    model.set_params(n_components=np.int8(2), prior=np.float32(1.0), tol=np.float64(1e-6), max_iter=np.uint16(200))
    expected = MixtureModel(2, random_state=0).fit(X).history_
    np.testing.assert_array_equal(model.fit(X).history_, expected)


def test_a_huge_max_components_is_capped_by_the_rows() -> None:
    start = time.process_time()
    model = MixtureModel(max_components=10**9, n_init=1, random_state=0).fit(X)
    assert model.selection_.n_components.tolist() == [1, 2, 3, 4, 5, 6]
    with pytest.raises(TooFewRowsError):
        MixtureModel(max_components=10**18).fit(X[:1])
    assert time.process_time() - start < 10.0


MIXTURE_ROWS: list[tuple[Any, Any, Any, type[Exception], str]] = [
    ([[1.0]], None, None, TooFewRowsError, "1 sample, while a minimum of 2 is required"),
    ([[1.0], [2.0]], [["a", "b"], ["b", "a"]], None, TargetError, "2 columns"),
    ([[1.0], [2.0]], [0, 1, 0], None, TargetError, "inconsistent numbers of samples"),
    ([[1.0], [2.0]], None, [0, 0], TargetError, "zero for every row"),
]


@pytest.mark.parametrize(("rows", "y", "weights", "error", "words"), MIXTURE_ROWS)
def test_mixture_rows(rows: Any, y: Any, weights: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        MixtureModel().fit(rows, y, weights)
    assert MixtureModel(2, random_state=0).fit([[1.0]], sample_weight=[2]).n_components_ == 2


MIXTURE_QUESTIONS: list[tuple[str, tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
    ("predict_column", (X, "x"), {"return_proba": True}, ParameterError, "'x' is numeric"),
    ("predict_column", (X, "weight"), {}, ParameterError, "weight"),
    ("predict_column", (X, "size"), {"y": Y}, ParameterError, "fitted without y"),
    ("predict_column", (X, "class"), {}, ParameterError, "fitted without y"),
    ("predict_column", (X, TARGET), {}, ParameterError, "fitted without y"),
    ("predict_joint", (X, ["size", "class"]), {}, ParameterError, "fitted without y"),
    ("predict_joint", (X, ["load"]), {}, ParameterError, "'load' is numeric"),
    ("predict_joint", (X, "size"), {}, ParameterError, "targets"),
    ("predict_joint", (X, []), {}, ParameterError, "targets"),
    ("predict_joint", (X, ["size", 1]), {}, ParameterError, "same column"),
    ("column_values", ("x",), {}, ParameterError, "'x' is numeric"),
    ("sample", (0,), {}, ParameterError, "n_samples must be"),
    ("__getattribute__", ("classes_",), {}, NotAvailableError, "fit with y"),
]


@pytest.mark.parametrize(("method", "arguments", "options", "error", "words"), MIXTURE_QUESTIONS)
def test_mixture_questions(
    method: str, arguments: tuple[Any, ...], options: dict[str, Any], error: type[Exception], words: str
) -> None:
    model = MixtureModel(1).fit(X)
    with pytest.raises(error, match=words) as caught:
        getattr(model, method)(*arguments, **options)
    assert isinstance(caught.value, PriorcaseError)
    assert str(caught.value).startswith("MixtureModel.")


CLASS_QUESTIONS: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("predict_column", (X, "class"), {"y": Y}, "y was passed"),
    ("predict_joint", (X, ["class"]), {"y": Y}, "y was passed"),
    ("predict_column", (X[:1], "size"), {"y": ["tandem"]}, "tandem"),
    ("predict_joint", (X, ["size"]), {"y": ["low"]}, "y has 1"),
    ("score", (X,), {}, "y is required"),
]


@pytest.mark.parametrize(("method", "arguments", "options", "words"), CLASS_QUESTIONS)
def test_mixture_questions_about_classes(
    method: str, arguments: tuple[Any, ...], options: dict[str, Any], words: str
) -> None:
    model = MixtureModel(1).fit(X, Y)
    with pytest.raises(ValueError, match=words):
        getattr(model, method)(*arguments, **options)


def test_an_unfitted_mixture() -> None:
    with pytest.raises(NotFittedError):
        MixtureModel().predict([[1.0]])


# -- networks of radial basis functions

NUMBERS = np.array([0.0, 1.0, 1.5, 5.0, 6.0, 6.5])

RBF_PARAMETERS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"n_centers": 0}, ParameterError, "n_centers must be"),
    ({"n_centers": np.int64(0)}, ParameterError, "n_centers must be"),
    ({"n_centers": True}, ParameterError, "n_centers must be"),
    ({"n_centers": 5, "centers": "all"}, ParameterError, "n_centers must be 'auto' with centers='all'"),
    ({"n_centers": 7}, TooFewRowsError, "n_centers must be at most 6"),
    ({"centers": "kmean"}, ParameterError, "Did you mean 'kmeans'"),
    ({"width": 0.0}, ParameterError, "width must be"),
    ({"width": math.inf}, ParameterError, "width must be"),
    ({"width": "em"}, ParameterError, "needs centers='em'"),
    ({"alpha": -1.0}, ParameterError, "alpha must be"),
    ({"alpha": math.nan}, ParameterError, "alpha must be"),
    ({"alpha": "gvc"}, ParameterError, "Did you mean 'gcv'"),
    ({"alpha": 5e-324}, ParameterError, "alpha must be 0 or from 1e-100"),
    ({"alpha": np.float64(5e-324)}, ParameterError, "alpha must be 0 or from 1e-100"),
    ({"alpha": 1e308}, ParameterError, "alpha must be"),
    ({"random_state": "x"}, ParameterError, "random_state must be"),
    ({"distance": "mvdm"}, ValueError, "class"),
    ({"attribute_weights": LeaveOneOutWeights(local=True)}, ParameterError, "attribute_weights must be the same"),
]


@pytest.mark.parametrize(("parameters", "error", "words"), RBF_PARAMETERS)
def test_network_parameters(parameters: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        RBFNetworkRegressor(**parameters).fit(X, NUMBERS)
    assert str(caught.value).startswith("RBFNetworkRegressor.fit: ")


@pytest.mark.parametrize("alpha", [0.0, 1e-100, 1e100])
@pytest.mark.parametrize("scale", [1e-99, 1.0, 1e99])
def test_networks_at_the_limits_are_finite(alpha: float, scale: float) -> None:
    weights = np.array([1e100, 1e-100, 1.0, 1.0, 1.0, 1.0])
    for sample_weight in (None, weights):
        model = RBFNetworkRegressor(4, alpha=alpha).fit(X, NUMBERS * scale, sample_weight)
        assert np.isfinite(model.predict(X)).all()
        assert not np.isnan(model.loo_curve_.scores).any()


RBF_TARGETS: list[tuple[Any, Any, type[Exception], str]] = [
    (RBFNetworkRegressor(), [math.nan, *NUMBERS[1:]], ValueError, "NaN"),
    (RBFNetworkRegressor(), [1e308, *NUMBERS[1:]], NumericRangeError, "y must not exceed"),
    (RBFNetworkRegressor(), [-1e101, *NUMBERS[1:]], NumericRangeError, "y must not exceed"),
    (RBFNetworkRegressor(), NUMBERS * 1e-200, NumericRangeError, "Multiply y"),
    (RBFNetworkClassifier(), np.column_stack([Y, Y]), TargetError, "2 columns"),
]


@pytest.mark.parametrize(("model", "y", "error", "words"), RBF_TARGETS)
def test_network_targets(model: Any, y: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        model.fit(X, y)


def test_targets_that_are_refused_change_nothing() -> None:
    model = RBFNetworkRegressor(3).fit(X, NUMBERS)
    before = model.predict(X)
    with pytest.raises(NumericRangeError, match=r"^RBFNetworkRegressor\.partial_fit: y must not exceed"):
        model.partial_fit(X[:1], [1e308])
    np.testing.assert_array_equal(model.predict(X), before)
    assert model.n_samples_fit_ == len(X)


def test_too_many_centers() -> None:
    rows = np.arange(float(MAX_CENTERS + 1))[:, None]
    with pytest.raises(TooLargeError, match=f"{MAX_CENTERS + 1} centers"):
        RBFNetworkRegressor(centers="all").fit(rows, rows[:, 0])


def test_networks_leave_the_threads_of_blas_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit would be the whole process's, and slow its other threads down."""
    threads: list[int] = []

    def watched(*arguments: Any) -> Any:
        threads.extend(library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas")
        return gaussian(*arguments)

    monkeypatch.setattr("priorcase.local.rbf.output_layer.gaussian", watched)
    with threadpool_limits(2, "blas"):
        RBFNetworkRegressor(3).fit(X, NUMBERS)
    assert set(threads) == {2}
