"""Curves as tables of texts: a line for each point, a column for each learner."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from priorcase._typing import FloatArray
from priorcase.evaluation.compare_table import gap_notes
from priorcase.learning.results import Grid, short

if TYPE_CHECKING:
    from priorcase.evaluation.curves import Curve

_NAME_WIDTH = 30
_REASON_WIDTH = 140
_MOST_LINES = 20
_LONGEST = 10


def curve_grids(curve: Curve) -> list[Grid]:
    """A table for each score; what failed stands below the last."""
    shown = _shown(curve.points.size)
    make = _grid_of_one if len(curve.learners) == 1 else _grid_of_several
    titles = [f"{score.name}{_of_whom(curve)}" for score in curve.scores]
    titles[0] += f": {_protocol(curve)}"
    notes = [""] * (len(titles) - 1) + ["\n  ".join(_notes(curve, shown))]
    return [
        make(curve, score.name, shown, title, note)
        for score, title, note in zip(curve.scores, titles, notes, strict=True)
    ]


def decimals(values: FloatArray) -> int:
    """How many decimals the numbers of a table have: four digits for the middle one by size, three below 1.

    Examples
    --------
    >>> [decimals(np.array(values)) for values in ([0.5, 1.0], [-12.3, np.inf], [0.0123, np.nan], [40000.0])]
    [3, 2, 4, 0]
    >>> decimals(np.array([-1.3e9, -0.6, -0.4]))
    3
    """
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    if not sizes.size:
        return 3
    middle = float(np.median(sizes))
    return min(max(3 - math.floor(math.log10(middle)) - (middle < 1), 0), 8)


def number_text(value: float, digits: int) -> str:
    """A number with some decimals, in short where that is long; a stroke where there is none.

    Examples
    --------
    >>> number_text(0.5, 3), number_text(-float("inf"), 3), number_text(float("nan"), 3), number_text(-1298059729.3, 3)
    ('0.500', '-inf', '-', '-1.3e+09')
    """
    text = f"{value:.{digits}f}"
    return "-" if math.isnan(value) else text if len(text) <= _LONGEST or not digits else f"{value:.3g}"


def point_text(point: float) -> str:
    """A number of rows or a level in words."""
    return str(point) if isinstance(point, int) else f"{point:g}"


def _grid_of_several(curve: Curve, score: str, shown: Sequence[int], title: str, note: str) -> Grid:
    means, errors = curve.mean(score), curve.standard_error(score)
    columns = [_mean_texts(mean, error, decimals(means)) for mean, error in zip(means, errors, strict=True)]
    lines = [[point_text(curve.points.tolist()[at]), *(column[at] for column in columns)] for at in shown]
    header = [curve.axis, *(short(name, _NAME_WIDTH) for name in curve.learners)]
    return Grid(title, header, lines, note, right=range(len(header)))


def _grid_of_one(curve: Curve, score: str, shown: Sequence[int], title: str, note: str) -> Grid:
    """One learner leaves room for the worst and the best repetition."""
    extremes = np.stack([curve.lowest(score)[0], curve.highest(score)[0]], axis=1)
    digits = decimals(extremes)
    means = _mean_texts(curve.mean(score)[0], curve.standard_error(score)[0], digits)
    lines = [
        [point_text(curve.points.tolist()[at]), means[at], *(number_text(value, digits) for value in extremes[at])]
        for at in shown
    ]
    return Grid(title, [curve.axis, "mean", "min", "max"], lines, note, right=range(4))


def _mean_texts(means: FloatArray, errors: FloatArray, digits: int) -> list[str]:
    """Means with their standard errors, where there are any, so that the decimal points stand in line."""
    texts = [number_text(mean, digits) for mean in means]
    if np.isnan(errors).all():
        return texts
    marks = ["" if np.isnan(error) else f" ± {number_text(error, digits)}" for error in errors]
    width = max(map(len, marks))
    return [text + mark.ljust(width) for text, mark in zip(texts, marks, strict=True)]


def _of_whom(curve: Curve) -> str:
    return f" of {short(curve.learners[0], 2 * _NAME_WIDTH)}" if len(curve.learners) == 1 else ""


def _protocol(curve: Curve) -> str:
    if curve.repeats == 1:
        return f"one repetition, {curve.protocol}"
    return f"mean ± usual standard error over {curve.repeats} repetitions, {curve.protocol}"


def _shown(points: int) -> list[int]:
    """Numbers of the points to print: all, or some at equal steps with the first and the last."""
    if points <= _MOST_LINES:
        return list(range(points))
    numbers = np.unique(np.linspace(0, points - 1, _MOST_LINES).round().astype(int))
    return [int(number) for number in numbers]


def _notes(curve: Curve, shown: Sequence[int]) -> list[str]:
    notes = []
    if len(shown) < curve.points.size:
        notes.append(f"{len(shown)} of {curve.points.size} points are shown; frame() has all")
    if not curve.complete:
        wanted = len(curve.learners) * curve.points.size * curve.repeats
        notes.append(f"not complete: interrupted after {len(curve.cells)} of {wanted} fits")
    for name, reason in curve.failures.items():
        cells = [cell for cell in curve.cells if cell.learner == name]
        failed = [cell for cell in cells if cell.failure]
        at = ", ".join(point_text(curve.points.tolist()[number]) for number in sorted({cell.split for cell in failed}))
        times = "" if len(failed) == len(cells) else f" {len(failed)} of {len(cells)} times (at {short(at, 40)})"
        notes.append(f"{short(name, _NAME_WIDTH)} failed{times}: {short(reason, _REASON_WIDTH)}")
    return notes + gap_notes(curve.cells, curve.learners, of="fits")
