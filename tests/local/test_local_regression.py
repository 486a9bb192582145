"""LocallyWeightedRegressor: against the slow reference on mixed rows with ties and gaps."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import local_regression as reference
from reference.knn import repeated

from priorcase.exceptions import FarQueryWarning
from priorcase.local import LocallyWeightedRegressor
from priorcase.schema import Nominal, Numeric, Ordinal

LEVELS = ("low", "mid", "high", "top")
SCHEMA = {0: Numeric(), 1: Ordinal(LEVELS), 2: Nominal(), 3: Numeric()}
KINDS = ("numeric", "numeric", "nominal", "numeric")
TAILS = ("gaussian", "exponential", "inverse_power")


def rows_of(n: int, seed: int, gaps: float = 0.1) -> list[list[Any]]:
    """Numbers, levels and values: few different ones, so that distances tie, and gaps."""
    rng = np.random.default_rng(seed)
    rows: list[list[Any]] = []
    for _ in range(n):
        row = [
            float(rng.integers(8)),
            LEVELS[rng.integers(4)],
            "rgb"[rng.integers(3)],
            float(np.round(rng.normal(), 2)),
        ]
        rows.append([None if rng.random() < gaps else value for value in row])
    return rows


def ranked(rows: Any) -> list[list[Any]]:
    """Levels as ranks, as the reference takes them."""
    return [[*row[:1], None if row[1] is None else LEVELS.index(row[1]), *row[2:]] for row in rows]


def targets_of(rows: Any, seed: int = 9) -> Any:
    rng = np.random.default_rng(seed)
    known = [[0.0 if value is None else value for value in row] for row in ranked(rows)]
    return np.array([row[0] - row[1] + 3 * (row[2] == "g") + row[3] ** 2 for row in known]) + rng.normal(size=len(rows))


def spreads(rows: Any) -> list[float]:
    found = []
    for a, kind in enumerate(KINDS):
        known = [row[a] for row in ranked(rows) if row[a] is not None]
        found.append(1.0 if kind == "nominal" or len(set(known)) < 2 else float(np.std(known)))
    return found


def all_distances(model: LocallyWeightedRegressor, queries: Any) -> Any:
    """Distances of all stored rows from each query, in id order."""
    distances, ids = model.kneighbors(queries, n_neighbors=model.n_samples_fit_)
    return np.take_along_axis(np.asarray(distances), np.argsort(ids, axis=1), axis=1)


def weights_of(distances: Any, kernel: str, k: Any, bandwidth: Any, span: Any) -> list[float]:
    if span is not None:
        return reference.span_weights(distances, span, len(KINDS), kernel)
    if bandwidth is None:
        return reference.nearest_weights(distances, len(distances) if k == "all" else k, kernel)
    weights = reference.fixed_weights(distances, bandwidth, kernel)
    inside = reference.nearest_weights(distances, len(distances) if k == "all" else k, "uniform")
    return [w * i for w, i in zip(weights, inside, strict=True)]


def expected_fit(model: LocallyWeightedRegressor, rows: Any, y: Any, query: Any, distances: Any) -> Any:
    """The reference's fit at one query; None where no row has weight."""
    weights = weights_of(distances, str(model.kernel), model.n_neighbors or "all", model.bandwidth, model.span)
    if not any(weights):
        return None
    X = reference.design(query, ranked(rows), KINDS, model.degree, weights)
    scales = reference.term_scales(query, KINDS, model.degree, spreads(rows), X.shape[1])
    return reference.fit(X, weights, y, ridge=model.ridge, rcond=model.rcond, scales=scales)


