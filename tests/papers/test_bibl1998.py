"""The papers' figures: the library's naive Bayes is theirs, and agrees with what they printed where it can."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from paper_pages import is_documented
from reference.papers import Counted

from papers import Options, bibl1998, kontkanen1997
from papers.bibl1998 import figure_1
from papers.protocols import DiscreteTable, NaiveBayesRule, deal, discrete
from papers.reproduction import Figure
from priorcase.bayes.discretise import KMeansBins
from priorcase.datasets import load, load_repairs

PAIRS = {
    "ml": (NaiveBayesRule("map", "cap100"), Counted("ml")),
    "floored": (NaiveBayesRule("map", "param_floor"), Counted("floored")),
    "evidence": (NaiveBayesRule("evidence"), Counted("evidence")),
    "sc": (NaiveBayesRule("sc"), Counted("sc")),
}


@pytest.fixture(scope="module")
def repairs() -> DiscreteTable:
    return discrete("repairs", *load_repairs(), KMeansBins(4))


# Rules ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("share", [1.0, 0.1])
def test_the_librarys_rules_are_the_papers(repairs: DiscreteTable, name: str, share: float) -> None:
    ours, reference = PAIRS[name]
    for train, test in deal(len(repairs), 4, share, np.random.default_rng(3)):
        expected = reference.split(repairs, train, test)
        np.testing.assert_allclose(ours.split(repairs, train, test), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", PAIRS)
def test_leaving_one_out_is_learning_from_the_others(repairs: DiscreteTable, name: str) -> None:
    ours, reference = PAIRS[name]
    np.testing.assert_allclose(ours.leave_one_out(repairs), reference.leave_one_out(repairs), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", bibl1998.NOMINAL)
def test_the_rules_agree_on_the_papers_own_rows(data_dir: Path, name: str) -> None:
    table = discrete(name, *load(name, folder=data_dir), KMeansBins())
    for share in bibl1998.SHARES.values():
        train, test = next(deal(len(table), 5, share, np.random.default_rng(8)))
        for ours, reference in PAIRS.values():
            expected = reference.split(table, train, test[:20])
            np.testing.assert_allclose(ours.split(table, train, test[:20]), expected, rtol=1e-10, atol=1e-10)


def test_the_papers_claim_holds_on_the_built_in_table(repairs: DiscreteTable) -> None:
    """Averaging over all models has the better log-score, and far the better where rows are few."""
    for share in bibl1998.SHARES.values():
        scores = bibl1998.measure((repairs, 4, share), runs=3)
        assert scores["BIBL"].log.mean() > scores["MLNB"].log.mean()
    assert scores["BIBL"].zero_one.mean() > scores["MLNB"].zero_one.mean()


# Figures ----------------------------------------------------------------------------------------------------------

RUNS = 12


@pytest.fixture(scope="module")
def first(data_dir: Path) -> Any:
    return bibl1998.table_1(Options(data=data_dir, trials=RUNS), names=bibl1998.NOMINAL)


def beyond_chance(figure: Figure) -> float:
    """How far a figure is off, less what chance may do to an average of these runs: three standard errors."""
    return abs(figure.difference) - 3 * figure.standard_error


@pytest.mark.parametrize("column", bibl1998.COLUMNS)
def test_bibl_agrees_where_no_number_was_cut(first: Any, column: str) -> None:
    """One point of accuracy; log-scores by 0.1 (averaged, printed to 0.1) and 0.7 (maximum likelihood)."""
    hits, losses = first.tables
    for row in hits.rows:
        assert beyond_chance(hits[row, column]) <= 1.0
        assert beyond_chance(losses[row, column]) <= (0.1 if "BIBL" in column else 0.7)


@pytest.mark.parametrize("row", [line.title for line in kontkanen1997.TABLE_1])
def test_the_1997_table_agrees(data_dir: Path, row: str) -> None:
    hits, gains = kontkanen1997.table_1(Options(data=data_dir)).tables
    for column in ("MAP", "EV"):
        assert abs(hits[row, column].difference) <= 0.015
    assert abs(gains[row, "EV"].difference) <= 0.02
    # Stochastic complexity by eq. 8 stays near the evidence, which the printed figures do not.
    assert abs(gains[row, "SC"].ours - gains[row, "EV"].ours) <= 0.05


def test_the_documented_figures_are_those_that_are_measured(data_dir: Path) -> None:
    """The whole second table, and of the first the data set that is nearest to the bars; both as documented."""
    options = Options(data=data_dir)
    for table in kontkanen1997.table_1(options).tables:
        for row in table.rows:
            assert is_documented(table, row)
    for table in bibl1998.table_1(options, names=["lymphography"]).tables:
        assert is_documented(table, "Lymphography")


def test_figures_are_the_same_for_any_number_of_jobs(data_dir: Path) -> None:
    one, two = (
        bibl1998.table_1(Options(data=data_dir, trials=1, jobs=jobs), names=["iris", "glass"]) for jobs in (1, 2)
    )
    assert [table.csv() for table in one.tables] == [table.csv() for table in two.tables]


def test_the_1998_figure_shows_what_the_text_says(data_dir: Path) -> None:
    """Few runs: BIBL has the better log-score at every share, and is more often right from a tenth of the rows."""
    part = figure_1(Options(data=data_dir, trials=3))
    hits, losses = part.tables
    for share in losses.rows:
        assert losses[share, "BIBL"].value < losses[share, "MLNB"].value
    assert hits["10", "BIBL"].value > hits["10", "MLNB"].value + 10
    assert [row for row in hits.rows if hits[row, "BIBL"].theirs is not None] == ["10", "100"]
    (picture,) = part.pictures
    assert picture.columns["BIBL_log"] == [losses[share, "BIBL"].value for share in losses.rows]
    assert len(picture.figure().axes) == 2
    assert "Ours has it at every share" in part.notes[1]


def test_table_and_figure_agree_where_they_overlap(data_dir: Path) -> None:
    options = Options(data=data_dir, trials=2)
    (hits, _), (table, _) = figure_1(options).tables, bibl1998.table_1(options, names=["iris"]).tables
    for share in ("10", "100"):
        for rule in ("MLNB", "BIBL"):
            assert hits[share, rule] == table["Iris", f"{share} % {rule}"]
