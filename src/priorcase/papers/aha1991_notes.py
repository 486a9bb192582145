"""What there is to know about the tables of Aha, Kibler & Albert 1991: which figures agree, and why some cannot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from priorcase.papers.figure_table import Figure, FigureTable

BESIDE = "Ours ± standard error (printed, difference)."
"""How the tables are to be read."""

POINTS = {"accuracy": 2.0, "storage": 4.0}
"""How far our figures may be from the printed ones, in points."""

BEYOND_REACH = (("Hungarian", "IB1"), ("Hungarian", "IB2"))
"""Cells that the paper's own words do not lead to."""

SYMBOLS = ", levels as symbols"
"""How the lines end in which levels are symbols."""

Cell = tuple[str, str, str, Figure]
"""Accuracy or storage, the line, the column, and the figure."""


def cells(tables: Sequence[FigureTable]) -> Iterator[Cell]:
    """All figures of some tables."""
    for table in tables:
        for row, figures in table.rows.items():
            for column, figure in zip(table.columns, figures, strict=True):
                if figure.ours is not None:
                    yield table.title.split()[0], row, column, figure


def judged(tables: Sequence[FigureTable]) -> list[Cell]:
    """The figures that should agree; tables of other settings come third and fourth."""
    return [cell for cell in cells(tables[:2]) if cell[1:3] not in BEYOND_REACH]


def notes(tables: Sequence[FigureTable], *, averages: str, full: Mapping[str, float]) -> tuple[str, ...]:
    """All notes; ``full`` is what IB3 keeps in percent of the training instances, by data set."""
    kept = ", ".join(f"{title} {share:.1f} %" for title, share in full.items())
    return (
        f"{BESIDE} {averages} Each deals all rows of a data set out at random into "
        "the paper's numbers of training and test rows; LED displays and waveforms are made anew. The paper's own "
        "standard errors fit about 50 trials.",
        "Storage is the share of training instances that predict. Of IB3 these are the acceptable ones, as in Table 6; "
        f"counted in full it keeps {kept}.",
        'IB3 accepts by one-sided 90 % bounds and drops by two-sided 75 % ones. The paper says "90 %" and "75 %"; with '
        "two-sided 90 % too few instances of LED and Tumor are ever accepted.",
        'Where several instances are nearest, they vote. The paper says no more than "some y with maximal similarity". '
        "LED's figures need the vote. Tumor's IB1 lies between the vote and the first of the tied; where levels are "
        "symbols it needs the latter.",
        "Columns have the kinds that the folder describes; ordered levels (two columns of Tumor, one of each heart "
        "data set) differ by their ranks, as everywhere in this library. The paper knows numbers and symbols only. "
        "Both readings had been measured when ranks were chosen, so that agreement is no proof that they are the "
        "paper's." + _symbols(tables),
        "Hungarian IB1 and IB2 cannot be reproduced by the similarity that the paper defines, though IB3's figures on "
        "the same rows agree with it. Without normalisation IB1 and IB2 come nearer to print, but IB3 falls far below "
        "it: no one reading gives the whole line. Their printed standard errors, twice those of other lines, speak of "
        "a mishap in some trials.",
        "C4, a decision tree, stands beside as printed: this library has no trees.",
        agreement(tables),
    )


def agreement(tables: Sequence[FigureTable]) -> str:
    """How many figures agree, and which do not."""
    figures = judged(tables)
    beyond = [cell for cell in figures if _is_beyond(cell)]
    within = f"{len(figures) - len(beyond)} of the {len(figures)} figures that should agree are within"
    text = f"{within} {POINTS['accuracy']:g} points of accuracy and {POINTS['storage']:g} of storage."
    return f"{text} Beyond: {_listed(beyond)}." if beyond else text


def _symbols(tables: Sequence[FigureTable]) -> str:
    """What the paper's two kinds would do to agreement."""
    lines = [cell for cell in cells(tables[2:]) if cell[1].endswith(SYMBOLS)]
    beyond = [
        cell for cell in lines if _is_beyond(cell) and (cell[1].removesuffix(SYMBOLS), cell[2]) not in BEYOND_REACH
    ]
    return f" With levels as symbols these are beyond the bars of the last note: {_listed(beyond)}." if beyond else ""


def _is_beyond(cell: Cell) -> bool:
    return abs(cell[3].difference) > POINTS[cell[0]]


def _listed(figures: Sequence[Cell]) -> str:
    return "; ".join(
        f"{row} {column}, {about}: {figure.text(1, 1, difference=True)}" for about, row, column, figure in figures
    )
