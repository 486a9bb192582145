"""Learners that can say at once what they would say about each row had they never seen it."""

from __future__ import annotations

import inspect
from time import perf_counter
from typing import Any

import numpy as np

from priorcase._typing import AnyArray
from priorcase.evaluation.answers import Answers, Task, aligned, log_of_truth
from priorcase.evaluation.running import fitted

_PROBA, _LOGS, _VALUE = "loo_predict_proba", "loo_predict_log_proba", "loo_predict"


def has_closed_form(learner: Any) -> bool:
    """Whether a learner has ``loo_predict_proba`` or ``loo_predict``: what it says of each stored row without it.

    Examples
    --------
    >>> import priorcase as pc
    >>> from sklearn.dummy import DummyClassifier
    >>> has_closed_form(pc.NaiveBayes()), has_closed_form(DummyClassifier())
    (True, False)
    """
    return hasattr(learner, _PROBA) or hasattr(learner, _VALUE)


def left_out_at_once(learner: Any, X: Any, task: Task, seed: int) -> tuple[Answers | None, float, float]:
    """Answers about all rows from one fit, and the seconds it took to learn and to answer.

    None in place of answers where the learner learns from targets what it would not change for a row left out
    (``relearns_``): only a fit for each row is honest then.
    """
    model, fit_seconds = fitted(learner, X, task.truth, None, seed)
    if getattr(model, "relearns_", False):
        return None, fit_seconds, 0.0
    start = perf_counter()
    proba = logs = None
    if hasattr(model, _PROBA):
        proba = aligned(_told(model, _PROBA), model.classes_, task.labels)
        logs = log_of_truth(proba, task.codes)
        if np.isneginf(logs).any() and hasattr(model, _LOGS):
            told = aligned(_told(model, _LOGS), model.classes_, task.labels, empty=-np.inf)
            logs = told[np.arange(len(task)), task.codes]
    if hasattr(model, _VALUE):
        predicted = _told(model, _VALUE).reshape(len(task))
    else:
        assert proba is not None
        predicted = task.labels[proba.argmax(axis=1)]
    return Answers(task.truth, predicted, proba, logs, task.labels), fit_seconds, perf_counter() - start


def _told(model: Any, method: str) -> AnyArray:
    """What a learner says of its rows; it is told to learn anew where it can be."""
    ask = getattr(model, method)
    relearn = "relearn" in inspect.signature(ask).parameters
    return np.asarray(ask(relearn=True) if relearn else ask())
