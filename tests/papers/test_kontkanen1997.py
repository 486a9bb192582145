"""Kontkanen et al. 1997, Figures 1 to 3: rows counted one by one, and what the text says of the curves."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from reference.papers import Counted

from papers import Options
from papers import kontkanen1997 as figures
from papers.kontkanen1997 import (
    RULES,
    Curves,
    DiscreteTable,
    GrowingCounts,
    discrete,
    measured,
    one_repetition,
    read_discrete,
)
from priorcase.bayes import KMeansBins
from priorcase.datasets import load

REFERENCE = {"MAP": Counted("floored"), "EV": Counted("evidence"), "SC": Counted("sc")}


@pytest.fixture(scope="module")
def repairs() -> DiscreteTable:
    return discrete("repairs", *load("repairs", frame=None), KMeansBins(4))


# Counts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_rows_counted_one_by_one_give_the_librarys_answers(repairs: DiscreteTable, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(repairs))
    train, test = order[:60], order[60:]
    counts, library = GrowingCounts(repairs, test), RULES
    for size, row in enumerate(train.tolist(), start=1):
        counts.learn(row)
        if size in (1, 2, 3, 10, 60):
            logs = counts.log_probabilities()
            for i, rule in enumerate(RULES):
                seen = train[:size]
                np.testing.assert_allclose(logs[:, :, i], library[rule].split(repairs, seen, test), atol=1e-9)
                np.testing.assert_allclose(logs[:, :, i], REFERENCE[rule].split(repairs, seen, test), atol=1e-9)


def test_they_do_so_on_the_papers_own_rows(data_dir: Path) -> None:
    table = read_discrete("glass", data_dir)
    order = np.random.default_rng(0).permutation(len(table))
    counts, library = GrowingCounts(table, order[150:]), RULES
    for row in order[:150].tolist():
        counts.learn(row)
    logs = counts.log_probabilities()
    for i, rule in enumerate(RULES):
        np.testing.assert_allclose(logs[:, :, i], library[rule].split(table, order[:150], order[150:]), atol=1e-9)


def test_what_maximum_likelihood_rules_out() -> None:
    codes = np.array([[0, 0], [1, 1], [0, 1], [1, 0]])
    table = DiscreteTable("t", codes, (2, 2), np.array([0, 0, 1, 0]), ("a", "b"))
    counts = GrowingCounts(table, np.array([0, 2, 3]))
    counts.learn(0)
    assert counts.ruled_out() == pytest.approx(2 / 3)  # class b was never seen, nor value 1 of the first attribute
    counts.learn(1)
    assert counts.ruled_out() == pytest.approx(1 / 3)
    counts.learn(2)
    assert counts.ruled_out() == 0


# Curves -----------------------------------------------------------------------------------------------------------


def test_a_repetition_scores_every_size(repairs: DiscreteTable) -> None:
    scores, ruled_out = one_repetition(0, table=repairs, random_state=0)
    assert scores.shape == (67, 3, 3)
    assert ruled_out.shape == (67,)
    assert (np.diff(ruled_out) <= 0).all()
    again, _ = one_repetition(0, table=repairs, random_state=0)
    other, _ = one_repetition(1, table=repairs, random_state=0)
    assert (again == scores).all()
    assert (other != scores).any()


def test_the_last_size_is_what_all_training_rows_say(repairs: DiscreteTable) -> None:
    """The scores by their definitions, for the repetition's own rows."""
    order = np.random.default_rng([7, zlib.crc32(b"repairs"), 2]).permutation(len(repairs))
    train, test = order[:67], order[67:]
    scores, _ = one_repetition(2, table=repairs, random_state=7)
    for i, rule in enumerate(RULES):
        logs = REFERENCE[rule].split(repairs, train, test)
        truth = repairs.truth[test]
        assert scores[-1, i, 0] == pytest.approx(logs[np.arange(test.size), truth].mean())
        assert scores[-1, i, 1] == pytest.approx((logs.argmax(axis=1) == truth).mean())  # no ties after all rows
        assert scores[-1, i, 2] == pytest.approx((logs.argmax(axis=1) == truth).mean())


def test_curves_are_the_same_for_any_number_of_jobs(data_dir: Path) -> None:
    with parallel_config(backend="threading"):
        one, two = (measured("hepatitis", Options(data=data_dir, trials=2, jobs=jobs)) for jobs in (1, 2))
    assert (one.scores == two.scores).all()
    assert (one.ruled_out == two.ruled_out).all()


def test_sizes_to_print_end_with_all_rows() -> None:
    curves = Curves("t", 2, np.zeros((2, 45, 3, 3)), np.zeros((2, 45)))
    assert curves.ladder() == [1, 2, 5, 10, 20, 40, 45]


# What the text says -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def glass(data_dir: Path) -> Curves:
    return measured("glass", Options(data=data_dir, trials=12))


def test_the_evidence_is_good_from_few_rows(glass: Curves) -> None:
    """Log-score: near its best after 20 rows, where MAP and SC are far from theirs; 0/1-score: MAP is like EV."""
    last = int(glass.sizes[-1])
    for rule, least, most in (("EV", 0.0, 0.8), ("SC", 2.0, 5.0), ("MAP", 3.0, 10.0)):
        assert least < glass.at(last, rule).value - glass.at(20, rule).value < most
    at = {rule: glass.at(20, rule, "zero_one").value for rule in RULES}
    assert abs(at["MAP"] - at["EV"]) < 0.08
    assert at["SC"] < at["EV"] - 0.2


def test_the_worst_case_of_the_evidence_is_better_much_sooner(glass: Curves) -> None:
    worst = {rule: glass.of(rule).min(axis=0) for rule in ("EV", "SC")}
    assert (worst["EV"] > worst["SC"]).all()
    assert worst["EV"][19] > -3.2
    assert worst["SC"][49] < -5


def test_figures_say_so(data_dir: Path) -> None:
    options = Options(data=data_dir, trials=2)
    first, second, third = figures.figure_1(options), figures.figure_2(options), figures.figure_3(options)
    assert [len(part.tables) for part in (first, second, third)] == [3, 2, 1]
    assert first.tables[0].columns == ("MAP", "EV", "SC", "ruled out without a floor, percent")
    assert "After 20 rows, our log-scores are " in first.notes[-1]
    assert "EV rises most from" in third.notes[-1]
    for part in (first, second, third):
        (picture,) = part.pictures
        assert len({len(column) for column in picture.columns.values()}) == 1
        assert len(picture.figure().axes) == 2
    third_columns = third.pictures[0].columns
    assert (np.asarray(third_columns["EV_log_min"]) <= np.asarray(third_columns["EV_log_max"])).all()
    assert not any(name.startswith("MAP") for name in third_columns)


def test_where_a_curve_rises_and_stays() -> None:
    curve = np.array([-3.0, -3.0, -3.0, -1.0, -1.0, -2.0, -1.0, -1.0])
    assert figures._steepest(curve) == "2 to 7"
    assert figures._stays_above(curve, -1.5) == "7"
    assert figures._stays_above(curve, -4.0) == "1"
    assert figures._stays_above(curve, 0.0) == "more than 8"
