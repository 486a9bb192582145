"""The table of models: what it claims holds on a smaller scale, and what it measures is what it says."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import priorcase as pc
from benchmarks.models import few_rows, one_column
from benchmarks.models.__main__ import main
from benchmarks.models.contenders import BINS_BY_CLASS, CONTENDERS, EVIDENCE, OURS, PLUG_IN, TREES, log_probabilities
from benchmarks.models.encoded import plain
from benchmarks.models.few_rows import CAUSES, FAINT, Gain
from benchmarks.models.grids import Grid, by_model, figure
from benchmarks.models.measuring import Score, cross_validated, from_a_tenth
from benchmarks.models.problems import NAMES, Problem, load
from priorcase.datasets import NamedColumns

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def repairs() -> Problem:
    return load("repairs", None)


@pytest.fixture(scope="module")
def tiny() -> Problem:
    """Two columns, one of levels with a gap, and a class that only the last row has."""
    kinds = {"age": pc.Numeric(), "size": pc.Ordinal(("S", "L")), "hue": pc.Nominal()}
    data = {"age": [1.0, 2.0, None, 4.0, 9.0], "size": ["S", "L", None, "S", "L"], "hue": ["r", "g", "r", None, "b"]}
    return Problem("tiny", NamedColumns.of(data, kinds), np.array(["a", "a", "b", "b", "c"]))


# What is claimed --------------------------------------------------------------------------------------------------


def test_evidence_beats_the_plug_in_from_a_tenth_of_the_built_in_table(repairs: Problem) -> None:
    scores = few_rows.measure(repairs, 10)
    assert (Gain.of(scores, EVIDENCE, PLUG_IN).each > 0).all()
    assert (Gain.of(scores, few_rows.BINNED_EVIDENCE, few_rows.BINNED_PLUG_IN).each > 0).all()


@pytest.mark.parametrize("name", ["hepatitis", "diabetes-pima"])
def test_evidence_beats_the_plug_in_from_a_tenth_of_real_tables(data_dir: Path, name: str) -> None:
    """One with many gaps and values, one of numbers only, where it has the least to gain."""
    gain = Gain.of(few_rows.measure(load(name, data_dir), 8), EVIDENCE, PLUG_IN)
    assert gain.mean > 3 * gain.standard_error
    assert (gain.each > 0).all()


@pytest.mark.slow
def test_why_the_plug_in_wins_on_mushroom(data_dir: Path) -> None:
    """Because its columns depend on each other: shuffled within classes it loses, and so it does to trees."""
    mushroom = load("mushroom", data_dir)
    scores = from_a_tenth(mushroom, CAUSES, times=3)
    assert Gain.of(scores, EVIDENCE, PLUG_IN).mean < 0
    assert Gain.of(scores, TREES, PLUG_IN).mean > 0
    assert scores[TREES].hits.mean() > scores[PLUG_IN].hits.mean() > scores[EVIDENCE].hits.mean()
    scores = from_a_tenth(mushroom.shuffled(), CAUSES, times=3)
    assert Gain.of(scores, EVIDENCE, PLUG_IN).mean > 0
    assert Gain.of(scores, FAINT, PLUG_IN).mean > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hepatitis"])
def test_the_documented_figures_are_those_that_are_measured(data_dir: Path, name: str) -> None:
    documented = (ROOT / "docs" / "benchmarks" / "models.md").read_text(encoding="utf-8")
    problem = load(name, data_dir)
    for grid in few_rows.grids({name: few_rows.measure(problem, 50)}):
        assert grid.markdown().splitlines()[-1] in documented
    score = cross_validated(problem, {EVIDENCE: OURS[EVIDENCE]}, runs=3, folds=10)[EVIDENCE]
    line = next(line for line in documented.splitlines() if line.startswith(f"| {EVIDENCE} |"))
    assert line.split(" | ")[1 + NAMES.index(name)].strip("*") == figure(score.log)


# What is measured -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_model_is_measured_on_the_same_rows(repairs: Problem) -> None:
    found = cross_validated(repairs, CONTENDERS, runs=1, folds=3)
    assert list(found) == list(CONTENDERS)
    for name, score in found.items():
        assert score.log <= 0, name
        assert 0.5 < score.zero_one <= 1, name
    alone = cross_validated(repairs, {EVIDENCE: OURS[EVIDENCE]}, runs=1, folds=3)
    assert alone[EVIDENCE] == found[EVIDENCE]


def test_the_column_that_gains_most_is_named(repairs: Problem) -> None:
    cut = one_column.measure(repairs, runs=1, folds=3)
    scores = cross_validated(repairs, {name: OURS[name] for name in (EVIDENCE, BINS_BY_CLASS)}, runs=1, folds=3)
    (line,) = one_column.grid({"repairs": scores}, {"repairs": cut}).lines
    assert list(cut) == [name for name, kind in repairs.X.kinds.items() if isinstance(kind, pc.Numeric)]
    assert line[-1] in cut
    assert line[3] == figure(max(score.log for score in cut.values()))
    assert one_column.grid({"x": scores}, {"x": {}}).lines == []


def test_a_class_that_no_row_shows_is_impossible_unless_told(tiny: Problem) -> None:
    train, test = np.arange(4), np.array([4])
    logs = log_probabilities(pc.NaiveBayes(), tiny, train, test)
    assert np.isneginf(logs[0, 2])
    assert np.exp(logs).sum() == pytest.approx(1.0)
    logs = log_probabilities(pc.NaiveBayes(), tiny, train, test, told=True)
    assert np.isfinite(logs).all()


def test_what_a_cap_and_a_limit_of_100_nats_spare(tiny: Problem) -> None:
    zeros = from_a_tenth(
        repeated(tiny), {name: few_rows.PAIRS[name] for name in (few_rows.ZEROS_STAY, PLUG_IN)}, times=3
    )
    stay, cap = zeros[few_rows.ZEROS_STAY], zeros[PLUG_IN]
    assert (stay.impossible > 0).any()
    np.testing.assert_allclose(stay.capped, cap.capped)
    assert (cap.impossible == 0).all()
    assert (cap.logs <= cap.capped + 1e-12).all()


def test_shuffling_keeps_the_counts_of_every_class(repairs: Problem) -> None:
    shuffled = repairs.shuffled()
    assert shuffled.X.tuples() != repairs.X.tuples()
    for name in repairs.X.data:
        for label in repairs.classes:
            rows = repairs.y == label
            before, after = (sorted(map(str, problem.X[name][rows])) for problem in (repairs, shuffled))
            assert before == after


def test_tenths_and_folds_are_the_same_every_time(repairs: Problem) -> None:
    for train, test in repairs.tenths(3):
        assert len(train) == len(repairs.y) // 10
        assert sorted([*train, *test]) == list(range(len(repairs.y)))
    first, second = (list(repairs.tenths(2)) for _ in range(2))
    assert [train.tolist() for train, _ in first] == [train.tolist() for train, _ in second]
    assert first[0][0].tolist() != first[1][0].tolist()
    tested = [row for _, test in repairs.folds(2, 4) for row in test.tolist()]
    assert sorted(tested) == sorted(2 * list(range(len(repairs.y))))


def test_peers_get_ranks_values_and_gaps(tiny: Problem) -> None:
    cells = plain(tiny.X)
    assert cells[0].tolist() == [1.0, 0.0, "r"]
    assert [[isinstance(cell, float) and np.isnan(cell) for cell in row] for row in cells[2:4]] == [
        [True, True, False],
        [False, False, True],
    ]


def repeated(problem: Problem, times: int = 8) -> Problem:
    data = {name: np.tile(column, times) for name, column in problem.X.data.items()}
    return Problem(problem.name, NamedColumns.of(data, problem.X.kinds), np.tile(problem.y, times))


# What is printed --------------------------------------------------------------------------------------------------


def test_the_best_of_each_column_is_bold() -> None:
    scores = {
        "one": {"a": Score(-0.5, 0.9), "b": Score(-0.4, 0.8)},
        "two": {"a": Score(-np.inf, 1), "b": Score(-3e4, 1)},
    }
    grid = by_model("log", scores, lambda score: score.log)
    assert grid.markdown().splitlines()[-2:] == ["| a | -0.500 | -inf |", "| b | **-0.400** | **-30,000** |"]
    assert Grid("t", ("x",), [["**1**"]]).plain() == "t\n  x\n  1"


def test_the_command_needs_data(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("PRIORCASE_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["models", "--quick"])
    with pytest.raises(SystemExit) as refused:
        main()
    assert refused.value.code == 2
    assert "--only repairs needs no folder" in capsys.readouterr().err


@pytest.mark.slow
def test_the_command_runs_on_the_built_in_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("PRIORCASE_DATA", raising=False)
    table = tmp_path / "table.md"
    monkeypatch.setattr(sys, "argv", ["models", "--quick", "--only", "repairs", "--markdown", str(table)])
    assert main() == 0
    assert "| NaiveBayes() | " in table.read_text(encoding="utf-8")
    assert "better in" in capsys.readouterr().out
