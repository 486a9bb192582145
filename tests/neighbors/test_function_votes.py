"""Plain functions as votes and kernels: the same answers as with named kernels, and one sentence for mistakes."""

from __future__ import annotations

import math
import pickle
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import priorcase as pc
from priorcase.exceptions import ParameterError, UnsupportedDataError
from priorcase.similarity import Gaussian, Tricube, resolve_kernel
from priorcase.similarity.kernels import FunctionKernel


def table(n: int = 60, seed: int = 0) -> tuple[pd.DataFrame, Any, Any]:
    """Mixed columns with ties and missing values, a class and a number for each row."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": rng.integers(0, 6, n).astype(float),
            "load": rng.normal(size=n),
            "kind": rng.choice(["a", "b", "c"], n),
        }
    )
    y = np.where(X["size"] + rng.normal(size=n) > 2.5, "late", "on time")
    number = X["size"] * 2 + X["load"] + rng.normal(0, 0.1, n)
    X.loc[rng.random(n) < 0.1, "load"] = np.nan
    X.loc[rng.random(n) < 0.1, "kind"] = None
    return X, y, number.to_numpy()


X, CLASSES, NUMBERS = table()
QUERIES = table(25, seed=1)[0]


def gaussian(u: Any) -> Any:
    """All at once."""
    return np.exp(-(u * u))


def gaussian_of_one(u: float) -> float:
    """One number at a time, as the annotation says."""
    return math.exp(-(u * u))


class GaussianClass:
    """A kernel of one's own."""

    compact: ClassVar[bool] = False

    def __call__(self, u: Any) -> Any:
        return np.exp(-(u * u))


class CompactClass:
    """A kernel that ends at the bandwidth."""

    compact: ClassVar[bool] = True

    def __call__(self, u: Any) -> Any:
        return np.where(u < 1, (1 - np.minimum(u, 1) ** 3) ** 3, 0.0)


ALIKE = [gaussian, gaussian_of_one, np.vectorize(gaussian_of_one), GaussianClass()]
LOCAL = [
    {"n_neighbors": 12},
    {"n_neighbors": "loo"},
    {"bandwidth": 1.1},
    {"bandwidth": "loo"},
    {"n_neighbors": 15, "bandwidth": 0.8},
]


@pytest.mark.parametrize("kernel", ALIKE, ids=["array", "one", "vectorize", "class"])
@pytest.mark.parametrize("options", LOCAL, ids=str)
def test_local_models_answer_as_with_the_named_kernel(kernel: Any, options: dict[str, Any]) -> None:
    named, own = (pc.LocallyWeightedRegressor(kernel=k, **options).fit(X, NUMBERS) for k in ("gaussian", kernel))
    np.testing.assert_allclose(own.predict(QUERIES), named.predict(QUERIES), rtol=1e-9)
    np.testing.assert_allclose(own.loo_predict(), named.loo_predict(), rtol=1e-9)
    np.testing.assert_allclose(own.precedents(QUERIES).weights, named.precedents(QUERIES).weights, rtol=1e-12)
    classes = [pc.LocallyWeightedClassifier(kernel=k, **options).fit(X, CLASSES) for k in ("gaussian", kernel)]
    np.testing.assert_allclose(*(model.predict_proba(QUERIES) for model in classes), rtol=1e-7)
    np.testing.assert_allclose(*(model.precedents(QUERIES).votes for model in classes), rtol=1e-9)


def test_span_bandwidth_by_query_and_robust_rounds() -> None:
    for options in ({"span": 0.5}, {"bandwidth": "query"}, {"span": 0.4, "robust": 2}):
        named, own = (pc.LocallyWeightedRegressor(kernel=k, **options).fit(X, NUMBERS) for k in ("gaussian", gaussian))
        np.testing.assert_allclose(own.predict(QUERIES), named.predict(QUERIES), rtol=1e-9)


@pytest.mark.filterwarnings("ignore::priorcase.exceptions.FarQueryWarning")
def test_a_compact_class_equals_tricube() -> None:
    for options in LOCAL:
        named, own = (
            pc.LocallyWeightedRegressor(kernel=k, **options).fit(X, NUMBERS) for k in ("tricube", CompactClass())
        )
        np.testing.assert_allclose(own.predict(X), named.predict(X), rtol=1e-8)


