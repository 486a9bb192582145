"""The report as one HTML page without scripts or external files; figures are inline SVG."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup, escape

from priorcase.reporting import summary
from priorcase.reporting.comparison import Compared, Standing
from priorcase.reporting.formatting import count, number, percent, seconds, value, visible
from priorcase.reporting.predictions import Calibration
from priorcase.reporting.table import ColumnSummary

if TYPE_CHECKING:
    from priorcase.reporting.table_report import Report

_MINUS = re.compile(r"(?<![\w.-])-(?=\d|infinity)")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_SHORT = 24  # longer names may be broken
_WIDEST_BAR = 18.0
_SIZE, _LEFT, _BOTTOM, _TOP = 340.0, 58.0, 42.0, 18.0  # of a chart, and of its margins
_MEANING = 4  # columns that describe a row
TITLES = {
    "clear": "A clear case",
    "doubtful": "A doubtful case",
    "wrong": "A wrong prediction",
    "close": "A close prediction",
    "typical": "A typical error",
    "far off": "A large error",
}


def page(report: Report) -> str:
    """The whole page."""
    shown = {
        "table": "The table",
        "learners": "Comparison of learners",
        "calibration": "Calibration" if report.problem.classes else "Prediction errors",
        "importance": "Important columns",
        "explained": "Explained predictions",
        "suspects": f"Rows whose {report.problem.target} may be wrong",
        "oddities": "Unusual rows",
        "next_steps": "Next steps",
    }
    parts = {"table": True, "learners": True, "next_steps": report.next_steps.python}
    sections = {name: title for name, title in shown.items() if parts.get(name, getattr(report, name, None))}
    title = report.compared[-1].title(report.verdict.chosen)
    return _template().render(report=report, sections=sections, classes=report.problem.classes, title=title)


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, finalize=_finalize, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "bold": bold,
        "code": lambda lines: Markup("\n").join(visible(line) for line in lines),
        "count": count,
        "number": number,
        "percent": percent,
        "points": lambda change: "0" if abs(change) < 0.0005 else f"{100 * change:+.1f}",
        "seconds": seconds,
        "name_class": lambda name: "w" if len(name) <= _SHORT else "long",
    }
    figures = (calibration_chart, column_bar, histogram, scale_of, scatter_chart, score_line)
    functions = (*figures, amounts, described, number, rarer, score_cell)
    environment.globals |= {function.__name__: function for function in functions}
    environment.globals |= {"say": summary, "titles": TITLES}
    return environment.from_string(files("priorcase.reporting").joinpath("page.html.j2").read_text(encoding="utf-8"))


# -- text


def _finalize(shown: Any) -> Any:
    """Text without hidden characters, with true minus signs, and with units on the line of their numbers."""
    if not isinstance(shown, str) or isinstance(shown, Markup):
        return shown
    return _MINUS.sub("\u2212", visible(shown)).replace("± ", "±\u00a0").replace(" %", "\u00a0%")


def bold(sentence: str) -> Markup:
    """A sentence with what is between double asterisks in bold."""
    return Markup(_BOLD.sub(r"<strong>\1</strong>", str(escape(_finalize(sentence)))))


def amounts(column: ColumnSummary) -> str:
    """The least number, the median and the greatest."""
    numbers = (column.low, column.median, column.high)
    return " … ".join(f"{x:,.0f}" if 1000 <= abs(x) < 1e15 else f"{x:.4g}" for x in numbers if x is not None)


def described(report: Report, row: int) -> str:
    """The values of a row in the most important columns."""
    columns = report.importance.columns[:_MEANING] if report.importance is not None else ()
    return ", ".join(f"{one.name} {value(report.problem.X[one.name][row])}" for one in columns)


def rarer(nats: float, rows: int) -> str:
    """How many times less likely, no more than the rows of the model can tell."""
    if nats > math.log(rows):
        return f"more than {rows:,} times"
    times = math.exp(max(nats, 0.0))
    return f"{times:.1f} times" if times < 10 else f"{number(times, 2)} times"


def score_cell(name: str, mean: float, error: float) -> Markup:
    """A mean score with its standard error in grey."""
    shown, sign, off = summary.score_text(name, mean, error).partition(" ± ")
    return Markup('{} <span class="quiet">{}</span>').format(_finalize(shown), _finalize(sign.lstrip() + off))


# -- figures


@dataclass(frozen=True)
class Scale:
    """Where numbers are on a line of so many pixels."""

    low: float
    high: float
    width: float = 180.0
    margin: float = 6.0

    def at(self, x: float) -> float:
        """The place of a number; the nearer end of the line for a number beyond it."""
        share = min(max((x - self.low) / ((self.high - self.low) or 1.0), 0.0), 1.0)
        return self.margin + share * (self.width - 2 * self.margin)


def scale_of(pairs: Sequence[tuple[float, float]], *, width: float = 180.0, zero: bool = False) -> Scale:
    """A scale for all finite means with one standard error to each side."""
    finite = [(mean, error if math.isfinite(error) else 0.0) for mean, error in pairs if math.isfinite(mean)]
    ends = [mean + sign * error for mean, error in finite for sign in (-1, 1)] + ([0.0] if zero else [])
    return Scale(min(ends, default=0.0), max(ends, default=1.0), width)


def histogram(counts: Sequence[int], words: str, *, width: int = 112, height: int = 26) -> Markup:
    """Rows by value, as bars."""
    if not counts:
        return Markup("")
    step, top = min(width / len(counts), _WIDEST_BAR), max(*counts, 1)
    wide = step - (1.0 if step > 3 else 0.0)
    heights = [max(n / top * height, 1.0) for n in counts]
    bars = [
        f'<rect class="bar" x="{i * step:.1f}" y="{height - tall:.1f}" width="{wide:.1f}" height="{tall:.1f}"/>'
        for i, (n, tall) in enumerate(zip(counts, heights, strict=True))
        if n
    ]
    return _svg(width, height, words, bars)


def score_line(one: Standing, compared: Compared, by: str, *, stressed: bool) -> Markup:
    """A learner's score beside the baseline's."""
    baseline = compared.baseline
    reference = None if baseline is None else baseline.scores[by][0]
    scale = scale_of([each.scores[by] for each in compared.measured])
    mean, error = one.scores[by]
    return interval(mean, error, scale, reference=reference, words=f"{one.title}: {number(mean)}", stressed=stressed)


def interval(mean: float, error: float, scale: Scale, *, reference: float | None, words: str, stressed: bool) -> Markup:
    """A dot with one standard error to each side, and a line where the reference is."""
    height, middle = 18, 9
    parts = [_line("grid", scale.margin, middle, scale.width - scale.margin, middle)]
    if reference is not None and math.isfinite(reference):
        parts.append(_line("ideal", scale.at(reference), 0, scale.at(reference), height))
    if not math.isfinite(mean):
        parts.append(f'<text x="0" y="{middle + 4}">◂</text>')
    else:
        if math.isfinite(error):
            parts.append(_line("whisker", scale.at(mean - error), middle, scale.at(mean + error), middle))
        parts.append(f'<circle class="dot" cx="{scale.at(mean):.1f}" cy="{middle}" r="{5 if stressed else 4}"/>')
    return _svg(scale.width, height, words, [f'<g class="{"" if stressed else "other"}">', *parts, "</g>"])


def column_bar(mean: float, error: float, scale: Scale, words: str) -> Markup:
    """A bar from zero with one standard error to each side of its end."""
    height, middle, zero, end = 16, 8, scale.at(0.0), scale.at(mean)
    bar = f'<rect class="bar" x="{min(zero, end):.1f}" y="2" width="{abs(end - zero):.1f}" height="{height - 4}"/>'
    whisker = _line("whisker", scale.at(mean - error), middle, scale.at(mean + error), middle)
    return _svg(scale.width, height, words, [_line("axis", zero, 0, zero, height), bar, whisker])


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _svg(width: float, height: float, words: str, parts: Sequence[str]) -> Markup:
    named = Markup('role="img" aria-label="{}"').format(_finalize(words)) if words else Markup('aria-hidden="true"')
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    return Markup(f"<svg {named} {size}>{''.join(parts)}</svg>")


# -- charts


def calibration_chart(found: Calibration, words: str) -> Markup:
    """A dot for each bin of probability, larger for more rows, and the diagonal of perfect calibration."""
    most = max((one.rows for one in found.bins), default=1)
    low = 0.4 if all(one.low >= 0.45 and one.observed >= 0.4 for one in found.bins) else 0.0
    axis = _Axis(low, 1.0)
    dots = [
        f'<circle class="dot" cx="{axis.x(one.predicted):.1f}" cy="{axis.y(one.observed):.1f}" '
        f'r="{2.5 + 6.5 * math.sqrt(one.rows / most):.1f}"><title>{one.rows} rows</title></circle>'
        for one in found.bins
    ]
    steps = {step: f"{100 * step:.0f} %" for step in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0) if step >= low}
    return axis.framed(dots, steps, "predicted probability", "observed frequency", words)


def scatter_chart(found: Calibration, target: str, words: str) -> Markup:
    """Predicted and true numbers of some rows, and the diagonal on which they would be equal."""
    numbers = [each for point in found.points for each in point]
    steps = ticks(min(numbers), max(numbers))
    axis = _Axis(min(steps[0], *numbers), max(steps[-1], *numbers))
    rings = [f'<circle class="ring" cx="{axis.x(x):.1f}" cy="{axis.y(y):.1f}" r="3"/>' for x, y in found.points]
    labels = {step: f"{step:,.6g}" for step in steps}
    return axis.framed(rings, labels, f"predicted {target}", f"true {target}", words)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from below one number to above another."""
    span = (high - low) or abs(high) or 1.0
    size = 10.0 ** math.floor(math.log10(span / (most - 1)))
    for factor in (1, 2, 5, 10, 20):
        step = size * factor
        first, last = math.floor(low / step), math.ceil(high / step)
        if last - first < most:
            break
    return [float(f"{n * step:.12g}") for n in range(first, last + 1)]


