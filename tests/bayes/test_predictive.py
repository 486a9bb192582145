"""Predictive distributions: worked examples, exact fractions, laws, and what is refused."""

from __future__ import annotations

import itertools
import math
import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import predictive as exact
from scipy.special import gammaln

from priorcase.bayes import (
    NaiveBayes,
    evidence,
    growth,
    laplace,
    log_marginal,
    m_estimate,
    maximum_a_posteriori,
    maximum_likelihood,
    stochastic_complexity,
)
from priorcase.bayes.predictive import evidence_share, log_rising

CLOSE = {"rel": 1e-14, "abs": 1e-300}

counts_of = st.lists(st.integers(0, 20), min_size=1, max_size=7)
fractions = st.fractions(min_value=Fraction(1, 8), max_value=5, max_denominator=16)
amounts = st.lists(st.floats(0, 1e12), min_size=1, max_size=7)
weight = st.floats(1e-6, 1e6)
ALL = (evidence, maximum_a_posteriori, maximum_likelihood, stochastic_complexity, laplace, lambda n: m_estimate(n, 2.5))


def floats(values):
    return [float(value) for value in values]


# -- Worked examples ---------------------------------------------------------------------------------------------------


def test_one_1_seen():
    """Kontkanen et al. 1997, section 4.1, its two lost fractions restored."""
    seen = [0, 1]
    assert maximum_likelihood(seen).tolist() == [0.0, 1.0]
    assert evidence(seen) == pytest.approx([1 / 3, 2 / 3])
    assert stochastic_complexity(seen) == pytest.approx([1 / 5, 4 / 5])
    assert exact.evidence([0, 1], [1, 1])[1] == Fraction(2, 3)
    assert exact.stochastic_complexity([0, 1])[1] == Fraction(4, 5)


def test_log_scores_of_a_0_after_a_1():
    """-log 3 and -log 5; the paper prints the former as log 2 - log 3, which is that of a second 1."""
    assert np.log(evidence([0, 1])[0]) == pytest.approx(-math.log(3))
    assert np.log(evidence([0, 1])[1]) == pytest.approx(math.log(2) - math.log(3))
    assert np.log(stochastic_complexity([0, 1])[0]) == pytest.approx(-math.log(5))


# Of ten tax payers seven did not cheat; refund yes or no, single, married or divorced.
REFUND = {"no": [3, 4], "yes": [0, 3]}
STATUS = {"no": [2, 4, 1], "yes": [2, 0, 1]}


def test_frequencies_of_the_lecture():
    assert maximum_likelihood(REFUND["no"]) == pytest.approx([3 / 7, 4 / 7])
    assert maximum_likelihood(STATUS["no"]) == pytest.approx([2 / 7, 4 / 7, 1 / 7])
    assert maximum_likelihood(STATUS["yes"]) == pytest.approx([2 / 3, 0, 1 / 3])
    # Refund = no and married, times the density 0.0072 of the income: 0.0024.
    product = maximum_likelihood(REFUND["no"])[1] * maximum_likelihood(STATUS["no"])[1] * 0.0072
    assert round(product, 4) == 0.0024


def test_m_estimate_of_the_lecture():
    """Nobody married among the cheaters; with m = 3 and p = 1/3 the probability is 1/6 and not 0."""
    assert m_estimate(STATUS["yes"], m=3)[1] == pytest.approx(1 / 6)
    assert m_estimate(STATUS["yes"], m=3, p=1 / 3)[1] == pytest.approx(1 / 6)
    assert m_estimate(STATUS["yes"], m=3, p=[1 / 3, 1 / 3, 1 / 3])[1] == pytest.approx(1 / 6)
    assert laplace(STATUS["yes"])[1] == pytest.approx(1 / 6)


def test_values_of_growth():
    assert growth([0, 1, 2]) == pytest.approx([0, math.log(4), math.log(27 / 4)], rel=1e-15)
    assert growth(0) == 0.0


# -- Exact fractions ---------------------------------------------------------------------------------------------------


@given(st.data())
def test_distributions_equal_the_fractions(data):
    counts = data.draw(counts_of)
    weights = data.draw(st.lists(fractions, min_size=len(counts), max_size=len(counts)))
    assert evidence(counts, floats(weights)) == pytest.approx(floats(exact.evidence(counts, weights)), **CLOSE)
    map_ = exact.maximum_a_posteriori(counts, weights)
    assert maximum_a_posteriori(counts, floats(weights)) == pytest.approx(floats(map_), **CLOSE)
    assert maximum_likelihood(counts) == pytest.approx(floats(exact.maximum_likelihood(counts)), **CLOSE)
    sc = exact.stochastic_complexity(counts)
    assert stochastic_complexity(counts) == pytest.approx(floats(sc), **CLOSE)


