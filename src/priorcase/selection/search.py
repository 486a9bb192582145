"""Searches for attribute subsets: greedy steps, decided by races, and schemata search (Moore & Lee 1994)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.special import stdtr

from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.selection.leave_one_out import LeaveOneOutLosses, Subset, Trials

Progress: TypeAlias = Callable[[int], None]
"""Callback that receives the number of subsets or attributes decided since the last call."""

Entrants: TypeAlias = dict[Subset, float]
"""Subsets in a race, each with a handicap that is added to the subset's mean loss."""

_GROWTH = 1.5


@dataclass(frozen=True)
class Step:
    """One decision of a search: include an attribute, exclude an attribute, or stop."""

    attribute: int | None  # the attribute that was decided; None if the search stopped
    kept: bool  # whether the attribute is in the subset
    subset: Subset  # the attributes selected so far
    loss: float  # mean loss of the option chosen
    points: int  # number of rows evaluated for this decision
    compared: int  # number of subsets, or schemata, compared
    evaluations: int  # number of left-out rows predicted
    exhaustive: int  # number of predictions if each compared subset were evaluated on every row


@dataclass(frozen=True)
class Race:
    """Racing rule: drop a subset that is unlikely to beat the leader by more than ``gamma`` (Moore & Lee 1994).

    Let d be the mean loss of a subset minus the mean loss of the leader, after m of n rows. The difference after all n
    rows is treated as a Student t variable with mean d and variance ``s^2 / m * (1 - m / n)``, because rows are drawn
    without replacement. A subset is dropped if ``P(difference < -gamma)`` is below ``delta`` divided by the number of
    comparisons. If ``paired`` is True, s^2 is the variance of the differences in loss between the two subsets on the
    same row (BRACE, a blocked race). Otherwise, s^2 is the sum of the variances of the losses of both subsets (RACE).

    For s^2, one artificial row is added on which the losses of the two subsets differ by 1, because two subsets with
    equal losses on m rows can still differ on other rows.
    """

    paired: bool
    delta: float
    gamma: float
    min_points: int  # number of rows to evaluate before a subset can be dropped

    def next(self, points: int, rows: int) -> int:
        """Return after how many rows to compare the subsets next; the last comparison was after ``points`` rows."""
        return min(rows, max(self.min_points, math.ceil(points * _GROWTH)))

    def max_comparisons(self, rows: int) -> int:
        """Return the maximum number of comparisons in a race before all rows have been evaluated."""
        return 1 + math.ceil(max(0.0, math.log(rows / self.min_points) / math.log(_GROWTH)))

    def leaving(self, losses: FloatArray, handicaps: FloatArray, rows: int) -> BoolArray:
        """Return a mask of the subsets to drop, given their losses, shape (subsets, evaluated rows)."""
        m = losses.shape[1]
        means = losses.mean(axis=1) + handicaps
        leader = int(means.argmin())
        if self.paired:
            variance, degrees = (_squares(losses - losses[leader]) + 1.0) / m, m - 1
        else:
            own = (_squares(losses) + 0.5) / m
            variance, degrees = own + own[leader], 2 * m - 2
        delta = self.delta / self.max_comparisons(rows) / max(len(losses) - 1, 1)
        improbable = _is_improbable(means - means[leader], variance / m * (1 - m / rows), degrees, delta, self.gamma)
        improbable[leader] = False
        return improbable


def _squares(losses: FloatArray) -> FloatArray:
    """Return the sum of squared deviations from the mean in each row of a matrix."""
    centered = losses - losses.mean(axis=1, keepdims=True)
    return np.asarray((centered * centered).sum(axis=1))


def _is_improbable(difference: FloatArray, variance: FloatArray, degrees: int, delta: float, gamma: float) -> BoolArray:
    """Return whether ``P(t < -gamma) < delta`` for Student t variables t with means ``difference``."""
    return np.asarray(stdtr(degrees, (-gamma - difference) / np.sqrt(variance)) < delta)


def race(trials: Trials, entrants: Entrants, rule: Race, progress: Progress) -> tuple[Subset, float, int]:
    """Run a race; return the winner (the first if tied), its mean loss, and the number of rows evaluated."""
    rows, running, handicaps = len(trials), list(entrants), np.array(list(entrants.values()))
    points = rule.next(0, rows)
    while True:
        if points == rows:  # one subset at a time, to report progress after each
            for subset in running:
                trials.losses([subset], points)
                progress(1)
        losses = trials.losses(running, points)
        if points < rows:
            stays = ~rule.leaving(losses, handicaps, rows)
            progress(int((~stays).sum()))
            running = [subset for subset, still in zip(running, stays.tolist(), strict=True) if still]
            losses, handicaps = losses[stays], handicaps[stays]
        if len(running) == 1 or points == rows:
            break
        points = rule.next(points, rows)
    first = int((losses.mean(axis=1) + handicaps).argmin())
    return running[first], float(losses[first].mean()), points


