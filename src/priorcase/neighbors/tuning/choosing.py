"""Which candidate is chosen, given the scores of all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from priorcase._typing import BoolArray, FloatArray
from priorcase.neighbors.tuning.scores import Sums

Shape = tuple[int, int, int, int]
"""How many votes, numbers of neighbours, priors and temperatures a group of candidates has."""

_NEAR = 0.5


def best_candidate(sums: Sums, scoring: str, shapes: Sequence[Shape]) -> int:
    """The candidate to choose.

    By logarithmic loss three guards keep small tables from lucky and from bold choices:

    - One more row is counted, to which another class came true than its neighbours speak for (its loss is the mean
      loss over all rows had that been so). With n rows a candidate's score is ``(sum of losses + surprise) / (n + 1)``,
      a rule of succession for mistakes: a loss that is large but rare is easily missed by all rows.
    - Scores are averaged with those of the next smaller and the next larger number of neighbours (weights 1/4, 1/2,
      1/4): these are nearly the same answers, and a number that shines alone does so by luck.
    - Candidates within half a standard error of the best (after Breiman et al. 1984, section 3.4.3; of the paired
      differences) count as equal. Of these the one with the lowest sum of Brier score and error rate is taken, which
      single rows cannot turn.

    By other scores the best is taken.
    """
    if scoring != "log_loss":
        scores = sums.mean(scoring)
        return int(scores.argmax() if scoring == "accuracy" else scores.argmin())
    rows = float(sums.weights.sum())
    guarded = smoothed((sums.of["log_loss"].sum(axis=0) + sums.mean("surprise")) / (rows + 1.0), shapes)
    if not np.isfinite(guarded).any():
        return int(np.argmax(sums.mean("accuracy")))
    near = _near(sums.of["log_loss"], sums.weights, guarded, int(np.argmin(guarded)))
    mistakes = smoothed(sums.mean("brier") - sums.mean("accuracy"), shapes)
    return int(np.where(near, mistakes, np.inf).argmin())


def smoothed(scores: FloatArray, shapes: Sequence[Shape]) -> FloatArray:
    """Scores averaged with those of the numbers of neighbours on either side; infinite ones stay and are left out.

    Examples
    --------
    >>> smoothed(np.array([4.0, 0.0, 8.0, np.inf]), [(1, 4, 1, 1)])
    array([2.66666667, 3.        , 5.33333333,        inf])
    """
    parts, start = [], 0
    for shape in shapes:
        part = scores[start : start + int(np.prod(shape))].reshape(shape)
        start += part.size
        finite = np.isfinite(part)
        total, weights = 2.0 * np.where(finite, part, 0.0), 2.0 * finite
        for here, there in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None))):
            total[:, here] += np.where(finite, part, 0.0)[:, there]
            weights[:, here] += finite[:, there]
        parts.append(np.where(finite, total / np.maximum(weights, 1.0), np.inf).ravel())
    return np.concatenate(parts)


def _near(losses: FloatArray, weights: FloatArray, guarded: FloatArray, lead: int) -> BoolArray:
    """The candidates that half a standard error of the difference in loss cannot tell from the best."""
    finite = np.isfinite(losses).all(axis=0) & np.isfinite(guarded)
    kept = weights > 0
    n_blocks = int(kept.sum())
    if n_blocks < 2:
        return np.asarray(np.arange(guarded.size) == lead)
    differences = losses[kept][:, finite] - losses[kept][:, lead][:, None]
    total = weights[kept].sum()
    spread = differences - weights[kept][:, None] * (differences.sum(axis=0) / total)
    errors = np.sqrt((spread * spread).sum(axis=0) * n_blocks / (n_blocks - 1)) / total
    near = np.zeros(guarded.size, dtype=bool)
    near[finite] = guarded[finite] - guarded[lead] <= _NEAR * errors
    return near
