"""Noisy mixtures of waves: the definition, its Bayes rate, and what is refused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from reference.generators import MIXED, wave, waveform_best_guess, waveform_log_density
from scipy.integrate import quad

from priorcase.datasets import make_waveform
from priorcase.datasets.generators import PAIRS, WAVES
from priorcase.exceptions import ParameterError


def test_the_waves_are_those_of_the_book() -> None:
    np.testing.assert_array_equal(WAVES, [[wave(number, i) for i in range(1, 22)] for number in (1, 2, 3)])
    assert WAVES.argmax(axis=1).tolist() == [10, 14, 6]
    assert dict(enumerate(PAIRS)) == {label: (a - 1, b - 1) for label, (a, b) in MIXED.items()}


def test_rows_have_the_means_and_spreads_of_their_class() -> None:
    """Of u h_a + (1 - u) h_b + e: the mean (h_a + h_b) / 2, the covariance (h_a - h_b)(h_a - h_b)' / 12 + I."""
    X, y = make_waveform(30_000, random_state=0)
    np.testing.assert_allclose(np.bincount(y) / y.size, 1 / 3, atol=0.012)
    for label, (a, b) in MIXED.items():
        h, g = (np.array([wave(number, i) for i in range(1, 22)], float) for number in (a, b))
        rows = X[y == label]
        spread = np.outer(h - g, h - g) / 12 + np.eye(21)
        error = np.sqrt(np.diag(spread) / len(rows))
        assert (np.abs(rows.mean(axis=0) - (h + g) / 2) < 4.5 * error).all()
        np.testing.assert_allclose(np.cov(rows.T), spread, atol=0.15)


def test_19_more_numbers_mean_nothing() -> None:
    X, y = make_waveform(9000, attributes=40, random_state=4)
    points, same = make_waveform(9000, random_state=4)
    np.testing.assert_array_equal(X[:, :21], points)
    np.testing.assert_array_equal(y, same)
    for label in MIXED:
        extra = X[y == label, 21:]
        np.testing.assert_allclose(extra.mean(axis=0), 0.0, atol=4.5 / np.sqrt(len(extra)))
        np.testing.assert_allclose(extra.std(axis=0), 1.0, atol=4.5 / np.sqrt(2 * len(extra)))


def test_a_seed_gives_the_same_rows() -> None:
    for mine, other in zip(make_waveform(20, random_state=5), make_waveform(20, random_state=5), strict=True):
        np.testing.assert_array_equal(mine, other)
    assert (make_waveform(20, random_state=6)[0] != make_waveform(20, random_state=5)[0]).all()


# Bayes rate -----------------------------------------------------------------------------------------------------------


def test_the_density_is_the_integral_over_u() -> None:
    X, _ = make_waveform(4, random_state=1)
    for row in X:
        for label, (a, b) in MIXED.items():
            h, g = (np.array([wave(number, i) for i in range(1, 22)]) for number in (a, b))

            def at(u: float, row: Any = row, h: Any = h, g: Any = g) -> float:
                return float(np.exp(-((row - u * h - (1 - u) * g) ** 2).sum() / 2))

            integral = quad(at, 0, 1, epsrel=1e-10, limit=200)[0]
            assert waveform_log_density(row, label) == pytest.approx(np.log(integral), abs=1e-6)


def test_the_best_rule_is_right_in_86_to_87_of_100_rows() -> None:
    """Breiman et al. 1984 give about 0.86; the standard error of 8000 rows is 0.004."""
    X, y = make_waveform(8000, random_state=7)
    hits = np.mean([waveform_best_guess(row) == label for row, label in zip(X.tolist(), y.tolist(), strict=True)])
    assert 0.86 <= hits <= 0.875


# Refusals -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"n": True},
            "n must be",
        ),
        (
            {"attributes": 20},
            "attributes must be",
        ),
        ({"random_state": 0.5}, "random_state must be"),
    ],
)
def test_what_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(words)):
        make_waveform(**{"n": 3, **options})
