"""Calibration: what the score is made of, intervals, all classes at once, coverage of intervals, drawings and words."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import murphy as reference
from scipy import stats

import priorcase as pc
from priorcase.evaluation import CalibrationTable, calibration_table, classwise_calibration, coverage_table
from priorcase.exceptions import PriorcaseError, UnknownNameError

matplotlib.use("Agg")

EIGHTHS = st.integers(0, 8).map(lambda eighth: Fraction(eighth, 8))


@pytest.fixture(autouse=True)
def _close_figures() -> Any:
    yield
    plt.close("all")


@given(st.lists(st.tuples(EIGHTHS, st.booleans()), min_size=1, max_size=20), st.sampled_from([1, 2, 3, 8]))
def test_parts_of_the_brier_score_equal_the_reference(rows: list[tuple[Fraction, bool]], bins: int) -> None:
    shares, hits = [p for p, _ in rows], [hit for _, hit in rows]
    table = calibration_table(
        [int(hit) for hit in hits], [[1 - p, p] for p in map(float, shares)], labels=[0, 1], pos_label=1, bins=bins
    )
    bin_of = [next(b for b in range(bins) if p <= Fraction(b + 1, bins)) for p in shares]
    expected = reference.parts(shares, hits, bin_of)
    for name, value in expected.items():
        assert getattr(table.parts, name) == pytest.approx(float(value), abs=1e-12)
    assert table.parts.within == pytest.approx(float(reference.within(shares, hits, bin_of)), abs=1e-12)


def test_one_probability_in_each_bin_hides_nothing() -> None:
    table = calibration_table([0, 1, 1, 0, 1], [0.25, 0.25, 0.75, 0.75, 0.75], bins=2, pos_label=1)
    parts = table.parts
    assert parts.within == pytest.approx(0, abs=1e-15)
    assert parts.brier == pytest.approx(parts.reliability - parts.resolution + parts.uncertainty)
    assert str(parts).splitlines()[0].split() == ["part", "value", "meaning"]
    assert str(parts).count("\n") == 5
    assert "<table>" in parts._repr_html_()


def table() -> CalibrationTable:
    return calibration_table([0, 1, 1, 1, 0], [0.2, 0.9, 0.8, 0.3, 0.85], bins=4, pos_label=1)


def test_intervals_are_wilsons() -> None:
    found = table().interval(0.9)
    for b, counts in {0: (0, 1), 1: (1, 1), 3: (2, 3)}.items():
        expected = stats.binomtest(*counts).proportion_ci(0.9, method="wilson")
        assert found[b] == pytest.approx([expected.low, expected.high])
    assert np.isnan(found[2]).all()


def test_a_table_is_drawn_and_written_in_markdown() -> None:
    ax = table().plot()
    assert ax.get_title() == "Calibration of class 1"
    points = ax.containers[1].lines[0]
    assert points.get_xdata().tolist() == pytest.approx([0.2, 0.3, 0.85])
    assert points.get_ydata().tolist() == pytest.approx([0, 1, 2 / 3])
    assert [bar.get_height() for bar in ax.patches] == pytest.approx([0.2, 0.2, 0, 0.6])
    given_ax = plt.subplots()[1]
    assert table().plot(given_ax) is given_ax
    assert table().markdown().splitlines()[2] == "| probability | rows | mean | observed | gap |"


def test_classes_at_once_are_the_tables_of_each() -> None:
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(3), 60)
    y = np.array(["a", "b", "c"])[[rng.choice(3, p=row) for row in proba]]
    weights = rng.integers(0, 3, 60)
    tables = classwise_calibration(y, proba, bins=5, strategy="quantile", sample_weight=weights)
    assert list(tables) == ["a", "b", "c"]
    for label in "abc":
        alone = calibration_table(y, proba, bins=5, strategy="quantile", sample_weight=weights, pos_label=label)
        assert str(tables[label]) == str(alone)
    assert tables.expected_error == pytest.approx(np.mean([tables[label].expected_error for label in "abc"]))
    frame = tables.frame("pandas")
    assert frame["class"].tolist() == ["a"] * 5 + ["b"] * 5 + ["c"] * 5
    assert frame["rows"].tolist() == np.concatenate([tables[label].rows for label in "abc"]).tolist()
    assert len(str(tables).splitlines()) == 5
    assert tables.markdown().count("\n") == 6
    assert "<td>b</td>" in tables._repr_html_()
    assert [line.get_label() for line in tables.plot().lines] == ["perfectly calibrated", "a", "b", "c"]


def test_a_class_that_is_not_there() -> None:
    with pytest.raises(UnknownNameError, match="ClasswiseCalibration has no class 'yess'") as caught:
        _ = classwise_calibration(["no", "yes"], [[1, 0], [0, 1]], labels=["no", "yes"])["yess"]
    assert "Did you mean 'yes'?" in str(caught.value)


def test_coverage_one_row_at_a_time() -> None:
    rng = np.random.default_rng(1)
    y = rng.normal(size=50).round(1)
    intervals = {level: np.array([[-half, half]] * 50) for level, half in ((0.9, 1.6), (0.5, 0.7))}
    found = coverage_table(y, intervals)
    assert found.levels.tolist() == [0.5, 0.9]
    for i, half in enumerate((0.7, 1.6)):
        inside = sum(-half <= value <= half for value in y) / 50
        score = 0.0
        for value in y:
            miss = max(-half - value, 0) + max(value - half, 0)
            score += (2 * half + 2 / (1 - found.levels[i]) * miss) / 50
        assert found.covered[i] == inside
        assert found.below[i] + inside + found.above[i] == pytest.approx(1)
        assert found.score[i] == pytest.approx(score)
        expected = stats.binomtest(round(inside * 50), 50).proportion_ci(method="wilson")
        assert found.interval[i] == pytest.approx([expected.low, expected.high])
    assert found.frame("pandas")["width"].tolist() == pytest.approx([1.4, 3.2])
    assert found.plot().containers[0].lines[0].get_ydata().tolist() == found.covered.tolist()
    assert found.markdown().startswith("**coverage of 50 rows**")
    assert "| 95% interval |" in found.markdown()
    assert ">level</th>" in found._repr_html_()


def test_the_normal_distributions_own_intervals_hold_as_often_as_they_say() -> None:
    y = np.random.default_rng(2).normal(size=4000)
    ends = {level: [stats.norm.interval(level)] * 4000 for level in (0.5, 0.8, 0.95)}
    found = coverage_table(y, ends)
    assert ((found.interval[:, 0] <= found.levels) & (found.levels <= found.interval[:, 1])).all()
    worse = coverage_table(y, {0.8: np.array(ends[0.8]) * 1.5})
    assert worse.score[0] > found.score[1]  # too wide


def test_one_level_takes_an_array_or_a_tuple_of_both_ends() -> None:
    y, ends = [1.0, 2.0, 3.0], [[0.0, 1.0], [0.0, 1.0], [2.0, 3.0]]
    expected = str(coverage_table(y, {0.8: ends}))
    for one in (ends, np.array(ends), tuple(np.transpose(ends))):
        assert str(coverage_table(y, one, level=0.8)) == expected
    model = pc.LocallyWeightedRegressor(8).fit([[float(n)] for n in range(12)], [n + n % 2 for n in range(12)])
    told = model.predict_interval([[0.5], [1.5]], level=0.9)
    assert coverage_table([0.5, 99.0], told, level=0.9).above.tolist() == [0.5]
    both = coverage_table([1.0, 2.0], ([0.0, 0.0], [1.0, 1.0]), level=0.5)  # a tuple is lower and upper ends
    by_rows = coverage_table([1.0, 2.0], [[0.0, 0.0], [1.0, 1.0]], level=0.5)
    assert (both.covered[0], by_rows.covered[0]) == (0.5, 0.0)


def test_unbounded_intervals_always_hold() -> None:
    found = coverage_table([1.0, 2.0], {0.99: [[-np.inf, np.inf]] * 2})
    assert (found.covered[0], found.width[0]) == (1.0, np.inf)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: table().interval(1.0), "level must be"),
        (lambda: coverage_table([1.0], {}), "intervals must be"),
        (lambda: coverage_table([1.0], [[0, 1]]), "level is required if intervals is not a mapping"),
        (lambda: coverage_table([1.0], {0.9: [[0, 1]]}, level=0.9), "level must be"),
        (lambda: coverage_table([1.0], [[0, 1]], level=90), "level must be"),
        (lambda: coverage_table([1.0], ([0, 1], [1, 2]), level=0.9), "as an array of shape (2, 2)"),
        (
            lambda: coverage_table([1.0] * 3, np.ones((2, 3)), level=0.9),
            "of shape (2, 3)",
        ),
        (
            lambda: coverage_table([1.0], "wide", level=0.9),
            "Pass the result of predict_interval",
        ),
        (lambda: coverage_table([[1.0, 2.0]], [[0, 1]], level=0.9), "y of shape (1, 2)"),
        (lambda: coverage_table([1.0], {90: [[0, 1]]}), "level must be"),
        (lambda: coverage_table([1.0], {0.9: [[0, 1], [1, 2]]}), "an array of shape (1, 2)"),
        (lambda: coverage_table([1.0], {0.9: [[1, 0]]}), "Pass the lower bound first"),
        (lambda: coverage_table([1.0], {0.9: [[np.nan, 0]]}), "and no NaN"),
        (lambda: coverage_table(["a"], {0.9: [[0, 1]]}), "coverage_table"),
    ],
)
def test_words(call: Any, words: str) -> None:
    with pytest.raises(PriorcaseError) as caught:
        call()
    assert words in str(caught.value)
