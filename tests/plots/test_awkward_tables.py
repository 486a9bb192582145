"""Pictures of awkward tables: long, odd and equal names, many classes, single rows, constants, and dark ground."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.image import imread

import priorcase as pc
from priorcase import evaluation
from priorcase.datasets import load_repairs
from priorcase.learning.plotting import caption, captions, cut, drawing, legend_beside
from priorcase.plots import (
    ConceptDisplay,
    DecisionSurface,
    LeaveOneOutDisplay,
    LocalFitDisplay,
    PrecedentsDisplay,
    TreePosterior,
    VoronoiCells,
    WeightsDisplay,
)

mpl.use("Agg")

RNG = np.random.default_rng(0)
FORMULA = ["$a_$", r"b $\frac$"]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def pixels(ax: Any) -> Any:
    """The picture as it is saved."""
    file = BytesIO()
    ax.figure.savefig(file, dpi=60)
    file.seek(0)
    return imread(file)


def wheel(classes: list[str], rows: int = 8) -> tuple[Any, Any]:
    """Classes around a circle."""
    turns = 2 * np.pi * np.arange(len(classes)) / len(classes)
    middles = np.repeat(3 * np.column_stack([np.cos(turns), np.sin(turns)]), rows, axis=0)
    return middles + RNG.normal(0, 0.4, middles.shape), np.repeat(classes, rows)


# -- names


def test_long_names_keep_both_ends() -> None:
    assert cut("x" * 18, 18) == "x" * 18
    assert [len(cut("some very long name of a column 7", width)) <= width for width in (5, 6, 18, 28)] == [True] * 4
    assert caption("two\nlines") == "two lines"


@pytest.mark.parametrize(
    "pattern",
    ["value {} of the large hall in the north", "the large hall in the north: {}", "the large hall, {}, in the north"],
)
@pytest.mark.parametrize("width", [14, 18, 28])
def test_names_that_are_cut_still_tell_apart(pattern: str, width: int) -> None:
    names = ["short", *(pattern.format(i) for i in range(12))]
    shown = captions(names, width)
    assert shown[0] == "short"
    assert len(set(shown)) == 13
    assert max(map(len, shown)) <= width


def test_a_dollar_is_no_formula() -> None:
    assert captions(["$a_$", r"\$"]) == [r"\$a_\$", r"\$"]
    X = pd.DataFrame({"price $_1": RNG.normal(size=30), "cost_$$ in $^{": RNG.normal(size=30)})
    y = np.repeat(FORMULA, 15)
    neighbors, concept = pc.KNNClassifier(3).fit(X, y), pc.IB3(random_state=0, history=True).fit(X, y)
    bayes = pc.NaiveBayes().fit(X, y)
    options: dict[str, Any] = {"scores": "accuracy", "progress": False}
    for drawn in (
        DecisionSurface.of(neighbors, X, y, resolution=9).plot(),
        PrecedentsDisplay.of(neighbors, X.iloc[:1]).plot(),
        VoronoiCells.of(neighbors).plot(),
        WeightsDisplay.of(pc.SubsetAveragedBayes().fit(X, y)).plot(),
        TreePosterior.of(pc.TreeAveragedBayes().fit(X, y)).plot(),
        TreePosterior.of(pc.TreeAveragedBayes().fit(X, y)).plot(kind="heat map"),
        ConceptDisplay.of(concept).plot(),
        ConceptDisplay.of(concept).plot_records(),
        pc.IB4(random_state=0, history=True).fit(X, y).history_.plot(),
        pc.PEBLS().fit(X, y).suspects(4).plot(),
        pc.KNNClassifier(3, attribute_weights="relief").fit(X, y).attribute_weights_.plot(),
        evaluation.compare({"$k_$": neighbors}, X, y, splits=2, **options).plot(),
        evaluation.learning_curve({"$k_$": neighbors}, X, y, repeats=2, sizes=[5, 9], **options).plot(),
        evaluation.calibration_table(y, bayes.loo_predict_proba(), labels=bayes.classes_, pos_label="$a_$").plot(),
        evaluation.classwise_calibration(y, bayes.loo_predict_proba(), labels=bayes.classes_).plot(),
    ):
        drawn.figure.canvas.draw()


def test_legends_shorten_names_and_not_the_picture() -> None:
    names = [f"class number {i} with a very long name indeed" for i in range(4)]
    X, y = wheel(names)
    ax = DecisionSurface.of(pc.KNNClassifier(3).fit(X, y), X, y, resolution=20).plot()
    ax.figure.canvas.draw()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(set(texts)) == 4
    assert max(map(len, texts)) <= 24
    assert ax.get_window_extent().width > 0.5 * ax.figure.bbox.width


def test_of_many_classes_the_states_are_still_explained() -> None:
    X, y = wheel([f"c{i}" for i in range(12)])
    ax = ConceptDisplay.of(pc.IB2().fit(X, y), X, y).plot()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(texts) == 12
    assert texts[-3:] == ["and 3 more classes", "stored", "seen, not stored"]


# -- places


def test_curves_have_their_legend_beside() -> None:
    learners = {"a": pc.KNNClassifier(1), "b": pc.KNNClassifier(3)}
    X, y = wheel(["a", "b"], 20)
    options: dict[str, Any] = {"repeats": 3, "scores": "accuracy", "progress": False}
    ax = evaluation.learning_curve(learners, X, y, sizes=[4, 8, 16], **options).plot()
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1
    single = evaluation.learning_curve(learners["a"], X, y, sizes=[4], **options).plot()
    assert len(single.collections) == 2  # a line in place of a band without width


def test_ticks_of_curves_do_not_touch() -> None:
    X, y = wheel(["a", "b"], 100)
    options: dict[str, Any] = {"repeats": 2, "scores": "accuracy", "progress": False}
    curve = evaluation.learning_curve(pc.KNNClassifier(1), X, y, sizes=[10, 11, 12, 13, 40, 120], **options)
    ax = curve.plot()
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.get_xticklabels()]
    assert len(boxes) == 4
    assert all(one.x1 < other.x0 for one, other in itertools.pairwise(boxes))


def test_votes_lie_between_bars_and_legend() -> None:
    X, y = load_repairs()
    ax = PrecedentsDisplay.of(pc.KNNClassifier(5).fit(X, y), X[2:3]).plot()
    ax.figure.canvas.draw()
    votes = [text for text in ax.texts if text.get_text().endswith("%")]
    assert len(votes) == 5
    for vote in votes:
        assert ax.get_window_extent().x1 < vote.get_window_extent().x0
        assert vote.get_window_extent().x1 < ax.get_legend().get_window_extent().x0


def test_the_chosen_candidate_is_named_inside() -> None:
    X = RNG.normal(size=(80, 2))
    ax = LeaveOneOutDisplay.of(pc.KNNRegressor("loo").fit(X, 1e9 * RNG.normal(size=80))).plot()
    ax.figure.canvas.draw()
    assert ax.texts[0].get_window_extent().x1 <= ax.get_window_extent().x1


def test_a_tree_with_many_leaves_lies_on_its_side() -> None:
    names = [f"attribute number {i}" for i in range(40)]
    tree = np.array([[0, i] for i in range(1, 40)])
    probabilities = np.zeros((40, 40))
    probabilities[0, 1:] = probabilities[1:, 0] = 0.5
    display = TreePosterior(tuple(names), probabilities, tree, averaged=False)
    ax = display.plot()
    assert max(ax.figure.get_size_inches()) < 16
    assert min(text.get_position()[1] for text in ax.texts) == -38.0
    assert max(display.plot(kind="heat map").figure.get_size_inches()) < 12


def test_one_attribute_is_a_picture() -> None:
    X, y = wheel(["a", "b"])
    ax = TreePosterior.of(pc.TreeAveragedBayes().fit(X[:, :1], y)).plot()
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.texts] == ["x0"]


# -- numbers


def test_a_constant_is_a_level_line() -> None:
    display = LocalFitDisplay.of(pc.LocallyWeightedRegressor(5).fit(np.arange(10.0)[:, None], np.full(10, 7e9)))
    low, high = display.plot().get_ylim()
    assert 5e9 < low < 6.9e9
    assert 7.1e9 < high < 9e9
    surface = DecisionSurface.of(pc.KNNRegressor(1).fit([[0.0, 1.0]], [3.0]), [[0.0, 1.0]], [3.0], resolution=2)
    ax = surface.plot()
    assert ax.images[0].get_clim() == ax.collections[0].get_clim() == pytest.approx((2.7, 3.3))


@pytest.mark.parametrize("value", [1e-12, 1.0, 5e17])
def test_a_constant_column_has_an_axis(value: float) -> None:
    X = np.column_stack([np.full(6, value), np.arange(6.0)])
    ax = VoronoiCells.of(X, list("aabbab")).plot()
    assert ax.get_xlim() == pytest.approx((0.5 * value, 1.5 * value))
    ax.figure.canvas.draw()


def test_intervals_end_where_scores_do() -> None:
    X, y = wheel(["a", "b"], 6)
    options: dict[str, Any] = {"splits": 3, "progress": False}
    found = evaluation.compare({"k": pc.KNNClassifier(1), "far": pc.KNNClassifier(9)}, X, y, **options)
    assert found.plot("accuracy").get_xlim()[1] < 1.1
    sure = {"a": pc.KNNClassifier(1, prior=None), "b": pc.KNNClassifier(2, prior=None)}
    lost = evaluation.compare(sure, X, np.tile(["a", "b"], 6), scores="log_score", **options)
    assert lost.plot().get_xticks().size == 0
    assert [text.get_text() for text in lost.plot().get_yticklabels()] == ["b", "a"]  # from below


def test_sets_are_counted_up_to_the_largest() -> None:
    X, y = wheel([f"c{i}" for i in range(9)], 12)
    sets = evaluation.ConformalClassifier(pc.NaiveBayes()).fit(X, y).predict_set(X)
    bars = sets.plot().patches
    assert len(bars) == sets.sizes.max() + 2
    assert sum(bar.get_height() for bar in bars) == len(sets)


# -- dark ground


def test_own_figures_are_white_in_a_dark_style() -> None:
    with pyplot.style.context("dark_background"), drawing(None) as ax:
        assert (pixels(ax)[0, 0, :3] == 1.0).all()


def test_given_axes_in_a_dark_figure_stay_readable() -> None:
    with pyplot.style.context("dark_background"):
        own = pyplot.subplots()[1]
        with drawing(own) as ax:
            ax.plot([0, 1], [0, 1], label="line")
            ax.set_title("title")
            legend_beside(ax)
        assert mpl.colors.to_hex(own.get_facecolor()) == "#ffffff"
        white = {mpl.colors.to_hex(text.get_color()) for text in [*own.get_legend().get_texts(), own.title]}
        assert white == {"#ffffff"}
        assert (pixels(own)[0, 0, :3] == 0.0).all()
