"""Classes and functions that displays share: axes, planes for two-dimensional plots, and stored rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from io import BytesIO
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy.spatial import KDTree
from sklearn.utils.validation import check_is_fitted

from priorcase._typing import AnyArray, BoolArray, FloatArray, IdArray, IntArray, Value
from priorcase.concepts.ib import ConceptLearner
from priorcase.datasets.columns import NamedColumns
from priorcase.exceptions import ParameterError, TargetError, prefix_all_errors, quoted
from priorcase.learning.plotting import INK, caption, captions, class_styles
from priorcase.learning.resampling import taken_rows
from priorcase.learning.results import Row, attribute_names, decoded, value_text
from priorcase.learning.state import pinned
from priorcase.learning.targets import as_array
from priorcase.local import LocallyWeightedRegressor
from priorcase.neighbors import KNNTransformer
from priorcase.neighbors.base import NeighborsEstimator
from priorcase.schema import Circular, Coded, Date, Numeric, Ordinal, Schema, Set, Table, Text
from priorcase.schema.dates import DAY, date_text
from priorcase.schema.schema import inferred

NAME_WIDTH = 18
_AXIS_WIDTH = 40
_FONT = 8.5
_LIGHT = 140
_GOLDEN = 0.6180339887498949
# Intervals of date ticks: minutes, hours, days, weeks, months, years.
_MOST_DATES = 8
_DATE_STEPS = [
    *(60.0, 300.0, 900.0, 3_600.0, 10_800.0, 21_600.0),
    *(DAY * n for n in (1, 2, 7, 14, 28, 91, 182, 365.25)),
]


class Display(ABC):
    """Base class of the displays; `frame` returns the plotted numbers, and `plot` draws them."""

    def __init_subclass__(cls) -> None:
        prefix_all_errors(cls)

    @abstractmethod
    def frame(self) -> Any:
        """Return the plotted numbers as a data frame."""

    @abstractmethod
    def plot(self, ax: Any = None) -> Any:
        """Plot the numbers and return the axes."""

    @abstractmethod
    def _summary(self) -> str:
        """Return a description of the plot in one line."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {self._summary()}"

    def _repr_png_(self) -> bytes | None:
        """Return the plot as a PNG image for notebooks; None if matplotlib is not installed."""
        if find_spec("matplotlib") is None:
            return None
        from matplotlib import pyplot

        figure, png = self.plot().figure, BytesIO()
        figure.savefig(png, format="png")
        pyplot.close(figure)
        return png.getvalue()


# -- columns as axes


@dataclass(frozen=True, eq=False)
class AxisColumn:
    """A table column as the axis of a plot."""

    name: str
    # Position of each table row: the number, the date in seconds, or 0, 1, ... for a category; NaN if missing.
    positions: FloatArray
    values: tuple[Value, ...] | None = None  # categories at positions 0, 1, ...; None for numbers and dates
    rows: IntArray = field(default_factory=lambda: np.empty(0, np.int64))  # first table row with each category
    dated: bool = False  # whether the positions are dates

    @property
    def span(self) -> tuple[float, float]:
        """Lower and upper limit of an axis that shows all rows."""
        if self.values is not None:
            return -0.5, len(self.values) - 0.5
        known = self.positions[~np.isnan(self.positions)]
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
        margin = 0.04 * (high - low) or 0.5 * (abs(low) or 1.0)
        return low - margin, high + margin

    def middles(self, resolution: int) -> FloatArray:
        """Return the midpoints of ``resolution`` equal cells along the axis, or the positions of the categories."""
        if self.values is not None:
            return np.arange(len(self.values), dtype=np.float64)
        low, high = self.span
        return low + (np.arange(resolution) + 0.5) * (high - low) / resolution

    def column(self, positions: FloatArray) -> Any:
        """Convert positions back to values of the column, for a data frame; a missing category becomes None."""
        if self.values is None:
            return as_dates(positions) if self.dated else positions
        return [None if at != at else self.values[int(at)] for at in positions.tolist()]

    def label(self, axis: Any) -> None:
        """Label a matplotlib axis and its categories."""
        axis.set_label_text(caption(self.name, _AXIS_WIDTH))
        if self.values is not None:
            name_ticks(axis, [value_text(value, NAME_WIDTH) for value in self.values])
            axis.grid(False)
        elif self.dated:
            _date_ticks(axis, *self.span)


