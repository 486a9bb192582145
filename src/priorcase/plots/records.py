"""Records of stored instances: how accurate each is, and how frequent its class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray, Value
from priorcase.learning.plotting import INK, class_styles, legend_beside
from priorcase.plots.points import labels_equal

_MANY = 150


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
    start, fine = 0, min(1.0, _MANY / max(1, int((~np.isnan(records["trials"])).sum())))
    for label, style in class_styles(classes).items():
        mine = np.flatnonzero(labels_equal(labels, label) & ~np.isnan(records["trials"]))
        if not mine.size:
            continue
        middle = (records["accuracy_low"][mine] + records["accuracy_high"][mine]) / 2
        mine = mine[np.argsort(middle, kind="stable")]
        places = start + np.arange(mine.size)
        band = [float(records[name][mine].mean()) for name in ("frequency_low", "frequency_high")]
        ax.fill_between([start - 0.7, start + mine.size - 0.3], *band, color=style.tint, linewidth=0, zorder=1)
        sure, tried = np.isin(states[mine].astype(str), ("acceptable", "stored")), records["trials"][mine] > 0
        # Of those never tried the interval is everything: faint, or together they would look like a wall.
        for here, width, solid in ((sure & tried, 1.6, 1.0), (~sure & tried, 0.7, 0.5), (~tried, 0.7, 0.2)):
            ends = [records[name][mine][here] for name in ("accuracy_low", "accuracy_high")]
            look = {"color": style.colour, "linewidth": width * fine, "alpha": solid}
            ax.vlines(places[here], *ends, zorder=2, **look)
        shares = records["successes"][mine][tried] / records["trials"][mine][tried]
        dots = {"marker": style.marker, "ms": max(1.6, 3.4 * fine), "color": style.colour, "mec": INK, "mew": 0.3}
        ax.plot(places[tried], shares, ls="", label=str(label), zorder=3, **dots)
        start += mine.size + 2
    ax.set(ylabel="accuracy", xlabel="stored instances, by class and accuracy", ylim=(-0.02, 1.02), xticks=[])
    ax.grid(False, axis="x")
    legend_beside(ax, "strong: asked\nband: class frequency")
