"""Aha, Kibler & Albert 1991, Figure 5: how often IB2 is right, by the distance from the boundary of the concept."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from priorcase._typing import FloatArray
from priorcase.concepts import IB2
from priorcase.learning.plotting import style
from priorcase.papers.aha1991_jagged import draw_points, jagged_distance
from priorcase.papers.figure_table import Figure, FigureTable
from priorcase.papers.options import Options
from priorcase.papers.picture import Picture
from priorcase.papers.reproduction import Part

__all__ = ["figure_5"]

INSTANCES = 500
TRIALS, FEW = 200, 5
_TICKS = (1, 2, 5, 10, 20, 50)
EDGES = np.round(np.arange(0.0, 0.2001, 0.02), 2)
"""Ends of the bins of distance; points further off make a last one."""


def figure_5(options: Options) -> Part:
    """Accuracy by distance."""
    count = options.count(TRIALS, FEW)
    text = f"IB2 by distance: {count} trials"
    found = np.array(options.each(partial(_trial, seed=options.seed), range(count), text))
    hits, seen = found.sum(axis=0)
    accuracy = hits / seen
    errors = np.sqrt(accuracy * (1 - accuracy) / seen)
    rows = {
        _bin(i): (Figure(100 * right, standard_error=100 * error), Figure(count, digits=(0, 0)))
        for i, (right, error, count) in enumerate(zip(accuracy.tolist(), errors.tolist(), seen.tolist(), strict=True))
    }
    table = FigureTable("IB2 by distance from the boundary", ("accuracy in percent", "instances"), rows, digits=(1, 1))
    middle = (np.append(EDGES, np.nan)[:-1] + np.append(EDGES[1:], np.nan)) / 2
    rate, fitted = _exponential(middle[:-1], 1 - accuracy[:-1])
    caption = (
        "How often IB2 is right about an instance before it learns it, by the instance's distance from the boundary "
        "(left), and how often wrong, on a logarithmic scale (right): a straight line is an exponential fall."
    )
    columns = {"from": EDGES, "right": accuracy, "right_standard_error": errors, "instances": seen}

    def draw(figure: Any) -> None:
        look, (left, right) = style(0), figure.subplots(1, 2)
        at, ok = middle[:-1], accuracy[:-1]
        left.errorbar(at, 100 * ok, yerr=200 * errors[:-1], color=look.colour, marker=look.marker)
        left.set(xlabel="distance from the boundary", ylabel="right in percent")
        right.plot(at, 100 * (1 - ok), color=look.colour, marker=look.marker, linestyle="none", label="IB2")
        right.plot(at, 100 * fitted, color=style(3).colour, linestyle="--", label="exponential fit")
        right.set(xlabel="distance from the boundary", ylabel="wrong in percent", yscale="log")
        right.set_yticks(_TICKS, map(str, _TICKS))
        right.minorticks_off()
        right.legend(loc="upper right")

    notes = (
        f"{count} trials of {INSTANCES} instances of the simple concept, without noise; each instance but the first is "
        "predicted before it is learned, and counted in the bin of its distance. Bars are two standard errors.",
        "The text says that accuracy increases exponentially with the distance. By the fitted line errors fall to half "
        f"with every {np.log(2) / rate:.3f} of distance; the points bend a little, as errors fall faster near the "
        "boundary and slower far from it.",
    )
    return Part((table,), (Picture("figure-5", caption, columns, draw, (9.0, 3.8)),), notes)


def _trial(trial: int, *, seed: int) -> FloatArray:
    """Right predictions, and all, in each bin."""
    points = draw_points(INSTANCES, random_state=np.random.default_rng([seed, trial]))
    right = np.asarray(IB2(history=True, n_jobs=1).fit(points.X, points.y).history_.correct)
    bins = np.searchsorted(EDGES, jagged_distance(points.X), side="right") - 1
    counts = [np.bincount(bins[right >= low], minlength=EDGES.size) for low in (1, 0)]
    return np.array(counts, dtype=np.float64)


def _bin(i: int) -> str:
    return f"{EDGES[i]:.2f} to {EDGES[i + 1]:.2f}" if i + 1 < EDGES.size else f"{EDGES[i]:.2f} or more"


def _exponential(distances: FloatArray, wrong: FloatArray) -> tuple[float, FloatArray]:
    """The rate at which errors fall, by a straight line through their logarithms, and the line."""
    some = wrong > 0
    slope, start = np.polyfit(distances[some], np.log(wrong[some]), 1)
    return -float(slope), np.exp(start + slope * distances)
