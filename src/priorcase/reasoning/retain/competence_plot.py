"""A picture of competence: how many cases each solves, and how many solve it."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase.learning.plotting import INK, legend_beside, style
from priorcase.reasoning.retain.coverage import CATEGORIES
from priorcase.typing import AnyArray, IntArray

_SMALL, _LARGE = 14.0, 420.0


def draw_competence(ax: Any, solves: IntArray, solved_by: IntArray, category: AnyArray) -> None:
    """One mark for each pair of numbers and category, its area by how many cases there are.

    Parameters
    ----------
    ax
        Where to draw.
    solves, solved_by, category
        Of each case.
    """
    shifts = dict(zip(CATEGORIES, (-0.24, -0.08, 0.08, 0.24), strict=True))
    groups = {name: np.flatnonzero(category == name) for name in CATEGORIES}
    tallies = {
        name: np.unique(np.column_stack([solved_by[at], solves[at]]), axis=0, return_counts=True)
        for name, at in groups.items()
        if at.size
    }
    most = max(int(count.max()) for _, count in tallies.values())
    for i, name in enumerate(CATEGORIES):
        if name not in tallies:
            continue
        places, count = tallies[name]
        look = style(i)
        area = _SMALL + (_LARGE - _SMALL) * np.maximum(count - 1, 0) / max(most - 1, 1)
        # Beside one another: cases of several categories may have the same two numbers.
        ax.scatter(
            places[:, 0] + shifts[name],
            places[:, 1],
            s=area,
            color=look.colour,
            marker=look.marker,
            edgecolor=INK if name != "auxiliary" else "white",
            linewidth=0.5,
            alpha=0.85,
            label=f"{name} ({groups[name].size})",
            zorder=3,
        )
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator

    samples = [
        Line2D([], [], ls="", marker=style(i).marker, color=style(i).colour, label=f"{name} ({groups[name].size})")
        for i, name in enumerate(CATEGORIES)
        if name in tallies
    ]
    ax.set(xlabel="cases that solve it, itself included", ylabel="cases that it solves, itself included")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_title(f"Competence of {len(category)} cases")
    legend_beside(ax, "category (cases)", samples=samples)
