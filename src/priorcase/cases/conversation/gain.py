"""Information gain: how many bits an answer tells about the solution, on average and with gaps."""

from __future__ import annotations

import numpy as np

from priorcase._typing import FloatArray, IntArray


def entropy(weights: FloatArray) -> FloatArray:
    """Bits that a solution is worth: the sum over the last axis of ``-p log2 p``, 0 where nothing is weighed.

    Parameters
    ----------
    weights
        The weight of the cases of each solution along the last axis.

    Examples
    --------
    >>> entropy(np.array([[9.0, 5.0], [4.0, 0.0]])).round(3)
    array([0.94, 0.  ])
    """
    total = weights.sum(axis=-1, keepdims=True)
    p = np.divide(weights, total, out=np.zeros_like(weights, dtype=float), where=total > 0)
    bits: FloatArray = -(p * np.log2(p, out=np.zeros_like(p), where=p > 0)).sum(axis=-1)
    return bits + 0.0  # no minus zero


def branch_gain(branches: FloatArray, missing: FloatArray) -> FloatArray:
    """Gain of a question whose answers send cases down branches (Quinlan 1986, section 4; for gaps Quinlan 1993, 3.2).

    With ``W`` the weight of all cases and ``K`` that of those whose answer is known:
    ``K/W (H(known) - sum_b W_b/K H(b))``, H the entropy of the solutions. Those with a gap tell nothing.

    Parameters
    ----------
    branches
        Weights by question (any number of leading axes), branch and solution.
    missing
        Weights by question and solution of the cases whose answer is not known.
    """
    by_branch = branches.sum(axis=-1)
    known = by_branch.sum(axis=-1)
    total = known + missing.sum(axis=-1)
    share = np.divide(by_branch, known[..., None], out=np.zeros_like(by_branch), where=known[..., None] > 0)
    gained = entropy(branches.sum(axis=-2)) - (share * entropy(branches)).sum(axis=-1)
    part = np.divide(known, total, out=np.zeros_like(known), where=total > 0)
    bits: FloatArray = np.maximum(part * gained, 0.0)
    return bits


def tallied(weights: FloatArray, groups: IntArray, solutions: IntArray, shape: tuple[int, int]) -> FloatArray:
    """The weight of the cases by group and solution; the last group of the table is that of -1, the gaps."""
    n_groups, n_solutions = shape
    at = np.where(groups < 0, n_groups, groups).astype(np.int64) * n_solutions + solutions
    counted: FloatArray = np.bincount(at, weights=weights, minlength=(n_groups + 1) * n_solutions).astype(float)
    return counted.reshape(n_groups + 1, n_solutions)


def group_gain(weights: FloatArray, groups: IntArray, solutions: IntArray, shape: tuple[int, int]) -> float:
    """Gain of asking for the group of a case, one branch for each.

    Parameters
    ----------
    weights
        Of the cases.
    groups, solutions
        The number of each case's group, -1 where it is not known, and of its solution.
    shape
        How many groups and solutions there are.

    Examples
    --------
    >>> windy, play = np.array([0, 1, 0, 0, 0, 1, -1]), np.array([0, 0, 1, 1, 1, 0, 1])
    >>> round(group_gain(np.ones(7), windy, play, (2, 2)), 3)
    0.394
    """
    table = tallied(weights, groups, solutions, shape)
    return float(branch_gain(table[:-1], table[-1]))


def best_cut(weights: FloatArray, numbers: FloatArray, solutions: IntArray, n: int) -> tuple[float, float]:
    """The number for which "is it at most that?" gains most, and the gain; NaN and 0 where no cut gains anything.

    A cut is one of the cases' own numbers (as in C4.5 since release 8), the smallest of those that gain the most.

    Parameters
    ----------
    weights, numbers, solutions
        Of the cases: those of weight 0 do not count, and NaN is a gap.
    n
        How many solutions there are.

    Examples
    --------
    >>> temperature, play = np.array([40.0, 48, 60, 72, 80, 90]), np.array([0, 0, 1, 1, 1, 0])
    >>> cut, gain = best_cut(np.ones(6), temperature, play, 2)
    >>> cut, round(gain, 3)
    (48.0, 0.459)
    """
    known = ~np.isnan(numbers) & (weights > 0)
    levels, places = np.unique(numbers[known], return_inverse=True)
    if levels.size < 2:
        return float("nan"), 0.0
    table = tallied(weights[known], places, solutions[known], (levels.size, n))[:-1]
    below = table.cumsum(axis=0)[:-1]
    # From the other end, since a difference of sums could leave a trace of solutions that are not there.
    above = table[::-1].cumsum(axis=0)[::-1][1:]
    missing = np.bincount(solutions[~known], weights=weights[~known], minlength=n)
    gains = branch_gain(np.stack([below, above], axis=1), np.broadcast_to(missing, below.shape))
    at = first_best(gains)
    return (float(levels[at]), float(gains[at])) if gains[at] > 0 else (float("nan"), 0.0)


def first_best(gains: FloatArray) -> int:
    """The first place whose gain is the largest but for rounding."""
    return int(np.argmax(gains >= gains.max() - NEGLIGIBLE))


NEGLIGIBLE = 1e-12
"""Bits that two gains may differ by and still be equal: sums in another order differ by less."""
