"""Significance tests of differences between learners: paired tests and rank tests over splits, rows or tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import stats

from priorcase._numbers import decimals, fixed
from priorcase._typing import Backend, BoolArray, FloatArray, IntArray
from priorcase.evaluation.calibration import read_probability
from priorcase.evaluation.scoring import Score
from priorcase.exceptions import EvaluationError, prefix_errors
from priorcase.learning.plotting import INK, MUTED, caption, captions, color, drawing
from priorcase.learning.results import Grid, GridResult, framed, short

Test: TypeAlias = Literal["corrected_t", "wilcoxon"]

FEW_TRAINING_ROWS = (
    "there are more test than training rows, so corrected standard errors and p-values are too large. Use\n"
    "  compare_tables with several tables, or train on more rows"
)
MANY_TEST_ROWS = 1.1  # for each training row; the two folds of an odd number of rows differ by one row
INFINITE = "a probability of 0 for a true class makes the score infinite; compare by the Brier score"
NOT_INDEPENDENT = "splits of one table share rows; this test assumes independence, so p-values are too small"

_EXACT = 50  # with more differences, the normal approximation of the signed-rank statistic is used
_MOST = 2_000  # with more differences, there are too many pairs to sort, and no interval is computed
_ROUNDING = 1e-12  # relative; means of the same numbers differ by the order of summation


# -- tests of one pair


@dataclass(frozen=True)
class PairedTest:
    """Difference between the scores of two learners, with confidence interval and test result; NaN if unavailable.

    ``difference`` is the mean difference, or for Wilcoxon's test the estimate of `hodges_lehmann`.
    """

    difference: float
    low: float = float("nan")
    high: float = float("nan")
    statistic: float = float("nan")
    p_value: float = float("nan")


def corrected_t(differences: FloatArray, test_to_train: float, *, level: float = 0.95) -> PairedTest:
    """Return the corrected resampled t-test (Nadeau & Bengio 2003, section 4; repeated folds: Bouckaert & Frank 2004).

    The statistic is ``t = mean / sqrt((1 / J + n_test / n_train) s^2)`` with J - 1 degrees of freedom, for J
    differences with sample variance ``s^2``. With ``test_to_train=0``, the test is the usual paired t-test.
    """
    n, mean = differences.size, _mean(differences)
    if n < 2 or not np.isfinite(differences).all():
        return PairedTest(mean)
    error = float(np.sqrt((1 / n + test_to_train) * differences.var(ddof=1)))
    reach = float(stats.t.ppf((1 + level) / 2, n - 1)) * error
    if error == 0:  # the same on every split
        p_value, statistic = (1.0, 0.0) if mean == 0 else (0.0, float(np.sign(mean) * np.inf))
    else:
        statistic = mean / error
        p_value = 2 * float(stats.t.sf(abs(statistic), n - 1))
    return PairedTest(mean, mean - reach, mean + reach, statistic, p_value)


def _mean(differences: FloatArray) -> float:
    """Return the mean of differences, which can be infinite; a mean that is only a rounding error is set to 0."""
    if not differences.size:
        return float("nan")
    with np.errstate(invalid="ignore"):  # infinite in both directions: the mean is undefined
        mean = float(differences.mean())
    rounding = np.isfinite(mean) and abs(mean) <= 1e-14 * float(np.abs(differences).max())
    return 0.0 if rounding else mean


def wilcoxon(differences: FloatArray, *, level: float = 0.95) -> PairedTest:
    """Return Wilcoxon's signed-rank test; ranks of zeros are split between both signs (Demsar 2006, section 3.1.3)."""
    if differences.size < 2 or not np.isfinite(differences).all():
        return PairedTest(_mean(differences))
    return PairedTest(*hodges_lehmann(differences, level), *signed_rank_p(differences))


def signed_rank_p(differences: FloatArray) -> tuple[float, float]:
    """Return the signed-rank statistic (the smaller of the positive and negative rank sums) and its p-value."""
    if not differences.any():
        return float(differences.size * (differences.size + 1) / 4), 1.0
    differences = _rounded(differences)
    if differences.size > _EXACT:
        found = stats.wilcoxon(differences, zero_method="zsplit", method="approx")
        return float(found.statistic), float(found.pvalue)
    # The p-value is computed from all assignments of signs to the mid-ranks of the nonzero differences, so it is exact
    # even with ties and zeros (Hollander & Wolfe 1999, section 3.1).
    ranks = _doubled_ranks(differences)
    smaller = int(min(ranks[differences > 0].sum(), ranks[differences < 0].sum()))
    p_value = 2 * float(_rank_sum_probabilities(ranks[differences != 0])[smaller])
    return (smaller + int(ranks[differences == 0].sum()) / 2) / 2, min(1.0, p_value)


