"""The cells of the nearest-neighbour rule: which places are nearest to which row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import Voronoi
from sklearn.base import BaseEstimator

from priorcase._typing import AnyArray, Backend, FloatArray, IdArray, IntArray, Value
from priorcase.exceptions import ParameterError, TargetError, prefix_errors, quoted
from priorcase.learning.plotting import INK, class_styles, drawing, legend_beside, style, tint
from priorcase.learning.results import attribute_names, framed, free_label
from priorcase.learning.targets import as_array, has_fractions
from priorcase.plots.columns import AxisColumn, read_rows
from priorcase.plots.display import Display
from priorcase.plots.points import draw_classes
from priorcase.plots.regions import region_patch
from priorcase.plots.stored import fitted_distance, seen_ranges, stored_rows
from priorcase.schema import Numeric, Schema
from priorcase.schema.schema import backend_of

_NUMBERS = "a table of two numeric columns without gaps"


@dataclass(frozen=True, eq=False, repr=False)
class VoronoiCells(Display):
    """The cell of each row: the places of a plane that are nearer to it than to any other row, which 1-NN answers from.

    Made by `of`. Rows at one place share a cell, which goes to the first of them, as equally near rows do in a search.

    Parameters
    ----------
    axes
        The two axes with the places of the rows; of a concept also the ends of the numbers it has seen.
    ids
        The id of the row that each cell belongs to.
    points
        Its place, (cells, 2).
    corners
        The corners of each cell in turn, as far as the picture reaches.
    targets
        The class or number of each cell's row.
    classes
        The classes; None where targets are numbers.
    backend
        The library whose frame the rows came in, or None.

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
        """The cells of the rows that a model has stored, or of the rows of a table.

        Parameters
        ----------
        model
            A fitted model that stores rows of two numeric columns (a `KNNClassifier`, `IB2`, ...): distances are its
            own, scales and attribute weights included, as far as they are Euclidean; of a concept description only the
            instances that speak have cells. Or the rows themselves: then each column counts by its range, as in
            ``Distance("heom")``.
        y
            The classes or numbers of the rows, where these are given themselves.
        """
        if isinstance(model, BaseEstimator):
            if y is not None:
                raise ParameterError(
                    f"y must be None beside a model, got {quoted(y)}. A model knows the targets of its rows; or pass "
                    "the rows in place of the model."
                )
            stored = stored_rows(model, speaking=True)
            schema, cells, targets, ids = stored.schema, stored.cells, stored.targets, stored.ids
            backend = getattr(model, "_backend", None)
            _check_numbers(schema, cells, model)
            scales, seen = _scales(model, cells), seen_ranges(model, cells)
        else:
            table = read_rows(None, model)
            schema, backend = table.schema, backend_of(model)
            cells = _cells(table, model)
            targets, ids = _targets(y, len(table)), np.arange(len(table))
            scales, seen = 1.0 / _ranges(cells), cells
        axes = _axes(schema, seen)
        classes = None if has_fractions(targets) else _classes(model, targets)
        first = _first_at_each_place(cells)
        box = np.array([axis.span for axis in axes])
        # A constant column sets no rows apart, at any scale; from the corner of the box no digits are lost.
        scales = np.where(np.ptp(cells, axis=0) > 0, scales, 1.0 / np.diff(box).ravel())
        corners = _corners((cells[first] - box[:, 0]) * scales, (box - box[:, :1]) * scales[:, None])
        corners = tuple(corner / scales + box[:, 0] for corner in corners)
        return cls(axes, ids[first], cells[first], corners, targets[first], classes, backend)

    def __len__(self) -> int:
        return len(self.corners)

    @property
    def areas(self) -> FloatArray:
        """The part of the picture that each cell covers; they add up to 1."""
        areas = np.array([_area(corner) for corner in self.corners])
        return np.asarray(areas / areas.sum())

    def _said(self) -> str:
        return f"{len(self)} cells of {self.axes[0].name} and {self.axes[1].name}"

    def frame(self) -> Any:
        """One line for each cell: ``id``, the place of its row by the columns' names, ``target``, ``area``.

        In a frame of the library that the rows came in, or of one that is installed.
        """
        columns: dict[str, Any] = {"id": self.ids}
        for i, axis in enumerate(self.axes):
            columns[free_label(axis.name, columns)] = self.points[:, i]
        columns[free_label("target", columns)] = self.targets
        columns[free_label("area", columns)] = self.areas
        return framed(columns, self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """The cells in the tints of their classes, or in shades of their numbers; the axes come back.

        Parameters
        ----------
        ax
            Axes of matplotlib to draw on; None for a figure of its own.
        """
        with drawing(ax, size=(5.2, 4.2)) as ax:
            if self.classes is None:
                self._draw_numbers(ax)
            else:
                self._draw_classes(ax, self.classes)
            ax.set(xlim=self.axes[0].span, ylim=self.axes[1].span)
            self.axes[0].dress(ax.xaxis)
            self.axes[1].dress(ax.yaxis)
            ax.grid(False)
            return ax

    def _draw_classes(self, ax: Any, classes: tuple[Value, ...]) -> None:
        from matplotlib.collections import PolyCollection

        of = {label: c for c, label in enumerate(class_styles(classes))}
        codes = np.array([of[label] for label in self.targets.tolist()])
        for c in range(len(classes)):
            mine = [self.corners[i] for i in np.flatnonzero(codes == c).tolist()]
            look: dict[str, Any] = {
                "facecolors": tint(c, 0.3),
                "edgecolors": tint(c, 0.7),
                "linewidths": 0.0,
                "zorder": 0,
            }
            ax.add_collection(PolyCollection(mine, hatch=style(c).hatch[:2] or None, **look))
        ax.add_collection(PolyCollection(self.corners, facecolors="none", edgecolors=INK, linewidths=0.5, zorder=1))
        draw_classes(ax, self.points, self.targets, classes)
        legend_beside(ax, behind=[region_patch(c) for c in range(len(classes))])

    def _draw_numbers(self, ax: Any) -> None:
        from matplotlib.collections import PolyCollection

        cells = PolyCollection(self.corners, cmap="cividis", edgecolors="white", linewidths=0.5, zorder=0)
        cells.set_array(self.targets.astype(np.float64))
        ax.add_collection(cells)
        ax.scatter(*self.points.T, s=12, color="white", edgecolors=INK, linewidths=0.6, zorder=3)
        bar = ax.figure.colorbar(cells, ax=ax, pad=0.02, aspect=30)
        bar.outline.set_visible(False)
        bar.set_label("target")


def _scales(model: Any, cells: FloatArray) -> FloatArray:
    """By what to multiply both columns so that the model's distance is the Euclidean one."""
    fitted, weights = fitted_distance(model)
    ranges = _ranges(cells)
    # A difference of half and of a whole range: of a Euclidean distance, the second counts four times the first.
    steps = fitted.contributions(cells[0], cells[0] + np.outer([0.5, 1.0], ranges), weights)
    straight = fitted.distance.power == 2.0 and not fitted.distance.unit_length
    if not straight or not np.allclose(4.0 * steps[0], steps[1]):
        raise ParameterError(
            f"model must be one with a Euclidean distance, got {quoted(model)}. DecisionSurface draws the answers "
            "of any distance."
        )
    scales: FloatArray = np.sqrt(steps[1]) / ranges
    if not (scales > 0).all():
        raise ParameterError(
            f"model must have attribute weights above 0, got {quoted(model)}. An attribute of weight 0 makes cells "
            "without end; leave it out."
        )
    return scales


def _corners(points: FloatArray, box: FloatArray) -> tuple[FloatArray, ...]:
    """The corners of the cells, in turn, cut at a box: points mirrored at its sides make its sides edges of cells."""
    mirrored = [points]
    for i in (0, 1):
        for side in box[i]:
            image = points.copy()
            image[:, i] = 2.0 * side - image[:, i]
            mirrored.append(image)
    diagram = Voronoi(np.concatenate(mirrored))
    regions = (diagram.regions[diagram.point_region[i]] for i in range(len(points)))
    return tuple(_turned(diagram.vertices[region], point) for region, point in zip(regions, points, strict=True))


def _turned(corners: FloatArray, point: FloatArray) -> FloatArray:
    """Corners in the order of their directions from the point inside."""
    apart = corners - point
    return np.asarray(corners[np.argsort(np.arctan2(apart[:, 1], apart[:, 0]), kind="stable")])


def _area(corners: FloatArray) -> float:
    x, y = corners.T
    return float(0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))))


