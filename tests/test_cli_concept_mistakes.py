"""What the learners of the command line that choose what to remember refuse, in one line each."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import HEADER, ROWS, ask, error, run, write

from priorcase.cli.learners import LEARNERS

NAMES = ("ib1", "ib2", "ib3", "ib4", "pebls")


@pytest.fixture
def train(tmp_path: Path) -> Path:
    return write(tmp_path / "train.csv", [HEADER, *ROWS[:80]])


@pytest.fixture
def query(tmp_path: Path) -> Path:
    return write(tmp_path / "query.csv", [HEADER, *ROWS[80:]])


@pytest.mark.parametrize("learner", NAMES)
def test_a_regression_is_refused(tmp_path: Path, learner: str) -> None:
    table = write(tmp_path / "t.csv", ["x,t", "1,0.5", "2,1.5"])
    options = ("--train", table, "--target", "t", "--query", table, "--learner", learner)
    assert error(run("predict", *options)) == (
        f"got --learner={learner!r}; expected neighbors, local or rbf, since 't' is numeric and this learner "
        "answers with classes. Take --learner neighbors, or --task classify if each number of 't' is a class."
    )
    assert run("predict", *options, "--task", "classify").exit_code == 0


@pytest.mark.parametrize(
    ("learner", "option", "others"),
    [
        *((learner, ("--vote", "uniform"), "neighbors") for learner in NAMES),
        *((learner, ("--prior", "1"), "neighbors, local, naive-bayes and subsets") for learner in NAMES),
        *((learner, ("--accept", "0.9"), "ib3 and ib4") for learner in LEARNERS if learner not in ("ib3", "ib4")),
        *((learner, ("--drop", "0.9"), "ib3 and ib4") for learner in ("ib1", "ib2", "pebls")),
        *((learner, ("--shuffle",), "ib1, ib2, ib3 and ib4") for learner in ("neighbors", "trees", "pebls")),
        *((learner, ("--seed", "1"), "neighbors, rbf, ib1, ib2, ib3 and ib4") for learner in ("trees", "pebls")),
        *((learner, ("--neighbors", "3"), "neighbors, local and pebls") for learner in NAMES[:-1]),
        *((learner, ("--distance", "heom"), "neighbors, local, rbf, ib1, ib2 and ib3") for learner in ("ib4", "pebls")),
        *((learner, ("--weighting", "none"), "pebls") for learner in LEARNERS if learner != "pebls"),
        *((learner, ("--bins", "5"), "pebls") for learner in LEARNERS if learner != "pebls"),
    ],
)
def test_an_option_of_another_learner_is_refused(
    train: Path, query: Path, learner: str, option: tuple[str, ...], others: str
) -> None:
    assert error(ask("explain" if learner in NAMES else "predict", train, query, "--learner", learner, *option)) == (
        f"{option[0]} has no effect with --learner {learner}, only with {others}. "
        f"'priorcase {'explain' if learner in NAMES else 'predict'} --help' shows the options."
    )


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["ib5"], "'trees', 'ib1', 'ib2', 'ib3', 'ib4', 'pebls'. 'priorcase predict --help' shows the options."),
        (["ib1", "--seed", "1"], "--seed has no effect with --learner ib1, unless with --shuffle or --ties random."),
        (
            ["ib2", "--ties", "first", "--seed", "0"],
            "--seed has no effect with --learner ib2, unless with --shuffle or --ties random.",
        ),
        (["ib3", "--seed", "-1"], "Invalid value for '--seed': '-1' is not a whole number from 0 to 4294967295."),
        (["ib3", "--seed", "often"], "Invalid value for '--seed': 'often' is not a whole number from 0 to 4294967295."),
        (
            ["ib3", "--accept", "1"],
            "Invalid value for '--accept': 1 is not a number from 0.5 to below 1, which --learner ib3 takes.",
        ),
        (["ib4", "--drop", "0.4"], "'--drop': 0.4 is not a number from 0.5 to below 1, which --learner ib4 takes."),
        (["ib4", "--drop", "nan"], "'--drop': nan is not a number from 0.5 to below 1"),
        (["ib3", "--accept", "high"], "Invalid value for '--accept': 'high' is not a number."),
        (["ib2", "--ties", "nearest"], "'nearest' is not one of majority, first, random, which --learner ib2 takes."),
        (["ib4", "--ties", "randm"], "Did you mean 'random'?"),
        (
            ["pebls", "--ties", "random"],
            "'random' is not one of majority, first, nearest, reduce, which --learner pebls",
        ),
        (["ib1", "--distance", "near"], "Invalid value for '--distance': 'near' is not one of heom, hvdm, vdm, mvdm"),
        (["ib1", "--distance", "cosine"], "column 'bike' is nominal"),
        (
            ["pebls", "--neighbors", "sqrt"],
            "Invalid value for '--neighbors': 'sqrt' is not a number, which --learner pebls takes.",
        ),
        (
            ["pebls", "--neighbors", "81"],
            "got --neighbors=81; expected at most 80, the number of past cases. Ask fewer of them.",
        ),
        (["pebls", "--weighting", "two_pass"], "'two_pass' is not one of 'multi_pass', 'one_pass', 'none'."),
        (["pebls", "--bins", "0"], "Invalid value for '--bins': '0' is not a whole number from 1 to 1000000."),
    ],
)
def test_each_mistake_is_one_line(train: Path, query: Path, args: list[str], expected: str) -> None:
    message = error(ask("predict", train, query, "--learner", *args))
    assert expected in message
