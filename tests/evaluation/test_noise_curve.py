"""Noise curves: the slow way, what is noisy and what is not, storage, jobs, drawings and words."""

from __future__ import annotations

from typing import Any

import joblib  # type: ignore[import-untyped]
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from curve_learners import Interrupted, Spy
from reference import curves as reference
from sklearn.naive_bayes import GaussianNB

import priorcase as pc
from priorcase.datasets import NamedColumns, add_noise, load, make_disjuncts
from priorcase.evaluation import NoiseCurve, learning_curve, noise_curve
from priorcase.evaluation.running import seed_of

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures() -> Any:
    yield
    plt.close("all")


@pytest.mark.parametrize("kind", ["attributes", "classes"])
@pytest.mark.parametrize("noisy_test", [False, True])
def test_a_curve_equals_the_slow_way(kind: Any, noisy_test: bool) -> None:
    X, y = load("repairs", frame=None)
    options: dict[str, Any] = {"class_draw": "others"} if kind == "classes" else {}
    levels = [0.0, 0.2, 0.6]
    curve = noise_curve(
        pc.NaiveBayes(), X, y, kind=kind, levels=levels, noisy_test=noisy_test, repeats=2, random_state=3, **options
    )
    for repeat in range(2):
        order = np.random.default_rng([3, repeat]).permutation(96)
        train, test = order[:67], np.sort(order[67:])
        for number, level in enumerate(levels):
            noisy = {kind: level, **options}
            learned = add_noise(X.take(train), y[train], random_state=seed_of(3, repeat, 0), **noisy)
            asked = (X.take(test), y[test])
            if noisy_test:
                asked = add_noise(*asked, random_state=seed_of(3, repeat, 1), **noisy)
            model = pc.NaiveBayes().fit(*learned)
            expected = reference.scores(model, asked[0].tuples(), asked[1].tolist())
            for score, value in expected.items():
                assert curve.values(score)[0, number, repeat] == pytest.approx(value), (score, level, repeat)


def test_without_noise_it_is_the_end_of_a_learning_curve() -> None:
    X, y = load("repairs", frame=None)
    learners = {"3-NN": pc.KNNClassifier(3), "IB2": pc.IB2()}
    clean = noise_curve(learners, X, y, levels=[0], repeats=3)
    grown = learning_curve(learners, X, y, sizes=[1.0], repeats=3)
    for score in ("accuracy", "log_score", "brier"):
        assert (clean.values(score) == grown.values(score)).all()


def spied(**options: Any) -> tuple[list[Any], list[Any]]:
    """What a spy learned and was asked in two repetitions of two levels, after what a second spy saw was compared."""
    Spy.learned.clear()
    Spy.asked.clear()
    X, y = [[n, 100 + n] for n in range(40)], ["a", "b"] * 20
    noise_curve([Spy("one"), Spy("two")], X, y, levels=[0.3, 0.6], repeats=2, scores="accuracy", **options)
    learned, asked = ([entry for entry in entries if entry[0] == "one"] for entries in (Spy.learned, Spy.asked))
    for entries, mine in ((Spy.learned, learned), (Spy.asked, asked)):
        assert [entry[1:] for entry in entries if entry[0] == "two"] == [entry[1:] for entry in mine]
    return learned, asked


def row_ids(rows: list[Any], column: int) -> list[int]:
    return [row[column] - 100 * column for row in rows]


def test_attribute_noise_is_in_the_training_rows_alone() -> None:
    learned, asked = spied()
    for _, rows, targets in learned:
        kept = [first == second for first, second in zip(row_ids(rows, 0), row_ids(rows, 1), strict=True)]
        assert 0 < sum(kept) < len(kept)
        assert set(targets) == {"a", "b"}
    for _, rows in asked:
        assert row_ids(rows, 0) == row_ids(rows, 1)
    low, high = (np.array(learned[level][1]) for level in (0, 1))
    clean = np.array([[n, 100 + n] for n in np.random.default_rng([0, 0]).permutation(40)[:28]])
    assert ((low == clean) | (low == high)).all()  # what is replaced at a lower level stays so at a higher one
    assert (high != clean).sum() > (low != clean).sum()
    assert learned[0][1] != learned[2][1]


def test_class_noise_leaves_the_attributes() -> None:
    learned, _ = spied(kind="classes", class_draw="others")
    for _, rows, targets in learned:
        assert row_ids(rows, 0) == row_ids(rows, 1)
        wrong = [target != ("a", "b")[row[0] % 2] for row, target in zip(rows, targets, strict=True)]
        assert 0 < sum(wrong) < len(wrong)


def test_test_rows_may_be_noisy_too() -> None:
    _, asked = spied(noisy_test=True)
    assert any(row_ids(rows, 0) != row_ids(rows, 1) for _, rows in asked)


def test_noise_costs_accuracy_and_storage() -> None:
    """IB2's accuracy falls faster than IB1's, and it keeps ever more rows (Aha, Kibler & Albert 1991)."""
    X, y = make_disjuncts(400, random_state=0)
    curve = noise_curve({"IB1": pc.IB1(), "IB2": pc.IB2()}, X, y, levels=[0, 0.25, 0.5], repeats=5, test=200)
    assert [score.name for score in curve.scores] == ["accuracy", "log_score", "brier", "storage"]
    accuracy, storage = curve.mean("accuracy"), curve.mean("storage")
    assert (np.diff(accuracy, axis=1) < 0).all()
    assert accuracy[1, 2] < accuracy[0, 2]
    assert (storage[0] == 1).all()
    assert (np.diff(storage[1]) > 0).all()
    order = np.random.default_rng([0, 0]).permutation(400)[:200]
    assert curve.values("storage")[1, 0, 0] == pc.IB2().fit(X[order], y[order]).storage_


