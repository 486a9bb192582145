"""Rows as points of a picture, and the legend that goes with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, BoolArray, FloatArray, Value
from priorcase.learning.plotting import INK, MUTED, class_styles
from priorcase.plots.columns import AxisColumn

_LIGHT = 140
_GOLDEN = 0.6180339887498949


def spread_out(points: FloatArray, axes: Sequence[AxisColumn]) -> FloatArray:
    """Points that share the place of a value set a little apart, always in the same way."""
    places = points.copy()
    for i, axis in enumerate(axes):
        if axis.values is not None:
            turn = _GOLDEN * (np.arange(len(points)) * (2 * i + 1)) % 1.0
            places[:, i] += 0.56 * (turn - 0.5)
    return places


def draw_classes(
    ax: Any, points: FloatArray, labels: AnyArray, classes: Sequence[Value], size: float = 26.0, **options: Any
) -> None:
    """The points of each class with its own colour and marker, those without a class as grey dots."""
    styles = class_styles(classes)
    for label, style in styles.items():
        here = points[labels_equal(labels, label)]
        options_here = {"edgecolors": _edge(style.colour), "linewidths": 0.7, "zorder": 3, **options}
        ax.scatter(
            *here.T, s=size, color=style.colour, marker=style.marker, label=str(label), clip_on=False, **options_here
        )


def _edge(colour: str) -> str:
    """White around dark points, dark around light ones, which would be lost in their own tint without colours."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > _LIGHT else "white"


def draw_plain(ax: Any, points: FloatArray) -> None:
    """Points without classes."""
    ax.scatter(*points.T, s=14, color=MUTED, edgecolors="white", linewidths=0.5, zorder=3, clip_on=False)


def labels_equal(labels: AnyArray, label: Value) -> BoolArray:
    """Which of some labels are this one."""
    return np.array([other == label for other in labels.tolist()], dtype=bool)
