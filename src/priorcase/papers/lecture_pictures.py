"""The lecture's pictures, drawn again with the library's own answers in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase._typing import FloatArray
from priorcase.bayes import NaiveBayes
from priorcase.learning.plotting import INK, MUTED, class_styles, plot_style, style
from priorcase.neighbors import KNNClassifier
from priorcase.papers.lecture_bayes import ASKED
from priorcase.papers.lecture_records import INCOME, frequencies, records
from priorcase.papers.picture import Picture
from priorcase.similarity import euclidean

_POINTS = np.array(
    [
        [0.56, 0.52], [0.40, 0.60], [0.63, 0.35], [0.22, 0.72], [0.78, 0.72], [0.84, 0.42],
        [0.30, 0.26], [0.12, 0.45], [0.62, 0.88], [0.38, 0.90], [0.82, 0.14], [0.50, 0.10],
    ]
)  # fmt: skip
_CLASSES = np.array(list("-++-+-+-+-+-"))
_AT = np.array([[0.50, 0.50]])


def neighbourhoods() -> Picture:
    """The 1, 2 and 3 nearest records around a record, and how far they reach."""
    model = KNNClassifier(3, distance=euclidean(), n_jobs=1).fit(_POINTS, _CLASSES)
    distances, ids = model.kneighbors(_AT)
    columns = {
        "k": [1, 2, 3],
        "record": ids[0].tolist(),
        "x": _POINTS[ids[0], 0].tolist(),
        "y": _POINTS[ids[0], 1].tolist(),
        "class": _CLASSES[ids[0]].tolist(),
        "distance": distances[0].tolist(),
        "vote": [str(KNNClassifier(k, distance=euclidean()).fit(_POINTS, _CLASSES).predict(_AT)[0]) for k in (1, 2, 3)],
    }

    def draw(figure: Any) -> None:
        with plot_style():
            for k, ax in enumerate(figure.subplots(1, 3, sharex=True, sharey=True), 1):
                _draw_neighbourhood(ax, k, ids[0, :k], float(distances[0, k - 1]))

    caption = (
        "The 1, 2 and 3 nearest records of the cross: all records inside the circle, whose radius is the distance of "
        "the last of them. The points are ours."
    )
    return Picture("figure-1", caption, columns, draw, (7.5, 2.9))


def _draw_neighbourhood(ax: Any, k: int, inside: Any, radius: float) -> None:
    from matplotlib.patches import Circle

    for (label, look), sign in zip(class_styles(["+", "-"]).items(), "+_", strict=True):
        ax.scatter(*_POINTS[label == _CLASSES].T, marker=sign, color=look.colour, s=70, linewidth=2.4, zorder=3)
    ax.scatter(*_POINTS[inside].T, s=170, facecolor="none", edgecolor=INK, linewidth=1.0, zorder=4)
    ax.add_patch(Circle(tuple(_AT[0]), radius, fill=False, color=MUTED, linewidth=1.0, linestyle="--"))
    ax.scatter(*_AT.T, marker="x", color=INK, s=45, linewidth=1.8, zorder=5)
    ax.set(
        title=f"{k} nearest: ${' '.join(_CLASSES[inside])}$",
        xlim=(0, 1),
        ylim=(0, 1),
        aspect="equal",
        xticks=[],
        yticks=[],
    )
    ax.grid(False)
    ax.spines[["top", "right"]].set_visible(True)


def income_densities() -> Picture:
    """The normal densities of the income in each class, with the records and the income that is asked."""
    model = frequencies(*records((INCOME,)))
    grid = np.arange(20.0, 240.0 + 1, 1.0)
    found = _densities(model, grid)
    columns = {"income": grid.tolist()} | {f"density | {label}": found[label].tolist() for label in found}
    at = _densities(model, np.array([ASKED]))

    def draw(figure: Any) -> None:
        with plot_style():
            ax = figure.subplots()
            X, y = records((INCOME,))
            for row, label in enumerate(("No", "Yes")):
                look = style(row)
                ax.plot(grid, found[label], color=look.colour, linestyle=look.line, label=f"evades: {label}")
                own = X[INCOME][np.array(y) == label]
                ax.plot(own, np.full(own.size, -0.004 - 0.005 * row), look.marker, color=look.colour, clip_on=False)
            ax.axvline(ASKED, color=MUTED, linewidth=1.0, linestyle=(0, (2, 2)), zorder=1)
            ax.annotate(
                f"income 120:\n{at['No'][0]:.4f} if No\n{at['Yes'][0] * 1e9:.1f}·$10^{{-9}}$ if Yes",
                (ASKED, 0.055), (6, 0), textcoords="offset points", va="center",
            )  # fmt: skip
            ax.set(xlabel="taxable income in thousands", ylabel="density", ylim=(-0.012, 0.085), xlim=(20, 240))
            ax.legend(loc="upper right")

    caption = (
        "The normal densities of the income in the two classes, divisor n - 1, and the ten records below. At 120 the "
        "densities are the slide's 0.0072 and 1.2e-9."
    )
    return Picture("figure-3", caption, columns, draw, (6.0, 3.4))


def _densities(model: NaiveBayes, incomes: FloatArray) -> dict[str, FloatArray]:
    joint = model.predict_joint_log_proba(np.append(incomes, np.nan)[:, None])
    shares = np.exp(joint[:-1] - joint[-1])
    return dict(zip(model.classes_.tolist(), shares.T, strict=True))


def neighbour_counts(trials: int, seed: int) -> Picture:
    """Accuracy on new records against k: too small follows the noise, too large reaches into other classes."""
    ladder = [1, 3, 5, 9, 14, 21, 35, 55, 85, 121, 161, 199]
    scores = np.array([_accuracies(ladder, (seed, trial)) for trial in range(trials)])
    mean = scores.mean(axis=0)
    error = scores.std(axis=0, ddof=1) / np.sqrt(trials) if trials > 1 else np.zeros(len(ladder))

    def draw(figure: Any) -> None:
        with plot_style():
            ax = figure.subplots()
            look = style(0)
            ax.fill_between(ladder, mean - error, mean + error, color=look.tint, linewidth=0)
            ax.plot(ladder, mean, color=look.colour, marker=look.marker, markersize=4)
            ax.axvline(14, color=MUTED, linewidth=1.0, linestyle=(0, (2, 2)), zorder=1)
            ax.annotate(r"$k = \sqrt{200} \approx 14$", (14, mean.min()), (6, 0), textcoords="offset points", color=INK)
            ax.annotate("follows the noise", (1, mean[0]), (4, -14), textcoords="offset points", color=MUTED)
            far = (ladder[-2], mean[-2])
            ax.annotate("reaches too far", far, (-8, -6), textcoords="offset points", ha="right", color=MUTED)
            ax.set(xscale="log", xlabel="k", ylabel="right on new records")
            ax.set_xticks([1, 3, 5, 9, 14, 21, 35, 55, 85, 121, 199], minor=False)
            ax.set_xticks([], minor=True)
            ax.set_xticklabels(["1", "3", "5", "9", "14", "21", "35", "55", "85", "121", "199"])

    caption = (
        f"Right answers of k-NN on new records against k, from 200 records of which one in five has the wrong class; "
        f"mean of {trials} draws, band of one standard error. A small k follows the noise, a large one reaches into "
        "the other class; the root of N is a fair guess, not an optimum."
    )
    columns = {"k": ladder, "accuracy": mean.tolist(), "standard error": error.tolist()}
    return Picture("figure-2", caption, columns, draw, (6.0, 3.4))


def _accuracies(ladder: list[int], seed: tuple[int, int]) -> list[float]:
    """Two interleaved stripes of classes in the unit square; noise in the stored records only."""
    random = np.random.default_rng(seed)
    X, queries = random.random((200, 2)), random.random((1000, 2))
    y, truth = _stripes(X) ^ (random.random(200) < 0.2), _stripes(queries)
    return [float(KNNClassifier(k, n_jobs=1).fit(X, y).score(queries, truth)) for k in ladder]


def _stripes(X: FloatArray) -> Any:
    return X[:, 1] > 0.5 + 0.25 * np.sin(2 * np.pi * X[:, 0])
