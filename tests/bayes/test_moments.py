"""Moments: correctly rounded, whatever the order and the parts that rows come in and go, and the ends of float64."""

from __future__ import annotations

import math
from copy import copy
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import numeric as reference

from priorcase.bayes.numeric import ClassMoments, Moments

VALUES = st.one_of(st.floats(-1e100, 1e100), st.sampled_from([0.0, 1.0, 1.0 + 2**-52, 1e12, 1e12 + 1, -1e30, 1e-20]))
# Weights as check_weights lets them through: 0 or from 1e-100 to 1e100.
WEIGHTS = st.one_of(st.just(0.0), st.just(1.0), st.integers(1, 9).map(float), st.floats(1e-30, 1e30))
ROWS = st.lists(st.tuples(VALUES, st.integers(0, 2), WEIGHTS), max_size=12)


def arrays(rows):
    return [np.array([row[i] for row in rows], dtype=kind) for i, kind in enumerate((float, int, float))]


def sums(rows, *, weighted=True):
    values, codes, weights = arrays(rows)
    found = ClassMoments(1)
    found.grow(3)
    found.add([values], codes, weights if weighted else None)
    return found


def bits(moments):
    return moments.parts().tobytes()


@given(ROWS, st.booleans())
def test_against_fractions(rows, weighted):
    rows = rows if weighted else [(x, c, 1.0) for x, c, _ in rows]
    found = sums(rows, weighted=weighted).summaries()[0]
    for c in [0, 1, 2, None]:
        own = [row for row in rows if row[2] > 0 and c in (row[1], None)]
        n, mean, deviation = (
            (found.n[c], found.mean[c], found.deviation[c])
            if c is not None
            else (found.n_all, found.mean_all, found.deviation_all)
        )
        if not own:
            assert (n, mean, deviation) == (0.0, 0.0, 0.0)
            continue
        values, weights = [row[0] for row in own], [row[2] for row in own]
        assert n == pytest.approx(math.fsum(weights), rel=1e-14)
        size = sum(w * abs(x) for x, w in zip(values, weights, strict=True)) / math.fsum(weights)
        assert mean == pytest.approx(float(reference.mean(values, weights)), rel=1e-13, abs=1e-14 * size)
        assert deviation == pytest.approx(float(reference.deviation(values, weights)), rel=1e-12, abs=1e-322)
        assert (deviation == 0) == (len(set(values)) == 1)


@given(ROWS, st.booleans())
def test_correctly_rounded(rows, weighted):
    rows = rows if weighted else [(x, c, 1.0) for x, c, _ in rows]
    n, mean, _, deviation = sums(rows, weighted=weighted).parts()[0].T
    for c in range(3):
        own = [(x, w) for x, k, w in rows if k == c and w > 0]
        if own:
            assert n[c] == float(sum(Fraction(w) for _, w in own))
            assert mean[c] == float(reference.mean(*zip(*own, strict=True)))
            exact = float(reference.deviation(*zip(*own, strict=True)))
            assert deviation[c] == exact or (exact == 0.0 and deviation[c] == math.ulp(0.0))


@given(ROWS, st.integers(0, 12), st.booleans(), st.randoms(use_true_random=False))
def test_parts_and_order_leave_no_trace(rows, at, weighted, random):
    turned = random.sample(rows, len(rows))
    values, codes, weights = arrays(turned[at:])
    found = sums(turned[:at], weighted=weighted)
    found.add([values], codes, weights if weighted else None)
    assert bits(found) == bits(sums(rows, weighted=weighted))
    other, merged = sums(turned[at:], weighted=weighted), sums(turned[:at], weighted=weighted)
    merged.absorb(other, np.arange(3))
    assert bits(merged) == bits(found)
    merged.absorb(other, np.arange(3), sign=-1)
    assert bits(merged) == bits(sums(turned[:at], weighted=weighted))


@given(ROWS, st.sets(st.integers(0, 11)), st.booleans())
def test_rows_that_go_leave_no_trace(rows, gone, weighted):
    left = [row for i, row in enumerate(rows) if i not in gone]
    values, codes, weights = arrays([row for i, row in enumerate(rows) if i in gone])
    found = sums(rows, weighted=weighted)
    found.add([values], codes, weights if weighted else None, sign=-1)
    assert bits(found) == bits(sums(left, weighted=weighted))


def test_a_row_of_weight_two_is_two_rows():
    assert bits(sums([(0.1, 0, 2.0), (0.7, 0, 1.0)])) == bits(sums([(0.1, 0, 1.0), (0.7, 0, 1.0), (0.1, 0, 1.0)]))


def test_several_columns_and_threads_give_the_same_bits():
    random = np.random.default_rng(0)
    columns, codes = list(random.normal(size=(11, 4000))), random.integers(0, 3, 4000)
    found = []
    for threads in (1, 2, 7):
        moments = ClassMoments(11)
        moments.grow(4)
        moments.add(columns, codes, None, threads=threads)
        found.append(bits(moments))
    assert found[0] == found[1] == found[2]
    single = Moments.of(columns[5], codes, 4)
    assert single.mean.tolist() == moments.summaries()[5].mean.tolist()


def test_overall_moments_do_not_depend_on_the_order_of_classes_nor_on_empty_ones():
    random = np.random.default_rng(1)
    x, own = 1e6 + random.normal(size=200), random.integers(0, 20, 200)
    found, order = Moments.of(x, own, 20), random.permutation(20)
    turned = Moments.of(x, order[own] * 3, 70)
    assert (found.n_all, found.mean_all, found.deviation_all) == (turned.n_all, turned.mean_all, turned.deviation_all)


def test_many_classes():
    random = np.random.default_rng(0)
    values, codes = random.normal(size=9000), random.integers(0, 3000, 9000)
    found = Moments.of(values, codes, 3000)
    assert found.n.tolist() == np.bincount(codes, minlength=3000).tolist()
    assert found.mean * found.n == pytest.approx(np.bincount(codes, weights=values, minlength=3000))


def test_missing_numbers_and_unknown_classes_are_left_out():
    found = Moments.of(np.array([1.0, math.nan, 7.0]), np.array([0, 0, -1]), 2)
    assert found.n.tolist() == [1.0, 0.0]
    assert found.mean.tolist() == [1.0, 0.0]


def test_numbers_at_the_ends_of_float64():
    zeros = np.zeros(2, dtype=int)
    assert Moments.of(np.array([1e-300, 5e-324]), zeros, 1).deviation_all > 0  # they differ, though not when squared
    assert Moments.of(np.array([1e-300, 1e-300]), zeros, 1).deviation_all == 0
    assert Moments.of(np.array([1.7e308, 1.7e308]), zeros, 1).deviation_all == 0
    assert Moments.of(np.array([1.7e308, -1.7e308]), zeros, 1).deviation_all == math.inf
    assert Moments.of(np.array([1.7e308, -1.7e308]), np.array([0, 1]), 2).deviation_all == math.inf
    assert Moments.of(np.empty(0), zeros[:0], 1).n_all == 0.0


def test_copies_are_apart():
    moments = sums([(1.0, 0, 1.0), (2.0, 1, 1.0)])
    twin, before = copy(moments), bits(moments)
    twin.add([np.array([3.0])], np.array([0]), None)
    twin.add([np.array([2.0])], np.array([1]), None, sign=-1)
    assert bits(moments) == before != bits(twin)