def hodges_lehmann(differences: FloatArray, level: float) -> tuple[float, float, float]:
    """Return the Hodges-Lehmann estimate of the difference, and its confidence interval.

    The estimate is the median of the pair means ``(d_i + d_j) / 2`` over all ``i <= j``. The interval runs from the
    K-th smallest to the K-th largest pair mean, where K is the ``(1 - level) / 2`` quantile of the signed-rank
    statistic (Hollander & Wolfe 1999, section 3.3).
    """
    n = differences.size
    if n > _MOST:
        return float(differences.mean()), float("nan"), float("nan")
    first, second = np.triu_indices(n)
    means = np.sort((differences[first] + differences[second]) / 2)
    k = _signed_rank_quantile(differences, (1 - level) / 2)
    low, high = (float(means[k - 1]), float(means[-k])) if k >= 1 else (float("nan"), float("nan"))
    return float(np.median(means)), low, high


def _signed_rank_quantile(differences: FloatArray, tail: float) -> int:
    """Return the number of integers ``j >= 0`` for which ``P(signed-rank statistic <= j) <= tail``."""
    n = differences.size
    if n <= _EXACT:
        probabilities = _rank_sum_probabilities(_doubled_ranks(_rounded(differences)))
        return (int(np.searchsorted(probabilities, tail, side="right")) + 1) // 2
    deviation = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return int(np.floor(n * (n + 1) / 4 + float(stats.norm.ppf(tail)) * deviation))


def _rounded(differences: FloatArray) -> FloatArray:
    """Scale the largest absolute difference to 1 and round, so that rounding errors do not break ties."""
    return np.asarray(np.round(differences / (np.abs(differences).max() or 1.0), 12))


def _doubled_ranks(differences: FloatArray) -> IntArray:
    """Return twice the mid-ranks of the absolute differences, so that all values are integers."""
    return np.rint(2 * stats.rankdata(np.abs(differences))).astype(np.intp)


def _rank_sum_probabilities(ranks: IntArray) -> FloatArray:
    """Return ``P(sum <= s)`` for s = 0, 1, 2, ..., if each rank is included in the sum with probability 1/2."""
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1.0
    for rank in ranks.tolist():  # each rank is in the sum or not
        ways[rank:] += ways[:-rank].copy()
    return np.asarray(np.cumsum(ways) / 2.0**ranks.size)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's (1979) step-down method; NaN values are ignored and stay NaN."""
    found = np.array(p_values, dtype=np.float64)
    order = np.argsort(found, kind="stable")[: np.count_nonzero(~np.isnan(found))]  # NaN comes last
    found[order] = np.minimum(np.maximum.accumulate(found[order] * np.arange(order.size, 0, -1)), 1.0)
    return [float(value) for value in found]


# -- all pairs


