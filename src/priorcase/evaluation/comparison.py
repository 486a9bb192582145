"""What came of comparing learners on one table: values by split, means, standard errors and ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import FloatArray
from priorcase.datasets.columns import Backend
from priorcase.evaluation.checks import check_choice, check_frame
from priorcase.evaluation.compare_cells import Cell, first_failures
from priorcase.evaluation.compare_pairs import over_splits, paired
from priorcase.evaluation.compare_plot import plot_comparison
from priorcase.evaluation.compare_table import comparison_grid
from priorcase.evaluation.paired import PairedComparison, Test
from priorcase.evaluation.ranks import Friedman, leading, mean_ranks
from priorcase.evaluation.scoring import Score, score_named
from priorcase.exceptions import EvaluationError, prefix_errors
from priorcase.learning.results import framed, grid_markdown, grids_html, grids_text


@dataclass(frozen=True, repr=False, eq=False)
class Comparison:
    """Scores of several learners on the splits of one table; prints as a table of means, standard errors and ranks.

    **Standard errors.** Over splits that share training rows, values are not independent, and the usual standard error
    of their mean is too small. Here it is ``sqrt((1 / J + n_test / n_train) s^2)`` for J splits with sample variance
    ``s^2``, the corrected resampled variance of Nadeau and Bengio (2003, section 4). For leave-one-out and prequential
    comparisons it comes from the rows: ``s / sqrt(n)``, and for rmse by the delta method.

    Parameters
    ----------
    learners
        Their names, in the order given.
    scores
        The scores.
    cells
        One for each learner, repetition and split that was finished.
    protocol
        How the rows were dealt out, in words.
    rows
        How many rows the table has.
    repeats
        How many times they were dealt out.
    by_rows
        Whether each row was asked about alone (leave-one-out, prequential), so that scores have values for each row.
    complete
        Whether everything was finished; False after Ctrl-C.
    """

    learners: tuple[str, ...]
    scores: tuple[Score, ...]
    cells: tuple[Cell, ...]
    protocol: str
    rows: int
    repeats: int = 1
    by_rows: bool = False
    complete: bool = True

    # -- numbers

    def values(self, score: str | None = None) -> FloatArray:
        """A score on each split, shape (learners, splits), NaN where there is none.

        Splits stand in the order of repetition and number. Leave-one-out and prequential comparisons have one, all
        rows together.

        Parameters
        ----------
        score
            Its name; None for the first.
        """
        chosen, places = self.score(score), self._places()
        found = np.full((len(self.learners), len(places)), np.nan)
        for cell in self.cells:
            found[self.learners.index(cell.learner), places[cell.repeat, cell.split]] = cell.values[chosen.name]
        return found

    def row_values(self, score: str | None = None) -> FloatArray | None:
        """What each row adds to a score, shape (learners, rows asked about); NaN for learners that failed.

        None where rows were asked about in groups, or where the score is no mean over rows.
        """
        chosen = self.score(score)
        if not self.by_rows or chosen.of_rows is None:
            return None
        rows = max((cell.test for cell in self.cells), default=0)
        found = np.full((len(self.learners), rows), np.nan)
        for cell in self.cells:
            if cell.answers is not None and not np.isnan(cell.values[chosen.name]):
                found[self.learners.index(cell.learner)] = chosen.rows(cell.answers)
        return found

    def mean(self, learner: str, score: str | None = None) -> float:
        """The mean of a score over the splits that a learner finished; NaN where there is none."""
        values = self.values(score)[self._at(learner)]
        return float(values[~np.isnan(values)].mean()) if not np.isnan(values).all() else float("nan")

    def standard_error(self, learner: str, score: str | None = None) -> float:
        """How far the mean may be off by chance; NaN for a single split, and where a value is infinite."""
        chosen, at = self.score(score), self._at(learner)
        rows = self.row_values(score)
        if self.by_rows:
            return float("nan") if rows is None else chosen.error(rows[at])
        values = self.values(score)[at]
        values = values[~np.isnan(values)]
        if values.size < 2 or not np.isfinite(values).all():
            return float("nan")
        return float(np.sqrt((1 / values.size + self.test_to_train) * values.var(ddof=1)))

    @property
    def test_to_train(self) -> float:
        """Test rows for each training row, the mean over splits: what the corrected variance adds."""
        return float(np.mean([cell.test / cell.train for cell in self.cells])) if self.cells else float("nan")

    def ranks(self, score: str | None = None) -> FloatArray:
        """The mean rank of each learner over the splits, 1 for the best and the mean of their ranks for equals.

        Only splits that every learner finished count, those left aside that finished none; NaN for them.
        """
        return mean_ranks(self.values(score), greater_is_better=self.score(score).greater_is_better)

    def best(self, score: str | None = None) -> str:
        """The learner to mark as best, the first of `leaders`.

        Parameters
        ----------
        score
            The score's name; None for the first.
        """
        found = self.leaders(score)
        if not found:
            why = "; ".join(f"{name}: {reason}" for name, reason in self.failures.items())
            why = why or "see the reasons in its frame()"
            raise EvaluationError(
                f"Comparison has no value of {self.score(score).name!r} for any learner: {why}. Mend the learners, "
                "or ask for another score."
            )
        return found[0]

    def leaders(self, score: str | None = None) -> tuple[str, ...]:
        """The learners with the best mean, several where they are equals, none where nothing was measured.

        Means are taken over the splits that all of them have finished. A learner that has failed on a split is left
        aside, unless all have: it would lead by the splits that it was spared.

        Parameters
        ----------
        score
            The score's name; None for the first.
        """
        chosen, values = self.score(score), self.values(score)
        gaps = {cell.learner for cell in self.cells if np.isnan(cell.values[chosen.name])}
        sound = [at for at, name in enumerate(self.learners) if name not in gaps and not np.isnan(values[at]).all()]
        rivals = sound or list(range(len(self.learners)))
        best = leading(values[rivals], greater_is_better=chosen.greater_is_better)
        return tuple(self.learners[rivals[at]] for at in best)

    def paired(self, score: str | None = None, test: Test = "corrected_t", *, level: float = 0.95) -> PairedComparison:
        """The difference of each pair of learners, with an interval and p-values.

        ``"corrected_t"`` is Nadeau and Bengio's corrected resampled t-test (2003, section 4), which allows for training
        rows that splits share. ``"wilcoxon"`` takes splits for independent, and so finds differences too easily; it is
        meant for few values that are far from normal. Of leave-one-out and prequential comparisons rows are paired,
        by a t-test without a correction: it says whether these learners, having learned these rows, differ on new rows,
        not what other training rows would do. P-values are also given corrected for the number of pairs (Holm 1979).

        Parameters
        ----------
        score
            The score's name; None for the first. Of rmse over rows, its squares are compared.
        test
            Which test.
        level
            How probable it is that an interval holds the true difference.
        """
        return paired(self, self.score(score), test, level)

    def friedman(self, score: str | None = None, *, alpha: float = 0.05) -> Friedman:
        """Friedman's test of the learners' ranks over the splits, with Nemenyi's critical distance.

        Splits of one table share rows, so that its p-values are too small: it tells noise from order, no more. Over
        several tables, see `compare_tables`.

        Parameters
        ----------
        score
            The score's name; None for the first.
        alpha
            The level of the critical distance.
        """
        return over_splits(self, self.score(score), alpha)

    def answers(self, learner: str) -> tuple[Cell, ...]:
        """The cells of a learner that have kept what it said about each row: ``cell.rows`` and ``cell.answers``."""
        self._at(learner)
        return tuple(cell for cell in self.cells if cell.learner == learner and cell.answers is not None)

    @property
    def failures(self) -> Mapping[str, str]:
        """Why a learner failed, by its name: the first reason where there are several."""
        return first_failures(self.cells)

    def score(self, name: str | None = None) -> Score:
        """One of the scores by its name; the first for None."""
        return score_named(self.scores, name)

    # -- words

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each learner, repetition, split and score: ``learner``, ``repeat``, ``split``, ``score``,
        ``value``, ``train``, ``test``, ``fit_seconds``, ``predict_seconds``, ``reason``.

        Parameters
        ----------
        backend
            The library whose frame to return: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None: the first of them
            that is installed; a dictionary of arrays where none is.
        """
        check_frame(backend)
        lines = [
            (
                *(cell.learner, cell.repeat, cell.split, score.name, cell.values[score.name], cell.train, cell.test),
                *(cell.fit_seconds, cell.predict_seconds, cell.failure or cell.reasons.get(score.name, "")),
            )
            for cell in self.cells
            for score in self.scores
        ]
        names = ("learner", "repeat", "split", "score", "value", "train", "test", "fit_seconds", "predict_seconds")
        columns = zip(*lines, strict=True) if lines else [()] * 10
        return framed({name: list(column) for name, column in zip((*names, "reason"), columns, strict=True)}, backend)

    @property
    def table(self) -> str:
        """What it prints."""
        return grids_text([comparison_grid(self)])

    def markdown(self) -> str:
        """The same table in Markdown."""
        return grid_markdown(comparison_grid(self))

    def plot(self, score: str | None = None, ax: Any = None) -> Any:
        """Means with 95 % intervals, and the values on single splits, drawn with matplotlib; the axes come back.

        Parameters
        ----------
        score
            The score's name; None for the first.
        ax
            Axes to draw on; None for a figure of its own.
        """
        return plot_comparison(self, self.score(score), ax)

    def __str__(self) -> str:
        return self.table

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grids_html([comparison_grid(self)])

    # -- inside

    def _at(self, learner: str) -> int:
        check_choice("learner", learner, self.learners, hint="See Comparison.learners.")
        return self.learners.index(learner)

    def _places(self) -> dict[tuple[int, int], int]:
        places = sorted({(cell.repeat, cell.split) for cell in self.cells})
        return {place: number for number, place in enumerate(places)}
