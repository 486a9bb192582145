"""Curves, slow and obvious: one fit for each training set, one question for each row, sums in loops."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

Rows = Sequence[Any]


def learning_curve(
    make: Callable[[], Any], X: Rows, y: Rows, orders: Sequence[Sequence[int]], tests: int, sizes: Sequence[int]
) -> list[list[dict[str, float]]]:
    """Scores at each size in each repetition (Kontkanen et al. 1997, section 4.1).

    ``orders`` has the rows of each repetition in a random order: the last ones are the test rows, the others the
    reservoir, of which one after the other is added to the training set.
    """
    curve = []
    for size in sizes:
        line = []
        for order in orders:
            train, test = order[: len(order) - tests][:size], order[len(order) - tests :]
            model = make().fit([X[i] for i in train], [y[i] for i in train])
            line.append(scores(model, [X[i] for i in test], [y[i] for i in test]))
        curve.append(line)
    return curve


def scores(model: Any, X: Rows, y: Rows) -> dict[str, float]:
    """Accuracy, mean ln P(truth) and Brier's score of one row after the other; a class never seen has probability 0."""
    hits = logs = squares = 0.0
    for row, truth in zip(X, y, strict=True):
        classes = model.classes_.tolist()
        shares = dict(zip(classes, model.predict_proba([row])[0].tolist(), strict=True))
        hits += model.predict([row])[0] == truth
        given = shares.get(truth, 0.0)
        logs += math.log(given) if given > 0 else -math.inf
        squares += sum((shares.get(label, 0.0) - (label == truth)) ** 2 for label in {*classes, truth})
    return {"accuracy": hits / len(y), "log_score": logs / len(y), "brier": squares / len(y)}


def summary(values: Sequence[float]) -> tuple[float, float, float, float]:
    """Mean, standard error, smallest and greatest of the values that are there (NaN: not there)."""
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return (math.nan,) * 4
    mean = sum(known) / len(known)
    error = math.nan
    if len(known) > 1 and all(map(math.isfinite, known)):
        variance = sum((value - mean) ** 2 for value in known) / (len(known) - 1)
        error = math.sqrt(variance / len(known))
    return mean, error, min(known), max(known)


def running(losses: Sequence[float], window: int | None, *, root: bool = False) -> list[float]:
    """The mean of all losses up to each, or of the last ``window`` ones, NaN before there are so many."""
    found = []
    for end in range(1, len(losses) + 1):
        last = losses[:end] if window is None else losses[max(end - window, 0) : end]
        short = window is not None and len(last) < window
        mean = math.nan if short else sum(last) / len(last)
        found.append(math.sqrt(mean) if root else mean)
    return found


def prequential(make: Callable[[], Any], X: Rows, y: Rows, start: int) -> list[Any]:
    """The prediction of each row from ``start`` on by a fit on the rows before it."""
    return [make().fit(X[:n], y[:n]).predict([X[n]])[0] for n in range(start, len(X))]
