"""Pictures of papers, drawn again: what is drawn, its numbers, and the files they become."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from priorcase._typing import AnyArray
from priorcase.learning.plotting import plot_style
from priorcase.papers.figure_table import csv_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture and the numbers in it.

    Parameters
    ----------
    name
        Name of its files, without an ending: ``figure-1``.
    caption
        What is to be seen, in a sentence or two.
    columns
        The plotted numbers, columns of one length.
    draw
        Draws on an empty figure of matplotlib. It must not use pyplot, which keeps figures alive.
    size
        Width and height in inches.
    """

    name: str
    caption: str
    columns: Mapping[str, Sequence[Any] | AnyArray]
    draw: Callable[[Canvas], None]
    size: tuple[float, float] = (7.0, 4.0)

    def csv(self) -> str:
        """The plotted numbers as CSV."""
        return csv_text(self.columns)

    def frame(self) -> Any:
        """The plotted numbers as a frame."""
        from priorcase.learning.results import framed

        return framed(self.columns, None)

    def figure(self) -> Canvas:
        """The picture as a figure of matplotlib, in the library's look."""
        with plot_style():
            from matplotlib.figure import Figure as Canvas

            figure = Canvas(figsize=self.size, layout="constrained")
            self.draw(figure)
        return figure

    def image(self, form: Literal["png", "pdf"]) -> bytes:
        """The picture as the content of a file; the same bytes every time."""
        file = io.BytesIO()
        dated: dict[str, Any] = {"CreationDate": None} if form == "pdf" else {"Software": None}
        self.figure().savefig(file, format=form, dpi=150, metadata=dated)
        return file.getvalue()
