"""The components of a mixture as a table that prints itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from priorcase.bayes.mixture.grids import aligned, text_of
from priorcase.bayes.mixture.layout import Layout
from priorcase.bayes.mixture.parameters import Parameters
from priorcase.learning.decoding import attribute_names
from priorcase.typing import FloatArray, Name, Value

_WIDTH = 120
_LIKELY = 3


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


@dataclass(frozen=True, eq=False)
class Components:
    """What each component of a mixture is like; it prints as a table, the likeliest values of each column.

    Parameters
    ----------
    weights
        Probability of each component.
    columns
        For each column by name (``x0``, ``x1``, ... for a table without names) what it is like in each component. A
        numeric column without two different numbers says nothing and is not among them; the class, if there is one, is
        called ``"class"``.
    """

    weights: FloatArray
    columns: Mapping[Name, Gaussians | Chances]

    @classmethod
    def of(cls, layout: Layout, parameters: Parameters) -> Components:
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
            columns[_free("class", columns)] = _chances(layout, parameters, len(layout.values) - 1)
        return cls(np.exp(parameters.log_weights), columns)

    def __len__(self) -> int:
        return self.weights.size

    def __str__(self) -> str:
        """As many components side by side as fit, the others below."""
        texts = [
            [str(k), f"{self.weights[k]:.3g}", *map(_text, self.columns.values(), [k] * len(self.columns))]
            for k in range(len(self))
        ]
        labels = ["component", "weight", *(text_of(name) for name in self.columns)]
        room = _WIDTH - max(map(len, labels))
        panels: list[list[list[str]]] = []
        left = 0
        for text in texts:
            width = max(map(len, text)) + 2
            if not panels or width > left:
                panels.append([labels])
                left = room
            panels[-1].append(text)
            left -= width
        return "\n\n".join(aligned(list(zip(*panel, strict=True))) for panel in panels)

    __repr__ = __str__


def _chances(layout: Layout, parameters: Parameters, j: int) -> Chances:
    return Chances(layout.values[j], np.exp(parameters.tables[j][:, :-2]))


def _text(column: Gaussians | Chances, k: int) -> str:
    if isinstance(column, Gaussians):
        return f"{column.means[k]:.4g} ± {column.deviations[k]:.4g}"
    chances = column.probabilities[k]
    likely = np.argsort(-chances, kind="stable")[:_LIKELY].tolist()
    more = ", ..." if chances.size > _LIKELY else ""
    return ", ".join(f"{text_of(column.values[i], 16)} {chances[i]:.2f}" for i in likely) + more


def _free(name: str, taken: Mapping[Name, object]) -> str:
    """The name, marked where a column has it already."""
    return name if name not in taken else _free(f"{name}_", taken)
