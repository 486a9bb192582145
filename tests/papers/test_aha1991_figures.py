"""Aha, Kibler & Albert 1991: the domains of the figures, and that each shows what the text says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config

from papers import Options, aha1991
from papers.aha1991 import CORNERS, DISJUNCTS, PAPER, draw_points, jagged_distance
from papers.reproduction import Part
from priorcase.concepts import IB1
from priorcase.datasets import boundary_distance, load, make_disjuncts

FEW = Options(trials=8)


def artists(part: Part) -> list[int]:
    """How many axes each picture has; drawing must not fail."""
    return [len(picture.figure().axes) for picture in part.pictures]


# The simple concept ---------------------------------------------------------------------------------------------------


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_distance_is_that_of_the_nearest_point_of_the_line(x: float, y: float) -> None:
    along = np.linspace(0, 1, 2001)
    line = np.column_stack([along, np.interp(along, *CORNERS.T)])
    nearest = np.hypot(*(line - (x, y)).T).min()
    assert jagged_distance(np.array([[x, y]]))[0] == pytest.approx(nearest, abs=6e-4)


def test_classes_are_by_the_side_of_the_line() -> None:
    points = draw_points(500, 0.0, np.random.default_rng(1))
    above = points.X[:, 1] > np.interp(points.X[:, 0], *CORNERS.T)
    assert (points.y == above).all()
    assert not points.noisy.any()


def test_noise_replaces_values_and_leaves_the_rest() -> None:
    clean, noisy = (draw_points(4000, level, np.random.default_rng(2)) for level in (0.0, 0.1))
    changed = (clean.X != noisy.X).any(axis=1)
    assert (clean.y == noisy.y).all()
    assert (changed == noisy.noisy).all()
    assert noisy.noisy.mean() == pytest.approx(0.19, abs=0.02)


# Figures --------------------------------------------------------------------------------------------------------------


def test_the_area_is_that_of_the_concept() -> None:
    """A learner that knows 3000 points is right nearly everywhere; one that knows one class is right where that is."""
    X, y = make_disjuncts(3000, random_state=0)
    assert aha1991.right_area(IB1().fit(X, y)) > 94
    negative = IB1().fit([[0.0, 0.0]], [0])
    inside = sum((right - left) * (top - bottom) for (left, right), (bottom, top) in DISJUNCTS.tolist())
    assert aha1991.right_area(negative) == pytest.approx(100 * (1 - inside), abs=1.0)


def test_extensions_improve_with_training() -> None:
    few = Options(trials=3)
    first, third = aha1991.figure_1(few), aha1991.figure_3(few)
    areas = [first.tables[0][str(stage), "IB1, correct area in percent"].value for stage in aha1991.STAGES]
    assert areas[0] < areas[1] < areas[2]
    second = [third.tables[0][str(stage), "IB2, correct area in percent"].value for stage in aha1991.STAGES]
    assert second[0] < second[1] < second[2]
    assert areas[2] - 10 < second[2] < areas[2]
    assert third.tables[0]["100", "instances saved by IB2"].value < 45
    columns = third.pictures[0].columns
    assert len(columns["x1"]) == sum(aha1991.STAGES)
    assert 0 < sum(columns["saved"]) < len(columns["saved"])
    assert all(first.pictures[0].columns["saved"])


def test_what_is_saved_is_near_the_boundary() -> None:
    part = aha1991.figure_4(FEW)
    (table,) = part.tables
    assert table["saved instances, percent of all", "IB2"].value < 20
    assert table["saved instances closer to the boundary than the median of all instances, percent", "IB2"].value > 75
    assert artists(part) == [1]
    assert not any(part.pictures[0].columns["noisy"])


def test_noisy_instances_are_saved_more_often() -> None:
    part = aha1991.figure_7(FEW)
    table, by_size = part.tables
    saved = table["noisy instances, percent of the saved", "IB2"]
    everywhere = table["noisy instances, percent of all", "IB2"]
    assert saved.theirs == 26.3
    assert saved.value > everywhere.value + 5
    assert everywhere.value == pytest.approx(19, abs=3)
    assert by_size["50", "IB2"].value < by_size["800", "IB2"].value
    assert by_size["200", "IB2"] == saved
    assert artists(part) == [1]


def test_ib3_saves_less_of_the_noise() -> None:
    part = aha1991.figure_8(Options(trials=25))
    (table,) = part.tables
    for row in table.rows:
        assert table[row, "IB3"].value < table[row, "IB2"].value
    assert artists(part) == [1]


def test_the_first_pictures_show_the_same_points() -> None:
    """Figures 7 and 8 are of one noisy set; the points of Figure 4 are the same where no value was replaced."""
    parts = (aha1991.figure_4(FEW), aha1991.figure_7(FEW), aha1991.figure_8(FEW))
    clean, noisy, third = (part.pictures[0].columns for part in parts)
    kept = ~np.asarray(noisy["noisy"], dtype=bool)
    assert (np.asarray(noisy["x1"]) == np.asarray(third["x1"])).all()
    assert (np.asarray(clean["x1"])[kept] == np.asarray(noisy["x1"])[kept]).all()


def test_accuracy_grows_with_the_distance() -> None:
    part = aha1991.figure_5(Options(trials=40))
    (table,) = part.tables
    accuracy = [table[row, "accuracy in percent"].value for row in table.rows]
    assert len(accuracy) == 11
    assert accuracy[0] < 70 < 90 < accuracy[5]
    assert accuracy[-1] > 98
    instances = sum(table[row, "instances"].value for row in table.rows)
    assert instances == 40 * (aha1991.BOUNDARY_INSTANCES - 1)
    assert artists(part) == [2]


def test_errors_that_fall_exponentially_are_fitted_exactly() -> None:
    at = np.array([0.1, 0.2, 0.3, 0.4])
    rate, fitted = aha1991.exponential(at, np.append(0.5 * np.exp(-3 * at[:3]), 0.0))
    assert rate == pytest.approx(3)
    np.testing.assert_allclose(fitted, 0.5 * np.exp(-3 * at))


def test_noise_harms_ib2_most_and_ib3_least() -> None:
    part = aha1991.figure_9(Options(trials=6))
    accuracy, storage = part.tables
    for level in ("20%", "40%"):
        assert accuracy[level, "IB3"].value > accuracy[level, "IB1"].value > accuracy[level, "IB2"].value
        assert storage[level, "IB3"].value < storage[level, "IB2"].value / 2
    assert storage["40%", "IB2"].value > 2 * storage["0%", "IB2"].value
    assert accuracy["0%", "IB1"].value > 95
    assert artists(part) == [2]


def test_two_learners_alone_do_what_they_do_beside_the_third() -> None:
    six, nine = aha1991.figure_6(Options(trials=2)), aha1991.figure_9(Options(trials=2))
    assert six.tables[0].columns == ("IB1", "IB2")
    for row in six.tables[0].rows:
        assert six.tables[0][row, "IB2"] == nine.tables[0][row, "IB2"]


@pytest.mark.parametrize("number", ["1", "4", "5", "9"])
def test_figures_are_the_same_for_any_number_of_jobs(number: str) -> None:
    item = next(item for item in PAPER.items if item.key == f"figure-{number}")
    with parallel_config(backend="threading"):
        one, two = (item.part(Options(trials=2, jobs=jobs)) for jobs in (1, 2))
    assert one.numbers() == two.numbers()
    assert item.part(Options(trials=2, random_state=1)).numbers() != one.numbers()


def test_distances_of_the_rectangles_are_the_data_sets_own() -> None:
    """The squares that count as inside are those that the data set calls inside."""
    X, y = make_disjuncts(200, random_state=3)
    inside = aha1991.concept().reshape(100, 100)
    far = boundary_distance(X) > 0.01
    cells = (X[far] * 100).astype(int)
    assert (inside[cells[:, 1], cells[:, 0]] == y[far]).all()


def test_a_pruned_tree_stands_in_for_c4() -> None:
    part = aha1991.figure_2(Options(trials=3))
    (table,) = part.tables
    (column,) = table.columns
    assert column.startswith("C4 (stand-in")
    areas = [table[str(stage), column].value for stage in aha1991.STAGES]
    assert areas[0] < areas[2]
    assert areas[2] > 80
    assert "decision tree of scikit-learn" in part.notes[1]
    assert artists(part) == [3]


def test_the_stand_in_reads_mixed_columns_and_is_pruned() -> None:
    X, y = load("penguins", frame=None)
    model = aha1991.PrunedTree().fit(X, y)
    assert (model.predict(X) == y).mean() > 0.95
    noise = np.random.default_rng(0).integers(0, 2, 200)
    grown = aha1991.PrunedTree().fit(np.random.default_rng(1).random((200, 2)), noise)
    assert grown._tree.get_n_leaves() < 20
