"""Choosing attributes by leave-one-out, slow and obvious: one row, one subset at a time.

A subset is an ascending tuple of positions. ``loss(i, subset)`` is what row i costs when it is predicted from all other
rows by the attributes of the subset. "M&L" is Moore & Lee 1994.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from reference.distances import Cases, heom
from reference.knn import classify, proba, regress
from scipy.stats import t as student

Subset = tuple[int, ...]
Loss = Callable[[int, Subset], float]
Move = tuple[int | None, Subset]


# -- what a left-out row costs


class Table:
    """Rows and targets, with what each attribute adds to the HEOM of two rows before the root."""

    def __init__(self, cases: Cases) -> None:
        self.classes = cases.classes
        self.parts = []
        for a, kind in enumerate(cases.kinds):
            column = Cases((kind,), tuple((row[a],) for row in cases.rows), cases.classes)
            self.parts.append([[heom(column, x, q) for x in column.rows] for q in column.rows])

    def distances(self, i: int, subset: Subset) -> list[float]:
        """From row i to all other rows, in row order, by some attributes."""
        costs = [sum(self.parts[a][i][j] for a in subset) for j in range(len(self.classes)) if j != i]
        return [math.sqrt(cost) for cost in costs]


def others(values: Sequence[Any], i: int) -> list[Any]:
    return [value for j, value in enumerate(values) if j != i]


def zero_one(table: Table, k: int, ties: str = "majority") -> Loss:
    """1 where the others vote for another class."""

    def loss(i: int, subset: Subset) -> float:
        return float(classify(table.distances(i, subset), others(table.classes, i), k, ties=ties) != table.classes[i])

    return loss


def class_share(table: Table, i: int, subset: Subset, k: int, prior: float) -> dict[Any, float]:
    """Share of each class that the others have; 0 of one that only row i has, unless a prior gives it some."""
    classes, labels = sorted(set(table.classes)), others(table.classes, i)
    near = table.distances(i, subset)
    shares = dict.fromkeys(classes, 0.0)
    shares |= dict(zip(sorted(set(labels)), proba(near, labels, k), strict=True))
    limit = sorted(near)[k - 1]
    voters = sum(d <= limit for d in near)
    return {c: (share * voters + prior) / (voters + prior * len(classes)) for c, share in shares.items()}


def brier(table: Table, k: int, prior: float = 0.0) -> Loss:
    """sum_c (p_c - [c is the row's class])^2."""

    def loss(i: int, subset: Subset) -> float:
        return sum((p - (c == table.classes[i])) ** 2 for c, p in class_share(table, i, subset, k, prior).items())

    return loss


def log_loss(table: Table, k: int, prior: float) -> Loss:
    """-ln p of the row's class."""
    return lambda i, subset: -math.log(class_share(table, i, subset, k, prior)[table.classes[i]])


def error(table: Table, k: int, power: int) -> Loss:
    """|mean of the voters - y| ** power, over that of the best constant: the mean, or the median."""
    y = [float(target) for target in table.classes]
    ordered = sorted(y)
    middle = (ordered[(len(y) - 1) // 2] + ordered[len(y) // 2]) / 2 if power == 1 else sum(y) / len(y)
    unit = sum(abs(target - middle) ** power for target in y) / len(y) or 1.0

    def loss(i: int, subset: Subset) -> float:
        return abs(regress(table.distances(i, subset), others(y, i), k) - y[i]) ** power / unit

    return loss


# -- steps


def full(loss: Loss, rows: int) -> Callable[[Subset], float]:
    """The leave-one-out loss of a subset."""
    return lambda subset: sum(loss(i, subset) for i in range(rows)) / rows


def forward(of: Callable[[Subset], float], width: int, gamma: float, n_features: int | None = None) -> list[Move]:
    """Add the attribute that lowers the loss most, while by more than gamma; the first of equals."""
    current: Subset = ()
    moves: list[Move] = []
    while len(current) < (n_features or width):
        larger = [tuple(sorted((*current, a))) for a in range(width) if a not in current]
        best = min(larger, key=of)
        if current and n_features is None and of(best) + gamma >= of(current):
            return [*moves, (None, current)]
        moves.append((next(a for a in best if a not in current), best))
        current = best
    return moves


def backward(of: Callable[[Subset], float], width: int, gamma: float, n_features: int | None = None) -> list[Move]:
    """Remove the attribute that is missed least, while the loss stays within gamma of the lowest so far."""
    current = tuple(range(width))
    lowest = of(current)
    moves: list[Move] = []
    while len(current) > (n_features or 1):
        smaller = [tuple(b for b in current if b != a) for a in current]
        best = min(smaller, key=of)
        if n_features is None and of(best) > lowest + gamma:
            return [*moves, (None, current)]
        moves.append((next(a for a in current if a not in best), best))
        current, lowest = best, min(lowest, of(best))
    return moves


# -- races


def looks(rows: int, first: int) -> list[int]:
    """After how many rows a race is looked at: each time half as many more."""
    found = [min(rows, first)]
    while found[-1] < rows:
        found.append(min(rows, math.ceil(found[-1] * 1.5)))
    return found


def squares(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values)


def improbable(gap: float, variance: float, degrees: int, share: float, gamma: float) -> bool:
    """P(difference < -gamma) < share."""
    return bool(student.cdf((-gamma - gap) / math.sqrt(variance), degrees) < share)


def race(
    loss: Loss,
    order: Sequence[int],
    entrants: Sequence[tuple[Subset, float]],
    *,
    paired: bool,
    delta: float,
    gamma: float,
    min_points: int,
) -> tuple[Subset, int]:
    """M&L: the winner among subsets with handicaps, and how many left-out rows were predicted.

    A subset leaves once it is improbable that it beats the leader by more than gamma, by the variance of the paired
    differences (BRACE) or by those of both (RACE), each with one row more on which the two differ by 1.
    """
    rows, running, evaluations = len(order), list(entrants), 0
    chances = 1 + math.ceil(max(0.0, math.log(rows / min_points) / math.log(1.5)))
    before = 0
    for m in looks(rows, min_points):
        evaluations += len(running) * (m - before)
        before = m
        losses = {subset: [loss(i, subset) for i in order[:m]] for subset, _ in running}
        value = {subset: sum(losses[subset]) / m + handicap for subset, handicap in running}
        leader = min(running, key=lambda entrant: value[entrant[0]])[0]
        if m == rows:
            return leader, evaluations
        staying = []
        for subset, handicap in running:
            if paired:
                pairs = [a - b for a, b in zip(losses[subset], losses[leader], strict=True)]
                variance, degrees = (squares(pairs) + 1) / m, m - 1
            else:
                variance, degrees = (squares(losses[subset]) + squares(losses[leader]) + 1) / m, 2 * m - 2
            variance *= (1 - m / rows) / m
            share = delta / chances / max(len(running) - 1, 1)
            gap = value[subset] - value[leader]
            if subset == leader or not improbable(gap, variance, degrees, share, gamma):
                staying.append((subset, handicap))
        running = staying
        if len(running) == 1:
            return leader, evaluations
    raise AssertionError("the last look is after the last row")


# -- schemata


def draw(rng: Any, taken: Subset, open_: Subset, points: int) -> list[Subset]:
    """Random subsets, one for each row: what is taken, and each open attribute or not; empty ones are drawn again."""
    inside = rng.random((points, len(open_))) < 0.5
    while not taken and not inside.any(axis=1).all():
        empty = [i for i in range(points) if not inside[i].any()]
        inside[empty] = rng.random((len(empty), len(open_))) < 0.5
    return [tuple(sorted((*taken, *(a for a, is_in in zip(open_, line, strict=True) if is_in)))) for line in inside]


def schemata(
    loss: Loss, order: Sequence[int], width: int, rng: Any, *, delta: float, gamma: float, min_points: int
) -> list[tuple[int, bool, int]]:
    """M&L: attributes in the order in which they are decided, whether they are in, and after how many rows."""
    rows, place = len(order), 0
    chances = 1 + math.ceil(max(0.0, math.log(rows / min_points) / math.log(1.5)))
    taken: Subset = ()
    open_ = tuple(range(width))
    moves = []
    while open_:
        seen: list[tuple[Subset, float]] = []
        decided = None if taken or len(open_) > 1 else (open_[0], True)
        for m in looks(rows, min_points) if decided is None else ():
            for subset in draw(rng, taken, open_, m - len(seen)):
                seen.append((subset, loss(order[place % rows], subset)))
                place += 1
            costs, errors, won = {}, {}, []
            for a in open_:
                sides = [[value for subset, value in seen if (a in subset) == is_in] for is_in in (False, True)]
                if not all(sides):
                    continue
                out, in_ = (sum(side) / len(side) for side in sides)
                costs[a] = in_ + gamma - out
                errors[a] = math.sqrt(sum((squares(side) + 0.5) / len(side) ** 2 for side in sides))
                if improbable(abs(costs[a]), errors[a] ** 2, m - 2, delta / chances / len(open_), gamma):
                    won.append(a)
            if won:
                best = max(won, key=lambda a: (abs(costs[a]) + gamma) / errors[a])
                decided = best, costs[best] < 0
            elif m == rows:
                decided = max(costs, key=lambda a: costs[a] / errors[a]), False
            if decided:
                break
        assert decided is not None
        moves.append((*decided, len(seen)))
        taken = tuple(sorted((*taken, decided[0]))) if decided[1] else taken
        open_ = tuple(a for a in open_ if a != decided[0])
    return moves
