"""Kernels: their formulas, where they end, and their names."""

from __future__ import annotations

import math

import numpy as np
import pytest

from priorcase.similarity import (
    Biweight,
    Epanechnikov,
    Exponential,
    Gaussian,
    InversePower,
    Triangular,
    Tricube,
    Uniform,
    resolve_kernel,
)
from priorcase.similarity.kernels import KERNELS

# Atkeson, Moore & Schaal 1997, for u < 1.
FORMULAS = {
    "gaussian": lambda u: math.exp(-(u**2)),
    "tricube": lambda u: (1 - u**3) ** 3,
    "epanechnikov": lambda u: 1 - u**2,
    "biweight": lambda u: (1 - u**2) ** 2,
    "triangular": lambda u: 1 - u,
    "uniform": lambda u: 1.0,
    "exponential": lambda u: math.exp(-u),
    "inverse_power": lambda u: 1 / u**2,
}


@pytest.mark.parametrize("name", KERNELS)
def test_formula(name):
    u = np.array([0.01, 0.25, 0.5, 0.99])
    assert resolve_kernel(name)(u) == pytest.approx([FORMULAS[name](value) for value in u])


@pytest.mark.parametrize("name", KERNELS)
def test_weights_never_grow_and_compact_kernels_end_at_1(name):
    kernel = resolve_kernel(name)
    weights = kernel(np.array([0.0, 0.5, 1.0, 2.0, 1e200, math.inf]))
    assert np.all(np.diff(weights[1:]) <= 0)
    assert weights[0] >= weights[1]
    assert kernel.compact == (weights[2] == 0.0)
    assert weights[-1] == 0.0


def test_kernels_print_compare_and_hash():
    assert repr(InversePower(3)) == "InversePower(p=3)"
    assert (
        len({Gaussian(), Gaussian(), Tricube(), Epanechnikov(), Biweight(), Triangular(), Uniform(), Exponential()})
        == 7
    )
    assert resolve_kernel(Tricube()) == Tricube()


def test_a_gaussian_has_a_width():
    u = np.array([0.0, 0.25, 1.0])
    assert Gaussian(0.5)(u) == pytest.approx([math.exp(-((value / 0.5) ** 2)) for value in u])
    assert np.array_equal(Gaussian(1)(u), Gaussian()(u))
    assert repr(Gaussian(0.5)) == "Gaussian(width=0.5)"
