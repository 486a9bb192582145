"""``priorcase evaluate``: the library's comparison, of the learners asked for, in each form of output."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result
from commands import HEADER, LEVELS, ROWS, answers, run, write

from priorcase import IB3, KNNClassifier, KNNRegressor, LocallyWeightedRegressor, NaiveBayes, load_repairs
from priorcase._typing import AnyArray
from priorcase.cli.contestants import USUAL
from priorcase.cli.self_tuning import SelfTuningClassifier, SelfTuningRegressor
from priorcase.datasets import NamedColumns
from priorcase.evaluation import Comparison, Folds, Holdout, compare, learning_curve, noise_curve
from priorcase.reporting.learners import baseline
from priorcase.schema import Nominal, Numeric


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write(tmp_path / "repairs.csv", [HEADER, *ROWS])


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    return write(tmp_path / "prices.csv", ["size,kind,price", *(f"{i},{'ab'[i % 2]},{i * i * 1.5}" for i in range(30))])


def evaluate(table: object, *args: object, columns: int = 200, stdin: str | None = None) -> Result:
    return run("evaluate", table, "--target", "job", *LEVELS, *args, columns=columns, stdin=stdin)


def repairs() -> tuple[NamedColumns, AnyArray]:
    """The built-in table as the command line reads it."""
    X, y = load_repairs()
    yes_no = {True: "yes", False: "no", None: None}
    data = {name: [yes_no[v] for v in X[name]] if name in ("electric", "outdoors") else X[name] for name in X.kinds}
    return NamedColumns.of(data, X.kinds), y


def numbers() -> tuple[NamedColumns, AnyArray]:
    """The table of prices as the command line reads it."""
    sizes, kinds = np.arange(30.0), ["ab"[i % 2] for i in range(30)]
    return NamedColumns.of({"size": sizes, "kind": kinds}, {"size": Numeric(), "kind": Nominal()}), sizes**2 * 1.5


def means(document: dict[str, Any]) -> dict[str, dict[str, float | None]]:
    found = document["learners"]
    return {one["name"]: {name: score["mean"] for name, score in one["scores"].items()} for one in found}


def expected(found: Comparison) -> dict[str, dict[str, float | None]]:
    def told(learner: str, score: str) -> float | None:
        mean = found.mean(learner, score)
        return mean if np.isfinite(mean) else None

    return {name: {score.name: told(name, score.name) for score in found.scores} for name in found.learners}


def test_the_usual_learners_are_those_of_the_library(table: Path) -> None:
    document = answers(evaluate(table, "--json", "--learner", "guess,neighbors,naive-bayes"))
    learners = {"guess": baseline(classes=True), "neighbors": KNNClassifier(5), "naive-bayes": NaiveBayes()}
    found = compare(learners, *repairs())
    assert means(document) == expected(found)
    assert (document["task"], document["target"], document["cases"]) == ("classify", "job", 96)
    assert (document["protocol"], document["repeats"], document["seed"]) == ("10-fold cross-validation", 1, 0)
    assert document["complete"] is True
    assert document["scores"] == {"accuracy": "greater", "log_score": "greater", "brier": "less"}
    for at, one in enumerate(document["learners"]):
        assert one["scores"]["accuracy"]["standard_error"] == found.standard_error(one["name"], "accuracy")
        assert one["scores"]["accuracy"]["rank"] == found.ranks("accuracy")[at]
        assert one["failure"] is None
        assert one["reasons"] == {}
        assert one["fit_seconds"] > 0
        assert one["predict_seconds"] > 0
    assert document["learners"][1]["options"]["neighbors"] == 5
    assert document["learners"][0]["options"] == {}
    assert len(document["values"]) == 3 * 10 * 3


@pytest.mark.parametrize(
    ("splits", "meant", "repeats"),
    [
        ("3", 3, 1),
        ("4", Folds(4), 2),
        ("loo", "loo", 1),
        ("prequential", "prequential", 1),
        ("holdout", Holdout(), 3),
        ("holdout=0.5", Holdout(0.5), 2),
        ("holdout=20", Holdout(20), 2),
    ],
)
def test_splits_are_those_of_the_library(table: Path, splits: str, meant: Any, repeats: int) -> None:
    options = ("--repeats", repeats) if repeats > 1 else ()
    document = answers(evaluate(table, "--json", "--learner", "neighbors", "--splits", splits, *options, "--seed", 3))
    found = compare({"neighbors": KNNClassifier(5)}, *repairs(), splits=meant, repeats=repeats, random_state=3)
    assert means(document) == expected(found)
    assert (document["protocol"], document["repeats"], document["seed"]) == (str(found.protocol), repeats, 3)


def test_a_stream_may_begin_later(table: Path) -> None:
    document = answers(evaluate(table, "--json", "--learner", "neighbors", "--splits", "prequential=30"))
    assert document["protocol"] == "prequential, from row 30 on"
    assert document["values"][0]["test"] == 66


def test_options_behind_a_name_are_that_learners_own(table: Path) -> None:
    texts = ("neighbors", "neighbors:neighbors=3:vote=tricube,naive-bayes:prior=auto:numeric-as=mdl")
    args = [part for text in texts for part in ("--learner", text)]
    document = answers(evaluate(table, "--json", *args, "--neighbors", 7, "--score", "accuracy", "--splits", 3))
    learners = {
        "neighbors": KNNClassifier(7),
        "neighbors:neighbors=3:vote=tricube": KNNClassifier(3, vote="tricube"),
        "naive-bayes:prior=auto:numeric-as=mdl": NaiveBayes(prior="auto", numeric="mdl"),
    }
    assert means(document) == expected(compare(learners, *repairs(), scores="accuracy", splits=3))
    chosen = {one["name"]: (one["learner"], one["options"]) for one in document["learners"]}
    assert chosen["neighbors:neighbors=3:vote=tricube"][1]["neighbors"] == 3
    assert chosen["naive-bayes:prior=auto:numeric-as=mdl"] == (
        "naive-bayes",
        {"predictive": "evidence", "prior": "auto", "numeric_as": "mdl", "gaps": "ignore"},
    )


def test_random_learners_follow_the_seed_at_any_number_of_jobs(table: Path) -> None:
    args = ("--json", "--learner", "ib3:shuffle,rbf:centers=8", "--splits", 3, "--score", "brier")
    first, again, jobs = (means(answers(evaluate(table, *args, *extra))) for extra in ((), (), ("--jobs", 2)))
    assert first == again == jobs
    found = compare({"ib3:shuffle": IB3(shuffle=True, random_state=None)}, *repairs(), splits=3, scores="brier")
    assert first["ib3:shuffle"]["brier"] == found.mean("ib3:shuffle")
    assert means(answers(evaluate(table, *args, "--seed", 1))) != first


def test_learners_may_be_left_out_or_be_all(prices: Path, table: Path) -> None:
    result = run("evaluate", prices, "--splits", 2, "--score", "mae", "--json")
    assert [one["name"] for one in answers(result)["learners"]] == list(USUAL["regress"])
    assert result.stderr == "priorcase: note: the target is 'price', the last column\n"
    everyone = answers(run("evaluate", prices, "--learner", "all", "--splits", 2, "--score", "mae", "--json"))
    assert [one["name"] for one in everyone["learners"]] == ["guess", "neighbors", "local", "rbf"]
    classes = answers(evaluate(table, "--splits", "holdout", "--score", "accuracy", "--json"))
    assert [one["name"] for one in classes["learners"]] == list(USUAL["classify"])


def test_numbers_are_compared_by_errors(prices: Path) -> None:
    args = ("--target", "price", "--learner", "neighbors:neighbors=3,local:degree=2", "--splits", "loo", "--json")
    document = answers(run("evaluate", prices, *args))
    learners = {"neighbors:neighbors=3": KNNRegressor(3), "local:degree=2": LocallyWeightedRegressor(degree=2)}
    found = compare(learners, *numbers(), splits="loo")
    assert means(document) == expected(found)
    assert list(document["scores"]) == ["rmse", "mae", "r2"]


def test_a_tuned_learner_is_tuned_on_the_training_cases(table: Path) -> None:
    args = ("--learner", "neighbors:tune:ties=first", "--splits", "holdout=0.5", "--score", "brier", "--json")
    document = answers(evaluate(table, *args))
    X, y = repairs()
    found = compare({"tuned": SelfTuningClassifier(ties="first")}, X, y, splits=Holdout(0.5), scores="brier")
    assert document["learners"][0]["scores"]["brier"]["mean"] == found.mean("tuned")
    assert document["learners"][0]["options"]["tune"] is True
    tuned = KNNClassifier.tuned(X, y, nested=None, progress=False, random_state=0, ties="first")
    ours = SelfTuningClassifier(ties="first", random_state=0).fit(X, y)
    assert np.array_equal(ours.predict_proba(X), tuned.predict_proba(X))
    assert np.array_equal(ours.predict(X), tuned.predict(X))


def test_numbers_are_tuned_too(prices: Path) -> None:
    args = ("--target", "price", "--learner", "neighbors:tune", "--splits", 2, "--score", "mae", "--json")
    document = answers(run("evaluate", prices, *args))
    found = compare({"tuned": SelfTuningRegressor()}, *numbers(), splits=2, scores="mae")
    assert document["learners"][0]["scores"]["mae"]["mean"] == found.mean("tuned")


def test_scores_are_those_asked_for(table: Path) -> None:
    args = ("--learner", "neighbors", "--splits", 3, "--json")
    document = answers(evaluate(table, *args, "--score", "brier,balanced_accuracy", "--score", "f1_macro"))
    assert list(document["scores"]) == ["brier", "balanced_accuracy", "f1_macro"]


def test_the_screen_is_the_table_of_the_library(table: Path) -> None:
    result = evaluate(table, "--learner", "guess,ib1", "--splits", 5)
    found = compare({"guess": baseline(classes=True), "ib1": KNNClassifier(1, distance="ib")}, *repairs(), splits=5)
    assert result.exit_code == 0
    assert result.stderr == ""
    ours, theirs = result.stdout.splitlines(), str(found).splitlines()
    assert ours[0] == theirs[0] == "96 rows: 5-fold cross-validation"
    assert ours[2].split()[:4] == theirs[2].split()[:4]  # guess, mean ± error
    assert "\x1b" not in result.stdout


def test_a_narrow_screen_has_the_columns_below_each_other(table: Path) -> None:
    wide, narrow = (evaluate(table, "--learner", "guess,neighbors", "--splits", 3, columns=c) for c in (200, 80))
    lines = narrow.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[5:7] == ["96 rows: 3-fold cross-validation (continued)", lines[6]]
    assert lines[6].split() == ["learner", "brier", "rank", "fit", "s", "predict", "s"]
    shown = [line.split()[0] for line in wide.stdout.splitlines() if line.startswith("  ")]
    assert shown == ["learner", "guess", "neighbors"]


def test_pairs_are_those_of_the_library(table: Path) -> None:
    args = ("--learner", "guess,neighbors,naive-bayes", "--paired", "--score", "accuracy")
    text = evaluate(table, *args).stdout
    learners = {"guess": baseline(classes=True), "neighbors": KNNClassifier(5), "naive-bayes": NaiveBayes()}
    pairs = compare(learners, *repairs(), scores="accuracy").paired()
    assert text.split("\n\n")[1] == f"{pairs}\n"
    assert evaluate(table, *args, "--markdown").stdout.endswith(f"\n\n{pairs.markdown()}\n")
    document = answers(evaluate(table, *args, "--json"))
    assert [(one["first"], one["second"]) for one in document["paired"]] == list(pairs.pairs)
    assert [one["p_value"] for one in document["paired"]] == [test.p_value for test in pairs.tests]


def test_markdown_is_that_of_the_library(table: Path) -> None:
    text = evaluate(table, "--learner", "guess", "--score", "accuracy", "--markdown").stdout
    assert text.startswith("**96 rows: 10-fold cross-validation**\n\n| learner | accuracy")
    assert "| guess | 0.451 ± 0.034 * | " in text


def test_csv_has_a_line_for_each_value(table: Path) -> None:
    text = evaluate(table, "--learner", "guess,ib1", "--splits", "holdout", "--csv").stdout
    lines = list(csv.DictReader(io.StringIO(text)))
    assert [(line["learner"], line["score"]) for line in lines] == [
        (learner, score) for learner in ("guess", "ib1") for score in ("accuracy", "log_score", "brier")
    ]
    assert {line["value"] for line in lines if (line["learner"], line["score"]) == ("ib1", "log_score")} == {"-inf"}
    found = compare({"guess": baseline(classes=True)}, *repairs(), splits=Holdout())
    assert [float(line["value"]) for line in lines[:3]] == [found.mean("guess", s.name) for s in found.scores]


def test_a_learner_that_fails_is_a_line_with_its_reason(table: Path) -> None:
    args = ("--learner", "guess,neighbors", "--neighbors", 90)
    result = evaluate(table, *args)
    assert result.exit_code == 0
    assert "neighbors failed: TooFewRowsError: " in result.stdout
    document = answers(evaluate(table, *args, "--json"))
    assert document["learners"][1]["failure"].startswith("TooFewRowsError: KNNClassifier.predict: Expected n_neigh")
    assert document["learners"][1]["scores"]["accuracy"]["mean"] is None
    assert document["learners"][0]["failure"] is None


def test_where_all_fail_the_exit_code_is_1(table: Path) -> None:
    result = evaluate(table, "--learner", "neighbors", "--neighbors", 90)
    assert result.exit_code == 1
    assert "neighbors failed: TooFewRowsError" in result.stdout
    assert result.stderr == "priorcase: error: no learner could be measured; the reasons stand above.\n"


def test_a_learning_curve_is_that_of_the_library(table: Path) -> None:
    options = ("--curve", "learning", "--points", "5,20,1.0", "--test", "0.25", "--repeats", 3, "--learner", "ib3")
    text = evaluate(table, *options, "--score", "accuracy,storage", "--seed", 2).stdout
    found = learning_curve(
        {"ib3": IB3(random_state=None)},
        *repairs(),
        sizes=[5, 20, 1.0],
        test=0.25,
        repeats=3,
        scores=["accuracy", "storage"],
        random_state=2,
    )
    assert text == f"{found}\n"
    document = answers(evaluate(table, *options, "--json"))
    assert {value["rows"] for value in document["values"]} == {5, 20, 72}
    assert "scores" not in document["learners"][0]


@pytest.mark.parametrize(("name", "kind"), [("noise", "attributes"), ("class-noise", "classes")])
def test_noise_curves_are_those_of_the_library(table: Path, name: str, kind: Any) -> None:
    options = ("--curve", name, "--points", "0,0.4", "--repeats", 2, "--learner", "neighbors", "--score", "accuracy")
    found = noise_curve(
        {"neighbors": KNNClassifier(5)}, *repairs(), kind=kind, levels=[0, 0.4], repeats=2, scores="accuracy"
    )
    assert evaluate(table, *options).stdout == f"{found}\n"
    assert evaluate(table, *options, "--markdown").stdout == f"{found.markdown()}\n"
    lines = list(csv.DictReader(io.StringIO(evaluate(table, *options, "--csv").stdout)))
    assert [(line["noise"], line["repeat"]) for line in lines] == [
        ("0.0", "0"),
        ("0.4", "0"),
        ("0.0", "1"),
        ("0.4", "1"),
    ]


def test_curves_have_levels_of_their_own(table: Path) -> None:
    options = ("--curve", "noise", "--repeats", 1, "--learner", "guess", "--score", "accuracy", "--json")
    assert {value["noise"] for value in answers(evaluate(table, *options))["values"]} == {0, 0.1, 0.2, 0.3, 0.4, 0.5}


@pytest.mark.parametrize("name", ["scores.png", "scores.pdf", "scores.svg"])
@pytest.mark.parametrize("extra", [(), ("--curve", "noise", "--repeats", 2)])
def test_pictures_are_drawn(table: Path, tmp_path: Path, name: str, extra: tuple[object, ...]) -> None:
    path = tmp_path / name
    options = ("--learner", "guess,neighbors", "--score", "accuracy", "--plot", path, *extra)
    assert evaluate(table, *options).exit_code == 0
    start = {"scores.png": b"\x89PNG", "scores.pdf": b"%PDF", "scores.svg": b"<?xml"}[name]
    assert path.read_bytes().startswith(start)


def test_cases_come_from_standard_input_in_any_format(table: Path) -> None:
    args = ("--learner", "guess", "--score", "accuracy", "--json")
    direct, piped = answers(evaluate(table, *args)), answers(evaluate("-", *args, stdin=table.read_text()))
    assert piped["table"] == "standard input"
    assert means(direct) == means(piped)
    arff = "@relation t\n@attribute x numeric\n@attribute c {a,b}\n@data\n1,a\n2,b\n3,a\n4,b\n"
    found = answers(run("evaluate", "-", "--splits", 2, "--learner", "ib1", "--json", stdin=arff))
    assert (found["target"], found["cases"]) == ("c", 4)


def test_warnings_of_learners_are_one_note(prices: Path) -> None:
    options = ("--target", "price", "--learner", "local", "--bandwidth", "0.001", "--splits", 3)
    result = run("evaluate", prices, *options)
    assert result.exit_code == 0
    assert result.stderr == (
        "priorcase: note: some cases had no past case within the bandwidth: those nearest answered there\n"
    )


SLOW = """\
import os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored where the tests run under nohup
from priorcase.cli import main
from priorcase.evaluation import running
plain, asked = running.ask, 0
def ask(*args):
    global asked
    asked += 1
    if asked == {at}:
        os.kill(os.getpid(), signal.SIGINT)
    return plain(*args)
running.ask = ask
main()
"""


@pytest.mark.parametrize("form", ["--json", "--debug"])
def test_ctrl_c_prints_what_is_finished(table: Path, form: str) -> None:
    args = ["evaluate", str(table), "--target", "job", "--learner", "guess,neighbors", "--score", "accuracy", form]
    done = subprocess.run(
        [sys.executable, "-c", SLOW.format(at=6), *args], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 130
    assert done.stderr == "priorcase: interrupted\n"
    if form == "--json":
        document = json.loads(done.stdout)
        assert document["complete"] is False
        assert len(document["values"]) == 5
    else:
        assert "not complete: interrupted; splits finished: guess 3, neighbors 2" in done.stdout


def test_ctrl_c_before_anything_is_finished_prints_nothing(table: Path) -> None:
    args = ["evaluate", str(table), "--target", "job", "--learner", "guess"]
    done = subprocess.run(
        [sys.executable, "-c", SLOW.format(at=1), *args], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.strip() == "priorcase: interrupted"
