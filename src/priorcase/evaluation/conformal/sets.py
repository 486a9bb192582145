"""Sets of classes, one for each query, that print themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, BoolArray, FloatArray, IdArray, Value
from priorcase.datasets.columns import Backend
from priorcase.evaluation.checks import check_frame
from priorcase.exceptions import TargetError, prefix_errors
from priorcase.learning.plotting import colour, drawing
from priorcase.learning.results import Grid, PerQuery, framed, grid_markdown, grids_html, grids_text, rest_text, short
from priorcase.learning.targets import read_labels

_SHOWN = 20
_WIDTH = 60


@dataclass(frozen=True, repr=False, eq=False)
class PredictionSets(PerQuery):
    """The classes that each query may be of; prints as a table, and is cut like a list: ``sets[0]``, ``sets[:5]``.

    Parameters
    ----------
    classes
        All classes.
    inside
        Whether a class is in a query's set, shape (queries, classes).
    p_values
        The p-value of each class, shape (queries, classes): the part of all rows, the query counted among them, that
        look as strange as the query would with that class.
    level
        ``1 - alpha``: a class is inside whose p-value is above alpha.
    numbers
        Each query's number among all that were asked.
    """

    classes: AnyArray
    inside: BoolArray
    p_values: FloatArray
    level: float
    numbers: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.inside)

    @property
    def sizes(self) -> IdArray:
        """How many classes each set holds."""
        found: IdArray = self.inside.sum(axis=1)
        return found

    @property
    def labels(self) -> list[list[Value]]:
        """The classes of each set, the most plausible first; equals in the order of ``classes``."""
        return [[label for label, _ in self._plausible(query)] for query in range(len(self))]

    def holds(self, y: Any) -> BoolArray:
        """Whether each query's true class is in its set; a class that was never met is in none.

        Parameters
        ----------
        y
            The true class of each query.
        """
        truth = read_labels(y).values
        if truth.shape[1] != 1:
            raise TargetError(
                f"got y with {truth.shape[1]} columns; expected one class for each row. Fit one model for each target."
            )
        if len(truth) != len(self):
            raise TargetError(
                f"Found input variables with inconsistent numbers of samples: X has {len(self)} and y has "
                f"{len(truth)}. Pass one entry of y for each row of X."
            )
        found: BoolArray = (self.inside & (truth == self.classes)).any(axis=1)
        return found

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each query and class: ``query``, ``class``, ``p_value``, ``inside``.

        Parameters
        ----------
        backend
            The library whose frame to return: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None: the first of them
            that is installed; a dictionary of arrays where none is.
        """
        check_frame(backend)
        columns = {
            "query": np.repeat(np.array(self.numbers, dtype=np.int64), self.classes.size),
            "class": np.tile(self.classes, len(self)),
            "p_value": self.p_values.ravel(),
            "inside": self.inside.ravel(),
        }
        return framed(columns, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """How many sets hold no class, one, two and so on, as bars up to the largest; returns the axes.

        Parameters
        ----------
        ax
            Axes of matplotlib to draw on; None for a figure of its own.
        """
        sizes = np.arange(min(self.classes.size, int(self.sizes.max(initial=0)) + 1) + 1)
        with drawing(ax) as ax:
            from matplotlib.ticker import MaxNLocator

            bars = ax.bar(sizes, np.bincount(self.sizes, minlength=sizes.size), color=colour(0), width=0.6)
            ax.bar_label(bars, padding=2, fontsize=8.5)
            ax.grid(axis="x", visible=False)
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_locator(MaxNLocator(integer=True))
            ax.set_xlabel("classes in the set")
            ax.set_ylabel("queries")
            ax.set_title(f"Prediction sets at level {self.level:g}: {len(self)} queries")
            return ax

    def markdown(self) -> str:
        """The table that it prints, in Markdown."""
        return "\n\n".join(filter(None, [grid_markdown(self._grid()), rest_text(_SHOWN, len(self))]))

    def __str__(self) -> str:
        return grids_text([self._grid()], rest_text(_SHOWN, len(self)))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grids_html([self._grid()], rest_text(_SHOWN, len(self)))

    def _taken(self, at: list[int]) -> PredictionSets:
        numbers = tuple(self.numbers[i] for i in at)
        return PredictionSets(self.classes, self.inside[at], self.p_values[at], self.level, numbers)

    def _grid(self) -> Grid:
        of_queries = "1 query" if len(self) == 1 else f"{len(self)} queries"
        title = f"prediction sets at level {self.level:g}: {of_queries}, {self.sizes.mean():.2f} classes on average"
        lines = []
        for query in range(min(len(self), _SHOWN)):
            inside = self._plausible(query)
            names = ", ".join(f"{label} ({p:.2g})" for label, p in inside)
            lines.append([str(self.numbers[query]), str(len(inside)), short(names, _WIDTH) or "-"])
        return Grid(title, ("query", "size", "classes (p-value)"), lines, right={0, 1})

    def _plausible(self, query: int) -> list[tuple[Value, float]]:
        """The classes of one set with their p-values, the most plausible first."""
        order = np.argsort(-self.p_values[query], kind="stable")
        kept = order[self.inside[query, order]]
        return list(zip(self.classes[kept].tolist(), self.p_values[query, kept].tolist(), strict=True))
