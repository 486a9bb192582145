"""``priorcase evaluate``: one line for each mistake."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from commands import HEADER, ROWS, error, run, write


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write(tmp_path / "repairs.csv", [HEADER, *ROWS])


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    return write(tmp_path / "prices.csv", ["size,kind,price", *(f"{i},{'ab'[i % 2]},{i * i * 1.5}" for i in range(30))])


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("--target", "jobb"), "has no column 'jobb'"),
        (
            ("--learner", "neighbours"),
            "'--learner': 'neighbours' is not one of guess, all, neighbors, local, rbf, na",
        ),
        (("--learner", "neighbours"), "Did you mean 'neighbors'?"),
        (("--learner", "guess:prior=1"), "'guess:prior=1' is not one of guess, all"),
        (("--learner", ""), "'' is not one of guess"),
        (
            ("--learner", "neighbors:voet=uniform"),
            "'neighbors:voet=uniform' is not right: no learner has an option 'voet'. "
            "Did you mean 'neighbors:vote=uniform'?",
        ),
        (("--learner", "ib3:seed=1"), "'ib3:seed=1' is not right: no learner has an option 'seed'."),
        (("--learner", "local:level=0.9"), "no learner has an option 'level'."),
        (("--learner", "neighbors:tune=yes"), "'neighbors:tune=yes' is not right: tune takes no value."),
        (("--learner", "neighbors:vote"), "'neighbors:vote' is not right: vote needs a value, as in vote=VALUE."),
        (
            ("--learner", "neighbors:neighbors=0"),
            "'--neighbors': '0' is neither a positive number nor one of sqrt",
        ),
        (("--learner", "trees:vote=uniform"), "--vote has no effect with --learner trees, only with neighbors."),
        (("--learner", "ib1:accept=0.9"), "--accept has no effect with --learner ib1, only with ib3 and ib4."),
        (("--learner", "trees", "--vote", "uniform"), "--vote has no effect with the learners compared, only with nei"),
        (
            ("--learner", "guess", "--prior", "1"),
            "--prior has no effect with the learners compared, only with neigh",
        ),
        (("--learner", "ib1,ib1"), "--learner ib1 is asked for twice; give it other options, as ib1:ties=... does."),
        (("--learner", "all", "--learner", "guess"), "guess is asked for twice; give it other options, as neighbors:n"),
        (("--learner", "neighbors:vote=loud"), "'loud' is not one of uniform, inverse_square"),
        (("--splits", "1"), "'1' is not a number of folds from 2, loo, prequential or holdout=0.7."),
        (("--splits", "holdout=1.5"), "'holdout=1.5' is not a number of folds"),
        (("--splits", "holdout=x"), "'holdout=x' is not a number of folds"),
        (("--splits", "folds=10"), "'folds=10' is not a number of folds"),
        (("--splits", "97"), "'--splits': 97 is more folds than the 96 cases; loo leaves out one case at a time."),
        (("--splits", "prequential=96"), "'prequential=96' is too many to begin with: one of the 96 cases has to be"),
        (("--splits", "holdout=96"), "'holdout=96' is not a part of 96 cases that leaves one to learn from and one to"),
        (("--splits", "holdout=0.001"), "'--splits': 'holdout=0.001' is not a part of 96 cases"),
        (("--splits", "loo", "--repeats", "2"), "--repeats has no effect with --splits loo, which leaves nothing to "),
        (("--repeats", "0"), "'0' is not a whole number from 1 to 1000000."),
        (("--score", "acuracy"), "'--score': 'acuracy' is neither accuracy, log_score, brier or balanced_accuracy nor"),
        (("--score", "acuracy"), "Did you mean 'accuracy'?"),
        (("--score", "rmse"), "'rmse' is no score of classes; --task regress if the target is a quantity. There are a"),
        (("--score", "brier,brier"), "'--score': 'brier' is asked for twice."),
        (("--score", "storage"), "'--score': 'storage' is measured with --curve only."),
        (("--seed", "-1"), "'-1' is not a whole number from 0 to 4294967295."),
        (("--jobs", "0"), "'0' is no number of jobs; 2 works on two splits at a time, -1 on each core."),
        (("--jobs", "two"), "'two' is no number of jobs"),
        (("--curve", "learn"), "'learn' is not one of 'learning', 'noise', 'class-noise'."),
        (("--curve", "noise", "--splits", "5"), "--splits has no effect with --curve noise."),
        (("--curve", "noise", "--paired"), "--paired has no effect with --curve noise."),
        (("--curve", "noise", "--points", "0,2"), "'--points': 2 is no probability, a number from 0 to 1."),
        (
            ("--curve", "learning", "--points", "68"),
            "'--points': 68 is neither a number of cases from 1 to 67, which a",
        ),
        (("--curve", "learning", "--points", "0"), "'--points': 0 is neither a number of cases from 1 to 67"),
        (("--curve", "learning", "--points", "nan"), "'--points': nan is neither"),
        (
            ("--curve", "learning", "--test", "96"),
            "'--test': 96 is not a part of 96 cases that leaves one to learn fro",
        ),
        (("--points", "1,2"), "--points has no effect without --curve."),
        (("--test", "0.3"), "--test has no effect without --curve."),
        (("--curve", "learning", "--points", "5,many"), "'many' is not a number; write 5,10,20 or 0.1,0.5, for exam"),
        (("--curve", "learning", "--test", "1.5"), "'1.5' is neither a share between 0 and 1 nor a number of cases."),
        (("--curve", "learning", "--test", "most"), "'most' is neither a share"),
        (("--paired", "--learner", "ib1"), "--paired needs two learners or more."),
        (("--json", "--csv"), "--json does not go with --csv."),
        (("--plot", "scores.gif"), "'scores.gif' does not end in .png, .pdf or .svg."),
        (("--plot", "-"), "'-' does not end in .png, .pdf or .svg."),
        (("--plot", "nowhere/scores.png"), "there is no folder 'nowhere'."),
        (("--level", "0.9"), "priorcase evaluate has no option --level."),
        (("--targt", "job"), "priorcase evaluate has no option --targt. Did you mean '--target'?"),
        (("--task", "regress"), "holds 'tune-up'; expected a finite number."),
    ],
)
def test_each_mistake_is_one_line(table: Path, args: tuple[str, ...], expected: str) -> None:
    message = error(run("evaluate", table, *([] if "--target" in args else ["--target", "job"]), *args))
    assert expected in message


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("--learner", "ib1"), "got --learner='ib1'; expected neighbors, local or rbf, since 'price' is numeric"),
        (("--learner", "local:model=linear"), "got --model='linear'; expected no model for a regression"),
        (("--prior", "1"), "got --prior=1.0; expected no prior for a regression"),
        (("--weights", "bayes"), "got --weights='bayes'; expected other weights for a regression, or none."),
        (("--score", "accuracy"), "'accuracy' is no score of numbers; --task classify if each number is a class."),
    ],
)
def test_numbers_have_other_learners_and_options(prices: Path, args: tuple[str, ...], expected: str) -> None:
    message = error(run("evaluate", prices, "--target", "price", *args))
    assert expected in message


def test_tables_that_cannot_be_read_are_one_line(tmp_path: Path) -> None:
    assert "File 'absent.csv' does not exist." in error(run("evaluate", "absent.csv"))
    assert "is a directory" in error(run("evaluate", tmp_path))
    assert "Missing argument 'TABLE'." in error(run("evaluate"))
    assert "has a header but no rows" in error(run("evaluate", write(tmp_path / "bare.csv", [HEADER])))
    assert "has one case; expected two or more." in error(
        run("evaluate", write(tmp_path / "one.csv", [HEADER, ROWS[0]]), "--target", "job")
    )
    gap = write(tmp_path / "gap.csv", ["x,t", "1,a", "2,"])
    assert "line 3 has no value in the target column 't'" in error(run("evaluate", gap, "--target", "t"))


def test_a_picture_needs_matplotlib(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = error(run("evaluate", table, "--target", "job", "--plot", tmp_path / "p.png"))
    assert "draws with matplotlib, which is not installed." in message
    assert "priorcase[plots]" in message
