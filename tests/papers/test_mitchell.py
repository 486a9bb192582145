"""Mitchell's chapter 8 in pictures and numbers: against NumPy, loops and what the text says."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config

from papers import Options, mitchell, reproduce
from papers.mitchell import GRID, PAPER, examples, truth
from papers.reproduction import csv_text

ONE_TRIAL = Options(trials=1, quick=True)


@pytest.fixture(scope="module")
def chapter():
    """The parts by their keys."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mitchell, "_QUERIES", 300)
        return {part.key: part for part in reproduce(PAPER, ONE_TRIAL).parts}


# -- Figure 8.1


def test_one_neighbor_says_plus_and_five_say_minus(chapter):
    (decisions,) = chapter["figure-8.1"].tables
    for figures in decisions.rows.values():
        assert figures[0].ours == figures[0].theirs
    far = np.hypot(*(mitchell.POINTS - mitchell.QUERY).T)
    nearest = mitchell.CLASSES[np.argsort(far)]
    assert nearest[0] == "+"
    assert (nearest[:5] == "-").sum() == 3


def test_every_query_lies_in_the_cell_of_its_nearest_example():
    found = mitchell.cells()
    low, high = np.array([axis.span for axis in found.axes]).T
    queries = low + (high - low) * np.random.default_rng(0).random((500, 2))
    nearest = mitchell.voter(1).kneighbors(queries)[1][:, 0]
    for query, row in zip(queries, nearest.tolist(), strict=True):
        corners = found.corners[found.ids.tolist().index(row)]
        (ax, ay), (bx, by) = (corners - query).T, (np.roll(corners, -1, axis=0) - query).T
        assert ((ax * by - ay * bx) > -1e-12).all()  # to the left of every side, and so inside a convex cell


def test_the_figure_has_both_halves(chapter):
    (picture,) = chapter["figure-8.1"].pictures
    left, right = picture.figure().axes
    assert len(left.patches) == 2
    assert len(right.patches) == 2 * len(mitchell.POINTS)
    assert sorted(picture.columns["rank from the query"]) == list(range(1, len(mitchell.POINTS) + 1))
    order = np.argsort(picture.columns["distance from the query"])
    assert np.array(picture.columns["rank from the query"])[order].tolist() == list(range(1, len(order) + 1))


# -- section 8.2.1


def test_weighed_votes_by_loops():
    far = np.sort(np.hypot(*(mitchell.POINTS - mitchell.QUERY).T))[:5]
    table = mitchell.weighted_votes()
    *lines, answer = table.rows.values()
    assert [figures[1].ours for figures in lines] == pytest.approx(1 / far**2)
    assert sum(figures[2].ours for figures in lines) == pytest.approx(1)
    plus = sum(figures[2].ours for name, figures in table.rows.items() if name.endswith("neighbor, +"))
    assert answer[2].ours == pytest.approx(plus)


def test_the_rules_of_the_text_hold():
    for (figure,) in mitchell.rules().rows.values():
        assert (
            figure.ours == pytest.approx(figure.theirs)
            if isinstance(figure.ours, float)
            else figure.ours == figure.theirs
        )