@given(counts_of, fractions, st.randoms(use_true_random=False))
def test_marginal_is_the_chain_of_evidence_in_any_order(counts, a, shuffler):
    sequence = [value for value, n in enumerate(counts) for _ in range(n)]
    weights = [a] * len(counts)
    forwards = exact.marginal(sequence, weights)
    shuffler.shuffle(sequence)
    assert exact.marginal(sequence, weights) == forwards
    assert log_marginal(counts, float(a)) == pytest.approx(exact.log(forwards), rel=1e-12, abs=1e-12)


@given(st.data())
def test_marginal_with_a_weight_for_each_value(data):
    counts = data.draw(counts_of)
    weights = data.draw(st.lists(fractions, min_size=len(counts), max_size=len(counts)))
    sequence = [value for value, n in enumerate(counts) for _ in range(n)]
    expected = exact.log(exact.marginal(sequence, weights))
    assert log_marginal(counts, floats(weights)) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(amounts, weight, st.data())
def test_one_more_value_adds_its_log_evidence(counts, a, data):
    counts = [n % 1000 for n in counts]
    i = data.draw(st.integers(0, len(counts) - 1))
    more = [n + (j == i) for j, n in enumerate(counts)]
    added = log_marginal(more, a) - log_marginal(counts, a)
    size = abs(float(log_marginal(counts, a)))
    # Rising factorials of up to 7e3 values and weights up to 1e6: each is a sum of up to 1e5 nats.
    assert added == pytest.approx(float(np.log(evidence(counts, a)[i])), abs=1e-10 + 1e-12 * size)


def random_rows(rng, n, gaps):
    sizes = (2, 3, 4)
    rows = [tuple(None if rng.random() < gaps else rng.randrange(size) for size in sizes) for _ in range(n)]
    return rows, [rng.randrange(3) for _ in range(n)]


@pytest.mark.parametrize("gaps", [0.0, 0.3])
@pytest.mark.parametrize("n", [0, 1, 5, 14])
def test_sc_of_classes_equals_the_likelihood_of_all_rows(n, gaps):
    """The form with one term for each attribute, against every row's likelihood in exact fractions."""
    rng = random.Random(n)
    for _ in range(8):
        rows, classes = random_rows(rng, n, gaps)
        (query,), _ = random_rows(rng, 1, gaps)
        joint = np.zeros(3)
        for k in range(3):
            own = [row for row, c in zip(rows, classes, strict=True) if c == k]
            joint[k] = growth(len(own))
            for i, value in enumerate(query):
                if value is not None:
                    known = [row[i] for row in own if row[i] is not None]
                    joint[k] += growth(known.count(value)) - growth(len(known))
        found = np.exp(joint - np.logaddexp.reduce(joint))
        assert found == pytest.approx(floats(exact.sc_classes(rows, classes, query, range(3))), rel=1e-12)


# -- Accuracy ----------------------------------------------------------------------------------------------------------

WHOLE = [*range(1, 40), 10**3, 12345, 10**6 + 1, 2**31, 10**9, 10**12 + 7, 2**50 - 1, 10**15]
PARTS = [1e-60, 1e-16, 1e-3, 0.1, 0.5, 1 - 2**-53, 1.0, 1 + 2**-52, 1.5, 7.25, 123456.789]


@pytest.mark.parametrize("n", WHOLE + PARTS)
def test_growth_is_right_to_the_last_digits(n):
    right = exact.growth(Fraction(n))
    assert abs((Decimal(float(growth(n))) - right) / right) < Decimal("1e-15")


def test_growth_of_extreme_counts():
    assert growth(5e-324) > 0
    assert growth(1e308) == pytest.approx(math.log(1e308) + 1)


@pytest.mark.parametrize("counts", [[10**15, 10**15 - 1, 3], [10**15, 1, 0]])
def test_sc_of_huge_counts(counts):
    odds = [exact.growth(Fraction(n)).exp() for n in counts]
    assert stochastic_complexity(counts) == pytest.approx(floats(p / sum(odds) for p in odds), rel=1e-15)


