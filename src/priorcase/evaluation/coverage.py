"""How often intervals hold what came true, and how wide they are for that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from priorcase._parameters import is_number
from priorcase._typing import Backend, FloatArray
from priorcase.evaluation.reliability_plot import wilson_interval
from priorcase.exceptions import EvaluationError, ParameterError, TargetError, prefix_errors, quoted
from priorcase.learning.plotting import MUTED, drawing, legend_beside, style
from priorcase.learning.results import Grid, GridResult, framed
from priorcase.learning.targets import read_numbers

__all__ = ["CoverageTable", "coverage_table"]

Ends: TypeAlias = "ArrayLike | tuple[ArrayLike, ArrayLike]"
"""Lower and upper ends of intervals: an array of shape (rows, 2), or a tuple of both."""


@dataclass(frozen=True, repr=False, eq=False)
class CoverageTable(GridResult):
    """Intervals of some levels beside what came true; prints as a table.

    Parameters
    ----------
    rows
        How many rows were predicted.
    levels
        How often the intervals were meant to hold, ascending.
    covered
        How often they did; both ends belong to an interval.
    below, above
        How often the truth was below the lower end, and above the upper one.
    width
        The mean width; infinite where one interval is.
    score
        The mean interval score, smaller when better: ``u - l + 2 / a (l - y)`` where ``y < l``, the like above ``u``,
        with ``a = 1 - level`` (Gneiting & Raftery 2007, eq. 43).
    """

    rows: int
    levels: FloatArray
    covered: FloatArray
    below: FloatArray
    above: FloatArray
    width: FloatArray
    score: FloatArray

    def __len__(self) -> int:
        return self.levels.size

    @property
    def interval(self) -> FloatArray:
        """Wilson's 95 % interval for how often each level holds, shape (levels, 2)."""
        return wilson_interval(self.covered, np.full(len(self), float(self.rows)), 0.95)

    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each level: ``level``, ``covered``, its ``low`` and ``high`` end, and the others.

        Parameters
        ----------
        backend
            The library whose frame to return; None: the first that is installed, a dictionary of arrays where none is.
        """
        low, high = self.interval.T
        names = ("levels", "covered", "below", "above", "width", "score")
        level, covered, *others = (getattr(self, name).copy() for name in names)
        columns = {"level": level, "covered": covered, "low": low, "high": high}
        return framed(columns | dict(zip(names[2:], others, strict=True)), backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """How often intervals held, with Wilson's 95 % intervals, against how often they were meant to.

        Parameters
        ----------
        ax
            Axes of matplotlib; None for a figure of its own.
        """
        with drawing(ax, size=(6.0, 4.2)) as ax:
            ax.plot([0, 1], [0, 1], color=MUTED, linewidth=1, linestyle=(0, (4, 2)), label="as meant")
            errors = np.abs(self.interval.T - self.covered)
            look = style(0)
            looks: dict[str, Any] = {"color": look.colour, "marker": look.marker, "linestyle": look.line}
            ax.errorbar(self.levels, self.covered, yerr=errors, capsize=2.5, label="held, 95% interval", **looks)
            ax.set_xlim(-0.02, 1.02)
            ax.set_ylim(-0.02, 1.02)
            ax.set_aspect("equal")
            ax.set_xlabel("level of the intervals")
            ax.set_ylabel("part of the rows inside")
            ax.set_title(f"Coverage of {self.rows} rows")
            legend_beside(ax)
            return ax

    def _grid(self) -> Grid:
        lines = []
        for i, (low, high) in enumerate(self.interval):
            shares = (
                f"{self.covered[i]:.3f}",
                f"{low:.3f} to {high:.3f}",
                f"{self.below[i]:.3f}",
                f"{self.above[i]:.3f}",
            )
            lines.append([f"{self.levels[i]:g}", *shares, f"{self.width[i]:.4g}", f"{self.score[i]:.4g}"])
        header = ("level", "covered", "95% interval", "below", "above", "mean width", "interval score")
        return Grid(f"coverage of {self.rows} rows", header, lines, right=range(7))


@prefix_errors
def coverage_table(
    y_true: ArrayLike, intervals: Mapping[float, Ends] | Ends, *, level: float | None = None
) -> CoverageTable:
    """How often intervals of some levels hold what came true.

    Honest intervals of level 0.9 hold nine truths of ten, and are as narrow as they can be for that; the interval score
    weighs both.

    Parameters
    ----------
    y_true
        The number that came true in each row.
    intervals
        Lower and upper ends: an array of shape (rows, 2), as from ``predict_interval``, or a tuple (lower, upper), as
        from ``prediction_interval``. For several levels a mapping from level to these.
    level
        How often the intervals are meant to hold, where they are no mapping.

    Examples
    --------
    >>> narrow, wide = [[0, 2], [2, 3], [4, 5], [5, 6]], [[0, 4], [0, 5], [0, 6], [3, 9]]
    >>> coverage_table([1.0, 2.0, 3.0, 9.0], {0.5: narrow, 0.9: wide})
    coverage of 4 rows
      level  covered    95% interval  below  above  mean width  interval score
        0.5    0.500  0.150 to 0.850  0.250  0.250        1.25            5.25
        0.9    1.000  0.510 to 1.000  0.000  0.000        5.25            5.25
    >>> lower, upper = [0, 2, 4, 5], [2, 3, 5, 6]
    >>> coverage_table([1.0, 2.0, 3.0, 9.0], (lower, upper), level=0.5).covered
    array([0.5])
    """
    truth = read_numbers(y_true)[0]
    if truth.shape[1] != 1:
        raise TargetError(
            f"got y of shape {truth.shape}; y should be a 1d array. Pass a list or an array with one value for each "
            "row of X."
        )
    told = _by_level(intervals, level)
    lines = [_line(truth[:, 0], each, told[each]) for each in sorted(told, key=_level)]
    return CoverageTable(len(truth), *np.array(lines, dtype=np.float64).T)


def _by_level(intervals: Any, level: Any) -> Mapping[float, Ends]:
    """The intervals of each level, in whatever form they came."""
    if not isinstance(intervals, Mapping):
        if level is None:
            raise ParameterError(
                "level must be given beside one set of intervals, got None. Say how often the intervals are meant to "
                "hold, such as level=0.9."
            )
        return {level: intervals}
    if level is not None:
        raise ParameterError(
            f"level must be None beside a mapping of intervals, got {quoted(level)}. Its keys are the levels."
        )
    if not intervals:
        raise ParameterError(
            f"intervals must be a mapping with one level or more, got {quoted(intervals)}. For example {{0.9: "
            "model.predict_interval(X, level=0.9)}."
        )
    return intervals


def _line(y: FloatArray, level: float, ends: Ends) -> tuple[float, ...]:
    low, high = _ends(ends, y.size)
    if not (low <= high).all():
        row = int((~(low <= high)).argmax())
        raise EvaluationError(
            f"got the interval {float(low[row]):g} to {float(high[row]):g} in row {row}; expected lower ends that are "
            "not above the upper ones, and no NaN. An array has the lower end first in each row, a tuple all lower "
            "ends first."
        )
    under, over = y < low, y > high
    width = float((high - low).mean())
    misses = np.where(under, low - y, 0.0) + np.where(over, y - high, 0.0)
    score = width + 2.0 / (1.0 - float(level)) * float(misses.mean())
    return float(level), float((~under & ~over).mean()), float(under.mean()), float(over.mean()), width, score


def _ends(ends: Ends, rows: int) -> tuple[FloatArray, FloatArray]:
    """The lower and the upper ends of ``rows`` intervals."""
    pair = isinstance(ends, tuple) and len(ends) == 2
    try:
        array = np.asarray(ends, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != ((2, rows) if pair else (rows, 2)):
        shape = array.shape if array.size else None
        found = quoted(ends) if shape is None else f"an array of shape {shape}"
        raise EvaluationError(
            f"got intervals as {found}; expected an array of shape ({rows}, 2), or a tuple of {rows} lower and {rows} "
            "upper ends. Pass what predict_interval or prediction_interval returns for these rows."
        )
    low, high = array if pair else array.T
    return low, high


def _level(level: object) -> float:
    if is_number(level) and 0 < level < 1:
        return float(level)
    raise ParameterError(
        f"level must be a number between 0 and 1, got {quoted(level)}. 0.9 is to hold nine truths of ten."
    )