@pytest.mark.parametrize("vote", ALIKE, ids=["array", "one", "vectorize", "class"])
@pytest.mark.parametrize("options", [{"n_neighbors": 7}, {"n_neighbors": "loo"}, {"n_neighbors": "all"}], ids=str)
def test_votes_with_a_bandwidth_are_kernels(vote: Any, options: dict[str, Any]) -> None:
    named, own = (pc.KNNClassifier(vote=v, bandwidth=0.7, **options).fit(X, CLASSES) for v in ("gaussian", vote))
    np.testing.assert_allclose(own.predict_proba(QUERIES), named.predict_proba(QUERIES), rtol=1e-12)
    np.testing.assert_allclose(own.loo_predict_proba(), named.loo_predict_proba(), rtol=1e-12)
    np.testing.assert_allclose(own.precedents(QUERIES).votes, named.precedents(QUERIES).votes, rtol=1e-12)
    assert own.n_neighbors_ == named.n_neighbors_


@pytest.mark.parametrize("ties", ["majority", "first", "nearest", "reduce"])
def test_votes_by_raw_distances(ties: Any) -> None:
    """Without a bandwidth a function gets distances as they are: ``1 / (1 + d)``, added up by hand."""
    model = pc.KNNClassifier(4, vote=lambda d: 1 / (1 + d), ties=ties, prior=None).fit(X, CLASSES)
    shown = model.precedents(QUERIES)
    for q, one in enumerate(shown):
        weights = 1 / (1 + one.distances)
        np.testing.assert_allclose(one.votes, weights / weights.sum(), rtol=1e-12)
        late = float(weights[np.asarray(one.targets) == "late"].sum() / weights.sum())
        assert model.predict_proba(QUERIES)[q, 0] == pytest.approx(late)


def test_leave_one_out_prequential_forgetting_and_tuning() -> None:
    def vote(d: float) -> float:
        return 1 / (1 + d * d)

    model = pc.KNNRegressor(3, vote=vote).fit(X, NUMBERS)
    # A distance without statistics, which a row that is left out would keep.
    plain = pc.KNNRegressor(3, vote=vote, distance="overlap")
    left_out = clone(plain).fit(X, NUMBERS).loo_predict()
    for row in (0, 17, 59):
        rest = np.delete(np.arange(len(X)), row)
        found = clone(plain).fit(X.iloc[rest], NUMBERS[rest]).predict(X.iloc[[row]])
        assert found[0] == pytest.approx(left_out[row])
    run = pc.KNNRegressor(3, vote=vote).prequential(X, NUMBERS)
    by_hand = pc.KNNRegressor(3, vote=vote).fit(X[:40], NUMBERS[:40]).predict(X[40:41])
    assert run.predictions[40 - run.first] == pytest.approx(by_hand[0])
    fewer = pc.KNNRegressor(3, vote=vote).fit(X[:50], NUMBERS[:50])
    np.testing.assert_array_equal(model.forget(model.ids_[50:]).predict(QUERIES), fewer.predict(QUERIES))
    tuned = pc.tune(pc.KNNRegressor(vote=vote), X, NUMBERS, candidates={"n_neighbors": [2, 5]}, nested=None)
    assert tuned.best_params["vote"] is vote
    listed = {"n_neighbors": [3, 6], "vote": [vote, "uniform"], "bandwidth": [0.5]}
    assert len(pc.tune(pc.KNNRegressor(), X, NUMBERS, candidates=listed, nested=None)) == 2
    chosen = {"n_neighbors": [3], "vote": [gaussian, "gaussian"], "bandwidth": [0.5, None]}
    scores = pc.tune(pc.KNNClassifier(), X, CLASSES, candidates=chosen, nested=None).frame()
    with_bandwidth = scores[scores["bandwidth"] == 0.5]
    assert with_bandwidth["log_score"].iloc[0] == pytest.approx(with_bandwidth["log_score"].iloc[1])


