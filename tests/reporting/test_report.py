"""Reports: what is measured, and what is found where something was hidden for it to find."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
import pytest
from commands import only
from reference import reporting as reference
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import priorcase as pc
from priorcase.exceptions import EvaluationError, ParameterError, PriorcaseError, SchemaError, TargetError
from priorcase.reporting import Report, report
from priorcase.reporting.comparison import Budget, compare_learners, deal, parse_budget, pilot, sample_rows
from priorcase.reporting.findings import find_outliers, measure_importance
from priorcase.reporting.learners import Candidate, Scaled, candidates
from priorcase.reporting.predictions import Bin, Calibration, OutOfFold, explain, out_of_fold
from priorcase.reporting.summary import calibration, importance
from priorcase.reporting.summary import rows as about_rows
from priorcase.reporting.table import read_problem

FEW: dict[str, Any] = {"bayes": pc.NaiveBayes(numeric="mdl"), "near": pc.KNNClassifier(5, prior=1.0)}
ALL: dict[str, Any] = {"typical": lambda row: True}
LINES: dict[str, Any] = {"planes": pc.LocallyWeightedRegressor(20)}


def planted(n: int = 300, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Two columns that determine the class, and one that does not."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.normal(size=n), "colour": rng.choice(["red", "blue"], n), "noise": rng.normal(size=n)})
    y = np.where(X["x"] + 2.5 * (X["colour"] == "red") > 1.2, "yes", "no")
    return X, y


def text(found: Report) -> str:
    """The summary on one line."""
    return " ".join(str(found).split())


class Clock:
    """Seconds that pass by calls, not by the machine: a thousandth at each look, and what slow learners add."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        self.seconds += 0.001
        return self.seconds


CLOCK = Clock()


