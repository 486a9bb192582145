"""Rows in their order: each is asked about before it is learned."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from priorcase.evaluation.answers import Answers, Task, ask, joined
from priorcase.evaluation.running import fitted, seed_of, seeded, teach


def one_after_another(learner: Any, X: Any, task: Task, start: int, seed: int) -> tuple[Answers, float, float]:
    """Answers about the rows from ``start`` on, each by what was learned before it, and the seconds for both.

    Rows are learned one by one with ``partial_fit``, which is told of all classes at the beginning if it can be; a
    learner without it is fitted anew on all rows so far.
    """
    model, fit_seconds = _begin(learner, X, task, start, seed)
    parts, predict_seconds = [], 0.0
    for row in range(start, len(task)):
        at = np.array([row])
        before = perf_counter()
        parts.append(ask(model, X, at, task, {"predicted", "proba"}))
        between = perf_counter()
        if row + 1 < len(task):
            if hasattr(model, "partial_fit"):
                teach(model, X, task, at)
            else:
                model, _ = fitted(learner, X, task.truth, np.arange(row + 1), seed_of(seed, row + 1))
        predict_seconds, fit_seconds = predict_seconds + between - before, fit_seconds + perf_counter() - between
    return joined(parts), fit_seconds, predict_seconds


def _begin(learner: Any, X: Any, task: Task, start: int, seed: int) -> tuple[Any, float]:
    """A learner that knows the first rows, and how long that took."""
    rows = np.arange(start)
    if not hasattr(learner, "partial_fit"):
        return fitted(learner, X, task.truth, rows, seed_of(seed, start))
    model = seeded(learner, seed_of(seed, start))
    before = perf_counter()
    teach(model, X, task, rows, first=True)
    return model, perf_counter() - before
