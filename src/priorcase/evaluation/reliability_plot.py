"""How calibration is drawn: observed shares against the diagonal of honest probabilities."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from scipy.special import ndtri

from priorcase._typing import FloatArray
from priorcase.learning.plotting import MUTED, legend_beside, style


class Bins(Protocol):
    """What is drawn of a calibration table."""

    @property
    def edges(self) -> FloatArray: ...
    @property
    def rows(self) -> FloatArray: ...
    @property
    def probability(self) -> FloatArray: ...
    @property
    def observed(self) -> FloatArray: ...
    def interval(self, level: float = ...) -> FloatArray: ...


def draw_reliability(ax: Any, table: Bins) -> None:
    """One table: points with intervals over bars of the rows, whose shares have the same axis."""
    draw_diagonal(ax)
    shares, widths = table.rows / table.rows.sum(), np.diff(table.edges)
    ax.bar(
        table.edges[:-1],
        shares,
        width=widths,
        align="edge",
        color=style(0).tint,
        edgecolor="white",
        linewidth=0.8,
        label="share of the rows",
    )
    draw_points(ax, table, 0, "observed, 95% interval", bars=True)
    legend_beside(ax)


def draw_diagonal(ax: Any) -> None:
    """The line on which honest probabilities lie, and axes from 0 to 1."""
    ax.plot([0, 1], [0, 1], color=MUTED, linewidth=1, linestyle=(0, (4, 2)), label="honest")
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    ax.set_xlabel("mean predicted probability")
    ax.set_ylabel("part that came true")


def draw_points(ax: Any, table: Bins, i: int, label: str, *, bars: bool) -> None:
    """The filled bins of one table as the i-th series, with or without intervals."""
    filled, look = table.rows > 0, style(i)
    x, y = table.probability[filled], table.observed[filled]
    looks: dict[str, Any] = {"color": look.colour, "marker": look.marker, "linestyle": look.line, "linewidth": 1.2}
    if not bars:
        ax.plot(x, y, label=label, **looks)
        return
    low, high = table.interval()[filled].T
    ax.errorbar(x, y, yerr=[np.maximum(y - low, 0.0), np.maximum(high - y, 0.0)], capsize=2.5, label=label, **looks)


def wilson_interval(share: FloatArray, rows: FloatArray, level: float) -> FloatArray:
    """Both ends of Wilson's (1927) interval for a share of some rows, shape (shares, 2).

    Examples
    --------
    >>> wilson_interval(np.array([0.5]), np.array([10.0]), 0.95).round(4)
    array([[0.2366, 0.7634]])
    """
    z = float(ndtri(0.5 + level / 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = (share + z * z / (2 * rows)) / (1 + z * z / rows)
        half = z * np.sqrt(share * (1 - share) / rows + z * z / (4 * rows * rows)) / (1 + z * z / rows)
    return np.stack([np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)], axis=1)