@pytest.fixture(scope="module", autouse=True)
def clock() -> Iterator[None]:
    """Nothing here depends on how fast the machine is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("priorcase.reporting.table_report.Budget", lambda total: Budget(total, CLOCK()))
        patch.setattr("priorcase.reporting.comparison.perf_counter", CLOCK)
        patch.setattr("priorcase.reporting.findings.perf_counter", CLOCK)
        yield


@pytest.fixture(scope="module")
def repairs() -> Report:
    X, y = pc.load_repairs()
    return report(X, y, target="job", name="repairs", budget=120, learners=FEW)


@pytest.fixture(scope="module")
def numbers() -> Report:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.uniform(0, 10, 120), "part": rng.choice(["a", "b"], 120), "noise": rng.normal(size=120)})
    y = 3 * X["x"] + np.where(X["part"] == "a", 10, 0) + rng.normal(0, 1, 120)
    y[17] += 60
    return report(X, y, target="rent", budget=120, learners={**LINES, "near": pc.KNNRegressor(5)})


# -- comparison


def test_learners_share_their_splits_and_each_row_is_predicted_out_of_fold(repairs: Report) -> None:
    last, problem = repairs.compared[-1], repairs.problem
    splits = [
        split for repeat in range(last.result.repeats) for split in deal(problem, 5, random_state=0, repeat=repeat)
    ]
    proba = np.zeros((96, 4))
    for split in splits:
        model = Scaled(pc.NaiveBayes(numeric="mdl")).fit(problem.X.take(split.train), problem.y[split.train])
        proba[split.test] += model.predict_proba(problem.X.take(split.test))
    found = out_of_fold(last, problem, "bayes")
    np.testing.assert_allclose(found.proba, proba / last.result.repeats)
    assert {cell.learner for cell in last.result.cells} == {"baseline", "bayes", "near"}
    assert len(last.result.cells) == 3 * len(splits)


def test_the_chosen_learner_has_the_best_log_score(repairs: Report) -> None:
    scores = [one.scores["log_score"][0] for one in repairs.compared[-1].standings]
    assert scores == sorted(scores, reverse=True)
    assert repairs.verdict.chosen == repairs.compared[-1].standings[0].name
    assert repairs.verdict.beats_baseline


def test_nested_estimates_and_scores_of_the_table_are_told_apart(repairs: Report) -> None:
    scores = repairs.compared[-1].standings[0].scores["log_score"]
    estimate = {**repairs.verdict.estimate, "log_score": (-0.568, 0.012)}
    found = replace(repairs, verdict=replace(repairs.verdict, same_choice=3, estimate=estimate))
    sentences = [one for one in json.loads(found.json())["summary"] if "in the table is" in one]
    assert len(sentences) == 1
    table, _, nested = sentences[0].partition("The nested estimate for new rows is")
    assert f"{scores[0]:.3f}" in table
    assert "-0.568 ± 0.012" in nested
    assert sentences[0].replace("-0", "\u22120").replace("± ", "±\xa0") in found.html()
    before, _, note = text(found).partition("learner accuracy")
    assert "nested estimate" not in before
    assert "(nested estimate). The score of the selected learner is optimistic" in note
    assert "(nested estimate)." in found.html()
    same = replace(repairs, verdict=replace(repairs.verdict, same_choice=repairs.verdict.folds))
    assert "optimistic" not in same.html() + str(same)


def test_nothing_beats_the_baseline_where_there_is_nothing_to_learn() -> None:
    rng = np.random.default_rng(1)
    found = report(rng.normal(size=(150, 3)), rng.choice(["a", "b"], 150), budget=60, learners=FEW)
    assert not found.verdict.beats_baseline
    assert "better than the baseline" in text(found) or "beats the baseline" in text(found)
    X = pd.DataFrame({"gone": [np.nan] * 60})
    found = report(X, rng.choice(["u", "v"], 60), budget=60, learners={"near": pc.KNNClassifier(50, prior=3.0)})
    assert "Most important" not in str(found)
    assert "can be replaced" not in str(found)
    assert found.table.columns[0].remark == "all missing"


def test_large_tables_are_measured_on_a_sample_first() -> None:
    X, y = planted(8200)
    problem = read_problem(X, y, name="large", target="y")
    some = [one for one in candidates(problem, random_state=0) if one.name in ("baseline", "naive_bayes")]
    sample, whole = compare_learners(
        problem, some, Budget(60.0, CLOCK()), random_state=0, n_jobs=None, say=lambda _: None
    )
    assert sample.on_sample
    assert abs(sample.rows.size - 2000) < 100
    assert whole.rows.size == 8200
    assert not whole.on_sample


def test_samples_are_stratified() -> None:
    y = np.array(["a"] * 900 + ["b"] * 100)
    rows = sample_rows(read_problem(np.arange(1000.0)[:, None], y, name="t", target="y"), 100, random_state=0)
    assert rows.size == 100
    assert np.count_nonzero(y[rows] == "b") == 10


def test_the_same_seed_gives_the_same_report() -> None:
    X, y = planted(60)

    def content() -> Iterator[Any]:
        data = json.loads(report(X, y, budget=120, learners=FEW, random_state=3).json())
        yield from (data[key] for key in ("verdict", "calibration", "importance", "explained", "suspects", "outliers"))

    assert list(content()) == list(content())


# -- probabilities


class Fixed(ClassifierMixin, BaseEstimator):
    """Predicts the first column, with a probability of its own."""

    def __init__(self, certain: float = 0.99) -> None:
        self.certain = certain

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_ = np.unique(y)
        self.rows_ = len(X)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        first = np.asarray(X["says"]) == self.classes_[0]
        return np.where(first[:, None], [self.certain, 1 - self.certain], [1 - self.certain, self.certain])


class Boastful(Fixed):
    """Careful where it learns from few rows, and certain where it learns from more: no temperature can suit both."""

    def predict_proba(self, X: Any) -> np.ndarray:
        self.certain = 0.55 if self.rows_ < 150 else 1 - 1e-12
        return super().predict_proba(X)


def hints(n: int, right: float) -> tuple[pd.DataFrame, np.ndarray]:
    """A column that says the class, and how often it is right."""
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes"], n)
    other = np.where(y == "no", "yes", "no")
    return pd.DataFrame({"says": np.where(rng.random(n) < right, y, other), "noise": rng.normal(size=n)}), y


def test_the_temperature_is_the_best_for_training_rows_left_out() -> None:
    X, y = hints(200, 0.75)
    problem = read_problem(X, y, name="t", target="y")
    bayes = pc.NaiveBayes(numeric="student")  # no cut points, which targets would choose
    for learner, left_out in (
        (Fixed(), Fixed().fit(problem.X, y).predict_proba(problem.X)),
        (bayes, clone(bayes).fit(problem.X, y).loo_predict_proba()),
    ):
        model = Scaled(learner).fit(problem.X, y)
        frequencies = [(np.sum(y == label) + 0.5) / 201 for label in ("no", "yes")]
        truth = (y == "yes").astype(int)
        best = reference.temperature(left_out.tolist(), truth.tolist(), frequencies)
        assert model.temperature_ == pytest.approx(best, rel=0.01)
        alone = model.model_.predict_proba(problem.X)
        np.testing.assert_array_equal(model.predict_proba(problem.X).argmax(axis=1), alone.argmax(axis=1))
    certain = Scaled(Fixed(0.9)).fit(problem.X, y).predict_proba(problem.X).max()
    assert certain == pytest.approx((X["says"] == y).mean(), abs=0.01)


def test_learners_are_scaled_before_they_are_compared() -> None:
    X, y = hints(300, 0.85)
    found = report(X, y, budget=60, learners={"sure": Fixed(1 - 1e-9), "bayes": pc.NaiveBayes()})
    scores = {one.name: one.scores["log_score"][0] for one in found.compared[-1].measured}
    assert scores["sure"] > -0.5 > scores["baseline"]
    assert found.verdict.by == "log_score"


def test_predictions_may_be_better_than_their_probabilities() -> None:
    X, y = hints(200, 0.8)
    found = report(X, y, budget=60, learners={"boastful": Boastful()})
    scores = {one.name: one.scores["log_score"][0] for one in found.compared[-1].measured}
    assert scores["boastful"] < scores["baseline"]
    assert (found.verdict.chosen, found.verdict.by, found.verdict.beats_baseline) == ("boastful", "accuracy", True)
    for said in (text(found), " ".join(json.loads(found.json())["summary"])):
        assert "significantly better than the class frequencies, but boastful is more accurate than always" in said
        assert "Recommended if only the predicted class matters: boastful. Expected accuracy on new rows: " in said
        assert "beats the baseline" not in said
        assert "better than the baseline" not in said
    assert "boastful is more accurate than always" in found.html()
    guessing = report(X[["noise"]].assign(says="no"), y, budget=60, learners={"boastful": Boastful()})
    assert "is more accurate than always" not in text(guessing)


# -- time and failures


class Slow(ClassifierMixin, BaseEstimator):
    """A learner that takes its time."""

    def fit(self, X: Any, y: Any) -> Self:
        CLOCK.seconds += 0.4
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.full(len(X), self.classes_[0])


class Cubic(Slow):
    """A learner that takes a thousand times as long for ten times the rows."""

    def fit(self, X: Any, y: Any) -> Self:
        CLOCK.seconds += 0.05 * (len(X) / 45) ** 3
        self.classes_ = np.unique(y)
        return self


class Failing(Slow):
    def fit(self, X: Any, y: Any) -> Self:
        raise ValueError("no such thing\nat all")


def test_pilots_see_that_time_grows_faster_than_rows() -> None:
    X, y = planted(1000)
    found = pilot(Candidate("cubic", "Cubic", "", Cubic()), read_problem(X, y, name="t", target="y"), random_state=0)
    assert found.at(1000) > 0.05 * (750 / 45) ** 3 / 2
    assert found.at(found.affordable(7.0)) == pytest.approx(7.0, rel=0.05)


class Stack(Slow):
    """A learner as slow as the stack on a machine of half the speed; its first fits import modules."""

    imported: ClassVar[set[bool]] = set()

    def fit(self, X: Any, y: Any) -> Self:
        boosted = len(X) >= 50
        CLOCK.seconds += 0.0 if boosted in self.imported else 3.0
        self.imported.add(boosted)
        CLOCK.seconds += 0.3 + 0.005 * len(X) if boosted else 0.2
        self.classes_ = np.unique(y)
        return self


class Busy(Slow):
    """A learner on a machine that is busy until some moment."""

    until: ClassVar[float] = 0.0

    def fit(self, X: Any, y: Any) -> Self:
        CLOCK.seconds += 0.002 * len(X) * (40 if CLOCK.seconds < self.until else 1)
        self.classes_ = np.unique(y)
        return self


def compared_with(learner: Any, rows: int, budget: float = 60.0) -> Any:
    """The stack in place of which this learner stands, compared with others in ten folds."""
    X, y = planted(rows)
    problem = read_problem(X, y, name="t", target="y")
    some = [one for one in candidates(problem, random_state=0) if one.name in ("baseline", "naive_bayes")]
    tried = [*some, Candidate("stacked", "Stack", "", learner), Candidate("slow", "Slow", "", Slow())]
    clock = Budget(budget, CLOCK())
    return compare_learners(problem, tried, clock, random_state=0, n_jobs=None, say=lambda _: None)[-1]


@pytest.mark.parametrize("rows", [96, 209, 300])
def test_the_stack_is_measured_on_all_rows_of_small_tables(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("priorcase.reporting.comparison._FOLDS", 10)
    Stack.imported.clear()
    found = compared_with(Stack(), rows)
    assert {one.name: one.fitted_to for one in found.measured} == dict.fromkeys(found.result.learners)
    assert len(found.result.learners) == 4
    assert found.short_of_time == ()


def test_samples_grow_while_time_is_left() -> None:
    Busy.until = CLOCK.seconds + 12.0
    found = compared_with(Busy(), 300)
    assert found.standing("stacked").fitted_to is None
    cells = [cell for cell in found.result.cells if cell.learner == "stacked"]
    assert sorted((cell.repeat, cell.split) for cell in cells) == [(0, split) for split in range(5)]
    Busy.until = CLOCK.seconds + 1000.0
    found = compared_with(Busy(), 300)
    stack = found.standing("stacked")
    assert 20 < stack.fitted_to < 240
    assert stack.needed > 60
    assert found.sufficient_budget(60.0) >= 60 + stack.needed / 0.6


class Costly(RegressorMixin, BaseEstimator):
    """Predicts the mean, slowly."""

    def fit(self, X: Any, y: Any) -> Self:
        CLOCK.seconds += 0.2 * len(X)
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.full(len(X), self.mean_)


def test_scores_on_samples_are_marked_and_not_called_worse() -> None:
    X, _ = planted(120)
    found = report(X, 3 * X["x"] + X["noise"], budget=60, learners={**LINES, "stacked": Costly()})
    rows = found.compared[-1].standing("stacked").fitted_to
    assert rows is not None
    assert rows < 96
    assert found.verdict.chosen == "planes"
    assert found.verdict.beats_baseline
    assert found.verdict.runner_up is None
    told = text(found)
    assert "Runner-up" not in told
    assert f"stacked (sample of {rows} rows)" in told
    sample = f"stacked ({rows} of 120 rows) was fitted to a sample because the time budget was too short. "
    assert f"{sample}If fitted to all rows, it would probably score better" in told
    assert "and it may be better than planes" in told
    assert "Pass a larger budget, such as " in told
    assert f"fitted to a sample of {rows} rows" in found.html()
    data = json.loads(found.json())
    assert any("was fitted to a sample" in sentence for sentence in data["summary"])
    assert {one["name"]: one["fitted_to"] for one in data["comparisons"][-1]["learners"]}["stacked"] == rows


def test_a_budget_that_is_too_short_to_tell_is_named() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    found = report(X, rng.choice(["a", "b"], 300), budget=0.01)
    told = text(found)
    assert not found.verdict.beats_baseline
    assert "The time budget was too short to tell whether a learner beats the baseline." in told
    assert "No learner" not in told.partition("learner accuracy")[0]
    missing = len(found.compared[-1].unmeasured)
    assert missing > 5
    assert f"{missing} learners were not measured. " in told
    assert "budget=" not in told
    some = report(X, rng.choice(["a", "b"], 300), budget=3, learners={**FEW, "slow": Slow()})
    assert "The time budget was too short to tell" in text(some)
    assert (
        "2 learners, measured on all rows, do not beat the baseline significantly. 1 learner was not measured."
        in text(some)
    )
    own = report(X, X[:, 0], budget=60, learners={"stacked": Costly()})
    assert "too short to tell" in text(own)


def test_the_best_so_far_is_no_recommendation(repairs: Report) -> None:
    last, verdict = repairs.compared[-1], replace(repairs.verdict, beats_baseline=False)
    short = replace(last, standings=tuple(replace(one, needed=100.0) for one in last.standings))
    told = text(replace(repairs, compared=(short,), verdict=verdict))
    assert "too short to tell whether a learner beats the baseline." in told
    assert f"Best so far, but not significantly better than the baseline: {verdict.chosen}. Expected accuracy" in told
    assert "Recommended" not in told


def test_learners_without_a_score_are_listed_with_the_reason() -> None:
    X, y = planted(60)
    found = report(X, y, budget=3, learners={**FEW, "slow": Slow(), "failing": Failing()})
    reasons = {one.name: one.reason for one in found.compared[-1].standings}
    assert reasons["slow"].startswith("not measured: ")
    assert reasons["failing"] == "failed: ValueError: no such thing"
    assert "slow" in found.html()


def test_learners_are_not_tried_with_too_many_columns() -> None:
    rng = np.random.default_rng(0)
    wide = read_problem(rng.normal(size=(40, 130)), rng.choice(["a", "b"], 40), name="wide", target="y")
    names = ("baseline", "naive_bayes", "tree_averaged_bayes")
    some = [one for one in candidates(wide, random_state=0) if one.name in names]
    found = compare_learners(wide, some, Budget(60.0, CLOCK()), random_state=0, n_jobs=None, say=lambda _: None)[-1]
    reasons = {one.name: one.reason for one in found.standings}
    assert reasons["tree_averaged_bayes"] == "not measured: too many columns (130; limit: 120)"
    assert reasons["naive_bayes"] == ""


def test_a_report_without_time_says_so() -> None:
    found = report(*planted(100), budget=0.01, learners={"slow": Slow()})
    assert found.verdict.chosen == "baseline"
    assert "No learner could be measured in the time allowed" in text(found)
    assert found.skipped == ("unusual rows: no time was left",)
    assert found.next_steps.python == found.next_steps.commands == ()
    assert "Next steps" not in found.html()


@pytest.mark.parametrize("task", ["classify", "regress"])
def test_the_stack_and_the_nearest_cases_are_measured_in_any_time(task: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = planted(100)
    found = report(X, y if task == "classify" else X["x"] + X["noise"], budget=0.01)
    measured = {one.name: one.fitted_to for one in found.compared[-1].measured}
    assert set(measured) == {"baseline", "stacked", "tuned_knn"}
    assert measured["baseline"] is None
    for name in ("stacked", "tuned_knn"):
        assert measured[name] is not None
        assert measured[name] < 80
        assert {cell.test for cell in found.compared[-1].result.cells if cell.learner == name} == {20}
    assert f"fitted to a sample of {measured['stacked']} rows because the time budget was too short" in found.html()
    assert f"(sample of {measured['stacked']} rows)" in str(found)
    only(monkeypatch, "stacked", "tuned_knn", regressors=("stacked", "tuned_knn"))  # whatever else there is
    enough = report(X, y if task == "classify" else X["x"] + X["noise"], budget=600)
    assert {one.name: one.fitted_to for one in enough.compared[-1].measured} == dict.fromkeys(measured)


@pytest.mark.parametrize("place", [slice(0, 1), slice(None)], ids=["one cell", "all cells"])
@pytest.mark.parametrize("task", ["classify", "regress"])
def test_numbers_too_large_for_distances_are_reported_on(place: slice, task: Any) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"big": rng.normal(size=80), "x": rng.normal(size=80), "c": rng.choice(["a", "b"], 80)})
    X.loc[X.index[place], "big"] = (1e308 * rng.uniform(-1, 1, 80))[place]
    X.loc[0, "big"] = 1e308
    y = np.where(X["x"] > 0, "u", "v") if task == "classify" else 2 * X["x"] + 1
    learners: dict[str, Any] = {"bayes": pc.SubsetAveragedBayes(numeric="mdl"), "near": pc.KNNClassifier()}
    if task == "regress":
        learners = {"near": pc.KNNRegressor(), "rbf": pc.RBFNetworkRegressor(random_state=0)}
    found = report(X, y, budget=60, learners=learners)
    assert found.table.columns[0].high == 1e308
    assert len(found.table.columns[0].bars) == 16
    if task == "classify":
        assert found.verdict.chosen == "bayes"
        skipped = any(line.startswith("explained predictions: ") and "so large" in line for line in found.skipped)
        assert skipped != bool(found.explained)  # Bayes needs distances for counterfactuals only
    assert any("so large" in one.reason for one in found.compared[-1].unmeasured)
    assert "1e+308" in found.html()
    assert json.loads(found.json())["table"]["columns"][0]["high"] == 1e308


# -- targets


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (
            ["u"] * 59 + ["v"],
            "only one class has two rows or more; expected at least two classes with two rows or more, and",
        ),
        (list(map(str, range(60))), "every class has a single row; expected"),
        (
            [f"note {i}" for i in range(56)] + ["paid", "paid", "open", "open"],
            "only 4 of 60 rows have a class with two rows or more",
        ),
    ],
)
def test_a_target_without_repeated_classes_is_refused(y: list[str], words: str) -> None:
    with pytest.raises(EvaluationError, match=f"target 'y' in which {words}"):
        report(planted(60)[0], y, target="y", budget=60, learners=FEW)


def test_a_text_target_of_which_nothing_is_predicted_right() -> None:
    X, _ = planted(60)
    y = [f"note {i % 30}" for i in range(60)]
    found = report(
        X[["noise"]], y, budget=60, learners={"bayes": pc.NaiveBayes(), "near": pc.KNNClassifier(1, prior=1)}
    )
    assert len(found.problem) == 60
    X, y = pd.DataFrame({"x": np.arange(12) % 2}), ["a", "b"] * 6  # each row is predicted from five of the other class
    problem = read_problem(X, y, name="t", target="y")
    proba = np.where((problem.y == "a")[:, None], [0.1, 0.9], [0.9, 0.1])
    labels, nobody = np.array(["a", "b"]), np.zeros(12, dtype=np.int64)
    wrong = OutOfFold(np.arange(12), labels, proba, labels[proba.argmax(axis=1)], problem.y, nobody, 0)
    assert "clear" not in [one.kind for one in explain(problem, wrong, pc.NaiveBayes(), **ALL)]


def test_classes_of_one_row_are_not_scored() -> None:
    X, y = planted(80)
    y = y.astype(object)
    y[0] = "once"
    found = report(X, y, budget=60, learners=FEW)
    assert len(found.problem) == 79
    assert np.isfinite(found.verdict.estimate["log_score"][0])


# -- findings


def test_calibration_counts_every_row_once(repairs: Report) -> None:
    assert repairs.calibration is not None
    bins = repairs.calibration.bins
    assert sum(one.rows for one in bins) == repairs.calibration.rows == 96
    assert {type(one.rows) for one in bins} == {int}
    error = sum(one.rows * abs(one.predicted - one.observed) for one in bins) / 96
    assert repairs.calibration.error == pytest.approx(error)


def test_suspects_are_unlikely_and_compared_with_chance(repairs: Report) -> None:
    found = out_of_fold(repairs.compared[-1], repairs.problem, repairs.verdict.chosen)
    suspects = repairs.suspects
    assert suspects is not None
    assert suspects.by_chance == pytest.approx(reference.unlikely_by_chance(found.proba.tolist(), suspects.limit))
    sure = found.proba.max(axis=1) >= 0.5
    assert suspects.found == np.count_nonzero((found.of_truth <= suspects.limit) & sure)
    for one in suspects.rows:
        assert one.actual == repairs.problem.y[one.row] != one.predicted
        assert one.probability == pytest.approx(found.of_truth[one.row])
        assert one.against is not None
        assert 0 <= one.against <= suspects.asked == 1


def test_wrong_labels_are_found() -> None:
    X, y = planted()
    wrong = [3, 50, 120, 200, 280]
    clear = [row for row in wrong if abs(X["x"][row] + 2.5 * (X["colour"][row] == "red") - 1.2) > 0.9]
    y[wrong] = np.where(y[wrong] == "yes", "no", "yes")
    found = report(X, y, budget=600, learners={"near": pc.KNNClassifier(15, prior=0.5), "pebls": pc.PEBLS()}).suspects
    assert found is not None
    assert len(clear) >= 3
    assert {one.row for one in found.rows} >= set(clear)
    worst = pc.PEBLS().fit(X, y).suspects(200)  # its records begin with one use that was right
    uses = {id: (used - 1, right - 1) for id, used, right in zip(worst.ids, worst.used, worst.correct, strict=True)}
    told = [one for one in found.rows if one.used is not None]
    assert told
    assert [(one.used, one.correct) for one in told] == [uses[one.row] for one in told]


def test_of_many_classes_a_row_is_not_suspect_unless_another_is_likely() -> None:
    rng = np.random.default_rng(0)
    kinds = np.repeat(np.arange(30), 6)
    y = np.array([f"class {k:02}" for k in kinds])
    found = report((kinds + 3 * rng.normal(size=180))[:, None], y, budget=60, learners={"bayes": pc.NaiveBayes()})
    assert found.suspects is not None
    assert found.suspects.found < 10
    assert "always predicting class 00: 3.3%" in text(found)


def test_important_columns_are_found(numbers: Report) -> None:
    X, y = planted()
    found = report(X, y, budget=60, learners={"near": pc.KNNClassifier(5, prior=1.0)}).importance
    assert found is not None
    by_name = {one.name: one for one in found.columns}
    assert by_name["colour"].loss > 5 * by_name["colour"].error
    assert by_name["x"].loss > 5 * by_name["x"].error
    assert by_name["noise"].loss < 0.1 * by_name["colour"].loss
    assert (by_name["noise"].relevance or 0) < 0.5 < (by_name["colour"].relevance or 0)
    assert numbers.importance is not None
    assert [one.name for one in numbers.importance.columns] == ["x", "part", "noise"]
    assert numbers.importance.columns[0].relevance is None
    assert max(one.weight or 0 for one in numbers.importance.columns) == 1.0


def test_a_column_that_determines_the_target_is_named() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.choice(["u", "v"], 100), rng.random(100)
    found = report(pd.DataFrame({"a": a, "b": b}), a, target="y", budget=60, learners={"good": pc.IB3(random_state=0)})
    assert "Most important column: a." in text(found)
    assert "a determines y: the estimates in this report are meaningful only if" in text(found)
    exact = report(pd.DataFrame({"a": b, "b": rng.random(100)}), 2 * b + 1, budget=60, learners=LINES)
    assert "Most important column: a." in text(exact)


def test_columns_are_most_important_only_if_the_first_one_is_significant(numbers: Report) -> None:
    assert numbers.importance is not None
    x, part, noise = numbers.importance.columns
    assert list(importance(numbers)) == ["Most important columns: **x and part**."]
    doubtful = replace(numbers.importance, columns=(replace(x, error=x.loss), part, noise))
    told = "Largest effect: x; only the effect of **part** is significant."
    assert list(importance(replace(numbers, importance=doubtful))) == [told]
    more = [replace(x, name=f"x{i}", error=x.loss) for i in range(5)]
    both = replace(numbers.importance, columns=(*more, part, replace(part, name="age, years"), noise))
    told = "Largest effects: x0, x1 and x2; only the effects of **'part' and 'age, years'** are significant."
    assert list(importance(replace(numbers, importance=both))) == [told]


def test_importance_has_enough_test_rows_on_a_machine_without_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows of a small table, and 200 rows of a large one."""
    hours = iter(range(0, 10**9, 3600))
    monkeypatch.setattr("priorcase.reporting.findings.perf_counter", lambda: float(next(hours)))
    options: dict[str, Any] = {"random_state": 0, "say": lambda _: None}
    X, y = pc.load_repairs()
    visits = read_problem(X[:90], y[:90], name="visits", target="job")
    busy = measure_importance(visits, pc.NaiveBayes(), 5, allowed=0.1, **options)
    assert busy.rows == 90
    assert busy == measure_importance(visits, pc.NaiveBayes(), 5, allowed=math.inf, **options)
    large = read_problem(*planted(5000), name="large", target="y")
    found = measure_importance(large, pc.NaiveBayes(), 5, allowed=0.1, **options)
    assert found.rows == 200
    assert found.columns[0].loss > 2 * found.columns[0].error


