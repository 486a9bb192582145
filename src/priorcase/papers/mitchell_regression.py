"""Mitchell, section 8.3: regression weighed by distance, at one query and everywhere, by three criteria."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase._typing import FloatArray
from priorcase.learning.plotting import INK, MUTED, plot_style, style
from priorcase.local import LocallyWeightedRegressor
from priorcase.neighbors import KNNRegressor
from priorcase.papers.figure_table import Figure, FigureTable
from priorcase.papers.mitchell_curves import GRID, draw_examples, examples, root_mean_square, truth
from priorcase.papers.picture import Picture
from priorcase.similarity import Gaussian, euclidean

ROWS, NEIGHBOURS, WIDTH, QUERY = 30, 8, 0.08, 0.98
"""Examples, the k of criteria one and three, the kernel's bandwidth, and the query of the first picture."""


def criteria() -> dict[str, LocallyWeightedRegressor]:
    """Mitchell's three criteria, with a linear function and a Gaussian kernel."""
    kernel = Gaussian()
    return {
        "E1: k nearest alike": LocallyWeightedRegressor(NEIGHBOURS, kernel="uniform", distance=euclidean(), n_jobs=1),
        "E2: all by distance": LocallyWeightedRegressor(
            "all", kernel=kernel, bandwidth=WIDTH, distance=euclidean(), n_jobs=1
        ),
        "E3: k nearest by distance": LocallyWeightedRegressor(
            NEIGHBOURS, kernel=kernel, bandwidth=WIDTH, distance=euclidean(), n_jobs=1
        ),
    }


def simpler() -> dict[str, Any]:
    """What local regression generalises: the mean of the nearest, and the mean weighed by the kernel (degree 0)."""
    return {
        "mean of the k nearest": KNNRegressor(NEIGHBOURS, distance=euclidean(), n_jobs=1),
        "mean by distance": LocallyWeightedRegressor(
            "all", degree=0, kernel=Gaussian(), bandwidth=WIDTH, distance=euclidean(), n_jobs=1
        ),
    }


def comparison(seed: int) -> FigureTable:
    """What each says at the query, and how far it is from the target function on the whole grid."""
    X, y = examples(ROWS, seed)
    rows = {}
    for name, model in (simpler() | criteria()).items():
        model.fit(X, y)
        answer = float(model.predict([[QUERY]])[0])
        rows[name] = (Figure(answer), Figure(answer - float(truth(np.array(QUERY)))), Figure(root_mean_square(model)))
    columns = (f"answer at {QUERY}", "off by", "root mean square error")
    return FigureTable("local averages and local lines", columns, rows, digits=(3, 0))


def descent(seed: int) -> FigureTable:
    """The rule of eq. 8.7 after more and more steps, beside the solution it comes to rest at."""
    X, y = examples(ROWS, seed)
    settings: dict[str, Any] = {"kernel": Gaussian(), "bandwidth": WIDTH, "distance": euclidean(), "n_jobs": 1}
    direct = float(LocallyWeightedRegressor(NEIGHBOURS, **settings).fit(X, y).predict([[QUERY]])[0])
    rows = {}
    for steps in (1, 10, 30, 100, 300):
        answer = _descended(settings, X, y, steps)
        rows[f"after {steps} step{'s' * (steps > 1)} of eq. 8.7"] = (
            Figure(answer),
            Figure(answer - direct, digits=(".1e", 0)),
        )
    rows["solved directly"] = (Figure(direct), Figure(None))
    return FigureTable("the answer of criterion three", (f"at {QUERY}", "less the solution"), rows, digits=(6, 0))


def _descended(settings: dict[str, Any], X: FloatArray, y: FloatArray, steps: int) -> float:
    import warnings

    from priorcase.exceptions import UnsettledFitWarning

    model = LocallyWeightedRegressor(NEIGHBOURS, solver="gradient", learning_rate=2.0, max_steps=steps, **settings).fit(
        X, y
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsettledFitWarning)  # that it is not at rest yet is what is shown
        return float(model.predict([[QUERY]])[0])


def at_a_query(seed: int) -> Picture:
    """The line that is fitted around one query, the weights of the examples, and the two means."""
    X, y = examples(ROWS, seed)
    model = criteria()["E2: all by distance"].fit(X, y)
    answer = float(model.predict([[QUERY]])[0])
    slope = float(np.asarray(model.coefficients([[QUERY]]).frame()["x0"])[0])
    weights = Gaussian()(np.abs(X[:, 0] - QUERY) / WIDTH)
    means = {name: float(other.fit(X, y).predict([[QUERY]])[0]) for name, other in simpler().items()}
    columns = {"x": X[:, 0].tolist(), "f(x)": y.tolist(), "kernel weight": weights.tolist()}

    def draw(figure: Any) -> None:
        with plot_style():
            top, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
            draw_examples(top, X, y, size=14 + 70 * weights)
            near, look = np.array([QUERY - 2 * WIDTH, QUERY + 0.03]), style(0)
            top.plot(near, answer + slope * (near - QUERY), color=look.colour, linewidth=2.0, label="line around $x_q$")
            top.plot(QUERY, answer, "o", color=look.colour, markersize=8, zorder=6, label="its answer at $x_q$")
            for i, (name, value) in enumerate(means.items(), 1):
                top.plot(QUERY, value, style(i).marker, color=style(i).colour, markersize=8, zorder=6, label=name)
            for ax in (top, below):
                ax.axvline(QUERY, color=MUTED, linewidth=0.9, linestyle=(0, (2, 2)), zorder=0)
            below.vlines(X[:, 0], 0, weights, color=INK, linewidth=1.6)
            below.set(ylabel="weight", xlabel="x", ylim=(0, 1.08))
            top.set(ylabel="f(x)", xlabel="", xlim=(0.55, 1.03))
            top.annotate(
                "$x_q$", (QUERY, top.get_ylim()[1]), (-4, -2), textcoords="offset points", va="top", ha="right"
            )
            figure.legend(*top.get_legend_handles_labels(), loc="outside upper center", ncols=3)

    caption = (
        f"Locally weighted linear regression at the query x_q = {QUERY}: examples count by a Gaussian kernel of their "
        "distance (below; larger circles above), a line is fitted to them, and its value at x_q is the answer. At the "
        "end of the data nearly all neighbours lie on one side, and the two means are off by far; the line is not."
    )
    return Picture("example-8.3-query", caption, columns, draw, (6.4, 4.6))


def by_criterion(seed: int) -> Picture:
    """The curve of each criterion."""
    X, y = examples(ROWS, seed)
    found = {name: model.fit(X, y).predict(GRID[:, None]) for name, model in criteria().items()}
    columns = {"x": GRID.tolist()} | {name: values.tolist() for name, values in found.items()}

    def draw(figure: Any) -> None:
        with plot_style():
            ax = figure.subplots()
            draw_examples(ax, X, y)
            for i, (name, values) in enumerate(found.items()):
                ax.plot(GRID, values, color=style(i).colour, linestyle=style(i).line, label=name)
            ax.set(ylabel="f(x)")
            figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=3)

    caption = (
        f"The three criteria over the whole range, with k = {NEIGHBOURS} and a Gaussian kernel of bandwidth {WIDTH}. "
        "E1 jumps where a neighbour comes or goes; E2 is smooth; E3 follows E2 closely and looks at k examples only."
    )
    return Picture("example-8.3-criteria", caption, columns, draw, (6.4, 3.9))
