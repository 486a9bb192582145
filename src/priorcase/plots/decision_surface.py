"""What a model answers at every place of a plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._parameters import check_flag, is_whole
from priorcase._typing import AnyArray, Backend, FloatArray, Value
from priorcase.exceptions import ParameterError, TargetError, prefix_errors, quoted
from priorcase.learning.plotting import drawing, legend_beside
from priorcase.learning.results import framed, free_label
from priorcase.learning.targets import as_array, objects
from priorcase.plots.columns import AxisColumn, read_rows
from priorcase.plots.display import Display
from priorcase.plots.planes import plane_of
from priorcase.plots.points import draw_classes, draw_plain, spread_out
from priorcase.plots.regions import draw_regions, draw_values, region_patch
from priorcase.schema.schema import backend_of

_MOST = 2000


@dataclass(frozen=True, eq=False, repr=False)
class DecisionSurface(Display):
    """Classes, probabilities or numbers that a model predicts over a plane, with rows as points.

    Made by `of`. A class has a tint, the stronger the surer the model is of it, and a hatch; classes meet in thin
    lines.

    Parameters
    ----------
    axes
        The two axes with the places of the rows.
    places
        The places along both axes at which the model was asked.
    predictions
        The answers, (places of the second axis, places of the first).
    probabilities
        The probability of each class there, (..., classes); None where it was not asked for or is not to be had.
    classes
        The classes of a classifier; None for numbers.
    targets
        The class or number of each row; None where they were not given.
    backend
        The library whose frame the rows came in, or None.

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
        """The answers of a fitted model over the plane of some rows.

        Parameters
        ----------
        model
            A fitted classifier or regressor, of this library or another.
        X
            Rows to draw, and to take the plane from; usually those that the model was fitted to.
        y
            Their classes or numbers, which colour the points; None leaves the points grey.
        columns
            The two columns to draw, by name or position; at each place the other columns are those of the row that
            lies nearest to it. None: the only two; of more columns the first two principal components of the mixed
            table, where a place is answered as the nearest row, its numbers moved towards the place (`PrincipalPlane`).
        resolution
            How many places along an axis of numbers; along other axes each value is a place.
        proba
            Whether tints follow the model's probabilities; False for plain regions.
        """
        if not is_whole(resolution) or not 2 <= resolution <= 2000:
            raise ParameterError(
                f"resolution must be a whole number from 2 to 2000, got {quoted(resolution)}. 160 is enough for a page."
            )
        check_flag("proba", proba, hint="False draws plain regions.")
        table = read_rows(model, X)
        targets = None if y is None else _targets(y, len(table))
        plane = plane_of(X, table, columns)
        across, up = plane.grid(int(resolution))
        queries = plane.queries(np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2))
        answers = np.asarray(model.predict(queries))
        if answers.ndim != 1:
            raise TargetError("got several target columns, and a picture shows one. Fit one estimator for each target.")
        classes = tuple(model.classes_.tolist()) if hasattr(model, "classes_") else None
        probabilities = None
        if proba and classes is not None and hasattr(model, "predict_proba"):
            probabilities = np.asarray(model.predict_proba(queries)).reshape(up.size, across.size, -1)
        shape = (up.size, across.size)
        found = answers.reshape(shape)
        return cls(plane.axes, (across, up), found, probabilities, classes, targets, backend_of(X))

    def _said(self) -> str:
        down, across = self.predictions.shape
        what = "numbers" if self.classes is None else f"{len(self.classes)} classes"
        return f"{what} at {across} x {down} places of {self.axes[0].name} and {self.axes[1].name}"

    def frame(self) -> Any:
        """One line for each place, in a frame of the library that the rows came in.

        Columns: the two axes by their names, ``predicted``, and ``p(CLASS)`` for each class where there are
        probabilities. For arrays and lists: in one of the library that is installed.
        """
        columns: dict[str, Any] = {}
        for axis, at in zip(self.axes, np.meshgrid(*self.places), strict=True):
            label = free_label(axis.name, columns)
            columns[label] = at.ravel() if axis.values is None else [axis.values[int(i)] for i in at.ravel()]
        columns[free_label("predicted", columns)] = self.predictions.ravel()
        if self.probabilities is not None and self.classes is not None:
            for c, each in enumerate(self.classes):
                columns[free_label(f"p({each})", columns)] = self.probabilities[..., c].ravel()
        return framed(columns, self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Regions and points, drawn with matplotlib; the axes come back.

        Of more than 2000 rows so many at equal steps are drawn.

        Parameters
        ----------
        ax
            Axes to draw on; None for a figure of its own.
        """
        with drawing(ax, size=(5.6, 4.2)) as ax:
            points = spread_out(np.column_stack([axis.positions for axis in self.axes]), self.axes)
            shown = np.unique(np.linspace(0, len(points) - 1, min(len(points), _MOST)).round().astype(np.int64))
            points, targets = points[shown], None if self.targets is None else self.targets[shown]
            if self.classes is None:
                draw_values(ax, self.axes, self.predictions.astype(np.float64), points, targets)
            else:
                codes = _codes(self.predictions, self.classes)
                draw_regions(ax, self.axes, self.places, codes, self.probabilities, len(self.classes))
                if targets is None:
                    draw_plain(ax, points)
                    draw_classes(ax, np.empty((0, 2)), objects([]), self.classes)
                else:
                    draw_classes(ax, points, targets, self.classes)
                legend_beside(ax, behind=[region_patch(c) for c in range(len(self.classes))])
            self.axes[0].dress(ax.xaxis)
            self.axes[1].dress(ax.yaxis)
            ax.grid(False)
            return ax


def _targets(y: Any, rows: int) -> AnyArray:
    targets = as_array(y)
    if targets.ndim > 1 and targets.shape[1] > 1:
        raise TargetError("got several target columns, and a picture shows one. Fit one estimator for each target.")
    if len(targets) != rows:
        raise TargetError(
            f"Found input variables with inconsistent numbers of samples: X has {rows} and y has {len(targets)}. Pass "
            "one entry of y for each row of X."
        )
    return targets.ravel()


def _codes(labels: AnyArray, classes: tuple[Value, ...]) -> AnyArray:
    """The position of each label among the classes."""
    at = {label: i for i, label in enumerate(classes)}
    return np.array([at[label] for label in labels.ravel().tolist()], np.int64).reshape(labels.shape)
