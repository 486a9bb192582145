"""Kernels of a fixed reach in the vote."""

import math

import numpy as np
import pytest
from tables import labels, mixed_rows

from priorcase import KNNClassifier, KNNRegressor
from priorcase.similarity import Uniform, resolve_kernel

X, Y = mixed_rows(60, seed=3), np.array(labels(60))
Z = np.random.default_rng(5).normal(size=60)
QUERIES = mixed_rows(25, seed=4)
KERNELS = ["gaussian", "tricube", "epanechnikov", "biweight", "triangular", "exponential", "inverse_power"]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("bandwidth", [0.7, 1.5])
def test_votes_are_the_kernel_at_the_distance_in_bandwidths(kernel: str, bandwidth: float) -> None:
    model = KNNRegressor(6, vote=kernel, bandwidth=bandwidth, ties="first").fit(X, Z)
    distances, ids = model.kneighbors(QUERIES, 6)
    for found, d, rows in zip(model.predict(QUERIES).tolist(), distances, ids, strict=True):
        votes = resolve_kernel(kernel)(d / bandwidth)
        if np.isinf(votes).any() or not votes.any():
            votes = np.isinf(votes) if np.isinf(votes).any() else np.ones(6)
        assert found == pytest.approx(float((votes * Z[rows]).sum() / votes.sum()), abs=1e-12)


@pytest.mark.parametrize("k", [4, "all"])
def test_queries_beyond_the_reach_are_answered_by_equal_votes(k: object) -> None:
    rows, targets = [[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 3.0, 6.0]
    model = KNNRegressor(k, vote="tricube", distance="euclidean", bandwidth=0.5).fit(rows, targets)
    assert model.predict([[1e6], [1.0]]).tolist() == [3.0, 2.0]


def test_all_rows_vote_by_a_fixed_reach() -> None:
    rows, targets = [[0.0], [1.0], [3.0]], [0.0, 1.0, 2.0]
    model = KNNRegressor("all", vote="gaussian", distance="euclidean", bandwidth=2.0).fit(rows, targets)
    votes = [math.exp(-((d / 2.0) ** 2)) for d in (1.0, 0.0, 2.0)]
    assert model.predict([[1.0]]).tolist() == pytest.approx([(votes[1] + 2 * votes[2]) / sum(votes)])


def test_one_row_and_many_have_the_same_bits() -> None:
    model = KNNClassifier(5, vote="gaussian", bandwidth=0.8, prior=0.1).fit(X, Y)
    alone = np.concatenate([model.predict_proba(QUERIES[i : i + 1]) for i in range(len(QUERIES))])
    assert np.array_equal(model.predict_proba(QUERIES), alone)


def test_a_stream_predicts_what_rows_one_by_one_do() -> None:
    stream = KNNClassifier(3, vote="gaussian", bandwidth=0.5).prequential(X, Y)
    model, told = KNNClassifier(3, vote="gaussian", bandwidth=0.5).fit(X[:3], Y[:3]), []
    for i in range(3, len(X)):
        told += model.predict(X[i : i + 1]).tolist()
        model.partial_fit(X[i : i + 1], Y[i : i + 1])
    assert stream.predictions.tolist() == told


def test_the_uniform_kernel_ends_at_its_reach() -> None:
    model = KNNRegressor(3, vote=Uniform(), distance="euclidean", bandwidth=1.5).fit([[0.0], [1.0], [5.0]], [1, 3, 9])
    assert model.predict([[0.0]]).tolist() == [2.0]
