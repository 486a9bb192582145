"""Ranks of learners over several tables or splits: Friedman's test and Nemenyi's critical distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.evaluation.paired import TOO_SURE, p_text
from priorcase.learning.results import Grid, GridResult, short

_ROUNDING = 1e-12
"""Values that differ by less, beside the greatest, are equals: means of the same numbers differ by their order."""


def mean_ranks(values: FloatArray, *, greater_is_better: bool) -> FloatArray:
    """The mean rank of each learner, 1 for the best and the mean of their ranks for equals.

    Learners without any value have none; a column counts if all others have a value in it.

    Parameters
    ----------
    values
        Shape (learners, tables or splits), NaN where there is none.
    greater_is_better
        Which way is better.

    Examples
    --------
    >>> mean_ranks(np.array([[0.9, 0.8], [0.7, 0.8]]), greater_is_better=True)
    array([1.25, 1.75])
    """
    ranks = np.full(len(values), np.nan)
    there, common = ranked_together(values)
    if there.any() and common.any():
        counted = values[there][:, common]
        ranks[there] = _ranks(counted, greater_is_better).mean(axis=1)
    return ranks


def leading(values: FloatArray, *, greater_is_better: bool) -> list[int]:
    """The learners with the best mean over the columns that all of them have, equals included.

    Where there is no such column, means are over what each of them has.

    Parameters
    ----------
    values
        As in `mean_ranks`.
    greater_is_better
        Which way is better.

    Examples
    --------
    >>> leading(np.array([[0.9, 0.4], [0.7, 0.6], [0.8, np.nan]]), greater_is_better=True)
    [0]
    >>> leading(np.array([[0.9, 0.4], [0.7, 0.6]]), greater_is_better=True)
    [0, 1]
    """
    there, common = ranked_together(values)
    if not there.any():
        return []
    counted = values[there][:, common] if common.any() else values[there]
    means = np.array([line[~np.isnan(line)].mean() for line in counted])
    first = _order(means[:, np.newaxis], greater_is_better)[:, 0] == 0
    return [int(at) for at in np.flatnonzero(there)[first]]


def shared_means(values: FloatArray) -> FloatArray:
    """The mean of each learner over the columns that all have, those left aside that have none; NaN for these.

    Examples
    --------
    >>> shared_means(np.array([[0.5, 0.9], [np.nan, 0.8], [np.nan, np.nan]]))
    array([0.9, 0.8, nan])
    """
    there, common = ranked_together(values)
    sound = there & common.any()
    return np.array([line[common].mean() if known else np.nan for line, known in zip(values, sound, strict=True)])


def _ranks(values: FloatArray, greater_is_better: bool) -> FloatArray:
    """The rank of each learner in each column, 1 for the best and the mean of their ranks for equals."""
    return np.asarray(stats.rankdata(_order(values, greater_is_better), axis=0))


def _order(values: FloatArray, greater_is_better: bool) -> IntArray:
    """How many different values of its column are better than each value; those that rounding alone parts are one."""
    signed = -values if greater_is_better else values
    order = np.argsort(signed, axis=0, kind="stable")
    ascending = np.take_along_axis(signed, order, axis=0)
    scale = np.abs(np.where(np.isfinite(values), values, 0.0)).max(axis=0)
    with np.errstate(invalid="ignore"):  # two infinite values do not differ
        steps = np.cumsum(np.diff(ascending, axis=0) > _ROUNDING * scale, axis=0)
    found = np.zeros(values.shape, dtype=np.intp)
    np.put_along_axis(found, order[1:], steps, axis=0)
    return found


def ranked_together(values: FloatArray) -> tuple[BoolArray, BoolArray]:
    """The learners that have any value, and the columns in which all of these have one."""
    there: BoolArray = np.asarray(~np.isnan(values).all(axis=1))
    common: BoolArray = np.asarray(~np.isnan(values[there]).any(axis=0))
    return there, common


@dataclass(frozen=True, repr=False)
class Friedman(GridResult):
    """Friedman's test of whether some learners rank better than others, and how far mean ranks must differ.

    Parameters
    ----------
    learners, ranks
        The learners and their mean ranks.
    blocks
        Over how many tables or splits.
    chi_square, p_value
        Friedman's statistic with ties accounted for, as scipy has it, and its p-value with k - 1 degrees of freedom.
    f_statistic, f_p_value
        ``F = (N - 1) chi^2 / (N (k - 1) - chi^2)``, which is less conservative, with ``k - 1`` and
        ``(k - 1)(N - 1)`` degrees of freedom (Iman & Davenport 1980; Demsar 2006, section 3.2.2).
    critical_distance, alpha
        Mean ranks that differ by more differ by more than chance, at this level (Nemenyi 1963).
    of
        What ranks were taken over: ``"tables"``, or ``"splits"`` of one table, which share rows.
    """

    learners: tuple[str, ...]
    ranks: tuple[float, ...]
    blocks: int
    chi_square: float
    p_value: float
    f_statistic: float
    f_p_value: float
    critical_distance: float
    alpha: float = 0.05
    of: str = "tables"

    def groups(self) -> list[tuple[str, ...]]:
        """Learners, best first, in the largest groups within which no two mean ranks differ by more than chance."""
        order = np.argsort(self.ranks, kind="stable").tolist()
        found: list[tuple[int, int]] = []
        for start in range(len(order)):
            within = [i for i in range(start, len(order)) if self._apart(order[start], order[i]) <= 0]
            if within[-1] > start and not any(first <= start and within[-1] <= last for first, last in found):
                found.append((start, within[-1]))
        return [tuple(self.learners[i] for i in order[first : last + 1]) for first, last in found]

    def _apart(self, first: int, second: int) -> float:
        return abs(self.ranks[first] - self.ranks[second]) - self.critical_distance

    def _grid(self) -> Grid:
        order = np.argsort(self.ranks, kind="stable").tolist()
        lines = [[short(self.learners[i], 60), f"{self.ranks[i]:.3f}"] for i in order]
        tests = (("chi-square", self.chi_square, self.p_value), ("F", self.f_statistic, self.f_p_value))
        test = ", ".join(f"{name} {value:.2f} (p {p_text(p_value)})" for name, value, p_value in tests)
        note = f"critical distance at {self.alpha:g}: {self.critical_distance:.3f} (Nemenyi)"
        note += f"\n  {TOO_SURE}" * (self.of == "splits")
        return Grid(f"Friedman over {self.blocks} {self.of}: {test}", ["learner", "mean rank"], lines, note, right={1})


def friedman(
    values: FloatArray, learners: Sequence[str], *, greater_is_better: bool, alpha: float = 0.05, of: str = "tables"
) -> Friedman:
    """Friedman's test over tables in which each learner has a value, shape (learners, tables).

    Examples
    --------
    >>> values = np.array([[0.9, 0.8, 0.9, 0.7], [0.8, 0.7, 0.8, 0.6], [0.6, 0.6, 0.7, 0.5]])
    >>> friedman(values, ["a", "b", "c"], greater_is_better=True).chi_square
    8.0
    """
    k, n = values.shape
    ranks = _ranks(values, greater_is_better)
    chi_square, p_value = _chi_square(ranks)
    rest = n * (k - 1) - chi_square
    f_statistic = (n - 1) * chi_square / rest if rest > 1e-12 else float("inf")
    f_p_value = float(stats.f.sf(f_statistic, k - 1, (k - 1) * (n - 1)))
    means = tuple(float(rank) for rank in ranks.mean(axis=1))
    distance = critical_distance(k, n, alpha)
    return Friedman(tuple(learners), means, n, chi_square, p_value, f_statistic, f_p_value, distance, alpha, of)


def critical_distance(k: int, n: int, alpha: float = 0.05) -> float:
    """Nemenyi's: ``q sqrt(k (k + 1) / (6 n))`` with q the studentised range of k means over ``sqrt(2)``.

    Examples
    --------
    >>> round(critical_distance(4, 14), 2)
    1.25
    """
    q = float(stats.studentized_range.ppf(1 - alpha, k, np.inf)) / np.sqrt(2)
    return float(q * np.sqrt(k * (k + 1) / (6 * n)))


def _chi_square(ranks: FloatArray) -> tuple[float, float]:
    """Friedman's statistic and p-value; nothing at all where every learner ties with every other on every table."""
    k = len(ranks)
    if (ranks == (k + 1) / 2).all():
        return 0.0, 1.0
    if k > 2:
        found = stats.friedmanchisquare(*ranks)
        return float(found.statistic), float(found.pvalue)
    # scipy asks for three; for two it is the squared sign statistic.
    signs = np.sign(ranks[1] - ranks[0])
    statistic = float(signs.sum()) ** 2 / float(np.abs(signs).sum())
    return statistic, float(stats.chi2.sf(statistic, 1))
