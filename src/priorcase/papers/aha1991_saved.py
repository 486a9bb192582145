"""Aha, Kibler & Albert 1991, Figures 4, 7 and 8: which instances IB2 and IB3 save, without noise and with it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from priorcase._typing import BoolArray, FloatArray
from priorcase.concepts import IB2, IB3
from priorcase.learning.plotting import INK, style
from priorcase.papers.aha1991_extension import draw_instances
from priorcase.papers.aha1991_jagged import CORNERS, Points, draw_points, jagged_distance
from priorcase.papers.figure_table import Figure, FigureTable
from priorcase.papers.options import Options
from priorcase.papers.picture import Picture
from priorcase.papers.protocols import Measured
from priorcase.papers.reproduction import Part

__all__ = ["NOISY_SAVED", "figure_4", "figure_7", "figure_8"]

INSTANCES, NOISE = 200, 0.1
SIZES = (50, 100, 200, 400, 800)
TRIALS, FEW = 100, 5

NOISY_SAVED = 26.3
"""Of what IB2 saved at a noise level of 10 %, the part that was noisy, in percent, as printed."""

_ROWS = ("saved, percent of all", "noisy, percent of the saved", "noisy, percent of all")
_NEAR = "saved ones nearer to the boundary than half of all, percent"


def figure_4(options: Options) -> Part:
    """IB2 without noise."""
    found = _measured(options, 0.0)
    rows = {_ROWS[0]: (_figure(found[:, 0]),), _NEAR: (_figure(found[:, 3]),)}
    table = FigureTable(f"IB2 after {INSTANCES} instances without noise", ("IB2",), rows, digits=(1, 1))
    caption = f"What IB2 saves of {INSTANCES} instances of a simple concept (large): mostly near its jagged boundary."
    shows = "The text says that saved instances are near the boundary: instances elsewhere do not tell where it lies."
    return Part((table,), (_picture("IB2", "figure-4", 0.0, options.seed, caption),), (_domain(found), shows))


def figure_7(options: Options) -> Part:
    """IB2 with 10 % noise."""
    found = _measured(options, NOISE)
    printed = (None, NOISY_SAVED, None)
    rows = {row: (_figure(found[:, i], printed[i]),) for i, row in enumerate(_ROWS)}
    others = {str(size): (_figure(_measured(options, NOISE, size)[:, 1], NOISY_SAVED),) for size in SIZES}
    beside = partial(FigureTable, columns=("IB2",), digits=(1, 1), differences=True)
    table = beside(f"IB2 after {INSTANCES} instances, noise level 10 %", rows=rows)
    by_size = beside("noisy, percent of the saved, by instances", rows=others)
    caption = f"What IB2 saves of the same {INSTANCES} instances at a noise level of 10 % (large); noisy ones circled."
    notes = (
        _domain(found),
        "A level of 10 % replaces each value with probability 0.1, so that an instance of two values is noisy with "
        "probability 0.19. The text says that noisy instances are more likely to be misclassified and so to be saved: "
        f"their part of the saved is above their part of all. The printed {NOISY_SAVED} % are of one training set, "
        "whose domain and size are not given; ours grows with its size.",
    )
    return Part((table, by_size), (_picture("IB2", "figure-7", NOISE, options.seed, caption),), notes)


def figure_8(options: Options) -> Part:
    """IB3 with the same noise, beside IB2."""
    found = _measured(options, NOISE)
    rows = {row: (_figure(found[:, i]), _figure(found[:, 4 + i])) for i, row in enumerate(_ROWS[:2])}
    table = FigureTable(f"after {INSTANCES} instances, noise level 10 %", ("IB2", "IB3"), rows, digits=(1, 1))
    caption = (
        f"What IB3 predicts from after the {INSTANCES} instances of Figure 7: those that it accepts by their records "
        "(large); noisy ones circled."
    )
    notes = (
        _domain(found),
        "Saved by IB3 are the instances that it accepts and predicts from, as in Table 6. The text shows that it saves "
        "fewer noisy instances than IB2 does from the same training set.",
    )
    return Part((table,), (_picture("IB3", "figure-8", NOISE, options.seed, caption),), notes)


def _measured(options: Options, noise: float, size: int = INSTANCES) -> FloatArray:
    """Of each trial: what IB2 saves, noisy saved, noisy of all, near ones; what IB3 saves, noisy saved. In percent."""
    count = options.count(TRIALS, FEW)
    text = f"what IB2 and IB3 save: {count} trials"
    return np.array(options.each(partial(_trial, noise=noise, size=size, seed=options.seed), range(count), text))


def _trial(trial: int, *, noise: float, size: int, seed: int) -> list[float]:
    points = _points(seed, trial, noise, size)
    first, second = (_saved(name, points, trial) for name in ("IB2", "IB3"))
    distances = jagged_distance(points.X)
    near = distances < np.median(distances)
    shares = [first.mean(), points.noisy[first].mean(), points.noisy.mean(), near[first].mean()]
    return [100 * float(share) for share in (*shares, second.mean(), points.noisy[second].mean())]


def _points(seed: int, trial: int, noise: float, size: int = INSTANCES) -> Points:
    return draw_points(size, noise=noise, random_state=np.random.default_rng([seed, trial]))


def _saved(name: str, points: Points, trial: int) -> BoolArray:
    """Whether each point is saved; of IB3, whether it predicts."""
    model = IB2(n_jobs=1) if name == "IB2" else IB3(random_state=trial, n_jobs=1)
    return np.isin(np.arange(points.y.size), model.fit(points.X, points.y).sample_indices_)


def _figure(found: FloatArray, printed: float | None = None) -> Figure:
    measured = Measured(found)
    return Figure(measured.mean, printed, measured.standard_error)


def _domain(found: FloatArray) -> str:
    return (
        f"Averages over {len(found)} trials ± standard error; the picture is of the first. The concept is ours: all of "
        "the unit square above a jagged line, points drawn evenly."
    )


def _picture(name: str, file: str, noise: float, seed: int, caption: str) -> Picture:
    points = _points(seed, 0, noise)
    saved = _saved(name, points, 0)
    columns = {
        "x1": points.X[:, 0],
        "x2": points.X[:, 1],
        "positive": points.y,
        "saved": saved.astype(np.int64),
        "noisy": points.noisy.astype(np.int64),
    }

    def draw(figure: Any) -> None:
        ax = figure.subplots()
        ax.fill_between(*CORNERS.T, 1.0, color=style(0).tint, linewidth=0)
        ax.plot(*CORNERS.T, color=INK, linestyle="--", linewidth=1.0)
        draw_instances(ax, points.X, points.y, saved)
        circled = points.X[saved & points.noisy]
        ax.scatter(*circled.T, s=170, facecolors="none", edgecolors=style(3).colour, linewidths=1.4, zorder=4)
        ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
        ax.grid(False)
        noisy = f", {circled.shape[0]} of them noisy" if noise else ""
        ax.set_title(f"{name}: {saved.sum()} of {INSTANCES} saved{noisy}")

    return Picture(file, caption, columns, draw, (5.0, 5.0))
