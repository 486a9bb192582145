"""Comparisons of learners on the splits of a table, against plain loops."""

from __future__ import annotations

import gc
import sys
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from curve_learners import Stubborn
from matplotlib import pyplot
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from tables import COLUMNS, labels, mixed_rows

import priorcase as pc
from priorcase.evaluation import Folds, Holdout, Score, brier_score, compare, log_score
from priorcase.evaluation.running import seed_of
from priorcase.evaluation.scoring import Task

X, Y = mixed_rows(40), labels(40)
NUMBERS = np.random.default_rng(3).normal(size=(60, 3))
TWO = np.where(NUMBERS[:, 0] + 0.5 * NUMBERS[:, 1] > 0, "yes", "no")
TARGET = NUMBERS @ [1.0, -2.0, 0.5]


def folds(n: int = 4, seed: int = 0, repeat: int = 0, y: Any = Y) -> list[Any]:
    task = Task("classes", np.array(y), np.unique(y))
    return list(Folds(n).deal(task, random_state=seed, repeat=repeat))


def taken(rows: Any) -> tuple[list[Any], list[Any]]:
    return [X[i] for i in rows], [Y[i] for i in rows]


def test_scores_of_classes_are_those_of_a_plain_loop() -> None:
    found = compare({"3-NN": pc.KNNClassifier(3, prior=1.0)}, X, Y, splits=4, repeats=2, random_state=5)
    places = [split for repeat in range(2) for split in folds(seed=5, repeat=repeat)]
    for name in ("accuracy", "log_score", "brier"):
        expected = []
        for split in places:
            model = pc.KNNClassifier(3, prior=1.0).fit(*taken(split.train))
            rows, truth = taken(split.test)
            proba = model.predict_proba(rows)
            scores = {
                "accuracy": lambda m=model, r=rows, t=truth: float(np.mean(m.predict(r) == t)),
                "log_score": lambda p=proba, t=truth, m=model: log_score(t, p, labels=m.classes_),
                "brier": lambda p=proba, t=truth, m=model: brier_score(t, p, labels=m.classes_),
            }
            expected.append(scores[name]())
        assert found.values(name)[0] == pytest.approx(expected)
    assert found.mean("3-NN") == pytest.approx(found.values()[0].mean())


def test_scores_of_numbers_are_those_of_a_plain_loop() -> None:
    found = compare(Ridge(), NUMBERS, TARGET, splits=[(range(40), range(40, 60)), (range(20, 60), range(20))])
    for place, (train, test) in enumerate([(slice(40), slice(40, 60)), (slice(20, 60), slice(20))]):
        missed = Ridge().fit(NUMBERS[train], TARGET[train]).predict(NUMBERS[test]) - TARGET[test]
        spread = TARGET[test] - TARGET[test].mean()
        expected = [np.mean(missed**2) ** 0.5, np.mean(abs(missed)), 1 - np.sum(missed**2) / np.sum(spread**2)]
        assert [found.values(name)[0, place] for name in ("rmse", "mae", "r2")] == pytest.approx(expected)


def test_standard_errors_are_nadeaus_and_bengios() -> None:
    found = compare(LogisticRegression(), NUMBERS, TWO, splits=5, repeats=3)
    values = found.values("accuracy")[0]
    assert found.test_to_train == pytest.approx(1 / 4)
    assert found.standard_error("LogisticRegression()") == pytest.approx(((1 / 15 + 1 / 4) * values.var(ddof=1)) ** 0.5)


def test_scorers_and_functions_are_taken_as_scikit_learn_takes_them() -> None:
    splitter = StratifiedKFold(4, shuffle=True, random_state=0)
    scores = {
        "auc": "roc_auc",
        "scorer": make_scorer(roc_auc_score, response_method="decision_function"),
        "by_hand": lambda learner, rows, truth: float(np.mean(learner.predict(rows) == truth)),
        "error": lambda truth, predicted: -float(np.mean(truth != predicted)),
    }
    found = compare(LogisticRegression(), NUMBERS, TWO, splits=splitter, scores=scores)
    theirs = cross_val_score(LogisticRegression(), NUMBERS, TWO, cv=splitter, scoring="roc_auc")
    assert found.values("auc")[0] == pytest.approx(theirs)
    assert found.values("scorer")[0] == pytest.approx(theirs)
    accuracy = cross_val_score(LogisticRegression(), NUMBERS, TWO, cv=splitter)
    assert found.values("by_hand")[0] == pytest.approx(accuracy)
    assert found.values("error")[0] == pytest.approx(accuracy - 1)


