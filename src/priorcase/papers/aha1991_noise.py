"""Aha, Kibler & Albert 1991, Figures 6 and 9: accuracy and storage against the level of noise."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from priorcase._typing import FloatArray
from priorcase.concepts import IB1, IB2, IB3
from priorcase.learning.plotting import style
from priorcase.papers.aha1991_jagged import draw_points
from priorcase.papers.figure_table import Figure, FigureTable
from priorcase.papers.options import Options
from priorcase.papers.picture import Picture
from priorcase.papers.protocols import Measured
from priorcase.papers.reproduction import Part

__all__ = ["LEVELS", "figure_6", "figure_9"]

LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
TRAIN, TEST = 500, 500
TRIALS, FEW = 200, 3
NAMES = ("IB1", "IB2", "IB3")


def figure_6(options: Options) -> Part:
    """IB1 and IB2."""
    found = _measured(options, NAMES[:2])
    falls = {name: found[name][:, 0, 0].mean() - found[name][:, 0, 2].mean() for name in NAMES[:2]}
    shows = (
        "The text says that IB2's accuracy falls more quickly than IB1's as noise grows, and that its storage is "
        f"sensitive to noise. Ours falls by {falls['IB2']:.1f} points at a level of 20 %, IB1's by {falls['IB1']:.1f}; "
        f"storage grows from {found['IB2'][:, 1, 0].mean():.1f} to {found['IB2'][:, 1, 2].mean():.1f} percent."
    )
    return _part(found, "figure-6", shows)


def figure_9(options: Options) -> Part:
    """IB1, IB2 and IB3."""
    found = _measured(options, NAMES)
    at = {name: found[name][..., 2].mean(axis=0) for name in NAMES}
    shows = (
        "The text says that IB3 filters noise much better than IB2 and IB1, and takes less space than IB2. Ours is "
        f"right in {at['IB3'][0]:.1f} percent at a level of 20 % (IB1 {at['IB1'][0]:.1f}, IB2 {at['IB2'][0]:.1f}), "
        f"from {at['IB3'][1]:.1f} percent of the instances (IB2 {at['IB2'][1]:.1f})."
    )
    return _part(found, "figure-9", shows)


def _measured(options: Options, names: tuple[str, ...]) -> dict[str, FloatArray]:
    """Accuracy and storage in percent of each learner: (trials, 2, levels)."""
    count = options.count(TRIALS, FEW)
    text = f"{', '.join(names)} in noise: {count} trials"
    tasks = list(product(range(count), LEVELS))
    one = options.each(partial(_trial, names=names, seed=options.seed), tasks, text)
    found = np.array(one).reshape(count, len(LEVELS), len(names), 2)
    return {name: np.moveaxis(found[:, :, i], 1, 2) for i, name in enumerate(names)}


def _trial(task: tuple[int, float], *, names: tuple[str, ...], seed: int) -> list[tuple[float, float]]:
    trial, level = task
    stream = np.random.default_rng([seed, trial])
    learned, tested = draw_points(TRAIN, noise=level, random_state=stream), draw_points(TEST, random_state=stream)
    found = []
    for name in names:
        model = {"IB1": IB1, "IB2": IB2}[name](n_jobs=1) if name != "IB3" else IB3(random_state=trial, n_jobs=1)
        right = model.fit(learned.X, learned.y).predict(tested.X) == tested.y
        found.append((100 * float(right.mean()), 100 * model.storage_))
    return found


def _part(found: dict[str, FloatArray], file: str, shows: str) -> Part:
    tables = (_table(found, 0, "accuracy in percent"), _table(found, 1, "storage in percent"))
    columns: dict[str, Any] = {"noise": LEVELS}
    for name, values in found.items():
        columns[f"{name}_accuracy"], columns[f"{name}_storage"] = values.mean(axis=0)

    def draw(figure: Any) -> None:
        accuracy, storage = figure.subplots(1, 2)
        _curves(accuracy, tables[0])
        _curves(storage, tables[1])
        storage.set_ylim(0, 105)
        accuracy.legend(loc="lower left")

    *first, last = found
    caption = (
        f"Accuracy on clean instances (left) and storage (right) of {', '.join(first)} and {last} against the level of "
        "noise in the training instances."
    )
    count = len(next(iter(found.values())))
    protocol = (
        f"{count} trials of {TRAIN} training instances of the simple concept and {TEST} test instances without noise; "
        "ours ± standard error. The noise level is the probability that a value is replaced by another of its "
        "distribution. The paper's own domain and sizes are not given, so that only the claims can be compared."
    )
    return Part(tables, (Picture(file, caption, columns, draw, (9.0, 3.8)),), (protocol, shows))


def _table(found: dict[str, FloatArray], which: int, title: str) -> FigureTable:
    rows = {}
    for i, level in enumerate(LEVELS):
        means = [Measured(values[:, which, i]) for values in found.values()]
        rows[f"{100 * level:.0f} %"] = tuple(Figure(mean.mean, standard_error=mean.standard_error) for mean in means)
    return FigureTable(f"{title}, by level of noise", tuple(found), rows, digits=(1, 1))


def _curves(ax: Any, table: FigureTable) -> None:
    for i, name in enumerate(table.columns):
        look, figures = style(i), [table[row, name] for row in table.rows]
        errors = [2 * figure.standard_error for figure in figures]
        ax.errorbar(
            [100 * level for level in LEVELS],
            [figure.value for figure in figures],
            yerr=errors if np.isfinite(errors).all() else None,
            color=look.colour,
            linestyle=look.line,
            marker=look.marker,
            label=name,
        )
    ax.set(xlabel="noise level in percent", ylabel=table.title.split(",")[0])
