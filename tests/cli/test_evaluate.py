"""``priorcase evaluate``: the library's comparison, of the learners asked for, in each form of output."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result
from commands import HEADER, LEVELS, ROWS, answers, error, run, write

import priorcase as pc
from priorcase._typing import AnyArray
from priorcase.datasets import NamedColumns
from priorcase.evaluation import Comparison, Folds, Holdout, compare, learning_curve, noise_curve
from priorcase.registry import find
from priorcase.schema import Nominal, Numeric


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("tables") / "repairs.csv", [HEADER, *ROWS])


@pytest.fixture(scope="module")
def prices(table: Path) -> Path:
    rows = [f"{i},{'ab'[i % 2]},{i * i * 1.5}" for i in range(30)]
    return write(table.with_name("prices.csv"), ["size,kind,price", *rows])


def evaluate(table: object, *args: object, columns: int = 200, stdin: str | None = None) -> Result:
    return run("evaluate", table, "--target", "job", *LEVELS, *args, columns=columns, stdin=stdin)


def repairs() -> tuple[NamedColumns, AnyArray]:
    """The built-in table as the command line reads it."""
    X, y = pc.datasets.load("repairs", frame=None)
    yes_no = {True: "yes", False: "no", None: None}
    data = {name: [yes_no[v] for v in X[name]] if name in ("electric", "outdoors") else X[name] for name in X.kinds}
    return NamedColumns.of(data, X.kinds), y


def numbers() -> tuple[NamedColumns, AnyArray]:
    """The table of prices as the command line reads it."""
    sizes, kinds = np.arange(30.0), ["ab"[i % 2] for i in range(30)]
    return NamedColumns.of({"size": sizes, "kind": kinds}, {"size": Numeric(), "kind": Nominal()}), sizes**2 * 1.5


def learners(*names: str) -> dict[str, Any]:
    return {name: find(name).make("classify") for name in names}


def means(document: dict[str, Any]) -> dict[str, dict[str, float | None]]:
    found = document["learners"]
    return {one["name"]: {name: score["mean"] for name, score in one["scores"].items()} for one in found}


def expected(found: Comparison) -> dict[str, dict[str, float | None]]:
    def told(learner: str, score: str) -> float | None:
        mean = found.mean(learner, score)
        return mean if np.isfinite(mean) else None

    return {name: {score.name: told(name, score.name) for score in found.scores} for name in found.learners}


def test_scores_are_those_of_the_library(table: Path) -> None:
    document = answers(evaluate(table, "--json", "--learner", "baseline,knn,naive_bayes"))
    found = compare(learners("baseline", "knn", "naive_bayes"), *repairs())
    assert means(document) == expected(found)
    assert (document["task"], document["target"], document["cases"]) == ("classify", "job", 96)
    assert (document["protocol"], document["repeats"], document["random_state"]) == ("10-fold cross-validation", 1, 0)
    assert document["complete"] is True
    assert document["scores"] == {"accuracy": "greater", "log_score": "greater", "brier": "less"}
    for at, one in enumerate(document["learners"]):
        assert one["scores"]["accuracy"]["standard_error"] == found.standard_error(one["name"], "accuracy")
        assert one["scores"]["accuracy"]["rank"] == found.ranks("accuracy")[at]
        assert (one["failure"], one["reasons"], one["parameters"]) == (None, {}, {})
        assert one["fit_seconds"] > 0
        assert one["predict_seconds"] > 0
    assert len(document["values"]) == 3 * 10 * 3
    pairs = found.paired()
    assert [(one["first"], one["second"]) for one in document["paired"]] == list(pairs.pairs)
    text = evaluate(table, "--learner", "baseline,knn,naive_bayes").stdout
    assert text.endswith(f"\n\n{pairs}\n")
    assert text.splitlines()[2].split()[:4] == str(found).splitlines()[2].split()[:4]
    few = evaluate(table, "--learner", "baseline,knn", "--splits", "2xholdout=0.2").stdout
    assert few.count("more test than training rows") == 1


@pytest.mark.parametrize(
    ("splits", "meant", "repeats"),
    [
        ("3", 3, 1),
        ("2x4", Folds(4), 2),
        ("loo", "loo", 1),
        ("prequential", "prequential", 1),
        ("3xholdout", Holdout(), 3),
        ("2xholdout=0.5", Holdout(0.5), 2),
        ("holdout=20", Holdout(20), 1),
    ],
)
def test_splits_are_those_of_the_library(table: Path, splits: str, meant: Any, repeats: int) -> None:
    document = answers(evaluate(table, "--json", "--learner", "knn", "--splits", splits, "--random-state", 3))
    found = compare(learners("knn"), *repairs(), splits=meant, repeats=repeats, random_state=3)
    assert means(document) == expected(found)
    assert (document["protocol"], document["repeats"], document["random_state"]) == (str(found.protocol), repeats, 3)


def test_a_stream_may_begin_later(table: Path) -> None:
    document = answers(evaluate(table, "--json", "--learner", "knn", "--splits", "prequential=30"))
    assert document["values"][0]["test"] == 66


def test_parameters_behind_a_name_are_that_learners_own(table: Path) -> None:
    texts = ("knn", "knn:n_neighbors=3:vote=tricube,naive_bayes:prior=auto:numeric=mdl")
    args = [part for text in texts for part in ("--learner", text)]
    document = answers(evaluate(table, "--json", *args, "--set", "n_neighbors=7", "--score", "accuracy", "--splits", 3))
    models = {
        "knn": pc.KNNClassifier(7),
        "knn:n_neighbors=3:vote=tricube": pc.KNNClassifier(3, vote="tricube"),
        "naive_bayes:prior=auto:numeric=mdl": pc.NaiveBayes(prior="auto", numeric="mdl"),
    }
    assert means(document) == expected(compare(models, *repairs(), scores="accuracy", splits=3))
    last = document["learners"][2]
    assert (last["learner"], last["parameters"]) == ("naive_bayes", {"prior": "auto", "numeric": "mdl"})
    weights = "knn:attribute_weights=[1, 0, 0, 0, 0, 0, 0, 0, 2]"
    assert answers(evaluate(table, "--learner", weights, "--splits", 2, "--json"))["learners"][0]["name"] == weights


def test_random_learners_follow_the_random_state_at_any_number_of_jobs(table: Path) -> None:
    args = ("--json", "--learner", "ib3:shuffle=True,rbf_network:n_centers=8", "--splits", 2, "--score", "brier")
    first, jobs = (means(answers(evaluate(table, *args, *extra))) for extra in ((), ("--jobs", 2)))
    assert first == jobs
    found = compare({"ib3": pc.IB3(shuffle=True, random_state=None)}, *repairs(), splits=2, scores="brier")
    assert first["ib3:shuffle=True"]["brier"] == found.mean("ib3")
    assert "PYTHONWARNINGS" not in os.environ


def test_the_stack_is_left_out_of_many_cases_unless_it_is_named(prices: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["priorcase.cli.evaluate"], "_MANY", 10)
    flags = ("--splits", 2, "--score", "mae", "--json", "--target", "price")
    result = run("evaluate", prices, *flags)
    assert "stacked" not in [one["name"] for one in answers(result)["learners"]]
    assert "stacked is slow with more than 10 cases and is skipped; to include it: --learner stacked" in result.stderr
    named = run("evaluate", prices, *flags, "--learner", "stacked")
    assert [one["name"] for one in answers(named)["learners"]] == ["stacked"]
    assert "is slow" not in named.stderr


def test_learners_may_be_left_out_or_be_all(prices: Path, table: Path) -> None:
    result = run("evaluate", prices, "--splits", 2, "--score", "mae", "--json", "--column", "size=numeric")
    usual = ["baseline", "stacked", "knn", "locally_weighted", "rbf_network"]
    assert [one["name"] for one in answers(result)["learners"]] == usual
    assert result.stderr == "priorcase: note: the target is 'price', the last column\n"
    everyone = answers(run("evaluate", prices, "--learner", "all", "--splits", 2, "--score", "mae", "--json"))
    assert [one["name"] for one in everyone["learners"]] == [*usual[:3], "tuned_knn", *usual[3:]]
    classes = answers(evaluate(table, "--splits", "holdout", "--score", "accuracy", "--json"))["learners"]
    assert [one["name"] for one in classes][:3] == ["baseline", "stacked", "knn"]


def test_numbers_are_compared_by_errors(prices: Path) -> None:
    args = (
        "--target",
        "price",
        "--learner",
        "knn:n_neighbors=3,locally_weighted:degree=2",
        "--splits",
        "loo",
        "--column",
        "size=numeric",
        "--json",
    )
    models = {
        "knn:n_neighbors=3": pc.KNNRegressor(3),
        "locally_weighted:degree=2": pc.LocallyWeightedRegressor(degree=2),
    }
    document = answers(run("evaluate", prices, *args))
    assert means(document) == expected(compare(models, *numbers(), splits="loo"))
    assert list(document["scores"]) == ["rmse", "mae", "r2"]


def test_a_tuned_learner_is_tuned_on_the_training_cases(table: Path, prices: Path) -> None:
    document = answers(
        evaluate(table, "--learner", "tuned_knn", "--splits", "holdout=0.5", "--score", "brier", "--json")
    )
    model = pc.KNNClassifierCV(random_state=None)
    found = compare({"tuned": model}, *repairs(), splits=Holdout(0.5), scores="brier")
    assert document["learners"][0]["scores"]["brier"]["mean"] == found.mean("tuned")
    args = ("--target", "price", "--learner", "tuned_knn", "--splits", 2, "--score", "mae", "--json")
    assert answers(run("evaluate", prices, *args))["learners"][0]["failure"] is None


def test_scores_are_those_asked_for(table: Path) -> None:
    args = ("--learner", "knn", "--splits", 3, "--json")
    document = answers(evaluate(table, *args, "--score", "brier,balanced_accuracy", "--score", "f1_macro"))
    assert list(document["scores"]) == ["brier", "balanced_accuracy", "f1_macro"]


def test_a_narrow_screen_has_the_columns_below_each_other(table: Path) -> None:
    narrow = evaluate(table, "--learner", "baseline,knn,ib1,ib2", "--splits", 3, columns=80).stdout.splitlines()
    assert max(map(len, narrow)) <= 80
    assert narrow[7:9] == ["96 rows: 3-fold cross-validation (continued)", narrow[8]]
    assert narrow[8].split()[0] == "learner"


def test_files_are_written_in_the_form_of_their_name(table: Path, tmp_path: Path) -> None:
    args = ("--learner", "baseline,ib1", "--splits", "holdout", "--score", "log_score,accuracy")
    for ending, start in {
        "png": b"\x89PNG",
        "pdf": b"%PDF",
        "svg": b"<?xml",
        "md": b"**96 rows: ",
        "json": b"{",
    }.items():
        path = tmp_path / f"scores.{ending}"
        done = evaluate(table, *args, "--out", path)
        assert path.read_bytes().startswith(start)
        assert done.stdout.startswith("96 rows: ")
        assert done.stdout.endswith(f"Written: {path}\n")
    evaluate(table, *args, "--out", tmp_path / "scores.csv")
    lines = list(csv.DictReader(io.StringIO((tmp_path / "scores.csv").read_text())))
    (told,) = [line["value"] for line in lines if (line["learner"], line["score"]) == ("ib1", "log_score")]
    assert -3.0 < float(told) < 0.0
    found = compare(learners("baseline"), *repairs(), splits=Holdout(), scores=["log_score", "accuracy"])
    assert [float(line["value"]) for line in lines[:2]] == [found.mean("baseline", s.name) for s in found.scores]


def test_a_learner_that_fails_is_a_line_with_its_reason(table: Path) -> None:
    result = evaluate(table, "--learner", "baseline,knn", "--set", "n_neighbors=90")
    assert result.exit_code == 0
    assert "knn failed: TooFewRowsError: " in result.stdout
    document = answers(evaluate(table, "--learner", "baseline,knn", "--set", "n_neighbors=90", "--json"))
    assert document["learners"][1]["failure"].startswith("TooFewRowsError: ")
    assert document["learners"][1]["scores"]["accuracy"]["mean"] is None
    alone = evaluate(table, "--learner", "knn", "--set", "n_neighbors=90")
    assert alone.exit_code == 1
    assert alone.stderr == "priorcase: error: no learner could be evaluated; the reasons are listed above.\n"


def test_the_baseline_of_balanced_classes_is_explained_in_leave_one_out(tmp_path: Path) -> None:
    balanced = write(tmp_path / "t.csv", ["x,t", *(f"{i % 7},{'ab'[i % 2]}" for i in range(20))])
    assert "equally frequent" in run("evaluate", balanced, "--learner", "baseline,knn", "--splits", "loo").stdout


def test_curves_are_those_of_the_library(table: Path) -> None:
    args = ("--curve", "learning=5,20,1.0", "--splits", "3xholdout=0.75", "--learner", "ib3", "--random-state", 2)
    text = evaluate(table, *args, "--score", "accuracy,storage").stdout
    options: dict[str, Any] = {"test": 0.25, "repeats": 3, "scores": ["accuracy", "storage"], "random_state": 2}
    found = learning_curve({"ib3": pc.IB3(random_state=None)}, *repairs(), sizes=[5, 20, 1.0], **options)
    assert text == f"{found}\n"
    document = answers(evaluate(table, *args, "--json"))
    assert {value["rows"] for value in document["values"]} == {5, 20, 72}
    assert "scores" not in document["learners"][0]
    for name, kind in (("noise", "attributes"), ("class-noise", "classes")):
        noisy = ("--curve", f"{name}=0,0.4", "--splits", "2xholdout=0.7", "--learner", "knn", "--score", "accuracy")
        shared: dict[str, Any] = {"levels": [0, 0.4], "repeats": 2, "scores": "accuracy", "kind": kind}
        assert evaluate(table, *noisy).stdout == f"{noise_curve(learners('knn'), *repairs(), **shared)}\n"
    plain = ("--curve", "noise", "--splits", "1xholdout", "--learner", "baseline", "--score", "accuracy", "--json")
    assert {value["noise"] for value in answers(evaluate(table, *plain))["values"]} == {0, 0.1, 0.2, 0.3, 0.4, 0.5}


def test_warnings_of_learners_are_one_note(prices: Path) -> None:
    options = ("--target", "price", "--learner", "locally_weighted", "--set", "bandwidth=0.001", "--splits", 3)
    note = "priorcase: note: some cases had no past case within the bandwidth, so the nearest cases were used instead\n"
    assert run("evaluate", prices, *options, "--column", "size=numeric").stderr == note


def test_ids_are_left_out_unless_they_are_declared(prices: Path) -> None:
    options = ("--target", "price", "--learner", "baseline,knn", "--splits", 3)
    note = "priorcase: note: column 'size' (identifies rows) dropped; to keep it: --column size=numeric\n"
    assert run("evaluate", prices, *options).stderr == note
    ignored = run("evaluate", prices, *options, "--column", "size=ignore", "--json")
    assert means(answers(run("evaluate", prices, *options, "--json"))) == means(answers(ignored))
    kept = run("evaluate", prices, *options, "--column", "size=numeric", "--json")
    assert kept.stderr == ""
    assert means(answers(kept))["knn"] != means(answers(ignored))["knn"]


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("--target", "jobb"), "has no column 'jobb'"),
        (("--learner", "neighbours"), "unknown learner 'neighbours'"),
        (("--learner", ""), "unknown learner ''"),
        (("--learner", "knn:voet=uniform"), "Did you mean 'vote'?"),
        (("--learner", "knn:vote"), "is not of the form NAME=VALUE"),
        (("--learner", "knn:n_neighbors=0", "--splits", "2"), None),
        (("--learner", "aode", "--set", "vote=uniform"), "--set vote has no effect"),
        (("--learner", "ib1,ib1"), "--learner ib1 is specified twice"),
        (("--splits", "1"), "is not valid; expected 2 or more folds"),
        (("--splits", "holdout=1.5"), "is not valid; expected 2 or more folds"),
        (("--splits", "folds=10"), "is not valid; expected 2 or more folds"),
        (("--splits", "2xloo"), "gives the same splits each time"),
        (("--splits", "0x5"), "is not valid; expected 2 or more folds"),
        (("--splits", "99999999999x5"), "too many"),
        (("--splits", "97"), "97"),
        (("--splits", "prequential=96"), "96"),
        (("--splits", "holdout=96"), "96"),
        (("--score", "acuracy"), "Did you mean 'accuracy'?"),
        (("--score", "rmse"), "rmse"),
        (("--score", "brier,brier"), "brier"),
        (("--random-state", "-1"), "-1 is not an integer from 0"),
        (("--jobs", "0"), "0 is not a valid number of jobs"),
        (("--jobs", "1025"), "1025 is not a valid number of jobs"),
        (("--curve", "learn"), "Did you mean 'learning'?"),
        (("--curve", "noise", "--splits", "5"), "cannot be combined with --curve"),
        (("--curve", "noise=0,2"), "2"),
        (("--curve", "learning=many"), "points that are not numbers"),
        (("--out", "scores.gif"), "does not end in"),
        (("--targt", "job"), "Did you mean '--target'?"),
    ],
)
def test_each_mistake_is_one_line(table: Path, args: tuple[str, ...], expected: str | None) -> None:
    result = run("evaluate", table, *([] if "--target" in args else ["--target", "job"]), *args)
    if expected is None:  # what a constructor refuses is a learner that failed
        assert (result.exit_code, "n_neighbors must be" in result.stdout) == (1, True)
    else:
        assert expected in error(result)


def test_a_picture_needs_matplotlib(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "matplotlib" in error(evaluate(table, "--learner", "baseline", "--out", "x.png"))


INTERRUPTED = """\
import os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored where the tests run under nohup
from priorcase.cli import main
from priorcase.evaluation import running
plain, asked = running.ask, 0
def ask(*args):
    global asked
    asked += 1
    if asked == 6:
        os.kill(os.getpid(), signal.SIGINT)
    return plain(*args)
