"""How a choice of attributes came about, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import FloatArray, Name
from priorcase.exceptions import prefix_errors
from priorcase.learning.captions import captions
from priorcase.learning.frames import Backend, framed
from priorcase.learning.grids import Grid, GridResult
from priorcase.learning.plotting import colour, drawing
from priorcase.learning.targets import objects
from priorcase.learning.texts import short
from priorcase.selection.losses import Scoring
from priorcase.selection.steps import Step

_WIDTH = 30


@dataclass(frozen=True, repr=False, eq=False)
class SelectionHistory(GridResult):
    """The steps of a search for attributes; prints as a table, in terminals and notebooks.

    Parameters
    ----------
    steps
        The decisions in their order.
    names
        The attributes of the table.
    search
        How they were searched.
    scoring
        The score by which subsets were compared.
    unit
        What a loss of 1 is on its scale.
    backend
        The library whose frame the table was, or None.
    """

    steps: tuple[Step, ...]
    names: tuple[Name, ...]
    search: str
    scoring: Scoring
    unit: float
    backend: Backend | None = None

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def n_evaluations(self) -> int:
        """How many left-out rows were predicted."""
        return sum(step.evaluations for step in self.steps)

    @property
    def n_exhaustive(self) -> int:
        """How many that would have been, had every subset that was compared been tried on every row."""
        return sum(step.exhaustive for step in self.steps)

    @property
    def scores(self) -> FloatArray:
        """The leave-one-out score that decided each step, over the rows that were left out for it."""
        losses = np.array([step.loss for step in self.steps])
        return 1.0 - losses if self.scoring == "accuracy" else losses * self.unit

    def frame(self) -> Any:
        """One line for each step, in a frame of the library that the table was given in.

        Columns: ``step``; ``attribute``, None where no further attribute was worth it; ``kept``, whether it was taken
        rather than left out; ``n_attributes`` so far; the score by its name; ``rows`` it was taken on; ``compared``
        subsets; ``evaluations`` and ``exhaustive``, the left-out rows predicted and those that full leave-one-out would
        have predicted. For arrays and lists: in one of the library that is installed.
        """
        attributes = [None if step.attribute is None else self.names[step.attribute] for step in self.steps]
        columns = {
            "step": np.arange(1, len(self) + 1),
            "attribute": objects(attributes),
            "kept": np.array([step.kept for step in self.steps]),
            "n_attributes": np.array([len(step.subset) for step in self.steps]),
            self.scoring: self.scores,
            "rows": np.array([step.points for step in self.steps]),
            "compared": np.array([step.compared for step in self.steps]),
            "evaluations": np.array([step.evaluations for step in self.steps]),
            "exhaustive": np.array([step.exhaustive for step in self.steps]),
        }
        return framed(columns, self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Draw the score of each step, named by what it added or removed.

        Parameters
        ----------
        ax
            Axes of matplotlib; None for a figure of its own.
        """
        size = (max(6.0, 1.5 + 0.32 * len(self)), 4.0)
        with drawing(ax, size=size) as ax:
            places = np.arange(1, len(self) + 1)
            ax.plot(places, self.scores, color=colour(0), marker="o")
            labels = captions([self._change(step, whole=True) for step in self.steps])
            ax.set_xticks(places, labels, rotation=45, ha="right", rotation_mode="anchor")
            ax.set(ylabel=f"leave-one-out {self.scoring.replace('_', ' ')}", title=self._title())
            ax.grid(False, axis="x")
            return ax

    def _title(self) -> str:
        done, full = self.n_evaluations, self.n_exhaustive
        of = f"{done:,} evaluations" if done == full else f"{done:,} of {full:,} evaluations ({done / full:.0%})"
        return f"{self.search} selection by leave-one-out: {of}"

    def _grid(self) -> Grid:
        header = ["step", "change", "attributes", self.scoring, "rows", "compared", "evaluations"]
        lines = []
        for place, (step, score) in enumerate(zip(self.steps, self.scores.tolist(), strict=True), 1):
            counts = [f"{step.points:,}", f"{step.compared:,}", f"{step.evaluations:,}"]
            text = "-" if np.isnan(score) else f"{score:.4g}"
            lines.append([str(place), self._change(step), str(len(step.subset)), text, *counts])
        return Grid(self._title(), header, lines, right={0, 2, 3, 4, 5, 6})

    def _change(self, step: Step, *, whole: bool = False) -> str:
        if step.attribute is None:
            return "stop"
        name = str(self.names[step.attribute])
        return f"{'+' if step.kept else '-'} {name if whole else short(name, _WIDTH)}"
