"""Options that do not go with what the target asks for, classes or numbers."""

from __future__ import annotations

from typing import Any

from priorcase.cli.learners import ByLocal, ByNeighbors, ByRbf, Learner
from priorcase.exceptions import ParameterError, quoted

__all__ = ["check_task"]


def check_task(learner: Learner, task: str, target: str) -> None:
    """Refuse a learner, or options of it, that cannot answer what the target asks for."""
    if isinstance(learner, (ByNeighbors, ByLocal, ByRbf)):
        if task == "regress" and learner.weights == "bayes":
            expected = "other weights for a regression, or none"
            raise _refused("--weights", learner.weights, expected, target, classes=False)
        if isinstance(learner, ByNeighbors) and task == "regress":
            _check_neighbors(target, learner)
        if isinstance(learner, ByLocal):
            _check_local(task, target, learner)
    elif task == "regress":
        raise ParameterError(
            f"got --learner={learner.name!r}; expected neighbors, local or rbf, since {target!r} is numeric and this "
            f"learner answers with classes. Take --learner neighbors, or --task classify if each number of "
            f"{target!r} is a class."
        )


def _check_neighbors(target: str, learner: ByNeighbors) -> None:
    """Refuse options that only classes have."""
    if learner.prior is not None:
        raise _refused("--prior", learner.prior, "no prior for a regression", target, classes=False)
    if learner.ties not in (None, "majority", "first"):
        raise _refused("--ties", learner.ties, "majority or first for a regression", target, classes=False)


def _check_local(task: str, target: str, learner: ByLocal) -> None:
    """Refuse options of the other task."""
    if task == "classify":
        if learner.degree is not None:
            expected = "no degree where classes are answered, whose local models are those of --model"
            raise _refused("--degree", learner.degree, expected, target, classes=True)
        if learner.level is not None:
            expected = "no level where classes are answered, which have probabilities and no intervals"
            raise _refused("--level", learner.level, expected, target, classes=True)
        if learner.bandwidth == "query":
            expected = "a number or loo where classes are answered"
            raise _refused("--bandwidth", "query", expected, target, classes=True)
        return
    if learner.model is not None:
        expected = "no model for a regression, whose local model is a polynomial of --degree"
        raise _refused("--model", learner.model, expected, target, classes=False)
    if learner.prior is not None:
        raise _refused("--prior", learner.prior, "no prior for a regression", target, classes=False)


def _refused(option: str, value: Any, expected: str, target: str, *, classes: bool) -> ParameterError:
    """The error for an option that goes with the other task, classes or numbers."""
    remedy = (
        f"--task regress if {target!r} is a quantity"
        if classes
        else f"--task classify if each number of {target!r} is a class"
    )
    return ParameterError(f"got {option}={quoted(value)}; expected {expected}. Leave it out, or take {remedy}.")