def test_lack_of_evidence_is_not_called_unimportance(repairs: Report) -> None:
    assert repairs.importance is not None
    measured = repairs.importance
    none = tuple(replace(one, loss=0.1, error=0.1) for one in measured.columns)

    def said(rows: int, of: int) -> str:
        table = replace(repairs, problem=repairs.problem.taken(np.arange(of) % 96))
        return " ".join(importance(replace(table, importance=replace(measured, columns=none, rows=rows))))

    few = "Too few test rows (18) to tell which columns are important. Pass a larger budget"
    assert said(18, 96).startswith(few)
    assert said(200, 5000).startswith("Too few test rows (200)")
    assert said(20, 20) == "Too few rows (20) to tell which columns are important."
    for rows, of in ((96, 96), (1000, 5000)):
        assert said(rows, of) == (
            "No single column is significantly important, probably because several columns contain the same "
            "information."
        )


def test_unusual_rows_are_found_with_the_unusual_value() -> None:
    X, y = planted()
    for column in ("code", "shade", "hue"):
        X[column] = np.where(X["colour"] == "red", "r", "b")
    X.loc[77, ["code", "hue"]] = "b" if X["colour"][77] == "red" else "r"
    X.loc[5, "x"] = 40.0
    found = report(X, y, budget=60, learners=FEW)
    assert found.outliers is not None
    rows = found.outliers.rows
    assert [one.row for one in rows[:2]] == [5, 77]
    assert rows[0].values[0].column == "x"
    assert {one.column for one in rows[1].values} <= {"colour", "code", "shade", "hue"}
    assert rows[0].tail == pytest.approx(1 / 300)
    assert "less likely" not in found.html()


