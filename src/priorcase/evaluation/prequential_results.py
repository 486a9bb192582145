"""What came of streams whose rows were asked about before they were learned: scores so far, and of the last rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from priorcase._parameters import is_whole
from priorcase._typing import FloatArray, IntArray
from priorcase.datasets.columns import Backend
from priorcase.evaluation.checks import check_choice, check_frame
from priorcase.evaluation.curves_plot import draw_curves
from priorcase.evaluation.curves_table import decimals, number_text
from priorcase.evaluation.scoring import Score
from priorcase.exceptions import ParameterError, prefix_errors, quoted
from priorcase.learning.plotting import drawing
from priorcase.learning.results import Grid, framed, grid_markdown, grids_html, grids_text, short

__all__ = ["PrequentialCurve"]

_LINES = 10
_NAME_WIDTH = 30


@dataclass(frozen=True, repr=False, eq=False)
class PrequentialCurve:
    """Scores of several learners along one stream; prints as a table for each score.

    Parameters
    ----------
    learners
        Their names, in the order given.
    scores
        The scores, all of them means over rows or roots of such.
    start
        How many rows were learned before the first was asked about.
    losses
        What each row adds to each score, shape (learners, scores, rows asked about); NaN where there is none.
    window
        Over how many of the last rows the scores are also taken; None for over all so far alone.
    failures
        Why a learner failed, by its name.
    reasons
        Why a learner has no score, by both their names.
    complete
        Whether every learner was finished; False after Ctrl-C.
    """

    learners: tuple[str, ...]
    scores: tuple[Score, ...]
    start: int
    losses: FloatArray
    window: int | None = None
    failures: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[tuple[str, str], str] = field(default_factory=dict)
    complete: bool = True

    def __len__(self) -> int:
        """How many rows were asked about."""
        return int(self.losses.shape[2])

    # -- numbers

    def so_far(self, score: str | None = None) -> FloatArray:
        """A score of all answers up to each row, shape (learners, rows asked about).

        Parameters
        ----------
        score
            Its name; None for the first.
        """
        chosen = self.score(score)
        sums = np.cumsum(self._losses(chosen), axis=1)
        return _rooted(chosen, sums / np.arange(1, len(self) + 1))

    def windowed(self, score: str | None = None, window: int | None = None) -> FloatArray:
        """A score of the last answers at each row, shape (learners, rows asked about); NaN before there are enough.

        Parameters
        ----------
        score
            Its name; None for the first.
        window
            How many of the last answers; None for the window of the curve.
        """
        chosen, wide = self.score(score), self._window(window)
        losses = self._losses(chosen)
        found = np.full(losses.shape, np.nan)
        # Not by differences of sums: a single infinite loss would spoil all that follow.
        found[:, wide - 1 :] = np.lib.stride_tricks.sliding_window_view(losses, wide, axis=1).mean(axis=2)
        return _rooted(chosen, found)

    def final(self, score: str | None = None) -> dict[str, float]:
        """A score of all answers together, for each learner."""
        return dict(zip(self.learners, self.so_far(score)[:, -1].tolist(), strict=True))

    def score(self, name: str | None = None) -> Score:
        """One of the scores by its name; the first for None."""
        return self.scores[self._at(name)]

    # -- words and pictures

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each learner, score and row asked about: ``learner``, ``row``, ``score``, ``value``, ``so_far``.

        ``row`` is the position in the stream, ``value`` what the row adds. With a window ``windowed`` as well.

        Parameters
        ----------
        backend
            The library whose frame to return: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None: the first of them
            that is installed; a dictionary of arrays where none is.
        """
        check_frame(backend)
        names = [score.name for score in self.scores]
        blocks = [(learner, name) for name in names for learner in self.learners]
        columns: dict[str, Any] = {
            "learner": [learner for learner, _ in blocks for _ in range(len(self))],
            "row": np.tile(np.arange(self.start, self.start + len(self)), len(blocks)),
            "score": [name for _, name in blocks for _ in range(len(self))],
            "value": np.concatenate([self._losses(score).ravel() for score in self.scores]),
            "so_far": np.concatenate([self.so_far(name).ravel() for name in names]),
        }
        if self.window is not None:
            columns["windowed"] = np.concatenate([self.windowed(name).ravel() for name in names])
        return framed(columns, backend)

    @prefix_errors
    def plot(self, score: str | None = None, ax: Any = None) -> Any:
        """The score against the rows seen: of the last rows where there is a window, of all so far otherwise.

        Parameters
        ----------
        score
            Its name; None for the first.
        ax
            Axes of matplotlib; None for a figure of its own.
        """
        chosen = self.score(score)
        lines = self.so_far(chosen.name) if self.window is None else self.windowed(chosen.name)
        with drawing(ax) as ax:
            draw_curves(ax, self.learners, self._seen(), lines, None)
            ax.set_xlabel("rows seen")
            ax.set_ylabel(f"{chosen.name} {'so far' if self.window is None else f'of the last {self.window} rows'}")
            return ax

    def markdown(self) -> str:
        """The tables in Markdown."""
        return "\n\n".join(map(grid_markdown, self._grids()))

    def __str__(self) -> str:
        return grids_text(self._grids())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grids_html(self._grids())

    # -- inside

    def _at(self, name: str | None) -> int:
        if name is None:
            return 0
        names = tuple(score.name for score in self.scores)
        check_choice("score", name, names, hint="The attribute scores has all.")
        return names.index(name)

    def _losses(self, score: Score) -> FloatArray:
        return self.losses[:, self._at(score.name)]

    def _window(self, window: int | None) -> int:
        wide = self.window if window is None else window
        if is_whole(wide) and 1 <= wide <= len(self):
            return int(wide)
        remedy = "The curve was made without one: say how many." if wide is None else "100 is usual for long streams."
        raise ParameterError(
            f"window must be a number of rows from 1 to {len(self)}, which were asked about, got {quoted(wide)}. "
            f"{remedy}"
        )

    def _seen(self) -> IntArray:
        return np.arange(self.start + 1, self.start + len(self) + 1)

    def _grids(self) -> list[Grid]:
        whole = f"{len(self)} rows asked about before they were learned, after {self.start} that were only learned"
        grids = []
        for number, score in enumerate(self.scores):
            title = f"{score.name} so far" + (f": {whole}" if number == 0 else "")
            grids.append(self._grid(title, self.so_far(score.name)))
            if self.window is not None:
                title = f"{score.name} of the last {self.window} rows"
                grids.append(self._grid(title, self.windowed(score.name)))
        last = grids[-1]
        return [*grids[:-1], Grid(last.title, last.header, last.lines, "\n  ".join(self._notes()), last.right)]

    def _grid(self, title: str, numbers: FloatArray) -> Grid:
        digits = decimals(numbers)
        at = np.unique(np.linspace(0, len(self) - 1, _LINES + 1).round().astype(int)[1:])
        lines = [[str(self._seen()[i]), *(number_text(row[i], digits) for row in numbers)] for i in at.tolist()]
        header = ["rows seen", *(short(name, _NAME_WIDTH) for name in self.learners)]
        return Grid(title, header, lines, right=range(len(header)))

    def _notes(self) -> list[str]:
        notes = [] if self.complete else ["not complete: interrupted before every learner was finished"]
        notes += [f"{short(name, _NAME_WIDTH)} failed: {short(reason, 100)}" for name, reason in self.failures.items()]
        for (learner, score), reason in self.reasons.items():
            notes.append(f"{short(learner, _NAME_WIDTH)} has no {score}: {short(reason, 100)}")
        return notes


def _rooted(score: Score, means: Any) -> FloatArray:
    return np.sqrt(means) if score.root else np.asarray(means)