def test_conformal_sets_and_attribute_weights_go_with_functions() -> None:
    from priorcase.evaluation import ConformalClassifier, ConformalRegressor

    sets = ConformalClassifier(pc.KNNClassifier(5, vote=gaussian)).fit(X, CLASSES)
    assert len(sets.predict_set(QUERIES)) == len(QUERIES)
    numbers = ConformalRegressor(pc.LocallyWeightedRegressor(12, kernel=gaussian)).fit(X, NUMBERS)
    assert np.isfinite(np.stack(numbers.predict_interval(QUERIES))).all()
    weighted = pc.KNNClassifier(5, vote=gaussian, attribute_weights="relief").fit(X, CLASSES)
    assert weighted.predict(QUERIES).shape == (25,)


def test_resolving() -> None:
    assert resolve_kernel(gaussian) == FunctionKernel(gaussian)
    assert resolve_kernel(Gaussian(0.5)) == Gaussian(0.5)
    assert isinstance(resolve_kernel("tricube"), Tricube)
    model = pc.LocallyWeightedRegressor(kernel=gaussian)
    assert clone(model).kernel is gaussian
    again = pickle.loads(pickle.dumps(pc.KNNClassifier(3, vote=gaussian).fit(X, CLASSES)))
    assert again.predict(QUERIES).shape == (25,)


def named_function(distances: Any) -> Any:
    """Gives something wrong on purpose."""
    return -distances - 1


MISTAKES = [
    (named_function, "named_function.* returned a negative"),
    (lambda d: d[:1] if len(d) > 1 else d[:0], "returned an array of shape"),
    (lambda d: np.full(d.shape, np.nan), "that is not finite"),
    (lambda d: np.full(d.shape, np.inf), "that is not finite"),
    (lambda d: ["x"] * len(d), "values of type"),
    (lambda d: None, "shape"),
    (lambda d: math.exp(-d), r"raised TypeError: only .*np\.vectorize"),
    (lambda d: 1 if d < 3 else 0, r"raised ValueError: The truth value.*distance: float"),
    (lambda: 1, "raised TypeError"),
]


@pytest.mark.parametrize(("function", "words"), MISTAKES)
def test_mistakes_are_one_sentence_that_names_the_function(function: Any, words: str) -> None:
    calls = [
        lambda: pc.KNNClassifier(3, vote=function).fit(X, CLASSES).predict(QUERIES),
        lambda: pc.KNNRegressor(3, vote=function, bandwidth=1.0).fit(X, NUMBERS).predict(QUERIES),
        lambda: pc.KNNClassifier("loo", vote=function).fit(X, CLASSES).predict(QUERIES),
        lambda: pc.LocallyWeightedRegressor(5, kernel=function).fit(X, NUMBERS).predict(QUERIES),
        lambda: pc.LocallyWeightedClassifier(kernel=function).fit(X, CLASSES).predict(QUERIES),
    ]
    for call, parameter in zip(calls, ["vote", "vote", "vote", "kernel", "kernel"], strict=True):
        with pytest.raises(ParameterError, match=rf"{parameter}=<function .*{words}") as caught:
            call()
        assert "\n" not in str(caught.value)


class Wrong:
    """A kernel of one's own with a mistake."""

    compact: ClassVar[bool] = False

    def __init__(self, given: Any) -> None:
        self.given = given

    def __call__(self, u: Any) -> Any:
        return self.given(u)


@pytest.mark.parametrize(
    ("given", "words"),
    [(lambda u: -u - 1, "negative"), (lambda u: u * np.nan, "not a number"), (lambda u: np.ones(1), "shape")],
)
def test_kernels_of_ones_own_are_checked(given: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=f"kernel=.*Wrong.*{words}"):
        pc.KNNClassifier(3, vote=Wrong(given)).fit(X, CLASSES).predict(QUERIES)
    with pytest.raises(ParameterError, match=f"kernel=.*Wrong.*{words}"):
        pc.LocallyWeightedRegressor(bandwidth=1.0, kernel=Wrong(given)).fit(X, NUMBERS).predict(QUERIES)


@pytest.mark.parametrize("function", [gaussian, lambda u: u, np.vectorize(gaussian_of_one), GaussianClass()])
def test_functions_are_not_saved(function: Any, tmp_path: Any) -> None:
    for model in (pc.KNNClassifier(3, vote=function), pc.LocallyWeightedRegressor(5, kernel=function)):
        with pytest.raises(UnsupportedDataError, match=r"\.(vote|kernel) is a "):
            model.save(tmp_path / "model.priorcase")
    assert not list(tmp_path.iterdir())