def test_scorers_can_ask_answers_that_were_left_out() -> None:
    found = compare(GaussianNB(), NUMBERS, TWO, splits="loo", scores=["roc_auc", "accuracy", "f1_macro"])
    proba = np.array(
        [
            GaussianNB().fit(np.delete(NUMBERS, i, axis=0), np.delete(TWO, i)).predict_proba(NUMBERS[i : i + 1])[0, 1]
            for i in range(60)
        ]
    )
    assert found.mean("GaussianNB()", "roc_auc") == pytest.approx(roc_auc_score(TWO, proba))
    assert not np.isnan(found.mean("GaussianNB()", "f1_macro"))


def test_a_score_of_ones_own_says_which_way_is_better() -> None:
    worst = Score(
        "worst", "predicted", of_all=lambda a: float(abs(a.predicted - a.truth).max()), greater_is_better=False
    )
    found = compare({"ridge": Ridge(), "mean": DummyRegressor()}, NUMBERS, TARGET, scores=[worst, "mae"], splits=3)
    assert found.best("worst") == found.best("mae") == "ridge"


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_any_number_of_jobs_gives_the_same(backend: str) -> None:
    learners = {"forest": RandomForestClassifier(5), "3-NN": pc.KNNClassifier(3), "bad": Stubborn()}
    alone = compare(learners, NUMBERS, TWO, splits=3, repeats=2)
    with joblib.parallel_config(backend=backend):
        together = compare(learners, NUMBERS, TWO, splits=3, repeats=2, n_jobs=2)
    for score in alone.scores:
        np.testing.assert_array_equal(alone.values(score.name), together.values(score.name))
    other = compare(learners, NUMBERS, TWO, splits=3, repeats=2, random_state=1)
    assert (other.values("log_score")[0] != alone.values("log_score")[0]).any()
    assert together.failures == {"bad": "ValueError: no such luck"}


def test_each_split_has_a_seed_of_its_own() -> None:
    assert len({seed_of(0, repeat, split) for repeat in range(5) for split in range(10)}) == 50


def test_names_of_learners_have_no_addresses() -> None:
    class Own:
        pass

    def apart(a: Any, b: Any) -> float:
        return 0.0

    learners = [pc.KNNClassifier(distance=apart), pc.KNNClassifier(distance=lambda a, b: 0), pc.NaiveBayes(prior=Own())]
    assert list(compare(learners, X, Y, splits=2).learners) == [
        "KNNClassifier(distance=apart)",
        "KNNClassifier(distance=<lambda>)",
        "NaiveBayes(prior=Own)",
    ]


def test_learners_are_not_changed() -> None:
    forest = RandomForestClassifier(3)
    compare(forest, NUMBERS, TWO, splits=2)
    assert forest.random_state is None
    assert not hasattr(forest, "classes_")


def test_a_failing_learner_is_a_line_with_its_reason() -> None:
    found = compare({"bad": Stubborn(), "guess": DummyClassifier()}, X, Y, splits=4)
    assert found.complete
    assert np.isnan(found.mean("bad"))
    assert found.best() == "guess"
    assert "bad failed: ValueError: no such luck" in str(found)
    assert set(found.frame().query("learner == 'bad'")["reason"]) == {"ValueError: no such luck"}
    sometimes = compare({"bad": Stubborn(rows=26), "guess": DummyClassifier()}, X, Y, splits=3)
    assert "failed on 1 of 3 splits" in str(sometimes) or "failed on 2 of 3 splits" in str(sometimes)
    assert not np.isnan(sometimes.mean("bad"))


def test_a_failing_score_is_an_empty_cell_with_its_reason() -> None:
    found = compare({"svc": LinearSVC(), "tree": LogisticRegression()}, NUMBERS, TWO, splits=3)
    assert np.isnan(found.mean("svc", "log_score"))
    assert found.best("log_score") == "tree"
    assert "svc has no log_score: the learner has no predict_proba" in str(found)
    broken = compare(DummyClassifier(), NUMBERS, TWO, scores={"broken": lambda truth, predicted: 1 / 0}, splits=3)
    assert "DummyClassifier() has no broken: ZeroDivisionError" in str(broken)
    with pytest.raises(pc.exceptions.EvaluationError, match="no value of 'broken' for any learner"):
        broken.best()


