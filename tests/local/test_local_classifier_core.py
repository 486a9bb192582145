"""Compiled local classifiers: the same bits on every CPU path and any thread count, and bad input refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from priorcase import _core
from priorcase._core import local_bayes, local_logistic

RULES = {"value_prior": 1.0, "student": True, "strength": 1.0, "degrees": 1.0, "smoothing": 0.0}


def problem(seed: int = 0) -> dict[str, Any]:
    """Ten queries that each see all of thirty rows: two numbers, a rank and a value."""
    rng = np.random.default_rng(seed)
    cells = np.column_stack([rng.normal(size=(30, 2)), rng.integers(4, size=(30, 2))]).astype(float)
    queries = np.column_stack([rng.normal(size=(10, 2)), rng.integers(4, size=(10, 2))]).astype(float)
    cells[rng.random(cells.shape) < 0.1] = np.nan
    return {
        "indptr": np.arange(11) * 30,
        "rows": np.tile(np.arange(30), 10),
        "weights": rng.random(300),
        "codes": rng.integers(3, size=30),
        "cells": cells,
        "queries": queries,
        "kinds": np.array([0, 0, 1, 2], dtype=np.uint8),
        "scales": np.ones(4),
    }


def bayes(task: dict[str, Any], threads: int = 1) -> Any:
    return local_bayes(**task, class_prior=np.ones(3), sizes=np.full(4, 4), **RULES, threads=threads)


def logistic(task: dict[str, Any], threads: int = 1) -> Any:
    return local_logistic(**task, n_classes=3, ridge=0.1, max_iter=100, tol=1e-12, threads=threads)


def test_paths_and_threads_change_no_bit() -> None:
    task, path = problem(), _core.cpu_path()
    expected = bayes(task), logistic(task)[0]
    try:
        for name in _core.cpu_paths():
            _core.use_cpu_path(name)
            for threads in (1, 3, 10**6):  # as many as the core can use
                np.testing.assert_array_equal(bayes(task, threads), expected[0])
                np.testing.assert_array_equal(logistic(task, threads)[0], expected[1])
    finally:
        _core.use_cpu_path(path)
    assert logistic(task)[1].all()


@pytest.mark.parametrize("far", [1e150, 1e300, -1e308])
def test_numbers_at_the_end_of_the_floats_leave_probabilities(far: float) -> None:
    task = problem(1)
    task["queries"][:, 0] = far
    task["cells"][:5, 1] = far
    task["scales"][:2] = 1e-5
    for shares in (bayes(task), logistic(task)[0]):
        assert (shares >= 0).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rows": np.full(300, 30)}, "rows out of range"),
        ({"codes": np.full(30, 3)}, "classes out of range"),
        ({"codes": np.zeros(29, dtype=np.int64)}, "one class for each row"),
        ({"weights": np.zeros(300)}, "a query has no voter of positive weight"),
        ({"weights": np.ones(299)}, "one weight for each entry"),
        ({"indptr": np.arange(11) * 29}, "the last list must end at the last entry"),
        ({"scales": np.ones(3)}, "one kind and one scale for each column"),
        ({"weights": np.full(300, -1.0)}, "weights are finite and not negative"),
        ({"weights": np.full(300, np.inf)}, "weights are finite and not negative"),
        ({"scales": np.zeros(4)}, "scales are above 0"),
    ],
)
def test_bad_input_is_refused(change: dict[str, Any], words: str) -> None:
    for ask in (bayes, logistic):
        with pytest.raises(ValueError, match=words):
            ask(problem() | change)


def test_bad_rules_are_refused() -> None:
    task = problem()
    with pytest.raises(ValueError, match="one size for each column"):
        local_bayes(**task, class_prior=np.ones(3), sizes=np.full(3, 4), **RULES, threads=1)
    with pytest.raises(ValueError, match="at least one class"):
        local_bayes(**task, class_prior=np.ones(0), sizes=np.full(4, 4), **RULES, threads=1)
    with pytest.raises(ValueError, match="ridge must be finite and above 0"):
        local_logistic(**task, n_classes=3, ridge=0.0, max_iter=100, tol=1e-12, threads=1)