@pytest.mark.parametrize("a", [1e-9, 0.3, 1.0, 9.99, 10.0, 10.01, 150.0, 1e6 + 0.5, 1e12])
@pytest.mark.parametrize("n", [0, 1, 2, 9, 200])
def test_log_rising_is_right_to_the_last_digits(a, n):
    right = exact.log(math.prod((Fraction(a) + j for j in range(n)), start=Fraction(1)))
    found = float(log_rising(np.array(a), np.array(float(n))))
    assert found == pytest.approx(right, rel=4e-15, abs=4e-15)


def test_log_rising_of_many_rows():
    a, n = np.array([0.5, 20.0, 300.0]), np.array([1e6, 1e6, 1e6])
    assert log_rising(a, n) == pytest.approx(gammaln(a + n) - gammaln(a), rel=1e-13)


def test_marginal_of_a_huge_count():
    """Two rare values beside 24 billion others: by hand from rising factorials of the total, 3 factors of 2.4e10."""
    n = 24005193910.0
    by_hand = 2 * math.lgamma(1.5) + math.lgamma(3.0) - sum(math.log(n + 1 + i) for i in range(3))
    for counts in ([n, 0.5, 0.5], [0.5, n, 0.5], [0.5, 0.5, n]):
        assert log_marginal(counts, 1.0) == pytest.approx(by_hand, rel=1e-13)


def test_marginal_of_a_huge_weight():
    """Every value is then as likely as the next, though each gamma function has 17 digits before the point."""
    assert log_marginal([3, 1, 0], 1e15) == pytest.approx(4 * math.log(1 / 3), rel=1e-12)


# -- Laws --------------------------------------------------------------------------------------------------------------


@given(amounts)
def test_distributions_sum_to_1(counts):
    for predict in ALL:
        found = predict(counts)
        assert found.sum() == pytest.approx(1.0, abs=1e-13)
        assert (found >= 0).all()


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=7), st.data())
def test_one_more_of_a_value_never_makes_it_less_likely(counts, data):
    i = data.draw(st.integers(0, len(counts) - 1))
    more = [n + (j == i) for j, n in enumerate(counts)]
    for predict in ALL:
        before, after = predict(counts), predict(more)
        # From no counts at all to one: equal shares become those of a single row.
        assert after[i] >= before[i] * (1 - 1e-14)
        if sum(counts):
            assert all(after[j] <= before[j] * (1 + 1e-14) for j in range(len(counts)) if j != i)


@given(amounts)
def test_more_often_seen_is_more_likely(counts):
    order = np.argsort(counts)
    for predict in ALL:
        assert (np.diff(predict(counts)[order]) >= -1e-16).all()


@given(amounts)
def test_map_with_weight_1_is_the_maximum_likelihood(counts):
    assert maximum_a_posteriori(counts).tolist() == maximum_likelihood(counts).tolist()


@given(amounts)
def test_map_with_weight_2_is_the_laplace_estimate(counts):
    assert maximum_a_posteriori(counts, 2) == pytest.approx(laplace(counts), **CLOSE)


@given(amounts, st.floats(1e-3, 1e3))
def test_map_with_one_more_weight_is_the_evidence(counts, a):
    assert maximum_a_posteriori(counts, 1 + a) == pytest.approx(evidence(counts, a), rel=1e-9, abs=1e-300)


@given(amounts)
def test_evidence_tends_to_uniform_and_to_the_frequencies(counts):
    uniform = 1 / len(counts)
    assert evidence(counts, 1e30) == pytest.approx([uniform] * len(counts), rel=1e-15)
    away = [np.abs(evidence(counts, a) - uniform).max() for a in (1e-3, 1.0, 1e3, 1e6, 1e30)]
    assert all(later <= earlier + 1e-15 for earlier, later in itertools.pairwise(away))
    if sum(counts) >= 1:
        assert evidence(counts, 1e-30) == pytest.approx(maximum_likelihood(counts), rel=1e-12, abs=1e-12)


@given(amounts, st.floats(1e-3, 1e3))
def test_m_estimate_is_the_evidence_with_m_shared_out(counts, m):
    assert m_estimate(counts, m) == pytest.approx(evidence(counts, m / len(counts)), **CLOSE)
    assert m_estimate(counts, len(counts)) == pytest.approx(laplace(counts), **CLOSE)


