"""``--tune`` on the command line: the library's choice, told in words, and what does not go with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import HEADER, ROWS, answers, ask, error, run, split_table, write

from priorcase import KNNClassifier, KNNRegressor
from priorcase.cli.fitting_tuned import choice_text
from priorcase.cli.learners import LEARNERS
from priorcase.neighbors import tune
from priorcase.similarity import Absolute, Distance


@pytest.fixture
def train(tmp_path: Path) -> Path:
    return write(tmp_path / "train.csv", [HEADER, *ROWS[:80]])


@pytest.fixture
def query(tmp_path: Path) -> Path:
    return write(tmp_path / "query.csv", [HEADER, *ROWS[80:]])


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    return write(tmp_path / "numbers.csv", ["x,t", *(f"{i % 10},{(i % 10) ** 2 / 4 + i / 8}" for i in range(30))])


@pytest.mark.parametrize("stays", [{}, {"ties": "first", "weights": "gain_ratio"}])
def test_the_choice_is_the_librarys(train: Path, query: Path, stays: dict[str, str]) -> None:
    flags = [part for name, value in stays.items() for part in (f"--{name}", value)]
    document = answers(ask("predict", train, query, "--json", "--tune", *flags))
    past, targets, new = split_table()
    options: dict[str, Any] = {"ties": stays["ties"], "attribute_weights": stays["weights"]} if stays else {}
    plain = KNNClassifier(schema=dict(enumerate(past.kinds.values())), **options)
    tuning = tune(plain, past.tuples(), targets)
    found = tuning.best_params
    assert (document["neighbors"], document["distance"]) == (
        found["n_neighbors"],
        choice_text(found["distance"]),
    )
    assert (document["vote"], document["prior"]) == (choice_text(found["vote"]), found["prior"])
    assert (document["temperature"], document["weights"]) == (
        found["temperature"],
        found["attribute_weights"] or "none",
    )
    assert document["tuning"] == {
        "candidates": len(tuning),
        "scoring": "log_score",
        "score": tuning.score,
        "nested_score": tuning.nested_score,
    }
    shares = tuning.best.predict_proba(new.tuples())
    for answer, row in zip(document["answers"], shares, strict=True):
        assert answer["probabilities"] == dict(zip(tuning.best.classes_, row, strict=True))


def test_numbers_are_tuned_too(numbers: Path) -> None:
    options = ("--train", numbers, "--target", "t", "--query", numbers, "--tune")
    document = answers(run("explain", *options, "--json"))
    rows = [[float(i % 10)] for i in range(30)]
    tuning = tune(KNNRegressor(), rows, [(i % 10) ** 2 / 4 + i / 8 for i in range(30)])
    assert (document["neighbors"], document["vote"]) == (
        tuning.best_params["n_neighbors"],
        choice_text(tuning.best_params["vote"]),
    )
    assert document["tuning"]["scoring"] == "squared_error"
    assert [answer["prediction"] for answer in document["answers"]] == tuning.best.predict(rows).tolist()
    assert not {"prior", "temperature"} & set(document)


def test_the_screen_says_what_was_chosen_and_how_good_it_is(train: Path, query: Path) -> None:
    document = answers(ask("predict", train, query, "--json", "--tune"))
    for command in ("predict", "explain"):
        result = ask(command, train, query, "--tune")
        said = " ".join(result.stdout.split("\n\n")[0].split())
        weights = "" if document["weights"] == "none" else f", weights {document['weights']}"
        found = document["tuning"]
        assert said == (
            f"job classified from the nearest {document['neighbors']} of 80 past cases (ties included): "
            f"distance {document['distance']}, vote {document['vote']}, prior {document['prior']:g}, "
            f"temperature {document['temperature']:g}, seed 0{weights} "
            f"best of {found['candidates']}; log score {found['nested_score']:.4g} "
            "on past cases that took no part in the choice"
        )
        assert max(map(len, result.stdout.splitlines())) <= 80
        assert result.stderr == ""


def test_the_folds_follow_the_seed(train: Path, query: Path) -> None:
    options = ("predict", train, query, "--json", "--tune")
    first, same, other = (answers(ask(*options, "--seed", seed)) for seed in (0, 0, 1))
    assert first == same == answers(ask(*options))
    assert (first["seed"], other["seed"]) == (0, 1)
    assert first["tuning"]["nested_score"] != other["tuning"]["nested_score"]
    assert error(ask("predict", train, query, "--seed", 1)) == (
        "--seed has no effect with --learner neighbors, unless with --tune. "
        "'priorcase predict --help' shows the options."
    )


@pytest.mark.parametrize("option", [("--neighbors", 5), ("--distance", "heom"), ("--vote", "uniform"), ("--prior", 1)])
def test_what_is_chosen_cannot_be_given(train: Path, query: Path, option: tuple[object, ...]) -> None:
    assert error(ask("predict", train, query, "--tune", *option)) == (
        f"{option[0]} has no effect with --tune, which chooses it. 'priorcase predict --help' shows the options."
    )


@pytest.mark.parametrize("learner", [learner for learner in LEARNERS if learner != "neighbors"])
def test_other_learners_are_not_tuned(train: Path, query: Path, learner: str) -> None:
    message = error(ask("predict", train, query, "--learner", learner, "--tune"))
    assert message.startswith(f"--tune has no effect with --learner {learner}, only with neighbors.")


def test_few_cases_choose_nothing(tmp_path: Path) -> None:
    cases = ["x,t", "1,a", "2,b", "3,a", "4,b"]
    for n, good in ((1, False), (2, False), (3, True), (4, True)):
        table = write(tmp_path / "t.csv", cases[: n + 1])
        result = run("predict", "--train", table, "--target", "t", "--query", table, "--tune")
        if good:
            assert result.exit_code == 0, result.stderr
        else:
            assert error(result) == (
                f"got --tune=True; expected at least 3 past cases to choose by, not {n}. "
                "Leave it out, or add past cases."
            )


def test_a_single_class_is_tuned(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["x,t", *(f"{i},a" for i in range(8))])
    document = answers(run("predict", "--train", table, "--target", "t", "--query", table, "--tune", "--json"))
    assert {answer["prediction"] for answer in document["answers"]} == {"a"}


def test_distances_with_options_are_told_by_them() -> None:
    distance = Distance(numeric=Absolute("std", factor=4.0), power=1)
    assert choice_text(distance) == "Distance(numeric=Absolute(scaling=std, factor=4), power=1)"