def test_expected_codes_are_whole_numbers() -> None:
    rng = np.random.default_rng(0)
    code, x = rng.choice([0, 1], 300, p=[0.3, 0.7]), rng.normal(size=300)
    X = pd.DataFrame({"code": code, "same": code, "x": x})
    X.loc[7, "code"] = 9
    X.loc[8, "x"] = 99.5
    outliers = find_outliers(
        read_problem(X, np.where(code, "a", "b"), name="t", target="y"), random_state=0, n_jobs=None
    )
    expected = {(row.row, one.column): one.expected for row in outliers.rows for one in row.values}
    assert expected[7, "code"] in ("0", "1")
    assert "." in expected[8, "x"]


def test_what_no_learner_beats_is_not_recommended() -> None:
    """Forty classes of noise: equal probabilities have a better log-score than the class frequencies of a fold."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=120), "b": rng.choice(list("xyz"), 120)})
    learners = {"rbf": pc.RBFNetworkClassifier(random_state=0), "bayes": pc.NaiveBayes()}
    found = report(X, [f"class {i % 40}" for i in range(120)], budget=60, learners=learners)
    assert found.verdict.baseline is not None
    assert found.verdict.baseline.significant
    assert not found.verdict.beats_baseline
    for said in (text(found), found.html()):
        assert "No learner is significantly better than the baseline." in said
        assert "Recommended" not in said
        assert "Expected accuracy" not in said


def test_an_accuracy_below_that_of_the_most_frequent_class_is_not_recommended(repairs: Report) -> None:
    frequent, size = repairs.table.target.values[0]
    for accuracy in (size / 96, size / 96 - 0.01):
        estimate = {**repairs.verdict.estimate, "accuracy": (accuracy, 0.01)}
        said = text(replace(repairs, verdict=replace(repairs.verdict, estimate=estimate)))
        assert f"is not more accurate than always predicting {frequent} (" in said
        assert "its probabilities are better than the class frequencies (by log-score)" in said
        assert "Recommended" not in said
        assert "Expected accuracy" not in said
        unsure = replace(repairs.verdict, estimate=estimate, beats_baseline=False)
        assert "Expected accuracy" not in text(replace(repairs, verdict=unsure))


def test_the_recommendation_names_the_score_that_selected(repairs: Report, numbers: Report) -> None:
    title = repairs.compared[-1].title(repairs.verdict.chosen)
    assert f"Recommended: {title}, selected by log-score. Expected accuracy" in text(repairs)
    assert f"<strong>{title}</strong>, selected by log-score. " in repairs.html()
    assert "Sorted by log-score, which rewards good probabilities" in text(repairs)
    assert ", selected by root mean squared error. " in text(numbers)
    assert "log-score" not in text(numbers)


def test_the_exception_to_a_good_calibration_is_told_with_its_figures_if_it_is_significant(repairs: Report) -> None:
    usual = [Bin(low / 10, low / 10 + 0.1, 100, low / 10 + 0.05, low / 10 + 0.05) for low in (5, 7, 8, 9)]

    def said(*bins: Bin) -> str:
        return " ".join(calibration(replace(repairs, calibration=Calibration((*usual, *bins), 0.042, 400))))

    overall = (
        "The predicted probabilities are **well calibrated**: on average they differ by 4.2 points from observed "
        "frequencies."
    )
    exception = (
        "The least reliable probabilities are those from 60% to 70%: of the 33 predictions in this range, only 42.4% "
        "were right."
    )
    assert said(Bin(0.6, 0.7, 33, 0.66, 14 / 33)) == f"{overall} {exception}"
    assert said(Bin(0.6, 0.7, 33, 0.66, 0.55)) == overall
    assert said(Bin(0.6, 0.7, 21, 0.66, 0.45)) == overall  # 2 standard errors
    assert said(Bin(0.6, 0.7, 19, 0.66, 0.1)) == overall


def test_as_many_suspects_as_by_chance_are_no_evidence(repairs: Report) -> None:
    assert repairs.suspects is not None

    def said(found: int, by_chance: float) -> list[str]:
        suspects = replace(repairs.suspects, found=found, by_chance=by_chance)
        one = replace(repairs, suspects=suspects)
        return [next(about_rows(one)), one.html(), str(suspects)]

    for found, by_chance, than in ((2, 3.9, "about as many as"), (6, 3.2, "about as many as"), (1, 3.9, "fewer than")):
        sentence, page, part = said(found, by_chance)
        told = f"{than} expected by chance ({by_chance})"
        assert sentence == f"{found} row{'s' * (found > 1)} to check for a wrong job; {told}."
        assert told in page
        assert f" to check for a wrong target; {told}" in part
    sentence, page, part = said(7, 3.2)  # P(N >= 7) = 0.045
    assert sentence == "**7 rows** may have a wrong job; about 3.2 are expected by chance."
    assert "about as many as" not in sentence + page + part
    assert said(1, 0.0)[0] == "**1 row** may have a wrong job; about 0 are expected by chance."


def test_technical_notes_stand_at_the_end_of_the_page(repairs: Report, numbers: Report) -> None:
    before, _, end = repairs.html().partition("For analysts:")
    assert "temperature" not in before
    assert "temperature scaling" in end
    assert "StackedClassifier</code>" not in before + end
    assert "temperature" not in numbers.html()


def test_predictions_are_explained_by_a_fit_without_them(repairs: Report) -> None:
    assert [one.kind for one in repairs.explained] == ["clear", "doubtful", "wrong"]
    for one in repairs.explained:
        assert one.actual == repairs.problem.y[one.row]
        assert (one.actual == one.predicted) == (one.kind == "clear") or one.kind == "doubtful"
        assert one.output == one.probabilities[0][1] == max(share for _, share in one.probabilities)
        assert sum(share for _, share in one.probabilities) == pytest.approx(1.0)
        assert one.row not in [each.row for each in one.precedents]
        distances = [each.distance for each in one.precedents if not each.unlike]
        assert distances == sorted(distances)
        assert all(each.target == repairs.problem.y[each.row] for each in one.precedents)
        amounts = [abs(column.amount) for column in one.columns]
        assert amounts == sorted(amounts, reverse=True)
        assert bool(one.changes) == bool(one.otherwise)
        assert one.otherwise != one.predicted
    assert "<p>Three rows, predicted by" in repairs.html()
    assert "<p>Two rows, predicted by" in replace(repairs, explained=repairs.explained[:2]).html()


def test_examples_of_typical_rows_are_typical() -> None:
    X, y = planted(300)
    for targets, learner in ((y, pc.NaiveBayes()), ((X["x"] + X["noise"]).to_numpy(), pc.KNNRegressor(3))):
        problem = read_problem(X, targets, name="t", target="y")
        labels = np.unique(y) if problem.classes else np.empty(0)
        first = (targets == labels[0]) if problem.classes else np.zeros(300)
        proba = np.abs(np.array([0.0, 1.0]) - 0.01 * np.linspace(5, 70, 300)[:, None])[np.arange(300)]
        proba = np.where(np.asarray(first)[:, None].astype(bool), proba[:, ::-1], proba)
        predicted = labels[proba.argmax(axis=1)] if problem.classes else targets + np.linspace(-1, 1, 300)
        found = OutOfFold(np.arange(300), labels, proba, predicted, problem.y, np.zeros(300, dtype=np.int64), 0)
        every = explain(problem, found, learner, **ALL)
        usual = {one.row for one in every if one.kind not in ("wrong", "far off")}
        assert len(usual) == 2 - problem.classes  # this model is certain of the doubtful row
        again = explain(problem, found, learner, typical=set(range(300)).difference(usual).__contains__)
        assert not usual & {one.row for one in again if one.kind not in ("wrong", "far off")}


def test_rows_are_called_the_same_in_all_sections() -> None:
    X, y = planted(300)
    wrong = np.arange(3, 300, 15)
    y[wrong] = np.where(y[wrong] == "yes", "no", "yes")
    X.loc[wrong[:3], "x"] = 50.0
    X.loc[[8, 9], "noise"] = -50.0
    found = report(X, y, budget=600, learners=FEW)
    assert found.suspects is not None
    assert found.outliers is not None
    suspects, outliers = {one.row for one in found.suspects.rows}, {one.row for one in found.outliers.rows}
    assert {8, 9} <= outliers
    names = {
        (False, False): "typical",
        (True, False): "suspect",
        (False, True): "outlier",
        (True, True): "suspect and outlier",
    }
    data = json.loads(found.json())
    for one in [*data["suspects"]["rows"], *data["outliers"]["rows"], *data["explained"]]:
        assert one["row_kind"] == names[one["row"] in suspects, one["row"] in outliers] == found.row_kind(one["row"])
    for one in found.explained:
        assert found.row_kind(one.row) == "typical" or one.kind == "wrong"


def test_lists_of_rows_are_complete() -> None:
    X, y = planted(400)
    wrong = np.arange(3, 400, 20)
    y[wrong] = np.where(y[wrong] == "yes", "no", "yes")
    X.loc[np.arange(10, 20), "noise"] = np.linspace(-90, 90, 10)
    found = report(X, y, budget=600, learners=FEW)
    assert found.suspects is not None
    assert found.outliers is not None
    assert len(found.suspects.rows) == found.suspects.found > 8
    assert {one.row for one in found.outliers.rows} >= set(range(10, 20))
    data, page = json.loads(found.json()), found.html()
    assert len(data["suspects"]["rows"]) == found.suspects.found
    suspects, outliers = page.partition('id="suspects"')[2].split('id="outliers"')
    for section, rows, shown in ((suspects, found.suspects.rows, 8), (outliers, found.outliers.rows, 5)):
        before, _, after = section.partition("<details>")
        first, rest = before.count('<th scope="row">'), after.partition("</details>")[0]
        assert f"{len(rows) - shown} more rows</summary>" in rest
        assert f'<th scope="row">{rows[0].row}' in before
        assert f'<th scope="row">{rows[-1].row}' in rest
        assert first >= shown


def test_lists_of_columns_and_classes_are_complete() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"column {a:02}": rng.normal(size=130) for a in range(65)})
    y = [f"class {i % 21:02}" for i in range(126)] + [f"once {i}" for i in range(4)]
    X["column 00"] = [float(label[-2:]) for label in y[:126]] + [0.0] * 4
    found = report(X, y, budget=600, learners={"bayes": pc.NaiveBayes(numeric="mdl")})
    data, page = json.loads(found.json()), found.html()
    assert [name for name, _ in data["table"]["target"]["values"]] == sorted(set(y))
    assert len(data["importance"]["columns"]) == len(data["explained"][0]["columns"]) == 65
    table = page.partition('id="table"')[2].partition("</section>")[0]
    assert "once 3" in table.partition("and 21 more</summary>")[2].partition("</details>")[0]
    assert "column 64" in table.partition("5 more columns</summary>")[2].partition("</details>")[0]
    for key, more in (("importance", "35 less important columns"), ("explained", "57 more columns")):
        section = page.partition(f'<section id="{key}"')[2].partition("</section>")[0]
        rest = section.partition(f"<details><summary>{more}</summary>")[2].partition("</details>")[0]
        assert rest.count('<th scope="row"') == int(more.split()[0])


def test_examples_are_what_they_are_called() -> None:
    for seed in (0, 5, 6):  # where another fit would give other examples
        rng = np.random.default_rng(seed)
        n = int(rng.integers(60, 250))
        X = pd.DataFrame({"x": rng.normal(size=n), "part": rng.choice(["a", "b"], n), "noise": rng.normal(size=n)})
        y = np.where(X["x"] + rng.normal(0, [0.1, 1, 3][seed % 3], n) > 0, "u", "v")
        if seed % 3 == 0:
            y = np.where(rng.random(n) < 0.05, "w", y)
        for one in report(X, y, budget=600, learners=FEW).explained:
            first, second = (share for _, share in one.probabilities[:2])
            assert first - second <= 0.5 or one.kind != "doubtful"
            assert first - second >= 0.25 or one.kind != "clear"


def test_a_class_of_which_all_rows_were_set_aside() -> None:
    X, _ = planted(200)
    rare = np.arange(200) < 2
    problem = read_problem(X, np.where(rare, "rare", "usual"), name="t", target="y")
    labels, proba = np.unique(problem.y), np.where(rare[:, None], [0.49, 0.51], [0.03, 0.97])
    nobody = np.zeros(200, dtype=np.int64)
    found = OutOfFold(np.arange(200), labels, proba, labels[proba.argmax(axis=1)], problem.y, nobody, 0)
    assert [one.kind for one in explain(problem, found, pc.NaiveBayes(), **ALL)] == ["clear"]


def test_large_errors_are_found(numbers: Report) -> None:
    assert numbers.problem.task == "regress"
    assert numbers.verdict.chosen == "planes"
    assert numbers.suspects is not None
    assert numbers.suspects.rows[0].row == 17
    assert numbers.suspects.by_chance == pytest.approx(120 * 0.000465, rel=0.01)  # beyond 3.5 of a normal distribution
    assert "(errors of 3.5 robust standard deviations or more). With normally distributed errors, about 0.1" in text(
        numbers
    )
    assert "about 0.1 such rows are expected if errors are normally distributed" in numbers.html()
    dear = report(np.arange(40.0)[:, None], 9e4 + 1e3 * np.arange(40.0) % 17e3, budget=60, learners=LINES)
    assert {one.predicted.replace(",", "").isdigit() for one in dear.explained} == {True}
    assert [one.kind for one in numbers.explained] == ["close", "typical", "far off"]
    assert numbers.explained[-1].row == 17
    assert numbers.calibration is not None
    assert numbers.calibration.half is not None
    assert numbers.calibration.nine_tenths is not None
    assert 0 < numbers.calibration.half < numbers.calibration.nine_tenths < 60


# -- learners


def test_other_learners_get_the_table_in_the_callers_form() -> None:
    X, y = planted(60)
    plain = X[["x", "noise"]]
    for table in (plain, plain.to_numpy()):
        found = report(table, y, budget=20, learners={"tree": DecisionTreeClassifier(max_depth=2, random_state=0)})
        assert {one.name for one in found.compared[-1].measured} == {"baseline", "tree"}
    tree = DecisionTreeRegressor(max_depth=3, random_state=0)
    found = report(plain, plain["x"] * 2, budget=20, learners={"tree": tree})
    assert found.verdict.chosen == "tree"


def test_default_learners_suit_the_table() -> None:
    X, y = pc.load_repairs()
    named = read_problem(X, y, name="t", target="y")
    names = [one.title for one in candidates(named, random_state=0)]
    assert names[0] == "Baseline"
    assert "Naive Bayes (Student t densities)" in names
    learners = [repr(one.learner) for one in candidates(named, random_state=0)]  # without defaults
    assert len(set(learners)) == len(learners)
    symbols = read_problem(X[["bike", "noise"]], y, name="t", target="y")
    assert "Naive Bayes (Student t densities)" not in [one.title for one in candidates(symbols, random_state=0)]
    for one in candidates(symbols, random_state=0):
        one.learner.fit(symbols.X, symbols.y).predict(symbols.X)


@pytest.mark.parametrize("task", ["classify", "regress"])
def test_the_python_expression_of_each_learner_makes_it(task: Any) -> None:
    X, y = pc.load_repairs()
    problem = read_problem(X, y if task == "classify" else np.arange(96) / 7, name="t", target="y")
    found = [one for one in candidates(problem, random_state=0) if one.name != "baseline"]
    assert len({one.name for one in found}) == len({one.title for one in found}) == len(found) > 3
    for one in found:
        if "Tuned" not in one.fit:  # which would take long
            model = eval(one.fit, {"pc": pc, "X": problem.X, "y": problem.y})
            made = one.learner.fit(problem.X, problem.y)
            assert type(model) is type(made.learner if isinstance(made, Scaled) else made)
            np.testing.assert_array_equal(model.predict(problem.X), made.predict(problem.X))


@pytest.mark.parametrize("form", [None, "pandas", "polars", "pyarrow", "rows"])
def test_the_python_lines_run_as_printed(form: Any) -> None:
    X, y = pc.datasets.load("repairs", frame=None)
    frame = X.frame("pandas")
    frame["visit"] = [f"visit {i}" for i in range(96)]
    X = pc.datasets.NamedColumns.of({**X.data, "visit": frame["visit"].tolist()}, {**X.kinds, "visit": pc.Nominal()})
    table = X if form is None else frame.astype(object).to_numpy().tolist() if form == "rows" else X.frame(form)
    learners = {"bayes": pc.NaiveBayes(numeric="mdl")}
    lines = report(table, y, budget=60, learners=learners).next_steps.python
    space: dict[str, Any] = {"X": table, "y": y, "learners": learners}
    exec("\n".join(lines), space)
    assert eval(lines[-1].removeprefix("print"), space).shape == (5, 4)
    assert space["model"].n_features_in_ == 9


# -- parameters


def test_budgets_are_read() -> None:
    assert [parse_budget(given) for given in (60, "60", "90s", "2min", "1 h")] == [60.0, 60.0, 90.0, 120.0, 3600.0]


@pytest.mark.parametrize("given", ["soon", 0, -1, True, None, "10 years", "inf"])
def test_what_is_no_budget(given: Any) -> None:
    with pytest.raises(ParameterError, match="budget must be"):
        parse_budget(given)


def test_bad_parameters_are_refused() -> None:
    X, y = planted(20)
    with pytest.raises(ParameterError, match="learners must be"):
        report(X, y, learners=[pc.KNNClassifier()])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="the name 'baseline'"):
        report(X, y, learners={"baseline": pc.KNNClassifier()})
    with pytest.raises(ParameterError, match="task must be"):
        report(X, y, task="regres")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"learners\['near'\].*fit and predict"):
        report(X, y, learners={"near": 5})
    with pytest.raises(ParameterError, match=r"got budgte=, .* Did you mean 'budget'"):
        report(X, y, budgte="5s")
    with pytest.raises(ParameterError, match="target must be a string"):
        report(X, y, target=5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (pd.DataFrame(np.zeros((20, 2)), columns=["x", "x"]), "more than one column named 'x'"),
        (pd.DataFrame({"x": [np.inf] + [1.0] * 19}), "infinity.*'x'"),
        (pd.DataFrame({"x": [{"a": 1}] * 20}), "'x' contains a dict"),
    ],
)
def test_tables_that_no_learner_takes_are_refused(columns: pd.DataFrame, words: str) -> None:
    with pytest.raises(PriorcaseError, match=words):
        report(columns, ["u", "v"] * 10, learners=FEW)


def test_the_target_may_be_named_by_y(tmp_path: Path) -> None:
    X, y = planted(40)
    frame = X.assign(state=y)[["state", *X]]
    frame.to_csv(tmp_path / "t.csv", index=False)
    learners = {"bayes": pc.NaiveBayes()}
    for table in (frame, tmp_path / "t.csv"):
        found = report(table, "state", learners=learners, progress=False)
        assert (found.problem.target, found.problem.task) == ("state", "classify")
        assert [column.name for column in found.table.columns] == list(X)
    assert report(frame, "state", target="state", learners=learners, progress=False).problem.target == "state"
    with pytest.raises(PriorcaseError, match=r"has no column 'stat'; .* Did you mean 'state'"):
        report(frame, "stat", learners=learners)
    with pytest.raises(TargetError, match="got y='state' and target='x'"):
        report(frame, "state", target="x", learners=learners)
    with pytest.raises(TargetError, match="got y='state', the name of a column, and rows without column names"):
        report(X.to_numpy(), "state", learners=learners)


def test_kinds_are_declared_for_files_and_frames(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"n": range(40), "hour": [i % 24 for i in range(40)], "size": ["S", "M"] * 20, "c": [0, 1] * 20}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    schema = {"n": "numeric", "hour": pc.Circular(period=24), "size": ["S", "M"], "c": "nominal"}
    learners = {"bayes": pc.NaiveBayes()}
    for X in (frame, tmp_path / "t.csv"):
        given = {name: kind for name, kind in schema.items() if name != "c" or X is not frame}
        found = report(X, target="c", learners=learners, schema=given, progress=False)
        assert [(column.kind, column.used) for column in found.table.columns] == [
            ("numeric", True),
            ("circular", True),
            ("ordinal", True),
        ]
    left_out = report(frame, target="c", learners=learners, progress=False)
    assert left_out.table.ignored == ("n",)
    assert "Dropped: n (identifies rows)." in str(left_out)
    with pytest.raises(SchemaError, match="got 'nominl' as the kind of column 'size'"):
        report(frame, target="c", schema={"size": "nominl"})
