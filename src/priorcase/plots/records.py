"""Records of stored instances: how accurate each is, and how frequent its class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from priorcase.learning.plotting import class_styles, legend_beside
from priorcase.plots.points import labels_equal
from priorcase.typing import AnyArray, FloatArray, Value


def draw_records(
    ax: Any, labels: AnyArray, states: AnyArray, records: Mapping[str, FloatArray], classes: Sequence[Value]
) -> None:
    """An interval of accuracy for each stored instance, class by class, over the interval of the class's frequency.

    Parameters
    ----------
    ax
        Where to draw.
    labels, states, records
        The class of each instance, what became of it, and its record; only stored ones are drawn.
    classes
        The classes.
    """
    start = 0
    for label, style in class_styles(classes).items():
        mine = np.flatnonzero(labels_equal(labels, label) & ~np.isnan(records["trials"]))
        if not mine.size:
            continue
        middle = (records["accuracy_low"][mine] + records["accuracy_high"][mine]) / 2
        mine = mine[np.argsort(middle, kind="stable")]
        places = start + np.arange(mine.size)
        band = [float(records[name][mine].mean()) for name in ("frequency_low", "frequency_high")]
        ax.fill_between([start - 0.7, start + mine.size - 0.3], *band, color=style.tint, linewidth=0, zorder=1)
        sure = np.isin(states[mine].astype(str), ("acceptable", "stored"))
        for here, width in ((sure, 1.6), (~sure, 0.7)):
            ends = [records[name][mine][here] for name in ("accuracy_low", "accuracy_high")]
            ax.vlines(places[here], *ends, color=style.colour, linewidth=width, zorder=2)
        tried = records["trials"][mine] > 0
        shares = records["successes"][mine][tried] / records["trials"][mine][tried]
        ax.plot(places[tried], shares, ls="", marker=style.marker, ms=3.4, color=style.colour, label=str(label))
        start += mine.size + 2
    ax.set(ylabel="accuracy", xlabel="stored instances, by class and accuracy", ylim=(-0.02, 1.02), xticks=[])
    ax.grid(False, axis="x")
    legend_beside(ax, "thick: asked\nband: class frequency")
