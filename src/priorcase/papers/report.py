"""Printed figures with ours beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from priorcase.learning.grids import Grid, grid_markdown, grids_html, grids_text


@dataclass(frozen=True)
class Figure:
    """A figure of ours, with its standard error where it was measured more than once, and the printed one."""

    ours: float
    theirs: float
    standard_error: float = math.nan

    def text(self, ours: int, theirs: int, *, difference: bool = False) -> str:
        """The figures with as many decimals, and ours less the printed one where that is asked for.

        Examples
        --------
        >>> Figure(38.24, 39.3, 0.361).text(1, 1), Figure(0.851, 0.85).text(3, 2)
        ('38.2 ± 0.4 (39.3)', '0.851 (0.85)')
        >>> Figure(38.24, 39.3, 0.361).text(1, 1, difference=True)
        '38.2 ± 0.4 (39.3, -1.1)'
        """
        error = "" if math.isnan(self.standard_error) else f" ± {self.standard_error:.{ours}f}"
        off = f", {round(self.difference, ours) + 0.0:+.{ours}f}" if difference else ""  # 0.0 for -0.0
        return f"{self.ours:.{ours}f}{error} ({self.theirs:.{theirs}f}{off})"

    @property
    def difference(self) -> float:
        """Ours less the printed one."""
        return self.ours - self.theirs


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """A table of figures, one line for each data set; prints as ``ours ± standard error (printed)``.

    Parameters
    ----------
    title
        What the figures are.
    columns
        The title of each column.
    rows
        The figures of each data set.
    digits
        Decimals of our figures, and of the printed ones.
    differences
        Whether the difference of the two is printed with them.
    """

    title: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[Figure, ...]]
    digits: tuple[int, int]
    differences: bool = False

    def __getitem__(self, place: tuple[str, str]) -> Figure:
        row, column = place
        return self.rows[row][self.columns.index(column)]

    def __iter__(self) -> Iterator[Figure]:
        return (figure for figures in self.rows.values() for figure in figures)

    def __str__(self) -> str:
        return grids_text([self._grid()])

    __repr__ = __str__

    def markdown(self) -> str:
        """The table in Markdown, under its title."""
        return grid_markdown(self._grid())

    def _repr_html_(self) -> str:
        return grids_html([self._grid()])

    def _grid(self) -> Grid:
        lines = [
            [row, *(figure.text(*self.digits, difference=self.differences) for figure in figures)]
            for row, figures in self.rows.items()
        ]
        return Grid(self.title, ["", *self.columns], lines, right=range(1, 1 + len(self.columns)))


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """The tables of one paper, and what there is to know about them."""

    title: str
    tables: tuple[Comparison, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        notes = "\n".join(f"- {note}" for note in self.notes)
        return "\n\n".join([self.title, *map(str, self.tables), notes])

    __repr__ = __str__

    def markdown(self) -> str:
        """The report in Markdown."""
        notes = "\n".join(f"- {note}" for note in self.notes)
        return "\n\n".join([f"## {self.title}", *(table.markdown() for table in self.tables), notes]) + "\n"

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self.tables)
