"""What the papers claim of IB1 to IB4 without decimals, on rows that are made for it.

Each test says what was measured; its margins stay well below, so that they tell a learner that does what it should from
one that does not, and not one seed from another.

The claims do not hold everywhere. Sizes and domains are those of several that were tried in which they do: IB3 is
behind IB2 where there are few points for each part of a concept (a test below) or no noise, and IB4 gains little on the
four rectangles (0.66 against 0.58 with two irrelevant columns, 1500 points) and nothing with one or two irrelevant
columns beside a single number that matters.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from priorcase.concepts import IB1, IB2, IB3, IB4
from priorcase.datasets import boundary_distance, make_disjuncts

LEARNERS = {"IB1": IB1, "IB2": IB2, "IB3": IB3}
TRIALS = 6


def learner(name: str, seed: int) -> Any:
    return IB3(random_state=seed) if name == "IB3" else LEARNERS[name]()


# The boundary ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_ib2_stores_mostly_near_the_boundary(seed: int) -> None:
    """Of 1000 points it keeps about 13%, of which 83% are nearer to the boundary than half of all points are."""
    X, y = make_disjuncts(1000, random_state=seed)
    kept, _ = IB2().fit_resample(X, y)
    stored, everything = boundary_distance(kept), boundary_distance(X)
    assert len(kept) < 0.2 * len(X)
    assert np.mean(stored < np.median(everything)) > 0.7
    assert np.median(stored) < 0.6 * np.median(everything)


def test_ib2_is_wrong_mostly_near_the_boundary() -> None:
    """After 1000 points: wrong near the boundary (nearer than half of the points) at least five times as often."""
    X, y = make_disjuncts(1000, random_state=5)
    Q, truth = make_disjuncts(4000, random_state=6)
    wrong = IB2().fit(X, y).predict(Q) != truth
    near = boundary_distance(Q) < np.median(boundary_distance(Q))
    assert wrong[near].mean() > 5 * wrong[~near].mean()


# Noise ----------------------------------------------------------------------------------------------------------------


@cache
def under_noise(noise: float) -> dict[str, tuple[float, float]]:
    """Mean accuracy on clean points, and mean storage, of learners of 1500 points whose values noise has replaced."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in LEARNERS}
    for trial in range(TRIALS):
        X, y = make_disjuncts(1500, noise=noise, random_state=trial)
        Q, truth = make_disjuncts(500, random_state=1000 + trial)
        for name in LEARNERS:
            model = learner(name, trial).fit(X, y)
            found[name].append((model.score(Q, truth), model.storage_))
    return {name: tuple(np.mean(pairs, axis=0).tolist()) for name, pairs in found.items()}


@pytest.mark.parametrize("noise", [0.1, 0.2])
def test_ib2_falls_faster_than_ib1(noise: float) -> None:
    """By 0.11 against 0.05 with a tenth of the values replaced, by 0.17 against 0.11 with a fifth."""
    falls = {name: under_noise(0.0)[name][0] - under_noise(noise)[name][0] for name in LEARNERS}
    assert falls["IB1"] > 0.02
    assert falls["IB2"] > falls["IB1"] + 0.03


@pytest.mark.parametrize("noise", [0.1, 0.2])
def test_ib3_keeps_less_than_ib2_and_is_more_accurate(noise: float) -> None:
    """0.88 from 8% against 0.81 from 23% with a tenth replaced, 0.87 from 7% against 0.76 from 31% with a fifth."""
    found = under_noise(noise)
    assert found["IB3"][0] > found["IB2"][0] + 0.03
    assert found["IB3"][1] < found["IB2"][1] / 2


def test_ib3_is_behind_ib2_while_points_are_few() -> None:
    """250 points of four rectangles, a fifth of the values replaced: 0.53 against 0.74, as hardly any is accepted."""
    scores = []
    for trial in range(TRIALS):
        X, y = make_disjuncts(250, noise=0.2, random_state=trial)
        Q, truth = make_disjuncts(500, random_state=1000 + trial)
        scores.append([learner(name, trial).fit(X, y).score(Q, truth) for name in ("IB2", "IB3")])
    ib2, ib3 = np.mean(scores, axis=0)
    assert ib3 < ib2 - 0.05


def test_noise_makes_ib2_keep_more_and_ib3_no_more() -> None:
    """IB2 from 12% to 31% of the points; IB3 8% and 7%."""
    assert under_noise(0.2)["IB2"][1] > 2 * under_noise(0.0)["IB2"][1]
    assert under_noise(0.2)["IB3"][1] < 1.2 * under_noise(0.0)["IB3"][1]


