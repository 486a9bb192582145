"""Contributions of columns to predictions: exact terms for additive models, Shapley values for all other models."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from priorcase._typing import AnyArray, BoolArray, FloatArray, IntArray
from priorcase.explaining.model import ExplainedModel

EXACT = 8
"""Maximum number of known columns for which all subsets are evaluated."""

_AT_ONCE = 1 << 14  # rows that are predicted in one batch
_ROUNDING = 8 * float(np.finfo(np.float64).eps)  # rounding error of a contribution, relative to the largest output


@dataclass(frozen=True, eq=False)
class Shares:
    """Contributions of the columns to the predictions for rows.

    ``scale`` names the explained quantity, such as ``"log-odds"``. ``base`` is this quantity if no column is known, and
    ``total`` is ``base`` plus the contributions ``parts``, shape (rows, columns). ``errors`` are standard errors of the
    contributions, 0 if exact. ``versus`` is the class against which log-odds are computed. ``averaged`` is True if
    omitted values are filled in from past cases, and False if they are set to missing.
    """

    scale: str
    base: FloatArray
    parts: FloatArray
    errors: FloatArray
    total: FloatArray
    versus: AnyArray | None = None
    averaged: bool = False


def column_shares(asked: ExplainedModel, cells: FloatArray, predictions: AnyArray, permutations: int) -> Shares:
    """Return contributions to the log-odds (for additive models), the class probability, or the predicted number."""
    if hasattr(asked.model, "contributions") and asked.classes is not None and asked.classes.size > 1:
        found = asked.model.contributions(asked.passed(cells))
        parts = found.contributions[:, 1:]
        return Shares("log-odds", found.contributions[:, 0], parts, np.zeros(parts.shape), found.total, found.versus)
    return _shapley(asked, cells, asked.chosen(predictions), permutations)


def _shapley(asked: ExplainedModel, cells: FloatArray, chosen: IntArray, permutations: int) -> Shares:
    """Return Shapley values of the known columns of each row (Strumbelj & Kononenko 2014).

    The value of a set of columns is the output of the model for the row if all other columns are omitted. With up to
    `EXACT` known columns, all sets are evaluated. With more columns, the columns are added one at a time in random
    orders, each followed by its reverse (Mitchell et al. 2022).
    """
    background = asked.background
    takes_missing = bool(np.isnan(background).all())
    n, d = cells.shape
    base, total, parts, errors = np.zeros(n), np.zeros(n), np.zeros((n, d)), np.zeros((n, d))
    plans = []
    for row in cells:
        known = np.flatnonzero(~np.isnan(row)) if takes_missing else np.arange(d)
        plans.append((known, _plan(known.size, permutations)))
    start = 0
    while start < n:
        stop, rows = start, 0
        while stop < n and (stop == start or rows + len(plans[stop][1].masks) * len(background) <= _AT_ONCE):
            rows += len(plans[stop][1].masks) * len(background)
            stop += 1
        made = [_with_left_out(cells[i], *plans[i], background) for i in range(start, stop)]
        answers = asked.outputs(np.concatenate(made))
        at = 0
        for i, block in zip(range(start, stop), made, strict=True):
            known, plan = plans[i]
            values = answers[at : at + len(block), chosen[i]].reshape(len(background), -1).mean(axis=0)
            at += len(block)
            base[i], total[i] = values[0], values[-1]
            shares, errors[i, known] = plan.shares(values)
            noise = _ROUNDING * np.abs(values).max()
            parts[i, known] = np.where(np.abs(shares) > noise, shares, 0.0)
        start = stop
    scale = "prediction" if asked.classes is None else "probability"
    return Shares(scale, base, parts, errors, total, averaged=not takes_missing)


def _with_left_out(row: FloatArray, known: IntArray, plan: _Plan, background: FloatArray) -> FloatArray:
    """Return copies of a row, one for each mask and background row; values outside the mask are from the latter."""
    kept = np.zeros((len(plan.masks), row.size), bool)
    kept[:, known] = plan.masks
    return np.concatenate([np.where(kept, row, other) for other in background])


@dataclass(frozen=True, eq=False)
class _Plan:
    """The subsets of k columns to evaluate, and the numbers that turn the subsets' outputs into contributions.

    ``masks`` has one row for each subset, from the empty to the full subset. If all subsets are evaluated, the
    contributions are the product of ``weights``, shape (k, subsets), and the outputs. Otherwise, ``weights`` is None,
    and ``orders`` contains random orders of the columns, each followed by its reverse. Adding the columns in such an
    order gives k + 1 subsets. ``places`` contains their row numbers in ``masks``, shape (orders, k + 1).
    """

    masks: BoolArray
    weights: FloatArray | None
    orders: IntArray
    places: IntArray

    def shares(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        if self.weights is not None:
            return self.weights @ values, np.zeros(len(self.weights))
        steps = np.empty(self.orders.shape)
        np.put_along_axis(steps, self.orders, np.diff(values[self.places], axis=1), axis=1)
        k = self.masks.shape[1]
        pairs: FloatArray = steps.reshape(-1, 2, k).mean(axis=1)
        return pairs.mean(axis=0), pairs.std(axis=0, ddof=1) / np.sqrt(len(pairs))


@cache
def _plan(k: int, permutations: int) -> _Plan:
    none = np.empty((0, k), np.int64)
    if k <= EXACT:
        masks = (np.arange(2**k)[:, None] >> np.arange(k)) & 1 == 1
        sizes, factorial = masks.sum(axis=1), np.concatenate(([1.0], np.cumprod(np.arange(1.0, k + 1))))
        with_it = factorial[np.maximum(sizes - 1, 0)] * factorial[np.minimum(k - sizes, k)]
        without = factorial[sizes] * factorial[np.maximum(k - sizes - 1, 0)]
        return _Plan(masks, np.where(masks.T, with_it, -without) / factorial[k], none, none)
    half = np.random.default_rng(k).permuted(np.tile(np.arange(k), (permutations // 2, 1)), axis=1)
    orders = np.stack([half, half[:, ::-1]], axis=1).reshape(-1, k)
    passed = np.zeros((len(orders), k + 1, k), bool)
    for step in range(k):
        passed[:, step + 1 :][np.arange(len(orders)), :, orders[:, step]] = True
    flat = passed.reshape(-1, k)
    _, first, places = np.unique(np.packbits(flat, axis=1), axis=0, return_index=True, return_inverse=True)
    # The empty set is sorted first and the full set last, whatever the order of the other sets.
    return _Plan(flat[first], None, orders, places.reshape(len(orders), k + 1))
