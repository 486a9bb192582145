"""Mitchell, section 8.2.2: twenty attributes of which two matter; axes stretched and attributes dropped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import BoolArray, FloatArray
from priorcase.learning.plotting import plot_style, style
from priorcase.neighbors import KNNClassifier
from priorcase.papers.figure_table import Figure, FigureTable
from priorcase.papers.options import Options
from priorcase.papers.picture import Picture
from priorcase.relevance import LeaveOneOutWeights
from priorcase.selection import AttributeSelector

ROWS, QUERIES, NEIGHBOURS = 250, 1000, 7
ATTRIBUTES = (2, 4, 8, 14, 20)
"""How many attributes there are; the first two matter."""

# Nothing keeps it from learning twenty numbers from twenty rows.
_UNRESTRAINED = LeaveOneOutWeights(regularisation=0.0, local=True, neighborhood=20, stiffness=0.0)


def all_alike(attributes: int) -> KNNClassifier:
    """Plain k-NN."""
    return KNNClassifier(NEIGHBOURS, n_jobs=1)


def two_alone(attributes: int) -> KNNClassifier:
    """k-NN that is told which two matter."""
    return KNNClassifier(NEIGHBOURS, attribute_weights=[1.0, 1.0] + [0.0] * (attributes - 2), n_jobs=1)


def stretched(attributes: int) -> KNNClassifier:
    """k-NN with axes stretched to make the leave-one-out error small."""
    return KNNClassifier(NEIGHBOURS, attribute_weights="loo", n_jobs=1)


def by_relief(attributes: int) -> KNNClassifier:
    """k-NN with axes stretched by Relief."""
    return KNNClassifier(NEIGHBOURS, attribute_weights="relief", n_jobs=1)


def bent(attributes: int) -> KNNClassifier:
    """k-NN with axes stretched for each query anew, and nothing to hold them back."""
    return KNNClassifier(NEIGHBOURS, attribute_weights=_UNRESTRAINED, n_jobs=1)


WAYS: dict[str, Callable[[int], KNNClassifier]] = {
    "all attributes alike": all_alike,
    "axes stretched by leave-one-out": stretched,
    "axes stretched by Relief": by_relief,
    "axes stretched at each query, unrestrained": bent,
    "the two that matter alone": two_alone,
}
DROPPED = "attributes dropped by leave-one-out"
ALONE = "the two that matter alone"
DRAWN = (
    "all attributes alike",
    "axes stretched at each query, unrestrained",
    "axes stretched by Relief",
    "axes stretched by leave-one-out",
)


@dataclass(frozen=True)
class Outcome:
    """What one trial found: right answers in percent by each way, the stretches, and which attributes were kept."""

    accuracy: dict[str, float]
    stretches: FloatArray
    kept: BoolArray


def trial(task: tuple[int, int, int]) -> Outcome:
    """One trial: the seed, its number, and how many attributes there are."""
    seed, number, attributes = task
    random = np.random.default_rng((seed, number))
    X, queries = random.random((ROWS, 20))[:, :attributes], random.random((QUERIES, 20))[:, :attributes]
    y, truth = _concept(X), _concept(queries)
    models = {name: make(attributes).fit(X, y) for name, make in WAYS.items()}
    accuracy = {name: 100 * float(model.score(queries, truth)) for name, model in models.items()}
    selector = AttributeSelector(all_alike(attributes), search="forward", n_jobs=1).fit(X, y)
    kept = all_alike(attributes).fit(selector.transform(X), y)
    accuracy[DROPPED] = 100 * float(kept.score(selector.transform(queries), truth))
    return Outcome(accuracy, models["axes stretched by leave-one-out"].attribute_weights_, selector.support_)


def two_of_twenty(options: Options) -> tuple[FigureTable, FigureTable, Picture]:
    """Accuracies against the number of attributes, stretches and choices among all twenty, and a picture of both."""
    trials = options.count(10, 2)
    ladder = (2, 8, 20) if options.quick else ATTRIBUTES
    tasks = [(options.seed, number, attributes) for attributes in ladder for number in range(trials)]
    found = options.each(trial, tasks, "two of twenty attributes")
    by_size = {size: found[i * trials : (i + 1) * trials] for i, size in enumerate(ladder)}
    return _accuracies(by_size, trials), _weights(by_size[20]), _picture(by_size, trials)


def _accuracies(by_size: dict[int, list[Outcome]], trials: int) -> FigureTable:
    names = [*list(WAYS)[:-1], DROPPED, ALONE]
    rows = {}
    for name in names:
        means, errors = _summary(by_size, name)
        rows[name] = tuple(Figure(m, None, e) for m, e in zip(means.tolist(), errors.tolist(), strict=True))
    title = f"right in percent on new rows, {ROWS} rows to learn from, {NEIGHBOURS} neighbours, {trials} trials"
    return FigureTable(title, tuple(f"{size} attributes" for size in by_size), rows, digits=(1, 0))


def _weights(found: list[Outcome]) -> FigureTable:
    stretches, kept = _stretches(found), np.mean([outcome.kept for outcome in found], axis=0)
    rows = {
        name: (Figure(float(stretches[part].mean())), Figure(float(100 * kept[part].mean()), digits=(1, 0)))
        for name, part in (
            ("each of the two that matter", slice(0, 2)),
            ("each of the eighteen others", slice(2, None)),
        )
    }
    columns = ("mean stretch z_j (largest: 1)", "kept in percent of trials")
    return FigureTable("what leave-one-out makes of the twenty attributes", columns, rows, digits=(3, 0))


def _picture(by_size: dict[int, list[Outcome]], trials: int) -> Picture:
    stretches = _stretches(by_size[20])
    summaries = {name: _summary(by_size, name) for name in (*DRAWN, ALONE)}

    def draw(figure: Any) -> None:
        with plot_style():
            left, right = figure.subplots(1, 2, width_ratios=[3, 2])
            left.plot(list(by_size), summaries[ALONE][0], color="#D0D0D0", linewidth=5.0, label=ALONE)
            for i, name in enumerate(DRAWN):
                means, errors = summaries[name]
                look = {"color": style(i).colour, "linestyle": style(i).line, "marker": style(i).marker}
                left.errorbar(list(by_size), means, errors, label=name, **look)
            left.set(xlabel="attributes, of which two matter", ylabel="right in percent", xticks=list(by_size))
            left.set_title("answers on new rows")
            figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=2)
            right.bar(np.arange(1, 21), stretches, color=style(3).colour, width=0.75)
            right.set(xlabel="attribute", ylabel="$z_j$, mean of the trials", xticks=[1, 2, 5, 10, 15, 20])
            right.set(ylim=(0, 1.05))
            right.set_title("stretches by leave-one-out")
            right.grid(axis="x", visible=False)

    caption = (
        f"k-NN with more and more attributes that do not matter (means of {trials} trials, bars of one standard "
        "error). Left: with all attributes alike the nearest are ever less those that are near in the two that matter; "
        "stretching the axes makes up for it, least so where every query stretches them anew. Right: the stretches "
        "among twenty attributes."
    )
    columns: dict[str, list[Any]] = {"way": [], "attributes": [], "right in percent": [], "standard error": []}
    for name, (means, errors) in summaries.items():
        columns["way"] += [name] * len(by_size)
        columns["attributes"] += list(by_size)
        columns["right in percent"] += means.tolist()
        columns["standard error"] += errors.tolist()
    return Picture("example-8.2.2", caption, columns, draw, (7.6, 4.3))


def _summary(by_size: dict[int, list[Outcome]], name: str) -> tuple[FloatArray, FloatArray]:
    """Means over the trials and their standard errors, by the number of attributes."""
    scores = np.array([[outcome.accuracy[name] for outcome in found] for found in by_size.values()])
    count = scores.shape[1]
    errors = scores.std(axis=1, ddof=1) / np.sqrt(count) if count > 1 else np.zeros(len(scores))
    return scores.mean(axis=1), errors


def _stretches(found: list[Outcome]) -> FloatArray:
    """The mean over the trials of the factor by which each axis is stretched: the root of its weight."""
    return np.asarray(np.mean([np.sqrt(outcome.stretches) for outcome in found], axis=0))


def _concept(X: FloatArray) -> BoolArray:
    """Above a wave in the first two attributes."""
    inside: BoolArray = X[:, 1] > 0.5 + 0.3 * np.sin(2 * np.pi * X[:, 0])
    return inside
