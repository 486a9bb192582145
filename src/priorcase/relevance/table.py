"""Attribute weights as a result that prints and draws itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from priorcase._typing import AnyArray, FloatArray, IntArray, Name
from priorcase.exceptions import prefix_errors
from priorcase.learning.captions import captions
from priorcase.learning.frames import Backend, framed
from priorcase.learning.grids import Grid, GridResult
from priorcase.learning.plotting import colour, drawing, tint
from priorcase.learning.texts import short

_SHOWN, _DRAWN = 25, 30
_NAME_WIDTH = 24
_BAR_WIDTH = 20


@dataclass(frozen=True, repr=False, eq=False)
class AttributeWeights(GridResult):
    """How much each attribute weighs; prints as a table, the heaviest first, and is an array of the weights to NumPy.

    Parameters
    ----------
    names
        Names of the attributes, ``x0``, ``x1``, ... for a table without names.
    weights
        One number >= 0 for each, in the order of the columns.
    method
        How they were found: ``"relief"``, ...; ``"given"`` where nobody learned them.
    backend
        The library whose frame they were learned from, or None.
    """

    names: tuple[Name, ...]
    weights: FloatArray
    method: str
    backend: Backend | None = None

    def __len__(self) -> int:
        return self.weights.size

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> AnyArray:
        return np.array(self.weights, dtype=dtype)

    @property
    def order(self) -> IntArray:
        """Positions of the attributes, the heaviest first; of equal weights the first column."""
        return np.argsort(-self.weights, kind="stable")

    def frame(self) -> Any:
        """One line for each attribute, the heaviest first: ``attribute``, ``weight`` and ``relative`` to the largest.

        In a frame of the library that the weights were learned from, or of one that is installed.
        """
        order = self.order
        columns = {
            "attribute": [self.names[a] for a in order.tolist()],
            "weight": self.weights[order],
            "relative": self._relative()[order],
        }
        return framed(columns, self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Bars, the heaviest attribute on top; at most the thirty heaviest. The axes are returned.

        Parameters
        ----------
        ax
            Axes of matplotlib; None for a figure of its own.
        """
        order = self.order[:_DRAWN]
        with drawing(ax, size=(6.0, 1.0 + 0.24 * max(order.size, 6))) as ax:
            places = np.arange(order.size)
            ax.barh(places, self.weights[order], 0.7, facecolor=tint(0, 0.6), edgecolor=colour(0), linewidth=0.7)
            ax.set_yticks(places, captions([self.names[a] for a in order.tolist()]))
            ax.invert_yaxis()
            ax.set_xlabel(f"weight ({self.method})")
            ax.tick_params(axis="y", length=0)
            ax.grid(False, axis="y")
            if self.order.size > _DRAWN:
                ax.set_title(f"the {_DRAWN} heaviest of {self.order.size} attributes")
            return ax

    def _relative(self) -> FloatArray:
        largest = float(self.weights.max(initial=0.0))
        return self.weights / largest if largest > 0 else self.weights

    def _grid(self) -> Grid:
        order, relative = self.order, self._relative()
        lines = [
            [
                short(str(self.names[a]), _NAME_WIDTH),
                f"{self.weights[a]:.4g}",
                "█" * max(round(_BAR_WIDTH * relative[a]), 1 if relative[a] > 0 else 0),
            ]
            for a in order[:_SHOWN].tolist()
        ]
        rest = f"... and {order.size - _SHOWN} lighter attributes" if order.size > _SHOWN else ""
        if self.method != "given" and order.size > 1 and not np.ptp(self.weights):
            rest = "nothing stands out: all attributes weigh the same"
        return Grid(f"attribute weights: {self.method}", ["attribute", "weight", ""], lines, rest, right={1})
