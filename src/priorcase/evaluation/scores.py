"""Three scores of predicted probabilities: logarithmic, 0/1 and Brier's."""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from priorcase._parameters import is_number
from priorcase._typing import BoolArray, FloatArray
from priorcase.evaluation.checks import check_choice
from priorcase.evaluation.forecasts import read_forecasts
from priorcase.exceptions import ParameterError, advice, prefix_errors, quoted

__all__ = ["Capped", "brier_score", "log_score", "zero_one_score"]

_CAP = 100.0


class Capped(Protocol):
    """A zero policy that gives an impossible class a finite logarithm, such as ``Cap(50)``."""

    @property
    def nats(self) -> float:
        """How many nats an impossible class loses."""
        ...


@prefix_errors
def log_score(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sign: Literal["gain", "loss"] = "gain",
    zero: Literal["-inf", "cap100"] | float | Capped = "-inf",
    logs: bool = False,
    sample_weight: ArrayLike | None = None,
) -> float:
    """The mean natural logarithm of the probability that was given to what came true.

    ``mean ln P(y)``, at most 0 and greater when better (Kontkanen et al. 1997, section 4.1); with ``sign="loss"`` it is
    ``mean -ln P(y)``, smaller when better (Kontkanen et al. 1998, section 4), which is scikit-learn's ``log_loss``
    wherever no probability is 0. Nothing is clipped on the way.

    Parameters
    ----------
    y_true
        The label that came true in each row.
    proba
        The probability of each class, shape (rows, classes); for two classes, that of the second alone will do.
    labels
        The class of each column, ``model.classes_``; the sorted labels of ``y_true`` if None.
    sign
        ``"gain"``: the logarithms themselves. ``"loss"``: less them.
    zero
        What a row adds whose truth had probability 0: ``"-inf"`` makes the score infinite; ``"cap100"`` counts
        100 nats, as the 1998 paper's figures do; a number, or a policy such as ``Cap(50)``, as many nats.
    logs
        Whether ``proba`` holds natural logarithms, from ``predict_log_proba``. They keep what is too small for a
        probability to show.
    sample_weight
        The weight of each row; a row of weight 2 counts as two.

    Returns
    -------
    float
        The score.

    Examples
    --------
    One success in one trial: the next is a success by 1 (maximum likelihood), 2/3 (evidence) or 4/5 (stochastic
    complexity). Where it is a failure, the first has been wrong for certain.

    >>> round(log_score(["no"], [[1 / 3, 2 / 3]], labels=["no", "yes"]), 4)
    -1.0986
    >>> log_score(["no"], [[0, 1]], labels=["no", "yes"])
    -inf
    >>> log_score(["no"], [[0, 1]], labels=["no", "yes"], zero="cap100", sign="loss")
    100.0
    """
    check_choice("sign", sign, ("gain", "loss"), hint="'loss' is scikit-learn's log_loss.")
    floor = _floor(zero)
    forecasts = read_forecasts(y_true, proba, labels, sample_weight, logs=logs)
    given = forecasts.of_truth()
    with np.errstate(divide="ignore"):
        gains = given if logs else np.log(given)
    gain = forecasts.mean(np.where(np.isneginf(gains), floor, gains))
    return gain if sign == "gain" else 0.0 - gain


@prefix_errors
def zero_one_score(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    ties: Literal["first", "expected"] = "first",
    sample_weight: ArrayLike | None = None,
) -> float:
    """The part of the rows whose most probable class came true: the accuracy.

    Parameters
    ----------
    y_true
        The label that came true in each row.
    proba
        The probability of each class, shape (rows, classes); for two classes, that of the second alone will do.
    labels
        The class of each column, ``model.classes_``; the sorted labels of ``y_true`` if None.
    ties
        Where several classes are equally most probable: ``"first"`` takes the first of them, as ``predict`` does;
        ``"expected"`` counts 1 / (number of them) if the truth is among them, what a choice by lot would give on
        average. The 1998 paper's figures need the latter: there all classes were impossible in many rows.
    sample_weight
        The weight of each row; a row of weight 2 counts as two.

    Returns
    -------
    float
        The score, from 0 to 1.

    Examples
    --------
    >>> proba = [[0.7, 0.3], [0.5, 0.5]]
    >>> zero_one_score(["no", "yes"], proba, labels=["no", "yes"])
    0.5
    >>> zero_one_score(["no", "yes"], proba, labels=["no", "yes"], ties="expected")
    0.75
    """
    check_choice("ties", ties, ("first", "expected"), hint="'first' is the class that predict returns.")
    forecasts = read_forecasts(y_true, proba, labels, sample_weight)
    shares = forecasts.shares
    if ties == "first":
        return forecasts.mean((shares.argmax(axis=1) == forecasts.truth).astype(np.float64))
    top = shares.max(axis=1)
    tied: BoolArray = shares == top[:, np.newaxis]
    return forecasts.mean((forecasts.of_truth() == top) / tied.sum(axis=1))


@prefix_errors
def brier_score(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    scale_by_half: bool = False,
    sample_weight: ArrayLike | None = None,
) -> float:
    """The mean squared distance between the probabilities and what came true; smaller when better.

    ``mean sum_k (P(k) - [y = k])^2`` over all K classes, from 0 to 2 (Brier 1950, eq. 2). For two classes this is twice
    the squared error of either probability, the form that scikit-learn's ``brier_score_loss`` has by default.

    Parameters
    ----------
    y_true
        The label that came true in each row.
    proba
        The probability of each class, shape (rows, classes); for two classes, that of the second alone will do.
    labels
        The class of each column, ``model.classes_``; the sorted labels of ``y_true`` if None.
    scale_by_half
        Whether to halve the score, so that it runs from 0 to 1.
    sample_weight
        The weight of each row; a row of weight 2 counts as two.

    Returns
    -------
    float
        The score.

    Examples
    --------
    >>> brier_score(["no", "yes"], [[0.75, 0.25], [0.5, 0.5]], labels=["no", "yes"])
    0.3125
    """
    if not isinstance(scale_by_half, (bool, np.bool_)):
        raise ParameterError(
            f"scale_by_half must be True or False, got {quoted(scale_by_half)}. True gives a score from 0 to 1."
        )
    forecasts = read_forecasts(y_true, proba, labels, sample_weight)
    misses: FloatArray = forecasts.shares.copy()
    misses[np.arange(forecasts.truth.size), forecasts.truth] -= 1.0
    score = forecasts.mean((misses * misses).sum(axis=1))
    return score / 2 if scale_by_half else score


def _floor(zero: object) -> float:
    """The logarithm that a probability of 0 counts as."""
    if isinstance(zero, str) and zero in ("-inf", "cap100"):
        return -np.inf if zero == "-inf" else -_CAP
    nats = getattr(zero, "nats", zero)
    if is_number(nats) and 0 <= nats < np.inf:
        return -float(nats)
    remedy = advice(
        zero,
        ("-inf", "cap100"),
        otherwise="A floor for parameters belongs to the model: NaiveBayes(zero_policy='param_floor').",
    )
    raise ParameterError(
        f"zero must be '-inf', 'cap100', a number of nats >= 0 or a policy such as Cap(50), got {quoted(zero)}. "
        f"{remedy}"
    )
