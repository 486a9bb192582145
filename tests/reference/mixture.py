"""Finite mixtures in plain loops: densities, one turn of EM, and the exact evidence by enumeration.

A row is a list; a number or None in a numeric column, a value's position or None in a discrete one, a list of the
positions of its words where that is a text. ``sizes[a]`` is the
number of values of column a, or None where it is numeric. Numbers are in standard units: the prior of their mean and
precision is Normal-Gamma(0, strength, shape, rate).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Row = Sequence[Any]
Sizes = Sequence[int | None]


@dataclass
class Hyper:
    """The prior: Dirichlet weight, and the Normal-Gamma of a numeric column."""

    weight: float
    strength: float
    shape: float
    rate: float


@dataclass
class Component:
    """A weight, and for each column its probabilities, or its mean and variance."""

    weight: float
    columns: list[Any]


def log_density_given(component: Component, row: Row) -> float:
    """``sum_i ln p(x_i | k)`` over the known attributes."""
    total = 0.0
    for value, column in zip(row, component.columns, strict=True):
        if value is None:
            continue
        if isinstance(column, tuple):
            mean, variance = column
            total += -0.5 * math.log(2 * math.pi * variance) - (value - mean) ** 2 / (2 * variance)
        else:
            total += sum(math.log(column[one]) for one in _each(value))
    return total


def _each(value: Any) -> list[Any]:
    """The words of a text; any other value alone."""
    return value if isinstance(value, list) else [value]


def density(components: Sequence[Component], row: Row) -> float:
    """``P(x) = sum_k p_k prod_i p(x_i | k)``."""
    return sum(c.weight * math.exp(log_density_given(c, row)) for c in components)


def responsibilities(components: Sequence[Component], row: Row) -> list[float]:
    """``r_k = p_k prod_i p(x_i | k) / P(x)``."""
    joint = [c.weight * math.exp(log_density_given(c, row)) for c in components]
    return [share / sum(joint) for share in joint]


def maximized(
    rows: Sequence[Row], weights: Sequence[float], shares: Any, sizes: Sizes, prior: Hyper
) -> list[Component]:
    """The M-step: the parameters of the largest posterior density for rows shared out among components."""
    n_components = len(shares[0])
    everything = sum(weights)
    result = []
    for k in range(n_components):
        mine = [w * r[k] for w, r in zip(weights, shares, strict=True)]
        columns: list[Any] = []
        for a, size in enumerate(sizes):
            pairs = [(row[a], m) for row, m in zip(rows, mine, strict=True) if row[a] is not None]
            known = [(one, m) for value, m in pairs for one in _each(value)]
            n = sum(m for _, m in known)
            if size is not None:
                counts = [sum(m for value, m in known if value == v) for v in range(size)]
                columns.append([(count + prior.weight) / (n + size * prior.weight) for count in counts])
            else:
                mean = sum(m * x for x, m in known) / (n + prior.strength)
                # What the squares around the new mean add up to, the prior's own pull towards 0 included.
                spread = sum(m * (x - mean) ** 2 for x, m in known) + prior.strength * mean**2
                columns.append((mean, (2 * prior.rate + spread) / (n + 2 * prior.shape + 1)))
        result.append(Component((sum(mine) + prior.weight) / (everything + n_components * prior.weight), columns))
    return result


def em_step(
    rows: Sequence[Row], weights: Sequence[float], components: Sequence[Component], sizes: Sizes, prior: Hyper
) -> list[Component]:
    """One turn of EM."""
    return maximized(rows, weights, [responsibilities(components, row) for row in rows], sizes, prior)


def log_posterior(
    rows: Sequence[Row], weights: Sequence[float], components: Sequence[Component], prior: Hyper
) -> float:
    """Log of likelihood times prior density, the latter over log-odds, means and logs of precisions."""
    total = sum(w * math.log(density(components, row)) for w, row in zip(weights, rows, strict=True))
    total += _log_dirichlet([c.weight for c in components], prior.weight)
    for component in components:
        for column in component.columns:
            if isinstance(column, tuple):
                mean, variance = column
                rate = 1 / variance
                total += 0.5 * math.log(prior.strength * rate / (2 * math.pi)) - 0.5 * prior.strength * rate * mean**2
                total += prior.shape * math.log(prior.rate) - math.lgamma(prior.shape)
                total += prior.shape * math.log(rate) - prior.rate * rate
            else:
                total += _log_dirichlet(column, prior.weight)
    return total


def _log_dirichlet(chances: Sequence[float], weight: float) -> float:
    n = len(chances)
    constant = math.lgamma(n * weight) - n * math.lgamma(weight)
    return constant + sum(weight * math.log(chance) for chance in chances)


def log_evidence(rows: Sequence[Row], n_components: int, sizes: Sizes, prior: Hyper) -> float:
    """``ln P(D | M)``, exactly: the sum over all ways to give each row a component.

    Each way is a product of next-value probabilities, one row after the other: no integral is left.
    """
    logs = [
        _log_given(rows, owners, n_components, sizes, prior)
        for owners in itertools.product(range(n_components), repeat=len(rows))
    ]
    largest = max(logs)
    return largest + math.log(sum(math.exp(log - largest) for log in logs))


def _log_given(rows: Sequence[Row], owners: Sequence[int], n_components: int, sizes: Sizes, prior: Hyper) -> float:
    """``ln P(D, z | M)`` for one way z to give each row a component."""
    total = _log_sequence(owners, n_components, prior.weight)
    for k in range(n_components):
        for a, size in enumerate(sizes):
            mine = [row[a] for row, owner in zip(rows, owners, strict=True) if owner == k and row[a] is not None]
            values = [one for value in mine for one in _each(value)]
            total += _log_numbers(values, prior) if size is None else _log_sequence(values, size, prior.weight)
    return total


def _log_sequence(values: Sequence[int], size: int, weight: float) -> float:
    """Values one after the other, each with probability ``(n_l + a) / (n + size a)``."""
    a = Fraction(weight)
    product = Fraction(1)
    for i, value in enumerate(values):
        product *= (values[:i].count(value) + a) / (i + size * a)
    return math.log(product)


def _log_numbers(values: Sequence[float], prior: Hyper) -> float:
    """Numbers one after the other, each by the Student density of the Normal-Gamma posterior of those before."""
    mean, strength, shape, rate = 0.0, prior.strength, prior.shape, prior.rate
    total = 0.0
    for x in values:
        degrees, scale2 = 2 * shape, rate * (strength + 1) / (shape * strength)
        total += math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - 0.5 * math.log(degrees * math.pi * scale2)
        total -= (degrees + 1) / 2 * math.log1p((x - mean) ** 2 / (degrees * scale2))
        rate += strength * (x - mean) ** 2 / (2 * (strength + 1))
        mean = (strength * mean + x) / (strength + 1)
        strength, shape = strength + 1, shape + 0.5
    return total
