"""The first two principal components of a table with numbers, levels and values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import FloatArray
from priorcase.plots.columns import AxisColumn
from priorcase.plots.moving import moved
from priorcase.plots.plane import Plane
from priorcase.schema import Coded, Numeric, Table


@dataclass(frozen=True, eq=False)
class PrincipalPlane(Plane):
    """The plane in which the rows of a mixed table spread most.

    Numbers and ranks of levels enter by ``(x - mean) / std``; a value that a share p of the rows holds by an indicator
    ``(1 - p) / sqrt(p)`` for these and ``-sqrt(p)`` for the others (factor analysis of mixed data, Pagès 2004). A gap
    counts as the mean. The two axes are the eigenvectors of the covariance with the largest eigenvalues, each with its
    largest part positive.

    A plane has no values of its own: a place is answered as the row that lies nearest to it, moved there as far as
    numbers can move it: a number x becomes ``x + std (v . step)`` with v its parts in the two axes. Levels and values
    stay those of the row.

    Parameters
    ----------
    parts, deviations
        Of each numeric column, by its position: its parts in the two axes, and its standard deviation.
    """

    parts: dict[int, FloatArray]
    deviations: dict[int, float]

    @classmethod
    def of(cls, X: Any, table: Table) -> PrincipalPlane:
        """The plane of the rows of a table."""
        spread, deviations, at = _features(table)
        covariance = spread.T @ spread / len(spread)
        sizes, vectors = np.linalg.eigh(covariance)
        order = np.argsort(-sizes, kind="stable")[:2]
        vectors = vectors[:, order]
        largest = np.abs(vectors).argmax(axis=0)
        vectors = vectors * np.where(vectors[largest, [0, 1]] < 0, -1.0, 1.0)
        shares = sizes[order] / max(float(sizes.sum()), 1e-300)
        points = spread @ vectors
        axes = tuple(
            AxisColumn(f"component {i + 1} ({max(shares[i], 0.0):.0%} of the spread)", points[:, i], None, _NO_ROWS)
            for i in (0, 1)
        )
        return cls(X, table, (axes[0], axes[1]), {a: vectors[column] for a, column in at.items()}, deviations)

    def queries(self, places: FloatArray) -> Any:
        """The row nearest to each place, its numbers moved towards it."""
        rows = self.nearest(places)
        steps = places - self.points[rows]
        changes = {}
        for a, part in self.parts.items():
            column = np.asarray(self.table.columns[a])
            changes[a] = column[rows] + self.deviations[a] * (steps @ part)
        return moved(self.X, self.table, rows, changes)


_NO_ROWS = np.empty(0, np.int64)


def _features(table: Table) -> tuple[FloatArray, dict[int, float], dict[int, int]]:
    """The features of each row, the deviation of each numeric column, and the feature that stands for it."""
    features: list[FloatArray] = []
    deviations, at = {}, {}
    for a, (kind, column) in enumerate(zip(table.schema.kinds, table.columns, strict=True)):
        if isinstance(column, Coded):
            features += _indicators(column)
            continue
        known = np.asarray(column, np.float64)
        if np.isnan(known).all():
            continue
        deviation = float(np.nanstd(known)) or 1.0
        if isinstance(kind, Numeric):
            deviations[a], at[a] = deviation, len(features)
        features.append(np.nan_to_num((known - np.nanmean(known)) / deviation, nan=0.0))
    while len(features) < 2:
        features.append(np.zeros(len(table)))
    return np.column_stack(features), deviations, at


def _indicators(column: Coded) -> list[FloatArray]:
    """One feature for each value that some row holds."""
    codes = np.asarray(column.codes)
    found = []
    for code in np.unique(codes[codes >= 0]).tolist():
        share = float((codes == code).sum() / (codes >= 0).sum())
        found.append(np.where(codes < 0, 0.0, ((codes == code) - share) / np.sqrt(share)))
    return found
