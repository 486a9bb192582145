"""Plot of the leave-one-out scores of candidate parameter values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from priorcase._numbers import number
from priorcase._typing import AnyArray, Backend, FloatArray
from priorcase.exceptions import ParameterError, quoted
from priorcase.learning.plotting import MUTED, drawing, legend_beside, log_ticks, ring, style
from priorcase.learning.results import framed, free_label
from priorcase.learning.targets import objects
from priorcase.local import LeaveOneOutCurve, LogScoreCurve
from priorcase.neighbors.tuning import Tuning
from priorcase.plots.display import Display

_WIDE = 20.0


@dataclass(frozen=True, eq=False, repr=False)
class LeaveOneOutDisplay(Display):
    """Leave-one-out scores of the candidate values of a parameter; created by `LeaveOneOutDisplay.of`.

    ``candidates`` are the values of ``parameter`` that were compared. ``lines`` maps the name of each plotted line,
    such as the name of a vote, to the scores of the candidates; a single line can have an empty name. ``score`` is the
    name of the score, and ``higher`` is True if higher scores are better. ``chosen`` is the selected value, and
    ``chosen_score`` is its score. ``rows`` is the number (or total weight) of the rows that were left out in turn.

    Examples
    --------
    >>> import priorcase as pc
    >>> from sklearn.datasets import load_iris
    >>> display = LeaveOneOutDisplay.of(pc.KNNClassifier("loo").fit(*load_iris(return_X_y=True)))
    >>> display.parameter, display.chosen, round(display.chosen_score, 3)
    ('n_neighbors', 7, 0.967)
    """

    parameter: str
    candidates: AnyArray
    lines: Mapping[str, FloatArray]
    score: str
    higher: bool
    chosen: float
    chosen_score: float
    rows: float
    backend: Backend | None = None

    @classmethod
    def of(cls, model: Any) -> LeaveOneOutDisplay:
        """Create a display of the scores that a fitted model used to select a parameter.

        Parameters
        ----------
        model
            A `KNNClassifier`, `KNNRegressor`, `LocallyWeightedRegressor` or `LocallyWeightedClassifier` fitted with
            ``"loo"``; a model selected by `tune`; a `Tuning` object; or a `LeaveOneOutCurve`.
        """
        tuning = model if isinstance(model, Tuning) else getattr(model, "tuning_", None)
        if isinstance(tuning, Tuning):
            tried = ("n_neighbors", *tuning.curves(), tuning.score_label, tuning.greater_is_better)
            chosen = float(tuning.best_params["n_neighbors"])
            return cls(*tried, chosen, tuning.score, tuning.rows, tuning._backend)
        found = getattr(model, "loo_curve_", getattr(model, "loo_scores_", model))
        if isinstance(found, LeaveOneOutCurve):
            higher = isinstance(found, LogScoreCurve)
            score, scores = "log-score" if higher else "squared error", found.scores
            best = float(scores[found.candidates == found.best][0])
            tried = (found.parameter, found.candidates, {"": scores}, score, higher)
            return cls(*tried, found.best, best, found.n_left_out, found.backend)
        if not isinstance(found, np.ndarray) or found is model or not found.size:
            raise ParameterError(
                f"model must have selected a parameter by leave-one-out, or be the result of a selection, got "
                f"{quoted(model)}. Pass KNNClassifier('loo').fit(X, y) or tune(KNNClassifier(), X, y), for example."
            )
        higher, k, candidates = is_classifier(model), int(model.n_neighbors_), np.arange(1, found.size + 1)
        score, rows = "accuracy" if higher else "squared error", float(model.n_samples_fit_)
        return cls("n_neighbors", candidates, {"": found}, score, higher, k, float(found[k - 1]), rows, model._backend)

    def _summary(self) -> str:
        chosen = f"{self.parameter} {number(self.chosen)} with {self.score} {number(self.chosen_score, 4)}"
        return f"{chosen}, of {sum(map(len, self.lines.values()))} candidates"

    def frame(self) -> Any:
        """Return a frame with one row for each line and candidate.

        The columns are ``line`` (if there are several lines), the parameter, the score, and ``chosen``.
        """
        columns: dict[str, Any] = {}
        if len(self.lines) > 1:
            columns["line"] = np.repeat(objects(list(self.lines)), len(self.candidates))
        values, scores = np.tile(self.candidates, len(self.lines)), np.concatenate(list(self.lines.values()))
        columns[self.parameter] = values
        columns[free_label(self.score.replace(" ", "_"), columns)] = scores
        columns["chosen"] = (values == self.chosen) & (scores == self.chosen_score)
        return framed(columns, self.backend)

    def plot(self, ax: Any = None) -> Any:
        """Plot the scores as lines and mark the selected value; return the axes.

        If a single line is plotted and the score is the accuracy, a band shows one standard error, ``sqrt(p (1 - p) /
        rows)``, on each side of the line. Candidates within one standard error of the best candidate are about as good
        as the best candidate.
        """
        with drawing(ax) as ax:
            for i, (name, scores) in enumerate(self.lines.items()):
                look, shown = style(i), np.where(np.isfinite(scores), scores, np.nan)
                mark = {"marker": look.marker, "markersize": 3.2} if len(self.candidates) <= 60 else {}
                ax.plot(self.candidates, shown, color=look.color, linestyle=look.line, label=name, **mark)
                if self.score == "accuracy" and len(self.lines) == 1:
                    error = np.sqrt(shown * (1.0 - shown) / max(self.rows, 1.0))
                    ends = (shown - error, np.minimum(shown + error, 1.0))
                    ax.fill_between(self.candidates, *ends, color=look.tint, alpha=0.5, linewidth=0, zorder=1)
            if float(self.candidates[-1]) > _WIDE * float(self.candidates[0]) and self.candidates[0] > 0:
                ax.set_xscale("log")
                log_ticks(ax.xaxis)
            ax.axvline(self.chosen, color=MUTED, linewidth=0.9, linestyle=(0, (3, 3)), zorder=1)
            ring(ax, self.chosen, self.chosen_score)
            self._name_chosen(ax)
            ax.margins(y=0.16)
            ax.set(xlabel=self.parameter, ylabel=f"leave-one-out {self.score}")
            if len(self.lines) > 1:
                legend_beside(ax, "vote")
            return ax

    def _name_chosen(self, ax: Any) -> None:
        """Write the selected value and its score next to their mark, on the side with more space."""
        at = (self.chosen, self.chosen_score)
        left = ax.transAxes.inverted().transform(ax.transData.transform(at))[0] > 0.7
        look: dict[str, Any] = {"ha": "right" if left else "left", "fontsize": 8.5, "zorder": 7}
        look["bbox"] = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1.0}
        away = (-7 if left else 7, 12 if self.higher else -16)
        ax.annotate(
            f"{number(self.chosen)}: {number(self.chosen_score, 4)}", at, away, textcoords="offset points", **look
        )
