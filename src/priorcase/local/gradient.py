"""Mitchell's rule: local fits found by going downhill, step by step."""

from __future__ import annotations

import numpy as np

from priorcase._typing import BoolArray, FloatArray
from priorcase.local.neighborhoods import Neighborhoods
from priorcase.local.parameters import Descent, Model
from priorcase.local.table import NOMINAL, LocalTable


def descended(
    table: LocalTable, model: Model, descent: Descent, cells: FloatArray, around: Neighborhoods, targets: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """The value at each query of the fit that gradient descent comes to, and which fits came to rest.

    ``w_j += eta sum K (y - w'x) x_j`` over the neighbours x with ``x_0 = 1`` (Mitchell 1997, eq. 8.7), in coordinates
    that have the weighted mean for their origin and the columns' spreads for their units: the same planes, and steps
    that do not zigzag. A ridge lets the slopes decay. The rule starts from no slopes, so that where several fits are
    equally good it comes to the one that the direct solution takes: the one of least norm.
    """
    queries, masses = table.placed(cells), around.masses()
    values, rested = np.empty((len(around), targets.shape[1])), np.ones(len(around), dtype=bool)
    for q in range(len(around)):
        part = slice(int(around.indptr[q]), int(around.indptr[q + 1]))
        voting = masses[part] > 0
        rows, weights = around.rows[part][voting], masses[part][voting]
        degree = 0 if around.far[q] else model.degree
        columns = _columns(table, queries[q], table.cells[rows], degree)
        values[q], rested[q] = _fall(columns, weights, targets[rows], model.ridge, descent)
    return values, rested


def _fall(
    columns: FloatArray, weights: FloatArray, targets: FloatArray, ridge: float, descent: Descent
) -> tuple[FloatArray, bool]:
    share = weights / weights.sum()
    centre, mean = share @ columns, share @ targets
    centred = columns - centre
    # sum K (y - w'x) x for all steps to come: the slope where w = 0 less this matrix times w.
    falling = (centred * weights[:, None]).T @ (targets - mean)
    bending = (centred * weights[:, None]).T @ centred + ridge**2 * np.eye(columns.shape[1])
    steepest = float(np.linalg.eigvalsh(bending)[-1]) if bending.size else 0.0
    if steepest <= 0.0:
        return mean, True
    rate = 1.0 / steepest if descent.rate is None else descent.rate
    slopes = np.zeros(falling.shape)
    for _ in range(descent.steps):
        with np.errstate(over="ignore", invalid="ignore"):
            step = rate * (falling - bending @ slopes)
            slopes = slopes + step
        if not np.isfinite(slopes).all():
            break
        if (np.abs(step) <= descent.tol * np.abs(slopes).max(axis=0)).all():
            return mean - centre @ slopes, True
    with np.errstate(over="ignore", invalid="ignore"):
        value = mean - centre @ slopes
    return np.where(np.isfinite(value), value, mean), False


def _columns(table: LocalTable, query: FloatArray, rows: FloatArray, degree: int) -> FloatArray:
    """The local design without its intercept, in units of the columns' spreads, shape (rows, terms).

    A gap of a row is no deviation; a gap of the query leaves the column out.
    """
    if degree == 0:
        return np.empty((len(rows), 0))
    asked = ~np.isnan(query)
    numbers = np.flatnonzero(asked & (table.kinds != NOMINAL))
    deviations = (rows[:, numbers] - query[numbers]) / table.scales[numbers]
    deviations[np.isnan(deviations)] = 0.0
    parts = [deviations]
    if degree == 2:
        first, second = np.triu_indices(numbers.size)
        parts.append(deviations[:, first] * deviations[:, second])
    for a in np.flatnonzero(asked & (table.kinds == NOMINAL)).tolist():
        held = np.unique(rows[:, a][~np.isnan(rows[:, a])])
        parts.append((rows[:, a, None] == held[held != query[a]]).astype(np.float64))
    return np.concatenate(parts, axis=1)
