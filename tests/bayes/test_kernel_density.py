"""Kernel densities: against the slow reference, without each row, and whatever the order of the rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import numeric as reference
from scipy import integrate, stats

from priorcase.bayes import KernelDensity

RULES = ["silverman", "john_langley", 0.7]
# Ties, and classes that are constant, single or empty.
VALUES = st.one_of(st.sampled_from([0.0, 1.0, 2.5]), st.floats(-10, 10).map(lambda x: round(x, 2)))
ROWS = st.lists(st.tuples(VALUES, st.integers(0, 2), st.integers(1, 3)), min_size=2, max_size=10)


def columns(rows):
    x, own, times = zip(*rows, strict=True)
    return np.array(x), np.array(own), np.array(times, dtype=float)


def samples(x, own, weights=None):
    known = ~np.isnan(x)
    rows = [np.flatnonzero(known & (own == k)) for k in range(3)]
    return [(x[at], None if weights is None else weights[at]) for at in rows]


def expected(query, x, own, rule):
    if len({value for value in x if not math.isnan(value)}) < 2:
        return [0.0] * 3
    everything = [float(value) for value in x if not math.isnan(value)]
    parts = [[float(v) for v, c in zip(x, own, strict=True) if c == k and not math.isnan(v)] for k in range(3)]
    return [reference.log_kernel(query, part, everything, rule) for part in parts]


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=25)
@given(rows=ROWS, query=st.floats(-20, 20))
def test_equal_to_the_reference(rule, rows, query):
    x, own, _ = columns(rows)
    found = KernelDensity(rule).log_density(np.array([query]), samples(x, own))
    assert found[0] == pytest.approx(expected(query, x, own, rule), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=25)
@given(rows=ROWS)
def test_without_each_row(rule, rows):
    x, own, _ = columns(rows)
    found = KernelDensity(rule).fit(samples(x, own)).log_density(x, np.asarray(own))
    for row in range(len(x)):
        keep = np.arange(len(x)) != row
        assert found[row] == pytest.approx(expected(x[row], x[keep], own[keep], rule), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=25)
@given(rows=ROWS, scale=st.sampled_from([1.0, 0.7]))
def test_without_each_weighted_row(rule, rows, scale):
    x, own, weights = columns(rows)
    weights = weights * scale
    found = KernelDensity(rule).fit(samples(x, own, weights)).log_density(x, np.asarray(own), weights)
    for row in range(len(x)):
        keep = np.arange(len(x)) != row
        again = KernelDensity(rule).log_density(x[row : row + 1], samples(x[keep], own[keep], weights[keep]))
        assert found[row] == pytest.approx(again[0], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=25)
@given(rows=ROWS, query=st.floats(-20, 20))
def test_whole_weights_equal_repeated_rows(rule, rows, query):
    x, own, times = columns(rows)
    whole = times.astype(int)
    repeated = samples(np.repeat(x, whole), np.repeat(own, whole))
    queries = np.array([query])
    found = KernelDensity(rule).log_density(queries, samples(x, own, times))
    assert found.tolist() == KernelDensity(rule).log_density(queries, repeated).tolist()


@given(ROWS, st.randoms(use_true_random=False))
def test_row_order_does_not_matter(rows, random):
    mixed = list(rows)
    random.shuffle(mixed)
    queries = np.array([-3.0, 0.5, 2.5])
    found = []
    for part in (rows, mixed):
        x, own, times = columns(part)
        found.append(KernelDensity().log_density(queries, samples(x, own, times / 7)).tolist())
    assert found[0] == found[1]


def test_one_by_one_and_many_at_once_give_the_same_bits(monkeypatch):
    random = np.random.default_rng(0)
    x, own = random.normal(size=300), random.integers(0, 3, 300)
    fitted = KernelDensity().fit(samples(x, own))
    whole, left_out = fitted.log_density(x), fitted.log_density(x, own)
    for row in range(0, 300, 17):
        assert fitted.log_density(x[[row]]).tolist() == whole[[row]].tolist()
        assert fitted.log_density(x[[row]], own[[row]]).tolist() == left_out[[row]].tolist()
    monkeypatch.setattr("priorcase.bayes.numeric._KERNELS_AT_ONCE", 1000)
    assert fitted.log_density(x).tolist() == whole.tolist()
    assert fitted.log_density(x, own).tolist() == left_out.tolist()


def test_scipys_density_has_the_same_bumps():
    random = np.random.default_rng(1)
    x = random.normal(size=50)
    peer = stats.gaussian_kde(x, bw_method=0.4)
    mine = KernelDensity(0.4 * x.std(ddof=1)).log_density(np.array([0.1, 3.0]), [(x, None)])
    assert mine[:, 0] == pytest.approx(peer.logpdf([0.1, 3.0]))


@pytest.mark.parametrize("rule", RULES)
def test_densities_integrate_to_1(rule):
    fitted = KernelDensity(rule).fit([(np.array([1.0, 2.0, 7.0]), np.array([1.0, 2.0, 0.5]))])
    total, _ = integrate.quad(lambda x: float(np.exp(fitted.log_density(np.array([x])))[0, 0]), -30, 40, limit=200)
    assert total == pytest.approx(1.0, abs=1e-6)


def test_gaps_say_nothing_and_numbers_far_away_have_finite_logs():
    found = KernelDensity().log_density(np.array([math.nan, 1e6, -1e100]), [(np.array([1.0, 2.0, 4.0]), None)] * 2)
    assert found[0].tolist() == [0.0, 0.0]
    assert np.isfinite(found).all()
    beyond = KernelDensity().log_density(np.array([1e300]), [(np.array([1.0, 2.0, 4.0]), None)])
    assert beyond.tolist() == [[-math.inf]]


@pytest.mark.parametrize("part", [[], [3.0], [3.0, 3.0]])
def test_columns_without_differences_say_nothing(part):
    sample = [(np.array(part), None), (np.array(part), None)]
    assert not KernelDensity().log_density(np.array([3.0, 9.0]), sample).any()
    own = np.repeat([0, 1], len(part))
    assert not KernelDensity().fit(sample).log_density(np.array(part * 2), np.asarray(own)).any()


def test_gaps_and_rows_that_were_not_counted():
    x, own = np.array([1.0, 2.0, 4.0, math.nan, 3.0]), np.array([0, 0, 1, 1, -1])
    fitted = KernelDensity().fit(samples(x, own))
    found = fitted.log_density(x, own)
    assert found[3].tolist() == [0.0] * 3
    assert found[4].tolist() == fitted.log_density(x[4:])[0].tolist()


def test_ties_in_all_but_rounding_are_no_interquartile_range():
    x = np.array([0.3, 0.1 + 0.2, 0.3, 0.1 + 0.2, 5.0])
    assert KernelDensity().log_density(np.array([1.0]), [(x, None)])[0, 0] > -10
