"""Densities of each row by all others: equal to fitting again without it, outliers and weights included."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priorcase.bayes import GaussianDensity, Student
from priorcase.bayes.numeric import Moments, log_densities, loo_log_densities, moments_without_each

STRATEGIES = [
    Student(),
    Student(0.5, 3.0, mean=1.0),
    Student(2.0, 0.1, scale=4.0),
    GaussianDensity(),
    GaussianDensity(0),
]
# Ties, gaps, and outliers that leave nothing of the variance of others to 16 digits.
VALUES = st.one_of(
    st.sampled_from([0.0, 1.0, 2.5, math.nan, 1e9, -1e30, 1e-20]), st.floats(-10, 10).map(lambda x: round(x, 2))
)
ROWS = st.lists(
    st.tuples(VALUES, st.integers(0, 2), st.sampled_from([1.0, 1.0, 2.0, 0.0, 0.3, 1e-30])), min_size=1, max_size=8
)


def arrays(rows):
    return tuple(np.array(part) for part in zip(*rows, strict=True))


def again(strategy, x, own, weights, row):
    """The log-densities of a row by a fit without it."""
    keep = np.arange(len(x)) != row
    fitted = Moments.of(x[keep], own[keep], 3, None if weights is None else weights[keep])
    return log_densities(strategy.parameters(fitted), x[row : row + 1])[0]


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=25)
@given(rows=ROWS, weighted=st.booleans())
def test_equal_to_fitting_again(strategy, rows, weighted):
    x, own, weights = arrays(rows)
    weights = weights if weighted else None
    found = loo_log_densities(strategy, Moments.of(x, own, 3, weights), x, own, weights)
    for row in range(len(x)):
        assert found[row] == pytest.approx(again(strategy, x, own, weights, row), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("outlier", [1e3, 1e8, 1e16, 1e60, -1e130])
def test_outliers_that_are_all_of_the_variance(strategy, outlier):
    random = np.random.default_rng(1)
    x, own = random.normal(size=40), random.integers(0, 3, 40)
    x[7] = outlier
    found = loo_log_densities(strategy, Moments.of(x, own, 3), x, own)
    for row in range(40):
        assert found[row] == pytest.approx(again(strategy, x, own, None, row), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("offset", [1e6, 1e12])
def test_columns_far_from_0(strategy, offset):
    random = np.random.default_rng(2)
    x, own = offset + np.round(random.normal(size=60) * 100), random.integers(0, 3, 60)
    found = loo_log_densities(strategy, Moments.of(x, own, 3), x, own)
    for row in range(60):
        # The location is a float64 of the size of the offset, in a refit as here.
        assert found[row] == pytest.approx(again(strategy, x, own, None, row), rel=1e-10, abs=offset * 1e-17)


@given(ROWS)
def test_moments_are_those_of_the_other_rows(rows):
    x, own, weights = arrays(rows)
    x = np.nan_to_num(x)
    found = moments_without_each(Moments.of(x, own, 3, weights), x, own, weights)
    for row in range(len(x)):
        keep = np.arange(len(x)) != row
        expected = Moments.of(x[keep], own[keep], 3, weights[keep])
        assert found.n[row] == pytest.approx(expected.n, rel=1e-15)
        assert found.mean[row] == pytest.approx(expected.mean, rel=1e-11)
        assert found.deviation[row] == pytest.approx(expected.deviation, rel=1e-11, abs=0)
        assert found.deviation_all[row] == pytest.approx(expected.deviation_all, rel=1e-11, abs=0)


def test_rows_that_were_not_counted_see_all():
    x, own = np.array([1.0, 2.0, 4.0, 7.0]), np.array([0, 0, 1, -1])
    m = Moments.of(x, own, 2)
    expected = log_densities(Student().parameters(m), x[3:])[0]
    assert loo_log_densities(Student(), m, x, own)[3] == pytest.approx(expected)


def test_the_last_difference_of_a_column():
    x, own = np.array([1.0, 1.0, 5.0, math.nan]), np.array([0, 1, 1, 0])
    for strategy in STRATEGIES:
        found = loo_log_densities(strategy, Moments.of(x, own, 2), x, own)
        assert found[2].tolist() == [0.0, 0.0]
        assert found[3].tolist() == [0.0, 0.0]
        assert found[0].any()
    same = np.ones(3)
    assert not loo_log_densities(Student(), Moments.of(same, own[:3], 2), same, own[:3]).any()


def test_the_low_part_of_the_mean_may_be_absent():
    random = np.random.default_rng(3)
    x, own = random.normal(size=30), random.integers(0, 2, 30)
    exact = Moments.of(x, own, 2)
    plain = Moments(exact.n, exact.mean, exact.deviation, exact.n_all, exact.mean_all, exact.deviation_all)
    expected = loo_log_densities(Student(), exact, x, own)
    assert loo_log_densities(Student(), plain, x, own) == pytest.approx(expected)


def test_many_rows_at_once_give_the_same_bits(monkeypatch):
    random = np.random.default_rng(4)
    x, own = random.normal(size=50), random.integers(0, 3, 50)
    m = Moments.of(x, own, 3)
    whole = loo_log_densities(Student(), m, x, own)
    monkeypatch.setattr("priorcase.bayes.numeric._CELLS_AT_ONCE", 21)
    assert loo_log_densities(Student(), m, x, own).tolist() == whole.tolist()


def test_classes_in_another_order():
    random = np.random.default_rng(5)
    x, own = random.normal(size=30), random.integers(0, 3, 30)
    turned_own = (own + 1) % 3
    turned = loo_log_densities(GaussianDensity(), Moments.of(x, turned_own, 3), x, turned_own)
    assert turned.tolist() == loo_log_densities(GaussianDensity(), Moments.of(x, own, 3), x, own)[:, [2, 0, 1]].tolist()
