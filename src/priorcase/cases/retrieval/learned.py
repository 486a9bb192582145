"""Learned weights: a mapping from attributes to numbers that prints and draws itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import Backend
from priorcase.exceptions import UnknownNameError, advice, listed, prefix_errors, quoted
from priorcase.learning.plotting import captions, colour, drawing, tint
from priorcase.learning.results import Grid, GridResult, framed, short

_SHOWN, _NAME, _GIVEN = 25, 24, 60


@dataclass(frozen=True, repr=False)
class Weights(GridResult, Mapping[str, float]):
    """How much each attribute counts, learned from solved cases; prints as a table, the heaviest first.

    Parameters
    ----------
    names, weights
        The attributes, and a number >= 0 for each.
    without
        The loss where an attribute's weight is 0 and the others stay; NaN where it is the only one that counts.
    loss_before, loss_after
        The leave-one-out loss with equal weights of the attributes in which cases differ, and with these. They were
        chosen for it, so that cases never seen are told a little worse.
    loss_of_guess
        The loss where every case is told the same: the shares of all solutions, or their mean.
    loss
        What it is: ``"log loss"`` or ``"root mean squared error"``.
    target
        What was told: ``"solution"``, ``"outcome"`` or an attribute.
    k
        How many cases told each.
    cases, of_cases
        From how many cases the weights were learned, and of how many these were drawn.
    seed
        Which cases were drawn.
    loss_uniform
        The loss with these weights where the k cases count the same, however similar; NaN unless attributes were left
        out that did nothing but make votes and means flatter. `loss_after` may then be above `loss_before`.
    fixed
        The attributes whose weight was given and not learned.
    rare
        How many of the distinct solutions occur fewer than k times, and how many there are; (0, 0) for numbers.

    Examples
    --------
    >>> losses = 0.5, 0.375, 1.1
    >>> weights = Weights(("age", "make"), (0.5, 2.0), (0.4, 0.9), *losses, "log loss", "solution", 5, 60, 60, 0)
    >>> weights["make"], dict(weights)
    (2.0, {'age': 0.5, 'make': 2.0})
    >>> weights
    weights learned from 60 cases: log loss 0.375, with equal weights 0.5
      attribute  weight  log loss without
      make            2               0.9
      age           0.5               0.4
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]
    without: tuple[float, ...]
    loss_before: float
    loss_after: float
    loss_of_guess: float
    loss: str
    target: str
    k: int
    cases: int
    of_cases: int
    seed: int
    loss_uniform: float = math.nan
    fixed: tuple[str, ...] = ()
    rare: tuple[int, int] = (0, 0)

    def __getitem__(self, name: str) -> float:
        if name not in self.names:
            raise UnknownNameError(
                f"Weights has nothing for {quoted(name)}; it has {listed(self.names)}. "
                f"{advice(name, self.names, otherwise='list(...) gives all that it has.')}"
            )
        return self.weights[self.names.index(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each attribute, the heaviest first: ``attribute``, ``weight``, ``loss_without``.

        Parameters
        ----------
        backend
            The library whose frame to return; None for the first of pandas, Polars and PyArrow that is installed.
        """
        order = self._order()
        columns = {
            "attribute": [self.names[a] for a in order],
            "weight": [self.weights[a] for a in order],
            "loss_without": [self.without[a] for a in order],
        }
        return framed(columns, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """A bar for each attribute, the heaviest on top. Returns the axes.

        Parameters
        ----------
        ax
            Axes of matplotlib; None for a figure of its own.
        """
        order = self._order()[:_SHOWN]
        with drawing(ax, size=(6.0, 1.2 + 0.26 * max(len(order), 4))) as ax:
            places, found = np.arange(len(order)), [self.weights[a] for a in order]
            ax.barh(places, found, 0.7, facecolor=tint(0, 0.6), edgecolor=colour(0), linewidth=0.7)
            ax.set_yticks(places, captions([self.names[a] for a in order]))
            ax.set_ylim(len(order) - 0.5, -0.5)
            ax.set_xlabel("weight")
            ax.tick_params(axis="y", length=0)
            ax.grid(False, axis="y")
            ax.set_title(f"{self.loss} {self.loss_after:.4g}, with equal weights {self.loss_before:.4g}")
            return ax

    def _order(self) -> list[int]:
        """The heaviest first; of equals the one that is missed most."""
        missed = [math.inf if math.isnan(loss) else loss for loss in self.without]
        return sorted(range(len(self.names)), key=lambda a: (-self.weights[a], -missed[a]))

    def _grid(self) -> Grid:
        order = self._order()
        lines = [
            [
                short(self.names[a], _NAME),
                f"{self.weights[a]:.4g}",
                "-" if math.isnan(self.without[a]) else f"{self.without[a]:.4g}",
            ]
            for a in order[:_SHOWN]
        ]
        drawn = f" drawn from {self.of_cases}" if self.cases < self.of_cases else ""
        losses = f"{self.loss} {self.loss_after:.4g}, with equal weights {self.loss_before:.4g}"
        title = f"weights learned from {self.cases} cases{drawn}: {losses}"
        header = ["attribute", "weight", f"{self.loss} without"]
        return Grid(title, header, lines, "; ".join(self._notes()), right={1, 2})

    def _notes(self) -> list[str]:
        notes = []
        if len(self) > _SHOWN:
            notes.append(f"... and {len(self) - _SHOWN} lighter attributes")
        if self.loss_uniform < self.loss_after:
            notes.append(f"where the {self.k} cases count the same, {self.loss} {self.loss_uniform:.4g}")
        if self.fixed:
            notes.append(f"kept as given: {short(', '.join(self.fixed), _GIVEN)}")
        few, distinct = self.rare
        if 2 * few > distinct:
            what = f"{self.target}s" if self.target in ("solution", "outcome") else f"values of {self.target!r}"
            notes.append(f"{few} of {distinct} {what} occur fewer than k={self.k} times: try a smaller k")
        if self.loss_after >= self.loss_of_guess:
            guess = f"telling every case the same has {self.loss} {self.loss_of_guess:.4g}"
            notes.append(f"similar cases tell the {self.target} no better than chance: {guess}")
        return notes
