"""Plot of the predictions of a regressor along one column, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from priorcase._parameters import check_value, is_whole
from priorcase._typing import Backend, FloatArray, IntArray, Name
from priorcase.exceptions import ParameterError, quoted
from priorcase.learning.plotting import MUTED, caption, color, drawing, legend_beside, tint
from priorcase.learning.results import framed, free_label
from priorcase.learning.targets import read_numbers
from priorcase.local.regressor import LEVEL
from priorcase.plots.display import (
    AxisColumn,
    Display,
    axis_column,
    check_single_target,
    read_rows,
    read_targets,
    spread_out,
    stored_rows,
    with_changes,
)
from priorcase.schema import Table
from priorcase.schema.schema import backend_of

_ROUNDING = 1e-9

Ends = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, eq=False, repr=False)
class LocalFitDisplay(Display):
    """Predictions of a regressor along a column, their intervals, and rows as points; created by `LocalFitDisplay.of`.

    ``axis`` contains the positions of the rows along the column, and ``targets`` are their targets. ``places`` are the
    positions at which the regressor predicts, and ``fit`` contains the predictions.

    ``mean`` contains the lower and upper bounds of the intervals for the mean, and ``target`` those of the intervals
    for a new observation; ``level`` is their confidence level. Bounds can be infinite. ``mean`` or ``target`` is None
    if the regressor has no such intervals. ``kept`` is a note on the values of the other columns, which are the same at
    all positions.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 2.0, 4.0, 7.0, 10.0]
    >>> display = LocalFitDisplay.of(pc.LocallyWeightedRegressor(4).fit(X, y), resolution=3)
    >>> display.places, display.fit.round(3)
    (array([0., 2., 4.]), array([-0.091,  4.286,  9.909]))
    """

    axis: AxisColumn
    places: FloatArray
    fit: FloatArray
    mean: Ends | None
    target: Ends | None
    targets: FloatArray
    level: float
    kept: str = ""
    backend: Backend | None = None

    @classmethod
    def of(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        column: Name | None = None,
        at: int | None = None,
        level: float = 0.9,
        resolution: int = 240,
    ) -> LocalFitDisplay:
        """Create a display of the predictions of a fitted regressor along a column.

        Parameters
        ----------
        model
            A fitted regressor; a `LocallyWeightedRegressor` has intervals for the mean and for new observations.
        X, y
            Rows to plot and their targets; None for the rows that the model has stored.
        column
            The column, by name or position; None for the first column.
        at
            Position of the row that provides the values of the other columns; None for medians and the most frequent
            categories.
        level
            Confidence level of the intervals.
        resolution
            Number of positions along a numeric column; other columns have one position per value.
        """
        check_value("level", level, LEVEL)
        check_value("resolution", resolution, [Interval(Integral, 2, 100_000, closed="both")])
        X, targets, backend = _rows(model, X, y)
        table = read_rows(model, X)
        targets = read_targets(targets, len(table))
        if at is not None and not (is_whole(at) and 0 <= at < len(table)):
            raise ParameterError(
                f"at must be None or a row from 0 to {len(table) - 1}, got {quoted(at)}. None uses medians and most "
                "frequent categories."
            )
        a = 0 if column is None else table.schema.position(column, parameter="column")
        axis = axis_column(table, a, known=True)
        places, queries = _queries(X, table, a, axis, at, int(resolution))
        fit = check_single_target(np.asarray(model.predict(queries), np.float64))
        mean, target = (
            tuple(getattr(model, method)(queries, level).T) if hasattr(model, method) else None
            for method in ("confidence_interval", "predict_interval")
        )
        others = "other columns at typical values" if at is None else f"other columns as in row {at}"
        kept = others if len(table.schema) > 1 else ""
        return cls(axis, places, fit, mean, target, targets, float(level), kept, backend)

    def _summary(self) -> str:
        return f"{len(self.places)} positions along {self.axis.name}, {len(self.targets):,} rows"

    def frame(self) -> Any:
        """Return a frame with one row per position.

        The columns are the plotted column, ``fit`` and, if there are intervals, ``mean_low``, ``mean_high``,
        ``target_low`` and ``target_high``.
        """
        columns: dict[str, Any] = {self.axis.name: self.axis.column(self.places)}
        columns[free_label("fit", columns)] = self.fit
        for name, ends in (("mean", self.mean), ("target", self.target)):
            for end, numbers in zip(("low", "high"), ends or (), strict=False):
                columns[free_label(f"{name}_{end}", columns)] = numbers
        return framed(columns, self.backend)

    def plot(self, ax: Any = None) -> Any:
        """Plot the fit as a line, its intervals as bands, and rows as points; return the axes."""
        with drawing(ax) as ax:
            points = spread_out(np.column_stack([self.axis.positions, self.targets]), (self.axis,))
            look = {"edgecolors": "white", "linewidths": 0.5, "alpha": 0.6 if self.kept else 1.0, "zorder": 3}
            ax.scatter(*points.T, s=20, color=MUTED, label="rows", **look)
            low, high = self._limits()
            self._draw_fit(ax, low, high)
            self.axis.label(ax.xaxis)
            if self.kept:
                ax.set_xlabel(f"{caption(self.axis.name)} ({self.kept})")
            ax.set(xlim=self.axis.span, ylim=(low, high), ylabel="target")
            legend_beside(ax)
            return ax

    def _draw_fit(self, ax: Any, low: float, high: float) -> None:
        """Draw the predictions: as a line with bands for a numeric column, or as diamonds with bars for categories."""
        line = self.axis.values is None
        of_rows, of_mean = f"{self.level:.0%} of new rows", f"{self.level:.0%} interval of the mean"
        for interval, strength, width, label in ((self.target, 0.16, 1.2, of_rows), (self.mean, 0.40, 3.5, of_mean)):
            if interval is None:
                continue
            ends = [np.clip(end, low, high) for end in interval]
            if line:
                ax.fill_between(self.places, *ends, color=tint(0, strength), linewidth=0, zorder=1, label=label)
            else:
                ax.vlines(self.places, *ends, color=color(0), linewidth=width, zorder=4, alpha=0.9, label=label)
        marks = {"zorder": 4} if line else {"linestyle": "", "marker": "D", "markeredgecolor": "white", "zorder": 5}
        ax.plot(self.places, self.fit, color=color(0), label="fit", **marks)

    def _limits(self) -> tuple[float, float]:
        """Return the limits of the target axis, which shows all targets and predictions but may clip wide intervals."""
        known = np.concatenate([self.targets, self.fit])
        low, high = float(np.nanmin(known)), float(np.nanmax(known))
        scale = max(abs(low), abs(high)) or 1.0
        # Numbers that are equal up to rounding give a horizontal line; rounding errors are not magnified.
        room = high - low if high - low > _ROUNDING * scale else 0.2 * scale
        wide = np.concatenate([known, *(end[np.isfinite(end)] for end in self.target or ())])
        low = max(float(np.nanmin(wide)), low - 0.5 * room)
        high = min(float(np.nanmax(wide)), high + 0.5 * room)
        margin = 0.04 * room if high - low > _ROUNDING * scale else 0.5 * room
        return low - margin, high + margin


def _rows(model: Any, X: Any, y: Any) -> tuple[Any, FloatArray, Backend | None]:
    """Return the rows to plot, their targets, and the frame library of the rows."""
    if X is None and y is None:
        stored = stored_rows(model)
        if stored.targets.dtype.kind not in "fiu":
            raise ParameterError(f"model must be a regressor, got {quoted(model)}. DecisionSurface plots classifiers.")
        return [list(row) for row in stored.rows], stored.targets.astype(np.float64), getattr(model, "_backend", None)
    if X is None or y is None:
        raise ParameterError("X and y must be passed together, got only one of them. Pass both or neither.")
    return X, read_numbers(y)[0], backend_of(X)


def _queries(X: Any, table: Table, a: int, axis: AxisColumn, at: int | None, resolution: int) -> tuple[FloatArray, Any]:
    """Return positions along column ``a``, and a row for each position; all other columns have constant values."""
    changes: dict[int, FloatArray | IntArray] = {}
    if axis.values is None:
        places = np.linspace(np.nanmin(axis.positions), np.nanmax(axis.positions), resolution)
        changes[a] = places
    else:
        places, changes[a] = np.arange(len(axis.values), dtype=np.float64), axis.rows
    for other in range(len(table.schema)):
        if other != a and at is None:
            changes[other] = _typical(axis_column(table, other), places.size)
    return places, with_changes(X, table, np.full(places.size, at or 0, np.int64), changes)


def _typical(axis: AxisColumn, n: int) -> FloatArray | IntArray:
    """Return ``n`` copies of the median of a numeric column, or of the index of a row with the most common category."""
    known = axis.positions[~np.isnan(axis.positions)]
    if axis.values is None:
        return np.full(n, np.median(known) if known.size else np.nan)
    return np.full(n, axis.rows[np.bincount(known.astype(np.int64)).argmax()] if known.size else 0)
