"""Exact moments: against fractions, for any order of rows, and at the ends of float64."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import numeric as reference

from priorcase.bayes.exact_moments import ExactMoments
from priorcase.bayes.exact_sums import NOTHING, Sums

FINITE = st.floats(allow_nan=False, allow_infinity=False)
# Weights as check_weights lets them through: 0 or from 1e-100 to 1e100.
WEIGHTS = st.one_of(st.just(0.0), st.just(1.0), st.integers(1, 9).map(float), st.floats(1e-100, 1e100))
ROWS = st.lists(st.tuples(FINITE, st.integers(0, 2), WEIGHTS), max_size=12)


def arrays(rows):
    values = np.array([row[0] for row in rows], dtype=float)
    return values, np.array([row[1] for row in rows], dtype=int), np.array([row[2] for row in rows], dtype=float)


def of(rows, *, weighted=True):
    values, codes, weights = arrays(rows)
    return ExactMoments.of(values, codes, 3, weights if weighted else None)


def rounded(fraction):
    """A fraction rounded as summary() says: infinite beyond float64, and 0 only if it is 0."""
    try:
        return float(fraction) or (math.ulp(0.0) if fraction > 0 else 0.0)
    except OverflowError:
        return math.inf


def expected(rows):
    rows = [row for row in rows if row[2] > 0]
    if not rows:
        return 0.0, 0.0, 0.0
    values, weights = [row[0] for row in rows], [row[2] for row in rows]
    total = float(sum(map(reference.Fraction, weights)))
    mean = float(reference.mean(values, weights))
    return total, mean, rounded(reference.deviation(values, weights))


@given(ROWS, st.booleans())
def test_summary_is_rounded_once(rows, weighted):
    rows = rows if weighted else [(x, c, 1.0) for x, c, _ in rows]
    found = of(rows, weighted=weighted).summary()
    for c in range(3):
        assert (found.n[c], found.mean[c], found.deviation[c]) == expected([row for row in rows if row[1] == c])
    assert (found.n_all, found.mean_all, found.deviation_all) == expected(rows)


@given(ROWS, ROWS)
def test_adding_then_subtracting_restores_every_bit(first, second):
    moments = of(first)
    before = copy.deepcopy(moments)
    moments.add(*arrays(second))
    moments.subtract(*arrays(second))
    assert moments == before
    assert moments._sums == before._sums


@given(ROWS, st.randoms(use_true_random=False), st.integers(0, 12))
def test_any_order_any_split_and_any_merge_give_one_state(rows, random, at):
    whole = of(rows)
    mixed = list(rows)
    random.shuffle(mixed)
    left, right = of(mixed[:at]), of(mixed[at:])
    right.merge(left)
    assert right == whole
    one_by_one = ExactMoments(3)
    for row in mixed:
        one_by_one.add(*arrays([row]))
    assert one_by_one == whole
    left.merge(of(mixed[at:]))
    assert left == whole


@given(ROWS)
def test_whole_weights_equal_repeated_rows(rows):
    rows = [(x, c, float(i % 4)) for i, (x, c, _) in enumerate(rows)]
    assert of(rows) == of([row for row in rows for _ in range(int(row[2]))], weighted=False)


@given(FINITE, st.floats(1e-100, 1e100))
def test_a_single_row_has_the_same_sums_in_python(x, weight):
    assert of([(x, 1, weight)])._sums == [NOTHING, Sums.of_row(x, weight), NOTHING]


@given(ROWS)
def test_remainders_complete_the_rounded_numbers(rows):
    for sums in of(rows)._sums:
        if sums.weight:
            weight, mean, deviation = sums.moments()
            low_weight, low_mean, low_deviation = sums.remainders()
            assert abs(low_weight) <= math.ulp(weight) / 2
            exact = reference.Fraction(sums.first, sums.weight << 1074)
            gap = abs(reference.Fraction(mean) + reference.Fraction(low_mean) - exact)
            assert gap <= max(abs(exact) * reference.Fraction(2) ** -104, reference.Fraction(5e-324))
            if math.isfinite(deviation):
                exact = reference.Fraction(sums.scatter(), sums.weight << 2533)
                gap = abs(reference.Fraction(deviation) + reference.Fraction(low_deviation) - exact)
                assert gap <= max(exact * reference.Fraction(2) ** -104, reference.Fraction(5e-324))


def test_magnitudes_do_not_disturb_each_other():
    values = np.array([1e300, 1e-300, 5e-324, -1e300, 1.0])
    moments = ExactMoments.of(values, np.zeros(5, dtype=int), 1)
    moments.subtract(values[[0, 3, 4]], np.zeros(3, dtype=int))
    found = moments.summary()
    assert found.n.tolist() == [2.0]
    assert found.mean[0] == float((reference.Fraction(1e-300) + reference.Fraction(5e-324)) / 2)
    # Their squares are below float64, but the values do differ.
    assert found.deviation[0] == math.ulp(0.0)
    moments.subtract(values[[2]], np.zeros(1, dtype=int))
    assert moments.summary().deviation[0] == 0.0
    assert ExactMoments.of(values, np.zeros(5, dtype=int), 1).summary().deviation[0] == math.inf


def test_gaps_and_unknown_classes_are_left_out():
    moments = ExactMoments.of(np.array([1.0, math.nan, 7.0]), np.array([0, 0, -1]), 2)
    assert moments == ExactMoments.of(np.array([1.0]), np.array([0]), 2)
    assert moments.summary().n.tolist() == [1.0, 0.0]


def test_many_classes():
    random = np.random.default_rng(0)
    values, codes = random.normal(size=9000), random.integers(0, 3000, 9000)
    found = ExactMoments.of(values, codes, 3000).summary()
    sums = np.bincount(codes, weights=values, minlength=3000)
    assert found.n.tolist() == np.bincount(codes, minlength=3000).tolist()
    assert found.mean * found.n == pytest.approx(sums)


def test_growing_and_merging_under_other_codes():
    moments = ExactMoments.of(np.array([1.0]), np.array([0]), 1)
    other = ExactMoments.of(np.array([2.0, 3.0]), np.array([0, 1]), 2)
    moments.merge(other, codes=[2, 0])
    assert moments == ExactMoments.of(np.array([1.0, 3.0, 2.0]), np.array([0, 0, 2]), 3)
    moments.grow(2)
    assert len(moments) == 3
    assert moments != ExactMoments(3)
    assert moments != "moments"


def test_copies_are_apart():
    moments = ExactMoments.of(np.array([1.0, 2.0]), np.array([0, 1]), 2)
    twin = moments.copy()
    assert pickle.loads(pickle.dumps(moments)) == twin == copy.deepcopy(moments)
    twin.add(np.array([3.0]), np.array([0]))
    assert len(moments.summary().n) == 2
    assert moments.summary().n_all == 2.0
    assert repr(twin) == "ExactMoments(2 classes, 3 values)"
    with pytest.raises(TypeError, match="unhashable"):
        hash(moments)


def test_no_rows():
    found = ExactMoments(0).summary()
    assert found.n.shape == (0,)
    assert (found.n_all, found.mean_all, found.deviation_all) == (0.0, 0.0, 0.0)


def test_rows_that_were_not_there_change_nothing():
    moments = ExactMoments.of(np.array([1.0, 2.0]), np.array([0, 0]), 2)
    before = moments.copy()
    for values, codes in (([5.0], [1]), ([1.0, 1.0], [0, 0]), ([1.0, 1.0, 1.0], [0, 0, 0]), ([9.0], [0])):
        with pytest.raises(ValueError, match="not added before"):
            moments.subtract(np.array(values), np.array(codes))
        assert moments == before


@pytest.mark.parametrize(
    ("values", "codes", "weights"),
    [
        ([math.inf], [0], None),
        ([1.0], [2], None),
        ([1.0], [0], [-1.0]),
        ([1.0], [0], [math.nan]),
        ([1.0], [0, 1], None),
    ],
)
def test_broken_rows_change_nothing(values, codes, weights):
    moments = ExactMoments(2)
    with pytest.raises(ValueError, match=r"infinite|differ in length"):
        moments.add(np.array(values), np.array(codes), None if weights is None else np.array(weights))
    assert moments == ExactMoments(2)
