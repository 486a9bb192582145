"""A comparison as a picture: a dot and an interval for each learner, its splits as faint points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from priorcase.evaluation.compare_table import comparison_title
from priorcase.evaluation.scoring import Score
from priorcase.learning.plotting import INK, MUTED, captions, colour, drawing

if TYPE_CHECKING:
    from priorcase.evaluation.comparison import Comparison

_HEIGHT, _MARGIN, _WIDTH = 0.34, 1.2, 34

# What no mean can be, so that an interval by Student's t ends there as well.
_BOUNDS = {"accuracy": (0.0, 1.0), "log_score": (-np.inf, 0.0), "r2": (-np.inf, 1.0)}
_BOUNDS |= dict.fromkeys(("brier", "rmse", "mae"), (0.0, np.inf))


def plot_comparison(found: Comparison, score: Score, ax: Any) -> Any:
    """Means with 95 % intervals, the best on top, leaders in colour; learners without a finite mean are named below."""
    means = {name: found.mean(name, score.name) for name in found.learners}
    drawn = [name for name in found.learners if np.isfinite(means[name])]
    drawn.sort(key=lambda name: means[name], reverse=not score.greater_is_better)  # the last is drawn on top
    left, leaders = [name for name in reversed(found.learners) if name not in drawn], found.leaders(score.name)
    names = captions([*left, *drawn], _WIDTH)
    size = (4.8 + 0.07 * max(map(len, names)), _MARGIN + _HEIGHT * len(names))
    with drawing(ax, size=size) as ax:
        for place, name in enumerate([*left, *drawn]):
            if name in left:
                nothing = "failed" if name in found.failures else "none"
                text = nothing if np.isnan(means[name]) else f"{means[name]}"
                at = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points", "va": "center"}
                ax.annotate(text, (0.0, place), (7, 0), color=MUTED, **at)
            else:
                _draw(ax, found, score, name, place, best=name in leaders)
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(-0.6, len(names) - 0.4)
        if not drawn:
            ax.set_xticks([])
        ax.grid(axis="y", visible=False)
        direction = "greater is better" if score.greater_is_better else "less is better"
        ax.set_xlabel(f"{score.name} ({direction}), mean and 95% interval")
        ax.set_title(comparison_title(found))
    return ax


def _draw(ax: Any, found: Comparison, score: Score, name: str, place: int, *, best: bool) -> None:
    values = found.values(score.name)[found.learners.index(name)]
    values = values[np.isfinite(values)]
    if not found.by_rows:
        ax.plot(values, np.full(values.size, place), "|", color=MUTED, markersize=7, alpha=0.6, zorder=2)
    mean, error = found.mean(name, score.name), found.standard_error(name, score.name)
    if not np.isnan(error):
        freedom = max(1, (found.rows if found.by_rows else values.size) - 1)
        reach = float(stats.t.ppf(0.975, freedom)) * error
        ends = np.clip([mean - reach, mean + reach], *_BOUNDS.get(score.name, (-np.inf, np.inf)))
        ax.plot(ends, [place, place], "-", color=colour(0) if best else INK, zorder=3)
    ax.plot([mean], [place], "o", color=colour(0) if best else INK, markersize=6, zorder=4)