def test_a_class_that_was_not_learned_is_impossible() -> None:
    y = ["a"] * 20 + ["b"] * 19 + ["c"]
    found = compare(pc.NaiveBayes(), X, y, splits=5)
    values = found.values("log_score")[0]
    assert np.isneginf(values).sum() == 1
    assert found.mean("NaiveBayes()", "log_score") == -np.inf
    assert np.isnan(found.standard_error("NaiveBayes()", "log_score"))


def test_tiny_probabilities_are_asked_for_as_logarithms() -> None:
    rows = np.concatenate([np.zeros((20, 400)), np.ones((20, 400))])
    y = np.array([0] * 20 + [1] * 20)
    y[0] = 1  # at a place where every column speaks for the other class
    found = compare(
        pc.NaiveBayes(numeric="gaussian"), rows + np.random.default_rng(0).normal(0, 0.05, rows.shape), y, splits=4
    )
    assert (found.values("log_score") < -100).any()
    assert np.isfinite(found.values("log_score")).all()


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame(X, columns=list(COLUMNS)),
        pl.DataFrame(X, schema=list(COLUMNS), orient="row"),
        pa.table(pd.DataFrame(X, columns=list(COLUMNS))),
    ],
    ids=["pandas", "polars", "arrow"],
)
def test_tables_of_any_make_give_the_same(table: Any) -> None:
    plain = compare(pc.KNNClassifier(3), X, Y, splits=4)
    framed = compare(pc.KNNClassifier(3), table, Y, splits=4)
    np.testing.assert_array_equal(plain.values(), framed.values())


def test_built_in_tables_and_pipelines() -> None:
    table, target = pc.datasets.load("repairs", frame=None)
    learner = {"pipe": make_pipeline(StandardScaler(), LogisticRegression()), "5-NN": pc.KNNClassifier()}
    assert compare(learner, NUMBERS, TWO, splits=3).best() in learner
    found = compare({"5-NN": pc.KNNClassifier(), "guess": DummyClassifier()}, table, target, splits=3)
    assert found.best() == "5-NN"
    framed = compare({"5-NN": pc.KNNClassifier(), "guess": DummyClassifier()}, table.frame("pandas"), target, splits=3)
    np.testing.assert_array_equal(found.values("brier"), framed.values("brier"))


def test_ctrl_c_returns_what_is_finished() -> None:
    splits = [(range(10 + i), range(30, 40)) for i in range(4)]
    learners = {"guess": DummyClassifier(), "stop": Stubborn(KeyboardInterrupt, rows=12)}
    found = compare(learners, NUMBERS, TWO, splits=splits)
    assert not found.complete
    assert (~np.isnan(found.values())).tolist() == [[True, True, True], [True, True, False]]
    assert "not complete: interrupted before all splits were finished; finished splits: guess 3, stop 2" in str(found)
    with joblib.parallel_config(backend="threading"):
        assert not compare(learners, NUMBERS, TWO, splits=splits, n_jobs=2).complete


def test_ctrl_c_goes_on_where_nothing_is_finished() -> None:
    with pytest.raises(KeyboardInterrupt):
        compare(Stubborn(KeyboardInterrupt), NUMBERS, TWO, splits=3)
    with pytest.raises(KeyboardInterrupt):
        compare(Stubborn(KeyboardInterrupt), NUMBERS, TWO, splits="loo")


def test_ctrl_c_while_rows_are_left_out_keeps_whole_learners() -> None:
    learners = {"bayes": pc.NaiveBayes(), "stop": Stubborn(KeyboardInterrupt)}
    found = compare(learners, NUMBERS, TWO, splits="loo")
    assert not found.complete
    assert [cell.learner for cell in found.cells] == ["bayes"]


def test_ranks_and_the_best_treat_equals_alike() -> None:
    found = compare({"a": DummyClassifier(), "b": DummyClassifier(), "bad": Stubborn()}, X, Y, splits=4)
    assert found.ranks("accuracy")[:2].tolist() == [1.5, 1.5]
    assert np.isnan(found.ranks("accuracy")[2])
    assert found.best() == "a"