@dataclass(frozen=True, repr=False, eq=False)
class PairedComparison(GridResult):
    """Paired tests between all pairs of learners; they print as a table.

    ``tests`` contains the result of ``test`` for each pair of learners in ``pairs``, with the difference in ``score``
    (first minus second learner). ``basis`` is a text such as ``"10 splits"`` or ``"5 tables"``. ``corrected``
    contains the p-values with Holm's correction. ``better`` contains the better learner of each pair (empty if the
    difference is 0); the printed table shows the better learner only if ``corrected`` is below ``1 - level``, where
    ``level`` is the confidence level of the intervals. ``note`` is a caveat printed below the table.
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
        """Return a data frame with one row per pair.

        The columns are ``first``, ``second``, ``difference``, ``low``, ``high``, ``statistic``, ``p_value``, ``p_holm``
        and ``better``.
        """
        columns: dict[str, Any] = {
            "first": [first for first, _ in self.pairs],
            "second": [second for _, second in self.pairs],
        }
        for name in ("difference", "low", "high", "statistic", "p_value"):
            columns[name] = np.array([getattr(test, name) for test in self.tests])
        return framed(columns | {"p_holm": np.array(self.corrected), "better": list(self.better)}, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot the difference between the learners of each pair with its confidence interval; return the axes."""
        names = captions([f"{first} - {second}" for first, second in self.pairs], 40)
        with drawing(ax, size=(4.8 + 0.07 * max(map(len, names), default=0), 1.2 + 0.34 * len(names))) as ax:
            ax.axvline(0.0, color=MUTED, linewidth=0.9, linestyle=(0, (3, 3)), zorder=1)
            for place, test in enumerate(self.tests):
                ax.plot([test.low, test.high], [place, place], "-", color=INK, zorder=3)
                ax.plot([test.difference], [place], "o", color=color(0), markersize=6, zorder=4)
            ax.set_yticks(range(len(names)), names)
            ax.set_ylim(len(names) - 0.4, -0.6)
            ax.grid(axis="y", visible=False)
            ax.set_xlabel(f"difference in {caption(self.score)} and {self.level:.0%} interval")
            ax.set_title(f"{self.test} over {self.basis}")
            return ax

    def _grid(self) -> Grid:
        lines = []
        places = decimals([number for test in self.tests for number in (test.difference, test.low, test.high)])
        for pair, test, corrected, better in zip(self.pairs, self.tests, self.corrected, self.better, strict=True):
            if not np.isfinite(test.difference):
                continue
            between = "-" if np.isnan(test.low) else f"{fixed(test.low, places)} to {fixed(test.high, places)}"
            numbers = [fixed(test.difference, places), between, p_text(test.p_value), p_text(corrected)]
            lines.append(
                [
                    *(short(name, 30) for name in pair),
                    *numbers,
                    short(better, 30) if corrected < 1 - self.level else "-",
                ]
            )
        header = ["first", "second", "difference", f"{self.level:.0%} interval", "p", "p (Holm)", "better"]
        infinite = len(self.pairs) - len(lines)
        untested = f"{infinite} of {len(self.pairs)} pairs not tested: {INFINITE}" * (infinite > 0)
        note = "\n  ".join(filter(None, [self.note * bool(lines), untested]))
        note = note if self.pairs else "no two learners have values to compare"
        return Grid(
            f"{self.score}: {self.test} over {self.basis}", header if lines else [], lines, note, right=range(2, 6)
        )


def p_text(p_value: float) -> str:
    """Format a p-value with few digits."""
    return "-" if np.isnan(p_value) else "<0.001" if p_value < 0.001 else f"{p_value:.3f}"


def compared_pairs(
    learners: Sequence[str],
    values: FloatArray,
    score: Score,
    *,
    test: Test,
    level: float,
    basis: str,
    test_to_train: float = 0.0,
    squared: bool = False,
    note: str = "",
) -> PairedComparison:
    """Test each pair of learners on the splits where both have a value; ``values`` has shape (learners, splits)."""
    level = read_probability("level", level)
    there = np.flatnonzero(~np.isnan(values).all(axis=1)).tolist()
    pairs, tests, better = [], [], []
    for first, second in combinations(there, 2):
        with np.errstate(invalid="ignore"):  # the difference of two infinite values is undefined
            differences = values[first] - values[second]
        differences = differences[~np.isnan(values[first]) & ~np.isnan(values[second])]
        if test == "corrected_t":
            found = corrected_t(differences, test_to_train, level=level)
        else:
            found = wilcoxon(differences, level=level)
        pairs.append((learners[first], learners[second]))
        tests.append(found)
        equal = np.isnan(found.difference) or found.difference == 0
        better.append("" if equal else pairs[-1][(found.difference > 0) != score.greater_is_better])
    needed = int(np.floor(1 - np.log2(1 - level) + 1e-9)) + 1  # the smallest p-value of n differences is 2^(1 - n)
    if test == "wilcoxon" and pairs and (n := values.shape[1]) < needed:
        few = f"the p-value for {basis} is at least {2.0 ** (1 - n):.3g}; p < {1 - level:.2g} needs at least {needed}"
        note = "\n  ".join(filter(None, [note, few]))
    name, corrected = f"{score.name} squared" if squared else score.name, holm([found.p_value for found in tests])
    done = "corrected resampled t-test" if test_to_train else "paired t-test"
    done = "Wilcoxon's signed-rank test" if test == "wilcoxon" else done
    numbers = (tuple(pairs), tuple(tests), tuple(corrected), tuple(better))
    return PairedComparison(name, done, basis, *numbers, level, note)


# -- ranks


def mean_ranks(values: FloatArray, *, greater_is_better: bool) -> FloatArray:
    """Return the mean rank of each learner (1 is best); ``values`` has shape (learners, splits or tables)."""
    ranks = np.full(len(values), np.nan)
    there, common = _common(values)
    if there.any() and common.any():
        ranks[there] = _ranks(values[there][:, common], greater_is_better).mean(axis=1)
    return ranks