def test_averages_by_numpy(chapter):
    X, y = examples(mitchell.FEW_ROWS, 0, noise=0.0)
    (picture,), errors = chapter["example-8.2.1"].pictures, chapter["example-8.2.1"].tables[2]
    far = np.abs(GRID[:, None] - X[:, 0])
    near = np.argsort(far, axis=1)[:, :3]
    names = list(mitchell.averages())
    assert picture.columns[names[0]] == pytest.approx(y[near].mean(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        shepard = (y / far**2).sum(axis=1) / (1 / far**2).sum(axis=1)
    assert picture.columns[names[2]] == pytest.approx(shepard)
    off = np.sqrt(np.mean((shepard - truth(GRID)) ** 2))
    assert errors[names[2], "12 examples"].ours == pytest.approx(off)


def test_a_weighed_average_passes_through_the_examples():
    X, y = examples(mitchell.FEW_ROWS, 0)
    for model in list(mitchell.averages().values())[1:]:
        assert model.fit(X, y).predict(X) == pytest.approx(y)


def test_more_voters_stand_more_noise():
    table = mitchell.noise(Options(trials=3))
    assert table["15 nearest, equal votes", "30%"].ours > table["1 nearest", "30%"].ours + 10
    assert table["all, 1/d^2", "30%"].ours > table["1 nearest", "30%"].ours + 5
    assert np.isnan(mitchell.noise(ONE_TRIAL)["1 nearest", "0%"].standard_error)


def test_noise_is_the_same_for_any_number_of_jobs():
    one = csv_text(mitchell.noise(Options(trials=2, random_state=3)).frame())
    with parallel_config(backend="threading"):
        assert csv_text(mitchell.noise(Options(trials=2, random_state=3, jobs=2)).frame()) == one


# -- section 8.2.2


def test_irrelevant_attributes_hurt_unless_axes_are_stretched(chapter):
    accuracies, weights = chapter["example-8.2.2"].tables
    alone = accuracies["only the two relevant attributes", "20 attributes"].ours
    assert accuracies["equal weights", "20 attributes"].ours < alone - 10
    assert accuracies["leave-one-out weights", "20 attributes"].ours > alone - 3
    assert accuracies[mitchell.DROPPED, "20 attributes"].ours > alone - 3
    with_two = [figures[0].ours for name, figures in accuracies.rows.items() if name != mitchell.DROPPED]
    assert max(with_two) - min(with_two) < 3
    assert weights.rows["each relevant attribute"][0].ours > 0.5
    assert weights.rows["each irrelevant attribute"][0].ours < 0.1


def test_the_picture_shows_the_numbers_of_the_table(chapter):
    accuracies, (picture,) = chapter["example-8.2.2"].tables[0], chapter["example-8.2.2"].pictures
    way, size, right = (picture.columns[name] for name in ("way", "attributes", "accuracy in percent"))
    for name, n, found in zip(way, size, right, strict=True):
        assert accuracies[name, f"{n} attributes"].ours == found
    left, bars = picture.figure().axes
    assert len(bars.patches) == 20
    assert len(left.containers) == len(mitchell.DRAWN)


def test_a_trial_with_fewer_attributes_has_the_same_rows(chapter):
    accuracies = chapter["example-8.2.2"].tables[0].rows["only the two relevant attributes"]
    assert len({figure.ours for figure in accuracies}) == 1


# -- section 8.3


def weighted_line(X, y, query, weights):
    """The value at the query of the least squares line, by NumPy."""
    design = np.column_stack([np.ones(len(X)), X[:, 0] - query])
    roots = np.sqrt(weights)
    return np.linalg.lstsq(design * roots[:, None], y * roots, rcond=None)[0][0]


def test_the_three_criteria_by_least_squares(chapter):
    X, y = examples(mitchell.ROWS, 0)
    far = np.abs(X[:, 0] - mitchell.AT)
    near = np.argsort(far) < 0
    near[np.argsort(far)[: mitchell.NEIGHBORS]] = True
    kernel = np.exp(-((far / mitchell.BANDWIDTH) ** 2))
    expected = [weighted_line(X, y, mitchell.AT, w) for w in (near * 1.0, kernel, near * kernel)]
    table = chapter["example-8.3"].tables[0]
    column = f"prediction at {mitchell.AT}"
    assert [table[name, column].ours for name in mitchell.criteria()] == pytest.approx(expected, rel=1e-6)
    assert table["mean weighted by distance", column].ours == pytest.approx((kernel * y).sum() / kernel.sum())
    assert table["mean of the k nearest", column].ours == pytest.approx(y[near].mean())


def test_the_rule_comes_to_rest_at_the_solution(chapter):
    *steps, _ = chapter["example-8.3"].tables[1].rows.values()
    apart = [abs(figures[1].ours) for figures in steps]
    assert apart == sorted(apart, reverse=True)
    assert apart[0] > 0.01
    assert apart[-1] < 1e-9


def test_pictures_of_regression_hold_the_answers(chapter):
    X, _ = examples(mitchell.ROWS, 0)
    table, (at_a_query, by_criterion) = chapter["example-8.3"].tables[0], chapter["example-8.3"].pictures
    far = np.abs(X[:, 0] - mitchell.AT)
    assert at_a_query.columns["kernel weight"] == pytest.approx(np.exp(-((far / mitchell.BANDWIDTH) ** 2)))
    curves = by_criterion.columns
    for name in mitchell.criteria():
        off = np.sqrt(np.mean((np.array(curves[name]) - truth(GRID)) ** 2))
        assert table[name, "root mean square error"].ours == pytest.approx(off)


# -- section 8.4


def test_kernels_at_every_example_interpolate_and_few_do_not(chapter):
    through, penalized, few = chapter["example-8.4"].tables[0].rows.values()
    assert through[0].ours < 1e-9
    assert penalized[0].ours > 1e-3
    assert few[0].ours > 1e-3
    assert penalized[1].ours < through[1].ours
    assert all(figures[2].ours < 1e-9 for figures in (through, penalized, few))


def test_the_network_is_the_sum_of_its_kernels(chapter):
    columns = dict(chapter["example-8.4"].pictures[0].columns)
    del columns["x"]
    network = np.array(columns.pop("network"))
    assert len(columns) == 1 + mitchell.CENTERS
    assert np.sum(list(columns.values()), axis=0) == pytest.approx(network)


def test_networks_are_drawn_as_they_answer(chapter):
    (table,), (_, picture) = chapter["example-8.4"].tables, chapter["example-8.4"].pictures
    for name, figures in table.rows.items():
        off = np.sqrt(np.mean((np.array(picture.columns[name]) - truth(GRID)) ** 2))
        assert figures[1].ours == pytest.approx(off)


# -- the whole


def test_the_chapter_as_a_whole(chapter):
    pictures = {picture.name: picture for part in chapter.values() for picture in part.pictures}
    assert len(pictures) == 7
    for part in chapter.values():
        markdown = part.markdown({name: f"{name}.png" for name in pictures})
        for picture in part.pictures:
            assert f"]({picture.name}.png)" in markdown
            assert len({len(values) for values in picture.columns.values()}) == 1
            assert picture.figure().axes
    assert next(iter(chapter)) == "figure-8.1"