def test_prequential_is_predict_then_learn() -> None:
    found = compare(pc.KNNClassifier(2, prior=1.0), X, Y, splits=pc.evaluation.Prequential(5))
    model = pc.KNNClassifier(2, prior=1.0)
    model.partial_fit(X[:5], Y[:5], classes=["a", "b", "c"])
    hits, logs = [], []
    for i in range(5, 40):
        hits.append(float(model.predict(X[i : i + 1])[0] == Y[i]))
        logs.append(log_score(Y[i : i + 1], model.predict_proba(X[i : i + 1]), labels=model.classes_))
        model.partial_fit(X[i : i + 1], Y[i : i + 1])
    name = found.learners[0]
    assert (found.mean(name), found.mean(name, "log_score")) == pytest.approx((np.mean(hits), np.mean(logs)))
    assert found.standard_error(name) == pytest.approx(np.std(hits, ddof=1) / 35**0.5)
    refit = compare(DummyClassifier(), NUMBERS, TWO, splits="prequential")
    assert refit.cells[0].test == 54
    assert refit.cells[0].rows.tolist() == list(range(6, 60))


def test_leave_one_out_has_rows_to_pair() -> None:
    learners = {"3-NN": pc.KNNClassifier(3, prior=1.0), "bayes": pc.NaiveBayes()}
    found = compare(learners, X, Y, splits="loo")
    rows = found.row_values("brier")
    assert rows.shape == (2, 40)
    assert found.mean("bayes", "brier") == pytest.approx(rows[1].mean())
    pair = found.paired("brier").tests[0]
    assert pair.difference == pytest.approx((rows[0] - rows[1]).mean())
    assert found.paired("brier").basis == "40 rows"
    with pytest.raises(pc.exceptions.EvaluationError, match=r"not a mean over rows; .* or compare by cross-validation"):
        compare(learners, X, Y, splits="loo", scores="balanced_accuracy").paired()
    with pytest.raises(pc.exceptions.EvaluationError, match=r"has only one split. Use cross-validation"):
        found.friedman()


def test_the_error_of_a_root_is_by_the_delta_method() -> None:
    found = compare(pc.KNNRegressor(3), NUMBERS, TARGET, splits="loo")
    squares = (pc.KNNRegressor(3).fit(NUMBERS, TARGET).loo_predict() - TARGET) ** 2
    error = squares.std(ddof=1) / 60**0.5
    assert found.mean("KNNRegressor(n_neighbors=3)") == pytest.approx(squares.mean() ** 0.5)
    assert found.standard_error("KNNRegressor(n_neighbors=3)") == pytest.approx(error / (2 * squares.mean() ** 0.5))
    assert np.isnan(found.standard_error("KNNRegressor(n_neighbors=3)", "r2"))


def test_random_partitions_learn_from_as_many_rows_as_they_say() -> None:
    found = compare(DummyClassifier(), X, Y, splits=Holdout(0.7), repeats=5)
    assert {(cell.train, cell.test) for cell in found.cells} == {(28, 12)}
    assert len(found.cells) == 5


def test_answers_are_kept_where_asked() -> None:
    found = compare(pc.KNNClassifier(3), X, Y, splits=4, keep_predictions=True)
    cells = found.predictions("KNNClassifier(n_neighbors=3)")
    assert sorted(np.concatenate([cell.rows for cell in cells]).tolist()) == list(range(40))
    assert cells[0].predictions.proba.shape == (10, 3)
    assert compare(pc.KNNClassifier(3), X, Y, splits=4).predictions("KNNClassifier(n_neighbors=3)") == ()


def test_who_failed_on_a_split_does_not_lead_by_being_spared_it() -> None:
    splits = [(range(10 + i), range(30 + 5 * i, 35 + 5 * i)) for i in range(4)]
    dummies = {"spared": Stubborn(rows=10), "sound": Stubborn(rows=99), "twin": Stubborn(rows=99)}
    y = np.array(["no"] * 30 + ["yes"] * 5 + ["no"] * 25)  # the first split is the one that all get wrong
    found = compare(dummies, NUMBERS, y, splits=splits, scores="accuracy")
    assert found.mean("spared") > found.mean("sound")
    assert found.leaders() == ("sound", "twin")
    assert found.best() == "sound"
    lines = str(found).splitlines()
    assert [line.count("*") for line in lines[2:5]] == [0, 1, 1]
    dots = [line.get_color() for line in found.plot().get_lines() if line.get_marker() == "o"]
    assert dots[0] == dots[1] != dots[2]  # both leaders, and above them the one that was spared
    pyplot.close("all")
    failing = compare({"spared": Stubborn(rows=10)}, NUMBERS, y, splits=splits, scores="accuracy")
    assert failing.best() == "spared"


