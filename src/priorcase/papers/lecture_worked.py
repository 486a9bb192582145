"""A worked number: what a slide prints, and what the library computes in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from priorcase.papers.figure_table import Figure, FigureTable, Form


@dataclass(frozen=True)
class Worked:
    """A number of the lecture, or a class it predicts, and the library's.

    Parameters
    ----------
    name
        What it is, with the slide's own steps.
    ours
        The library's number or class.
    printed
        The slide's, as printed: ``"6/7"``, ``"0.0072"``, ``"1.2e-9"``; empty where it prints none.
    remark
        Why they differ, or what the number says.

    Examples
    --------
    >>> Worked("P(Income = 120 | No)", 0.0071923, "0.0072").agrees, Worked("P(X | No)", 0.002349, "0.0024").agrees
    (True, False)
    >>> Worked("P(Income = 120 | No)", 0.0071923, "0.0072").figure().text(4, 4, difference=True)
    '0.007192 (0.0072, -0.000008)'
    """

    name: str
    ours: float | str
    printed: str = ""
    remark: str = ""

    @property
    def theirs(self) -> float | str | None:
        """What is printed, as a number where it is one; None where nothing is."""
        if isinstance(self.ours, str):
            return self.printed or None
        return float(Fraction(self.printed)) if self.printed else None

    @property
    def agrees(self) -> bool:
        """Whether ours is the printed fraction, or rounds to the printed decimals; True where nothing is printed."""
        theirs = self.theirs
        if theirs is None or isinstance(theirs, str) or isinstance(self.ours, str):
            return theirs is None or theirs == self.ours
        if "/" in self.printed or theirs.is_integer():
            return abs(self.ours - theirs) < 1e-12
        unit = Decimal(1).scaleb(int(Decimal(self.printed).as_tuple().exponent))
        return Decimal(repr(self.ours)).quantize(unit) == Decimal(self.printed)

    def figure(self) -> Figure:
        """The two beside each other: ours with two more digits than a printed decimal."""
        return Figure(self.ours, self.theirs, digits=self._digits())

    def _digits(self) -> tuple[Form, Form]:
        if "e" in self.printed:
            return ".3e", ".1e"
        if "." in self.printed:
            decimals = len(self.printed.partition(".")[2])
            return decimals + 2, decimals
        if self.printed.isdigit():
            return 0, 0
        return (4, 4) if self.printed else (".4g", 4)


def worked_table(title: str, numbers: Sequence[Worked]) -> FigureTable:
    """Worked numbers as a table: ours, in brackets what is printed and the difference, and a remark where there is one.

    Examples
    --------
    >>> worked_table("value differences", [Worked("d(Yes, No)", 0.857142857, "6/7"), Worked("k", 3.0)])
    value differences
                  ours (slide, difference)
      d(Yes, No)  0.8571 (0.8571, +0.0000)
      k                                  3
    """
    rows = {number.name: (number.figure(),) for number in numbers}
    remarks = {number.name: number.remark for number in numbers if number.remark}
    column = "ours (slide, difference)" if any(number.printed for number in numbers) else "ours"
    return FigureTable(title, (column,), rows, digits=(4, 4), differences=True, remarks=remarks)
