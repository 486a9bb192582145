"""Errors of the neighbor estimators: the call, the class of the error, and a telling word of its message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from priorcase import (
    Distance,
    KNNClassifier,
    KNNClassifierCV,
    KNNRegressor,
    KNNRegressorCV,
    KNNTransformer,
    attribute_weights,
    tune,
)
from priorcase.exceptions import (
    NotAvailableError,
    NumericRangeError,
    ParameterError,
    PriorcaseError,
    QueryIndexError,
    TargetError,
    TooFewRowsError,
    UnknownIdError,
)
from priorcase.similarity import ValueTable

X, Y, Z = [[1.0, 2.0], [2.0, 3.0], [4.0, 0.0]], ["a", "b", "b"], [0.5, 1.5, 2.5]
HUGE = 10**400
COLOURS = Distance(nominal=ValueTable(("red", "blue"), [[0, 1], [1, 0]]))


def fit(**parameters: Any) -> Callable[[], object]:
    return lambda: KNNClassifier(**parameters).fit(X, Y)


def fitted(**parameters: Any) -> KNNClassifier:
    return KNNClassifier(**{"n_neighbors": 1, **parameters}).fit(X, Y)


def tuned(**options: Any) -> Callable[[], object]:
    return lambda: tune(KNNClassifier(), X * 30, Y * 30, **options)


CASES: list[tuple[Callable[[], object], type[PriorcaseError], str]] = [
    # parameters
    *((fit(n_neighbors=k), ParameterError, "n_neighbors") for k in (0, 2.0, True, "most", None, np.float64(3), -1)),
    *((fit(vote=vote), ParameterError, "vote must be") for vote in ("loudest", None, 3, Distance)),
    (fit(vote="distance"), ParameterError, "InversePower(1)"),
    (fit(vote="gausian"), ParameterError, "Did you mean 'gaussian'"),
    (fit(ties="random"), ParameterError, "ties"),
    (lambda: KNNRegressor(ties="reduce").fit(X, Z), ParameterError, "ties"),  # type: ignore[arg-type]
    (fit(algorithm="ball_tree"), ParameterError, "algorithm"),
    *((fit(n_jobs=n), ParameterError, "n_jobs") for n in (0, "all", 1.5)),
    *((fit(prior=p), ParameterError, "prior") for p in (-1.0, "flat", HUGE, np.nan, np.inf, [1.0], ["a", "b"])),
    *((fit(prior=p), ParameterError, "1e300") for p in (1e308, np.float64(1e308), [1.0, 1e308])),
    *((fit(temperature=t), ParameterError, "temperature") for t in (0, -1.0, np.nan, np.inf, "hot", np.float64(0))),
    *(
        (fit(vote="gaussian", bandwidth=h), ParameterError, "bandwidth")
        for h in (0, -0.5, np.nan, np.inf, "wide", True)
    ),
    (fit(vote="uniform", bandwidth=2.0), ParameterError, "not a kernel"),
    (fit(attribute_weights=[1, HUGE]), ParameterError, "one number >= 0 for each attribute"),
    (fit(attribute_weights="releif"), ParameterError, "Did you mean 'relief'"),
    (fit(attribute_weights=["a", "b"]), ParameterError, "one number >= 0 for each attribute"),
    *((fit(attribute_weights=w), ParameterError, "2 finite numbers") for w in ([1.0], [0.0, 0.0], [1.0, -1.0])),
    (fit(attribute_weights={"size": 1.0}), ParameterError, "size"),
    (lambda: KNNRegressor(attribute_weights="bayes").fit(X, Z), ParameterError, "column of classes"),
    (fit(schema="numeric"), ParameterError, "schema"),
    (fit(distance="euclidian"), PriorcaseError, "euclidean"),
    (lambda: KNNTransformer(mode="graph").fit(X), ParameterError, "mode"),  # type: ignore[arg-type]
    (lambda: KNNTransformer("sqrt").fit(X), ParameterError, "n_neighbors"),  # type: ignore[arg-type]
    # targets and rows
    (
        lambda: KNNClassifier(distance="vdm").fit([["x"], ["y"]], [[0, 1], [1, 0]]),
        TargetError,
        "several target columns",
    ),
    (lambda: fitted(prior=[1.0, 2.0]).forget([0]), TargetError, "last rows of 'a'"),
    (lambda: KNNClassifier(distance=COLOURS).fit([["green"]], ["a"]), ParameterError, "'green'"),
    (lambda: fitted(distance="euclidean").predict([[1e300, 0.0]]), NumericRangeError, "query 0"),
    (lambda: fitted(distance="euclidean").kneighbors([[1e300, 0.0]], 1), NumericRangeError, "query 0"),
    (lambda: fitted(n_neighbors=4).predict(X), TooFewRowsError, "n_neighbors = 4"),
    (lambda: fitted().kneighbors(X, 4), TooFewRowsError, "n_neighbors = 4"),
    (lambda: fitted().kneighbors(n_neighbors=3), TooFewRowsError, "n_neighbors < n_samples_fit"),
    (lambda: fitted(n_neighbors=3).loo_predict(), TooFewRowsError, "n_neighbors < n_samples_fit"),
    (lambda: KNNTransformer(3).fit_transform(X), TooFewRowsError, "n_samples_fit"),
    (lambda: fitted().forget([0, 1, 2]).predict(X), TooFewRowsError, "forgotten"),
    (lambda: KNNClassifier(1).fit([[1.0]], ["a"]).loo_predict(), TooFewRowsError, "two rows"),
    (lambda: KNNRegressor("loo").fit(X, [1e155, 2e155, 9e155]).predict(X), NumericRangeError, "overflow"),
    (lambda: KNNRegressor("loo").fit(X, [1.7e308, -1.7e308, 1e308]).loo_scores_, NumericRangeError, "overflow"),
    (
        lambda: KNNRegressorCV().fit(X, [1e155, 2e155, 9e155]),
        NumericRangeError,
        "KNNRegressorCV.fit: prediction errors",
    ),
    *(
        (lambda y=y: KNNRegressor(1).fit(X, y), TargetError, f"got {word}")
        for y, word in (
            (np.array(Y), "text"),
            (np.array(Y, dtype="S"), "bytes"),
            (np.array(Z) * 1j, "complex"),
            (np.arange(3).astype("M8[D]"), "dates"),
            (np.arange(3).astype("m8[s]"), "time spans"),
        )
    ),
    # methods
    (lambda: fitted().precedents(X)[5], QueryIndexError, "Precedents.__getitem__: query 5 does not exist"),
    (lambda: fitted().forget([7]), UnknownIdError, "not labels of a pandas index"),
    (lambda: fitted().forget([True, False]), UnknownIdError, "np.flatnonzero(mask)"),
    (lambda: fitted().kneighbors(X, 0), ParameterError, "n_neighbors"),
    (lambda: fitted().precedents(X, "sqrt"), ParameterError, "n_neighbors"),  # type: ignore[arg-type]
    (lambda: fitted().kneighbors_graph(X, 1, "edges"), ParameterError, "mode"),  # type: ignore[arg-type]
    (lambda: fitted().loo_predict(relearn="yes"), ParameterError, "relearn"),  # type: ignore[arg-type]
    (lambda: fitted().loo_scores_, NotAvailableError, "n_neighbors='loo'"),
    (lambda: fitted(vote=lambda d: -d - 1).predict(X), ParameterError, "a negative vote"),
    # tune
    (lambda: tune(LinearRegression(), X, Y), ParameterError, "KNNClassifier"),  # type: ignore[arg-type]
    (tuned(candidates={"n_neighbours": [3]}), ParameterError, "Did you mean 'n_neighbors'"),
    (tuned(candidates={"n_neighbors": 3}), ParameterError, "list of at least one value"),
    (tuned(candidates={"n_neighbors": ["sqrt"]}), ParameterError, "n_neighbors"),
    (tuned(candidates="all"), ParameterError, "a mapping from parameters"),
    (tuned(candidates={"bandwidth": [0.5]}), ParameterError, "kernel"),
    (tuned(candidates={"n_neighbors": [500]}), ParameterError, "90 rows are too few"),
    (tuned(candidates={"temperature": [0.0]}), ParameterError, "temperature"),
    (tuned(scoring="squared_error"), ParameterError, "scoring"),
    (tuned(nested=1), ParameterError, "nested"),
    (lambda: KNNClassifierCV(scoring="f1").fit(X, Y), ParameterError, "KNNClassifierCV.fit: scoring"),
    (lambda: KNNClassifierCV().fit(X, Y[:2]), TargetError, "KNNClassifierCV.fit: "),
    (lambda: KNNClassifierCV("best").fit(X, Y), ParameterError, "KNNClassifierCV.fit: candidates"),
    (lambda: KNNClassifierCV(n_samples=1).fit(X, Y), ParameterError, "n_samples"),
    (lambda: KNNClassifierCV().fit(X, Y).predict([[1.0]]), PriorcaseError, "KNNClassifierCV.predict: "),
    (lambda: KNNClassifierCV().fit(X, Y).forget([0, 1, 2]).predict(X), TooFewRowsError, "no rows"),
    (lambda: KNNClassifierCV().fit(X[:1], Y[:1]).loo_predict_proba(), TooFewRowsError, "two rows"),
    (tuned(n_samples=1), ParameterError, "n_samples"),
    (tuned(progress="yes"), ParameterError, "progress"),
    (tuned(sample_weight=np.zeros(90)), PriorcaseError, "zero for every row"),
    (lambda: tuned(candidates={"n_neighbors": [1]}, nested=None)().frame("excel"), ParameterError, "backend"),  # type: ignore[attr-defined]
    # attribute weights
    (lambda: attribute_weights(X, Y, "importance"), ParameterError, "method"),  # type: ignore[arg-type]
    (lambda: attribute_weights(X, Y, target="ranks"), ParameterError, "target"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "error", "word"), CASES)
def test_errors(call: Callable[[], object], error: type[PriorcaseError], word: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert word in str(caught.value)
    assert caught.value.where is not None
    assert str(caught.value).startswith(f"{caught.value.where}: ")


def test_means_of_large_targets_are_predicted() -> None:
    np.testing.assert_allclose(KNNRegressor(1).fit(X, [1e155, 2e155, 1.7e308]).predict(X), [1e155, 2e155, 1.7e308])
    assert KNNRegressor("loo").fit(X, [1e150, 2e150, 9e150]).n_neighbors_ == 1


def test_a_refused_fit_leaves_nothing_behind() -> None:
    model = KNNClassifier(0)
    with pytest.raises(ParameterError, match=r"KNNClassifier\.fit: n_neighbors"):
        model.fit(X, Y)
    assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize("weights", [[1, -1, 1], [1, np.nan, 1], [1, HUGE, 1], [0, 0, 0], [[1, 1, 1]], ["a", "b", "c"]])
def test_weights_that_are_refused(weights: Any) -> None:
    with pytest.raises(PriorcaseError, match=r"KNNClassifier\.fit: .*sample_weight"):
        KNNClassifier(1).fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("prior", [1e300, [1e300, 1e300], 5e-324])
@pytest.mark.parametrize("temperature", [0.5, 1.0])
def test_probabilities_are_finite_with_any_prior_that_is_taken(prior: Any, temperature: float) -> None:
    found = fitted(prior=prior, temperature=temperature).predict_proba(X)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