def test_who_finished_fewer_splits_is_compared_on_those() -> None:
    splits = [(range(10 + i), range(30 + 5 * i, 35 + 5 * i)) for i in range(4)]
    learners = {"all": Stubborn(rows=99), "stop": Stubborn(KeyboardInterrupt, rows=11)}
    y = np.array(["no"] * 35 + ["yes"] * 5 + ["no"] * 20)
    found = compare(learners, NUMBERS, y, splits=splits, scores="accuracy")
    assert (found.mean("all"), found.mean("stop")) == (0.5, 1.0)
    assert found.leaders() == ("all", "stop")


class Gappy(RegressorMixin, BaseEstimator):
    """Says 0, and nothing where the first number is large."""

    def fit(self, X: Any, y: Any) -> Gappy:
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X: Any) -> Any:
        return np.where(X[:, 0] > 1, np.nan, 0.0)


def test_scores_that_are_no_numbers_have_a_reason() -> None:
    found = compare({"gappy": Gappy(), "mean": DummyRegressor()}, NUMBERS, TARGET, splits="loo", scores="rmse")
    gaps = int((NUMBERS[:, 0] > 1).sum())
    assert f"gappy has no rmse: {gaps} of 60 predictions are NaN" in str(found)
    splits = [(range(10), [i, i + 1]) for i in range(20, 40)]
    holes = sum((NUMBERS[i : i + 2, 0] > 1).any() for i in range(20, 40))
    found = compare({"gappy": Gappy()}, NUMBERS, TARGET, splits=splits, scores=["rmse", "r2"])
    assert f"gappy has no rmse on {holes} of 20 splits: 1 of 2 predictions are NaN" in str(found)
    single = compare(DummyRegressor(), NUMBERS, TARGET, splits=[(range(10), [11]), (range(10), [12])], scores="r2")
    assert "DummyRegressor() has no r2: the score is not defined on one row" in str(single)


def test_ctrl_c_in_threads_leaves_no_warning_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda lost: left.append(lost.exc_value))
    splits = [(range(10 + i), range(30, 40)) for i in range(4)]
    learners = {"guess": DummyClassifier(), "stop": Stubborn(KeyboardInterrupt, rows=12)}
    for _ in range(15):
        with joblib.parallel_config(backend="threading"):
            assert not compare(learners, NUMBERS, TWO, splits=splits, n_jobs=2).complete
    gc.collect()
    assert left == []


@pytest.mark.parametrize("learner", [DummyClassifier(), DummyClassifier(strategy="most_frequent")])
def test_leaving_one_out_of_balanced_classes_explains_why_the_majority_class_is_always_wrong(learner: Any) -> None:
    rows = NUMBERS[:30]
    for y in (["no", "yes"] * 15, ["a", "b", "c"] * 10):
        found = compare({"guess": learner, "bayes": pc.NaiveBayes(numeric="student")}, rows, y, splits="loo")
        assert found.mean("guess", "accuracy") == 0
        note = str(found).split("\n", 4)[-1]
        assert "accuracy of guess is 0: the classes are equally frequent" in note
        assert "predicting the majority class is always wrong" in note
        assert "accuracy of guess is 0" in found.markdown()
    for y, splits in ((["no"] * 10 + ["yes"] * 20, "loo"), (["no", "yes"] * 15, 5)):
        assert "accuracy of guess is 0" not in str(compare({"guess": learner}, rows, y, splits=splits))


@pytest.mark.parametrize("splits", [3, "loo"])
def test_precomputed_distances_are_split_by_rows_and_columns(splits: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0, "p", "q")
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    means = [
        compare({"knn": pc.KNNClassifier(3, distance=name)}, rows, y, splits=splits, scores="brier").mean(
            "knn", "brier"
        )
        for name, rows in (("precomputed", distances), ("euclidean", X))
    ]
    assert means[0] == pytest.approx(means[1])
