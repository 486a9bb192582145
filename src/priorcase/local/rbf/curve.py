"""Widths and penalties that were tried, and their scores, as a table that prints itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.exceptions import prefix_errors
from priorcase.learning.frames import Backend, framed
from priorcase.learning.grids import Grid, grids_html, grids_text
from priorcase.learning.plotting import drawing, legend_beside, ring, style

Criterion: TypeAlias = Literal["gcv", "loo"]
"""What penalties and widths are chosen by."""


# Estimates that differ by more than this factor are drawn on a logarithmic scale.
_FAR = 100.0


@dataclass(frozen=True, repr=False, eq=False)
class RidgeCurve:
    """Each width and penalty that was tried, and its estimate of the squared error of new rows.

    It prints as a table of the best penalty for each width, in terminals and notebooks.

    Parameters
    ----------
    criterion
        Which estimate it is: ``"gcv"`` or ``"loo"``, the mean squared error of rows left out.
    widths
        The mean width of the centres.
    alphas, freedom, scores
        The penalty, how many parameters the fit amounts to, and the estimate; infinite where there are no rows left
        to judge by.
    chosen
        The position of the one that was chosen: the lowest estimate, the strongest penalty among equals.
    backend
        The library whose frame the estimator was fitted on, or None.
    """

    criterion: Criterion
    widths: FloatArray
    alphas: FloatArray
    freedom: FloatArray
    scores: FloatArray
    chosen: int
    backend: Backend | None = None

    def __len__(self) -> int:
        return self.scores.size

    def frame(self) -> Any:
        """One line for each width and penalty, in a frame of the library that the estimator was fitted with.

        Columns: ``width``, ``alpha``, ``parameters``, the estimate by its name, and ``chosen``. After a fit on arrays:
        in one of the library that is installed.
        """
        columns = {
            "width": self.widths,
            "alpha": self.alphas,
            "parameters": self.freedom,
            self.criterion: self.scores,
            "chosen": np.arange(len(self)) == self.chosen,
        }
        return framed(columns, self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """The estimates against the penalty, a line for each width, the chosen one marked; returns the axes.

        Parameters
        ----------
        ax
            Axes of matplotlib; None for a figure of its own.
        """
        with drawing(ax) as ax:
            for i, lines in enumerate(self._by_width()):
                look, shown = style(i), self.scores[lines]
                drawn = {"color": look.colour, "linestyle": look.line, "marker": look.marker, "markersize": 3.4}
                label = f"width {self.widths[lines[0]]:.3g}"
                ax.plot(self.alphas[lines], np.where(np.isfinite(shown), shown, np.nan), label=label, **drawn)
            ring(ax, float(self.alphas[self.chosen]), float(self.scores[self.chosen]), label="chosen")
            if (self.alphas > 0).all():
                ax.set_xscale("log")
            finite = self.scores[np.isfinite(self.scores)]
            if finite.size and 0 < finite.min() < finite.max() / _FAR:
                ax.set_yscale("log")
            ax.set(xlabel="alpha", ylabel=self.criterion)
            legend_beside(ax)
            return ax

    def __str__(self) -> str:
        return grids_text([self._grid("")])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grids_html([self._grid("Widths and penalties that were tried")])

    def _by_width(self) -> list[IntArray]:
        """The lines of each width."""
        starts = np.flatnonzero(np.diff(self.widths, prepend=np.nan))
        return np.split(np.arange(len(self)), starts[1:])

    def _grid(self, title: str) -> Grid:
        best = [
            self.chosen if self.chosen in lines else int(lines[self.scores[lines].argmin()])
            for lines in self._by_width()
        ]
        lines = [
            [
                f"{self.widths[i]:.4g}",
                f"{self.alphas[i]:.4g}",
                f"{self.freedom[i]:.4g}",
                f"{self.scores[i]:.6g}",
                "chosen" if i == self.chosen else "",
            ]
            for i in best
        ]
        return Grid(title, ["width", "alpha", "parameters", self.criterion, ""], lines, right=range(4))
