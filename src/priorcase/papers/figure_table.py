"""Printed figures with ours beside them."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from priorcase._typing import AnyArray
from priorcase.learning.results import Grid, GridResult

Number: TypeAlias = float | str | None
"""A figure: a number, or a word where the paper gives a word such as a class; None for none."""

Form: TypeAlias = int | str
"""How numbers are written: with as many decimals, or by a format such as ``".2g"``."""


@dataclass(frozen=True)
class Figure:
    """A figure of ours, with its standard error where it was measured more than once, and the printed one.

    Parameters
    ----------
    ours
        What we measured or calculated; None where we have none, as of an algorithm that is not in the library.
    theirs
        What is printed; None where the paper prints none.
    standard_error
        That of ours; NaN where there is none.
    digits
        How ours and the printed one are written where that differs from the rest of the table.
    """

    ours: Number
    theirs: Number = None
    standard_error: float = math.nan
    digits: tuple[Form, Form] | None = None

    def text(self, ours: Form, theirs: Form, *, difference: bool = False) -> str:
        """The figures as they are written, and ours less the printed one where that is asked for.

        Examples
        --------
        >>> Figure(38.24, 39.3, 0.361).text(1, 1), Figure(0.851, 0.85).text(3, 2)
        ('38.2 ± 0.4 (39.3)', '0.851 (0.85)')
        >>> Figure(38.24, 39.3, 0.361).text(1, 1, difference=True)
        '38.2 ± 0.4 (39.3, -1.1)'
        >>> Figure(38.24).text(1, 1), Figure(None, 95.5).text(1, 1), Figure(1.15e-9, 1.2e-9).text(".2g", ".2g")
        ('38.2', '(95.5)', '1.1e-09 (1.2e-09)')
        """
        ours, theirs = self.digits or (ours, theirs)
        error = "" if math.isnan(self.standard_error) else f" ± {written(self.standard_error, ours)}"
        mine = "" if self.ours is None else f"{written(self.ours, ours)}{error}"
        if self.theirs is None:
            return mine
        off = ""
        if difference and not math.isnan(self.difference) and isinstance(ours, int):
            off = f", {round(self.difference, ours) + 0.0:+.{ours}f}"  # 0.0 for -0.0
        return f"{mine} ({written(self.theirs, theirs)}{off})".lstrip()

    @property
    def difference(self) -> float:
        """Ours less the printed one; NaN where one of them is missing or a word."""
        if isinstance(self.ours, float | int) and isinstance(self.theirs, float | int):
            return self.ours - self.theirs
        return math.nan

    @property
    def value(self) -> float:
        """Ours as a number; NaN where it is none."""
        return float(self.ours) if isinstance(self.ours, float | int) else math.nan


@dataclass(frozen=True, eq=False, repr=False)
class FigureTable(GridResult):
    """A table of figures, one line for each data set or example; prints as ``ours ± standard error (printed)``.

    Parameters
    ----------
    title
        What the figures are.
    columns
        The title of each column.
    rows
        The figures of each line.
    digits
        Decimals of our figures, and of the printed ones; or formats such as ``".2g"``.
    differences
        Whether the difference of the two is printed with them.
    remarks
        A sentence for some lines, in a column of its own: why they differ, where in the paper they stand.

    Examples
    --------
    >>> rows = {"Iris": (Figure(93.0, 93.4, 0.1),), "Glass": (Figure(66.1),)}
    >>> FigureTable("right in percent", ("BIBL",), rows, digits=(1, 1), remarks={"Glass": "Not printed."})
    right in percent
                        BIBL  remark
      Iris   93.0 ± 0.1 (93.4)
      Glass              66.1  Not printed.
    """

    title: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[Figure, ...]]
    digits: tuple[Form, Form]
    differences: bool = False
    remarks: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, place: tuple[str, str]) -> Figure:
        row, column = place
        return self.rows[row][self.columns.index(column)]

    def __iter__(self) -> Iterator[Figure]:
        return (figure for figures in self.rows.values() for figure in figures)

    def tidy(self) -> dict[str, list[Any]]:
        """One line for each figure: the table, the line, the column, ours, its standard error, printed, difference."""
        found: dict[str, list[Any]] = {
            name: [] for name in ("table", "row", "column", "ours", "standard_error", "printed", "difference", "remark")
        }
        for row, figures in self.rows.items():
            for column, figure in zip(self.columns, figures, strict=True):
                printed = (figure.theirs, _or_none(figure.difference), self.remarks.get(row))
                line = (self.title, row, column, figure.ours, _or_none(figure.standard_error), *printed)
                for values, value in zip(found.values(), line, strict=True):
                    values.append(value)
        return found

    def frame(self) -> Any:
        """`tidy` as a frame of pandas, Polars or PyArrow, whichever is installed; else a dictionary of arrays."""
        from priorcase.learning.results import framed

        return framed(self.tidy(), None)

    def csv(self) -> str:
        """`tidy` as CSV."""
        return csv_text(self.tidy())

    def _grid(self) -> Grid:
        remarked = any(row in self.remarks for row in self.rows)
        lines = [
            [row, *(figure.text(*self.digits, difference=self.differences) for figure in figures)]
            + [self.remarks.get(row, "")] * remarked
            for row, figures in self.rows.items()
        ]
        header = ["", *self.columns, *["remark"] * remarked]
        return Grid(self.title, header, lines, right=range(1, 1 + len(self.columns)))


def written(value: float | str, form: Form) -> str:
    """A number with as many decimals or by a format; a word as it is.

    Examples
    --------
    >>> written(0.5738, 2), written(1.2e-9, ".1e"), written("No", 2)
    ('0.57', '1.2e-09', 'No')
    """
    if isinstance(value, str):
        return value
    return f"{value:.{form}f}" if isinstance(form, int) else format(value, form)


def csv_text(columns: Mapping[str, Sequence[Any] | AnyArray]) -> str:
    r"""Columns as CSV with a header; None is an empty field, numbers keep all their digits.

    Examples
    --------
    >>> csv_text({"x": [0.1, None], "name": ["a,b", "c"]})
    'x,name\n0.1,"a,b"\n,c\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    plain = (column.tolist() if isinstance(column, np.ndarray) else column for column in columns.values())
    writer.writerows(zip(*plain, strict=True))
    return text.getvalue()


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
