"""Render the report as one HTML page without scripts or external files; figures are inline SVG."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup, escape

from priorcase._numbers import equal_decimals, number
from priorcase.exceptions import visible
from priorcase.reporting import summary
from priorcase.reporting.formatting import chance, count, percent, seconds, unambiguous
from priorcase.reporting.predictions import TITLES, Calibration
from priorcase.reporting.table import is_option

if TYPE_CHECKING:
    from priorcase.reporting.table_report import Report

_MINUS = re.compile(r"(?<![\w.-])-(?=\d|inf\b)")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_SHORT = 24  # longer names can be wrapped
_MEANING = 4  # columns that describe a row
# Number of rows or columns shown at first in each section; the reader can expand the others.
_SHOWN = {"table": 60, "importance": 30, "explained": 8, "suspects": 8, "outliers": 5}


def page(report: Report) -> str:
    shown = {
        "table": "The table",
        "learners": "Comparison of learners",
        "calibration": "Calibration" if report.problem.classes else "Prediction errors",
        "importance": "Important columns",
        "explained": "Explained predictions",
        "suspects": f"Rows whose {report.problem.target} may be wrong",
        "outliers": "Unusual rows",
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
        "chance": chance,
        "count": count,
        "equal_decimals": equal_decimals,
        "is_option": is_option,
        "number": number,
        "percent": percent,
        "points": lambda change: "0" if abs(change) < 0.0005 else f"{100 * change:+.1f}",
        "seconds": seconds,
        "zip": lambda first, second: list(zip(first, second, strict=True)),
        "name_class": lambda name: "w" if len(name) <= _SHORT else "long",
    }
    functions = (axes_of, described, math.isfinite, math.sqrt, scale_of)
    environment.globals |= {function.__name__: function for function in functions}
    environment.globals |= {"say": summary, "titles": TITLES, "shown": _SHOWN}
    return environment.from_string(files("priorcase.reporting").joinpath("page.html.j2").read_text(encoding="utf-8"))


# -- text


def _finalize(shown: Any) -> Any:
    """Escape hidden characters, replace hyphens before numbers with minus signs, and add fixed spaces after ±."""
    if not isinstance(shown, str) or isinstance(shown, Markup):
        return shown
    return _MINUS.sub("\u2212", visible(shown)).replace("± ", "±\u00a0")


def bold(sentence: str) -> Markup:
    """Return a sentence as HTML with the parts between double asterisks in bold."""
    return Markup(_BOLD.sub(r"<strong>\1</strong>", str(escape(_finalize(sentence)))))


def described(report: Report, row: int) -> str:
    """Return the values of a row in the most important columns, as text."""
    columns = report.importance.columns[:_MEANING] if report.importance is not None else ()
    return ", ".join(unambiguous(f"{one.name} {report.problem.shown(one.name, row)}" for one in columns))


# -- scales of figures


@dataclass(frozen=True)
class Scale:
    """Linear scale from numbers to pixels, with tick labels."""

    low: float
    high: float
    first: float
    last: float
    labels: dict[float, str] = field(default_factory=dict)

    def at(self, x: float) -> float:
        """Return the pixel position of a number, clipped to the ends of the scale."""
        share = min(max((x - self.low) / ((self.high - self.low) or 1.0), 0.0), 1.0)
        return round(self.first + share * (self.last - self.first), 1)


def scale_of(pairs: Sequence[tuple[float, float]], width: float = 180.0, *, zero: bool = False) -> Scale:
    """Return a scale that covers each mean plus and minus its standard error; ``pairs`` contains both."""
    finite = [(mean, error if math.isfinite(error) else 0.0) for mean, error in pairs if math.isfinite(mean)]
    ends = [mean + sign * error for mean, error in finite for sign in (-1, 1)] + ([0.0] if zero else [])
    return Scale(min(ends, default=0.0), max(ends, default=1.0), 6.0, width - 6.0)


def axes_of(found: Calibration) -> tuple[Scale, Scale]:
    """Return the x and y scales of a calibration chart, which cover the same range."""
    numbers = [each for point in found.points for each in point]
    if numbers:
        steps = ticks(min(numbers), max(numbers))
        low, high = min(steps[0], *numbers), max(steps[-1], *numbers)
        labels = {step: number(step) for step in steps}
    else:
        low, high = 0.4 if all(one.low >= 0.45 and one.observed >= 0.4 for one in found.bins) else 0.0, 1.0
        labels = {step: f"{100 * step:.0f}%" for step in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0) if step >= low}
    return Scale(low, high, 58.0, 322.0, labels), Scale(low, high, 298.0, 18.0)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round tick values that cover the range from ``low`` to ``high``."""
    span = (high - low) or abs(high) or 1.0
    size = 10.0 ** math.floor(math.log10(span / (most - 1)))
    for factor in (1, 2, 5, 10, 20):
        step = size * factor
        first, last = math.floor(low / step), math.ceil(high / step)
        if last - first < most:
            break
    return [float(f"{n * step:.12g}") for n in range(first, last + 1)]
