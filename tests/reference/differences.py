"""Costs of rows and contributions of attributes in plain NumPy, with the same bits as in the compiled core.

Queries and rows are cells as a fitted distance expects them (see `FittedDistance.prepare`).
"""

from __future__ import annotations

import numpy as np

from priorcase._typing import FloatArray
from priorcase.similarity import FittedDistance
from priorcase.similarity.differences import Curve, Differ, Linear, Lookup, Profile, Term, raised
from priorcase.similarity.periodic import Periodic


def costs(fitted: FittedDistance, query: FloatArray, rows: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """The cost of each row, as `FittedDistance.costs` gives it."""
    weights = np.ones(len(fitted)) if weights is None else np.asarray(weights, np.float64)
    return fitted._total(contributions(fitted, query, rows, weights), weights)


def contributions(
    fitted: FittedDistance, query: FloatArray, rows: FloatArray, weights: FloatArray | None = None
) -> FloatArray:
    """``w_a d_a ** power`` of each row and attribute, as `FittedDistance.contributions` gives it."""
    weights = np.ones(len(fitted)) if weights is None else np.asarray(weights, np.float64)
    result = np.empty(rows.shape)
    for a, term in enumerate(fitted.terms):
        column = np.ascontiguousarray(rows[:, a])
        with np.errstate(over="ignore"):
            # No weight, no contribution: 0 times an overflow would be NaN.
            found = difference(term, fitted.distance.power, float(query[a]), column)
            result[:, a] = weights[a] * found if weights[a] else 0.0
        if fitted.distance.missing == "skip":
            result[np.isnan(column) | np.isnan(query[a]), a] = np.nan
    return result


def difference(term: Term, power: float, query: float, column: FloatArray) -> FloatArray:
    """``d ** power`` between the query's cell and each cell of the column; infinite where it overflows."""
    if isinstance(term, Linear):
        return _linear(term, power, query, column)
    if isinstance(term, Profile):
        return _profile(term, power, query, column)
    if isinstance(term, Curve):
        apart = _profiles_at(term, column) - _profiles_at(term, np.array([query]))
        known = _profile_cost(apart, term.exponent, term.factor, term.root, power)
    elif isinstance(term, Periodic):
        known = _periodic(term, power, np.abs(column - query))
    elif isinstance(term, Lookup):
        known = np.full(column.shape, term.f_unseen)
        if query >= 0 and len(term.matrix):
            known = term.matrix[int(query)][np.where(np.isnan(column), 0, column).astype(np.intp)]
    else:
        assert isinstance(term, Differ)
        known = np.where(column == query, 0.0, 1.0)
    return _with_missing(term, query, column, known)


def _periodic(term: Periodic, power: float, distance: FloatArray) -> FloatArray:
    total = term.line_share * raised(distance / term.scale, power) if term.scale else np.zeros_like(distance)
    for period, share in zip(term.periods, term.shares, strict=True):
        rest = np.fmod(distance, period)
        total = total + share * raised(2.0 * np.minimum(rest, period - rest) / period, power)
    return total


def _linear(term: Linear, power: float, query: float, column: FloatArray) -> FloatArray:
    low, scale = term.low, term.scale
    if term.widen:
        low, high = (low, term.high) if np.isnan(query) else (min(low, query), max(term.high, query))
        scale = high - low
    if term.coded and query < 0:
        known = np.ones_like(column)
    else:
        d = _ratio(np.abs(column - query), scale)
        known = raised(np.where(d > 1.0, 1.0, d) if term.cap else d, power)
    if not term.aha:
        return _with_missing(term, query, column, known)
    missing = np.isnan(column)
    position = _ratio((column if np.isnan(query) else np.array([query])) - low, scale)
    farthest = raised(np.maximum(position, 1.0 - position), power)
    if np.isnan(query):
        return np.where(missing, term.f_both, farthest)
    return np.where(missing, farthest, known)


def _profile(term: Profile, power: float, query: float, column: FloatArray) -> FloatArray:
    def costs(profiles: FloatArray) -> FloatArray:
        if own is None:
            return np.full(len(profiles), term.f_unseen)
        return _profile_cost(profiles - own, term.exponent, factor, term.root, power)

    if np.isnan(query):
        own, factor = term.missing, term.missing_factor
    elif query < 0:
        own, factor = term.unseen, term.unseen_factor
    else:
        own, factor = term.profiles[int(query)], float(term.factors[int(query)])
    missing = np.isnan(column)
    against_missing = term.f_both if np.isnan(query) else term.f_one
    if term.missing is not None:
        against_missing = float(costs(term.missing[None, :])[0])
    if own is None and np.isnan(query):
        return np.where(missing, against_missing, term.f_one)
    if term.codes == 0:
        return np.full(column.shape, against_missing)
    return np.where(missing, against_missing, costs(term.profiles)[np.where(missing, 0, column).astype(np.intp)])


def _profiles_at(term: Curve, x: FloatArray) -> FloatArray:
    """The profile of each number, shape (numbers, classes)."""
    breaks, last = term.breaks, len(term.breaks) - 1
    above = np.searchsorted(breaks, x, side="right")
    at, fraction = np.clip(above - 1, 0, last), np.zeros_like(x)
    if not term.step:
        inside = (above > 0) & (at < last) & ~np.isnan(x)
        i = at[inside]
        fraction[inside] = (x[inside] - breaks[i]) / (breaks[i + 1] - breaks[i])
    rise = np.diff(term.profiles, axis=0, append=term.profiles[-1:])
    return term.profiles[at] + fraction[:, None] * rise[at]


def _profile_cost(apart: FloatArray, exponent: float, factor: float, root: bool, power: float) -> FloatArray:
    """``d ** power`` from the differences of profiles, shape (rows, classes); classes are added in their order."""
    total = np.zeros(len(apart))
    for c in range(apart.shape[1]):
        total += raised(np.abs(apart[:, c]), exponent)
    d = factor * total
    return raised(np.sqrt(d) if root else d, power)


def _with_missing(term: Term, query: float, column: FloatArray, known: FloatArray) -> FloatArray:
    missing = np.isnan(column)
    if np.isnan(query):
        return np.where(missing, term.f_both, term.f_one)
    return np.where(missing, term.f_one, known)


def _ratio(lengths: FloatArray, scale: float) -> FloatArray:
    """``lengths / scale``; 0 where the scale is 0, and infinite, not undefined, where both overflowed."""
    if scale == 0.0:
        return np.zeros_like(lengths)
    if np.isinf(scale):
        return np.where(np.isinf(lengths), lengths, 0.0)
    return lengths / scale
