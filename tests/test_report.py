"""Reports: what is measured, and what is found where something was hidden for it to find."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from time import sleep
from typing import Any, Self

import numpy as np
import pandas as pd
import pytest
from reference import reporting as reference
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import priorcase as pc
from priorcase.exceptions import EvaluationError, ParameterError
from priorcase.reporting import Report, report
from priorcase.reporting.budget import Budget, parse_budget
from priorcase.reporting.comparing import compare_learners
from priorcase.reporting.contenders import Contender, contenders
from priorcase.reporting.explaining import explain
from priorcase.reporting.left_out import LeftOut, left_out
from priorcase.reporting.measuring import deal, pilot, sample_rows
from priorcase.reporting.problem import read_problem
from priorcase.reporting.sentences import worth_words

FEW: dict[str, Any] = {"bayes": pc.NaiveBayes(numeric="mdl"), "near": pc.KNNClassifier(5, prior=1.0)}


LINES: dict[str, Any] = {"planes": pc.LocallyWeightedRegressor()}


def planted(n: int = 300, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Two columns that tell the class, one that does not."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.normal(size=n), "colour": rng.choice(["red", "blue"], n), "noise": rng.normal(size=n)})
    y = np.where(X["x"] + 2.5 * (X["colour"] == "red") > 1.2, "yes", "no")
    return X, y


@pytest.fixture(scope="module")
def repairs() -> Report:
    X, y = pc.load_repairs()
    return report(X, y, target="job", name="repairs", budget=120, learners=FEW)


@pytest.fixture(scope="module")
def numbers() -> Report:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.uniform(0, 10, 200), "part": rng.choice(["a", "b"], 200), "noise": rng.normal(size=200)})
    y = 3 * X["x"] + np.where(X["part"] == "a", 10, 0) + rng.normal(0, 1, 200)
    y[17] += 60
    learners = {"planes": pc.LocallyWeightedRegressor(), "near": pc.KNNRegressor(5)}
    return report(X, y, target="rent", budget=120, learners=learners)


def test_learners_meet_on_the_same_splits_and_each_row_is_predicted_unseen(repairs: Report) -> None:
    last, problem = repairs.compared[-1], repairs.problem
    splits = [split for repeat in range(last.result.repeats) for split in deal(problem, 10, seed=0, repeat=repeat)]
    proba = np.zeros((96, 4))
    for split in splits:
        model = pc.NaiveBayes(numeric="mdl").fit(problem.X.take(split.train), problem.y[split.train])
        proba[split.test] += model.predict_proba(problem.X.take(split.test))
    found = left_out(last, problem, "bayes")
    np.testing.assert_allclose(found.proba, proba / last.result.repeats)
    assert {cell.learner for cell in last.result.cells} == {"guessing", "bayes", "near"}
    assert len(last.result.cells) == 3 * len(splits)


def test_the_chosen_learner_has_the_best_log_score(repairs: Report) -> None:
    scores = [one.scores["log_score"][0] for one in repairs.compared[-1].standings]
    assert scores == sorted(scores, reverse=True)
    assert repairs.verdict.chosen == repairs.compared[-1].standings[0].name
    assert repairs.verdict.beats_guessing


def test_calibration_counts_every_row_once(repairs: Report) -> None:
    assert repairs.calibration is not None
    assert sum(one.rows for one in repairs.calibration.bins) == repairs.calibration.rows == 96
    error = sum(one.rows * abs(one.said - one.came) for one in repairs.calibration.bins) / 96
    assert repairs.calibration.error == pytest.approx(error)


def test_suspects_are_unlikely_and_compared_with_chance(repairs: Report) -> None:
    found = left_out(repairs.compared[-1], repairs.problem, repairs.verdict.chosen)
    suspects = repairs.suspects
    assert suspects is not None
    assert suspects.by_chance == pytest.approx(reference.unlikely_by_chance(found.proba.tolist(), suspects.limit))
    sure = found.proba.max(axis=1) >= 0.5
    assert suspects.found == np.count_nonzero((found.of_truth <= suspects.limit) & sure)
    for one in suspects.rows:
        assert one.noted == repairs.problem.y[one.row] != one.expected
        assert one.probability == pytest.approx(found.of_truth[one.row])
        assert one.against is not None
        assert 0 <= one.against <= suspects.asked == 1


def test_wrong_labels_are_found() -> None:
    X, y = planted()
    wrong = [3, 50, 120, 200, 280]
    clear = [row for row in wrong if abs(X["x"][row] + 2.5 * (X["colour"][row] == "red") - 1.2) > 0.9]
    y[wrong] = np.where(y[wrong] == "yes", "no", "yes")
    found = report(X, y, budget=60, learners={"near": pc.KNNClassifier(15, prior=0.5)}).suspects
    assert found is not None
    assert len(clear) >= 3
    assert {one.row for one in found.rows} >= set(clear)


def test_of_many_classes_a_row_is_not_suspect_unless_another_is_likely() -> None:
    rng = np.random.default_rng(0)
    kinds = np.repeat(np.arange(30), 6)
    y = np.array([f"class {k:02}" for k in kinds])
    found = report((kinds + 3 * rng.normal(size=180))[:, None], y, budget=60, learners={"bayes": pc.NaiveBayes()})
    assert found.suspects is not None
    assert found.suspects.found < 10
    assert "always saying class 00 would be right in 3.3 %" in str(found).replace("\n", " ")


def test_columns_are_worth_what_they_tell(numbers: Report) -> None:
    X, y = planted()
    worth = report(X, y, budget=60, learners={"near": pc.KNNClassifier(5, prior=1.0)}).worth
    assert worth is not None
    by_name = {one.name: one for one in worth.columns}
    assert by_name["colour"].loss > 5 * by_name["colour"].error
    assert by_name["x"].loss > 5 * by_name["x"].error
    assert by_name["noise"].loss < 0.1 * by_name["colour"].loss
    assert by_name["noise"].matters is None or by_name["noise"].matters < 0.5 < (by_name["colour"].matters or 0)
    assert numbers.worth is not None
    assert [one.name for one in numbers.worth.columns] == ["x", "part", "noise"]
    assert numbers.worth.columns[0].matters is None
    assert max(one.weight or 0 for one in numbers.worth.columns) == 1.0


def test_a_column_that_tells_all_is_said_to_and_one_that_tells_nothing_is_not() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.choice(["u", "v"], 100), rng.random(100)
    found = report(pd.DataFrame({"a": a, "b": b}), a, target="y", budget=60, learners={"good": pc.IB3(random_state=0)})
    assert "a tells most: without it answers get worse." in str(found).replace("\n", " ")
    assert "a tells y outright: no estimate here is worth anything" in str(found).replace("\n", " ")
    exact = report(pd.DataFrame({"a": b, "b": rng.random(100)}), 2 * b + 1, budget=60, learners=LINES)
    assert "a tells most: without it answers get worse." in str(exact).replace("\n", " ")


def test_columns_are_not_praised_where_nothing_beats_guessing() -> None:
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"gone": [np.nan] * 60})
    found = report(X, rng.choice(["u", "v"], 60), budget=60, learners={"near": pc.KNNClassifier(50, prior=3.0)})
    words = str(found).replace("\n", " ")
    assert "tells most" not in words
    assert "make up for it" not in words
    assert found.understanding.columns[0].remark == "never known"


def test_the_columns_that_tell_most_are_those_on_top(numbers: Report) -> None:
    assert numbers.worth is not None
    x, part, noise = numbers.worth.columns
    assert list(worth_words(numbers)) == ["**x and part** tell most: without any of them answers get worse."]
    doubtful = replace(numbers.worth, columns=(replace(x, error=x.loss), part, noise))
    words = list(worth_words(replace(numbers, worth=doubtful)))
    assert words == ["**part** tells for certain: without it answers get worse."]


def test_odd_rows_are_found_with_the_value_that_is_odd() -> None:
    X, y = planted()
    for column in ("code", "shade", "hue"):
        X[column] = np.where(X["colour"] == "red", "r", "b")
    X.loc[77, ["code", "hue"]] = "b" if X["colour"][77] == "red" else "r"
    X.loc[5, "x"] = 40.0
    found = report(X, y, budget=60, learners=FEW).oddities
    assert found is not None
    assert [one.row for one in found.rows[:2]] == [5, 77]
    assert found.rows[0].values[0].column == "x"
    assert {one.column for one in found.rows[1].values} <= {"colour", "code", "shade", "hue"}
    assert found.rows[0].tail == pytest.approx(1 / 300)


def test_predictions_are_explained_by_a_fit_without_them(repairs: Report) -> None:
    assert [one.kind for one in repairs.explained] == ["clear", "doubtful", "wrong"]
    for one in repairs.explained:
        assert one.actual == repairs.problem.y[one.row]
        assert (one.actual == one.predicted) == (one.kind == "clear") or one.kind == "doubtful"
        assert one.said == one.probabilities[0][1] == max(share for _, share in one.probabilities)
        assert sum(share for _, share in one.probabilities) == pytest.approx(1.0)
        assert one.row not in [each.row for each in one.precedents]
        distances = [each.distance for each in one.precedents if not each.unlike]
        assert distances == sorted(distances)
        assert all(each.target == repairs.problem.y[each.row] for each in one.precedents)
        changes = [abs(clue.without - one.said) for clue in one.clues]
        assert changes == sorted(changes, reverse=True)


def test_numbers_that_are_off_are_found(numbers: Report) -> None:
    assert numbers.problem.task == "regress"
    assert numbers.verdict.chosen == "planes"
    assert numbers.suspects is not None
    assert numbers.suspects.rows[0].row == 17
    assert numbers.suspects.by_chance is None
    dear = report(np.arange(40.0)[:, None], 9e4 + 1e3 * np.arange(40.0) % 17e3, budget=60, learners=LINES)
    assert {one.predicted.isdigit() for one in dear.explained} == {True}
    assert [one.kind for one in numbers.explained] == ["close", "typical", "far off"]
    assert numbers.explained[-1].row == 17
    assert numbers.calibration is not None
    assert numbers.calibration.half is not None
    assert numbers.calibration.nine_tenths is not None
    assert 0 < numbers.calibration.half < numbers.calibration.nine_tenths < 60


def test_nothing_beats_guessing_where_there_is_nothing_to_learn() -> None:
    rng = np.random.default_rng(1)
    found = report(rng.normal(size=(150, 3)), rng.choice(["a", "b"], 150), budget=60, learners=FEW)
    assert not found.verdict.beats_guessing
    assert "Nothing here beats guessing" in str(found)


def test_classes_of_one_row_are_not_scored() -> None:
    X, y = planted(80)
    y = y.astype(object)
    y[0] = "once"
    found = report(X, y, budget=60, learners=FEW)
    assert len(found.problem) == 79
    assert np.isfinite(found.verdict.estimate["log_score"][0])


def test_a_class_of_two_rows_that_both_came_into_question() -> None:
    X, _ = planted(200)
    rare = np.arange(200) < 2
    problem = read_problem(X, np.where(rare, "rare", "usual"), name="t", target="y")
    labels, proba = np.unique(problem.y), np.where(rare[:, None], [0.49, 0.51], [0.03, 0.97])
    nobody = np.zeros(200, dtype=np.int64)
    answers = LeftOut(np.arange(200), labels, proba, labels[proba.argmax(axis=1)], problem.y, nobody, 0)
    explained = explain(problem, answers, pc.NaiveBayes(), seed=0)
    assert [one.kind for one in explained] == ["clear", "wrong"]


def test_a_page_says_how_many_predictions_it_explains(repairs: Report) -> None:
    assert "<p>Three rows, predicted by" in repairs.html()
    assert "<p>Two rows, predicted by" in replace(repairs, explained=repairs.explained[:2]).html()


@pytest.mark.parametrize(
    ("y", "words"), [(["u"] * 59 + ["v"], "only one class has"), (list(map(str, range(60))), "no class has")]
)
def test_classes_of_one_row_leave_nothing_to_compare(y: list[str], words: str) -> None:
    with pytest.raises(
        EvaluationError, match=f"target 'y' of which {words} two rows or more; expected two such classes"
    ):
        report(planted(60)[0], y, target="y", budget=60, learners=FEW)


class Slow(ClassifierMixin, BaseEstimator):
    """A learner that takes its time."""

    def fit(self, X: Any, y: Any) -> Self:
        sleep(0.4)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.full(len(X), self.classes_[0])


def test_learners_that_cannot_take_so_many_columns_are_not_tried() -> None:
    rng = np.random.default_rng(0)
    wide = read_problem(rng.normal(size=(40, 130)), rng.choice(["a", "b"], 40), name="wide", target="y")
    some = [one for one in contenders(wide, seed=0) if one.name in ("guessing", "naive Bayes", "trees of columns")]
    found = compare_learners(wide, some, Budget(60.0), seed=0, n_jobs=None, say=lambda _: None)[-1]
    reasons = {one.name: one.reason for one in found.standings}
    assert reasons["trees of columns"] == "not measured: 130 columns are too many for it"
    assert reasons["naive Bayes"] == ""


class Cubic(Slow):
    """A learner that takes a thousand times as long for ten times the rows."""

    def fit(self, X: Any, y: Any) -> Self:
        sleep(0.05 * (len(X) / 45) ** 3)
        self.classes_ = np.unique(y)
        return self


def test_pilots_see_that_time_grows_faster_than_rows() -> None:
    X, y = planted(1000)
    found = pilot(Contender("cubic", "", Cubic()), read_problem(X, y, name="t", target="y"), 10, seed=0)
    assert found > 10 * 0.05 * (750 / 45) ** 3 / 2


class Failing(Slow):
    def fit(self, X: Any, y: Any) -> Self:
        raise ValueError("no such thing\nat all")


def test_a_learner_without_time_is_left_out_with_its_reason() -> None:
    X, y = planted(60)
    found = report(X, y, budget=3, learners={**FEW, "slow": Slow()})
    standing = next(one for one in found.compared[-1].standings if one.name == "slow")
    assert standing.reason.startswith("not measured: it would have taken about ")
    assert found.made.seconds < 6
    assert "slow" in found.html()


def test_a_learner_that_fails_is_listed_with_its_reason() -> None:
    X, y = planted(60)
    found = report(X, y, budget=20, learners={**FEW, "failing": Failing()})
    standing = next(one for one in found.compared[-1].standings if one.name == "failing")
    assert standing.reason == "failed: ValueError: no such thing"


def test_learners_of_others_get_the_table_as_it_came() -> None:
    X, y = planted(60)
    plain = X[["x", "noise"]]
    for table in (plain, plain.to_numpy()):
        found = report(table, y, budget=20, learners={"tree": DecisionTreeClassifier(max_depth=2, random_state=0)})
        assert {one.name for one in found.compared[-1].standings if not one.reason} == {"guessing", "tree"}
    tree = DecisionTreeRegressor(max_depth=3, random_state=0)
    found = report(plain, plain["x"] * 2, budget=20, learners={"tree": tree})
    assert found.verdict.chosen == "tree"


def test_a_report_without_time_says_so() -> None:
    found = report(*planted(100), budget=0.01, learners={"slow": Slow()})
    assert found.verdict.chosen == "guessing"
    assert "No learner could be measured in the time allowed" in str(found)
    assert found.skipped == ("odd rows: the budget was spent",)


def test_the_same_seed_gives_the_same_report() -> None:
    X, y = planted(100)

    def content() -> Iterator[Any]:
        data = json.loads(report(X, y, budget=120, learners=FEW, random_state=3).json())
        yield from (data[key] for key in ("verdict", "calibration", "worth", "explained", "suspects", "oddities"))

    assert list(content()) == list(content())


def test_large_tables_are_measured_on_a_sample_first() -> None:
    X, y = planted(8200)
    problem = read_problem(X, y, name="large", target="y")
    some = [one for one in contenders(problem, seed=0) if one.name in ("guessing", "naive Bayes, bins")]
    sample, whole = compare_learners(problem, some, Budget(60.0), seed=0, n_jobs=None, say=lambda _: None)
    assert sample.on_sample
    assert abs(sample.rows.size - 2000) < 100
    assert whole.rows.size == 8200
    assert not whole.on_sample


def test_samples_keep_the_shares_of_the_classes() -> None:
    y = np.array(["a"] * 900 + ["b"] * 100)
    rows = sample_rows(read_problem(np.arange(1000.0)[:, None], y, name="t", target="y"), 100, seed=0)
    assert rows.size == 100
    assert np.count_nonzero(y[rows] == "b") == 10


def test_default_learners_suit_the_table() -> None:
    X, y = pc.load_repairs()
    named = read_problem(X, y, name="t", target="y")
    names = [one.name for one in contenders(named, seed=0)]
    assert names[0] == "guessing"
    assert "naive Bayes, bins" in names
    symbols = read_problem(X.frame("pandas")[["bike", "noise"]], y, name="t", target="y")
    assert "naive Bayes, bins" not in [one.name for one in contenders(symbols, seed=0)]
    for one in contenders(symbols, seed=0):
        one.learner.fit(symbols.X, symbols.y).predict(symbols.X)
    numbers = read_problem(X, np.arange(96) / 7, name="t", target="y")
    assert {one.name for one in contenders(numbers, seed=0)} >= {"guessing", "nearest cases", "local planes"}


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
    with pytest.raises(ParameterError, match="task must be"):
        report(X, y, task="regres")  # type: ignore[arg-type]