running.ask = ask
main()
"""
QUICK = ("--target", "job", "--learner", "baseline,knn", "--score", "accuracy", "--json")


def test_ctrl_c_prints_what_is_finished(table: Path) -> None:
    program = [sys.executable, "-c", INTERRUPTED, "evaluate", str(table), *QUICK]
    done = subprocess.run(program, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr.strip()) == (130, "priorcase: interrupted")
    document = json.loads(done.stdout)
    assert (document["complete"], len(document["values"])) == (False, 5)


def test_ctrl_c_before_anything_is_finished_prints_nothing(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("priorcase.evaluation.running.ask", interrupt)
    done = run("evaluate", table, *QUICK)
    assert (done.exit_code, done.stdout, done.stderr.strip()) == (130, "", "priorcase: interrupted")


def test_the_marks_and_scores_of_a_comparison_are_explained(table: Path) -> None:
    told = evaluate(table, "--learner", "baseline,naive_bayes", "--splits", 3).stdout
    assert "\n± standard error; * best mean; rank: mean rank, 1 is best\nlog_score: mean log-probability" in told
    assert "\nbrier: squared error of probabilities, 0 is best\n" in told
    alone = evaluate(table, "--learner", "baseline", "--splits", 3, "--score", "accuracy").stdout
    assert alone.splitlines()[-1] == "± standard error; * best mean"
