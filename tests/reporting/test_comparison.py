"""The learner that a report trusts, and its estimate."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import reporting as reference

from priorcase.evaluation import Comparison
from priorcase.evaluation.running import Cell
from priorcase.evaluation.scoring import read_scores
from priorcase.reporting.comparison import Compared, Standing, choose, difference

NAMES = ("baseline", "first", "second")


def compared(scores: dict[str, list[list[float]]], *, repeats: int = 1, kind: str = "classes") -> Compared:
    """A comparison with these values: score -> learner -> split."""
    chosen = read_scores(tuple(scores), kind)  # type: ignore[arg-type]
    splits = len(next(iter(scores.values()))[0])
    width = splits // repeats
    cells = [
        Cell(name, split // width, split % width, 90, 10, {score: lines[i][split] for score, lines in scores.items()})
        for i, name in enumerate(NAMES)
        for split in range(splits)
    ]
    result = Comparison(NAMES, chosen, tuple(cells), "test", 100, repeats)
    by = "log_score" if kind == "classes" else "rmse"
    sign = -1 if kind == "classes" else 1
    order = sorted(NAMES, key=lambda name: sign * result.mean(name, by))
    standings = tuple(
        Standing(name, name, "", {s: (result.mean(name, s), result.standard_error(name, s)) for s in scores}, 0.0)
        for name in order
    )
    return Compared("test", np.arange(100), 100, standings, result)


VALUES = st.lists(st.lists(st.floats(-3, -0.1), min_size=6, max_size=6), min_size=3, max_size=3)


@given(VALUES, st.sampled_from([1, 2, 3]))
def test_the_estimate_is_that_of_choosing_without_each_split(logs: list[list[float]], repeats: int) -> None:
    accuracy = [[math.exp(value) for value in line] for line in logs]
    found = choose(compared({"log_score": logs, "accuracy": accuracy}, repeats=repeats))
    for score, lines in (("log_score", logs), ("accuracy", accuracy)):
        values, picks = reference.nested(logs, lines, repeats)
        mean, error = found.estimate[score]
        assert mean == pytest.approx(sum(values) / len(values))
        assert error == pytest.approx(reference.corrected_error(values, 10 / 90), abs=1e-12)
    assert found.folds == 6
    assert found.same_choice == sum(NAMES[pick] == found.chosen for pick in picks)
    best = max(range(3), key=lambda i: sum(logs[i]))
    assert sum(logs[NAMES.index(found.chosen)]) == pytest.approx(sum(logs[best]))


def test_least_error_is_chosen_for_numbers() -> None:
    values = [[3.0] * 4, [1.0, 1.1, 0.9, 1.0], [2.0] * 4]
    found = choose(compared({"rmse": values}, kind="numbers"))
    assert (found.chosen, found.by, found.beats_baseline) == ("first", "rmse", True)
    assert found.runner_up is not None
    assert found.runner_up.other == "second"
    assert found.runner_up.mean == pytest.approx(1.0)
    assert found.runner_up.significant


def test_a_learner_that_rules_out_what_happened_is_never_chosen() -> None:
    logs = [[-0.7] * 4, [-0.1, -math.inf, -0.1, -0.1], [-0.6] * 4]
    accuracy = [[0.5] * 4, [0.95, 0.94, 0.96, 0.95], [0.7] * 4]
    found = choose(compared({"log_score": logs, "accuracy": accuracy}))
    assert found.chosen == "second"
    assert found.runner_up is not None
    assert found.runner_up.mean == math.inf
    assert found.runner_up.significant
    assert found.more_accurate is not None
    assert (found.more_accurate.other, found.more_accurate.mean) == ("first", pytest.approx(0.25))


def test_an_insignificant_lead_does_not_beat_the_baseline() -> None:
    logs = [[-0.7] * 4, [-0.2, -1.1, -0.3, -1.0], [-1.0] * 4]
    found = choose(compared({"log_score": logs, "accuracy": [[0.5] * 4] * 3}))
    assert found.chosen == "first"
    assert not found.beats_baseline


def test_a_lead_too_small_to_matter_does_not_beat_the_baseline() -> None:
    logs = [[-0.7] * 4, [-0.6999] * 4, [-1.0] * 4]
    found = choose(compared({"log_score": logs, "accuracy": [[0.5] * 4] * 3}))
    assert found.baseline is not None
    assert found.baseline.significant
    assert not found.beats_baseline


def test_what_equal_probabilities_or_the_most_frequent_class_achieve_does_not_beat_the_baseline() -> None:
    logs, accuracy = [[-4.0] * 4, [-3.7] * 4, [-5.0] * 4], [[0.0] * 4, [0.02] * 4, [0.01] * 4]
    results = compared({"log_score": logs, "accuracy": accuracy})
    guess = {"log_score": math.log(1 / 40), "accuracy": 1 / 40}
    assert choose(results).beats_baseline
    assert not choose(results, guess).beats_baseline
    assert choose(results, {**guess, "accuracy": 0.01}).by == "accuracy"
    assert choose(results, {**guess, "log_score": -4.0}).by == "log_score"
    assert choose(results, {**guess, "log_score": -4.0}).beats_baseline


def test_differences_are_positive_where_the_other_is_worse() -> None:
    one = compared({"rmse": [[3.0, 3.0], [1.0, 2.0], [2.0, 2.0]]}, kind="numbers")
    assert difference(one.result, "rmse", "first", "baseline").mean == pytest.approx(1.5)
    assert difference(one.result, "rmse", "baseline", "first").mean == pytest.approx(-1.5)
