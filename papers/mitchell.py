"""Mitchell 1997, *Machine Learning*, chapter 8: the figure of the chapter, and examples for its statements."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from papers.reproduction import Figure, FigureTable, Item, Options, Paper, Part, Picture
from priorcase._typing import BoolArray, FloatArray
from priorcase.exceptions import LocalConvergenceWarning
from priorcase.learning.plotting import INK, MUTED, class_styles, style
from priorcase.local import LocallyWeightedRegressor, RBFNetworkRegressor
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.plots import VoronoiCells
from priorcase.relevance import LeaveOneOutWeights
from priorcase.selection import AttributeSelector
from priorcase.similarity import Gaussian, euclidean

# The function and its examples that sections 8.2 to 8.4 share ---------------------------------------------------------

ROWS, FEW_ROWS = 30, 12
GRID = np.linspace(0.0, 1.0, 401)


def truth(x: FloatArray) -> FloatArray:
    """Return the target function ``sin(2 pi x^1.6) + x``, which varies slowly on the left and quickly on the right."""
    return np.sin(2 * np.pi * x**1.6) + x


def examples(rows: int, random_state: int, *, noise: float = 0.06) -> tuple[FloatArray, FloatArray]:
    """Draw training examples with normal noise, one in each of ``rows`` intervals of equal width."""
    random = np.random.default_rng(random_state)
    x = (np.arange(rows) + random.random(rows)) / rows
    return x[:, None], truth(x) + noise * random.normal(size=rows)


def root_mean_square(model: Any) -> float:
    """Return the root mean square distance of a model from the target function on the grid."""
    return float(np.sqrt(np.mean((model.predict(GRID[:, None]) - truth(GRID)) ** 2)))


def above_wave(X: FloatArray, height: float) -> BoolArray:
    """Return whether the second attribute of each point of the unit square is above a sine wave of the first."""
    inside: BoolArray = X[:, 1] > 0.5 + height * np.sin(2 * np.pi * X[:, 0])
    return inside


def _draw_examples(ax: Any, X: FloatArray, y: FloatArray, *, size: Any = 18) -> None:
    """Draw the target function as a broad pale line, and the examples."""
    ax.plot(GRID, truth(GRID), color="#D0D0D0", linewidth=5.0, label="target function", zorder=1)
    ax.scatter(X[:, 0], y, s=size, facecolor="white", edgecolor=INK, linewidth=0.9, zorder=4, label="examples")
    ax.set(xlabel="x", xlim=(0, 1))


def _curves(
    name: str, caption: str, X: FloatArray, y: FloatArray, models: Mapping[str, Any], height: float, legend_columns: int
) -> Picture:
    """Return a picture of the examples and of the predictions of fitted models on the grid."""
    found = {title: model.predict(GRID[:, None]) for title, model in models.items()}

    def draw(figure: Any) -> None:
        ax = figure.subplots()
        _draw_examples(ax, X, y)
        for i, (title, values) in enumerate(found.items()):
            ax.plot(GRID, values, color=style(i).color, linestyle=style(i).line, label=title)
        ax.set(ylabel="f(x)")
        figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=legend_columns)

    return Picture(name, caption, {"x": GRID} | found, draw, (6.4, height))


# Figure 8.1: a query and its neighbors, and the Voronoi cells of one neighbor -----------------------------------------

POINTS = np.array(
    [
        [0.545, 0.560], [0.350, 0.570], [0.520, 0.350], [0.660, 0.480], [0.610, 0.690],
        [0.200, 0.800], [0.130, 0.420], [0.330, 0.180], [0.840, 0.840], [0.880, 0.330],
        [0.410, 0.880], [0.700, 0.130],
    ]
)  # fmt: skip
CLASSES = np.array(["+", "-", "-", "-", "+", "-", "-", "+", "+", "-", "+", "+"])
QUERY = np.array([[0.48, 0.52]])
"""Query of the figure. We do not know the book's points; ours agree with its two statements about the query."""


def voter(k: int, vote: str = "uniform") -> KNNClassifier:
    """Return Euclidean k-NN on the points of the figure."""
    return KNNClassifier(k, distance=euclidean(), vote=vote, prior=None, n_jobs=1).fit(POINTS, CLASSES)


