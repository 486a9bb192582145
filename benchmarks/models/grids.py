"""Tables of strings, for a terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.models.measuring import Score
from priorcase._numbers import fixed
from priorcase.learning import results as grids


@dataclass(frozen=True)
class Grid:
    """A table with a title, column titles and lines. The first ``left`` columns are left-aligned."""

    title: str
    columns: Sequence[str]
    lines: Sequence[Sequence[str]]
    left: int = 1

    def plain(self) -> str:
        """For a terminal."""
        return grids.grids_text([self._grid([[cell.replace("*", "") for cell in line] for line in self.lines])])

    def markdown(self) -> str:
        """For a document."""
        return grids.grid_markdown(self._grid(self.lines))

    def _grid(self, lines: Sequence[Sequence[str]]) -> grids.Grid:
        return grids.Grid(self.title, self.columns, lines, right=range(self.left, len(self.columns)))


def figure(value: float) -> str:
    """Format a score with three decimals, or with none if it is huge.

    >>> figure(-0.4567), figure(-123456.0), figure(float("-inf"))
    ('-0.457', '-123,456', '-inf')
    """
    return fixed(value, 0 if abs(value) >= 1_000 else 3)


def by_model(
    title: str,
    scores: Mapping[str, Mapping[str, Score]],
    of: Callable[[Score], float],
    text: Callable[[float], str] = figure,
) -> Grid:
    """Return a table with a line per model and a column per data set, the best score of each column in bold."""
    best = {name: text(max(map(of, found.values()))) for name, found in scores.items()}
    models = next(iter(scores.values()))
    lines = []
    for model in models:
        cells = {name: text(of(found[model])) for name, found in scores.items()}
        lines.append([model, *(f"**{cell}**" if cell == best[name] else cell for name, cell in cells.items())])
    return Grid(title, ("", *scores), lines)
