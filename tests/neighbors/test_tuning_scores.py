"""Leave-one-out scores of many candidates from one search: against brute force and against polls."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import tuning as reference
from tables import labels, mixed_rows, row_lists

from priorcase import Distance, KNNClassifier, KNNRegressor
from priorcase.neighbors import tune
from priorcase.neighbors.tuning import CandidateGrid, Queries, grid_sums, poll_sums
from priorcase.schema import Nominal, Numeric
from priorcase.similarity import Gaussian, Uniform

KERNELS: dict[str, Any] = {
    "triangular": lambda u: max(0.0, 1 - u),
    "epanechnikov": lambda u: max(0.0, 1 - u * u),
    "biweight": lambda u: max(0.0, 1 - u * u) ** 2,
    "tricube": lambda u: max(0.0, 1 - u**3) ** 3,
    "gaussian": lambda u: math.exp(-u * u),
    "exponential": lambda u: math.exp(-u),
}
NAMES = ["uniform", "inverse_square", *KERNELS]
KINDS = {0: Numeric(), 1: Nominal(), 2: Nominal()}


def matrix_of(model: Any, X: Any) -> list[list[float]]:
    distances, ids = model.kneighbors(X, n_neighbors=model.n_samples_fit_)
    return np.take_along_axis(distances, np.argsort(ids, axis=1), axis=1).tolist()  # type: ignore[no-any-return]


def lines(tuning: Any) -> list[dict[str, Any]]:
    frame = tuning.frame("pandas").astype(object)
    return frame.where(frame.notna(), None).to_dict("records")  # type: ignore[no-any-return]


# -- brute force


@pytest.mark.parametrize("ties", ["majority", "first"])
@given(rows=row_lists(min_size=4, max_size=12), data=st.data())
@settings(max_examples=10, deadline=None)
def test_class_scores_equal_brute_force(ties: str, rows: Any, data: st.DataObject) -> None:
    n = len(rows)
    y = data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    times = data.draw(st.none() | st.lists(st.integers(1, 3), min_size=n, max_size=n))
    base = KNNClassifier(1, ties=ties, schema=KINDS)
    tuning = tune(
        base,
        rows,
        y,
        sample_weight=times,
        nested=None,
        candidates={
            "n_neighbors": [1, 2, 3],
            "vote": NAMES,
            "bandwidth": [None, 0.75],
            "prior": [None, 0.5],
            "temperature": [0.5, 1.0, 2.0],
        },
    )
    matrix, n_classes = matrix_of(base.fit(rows, y, times), rows), len(set(y))
    assert len(tuning) == 3 * (8 + 6) * 2 * 3
    for line in lines(tuning):
        loss, brier = reference.class_scores(
            matrix,
            y,
            line["n_neighbors"],
            KERNELS.get(line["vote"], line["vote"]),
            ties=ties,
            times=times,
            reach=line["bandwidth"],
            prior=None if line["prior"] is None else [line["prior"]] * n_classes,
            temperature=line["temperature"],
        )
        if loss < 30:  # beyond, rounding of 1 - u decides
            assert line["log_score"] == pytest.approx(-loss, rel=1e-10, abs=1e-10)
        assert line["brier"] == pytest.approx(brier, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("ties", ["majority", "first"])
@pytest.mark.parametrize("weighted", [False, True])
def test_number_scores_equal_brute_force(ties: str, weighted: bool) -> None:
    rng = np.random.default_rng(4)
    X, y = mixed_rows(30, seed=2), rng.normal(size=30) * 50
    times = rng.integers(1, 4, 30).tolist() if weighted else None
    base = KNNRegressor(1, ties=ties)
    choices = {"n_neighbors": [1, 2, 5, 11], "vote": NAMES, "bandwidth": [None, 0.75]}
    tuning = tune(base, X, y, sample_weight=times, nested=None, candidates=choices)
    matrix = matrix_of(base.fit(X, y, times), X)
    for line in lines(tuning):
        kernel = KERNELS.get(line["vote"], line["vote"])
        squared, absolute = reference.number_scores(
            matrix, y.tolist(), line["n_neighbors"], kernel, ties=ties, times=times, reach=line["bandwidth"]
        )
        assert line["squared_error"] == pytest.approx(squared, rel=1e-10)
        assert line["absolute_error"] == pytest.approx(absolute, rel=1e-10)


def test_accuracy_is_that_of_the_curve_over_k() -> None:
    X, y = mixed_rows(80, seed=5), labels(80)
    model = KNNClassifier("loo").fit(X, y)
    ks = range(1, 51)
    tuning = tune(KNNClassifier(1), X, y, candidates={"n_neighbors": ks}, scoring="accuracy", nested=None)
    found = {line["n_neighbors"]: line["accuracy"] for line in lines(tuning)}
    assert [found[k] for k in ks] == pytest.approx(model.loo_scores_.tolist(), abs=1e-12)
    assert tuning.best.n_neighbors == model.n_neighbors_


def test_errors_are_those_of_the_curve_over_k() -> None:
    X, y = mixed_rows(60, seed=5), np.random.default_rng(0).normal(size=(60, 2))
    model = KNNRegressor("loo", vote="tricube").fit(X, y)
    ks = range(1, 51)
    tuning = tune(KNNRegressor(1, vote="tricube"), X, y, candidates={"n_neighbors": ks}, nested=None)
    found = {line["n_neighbors"]: line["squared_error"] for line in lines(tuning)}
    assert [found[k] for k in ks] == pytest.approx(model.loo_scores_.tolist(), rel=1e-12)


# -- the core and the polls

VOTES: list[tuple[Any, float | None]] = [
    *((name, None) for name in (*NAMES, "inverse_power", Uniform())),
    *((name, 0.6) for name in (*KERNELS, "inverse_power", Uniform())),
    (Gaussian(0.4), None),
]
GAPS_LEFT_OUT = Distance(missing="skip")  # rows that share nothing are infinitely far apart


def left_out(model: Any) -> Queries:
    """All stored rows, each left out in turn, in eight blocks."""
    memory, rows = model._memory, np.arange(model.n_samples_fit_)
    times = np.ones(rows.size) if memory.row_weights is None else memory.row_weights
    return Queries(memory.instances.cells(), rows, model._targets(), times, rows * 8 // rows.size)


def assert_equal(found: Any, expected: Any, asked: Any) -> None:
    assert np.array_equal(found.weights, np.bincount(asked.blocks, asked.times))
    for name, sums in found.of.items():
        np.testing.assert_allclose(sums, expected[name], rtol=1e-10, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("weights", [None, "whole", "parts"])
@pytest.mark.parametrize("ties", ["majority", "first", "nearest", "reduce"])
@pytest.mark.parametrize("distance", ["hvdm", GAPS_LEFT_OUT], ids=str)
def test_the_core_scores_classes_as_polls_do(distance: Any, ties: Any, weights: str | None) -> None:
    n, rng = 40, np.random.default_rng(1)
    choices = {None: None, "whole": rng.integers(0, 4, n).astype(float), "parts": rng.choice([0.1, 0.5, 1, 1.7], n)}
    X, y = mixed_rows(n, seed=3, gaps=0.3), labels(n)
    model = KNNClassifier(3, distance=distance, ties=ties).fit(X, y, choices[weights])
    priors = (None, 0.3, "frequency", [0.1, 2, 0.5])
    grid = CandidateGrid((1, 2, 5, 19), tuple(VOTES), priors, (0.5, 1.7))
    asked = left_out(model)
    expected = poll_sums(model.set_params(n_jobs=1), asked, grid, 8)
    assert_equal(grid_sums(model.set_params(n_jobs=2), asked, grid, 8), expected, asked)


@pytest.mark.parametrize("ties", ["majority", "first"])
@pytest.mark.parametrize("distance", ["heom", GAPS_LEFT_OUT], ids=str)
def test_the_core_scores_numbers_as_polls_do(distance: Any, ties: Any) -> None:
    n, rng = 70, np.random.default_rng(1)
    X, y = mixed_rows(n, seed=3, gaps=0.3), rng.normal(size=(n, 2))
    y[5] = 1e200  # squares of differences would overflow
    model = KNNRegressor(3, distance=distance, ties=ties).fit(X, y, rng.choice([0.1, 0.5, 1, 1.7], n))
    asked = left_out(model)
    grid = CandidateGrid((1, 2, 3, 5, 8, 15), tuple(VOTES))
    expected = poll_sums(model.set_params(n_jobs=1), asked, grid, 8)
    assert_equal(grid_sums(model.set_params(n_jobs=2), asked, grid, 8), expected, asked)


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e120])
def test_distances_that_hardly_differ_and_those_of_any_size(scale: float) -> None:
    rng = np.random.default_rng(2)
    x = np.concatenate([np.full(20, 1.0), 1.0 + np.arange(20) * 2.0**-52, rng.normal(size=20)]) * scale
    y = np.array(labels(60))
    model = KNNClassifier(3, distance="euclidean").fit(x[:, None], y)
    asked = left_out(model)
    grid = CandidateGrid((1, 2, 5, 12, 30), tuple(choice for choice in VOTES if choice[1] is None), (0.5,), (0.7,))
    assert_equal(grid_sums(model, asked, grid, 8), poll_sums(model, asked, grid, 8), asked)


def test_several_targets_are_averaged() -> None:
    X, y = mixed_rows(50, seed=3), np.stack([labels(50), labels(50, seed=9, classes=("u", "v"))], axis=1)
    choices = {"n_neighbors": [3, 7], "vote": ["tricube", "uniform"], "prior": [1.0]}
    both = lines(tune(KNNClassifier(), X, y, candidates=choices, nested=None))
    single = [lines(tune(KNNClassifier(), X, y[:, t], candidates=choices, nested=None)) for t in range(2)]
    for line in both:
        alike = [next(o for o in part if all(o[c] == line[c] for c in ("n_neighbors", "vote"))) for part in single]
        for score in ("log_score", "brier", "accuracy"):
            assert line[score] == pytest.approx(np.mean([other[score] for other in alike]), rel=1e-12)


def test_functions_and_other_kernels_vote_too() -> None:
    X, y = mixed_rows(40, seed=3), labels(40)
    votes = [lambda d: 1 / (1 + d), "uniform"]
    tuning = tune(KNNClassifier(), X, y, candidates={"n_neighbors": [3, 5], "vote": votes, "prior": [0.5]}, nested=None)
    alone = tune(KNNClassifier(prior=0.5), X, y, candidates={"n_neighbors": [3, 5]}, nested=None)
    found = {line["n_neighbors"]: line["log_score"] for line in lines(tuning) if line["vote"] == "uniform"}
    assert found == {line["n_neighbors"]: line["log_score"] for line in lines(alone)}
    assert len(tuning) == 4


# -- laws


@pytest.mark.parametrize("n_jobs", [2, 3, 7])
def test_any_number_of_threads_gives_the_same_bits(n_jobs: int) -> None:
    X, y = mixed_rows(150, seed=3), labels(150)
    choices = {"n_neighbors": [1, 4, 9], "vote": ["tricube", "gaussian"], "prior": [0.1, 1.0]}
    one = tune(KNNClassifier(n_jobs=1), X, y, candidates=choices, nested=None)
    many = tune(KNNClassifier(n_jobs=n_jobs), X, y, candidates=choices, nested=None)
    assert lines(one) == lines(many)


def test_a_row_of_weight_two_is_two_rows() -> None:
    X, y = mixed_rows(40, seed=3), labels(40)
    times = np.random.default_rng(0).integers(0, 3, 40)
    rows = np.repeat(np.arange(40), times)
    choices = {"n_neighbors": [1, 4, 9], "vote": ["tricube", "uniform"], "prior": [0.5]}
    weighted = lines(tune(KNNClassifier(), X, y, sample_weight=times, candidates=choices, nested=None))
    twice = lines(tune(KNNClassifier(), [X[i] for i in rows], [y[i] for i in rows], candidates=choices, nested=None))
    for one, other in zip(weighted, twice, strict=True):
        assert one["log_score"] == pytest.approx(other["log_score"], rel=1e-10)
        assert one["accuracy"] == pytest.approx(other["accuracy"], rel=1e-10)


def test_some_rows_stand_for_all() -> None:
    X, y = mixed_rows(200, seed=3), labels(200)
    choices = {"n_neighbors": [5], "prior": [1.0]}
    some = tune(KNNClassifier(), X, y, candidates=choices, n_samples=50, nested=None)
    assert some.rows == 50
    assert some.score == pytest.approx(tune(KNNClassifier(), X, y, candidates=choices, nested=None).score, rel=0.2)


def test_classes_that_take_turns_are_all_asked_about() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((400, 3)), np.arange(400) % 2
    X[:, 0] = np.where(y == 0, 0.1 * X[:, 0], X[:, 0])
    order = rng.permutation(400)
    losses = [
        tune(
            KNNClassifier(),
            X[rows],
            y[rows],
            n_samples=200,
            nested=None,
            candidates={"n_neighbors": [1, 5, 20], "prior": [0.1]},
        ).score
        for rows in (np.arange(400), order)
    ]
    assert losses[0] == pytest.approx(losses[1], rel=0.35)
