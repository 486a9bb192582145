"""Which candidate is chosen, given the scores of all."""

from __future__ import annotations

import numpy as np

from priorcase.neighbors.tuning.scores import Sums
from priorcase.typing import BoolArray, FloatArray

_NEAR = 0.5
"""How many standard errors a candidate may lie above the best and still count as equal to it."""


def best_candidate(sums: Sums, scoring: str) -> int:
    """The candidate to choose.

    By logarithmic loss two guards keep small tables from bold choices, since a loss that is large but rare is easily
    missed by all rows. One more row is counted, to which another class came true than its neighbours speak for (its
    loss is the mean loss over all rows had that been so): with n rows a candidate's score is
    ``(sum of losses + surprise) / (n + 1)``, a rule of succession for mistakes. And candidates that lie within half a
    standard error of the best (after Breiman et al. 1984, section 3.4.3; of the paired differences) count as equal: of
    these the one with the lowest sum of Brier score and error rate is taken, which no single row can turn. By other
    scores the best is taken.
    """
    if scoring != "log_loss":
        scores = sums.mean(scoring)
        return int(scores.argmax() if scoring == "accuracy" else scores.argmin())
    rows = float(sums.weights.sum())
    guarded = (sums.of["log_loss"].sum(axis=0) + sums.mean("surprise")) / (rows + 1.0)
    if not np.isfinite(guarded).any():
        return int(np.argmax(sums.mean("accuracy")))
    near = _near(sums.of["log_loss"], sums.weights, guarded, int(np.argmin(guarded)))
    return int(np.where(near, sums.mean("brier") - sums.mean("accuracy"), np.inf).argmin())


def _near(losses: FloatArray, weights: FloatArray, guarded: FloatArray, lead: int) -> BoolArray:
    """The candidates whose score is hardly farther from the best than the standard error of the difference lets it be."""
    finite = np.isfinite(losses).all(axis=0) & np.isfinite(guarded)
    kept = weights > 0
    n_blocks = int(kept.sum())
    if n_blocks < 2:
        return np.arange(guarded.size) == lead
    differences = losses[kept][:, finite] - losses[kept][:, lead][:, None]
    total = weights[kept].sum()
    spread = differences - weights[kept][:, None] * (differences.sum(axis=0) / total)
    errors = np.sqrt((spread * spread).sum(axis=0) * n_blocks / (n_blocks - 1)) / total
    near = np.zeros(guarded.size, dtype=bool)
    near[finite] = guarded[finite] - guarded[lead] <= _NEAR * errors
    near[lead] = True
    return near
