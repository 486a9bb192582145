"""Whether two learners differ by more than chance: paired tests on the same splits or rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import stats

from priorcase._parameters import is_number
from priorcase._typing import FloatArray
from priorcase.datasets.columns import Backend
from priorcase.evaluation.checks import check_frame
from priorcase.evaluation.compare_table import number_text
from priorcase.evaluation.signed_ranks import hodges_lehmann, signed_rank_p
from priorcase.exceptions import ParameterError, prefix_errors, quoted
from priorcase.learning.results import Grid, GridResult, framed, short

Test: TypeAlias = Literal["corrected_t", "wilcoxon"]

TOO_SURE = "splits of one table share rows; this test takes them for independent, so p-values are too small"
"""What is to be said of tests that are at home over separate tables."""


@dataclass(frozen=True)
class PairedTest:
    """The difference of two learners, with an interval and the probability of as large a one by chance alone.

    Parameters
    ----------
    difference
        The mean difference, or for Wilcoxon's test the median of the means of all pairs (Hodges & Lehmann 1963).
    low, high
        The ends of its confidence interval; NaN where there is none.
    statistic, p_value
        Of the test; NaN where it cannot be made.
    """

    difference: float
    low: float
    high: float
    statistic: float
    p_value: float


def corrected_t(differences: FloatArray, test_to_train: float, *, level: float = 0.95) -> PairedTest:
    """The corrected resampled t-test of Nadeau and Bengio.

    ``t = mean / sqrt((1 / J + n_test / n_train) s^2)`` with J - 1 degrees of freedom, for J differences of sample
    variance ``s^2`` (Nadeau & Bengio 2003, section 4; for repeated folds, Bouckaert & Frank 2004). With a ratio of 0 it
    is the paired t-test of independent differences.

    Parameters
    ----------
    differences
        Of two learners on the same splits.
    test_to_train
        Test rows for each training row.
    level
        How probable it is that the interval holds the true difference.

    Examples
    --------
    >>> found = corrected_t(np.array([0.02, 0.04, 0.0, 0.03, 0.01]), 1 / 4)
    >>> round(found.difference, 3), round(found.statistic, 3), round(found.p_value, 3)
    (0.02, 1.886, 0.132)
    """
    n, mean = differences.size, _mean(differences)
    if n < 2 or not np.isfinite(differences).all():
        return PairedTest(mean, *([float("nan")] * 4))
    error = float(np.sqrt((1 / n + test_to_train) * differences.var(ddof=1)))
    reach = float(stats.t.ppf((1 + level) / 2, n - 1)) * error
    if error == 0:  # the same on every split
        p_value, statistic = (1.0, 0.0) if mean == 0 else (0.0, float(np.sign(mean) * np.inf))
    else:
        statistic = mean / error
        p_value = 2 * float(stats.t.sf(abs(statistic), n - 1))
    return PairedTest(mean, mean - reach, mean + reach, statistic, p_value)


def wilcoxon(differences: FloatArray, *, level: float = 0.95) -> PairedTest:
    """Wilcoxon's signed-rank test, ranks of zeros split between both signs (Demsar 2006, section 3.1.3).

    The statistic is the smaller sum of ranks. Its distribution is exact where there are neither zeros nor ties and 50
    differences at most, and normal otherwise, by scipy. The interval is that of the median of the means of all pairs.

    Examples
    --------
    >>> found = wilcoxon(np.array([0.02, 0.04, -0.01, 0.03, 0.015]))
    >>> found.statistic, found.p_value
    (1.0, 0.125)
    """
    if differences.size < 2 or not np.isfinite(differences).all():
        return PairedTest(_mean(differences), *([float("nan")] * 4))
    statistic, p_value = signed_rank_p(differences)
    middle, low, high = hodges_lehmann(differences, level)
    return PairedTest(middle, low, high, statistic, p_value)


def _mean(differences: FloatArray) -> float:
    """The mean, infinite where one is; 0 where it is nothing but the rounding of differences that add up to 0."""
    if not differences.size:
        return float("nan")
    with np.errstate(invalid="ignore"):  # infinite to both sides: no mean is known
        mean = float(differences.mean())
    rounding = np.isfinite(mean) and abs(mean) <= 1e-14 * float(np.abs(differences).max())
    return 0.0 if rounding else mean


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values of several tests, corrected such that the chance of any false alarm stays what one of them says.

    The i-th smallest of m is multiplied by ``m - i + 1``, and none is below the one before (Holm 1979). NaN, where a
    test could not be made, stays NaN and does not count.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    given = np.asarray(p_values, dtype=np.float64)
    found, order = given.copy(), np.argsort(given, kind="stable")
    order = order[~np.isnan(given[order])]
    raised = given[order] * np.arange(order.size, 0, -1)
    found[order] = np.minimum(np.maximum.accumulate(raised), 1.0) if order.size else raised
    return [float(value) for value in found]


@dataclass(frozen=True, repr=False, eq=False)
class PairedComparison(GridResult):
    """Differences of all pairs of learners in one score; prints as a table.

    Parameters
    ----------
    score, test, basis
        The score's name, the test's, and what the differences were taken over, in words.
    pairs
        The two learners of each line.
    tests
        Their tests: the first's score less the second's.
    corrected
        P-values corrected for the number of pairs by Holm's method.
    better
        The better one of each pair by the mean; empty where they are equal.
    level
        Of the intervals.
    note
        What is to be said of the test below the table.
    """

    score: str
    test: str
    basis: str
    pairs: tuple[tuple[str, str], ...]
    tests: tuple[PairedTest, ...]
    corrected: tuple[float, ...]
    better: tuple[str, ...]
    level: float
    note: str = ""

    def __len__(self) -> int:
        return len(self.pairs)

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each pair: ``first``, ``second``, ``difference``, ``low``, ``high``, ``statistic``, ``p_value``,
        ``p_holm``, ``better``.

        Parameters
        ----------
        backend
            As in `CalibrationTable.frame`.
        """
        check_frame(backend)
        columns: dict[str, Any] = {
            "first": [first for first, _ in self.pairs],
            "second": [second for _, second in self.pairs],
        }
        for name in ("difference", "low", "high", "statistic", "p_value"):
            columns[name] = np.array([getattr(test, name) for test in self.tests])
        return framed(columns | {"p_holm": np.array(self.corrected), "better": list(self.better)}, backend)

    def _grid(self) -> Grid:
        lines = []
        for (first, second), test, corrected, better in zip(
            self.pairs, self.tests, self.corrected, self.better, strict=True
        ):
            between = "-" if np.isnan(test.low) else f"{number_text(test.low)} to {number_text(test.high)}"
            names, p_values = [short(first, 30), short(second, 30)], [p_text(test.p_value), p_text(corrected)]
            lines.append([*names, number_text(test.difference), between, *p_values, short(better, 30)])
        header = ["first", "second", "difference", f"{self.level:.0%} interval", "p", "p (Holm)", "better"]
        note = self.note if lines else "no two learners have values to compare"
        return Grid(f"{self.score}: {self.test} over {self.basis}", header, lines, note, right=range(2, 6))


def p_text(p_value: float) -> str:
    """A p-value in few digits.

    Examples
    --------
    >>> p_text(0.0312), p_text(0.00004), p_text(float("nan"))
    ('0.031', '<0.001', '-')
    """
    return "-" if np.isnan(p_value) else "<0.001" if p_value < 0.001 else f"{p_value:.3f}"


def check_level(value: object) -> float:
    """How sure an interval is to be."""
    return _between(value, "level", "0.95 is usual.")


def check_alpha(value: object) -> float:
    """How probable a false alarm may be."""
    return _between(value, "alpha", "0.05 is usual.")


def _between(value: object, name: str, hint: str) -> float:
    if is_number(value) and 0 < value < 1:
        return float(value)
    raise ParameterError(f"{name} must be a number between 0 and 1, got {quoted(value)}. {hint}")
