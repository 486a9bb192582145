"""Learning curves: the slow reference, nested training sets, failures, jobs, Ctrl-C, tables, drawings and words."""

from __future__ import annotations

from typing import Any

import joblib  # type: ignore[import-untyped]
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from curve_learners import Chance, Interrupted, Spy
from hypothesis import given
from hypothesis import strategies as st
from reference import curves as reference
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Perceptron
from tables import labels, mixed_rows

import priorcase as pc
from priorcase.datasets import load
from priorcase.evaluation import Holdout, LearningCurve, compare, learning_curve
from priorcase.evaluation.curves import ladder, read_sizes
from priorcase.evaluation.running import Cell
from priorcase.evaluation.scoring import OURS

mpl.use("Agg")

SCORES = ("accuracy", "log_score", "brier")


@pytest.fixture(autouse=True)
def _close_figures() -> Any:
    yield
    plt.close("all")


def small_curve(**options: Any) -> LearningCurve:
    learners = {"1-NN": pc.KNNClassifier(1), "Bayes": pc.NaiveBayes()}
    return learning_curve(learners, mixed_rows(30), labels(30), sizes=[3, 9, 1.0], repeats=3, **options)


@pytest.mark.parametrize("make", [lambda: pc.KNNClassifier(2, vote="inverse_square"), pc.NaiveBayes])
def test_a_curve_equals_the_reference(make: Any) -> None:
    X, y = mixed_rows(40, seed=3), labels(40)
    orders = [np.random.default_rng([5, repeat]).permutation(40).tolist() for repeat in range(4)]
    expected = reference.learning_curve(make, X, y, orders, 12, [2, 7, 28])
    curve = learning_curve(make(), X, y, sizes=[7, 2, 28], repeats=4, random_state=5)
    assert curve.points.tolist() == [2, 7, 28]
    for score in SCORES:
        values = [[found[score] for found in line] for line in expected]
        assert curve.values(score)[0] == pytest.approx(np.array(values))
        summaries = np.array([reference.summary(line) for line in values]).T
        parts = (curve.mean, curve.standard_error, curve.lowest, curve.highest)
        for part, numbers in zip(parts, summaries, strict=True):
            assert part(score)[0] == pytest.approx(numbers, nan_ok=True)


def test_training_sets_are_nested_and_the_same_for_all() -> None:
    Spy.learned.clear()
    X, y = [[float(n)] for n in range(20)], ["a", "b"] * 10
    learning_curve([Spy("one"), Spy("two")], X, y, sizes=[1, 5, 1.0], repeats=2, scores="accuracy")
    seen = {name: [rows for who, rows, _ in Spy.learned if who == name] for name in ("one", "two")}
    assert seen["one"] == seen["two"]
    assert [len(rows) for rows in seen["one"]] == [1, 5, 14] * 2
    for first in (0, 3):
        one, five, all_ = seen["one"][first : first + 3]
        assert all_[:5] == five
        assert five[:1] == one
    assert seen["one"][2] != seen["one"][5]


def test_the_last_point_is_that_of_a_comparison_on_random_partitions() -> None:
    X, y = load("repairs", frame=None)
    learners = {"student": pc.NaiveBayes(), "subsets": pc.SubsetAveragedBayes()}
    curve = learning_curve(learners, X, y, sizes=[1.0], repeats=3, random_state=2)
    found = compare(learners, X, y, splits=Holdout(0.7), repeats=3, random_state=2)
    for score in SCORES:
        assert curve.values(score)[:, 0] == pytest.approx(found.values(score), rel=1e-12)


def test_every_make_of_table_gives_the_same_curve() -> None:
    X, y = load("repairs", frame=None)
    options: dict[str, Any] = {"sizes": [20], "repeats": 2}
    expected = learning_curve(pc.NaiveBayes(), X, y, **options)
    by_position = dict(enumerate(X.kinds.values()))
    for table, target, kinds in (
        (X.frame("pandas"), pd.Series(y, index=range(7, 103)), X.kinds),
        (X.frame("polars"), pl.Series(y), X.kinds),
        (X.frame("pyarrow"), y.tolist(), X.kinds),
        (X.tuples(), y, by_position),
    ):
        found = learning_curve(pc.NaiveBayes(schema=kinds), table, target, **options)
        assert not found.failures
        for score in SCORES:
            assert found.values(score) == pytest.approx(expected.values(score))