def cells() -> VoronoiCells:
    """Return the Voronoi cell of each point, for the distance of the classifier."""
    return VoronoiCells.of(voter(1))


def figure_8_1(options: Options) -> Part:
    """Compare the predictions of 1-NN and 5-NN for the query with the book, and draw the two halves of the figure."""
    rows = {}
    for k, printed in ((1, "+"), (5, "-")):
        votes = Figure(_probability(voter(k), QUERY, "+") * k, digits=(0, 0))
        rows[f"{k}-nearest neighbor"] = (Figure(str(voter(k).predict(QUERY)[0]), printed), votes)
    table = FigureTable(
        "predicted class of the query of Figure 8.1", ("class: ours (book)", "votes for +"), rows, (0, 0)
    )
    distances, ids = voter(5).kneighbors(QUERY, n_neighbors=len(POINTS))
    rank = np.argsort(ids[0])
    columns = {"x": POINTS[:, 0], "y": POINTS[:, 1], "class": CLASSES}
    columns |= {"rank from the query": rank + 1, "distance from the query": distances[0][rank]}

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        _draw_query(left, distances[0])
        _draw_cells(right)

    caption = (
        "Left: the query x_q (cross), its nearest neighbor inside the small circle and its five nearest neighbors "
        "inside the large circle. The nearest neighbor has class +; three of the five have class -. Right: the Voronoi "
        "cell of each example contains all points that are nearer to it than to any other example. Everywhere in a "
        "cell, 1-NN predicts the class of the example inside it. Cells of class - are hatched."
    )
    notes = (
        "We do not know the coordinates of the book's points, so we chose points that agree with the book's statements "
        "about the query. The classes in the table are predicted by `KNNClassifier`.",
        "The cells are convex, and the prediction in a cell is the class of the example inside it.",
    )
    return Part((table,), (Picture("figure-8.1", caption, columns, draw, (7.4, 3.8)),), notes)


def _probability(model: Any, X: Any, label: str) -> float:
    return float(model.predict_proba(X)[0, model.classes_.tolist().index(label)])


def _draw_query(ax: Any, distances: FloatArray) -> None:
    from matplotlib.patches import Circle

    for k, dash in ((1, "-"), (5, "--")):
        radius = float(distances[k - 1 : k + 1].mean())
        ax.add_patch(Circle(tuple(QUERY[0]), radius, fill=False, color=MUTED, linestyle=dash, linewidth=1.0))
    _draw_points(ax)
    ax.scatter(*QUERY.T, marker="x", color=INK, s=40, linewidth=1.6, zorder=5)
    ax.annotate("$x_q$", tuple(QUERY[0]), (-14, -10), textcoords="offset points", color=INK)
    _frame(ax, "1-NN says $+$, 5-NN says $-$")


def _draw_cells(ax: Any) -> None:
    looks = class_styles(["+", "-"])
    found = cells()
    for label, corners in zip(found.targets.tolist(), found.corners, strict=True):
        look = looks[label]
        hatch = "" if label == "+" else "////"
        ax.fill(*corners.T, facecolor=look.tint, edgecolor=look.color, hatch=hatch, linewidth=0)
        ax.fill(*corners.T, fill=False, edgecolor=INK, linewidth=0.8)
    _draw_points(ax, halo=True)
    _frame(ax, "the Voronoi cells by which 1-NN decides")


def _draw_points(ax: Any, *, halo: bool = False) -> None:
    for (label, look), sign in zip(class_styles(["+", "-"]).items(), "+_", strict=True):
        own = POINTS[label == CLASSES].T
        if halo:
            ax.scatter(*own, marker="o", color="white", s=70, zorder=3)
        ax.scatter(*own, marker=sign, color=INK if halo else look.color, s=70, linewidth=2.4, zorder=4)


def _frame(ax: Any, title: str) -> None:
    x, y = cells().axes
    ax.set(title=title, xlim=x.span, ylim=y.span, aspect="equal", xticks=[], yticks=[])
    ax.grid(False)
    ax.spines[["top", "right"]].set_visible(True)


# Section 8.2.1: neighbors weighted by distance, and Shepard's method -------------------------------------------------