def test_storage_is_left_out_where_nobody_has_it_and_silent_where_some_do_not() -> None:
    X, y = load("repairs", frame=None)
    alone = noise_curve(pc.NaiveBayes(), X, y, levels=[0], repeats=1)
    assert [score.name for score in alone.scores] == ["accuracy", "log_score", "brier"]
    both = noise_curve({"Bayes": pc.NaiveBayes(), "IB3": pc.IB3(random_state=0)}, X, y, levels=[0], repeats=1)
    assert np.isnan(both.mean("storage")[0, 0])
    assert "has no" not in str(both)
    named = noise_curve(pc.IB2(), X, y, levels=[0], repeats=1, scores={"kept": "storage"})
    assert [score.name for score in named.scores] == ["kept"]


def test_numbers_may_be_noisy() -> None:
    X, y = np.arange(60.0).reshape(-1, 1), np.arange(60.0) ** 2
    learners = {"1-NN": pc.KNNRegressor(1), "9-NN": pc.KNNRegressor(9)}
    curve = noise_curve(learners, X, y, kind="classes", levels=[0, 0.5], repeats=3)
    assert (np.diff(curve.mean("rmse"), axis=1) > 0).all()


def test_jobs_change_nothing() -> None:
    X, y = load("repairs", frame=None)
    learners = {"3-NN": pc.KNNClassifier(3), "IB3": pc.IB3()}
    alone = noise_curve(learners, X, y, levels=[0.2], repeats=4)
    with joblib.parallel_config(backend="threading"):
        found = noise_curve(learners, X, y, levels=[0.2], repeats=4, n_jobs=3)
    for score in alone.scores:
        np.testing.assert_array_equal(found.values(score.name), alone.values(score.name))


def test_failures_and_ctrl_c() -> None:
    X, y = load("repairs", frame=None)
    curve = noise_curve({"99-NN": pc.KNNClassifier(99), "Bayes": pc.NaiveBayes()}, X, y, levels=[0, 0.4], repeats=2)
    assert curve.failures["99-NN"].startswith("TooFewRowsError: ")
    assert np.isfinite(curve.mean()[1]).all()
    assert "99-NN failed: TooFewRowsError" in str(curve)
    Interrupted.fits = 0
    cut = noise_curve(Interrupted(at=4), X.tuples(), y, levels=[0, 0.4], repeats=5, scores="accuracy")
    assert not cut.complete
    assert len(cut.cells) == 2


def test_a_curve_prints_frames_and_plots() -> None:
    X, y = load("repairs", frame=None)
    curve = noise_curve(pc.NaiveBayes(), X, y, levels=(0.5, 0), repeats=2)
    assert isinstance(curve, NoiseCurve)
    lines = str(curve).splitlines()
    protocol = "noise in attributes of 67 training rows, 29 clean test rows"
    assert lines[0] == f"accuracy of NaiveBayes(): mean ± usual standard error over 2 repetitions, {protocol}"
    assert [line.split()[0] for line in lines[1:4]] == ["noise", "0", "0.5"]
    assert curve.frame("pandas")["noise"].tolist() == [0, 0.5] * 3
    ax = curve.plot("log_score")
    assert ax.get_xlabel() == "noise level (probability of replacement)"
    assert ax.lines[-1].get_ydata().tolist() == curve.mean("log_score")[0].tolist()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "attribute"}, "kind must be a str among {"),
        ({"levels": [0.1, 1.5]}, "levels must be numbers from 0 to 1"),
        ({"levels": "0.1"}, "levels must be"),
        ({"levels": []}, "levels must be"),
        (
            {"class_draw": "others"},
            "class_draw must be 'distribution' with kind='attributes', got 'others'. Pass kind='classes'",
        ),
        ({"kind": "classes", "class_draw": "any"}, "class_draw must be a str among {"),
        ({"noisy_test": 1}, "noisy_test"),
        ({"test": 0}, "test must be"),
        ({"repeats": 2.5}, "repeats must be"),
    ],
)
def test_words(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=r"noise_curve.* ") as caught:
        noise_curve(pc.NaiveBayes(), *load("repairs", frame=None), **options)
    assert words in str(caught.value)


def test_other_numbers_are_not_drawn() -> None:
    with pytest.raises(ValueError, match="must be 'distribution' for regression"):
        noise_curve(pc.KNNRegressor(), [[1.0], [2.0]], [1.5, 2.5], kind="classes", class_draw="others")


def test_learners_of_others_read_tables_of_this_library() -> None:
    numbers = np.random.default_rng(0).normal(size=(40, 2))
    X = NamedColumns.of({"a": numbers[:, 0], "b": numbers[:, 1]}, {"a": pc.Numeric(), "b": pc.Numeric()})
    y = np.where(numbers.sum(axis=1) > 0, "yes", "no")
    growing: dict[str, Any] = {"sizes": [5, 20], "grow": "partial_fit"}
    for found, expected in (
        (noise_curve(GaussianNB(), table, y, levels=[0.2], repeats=2) for table in (X, numbers)),
        (learning_curve(GaussianNB(), table, y, repeats=2, **growing) for table in (X, numbers)),
    ):
        assert not found.failures
        np.testing.assert_array_equal(found.values("log_score"), expected.values("log_score"))
