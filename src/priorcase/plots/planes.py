"""Planes to draw tables in: two columns, or the first two principal components of a mixed table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from priorcase._typing import FloatArray, IntArray
from priorcase.exceptions import ParameterError, quoted
from priorcase.plots.display import AxisColumn, axis_column, with_changes
from priorcase.schema import Coded, Numeric, Table


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane in which every row has a position, and every position a row that could be there.

    In the plane of two ``columns`` the other columns are those of the nearest row. In the plane of principal components
    (``columns`` is None) a position is the nearest row, its numbers moved towards it: x becomes ``x + std (v . step)``
    with v the ``loadings`` of its column on both axes and ``std`` its standard deviation. Categories and levels stay
    those of the row.
    """

    X: Any
    table: Table
    axes: tuple[AxisColumn, AxisColumn]
    columns: tuple[int, int] | None = None
    loadings: dict[int, FloatArray] = field(default_factory=dict)
    deviations: dict[int, float] = field(default_factory=dict)

    @property
    def points(self) -> FloatArray:
        """The position of each row, (rows, 2); NaN where it has none."""
        return np.column_stack([axis.positions for axis in self.axes])

    def grid(self, resolution: int) -> tuple[FloatArray, FloatArray]:
        """Positions along both axes: the middles of equal cells, or the categories."""
        across, up = (_middles(axis, resolution) for axis in self.axes)
        return across, up

    def queries(self, positions: FloatArray) -> Any:
        """Rows at some positions, in the type of table that X is."""
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
        """The nearest row to each position, both axes in units of their spans."""
        points = self.points
        known = np.flatnonzero(~np.isnan(points).any(axis=1))
        if not known.size:
            return np.zeros(len(positions), np.int64)
        spans = np.array([high - low for low, high in (axis.span for axis in self.axes)])
        return known[KDTree(points[known] / spans).query(positions / spans)[1]]


def _middles(axis: AxisColumn, resolution: int) -> FloatArray:
    if axis.values is not None:
        return np.arange(len(axis.values), dtype=np.float64)
    low, high = axis.span
    return low + (np.arange(resolution) + 0.5) * (high - low) / resolution


def plane_of(X: Any, table: Table, columns: Any) -> Plane:
    """The plane of two columns by name or position; None for the only two, or the principal components."""
    width = len(table.schema)
    if columns is None and width < 2:
        raise ParameterError(
            f"X must be a table with at least two columns, got {quoted(X)}. LocalFitDisplay draws a model along one "
            "column."
        )
    if columns is None and width > 2:
        return _principal(X, table)
    if columns is not None and not (isinstance(columns, (list, tuple)) and len(columns) == 2):
        raise ParameterError(
            f"columns must be two columns, or None, got {quoted(columns)}. Name columns by their label, or by their "
            "position from 0."
        )
    first, second = (0, 1) if columns is None else table.schema.positions(columns, parameter="columns")
    axes = axis_column(table, first, known=True), axis_column(table, second, known=True)
    return Plane(X, table, axes, (first, second))


def _principal(X: Any, table: Table) -> Plane:
    """The first two principal components of a mixed table (factor analysis of mixed data, Pagès 2004).

    Numbers and ranks of levels enter as ``(x - mean) / std``, a category of frequency p as an indicator
    ``([it is held] - p) / sqrt(p)``, missing values as the mean. Each axis has its largest loading positive.
    """
    features, deviations, at = _features(table)
    sizes, vectors = np.linalg.eigh(features.T @ features / len(features))
    order = np.argsort(-sizes, kind="stable")[:2]
    vectors = vectors[:, order]
    largest = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.where(vectors[largest, [0, 1]] < 0, -1.0, 1.0)
    shares = np.maximum(sizes[order] / max(float(sizes.sum()), 1e-300), 0.0)
    points = features @ vectors
    first, second = (
        AxisColumn.of_numbers(f"component {i + 1} ({shares[i]:.0%} of the spread)", points[:, i]) for i in (0, 1)
    )
    loadings = {a: vectors[column] for a, column in at.items()}
    return Plane(X, table, (first, second), None, loadings, deviations)


def _features(table: Table) -> tuple[FloatArray, dict[int, float], dict[int, int]]:
    """The features of each row, the deviation of each numeric column, and its feature."""
    features: list[FloatArray] = []
    deviations, at = {}, {}
    for a, (kind, column) in enumerate(zip(table.schema.kinds, table.columns, strict=True)):
        if isinstance(column, Coded):
            codes = np.asarray(column.codes)
            for code in np.unique(codes[codes >= 0]).tolist():
                share = float((codes == code).sum() / (codes >= 0).sum())
                features.append(np.where(codes < 0, 0.0, ((codes == code) - share) / np.sqrt(share)))
            continue
        numbers = np.asarray(column, np.float64)
        if np.isnan(numbers).all():
            continue
        deviation = float(np.nanstd(numbers)) or 1.0
        if isinstance(kind, Numeric):
            deviations[a], at[a] = deviation, len(features)
        features.append(np.nan_to_num((numbers - np.nanmean(numbers)) / deviation, nan=0.0))
    while len(features) < 2:
        features.append(np.zeros(len(table)))
    return np.column_stack(features), deviations, at
