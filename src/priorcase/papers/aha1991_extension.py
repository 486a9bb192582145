"""Aha, Kibler & Albert 1991, Figures 1 and 3: what IB1 and IB2 take the concept to be after more and more instances."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.concepts import IB1, IB2
from priorcase.datasets import make_disjuncts
from priorcase.datasets.disjuncts import DISJUNCTS
from priorcase.learning.plotting import INK, style
from priorcase.papers.figure_table import Figure, FigureTable
from priorcase.papers.options import Options
from priorcase.papers.picture import Picture
from priorcase.papers.protocols import Measured
from priorcase.papers.reproduction import Part

__all__ = ["STAGES", "figure_1", "figure_3", "right_area"]

STAGES = (5, 25, 100)
TRIALS, FEW = 100, 3
_COARSE, _FINE = 100, 400
_LEARNERS = {"IB1": IB1, "IB2": IB2}


def figure_1(options: Options) -> Part:
    """IB1."""
    areas = _areas(options)
    shows = (
        "The text says that the extension improves with training and approximates the concept, whose parts need be "
        "neither convex nor connected, by straight pieces."
    )
    return Part((_table(areas, "IB1"),), (_picture("IB1", "figure-1", options.seed),), (_domain(areas), shows))


def figure_3(options: Options) -> Part:
    """IB2, beside IB1."""
    areas = _areas(options)
    off = areas["IB1"][:, -1] - areas["IB2"][:, -1]
    difference = Measured(off)
    shows = (
        f"The text says that after 100 instances IB2's approximation is almost as good as IB1's. Ours has "
        f"{difference.mean:.1f} points of the area less, from {areas['IB2 saved'][:, -1].mean():.0f} instances "
        "instead of 100."
    )
    table = _table(areas, "IB1", "IB2", "IB2 saved")
    return Part((table,), (_picture("IB2", "figure-3", options.seed),), (_domain(areas), shows))


def right_area(model: Any) -> float:
    """The part of the unit square in which a model predicts the right class, in percent."""
    return 100 * float((model.predict(_grid(_COARSE)) == _concept()).mean())


def _areas(options: Options) -> dict[str, FloatArray]:
    """The area of IB1 and IB2 after each stage, and what IB2 saves: (trials, stages)."""
    count = options.count(TRIALS, FEW)
    text = f"IB1 and IB2 in the plane: {count} trials"
    found = np.array(options.each(partial(_trial, seed=options.seed), range(count), text))
    return dict(zip(("IB1", "IB2", "IB2 saved"), np.moveaxis(found, 2, 0), strict=True))


def _trial(trial: int, *, seed: int) -> list[list[float]]:
    X, y = _instances(seed, trial)
    found = []
    for stage in STAGES:
        models = [kind(n_jobs=1).fit(X[:stage], y[:stage]) for kind in (IB1, IB2)]
        found.append([*map(right_area, models), float(models[1].stored_)])
    return found


def _instances(seed: int, trial: int) -> tuple[FloatArray, IntArray]:
    return make_disjuncts(STAGES[-1], random_state=np.random.default_rng([seed, trial]))


def _table(areas: dict[str, FloatArray], *columns: str) -> FigureTable:
    """Means over the trials."""
    rows = {}
    for i, stage in enumerate(STAGES):
        means = [Measured(areas[column][:, i]) for column in columns]
        rows[str(stage)] = tuple(Figure(mean.mean, standard_error=mean.standard_error) for mean in means)
    titles = tuple(column if "saved" in column else f"{column}, area right in percent" for column in columns)
    return FigureTable("by instances seen", titles, rows, digits=(1, 1))


def _domain(areas: dict[str, FloatArray]) -> str:
    return (
        "The paper shows four disjuncts in the plane without their numbers; ours are four rectangles in the unit "
        "square, whose points are drawn evenly. The picture is of the first trial, the table has averages over "
        f"{len(areas['IB1'])} ± standard error; the area is counted in 100 by 100 squares. A learner that always says "
        f"negative is right in {100 * float((_concept() == 0).mean()):.1f} percent of it."
    )


def _picture(name: str, file: str, seed: int) -> Picture:
    X, y = _instances(seed, 0)
    models = {stage: _LEARNERS[name](n_jobs=1).fit(X[:stage], y[:stage]) for stage in STAGES}
    saved = {stage: np.isin(np.arange(stage), np.asarray(model.ids_)) for stage, model in models.items()}
    caption = (
        f"{name} after {STAGES[0]}, {STAGES[1]} and {STAGES[2]} instances: solid lines bound what it takes to be "
        "positive (tinted), dashed ones the four disjuncts; + and - are the instances"
        + ("." if name == "IB1" else ", large the saved ones.")
    )
    columns: dict[str, AnyArray] = {
        "instances_seen": np.repeat(STAGES, STAGES),
        "x1": np.concatenate([X[:stage, 0] for stage in STAGES]),
        "x2": np.concatenate([X[:stage, 1] for stage in STAGES]),
        "positive": np.concatenate([y[:stage] for stage in STAGES]),
        "saved": np.concatenate([saved[stage] for stage in STAGES]).astype(np.int64),
    }

    def draw(figure: Any) -> None:
        for ax, (stage, model) in zip(figure.subplots(1, len(STAGES), sharey=True), models.items(), strict=True):
            draw_extension(ax, model)
            draw_instances(ax, X[:stage], y[:stage], saved[stage])
            ax.set_title(f"after {stage} instances: {right_area(model):.0f} % of the area right")

    return Picture(file, caption, columns, draw, (10.5, 3.9))


def draw_extension(ax: Any, model: Any) -> None:
    """What a model takes to be positive, and the four rectangles that are."""
    look, centres = style(0), _centres(_FINE)
    found = np.asarray(model.predict(_grid(_FINE))).reshape(_FINE, _FINE)
    ax.contourf(centres, centres, found, levels=(0.5, 1.5), colors=[look.tint])
    ax.contour(centres, centres, found, levels=(0.5,), colors=[look.colour], linewidths=1.2)
    for (left, right), (bottom, top) in DISJUNCTS:
        ax.plot([left, right, right, left, left], [bottom, bottom, top, top, bottom], "--", color=INK, linewidth=1.0)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
    ax.grid(False)


def draw_instances(ax: Any, X: FloatArray, y: IntArray, saved: AnyArray) -> None:
    """Positive and negative instances; those that are saved large, the others small and pale."""
    for positive, marker in ((1, "+"), (0, "_")):
        for kept in (False, True):
            at = X[(y == positive) & (saved == kept)]
            size, paint = (42, INK) if kept else (16, "#767676")
            ax.scatter(*at.T, marker=marker, s=size, color=paint, linewidths=1.3 if kept else 0.9, zorder=3)


def _centres(cells: int) -> FloatArray:
    return (np.arange(cells) + 0.5) / cells


def _grid(cells: int) -> FloatArray:
    """The centres of so many by so many squares."""
    across, up = np.meshgrid(_centres(cells), _centres(cells))
    return np.column_stack([across.ravel(), up.ravel()])


def _concept() -> AnyArray:
    """Whether each square of the coarse grid is inside one of the rectangles."""
    points = _grid(_COARSE)[:, None]
    within = (points >= DISJUNCTS[..., 0]) & (points <= DISJUNCTS[..., 1])
    return np.asarray(np.any(np.all(within, axis=2), axis=1), dtype=np.int64)
