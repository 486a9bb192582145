"""Sets of classes with a guarantee: the definitions, what is proved of them, and the object they come in."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import permutations
from typing import Any

import joblib
import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import conformal as slow
from tables import labels, mixed_rows
from toy_learners import FourNearest

import priorcase as pc
from priorcase.evaluation import ConformalClassifier, PredictionSets
from priorcase.evaluation.conformal import LeftOut

mpl.use("Agg")

POINTS = st.lists(st.tuples(st.integers(0, 6), st.sampled_from("abc")), min_size=4, max_size=9)
SCORES = {"one_minus": slow.one_minus, "aps": slow.adaptive}


def learn(rows: Sequence[Any], y: Sequence[Any]) -> Any:
    """The toy learner as the reference takes one, in exact quarters."""
    model = FourNearest().fit(np.array(rows), np.array(y))

    def shares(row: Any) -> dict[Any, Fraction]:
        return dict(zip(model.classes_.tolist(), map(Fraction, model.predict_proba([row])[0]), strict=True))

    return shares


def split(points: Sequence[tuple[int, str]]) -> tuple[list[list[int]], list[str]]:
    return [[x] for x, _ in points], [y for _, y in points]


@pytest.mark.parametrize("own_class", [False, True])
@pytest.mark.parametrize("score", ["one_minus", "aps"])
@pytest.mark.parametrize("folds", [2, "loo"])
@given(points=POINTS)
@settings(max_examples=10)
def test_the_definition(points: list[tuple[int, str]], folds: Any, score: Any, own_class: bool) -> None:
    rows, y = split(points)
    model = ConformalClassifier(FourNearest(), folds=folds, nonconformity=score, class_conditional=own_class).fit(
        rows, y
    )
    dealt = [fold.tolist() for fold in model._left_out.folds]
    assert model.classes_.tolist() == sorted(set(y))
    queries = [[x] for x in range(0, 7, 2)]
    found, sets = model.p_values(queries), model.predict_set(queries, level=0.75)
    for q, query in enumerate(queries):
        expected = {
            c: slow.p_value(learn, rows, y, dealt, query, c, SCORES[score], own_class=own_class) for c in model.classes_
        }
        assert found[q].tolist() == [float(p) for p in expected.values()]
        assert set(sets.labels[q]) == slow.cross_conformal_set(expected, Fraction(1, 4))
        if not own_class:
            plus = slow.cv_plus_set(learn, rows, y, dealt, query, model.classes_, Fraction(1, 4), SCORES[score])
            assert set(sets.labels[q]) == plus  # Vovk's sets and those of Romano et al. are the same


@pytest.mark.parametrize("score", ["one_minus", "aps"])
@given(points=POINTS, alpha=st.sampled_from([0.1, 0.2, 0.3]))
@settings(max_examples=15)
def test_of_any_rows_no_more_are_missed_than_proved(points: list[Any], alpha: float, score: Any) -> None:
    """Each row in turn is the new one; with ``class_conditional`` the same is true of the rows of each class."""
    held: dict[bool, list[bool]] = {False: [], True: []}
    for t, (x, y) in enumerate(points):
        others = split(points[:t] + points[t + 1 :])
        for own_class, found in held.items():
            model = ConformalClassifier(FourNearest(), folds="loo", nonconformity=score, class_conditional=own_class)
            sets = model.fit(*others).predict_set([[x]], level=1 - alpha)
            # What is proved takes all classes for known; one of which no other row is left is in no set.
            found.append(bool(sets.holds([y])[0]) or y not in others[1])
    bound = 1 - 2 * Fraction(str(alpha))
    assert Fraction(sum(held[False]), len(points)) >= bound
    for c in {y for _, y in points}:
        of_class = [hit for hit, (_, y) in zip(held[True], points, strict=True) if y == c]
        assert Fraction(sum(of_class), len(of_class)) >= bound


def test_over_all_orders_no_more_are_missed_by_folds_than_proved() -> None:
    points = [(0, "a"), (1, "b"), (2, "a"), (2, "b"), (5, "a")]
    held = 0
    for order in permutations(points):
        model = ConformalClassifier(FourNearest(), folds=2).fit(*split(order[:4]))
        held += bool(model.predict_set([[order[4][0]]], level=0.9).holds([order[4][1]])[0])
    assert Fraction(held, 120) >= slow.coverage_bound(Fraction(1, 10), 4, 2)


def test_random_parts() -> None:
    """Randomized scores are those of the definition, with draws that come from the seed."""
    rows, y = split([(0, "a"), (1, "b"), (2, "a"), (3, "c"), (5, "a"), (6, "b")])
    model = ConformalClassifier(FourNearest(), folds="loo", nonconformity="aps", randomized=True, random_state=7).fit(
        rows, y
    )
    draws = np.random.default_rng([7, 0]).random(6)
    for i in range(6):
        others = [j for j in range(6) if j != i]
        shares = learn([rows[j] for j in others], [y[j] for j in others])(rows[i])
        assert model.scores_[i] + 1 == pytest.approx(float(slow.adaptive(shares, y[i], Fraction(draws[i]))), abs=1e-15)
    queries = [[x] for x in range(7)]
    np.testing.assert_array_equal(model.p_values(queries), model.p_values(queries))
    plain = ConformalClassifier(FourNearest(), folds="loo", nonconformity="aps").fit(rows, y)
    assert (model.p_values(queries) != plain.p_values(queries)).any()
    other = ConformalClassifier(FourNearest(), folds="loo", nonconformity="aps", randomized=True, random_state=8).fit(
        rows, y
    )
    assert (model.p_values(queries) != other.p_values(queries)).any()


@pytest.mark.parametrize(
    "learner",
    [
        pc.KNNClassifier(3),
        pc.NaiveBayes(),
        pc.NaiveBayes(numeric="mdl"),
        pc.SubsetAveragedBayes(),
        pc.AODE(),
        pc.IB1(),
        pc.PEBLS(),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_forgetting_a_row_is_fitting_without_it(learner: Any) -> None:
    rows, y = mixed_rows(36, seed=3), labels(36)
    model = ConformalClassifier(learner, folds="loo").fit(rows, y)
    assert model._left_out.pickled
    other = LeftOut(learner, rows, np.array(y), model._left_out.folds)
    for fold in (0, 17, 35):
        queries = mixed_rows(5, seed=fold)
        np.testing.assert_array_equal(
            model._left_out.without(fold).predict_proba(queries), other.without(fold).predict_proba(queries)
        )


@pytest.mark.parametrize("learner", [pc.IB2(), pc.IB3(), pc.IB4()], ids=lambda learner: type(learner).__name__)
def test_learners_with_a_history_are_fitted_anew(learner: Any) -> None:
    model = ConformalClassifier(learner, folds="loo").fit(mixed_rows(36, seed=3), labels(36))
    assert model._left_out.estimator is not None
    assert model.predict_set(mixed_rows(3, seed=1)).inside.shape == (3, 3)


@pytest.mark.parametrize("folds", [4, "loo"])
def test_batches_and_jobs(folds: Any) -> None:
    rows, y, queries = mixed_rows(40), labels(40), mixed_rows(12, seed=9)
    expected = ConformalClassifier(pc.NaiveBayes(), folds=folds).fit(rows, y).p_values(queries)
    jobs = ConformalClassifier(pc.NaiveBayes(), folds=folds, n_jobs=2).fit(rows, y)
    np.testing.assert_array_equal(jobs.p_values(queries), expected)
    with joblib.parallel_config(backend="threading"):
        np.testing.assert_array_equal(jobs.p_values(queries), expected)
        np.testing.assert_array_equal([jobs.p_values([row])[0] for row in queries], expected)


@pytest.mark.parametrize("parameters", [{}, {"nonconformity": "aps"}, {"class_conditional": True, "folds": "loo"}])
def test_other_names_for_the_classes_give_the_same_p_values(parameters: dict[str, Any]) -> None:
    rows, y, queries = mixed_rows(40), labels(40), mixed_rows(12, seed=9)
    names = {"a": "z", "b": "y", "c": "x"}
    model = ConformalClassifier(pc.KNNClassifier(4), **parameters).fit(rows, y)
    other = ConformalClassifier(pc.KNNClassifier(4), **parameters).fit(rows, [names[label] for label in y])
    np.testing.assert_array_equal(other.p_values(queries)[:, ::-1], model.p_values(queries))


def test_threads_may_ask_while_another_one_fits_again() -> None:
    rows, y, queries = mixed_rows(40), labels(40), mixed_rows(6, seed=9)
    model = ConformalClassifier(pc.NaiveBayes(), folds=3).fit(rows, y)
    expected = model.p_values(queries)
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(model.p_values, queries) for _ in range(8)]
        fitted = [pool.submit(model.fit, rows, y) for _ in range(3)]
        assert all(np.array_equal(answer.result(), expected) for answer in asked)
        assert all(answer.result() is model for answer in fitted)


def test_a_class_that_a_fold_has_not_met() -> None:
    """The only row of a class is as strange as can be without itself, and so is every query with that class."""
    rows, y = split([(0, "a"), (1, "a"), (2, "b"), (3, "b"), (4, "c"), (5, "b")])
    model = ConformalClassifier(FourNearest(), folds="loo").fit(rows, y)
    assert model.scores_[4] == 0.0
    one_by_one = [[i] for i in range(6)]
    assert model.p_values([[9]])[0, 2] == float(slow.p_value(learn, rows, y, one_by_one, [9], "c"))


def test_rare_classes_are_in_every_set_of_their_own() -> None:
    rows, y = mixed_rows(40), ["rare", *labels(39, classes=("a", "b"))]
    model = ConformalClassifier(pc.NaiveBayes(), class_conditional=True).fit(rows, y)
    sets = model.predict_set(mixed_rows(20, seed=5), level=0.9)
    assert sets.inside[:, 2].all()
    assert (sets.p_values[:, 2] >= 0.5).all()


# -- the sets


def some_sets() -> PredictionSets:
    inside = np.array([[True, False, False], [True, False, True], [False, False, False]])
    p_values = np.array([[0.5, 0.05, 0.1], [0.25, 0.1, 0.75], [0.1, 0.1, 0.05]])
    return PredictionSets(np.array(["a", "b", "c"]), inside, p_values, 0.9)


def test_sets_print_and_are_cut() -> None:
    sets = some_sets()
    assert str(sets) == (
        "prediction sets at level 0.9: 3 queries, 1.00 classes on average\n"
        "  query  size  classes (p-value)\n"
        "      0     1  a (0.500)\n"
        "      1     2  c (0.750), a (0.250)\n"
        "      2     0  -"
    )
    assert repr(sets[1]).startswith("prediction sets at level 0.9: 1 query, 2.00 classes")
    assert (sets[1].numbers, sets[1:].labels, len(sets)) == ((1,), [["c", "a"], []], 3)
    assert [part.sizes.tolist() for part in sets] == [[1], [2], [0]]
    assert "<table><caption>prediction sets at level 0.9: 3 queries" in sets._repr_html_()
    assert "| 1 | 2 | c (0.750), a (0.250) |" in sets.markdown()
    many = PredictionSets(sets.classes, np.ones((25, 3), dtype=bool), np.ones((25, 3)), 0.9)
    assert str(many).endswith("... and 5 more queries")
    assert many.markdown().endswith("... and 5 more queries")


def test_sets_hold_what_they_hold() -> None:
    assert some_sets().holds(["a", "b", "a"]).tolist() == [True, False, False]
    assert some_sets()[:2].holds(["c", "a"]).tolist() == [False, True]
    assert not some_sets().holds(["d", "d", "d"]).any()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow", None])
def test_sets_as_a_frame(backend: Any) -> None:
    frame = some_sets()[1:].frame(backend)
    columns = {name: list(np.asarray(frame[name])) for name in ("query", "class", "p_value", "inside")}
    assert columns["query"] == [1, 1, 1, 2, 2, 2]
    assert columns["class"] == ["a", "b", "c"] * 2
    assert columns["p_value"] == [0.25, 0.1, 0.75, 0.1, 0.1, 0.05]
    assert columns["inside"] == [True, False, True, False, False, False]


def test_sets_draw_their_sizes() -> None:
    from matplotlib import pyplot

    ax = some_sets().plot()
    assert [bar.get_height() for bar in ax.patches] == [1, 1, 1, 0]
    assert ax.get_title().startswith("Prediction sets at level 0.9: 3 queries")
    assert some_sets().plot(ax=ax) is ax
    pyplot.close(ax.figure)


def test_probabilities_are_those_of_the_model_of_all_rows() -> None:
    rows, y = mixed_rows(40), labels(40)
    model, plain = ConformalClassifier(pc.NaiveBayes()).fit(rows, y), pc.NaiveBayes().fit(rows, y)
    np.testing.assert_array_equal(model.predict_proba(rows), plain.predict_proba(rows))
    np.testing.assert_array_equal(model.predict(rows), plain.predict(rows))
    assert model.score(rows, y) == plain.score(rows, y)
    assert not hasattr(ConformalClassifier(pc.KNNRegressor()), "predict_proba")
