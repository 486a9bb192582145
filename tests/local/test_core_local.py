"""The compiled local models and ridge fits, called directly: what is refused, who runs meanwhile, and Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from core_calls import others_run, seconds_to_stop, survives

from priorcase._core import local_bayes, local_fits, local_logistic, ridge_left_out, ridge_rows, ridge_spectrum

NAN, INF = float("nan"), float("inf")


def lists(queries: int = 6, voters: int = 10, rows: int = 20, attributes: int = 4) -> dict[str, Any]:
    random = np.random.default_rng(0)
    kinds = np.array([0, 1, 2, 0] * attributes, np.uint8)[:attributes]
    cells = np.where(kinds == 0, random.normal(size=(rows + queries, attributes)), random.integers(0, 3, attributes))
    return {
        "indptr": np.arange(queries + 1) * voters,
        "rows": random.integers(0, rows, queries * voters),
        "weights": random.random(queries * voters) + 0.1,
        "cells": cells[:rows].copy(),
        "queries": cells[rows:].copy(),
        "kinds": kinds,
        "scales": np.ones(attributes),
    }


def fits(**sizes: int) -> dict[str, Any]:
    given = lists(**sizes)
    rows, attributes = given["cells"].shape
    given |= {"repetitions": np.ones(given["rows"].size), "targets": np.random.default_rng(1).normal(size=(rows, 2))}
    given |= {"degree": 2, "ridge": 0.1, "rcond": 1e-10, "want": 30, "threads": 2}
    return given | {"own": np.zeros(len(given["queries"]), np.int64), "values": np.full(attributes, 3)}


def classes(**sizes: int) -> dict[str, Any]:
    given = lists(**sizes)
    return given | {"codes": np.arange(len(given["cells"])) % 3, "threads": 2}


def bayes(**sizes: int) -> dict[str, Any]:
    given = classes(**sizes)
    given |= {"class_prior": np.ones(3), "sizes": np.full(given["kinds"].size, 3), "value_prior": 1.0, "student": True}
    return given | {"strength": 1.0, "degrees": 1.0, "smoothing": 0.1}


def logistic(**sizes: int) -> dict[str, Any]:
    return classes(**sizes) | {"n_classes": 3, "ridge": 0.5, "max_iter": 20, "tol": 1e-9}


def rows_of(width: int = 5, n: int = 12) -> dict[str, Any]:
    return {"triangle": np.zeros((width, width)), "block": np.random.default_rng(2).normal(size=(n, width))}


def spectrum(width: int = 5) -> dict[str, Any]:
    random = np.random.default_rng(3)
    return {"triangle": random.normal(size=(width, width)), "targets": random.normal(size=(width, 2))}


def left_out(width: int = 5, n: int = 12) -> dict[str, Any]:
    random = np.random.default_rng(4)
    given = {"rows": (n, width), "means": width, "right": (width, width), "weights": (3, width), "inverses": (2, width)}
    return {name: random.random(shape) for name, shape in given.items()}


CALLS: list[tuple[Callable[..., Any], Callable[..., dict[str, Any]]]] = [
    (local_fits, fits),
    (local_bayes, bayes),
    (local_logistic, logistic),
    (ridge_rows, rows_of),
    (ridge_spectrum, spectrum),
    (ridge_left_out, left_out),
]


@pytest.mark.parametrize(("call", "given"), CALLS)
def test_any_arguments_are_answered_or_refused(call: Callable[..., Any], given: Callable[..., Any]) -> None:
    call(**given())
    answered, refused = survives(call, given(), 400)
    assert answered > 0
    assert refused > 100


@pytest.mark.parametrize(
    ("call", "given", "change", "words"),
    [
        (local_fits, fits, {"values": np.full(4, 2**62)}, "too much memory"),
        (local_fits, fits, {"values": np.full(4, -1)}, "must not be negative"),
        (local_fits, fits, {"weights": np.full(60, NAN)}, "weights are finite"),
        (local_fits, fits, {"repetitions": np.full(60, NAN)}, "repetitions are finite"),
        (local_fits, fits, {"indptr": np.array([], np.int64)}, "one list for each query"),
        (local_fits, fits, {"ridge": INF}, "must not be negative"),
        (local_fits, fits, {"rcond": NAN}, "must not be negative"),
        (local_bayes, bayes, {"degrees": -1e300}, "finite and not negative"),
        (local_bayes, bayes, {"strength": NAN}, "finite and not negative"),
        (local_bayes, bayes, {"class_prior": np.array([1.0, NAN, 1.0])}, "finite and not negative"),
        (local_bayes, bayes, {"sizes": np.full(4, -1)}, "must not be negative"),
        (local_logistic, logistic, {"n_classes": 2**62}, "too much memory"),
        (local_logistic, logistic, {"n_classes": 2}, "classes out of range"),
        (local_logistic, logistic, {"ridge": NAN}, "ridge must be finite and above 0"),
        (local_logistic, logistic, {"ridge": INF}, "ridge must be finite and above 0"),
        (local_logistic, logistic, {"tol": NAN}, "must not be negative"),
        (local_logistic, logistic, {"max_iter": -1}, "must not be negative"),
        (local_logistic, logistic, {"indptr": np.array([0, 0, 10, 20, 30, 40, 60])}, "no voter of positive weight"),
        (ridge_rows, rows_of, {"block": np.zeros((3, 4))}, "have its width"),
        (ridge_spectrum, spectrum, {"targets": np.zeros((3, 4))}, "have its height"),
        (ridge_left_out, left_out, {"right": np.zeros((5, 4))}, "right must be square"),
        (ridge_left_out, left_out, {"weights": np.zeros((0, 4))}, "one column for each mean"),
    ],
)
def test_refuses(call: Callable[..., Any], given: Callable[..., Any], change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call(**given() | change)


def test_no_queries_and_no_attributes_have_answers() -> None:
    for call, given in CALLS[:3]:
        found = call(**given(queries=0))
        found = found["predictions"] if isinstance(found, dict) else found[0] if isinstance(found, tuple) else found
        assert found.shape[0] == 0
    means = local_fits(**fits(attributes=0) | {"want": 0, "own": None, "values": None, "repetitions": None})
    given = fits(attributes=0)
    at = given["weights"][:10], given["targets"][given["rows"][:10]]
    np.testing.assert_allclose(means["predictions"][0], at[0] @ at[1] / at[0].sum())
    for call, made in CALLS[1:3]:
        found = call(**made(attributes=0))
        np.testing.assert_allclose((found[0] if isinstance(found, tuple) else found).sum(axis=1), 1.0)
    assert ridge_rows(np.zeros((0, 0)), np.zeros((3, 0))).shape == (0, 0)


@pytest.mark.parametrize(
    ("call", "given"),
    [
        (local_fits, fits(queries=200, voters=200)),
        (local_bayes, bayes(queries=2000, voters=200)),
        (local_logistic, logistic(queries=100, voters=200)),
        (ridge_rows, rows_of(100, 2000)),
        (ridge_spectrum, spectrum(120)),
        (ridge_left_out, left_out(100, 2000)),
    ],
)
def test_other_threads_run_meanwhile(call: Callable[..., Any], given: dict[str, Any]) -> None:
    assert others_run(lambda: call(**given))


PROGRAM = """
from priorcase._core import local_bayes, local_fits, local_logistic, ridge_left_out, ridge_rows, ridge_spectrum
from test_core_local import bayes, fits, left_out, logistic, rows_of, spectrum

calls = [
    (local_fits, fits(queries=1000, voters=2000, rows=2000, attributes=30)),
    (local_bayes, bayes(queries=1000, voters=2000, rows=2000, attributes=800)),
    (local_logistic, logistic(queries=1000, voters=2000, rows=2000, attributes=60)),
    (ridge_rows, rows_of(2000, 6000)),
    (ridge_spectrum, spectrum(2000)),
    (ridge_left_out, left_out(2500, 6000)),
]
for call, given in calls:
    print(interrupted(lambda: call(**given)))
"""


def test_ctrl_c_ends_every_long_call() -> None:
    found = seconds_to_stop(__file__, PROGRAM)
    assert len(found) == 6
    assert max(found) < 5.0
