"""What a wrong answer to a left-out row costs, on a scale on which 1 is a lot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.exceptions import TargetError
from priorcase.learning.classes import Classes
from priorcase.neighbors.votes import Poll, Ties, decide, left_out_once, means, probabilities

Scoring: TypeAlias = Literal["accuracy", "brier", "log_loss", "squared_error", "absolute_error"]
OF_CLASSES: tuple[Scoring, ...] = ("accuracy", "brier", "log_loss")
OF_NUMBERS: tuple[Scoring, ...] = ("squared_error", "absolute_error")

Loss: TypeAlias = Callable[[Poll, IntArray], FloatArray]
"""Loss of each query of a poll, given the positions of the stored rows that the queries are and that did not vote."""


def misclassified(ties: Ties, outputs: Sequence[Classes], priors: Sequence[FloatArray | None]) -> Loss:
    """1 where the vote goes to another class, 0 where it does not; the mean over several targets.

    A class is as frequent, where ties are decided by that, as it is without the row left out.
    """

    def loss(poll: Poll, own: IntArray) -> FloatArray:
        chosen = decide(poll, ties, outputs, priors, left_out_once(own, None))
        truth = np.stack([classes.codes[own] for classes in outputs], axis=1)
        return np.asarray((chosen != truth).mean(axis=1))

    return loss


def brier(outputs: Sequence[Classes], priors: Sequence[FloatArray | None], temperature: float) -> Loss:
    """``sum_c (p_c - [c is the row's class])^2``; the mean over several targets."""

    def loss(poll: Poll, own: IntArray) -> FloatArray:
        found = []
        for classes, prior in zip(outputs, priors, strict=True):
            shares = probabilities(poll, classes, prior, temperature)
            shares[np.arange(own.size), classes.codes[own]] -= 1.0
            found.append((shares * shares).sum(axis=1))
        return np.asarray(np.mean(found, axis=0))

    return loss


def log_loss(outputs: Sequence[Classes], priors: Sequence[FloatArray | None], temperature: float) -> Loss:
    """``-ln p`` of the row's class; the mean over several targets."""

    def loss(poll: Poll, own: IntArray) -> FloatArray:
        found = []
        for classes, prior in zip(outputs, priors, strict=True):
            shares = probabilities(poll, classes, prior, temperature)
            found.append(-np.log(shares[np.arange(own.size), classes.codes[own]]))
        return np.asarray(np.mean(found, axis=0))

    return loss


def deviation(numbers: FloatArray, power: int, unit: FloatArray) -> Loss:
    """``(|mean of the voters - y| / unit) ** power``, power 1 or 2; the mean over several targets."""

    def loss(poll: Poll, own: IntArray) -> FloatArray:
        errors = np.abs(means(poll, numbers) - numbers[own]) / unit
        return np.asarray((errors * errors if power == 2 else errors).mean(axis=1))

    return loss


def units(numbers: FloatArray, power: int) -> FloatArray:
    """How far off the best constant answer is: the standard deviation of each target, or the mean absolute one.

    A target that is the same in all rows has the unit 1.

    Examples
    --------
    >>> numbers = np.array([[0.0], [0.0], [4.0], [4.0]])
    >>> units(numbers, 2), units(numbers, 1)
    (array([2.]), array([2.]))
    """
    with np.errstate(over="ignore", invalid="ignore"):
        spread = numbers.std(axis=0) if power == 2 else np.abs(numbers - np.median(numbers, axis=0)).mean(axis=0)
        representable = np.isfinite(spread**power).all()
    if not representable:
        raise TargetError.infinite()
    return np.where(spread > 0, spread, 1.0)
