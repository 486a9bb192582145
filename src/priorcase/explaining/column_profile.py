"""Predictions for varying values of a column, for one row (`what_if`) or averaged over rows (`partial_dependence`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from priorcase._numbers import equal_decimals
from priorcase._parameters import check_value
from priorcase._typing import AnyArray, Backend, FloatArray, Name
from priorcase.exceptions import ParameterError, prefix_errors
from priorcase.explaining.model import ExplainedModel
from priorcase.instances import check_weights
from priorcase.learning.plotting import INK, caption, captions, class_styles, drawing, legend_beside, style
from priorcase.learning.results import Grid, GridResult, framed, free_label, short, value_text
from priorcase.schema import Date, Nominal, Numeric, Ordinal
from priorcase.similarity.statistics import usual_range

_LINES, _CLASSES, _WIDTH = 40, 6, 24
_AT_ONCE = 1 << 14
_DASHED = (0, (4, 3))


@dataclass(frozen=True, repr=False, eq=False)
class ColumnProfile(GridResult):
    """Predictions for varying values of one or two columns; they print as a table.

    Returned by `priorcase.what_if` and `priorcase.partial_dependence`.

    Parameters
    ----------
    columns
        Names of the columns.
    values
        The points, each a tuple with one value for each column; None for a missing value.
    outputs
        Class probabilities at each point, shape (points, classes), or predicted numbers, shape (points, 1).
    predictions
        Predicted class or number at each point; None for a mean over rows.
    own
        Whether each point has the row's own values; all False for a mean over rows.
    classes
        The classes; None for regression.
    missing
        Weighted share of rows in which a column is missing; None for a single row.
    n_rows
        Number of rows that the predictions are averaged over.
    backend
        Data frame library of the training table, or None.

    Examples
    --------
    >>> import priorcase as pc
    >>> model = pc.KNNRegressor(1).fit([[1.0, "red"], [2.0, "blue"], [3.0, "red"]], [10.0, 20.0, 30.0])
    >>> found = pc.what_if(model, [1.0, "red"], 0)
    >>> found.outputs[:, 0], found.own
    (array([10., 20., 30., 20.]), array([ True, False, False, False]))
    """

    columns: tuple[Name, ...]
    values: tuple[tuple[Any, ...], ...]
    outputs: FloatArray
    predictions: AnyArray | None
    own: AnyArray
    classes: AnyArray | None
    missing: float | None = None
    n_rows: int = 1
    backend: Backend | None = None

    def __len__(self) -> int:
        return len(self.values)

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row per point and class.

        The columns are the varied columns, ``class`` and ``probability`` (``prediction`` for regression) and, for a
        single row, ``own``, which marks the row's own values.
        ``backend`` is the library of the frame; by default the one that the model was fitted with.
        """
        k = self.outputs.shape[1]
        found: dict[str, Any] = {}
        taken = {"class", "probability", "prediction", "own"}
        for j, name in enumerate(self.columns):
            label = f"{name} (value)" if str(name) in taken else str(name)
            found[free_label(label, found)] = [row[j] for row in self.values for _ in range(k)]
        if self.classes is None:
            found["prediction"] = self.outputs[:, 0]
        else:
            found["class"], found["probability"] = np.tile(self.classes, len(self)), self.outputs.ravel()
        if self.n_rows == 1 and self.missing is None:
            found["own"] = np.repeat(self.own, k)
        return framed(found, backend or self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot the predictions as lines or points, or as a map for two columns; return the axes.

        For classification, a map shows the probability of one class: the class predicted for the row's own values or,
        for a mean over rows, the class with the largest mean. Dashed horizontal lines are the predictions for a missing
        value.
        """
        with drawing(ax) as ax:
            (self._draw_map if len(self.columns) > 1 else self._draw_lines)(ax)
            return ax

    def _draw_lines(self, ax: Any) -> None:
        values = [row[0] for row in self.values]
        known = [i for i, value in enumerate(values) if value is not None]
        numbers = all(isinstance(values[i], float) for i in known)
        places = np.array([values[i] if numbers else at for at, i in enumerate(known)], float)
        classes = None if self.classes is None else self.classes.tolist()
        styles = class_styles(classes) if classes is not None else {None: style(0)}
        for j, (label, look) in enumerate(styles.items()):
            output = self.outputs[:, j]
            options: dict[str, Any] = {"color": look.color, "marker": look.marker, "markersize": 3.5}
            line = look.line if numbers else "none"
            ax.plot(places, output[known], linestyle=line, label=None if label is None else caption(label), **options)
            for i, value in enumerate(values):
                if value is None:
                    ax.axhline(output[i], color=look.color, linewidth=0.8, linestyle=_DASHED, alpha=0.6)
        if None in values:
            ax.plot([], [], color=INK, linewidth=0.8, linestyle=_DASHED, alpha=0.6, label="value missing")
        for at, i in enumerate(known):
            if self.own[i]:
                ax.axvline(places[at], color=INK, linewidth=0.8, linestyle=":")
        if not numbers:
            ax.set_xticks(places, captions([value_text(values[i], _WIDTH) for i in known]), rotation=30, ha="right")
        ax.set_xlabel(caption(self.columns[0]))
        ax.set_ylabel("prediction" if classes is None else "probability")
        if classes is not None:
            ax.set_ylim(-0.02, 1.02)
        if classes is not None or None in values:
            legend_beside(ax)

    def _draw_map(self, ax: Any) -> None:
        axes = [list(dict.fromkeys(row[j] for row in self.values)) for j in (0, 1)]
        shown_at = self.own if self.own.any() else slice(None)
        at = 0 if self.classes is None else int(self.outputs[shown_at].mean(axis=0).argmax())
        shown = np.full((len(axes[1]), len(axes[0])), np.nan)
        for row, output in zip(self.values, self.outputs[:, at].tolist(), strict=True):
            shown[axes[1].index(row[1]), axes[0].index(row[0])] = output
        mesh = ax.pcolormesh(shown, cmap="cividis", **({} if self.classes is None else {"vmin": 0.0, "vmax": 1.0}))
        what = "prediction" if self.classes is None else f"P({caption(self.classes.tolist()[at])})"
        ax.figure.colorbar(mesh, ax=ax, label=what)
        for j, axis in enumerate((ax.xaxis, ax.yaxis)):
            axis.set_ticks(np.arange(len(axes[j])) + 0.5, captions([value_text(v, _WIDTH) for v in axes[j]], 10))
        ax.tick_params(axis="x", rotation=45)
        ax.set_xlabel(caption(self.columns[0]))
        ax.set_ylabel(caption(self.columns[1]))
        ax.grid(False)

    def _grid(self) -> Grid:
        names = [short(str(name), _WIDTH) for name in self.columns]
        classes = range(0) if self.classes is None else range(min(self.outputs.shape[1], _CLASSES))
        labels = [] if self.classes is None else self.classes.tolist()
        header = [*names, *(value_text(labels[c], _WIDTH) for c in classes)]
        header += ["prediction"] if self.predictions is not None else ["mean"] if self.classes is None else []
        lines, outputs = [], equal_decimals(self.outputs[:_LINES, 0])
        for i in range(min(len(self), _LINES)):
            line = [value_text(value, _WIDTH) + " *" * bool(self.own[i]) for value in self.values[i]]
            line += [f"{self.outputs[i, c]:.3f}" for c in classes]
            if self.classes is None:
                line.append(outputs[i])
            elif self.predictions is not None:
                line.append(value_text(self.predictions[i : i + 1].tolist()[0], _WIDTH))
            lines.append(line)
        notes = ["* the row's own value"] if self.own.any() else []
        if self.missing is not None:
            which = "the column" if len(names) == 1 else "a column"
            notes.append(f"mean over {self.n_rows:,} rows, of which {self.missing:.1%} lack {which}")
        notes += [f"and {len(self) - _LINES} more"] if len(self) > _LINES else []
        return Grid("", header, lines, "; ".join(notes), right=range(len(names), len(header)))


@prefix_errors
def what_if(
    model: Any, row: Any, column: Name | Sequence[Name], *, n_values: int = 21, data: Any = None
) -> ColumnProfile:
    """Predict one row with other values of one or two of its columns.

    Parameters
    ----------
    model
        A fitted classifier or regressor; see `explain`.
    row
        One row: a table with one row, a list of values, or a mapping or pandas Series from names to values; columns
        that are not named are missing.
    column
        The column to vary, or a list of two columns, whose values are combined.
    n_values
        Maximum number of values. If a numeric column has more values, quantiles without outliers are used; if a nominal
        column has more values, the most frequent values are used. Ordinal columns always use all levels. The row's own
        value is added, and also a missing value if the model supports missing values.
    data
        The past cases; see `explain`.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = pc.load_repairs()
    >>> pc.what_if(pc.NaiveBayes().fit(X, y), X[:1], "noise")
    noise    brakes  drivetrain  tune-up  wheel  prediction
    quiet *   0.000       0.000    0.998  0.002     tune-up
    squeal    0.023       0.001    0.965  0.011     tune-up
    creak     0.001       0.000    0.935  0.064     tune-up
    grind     0.009       0.011    0.959  0.022     tune-up
    click     0.001       0.005    0.971  0.022     tune-up
    ?         0.002       0.001    0.989  0.009     tune-up
    * the row's own value
    """
    asked = ExplainedModel(model, data)
    cells = asked.cells(row)
    if len(cells) != 1:
        raise ParameterError(
            f"row must be one row, got {len(cells)}. Use partial_dependence to average over several rows."
        )
    check_value("n_values", n_values, [Interval(Integral, 2, None, closed="left")])
    places = _places(asked, column)
    points = _points([_grid_of(asked, a, int(n_values), own=cells[0, a]) for a in places])
    rows = np.repeat(cells, len(points), axis=0)
    rows[:, places] = points
    own = ((points == cells[0, places]) | (np.isnan(points) & np.isnan(cells[0, places]))).all(axis=1)
    found = *_named_values(asked, places, points), asked.outputs(rows), asked.predictions(rows), own
    return ColumnProfile(*found, asked.classes, backend=asked.backend)


@prefix_errors
def partial_dependence(
    model: Any,
    X: Any,
    column: Name | Sequence[Name],
    *,
    sample_weight: Any = None,
    n_values: int = 21,
    data: Any = None,
) -> ColumnProfile:
    """Return the mean prediction over rows for each value of one or two columns (Friedman 2001).

    All other columns keep their values. The result also contains the share of rows in which the column is missing and,
    if the model supports missing values, the mean prediction with the column missing in every row. The cost is one
    prediction per row and value, or per row and combination of values for two columns.

    Parameters
    ----------
    model, column, n_values, data
        See `what_if`; the values of ``column`` are taken from ``X``.
    X
        The rows to average over.
    sample_weight
        Weight of each row; None for equal weights.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = pc.load_repairs()
    >>> pc.partial_dependence(pc.NaiveBayes().fit(X, y), X, "electric")
    electric  brakes  drivetrain  tune-up  wheel
    False      0.180       0.194    0.481  0.145
    True       0.204       0.185    0.433  0.178
    ?          0.187       0.191    0.469  0.154
    mean over 96 rows, of which 6.2% lack the column
    """
    asked = ExplainedModel(model, data)
    cells = asked.cells(X)
    check_value("n_values", n_values, [Interval(Integral, 2, None, closed="left")])
    weights = check_weights(sample_weight, len(cells), parameter="sample_weight")
    weights = np.ones(len(cells)) if weights is None else weights
    if not weights.any():
        raise ParameterError("sample_weight is zero for every row; at least one row must have a positive weight")
    places = _places(asked, column)
    points = _points([_grid_of(asked, a, int(n_values), among=(cells[:, a], weights)) for a in places])
    n = len(points)
    total = np.zeros((n, asked.outputs(cells[:1]).shape[1]))
    step = max(1, _AT_ONCE // n)
    for start in range(0, len(cells), step):
        part = cells[start : start + step]
        rows = np.repeat(part, n, axis=0)
        rows[:, places] = np.tile(points, (len(part), 1))
        answers = asked.outputs(rows).reshape(len(part), n, -1)
        total += np.einsum("i,ijk->jk", weights[start : start + step], answers)
    share = float(weights[np.isnan(cells[:, places]).any(axis=1)].sum() / weights.sum())
    found = *_named_values(asked, places, points), total / weights.sum(), None, np.zeros(n, bool)
    return ColumnProfile(*found, asked.classes, share, len(cells), asked.backend)


def _places(asked: ExplainedModel, column: Name | Sequence[Name]) -> list[int]:
    names = list(column) if isinstance(column, list) else [column]
    if not 1 <= len(names) <= 2:
        raise ParameterError(f"column must be one column or a list of two, got {len(names)}")
    return list(asked.schema.positions(names)) if len(names) > 1 else [asked.position(names[0])]


def _points(axes: Sequence[FloatArray]) -> FloatArray:
    """Return all combinations of the values, shape (points, columns)."""
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)


def _named_values(
    asked: ExplainedModel, places: Sequence[int], points: FloatArray
) -> tuple[tuple[Name, ...], tuple[tuple[Any, ...], ...]]:
    values = [tuple(asked.value(a, cell) for a, cell in zip(places, point, strict=True)) for point in points.tolist()]
    return tuple(asked.names[a] for a in places), tuple(values)


def _grid_of(
    asked: ExplainedModel,
    a: int,
    most: int,
    *,
    own: float | None = None,
    among: tuple[FloatArray, FloatArray] | None = None,
) -> FloatArray:
    """Return the values of column ``a`` to predict at, from ``among`` (cells and row weights) or the past cases."""
    column, weights = (asked.past[:, a], np.ones(len(asked.past))) if among is None else among
    known = ~np.isnan(column) & (weights > 0)
    values, at = np.unique(column[known], return_inverse=True)
    kind = asked.schema.kinds[a]
    if isinstance(kind, Ordinal):
        values = np.arange(float(len(kind.order)))
    elif isinstance(kind, Nominal):
        counts = np.bincount(at.ravel(), weights=weights[known], minlength=values.size)
        values = values[np.argsort(-counts, kind="stable")[:most]]
    elif values.size > most:
        low, high = usual_range(column[known])  # outliers would stretch every curve
        inner = (values >= low) & (values <= high)
        # Weighted quantiles; each is a value that occurs in a row.
        sums = np.cumsum(np.bincount(at.ravel(), weights=weights[known])[inner])
        values = values[inner]
        at_shares = np.searchsorted(sums, np.linspace(0.0, 1.0, most) * sums[-1])
        values = values[np.unique(np.minimum(at_shares, values.size - 1))]
    if own is not None and own == own and own not in values:
        values = np.append(values, own)
        values = np.sort(values) if isinstance(kind, (Numeric, Date, Ordinal)) else values
    if asked.takes_missing:
        return np.append(values, np.nan)
    if not values.size:
        raise ParameterError(
            f"column {asked.names[a]!r} has no known values, and the model does not accept missing values"
        )
    return values
