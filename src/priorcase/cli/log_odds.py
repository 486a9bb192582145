"""What speaks for a class, on a terminal: one line for each attribute, shares that add up to the log-odds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rich import box
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from priorcase.bayes.results import Contributions
from priorcase.learning.results import short, value_text

__all__ = ["LogOddsView"]

_ATTRIBUTES = 20
_TEXT_WIDTH = 18


@dataclass(frozen=True)
class LogOddsView:
    """The contributions to one answer as rich draws them, those that say most first.

    Parameters
    ----------
    one
        What to show, of a single query.
    heading
        What stands above.
    """

    one: Contributions
    heading: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield self.heading
        one = self.one
        predicted, versus = (_value(classes.tolist()[0]) for classes in (one.predicted, one.versus))
        table = Table(box=box.SIMPLE, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), show_footer=True)
        table.add_column("", Text("log-odds"), style="dim", footer_style="dim", no_wrap=True)
        table.add_column(Text("new case"), style="bold", no_wrap=True)
        table.add_column(Text(f"{predicted} against {versus}"), Text(_total(one)), justify="right")
        for name, value, share in _lines(one):
            table.add_row(Text(name), Text(value), _share(share, predicted, versus))
        yield table
        if note := one.note(0):
            yield Text(note, style="dim")


def _lines(one: Contributions) -> Iterator[tuple[str, str, float]]:
    """Name, value and share: the prior, the attributes that say most, and all others in one line."""
    prior, *shares = one.contributions[0].tolist()
    yield "prior", "", prior
    weight = np.where(np.isnan(shares), math.inf, np.abs(shares))
    order = np.argsort(-weight, kind="stable").tolist()
    for a in order[:_ATTRIBUTES]:
        yield short(str(one.names[a]), _TEXT_WIDTH), _value(one.queries[0][a]), shares[a]
    if rest := order[_ATTRIBUTES:]:
        yield f"{len(rest)} others", "", math.fsum(shares[a] for a in rest)


def _total(one: Contributions) -> str:
    if one.note(0):
        return "all impossible"
    total = one.total.tolist()[0]
    return f"{total:+.2f}" if math.isfinite(total) else "infinite"


def _share(share: float, predicted: str, versus: str) -> Text:
    if math.isnan(share):
        return Text("rules out both", style="bold magenta")
    style = "green" if share > 0 else "magenta"
    if math.isinf(share):
        return Text(f"rules out {versus if share > 0 else predicted}", style=f"bold {style}")
    return Text(f"{share:+.2f}", style=style) if share else Text("0")


def _value(value: object) -> str:
    return value_text(value, _TEXT_WIDTH)
