"""Reliability: how far an attribute of a case is that of another case with the same solution, and not of just any case.

A new case that needs the solution of a stored one is taken to be like it, attribute by attribute: with probability r,
the *reliability* of the attribute, it has a value like that of the stored case, and else that of any case whatever. How
reliable each attribute is, the cases tell themselves: each is compared with its *mates*, the others with its solution.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import BoolArray, FloatArray, IntArray
from priorcase.cases.scoring import Likeness

_ROUNDS = 5
_DOUBT, _CASES = 0.5, 20.0
_MOST, _LEAST, _MATES, _VALUES = 300, 30, 100, 5_000_000
_HIGHEST = 0.95


def evidence(similarities: FloatArray, mean: FloatArray | float, most: FloatArray | float, r: float) -> FloatArray:
    """How much more a value speaks for cases than for any case whatever: ``1 + r most (s / mean - 1)``.

    So 1 says nothing, and the mean over all cases is 1. Where even the most similar case is little alike, little is
    said: one word that two texts have in common is no reason to believe in one of them.

    Parameters
    ----------
    similarities
        Of the cases to the value, s; NaN, which says nothing, where a case does not know the attribute.
    mean, most
        The mean and the largest similarity of all cases that know it.
    r
        The reliability of the attribute.

    Examples
    --------
    >>> evidence(np.array([1.0, 0.0, np.nan]), 0.25, 1.0, 0.8)
    array([3.4, 0.2, 1. ])
    """
    relative = np.divide(similarities, mean, out=np.ones_like(similarities), where=np.asarray(mean) > 0)
    return np.where(np.isnan(relative), 1.0, 1.0 + r * most * (relative - 1.0))


def reliabilities(likeness: Likeness, answers: IntArray, able: BoolArray) -> dict[str, float]:
    """The reliability of each attribute that weighs anything.

    ``r = (q - p) / (1 - p)`` with q the similarity of cases to their mates and p that to all cases, as in Cohen's
    kappa. A case need not be like all of its mates: each mate counts by how probable it is, from the reliabilities of
    the round before, that the case is like this one (expectation maximisation). Not to believe in a few cases, 1/2 is
    mixed in as if 20 more cases had said so.

    Parameters
    ----------
    likeness
        The cases and how values are compared.
    answers
        The number of the answer that each case speaks for.
    able
        Who can speak.

    References
    ----------
    J. Cohen, *Educational and Psychological Measurement* 20, 1960. A. P. Dempster, N. M. Laird & D. B. Rubin, *Journal
    of the Royal Statistical Society B* 39, 1977.
    """
    names = [name for name, weight in likeness.weights.items() if weight and likeness.columns[name].values]
    mates = _mates(likeness, names, answers, able)
    if not mates:
        return dict.fromkeys(names, _DOUBT)
    compared = {name: _compared(likeness, name, mates, able) for name in names}
    heaviest = max(likeness.weights.values())
    size = max(others.size for _, others in mates)
    shares = np.array([np.pad(np.full(o.size, 1.0 / o.size), (0, size - o.size)) for _, o in mates])
    present, found = shares > 0, dict.fromkeys(names, _DOUBT)
    for _ in range(_ROUNDS):
        found = {name: each.reliability(shares) for name, each in compared.items()}
        logs = np.zeros_like(shares)
        for name, each in compared.items():
            logs += np.log(each.evidence(found[name])) * (likeness.weights[name] / heaviest)
        logs = np.where(present, logs, -np.inf)
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
    return {name: each.reliability(shares) for name, each in compared.items()}


@dataclass(frozen=True, eq=False)
class _Compared:
    """Cases and their mates, by one attribute: similarities (cases, mates), NaN where there is none."""

    similarities: FloatArray
    mean: FloatArray
    most: FloatArray

    def reliability(self, shares: FloatArray) -> float:
        known = ~np.isnan(self.similarities)
        weights = np.where(known, shares, 0.0)
        total = float(weights.sum())
        # A case without a single other one to compare with by this attribute says nothing about it.
        heard = known.any(axis=1)
        if not total > 0 or not (base := float(self.mean[heard].mean())) < 1.0:
            return _DOUBT
        like = float((weights * np.where(known, self.similarities, 0.0)).sum() / total)
        found = max((like - base) / (1.0 - base), 0.0)
        return min((total * found + _CASES * _DOUBT) / (total + _CASES), _HIGHEST)

    def evidence(self, r: float) -> FloatArray:
        return evidence(self.similarities, self.mean[:, None], self.most[:, None], r)


def _compared(likeness: Likeness, name: str, mates: list[tuple[int, IntArray]], able: BoolArray) -> _Compared:
    column = likeness.columns[name]
    counts = np.bincount(column.codes[able & (column.codes >= 0)], minlength=len(column.values)).astype(float)
    size = max(others.size for _, others in mates)
    found = np.full((len(mates), size), np.nan)
    mean, most = np.zeros(len(mates)), np.zeros(len(mates))
    for row, (position, others) in enumerate(mates):
        code = int(column.codes[position])
        if code < 0 or counts.sum() < 2:
            continue
        by_value = np.append(likeness.by_value(name, column.values[code]), np.nan)
        rest = counts.copy()
        rest[code] -= 1.0  # not itself
        mean[row] = float(rest @ by_value[:-1]) / rest.sum()
        most[row] = float(by_value[:-1][rest > 0].max())
        found[row, : others.size] = by_value[column.codes[others]]
    return _Compared(found, mean, most)


def _mates(likeness: Likeness, names: list[str], answers: IntArray, able: BoolArray) -> list[tuple[int, IntArray]]:
    """Some cases, each with some others of its answer: evenly spread, and not so many that it takes long."""
    places = np.flatnonzero(able)
    order = places[np.argsort(answers[places], kind="stable")]
    groups = np.split(order, np.flatnonzero(np.diff(answers[order])) + 1)
    group_of = {int(group[0]): group for group in groups if group.size > 1}
    asking = np.sort(np.concatenate(list(group_of.values()))) if group_of else np.zeros(0, dtype=np.int64)
    values = sum(len(likeness.columns[name].values) for name in names)
    asking = _spread(asking, int(np.clip(_VALUES // max(1, values), _LEAST, _MOST)))
    by_answer = {int(answers[first]): group for first, group in group_of.items()}
    found = []
    for position in asking.tolist():
        group = by_answer[int(answers[position])]
        found.append((position, _spread(group[group != position], _MATES)))
    return found


def _spread(places: IntArray, most: int) -> IntArray:
    """So many of these, evenly spread."""
    if places.size <= most:
        return places
    return places[np.linspace(0, places.size - 1, most).round().astype(np.int64)]