def leading(values: FloatArray, *, greater_is_better: bool) -> list[int]:
    """Return the indices of the learners with the best mean score; several learners can tie."""
    there, common = _common(values)
    if not there.any():
        return []
    counted = values[there][:, common] if common.any() else values[there]
    means = np.array([line[~np.isnan(line)].mean() for line in counted])
    first = _order(means[:, np.newaxis], greater_is_better)[:, 0] == 0
    return [int(at) for at in np.flatnonzero(there)[first]]


def shared_means(values: FloatArray) -> FloatArray:
    """Return each learner's mean score over the common columns (see `_common`); NaN for learners without any value."""
    there, common = _common(values)
    known = there & common.any()
    return np.array([line[common].mean() if has else np.nan for line, has in zip(values, known, strict=True)])


def _common(values: FloatArray) -> tuple[BoolArray, BoolArray]:
    """Return a mask of learners with at least one value, and a mask of columns in which these learners all have one."""
    there: BoolArray = np.asarray(~np.isnan(values).all(axis=1))
    common: BoolArray = np.asarray(~np.isnan(values[there]).any(axis=0))
    return there, common


def _ranks(values: FloatArray, greater_is_better: bool) -> FloatArray:
    return np.asarray(stats.rankdata(_order(values, greater_is_better), axis=0))


def _order(values: FloatArray, greater_is_better: bool) -> IntArray:
    """Return, for each value, how many distinct values in its column are better; rounding errors are ignored."""
    signed = -values if greater_is_better else values
    order = np.argsort(signed, axis=0, kind="stable")
    ascending = np.take_along_axis(signed, order, axis=0)
    scale = np.abs(np.where(np.isfinite(values), values, 0.0)).max(axis=0)
    with np.errstate(invalid="ignore"):  # two infinite values do not differ
        steps = np.cumsum(np.diff(ascending, axis=0) > _ROUNDING * scale, axis=0)
    found = np.zeros(values.shape, dtype=np.intp)
    np.put_along_axis(found, order[1:], steps, axis=0)
    return found


