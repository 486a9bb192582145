"""Races between attribute subsets: rows are left out until one subset is left, or every row was."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from priorcase._typing import BoolArray, FloatArray
from priorcase.selection.left_out import Subset
from priorcase.selection.trials import Trials

_GROWTH = 1.5


@dataclass(frozen=True)
class Exhaustive:
    """Nobody leaves before every row was left out: full leave-one-out."""

    def next(self, points: int, rows: int) -> int:
        """After how many rows the subsets are looked at."""
        return rows

    def leaving(self, losses: FloatArray, handicaps: FloatArray, rows: int) -> BoolArray:
        """Who leaves."""
        return np.zeros(len(losses), dtype=bool)


@dataclass(frozen=True)
class Race:
    """A subset leaves when it is improbable that it beats the leader by more than ``gamma`` (Moore & Lee 1994).

    After m of n rows the difference of the mean losses is taken for a Student t variable around what it would be after
    all n, with the variance ``s^2 / m * (1 - m / n)``: the sequence is drawn without replacement, and at its end
    nothing is uncertain. A subset leaves once ``P(difference < -gamma)`` is below its share of ``delta``, which all
    others and all times they are looked at divide among them. With ``paired`` s^2 is that of the differences on each
    row (BRACE, a blocked race), otherwise the sum of the two subsets' own (RACE): rows that are hard for all make the
    losses of both vary, and the differences not.

    To the sum of squares behind s^2 a single row is added on which the two differ by 1: two subsets that have agreed on
    m rows may yet differ on one in m.

    Parameters
    ----------
    paired
        Whether differences are taken row by row.
    delta
        How improbable it is, all in all, that the race is won by another than full leave-one-out would name.
    gamma
        How much better counts.
    min_points
        After how many rows subsets may leave.
    """

    paired: bool
    delta: float
    gamma: float
    min_points: int

    def leaving(self, losses: FloatArray, handicaps: FloatArray, rows: int) -> BoolArray:
        """Who leaves, given losses of shape (subsets, m) and what is added to each subset's mean."""
        m = losses.shape[1]
        means = losses.mean(axis=1) + handicaps
        leader = int(means.argmin())
        if self.paired:
            variance, degrees = (_squares(losses - losses[leader]) + 1.0) / m, m - 1
        else:
            own = (_squares(losses) + 0.5) / m
            variance, degrees = own + own[leader], 2 * m - 2
        share = self.delta / self.looks(rows) / max(len(losses) - 1, 1)
        gaps = means - means[leader]
        improbable = is_improbable(gaps, variance / m * (1 - m / rows), degrees, share, self.gamma)
        improbable[leader] = False
        return improbable

    def next(self, points: int, rows: int) -> int:
        """After how many rows the subsets are looked at, when they were last after ``points``; 0 for never."""
        return min(rows, max(self.min_points, math.ceil(points * _GROWTH)))

    def looks(self, rows: int) -> int:
        """How often they are looked at before the last row, at most."""
        return 1 + math.ceil(max(0.0, math.log(rows / self.min_points) / math.log(_GROWTH)))


def is_improbable(
    difference: FloatArray, variance: FloatArray, degrees: int | FloatArray, delta: float, gamma: float
) -> BoolArray:
    """Whether ``P(t < -gamma) < delta`` for a Student variable with these means and variances.

    Examples
    --------
    >>> is_improbable(np.array([0.0, 0.3]), np.array([0.01, 0.01]), 30, delta=0.05, gamma=0.01)
    array([False,  True])
    """
    return np.asarray(stdtr(degrees, (-gamma - difference) / np.sqrt(variance)) < delta)


def _squares(losses: FloatArray) -> FloatArray:
    """Sum of squared deviations of each line."""
    centred = losses - losses.mean(axis=1, keepdims=True)
    return np.asarray((centred * centred).sum(axis=1))


@dataclass(frozen=True)
class Entrant:
    """A subset in a race, and what is added to its mean loss: others must be better by that much."""

    subset: Subset
    handicap: float = 0.0


@dataclass(frozen=True)
class Result:
    """Who won a race, the mean loss on the rows that were left out, and how many those are."""

    winner: Subset
    loss: float
    points: int


def race(trials: Trials, entrants: Sequence[Entrant], rule: Exhaustive | Race, told: Callable[[int], None]) -> Result:
    """The winner; of equals the one that is named first.

    Parameters
    ----------
    trials
        The rows and their sequence.
    entrants
        Who takes part, those to be preferred first.
    rule
        Who leaves.
    told
        Called with the number of subsets that are settled, whenever there are some.
    """
    rows, running = len(trials), list(entrants)
    points = rule.next(0, rows)
    while True:
        losses = _losses(trials, running, points, told if points == rows else None)
        handicaps = np.array([entrant.handicap for entrant in running])
        leaving = rule.leaving(losses, handicaps, rows) if points < rows else np.zeros(len(running), dtype=bool)
        if leaving.any():
            told(int(leaving.sum()))
            running = [entrant for entrant, leaves in zip(running, leaving.tolist(), strict=True) if not leaves]
            losses, handicaps = losses[~leaving], handicaps[~leaving]
        if len(running) == 1 or points == rows:
            break
        points = rule.next(points, rows)
    first = int((losses.mean(axis=1) + handicaps).argmin())
    return Result(running[first].subset, float(losses[first].mean()), points)


def _losses(trials: Trials, running: Sequence[Entrant], points: int, told: Callable[[int], None] | None) -> FloatArray:
    """Losses on the first ``points`` rows; one subset after the other where each is then settled."""
    subsets = [entrant.subset for entrant in running]
    if told is not None:
        for subset in subsets:
            trials.losses([subset], points)
            told(1)
    return trials.losses(subsets, points)
