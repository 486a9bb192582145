"""Mitchell, section 8.4: a network of radial basis functions, as the sum that it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase.learning.plotting import INK, MUTED, plot_style, style
from priorcase.local import RBFNetworkRegressor
from priorcase.papers.figure_table import Figure, FigureTable
from priorcase.papers.mitchell_curves import GRID, draw_examples, examples, root_mean_square
from priorcase.papers.picture import Picture
from priorcase.similarity import euclidean

ROWS, CENTRES, WIDTH = 30, 6, 0.12


def networks(seed: int) -> dict[str, RBFNetworkRegressor]:
    """A kernel at every example and no penalty; at every example with one; at a few centres."""
    every: dict[str, Any] = {"centers": "all", "distance": euclidean(), "random_state": seed, "n_jobs": 1}
    few: dict[str, Any] = {**every, "centers": "kmeans", "width": WIDTH, "alpha": 0.0}
    return {
        f"{ROWS} kernels, through every example": RBFNetworkRegressor(**{**every, "width": 0.02, "alpha": 0.0}),
        f"{ROWS} kernels, penalty by leave-one-out": RBFNetworkRegressor(**{**every, "width": WIDTH}),
        f"{CENTRES} kernels": RBFNetworkRegressor(CENTRES, **few),
    }


def comparison(seed: int) -> FigureTable:
    """How far each network is from its examples and from the target function."""
    X, y = examples(ROWS, seed)
    rows = {}
    for name, model in networks(seed).items():
        model.fit(X, y)
        own = float(np.sqrt(np.mean((model.predict(X) - y) ** 2)))
        sums = model.intercept_ + model.activations(GRID[:, None]) @ model.coef_
        apart = float(np.abs(sums - model.predict(GRID[:, None])).max())
        rows[name] = (Figure(own, digits=(".2g", 0)), Figure(root_mean_square(model)), Figure(apart, digits=(".0e", 0)))
    columns = ("from the examples", "from the target function", "eq. 8.8 by hand, most apart")
    return FigureTable("root mean square distance of the network", columns, rows, digits=(3, 0))


def parts(seed: int) -> Picture:
    """The kernels of a network with few centres, each times its weight, and their sum."""
    X, y = examples(ROWS, seed)
    model = list(networks(seed).values())[-1].fit(X, y)
    bumps = model.activations(GRID[:, None]) * model.coef_
    total = model.predict(GRID[:, None])
    centres = np.asarray(model.centers_)[:, 0].astype(float)
    order = np.argsort(centres)
    columns = {"x": GRID.tolist(), "network": total.tolist(), "intercept": [float(model.intercept_)] * GRID.size}
    columns |= {f"kernel at {centres[u]:.3f}": bumps[:, u].tolist() for u in order}

    def draw(figure: Any) -> None:
        with plot_style():
            ax = figure.subplots()
            draw_examples(ax, X, y)
            for n, u in enumerate(order.tolist()):
                label = "$w_u K_u$, each kernel by its weight" if n == 0 else None
                ax.plot(GRID, bumps[:, u], color=style(1).colour, linewidth=1.1, linestyle=style(1).line, label=label)
            ax.axhline(float(model.intercept_), color=MUTED, linewidth=0.9, linestyle=(0, (2, 2)), label="$w_0$")
            ax.plot(GRID, total, color=style(0).colour, linewidth=2.0, label="their sum: the network")
            ax.plot(centres, np.full(centres.size, ax.get_ylim()[0]), "^", color=INK, clip_on=False, label="centres")
            ax.set(ylabel="f(x)")
            figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=3)

    caption = (
        f"A network of {CENTRES} Gaussian kernels of width {WIDTH} (eqs. 8.8 and 8.9): each kernel times its weight, "
        "and their sum with the constant w_0. The centres come from k-means of the inputs, the weights from least "
        "squares over all examples: each piece is local, the fit is global."
    )
    return Picture("example-8.4-kernels", caption, columns, draw, (6.4, 4.2))


def by_centres(seed: int) -> Picture:
    """The three networks over the whole range."""
    X, y = examples(ROWS, seed)
    found = {name: model.fit(X, y).predict(GRID[:, None]) for name, model in networks(seed).items()}
    columns = {"x": GRID.tolist()} | {name: values.tolist() for name, values in found.items()}

    def draw(figure: Any) -> None:
        with plot_style():
            ax = figure.subplots()
            draw_examples(ax, X, y)
            for i, (name, values) in enumerate(found.items()):
                ax.plot(GRID, values, color=style(i).colour, linestyle=style(i).line, label=name)
            ax.set(ylabel="f(x)")
            figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=2)

    caption = (
        "Kernels at every example can pass through all of them, noise included, and fall back to the constant between "
        "them where they are narrow; with a penalty that leave-one-out chooses, or with few centres, the network is "
        "smooth."
    )
    return Picture("example-8.4-centres", caption, columns, draw, (6.4, 4.2))