NOISE = (0.0, 0.1, 0.2, 0.3)


def weighted_votes() -> FigureTable:
    """Return the five nearest neighbors in Figure 8.1, their weights and the predicted class."""
    model = voter(5, "inverse_square")
    distances, ids = model.kneighbors(QUERY)
    weights = 1 / distances[0] ** 2
    lines = zip(ids[0].tolist(), distances[0].tolist(), weights.tolist(), strict=True)
    rows = {
        f"{rank}. neighbor, {CLASSES[row]}": (Figure(far), Figure(weight), Figure(weight / weights.sum()))
        for rank, (row, far, weight) in enumerate(lines, 1)
    }
    prediction = f"prediction: {model.predict(QUERY)[0]}, share of +"
    rows[prediction] = (Figure(None), Figure(None), Figure(_probability(model, QUERY, "+")))
    return FigureTable(
        "votes of the five nearest neighbors by eq. 8.3", ("distance", "w = 1/d^2", "share"), rows, digits=(".3g", 0)
    )


def rules() -> FigureTable:
    """Check the statements of the chapter about exact matches and a constant function."""
    at = POINTS[[1]]
    doubled = KNNClassifier(5, distance=euclidean(), vote="inverse_square", prior=None, n_jobs=1)
    doubled.fit(np.vstack([POINTS, at, at]), [*CLASSES, "+", "+"])
    X, _ = examples(FEW_ROWS, 0)
    constant = KNNRegressor("all", vote="inverse_square", n_jobs=1).fit(X, np.full(FEW_ROWS, 7.0))
    answers = constant.predict(GRID[:, None])
    rows = {
        "query equal to an example of class -": (Figure(str(voter(5, "inverse_square").predict(at)[0]), "-"),),
        "query equal to three examples, of classes -, + and +": (Figure(str(doubled.predict(at)[0]), "+"),),
        "eq. 8.4 with constant f = 7: smallest prediction": (Figure(float(answers.min()), 7.0),),
        "eq. 8.4 with constant f = 7: largest prediction": (Figure(float(answers.max()), 7.0),),
    }
    return FigureTable("special cases stated in the text", ("ours (book)",), rows, digits=(6, 0))


def averages() -> dict[str, KNNRegressor]:
    """Return regressors for eqs. 8.1 and 8.4, and for eq. 8.4 with all examples."""
    return {
        "3 nearest, mean (8.1)": KNNRegressor(3, distance=euclidean(), n_jobs=1),
        "3 nearest, 1/d² (8.4)": KNNRegressor(3, distance=euclidean(), vote="inverse_square", n_jobs=1),
        "all, 1/d² (Shepard)": KNNRegressor("all", distance=euclidean(), vote="inverse_square", n_jobs=1),
    }


def example_8_2_1(options: Options) -> Part:
    """Show weighted votes, the rules of the text, averages of twelve examples, and the effect of wrong examples."""
    X, y = examples(FEW_ROWS, options.random_state, noise=0.0)
    models = {name: model.fit(X, y) for name, model in averages().items()}
    caption = (
        "A function of one attribute, estimated from twelve examples. The unweighted mean of the three nearest "
        "examples (eq. 8.1) is a step function. With weights of 1/d^2 (eq. 8.4), the estimate passes through every "
        "example and jumps where the third neighbor changes. With all examples instead of three (Shepard's method), "
        "the estimate has no jumps, but it is flat at every example, and between the examples it is pulled toward the "
        "mean of all examples."
    )
    rows = {name: (Figure(root_mean_square(model)),) for name, model in models.items()}
    title = "root mean square distance from the target function"
    errors = FigureTable(title, ("12 examples",), rows, digits=(3, 0))
    notes = (
        "Weighted by eq. 8.3, the five neighbors of Figure 8.1 predict +: the nearest neighbor has more weight than "
        "the other four together.",
        "The book calls the distance-weighted rule robust to noisy examples. This rule is more robust than a single "
        "neighbor, and using all examples does not reduce its accuracy. But 1/d^2 gives the nearest example most of "
        "the vote, so unweighted votes of the same neighbors are even more robust.",
    )
    picture = _curves("example-8.2.1", caption, X, y, models, 3.9, 3)
    return Part((weighted_votes(), rules(), errors, noise(options)), (picture,), notes)