def test_jobs_and_backends_change_nothing() -> None:
    X, y = load("repairs", frame=None)
    learners = {"chance": Chance(), "3-NN": pc.KNNClassifier(3)}
    options: dict[str, Any] = {"sizes": [5, 20], "repeats": 4, "scores": "accuracy"}
    alone = learning_curve(learners, X, y, **options)
    assert np.unique(alone.values()[0]).size > 1
    for backend in ("threading", "loky"):
        with joblib.parallel_config(backend=backend):
            found = learning_curve(learners, X, y, n_jobs=2, **options)
        assert (found.values() == alone.values()).all()
    assert (learning_curve(learners, X, y, random_state=1, **options).values() != alone.values()).any()


def test_growing_row_by_row_is_learning_from_nothing_once_all_classes_are_there() -> None:
    X, y = load("repairs", frame=None)
    options: dict[str, Any] = {"sizes": [3, 40, 1.0], "repeats": 3}
    fitted = learning_curve(pc.NaiveBayes(), X, y, **options)
    grown = learning_curve(pc.NaiveBayes(), X, y, grow="partial_fit", **options)
    for score in SCORES:
        assert grown.values(score)[:, 1:] == pytest.approx(fitted.values(score)[:, 1:], rel=1e-9)
    # Three rows hold three of the four classes at most: to know of the fourth is to give it a chance.
    assert np.isneginf(fitted.mean("log_score")[0, 0])
    assert np.isfinite(grown.mean("log_score")).all()


@pytest.mark.parametrize("grow", ["fit", "partial_fit"])
def test_columns_constant_in_a_few_rows_are_not_warned_of(grow: Any) -> None:
    X = pd.DataFrame({"a": ["x", "y"] * 40, "rare": ["no"] * 78 + ["yes"] * 2})
    curve = learning_curve(pc.NaiveBayes(), X, ["p", "q"] * 40, sizes=[30], repeats=3, grow=grow, scores="accuracy")
    assert not curve.failures


def test_growing_needs_partial_fit() -> None:
    X, y = load("repairs", frame=None)
    curve = learning_curve({"spy": Spy(), "Bayes": pc.NaiveBayes()}, X, y, sizes=[9], repeats=1, grow="partial_fit")
    assert curve.failures == {"spy": "AttributeError: the learner has no partial_fit"}
    early = learning_curve(pc.KNNClassifier(5), X, y, sizes=[2, 9], repeats=1, grow="partial_fit", scores="accuracy")
    assert np.isnan(early.mean()[0, 0])
    assert early.mean()[0, 1] > 0  # it is asked again once it knows more rows


def test_failures_are_told_and_others_go_on() -> None:
    X, y = load("repairs", frame=None)
    curve = learning_curve({"5-NN": pc.KNNClassifier(5), "1-NN": pc.KNNClassifier(1)}, X, y, sizes=[3, 9], repeats=2)
    assert np.isnan(curve.mean()[0, 0])
    assert np.isfinite(curve.mean()[[0, 1, 1], [1, 0, 1]]).all()
    assert list(curve.failures) == ["5-NN"]
    note = str(curve).splitlines()[-1]
    assert note.startswith("  5-NN failed 2 of 4 times (at 3): TooFewRowsError: ")
    assert set(curve.frame("pandas", each=True).query("learner == '5-NN' and rows == 3")["reason"].str[:15]) == {
        "TooFewRowsError"
    }


def test_a_score_that_a_learner_does_not_have_is_an_empty_cell() -> None:
    X, y = [[float(n)] for n in range(30)], ["a", "b", "b"] * 10
    curve = learning_curve(Perceptron(), X, y, sizes=[15], repeats=2)
    assert np.isnan(curve.mean("log_score")).all()
    assert np.isfinite(curve.mean("accuracy")).all()
    assert "  Perceptron() has no log_score: the learner has no predict_proba" in str(curve).splitlines()


def test_numbers_are_scored_as_numbers() -> None:
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40.0) % 7
    curve = learning_curve({"mean": DummyRegressor(), "1-NN": pc.KNNRegressor(1)}, X, y, test=10, repeats=2, sizes=[30])
    assert [score.name for score in curve.scores] == ["rmse", "mae", "r2"]
    assert curve.protocol == "10 test rows"
    assert "±" in str(curve)


def test_storage_is_a_score_where_a_learner_says_it() -> None:
    X, y = load("repairs", frame=None)
    learners = {"IB2": pc.IB2(), "Bayes": pc.NaiveBayes()}
    curve = learning_curve(learners, X, y, sizes=[10, 60], repeats=2, scores=["storage", "accuracy"])
    train = np.random.default_rng([0, 0]).permutation(96)[:67]
    model = pc.IB2().fit(X.take(train[:60]), y[train[:60]])
    assert curve.values("storage")[0, 1, 0] == model.storage_
    assert np.isnan(curve.values("storage")[1]).all()


