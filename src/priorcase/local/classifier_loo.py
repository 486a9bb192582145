"""How far local classifiers reach, chosen by the leave-one-out log-loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.learning.frames import framed
from priorcase.learning.grids import Grid
from priorcase.learning.progress import bar
from priorcase.local.choosing import MOST_LEFT_OUT, Ladder
from priorcase.local.classifier_models import Fitted, probabilities
from priorcase.local.classifier_rows import ClassRows
from priorcase.local.curve import LeaveOneOutCurve
from priorcase.local.neighborhoods import Circle, neighborhoods, reached

# Rows left out between two steps of the bar.
_AT_ONCE = 128
# Where every row counts: distances measured in all, unless so few rows were left out then.
_DISTANCES, _FEWEST = 50_000_000, 50
# A probability of 0 costs as much as this one, so that candidates with fewer of them are better.
_LEAST = float(np.finfo(np.float64).tiny)


class LogLossCurve(LeaveOneOutCurve):
    """The mean log-loss of the left-out rows for each candidate of a ladder: see `LeaveOneOutCurve`.

    Examples
    --------
    >>> LogLossCurve("n_neighbors", np.array([3, 5]), np.array([0.5, 0.25]), 20)
    leave-one-out error of 20 rows
      n_neighbors  log-loss
                3       0.5
                5      0.25  best
    """

    @classmethod
    def of(cls, curve: LeaveOneOutCurve) -> LogLossCurve:
        """The same numbers by their right name."""
        return cls(curve.parameter, curve.candidates, curve.errors, curve.n_left_out, curve.backend)

    def frame(self) -> Any:
        """One line for each candidate, in a frame of the library that the estimator was fitted with."""
        return framed({self.parameter: self.candidates, "log_loss": self.errors}, self.backend)

    def plot(self, ax: Any = None) -> Any:
        """The losses over the candidates, drawn with matplotlib; the axes come back.

        Parameters
        ----------
        ax
            Axes to draw on; None for a figure of its own.
        """
        ax = super().plot(ax)
        ax.set_ylabel("leave-one-out log-loss")
        return ax

    def _grid(self) -> Grid:
        return replace(super()._grid(), header=[self.parameter, "log-loss", ""])


@dataclass(frozen=True, slots=True)
class ClassLadder(Ladder):
    """What can be tried on rows with classes; errors are log-losses.

    Parameters
    ----------
    rows
        The stored rows with their classes.
    local
        The model that is fitted around each of them.
    """

    rows: ClassRows
    local: Fitted

    def errors(self, circles: Sequence[Circle]) -> tuple[FloatArray, int]:
        """Mean log-loss of the left-out rows by each circle, the widest last, and how many rows were left out."""
        most, widest = MOST_LEFT_OUT, circles[-1]
        if widest.k is None and not widest.kernel.compact:
            most = min(most, max(_FEWEST, _DISTANCES // len(self.memory)))
        own = self.left_out(most)
        times = np.ones(own.size) if self.memory.row_weights is None else self.memory.row_weights[own]
        sums, starts = np.zeros(len(circles)), range(0, own.size, _AT_ONCE)
        with bar(len(starts), shown=True, text="leave-one-out") as advance:
            for start in starts:
                block = slice(start, start + _AT_ONCE)
                sums += (self._losses(circles, own[block]) * times[block]).sum(axis=1)
                advance("leave-one-out")
        return sums / times.sum(), own.size

    def _losses(self, circles: Sequence[Circle], own: IntArray) -> FloatArray:
        """The log-loss of some rows by each circle, shape (circles, rows)."""
        memory, threads = self.memory, self.threads
        cells, found_losses = memory.instances.cells(own), np.empty((len(circles), own.size))
        for part, found in neighborhoods(memory, cells, circles[-1], threads=threads, own=own):
            asked, rows = cells[part], own[part]
            for i, circle in enumerate(circles):
                around = reached(memory, asked, circle.around(found), threads=threads, own=rows)
                shares = probabilities(self.local, self.rows, asked, around, numbers=rows, threads=threads)
                told = shares[np.arange(rows.size), self.rows.codes[rows]]
                found_losses[i, part] = -np.log(np.maximum(told, _LEAST))
        return found_losses