def noise(options: Options) -> FigureTable:
    """Measure the accuracy on clean queries if a share of the examples has the wrong class."""
    trials = options.count(20, 3)
    tasks = [(options.random_state, trial, share) for share in NOISE for trial in range(trials)]
    found = np.array(options.each(_noisy_trial, tasks, "votes with wrong examples among them"))
    scores = found.reshape(len(NOISE), trials, -1)
    rows = {
        name: tuple(Figure.of(scores[i, :, j]) for i in range(len(NOISE))) for j, name in enumerate(_noisy_voters())
    }
    title = f"accuracy in percent by the share of wrong examples, {trials} trials"
    return FigureTable(title, tuple(f"{share:.0%}" for share in NOISE), rows, digits=(1, 0))


def _noisy_trial(task: tuple[int, int, float]) -> list[float]:
    """Return the accuracies of a trial in percent; a task has a random state, a trial number and a noise level."""
    random_state, trial, share = task
    random = np.random.default_rng((random_state, trial, round(100 * share)))
    X, queries = random.random((300, 2)), random.random((1000, 2))
    y = above_wave(X, 0.25) ^ (random.random(300) < share)
    models = _noisy_voters().values()
    return [100 * float(model.fit(X, y).score(queries, above_wave(queries, 0.25))) for model in models]


def _noisy_voters() -> dict[str, KNNClassifier]:
    return {
        "1 nearest": KNNClassifier(1, n_jobs=1),
        "15 nearest, equal votes": KNNClassifier(15, n_jobs=1),
        "15 nearest, 1/d^2": KNNClassifier(15, vote="inverse_square", n_jobs=1),
        "all, 1/d^2": KNNClassifier("all", vote="inverse_square", n_jobs=1),
    }


# Section 8.2.2: twenty attributes of which two matter -----------------------------------------------------------------

ATTRIBUTES = (2, 4, 8, 14, 20)
"""Numbers of attributes; the first two are relevant."""

_K, _TRAINING, _QUERIES = 7, 250, 1000
# Without regularization, twenty weights are learned from twenty rows.
_UNRESTRAINED = LeaveOneOutWeights(regularization=0.0, local=True, neighborhood=20, stiffness=0.0)

ALONE = "only the two relevant attributes"
DROPPED = "attributes selected by leave-one-out"
STRETCHED = "leave-one-out weights"
WAYS: dict[str, Callable[[int], Any]] = {
    "equal weights": lambda attributes: None,
    STRETCHED: lambda attributes: "loo",
    "Relief weights": lambda attributes: "relief",
    "per-query weights, not regularized": lambda attributes: _UNRESTRAINED,
    ALONE: lambda attributes: [1.0, 1.0] + [0.0] * (attributes - 2),
}
"""Attribute weights of k-NN for a number of attributes, by method."""

DRAWN = (
    "equal weights",
    "per-query weights, not regularized",
    "Relief weights",
    STRETCHED,
)


Outcome: TypeAlias = tuple[dict[str, float], FloatArray, BoolArray]
"""Result of one trial: accuracy in percent by method, attribute weights, and mask of selected attributes."""


def attribute_trial(task: tuple[int, int, int]) -> Outcome:
    """Run one trial; a task is a random state, a trial number and the number of attributes."""
    random_state, number, attributes = task
    random = np.random.default_rng((random_state, number))
    X, queries = random.random((_TRAINING, 20))[:, :attributes], random.random((_QUERIES, 20))[:, :attributes]
    y, right = above_wave(X, 0.3), above_wave(queries, 0.3)
    models = {
        name: KNNClassifier(_K, attribute_weights=weights(attributes), n_jobs=1).fit(X, y)
        for name, weights in WAYS.items()
    }
    accuracy = {name: 100 * float(model.score(queries, right)) for name, model in models.items()}
    selector = AttributeSelector(KNNClassifier(_K, n_jobs=1), search="forward", n_jobs=1).fit(X, y)
    kept = KNNClassifier(_K, n_jobs=1).fit(selector.transform(X), y)
    accuracy[DROPPED] = 100 * float(kept.score(selector.transform(queries), right))
    return accuracy, models[STRETCHED].attribute_weights_.weights, selector.support_


