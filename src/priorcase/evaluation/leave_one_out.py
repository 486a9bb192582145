"""What a learner says about each row had it never seen it."""

from __future__ import annotations

import inspect
from time import perf_counter
from typing import Any

import numpy as np

from priorcase.evaluation.answers import Answers, Task, aligned, log_of_truth
from priorcase.evaluation.running import fitted
from priorcase.typing import AnyArray, FloatArray

_PROBA, _VALUE = "loo_predict_proba", "loo_predict"


def has_closed_form(learner: Any) -> bool:
    """Whether a learner can say, after one fit, what it would say about each row without it.

    It can if it has ``loo_predict_proba`` or ``loo_predict``: both answer the stored rows in the order they were
    learned, each without itself. One that has the parameter ``relearn`` is told to choose anew, without each row,
    whatever it chooses by looking at targets.
    """
    return hasattr(learner, _PROBA) or hasattr(learner, _VALUE)


def left_out_at_once(learner: Any, X: Any, task: Task, seed: int) -> tuple[Answers, float, float]:
    """Answers about all rows from one fit, and the seconds it took to learn and to answer."""
    model, fit_seconds = fitted(learner, X, task.truth, None, seed)
    start = perf_counter()
    proba = logs = None
    if hasattr(model, _PROBA):
        proba = aligned(_told(model, _PROBA), model.classes_, task.labels)
        logs = log_of_truth(proba, task.codes)
    if hasattr(model, _VALUE):
        predicted: AnyArray = np.asarray(_told(model, _VALUE)).reshape(len(task))
    else:
        assert proba is not None
        predicted = task.labels[proba.argmax(axis=1)]
    answers = Answers(task.truth, predicted, proba, logs, task.labels)
    return answers, fit_seconds, perf_counter() - start


def _told(model: Any, method: str) -> FloatArray:
    """What a learner says of its rows, everything chosen anew that its targets had a part in."""
    ask = getattr(model, method)
    relearn = "relearn" in inspect.signature(ask).parameters
    return np.asarray(ask(relearn=True) if relearn else ask())