def _first_at_each_place(cells: FloatArray) -> IntArray:
    """The first row at each place, in the order of the rows."""
    _, first = np.unique(cells, axis=0, return_index=True)
    return np.sort(first)


def _ranges(cells: FloatArray) -> FloatArray:
    ranges = np.ptp(cells, axis=0)
    return np.where(ranges > 0, ranges, 1.0)


def _axes(schema: Schema, rows: FloatArray) -> tuple[AxisColumn, AxisColumn]:
    first, second = map(str, attribute_names(schema))
    nobody = np.empty(0, np.int64)
    return AxisColumn(first, rows[:, 0], None, nobody), AxisColumn(second, rows[:, 1], None, nobody)


def _cells(table: Any, X: Any) -> FloatArray:
    if not all(isinstance(kind, Numeric) for kind in table.schema.kinds):
        raise _wrong(X)
    cells = np.column_stack(table.columns)
    _check_numbers(table.schema, cells, X)
    return cells


def _check_numbers(schema: Schema, cells: FloatArray, model: Any) -> None:
    numeric = len(schema) == 2 and all(isinstance(kind, Numeric) for kind in schema.kinds)
    if not numeric or not len(cells) or np.isnan(cells).any():
        raise _wrong(model)


def _wrong(X: Any) -> ParameterError:
    return ParameterError(f"model must be {_NUMBERS}, got {quoted(X)}. DecisionSurface draws tables of any columns.")


def _targets(y: Any, rows: int) -> AnyArray:
    if y is None:
        raise ParameterError("y must hold the targets of the rows, got None. Pass the class or number of each row.")
    targets = as_array(y)
    if len(targets) != rows:
        raise TargetError(
            f"Found input variables with inconsistent numbers of samples: X has {rows} and y has {len(targets)}. Pass "
            "one entry of y for each row of X."
        )
    return targets.ravel()


def _classes(model: Any, targets: AnyArray) -> tuple[Value, ...]:
    known = getattr(model, "classes_", None)
    return tuple(np.unique(targets).tolist() if known is None else known.tolist())
