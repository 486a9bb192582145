"""Noisy digits: the definition, its Bayes rate, and what is refused."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from reference.generators import LED, lit
from reference.generators import led_bayes_rate as exact_rate

import priorcase as pc
from priorcase.datasets import led_bayes_rate, make_led
from priorcase.exceptions import ParameterError
from priorcase.schema import Nominal, Schema


def test_without_noise_a_display_shows_its_digit() -> None:
    X, y = make_led(400, noise=0.0, random_state=1)
    assert set(y.tolist()) == set(LED)
    assert all(tuple(display) == lit(digit) for display, digit in zip(X.tolist(), y.tolist(), strict=True))


def test_digits_are_even_and_lights_are_inverted_one_by_one() -> None:
    n = 20_000
    X, y = make_led(n, random_state=2)
    wrong = np.array([lit(digit) for digit in y.tolist()]) != X
    error = np.sqrt(0.1 * 0.9 / n)
    np.testing.assert_allclose(np.bincount(y) / n, 0.1, atol=4 * error)
    np.testing.assert_allclose(wrong.mean(axis=0), 0.1, atol=4 * error)
    together = np.corrcoef(wrong.T)[np.triu_indices(7, 1)]
    np.testing.assert_allclose(together, 0.0, atol=4 / np.sqrt(n))


def test_17_more_lights_mean_nothing() -> None:
    n = 20_000
    X, y = make_led(n, attributes=24, random_state=2)
    seven, same = make_led(n, random_state=2)
    np.testing.assert_array_equal(X[:, :7], seven)
    np.testing.assert_array_equal(y, same)
    for digit in range(10):
        np.testing.assert_allclose(X[y == digit, 7:].mean(axis=0), 0.5, atol=4.5 * 0.5 / np.sqrt((y == digit).sum()))


def test_lights_are_symbols_without_being_declared() -> None:
    X, y = make_led(40, attributes=24, random_state=0)
    assert (X.dtype, X.shape, y.shape) == (np.dtype(bool), (40, 24), (40,))
    assert all(isinstance(kind, Nominal) for kind in Schema.infer(X).kinds)
    assert pc.KNNClassifier(1, distance="ib").fit(X, y).score(X, y) > 0.9


def test_a_seed_gives_the_same_rows() -> None:
    first, second = make_led(50, random_state=5), make_led(50, random_state=np.random.default_rng(5))
    for mine, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(mine, other)
    assert (make_led(50, random_state=6)[0] != first[0]).any()
    legacy = [make_led(50, random_state=np.random.RandomState(5))[0] for _ in range(2)]
    np.testing.assert_array_equal(*legacy)
    stream = np.random.default_rng(5)
    assert (make_led(50, random_state=stream)[0] != make_led(50, random_state=stream)[0]).any()


def test_no_rows_are_rows() -> None:
    X, y = make_led(0, attributes=24)
    assert (X.shape, y.shape) == ((0, 24), (0,))


# Bayes rate -----------------------------------------------------------------------------------------------------------


def test_the_bayes_rate_is_074() -> None:
    """0.7400 to the four places that are quoted; as a fraction it is 9250281 / 12500000."""
    exact = exact_rate(Fraction(1, 10))
    assert exact == Fraction(9250281, 12500000)
    assert f"{led_bayes_rate():.4f}" == "0.7400"
    assert led_bayes_rate() == pytest.approx(float(exact), abs=1e-15)


@pytest.mark.parametrize("noise", [Fraction(0), Fraction(1, 20), Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)])
def test_bayes_rates_equal_the_exact_ones(noise: Fraction) -> None:
    assert led_bayes_rate(float(noise)) == pytest.approx(float(exact_rate(noise)), abs=1e-14)


def test_replaced_lights_are_inverted_half_as_often() -> None:
    """The artificial domains' noise, "replaced by a random value", of 10 % would leave 0.867."""
    assert led_bayes_rate(0.05) == pytest.approx(0.867, abs=5e-4)
    assert led_bayes_rate(0.5) == pytest.approx(0.1)


def test_the_best_rule_on_drawn_rows_has_the_bayes_rate() -> None:
    n = 20_000
    X, y = make_led(n, random_state=3)
    wrong = (X[:, None, :] != np.array([lit(digit) for digit in range(10)])).sum(axis=2)
    hits = (wrong.argmin(axis=1) == y).mean()
    assert abs(hits - led_bayes_rate()) < 4 * np.sqrt(0.74 * 0.26 / n)


# Refusals -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n": -1}, "n must be"),
        ({"n": 2.0}, "n must be"),
        (
            {"attributes": 8},
            "attributes must be",
        ),
        ({"noise": 1.1}, "noise must be"),
        ({"noise": float("nan")}, "noise must be"),
        ({"noise": "low"}, "noise must be"),
        (
            {"random_state": -3},
            "random_state must be",
        ),
        ({"random_state": "0"}, "random_state must be None, an integer >= 0, or a NumPy Generator or"),
    ],
)
def test_what_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(words)):
        make_led(**{"n": 3, **options})


def test_a_rate_needs_a_share() -> None:
    with pytest.raises(ParameterError, match="noise must be"):
        led_bayes_rate(-0.1)
