"""Mitchell, section 8.2.1: neighbours that count by their distance, and Shepard's method."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase._typing import BoolArray, FloatArray
from priorcase.learning.plotting import plot_style, style
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.papers.figure_table import Figure, FigureTable
from priorcase.papers.mitchell_curves import GRID, draw_examples, examples, root_mean_square
from priorcase.papers.mitchell_votes import CLASSES, POINTS, QUERY, share_of, voter
from priorcase.papers.options import Options
from priorcase.papers.picture import Picture
from priorcase.similarity import euclidean

ROWS = 12
NOISE = (0.0, 0.1, 0.2, 0.3)


def votes() -> FigureTable:
    """The five nearest of Figure 8.1, their weights and the class that these choose."""
    model = voter(5, "inverse_square")
    distances, ids = model.kneighbors(QUERY)
    weights = 1 / distances[0] ** 2
    rows = {
        f"{rank}. neighbour, {CLASSES[row]}": (Figure(far), Figure(weight), Figure(weight / weights.sum()))
        for rank, (row, far, weight) in enumerate(
            zip(ids[0].tolist(), distances[0].tolist(), weights.tolist(), strict=True), 1
        )
    }
    plus = share_of(model, QUERY, "+")
    answer = f"answer: {model.predict(QUERY)[0]}, with a share for + of"
    rows[answer] = (Figure(None), Figure(None), Figure(plus))
    return FigureTable("votes by eq. 8.3", ("distance", "w = 1/d^2", "share"), rows, digits=(".3g", 0))


def rules() -> FigureTable:
    """What the text says of exact matches and of a constant function, as sentences that hold."""
    at = POINTS[[1]]
    doubled = KNNClassifier(5, distance=euclidean(), vote="inverse_square", n_jobs=1)
    doubled.fit(np.vstack([POINTS, at, at]), [*CLASSES, "+", "+"])
    X, _ = examples(ROWS, 0)
    constant = KNNRegressor("all", vote="inverse_square", n_jobs=1).fit(X, np.full(ROWS, 7.0))
    rows = {
        "query equal to an example of class -": (Figure(str(voter(5, "inverse_square").predict(at)[0]), "-"),),
        "query equal to three: -, +, +": (Figure(str(doubled.predict(at)[0]), "+"),),
        "eq. 8.4 where f = 7 everywhere: least answer": (Figure(float(constant.predict(GRID[:, None]).min()), 7.0),),
        "eq. 8.4 where f = 7 everywhere: largest answer": (Figure(float(constant.predict(GRID[:, None]).max()), 7.0),),
    }
    return FigureTable("the text's rules", ("ours (book)",), rows, digits=(6, 0))


def averages() -> dict[str, KNNRegressor]:
    """The means of eqs. 8.1 and 8.4, and the latter over all examples."""
    return {
        "3 nearest, mean (8.1)": KNNRegressor(3, distance=euclidean(), n_jobs=1),
        "3 nearest, 1/d² (8.4)": KNNRegressor(3, distance=euclidean(), vote="inverse_square", n_jobs=1),
        "all, 1/d² (Shepard)": KNNRegressor("all", distance=euclidean(), vote="inverse_square", n_jobs=1),
    }


def curves(seed: int) -> tuple[Picture, FigureTable]:
    """A function from twelve examples by each average, and how far each is from it."""
    X, y = examples(ROWS, seed, noise=0.0)
    models = {name: model.fit(X, y) for name, model in averages().items()}
    found = {name: model.predict(GRID[:, None]) for name, model in models.items()}

    def draw(figure: Any) -> None:
        with plot_style():
            ax = figure.subplots()
            draw_examples(ax, X, y)
            for i, (name, values) in enumerate(found.items()):
                look = style(i)
                ax.plot(GRID, values, color=look.colour, linestyle=look.line, label=name)
            ax.set(ylabel="f(x)")
            figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=3)

    caption = (
        "A function of one attribute from twelve examples. The mean of the three nearest is a staircase (8.1); weighed "
        "by 1/d^2 it goes through every example, with jumps where the third neighbour changes (8.4); over all examples "
        "it has no jumps (Shepard), but a flat spot at every example, and is drawn towards the mean of all in between."
    )
    columns = {"x": GRID.tolist()} | {name: values.tolist() for name, values in found.items()}
    rows = {name: (Figure(root_mean_square(model)),) for name, model in models.items()}
    title = "root mean square distance from the target function"
    return (
        Picture("example-8.2.1", caption, columns, draw, (6.4, 3.9)),
        FigureTable(title, ("12 examples",), rows, digits=(3, 0)),
    )


def noise(options: Options) -> FigureTable:
    """Right answers on clean queries where a share of the examples has the wrong class."""
    trials = options.count(20, 3)
    tasks = [(options.seed, trial, share) for share in NOISE for trial in range(trials)]
    found = np.array(options.each(noisy_trial, tasks, "votes with wrong examples among them"))
    scores = found.reshape(len(NOISE), trials, -1)
    rows = {}
    for j, name in enumerate(_noisy_voters()):
        figures = []
        for i in range(len(NOISE)):
            error = float(scores[i, :, j].std(ddof=1) / np.sqrt(trials)) if trials > 1 else float("nan")
            figures.append(Figure(float(scores[i, :, j].mean()), None, error))
        rows[name] = tuple(figures)
    title = f"right in percent by the share of wrong examples, {trials} trials"
    return FigureTable(title, tuple(f"{share:.0%}" for share in NOISE), rows, digits=(1, 0))


def noisy_trial(task: tuple[int, int, float]) -> list[float]:
    """The accuracies of one trial in percent: its seed, number and share of wrong examples."""
    seed, trial, share = task
    random = np.random.default_rng((seed, trial, round(100 * share)))
    X, queries = random.random((300, 2)), random.random((1000, 2))
    y = _concept(X) ^ (random.random(300) < share)
    models = _noisy_voters().values()
    return [100 * float(model.fit(X, y).score(queries, _concept(queries))) for model in models]


def _noisy_voters() -> dict[str, KNNClassifier]:
    return {
        "1 nearest": KNNClassifier(1, n_jobs=1),
        "15 nearest, equal votes": KNNClassifier(15, n_jobs=1),
        "15 nearest, 1/d^2": KNNClassifier(15, vote="inverse_square", n_jobs=1),
        "all, 1/d^2": KNNClassifier("all", vote="inverse_square", n_jobs=1),
    }


def _concept(X: FloatArray) -> BoolArray:
    """Above a wave."""
    inside: BoolArray = X[:, 1] > 0.5 + 0.25 * np.sin(2 * np.pi * X[:, 0])
    return inside
