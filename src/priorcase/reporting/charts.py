"""Drawings of their own: predictions against what came true. Inline SVG, so that they follow the reader's colours."""

from __future__ import annotations

import math
from collections.abc import Sequence

from priorcase.reporting.calibrating import Calibration
from priorcase.reporting.markup import text

__all__ = ["calibration_chart", "scatter_chart", "ticks"]

_SIZE, _LEFT, _BOTTOM, _TOP = 340.0, 58.0, 42.0, 18.0


def calibration_chart(calibration: Calibration, words: str) -> str:
    """For each bin of probability a dot, as large as it has rows, and the line on which honest probabilities lie."""
    most = max((one.rows for one in calibration.bins), default=1)
    low = 0.0 if min((one.low for one in calibration.bins), default=0.0) < 0.45 else 0.4
    if any(one.came < low for one in calibration.bins):
        low = 0.0
    marks = "".join(
        f'<circle class="dot" cx="{_x(one.said, low, 1.0):.1f}" cy="{_y(one.came, low, 1.0):.1f}" '
        f'r="{2.5 + 6.5 * math.sqrt(one.rows / most):.1f}"><title>{one.rows} rows</title></circle>'
        for one in calibration.bins
    )
    steps = [step for step in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0) if step >= low]
    labels = [f"{100 * step:.0f} %" for step in steps]
    return _framed(marks, steps, labels, low, 1.0, "said", "came true", words)


def scatter_chart(calibration: Calibration, target: str, words: str) -> str:
    """Predicted and true numbers of some rows, and the line on which they would be equal."""
    values = [value for point in calibration.points for value in point]
    steps = ticks(min(values), max(values))
    low, high = min(steps[0], min(values)), max(steps[-1], max(values))
    marks = "".join(
        f'<circle class="ring" cx="{_x(said, low, high):.1f}" cy="{_y(came, low, high):.1f}" r="3"/>'
        for said, came in calibration.points
    )
    labels = [f"{step:,.6g}" for step in steps]
    return _framed(marks, steps, labels, low, high, f"predicted {target}", f"true {target}", words)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from below one number to above another.

    Examples
    --------
    >>> ticks(9.0, 46.6), ticks(0.013, 0.087)
    ([0.0, 10.0, 20.0, 30.0, 40.0, 50.0], [0.0, 0.02, 0.04, 0.06, 0.08, 0.1])
    """
    span = (high - low) or abs(high) or 1.0
    size = 10.0 ** math.floor(math.log10(span / (most - 1)))
    for factor in (1, 2, 5, 10, 20):
        step = size * factor
        first, last = math.floor(low / step), math.ceil(high / step)
        if last - first < most:
            break
    return [float(f"{n * step:.12g}") for n in range(first, last + 1)]


def _framed(
    marks: str, steps: Sequence[float], labels: Sequence[str], low: float, high: float, across: str, up: str, words: str
) -> str:
    """The marks in a square with the same steps on both axes and the line of equals."""
    parts = []
    for step, label in zip(steps, labels, strict=True):
        x, y = _x(step, low, high), _y(step, low, high)
        parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{_SIZE - _TOP}M{x:.1f} {_TOP}V{_SIZE - _BOTTOM}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text(label)}</text>')
        parts.append(f'<text x="{x:.1f}" y="{_SIZE - _BOTTOM + 16}" text-anchor="middle">{text(label)}</text>')
    first, last = (_x(low, low, high), _y(low, low, high)), (_x(high, low, high), _y(high, low, high))
    parts.append(f'<path class="ideal" d="M{first[0]:.1f} {first[1]:.1f}L{last[0]:.1f} {last[1]:.1f}"/>')
    middle = (_LEFT + _SIZE - _TOP) / 2
    parts.append(f'<text x="{middle:.1f}" y="{_SIZE - 6}" text-anchor="middle">{text(across)}</text>')
    height = (_TOP + _SIZE - _BOTTOM) / 2
    turned = f'transform="rotate(-90 12 {height:.1f})"'
    parts.append(f'<text x="12" y="{height:.1f}" text-anchor="middle" {turned}>{text(up)}</text>')
    size = f'width="{_SIZE:g}" height="{_SIZE:g}" viewBox="0 0 {_SIZE:g} {_SIZE:g}"'
    return f'<svg role="img" aria-label="{text(words)}" {size}>{"".join(parts)}{marks}</svg>'


def _x(value: float, low: float, high: float) -> float:
    return _LEFT + (value - low) / (high - low) * (_SIZE - _TOP - _LEFT)


def _y(value: float, low: float, high: float) -> float:
    return _SIZE - _BOTTOM - (value - low) / (high - low) * (_SIZE - _BOTTOM - _TOP)
