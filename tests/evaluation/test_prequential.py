"""Prequential curves: the slow way, one call or many, scores so far and of the last rows, drawings and words."""

from __future__ import annotations

from typing import Any

import joblib  # type: ignore[import-untyped]
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from curve_learners import Chance, Interrupted
from hypothesis import given
from hypothesis import strategies as st
from reference import curves as reference
from sklearn.linear_model import Perceptron
from sklearn.tree import DecisionTreeClassifier
from tables import labels, mixed_rows

import priorcase as pc
from priorcase.datasets import load_repairs
from priorcase.evaluation import Prequential, PrequentialCurve, compare, prequential
from priorcase.evaluation.scoring import OURS

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures() -> Any:
    yield
    plt.close("all")


@pytest.mark.parametrize(
    "make",
    [lambda: pc.KNNClassifier(3), pc.NaiveBayes, pc.IB2, lambda: DecisionTreeClassifier(random_state=0)],
    ids=["one call", "partial_fit", "history", "refits"],
)
@pytest.mark.parametrize("scores", ["accuracy", ["accuracy", "brier"]])
def test_a_stream_equals_the_slow_way(make: Any, scores: Any) -> None:
    X, y = [[float(n * n % 17), float(n % 5)] for n in range(40)], labels(40, seed=2)
    predicted = reference.prequential(make, X, y, 9)
    curve = prequential(make(), X, y, start=9, scores=scores, window=6)
    hits = [float(told == truth) for told, truth in zip(predicted, y[9:], strict=True)]
    assert curve.losses[0, 0].tolist() == hits
    assert curve.so_far()[0] == pytest.approx(reference.running(hits, None))
    np.testing.assert_allclose(curve.windowed()[0], reference.running(hits, 6))


def test_mixed_rows_with_gaps_in_one_call_and_one_by_one() -> None:
    X, y = mixed_rows(60), labels(60)
    learner = pc.KNNClassifier(3, distance="heom")
    at_once = prequential(learner, X, y, start=5, scores="accuracy")
    one_by_one = prequential(learner, X, y, start=5)
    assert (at_once.so_far() == one_by_one.so_far("accuracy")).all()
    regressor, numbers = pc.KNNRegressor(2), np.arange(60.0) % 11
    assert (
        prequential(regressor, X, numbers, start=5).losses
        == prequential({"by hand": HandFed(2)}, X, numbers, start=5).losses
    ).all()


class HandFed(pc.KNNRegressor):
    """A regressor whose own stream is hidden."""

    prequential = property()


def test_the_end_is_that_of_a_comparison() -> None:
    X, y = load_repairs()
    learners = {"5-NN": pc.KNNClassifier(5), "Bayes": pc.NaiveBayes()}
    curve = prequential(learners, X, y, start=60)
    found = compare(learners, X, y, splits=Prequential(start=60))
    for score in ("accuracy", "log_score", "brier"):
        assert curve.final(score) == pytest.approx({name: found.mean(name, score) for name in learners})


def test_all_classes_are_known_from_the_beginning_where_that_can_be_told() -> None:
    X, y = [[float(n)] for n in range(12)], ["a"] * 10 + ["b"] * 2
    curve = prequential({"Bayes": pc.NaiveBayes(), "tree": DecisionTreeClassifier()}, X, y, start=4)
    log_scores = curve.final("log_score")
    assert np.isfinite(log_scores["Bayes"])
    assert log_scores["tree"] == -np.inf


losses = st.lists(st.sampled_from([0.0, 1.0, -0.5, 2.25, -np.inf]), min_size=1, max_size=12)


@given(losses, st.integers(1, 12))
def test_scores_so_far_and_of_the_last_rows_equal_the_reference(row: list[float], window: int) -> None:
    window = min(window, len(row))
    curve = PrequentialCurve(("m",), (OURS["log_score"],), 3, np.array([[row]]), window)
    assert curve.so_far()[0] == pytest.approx(reference.running(row, None))
    np.testing.assert_allclose(curve.windowed()[0], reference.running(row, window))
    assert len(curve) == len(row)


def test_roots_are_taken_of_means() -> None:
    squares = [4.0, 16.0, 1.0, 0.0]
    curve = PrequentialCurve(("m",), (OURS["rmse"], OURS["mse"]), 1, np.array([[squares, squares]]))
    assert curve.so_far("rmse")[0] == pytest.approx(reference.running(squares, None, root=True))
    np.testing.assert_allclose(curve.windowed("rmse", 2)[0], reference.running(squares, 2, root=True))
    assert curve.final("mse") == {"m": 5.25}


def test_order_and_jobs() -> None:
    X, y = load_repairs()
    learners, options = {"chance": Chance(), "1-NN": pc.KNNClassifier(1)}, {"scores": "accuracy", "start": 70}
    plain = prequential(learners, X, y, **options)
    assert (prequential(learners, X, y, **options).losses == plain.losses).all()
    shuffled = prequential(learners, X, y, shuffle=True, **options)
    assert (shuffled.losses != plain.losses).any()
    order = np.random.default_rng([0]).permutation(96)
    again = prequential({"1-NN": pc.KNNClassifier(1)}, X.take(order), y[order], **options)
    assert (again.losses[0] == shuffled.losses[1]).all()
    with joblib.parallel_config(backend="threading"):
        assert (prequential(learners, X, y, n_jobs=2, **options).losses == plain.losses).all()


