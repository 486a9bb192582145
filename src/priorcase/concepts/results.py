"""Results of PEBLS that print themselves: exemplars with their records, and differences between values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IdArray, Name
from priorcase.exceptions import ParameterError, advice, prefix_errors, quoted
from priorcase.learning.captions import captions
from priorcase.learning.decoding import Row
from priorcase.learning.frames import Backend, by_attribute, framed, free_label
from priorcase.learning.grids import Grid, GridResult, grids_html, grids_text
from priorcase.learning.plotting import MUTED, colour, drawing, tint
from priorcase.learning.texts import short, value_text

_WIDTH = 16
_SHOWN_ATTRIBUTES = 6
_SHOWN = 30


@dataclass(frozen=True, eq=False, repr=False)
class Exemplars:
    """Some stored rows with their records, and the exemplar nearest to each; prints as a table.

    Parameters
    ----------
    names
        Names of the attributes, ``x0``, ``x1``, ... for a table without names.
    ids, rows, classes
        The exemplars: ids, values (None where missing) and classes.
    used, correct
        How often each was the nearest exemplar, and how often its class was then right; both begin with 1.
    nearest, nearest_classes, distances
        For each exemplar the nearest other one by ``w_X Delta``, its class and how far it is.
    backend
        The library whose frame the estimator was fitted on, or None.
    """

    names: tuple[Name, ...]
    ids: IdArray
    rows: list[Row]
    classes: AnyArray
    used: IdArray
    correct: IdArray
    nearest: IdArray
    nearest_classes: AnyArray
    distances: FloatArray
    backend: Backend | None = None

    def __len__(self) -> int:
        return self.ids.size

    @property
    def weights(self) -> FloatArray:
        """``w = used / correct``: 1 for an exemplar that was never wrong."""
        return np.asarray(self.used / self.correct)

    def frame(self) -> Any:
        """One line for each exemplar, in a frame of the library that the estimator was fitted with.

        Columns: ``id``, ``class``, ``used``, ``correct``, ``weight``, ``nearest``, ``nearest class``, ``distance``, and
        the attributes' values by name. After a fit on arrays: in one of the
        library that is installed.
        """
        columns = {
            "id": self.ids,
            "class": self.classes,
            "used": self.used,
            "correct": self.correct,
            "weight": self.weights,
            "nearest": self.nearest,
            "nearest class": self.nearest_classes,
            "distance": self.distances,
        }
        return framed(by_attribute(columns, self.names, self.rows, {}), self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """A bar for each exemplar, as long as its weight; those whose nearest other is of another class are darker.

        Parameters
        ----------
        ax
            Axes of matplotlib; None for a figure of its own.
        """
        unlike = self.classes != self.nearest_classes
        with drawing(ax, size=(6.0, 1.0 + 0.24 * max(len(self), 6))) as ax:
            places = np.arange(len(self))
            bars = ax.barh(places, self.weights, 0.7, linewidth=0.7)
            for bar, other in zip(bars, unlike.tolist(), strict=True):
                bar.set(facecolor=colour(3) if other else tint(2, 0.35), edgecolor=colour(3) if other else MUTED)
            ax.set_yticks(places, [f"{i} ({label})" for i, label in self._named()])
            ax.invert_yaxis()
            ax.set(xlabel="weight: used / correct", ylabel="exemplar")
            ax.grid(False, axis="y")
            ax.tick_params(axis="y", length=0)
            if unlike.any():
                ax.set_title("dark: the nearest other is of another class")
            return ax

    def __str__(self) -> str:
        return grids_text([self._grid()]) if len(self) else "no exemplars"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grids_html([self._grid()])

    def _named(self) -> list[tuple[Any, Any]]:
        return list(zip(self.ids.tolist(), captions(self.classes.tolist(), _WIDTH), strict=True))

    def _grid(self) -> Grid:
        header = ["id", "class", "used", "correct", "weight", "nearest", "distance"]
        header += [value_text(name, _WIDTH) for name in self.names[:_SHOWN_ATTRIBUTES]]
        lines = [self._line(i) for i in range(min(len(self), _SHOWN))]
        rest = [f"... and {len(self) - _SHOWN} more exemplars"] if len(self) > _SHOWN else []
        if len(self.names) > _SHOWN_ATTRIBUTES:
            rest.append(f"{len(self.names) - _SHOWN_ATTRIBUTES} more attributes in frame()")
        return Grid("", header, lines, note="; ".join(rest), right={0, 2, 3, 4, 6})

    def _line(self, i: int) -> list[str]:
        other = f"{self.nearest[i]} ({value_text(self.nearest_classes.tolist()[i], _WIDTH)})"
        texts = [
            str(self.ids[i]),
            value_text(self.classes.tolist()[i], _WIDTH),
            str(self.used[i]),
            str(self.correct[i]),
        ]
        texts += [f"{self.weights[i]:.4g}", other, f"{self.distances[i]:.4g}"]
        return texts + [value_text(value, _WIDTH) for value in self.rows[i][:_SHOWN_ATTRIBUTES]]


@dataclass(frozen=True, eq=False, repr=False)
class ValueDifferences(GridResult):
    """``delta`` between any two symbols of an attribute that stored rows hold; prints as a table.

    Parameters
    ----------
    attribute
        The attribute.
    values
        Its symbols: values, levels, or intervals of numbers, and ``"?"`` for missing.
    matrix
        The differences, symmetric, 0 on the diagonal.
    backend
        The library whose frame the estimator was fitted on, or None.
    """

    attribute: Name
    values: tuple[str, ...]
    matrix: FloatArray
    backend: Backend | None = None

    def __getitem__(self, pair: tuple[str, str]) -> float:
        one, other = map(self._position, pair)
        return float(self.matrix[one, other])

    def frame(self) -> Any:
        """One line for each symbol: ``value``, and its difference from each symbol by name.

        In a frame of the library that the estimator was fitted with; after a fit on arrays in one of that installed. A
        symbol that is called "value" itself becomes ``value (2)``.
        """
        columns: dict[str, Any] = {"value": list(self.values)}
        for i, value in enumerate(self.values):
            columns[free_label(value, columns)] = self.matrix[:, i].copy()
        return framed(columns, self.backend)

    def _position(self, value: str) -> int:
        if value not in self.values:
            meant = advice(value, self.values, otherwise="the symbols are in `values`")
            raise ParameterError(f"{quoted(value)} is no symbol of {self.attribute!r} that stored rows hold: {meant}")
        return self.values.index(value)

    def _grid(self) -> Grid:
        names = [short(value, _WIDTH) for value in self.values]
        lines = [[name, *(f"{d:.4g}" for d in row)] for name, row in zip(names, self.matrix.tolist(), strict=True)]
        return Grid(
            f"differences between values of {self.attribute}", ["", *names], lines, right=range(1, 1 + len(names))
        )
