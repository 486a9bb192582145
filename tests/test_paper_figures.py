"""The papers' figures: the library's naive Bayes is theirs, and agrees with what they printed where it can."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from reference.papers import Counted

from priorcase.bayes.kmeans_bins import KMeansBins
from priorcase.datasets import load_repairs
from priorcase.papers import bibl, predictive_inference
from priorcase.papers.__main__ import main
from priorcase.papers.data import DiscreteTable, discrete, read_described
from priorcase.papers.protocols import deal
from priorcase.papers.report import Figure
from priorcase.papers.rules import NaiveBayesRule

OURS = {"MLNB": NaiveBayesRule("map", "cap100"), "BIBL": NaiveBayesRule("evidence")}
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


@pytest.mark.parametrize("name", bibl.NOMINAL)
def test_the_rules_agree_on_the_papers_own_rows(data_dir: Path, name: str) -> None:
    table = discrete(name, *read_described(data_dir, name), KMeansBins())
    for share in bibl.SHARES.values():
        train, test = next(deal(len(table), 5, share, np.random.default_rng(8)))
        for ours, reference in PAIRS.values():
            expected = reference.split(table, train, test[:20])
            np.testing.assert_allclose(ours.split(table, train, test[:20]), expected, rtol=1e-10, atol=1e-10)


def test_the_papers_claim_holds_on_the_built_in_table(repairs: DiscreteTable) -> None:
    """Averaging over all models has the better log-score, and far the better where rows are few."""
    scores = bibl.measure(repairs, OURS, folds=4, runs=3)
    for share in bibl.SHARES:
        assert scores[f"{share} BIBL"].log.mean > scores[f"{share} MLNB"].log.mean
    assert scores["10 % BIBL"].zero_one.mean > scores["10 % MLNB"].zero_one.mean


# Figures ----------------------------------------------------------------------------------------------------------

RUNS = 12


@pytest.fixture(scope="module")
def first(data_dir: Path) -> Any:
    return bibl.run(data_dir, runs=RUNS, names=bibl.NOMINAL)


def beyond_chance(figure: Figure) -> float:
    """How far a figure is off, less what chance may do to an average of these runs: three standard errors."""
    return abs(figure.difference) - 3 * figure.standard_error


@pytest.mark.parametrize("column", bibl.COLUMNS)
def test_bibl_agrees_where_no_number_was_cut(first: Any, column: str) -> None:
    """One point of accuracy; log-scores by 0.1 (averaged, printed to 0.1) and 0.7 (maximum likelihood)."""
    hits, losses = first.tables
    for row in hits.rows:
        assert beyond_chance(hits[row, column]) <= 1.0
        assert beyond_chance(losses[row, column]) <= (0.1 if "BIBL" in column else 0.7)


@pytest.mark.parametrize("row", [line.title for line in predictive_inference.TABLE_1])
def test_predictive_inference_agrees(data_dir: Path, row: str) -> None:
    hits, gains = predictive_inference.run(data_dir).tables
    for column in ("MAP", "EV"):
        assert abs(hits[row, column].difference) <= 0.015
    assert abs(gains[row, "EV"].difference) <= 0.02
    # Stochastic complexity by eq. 8 stays near the evidence, which the printed figures do not.
    assert abs(gains[row, "SC"].ours - gains[row, "EV"].ours) <= 0.05


def test_the_documented_figures_are_those_that_are_measured(data_dir: Path) -> None:
    """The whole second paper, and of the first the data set that is nearest to the bars; both as docs/papers.md."""
    documented = (Path(__file__).parents[1] / "docs" / "papers.md").read_text(encoding="utf-8")
    assert predictive_inference.run(data_dir).markdown().strip() in documented
    for table in bibl.run(data_dir, names=["lymphography"]).tables:
        assert table.markdown().splitlines()[-1] in documented


def test_the_command_runs_a_paper(data_dir: Path) -> None:
    arguments = ["bibl", "--data", str(data_dir), "--runs", "2", "--only", "lymphography", "--markdown"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0
    assert "| Lymphography |" in result.stdout
    assert "lymphography, 10% of the rows: 2 runs of 5-fold cross-validation" in result.stderr
