"""Which candidate is chosen, given the scores of all."""

from __future__ import annotations

import numpy as np

from priorcase.neighbors.tuning.scores import Sums
from priorcase.typing import BoolArray, FloatArray


def best_candidate(sums: Sums, scoring: str) -> int:
    """The candidate to choose.

    By logarithmic loss two guards keep small tables from bold choices, since a loss that is large but rare is easily
    missed by all rows. One more row is counted, to which another class came true than its neighbours speak for (its
    loss is the mean loss over all rows had that been so): with n rows a candidate's score is
    ``(sum of losses + surprise) / (n + 1)``, a rule of succession for mistakes. Of the candidates that lie within one
    standard error of the best (Breiman et al. 1984, section 3.4.3; of the paired differences) the one that is right
    most often is taken, the lowest score deciding between equals. By other scores the best is taken.
    """
    if scoring != "log_loss":
        scores = sums.mean(scoring)
        return int(scores.argmax() if scoring == "accuracy" else scores.argmin())
    rows = float(sums.weights.sum())
    guarded = (sums.of["log_loss"].sum(axis=0) + sums.mean("surprise")) / (rows + 1.0)
    if not np.isfinite(guarded).any():
        return int(np.argmax(sums.mean("accuracy")))
    lead = int(np.argmin(guarded))
    near = _within_one_error(sums.of["log_loss"], sums.weights, guarded, lead)
    right = np.where(near, sums.mean("accuracy"), -1.0)
    return int(np.where(right == right.max(), guarded, np.inf).argmin())


def _within_one_error(losses: FloatArray, weights: FloatArray, guarded: FloatArray, lead: int) -> BoolArray:
    """The candidates whose score is no farther from the best than one standard error of the difference."""
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
    near[finite] = guarded[finite] - guarded[lead] <= errors
    near[lead] = True
    return near