def test_ctrl_c_returns_what_is_finished() -> None:
    X, y = [[float(n)] for n in range(20)], ["a", "b"] * 10
    Interrupted.fits = 0
    curve = learning_curve(Interrupted(at=6), X, y, sizes=[5, 10], repeats=9, scores="accuracy")
    assert not curve.complete
    assert len(curve.cells) == 4  # the third repetition was not finished
    assert "  not complete: interrupted after 4 of 18 fits" in str(curve).splitlines()
    Interrupted.fits = 0
    with pytest.raises(KeyboardInterrupt):
        learning_curve(Interrupted(at=1), X, y, sizes=[5], repeats=2, scores="accuracy")


def test_neither_the_learners_nor_the_table_change() -> None:
    X, y = np.arange(20.0).reshape(-1, 1), np.array(["a", "b"] * 10)
    X.flags.writeable = y.flags.writeable = False
    model = pc.KNNClassifier(1)
    learning_curve(model, X, y, sizes=[5], repeats=1)
    assert not hasattr(model, "classes_")


# Numbers of a curve that was put together by hand ------------------------------------------------------------------

VALUES = [[0.5, 1.0, np.nan], [-np.inf, 0.25, 0.75], [np.nan, np.nan, np.nan], [0.125, 0.25, 0.5]]


def by_hand() -> LearningCurve:
    scores = (OURS["accuracy"],)
    cells = [
        Cell("m", repeat, point, 1, 2, {"accuracy": value}, failure="" if value == value else "ValueError: no")
        for point, line in enumerate(VALUES)
        for repeat, value in enumerate(line)
    ]
    return LearningCurve(("m",), scores, np.array([1, 2, 40, 50]), tuple(cells), 3, "2 test rows")


def test_summaries_bear_failures_and_infinities() -> None:
    curve = by_hand()
    expected = np.array([reference.summary(line) for line in VALUES]).T
    parts = (curve.mean, curve.standard_error, curve.lowest, curve.highest)
    for part, numbers in zip(parts, expected, strict=True):
        np.testing.assert_allclose(part()[0], numbers)
    frame = curve.frame("pandas")
    assert frame.columns.tolist() == ["learner", "rows", "score", "mean", "standard_error", "min", "max", "repeats"]
    assert frame["rows"].tolist() == [1, 2, 40, 50]
    assert frame["repeats"].tolist() == [2, 3, 0, 3]
    np.testing.assert_allclose(frame["mean"], expected[0])
    assert len(curve.frame("polars", each=True)) == 12


def test_a_curve_prints_itself() -> None:
    assert str(by_hand()).splitlines() == [
        "accuracy of m: mean ± usual standard error over 3 repetitions, 2 test rows",
        "  rows           mean    min    max",
        "     1  0.750 ± 0.250  0.500  1.000",
        "     2   -inf           -inf  0.750",
        "    40      -              -      -",
        "    50  0.292 ± 0.110  0.125  0.500",
        "  m failed 4 of 12 times (at 1, 40): ValueError: no",
    ]
    assert repr(by_hand()) == str(by_hand())
    assert by_hand().markdown().splitlines()[2:4] == ["| rows | mean | min | max |", "| ---: | ---: | ---: | ---: |"]
    assert by_hand()._repr_html_().count("<tr>") == 5
    text = str(small_curve()).splitlines()
    assert text[0] == "accuracy: mean ± usual standard error over 3 repetitions, 9 test rows"
    assert [line for line in text if not line.startswith(" ")][1:] == ["", "log_score", "", "brier"]
    assert text[1].split() == ["rows", "1-NN", "Bayes"]


def test_many_points_are_printed_in_part() -> None:
    curve = learning_curve(pc.NaiveBayes(), *load("repairs", frame=None), sizes="all", repeats=1, grow="partial_fit")
    assert curve.points.tolist() == list(range(1, 68))
    lines = str(curve).splitlines()
    assert lines[0] == "accuracy of NaiveBayes(): one repetition, 29 test rows"
    assert lines[-1] == "  20 of 67 points are shown; frame() returns all points"
    assert [line.split()[0] for line in (lines[2], lines[21])] == ["1", "67"]
    ax = curve.plot()
    assert ax.get_xscale() == "linear"
    assert ax.lines[-1].get_marker() == "None"


