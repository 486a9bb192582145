"""Plots in a plane: the predictions of a model, and the Voronoi cells of stored rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from scipy.spatial import Voronoi
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval

from priorcase._parameters import check_value
from priorcase._typing import AnyArray, Backend, FloatArray, IdArray, Value
from priorcase.concepts.memory import ConceptMemory
from priorcase.exceptions import ParameterError, TargetError, quoted
from priorcase.learning.plotting import INK, MUTED, class_styles, drawing, legend_beside, style, tint
from priorcase.learning.results import attribute_names, framed, free_label
from priorcase.learning.state import pinned
from priorcase.learning.targets import has_fractions, objects
from priorcase.plots.display import (
    AxisColumn,
    Display,
    draw_classes,
    draw_colorbar,
    plane_of,
    read_rows,
    read_targets,
    spread_out,
    stored_rows,
)
from priorcase.schema import Numeric, Schema
from priorcase.schema.schema import backend_of

_MOST_POINTS = 2000
_PALEST, _STRONGEST = 0.08, 0.42
_SHADES = "cividis"


@dataclass(frozen=True, eq=False, repr=False)
class DecisionSurface(Display):
    """Predictions of a model over a plane, with rows as points; created by `DecisionSurface.of`.

    Each class has a hatch and a tint, which is stronger for higher probabilities. Thin lines separate the classes.

    ``axes`` contain the positions of the rows, and ``places`` the grid positions along both axes. ``predictions`` has
    shape (positions of the second axis, positions of the first axis). ``probabilities`` has a third dimension for the
    ``classes``, or is None; ``classes`` is None for regression. ``targets`` are the classes or numbers of the rows, or
    None.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ["a", "a", "b", "b"]
    >>> surface = DecisionSurface.of(pc.KNNClassifier(1).fit(X, y), X, y, resolution=2)
    >>> surface.predictions
    array([['a', 'a'],
           ['b', 'b']], dtype='<U1')
    """

    axes: tuple[AxisColumn, AxisColumn]
    places: tuple[FloatArray, FloatArray]
    predictions: AnyArray
    probabilities: FloatArray | None
    classes: tuple[Value, ...] | None
    targets: AnyArray | None
    backend: Backend | None = None

    @classmethod
    def of(
        cls, model: Any, X: Any, y: Any = None, *, columns: Any = None, resolution: int = 160, proba: bool = True
    ) -> DecisionSurface:
        """Create a display of the predictions of a fitted model over the plane spanned by the rows.

        Parameters
        ----------
        model
            A fitted classifier or regressor, from this library or another library.
        X
            Rows to plot, usually the training rows; they determine the plane.
        y
            Targets of the rows, which color the points; None for gray points.
        columns
            The two columns to plot, by name or position; at each position, the other columns have the values of the
            nearest row. None uses the only two columns or, for more columns, the first two principal components. The
            prediction at a position is then for the nearest row, with its numbers moved toward the position.
        resolution
            Number of positions along a numeric axis; other axes have one position per value.
        proba
            Whether tints depend on the predicted probabilities; False for plain regions.
        """
        check_value("resolution", resolution, [Interval(Integral, 2, 2000, closed="both")])
        check_value("proba", proba, ["boolean"])
        table = read_rows(model, X)
        targets = None if y is None else read_targets(y, len(table))
        plane = plane_of(X, table, columns)
        across, up = (axis.middles(int(resolution)) for axis in plane.axes)
        queries = plane.queries(np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2))
        predicted = np.asarray(model.predict(queries))
        if predicted.ndim != 1:
            raise TargetError("got several target columns; a plot shows one target. Fit one estimator per target.")
        classes = tuple(model.classes_.tolist()) if hasattr(model, "classes_") else None
        shape, probabilities = (up.size, across.size), None
        if proba and classes is not None and hasattr(model, "predict_proba"):
            probabilities = np.asarray(model.predict_proba(queries)).reshape(*shape, -1)
        found = predicted.reshape(shape)
        return cls(plane.axes, (across, up), found, probabilities, classes, targets, backend_of(X))

    def _summary(self) -> str:
        down, across = self.predictions.shape
        what = "numbers" if self.classes is None else f"{len(self.classes)} classes"
        return f"{what} at {across} x {down} positions of {self.axes[0].name} and {self.axes[1].name}"

    def frame(self) -> Any:
        """Return a frame with one row per position.

        The columns are both axes by name, ``predicted``, and ``p(CLASS)`` for each class.
        """
        columns: dict[str, Any] = {}
        for axis, at in zip(self.axes, np.meshgrid(*self.places), strict=True):
            columns[free_label(axis.name, columns)] = axis.column(at.ravel())
        columns[free_label("predicted", columns)] = self.predictions.ravel()
        if self.probabilities is not None:
            for c, label in enumerate(self.classes or ()):
                columns[free_label(f"p({label})", columns)] = self.probabilities[..., c].ravel()
        return framed(columns, self.backend)

    def plot(self, ax: Any = None) -> Any:
        """Plot the regions, and at most 2000 rows as points; return the axes."""
        with drawing(ax, size=(5.6, 4.2)) as ax:
            points = spread_out(np.column_stack([axis.positions for axis in self.axes]), self.axes)
            shown = np.unique(np.linspace(0, len(points) - 1, min(len(points), _MOST_POINTS)).round().astype(np.int64))
            points, targets = points[shown], None if self.targets is None else self.targets[shown]
            if self.classes is None:
                self._draw_numbers(ax, points, targets)
            else:
                self._draw_regions(ax, self.classes)
                if targets is None:
                    look = {"s": 14, "color": MUTED, "edgecolors": "white", "linewidths": 0.5}
                    ax.scatter(*points.T, zorder=3, clip_on=False, **look)
                    points, targets = np.empty((0, 2)), objects([])
                draw_classes(ax, points, targets, self.classes)
                legend_beside(ax, behind=_patches(len(self.classes)))
            _finish(ax, self.axes)
            return ax

    def _draw_regions(self, ax: Any, classes: Sequence[Value]) -> None:
        """Draw the region of each class with a tint, a hatch and a thin border."""
        at = {label: c for c, label in enumerate(classes)}
        codes = np.array([at[label] for label in self.predictions.ravel().tolist()]).reshape(self.predictions.shape)
        hues = np.array([[int(tint(c, 1.0)[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in range(len(classes))])
        _draw_image(ax, self.axes, 1.0 + self._strengths(codes, len(classes))[..., None] * (hues[codes] - 1.0))
        # A category fills its whole cell, so that lines run along the edges of cells and not between their centers.
        across, codes = _edges(self.axes[0], self.places[0], codes, 1)
        up, codes = _edges(self.axes[1], self.places[1], codes, 0)
        for c in range(len(classes)):
            here = (codes == c).astype(np.float64)
            if not here.any() or here.all():
                continue
            if hatch := style(c).hatch:
                area = ax.contourf(across, up, here, [0.5, 1.5], colors="none", hatches=[hatch[:2]], zorder=0.5)
                area.set_edgecolor(tint(c, 0.55))
                area.set_linewidth(0.0)
            ax.contour(across, up, here, [0.5], colors=INK, linewidths=0.5, zorder=1)

    def _strengths(self, codes: AnyArray, n: int) -> FloatArray:
        """Return the strength of the tint at each position, which grows with the probability of the predicted class."""
        if self.probabilities is None or n < 2:
            return np.full(codes.shape, 0.25)
        sure = np.take_along_axis(self.probabilities, codes[..., None], axis=2)[..., 0]
        return np.asarray(_PALEST + (_STRONGEST - _PALEST) * np.clip((sure - 1.0 / n) / (1.0 - 1.0 / n), 0.0, 1.0))

    def _draw_numbers(self, ax: Any, points: FloatArray, targets: AnyArray | None) -> None:
        """Draw predicted numbers as shades, and rows as points in the shade of their target."""
        values = self.predictions.astype(np.float64)
        known = values[np.isfinite(values)]
        if targets is not None:
            known = np.concatenate([known, targets.astype(np.float64)])
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
        margin = 0.0 if high > low else 0.1 * abs(low) or 0.1
        shades: dict[str, Any] = {"cmap": _SHADES, "vmin": low - margin, "vmax": high + margin}
        image = _draw_image(ax, self.axes, values, **shades)
        if targets is None:
            ax.scatter(*points.T, s=16, color="white", edgecolors=INK, linewidths=0.7, zorder=3)
        else:
            look = {"c": targets.astype(np.float64), "edgecolors": "white", "linewidths": 0.9}
            ax.scatter(*points.T, s=26, zorder=3, **look, **shades)
        draw_colorbar(ax, image, "predicted")


def _draw_image(ax: Any, axes: Sequence[AxisColumn], image: AnyArray, **options: Any) -> Any:
    fixed: dict[str, Any] = {"origin": "lower", "aspect": "auto", "interpolation": "nearest", "zorder": 0}
    return ax.imshow(image, extent=[*axes[0].span, *axes[1].span], **fixed, **options)


def _edges(axis: AxisColumn, places: FloatArray, codes: AnyArray, dimension: int) -> tuple[FloatArray, AnyArray]:
    """Return positions and class codes for drawing contours; each category appears at both edges of its cell."""
    if axis.values is None:
        low, high = axis.span  # the outermost cells extend to the edge of the plot
        return np.concatenate([[low], places[1:-1], [high]]), codes
    edges = np.repeat(places, 2) + np.tile([-0.4999, 0.4999], places.size)
    return edges, np.repeat(codes, 2, axis=dimension)


def _patches(n: int) -> list[Any]:
    """Return legend entries for the regions of ``n`` classes."""
    from matplotlib.patches import Patch

    return [
        Patch(facecolor=tint(c, 0.3), edgecolor=tint(c, 0.7), hatch=style(c).hatch[:2] * 2, linewidth=0.0)
        for c in range(n)
    ]


def _finish(ax: Any, axes: Sequence[AxisColumn]) -> None:
    ax.set(xlim=axes[0].span, ylim=axes[1].span)
    axes[0].label(ax.xaxis)
    axes[1].label(ax.yaxis)
    ax.grid(False)


# -- Voronoi cells


@dataclass(frozen=True, eq=False, repr=False)
class VoronoiCells(Display):
    """Voronoi cells of rows in a plane; created by `VoronoiCells.of`.

    The cell of a row contains the positions that are nearer to this row than to any other row. In each cell, 1-NN
    predicts the target of the cell's row. Rows at the same position share a cell, which belongs to the first of these
    rows.

    ``axes`` contain the positions of the rows; for a concept learner, they also cover the range of all numbers that it
    has seen. ``ids``, ``points`` and ``targets`` are the id, position and target of the row of each cell. ``corners``
    are the ordered corners of each cell, clipped to the plot. ``classes`` is None if the targets are numbers.

    Examples
    --------
    >>> cells = VoronoiCells.of([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ["a", "a", "b", "b"])
    >>> cells.areas
    array([0.25, 0.25, 0.25, 0.25])
    """

    axes: tuple[AxisColumn, AxisColumn]
    ids: IdArray
    points: FloatArray
    corners: tuple[FloatArray, ...]
    targets: AnyArray
    classes: tuple[Value, ...] | None
    backend: Backend | None = None

    @classmethod
    def of(cls, model: Any, y: Any = None) -> VoronoiCells:
        """Create a display of the cells of the rows that a model has stored, or of the rows of a table.

        Parameters
        ----------
        model
            A fitted model that stores rows of two numeric columns (a `KNNClassifier`, `IB2`, ...). The distance must be
            Euclidean, up to scales and attribute weights. For concept learners, only the instances that vote have
            cells. Alternatively, a table of rows; its columns are scaled by their ranges, as in ``Distance("heom")``.
        y
            The classes or numbers of the rows, if rows are passed.
        """
        if isinstance(model, BaseEstimator):
            if y is not None:
                raise ParameterError(
                    f"y must be None if a model is passed, got {quoted(y)}. A model already has the targets "
                    "of its rows. To plot other rows, pass the rows instead of the model."
                )
            stored, backend = stored_rows(model, voting=True), getattr(model, "_backend", None)
            schema, cells, targets, ids = stored.schema, stored.cells, stored.targets, stored.ids
            _check_numbers(schema, cells, model)
            scales, shown = _scales(model, cells), _limits(model, cells)
        else:
            table, backend = read_rows(None, model), backend_of(model)
            numbers = [column for column in table.columns if isinstance(column, np.ndarray)]
            schema, cells = table.schema, np.column_stack(numbers or [np.empty(0)])
            _check_numbers(schema, cells, model)
            if y is None:
                raise ParameterError("y must contain the target of each row, got None. Pass the classes or numbers.")
            targets, ids = read_targets(y, len(table)), np.arange(len(table))
            scales, shown = 1.0 / _ranges(cells), cells
        names = attribute_names(schema)
        axes = tuple(AxisColumn(str(name), shown[:, i]) for i, name in enumerate(names))
        labels = getattr(model, "classes_", None)
        classes = None if has_fractions(targets) else np.unique(targets) if labels is None else labels
        first = np.sort(np.unique(cells, axis=0, return_index=True)[1])
        box = np.array([axis.span for axis in axes])
        # The scale of a constant column is arbitrary. Positions relative to the corner of the box lose no digits.
        scales = np.where(np.ptp(cells, axis=0) > 0, scales, 1.0 / np.diff(box).ravel())
        corners = _corners((cells[first] - box[:, 0]) * scales, (box - box[:, :1]) * scales[:, None])
        corners = tuple(corner / scales + box[:, 0] for corner in corners)
        named = None if classes is None else tuple(classes.tolist())
        return cls((axes[0], axes[1]), ids[first], cells[first], corners, targets[first], named, backend)

    def __len__(self) -> int:
        return len(self.corners)

    @property
    def areas(self) -> FloatArray:
        """Share of the plot that each cell covers."""
        areas = np.array(
            [abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) for x, y in (each.T for each in self.corners)]
        )
        return np.asarray(areas / areas.sum())

    def _summary(self) -> str:
        return f"{len(self)} cells of {self.axes[0].name} and {self.axes[1].name}"

    def frame(self) -> Any:
        """Return a frame with one row per cell.

        The columns are ``id``, both plotted columns by name, ``target`` and ``area``.
        """
        columns: dict[str, Any] = {"id": self.ids}
        named = zip((axis.name for axis in self.axes), self.points.T, strict=True)
        for name, column in (*named, ("target", self.targets), ("area", self.areas)):
            columns[free_label(name, columns)] = column
        return framed(columns, self.backend)

    def plot(self, ax: Any = None) -> Any:
        """Plot the cells in the tint of their class, or in the shade of their target; return the axes."""
        with drawing(ax, size=(5.2, 4.2)) as ax:
            from matplotlib.collections import PolyCollection

            if self.classes is None:
                cells = PolyCollection(self.corners, cmap=_SHADES, edgecolors="white", linewidths=0.5, zorder=0)
                cells.set_array(self.targets.astype(np.float64))
                ax.add_collection(cells)
                ax.scatter(*self.points.T, s=12, color="white", edgecolors=INK, linewidths=0.6, zorder=3)
                draw_colorbar(ax, cells, "target")
            else:
                of = {label: c for c, label in enumerate(class_styles(self.classes))}
                codes = np.array([of[label] for label in self.targets.tolist()])
                for c in range(len(self.classes)):
                    own = [self.corners[i] for i in np.flatnonzero(codes == c).tolist()]
                    look: dict[str, Any] = {"facecolors": tint(c, 0.3), "edgecolors": tint(c, 0.7), "linewidths": 0.0}
                    ax.add_collection(PolyCollection(own, hatch=style(c).hatch[:2] or None, zorder=0, **look))
                look = {"facecolors": "none", "edgecolors": INK, "linewidths": 0.5}
                ax.add_collection(PolyCollection(self.corners, zorder=1, **look))
                draw_classes(ax, self.points, self.targets, self.classes)
                legend_beside(ax, behind=_patches(len(self.classes)))
            _finish(ax, self.axes)
            return ax


def _check_numbers(schema: Schema, cells: FloatArray, given: Any) -> None:
    numeric = len(schema) == 2 and all(type(kind) is Numeric for kind in schema.kinds)
    if not numeric or not len(cells) or np.isnan(cells).any():
        raise ParameterError(
            f"model must have two numeric columns without missing values, got {quoted(given)}. DecisionSurface plots "
            "tables with any columns."
        )


def _ranges(cells: FloatArray) -> FloatArray:
    ranges = np.ptp(cells, axis=0)
    return np.where(ranges > 0, ranges, 1.0)


def _scales(model: Any, cells: FloatArray) -> FloatArray:
    """Return a factor for each column, such that the model uses the Euclidean distance of the scaled columns."""
    memory = pinned(model)._stored()
    if isinstance(memory, ConceptMemory):
        first = memory.descriptions[None]
        fitted, weights = first.comparison.with_ranges(*first.core.ranges()), None
    elif memory.local_weights:
        raise ParameterError(
            f"model must have the same attribute weights everywhere, got {quoted(model)}. Learn one weight per "
            "column, for example with attribute_weights='relief'."
        )
    else:
        fitted, weights = memory.fitted, memory.attribute_weights
    ranges = _ranges(cells)
    # Costs of half a range and of a whole range: in a Euclidean distance, the second is four times the first.
    steps = fitted.contributions(cells[0], cells[0] + np.outer([0.5, 1.0], ranges), weights)
    straight = fitted.distance.power == 2.0 and not fitted.distance.unit_length
    if not straight or not np.allclose(4.0 * steps[0], steps[1]):
        raise ParameterError(
            f"model must have a Euclidean distance, got {quoted(model)}. DecisionSurface plots models with any "
            "distance."
        )
    scales: FloatArray = np.sqrt(steps[1]) / ranges
    if not (scales > 0).all():
        raise ParameterError(
            f"model must have attribute weights above 0, got {quoted(model)}. Drop columns of weight 0, along "
            "which cells are unbounded."
        )
    return scales


def _limits(model: Any, cells: FloatArray) -> FloatArray:
    """Return positions that the plot must show: the stored rows and, for a concept learner, the range it has seen."""
    memory = model._stored()
    if not isinstance(memory, ConceptMemory):
        return cells
    ends = np.array(memory.descriptions[None].core.ranges())
    return cells if np.isnan(ends).any() else np.vstack([cells, ends])


def _corners(points: FloatArray, box: FloatArray) -> tuple[FloatArray, ...]:
    """Return the corners of the Voronoi cell of each point, clipped to a box."""
    # Points are mirrored at the four sides of the box, so that these sides become edges of cells.
    mirrored = [points]
    for i in (0, 1):
        for side in box[i]:
            image = points.copy()
            image[:, i] = 2.0 * side - image[:, i]
            mirrored.append(image)
    diagram, found = Voronoi(np.concatenate(mirrored)), []
    for i, point in enumerate(points):
        corners = diagram.vertices[diagram.regions[diagram.point_region[i]]]
        apart = corners - point
        found.append(corners[np.argsort(np.arctan2(apart[:, 1], apart[:, 0]), kind="stable")])
    return tuple(found)