def greedy(
    trials: Trials, width: int, rule: Race, n_features: int | None, progress: Progress, *, backward: bool = False
) -> Iterator[Step]:
    """Run a forward or backward search and yield its steps, each of which is decided by a race."""
    current = best = tuple(range(width)) if backward else ()
    while len(current) != (n_features or (1 if backward else width)):
        candidates = [tuple(sorted({*current} ^ {a})) for a in range(width) if (a in current) == backward]
        entrants = dict.fromkeys(candidates, 0.0 if backward else rule.gamma)
        # Without ``n_features``, the best subset so far also competes, and the search ends if this subset wins. An
        # added attribute must lower the loss by more than gamma; a removed attribute may increase it by at most gamma.
        if n_features is None and best:  # the first wins among ties
            entrants = entrants | {best: rule.gamma} if backward else {best: 0.0} | entrants
        evaluations, subsets = trials.n_evaluations, trials.n_subsets
        winner, loss, points = race(trials, entrants, rule, progress)
        attribute = (set(winner) ^ set(current)).pop() if winner in candidates else None
        took = trials.n_evaluations - evaluations, (trials.n_subsets - subsets) * len(trials)
        kept, subset = len(winner) > len(current), current if attribute is None else winner
        yield Step(attribute, kept, subset, loss, points, len(entrants), *took)
        if attribute is None:
            return
        current = winner
        if not backward or (n_features is None and not trials.is_better(best, current)):
            best = current
        trials.keep({current, best})


def schemata(
    rows: LeaveOneOutLosses, order: IntArray, width: int, rule: Race, rng: np.random.Generator, progress: Progress
) -> Iterator[Step]:
    """Run the schemata search of Moore & Lee (1994) and yield its steps.

    A schema states for some attributes whether they are included. In each generation, there is one race for every
    undecided attribute, between including and excluding the attribute. Each row is predicted with one random subset of
    the attributes, and its loss counts in every race: for including the attribute if the subset contains the attribute,
    otherwise for excluding the attribute. The first race that is won decides whether its attribute is included, and the
    next generation starts. If all rows have been used and no race is won, the least useful attribute is excluded.
    """
    selected: Subset = ()
    undecided = tuple(range(width))
    n, place = order.size, 0
    while undecided:
        inside, losses = np.empty((0, len(undecided)), dtype=bool), np.empty(0)
        means = np.full((2, len(undecided)), np.nan)
        # The last attribute is selected without a race if no other was selected.
        decision = None if selected or len(undecided) > 1 else (0, True)
        while decision is None:
            size = rule.next(losses.size, n) - losses.size
            points = order[np.arange(place, place := place + size) % n]
            drawn = rng.random((size, len(undecided))) < 0.5
            while not selected and not (some := drawn.any(axis=1)).all():  # not the empty subset
                drawn[~some] = rng.random((int((~some).sum()), len(undecided))) < 0.5
            subsets = [tuple(sorted((*selected, *np.array(undecided)[line].tolist()))) for line in drawn]
            inside = np.concatenate((inside, drawn))
            losses = np.concatenate((losses, rows.losses_of_each(points, subsets)))
            means, variances = _sides(inside, losses)
            decision = _decision(means, variances, losses.size, n, rule)
        at, kept = decision
        attribute, compared = undecided[at], 2 * len(undecided) if losses.size else 0
        if kept:
            selected = tuple(sorted((*selected, attribute)))
        undecided = tuple(a for a in undecided if a != attribute)
        loss = float(means[int(kept), at])
        yield Step(attribute, kept, selected, loss, losses.size, compared, losses.size, compared * n)
        progress(1)


def _sides(inside: BoolArray, losses: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean losses without and with each attribute, and their variances, both of shape (2, attributes)."""
    means, variances = np.full((2, 2, inside.shape[1]), np.nan)
    for side, a in np.ndindex(means.shape):
        of = losses[inside[:, a] == side]
        if of.size:
            means[side, a] = of.mean()
            # 0.5 is for the artificial row of `Race`.
            variances[side, a] = (((of - of.mean()) ** 2).sum() + 0.5) / of.size**2
    return means, variances


def _decision(means: FloatArray, variances: FloatArray, points: int, rows: int, rule: Race) -> tuple[int, bool] | None:
    """Return the position of an attribute and whether to include it, or None if no race is won yet."""
    cost, deviation = means[1] - means[0] + rule.gamma, np.sqrt(variances.sum(axis=0))
    ran = ~np.isnan(cost)
    # All races run at once and the first race won decides, so delta is divided among the races.
    delta = rule.delta / rule.max_comparisons(rows) / len(ran)
    won = np.zeros(ran.shape, dtype=bool)
    won[ran] = _is_improbable(np.abs(cost[ran]), deviation[ran] ** 2, points - 2, delta, rule.gamma)
    if won.any():
        clearest = int(np.where(won, (np.abs(cost) + rule.gamma) / deviation, -np.inf).argmax())
        return clearest, bool(cost[clearest] < 0)
    # If no race is won after all rows, the least useful attribute is excluded.
    return (int(np.where(ran, cost / deviation, -np.inf).argmax()), False) if points == rows else None
