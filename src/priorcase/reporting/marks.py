"""Small drawings for a line of a table: a histogram, a bar, a dot with an interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from priorcase.reporting.markup import text

__all__ = ["Scale", "bar", "histogram", "interval", "scale_of"]

_WIDEST = 18.0


@dataclass(frozen=True)
class Scale:
    """Where numbers lie on a line of so many pixels."""

    low: float
    high: float
    width: float = 180.0
    margin: float = 6.0

    def at(self, x: float) -> float:
        """The place of a number, at the end of the line where it is beyond."""
        span = self.high - self.low or 1.0
        share = min(max((x - self.low) / span, 0.0), 1.0)
        return self.margin + share * (self.width - 2 * self.margin)


def scale_of(means: Sequence[float], errors: Sequence[float], *, width: float = 180.0, zero: bool = False) -> Scale:
    """A scale on which all finite means lie with one standard error to each side."""
    finite = [
        (mean, error if math.isfinite(error) else 0.0)
        for mean, error in zip(means, errors, strict=True)
        if math.isfinite(mean)
    ]
    ends = [mean + sign * error for mean, error in finite for sign in (-1, 1)] + ([0.0] if zero else [])
    return Scale(min(ends, default=0.0), max(ends, default=1.0), width)


def histogram(counts: Sequence[int], *, words: str, width: int = 112, height: int = 26) -> str:
    """Rows by value, as bars."""
    if not counts:
        return ""
    step, top = min(width / len(counts), _WIDEST), max(max(counts), 1)
    gap = 1.0 if step > 3 else 0.0
    bars = "".join(
        f'<rect class="bar" x="{i * step:.1f}" y="{height - max(n / top * height, 1):.1f}" width="{step - gap:.1f}" '
        f'height="{max(n / top * height, 1):.1f}"/>'
        for i, n in enumerate(counts)
        if n
    )
    return _svg(width, height, words, bars)


def interval(mean: float, error: float, scale: Scale, *, reference: float | None, words: str, stressed: bool) -> str:
    """A dot with one standard error to each side, and a line where the reference lies."""
    height, middle = 18, 9
    parts = [f'<line class="grid" x1="{scale.margin}" y1="{middle}" x2="{scale.width - scale.margin}" y2="{middle}"/>']
    if reference is not None and math.isfinite(reference):
        at = scale.at(reference)
        parts.append(f'<line class="ideal" x1="{at:.1f}" y1="0" x2="{at:.1f}" y2="{height}"/>')
    if not math.isfinite(mean):
        parts.append(f'<text x="0" y="{middle + 4}">◂</text>')
    else:
        if math.isfinite(error):
            low, high = scale.at(mean - error), scale.at(mean + error)
            parts.append(f'<line class="whisker" x1="{low:.1f}" y1="{middle}" x2="{high:.1f}" y2="{middle}"/>')
        parts.append(f'<circle class="dot" cx="{scale.at(mean):.1f}" cy="{middle}" r="{5 if stressed else 4}"/>')
    return _svg(scale.width, height, words, f'<g class="{"" if stressed else "other"}">{"".join(parts)}</g>')


def bar(mean: float, error: float, scale: Scale, *, words: str) -> str:
    """A bar from zero with one standard error to each side of its end."""
    height, middle, zero, end = 16, 8, scale.at(0.0), scale.at(mean)
    left, width = min(zero, end), abs(end - zero)
    parts = [
        f'<line class="axis" x1="{zero:.1f}" y1="0" x2="{zero:.1f}" y2="{height}"/>',
        f'<rect class="bar" x="{left:.1f}" y="2" width="{width:.1f}" height="{height - 4}"/>',
        f'<line class="whisker" x1="{scale.at(mean - error):.1f}" y1="{middle}" x2="{scale.at(mean + error):.1f}" '
        f'y2="{middle}"/>',
    ]
    return _svg(scale.width, height, words, "".join(parts))


def _svg(width: float, height: float, words: str, content: str) -> str:
    named = f'role="img" aria-label="{text(words)}"' if words else 'aria-hidden="true"'
    return f'<svg {named} width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}">{content}</svg>'
