"""Discretizers: against slow references, their laws, and what they refuse."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reference import discretize as reference

from priorcase.bayes import MDL, CutPoints, EqualFrequency, EqualWidth, KMeansBins, TwoWay
from priorcase.bayes.discretize import bin_of

BLIND = [EqualWidth, EqualFrequency, KMeansBins]
ALL = [EqualWidth(3), EqualFrequency(3), KMeansBins(3), MDL(), TwoWay()]
FINITE = st.floats(allow_nan=False, allow_infinity=False)
# Few different values, so that ties are common; quarters, so that sums and shifts are exact.
QUARTERS = st.integers(-20, 20).map(lambda i: i / 4)
ROWS = st.lists(st.tuples(QUARTERS, st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=25)


def columns(rows):
    values, classes, times = (np.array(part) for part in zip(*rows, strict=True))
    return values.astype(float), classes, times.astype(float)


def cuts_of(strategy, values, classes, weights=None):
    return strategy.cuts(np.asarray(values, dtype=float), np.asarray(classes), 3, weights)


def expected(strategy, values, classes, times):
    values, classes = list(map(float, values)), list(map(int, classes))
    counted = [v for v, t in zip(values, times, strict=True) if t]
    if not counted:
        return []
    match strategy:
        case EqualWidth():
            return reference.equal_width(counted, strategy.bins)
        case EqualFrequency():
            return reference.equal_frequency(values, strategy.bins, times)
        case KMeansBins():
            return reference.kmeans(values, strategy.bins, times)
        case MDL():
            return reference.mdl(values, classes, times)
    return reference.two_way(values, classes, times)


@given(ROWS, st.integers(2, 6))
@example([(0.0, 0, 3), (0.25, 0, 1), (-0.25, 0, 1)], 2)  # both centers start at 0
def test_ties_and_weights_equal_the_reference(rows, bins):
    values, classes, times = columns(rows)
    for strategy in [EqualWidth(bins), EqualFrequency(bins), KMeansBins(bins), MDL(), TwoWay()]:
        found = cuts_of(strategy, values, classes, times)
        assert found == pytest.approx(expected(strategy, values, classes, times.astype(int).tolist()), abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_larger_tables_equal_the_reference(seed):
    random = np.random.default_rng(seed)
    n = 120
    classes = random.integers(0, 3, n)
    values = random.normal(size=n) + classes * random.choice([0.0, 1.0, 4.0])
    if seed % 2:
        values = np.round(values, 1)
    once = [1] * n
    for strategy in [EqualWidth(5), EqualFrequency(5), KMeansBins(5), MDL(), TwoWay()]:
        assert cuts_of(strategy, values, classes) == pytest.approx(expected(strategy, values, classes, once), rel=1e-12)


def test_mdl_cuts_several_times():
    random = np.random.default_rng(3)
    classes = np.repeat([0, 1, 2, 0], 60)
    values = random.normal(size=240) + np.repeat([0.0, 5.0, 10.0, 15.0], 60)
    found = cuts_of(MDL(), values, classes)
    assert len(found) >= 3
    assert found == pytest.approx(reference.mdl(values.tolist(), classes.tolist()))


@pytest.mark.parametrize(
    ("classes", "cut"),
    [
        # N = 5, Ent = 0.7219, both sides pure: Gain 0.7219 > (log2(4) + log2(7) - 2 Ent) / 5 = 0.6727.
        # log2(N) for log2(N - 1) would ask for 0.7371, log2(3^k) for log2(3^k - 2) for 0.7452.
        ([0, 1, 1, 1, 1], 0.5),
        # N = 13, Ent = 0.9957, left pure, right (2 and 7) Ent2 = 0.7642: Gain = Ent - 9/13 Ent2 = 0.4667
        # > (log2(12) + log2(7) - 2 Ent + 2 Ent2) / 13 = 0.4561. With log2(3^k) it would be 0.4840, with
        # log2(3^k - 1) 0.4709, but with log2(N) still below the gain: 0.4650. The right side is not cut further.
        ([0] * 4 + [1] * 4 + [0] * 2 + [1] * 3, 3.5),
    ],
)
def test_mdl_asks_for_no_more_than_its_criterion(classes, cut):
    """Gain > (log2(N - 1) + log2(3^k - 2) - k Ent + k1 Ent1 + k2 Ent2) / N just holds (Fayyad & Irani 1993)."""
    assert cuts_of(MDL(), np.arange(len(classes)), classes).tolist() == [cut]


@given(ROWS, st.randoms(use_true_random=False))
def test_row_order_does_not_matter(rows, random):
    mixed = list(rows)
    random.shuffle(mixed)
    for strategy in ALL:
        weights = columns(rows)[2] / 7, columns(mixed)[2] / 7
        first = cuts_of(strategy, *columns(rows)[:2], weights[0])
        assert first.tolist() == cuts_of(strategy, *columns(mixed)[:2], weights[1]).tolist()


@given(ROWS)
def test_whole_weights_equal_repeated_rows(rows):
    values, classes, times = columns(rows)
    whole = times.astype(int)
    for strategy in ALL:
        repeated = cuts_of(strategy, np.repeat(values, whole), np.repeat(classes, whole))
        assert cuts_of(strategy, values, classes, times).tolist() == repeated.tolist()


@given(st.lists(st.tuples(FINITE, st.integers(0, 2)), max_size=20), st.integers(2, 9))
def test_cuts_ascend_inside_the_range_for_any_magnitude(rows, bins):
    values = np.array([v for v, _ in rows], dtype=float)
    classes = np.array([c for _, c in rows], dtype=int)
    for strategy in [EqualWidth(bins), EqualFrequency(bins), KMeansBins(bins), MDL(), TwoWay()]:
        cuts = cuts_of(strategy, values, classes)
        assert np.isfinite(cuts).all()
        assert all(a < b for a, b in itertools.pairwise(cuts))
        if len(cuts):
            assert values.min() < cuts[0]
            assert cuts[-1] <= values.max()
        if not isinstance(strategy, EqualWidth):
            assert len(set(bin_of(cuts, values))) == (len(cuts) + 1 if len(values) else 0)


@given(ROWS, st.integers(-40, 40), st.sampled_from([0.25, 2.0, 1024.0]), st.integers(2, 6))
def test_shifting_and_scaling_a_column_shifts_and_scales_its_cuts(rows, shift, scale, bins):
    values, classes, _ = columns(rows)
    for strategy in [EqualWidth(bins), EqualFrequency(bins), KMeansBins(bins), MDL(), TwoWay()]:
        moved = cuts_of(strategy, values * scale + shift, classes)
        assert moved == pytest.approx(cuts_of(strategy, values, classes) * scale + shift, abs=1e-9)


@pytest.mark.parametrize("strategy", [*ALL, EqualWidth(100), EqualFrequency(100), KMeansBins(100)])
def test_nothing_to_cut(strategy):
    for values in ([], [3.0], [3.0] * 9, [0.0, -0.0]):
        assert cuts_of(strategy, values, [i % 3 for i in range(len(values))]).tolist() == []
    weights = np.array([1.0, 0.0])
    assert cuts_of(strategy, [1.0, 2.0], [0, 1], weights).tolist() == []


def test_classes_that_a_column_says_nothing_about_leave_it_whole():
    values = np.repeat([1.0, 2.0, 3.0], 2)
    assert cuts_of(TwoWay(), values, [0, 1] * 3).tolist() == []
    assert cuts_of(MDL(), values, [1] * 6).tolist() == []


def test_neighboring_floats_are_told_apart():
    low = 1.0
    high = np.nextafter(low, 2.0)
    values = [low] * 4 + [high] * 4
    for strategy in ALL:
        cuts = cuts_of(strategy, values, [0] * 4 + [1] * 4)
        assert cuts.tolist() == [high]


def test_fractional_weights_and_weights_beyond_counting():
    values, classes = np.array([0.0, 1.0, 10.0, 11.0]), np.array([0, 0, 1, 1])
    for strategy in ALL:
        plain = cuts_of(strategy, values, classes)
        for scale in (0.75, 1e60):
            weighted = cuts_of(strategy, values, classes, np.full(4, scale))
            assert weighted == pytest.approx(plain, rel=1e-8)
    # Less than two rows in all are no reason to cut.
    assert cuts_of(MDL(), values, classes, np.full(4, 0.3)).tolist() == []


def test_missing_values_are_left_out():
    for strategy in BLIND:
        assert strategy(2).learned_from([1.0, math.nan, 2.0, 9.0]) == strategy(2).learned_from([1.0, 2.0, 9.0])


def test_learned_cuts_are_a_strategy_of_their_own():
    learned = KMeansBins(2).learned_from([1, 2, 3, 11, 13])
    assert learned == CutPoints((7.0,)) == CutPoints(np.array([7]))
    assert hash(learned) == hash(CutPoints([7]))
    assert cuts_of(learned, [100.0], [0]).tolist() == [7.0]
    assert cuts_of(CutPoints(()), [100.0], [0]).tolist() == []


def test_bins_hold_the_numbers_from_their_cut_on():
    assert bin_of(np.array([7.0]), np.array([6.9, 7.0, -math.inf, math.inf, math.nan])).tolist() == [0, 1, 0, 1, -1]


def test_strategies_print_compare_and_hash():
    assert repr(KMeansBins(np.int64(4))) == "KMeansBins(bins=4)"
    assert len({MDL(), MDL(), TwoWay(), EqualWidth(4), EqualFrequency(4), KMeansBins(4)}) == 5
