"""Densities of numbers: against slow references, identities, SciPy, scikit-learn and the lecture's example."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import numeric as reference
from scipy import integrate, stats
from sklearn.naive_bayes import GaussianNB

from priorcase.bayes import (
    MDL,
    CutPoints,
    EqualFrequency,
    EqualWidth,
    GaussianDensity,
    KernelDensity,
    KMeansBins,
    Student,
    TwoWay,
)
from priorcase.bayes.numeric import Moments, check_spread, log_densities, resolve_numeric
from priorcase.exceptions import NumericRangeError

# The lecture's table: taxable income of those who did not cheat and of those who did.
NO = [125.0, 100.0, 70.0, 120.0, 60.0, 220.0, 75.0]
YES = [95.0, 85.0, 90.0]
CLASSES = st.lists(
    st.lists(st.floats(-100, 100, allow_subnormal=False).map(lambda x: round(x, 3)), max_size=6),
    min_size=1,
    max_size=3,
).filter(lambda classes: len({x for values in classes for x in values}) > 1)


def moments(*classes: list[float]) -> Moments:
    """The moments of some classes, by fractions."""
    everything = [x for values in classes for x in values]
    n = np.array([float(len(values)) for values in classes])
    means = np.array([float(reference.mean(values)) if values else 0.0 for values in classes])
    deviations = np.array([float(reference.deviation(values)) if values else 0.0 for values in classes])
    if not everything:
        return Moments(n, means, deviations, 0.0, 0.0, 0.0)
    overall = float(reference.mean(everything)), float(reference.deviation(everything))
    return Moments(n, means, deviations, float(len(everything)), *overall)


def densities(strategy, classes, x):
    return log_densities(strategy.parameters(moments(*classes)), np.atleast_1d(np.asarray(x, dtype=float)))


def test_the_lecture_example():
    found = np.exp(densities(GaussianDensity(0), [NO, YES], 120.0))[0]
    assert found == pytest.approx([0.0072, 1.2e-9], rel=0.02)
    assert moments(NO, YES).mean.tolist() == [110.0, 90.0]
    assert (moments(NO, YES).deviation / [6, 2]).tolist() == [2975.0, 25.0]
    assert 4 / 7 * 4 / 7 * found[0] == pytest.approx(0.0024, rel=0.03)


@given(CLASSES, st.floats(-300, 300), st.floats(0.1, 10), st.floats(0.1, 10))
def test_student_is_a_ratio_of_evidences(classes, x, strength, degrees):
    everything = [value for values in classes for value in values]
    expected = [reference.log_student(x, values, everything, strength, degrees) for values in classes]
    assert densities(Student(strength, degrees), classes, x)[0] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(CLASSES, st.floats(-300, 300))
def test_the_ratio_holds_for_the_marginal_itself(classes, x):
    strategy = Student(2.0, 3.0, mean=1.0, scale=5.0)
    before = strategy.log_marginal(moments(*classes))
    after = strategy.log_marginal(moments(*([*values, x] for values in classes)))
    assert densities(strategy, classes, x)[0] == pytest.approx(after - before, rel=1e-12, abs=1e-11)


@given(CLASSES)
def test_the_marginal_equals_the_reference(classes):
    everything = [value for values in classes for value in values]
    prior = {"strength": 2.0, "degrees": 3.0, "prior_mean": 1.0, "scale": 5.0}
    strategy, m = Student(2.0, 3.0, mean=1.0, scale=5.0), moments(*classes)
    expected = [reference.log_normal_gamma_marginal(values, **prior) for values in classes]
    assert strategy.log_marginal(m) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    pooled = reference.log_normal_gamma_marginal(everything, **prior)
    assert strategy.log_marginal(m.pooled())[0] == pytest.approx(pooled, rel=1e-12, abs=1e-12)


def test_the_marginal_equals_the_integral():
    values, k0, nu, m0, scale = [0.3, 1.1, -0.4], 2.0, 3.0, 0.5, 1.2

    log_precision, mean = np.linspace(-9.0, 4.0, 400)[:, None], np.linspace(-6.0, 7.0, 2000)
    precision = np.exp(log_precision)
    density = stats.gamma.pdf(precision, nu / 2, scale=1 / (nu / 2 * scale**2)) * precision
    density = density * stats.norm.pdf(mean, m0, 1 / np.sqrt(k0 * precision))
    for value in values:
        density = density * stats.norm.pdf(value, mean, 1 / np.sqrt(precision))
    expected = integrate.simpson(integrate.simpson(density, x=mean), x=log_precision[:, 0])
    found = Student(k0, nu, m0, scale).log_marginal(moments(values, [5.0]))[0]
    assert math.exp(found) == pytest.approx(expected, rel=1e-4)


@given(CLASSES, st.floats(-300, 300))
def test_student_is_scipys(classes, x):
    m = moments(*classes)
    c, location, q, e = Student().parameters(m).T
    degrees = 2 * e - 1
    expected = stats.t.logpdf(x, degrees, location, np.sqrt(1 / (q * degrees)))
    assert densities(Student(), classes, x)[0] == pytest.approx(expected, rel=1e-10, abs=1e-10)
    assert np.isfinite(c).all()


@pytest.mark.parametrize("n", [1e3, 1e6, 1e9])
def test_student_becomes_the_gaussian_with_many_rows(n):
    one = np.array([n])
    m = Moments(one, np.array([3.0]), 4 * one, n, 3.0, 4 * n)
    x = np.array([3.0, 5.0, 9.0])
    student, gaussian = (log_densities(s.parameters(m), x) for s in (Student(), GaussianDensity(0)))
    assert student == pytest.approx(gaussian, rel=50 / n, abs=1e-13)


def test_pooled_forms_take_all_classes_for_one():
    m, whole = moments(NO, YES), moments(NO + YES)
    assert Student().parameters(m.pooled())[0] == pytest.approx(Student().parameters(whole)[0])
    assert Student().log_marginal(m.pooled())[0] == pytest.approx(Student().log_marginal(whole)[0])


@given(CLASSES, st.floats(-300, 300), st.sampled_from([0.0, 1e-9, 0.5]))
def test_gaussian_equals_the_reference(classes, x, smoothing):
    everything = [value for values in classes for value in values]
    expected = [reference.log_gaussian(x, values, everything, smoothing) for values in classes]
    assert densities(GaussianDensity(smoothing), classes, x)[0] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_gaussian_equals_scikit_learns_up_to_its_divisor():
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 90)
    values = random.normal(size=90) * (1 + y) + y
    peer = GaussianNB(var_smoothing=0).fit(values[:, None], y)
    c, location, q, e = GaussianDensity(0).parameters(moments(*(values[y == k].tolist() for k in range(3)))).T
    n = np.bincount(y)
    assert location == pytest.approx(peer.theta_[:, 0])
    assert 0.5 / q * (n - 1) / n == pytest.approx(peer.var_[:, 0])
    assert c == pytest.approx(-0.5 * np.log(2 * np.pi * peer.var_[:, 0] * n / (n - 1)))
    assert e.tolist() == [0.0] * 3


@pytest.mark.parametrize("strategy", [Student(), GaussianDensity(), GaussianDensity(0), Student(mean=1.0, scale=2.0)])
@pytest.mark.parametrize("classes", [([], []), ([3.0], []), ([3.0, 3.0], [3.0])])
def test_columns_without_differences_say_nothing(strategy, classes):
    m = moments(*classes)
    assert not strategy.parameters(m).any()
    assert densities(strategy, classes, [3.0, 99.0]).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    if isinstance(strategy, Student):
        assert strategy.log_marginal(m).tolist() == [0.0, 0.0]
        assert strategy.log_marginal(m.pooled())[0] == 0.0
        assert not strategy.parameters(m.pooled()).any()


def test_classes_without_spread():
    classes = [[1.0, 2.0, 3.0, 6.0], [5.0], [], [4.0, 4.0]]
    variance = float(reference.deviation([1.0, 2.0, 3.0, 6.0, 5.0, 4.0, 4.0])) / 6
    _, location, q, _ = GaussianDensity(0).parameters(moments(*classes)).T
    assert location[1:] == pytest.approx([5.0, 25 / 7, 4.0])
    assert 0.5 / q[1:] == pytest.approx([variance] * 3)
    assert 0.5 / GaussianDensity(0.5).parameters(moments(*classes))[3, 2] == pytest.approx(variance / 2)


def test_gaps_and_numbers_far_away():
    found = densities(Student(), [NO, YES], [math.nan, 1e200, -1e308, 1e155])
    assert found[0].tolist() == [0.0, 0.0]
    assert np.isfinite(found).all()
    assert densities(GaussianDensity(), [NO, YES], 1e200).tolist() == [[-math.inf, -math.inf]]


@pytest.mark.parametrize(("deviation", "words"), [(1e300, "large"), (math.inf, "large"), (1e-300, "small")])
def test_spreads_beyond_float64(deviation, words):
    one = np.ones(1)
    m = Moments(2 * one, one, deviation * one, 2.0, 1.0, deviation)
    with pytest.raises(NumericRangeError, match=f"variance too {words}"):
        check_spread(m, column="a")
    for strategy in (Student(), GaussianDensity()):
        assert not strategy.parameters(m).any()


def test_names_of_strategies():
    named = {
        "student": Student(),
        "gaussian": GaussianDensity(),
        "kernel": KernelDensity(),
        "equal_width": EqualWidth(),
        "equal_frequency": EqualFrequency(),
        "kmeans": KMeansBins(),
        "mdl": MDL(),
        "two_way": TwoWay(),
    }
    for name, strategy in named.items():
        assert resolve_numeric(name) == strategy == resolve_numeric(strategy)
    assert resolve_numeric(CutPoints((1,))) == CutPoints((1.0,))
