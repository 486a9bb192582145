"""Paired tests, ranks and corrections against definitions and against printed numbers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot
from reference import paired as slow
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from priorcase.evaluation import Score, compare, leave_one_out
from priorcase.evaluation.significance import (
    corrected_t,
    critical_distance,
    friedman,
    hodges_lehmann,
    holm,
    leading,
    mean_ranks,
    signed_rank_p,
    wilcoxon,
)

mpl.use("Agg")

AUC = Score("AUC", "proba")

# Demsar 2006, table 6: areas under the curve of C4.5 and three variants of it on 14 data sets. The ranks printed there
# tell the third and the fourth apart on the last but one, where three digits do not.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.97501, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")

numbers = st.lists(st.integers(-20, 20).map(lambda n: n / 8), min_size=2, max_size=9)


@given(numbers, st.fractions(0, 2, max_denominator=9))
@settings(max_examples=30, deadline=None)
def test_corrected_t_is_the_mean_over_the_root_of_the_corrected_variance(values: list[float], ratio: Fraction) -> None:
    found = corrected_t(np.array(values), float(ratio))
    variance = slow.corrected_variance([Fraction(value) for value in values], ratio)
    mean = float(sum(map(Fraction, values), Fraction(0)) / len(values))
    assert found.difference == pytest.approx(mean, abs=1e-15)
    if variance == 0:
        assert found.p_value == (1.0 if mean == 0 else 0.0)
        return
    t = mean / float(variance) ** 0.5
    assert found.statistic == pytest.approx(t, abs=1e-12)
    reach = float(stats.t.ppf(0.975, len(values) - 1)) * float(variance) ** 0.5
    assert (found.low, found.high) == pytest.approx((mean - reach, mean + reach))


def test_corrected_t_has_students_tail() -> None:
    found = corrected_t(np.array([0.02, 0.04, 0.0, 0.03, 0.01]), 0.25)
    assert found.p_value == pytest.approx(slow.student_tail(found.statistic, 4), abs=1e-9)


def test_without_a_correction_it_is_the_paired_t_test() -> None:
    first, second = np.random.default_rng(0).normal(size=(2, 12))
    theirs = stats.ttest_rel(first, second)
    ours = corrected_t(first - second, 0.0)
    assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval()))


def test_the_correction_doubles_the_variance_of_ten_folds() -> None:
    differences = np.random.default_rng(1).normal(0.5, 1.0, 10)
    plain, corrected = corrected_t(differences, 0.0), corrected_t(differences, 1 / 9)
    assert plain.statistic / corrected.statistic == pytest.approx((1 + 10 / 9) ** 0.5)
    assert corrected.p_value > plain.p_value


@pytest.mark.parametrize("values", [[], [0.5], [0.5, np.inf], [np.nan, 1.0]])
def test_where_nothing_can_be_tested_everything_but_the_mean_is_unknown(values: list[float]) -> None:
    for found in (corrected_t(np.array(values), 0.1), wilcoxon(np.array(values))):
        assert np.isnan([found.low, found.high, found.statistic, found.p_value]).all()


@given(numbers)
@settings(max_examples=60, deadline=None)
def test_signed_ranks_are_exact_with_ties_and_zeros(values: list[float]) -> None:
    statistic, p_value = signed_rank_p(np.array(values))
    assert statistic == min(slow.rank_sums(values))
    assert p_value == pytest.approx(slow.signed_rank_tail(values))


@given(st.lists(st.integers(1, 60), min_size=2, max_size=40, unique=True), st.lists(st.booleans(), min_size=40))
@settings(max_examples=30, deadline=None)
def test_signed_ranks_without_ties_are_those_of_scipy(sizes: list[int], signs: list[bool]) -> None:
    values = np.array([size if sign else -size for size, sign in zip(sizes, signs, strict=False)], dtype=float)
    theirs = stats.wilcoxon(values, method="exact")
    assert signed_rank_p(values) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_five_equal_differences_are_not_significant() -> None:
    found = wilcoxon(np.full(5, 0.02))
    assert found.p_value == 2 / 2**5
    assert np.isnan([found.low, found.high]).all()
    assert wilcoxon(np.full(6, 0.02)).low == 0.02


@given(st.lists(st.integers(-2, 4).map(float), min_size=2, max_size=14), st.sampled_from([0.8, 0.9, 0.95]))
@settings(max_examples=100, deadline=None)
def test_an_interval_excludes_0_only_if_the_difference_is_significant(values: list[float], level: float) -> None:
    found = wilcoxon(np.array(values), level=level)
    if found.p_value > 1 - level + 1e-12:
        assert np.isnan(found.low) or found.low <= 0 <= found.high
    else:
        assert found.low >= 0 or found.high <= 0


@given(numbers, st.sampled_from([0.5, 0.8, 0.9, 0.95]))
@settings(max_examples=30, deadline=None)
def test_the_interval_of_medians_is_as_sure_as_it_says(values: list[float], level: float) -> None:
    middle, low, high = hodges_lehmann(np.array(values), level)
    means = slow.pair_means(values)
    assert middle == pytest.approx(float(np.median(means)))
    expected = slow.interval_of_medians(values, level)
    if expected is None:
        assert np.isnan([low, high]).all()
    else:
        assert (low, high) == pytest.approx(expected)


def test_many_differences_have_a_normal_interval_and_very_many_none() -> None:
    values = np.random.default_rng(2).normal(0.3, 1.0, 400)
    middle, low, high = hodges_lehmann(values, 0.95)
    assert low < middle < high
    assert high - low == pytest.approx(2 * 1.96 / 20, rel=0.15)
    assert np.isnan(hodges_lehmann(np.zeros(2001), 0.95)[1:]).all()


@given(st.lists(st.integers(0, 40).map(lambda n: n / 40), min_size=1, max_size=7))
def test_holm_is_a_step_down(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(slow.holm(p_values))


def test_holm_leaves_out_what_could_not_be_tested() -> None:
    assert holm([0.01, float("nan"), 0.04])[::2] == pytest.approx([0.02, 0.04])
    assert np.isnan(holm([0.01, float("nan")])[1])


def test_wilcoxon_of_demsar() -> None:
    """Demsar 2006, section 3.1.3: C4.5 against C4.5+m has the rank sums 93 and 12."""
    differences = DEMSAR[:, 1] - DEMSAR[:, 0]
    assert slow.rank_sums(np.round(differences, 6).tolist()) == (93, 12)
    assert wilcoxon(differences).statistic == 12


def test_ties_are_ties_whatever_rounding_makes_of_them() -> None:
    differences = np.array([0.3 - 0.2, 0.4 - 0.3, 0.0 - 0.1, 0.7 - 0.5])
    assert np.unique(np.abs(differences)).size > 2
    assert signed_rank_p(differences) == signed_rank_p(np.array([1.0, 1.0, -1.0, 2.0]))


def test_ranks_and_friedman_of_demsar() -> None:
    """Demsar 2006, section 3.2.2: mean ranks 3.143, 2.000, 2.893, 1.964; chi-square 9.28, F 3.69."""
    ranks = slow.ranks_by_table(DEMSAR.tolist(), greater_is_better=True)
    found = friedman(DEMSAR.T, NAMES, AUC)
    assert np.round(found.ranks, 3).tolist() == [3.143, 2.0, 2.893, 1.964]
    assert round(slow.friedman(ranks), 2) == 9.28
    assert round(slow.iman_davenport(slow.friedman(ranks), 14, 4), 2) == 3.69
    # The paper's statistic takes no account of ties, of which there are some; scipy's does.
    assert found.chi_square == pytest.approx(slow.friedman_with_ties(ranks))
    assert found.f_statistic == pytest.approx(slow.iman_davenport(found.chi_square, 14, 4))
    assert found.p_value == pytest.approx(float(stats.chi2.sf(found.chi_square, 3)))


def test_critical_distances_of_demsar() -> None:
    """Demsar 2006, table 5(a), and section 3.2.2: 1.25 at 0.05 for four learners on 14 data sets, 1.12 at 0.10."""
    printed = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}
    for k, q in printed.items():
        assert critical_distance(k, 1) / (k * (k + 1) / 6) ** 0.5 == pytest.approx(q, abs=1e-3)
    assert round(critical_distance(4, 14), 2) == 1.25
    assert round(critical_distance(4, 14, 0.10), 2) == 1.12


@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=2, max_size=8), st.booleans())
@settings(max_examples=30, deadline=None)
def test_friedman_is_its_definition(rows: list[list[int]], greater: bool) -> None:
    values = [[float(value) for value in row] for row in rows]
    ranks = slow.ranks_by_table(values, greater_is_better=greater)
    found = friedman(np.array(values).T, "abc", replace(AUC, greater_is_better=greater))
    assert found.ranks == pytest.approx(np.mean(ranks, axis=0).tolist())
    if all(rank == 2 for row in ranks for rank in row):
        assert (found.chi_square, found.p_value) == (0.0, 1.0)
    else:
        assert found.chi_square == pytest.approx(slow.friedman_with_ties(ranks))


def test_friedman_of_two_is_the_sign_test() -> None:
    values = np.array([[1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 1.0, 2.0, 5.0, 5.0]])
    ranks = slow.ranks_by_table(values.T.tolist(), greater_is_better=True)
    found = friedman(values, "ab", AUC)
    assert found.chi_square == pytest.approx(slow.friedman_with_ties(ranks)) == pytest.approx((3 - 1) ** 2 / 4)


def test_groups_are_the_longest_runs_within_the_critical_distance() -> None:
    found = friedman(DEMSAR.T, NAMES, AUC)
    assert found.groups() == [("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")]
    clear = friedman(np.arange(3.0)[:, None] + np.zeros(40), "abc", AUC)
    assert clear.groups() == []
    assert str(found).startswith("Friedman over 14 tables: chi-square")
    assert "critical distance at 0.05: 1.254 (Nemenyi)" in str(found)


def test_mean_ranks_leave_out_columns_that_a_learner_lacks() -> None:
    values = np.array([[1.0, 2.0, np.nan], [2.0, 1.0, 5.0], [np.nan] * 3])
    assert mean_ranks(values, greater_is_better=True)[:2].tolist() == [1.5, 1.5]
    assert np.isnan(mean_ranks(values, greater_is_better=True)[2])
    assert np.isnan(mean_ranks(np.full((2, 2), np.nan), greater_is_better=True)).all()


def test_means_of_the_same_numbers_in_another_order_are_equals() -> None:
    first, second = np.mean([0.7, 0.8, 0.6]), np.mean([0.6, 0.7, 0.8])
    assert first != second
    values = np.array([[first, 0.2], [second, 0.1], [-np.inf, -np.inf], [-np.inf, 0.1]])
    assert mean_ranks(values, greater_is_better=True).tolist() == [1.25, 2.0, 3.75, 3.0]
    assert mean_ranks(values, greater_is_better=False).tolist() == [3.75, 3.0, 1.25, 2.0]
    np.testing.assert_array_equal(friedman(values, "abcd", AUC).ranks, [1.25, 2.0, 3.75, 3.0])


@given(st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=2, max_size=6), st.booleans())
@settings(max_examples=30, deadline=None)
def test_ranks_are_those_of_scipy(table: list[list[int]], greater: bool) -> None:
    values = np.array(table) / 7
    expected = stats.rankdata(-values if greater else values, axis=0).mean(axis=1)
    np.testing.assert_allclose(mean_ranks(values, greater_is_better=greater), expected)
    means = np.array(table).mean(axis=1)
    best = np.flatnonzero(np.isclose(means, means.max() if greater else means.min()))
    assert leading(values, greater_is_better=greater) == best.tolist()


def test_the_diagram_has_every_learner_at_its_rank_and_a_bar_for_each_group() -> None:
    ranks = friedman(DEMSAR.T, NAMES, AUC)
    ax = ranks.plot()
    assert ax.get_title() == "AUC: mean ranks over 14 tables"
    texts = [text.get_text() for text in ax.texts]
    for name, rank in zip(ranks.learners, ranks.ranks, strict=True):
        assert any(name in text and f"{rank:.2f}" in text for text in texts)
    assert "critical distance 1.25 (Nemenyi, 0.05)" in texts
    bars = [line for line in ax.lines if line.get_linewidth() == 4]
    assert len(bars) == len(ranks.groups()) == 1
    pyplot.close(ax.figure)


def test_pairs_are_drawn_with_their_intervals() -> None:
    X, y = np.random.default_rng(0).normal(size=(60, 2)), ["a", "b"] * 30
    learners = {"tree": DecisionTreeClassifier(), "Bayes": GaussianNB(), "guess": DummyClassifier()}
    pairs = compare(learners, X, y, splits=4).paired("accuracy")
    ax = pairs.plot()
    assert [text.get_text() for text in ax.get_yticklabels()] == ["tree - Bayes", "tree - guess", "Bayes - guess"]
    dots = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    assert dots == [test.difference for test in pairs.tests]
    pyplot.close("all")


def test_left_out_predictions_are_drawn_beside_the_truth() -> None:
    X, y = np.arange(12.0)[:, None], np.repeat(["a", "b"], 6)
    found = leave_one_out(DecisionTreeClassifier(), X, y)
    assert [int(text.get_text()) for text in found.plot().texts] == [
        int(((found.truth == row) & (found.predicted == column)).sum()) for row in "ab" for column in "ab"
    ]
    numbers = leave_one_out(DecisionTreeRegressor(), X, X[:, 0])
    np.testing.assert_array_equal(numbers.plot().lines[-1].get_ydata(), numbers.predicted)
    pyplot.close("all")
