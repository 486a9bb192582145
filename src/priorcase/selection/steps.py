"""Greedy search, one attribute at a time: forward from none, or backward from all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from priorcase.selection.left_out import Subset
from priorcase.selection.racing import Entrant, Exhaustive, Race, race
from priorcase.selection.trials import Trials


@dataclass(frozen=True)
class Step:
    """One decision of a search.

    Parameters
    ----------
    attribute
        The attribute it is about; None where no attribute was worth adding or removing.
    kept
        Whether the attribute was taken, rather than left out.
    subset
        The attributes taken so far.
    loss
        The mean loss that decided.
    points
        On how many rows the mean was taken.
    compared
        How many subsets, or schemata, were compared.
    evaluations
        How many left-out rows were predicted for it.
    exhaustive
        How many that would have been, had each of those subsets been tried on every row.
    """

    attribute: int | None
    kept: bool
    subset: Subset
    loss: float
    points: int
    compared: int
    evaluations: int
    exhaustive: int


@dataclass(frozen=True)
class Greedy:
    """How to choose one attribute after the other.

    Parameters
    ----------
    rule
        How subsets are compared.
    gamma
        Differences of the mean loss up to this count as none: adding an attribute must lower it by more, and removing
        one may raise it by as much over the lowest so far.
    n_features
        How many attributes to choose; None to go on until the next step does not pay.
    told
        Called with the number of subsets that are settled, whenever there are some.
    """

    rule: Exhaustive | Race
    gamma: float
    n_features: int | None
    told: Callable[[int], None]

    def forward(self, trials: Trials, width: int) -> Iterator[Step]:
        """Add the attribute that lowers the loss most, as long as that pays."""
        current: Subset = ()
        while len(current) < (self.n_features or width):
            larger = [tuple(sorted((*current, a))) for a in range(width) if a not in current]
            entrants = [Entrant(subset, self.gamma) for subset in larger]
            if current and self.n_features is None:
                entrants.insert(0, Entrant(current))
            step = self._step(trials, entrants, current, larger)
            yield step
            if step.attribute is None:
                return
            current = step.subset
            trials.forget_all_but({current})

    def backward(self, trials: Trials, width: int) -> Iterator[Step]:
        """Remove the attribute that is missed least, as long as that costs nothing."""
        current = best = tuple(range(width))
        while len(current) > (self.n_features or 1):
            smaller = [tuple(b for b in current if b != a) for a in current]
            entrants = [Entrant(subset) for subset in smaller]
            if self.n_features is None:
                entrants.append(Entrant(best, self.gamma))
            step = self._step(trials, entrants, current, smaller)
            yield step
            if step.attribute is None:
                return
            current = step.subset
            if self.n_features is None and not _is_better(trials, best, current):
                best = current
            trials.forget_all_but({current, best})

    def _step(self, trials: Trials, entrants: Sequence[Entrant], current: Subset, next_: Sequence[Subset]) -> Step:
        """The race for the next subset, which an entrant that is none of the ``next_`` wins where none of them pays."""
        evaluations, subsets = trials.n_evaluations, trials.n_subsets
        result = race(trials, entrants, self.rule, self.told)
        goes_on = result.winner in next_
        return Step(
            attribute=(set(result.winner) ^ set(current)).pop() if goes_on else None,
            kept=len(result.winner) > len(current),
            subset=result.winner if goes_on else current,
            loss=result.loss,
            points=result.points,
            compared=len(entrants),
            evaluations=trials.n_evaluations - evaluations,
            exhaustive=(trials.n_subsets - subsets) * len(trials),
        )


def _is_better(trials: Trials, first: Subset, second: Subset) -> bool:
    """Whether the mean loss of the first is lower on the rows that both were tried on."""
    rows = min(trials.seen(first), trials.seen(second))
    losses = trials.losses([first, second], rows)
    return bool(losses[0].mean() < losses[1].mean())