def example_8_2_2(options: Options) -> Part:
    """Measure accuracies by the number of attributes, and weights and selection with all twenty attributes."""
    trials = options.count(10, 2)
    ladder = (2, 8, 20) if options.quick else ATTRIBUTES
    tasks = [(options.random_state, number, attributes) for attributes in ladder for number in range(trials)]
    found = options.each(attribute_trial, tasks, "two of twenty attributes")
    by_size = {size: found[i * trials : (i + 1) * trials] for i, size in enumerate(ladder)}
    summaries = {name: _summary(by_size, name) for name in (*list(WAYS)[:-1], DROPPED, ALONE)}
    rows = {name: tuple(Figure(m, None, e) for m, e in zip(*both, strict=True)) for name, both in summaries.items()}
    title = f"accuracy in percent on new rows: {_TRAINING} training rows, {_K} neighbors, {trials} trials"
    accuracies = FigureTable(title, tuple(f"{size} attributes" for size in by_size), rows, digits=(1, 0))
    stretches = np.mean([np.sqrt(weights) for _, weights, _ in by_size[20]], axis=0)  # stretch factor: root of a weight
    kept = np.mean([kept for _, _, kept in by_size[20]], axis=0)
    parts = {"each relevant attribute": slice(0, 2), "each irrelevant attribute": slice(2, None)}
    rows = {
        name: (Figure(float(stretches[part].mean())), Figure(float(100 * kept[part].mean()), digits=(1, 0)))
        for name, part in parts.items()
    }
    columns = ("mean stretch factor z_j (largest: 1)", "selected, percent of trials")
    weights = FigureTable("leave-one-out weights and selection with twenty attributes", columns, rows, digits=(3, 0))
    notes = (
        "The book describes a thought experiment with twenty attributes, of which two are relevant. Here, the "
        "attributes are uniform in [0, 1], and a row is positive if its second attribute is above a sine wave of the "
        "first.",
        "The book learns stretch factors by repeated random splits; the leave-one-out weights instead minimize a "
        "smooth loss over all held-out rows at once. Attributes are selected by forward selection as in Moore & Lee "
        "(1994).",
        "Per-query weights without regularization show the overfitting that the book warns of.",
    )
    return Part((accuracies, weights), (_attribute_picture(ladder, summaries, stretches, trials),), notes)


def _summary(by_size: dict[int, list[Outcome]], name: str) -> tuple[list[float], list[float]]:
    """Return means over the trials and their standard errors, by the number of attributes."""
    scores = np.array([[accuracy[name] for accuracy, _, _ in found] for found in by_size.values()])
    count = scores.shape[1]
    errors = scores.std(axis=1, ddof=1) / np.sqrt(count) if count > 1 else np.zeros(len(scores))
    return scores.mean(axis=1).tolist(), errors.tolist()


def _attribute_picture(
    ladder: tuple[int, ...], summaries: dict[str, tuple[list[float], list[float]]], stretches: FloatArray, trials: int
) -> Picture:
    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2, width_ratios=[3, 2])
        left.plot(ladder, summaries[ALONE][0], color="#D0D0D0", linewidth=5.0, label=ALONE)
        for i, name in enumerate(DRAWN):
            look = {"color": style(i).color, "linestyle": style(i).line, "marker": style(i).marker}
            left.errorbar(ladder, *summaries[name], label=name, **look)
        left.set(xlabel="attributes, of which two matter", ylabel="accuracy in percent", xticks=ladder)
        left.set_title("accuracy on new rows")
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=2)
        right.bar(np.arange(1, 21), stretches, color=style(3).color, width=0.75)
        right.set(xlabel="attribute", ylabel="$z_j$, mean of the trials", xticks=[1, 2, 5, 10, 15, 20])
        right.set(ylim=(0, 1.05))
        right.set_title("leave-one-out stretch factors")
        right.grid(axis="x", visible=False)

    caption = (
        f"Left: accuracy of k-NN with a growing number of irrelevant attributes (means of {trials} trials, error bars "
        "of one standard error). If all attributes have the same weight, the nearest neighbors are less and less "
        "similar in the two relevant attributes. Learned attribute weights, which stretch the axes, compensate for "
        "this; weights learned for each query help least. Right: the stretch factors of twenty attributes, learned by "
        "leave-one-out. The first two attributes are relevant."
    )
    names = (*DRAWN, ALONE)
    columns = {
        "way": np.repeat(names, len(ladder)),
        "attributes": np.tile(ladder, len(names)),
        "accuracy in percent": np.concatenate([summaries[name][0] for name in names]),
        "standard error": np.concatenate([summaries[name][1] for name in names]),
    }
    return Picture("example-8.2.2", caption, columns, draw, (7.6, 4.3))


