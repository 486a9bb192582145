"""How curves are drawn: a line for each learner, a light band around it, and a sign where a score is infinite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray
from priorcase.learning.plotting import MUTED, caption, legend_beside, style

_MOST_MARKERS = 25
_MOST_TICKS = 12
_BAND, _EDGE = 0.10, 0.45
_TITLE_WIDTH = 70
_LETTER = 5.3
_STACKED = 0.035


def draw_curves(
    ax: Any, names: Sequence[str], x: AnyArray, mean: FloatArray, band: tuple[FloatArray, FloatArray] | None
) -> None:
    """Lines of means, shape (series, points), each with the band between two others of that shape."""
    low, high = _limits(mean, *(band or ()))
    for i, name in enumerate(names):
        look = style(i)
        if band is not None:
            bottom, top = (np.clip(part[i], low, high) for part in band)
            ax.fill_between(x, bottom, top, color=look.colour, alpha=_BAND, linewidth=0)
            if x.size == 1:
                ax.vlines(x, bottom, top, color=look.colour, linewidth=1.0)
            for edge in (bottom, top):
                ax.plot(x, edge, color=look.colour, linestyle=look.line, linewidth=0.7, alpha=_EDGE)
        marker = look.marker if x.size <= _MOST_MARKERS else None
        line = np.where(np.isfinite(mean[i]), mean[i], np.nan)
        ax.plot(x, line, color=look.colour, linestyle=look.line, marker=marker, label=name)
        _sign_infinite(ax, x[np.isneginf(mean[i])], i)
    ax.set_ylim(low, high)
    endless = bool(np.isneginf(mean).any())
    if endless:
        ax.plot([], [], "v", color=MUTED, markersize=4, label="minus infinity")
    if len(names) > 1 or endless:
        legend_beside(ax)
    if len(names) == 1:
        ax.set_title(caption(names[0], _TITLE_WIDTH))


def log_ticks(ax: Any, x: AnyArray) -> None:
    """A logarithmic axis whose ticks are those points that fit, or the usual ones where there are many."""
    from matplotlib.ticker import NullFormatter, NullLocator

    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
    if x.size <= _MOST_TICKS:
        ax.set_xticks(_that_fit(x, 72.0 * ax.bbox.width / ax.figure.dpi))
        ax.xaxis.set_minor_locator(NullLocator())


def _that_fit(x: AnyArray, room: float) -> list[float]:
    """Points whose numbers do not touch on a logarithmic axis of some length in points, the last one first of all."""
    scale = room / max(float(np.log(x[-1] / x[0])), 1e-9)
    kept: list[float] = []
    for value in reversed(x.tolist()):
        need = _LETTER * (len(f"{value:g}") + 2)
        if not kept or scale * float(np.log(kept[-1] / value)) >= need:
            kept.append(value)
    return kept[::-1]


def _limits(*parts: FloatArray) -> tuple[float, float]:
    """The ends of an axis that holds all finite numbers with a little room."""
    known = np.concatenate([part[np.isfinite(part)] for part in parts])
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    margin = 0.06 * (high - low) or 0.05
    return low - margin, high + margin


def _sign_infinite(ax: Any, x: AnyArray, i: int) -> None:
    """Marks above the lower edge where the i-th mean is minus infinity, which no axis reaches."""
    if x.size:
        x = x[np.unique(np.linspace(0, x.size - 1, _MOST_MARKERS).round().astype(int))]  # single marks, no solid line
        heights = np.full(x.size, _STACKED * (i + 0.7))
        ax.plot(x, heights, "v", color=style(i).colour, markersize=4, transform=ax.get_xaxis_transform(), zorder=5)