def check_against_reference(model: LocallyWeightedRegressor, rows: Any, y: Any, queries: Any, times: Any = None) -> int:
    """Compare every statistic of every query with the reference; how many queries were far from everything."""
    model.fit(rows, y, sample_weight=times)
    far = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FarQueryWarning)
        predicted, std = model.predict(queries, return_std=True)
        effective = model.effective_neighbors(queries)
        lower, upper = model.confidence_interval(queries).T
    copies, targets = repeated(rows, times), np.array(repeated(y, times))
    for i, distances in enumerate(all_distances(model, queries)):
        d = repeated(distances, times)
        found = expected_fit(model, copies, targets, ranked([queries[i]])[0], d)
        if found is None:
            far += 1
            assert predicted[i] == pytest.approx(reference.nearest_mean(d, targets))
            assert np.isinf(std[i])
            assert np.isinf(lower[i])
            assert np.isinf(upper[i])
            continue
        size = float(np.abs(targets).max())
        assert predicted[i] == pytest.approx(found.prediction, rel=1e-8, abs=1e-8 * size)
        assert effective[i] == pytest.approx(found.effective, rel=1e-8)
        if found.n - found.p > 1e-6:
            assert std[i] == pytest.approx(found.sigma * np.sqrt(1 + found.ss), rel=1e-6, abs=1e-7 * size)
    return far


@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("kernel", list(reference.KERNELS))
def test_nearest_rows_equal_the_reference(kernel: str, degree: Any) -> None:
    rows, queries = rows_of(90, 1), [*rows_of(25, 2), [None] * 4, [3.0, "low", "violet", 0.5]]
    model = LocallyWeightedRegressor(40, kernel=kernel, degree=degree, schema=SCHEMA)
    assert check_against_reference(model, rows, targets_of(rows), queries) == 0


@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("kernel", list(reference.KERNELS))
def test_fixed_bandwidths_equal_the_reference(kernel: str, degree: Any) -> None:
    rows, queries = rows_of(80, 3), [*rows_of(20, 4), [30.0, "top", "b", 3.0]]
    model = LocallyWeightedRegressor(bandwidth=0.9, kernel=kernel, degree=degree, schema=SCHEMA)
    far = check_against_reference(model, rows, targets_of(rows), queries)
    assert far == 0 if kernel in TAILS else far >= 1


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize(
    "parameters",
    [
        {"n_neighbors": "all"},
        {"n_neighbors": "all", "kernel": "gaussian", "ridge": 0.3},
        {"n_neighbors": 30, "bandwidth": 0.8},
        {"n_neighbors": 30, "bandwidth": 0.8, "kernel": "exponential"},
        {"n_neighbors": 12, "ridge": 0.5},
        {"n_neighbors": 3},
        {"n_neighbors": 1, "kernel": "uniform"},
        {"span": 0.5},
        {"span": 0.02},
        {"span": 1.7, "kernel": "biweight"},
        {"span": 1.0, "kernel": "epanechnikov", "ridge": 2.0},
    ],
    ids=str,
)
def test_other_reaches_equal_the_reference(parameters: Any, degree: Any) -> None:
    rows, queries = rows_of(60, 5), rows_of(20, 6)
    model = LocallyWeightedRegressor(degree=degree, schema=SCHEMA, **parameters)
    assert check_against_reference(model, rows, targets_of(rows), queries) >= 0


@pytest.mark.parametrize(
    "parameters",
    [{"n_neighbors": 25}, {"n_neighbors": "all"}, {"bandwidth": 0.9}, {"span": 0.6}, {"n_neighbors": 20, "ridge": 0.4}],
    ids=str,
)
@pytest.mark.parametrize("kernel", ["tricube", "gaussian", "uniform"])
def test_weights_are_repetitions(parameters: Any, kernel: str) -> None:
    rows = rows_of(40, 7)
    times = np.random.default_rng(8).integers(0, 4, 40).tolist()
    model = LocallyWeightedRegressor(kernel=kernel, schema=SCHEMA, **parameters)
    kept = [i for i in range(40) if times[i]]
    rows, y, times = [rows[i] for i in kept], targets_of(rows)[kept], [times[i] for i in kept]
    check_against_reference(model, rows, y, rows_of(12, 9), times)
    twice = LocallyWeightedRegressor(kernel=kernel, schema=SCHEMA, **parameters)
    twice.fit(repeated(rows, times), repeated(y, times))
    first = np.cumsum([0, *times[:-1]])
    np.testing.assert_allclose(model.hat_values(), twice.hat_values()[first], atol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FarQueryWarning)
        np.testing.assert_allclose(model.loo_residuals(), twice.loo_residuals()[first], atol=1e-7)