# Irrelevant attributes ------------------------------------------------------------------------------------------------


def majority_of_three(n: int, irrelevant: int, seed: int) -> tuple[Any, Any]:
    """Three Booleans, of which two must be true, and others."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3 + irrelevant)) < 0.5
    return X, (X[:, :3].sum(axis=1) >= 2).astype(int)


def half_plane(n: int, irrelevant: int, seed: int) -> tuple[Any, Any]:
    """Two numbers, whose sum must be above 1, and others."""
    X = np.random.default_rng(seed).random((n, 2 + irrelevant))
    return X, (X[:, 0] + X[:, 1] > 1).astype(int)


def accuracy(make: Callable[..., Any], n: int, irrelevant: int, kind: type[Any]) -> float:
    scores = []
    for trial in range(TRIALS):
        model = kind(random_state=trial).fit(*make(n, irrelevant, trial))
        scores.append(model.score(*make(500, irrelevant, 1000 + trial)))
    return float(np.mean(scores))


@pytest.mark.parametrize(
    ("make", "n", "irrelevant", "least", "most"),
    [(majority_of_three, 1000, 8, 0.06, 0.5), (half_plane, 500, 16, 0.12, 0.8)],
)
def test_irrelevant_attributes_harm_ib3_and_ib4_clearly_less(
    make: Callable[..., Any], n: int, irrelevant: int, least: float, most: float
) -> None:
    """IB3 falls by 0.12 with the Booleans and by 0.24 with the numbers, IB4 by nothing and by 0.16."""
    falls = {kind: accuracy(make, n, 0, kind) - accuracy(make, n, irrelevant, kind) for kind in (IB3, IB4)}
    assert falls[IB3] > least
    assert falls[IB4] < most * falls[IB3]


def test_ib3_needs_more_space_with_irrelevant_attributes() -> None:
    """1500 points of the four rectangles with two more columns: 29% are kept instead of 20%, and fewer are right."""
    plain, crowded = ([], [])
    for irrelevant, figures in ((0, plain), (2, crowded)):
        for trial in range(TRIALS):
            X, y = make_disjuncts(1500, irrelevant=irrelevant, random_state=trial)
            model = IB3(random_state=trial).fit(X, y)
            score = model.score(*make_disjuncts(500, irrelevant=irrelevant, random_state=1000 + trial))
            figures.append((model.stored_ / 1500, score))
    (kept, right), (kept_crowded, right_crowded) = np.mean(plain, axis=0), np.mean(crowded, axis=0)
    assert kept_crowded > 1.2 * kept
    assert right_crowded < right - 0.15


def test_ib4_sees_which_attributes_matter() -> None:
    """Of three Booleans that matter and eight that do not, the three have 0.41 on average, the others 0.11."""
    found = [IB4(random_state=t).fit(*majority_of_three(1000, 8, t)).attribute_weights_ for t in range(TRIALS)]
    weights = np.mean(np.asarray(found), axis=0)
    assert weights.shape == (2, 11)
    assert (weights[:, :3].min(axis=1) > 1.5 * weights[:, 3:].max(axis=1)).all()


def number_weights(n: int, irrelevant: int) -> Any:
    """The weights of the numbers of a half plane and of others, as means over trials and both classes."""
    found = [IB4(random_state=t).fit(*half_plane(n, irrelevant, t)).attribute_weights_ for t in range(TRIALS)]
    return np.mean(np.asarray(found), axis=(0, 1))


def test_ib4_sees_which_of_many_numbers_matter() -> None:
    """Of two that matter and sixteen that do not, the two have 0.21 on average, the others 0.13 and at most 0.15."""
    weights = number_weights(500, 16)
    assert weights[:2].min() > 1.25 * weights[2:].max()
    assert weights[:2].mean() > 1.4 * weights[2:].mean()


def test_numbers_that_do_not_matter_keep_a_weight() -> None:
    """Nearest instances agree in them by chance, and the more so the fewer numbers and the more instances there are.

    Of two that matter and two that do not, after 500 points 0.27 and 0.21, after 3000 points 0.32 and 0.30.
    """
    few, many = number_weights(500, 2), number_weights(3000, 2)
    for weights, most in ((few, 0.9), (many, 0.99)):
        assert weights[2:].mean() > 0.6 * weights[:2].mean()
        assert weights[2:].mean() < most * weights[:2].mean()
    assert many[2:].mean() > few[2:].mean() + 0.05
