"""The function that the pictures of sections 8.2 to 8.4 share: a wave that quickens, and examples of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase._typing import FloatArray
from priorcase.learning.plotting import INK

GRID = np.linspace(0.0, 1.0, 401)
"""Where curves are asked."""


def truth(x: FloatArray) -> FloatArray:
    """``sin(2 pi x^1.6) + x``: the target function, slow on the left and quick on the right."""
    return np.sin(2 * np.pi * x**1.6) + x


def examples(rows: int, seed: int, *, noise: float = 0.06) -> tuple[FloatArray, FloatArray]:
    """Training examples: one in each of as many equal steps, with normal noise."""
    random = np.random.default_rng(seed)
    x = (np.arange(rows) + random.random(rows)) / rows
    return x[:, None], truth(x) + noise * random.normal(size=rows)


def root_mean_square(model: Any) -> float:
    """How far a model is from the target function on the grid."""
    return float(np.sqrt(np.mean((model.predict(GRID[:, None]) - truth(GRID)) ** 2)))


def draw_examples(ax: Any, X: FloatArray, y: FloatArray, *, size: Any = 18) -> None:
    """The target function as a broad pale line, and the examples."""
    ax.plot(GRID, truth(GRID), color="#D0D0D0", linewidth=5.0, label="target function", zorder=1)
    ax.scatter(X[:, 0], y, s=size, facecolor="white", edgecolor=INK, linewidth=0.9, zorder=4, label="examples")
    ax.set(xlabel="x", xlim=(0, 1))