def test_means_are_lines_and_extremes_are_bands() -> None:
    curve = small_curve()
    ax = curve.plot("brier")
    named = {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}
    assert list(named) == ["1-NN", "Bayes"]
    for row, line in enumerate(named.values()):
        assert line.get_xdata().tolist() == [3, 9, 21]
        assert line.get_ydata().tolist() == curve.mean("brier")[row].tolist()
    edges = [line.get_ydata().tolist() for line in ax.lines if line.get_label().startswith("_")]
    assert edges[:2] == [curve.lowest("brier")[0].tolist(), curve.highest("brier")[0].tolist()]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("training rows", "brier")
    assert len(curve.plot("brier", band=None).collections) == 0
    errors = curve.plot("brier", band="error").lines[0].get_ydata()
    assert errors == pytest.approx(curve.mean("brier")[0] - 2 * curve.standard_error("brier")[0])
    own = plt.subplots()[1]
    assert curve.plot(ax=own) is own


def test_minus_infinity_is_drawn_as_such() -> None:
    ax = by_hand().plot()
    assert "minus infinity" in [text.get_text() for text in ax.get_legend().get_texts()]
    signs = [line for line in ax.lines if line.get_marker() == "v" and len(line.get_xdata())]
    assert [line.get_xdata().tolist() for line in signs] == [[2]]
    low, high = ax.get_ylim()
    assert np.isfinite([low, high]).all()


def test_a_ladder_of_sizes_has_a_logarithmic_axis() -> None:
    curve = learning_curve(pc.NaiveBayes(), *load("repairs", frame=None), repeats=1, scores="accuracy")
    ax = curve.plot()
    assert ax.get_xscale() == "log"
    assert ax.get_xticks().tolist() == curve.points.tolist()


# Sizes and words ---------------------------------------------------------------------------------------------------


@given(st.integers(1, 10**6))
def test_a_ladder_climbs_to_all_rows(rows: int) -> None:
    sizes = ladder(rows)
    assert 1 <= sizes[0] <= 5
    assert sizes[-1] == rows
    assert list(sizes) == sorted(set(sizes))
    assert len(sizes) <= 10


@given(st.integers(1, 500), st.lists(st.floats(0.001, 1.0), min_size=1, max_size=5))
def test_parts_are_rounded_down_but_never_to_nothing(rows: int, parts: list[float]) -> None:
    found = read_sizes(parts, rows)
    assert 1 <= found[0] <= found[-1] <= rows
    assert found[-1] in (max(1, int(max(parts) * rows)), int(max(parts) * rows) + 1)
    assert read_sizes(np.array([0.7]), 10) == (7,)


def test_sizes_may_be_one_number_or_all() -> None:
    assert read_sizes(3, 5) == (3,)
    assert read_sizes("all", 3) == (1, 2, 3)
    assert read_sizes((n for n in (2, 2, 1.0)), 5) == (2, 5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sizes": [0]}, "sizes must be None, 'all', numbers of rows from 1 to 21"),
        ({"sizes": [22]}, "(the training pool), or shares up to 1.0, got 22. Pass sizes=[0.1"),
        ({"sizes": [1.5]}, "sizes must be"),
        ({"sizes": []}, "sizes must be"),
        ({"sizes": "every"}, "sizes must be"),
        ({"test": 1.0}, "test must be a float in the range (0.0, 1.0) or an int in the range [1, 30)"),
        ({"test": 30}, "test must be"),
        ({"test": True}, "test must be"),
        ({"repeats": 0}, "repeats must be an int in the range [1, inf)"),
        ({"grow": "fits"}, "grow must be a str among {'fit', 'partial_fit'}"),
        ({"scores": "acuracy"}, "Did you mean 'accuracy'?"),
        ({"scores": 3}, "scores must be"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"random_state": "x"}, "random_state"),
    ],
)
def test_words(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=r"learning_curve.* ") as caught:
        learning_curve(pc.NaiveBayes(), mixed_rows(30), labels(30), **options)
    assert words in str(caught.value)


def test_words_of_the_result() -> None:
    curve = by_hand()
    for call, words in (
        (lambda: curve.mean("brier"), "score must be a str among {"),
        (lambda: curve.plot(band="bars"), "band must be None or a str among {"),  # type: ignore[arg-type]
        (lambda: curve.frame("dask"), "backend"),  # type: ignore[arg-type]
    ):
        with pytest.raises(pc.exceptions.PriorcaseError) as caught:
            call()
        assert words in str(caught.value)