@dataclass(frozen=True, repr=False)
class Friedman(GridResult):
    """Friedman test of the learners' ranks, with Nemenyi's critical distance.

    ``ranks`` contains the mean ranks of the ``learners``; ``blocks`` is the number of tables or splits, and ``of`` is
    ``"tables"`` or ``"splits"``. ``chi_square`` is Friedman's statistic corrected for ties, and ``p_value`` is its
    p-value with k - 1 degrees of freedom for k learners. ``f_statistic`` is ``(N - 1) chi^2 / (N (k - 1) - chi^2)``
    for N blocks. The F test has ``k - 1`` and ``(k - 1)(N - 1)`` degrees of freedom, and is less conservative than the
    chi-square test (Iman & Davenport 1980; Demsar 2006, section 3.2.2). Mean ranks that differ by more than
    ``critical_distance`` differ significantly at level ``alpha`` (Nemenyi 1963).
    """

    score: str
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
        """Return the largest groups of learners whose mean ranks do not differ significantly, best group first."""
        order = np.argsort(self.ranks, kind="stable").tolist()
        found: list[tuple[int, int]] = []
        for start in range(len(order)):
            reach = self.ranks[order[start]]
            within = [i for i in range(start, len(order)) if self.ranks[order[i]] - reach <= self.critical_distance]
            if within[-1] > start and not any(first <= start and within[-1] <= last for first, last in found):
                found.append((start, within[-1]))
        return [tuple(self.learners[i] for i in order[first : last + 1]) for first, last in found]

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot the critical-difference diagram (Demsar 2006, figure 1); return the axes.

        Bars connect learners that do not differ significantly.
        """
        step, order, groups = 0.28, np.argsort(self.ranks, kind="stable").tolist(), self.groups()
        n, names = len(order), captions(self.learners, 26)
        half, room = (n + 1) // 2, 0.25 + 0.12 * len(groups)
        depth = room + step * half
        with drawing(ax, size=(3.6 + 0.16 * (6 + max(map(len, names))), 1.3 + 0.95 * depth)) as ax:
            from matplotlib import rcParams

            ink: dict[str, Any] = {"color": rcParams["text.color"], "clip_on": False}
            low, high = 1.0, float(max(n, np.ceil(max(self.ranks))))
            ax.plot([low, high], [0, 0], linewidth=1.0, **ink)
            for tick in range(int(low), int(high) + 1):
                ax.plot([tick, tick], [0, 0.07], linewidth=1.0, **ink)
                ax.text(tick, 0.1, f"{tick}", ha="center", va="bottom", fontsize=8.5)
            end = low + min(self.critical_distance, 1.3 * (high - low))
            for x, y in (([low, end], [0.42, 0.42]), ([low, low], [0.38, 0.46]), ([end, end], [0.38, 0.46])):
                ax.plot(x, y, color=MUTED, linewidth=1.4, clip_on=False)
            text = f"critical distance {self.critical_distance:.2f} (Nemenyi, {self.alpha:g})"
            ax.text(low, 0.5, text, ha="left", va="bottom", fontsize=8.5, color=MUTED)
            for number, i in enumerate(order):
                left, rank = number < half, self.ranks[i]
                level, edge = -room - step * (number if left else n - 1 - number), low if left else high
                ax.plot([rank, rank, edge], [0, level, level], linewidth=0.9, zorder=2, **ink)
                side: dict[str, Any] = {"ha": "right" if left else "left", "va": "center"}
                text = f"{names[i]}  {rank:.2f}" if left else f"{rank:.2f}  {names[i]}"
                away = {"xytext": (-5 if left else 5, 0), "textcoords": "offset points", "annotation_clip": False}
                ax.annotate(text, (edge, level), **away, **side)
            for number, group in enumerate(groups):
                ends = [self.ranks[self.learners.index(name)] for name in group]
                bar = ([min(ends) - 0.03, max(ends) + 0.03], [-0.14 - 0.12 * number] * 2)
                ax.plot(*bar, color=color(0), linewidth=4, zorder=3, clip_on=False)
            ax.set(xlim=(low, high), ylim=(-depth - 0.05, 0.75))
            ax.set_axis_off()
            ax.set_title(f"{caption(self.score)}: mean ranks over {self.blocks} {self.of}")
            return ax

    def _grid(self) -> Grid:
        order = np.argsort(self.ranks, kind="stable").tolist()
        lines = [[short(self.learners[i], 60), f"{self.ranks[i]:.3f}"] for i in order]
        tests = (("chi-square", self.chi_square, self.p_value), ("F", self.f_statistic, self.f_p_value))
        test = ", ".join(f"{name} {value:.2f} (p {p_text(p_value)})" for name, value, p_value in tests)
        note = f"critical distance at {self.alpha:g}: {self.critical_distance:.3f} (Nemenyi)"
        note += f"\n  {NOT_INDEPENDENT}" * (self.of == "splits")
        return Grid(f"Friedman over {self.blocks} {self.of}: {test}", ["learner", "mean rank"], lines, note, right={1})


def friedman(
    values: FloatArray, learners: Sequence[str], score: Score, *, alpha: float = 0.05, of: str = "tables"
) -> Friedman:
    """Return Friedman's test; ``values`` has shape (learners, tables or splits)."""
    alpha = read_probability("alpha", alpha)
    there, common = _common(values)
    names = tuple(name for name, is_there in zip(learners, there.tolist(), strict=True) if is_there)
    k, n = values[there][:, common].shape
    if k < 2 or n < 2:
        problem = (
            f"got {k} learners with values on {n} common {of[: -1 if n == 1 else None]}; expected at least two of each"
        )
        raise EvaluationError(f"{problem}. Add learners or {of}, or check why learners failed.")
    ranks = _ranks(values[there][:, common], score.greater_is_better)
    if (ranks == (k + 1) / 2).all():  # all learners tie everywhere
        chi_square, p_value = 0.0, 1.0
    elif k > 2:
        found = stats.friedmanchisquare(*ranks)
        chi_square, p_value = float(found.statistic), float(found.pvalue)
    else:  # scipy requires three; for two it is the squared sign statistic
        signs = np.sign(ranks[1] - ranks[0])
        chi_square = float(signs.sum()) ** 2 / float(np.abs(signs).sum())
        p_value = float(stats.chi2.sf(chi_square, 1))
    rest = n * (k - 1) - chi_square
    f_statistic = (n - 1) * chi_square / rest if rest > 1e-12 else float("inf")
    f_p_value = float(stats.f.sf(f_statistic, k - 1, (k - 1) * (n - 1)))
    means = tuple(float(rank) for rank in ranks.mean(axis=1))
    distance = critical_distance(k, n, alpha)
    return Friedman(score.name, names, means, n, chi_square, p_value, f_statistic, f_p_value, distance, alpha, of)


def critical_distance(k: int, n: int, alpha: float = 0.05) -> float:
    """Return Nemenyi's critical distance ``q sqrt(k (k + 1) / (6 n))`` for k learners and n blocks.

    ``q`` is the ``1 - alpha`` quantile of the studentized range distribution, divided by ``sqrt(2)``.
    """
    q = float(stats.studentized_range.ppf(1 - alpha, k, np.inf)) / np.sqrt(2)
    return float(q * np.sqrt(k * (k + 1) / (6 * n)))