# Section 8.3: locally weighted regression -----------------------------------------------------------------------------

NEIGHBORS, BANDWIDTH, AT = 8, 0.08, 0.98
"""k of criteria one and three, bandwidth of the kernel, and query of the first picture."""

_KERNEL: dict[str, Any] = {"kernel": Gaussian(), "bandwidth": BANDWIDTH, "distance": euclidean(), "n_jobs": 1}


def criteria() -> dict[str, LocallyWeightedRegressor]:
    """Return Mitchell's three criteria, with a linear function and a Gaussian kernel."""
    return {
        "E1: k nearest, equal": LocallyWeightedRegressor(NEIGHBORS, kernel="uniform", distance=euclidean(), n_jobs=1),
        "E2: all, weighted": LocallyWeightedRegressor("all", **_KERNEL),
        "E3: k nearest, weighted": LocallyWeightedRegressor(NEIGHBORS, **_KERNEL),
    }


def means() -> dict[str, Any]:
    """Return special cases of local regression: the mean of k neighbors and the kernel-weighted mean (degree 0)."""
    return {
        "mean of the k nearest": KNNRegressor(NEIGHBORS, distance=euclidean(), n_jobs=1),
        "mean weighted by distance": LocallyWeightedRegressor("all", degree=0, **_KERNEL),
    }


def example_8_3(options: Options) -> Part:
    """Show predictions, gradient descent and the local line at the query, and the curve of each criterion."""
    X, y = examples(ROWS, options.random_state)
    rows, models = {}, {name: model.fit(X, y) for name, model in (means() | criteria()).items()}
    for name, model in models.items():
        prediction = float(model.predict([[AT]])[0])
        rows[name] = (
            Figure(prediction),
            Figure(prediction - float(truth(np.array(AT)))),
            Figure(root_mean_square(model)),
        )
    columns = (f"prediction at {AT}", "error", "root mean square error")
    table = FigureTable("local averages and local lines", columns, rows, digits=(3, 0))
    caption = (
        f"Predictions of locally weighted linear regression by the book's three criteria, with k = {NEIGHBORS} and a "
        f"Gaussian kernel of bandwidth {BANDWIDTH}. E1 weights the k nearest examples equally, E2 weights all examples "
        "by the kernel, and E3 weights the k nearest examples by the kernel. E1 jumps where the set of neighbors "
        "changes; E2 is smooth; E3 is close to E2 and uses only k examples."
    )
    curves = _curves("example-8.3-criteria", caption, X, y, {name: models[name] for name in criteria()}, 3.9, 3)
    notes = (
        "Criterion three is as good as criterion two here, as the book says, and uses only k examples.",
        "The gradient descent of eq. 8.7, in coordinates centered on the neighbors, converges to the weighted least "
        "squares fit, which the library computes directly by default.",
    )
    return Part((table, _descent(X, y)), (_at_a_query(X, y, models), curves), notes)


def _descent(X: FloatArray, y: FloatArray) -> FigureTable:
    """Compare the result of eq. 8.7 after 1 to 300 steps with the solution to which it converges."""
    direct = float(LocallyWeightedRegressor(NEIGHBORS, **_KERNEL).fit(X, y).predict([[AT]])[0])
    rows = {}
    for steps in (1, 10, 30, 100, 300):
        options: dict[str, Any] = {"solver": "gradient", "learning_rate": 2.0, "max_steps": steps}
        model = LocallyWeightedRegressor(NEIGHBORS, **options, **_KERNEL).fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LocalConvergenceWarning)  # it has not converged yet, as intended
            prediction = float(model.predict([[AT]])[0])
        title = f"after {steps} step{'s' * (steps > 1)} of eq. 8.7"
        rows[title] = (Figure(prediction), Figure(prediction - direct, digits=(".1e", 0)))
    rows["solved directly"] = (Figure(direct), Figure(None))
    return FigureTable("prediction by criterion three", (f"at {AT}", "minus the direct solution"), rows, digits=(6, 0))