@given(amounts, weight)
def test_order_of_values_does_not_matter(counts, a):
    for predict in ALL:
        assert predict(counts[::-1])[::-1] == pytest.approx(predict(counts), **CLOSE)
    size = abs(float(log_marginal(counts, a)))
    assert log_marginal(counts[::-1], a) == pytest.approx(log_marginal(counts, a), abs=1e-9 + 1e-10 * size)


def test_tables_of_counts_are_done_along_the_last_axis():
    table = np.random.default_rng(0).integers(0, 5, (2, 3, 4))
    for predict in (*ALL, log_marginal):
        whole = predict(table)
        for i, j in itertools.product(range(2), range(3)):
            assert whole[i, j].tolist() == predict(table[i, j]).tolist()
    weights = np.arange(1.0, 13.0).reshape(3, 4)
    assert evidence(table, weights)[1, 2].tolist() == evidence(table[1, 2], weights[2]).tolist()
    assert log_marginal(table, weights).shape == (2, 3)


def test_one_value_is_certain():
    for predict in ALL:
        assert predict([3]).tolist() == predict([0]).tolist() == [1.0]
    assert log_marginal([7]) == pytest.approx(0.0, abs=1e-14)


def test_nothing_seen():
    for predict in ALL:
        assert predict([0, 0, 0, 0]).tolist() == [0.25] * 4
    assert evidence([0, 0], [1, 3]).tolist() == [0.25, 0.75]
    assert log_marginal([0, 0, 0], [0.1, 2, 1e9]) == 0.0


def test_map_with_weights_below_1():
    assert maximum_a_posteriori([3, 1, 0], 0.5) == pytest.approx([5 / 6, 1 / 6, 0])
    assert maximum_a_posteriori([0, 0], 0.5).tolist() == [0.5, 0.5]
    assert maximum_a_posteriori([0.25, 0.25, 0], 0.5) == pytest.approx([1 / 3] * 3)


def test_m_estimate_with_a_prior_distribution():
    assert m_estimate([2, 1, 0], 2, [0.5, 0.5, 0]) == pytest.approx([3 / 5, 2 / 5, 0])


def test_inputs_stay_as_they_are():
    counts, weights = np.array([3.0, 0.0]), np.array([0.5, 2.0])
    for call in (evidence, maximum_a_posteriori, log_marginal):
        call(counts, weights)
    stochastic_complexity(counts)
    result = maximum_likelihood(np.array([1.0]))
    result[0] = 7
    assert counts.tolist() == [3.0, 0.0]
    assert weights.tolist() == [0.5, 2.0]


def test_evidence_share_takes_numbers_and_arrays():
    assert evidence_share(1.0, 4.0, 0.5, 1.0) == 0.3
    assert evidence_share(np.array([1.0, 3.0]), np.array(4.0), np.array(0.5), np.array(1.0)).tolist() == [0.3, 0.7]


# -- Words -------------------------------------------------------------------------------------------------------------

NAMES = ["evidence", "maximum_a_posteriori", "maximum_likelihood", "stochastic_complexity", "laplace", "log_marginal"]
FUNCTIONS = {name: globals()[name] for name in NAMES} | {"m_estimate": lambda counts: m_estimate(counts, 1)}


WEIGHTED = {"evidence": evidence, "maximum_a_posteriori": maximum_a_posteriori, "log_marginal": log_marginal}


def test_sc_favors_classes_without_rows() -> None:
    """Eq. 8 (Kontkanen et al. 1997): an empty class pays nothing for its attributes, also if its row is left out."""
    coins = np.random.default_rng(0).integers(0, 2, (40, 14)).astype(str)
    sides = ["left", "right"] * 20
    model = NaiveBayes("sc").partial_fit(coins, sides, classes=["left", "never", "right"])
    joint = model.predict_joint_log_proba(coins[:1])[0]
    with_rows = []
    for side in ("left", "right"):
        same = (coins[np.array(sides) == side] == coins[0]).sum(axis=0)
        with_rows.append(growth(20) + (growth(same) - growth(20)).sum())
    np.testing.assert_allclose(joint[[0, 2]] - joint[1], with_rows, rtol=1e-9)  # the terms of the empty class are 0
    assert model.predict_proba(coins[:1])[0, 1] > 0.99
    evidence = NaiveBayes().partial_fit(coins, sides, classes=["left", "never", "right"])
    assert evidence.predict_proba(coins[:1])[0, 1] < 0.1
    alone = NaiveBayes("sc").fit(coins, ["once", *sides[1:]])
    assert alone.loo_predict_proba()[0, 1] > 0.99
