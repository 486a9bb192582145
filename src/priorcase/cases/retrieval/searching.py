"""The search for weights: coordinate steps on a small grid."""

from __future__ import annotations

import math

import numpy as np

from priorcase._typing import FloatArray
from priorcase.cases.retrieval.left_out import LeftOut

GRID = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
"""The weights that are tried."""

_ROUNDS = 12

# A change must make the loss smaller by this part of it: less is noise.
_HELPS = 1e-3

# By so many standard errors of the mean difference an attribute must be missed (the rule of one standard error,
# Breiman, Friedman, Olshen & Stone 1984): the best of many weights are so partly by chance.
_ERRORS = 1.0


class Search:
    """Weights of small leave-one-out loss.

    Parameters
    ----------
    left_out
        What gives losses.
    fixed
        For each attribute the weight that it keeps, NaN where one is sought.
    shown
        Whether to show a bar on a terminal.
    """

    def __init__(self, left_out: LeftOut, *, fixed: FloatArray, shown: bool) -> None:
        self._left_out, self._shown = left_out, shown
        self._passes = 0
        self._told: dict[bytes, FloatArray] = {}
        self.uniform = math.nan
        self.size = len(left_out.names)
        self.guess = left_out.loss_of_guess()
        constant, equal = left_out.constant(), np.where(np.isnan(fixed), 1.0, fixed)
        start = np.where(np.isnan(fixed) & constant, 0.0, equal)
        self._start = start if start.any() else equal  # where nothing tells cases apart, nothing is learned
        self._free = np.flatnonzero(np.isnan(fixed) & ~constant).tolist()
        self.equal = self._losses([self._start])[0]

    def best(self) -> tuple[FloatArray, float, FloatArray]:
        """The best weights found, their loss, and the loss without each attribute (infinite where none is left)."""
        found = [self._descended(start) for start in self._starts()]
        weights, loss = min(found, key=lambda each: each[1])  # the first start of equals
        return self._pruned(weights, loss)

    def _starts(self) -> list[FloatArray]:
        """Equal weights, and those attributes alone that tell something by themselves."""
        alone = np.array(self._losses(list(np.eye(self.size)[self._free])))
        useful = alone < self.guess
        if useful.all() or not useful.any():
            return [self._start]
        some = self._start.copy()
        some[self._free] = useful
        return [self._start, some]

    def _descended(self, weights: FloatArray) -> tuple[FloatArray, float]:
        loss = self._losses([weights])[0]
        for _ in range(_ROUNDS):
            steps = [_changed(weights, a, value) for a in self._free for value in GRID if value != weights[a]]
            steps = [step for step in steps if step.any()]
            losses = self._losses(steps)
            best: dict[int, tuple[float, FloatArray]] = {}
            for step, found in zip(steps, losses, strict=True):
                a = int(np.flatnonzero(step != weights)[0])
                if found < loss * (1.0 - _HELPS) and found < best.get(a, (np.inf, step))[0]:
                    best[a] = found, step
            if not best:
                break
            weights, loss = self._together(weights, sorted(best.items(), key=lambda item: (item[1][0], item[0])))
        return weights, loss

    def _together(
        self, weights: FloatArray, changes: list[tuple[int, tuple[float, FloatArray]]]
    ) -> tuple[FloatArray, float]:
        """The best change, the best two, the best three, ...: whichever of these helps most."""
        tried, current = [], weights
        for a, (_, step) in changes:
            current = _changed(current, a, float(step[a]))
            if current.any():
                tried.append(current)
        losses = self._losses(tried)
        at = int(np.argmin(losses))
        return tried[at], losses[at]

    def _pruned(self, weights: FloatArray, loss: float) -> tuple[FloatArray, float, FloatArray]:
        """Without attributes that are hardly missed, one after the other, as long as equal weights are not better.

        An attribute is hardly missed, too, where one in which all cases are the same does as well in its place: such a
        weight makes votes and means flatter, and tells no case from another. What was replaced so stays replaced while
        others are judged, and is left out in the end.
        """
        best, flat = weights, 0.0
        while True:
            found = self._missed_least(weights, loss, best, [flat] * self.size)
            if found is None:
                found = self._missed_least(weights, loss, best, (flat + weights).tolist())
                if found is None:
                    break
                flat += float(weights[found[0]])
            a, loss = found
            weights = _changed(weights, a, 0.0)
        without = np.full(self.size, np.inf)
        some = [a for a in range(self.size) if _changed(weights, a, 0.0).any()]
        without[some] = self._losses([_changed(weights, a, 0.0) for a in some])
        self.uniform = self._losses([_flattened(weights, math.inf)])[0] if flat else math.nan
        return weights, self._losses([weights])[0], without

    def _missed_least(
        self, weights: FloatArray, loss: float, best: FloatArray, flat: list[float]
    ) -> tuple[int, float] | None:
        """The attribute that is missed least of those hardly missed, and the loss without it, all flattened so much."""
        some = [a for a in self._free if weights[a] and _changed(weights, a, 0.0).any()]
        tried = [_flattened(_changed(weights, a, 0.0), flat[a]) for a in some]
        losses = self._losses(tried)
        found = [
            (without, a)
            for without, a, each in zip(losses, some, tried, strict=True)
            if without <= max(loss, self.equal) and self._hardly_worse(each, best)
        ]
        return min(found)[::-1] if found else None

    def _hardly_worse(self, weights: FloatArray, best: FloatArray) -> bool:
        """Whether losses are not larger by more than one standard error of their mean difference."""
        more = self._told[weights.tobytes()] - self._told[best.tobytes()]
        return bool(more.mean() <= _ERRORS * more.std(ddof=1) / np.sqrt(len(more)))

    def _losses(self, candidates: list[FloatArray]) -> list[float]:
        """Losses of some weights, each of them computed once."""
        new = {each.tobytes(): each for each in candidates if each.tobytes() not in self._told}
        if new:
            self._passes += 1
            text = f"learning weights, pass {self._passes}"
            found = self._left_out.losses(list(new.values()), shown=self._shown, text=text)
            self._told |= dict(zip(new, found, strict=True))
        return [self._left_out.target.mean(self._told[each.tobytes()]) for each in candidates]


def _changed(weights: FloatArray, a: int, value: float) -> FloatArray:
    found = weights.copy()
    found[a] = value
    return found


def _flattened(weights: FloatArray, flat: float) -> FloatArray:
    return np.append(weights, flat) if flat else weights