@dataclass(frozen=True)
class _Axis:
    """The same axis across and up."""

    low: float
    high: float

    def x(self, number: float) -> float:
        return _LEFT + (number - self.low) / (self.high - self.low) * (_SIZE - _TOP - _LEFT)

    def y(self, number: float) -> float:
        return _SIZE - _BOTTOM - (number - self.low) / (self.high - self.low) * (_SIZE - _BOTTOM - _TOP)

    def framed(self, marks: Sequence[str], steps: dict[float, str], across: str, up: str, words: str) -> Markup:
        """The marks with a grid, labels and the diagonal."""
        parts = []
        for step, label in steps.items():
            x, y = self.x(step), self.y(step)
            parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{_SIZE - _TOP}M{x:.1f} {_TOP}V{_SIZE - _BOTTOM}"/>')
            parts.append(_label(_LEFT - 6, y + 4, label, 'text-anchor="end"'))
            parts.append(_label(x, _SIZE - _BOTTOM + 16, label))
        first, last = (f"{self.x(end):.1f} {self.y(end):.1f}" for end in (self.low, self.high))
        parts.append(f'<path class="ideal" d="M{first}L{last}"/>')
        parts.append(_label((_LEFT + _SIZE - _TOP) / 2, _SIZE - 6, across))
        middle = (_TOP + _SIZE - _BOTTOM) / 2
        turned = f'text-anchor="middle" transform="rotate(-90 12 {middle:.1f})"'
        return _svg(_SIZE, _SIZE, words, [*parts, _label(12, middle, up, turned), *marks])


def _label(x: float, y: float, words: str, how: str = 'text-anchor="middle"') -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {how}>{escape(_finalize(words))}</text>'