def _at_a_query(X: FloatArray, y: FloatArray, models: Mapping[str, Any]) -> Picture:
    """Draw the line fitted around one query, the weights of the examples, and the two means."""
    model = models["E2: all, weighted"]
    prediction = float(model.predict([[AT]])[0])
    slope = float(np.asarray(model.coefficients([[AT]]).frame()["x0"])[0])
    weights = Gaussian()(np.abs(X[:, 0] - AT) / BANDWIDTH)
    columns = {"x": X[:, 0], "f(x)": y, "kernel weight": weights}

    def draw(figure: Any) -> None:
        top, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
        _draw_examples(top, X, y, size=14 + 70 * weights)
        near, look = np.array([AT - 2 * BANDWIDTH, AT + 0.03]), style(0)
        top.plot(near, prediction + slope * (near - AT), color=look.color, linewidth=2.0, label="line around $x_q$")
        top.plot(AT, prediction, "o", color=look.color, markersize=8, zorder=6, label="its prediction at $x_q$")
        for i, name in enumerate(means(), 1):
            top.plot(
                AT,
                models[name].predict([[AT]]),
                style(i).marker,
                color=style(i).color,
                markersize=8,
                zorder=6,
                label=name,
            )
        for ax in (top, below):
            ax.axvline(AT, color=MUTED, linewidth=0.9, linestyle=(0, (2, 2)), zorder=0)
        below.vlines(X[:, 0], 0, weights, color=INK, linewidth=1.6)
        below.set(ylabel="weight", xlabel="x", ylim=(0, 1.08))
        top.set(ylabel="f(x)", xlabel="", xlim=(0.55, 1.03))
        top.annotate("$x_q$", (AT, top.get_ylim()[1]), (-4, -2), textcoords="offset points", va="top", ha="right")
        figure.legend(*top.get_legend_handles_labels(), loc="outside upper center", ncols=3)

    caption = (
        f"Locally weighted linear regression at the query x_q = {AT}. Examples are weighted by a Gaussian kernel of "
        "their distance: the lower plot shows the weights, and larger circles in the upper plot have more weight. A "
        "line is fitted to the weighted examples; its value at x_q is the prediction. At the end of the data, nearly "
        "all neighbors are on one side, so the unweighted and the weighted mean are far off, but the line is accurate."
    )
    return Picture("example-8.3-query", caption, columns, draw, (6.4, 4.6))


# Section 8.4: a network of radial basis functions ---------------------------------------------------------------------

CENTERS, WIDTH = 6, 0.12


def networks(random_state: int) -> dict[str, RBFNetworkRegressor]:
    """Return networks with a kernel at every example, without and with a penalty, and with a few centers."""
    every: dict[str, Any] = {"centers": "all", "distance": euclidean(), "random_state": random_state, "n_jobs": 1}
    few: dict[str, Any] = {**every, "centers": "kmeans", "width": WIDTH, "alpha": 0.0}
    return {
        f"{ROWS} kernels, through every example": RBFNetworkRegressor(**{**every, "width": 0.02, "alpha": 0.0}),
        f"{ROWS} kernels, penalty by leave-one-out": RBFNetworkRegressor(**{**every, "width": WIDTH}),
        f"{CENTERS} kernels": RBFNetworkRegressor(CENTERS, **few),
    }


