"""Fits, precedents, weights, leave-one-out and trees: frames hold the models' own answers, pictures all of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from sklearn.linear_model import LinearRegression

import priorcase as pc
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
from priorcase.plots.display import name_ticks
from priorcase.plots.tree_posterior import spanning_tree, spread_tree

mpl.use("Agg")

REPAIRS, JOBS = pc.load_repairs("pandas")
RNG = np.random.default_rng(2)
AGE = np.sort(RNG.uniform(0, 10, 60))
WAVE = np.sin(AGE) + 0.2 * RNG.normal(size=60)
TABLE = pd.DataFrame({"age": AGE, "colour": RNG.choice(["red", "blue"], 60, p=[0.7, 0.3]), "size": RNG.normal(size=60)})


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    pyplot.close("all")


# -- local fits


def test_a_fit_is_the_models_own_with_its_intervals() -> None:
    model = pc.LocallyWeightedRegressor(12).fit(AGE[:, None], WAVE)
    display = LocalFitDisplay.of(model, level=0.8, resolution=11)
    frame = display.frame()
    places = np.linspace(AGE.min(), AGE.max(), 11)
    np.testing.assert_array_equal(frame["x0"], places)
    np.testing.assert_array_equal(frame["fit"], model.predict(places[:, None]))
    for name, method in (("mean", model.confidence_interval), ("target", model.predict_interval)):
        np.testing.assert_array_equal(frame[[f"{name}_low", f"{name}_high"]], method(places[:, None], 0.8))


def test_other_columns_stay_typical_or_those_of_a_row() -> None:
    model = pc.LocallyWeightedRegressor(15).fit(TABLE, WAVE)
    places = np.linspace(AGE.min(), AGE.max(), 5)
    typical = pd.DataFrame({"age": places, "colour": "red", "size": TABLE["size"].median()})
    for rows, targets in ((None, None), (TABLE, WAVE)):
        display = LocalFitDisplay.of(model, rows, targets, column="age", resolution=5)
        np.testing.assert_array_equal(display.fit, model.predict(typical))
        assert display.kept == "other columns at typical values"
    like = pd.concat([TABLE.iloc[[7]]] * 5, ignore_index=True).assign(age=places)
    display = LocalFitDisplay.of(model, TABLE, WAVE, column="age", at=7, resolution=5)
    np.testing.assert_array_equal(display.fit, model.predict(like))
    assert display.kept == "other columns as in row 7"


def test_values_have_bars_instead_of_a_line() -> None:
    model = pc.LocallyWeightedRegressor(15).fit(TABLE, WAVE)
    display = LocalFitDisplay.of(model, column="colour")
    assert display.frame()["colour"].tolist() == ["blue", "red"]
    ax = display.plot()
    assert [text.get_text() for text in ax.get_xticklabels()] == ["blue", "red"]
    assert ax.get_xlabel() == "colour (other columns at typical values)"


def test_regressors_without_intervals_and_of_other_libraries() -> None:
    line = LinearRegression().fit(AGE[:, None], WAVE)
    display = LocalFitDisplay.of(line, AGE[:, None], WAVE, resolution=4)
    assert display.mean is None
    assert list(display.frame()) == ["x0", "fit"]
    np.testing.assert_array_equal(display.fit, line.predict(display.places[:, None]))
    assert LocalFitDisplay.of(pc.KNNRegressor(3).fit(TABLE, WAVE)).mean is None


def test_endless_intervals_stay_in_the_picture() -> None:
    X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 2.0, 1.0, 7.0, 3.0]
    display = LocalFitDisplay.of(pc.LocallyWeightedRegressor(2).fit(X, y))
    assert display.target is not None
    assert not np.isfinite(display.target[0]).all()
    ax = display.plot()
    low, high = ax.get_ylim()
    assert -12 < low < 0 < 7 < high < 16


def test_a_picture_of_a_fit_has_line_bands_and_rows() -> None:
    ax = LocalFitDisplay.of(pc.LocallyWeightedRegressor(12).fit(AGE[:, None], WAVE)).plot()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["rows", "90% of new rows", "90% interval of the mean", "fit"]
    assert len(ax.collections[0].get_offsets()) == 60


# -- precedents


def test_bars_are_as_long_as_the_distances() -> None:
    model = pc.KNNClassifier(5).fit(REPAIRS, JOBS)
    display = PrecedentsDisplay.of(model, REPAIRS.iloc[[3, 40]], query=1)
    wanted = model.precedents(REPAIRS.iloc[[3, 40]])[1]
    pd.testing.assert_frame_equal(display.frame(), wanted.frame())
    ax = display.plot()
    ends: dict[float, float] = {}
    for bar in ax.patches:
        place = round(bar.get_y() + bar.get_height() / 2, 6)
        ends[place] = max(ends.get(place, 0.0), bar.get_x() + bar.get_width())
    unlike = wanted.unlike[0]
    assert unlike is not None
    lengths = [*wanted.distances.tolist(), unlike.distance]
    np.testing.assert_allclose([ends[place] for place in sorted(ends)], lengths)
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names[0] == f"{wanted.targets[0]}   #{wanted.ids[0]}"
    assert names[-1] == f"nearest unlike:\n{unlike.target}   #{unlike.id}"


def test_light_attributes_are_added_up() -> None:
    model = pc.KNNClassifier(5).fit(REPAIRS, JOBS)
    ax = PrecedentsDisplay.of(model, REPAIRS.iloc[[3]], most=2).plot()
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(texts) == 3
    assert texts[-1] == "7 other attributes"
    whole = PrecedentsDisplay.of(model, REPAIRS.iloc[[3]], most=8).plot()
    assert len(whole.get_legend().get_texts()) == 9  # a single other one is named


def test_an_unlike_case_among_the_neighbors_is_not_repeated() -> None:
    X, y = [[0.0], [1.0], [2.0], [9.0]], ["a", "b", "a", "b"]
    ax = PrecedentsDisplay.of(pc.KNNClassifier(3).fit(X, y), [[0.4]]).plot()
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a   #0", "b   #1", "a   #2"]


@pytest.mark.parametrize("others", [0, 1])
def test_more_voters_than_bars_and_an_unlike_case(others: int) -> None:
    """The nearest case of another class is drawn after twelve of 15 voters, among which it may be."""
    X = np.arange(40.0).reshape(-1, 1)
    y = np.where(np.arange(40) < 15 - others, "near", "far")
    found = pc.KNNClassifier(15, vote="triangular", distance="euclidean").fit(X, y).precedents([[0.0]])
    assert len(found.ids) == 15
    ax = found.plot()
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert len(labels) == 13 - others
    assert labels[11] == "near   #11"


def test_precedents_themselves_can_be_given() -> None:
    model = pc.LocallyWeightedRegressor(6).fit(TABLE, WAVE)
    display = PrecedentsDisplay.of(model.precedents(TABLE.iloc[:3]), query=2)
    assert display.title == f"query 2: {model.predict(TABLE.iloc[[2]])[0]:.4g}"
    votes = [text.get_text() for text in display.plot().texts if text.get_text().endswith("%")]
    assert len(votes) == len(display.precedents.ids)


def test_the_title_says_that_classes_are_left_out() -> None:
    """Three classes are listed; dots stand for a fourth of positive probability. A long title is broken before them."""
    model = pc.KNNClassifier(5).fit(REPAIRS, JOBS)
    display = PrecedentsDisplay.of(model, REPAIRS.iloc[[3]])
    assert display.title.count(", ") == 3
    assert display.title.endswith(", ...)")
    assert display.plot().get_title().splitlines() == display.title.replace("  (", "\n(").splitlines()
    certain = pc.KNNClassifier(1, prior=None).fit(REPAIRS, JOBS)
    assert PrecedentsDisplay.of(certain, REPAIRS.iloc[[3]]).title == f"query 0: {JOBS[3]}  ({JOBS[3]} 1.00)"


def test_precedents_of_several_targets_are_named() -> None:
    both = np.column_stack([JOBS, JOBS[::-1]])
    display = PrecedentsDisplay.of(pc.KNNClassifier(3).fit(REPAIRS, both), REPAIRS.iloc[[0]])
    assert "," in display.plot().get_yticklabels()[0].get_text()


# -- weights


def test_weights_come_heaviest_first() -> None:
    model = pc.KNNClassifier(5, attribute_weights="relief").fit(REPAIRS, JOBS)
    display = WeightsDisplay.of(model)
    frame = display.frame()
    order = np.argsort(-model.attribute_weights_.weights, kind="stable")
    assert frame["attribute"].tolist() == [REPAIRS.columns[a] for a in order]
    np.testing.assert_array_equal(frame["weight"], model.attribute_weights_.weights[order])
    assert WeightsDisplay.of(model.attribute_weights_).frame().equals(frame)
    ax = display.plot()
    assert [text.get_text() for text in ax.get_yticklabels()] == frame["attribute"].tolist()
    assert ax.get_xlabel() == "weight (relief)"


def test_relevance_is_a_probability_beside_its_prior() -> None:
    model = pc.SubsetAveragedBayes(inclusion=0.2).fit(REPAIRS, JOBS)
    display = WeightsDisplay.of(model)
    np.testing.assert_array_equal(display.weights, model.relevance_.probabilities)
    assert display.prior == 0.2
    ax = display.plot()
    assert ax.get_xlim() == (0.0, 1.02)
    assert " prior" in [text.get_text() for text in ax.texts]
    each = pc.SubsetAveragedBayes(inclusion=[0.5] * 9).fit(REPAIRS, JOBS)
    assert WeightsDisplay.of(each).prior is None


def test_intervals_are_quantiles_of_refits() -> None:
    model = pc.KNNClassifier(5, attribute_weights="gain_ratio").fit(REPAIRS, JOBS)
    display = WeightsDisplay.of(model, REPAIRS, JOBS, bootstrap=12, level=0.8, random_state=3)
    random, draws = np.random.default_rng(3), []
    for _ in range(12):
        at = np.sort(random.integers(0, 96, 96))
        again = pc.KNNClassifier(5, attribute_weights="gain_ratio").fit(REPAIRS.iloc[at], JOBS[at])
        draws.append(again.attribute_weights_.weights)
    np.testing.assert_array_equal(display.draws, draws)
    frame = display.frame()
    np.testing.assert_allclose(frame["low"], np.quantile(draws, 0.1, axis=0)[display.order])
    assert "80% of 12 bootstrap samples" in display.plot().get_xlabel()
    same = WeightsDisplay.of(model, REPAIRS, JOBS, bootstrap=12, level=0.8, random_state=3)
    np.testing.assert_array_equal(same.draws, display.draws)


def test_of_many_attributes_the_heaviest_are_shown() -> None:
    X = RNG.normal(size=(40, 45))
    ax = WeightsDisplay.of(pc.KNNRegressor(3, attribute_weights=np.arange(45.0)).fit(X, X[:, 0])).plot()
    assert ax.get_title() == "the 30 largest of 45 weights"
    assert ax.get_yticklabels()[0].get_text() == "x44"


# -- leave-one-out


def test_scores_are_those_that_chose() -> None:
    model = pc.KNNClassifier("loo").fit(REPAIRS, JOBS)
    display = LeaveOneOutDisplay.of(model)
    frame = display.frame()
    np.testing.assert_array_equal(frame["accuracy"], model.loo_scores_)
    assert frame["n_neighbors"][frame["chosen"]].tolist() == [model.n_neighbors_]
    ax = display.plot()
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), model.loo_scores_)
    assert len(ax.collections) == 1  # the band of one standard error
    middle = ax.collections[0].get_paths()[0].vertices
    error = np.sqrt(model.loo_scores_[0] * (1 - model.loo_scores_[0]) / 96)
    assert np.isclose(middle[:, 1], model.loo_scores_[0] - error).any()


@pytest.mark.parametrize("least", [False, True])
def test_errors_of_regressors_and_local_fits(least: bool) -> None:
    X = AGE[:, None]
    model: Any = pc.LocallyWeightedRegressor().fit(X, WAVE) if least else pc.KNNRegressor("loo").fit(X, WAVE)
    display = LeaveOneOutDisplay.of(model)
    assert (display.score, display.higher) == ("squared error", False)
    scores = np.asarray(getattr(model, "loo_curve_" if least else "loo_scores_"))
    np.testing.assert_array_equal(display.lines[""], scores)
    assert display.chosen == model.n_neighbors_
    assert display.chosen_score == np.min(scores)
    assert display.plot().get_ylabel() == "leave-one-out squared error"


def test_log_scores_of_local_classifiers() -> None:
    model = pc.LocallyWeightedClassifier().fit(AGE[:, None], WAVE > 0)
    display = LeaveOneOutDisplay.of(model.loo_curve_)
    assert display.score == "log-score"
    assert "log-score" in display.frame().columns


def test_tuning_has_a_line_for_each_vote() -> None:
    choices: dict[str, list[Any]] = {
        "n_neighbors": [1, 3, 5],
        "vote": ["uniform", "inverse_square"],
        "attribute_weights": [None],
    }
    tuning = pc.tune(pc.KNNClassifier(), REPAIRS, JOBS, candidates=choices, nested=None)
    display = LeaveOneOutDisplay.of(tuning)
    assert list(display.lines) == ["uniform", "inverse_square"]
    frame = display.frame()
    assert frame["chosen"].sum() >= 1
    assert frame["log-score"].max() == tuning.score
    ax = display.plot()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["uniform", "inverse_square"]


# -- trees


def test_edges_are_the_models_own() -> None:
    model = pc.TreeAveragedBayes().fit(REPAIRS, JOBS)
    posterior = TreePosterior.of(model)
    np.testing.assert_array_equal(posterior.probabilities, model.edge_probabilities_)
    frame = posterior.frame()
    assert len(frame) == 36
    assert frame["in_tree"].sum() == 8
    np.testing.assert_array_equal(frame["probability"], model.edge_table().frame()["probability"])


def test_the_best_tree_is_drawn_as_it_is() -> None:
    model = pc.TreeAugmentedBayes().fit(REPAIRS, JOBS)
    posterior = TreePosterior.of(model)
    edges = [(posterior.names[a], posterior.names[b]) for a, b in posterior.tree.tolist()]
    assert edges == model.tree_
    assert posterior.frame()["in_tree"].all()
    ax = posterior.plot()
    assert len(ax.lines) == 8
    assert {text.get_text() for text in ax.texts} >= set(REPAIRS.columns)


def test_rings_and_heat_maps() -> None:
    posterior = TreePosterior.of(pc.TreeAveragedBayes().fit(REPAIRS, JOBS))
    shown = (posterior.probabilities[np.triu_indices(9, 1)] >= 0.02).sum()
    assert len(posterior.plot().lines) == shown
    image = posterior.plot(kind="heat map").images[0].get_array()
    np.testing.assert_array_equal(image.data, posterior.probabilities)
    assert image.mask.tolist() == np.eye(9, dtype=bool).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_the_likeliest_tree_by_trying_all(seed: int) -> None:
    """Against every set of edges that joins five nodes."""
    weights = np.random.default_rng(seed).uniform(size=(5, 5)).round(1)
    weights = np.triu(weights, 1) + np.triu(weights, 1).T
    pairs = list(itertools.combinations(range(5), 2))

    def joins(edges: Any) -> bool:
        groups = {node: {node} for node in range(5)}
        for a, b in edges:
            merged = groups[a] | groups[b]
            groups.update((node, merged) for node in merged)
        return len(groups[0]) == 5

    best = max(sum(weights[a, b] for a, b in edges) for edges in itertools.combinations(pairs, 4) if joins(edges))
    found = [tuple(edge) for edge in spanning_tree(weights).tolist()]
    assert joins(found)
    assert np.isclose(sum(weights[a, b] for a, b in found), best)


def test_nodes_of_a_tree_never_meet() -> None:
    rng = np.random.default_rng(5)
    edges = np.array([[int(rng.integers(0, node)), node] for node in range(1, 30)])
    places = spread_tree(edges, 30)
    assert len({tuple(place) for place in places.round(6).tolist()}) == 30
    steps = np.abs(places[edges[:, 0], 1] - places[edges[:, 1], 1])
    assert steps.tolist() == [1.0] * 29


def test_unnamed_columns_are_named_by_position() -> None:
    X = [[first, second] for first in "ab" for second in "ab"] * 5
    y = [first == second for first, second in X]
    posterior = TreePosterior.of(pc.TreeAugmentedBayes().fit(X, y))
    assert posterior.names == ("x0", "x1")


# -- lines


def test_displays_print_as_one_line() -> None:
    neighbors = pc.KNNClassifier("loo").fit(REPAIRS, JOBS)
    concept = ConceptDisplay.of(pc.IB2().fit(REPAIRS, JOBS))
    texts = [
        repr(DecisionSurface.of(neighbors, REPAIRS, columns=("age_years", "bike"), resolution=5)),
        repr(VoronoiCells.of([[0.0, 1.0], [1.0, 0.0]], ["a", "b"])),
        repr(LocalFitDisplay.of(pc.KNNRegressor(2).fit(TABLE, WAVE), resolution=5)),
        repr(PrecedentsDisplay.of(pc.KNNRegressor(2).fit([[0.0], [1.0]], [1.0, 2.0]), [[0.5]])),
        repr(WeightsDisplay.of(pc.KNNClassifier(2, attribute_weights="relief").fit(REPAIRS, JOBS))),
        repr(concept),
        repr(LeaveOneOutDisplay.of(neighbors)),
        repr(TreePosterior.of(pc.TreeAugmentedBayes().fit(REPAIRS, JOBS))),
    ]
    assert texts == [
        "DecisionSurface: 4 classes at 5 x 6 positions of age_years and bike",
        "VoronoiCells: 2 cells of x0 and x1",
        "LocalFitDisplay: 5 positions along age, 60 rows",
        "PrecedentsDisplay: query 0: 1.5, 2 precedents",
        "WeightsDisplay: weight (relief) of 9 attributes",
        f"ConceptDisplay: {concept.ids.size} instances: {concept.ids.size} stored",
        f"LeaveOneOutDisplay: n_neighbors 1 with accuracy 0.8125, of {len(neighbors.loo_scores_)} candidates",
        "TreePosterior: tree of 8 edges between 9 attributes",
    ]


def test_big_tables_are_drawn_with_some_of_their_rows() -> None:
    X = RNG.normal(size=(5000, 2))
    surface = DecisionSurface.of(pc.KNNClassifier(1).fit(X, X[:, 0] > 0), X, X[:, 0] > 0, resolution=4)
    points = [part for part in surface.plot().collections if type(part).__name__ == "PathCollection"]
    assert sum(len(part.get_offsets()) for part in points) == 2000
    assert surface.axes[0].positions.size == 5000


# -- names


def test_names_are_slanted_only_where_they_need_room() -> None:
    for names, slant, shown in (
        (["a", "b"], 0.0, 2),
        ([f"value {i}" for i in range(20)], 45.0, 20),
        (["v"] * 90, 45.0, 23),
    ):
        axis = pyplot.subplots()[1].xaxis
        name_ticks(axis, names)
        labels = axis.get_ticklabels()
        assert len(labels) == shown
        assert {label.get_rotation() for label in labels} == {slant}


def test_of_many_neighbors_the_nearest_are_drawn() -> None:
    X = RNG.normal(size=(40, 2))
    ax = PrecedentsDisplay.of(pc.KNNRegressor(30).fit(X, X[:, 0]), X[:1]).plot()
    assert len(ax.get_yticklabels()) == 12
    assert ax.get_xlabel() == "distance from the query, the nearest 12 of 30"
