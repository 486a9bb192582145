"""A picture of competence: how many cases each solves, by category."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase._typing import AnyArray, IntArray
from priorcase.cases.retain.coverage import CATEGORIES
from priorcase.learning.plotting import legend_beside, style

_BARS = 30


def draw_competence(ax: Any, solves: IntArray, category: AnyArray) -> None:
    """Bars over how many cases a case solves, as high as there are such cases; categories lie on one another.

    Parameters
    ----------
    ax
        Where to draw.
    solves, category
        Of each case.
    """
    from matplotlib.ticker import MaxNLocator

    width = -(-int(solves.max()) // _BARS)
    places = (solves - 1) // width
    below = np.zeros(int(places.max()) + 1)
    middles = 1 + width * np.arange(below.size) + (width - 1) / 2
    for i, name in enumerate(CATEGORIES):
        mine = category == name
        if not mine.any():
            continue
        heights, look = np.bincount(places[mine], minlength=below.size), style(i)
        ax.bar(
            middles,
            heights,
            0.8 * width,
            below,
            color=look.tint,
            edgecolor=look.colour,
            hatch=look.hatch,
            linewidth=np.where(heights > 0, 0.8, 0.0),
            label=f"{name} ({mine.sum()})",
        )
        below += heights
    ax.set(xlabel="cases that a case solves, itself included", ylabel="cases")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(False, axis="x")
    ax.set_title(f"Competence of {len(category)} case{'s' * (len(category) != 1)}")
    legend_beside(ax, "category (cases)")
