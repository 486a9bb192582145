"""Four rectangles in the plane: who is inside, how far the boundary is, and what noise and further columns do."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest

from priorcase.datasets import boundary_distance, make_disjuncts
from priorcase.datasets.generators import DISJUNCTS
from priorcase.exceptions import ParameterError


def inside(point: list[float]) -> bool:
    return any(all(low <= v <= high for v, (low, high) in zip(point, part, strict=True)) for part in DISJUNCTS.tolist())


def test_a_point_belongs_to_the_concept_inside_of_a_part() -> None:
    X, y = make_disjuncts(500, random_state=0)
    assert y.tolist() == [int(inside(point)) for point in X.tolist()]
    areas = np.prod(DISJUNCTS[..., 1] - DISJUNCTS[..., 0], axis=1)
    assert abs(make_disjuncts(20_000, random_state=1)[1].mean() - areas.sum()) < 0.015


def test_the_parts_are_apart() -> None:
    for one, other in combinations(DISJUNCTS, 2):
        assert (np.maximum(one[:, 0], other[:, 0]) > np.minimum(one[:, 1], other[:, 1])).any()


def test_the_distance_is_that_to_the_nearest_point_of_the_boundary() -> None:
    """Against 40,000 points laid out on all sides of all parts."""
    along = np.linspace(0, 1, 2501)[:, None]
    corners = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)]
    rings = [np.array([[part[0, i], part[1, j]] for i, j in corners]) for part in DISJUNCTS]
    boundary = np.vstack([start + along * (end - start) for ring in rings for start, end in pairwise(ring)])
    X, _ = make_disjuncts(60, irrelevant=1, random_state=3)
    nearest = [np.hypot(*(boundary - point).T).min() for point in X[:, :2]]
    np.testing.assert_allclose(boundary_distance(X), nearest, atol=1e-4)


def test_noise_replaces_values_and_leaves_classes() -> None:
    clean, y = make_disjuncts(10_000, random_state=4)
    noisy, same = make_disjuncts(10_000, noise=0.2, random_state=4)
    np.testing.assert_array_equal(y, same)
    np.testing.assert_allclose((clean != noisy).mean(axis=0), 0.2, atol=0.016)
    assert abs(noisy[clean != noisy].mean() - 0.5) < 0.02
    assert (make_disjuncts(100, noise=1.0, random_state=4)[0] != clean[:100]).all()


def test_further_columns_mean_nothing() -> None:
    X, y = make_disjuncts(5000, irrelevant=3, random_state=4)
    assert X.shape == (5000, 5)
    np.testing.assert_array_equal(X[:, :2], make_disjuncts(5000, random_state=4)[0])
    for label in (0, 1):
        np.testing.assert_allclose(X[y == label, 2:].mean(axis=0), 0.5, atol=4.5 * 0.29 / np.sqrt((y == label).sum()))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n": -1}, "n must be"),
        (
            {"noise": 2},
            "noise must be",
        ),
        (
            {"irrelevant": 0.5},
            "irrelevant must be",
        ),
        ({"random_state": -1}, "random_state must be"),
    ],
)
def test_what_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(words)):
        make_disjuncts(**{"n": 3, **options})


def test_a_distance_needs_points() -> None:
    words = "boundary_distance: X must have at least two columns"
    with pytest.raises(ParameterError, match=re.escape(words)):
        boundary_distance(np.zeros(3))
