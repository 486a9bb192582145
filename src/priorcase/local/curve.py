"""Leave-one-out errors of candidates: a result that prints itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray
from priorcase.exceptions import prefix_errors
from priorcase.learning.frames import Backend, framed
from priorcase.learning.grids import Grid, grids_html, grids_text
from priorcase.learning.plotting import MUTED, colour, drawing, log_ticks, ring


@dataclass(frozen=True, repr=False, eq=False)
class LeaveOneOutCurve:
    """The mean squared error of the left-out rows for each candidate of a ladder.

    It prints as a table; ``np.asarray`` gives the errors.

    Parameters
    ----------
    parameter
        What was chosen: ``"n_neighbors"`` or ``"bandwidth"``.
    candidates, errors
        The values tried, ascending, and their errors.
    n_left_out
        How many rows were left out in turn.
    backend
        The library whose frame the estimator was fitted on, or None.

    Examples
    --------
    >>> LeaveOneOutCurve("n_neighbors", np.array([3, 5]), np.array([0.5, 0.25]), 20)
    leave-one-out error of 20 rows
      n_neighbors  squared error
                3            0.5
                5           0.25  best
    """

    parameter: str
    candidates: AnyArray
    errors: FloatArray
    n_left_out: int
    backend: Backend | None = None

    @property
    def best(self) -> Any:
        """The candidate with the least error; the smallest of several."""
        return self.candidates[self._least()].item()

    def __len__(self) -> int:
        return self.errors.size

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        return np.array(self.errors, dtype=dtype)

    def frame(self) -> Any:
        """One line for each candidate, in a frame of the library that the estimator was fitted with."""
        return framed({self.parameter: self.candidates, "squared_error": self.errors}, self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """The errors over the candidates, drawn with matplotlib; the axes come back.

        Parameters
        ----------
        ax
            Axes to draw on; None for a figure of its own.
        """
        with drawing(ax) as ax:
            ax.plot(self.candidates, self.errors, marker="o", color=colour(0))
            ax.axvline(self.best, color=MUTED, linewidth=0.9, linestyle=(0, (3, 3)), zorder=1)
            ring(ax, self.best, float(self.errors[self._least()]))
            ax.set(xscale="log", xlabel=self.parameter, ylabel="leave-one-out squared error")
            log_ticks(ax.xaxis)
            return ax

    def _least(self) -> int:
        return int(np.argmin(np.where(np.isnan(self.errors), np.inf, self.errors)))

    def _grid(self) -> Grid:
        best = self._least()
        lines = [
            [f"{candidate:.6g}", f"{error:.6g}", "best" if i == best else ""]
            for i, (candidate, error) in enumerate(zip(self.candidates, self.errors, strict=True))
        ]
        title = f"leave-one-out error of {self.n_left_out} rows"
        return Grid(title, [self.parameter, "squared error", ""], lines, right={0, 1})

    def __repr__(self) -> str:
        return grids_text([self._grid()])

    def _repr_html_(self) -> str:
        return grids_html([self._grid()])
