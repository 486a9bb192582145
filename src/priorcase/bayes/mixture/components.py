"""The components of a mixture as a table that prints itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from priorcase._typing import FloatArray, Name, Value
from priorcase.bayes.mixture.layout import Layout
from priorcase.bayes.mixture.parameters import Parameters
from priorcase.learning.decoding import attribute_names
from priorcase.learning.frames import Backend, framed, free_label
from priorcase.learning.grids import Grid, grids_html, grids_text, text_width
from priorcase.learning.texts import short, value_text

_WIDTH = 120
_LIKELY = 3
_NAME_WIDTH, _VALUE_WIDTH = 24, 16


@dataclass(frozen=True, slots=True, eq=False)
class Gaussians:
    """A numeric column: mean and standard deviation in each component."""

    means: FloatArray
    deviations: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """A discrete column: its values, and the probability of each in each component, shape (components, values)."""

    values: tuple[Value, ...]
    probabilities: FloatArray


@dataclass(frozen=True, repr=False, eq=False)
class Components:
    """What each component of a mixture is like.

    It prints as a table, the likeliest values of each column, in terminals and notebooks.

    Parameters
    ----------
    weights
        Probability of each component.
    columns
        For each column by name (``x0``, ``x1``, ... for a table without names) what it is like in each component. A
        numeric column without two different numbers says nothing and is not among them; the class, if there is one, is
        called ``"class"``.
    backend
        The library whose frame the estimator was fitted on, or None.
    """

    weights: FloatArray
    columns: Mapping[Name, Gaussians | Chances]
    backend: Backend | None = None

    @classmethod
    def of(cls, layout: Layout, parameters: Parameters, backend: Backend | None = None) -> Components:
        """The components in the units of the table."""
        columns: dict[Name, Gaussians | Chances] = {}
        names = attribute_names(layout.schema)
        for a in range(len(layout.schema)):
            if a in layout.numeric:
                j = layout.numeric.index(a)
                scale = layout.scales[j]
                spread = np.sqrt(1.0 / parameters.precisions[j]) * scale.spread * scale.unit
                columns[names[a]] = Gaussians(scale.original(parameters.means[j]), spread)
            elif a in layout.discrete:
                columns[names[a]] = _chances(layout, parameters, layout.discrete.index(a))
        if layout.classed:
            columns[free_label("class", columns)] = _chances(layout, parameters, len(layout.values) - 1)
        return cls(np.exp(parameters.log_weights), columns, backend)

    def __len__(self) -> int:
        return self.weights.size

    def frame(self) -> Any:
        """One line for each value of each column in each component, in a frame of the library fitted with.

        Columns: ``component``, ``weight``, ``column``, then ``value`` and ``probability`` for nominal and ordinal
        columns and the class, ``mean`` and ``deviation`` for numeric ones, None and NaN in the others. After a fit on
        arrays: in one of the library that is installed.
        """
        found: list[tuple[Any, ...]] = []
        for k, weight in enumerate(self.weights.tolist()):
            for name, column in self.columns.items():
                found += [(k, weight, name, *cells) for cells in _cells(column, k)]
        labels = ("component", "weight", "column", "value", "probability", "mean", "deviation")
        columns: dict[str, Any] = dict(zip(labels, map(list, zip(*found, strict=True)), strict=True))
        columns["component"] = np.array(columns["component"], np.int64)
        for label in ("weight", "probability", "mean", "deviation"):
            columns[label] = np.array(columns[label], np.float64)
        return framed(columns, self.backend)

    def __str__(self) -> str:
        return grids_text([replace(grid, title="") for grid in self._grids()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grids_html(self._grids())

    def _grids(self) -> list[Grid]:
        """As many components side by side as fit, the others below."""
        texts = [
            [str(k), f"{self.weights[k]:.3g}", *(_text(column, k) for column in self.columns.values())]
            for k in range(len(self))
        ]
        labels = ["component", "weight", *(short(str(name), _NAME_WIDTH) for name in self.columns)]
        panels: list[list[list[str]]] = []
        left = 0
        for text in texts:
            width = text_width(text) + 2
            if not panels or width > left:
                panels.append([labels])
                left = _WIDTH - text_width(labels)
            panels[-1].append(text)
            left -= width
        lines = [list(zip(*panel, strict=True)) for panel in panels]
        return [Grid("Components", first, rest) for first, *rest in lines]


def _cells(column: Gaussians | Chances, k: int) -> list[tuple[Value | None, float, float, float]]:
    """Value, probability, mean and deviation, as far as they are there."""
    if isinstance(column, Gaussians):
        return [(None, np.nan, float(column.means[k]), float(column.deviations[k]))]
    pairs = zip(column.values, column.probabilities[k].tolist(), strict=True)
    return [(value, chance, np.nan, np.nan) for value, chance in pairs]


def _chances(layout: Layout, parameters: Parameters, j: int) -> Chances:
    return Chances(layout.values[j], np.exp(parameters.tables[j][:, :-2]))


def _text(column: Gaussians | Chances, k: int) -> str:
    if isinstance(column, Gaussians):
        return f"{column.means[k]:.4g} ± {column.deviations[k]:.4g}"
    chances = column.probabilities[k]
    likely = np.argsort(-chances, kind="stable")[:_LIKELY].tolist()
    more = ", ..." if chances.size > _LIKELY else ""
    return ", ".join(f"{value_text(column.values[i], _VALUE_WIDTH)} {chances[i]:.2f}" for i in likely) + more
