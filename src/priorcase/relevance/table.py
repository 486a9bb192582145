"""Attribute weights as a result object that can be printed and plotted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from priorcase._numbers import equal_decimals
from priorcase._typing import AnyArray, Backend, FloatArray, IntArray, Name
from priorcase.exceptions import UnknownNameError, advice, listed, prefix_errors, quoted
from priorcase.learning.plotting import captions, color, drawing, tint
from priorcase.learning.results import Grid, GridResult, framed, label_text, short

_SHOWN, _DRAWN = 25, 30
_NAME_WIDTH, _BAR_WIDTH = 24, 20


@dataclass(frozen=True, repr=False, eq=False)
class AttributeWeights(GridResult, Mapping[Name, float]):
    """Mapping from attribute name to weight; prints as a table and converts to an array in column order.

    Examples
    --------
    >>> weights = AttributeWeights(("age", "colour"), np.array([0.1, 0.4]), "relief")
    >>> weights
    attribute weights: relief
      attribute  weight
      colour        0.4  ████████████████████
      age           0.1  █████
    >>> weights["age"], np.asarray(weights)
    (0.1, array([0.1, 0.4]))
    """

    names: tuple[Name, ...]  # names of the attributes; positions for a table without names
    weights: FloatArray  # one number >= 0 for each attribute, in column order
    method: str  # how the weights were learned, such as ``"relief"``; ``"given"`` if they were not learned
    backend: Backend | None = None  # library of the frame from which the weights were learned

    def __getitem__(self, name: Name) -> float:
        if name not in self.names:
            remedy = advice(name, self.names, otherwise="list(weights) returns all names.")
            raise UnknownNameError(
                f"unknown attribute {quoted(name)}; the attributes are {listed(self.names)}. {remedy}"
            )
        return float(self.weights[self.names.index(name)])

    def __iter__(self) -> Iterator[Name]:
        return iter(self.names)

    def __len__(self) -> int:
        return self.weights.size

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> AnyArray:
        return np.array(self.weights, dtype=dtype)

    @property
    def order(self) -> IntArray:
        """Positions of the attributes in order of decreasing weight."""
        return np.argsort(-self.weights, kind="stable")

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame sorted by weight, with columns ``attribute``, ``weight`` and ``relative``.

        ``relative`` is the weight divided by the largest weight. For ``backend`` see `Precedents.frame`.
        """
        order = self.order
        names = [self.names[a] for a in order.tolist()]
        columns = {"attribute": names, "weight": self.weights[order], "relative": self._relative()[order]}
        return framed(columns, backend or self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot the thirty largest weights as bars; return the axes."""
        order = self.order[:_DRAWN]
        with drawing(ax, size=(6.0, 1.0 + 0.24 * max(order.size, 6))) as ax:
            places = np.arange(order.size)
            ax.barh(places, self.weights[order], 0.7, facecolor=tint(0, 0.6), edgecolor=color(0), linewidth=0.7)
            ax.set_yticks(places, captions([label_text(self.names[a]) for a in order.tolist()]))
            ax.invert_yaxis()
            ax.set_xlabel(f"weight ({self.method})")
            ax.tick_params(axis="y", length=0)
            ax.grid(False, axis="y")
            if len(self) > _DRAWN:
                ax.set_title(f"the {_DRAWN} largest of {len(self)} weights")
            return ax

    def _relative(self) -> FloatArray:
        largest = float(self.weights.max(initial=0.0))
        return self.weights / largest if largest > 0 else self.weights

    def _grid(self) -> Grid:
        relative, lines = self._relative(), []
        shown = self.order[:_SHOWN]
        for a, weight in zip(shown.tolist(), equal_decimals(self.weights[shown], 5), strict=True):
            bar = "█" * max(round(_BAR_WIDTH * relative[a]), 1 if relative[a] > 0 else 0)
            lines.append([short(label_text(self.names[a]), _NAME_WIDTH), weight, bar])
        more = len(self) - _SHOWN
        rest = f"... and {more} attribute{'s' * (more > 1)} with smaller weights" if more > 0 else ""
        if self.method != "given" and len(self) > 1 and not np.ptp(self.weights):
            rest = "all attributes have the same weight"
        return Grid(f"attribute weights: {self.method}", ["attribute", "weight", ""], lines, rest, right={1})
