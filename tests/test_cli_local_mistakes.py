"""What the learners of the command line that fit models around the new case refuse, in one line each."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import HEADER, ROWS, ask, error, run, write

from priorcase.cli.learners import LEARNERS
from priorcase.local.rbf import centers


@pytest.fixture
def train(tmp_path: Path) -> Path:
    return write(tmp_path / "train.csv", [HEADER, *ROWS[:80]])


@pytest.fixture
def query(tmp_path: Path) -> Path:
    return write(tmp_path / "query.csv", [HEADER, *ROWS[80:]])


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    return write(tmp_path / "numbers.csv", ["x,t", *(f"{i % 6},{i / 2}" for i in range(12))])


@pytest.mark.parametrize(
    ("learner", "option", "others"),
    [
        *(
            (learner, option, "local")
            for option in (
                ("--model", "linear"),
                ("--degree", "1"),
                ("--kernel", "tricube"),
                ("--bandwidth", "1"),
                ("--level", "0.9"),
            )
            for learner in LEARNERS
            if learner != "local"
        ),
        *(
            (learner, option, "rbf")
            for option in (("--centers", "5"), ("--centers-by", "em"), ("--width", "1"), ("--alpha", "0"))
            for learner in LEARNERS
            if learner != "rbf"
        ),
        *(
            (learner, ("--weights", "relief"), "neighbors, local and rbf")
            for learner in LEARNERS
            if learner not in ("neighbors", "local", "rbf")
        ),
        ("local", ("--vote", "uniform"), "neighbors"),
        ("local", ("--ties", "first"), "neighbors, ib1, ib2, ib3, ib4 and pebls"),
        ("local", ("--seed", "1"), "neighbors, rbf, ib1, ib2, ib3 and ib4"),
        ("rbf", ("--neighbors", "3"), "neighbors, local and pebls"),
        ("rbf", ("--prior", "1"), "neighbors, local, naive-bayes and subsets"),
    ],
)
def test_an_option_of_another_learner_is_refused(
    train: Path, query: Path, learner: str, option: tuple[str, ...], others: str
) -> None:
    assert error(ask("predict", train, query, "--learner", learner, *option)) == (
        f"{option[0]} has no effect with --learner {learner}, only with {others}. "
        "'priorcase predict --help' shows the options."
    )


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["locale"], "Did you mean 'local'?"),
        (["local", "--model", "naive_bayes"], "Did you mean 'naive-bayes'?"),
        (["local", "--model", "tree"], "'tree' is not one of 'logistic', 'naive-bayes', 'linear'."),
        (["local", "--degree", "3"], "Invalid value for '--degree': '3' is not a whole number from 0 to 2."),
        (["local", "--kernel", "tricubic"], "Did you mean 'tricube'?"),
        (
            ["local", "--kernel", "cosine"],
            "Invalid value for '--kernel': 'cosine' is not one of uniform, gaussian, tricube, epanechnikov, biweight, "
            "triangular, exponential, inverse_power, which --learner local takes.",
        ),
        (
            ["local", "--bandwidth", "wide"],
            "'--bandwidth': 'wide' is neither a number nor one of loo, query, which --learner local takes.",
        ),
        (["local", "--bandwidth", "0"], "'--bandwidth': 0 is not a number from 1e-100 to 1e+100"),
        (["local", "--bandwidth", "nan"], "'--bandwidth': nan is not a number from 1e-100 to 1e+100"),
        (["local", "--level", "95"], "'--level': 95 is not a number from 0.5 to below 1, which --learner local takes."),
        (["local", "--level", "high"], "Invalid value for '--level': 'high' is not a number."),
        (["local", "--neighbors", "few"], "'few' is neither a positive number nor one of sqrt, loo, all."),
        (
            ["local", "--neighbors", "81"],
            "got --neighbors=81; expected at most 80, the number of past cases. "
            "Ask fewer of them, or take --neighbors sqrt, loo or all.",
        ),
        (
            ["local", "--bandwidth", "query", "--neighbors", "5"],
            "--neighbors has no effect with --bandwidth query, which chooses a number for each new case.",
        ),
        (
            ["local", "--bandwidth", "loo", "--neighbors", "loo"],
            "--neighbors loo does not go with --bandwidth loo; leave one of them out.",
        ),
        (
            ["local", "--weights", "gain"],
            "Invalid value for '--weights': 'gain' is not one of none, gain_ratio, relief, mutual_information, bayes, "
            "loo, which --learner local takes.",
        ),
        (["neighbors", "--weights", "gain-ratio"], "Did you mean 'gain_ratio'?"),
        (["local", "--prior", "much"], "'much' is neither a number nor the word frequency, which --learner local"),
        (["local", "--distance", "cosine"], "column 'bike' is nominal"),
        (["rbf", "--centers", "0"], "'0' is neither a positive number nor one of auto, all."),
        (
            ["rbf", "--centers", "81"],
            "got --centers=81; expected at most 80, the number of different past cases. "
            "Ask for fewer of them, or take --centers auto.",
        ),
        (
            ["rbf", "--centers-by", "means"],
            "'means' is not one of kmeans, em, random, stratified, which --learner rbf takes.",
        ),
        (["rbf", "--width", "broad"], "'broad' is neither a number nor one of auto, common, neighbors, em, which"),
        (["rbf", "--width", "-1"], "'--width': -1 is not a number from 1e-100 to 1e+100"),
        (["rbf", "--alpha", "-1"], "'--alpha': -1 is not a finite number >= 0, which --learner rbf takes."),
        (
            ["rbf", "--centers", "all", "--centers-by", "kmeans"],
            "--centers-by has no effect with --centers all, which are where the past cases are.",
        ),
        (
            ["rbf", "--centers", "all", "--seed", "1"],
            "--seed has no effect with --centers all, which leaves nothing to chance.",
        ),
        (
            ["rbf", "--width", "em"],
            "--width em goes with --centers-by em only, whose bumps are as wide as what they stand for.",
        ),
    ],
)
def test_each_mistake_is_one_line(train: Path, query: Path, args: list[str], expected: str) -> None:
    message = error(ask("predict", train, query, "--learner", *args))
    assert expected in message


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("--degree", 1, "no degree where classes are answered, whose local models are those of --model"),
        ("--level", 0.9, "no level where classes are answered, which have probabilities and no intervals"),
        ("--bandwidth", "query", "a number or loo where classes are answered"),
    ],
)
def test_options_of_numbers_are_refused_for_classes(
    train: Path, query: Path, option: str, value: object, expected: str
) -> None:
    assert error(ask("predict", train, query, "--learner", "local", option, value)) == (
        f"got {option}={value!r}; expected {expected}. Leave it out, or take --task regress if 'job' is a quantity."
    )


@pytest.mark.parametrize(
    ("learner", "option", "value", "expected"),
    [
        ("local", "--model", "linear", "no model for a regression, whose local model is a polynomial of --degree"),
        ("local", "--prior", 1.0, "no prior for a regression"),
        *((learner, "--weights", "bayes", "other weights for a regression, or none") for learner in ("local", "rbf")),
        ("neighbors", "--weights", "bayes", "other weights for a regression, or none"),
    ],
)
def test_options_of_classes_are_refused_for_numbers(
    numbers: Path, learner: str, option: str, value: object, expected: str
) -> None:
    options = ("--train", numbers, "--target", "t", "--query", numbers, "--learner", learner, option, value)
    assert error(run("predict", *options)) == (
        f"got {option}={value!r}; expected {expected}. "
        "Leave it out, or take --task classify if each number of 't' is a class."
    )
    assert run("predict", *options, "--task", "classify").exit_code == 0


def test_networks_cannot_be_explained(train: Path, query: Path) -> None:
    assert error(ask("explain", train, query, "--learner", "rbf")).startswith(
        "--learner rbf cannot be explained; explain shows the precedents of neighbors, local, "
    )


def test_centres_are_counted_before_they_are_made(numbers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ("--train", numbers, "--target", "t", "--query", numbers, "--learner", "rbf", "--centers")
    message = error(run("predict", *options, 7))
    assert "got --centers=7; expected at most 6, the number of different past cases." in message
    assert run("predict", *options, 6).exit_code == 0
    monkeypatch.setattr("priorcase.cli.fitting_local.MAX_CENTERS", 5)
    assert centers.MAX_CENTERS == 4000
    for value, shown in (("all", "'all'"), (6, "6")):
        assert error(run("predict", *options, value)) == (
            f"got --centers={shown}; expected at most 5 centres; there are 6 different past cases. "
            "Ask for fewer of them, or take --centers auto."
        )
