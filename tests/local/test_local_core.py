"""The compiled local fits against numpy.linalg on the same designs, and against what can be written down."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from local_problems import NOMINAL, NUMERIC, Problem, a_line, design, hat_row, problem, smoother

from priorcase import _core

CASES = list(itertools.product((0, 1, 2), (0.0, 0.3), (False, True), (False, True), range(2)))
NAMES = "degree, ridge, gaps, repeated, seed"


@pytest.mark.parametrize(NAMES, CASES)
def test_predictions_and_hat_rows_equal_the_pseudo_inverse(
    degree: int, ridge: float, gaps: bool, repeated: bool, seed: int
) -> None:
    p = problem(seed, degree=degree, ridge=ridge, gaps=gaps, repeated=repeated)
    found = p.fits()
    for q in range(len(p.queries)):
        at, s = p.voters(q), hat_row(p, q)
        np.testing.assert_allclose(found["hat"][at], s, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(found["predictions"][q], s @ p.targets[p.rows[at]], rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(NAMES, CASES)
def test_statistics_equal_their_formulas(degree: int, ridge: float, gaps: bool, repeated: bool, seed: int) -> None:
    p = problem(seed + 10, degree=degree, ridge=ridge, gaps=gaps, repeated=repeated)
    found = p.fits()
    for q in range(len(p.queries)):
        at = p.voters(q)
        K, y = p.weights[at], p.targets[p.rows[at]]
        r = np.ones(len(K)) if p.repetitions is None else p.repetitions[at]
        S = smoother(p, q, design(p, q))
        leverage = np.diag(S)
        expected = {
            "weight": K.sum(),
            "squares": (K**2 / r).sum(),
            "parameters": (K / r * leverage).sum(),
            "trace": leverage.sum(),
            "variance": (hat_row(p, q) ** 2 / r).sum(),
            "residuals": K @ (y - S @ y) ** 2,
            "loo": K @ ((y - S @ y) / (1 - leverage / r)[:, None]) ** 2 / K.sum(),
        }
        for name, value in expected.items():
            np.testing.assert_allclose(found[name][q], value, rtol=1e-7, atol=1e-9, err_msg=name)
        if ridge == 0:
            assert found["rank"][q] == pytest.approx(leverage.sum(), abs=1e-7)


@pytest.mark.parametrize("degree", [0, 1])
def test_parameters_make_the_local_variance_unbiased(degree: int) -> None:
    """E sum K e^2 = sigma^2 (n_LWR - p_LWR) needs p_LWR = sum K^2 x'Cx.

    That is a sum of K z'(Z'Z)^-1 z over rows z that are weighted already. With rows x that are not, K x'(Z'Z)^-1 x, it
    would be the number of columns whatever the kernel: here called ``trace``, and not what the noise takes.
    """
    p = problem(3, degree=degree, kinds=(NUMERIC, NUMERIC))
    found = p.fits(want=2)
    for q in range(len(p.queries)):
        K = p.weights[p.voters(q)]
        rest = np.eye(len(K)) - smoother(p, q, design(p, q))
        of_noise = K @ (rest**2).sum(axis=1)  # of y with variance 1
        assert found["weight"][q] - found["parameters"][q] == pytest.approx(of_noise, rel=1e-10)
        assert found["trace"][q] == pytest.approx(1 + 2 * degree, rel=1e-10)
        assert abs(found["weight"][q] - found["trace"][q] - of_noise) > 0.1


@pytest.mark.parametrize(("degree", "ridge"), [(0, 0.0), (1, 0.0), (1, 0.4), (2, 0.2)])
def test_repetitions_are_rows(degree: int, ridge: float) -> None:
    p = problem(5, degree=degree, ridge=ridge, repeated=True)
    assert p.repetitions is not None
    times = p.repetitions.astype(np.int64)
    counts = [times[p.voters(q)].sum() for q in range(len(p.queries))]
    spread = replace(
        p,
        indptr=np.concatenate([[0], np.cumsum(counts)]),
        rows=np.repeat(p.rows, times),
        weights=np.repeat(p.weights / times, times),
        repetitions=None,
    )
    together, alone = p.fits(), spread.fits()
    for name in set(together) - {"hat"}:
        np.testing.assert_allclose(together[name], alone[name], rtol=1e-8, atol=1e-10, err_msg=name)
    starts = np.concatenate([[0], np.cumsum(times)[:-1]])
    np.testing.assert_allclose(together["hat"], np.add.reduceat(alone["hat"], starts), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_local_leave_one_out_equals_fits_without_each_row(ridge: float) -> None:
    p = problem(6, kinds=(NUMERIC, NUMERIC), ridge=ridge, sizes=(30, 4, 20))
    found = p.fits(want=16)["loo"]
    for q in range(4):
        at = p.voters(q)
        X, y = design(p, q), p.targets[p.rows[at]]
        total = np.zeros(2)
        for i in np.flatnonzero(p.weights[at]):
            left = p.weights.copy()
            left[at.start + i] = 0
            fitted = smoother(replace(p, weights=left), q, X[i : i + 1])[0] @ y
            total += p.weights[at][i] * (y[i] - fitted) ** 2
        np.testing.assert_allclose(found[q], total / p.weights[at].sum(), rtol=1e-9)


def test_a_row_on_which_the_fit_hangs_is_answered_by_the_mean_of_the_others() -> None:
    x = np.array([[0.0], [0.0], [1.0]])
    lists = (np.array([0, 3]), np.arange(3), np.ones(3), None)
    p = Problem(*lists, x, np.array([[0.0]]), np.zeros(1, np.uint8), np.ones(1), np.array([[1.0], [2.0], [6.0]]))
    # 1 and 2 stand for each other; without the third there is no slope, and the mean of 1 and 2 answers.
    assert p.fits(want=16)["loo"].item() == pytest.approx((1 + 1 + 4.5**2) / 3)
    alone = replace(p, indptr=np.array([0, 1]), rows=p.rows[:1], weights=np.ones(1))
    assert alone.fits(want=16)["loo"].item() == np.inf


def test_slopes_are_in_the_units_of_the_table() -> None:
    p = problem(7, kinds=(NUMERIC, NUMERIC, NOMINAL))
    found = p.fits(want=4)["coefficients"]
    assert found.shape == (10, 2, 2 + 4)
    for q in range(len(p.queries)):
        at = p.voters(q)
        K, X = p.weights[at], np.column_stack([np.ones(40), design(p, q)])
        root = np.sqrt(K)[:, None]
        fitted = np.linalg.lstsq(root * X, root * p.targets[p.rows[at]], rcond=None)[0]
        np.testing.assert_allclose(found[q, :, :2].T, fitted[1:3] / p.scales[:2, None], rtol=1e-8)
        own = int(p.queries[q, 2])
        others = [value for value in range(4) if value != own]
        assert np.array_equal(found[q, :, 2 + own], [0, 0])
        np.testing.assert_allclose(found[q][:, [2 + value for value in others]].T, fitted[3:], rtol=1e-7)


def test_values_without_voters_have_no_coefficient_and_unknown_columns_no_slope() -> None:
    p = problem(8, kinds=(NUMERIC, NOMINAL))
    cells = p.cells.copy()
    cells[:, 1] = np.where(cells[:, 1] == 3, 2, cells[:, 1])
    cells[0, 1] = 3
    queries = np.minimum(p.queries, [np.inf, 2])
    queries[0] = [np.nan, 1]
    queries[1] = [0.5, np.nan]
    p = replace(p, cells=cells, queries=queries, weights=np.where(p.rows == 0, 0.0, p.weights))
    found = p.fits(want=4)["coefficients"]
    assert np.isnan(found[:, :, 4]).all()  # code 3 is only in a row without weight
    assert np.isnan(found[0, :, 0]).all()
    assert not np.isnan(found[0, :, 1:4]).any()
    assert np.isnan(found[1, :, 1:]).all()
    assert not np.isnan(found[1, :, 0]).any()
    assert np.isnan(replace(p, degree=0).fits(want=4)["coefficients"][:, :, 0]).all()


def test_the_share_of_a_row_of_its_own() -> None:
    p = problem(9)
    own = np.array([p.rows[p.voters(q)][3] for q in range(10)])
    own[4] = -1
    found = p.fits(want=8, own=own)
    assert found["own"][4] == 0
    for q in (0, 1, 2, 3, 5):
        assert found["own"][q] == found["hat"][p.voters(q)][3]


@pytest.mark.parametrize(("degree", "ridge"), [(0, 0.0), (1, 0.0), (2, 0.0), (2, 0.1)])
def test_same_bits_for_any_threads_batches_and_cpu(degree: int, ridge: float) -> None:
    p = problem(11, degree=degree, ridge=ridge, gaps=True, repeated=True, sizes=(300, 100, 33))
    expected = p.fits()
    found = [p.fits(threads=3)]
    path = _core.cpu_path()
    try:
        for name in _core.cpu_paths():
            _core.use_cpu_path(name)
            found.append(p.fits())
    finally:
        _core.use_cpu_path(path)
    for other in found:
        for name, values in expected.items():
            assert np.array_equal(other[name], values, equal_nan=True), name
    at = p.voters(57)
    assert p.repetitions is not None
    one = replace(
        p,
        indptr=np.array([0, 33]),
        rows=p.rows[at],
        weights=p.weights[at],
        repetitions=p.repetitions[at],
        queries=p.queries[57:58],
    ).fits()
    for name, values in expected.items():
        assert np.array_equal(one[name], values[at] if name == "hat" else values[57:58], equal_nan=True), name


def test_a_line_is_found_again() -> None:
    p = a_line()
    found = p.fits()
    assert found["predictions"].item() == pytest.approx(32, rel=1e-14)
    assert found["coefficients"][0, 0, 0] == pytest.approx(3, rel=1e-14)
    assert found["residuals"].item() == pytest.approx(0, abs=1e-25)
    assert found["rank"].item() == 2


def test_small_fit_equals_exact_fractions() -> None:
    p = a_line(targets=np.array([[1.0], [0.0], [5.0], [-3.0]]))
    K = [Fraction(float(weight)) for weight in p.weights]
    x = [Fraction(float(cell)) for cell in p.cells[:, 0]]
    y = [Fraction(float(target)) for target in p.targets[:, 0]]
    n = sum(K)
    x_mean = sum(k * a for k, a in zip(K, x, strict=True)) / n
    y_mean = sum(k * b for k, b in zip(K, y, strict=True)) / n
    squares = sum(k * (a - x_mean) ** 2 for k, a in zip(K, x, strict=True))
    # The penalty is 1/4 in units of the column's scale, 2.
    for ridge, penalty in ((0.0, Fraction(0)), (0.5, Fraction(1, 4) * 4)):
        slope = sum(k * (a - x_mean) * (b - y_mean) for k, a, b in zip(K, x, y, strict=True)) / (squares + penalty)
        expected = y_mean + (10 - x_mean) * slope
        assert replace(p, ridge=ridge).fits()["predictions"].item() == pytest.approx(float(expected), rel=1e-14)
