"""The learner to trust, an estimate of how it will do that the choice has not made rosy, and what it is better than."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray
from priorcase.evaluation.comparison import Comparison
from priorcase.evaluation.significance import corrected_t
from priorcase.reporting.comparing import Compared
from priorcase.reporting.contenders import BASELINE

__all__ = ["Difference", "Verdict", "choose"]

_USEFUL = 0.005


@dataclass(frozen=True)
class Difference:
    """How much better one learner is than another on the same splits.

    Parameters
    ----------
    other
        The learner that is compared with.
    mean, low, high
        The mean difference, above 0 where ``other`` is worse, and an interval of 95 % for it: that of the corrected
        resampled t-test (Nadeau & Bengio 2003). NaN where ``other`` has an infinite score.
    """

    other: str
    mean: float
    low: float
    high: float

    @property
    def beyond_chance(self) -> bool:
        """Whether the interval leaves out zero; so too where the other learner's score is infinitely bad."""
        return self.low > 0 or math.isinf(self.mean)


@dataclass(frozen=True)
class Verdict:
    """Which learner to trust.

    Parameters
    ----------
    chosen, by
        The learner, and the score that chose it.
    estimate
        For each score how well "take the best of these" will do, and its standard error: in each part of the rows the
        learner was chosen by the other parts and scored on this one.
    same_choice, parts
        In how many of the parts that was the learner named here, and how many parts there are.
    runner_up, baseline
        Differences to the next best learner, and to guessing; None where there is no such learner.
    sharper
        A learner that predicts the right class more often beyond chance; None where there is none.
    beats_guessing
        Whether the learner is better than guessing beyond chance, and by more than half a per cent of its score.
    """

    chosen: str
    by: str
    estimate: dict[str, tuple[float, float]]
    same_choice: int
    parts: int
    runner_up: Difference | None
    baseline: Difference | None
    sharper: Difference | None
    beats_guessing: bool


def choose(compared: Compared) -> Verdict:
    """The learner with the best log-score or the least error, and what can honestly be said of it."""
    result = compared.result
    by = "log_score" if any(score.name == "log_score" for score in result.scores) else "rmse"
    names = [standing.name for standing in compared.standings if not standing.reason]
    chosen = names[0]
    picks = _picks(result, by)
    estimate = {score.name: _nested(result, score.name, picks) for score in result.scores}
    others = [name for name in names if name not in (chosen, BASELINE)]
    to_baseline = difference(result, by, chosen, BASELINE) if BASELINE in names and chosen != BASELINE else None
    sharper = None
    if by == "log_score":
        best = result.best("accuracy")
        ahead = difference(result, "accuracy", best, chosen)
        sharper = Difference(best, ahead.mean, ahead.low, ahead.high) if ahead.low > 0 else None
    return Verdict(
        chosen=chosen,
        by=by,
        estimate=estimate,
        same_choice=sum(result.learners[pick] == chosen for pick in picks),
        parts=len(picks),
        runner_up=difference(result, by, chosen, others[0]) if others else None,
        baseline=to_baseline,
        sharper=sharper,
        beats_guessing=to_baseline is not None and to_baseline.beyond_chance and _matters(to_baseline, result, by),
    )


def difference(result: Comparison, score: str, one: str, other: str) -> Difference:
    """How much better one learner is than another: the mean over splits, and an interval of 95 %."""
    values, sign = result.values(score), 1.0 if result.score(score).greater_is_better else -1.0
    with np.errstate(invalid="ignore"):
        gaps = sign * (values[result.learners.index(one)] - values[result.learners.index(other)])
        if not np.isfinite(gaps).all():
            return Difference(other, float(gaps.mean()), math.nan, math.nan)
    found = corrected_t(gaps, result.test_to_train)
    return Difference(other, found.difference, found.low, found.high)


def _matters(ahead: Difference, result: Comparison, by: str) -> bool:
    """Whether a lead is large enough to be of use to anybody: half a per cent of the score of guessing."""
    return not ahead.mean < _USEFUL * abs(result.mean(BASELINE, by))


def _picks(result: Comparison, by: str) -> list[int]:
    """For each split, the learner that the other splits of its repetition would choose."""
    values = result.values(by) if result.score(by).greater_is_better else -result.values(by)
    usable = np.where(np.isnan(values), -np.inf, values)
    width = usable.shape[1] // result.repeats
    picks = []
    for split in range(usable.shape[1]):
        start = split // width * width
        others = [s for s in range(start, start + width) if s != split]
        picks.append(int(usable[:, others].mean(axis=1).argmax()))
    return picks


def _nested(result: Comparison, score: str, picks: list[int]) -> tuple[float, float]:
    """The mean score on each split of the learner that the others chose, and its standard error."""
    values = result.values(score)[picks, np.arange(len(picks))]
    return float(values.mean()), _error(values, result.test_to_train)


def _error(values: FloatArray, ratio: float) -> float:
    """``sqrt((1 / J + n_test / n_train) s^2)`` (Nadeau & Bengio 2003, section 4)."""
    if values.size < 2 or not np.isfinite(values).all():
        return math.nan
    return float(np.sqrt((1 / values.size + ratio) * values.var(ddof=1)))
