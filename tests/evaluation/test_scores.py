"""Scores and calibration tables against exact definitions, and errors of what cannot be scored."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import scores as reference
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_iris
from sklearn.metrics import brier_score_loss, log_loss, make_scorer
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

from priorcase.evaluation import CalibrationTable, brier_score, calibration_table, log_score, zero_one_score
from priorcase.exceptions import EvaluationError, ParameterError, TargetError

# -- scores: against the slow reference and scikit-learn, their laws, and the words of their errors

LABELS = ["cat", "dog", "eel"]


@st.composite
def forecasts(draw: st.DrawFn, classes: int = 3) -> tuple[list[str], list[list[float]], list[int]]:
    """Labels, probabilities in sixteenths (so that ties and zeros are common) and whole weights, some 0."""
    n = draw(st.integers(1, 12))
    rows = []
    for _ in range(n):
        cuts = sorted(draw(st.lists(st.integers(0, 16), min_size=classes - 1, max_size=classes - 1)))
        rows.append([(b - a) / 16 for a, b in zip([0, *cuts], [*cuts, 16], strict=True)])
    truth = draw(st.lists(st.sampled_from(LABELS[:classes]), min_size=n, max_size=n))
    weights = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
    return truth, rows, weights


# Oracle -----------------------------------------------------------------------------------------------------------


@given(forecasts(), st.booleans())
def test_scores_equal_the_reference(given_: Any, weighted: bool) -> None:
    truth, rows, weights = given_
    times = weights if weighted else None
    seen, shown = reference.repeated(truth, times), reference.repeated(rows, times)
    options: dict[str, Any] = {"labels": LABELS, "sample_weight": times}
    for zero, cap in (("-inf", math.inf), ("cap100", 100.0), (7.5, 7.5)):
        expected = reference.log_score(seen, shown, LABELS, cap=cap)
        assert log_score(truth, rows, zero=zero, **options) == pytest.approx(expected, rel=1e-12)
        assert log_score(truth, rows, zero=zero, sign="loss", **options) == pytest.approx(-expected, rel=1e-12)
    for ties in ("first", "expected"):
        expected_hits = reference.zero_one_score(seen, shown, LABELS, ties=ties)
        assert zero_one_score(truth, rows, ties=ties, **options) == pytest.approx(float(expected_hits), rel=1e-12)  # type: ignore[arg-type]
    squared = reference.brier_score(seen, shown, LABELS)
    assert brier_score(truth, rows, **options) == pytest.approx(float(squared), rel=1e-12)
    assert brier_score(truth, rows, scale_by_half=True, **options) == pytest.approx(float(squared / 2), rel=1e-12)


@given(forecasts(), st.booleans(), st.sampled_from([1, 2, 4, 8]), st.sampled_from(["uniform", "quantile"]))
def test_calibration_equals_the_reference(given_: Any, weighted: bool, bins: int, strategy: Any) -> None:
    truth, rows, weights = given_
    times = weights if weighted else None
    for pos_label in (None, "dog"):
        table = calibration_table(
            truth, rows, bins=bins, strategy=strategy, labels=LABELS, pos_label=pos_label, sample_weight=times
        )
        columns = [row.index(max(row)) if pos_label is None else 1 for row in rows]
        shares = reference.repeated([row[column] for row, column in zip(rows, columns, strict=True)], times)
        hits = [label == LABELS[column] for label, column in zip(truth, columns, strict=True)]
        if strategy == "quantile":
            inner = {reference.quantile(shares, Fraction(b, bins)) for b in range(1, bins)}
            edges = [min(shares), *sorted(edge for edge in inner if edge < max(shares)), max(shares)]
        else:
            edges = [Fraction(b, bins) for b in range(bins + 1)]
        expected = reference.calibration(shares, reference.repeated(hits, times), edges)
        assert table.rows.tolist() == [n for n, _, _ in expected]
        np.testing.assert_allclose(table.edges, [float(edge) for edge in edges], rtol=1e-12)
        np.testing.assert_allclose(table.probability, [_number(p) for _, p, _ in expected], rtol=1e-12)
        np.testing.assert_allclose(table.observed, [_number(o) for _, _, o in expected], rtol=1e-12)
        error = reference.expected_calibration_error(expected)
        assert table.expected_error == pytest.approx(float(error), abs=1e-12)


def _number(value: Fraction | None) -> float:
    return math.nan if value is None else float(value)


# scikit-learn -----------------------------------------------------------------------------------------------------


def random_forecasts(n: int, classes: int, seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(classes, 0.7), n)
    truth = np.array([rng.choice(classes, p=row) for row in proba])
    return truth, proba, rng.uniform(0.1, 3.0, n)


@pytest.mark.parametrize("classes", [2, 4])
def test_scores_equal_scikit_learns(classes: int) -> None:
    truth, proba, weights = random_forecasts(200, classes, 1)
    for sample_weight in (None, weights):
        both = {"labels": list(range(classes)), "sample_weight": sample_weight}
        assert log_score(truth, proba, sign="loss", **both) == pytest.approx(log_loss(truth, proba, **both))
        for half in (True, False):
            theirs = brier_score_loss(truth, proba, scale_by_half=half, **both)
            assert brier_score(truth, proba, scale_by_half=half, **both) == pytest.approx(theirs)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("bins", [3, 7, 10])
@pytest.mark.parametrize("n", [30, 101, 500])
def test_calibration_equals_scikit_learns(n: int, bins: int, strategy: Any) -> None:
    truth, proba, _ = random_forecasts(n, 2, n + bins)
    observed, predicted = calibration_curve(truth, proba[:, 1], n_bins=bins, strategy=strategy)
    table = calibration_table(truth, proba, bins=bins, strategy=strategy, pos_label=1)
    filled = table.rows > 0
    np.testing.assert_allclose(table.observed[filled], observed)
    np.testing.assert_allclose(table.probability[filled], predicted)


def test_they_are_scorers() -> None:
    X, y = load_iris(return_X_y=True)
    for rows in (slice(None), slice(0, 100)):  # three classes, and two: of these scorers pass one column
        ours = make_scorer(log_score, response_method="predict_proba", zero="cap100")
        found = cross_val_score(GaussianNB(), X[rows], y[rows], scoring=ours, cv=3)
        np.testing.assert_allclose(
            found, cross_val_score(GaussianNB(), X[rows], y[rows], scoring="neg_log_loss", cv=3), atol=1e-12
        )


# Laws -------------------------------------------------------------------------------------------------------------


@given(forecasts(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_changes_nothing(given_: Any, random: Any) -> None:
    truth, rows, _ = given_
    order = random.sample(range(len(truth)), len(truth))
    columns = random.sample(range(3), 3)
    moved = [[rows[i][c] for c in columns] for i in order]
    labels = [LABELS[c] for c in columns]
    names = [truth[i] for i in order]
    assert log_score(names, moved, labels=labels, zero=9) == pytest.approx(
        log_score(truth, rows, labels=LABELS, zero=9)
    )
    assert brier_score(names, moved, labels=labels) == pytest.approx(brier_score(truth, rows, labels=LABELS))
    tied = zero_one_score(truth, rows, labels=LABELS, ties="expected")
    assert zero_one_score(names, moved, labels=labels, ties="expected") == pytest.approx(tied)


@given(forecasts(classes=2))
def test_honest_scores_are_best_when_the_truth_is_told(given_: Any) -> None:
    """Both are proper: no other probabilities score better on average than the frequencies themselves."""
    truth, rows, _ = given_
    frequency = sum(label == "dog" for label in truth) / len(truth)
    honest = np.full(len(truth), frequency)
    told = np.full(len(truth), rows[0][1])
    labels = LABELS[:2]
    assert log_score(truth, honest, labels=labels) >= log_score(truth, told, labels=labels) - 1e-12
    assert brier_score(truth, honest, labels=labels) <= brier_score(truth, told, labels=labels) + 1e-12
    assert calibration_table(truth, honest, labels=labels, pos_label="dog").expected_error == pytest.approx(0)


@given(forecasts())
def test_logarithms_score_as_their_probabilities(given_: Any) -> None:
    truth, rows, weights = given_
    with np.errstate(divide="ignore"):
        logs = np.log(rows)
    for zero in ("-inf", "cap100"):
        options: dict[str, Any] = {"labels": LABELS, "zero": zero, "sample_weight": weights}
        assert log_score(truth, logs, logs=True, **options) == log_score(truth, rows, **options)


def test_logarithms_keep_what_probabilities_cannot() -> None:
    logs = np.array([[-900.0, 0.0]])
    assert log_score(["a"], logs, labels=["a", "b"], logs=True) == -900.0
    assert log_score(["a"], np.exp(logs), labels=["a", "b"]) == -math.inf


def test_tiny_and_huge_weights_are_weights() -> None:
    for scale in (1e-300, 1.0, 1e300):
        found = log_score(["a", "b"], [[0.5, 0.5], [0.75, 0.25]], sample_weight=[scale, 3 * scale])
        assert found == pytest.approx((math.log(0.5) + 3 * math.log(0.25)) / 4)


def test_a_row_without_weight_is_no_row() -> None:
    assert log_score(["a", "b"], [[0.0, 1.0], [0.0, 1.0]], sample_weight=[0, 1]) == 0.0


# Worked examples --------------------------------------------------------------------------------------------------


def test_the_example_of_the_1997_paper() -> None:
    """After one success: a failure costs ln 3 by the evidence and ln 5 by stochastic complexity (section 4.1)."""
    for share, loss in ((2 / 3, math.log(3)), (4 / 5, math.log(5)), (1.0, math.inf)):
        assert log_score(["no"], [[1 - share, share]], labels=["no", "yes"], sign="loss") == pytest.approx(loss)


def test_signs_of_a_perfect_score() -> None:
    for sign in ("gain", "loss"):
        score = log_score(["a"], [[1.0, 0.0]], labels=["a", "b"], sign=sign)  # type: ignore[arg-type]
        assert score == 0.0
        assert math.copysign(1, score) == 1.0


@dataclass(frozen=True)
class Fifty:
    nats: float = 50.0


def test_a_policy_with_nats_is_a_cap() -> None:
    assert log_score(["a"], [[0, 1]], labels=["a", "b"], zero=Fifty()) == -50.0


def test_only_exact_zeros_are_capped() -> None:
    assert log_score(["a"], [[1e-200, 1.0]], labels=["a", "b"], zero="cap100") == pytest.approx(math.log(1e-200))


@pytest.mark.parametrize(
    "labels", [["a", "b"], [1, 2], [False, True], np.array(["a", "b"]), [None, "x"], ["1", 1], [1.5, 2.5]]
)
def test_labels_of_any_type(labels: Any) -> None:
    truth = [labels[1], labels[0]]
    assert zero_one_score(truth, [[0.2, 0.8], [0.9, 0.1]], labels=labels) == 1.0


def test_frames_and_series_are_read() -> None:
    truth, rows = ["a", "b"], [[0.5, 0.5], [0.25, 0.75]]
    expected = log_score(truth, rows)
    assert log_score(pd.Series(truth), pd.DataFrame(rows)) == expected
    assert log_score(pd.Series(truth, dtype="category"), np.array(rows)) == expected
    assert log_score(pl.Series(truth), pl.DataFrame(rows, orient="row")) == expected


def test_single_precision_may_be_off_a_little() -> None:
    rows = np.random.default_rng(0).dirichlet(np.ones(20), 50).astype(np.float32)
    assert log_score(np.arange(50) % 20, rows) < 0
    with pytest.raises(EvaluationError, match="sum to"):
        log_score(np.arange(50) % 20, rows.astype(np.float64) * 1.0001)


# Calibration tables -----------------------------------------------------------------------------------------------


def table() -> CalibrationTable:
    return calibration_table([0, 1, 1, 1], [0.2, 0.9, 0.8, 0.3], bins=2, pos_label=1)


def test_a_table_prints_itself() -> None:
    assert str(table()).splitlines() == [
        "calibration of class 1: 4 rows, expected calibration error 0.200",
        "  probability  rows   mean  observed     gap",
        "  0 to 0.5        2  0.250     0.500  +0.250",
        "  0.5 to 1        2  0.850     1.000  +0.150",
    ]
    assert repr(table()) == str(table())
    assert table()._repr_html_().count("<tr>") == 3
    assert len(table()) == 2
    assert table().largest_error == pytest.approx(0.25)


def test_a_class_with_a_wild_name_is_escaped() -> None:
    html = calibration_table(["<b>"], [[1.0]], pos_label="<b>")._repr_html_()
    assert "<b>" not in html.replace("<body>", "")


def test_weights_that_are_no_whole_numbers_are_printed_so() -> None:
    text = str(calibration_table([0, 1], [0.2, 0.9], sample_weight=[0.25, 1.5], bins=1))
    assert "1.75 rows" in text


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_table_as_a_frame(backend: Any) -> None:
    pytest.importorskip(backend)
    frame = table().frame(backend)
    assert type(frame).__module__.startswith(backend)
    found = {name: np.asarray(frame[name]).tolist() for name in ("above", "up_to", "rows")}
    assert found == {"above": [0.0, 0.5], "up_to": [0.5, 1.0], "rows": [2.0, 2.0]}


def test_equal_probabilities_make_one_quantile() -> None:
    one = calibration_table([0, 1], [0.3, 0.3], strategy="quantile", pos_label=1)
    assert one.edges.tolist() == [0.3, 0.3]
    assert one.rows.tolist() == [2.0]


# -- what the scores say of input that they cannot score

SCORES = (log_score, zero_one_score, brier_score, calibration_table)
TWO = [[0.5, 0.5], [0.25, 0.75]]


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a", "c"], TWO, ["a", "b"]), "got 'c' in y_true"),
        ((["a", None], TWO, ["a", "b"]), "got None in y_true"),
        ((["a", "b", "a"], TWO, ["a", "b"]), "3 labels in y_true and 2 rows in proba.*that were predicted"),
        ((["a", "b"], TWO, ["a", "b", "c"]), r"2 columns in proba for 3 labels \('a', 'b', 'c'\)"),
        ((["a", "a"], TWO, None), "2 columns in proba, but y_true has 'a'"),
        ((["a", 1], TWO, None), "labels in y_true that cannot be sorted"),
        ((["a", "b"], TWO, ["a", "a"]), "'a' more than once in labels"),
        (
            (["a", "b"], [[0.5, 0.5], [0.5, 0.6]], ["a", "b"]),
            "probabilities in row 1 of proba that sum to 1.1; expected 1. Pass a column for every class; divide",
        ),
        (
            (["a", "b"], [[0.0, 0.0], [0.5, 0.5]], ["a", "b"]),
            "probabilities in row 0 of proba that sum to 0",
        ),
        (
            (["a", "b"], [[0.5, 0.5], [1.2, -0.2]], ["a", "b"]),
            r"-0.2 in row 1 of proba.*predict_proba, or logarithms to log_score\(..., logs=True\)",
        ),
        ((["a", "b"], [[0.5, 0.5], [0.5, np.nan]], ["a", "b"]), "NaN in row 1 of proba.*Remove rows with NaN"),
        ((["a", "b"], [[0.5, 0.5], [0.5, np.inf]], ["a", "b"]), "inf in row 1 of proba"),
        ((["a", "b"], [["x", "y"], ["x", "y"]], ["a", "b"]), "proba as .*the column of the second class is enough"),
        ((["a", "b"], np.ones((2, 2, 2)) / 2, ["a", "b"]), r"proba of shape \(2, 2, 2\)"),
        (([["a"], ["b"]], TWO, ["a", "b"]), r"y_true of shape \(2, 1\)"),
        ((np.array([["a"], ["b"]]), TWO, ["a", "b"]), r"y_true of shape \(2, 1\)"),
        (([], np.empty((0, 2)), ["a", "b"]), "no rows"),
        ((["a", "b"], [1.5, 0.5], ["a", "b"]), "1.5 in row 0 of proba"),
    ],
)
def test_what_cannot_be_scored_is_named(score: Any, arguments: Any, message: str) -> None:
    truth, proba, labels = arguments
    with pytest.raises(EvaluationError, match=f"^{score.__name__}: .*{message}") as caught:
        score(truth, proba, labels=labels)
    assert " " in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"of shape \(1,\) for 2 rows"),
        ([1.0, -1.0], "with -1.0"),
        ([1.0, np.nan], "with NaN or infinity"),
        ([0.0, 0.0], "that is zero for every row"),
        ([1e308, 1e308], "whose sum is infinite"),
        (["a", "b"], "as <U1"),
    ],
)
def test_weights_that_are_none(score: Any, weights: Any, message: str) -> None:
    with pytest.raises(TargetError, match=f"^{score.__name__}: .*{message}"):
        score(["a", "b"], TWO, sample_weight=weights)


@pytest.mark.parametrize(
    ("score", "options", "message"),
    [
        (log_score, {"sign": "minus"}, "sign must be"),
        (log_score, {"sign": ["gain"]}, "sign must be"),
        (log_score, {"zero": "param_floor"}, "zero must be"),
        (log_score, {"zero": "cap10"}, "zero must be .*Did you mean 'cap100'"),
        (log_score, {"zero": -1.0}, "zero must be"),
        (log_score, {"zero": math.inf}, "zero must be"),
        (log_score, {"zero": True}, "zero must be"),
        (zero_one_score, {"ties": "last"}, "ties must be"),
        (brier_score, {"scale_by_half": "auto"}, "scale_by_half must be"),
        (calibration_table, {"bins": 0}, "bins must be"),
        (calibration_table, {"bins": 2.5}, "bins must be"),
        (calibration_table, {"bins": 10**6}, "bins must be"),
        (calibration_table, {"bins": True}, "bins must be"),
        (calibration_table, {"strategy": "kmeans"}, "strategy must be"),
        (calibration_table, {"pos_label": "z"}, "pos_label must be"),
    ],
)
def test_options_that_are_none(score: Any, options: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{score.__name__}: .*{message}"):
        score(["a", "b"], TWO, **options)


def test_logarithms_that_are_none() -> None:
    with pytest.raises(EvaluationError, match=r"0\.5 in row 0 of proba.*Pass the result of predict_log_proba"):
        log_score(["a", "b"], TWO, logs=True)
    with pytest.raises(EvaluationError, match=r"proba of shape \(2,\)"):
        log_score(["a", "b"], [-0.5, -0.5], logs=True)
    with pytest.raises(EvaluationError, match=r"in row 0 of proba that sum to 0.735759"):
        log_score(["a"], [[-1.0, -1.0]], labels=["a", "b"], logs=True)


def test_a_frame_library_that_is_none() -> None:
    with pytest.raises(ParameterError, match="backend must be"):
        calibration_table(["a", "b"], TWO).frame("dask")  # type: ignore[arg-type]