def example_8_4(options: Options) -> Part:
    """Measure the distance of each network from its examples and from the target function, and draw the networks."""
    X, y = examples(ROWS, options.random_state)
    rows, models = {}, {name: model.fit(X, y) for name, model in networks(options.random_state).items()}
    for name, model in models.items():
        own = float(np.sqrt(np.mean((model.predict(X) - y) ** 2)))
        sums = model.intercept_ + model.activations(GRID[:, None]) @ model.coef_
        apart = float(np.abs(sums - model.predict(GRID[:, None])).max())
        rows[name] = (Figure(own, digits=(".2g", 0)), Figure(root_mean_square(model)), Figure(apart, digits=(".0e", 0)))
    columns = ("from the examples", "from the target function", "largest difference from eq. 8.8")
    table = FigureTable(
        "root mean square distance of the network from the examples and from the target function",
        columns,
        rows,
        digits=(3, 0),
    )
    caption = (
        "Predictions of three networks. With a kernel at every example, a network can fit all examples exactly, "
        "including their noise; if the kernels are narrow, the network returns to the constant w_0 between the "
        "examples. With a penalty chosen by leave-one-out, or with few centers, the network is smooth."
    )
    curves = _curves("example-8.4-centers", caption, X, y, models, 4.2, 2)
    notes = (
        "The sum of eq. 8.8, computed with the kernels and weights of the network, equals the prediction of the "
        "network.",
        "With a kernel at every example and no penalty, the network fits all examples exactly, as the book says. If "
        "the examples are noisy, an exact fit is a disadvantage.",
    )
    return Part((table,), (_kernels(X, y, models[f"{CENTERS} kernels"]), curves), notes)


def _kernels(X: FloatArray, y: FloatArray, model: RBFNetworkRegressor) -> Picture:
    """Draw the kernels of a network with few centers, each times its weight, and their sum."""
    bumps = model.activations(GRID[:, None]) * model.coef_
    total = model.predict(GRID[:, None])
    centers = np.asarray(model.centers_)[:, 0].astype(float)
    order = np.argsort(centers)
    columns = {"x": GRID, "network": total, "intercept": np.full(GRID.size, model.intercept_)}
    columns |= {f"kernel at {centers[u]:.3f}": bumps[:, u] for u in order}

    def draw(figure: Any) -> None:
        ax = figure.subplots()
        _draw_examples(ax, X, y)
        for n, u in enumerate(order.tolist()):
            label = "$w_u K_u$, each kernel by its weight" if n == 0 else None
            ax.plot(GRID, bumps[:, u], color=style(1).color, linewidth=1.1, linestyle=style(1).line, label=label)
        ax.axhline(float(model.intercept_), color=MUTED, linewidth=0.9, linestyle=(0, (2, 2)), label="$w_0$")
        ax.plot(GRID, total, color=style(0).color, linewidth=2.0, label="their sum: the network")
        ax.plot(centers, np.full(centers.size, ax.get_ylim()[0]), "^", color=INK, clip_on=False, label="centers")
        ax.set(ylabel="f(x)")
        figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=3)

    caption = (
        f"A network of {CENTERS} Gaussian kernels of width {WIDTH} (eqs. 8.8 and 8.9). The plot shows each kernel "
        "multiplied by its weight, and the network, which is the sum of these products and the constant w_0. The "
        "centers are found by k-means on the inputs; the weights are found by least squares over all examples. Each "
        "kernel is local, but the fit is global."
    )
    return Picture("example-8.4-kernels", caption, columns, draw, (6.4, 4.2))


PAPER = Paper(
    "mitchell",
    "Instance-based learning: figures for a textbook chapter",
    "T. M. Mitchell, *Machine Learning*, McGraw-Hill, 1997, chapter 8.",
    (
        Item("figure", "8.1", "k nearest neighbors and Voronoi cells", figure_8_1),
        Item("example", "8.2.1", "Distance-weighted neighbors and Shepard's method", example_8_2_1),
        Item("example", "8.2.2", "Two relevant attributes out of twenty", example_8_2_2),
        Item("example", "8.3", "Locally weighted regression", example_8_3),
        Item("example", "8.4", "Radial basis functions", example_8_4),
    ),
    "The chapter contains no measurements. We draw Figure 8.1 of the chapter, and illustrate the statements and "
    "equations of sections 8.2 to 8.4 with pictures and numbers on generated data. The examples are numbered by "
    "section.",
    "All measurable statements of the chapter hold, one of them with a qualification: votes weighted by 1/d² are more "
    "robust to wrong examples than a single neighbor, but unweighted votes of the same neighbors are even more robust.",
)
