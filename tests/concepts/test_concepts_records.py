"""Wilson's interval and the verdicts on records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.concepts import SplitMix64, wilson
from scipy.special import ndtri

from priorcase.concepts import wilson_interval
from priorcase.concepts.classification import below
from priorcase.concepts.records import verdicts
from priorcase.exceptions import ParameterError
from priorcase.relevance.base import splitmix


@given(
    n=st.floats(1e-3, 1e6) | st.integers(0, 50),
    share=st.floats(0, 1),
    confidence=st.sampled_from([0.5, 0.75, 0.875, 0.9, 0.975]),
)
def test_the_same_bits_as_the_slow_one(n: float, share: float, confidence: float) -> None:
    s = n * share
    low, high = wilson_interval(s, n, confidence=confidence)
    assert (float(low), float(high)) == wilson(s, n, float(ndtri(confidence)))
    assert low <= high


def test_hardly_any_trials_say_nothing() -> None:
    assert [bound.tolist() for bound in wilson_interval([0.0, 1e-200], [0.0, 1e-200])] == [[0.0, 0.0], [1.0, 1.0]]


def test_worked_example() -> None:
    """Wilson's interval for 15 of 20 at z = 1.96 is 0.531 to 0.888 (Brown, Cai & DasGupta 2001 use this form)."""
    low, high = wilson_interval(15, 20, confidence=0.975)
    assert (round(float(low), 3), round(float(high), 3)) == (0.531, 0.888)


def test_arrays_go_together() -> None:
    low, high = wilson_interval([[0], [1]], [1, 2, 4])
    assert low.shape == high.shape == (2, 3)
    assert low[0].tolist() == pytest.approx([0.0] * 3, abs=1e-15)


@pytest.mark.parametrize("confidence", [0.4, 1.0, 1.5, "0.9", None, True])
def test_confidence(confidence: object) -> None:
    with pytest.raises(ParameterError, match="wilson_interval: confidence must be"):
        wilson_interval(1, 2, confidence=confidence)  # type: ignore[arg-type]


def test_counts() -> None:
    with pytest.raises(ParameterError, match="successes must not exceed trials"):
        wilson_interval(3, 2)
    with pytest.raises(ParameterError, match="trials must be numbers >= 0"):
        wilson_interval(0, -1)
    with pytest.raises(ParameterError, match="successes must be numbers >= 0"):
        wilson_interval("a", 1)
    with pytest.raises(ParameterError, match="incompatible shapes"):
        wilson_interval([0, 1, 1], [1, 2])


def test_verdicts_need_intervals_that_do_not_overlap() -> None:
    low, high = np.array([0.5, 0.51, 0.1, 0.1]), np.array([0.9, 0.9, 0.4, 0.39])
    assert verdicts((low, high), (np.full(4, 0.4), np.full(4, 0.5))).tolist() == [
        "mediocre",
        "acceptable",
        "mediocre",
        "poor",
    ]


@given(seed=st.integers(0, 2**64 - 1), limits=st.lists(st.integers(1, 2**31), min_size=1, max_size=20))
def test_random_numbers_are_those_of_the_slow_one(seed: int, limits: list[int]) -> None:
    draws = SplitMix64(seed)
    expected = [draws.below(n) for n in limits]
    assert below(splitmix(seed, len(limits)), np.array(limits)).tolist() == expected
