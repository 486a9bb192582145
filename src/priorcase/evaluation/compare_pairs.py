"""Pairs of the learners of a comparison, tested on what they have in common."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, get_args

import numpy as np

from priorcase._typing import FloatArray
from priorcase.evaluation.checks import check_choice
from priorcase.evaluation.paired import (
    TOO_SURE,
    PairedComparison,
    PairedTest,
    Test,
    check_alpha,
    check_level,
    corrected_t,
    holm,
    wilcoxon,
)
from priorcase.evaluation.ranks import Friedman, friedman, ranked_together
from priorcase.evaluation.scoring import Score
from priorcase.exceptions import EvaluationError

if TYPE_CHECKING:
    from priorcase.evaluation.comparison import Comparison


def paired(found: Comparison, score: Score, test: Test, level: float) -> PairedComparison:
    """All pairs of learners, tested on the splits or rows that both have."""
    check_choice("test", test, get_args(Test), hint="'corrected_t' allows for splits that share rows.")
    sure = check_level(level)
    values = found.row_values(score.name) if found.by_rows else found.values(score.name)
    if values is None:
        raise EvaluationError(
            f"got the score {score.name!r}, one number for all rows together; expected one that rows add up to. Take "
            "accuracy, log_score, brier, mae or rmse, or compare over folds."
        )
    ratio = 0.0 if found.by_rows else found.test_to_train
    words = {"corrected_t": "paired t-test" if found.by_rows else "corrected resampled t-test"}
    basis = f"{values.shape[1]} {'rows' if found.by_rows else 'splits'}"
    name = f"{score.name} squared" if score.root and found.by_rows else score.name
    tested = compared_pairs(
        found.learners, values, score, test=test, ratio=ratio, level=sure, name=name, words=words, basis=basis
    )
    return tested if found.by_rows or test != "wilcoxon" else replace(tested, note=TOO_SURE)


def compared_pairs(
    learners: tuple[str, ...],
    values: FloatArray,
    score: Score,
    *,
    test: Test,
    ratio: float,
    level: float,
    name: str,
    words: dict[str, str],
    basis: str,
) -> PairedComparison:
    """All pairs of learners, given a value for each learner and split, row or table.

    Parameters
    ----------
    learners, values
        The learners and what each of them has, shape (learners, splits), NaN where nothing.
    score
        Which way is better.
    test, ratio, level
        The test, the correction of the t-test, and how sure intervals are.
    name, words, basis
        What the table calls the score, the tests and the splits.
    """
    there = np.flatnonzero(~np.isnan(values).all(axis=1)).tolist()  # the others have nothing to compare
    pairs = tuple(combinations(there, 2))
    tests = []
    for first, second in pairs:
        with np.errstate(invalid="ignore"):  # two that are both infinite do not differ in any known way
            differences = values[first] - values[second]
        both = ~np.isnan(values[first]) & ~np.isnan(values[second])
        tests.append(_tested(differences[both], test, ratio, level))
    better = tuple(
        _better(learners[first], learners[second], found, score)
        for (first, second), found in zip(pairs, tests, strict=True)
    )
    return PairedComparison(
        score=name,
        test=words.get(test, "Wilcoxon's signed-rank test"),
        basis=basis,
        pairs=tuple((learners[first], learners[second]) for first, second in pairs),
        tests=tuple(tests),
        corrected=tuple(holm([found.p_value for found in tests])),
        better=better,
        level=level,
    )


def over_splits(found: Comparison, score: Score, alpha: float) -> Friedman:
    """Friedman's test over the splits that all learners finished."""
    if found.by_rows:
        raise EvaluationError(
            f"ranks learners on several splits, and {found.protocol} has one for all rows. Compare over folds, or over "
            "several tables with compare_tables."
        )
    return ranked_by(found.learners, found.values(score.name), score, alpha, of="splits")


def ranked_by(learners: tuple[str, ...], values: FloatArray, score: Score, alpha: float, *, of: str) -> Friedman:
    """Friedman's test over the splits or tables where all learners have a value, those left aside that have none."""
    sure = check_alpha(alpha)
    there, common = ranked_together(values)
    counted = values[there][:, common]
    if len(counted) < 2 or counted.shape[1] < 2:
        raise EvaluationError(
            f"has {len(counted)} learners with values on {counted.shape[1]} common {of}; expected two of each or more. "
            f"add learners or {of}; see failures."
        )
    names = [name for name, is_there in zip(learners, there.tolist(), strict=True) if is_there]
    return friedman(counted, names, greater_is_better=score.greater_is_better, alpha=sure, of=of)


def _tested(differences: FloatArray, test: Test, ratio: float, level: float) -> PairedTest:
    return corrected_t(differences, ratio, level=level) if test == "corrected_t" else wilcoxon(differences, level=level)


def _better(first: str, second: str, found: PairedTest, score: Score) -> str:
    if np.isnan(found.difference) or found.difference == 0:
        return ""
    return first if (found.difference > 0) == score.greater_is_better else second
