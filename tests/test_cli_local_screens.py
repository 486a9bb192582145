"""What the command line prints of models around the new case, and what it notes of cases out of their reach."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from commands import HEADER, ROWS, answers, ask, run, write
from flat_tables import FLATS, estimate, lines, split_flats

from priorcase import LocallyWeightedRegressor
from priorcase.cli.notices import Notices, noticed
from priorcase.exceptions import FarQueryWarning, UnsettledFitWarning


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write(tmp_path / "past.csv", lines(FLATS[:50]))


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return write(tmp_path / "new.csv", lines(FLATS[50:]))


@pytest.fixture
def train(tmp_path: Path) -> Path:
    return write(tmp_path / "train.csv", [HEADER, *ROWS[:80]])


@pytest.mark.parametrize(
    ("options", "opening"),
    [
        (("local", "--neighbors", 30), "from the nearest 30 of 50 past cases, degree 1, kernel tricube, distance heom"),
        (("local", "--neighbors", "all", "--degree", 0), "from all 50 past cases, degree 0, kernel tricube"),
        (
            ("local", "--bandwidth", 1.25),
            "from those of 50 past cases that lie within the bandwidth, degree 1, kernel tricube, bandwidth 1.25",
        ),
        (
            ("local", "--bandwidth", 1.25, "--neighbors", 40),
            "from those of the nearest 40 of 50 past cases that lie within the bandwidth, degree 1",
        ),
        (("local", "--bandwidth", 1.25, "--kernel", "gaussian"), "from all 50 past cases, degree 1, kernel gaussian"),
        (("local", "--bandwidth", "query"), "from as many of 50 past cases as suit each new one, degree 1"),
        (
            ("rbf", "--centers", 9, "--alpha", 0.5, "--weights", "gain_ratio"),
            "from 9 centres among 50 past cases, centers-by kmeans, width auto, alpha 0.5, distance heom, seed 0, "
            "weights gain_ratio",
        ),
    ],
)
def test_the_heading_says_who_answers(table: Path, new: Path, options: tuple[object, ...], opening: str) -> None:
    text = estimate("predict", table, new, "--learner", *options, columns=200).stdout
    assert text.startswith(f"price estimated by {options[0]} {opening}")


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("command", ["predict", "explain"])
def test_screens_show_intervals_and_fit(table: Path, new: Path, command: str, columns: int) -> None:
    options = ("--learner", "local", "--neighbors", 30, "--weights", "relief", "--level", 0.9)
    result = estimate(command, table, new, *options, columns=columns)
    assert result.exit_code == 0, result.stderr
    assert max(map(len, result.stdout.splitlines())) <= columns
    assert (result.stderr, "\x1b" in result.stdout) == ("", False)
    past, targets, cases = split_flats()
    model = LocallyWeightedRegressor(30, attribute_weights="relief").fit(past, targets)
    (lower, *_), (upper, *_) = model.prediction_interval(cases, 0.9)
    interval = f"{lower:.6g} to {upper:.6g}"
    if command == "predict":
        assert "90% interval" in result.stdout
        assert any(line.strip().startswith("2 ") and interval in line for line in result.stdout.splitlines())
        inside = sum(
            a <= row[3] <= b for a, b, row in zip(*model.prediction_interval(cases, 0.9), FLATS[50:], strict=True)
        )
        assert f" over 10 cases, {inside} of 10 within their intervals\n" in result.stdout
    else:
        assert f"\n90% interval: {interval}\nslopes: size " in result.stdout
        assert "\nweights of the attributes: " in result.stdout
        assert result.stdout.count(" interval: ") == 10
        assert "+0," not in result.stdout
        assert "+0\n" not in result.stdout


def test_many_slopes_are_counted(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    rows = [",".join(f"{cell:.3f}" for cell in row) for row in random.normal(size=(60, 13))]
    table = write(tmp_path / "wide.csv", [",".join([*(f"x{i}" for i in range(12)), "price"]), *rows])
    text = run("explain", "--train", table, "--target", "price", "--query", table, "--learner", "local").stdout
    assert ", 2 more\n" in text.replace("\n", " ").replace("2 more ", "2 more\n")
    assert "x10 " not in text.partition("slopes: ")[2].partition("more")[0]


def test_cases_out_of_reach_are_noted_by_line(table: Path, new: Path) -> None:
    for command in ("predict", "explain"):
        result = estimate(command, table, new, "--learner", "local", "--bandwidth", 1e-6, "--json")
        found = answers(result)["answers"]
        assert {tuple(answer["interval"]) for answer in found} == {(None, None)}
        assert result.stderr == (
            "priorcase: note: no past case lies within the bandwidth at lines 2, 3, 4, 5, 6 and 5 more: those nearest "
            "answer there; a larger --bandwidth, or --neighbors in its place, reaches every new case\n"
        )
    text = estimate("predict", table, new, "--learner", "local", "--bandwidth", 1e-6).stdout
    assert text.count("unknown") == 10
    assert "within their intervals" not in text


def test_classes_out_of_reach_are_noted_block_by_block(train: Path, tmp_path: Path) -> None:
    near, far = ROWS[0].rpartition(",")[0], "tandem,99,99999,999,yes,yes,fresh,weak,hiss"
    many = write(tmp_path / "many.csv", [HEADER.rpartition(",")[0], *[near] * 1100, far])
    result = ask("predict", train, many, "--json", "--learner", "local", "--bandwidth", 0.5, "--model", "linear")
    assert len(answers(result)["answers"]) == 1101
    assert result.stderr.startswith("priorcase: note: no past case lies within the bandwidth at line 1102: ")
    assert result.stderr.count("\n") == 1


def test_warnings_become_notes_by_line() -> None:
    notices = Notices()
    for lines_of_block in ((2, 3, 5), (8, 9)):
        with noticed(notices, lines_of_block):
            for warning, query in (
                (UnsettledFitWarning("a"), 1),
                (UnsettledFitWarning("b"), 1),
                (FarQueryWarning("c"), 0),
            ):
                warning.queries = (query,)
                warnings.warn(warning, stacklevel=1)
    assert (notices.far, notices.unsettled) == ([2, 8], [3, 9])
    assert list(notices.texts()) == [
        "no past case lies within the bandwidth at lines 2, 8: those nearest answer there; a larger --bandwidth, or "
        "--neighbors in its place, reaches every new case",
        "the local models at lines 3, 9 did not settle: their probabilities are approximate",
    ]


def test_other_warnings_pass() -> None:
    notices = Notices()
    with pytest.warns(RuntimeWarning, match="something else"), noticed(notices, (2,)):
        warnings.warn("something else", RuntimeWarning, stacklevel=1)
    assert list(notices.texts()) == []
