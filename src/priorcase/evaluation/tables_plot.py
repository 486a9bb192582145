"""The critical-difference diagram of Demsar (2006, figure 1): mean ranks on a line, groups joined by bars."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from priorcase.evaluation.ranks import Friedman
from priorcase.learning.plotting import MUTED, caption, captions, colour, drawing

_STEP = 0.28
_WIDTH = 26


def plot_ranks(found: Friedman, score: str, ax: Any) -> Any:
    """Names beside an axis of ranks, the best on the left; bars join learners that chance may have ordered."""
    order = np.argsort(found.ranks, kind="stable").tolist()
    n, groups = len(order), found.groups()
    half, room = (n + 1) // 2, 0.25 + 0.12 * len(groups)
    depth, names = room + _STEP * half, captions(found.learners, _WIDTH)
    size = (3.6 + 0.16 * (6 + max(map(len, names))), 1.3 + 0.95 * depth)
    with drawing(ax, size=size) as ax:
        low, high = 1.0, float(max(n, math.ceil(max(found.ranks))))
        _axis(ax, low, high)
        _distance(ax, found, low, high)
        for number, i in enumerate(order):
            left = number < half
            level = -room - _STEP * (number if left else n - 1 - number)
            _name(ax, names[i], found.ranks[i], level, low if left else high, left=left)
        for number, group in enumerate(groups):
            ends = [found.ranks[found.learners.index(name)] for name in group]
            level = -0.14 - 0.12 * number
            ax.plot(
                [min(ends) - 0.03, max(ends) + 0.03],
                [level, level],
                color=colour(0),
                linewidth=4,
                zorder=3,
                clip_on=False,
            )
        ax.set_ylim(-depth - 0.05, 0.75)
        ax.set_xlim(low, high)
        ax.set_axis_off()
        ax.set_title(f"{caption(score)}: mean ranks over {found.blocks} {found.of}")
    return ax


def _axis(ax: Any, low: float, high: float) -> None:
    ax.plot([low, high], [0, 0], color=_ink(), linewidth=1.0, clip_on=False)
    for tick in range(int(low), int(high) + 1):
        ax.plot([tick, tick], [0, 0.07], color=_ink(), linewidth=1.0, clip_on=False)
        ax.text(tick, 0.1, f"{tick}", ha="center", va="bottom", fontsize=8.5)


def _distance(ax: Any, found: Friedman, low: float, high: float) -> None:
    """The critical distance as a ruler above the axis."""
    end = low + min(found.critical_distance, 1.3 * (high - low))  # beyond the axis it says enough
    ax.plot([low, end], [0.42, 0.42], color=MUTED, linewidth=1.4, clip_on=False)
    for at in (low, end):
        ax.plot([at, at], [0.38, 0.46], color=MUTED, linewidth=1.4, clip_on=False)
    text = f"critical distance {found.critical_distance:.2f} (Nemenyi, {found.alpha:g})"
    ax.text(low, 0.5, text, ha="left", va="bottom", fontsize=8.5, color=MUTED)


def _name(ax: Any, name: str, rank: float, level: float, edge: float, *, left: bool) -> None:
    """A line down from a rank and out to the side, where the name stands."""
    ax.plot([rank, rank, edge], [0, level, level], color=_ink(), linewidth=0.9, zorder=2, clip_on=False)
    text = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
    side: dict[str, Any] = {"ha": "right" if left else "left", "va": "center", "textcoords": "offset points"}
    ax.annotate(text, (edge, level), (-5 if left else 5, 0), annotation_clip=False, **side)


def _ink() -> Any:
    """The colour of texts: a line of its own colour would be lost on dark ground."""
    from matplotlib import rcParams

    return rcParams["text.color"]
