"""Schemata search: every attribute races in against out, the others being in or out at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.selection.left_out import LeftOut, Subset
from priorcase.selection.racing import Race, is_improbable
from priorcase.selection.steps import Step


@dataclass
class Generation:
    """The races of one generation: a random subset for each row of the sequence serves the races of all attributes.

    Parameters
    ----------
    taken
        Attributes that earlier generations took.
    open
        Attributes that are undecided.
    """

    taken: Subset
    open: Subset
    inside: BoolArray = field(init=False)
    losses: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        self.inside, self.losses = np.empty((0, len(self.open)), dtype=bool), np.empty(0)

    def draw(self, left_out: LeftOut, points: IntArray, rng: np.random.Generator) -> None:
        """Try a random subset on each of some more rows; one without any attribute is drawn again."""
        inside = rng.random((points.size, len(self.open))) < 0.5
        while not self.taken and not (some := inside.any(axis=1)).all():
            inside[~some] = rng.random((int((~some).sum()), len(self.open))) < 0.5
        open_ = np.array(self.open)
        subsets = [tuple(sorted((*self.taken, *open_[line].tolist()))) for line in inside]
        self.inside = np.concatenate((self.inside, inside))
        self.losses = np.concatenate((self.losses, left_out.losses_of_each(points, subsets)))

    def sides(self) -> tuple[FloatArray, FloatArray]:
        """Mean losses and their variances with each open attribute out and in, shape (2, attributes); NaN before any.

        As in a race half a row is added on which the two sides differ by 1: few rows say little about their spread.
        """
        means, variances = np.full((2, len(self.open)), np.nan), np.full((2, len(self.open)), np.nan)
        for side, a in np.ndindex(means.shape):
            of = self.losses[self.inside[:, a] == side]
            if of.size:
                means[side, a] = of.mean()
                variances[side, a] = (((of - of.mean()) ** 2).sum() + 0.5) / of.size**2
        return means, variances

    def step(self, place: int, kept: bool, *, rows: int) -> Step:
        """The decision about the open attribute at a place."""
        attribute, points = self.open[place], self.losses.size
        compared = 2 * len(self.open) if points else 0
        subset = tuple(sorted((*self.taken, attribute))) if kept else self.taken
        loss = float(self.sides()[0][int(kept), place])
        return Step(attribute, kept, subset, loss, points, compared, points, compared * rows)


@dataclass(frozen=True)
class Schemata:
    """Moore & Lee's (1994) schemata search.

    A schema says of some attributes whether they are in. In each generation every undecided attribute races "in"
    against "out"; each loss, that of one left-out row by one random subset, counts for one side of every race. The
    first race that is won decides its attribute, and the next generation starts. So attributes are judged together
    with others, in contrast to forward search, and n attributes take about as many rows as one.

    A generation sees at most as many rows as there are; where no race was won by then, the attribute goes out that does
    least.

    Parameters
    ----------
    rule
        When a race is won; "in" has to be better by ``gamma``.
    told
        Called whenever an attribute is decided.
    """

    rule: Race
    told: Callable[[int], None]

    def steps(self, left_out: LeftOut, order: IntArray, width: int, rng: np.random.Generator) -> Iterator[Step]:
        """Decide one attribute after the other."""
        taken: Subset = ()
        open_ = tuple(range(width))
        place = 0
        while open_:
            generation, points = Generation(taken, open_), 0
            # The last attribute is taken without a race where no other was.
            decided = None if taken or len(open_) > 1 else (0, True)
            while decided is None:
                seen, points = points, self.rule.next(points, order.size)
                at = np.arange(place, place := place + points - seen) % order.size
                generation.draw(left_out, order[at], rng)
                decided = self._decided(generation, order.size)
            yield (step := generation.step(*decided, rows=order.size))
            self.told(1)
            taken = step.subset
            open_ = tuple(a for a in open_ if a != step.attribute)

    def _decided(self, generation: Generation, rows: int) -> tuple[int, bool] | None:
        """The place, among the open attributes, of the one whose race is won most clearly, and whether by "in"."""
        means, variances = generation.sides()
        cost, deviation = means[1] - means[0] + self.rule.gamma, np.sqrt(variances.sum(axis=0))
        points, ran = generation.losses.size, ~np.isnan(cost)
        # As many races run at once, and the first that is won decides: each may err by its share only.
        share = self.rule.delta / self.rule.looks(rows) / len(ran)
        won = np.zeros(ran.shape, dtype=bool)
        won[ran] = is_improbable(np.abs(cost[ran]), deviation[ran] ** 2, points - 2, share, self.rule.gamma)
        if won.any():
            clearest = int(np.where(won, (np.abs(cost) + self.rule.gamma) / deviation, -np.inf).argmax())
            return clearest, bool(cost[clearest] < 0)
        return (int(np.where(ran, cost / deviation, -np.inf).argmax()), False) if points == rows else None