@given(data=st.data(), degree=st.sampled_from([0, 1, 2]), kernel=st.sampled_from(sorted(reference.KERNELS)))
@settings(max_examples=30)
def test_small_tables_equal_the_reference(data: st.DataObject, degree: Any, kernel: str) -> None:
    n = data.draw(st.integers(1, 12))
    cell = st.tuples(
        st.sampled_from([0.0, 1.0, 2.0, 5.0, None]),
        st.sampled_from([*LEVELS, None]),
        st.sampled_from(["r", "g", "b", None]),
        st.sampled_from([0.0, 1.0, 4.0, None]),
    ).map(list)
    rows = data.draw(st.lists(cell, min_size=n, max_size=n))
    y = data.draw(st.lists(st.integers(-9, 9).map(float), min_size=n, max_size=n))
    k = data.draw(st.integers(1, n))
    queries = data.draw(st.lists(cell, min_size=1, max_size=3))
    # A ridge: whether a direction counts as undetermined must not hang on the last bits.
    ridge = 0.0 if degree == 0 else 0.25
    model = LocallyWeightedRegressor(k, kernel=kernel, degree=degree, ridge=ridge, schema=SCHEMA)
    check_against_reference(model, rows, y, queries)


def test_slopes_are_the_references() -> None:
    rows, queries = rows_of(90, 1), rows_of(10, 2, gaps=0.2)
    y = targets_of(rows)
    model = LocallyWeightedRegressor(50, schema=SCHEMA).fit(rows, y)
    found = model.coefficients(queries)
    assert found.columns == ("x0", "x1", *["x2"] * 3, "x3")
    for i, distances in enumerate(all_distances(model, queries)):
        query = ranked([queries[i]])[0]
        slopes = iter(expected_fit(model, rows, y, query, distances).slopes)
        for j in (0, 1, 5):
            if query[int(np.arange(6)[j] if j < 2 else 3)] is None:
                assert np.isnan(found.slopes[i, j])
            else:
                assert found.slopes[i, j] == pytest.approx(next(slopes), rel=1e-8)
        steps = dict(zip(found.values[2:5], found.slopes[i, 2:5], strict=True))
        if query[2] is not None:
            assert steps.pop(query[2]) == 0.0
            for value, slope in zip(sorted(steps), slopes, strict=True):
                assert steps[value] == pytest.approx(slope, rel=1e-8)


def test_precedents_carry_the_hat_row() -> None:
    rows, queries = rows_of(70, 1), rows_of(6, 2)
    y = targets_of(rows)
    model = LocallyWeightedRegressor(30, schema=SCHEMA).fit(rows, y)
    found = model.precedents(queries)
    np.testing.assert_array_equal(found.predictions, model.predict(queries))
    for i, distances in enumerate(all_distances(model, queries)):
        one = found[i]
        expected = expected_fit(model, rows, y, ranked([queries[i]])[0], distances)
        weights = weights_of(distances, "tricube", 30, None, None)
        np.testing.assert_allclose(one.votes, expected.hat[one.ids], atol=1e-9)
        np.testing.assert_allclose(one.weights, np.array(weights)[one.ids], rtol=1e-9)
        assert one.votes.sum() == pytest.approx(1.0)
        assert one.votes @ one.targets == pytest.approx(one.predictions[0])
        assert (np.diff(one.distances) >= 0).all()
