"""What a regressor answers along one column, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._parameters import check_value, is_whole
from priorcase._typing import Backend, FloatArray, IntArray, Name
from priorcase.exceptions import ParameterError, TargetError, prefix_errors, quoted
from priorcase.learning.plotting import MUTED, caption, colour, drawing, legend_beside, tint
from priorcase.learning.results import framed, free_label
from priorcase.learning.targets import read_numbers
from priorcase.local.regressor import LEVEL
from priorcase.plots.columns import AxisColumn, axis_column, chosen_column, known_column, read_rows
from priorcase.plots.display import Display
from priorcase.plots.moving import moved
from priorcase.plots.points import spread_out
from priorcase.plots.stored import stored_rows
from priorcase.schema import Table
from priorcase.schema.schema import backend_of

_ROUNDING = 1e-9

Interval = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, eq=False, repr=False)
class LocalFitDisplay(Display):
    """The answers of a regressor along one column, with intervals where it has them, and the rows as points.

    Made by `of`.

    Parameters
    ----------
    axis
        The column, with the places of the rows.
    places
        Where along it the regressor was asked.
    fit
        Its answers.
    mean, target
        Lower and upper ends of the intervals for the mean and for a new observation at each place; None where the
        regressor gives none. An end may be infinite.
    targets
        The number of each row.
    level
        How probable the intervals are.
    kept
        What the other columns are kept at, in words; empty where there are none.
    backend
        The library whose frame the rows came in, or None.

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
    mean: Interval | None
    target: Interval | None
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
        """The answers of a fitted regressor along a column.

        Parameters
        ----------
        model
            A fitted regressor. Intervals are drawn for a `LocallyWeightedRegressor`.
        X, y
            Rows and their numbers to draw; None for those that the model has stored.
        column
            The column, by name or position; None for the first.
        at
            The row, by its position, whose values the other columns keep; None: the median of numbers, and of others
            the value that most rows hold.
        level
            How probable the intervals are.
        resolution
            How many places along a column of numbers; of others each value is one.
        """
        check_value("level", level, LEVEL)
        if not is_whole(resolution) or not 2 <= resolution <= 100_000:
            raise ParameterError(
                f"resolution must be a whole number from 2 to 100000, got {quoted(resolution)}. 240 is enough for a "
                "page."
            )
        X, targets, backend = _rows(model, X, y)
        table = read_rows(model, X)
        if targets.size != len(table):
            raise TargetError(
                f"Found input variables with inconsistent numbers of samples: X has {len(table)} and y has "
                f"{targets.size}. Pass one entry of y for each row of X."
            )
        a = 0 if column is None else chosen_column(table, column)
        axis = known_column(table, a)
        places, queries = _queries(X, table, a, axis, _check_row(at, len(table)), int(resolution))
        fit = np.asarray(model.predict(queries), np.float64)
        if fit.ndim != 1:
            raise TargetError("got several target columns, and a picture shows one. Fit one estimator for each target.")
        mean, target = (
            getattr(model, method)(queries, level) if hasattr(model, method) else None
            for method in ("confidence_interval", "prediction_interval")
        )
        kept = "" if len(table.schema) == 1 else "others at typical values" if at is None else f"others as in row {at}"
        return cls(axis, places, fit, mean, target, targets, float(level), kept, backend)

    def _said(self) -> str:
        return f"{len(self.places)} places along {self.axis.name}, {len(self.targets)} rows"

    def frame(self) -> Any:
        """One line for each place, in a frame of the library that the rows came in.

        Columns: the column by its name, ``fit``, and where there are intervals ``mean_low``, ``mean_high``,
        ``target_low`` and ``target_high``.
        """
        values = self.axis.values
        places = self.places if values is None else [values[int(i)] for i in self.places.tolist()]
        columns: dict[str, Any] = {self.axis.name: places}
        columns[free_label("fit", columns)] = self.fit
        for name, interval in (("mean", self.mean), ("target", self.target)):
            if interval is not None:
                for end, numbers in zip(("low", "high"), interval, strict=True):
                    columns[free_label(f"{name}_{end}", columns)] = numbers
        return framed(columns, self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """The fit as a line, its intervals as bands, the rows as points; the axes come back.

        Parameters
        ----------
        ax
            Axes of matplotlib to draw on; None for a figure of its own.
        """
        with drawing(ax) as ax:
            points = spread_out(np.column_stack([self.axis.positions, self.targets]), (self.axis,))
            look = {"edgecolors": "white", "linewidths": 0.5, "alpha": 0.6 if self.kept else 1.0, "zorder": 3}
            ax.scatter(*points.T, s=20, color=MUTED, label="rows", **look)
            low, high = self._limits()
            (self._draw_line if self.axis.values is None else self._draw_bars)(ax, low, high)
            self.axis.dress(ax.xaxis)
            if self.kept:
                ax.set_xlabel(f"{caption(self.axis.name)} ({self.kept})")
            ax.set(xlim=self.axis.span, ylim=(low, high), ylabel="target")
            legend_beside(ax)
            return ax

    def _draw_line(self, ax: Any, low: float, high: float) -> None:
        percent = f"{self.level:.0%}"
        bands = ((self.target, 0.16, f"{percent} of new rows"), (self.mean, 0.40, f"{percent} interval of the mean"))
        for interval, strength, label in bands:
            if interval is not None:
                ends = [np.clip(end, low, high) for end in interval]
                ax.fill_between(self.places, *ends, color=tint(0, strength), linewidth=0, zorder=1, label=label)
        ax.plot(self.places, self.fit, color=colour(0), zorder=4, label="fit")

    def _draw_bars(self, ax: Any, low: float, high: float) -> None:
        percent = f"{self.level:.0%}"
        widths = ((self.target, 1.2, f"{percent} of new rows"), (self.mean, 3.5, f"{percent} interval of the mean"))
        for interval, width, label in widths:
            if interval is not None:
                ends = [np.clip(end, low, high) for end in interval]
                ax.vlines(self.places, *ends, color=colour(0), linewidth=width, zorder=4, alpha=0.9, label=label)
        ax.plot(self.places, self.fit, "D", color=colour(0), markeredgecolor="white", zorder=5, label="fit")

    def _limits(self) -> tuple[float, float]:
        """The height of the picture: all rows and answers, and intervals up to twice as far."""
        known = np.concatenate([self.targets, self.fit])
        low, high = float(np.nanmin(known)), float(np.nanmax(known))
        scale = max(abs(low), abs(high)) or 1.0
        # Numbers that are all the same but for rounding are a level line, not a picture of the rounding.
        room = high - low if high - low > _ROUNDING * scale else 0.2 * scale
        ends = [end[np.isfinite(end)] for end in self.target or ()]
        wide = np.concatenate([known, *ends])
        low = max(float(np.nanmin(wide)), low - 0.5 * room)
        high = min(float(np.nanmax(wide)), high + 0.5 * room)
        margin = 0.04 * room if high - low > _ROUNDING * scale else 0.5 * room
        return low - margin, high + margin


def _rows(model: Any, X: Any, y: Any) -> tuple[Any, FloatArray, Backend | None]:
    """The rows to draw with their numbers."""
    if X is None and y is None:
        stored = stored_rows(model)
        if stored.targets.dtype.kind not in "fiu":
            raise ParameterError(f"model must be a regressor, got {quoted(model)}. DecisionSurface draws classifiers.")
        return [list(row) for row in stored.rows], stored.targets.astype(np.float64), getattr(model, "_backend", None)
    if X is None or y is None:
        raise ParameterError(
            "X and y must be passed together, got one of them. Pass rows and their numbers, or neither."
        )
    numbers, _ = read_numbers(y)
    if numbers.shape[1] > 1:
        raise TargetError("got several target columns, and a picture shows one. Fit one estimator for each target.")
    return X, numbers.ravel(), backend_of(X)


def _queries(X: Any, table: Table, a: int, axis: AxisColumn, at: int | None, resolution: int) -> tuple[FloatArray, Any]:
    """Places along a column, and rows there that are alike in all other columns."""
    changes: dict[int, FloatArray | IntArray] = {}
    if axis.values is None:
        places = np.linspace(np.nanmin(axis.positions), np.nanmax(axis.positions), resolution)
        changes[a] = places
    else:
        places = np.arange(len(axis.values), dtype=np.float64)
        changes[a] = axis.rows
    rows = np.full(places.size, at or 0, np.int64)
    for other in range(len(table.schema)):
        if other != a and at is None:
            changes[other] = _typical(axis_column(table, other), places.size)
    return places, moved(X, table, rows, changes)


def _typical(axis: AxisColumn, n: int) -> FloatArray | IntArray:
    """The median of numbers, or a row with the value that most rows hold; the first of equals."""
    known = axis.positions[~np.isnan(axis.positions)]
    if axis.values is None:
        return np.full(n, np.median(known) if known.size else np.nan)
    if not known.size:
        return np.zeros(n, np.int64)
    return np.full(n, axis.rows[np.bincount(known.astype(np.int64)).argmax()])


def _check_row(at: object, rows: int) -> int | None:
    if at is None:
        return None
    if not is_whole(at) or not 0 <= at < rows:
        raise ParameterError(
            f"at must be None or a row from 0 to {rows - 1}, got {quoted(at)}. None takes typical values."
        )
    return int(at)
