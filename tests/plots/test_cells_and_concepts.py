"""Voronoi cells and concept descriptions: cells answer as 1-NN does, states are what the learner did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.path import Path

import priorcase as pc
from priorcase.plots import ConceptDisplay, VoronoiCells

mpl.use("Agg")

RNG = np.random.default_rng(1)
N = 80
X = RNG.uniform(size=(N, 2)) * [10.0, 1.0]
Y = np.where((X[:, 0] > 5) ^ (RNG.uniform(size=N) < 0.1), "plus", "minus")
QUERIES = RNG.uniform(size=(150, 2)) * [8.0, 0.8] + [1.0, 0.1]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def cell_of(cells: VoronoiCells, queries: Any) -> np.ndarray[Any, Any]:
    """The one cell that holds each query; -1 for those outside the picture."""
    paths = [Path(corners) for corners in cells.corners]
    inside = np.array([[path.contains_point(query) for path in paths] for query in queries])
    assert (inside.sum(axis=1) <= 1).all()
    return np.where(inside.any(axis=1), inside.argmax(axis=1), -1)


# -- cells


@pytest.mark.parametrize(
    "model",
    [
        pc.KNNClassifier(1),
        pc.KNNClassifier(1, attribute_weights=[3.0, 1.0]),
        pc.KNNClassifier(1, attribute_weights="relief"),
        pc.KNNClassifier(1, distance="euclidean"),
        pc.KNNClassifier(1, distance="hvdm"),
        pc.IB1(),
        pc.IB2(),
        pc.IB3(random_state=0),
    ],
    ids=repr,
)
def test_each_place_lies_in_the_cell_of_its_nearest_row(model: Any) -> None:
    model.fit(X, Y)
    cells = VoronoiCells.of(model)
    found = cell_of(cells, QUERIES)
    assert (found >= 0).mean() > 0.9
    here = found >= 0
    np.testing.assert_array_equal(cells.targets[found[here]], model.predict(QUERIES[here]))
    if hasattr(model, "kneighbors"):
        np.testing.assert_array_equal(cells.ids[found], model.kneighbors(QUERIES, 1)[1][:, 0])


def test_cells_cover_the_picture_once() -> None:
    cells = VoronoiCells.of(X, Y)
    assert len(cells) == N
    np.testing.assert_allclose(cells.areas.sum(), 1.0)
    for i, axis in enumerate(cells.axes):
        corners = np.concatenate(cells.corners)[:, i]
        np.testing.assert_allclose([corners.min(), corners.max()], axis.span)


def test_scaling_a_column_changes_no_cell() -> None:
    small, large = VoronoiCells.of(X, Y), VoronoiCells.of(X * [1000.0, 0.01], Y)
    np.testing.assert_allclose(small.areas, large.areas)


def test_rows_at_one_place_share_the_cell_of_the_first() -> None:
    rows = [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]
    model = pc.KNNClassifier(1, ties="first").fit(rows, ["b", "a", "a", "b"])
    cells = VoronoiCells.of(model)
    assert cells.ids.tolist() == [0, 1]
    assert cells.targets.tolist() == ["b", "a"]
    np.testing.assert_allclose(cells.areas, 0.5)


def test_a_single_row_has_the_whole_picture() -> None:
    assert VoronoiCells.of([[3.0, 4.0]], ["only"]).areas.tolist() == [1.0]


def test_cells_come_in_the_frame_of_the_rows() -> None:
    frame = VoronoiCells.of(pd.DataFrame(X, columns=["target", "area"]), Y).frame()
    assert frame.columns.tolist() == ["id", "target", "area", "target (2)", "area (2)"]
    assert frame["target (2)"].tolist() == Y.tolist()


def test_forgotten_rows_have_no_cell() -> None:
    model = pc.KNNClassifier(1).fit(X, Y)
    model.forget([0, 5])
    assert 5 not in VoronoiCells.of(model).ids
    assert len(VoronoiCells.of(model)) == N - 2


def test_cells_are_drawn_by_class_and_by_number() -> None:
    ax = VoronoiCells.of(X, Y).plot()
    drawn = [part for part in ax.collections if type(part).__name__ == "PolyCollection"]
    assert [len(part.get_paths()) for part in drawn] == [(Y == "minus").sum(), (Y == "plus").sum(), N]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["minus", "plus"]
    shades = VoronoiCells.of(pc.KNNRegressor(1).fit(X, X[:, 0] / 3)).plot().collections[0]
    np.testing.assert_array_equal(shades.get_array(), X[:, 0] / 3)


# -- concepts


def by_hand(learner: Any, rows: Any, labels: Any, order: Any) -> set[int]:
    """Ids that were stored at some time, by learning one row after the other."""
    ever: set[int] = set()
    for row in order:
        learner.partial_fit(rows[[row]], labels[[row]], classes=["minus", "plus"])
        ever |= set(learner.ids_.tolist())
    return ever


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_dropped_instances_are_those_once_stored(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.uniform(size=(150, 2))
    labels = np.where((rows[:, 0] > 0.5) ^ (rng.uniform(size=150) < 0.2), "plus", "minus")
    model = pc.IB3(random_state=0, history=True).fit(rows, labels)
    display = ConceptDisplay.of(model, rows, labels)
    ever = by_hand(pc.IB3(random_state=0), rows, labels, range(150))
    states = dict(zip(display.ids.tolist(), display.states.tolist(), strict=True))
    assert {i for i, state in states.items() if state == "dropped"} == ever - set(model.ids_.tolist())
    assert {i for i, state in states.items() if state == "passed"} == set(range(150)) - ever
    verdicts = dict(zip(model.concept_["id"], model.concept_["verdict"], strict=True))
    assert {i: states[i] for i in verdicts} == verdicts


def test_shuffled_instances_are_told_apart_too() -> None:
    model = pc.IB3(random_state=0, history=True, shuffle=True).fit(X, Y)
    display = ConceptDisplay.of(model, X, Y)
    counts = {state: int((display.states == state).sum()) for state in set(display.states.tolist())}
    assert counts["dropped"] == model.dropped_ > 0
    assert counts["acceptable"] + counts["mediocre"] == model.stored_


def test_without_history_nothing_is_said_to_be_dropped() -> None:
    display = ConceptDisplay.of(pc.IB3(random_state=0).fit(X, Y), X, Y)
    assert set(display.states.tolist()) == {"acceptable", "mediocre", "passed"}


def test_stored_instances_alone() -> None:
    model = pc.IB2().fit(X, Y)
    display = ConceptDisplay.of(model)
    assert set(display.states.tolist()) == {"stored"}
    frame = display.frame()
    assert frame["id"].tolist() == model.concept_["id"].tolist()
    assert frame.columns.tolist()[:5] == ["id", "class", "x0", "x1", "state"]
    np.testing.assert_array_equal(frame["x0"], model.concept_["x0"])
    np.testing.assert_array_equal(frame["trials"], model.concept_["trials"])


def test_a_description_of_one_class_is_drawn_by_itself() -> None:
    table, labels = pc.load_repairs("pandas")
    model = pc.IB4(random_state=0, history=True).fit(table, labels)
    display = ConceptDisplay.of(model, table, labels, concept="wheel", columns=("bike", "load_kg"))
    stored = model.concept_[model.concept_["concept"] == "wheel"]
    assert int(np.isin(display.states.astype(str), ("acceptable", "mediocre", "poor")).sum()) == len(stored)
    frame = display.frame()
    assert frame["bike"].fillna("?").tolist() == table["bike"].fillna("?").tolist()
    ax = display.plot()
    assert [text.get_text() for text in ax.get_xticklabels()] == sorted(table["bike"].dropna().unique())


def test_pictures_of_concepts_have_all_instances_and_records() -> None:
    display = ConceptDisplay.of(pc.IB3(random_state=0, history=True).fit(X, Y), X, Y)
    ax = display.plot()
    drawn = [part for part in ax.collections if type(part).__name__ == "PathCollection"]
    assert sum(len(part.get_offsets()) for part in drawn) == N
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[:2] == ["minus", "plus"]
    assert "stored, then dropped" in texts
    records = display.plot_records()
    lines = [part for part in records.collections if type(part).__name__ == "LineCollection"]
    stored = int((~np.isnan(display.records["trials"])).sum())
    assert sum(len(part.get_segments()) for part in lines) == stored