def as_dates(seconds: FloatArray | IntArray) -> AnyArray:
    """Convert seconds since 1970 to NumPy dates; NaT if missing."""
    found, known = np.full(len(seconds), np.datetime64("NaT", "us")), ~np.isnan(seconds)
    found[known] = (seconds[known] * 1e6).round().astype("datetime64[us]")
    return found


def _date_ticks(axis: Any, low: float, high: float) -> None:
    """Set a few evenly spaced date ticks; for short ranges, the labels include the time of day."""
    step = next((step for step in _DATE_STEPS if (high - low) / step <= _MOST_DATES), (high - low) / _MOST_DATES)
    places = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    axis.set_ticks(places, [date_text(place) if step < DAY else date_text(place)[:10] for place in places.tolist()])
    if axis.axis_name == "x":
        for text in axis.get_ticklabels():
            text.set(rotation=45, ha="right", rotation_mode="anchor")


def name_ticks(axis: Any, names: Sequence[str]) -> None:
    """Label positions 0, 1, ... of a matplotlib axis with names; if space is short, slant names or skip some."""
    across, box = axis.axis_name == "x", axis.axes.bbox
    room = 72.0 * (box.width if across else box.height) / axis.axes.figure.dpi  # in points
    step = -(-len(names) // max(2, int(room / (_FONT * (1.6 if across else 1.15)))))
    shown = captions(names, NAME_WIDTH)[::step]
    axis.set_ticks(range(0, len(names), step), shown)
    if across and sum(len(name) + 2 for name in shown) * 0.62 * _FONT > room:
        for text in axis.get_ticklabels():
            text.set(rotation=45, ha="right", rotation_mode="anchor")


def read_rows(model: Any, X: Any) -> Table:
    """Read a table with the model's own schema, or with an inferred schema if the model has none."""
    schema = getattr(model, "schema_", None)
    table = (schema if isinstance(schema, Schema) else inferred(X, "from_dtype", None)).read(X)
    if not len(table):
        raise ParameterError(
            f"X must have at least one row, got {quoted(X)}. Pass the rows to plot, such as the training rows."
        )
    return table


def axis_column(table: Table, a: int, *, known: bool = False) -> AxisColumn:
    """Return column ``a`` as an axis; ``known=True`` raises an error for text, and for columns without values."""
    name, column, kind = str(attribute_names(table.schema)[a]), table.columns[a], table.schema.kinds[a]
    if isinstance(column, Coded):
        found = _categories(name, column.codes.astype(np.int64), list(column.values))
    elif isinstance(kind, Ordinal):
        ranks = np.where(np.isnan(column), -1, column).astype(np.int64)
        found = _categories(name, ranks, list(kind.order), ordered=True)
    else:
        found = AxisColumn(name, np.asarray(column, np.float64), dated=isinstance(kind, Date))
    if known and isinstance(kind, Text):
        raise ParameterError(f"columns must not be text, got {quoted(name)}. Choose another column.")
    if known and np.isnan(found.positions).all():
        raise ParameterError(
            f"columns must have values, got {quoted(name)}, which is missing in every row. Choose another column."
        )
    return found


def _categories(name: str, codes: IntArray, values: list[Value], *, ordered: bool = False) -> AxisColumn:
    """Return an axis for a column of codes (-1 if missing), with a position for each value that occurs."""
    held = np.unique(codes[codes >= 0])
    order = held.tolist() if ordered else sorted(held.tolist(), key=lambda code: _sort_key(values[code]))
    position = np.full(len(values) + 1, np.nan)  # the last entry is for the code -1, missing
    position[order] = np.arange(len(order))
    rows = np.array([int(np.flatnonzero(codes == code)[0]) for code in order], np.int64)
    return AxisColumn(name, position[codes], tuple(values[code] for code in order), rows)


def _sort_key(value: Value) -> tuple[bool, float, str]:
    """Return a sort key that puts numbers first, by size, and then other values in alphabetical order."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return not number, float(value) if number else 0.0, value_text(value, 1_000)  # type: ignore[arg-type]  # a number, or not used


# -- planes


@dataclass(frozen=True, eq=False)
class Plane:
    """The plane of a plot, which maps each table row to a position, and each position to a hypothetical row.

    If ``columns`` contains two columns of the table, they are the axes. In all other columns, the hypothetical row has
    the values of the nearest table row.

    If ``columns`` is None, the axes are principal components. The hypothetical row is the nearest table row with each
    number x replaced with ``x + std (v . step)``. Here, ``step`` is the vector from the nearest row to the position.
    The column has ``loadings`` v on both axes, and the standard deviation ``std`` (from ``deviations``).
    """

    X: Any
    table: Table
    axes: tuple[AxisColumn, AxisColumn]
    columns: tuple[int, int] | None = None
    loadings: dict[int, FloatArray] = field(default_factory=dict)
    deviations: dict[int, float] = field(default_factory=dict)

    @property
    def points(self) -> FloatArray:
        """Position of each row, shape (rows, 2); NaN if a value is missing."""
        return np.column_stack([axis.positions for axis in self.axes])

    def queries(self, positions: FloatArray) -> Any:
        """Return a table of hypothetical rows, one at each of the given positions."""
        changes: dict[int, FloatArray | IntArray] = {}
        if self.columns is None:
            rows = self._nearest(positions)
            steps = positions - self.points[rows]
            for a, loading in self.loadings.items():
                changes[a] = np.asarray(self.table.columns[a])[rows] + self.deviations[a] * (steps @ loading)
        else:
            only = len(self.table.schema) == 2
            rows = np.zeros(len(positions), np.int64) if only else self._nearest(positions)
            for a, axis, wanted in zip(self.columns, self.axes, positions.T, strict=True):
                changes[a] = wanted if axis.values is None else axis.rows[wanted.astype(np.int64)]
        return with_changes(self.X, self.table, rows, changes)

    def _nearest(self, positions: FloatArray) -> IntArray:
        """Return the index of the table row nearest to each position; both axes are first divided by their spans."""
        points = self.points
        known = np.flatnonzero(~np.isnan(points).any(axis=1))
        if not known.size:
            return np.zeros(len(positions), np.int64)
        spans = np.array([high - low for low, high in (axis.span for axis in self.axes)])
        return known[KDTree(points[known] / spans).query(positions / spans)[1]]


def plane_of(X: Any, table: Table, columns: Any) -> Plane:
    """Return the plane of two columns; None means both columns of a two-column table, or else principal components."""
    width = len(table.schema)
    if columns is None and width < 2:
        raise ParameterError(
            f"X must be a table with at least two columns, got {quoted(X)}. LocalFitDisplay plots a model along one "
            "column."
        )
    if columns is None and width > 2:
        return _principal(X, table)
    if columns is not None and not (isinstance(columns, (list, tuple)) and len(columns) == 2):
        raise ParameterError(
            f"columns must be two columns, or None, got {quoted(columns)}. Pass names of columns, or positions from 0."
        )
    first, second = (0, 1) if columns is None else table.schema.positions(columns, parameter="columns")
    axes = axis_column(table, first, known=True), axis_column(table, second, known=True)
    return Plane(X, table, axes, (first, second))


def _principal(X: Any, table: Table) -> Plane:
    """Return the plane of the first two components in a factor analysis of mixed data (Pagès 2004).

    Numbers and ranks of ordinal levels are standardized. A category v with relative frequency p becomes a feature
    ``([x = v] - p) / sqrt(p)``. Missing values are replaced with the mean. Text and set columns are ignored.
    """
    features, deviations, at = _features(table)
    sizes, vectors = np.linalg.eigh(features.T @ features / len(features))
    order = np.argsort(-sizes, kind="stable")[:2]
    vectors = vectors[:, order]
    # The signs of eigenvectors are arbitrary: the largest loading of each axis is made positive.
    largest = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.where(vectors[largest, [0, 1]] < 0, -1.0, 1.0)
    shares = np.maximum(sizes[order] / max(float(sizes.sum()), 1e-300), 0.0)
    points = features @ vectors
    first, second = (AxisColumn(f"component {i + 1} ({shares[i]:.0%} of the variance)", points[:, i]) for i in (0, 1))
    loadings = {a: vectors[column] for a, column in at.items()}
    return Plane(X, table, (first, second), None, loadings, deviations)


def _features(table: Table) -> tuple[FloatArray, dict[int, float], dict[int, int]]:
    """Return the features (see `_principal`), and the deviation and the feature position of each numeric column."""
    features: list[FloatArray] = []
    deviations, at = {}, {}
    for a, (kind, column) in enumerate(zip(table.schema.kinds, table.columns, strict=True)):
        if isinstance(kind, (Text, Set)):
            continue
        if isinstance(column, Coded):
            codes = np.asarray(column.codes)
            for code in np.unique(codes[codes >= 0]).tolist():
                share = float((codes == code).sum() / (codes >= 0).sum())
                features.append(np.where(codes < 0, 0.0, ((codes == code) - share) / np.sqrt(share)))
            continue
        numbers = np.asarray(column, np.float64)
        if np.isnan(numbers).all():
            continue
        parts = [numbers]
        if isinstance(kind, Circular):
            parts = [wave(numbers / kind.period * (2 * np.pi)) for wave in (np.cos, np.sin)]
        for part in parts:
            deviation = float(np.nanstd(part)) or 1.0
            if isinstance(kind, Numeric) and len(parts) == 1:
                deviations[a], at[a] = deviation, len(features)
            features.append(np.nan_to_num((part - np.nanmean(part)) / deviation, nan=0.0))
    while len(features) < 2:
        features.append(np.zeros(len(table)))
    return np.column_stack(features), deviations, at


# -- points


def spread_out(points: FloatArray, axes: Sequence[AxisColumn]) -> FloatArray:
    """Return points with a small, deterministic jitter along axes with categories."""
    found = points.copy()
    for i, axis in enumerate(axes):
        if axis.values is not None:
            found[:, i] += 0.56 * (_GOLDEN * (np.arange(len(points)) * (2 * i + 1)) % 1.0 - 0.5)
    return found


def draw_classes(ax: Any, points: FloatArray, labels: AnyArray, classes: Sequence[Value]) -> None:
    for label, style in class_styles(classes).items():
        red, green, blue = (int(style.color[at : at + 2], 16) for at in (1, 3, 5))
        # Light points would be lost in their own tint if the page is printed in gray.
        edge = INK if 0.299 * red + 0.587 * green + 0.114 * blue > _LIGHT else "white"
        look = {"color": style.color, "marker": style.marker, "edgecolors": edge, "linewidths": 0.7}
        ax.scatter(*points[labels_equal(labels, label)].T, s=26, label=str(label), clip_on=False, zorder=3, **look)


def labels_equal(labels: AnyArray, label: Value) -> BoolArray:
    return np.array([other == label for other in labels.tolist()], dtype=bool)


def draw_colorbar(ax: Any, shades: Any, label: str) -> None:
    bar = ax.figure.colorbar(shades, ax=ax, pad=0.02, aspect=30)
    bar.outline.set_visible(False)
    bar.set_label(label)


# -- targets and rows


def check_single_target(targets: AnyArray) -> AnyArray:
    if targets.ndim > 1 and targets.shape[1] > 1:
        raise TargetError("got several target columns; a plot shows one target. Fit one estimator per target.")
    return targets.ravel()


def read_targets(y: Any, rows: int) -> AnyArray:
    """Check that there is one target for each row, and return the targets as an array."""
    targets = as_array(y)
    if len(targets) != rows:
        raise TargetError(
            f"Found input variables with inconsistent numbers of samples: X has {rows} and y has {len(targets)}. Pass "
            "one entry of y for each row of X."
        )
    return check_single_target(targets)


def with_changes(X: Any, table: Table, rows: IntArray, changes: Mapping[int, FloatArray | IntArray]) -> Any:
    """Return copies of some rows of X with new values in some columns.

    ``changes`` maps positions of columns to their new values: floats are the new numbers, and integers are rows of X
    that provide the new values.
    """
    if nw.dependencies.is_into_dataframe(X):
        frame = nw.maybe_reset_index(nw.from_native(taken_rows(X, rows), eager_only=True))
        for a, change in changes.items():
            name: Any = frame.columns[a] if table.schema.names is None else table.schema.label(a)
            if change.dtype.kind == "i":
                taken = nw.from_native(taken_rows(X, change.astype(np.int64)), eager_only=True)
                frame = frame.with_columns(nw.maybe_reset_index(taken)[name])
            else:
                given = as_dates(change) if isinstance(table.schema.kinds[a], Date) else change
                frame = frame.with_columns(nw.new_series(name, given, backend=frame.implementation))
        return frame.to_native()
    if isinstance(X, NamedColumns):
        data = {name: column[rows] for name, column in X.data.items()}
        for a, change in changes.items():
            name = list(X.data)[a]
            data[name] = X.data[name][change] if change.dtype.kind == "i" else change
        return NamedColumns.of(data, X.kinds)
    numbers = isinstance(X, np.ndarray) and X.dtype.kind in "fiu"
    # For a list of rows or an array of objects, the extra None keeps NumPy from converting values to strings.
    whole = X.astype(np.float64) if numbers else np.array([[*row, None] for row in decoded(table)], object)[:, :-1]
    copies = whole[rows]
    for a, change in changes.items():
        if change.dtype.kind == "i":
            copies[:, a] = whole[change, a]
        elif isinstance(table.schema.kinds[a], Date):
            copies[:, a] = as_dates(change).tolist()
        else:
            copies[:, a] = change
    return copies if numbers else copies.tolist()


@dataclass(frozen=True, eq=False)
class StoredRows:
    """Rows that a learner has stored, in the order of their ids."""

    schema: Schema
    ids: IdArray
    rows: list[Row]
    cells: FloatArray  # the rows as numbers, with a code for each category
    targets: AnyArray


def stored_rows(model: Any, *, voting: bool = False) -> StoredRows:
    """Return the rows that a fitted learner has stored; with ``voting=True``, only the rows that vote."""
    if not isinstance(model, NeighborsEstimator | ConceptLearner) or isinstance(model, KNNTransformer):
        raise ParameterError(
            f"model must predict from stored rows, got {quoted(model)}. KNNClassifier, KNNRegressor, "
            "LocallyWeightedRegressor and IB1 to IB5 store their rows."
        )
    check_is_fitted(model)
    model = pinned(model)
    instances = model._stored().instances
    if isinstance(model, ConceptLearner):
        ids, targets = _concept_rows(model, voting)
    elif isinstance(model, LocallyWeightedRegressor):
        numbers = [instances.target(t) for t in range(len(instances.targets))]
        ids, targets = instances.ids.copy(), model._shaped(np.column_stack(numbers))
    else:
        ids, targets = instances.ids.copy(), np.asarray(model._targets_at(np.arange(len(instances))))
    at = instances.positions(ids)
    return StoredRows(instances.schema, ids, instances.decode(at), instances.cells(at), check_single_target(targets))


def _concept_rows(model: ConceptLearner, voting: bool) -> tuple[IdArray, AnyArray]:
    columns = frame_columns(model.concept_)
    if "concept" in columns:
        raise ParameterError(
            f"model must have one description for all classes, got {quoted(model)}. Fit it with per_class=False."
        )
    ids, classes = np.asarray(columns["id"], np.int64), np.asarray(columns["class"])
    good = np.asarray(columns["verdict"] == "acceptable")
    if voting and model._keep == "significant" and good.any():
        ids, classes = ids[good], classes[good]
    order = np.argsort(ids, kind="stable")
    return ids[order], classes[order]


def frame_columns(frame: Any) -> dict[str, AnyArray]:
    """Return the columns of a data frame of any library, as a mapping from names to arrays."""
    if isinstance(frame, dict):
        return frame
    columns = nw.from_native(frame, eager_only=True).to_dict()
    return {name: column.to_numpy() for name, column in columns.items()}
