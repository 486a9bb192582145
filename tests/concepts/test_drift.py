"""Streams whose concept changes: what a window and a decay of records are for.

Each figure is the share of instances predicted correctly before they were learned (one label in ten is wrong, so that
0.9 would be perfect), as a mean of eight streams. Docstrings say what was measured; margins stay below.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from priorcase.concepts import IB1, IB2, IB3
from priorcase.concepts.records import normal_quantile

N, CHANGE, TRIALS = 2000, 1000, 8
FORGETTING = {"decay": {"decay": 0.8}, "window": {"window": 500}, "neither": {}}
forgetting = pytest.mark.parametrize("how", ["decay", "window"])


def noisy(rng: np.random.Generator, y: Any) -> Any:
    return y ^ (rng.random(len(y)) < 0.1)


def swapped(seed: int) -> tuple[Any, Any]:
    """One half of a square against the other; in mid-stream the classes change places."""
    rng = np.random.default_rng(seed)
    X = rng.random((N, 2))
    return X, noisy(rng, (X[:, 0] > 0.5) ^ (np.arange(N) >= CHANGE))


def rotating(seed: int) -> tuple[Any, Any]:
    """Two halves of a square, whose boundary from mid-stream on turns by half a circle."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (N, 2))
    angle = np.pi * np.clip((np.arange(N) - CHANGE) / (N - CHANGE), 0, None)
    return X, noisy(rng, X[:, 0] * np.cos(angle) + X[:, 1] * np.sin(angle) > 0)


@cache
def right(make: Callable[[int], Any], how: str) -> Any:
    """Mean accuracy in each quarter of the stream."""
    found = []
    for seed in range(TRIALS):
        history = IB3(random_state=seed, history=True, **FORGETTING[how]).fit(*make(seed)).history_
        found.append((history.correct == 1).reshape(4, -1).mean(axis=1))
    return np.mean(found, axis=0)


@pytest.mark.parametrize("make", [swapped, rotating])
@pytest.mark.parametrize(("how", "price"), [("decay", 0.03), ("window", 0.05)])
def test_before_the_drift_forgetting_costs_little(make: Callable[[int], Any], how: str, price: float) -> None:
    """0.87 with a decay of 0.8 and 0.85 with a window of 500, against 0.87 without."""
    assert right(make, "neither")[1] > 0.85
    assert right(make, how)[1] > right(make, "neither")[1] - price


@forgetting
def test_after_a_swap_forgetting_recovers_sooner(how: str) -> None:
    """In the 500 instances after it 0.78 with either, against 0.52 without; in the next 500 0.87, 0.85 and 0.77."""
    gain = right(swapped, how) - right(swapped, "neither")
    assert gain[2] > 0.15
    assert gain[3] > 0.05


@forgetting
def test_forgetting_keeps_up_with_a_boundary_that_turns(how: str) -> None:
    """In the last 500 instances 0.84 with a decay of 0.8 and 0.81 with a window of 500, against 0.67 without."""
    gain = right(rotating, how) - right(rotating, "neither")
    assert gain[2] > 0.02
    assert gain[3] > 0.08


def test_a_shorter_memory_keeps_up_better() -> None:
    """From 0.67 without a decay over 0.72 (0.95) and 0.80 (0.9) to 0.84 (0.8)."""
    found = []
    for decay in (1.0, 0.95, 0.9, 0.8):
        models = [IB3(random_state=seed, history=True, decay=decay).fit(*rotating(seed)) for seed in range(TRIALS)]
        found.append(np.mean([(model.history_.correct[-500:] == 1).mean() for model in models]))
    assert found == sorted(found)


@pytest.mark.parametrize(("share", "decay", "accepted"), [(0.7, 0.8, True), (0.8, 0.8, False), (0.8, 0.9, True)])
def test_classes_too_frequent_to_be_proven_by_few_trials(share: float, decay: float, accepted: bool) -> None:
    """The lower bound of trials that all succeeded tends to ``1 / (1 + z^2 (1 - decay))``."""
    z = normal_quantile(0.9, parameter="")
    assert (share < 1 / (1 + z * z * (1 - decay))) == accepted
    rng = np.random.default_rng(0)
    X = rng.random((2000, 2))
    stored = IB3(random_state=0, decay=decay).fit(X, X[:, 0] > share).concept_
    frequent = np.asarray(stored["verdict"])[~np.asarray(stored["class"])]
    assert frequent.size
    assert ("acceptable" in frequent) == accepted


def test_a_window_forgets_what_is_long_ago() -> None:
    model = IB1(window=3).fit([[0.0], [1.0], [2.0], [3.0], [4.0]], list("abcde"))
    assert model.ids_.tolist() == [2, 3, 4]
    assert (model.stored_, model.dropped_, model.n_seen_, model.storage_) == (3, 2, 5, 0.6)
    assert model.predict([[0.0]]).tolist() == ["c"]
    assert model.classes_.tolist() == list("abcde"), "classes stay on the roll"


def test_nothing_stored_any_more() -> None:
    """IB2 under a window: the one row stored leaves while all others are right."""
    model = IB2(window=3).fit([[float(i)] for i in range(6)], ["a"] * 6)
    assert model.stored_ == 1
    model = IB2(window=2).fit([[0.0], [5.0], [5.0], [5.0]], ["a", "b", "b", "b"])
    assert model.stored_ == 0
    assert model.ids_.tolist() == []
    assert model.predict([[0.0]]).tolist() == ["b"]
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.5 / 3, 2.5 / 3]])
    assert model.concept_["id"].tolist() == []
    assert model.partial_fit([[1.0]], ["a"]).stored_ == 1


def test_a_window_lets_every_learner_follow() -> None:
    """When the classes change places, a learner with a window has followed while one without is behind."""
    rng = np.random.default_rng(15)
    X = rng.normal(size=(3100, 2))
    y = np.where(np.arange(3100) < 3000, X[:, 0] > 0, X[:, 0] < 0)
    asked = rng.normal(size=(500, 2))

    def accuracy(learner: Any) -> float:
        return float(learner.fit(X, y).score(asked, asked[:, 0] < 0))

    for learner in (IB1, IB2, IB3):
        assert accuracy(learner(random_state=0, window=100)) > accuracy(learner(random_state=0)) + 0.15