def test_a_stream_begins_where_that_of_compare_does() -> None:
    X, y = load_repairs()
    learners = {"1-NN": pc.KNNClassifier(1)}
    for rows, start in ((5, 1), (96, 9), (480, 30)):
        taken = np.arange(rows) % 96
        curve = prequential(learners, X.take(taken), y[taken], scores="accuracy")
        found = compare(learners, X.take(taken), y[taken], scores="accuracy", splits="prequential")
        assert (curve.start, found.cells[0].test) == (start, rows - start)
        assert curve.final()["1-NN"] == pytest.approx(found.mean("1-NN"))
        assert str(found).splitlines()[0] == f"{rows} rows: prequential, the last {rows - start} predicted"
        assert found.plot().get_title() == str(found).splitlines()[0]
        assert f"{rows - start} rows, each predicted before it was learned; {start} rows were" in str(curve)
    with pytest.raises(ValueError, match="prequential: got one row, which leaves no training rows"):
        prequential(learners, X.take([0]), y[:1])


def test_failures_are_told_and_others_go_on() -> None:
    X, y = load_repairs()
    learners = {"5-NN": pc.KNNClassifier(5), "Bayes": pc.NaiveBayes()}
    for scores in ("accuracy", None):  # the learner's own stream would leave out the first rows
        curve = prequential(learners, X, y, start=2, scores=scores)
        assert curve.failures["5-NN"].startswith("TooFewRowsError: ")
        assert np.isnan(curve.final()["5-NN"])
        assert np.isfinite(curve.final()["Bayes"])
    assert str(curve).splitlines()[-1].startswith("  5-NN failed: TooFewRowsError: ")
    curve = prequential(Perceptron(), [[float(n)] for n in range(30)], ["a", "b", "b"] * 10)
    assert curve.reasons[("Perceptron()", "log_score")] == "the learner has no predict_proba"
    assert "  Perceptron() has no log_score: the learner has no predict_proba" in str(curve)


def test_ctrl_c_returns_the_learners_that_are_finished() -> None:
    X, y = load_repairs()
    Interrupted.fits = 0
    curve = prequential({"Bayes": pc.NaiveBayes(), "cut": Interrupted(at=3)}, X, y, scores="accuracy")
    assert not curve.complete
    assert np.isfinite(curve.final()["Bayes"])
    assert np.isnan(curve.final()["cut"])
    assert "not complete: interrupted before all learners had finished" in str(curve)


def test_a_curve_prints_frames_and_plots() -> None:
    losses = np.array([[[1.0, 0.0, 1.0, 1.0]], [[0.0, 0.0, 1.0, np.nan]]])
    curve = PrequentialCurve(("one", "two"), (OURS["accuracy"],), 6, losses, 2, {"two": "ValueError: no"})
    assert str(curve).splitlines() == [
        "accuracy so far: 4 rows, each predicted before it was learned; 6 rows were learned first",
        "  rows seen    one    two",
        "          7  1.000  0.000",
        "          8  0.500  0.000",
        "          9  0.667  0.333",
        "         10  0.750      -",
        "",
        "accuracy of the last 2 rows",
        "  rows seen    one    two",
        "          7      -      -",
        "          8  0.500  0.000",
        "          9  0.500  0.500",
        "         10  1.000      -",
        "  two failed: ValueError: no",
    ]
    assert repr(curve) == str(curve)
    assert curve.markdown().count("**") == 4
    assert curve._repr_html_().count("<table>") == 2
    frame = curve.frame("pandas")
    assert frame.columns.tolist() == ["learner", "row", "score", "value", "so_far", "windowed"]
    assert frame["row"].tolist() == [6, 7, 8, 9] * 2
    assert frame["so_far"][:4].tolist() == pytest.approx([1, 0.5, 2 / 3, 0.75])
    ax = curve.plot()
    assert [line.get_label() for line in ax.lines] == ["one", "two"]
    assert ax.lines[0].get_xdata().tolist() == [7, 8, 9, 10]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), curve.windowed()[0])
    assert ax.get_ylabel() == "accuracy of the last 2 rows"


def test_without_a_window_all_rows_so_far_are_drawn() -> None:
    curve = prequential(pc.KNNRegressor(1), [[n % 5] for n in range(30)], np.arange(30.0) % 5, start=3)
    assert [score.name for score in curve.scores] == ["rmse", "mae"]
    assert "windowed" not in curve.frame("pandas")
    ax = curve.plot("mae")
    assert ax.get_ylabel() == "mae so far"
    assert ax.lines[0].get_ydata().tolist() == curve.so_far("mae")[0].tolist()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"start": 0}, "start must be None or an int in the range [1, 96)"),
        ({"start": 96}, "start must be"),
        ({"window": 88}, "window must be None or an int in the range [1, 88)"),
        ({"window": 2.5}, "window must be"),
        (
            {"scores": "balanced_accuracy"},
            "scores must be means over rows such as 'accuracy'",
        ),
        ({"shuffle": "yes"}, "shuffle"),
    ],
)
def test_words(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=r"prequential: ") as caught:
        prequential(pc.NaiveBayes(), *load_repairs(), **options)
    assert words in str(caught.value)


def test_words_of_the_result() -> None:
    curve = prequential(pc.NaiveBayes(), *load_repairs())
    for call, words in (
        (lambda: curve.windowed(), "window must be an int in the range [1, 88)"),
        (lambda: curve.windowed(window=88), "window must be"),
        (lambda: curve.so_far("rmse"), "score must be a str among {'accuracy'"),
        (lambda: curve.frame("dask"), "PrequentialCurve.frame: backend must be"),  # type: ignore[arg-type]
    ):
        with pytest.raises(pc.exceptions.PriorcaseError) as caught:
            call()
        assert words in str(caught.value)
