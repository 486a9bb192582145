"""EM for a finite mixture of independent attributes: parameters, prior, densities, the two steps, and starts.

A row has a hidden component k with probability ``p_k``. Given it, the attributes are independent: a discrete one has
value l with probability ``phi_kl``, a numeric one is Gaussian with mean ``mu_k`` and precision ``lambda_k``. A missing
attribute drops out of the product.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammainc, gammaln

from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.mixture.columns import Cells
from priorcase.bayes.predictive import evidence_share

LOG_2PI = math.log(2.0 * math.pi)
# Components are expected to have a tenth of the variance of their column, with a mean anywhere in the column. On real
# tables this gave better held-out scores than components expected to be as wide as the column.
_NARROWER = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """The prior of all parameters, worth ``weight`` rows.

    ``weight`` is the Dirichlet weight of each component and value. In standard units ``lambda ~ Gamma(shape, rate)``
    and ``mu ~ N(0, 1 / (strength lambda))``. The Gamma is truncated at ``bounds``, the largest precision of each
    numeric attribute, shape (attributes, 1): numbers are recorded to some grain, and repeated numbers would otherwise
    become components of their own.
    """

    weight: float
    strength: float
    shape: float
    rate: float
    bounds: FloatArray

    @classmethod
    def of(cls, weight: float, largest_precisions: FloatArray) -> Prior:
        """The prior for columns in standard units.

        Examples
        --------
        >>> Prior.of(1.0, np.array([12.0]))
        Prior(weight=1.0, strength=0.1, shape=0.5, rate=0.05, bounds=array([[12.]]))
        """
        strength, shape = _NARROWER * weight, 0.5 * weight
        return cls(weight, strength, shape, _NARROWER * shape, largest_precisions[:, None])


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """The parameters of all components.

    Parameters
    ----------
    log_weights
        Log-probability of each component.
    means, precisions
        Of each numeric attribute in each component, in standard units, shape (attributes, components).
    tables
        For each discrete attribute of n values, log-probabilities in each component, shape (components, n + 2): of the
        values, 0 for a missing one, and that of an unseen value.
    """

    log_weights: FloatArray
    means: FloatArray
    precisions: FloatArray
    tables: tuple[FloatArray, ...]

    def __len__(self) -> int:
        return len(self.log_weights)

    @property
    def free(self) -> int:
        """Number of free parameters."""
        values = sum(max(table.shape[1] - 3, 0) for table in self.tables)
        return len(self) - 1 + len(self) * int(values + 2 * len(self.means))

    def sorted(self) -> Parameters:
        """The components by descending weight."""
        order = np.argsort(-self.log_weights, kind="stable")
        tables = tuple(table[order] for table in self.tables)
        return Parameters(self.log_weights[order], self.means[:, order], self.precisions[:, order], tables)

    def reordered(self, orders: Sequence[IntArray]) -> Parameters:
        """The values of each discrete attribute in another order."""
        tables = (table[:, [*order, -2, -1]] for table, order in zip(self.tables, orders, strict=True))
        return replace(self, tables=tuple(np.ascontiguousarray(table) for table in tables))

    def log_prior(self, prior: Prior) -> float:
        """The log of the prior density, over log-odds of probabilities, means, and logs of precisions.

        With weight a, the density of probabilities ``phi`` is ``G(n a) / G(a)^n prod_l phi_l^a`` over log-odds, and
        that of ``mu, ln lambda`` is ``N(mu; 0, 1 / (strength lambda)) Gamma(lambda; shape, rate) lambda``, the Gamma
        truncated at the largest precision.
        """
        total = _log_dirichlet(self.log_weights, prior.weight)
        total += sum(_log_dirichlet(table[:, :-2], prior.weight) for table in self.tables)
        logs, strengths = np.log(self.precisions), prior.strength * self.precisions
        gauss = 0.5 * (math.log(prior.strength) - LOG_2PI + logs - strengths * np.square(self.means))
        gamma = prior.shape * (math.log(prior.rate) + logs) - float(gammaln(prior.shape)) - prior.rate * self.precisions
        gamma -= log_below(np.array(prior.shape), prior.rate * prior.bounds)
        return total + float((gauss + gamma).sum())


def _log_dirichlet(logs: FloatArray, weight: float) -> float:
    """The log-density of Dirichlet probabilities over their log-odds, summed over all but the last axis."""
    n = logs.shape[-1]
    constant = float(gammaln(n * weight) - n * gammaln(weight)) if n else 0.0
    return constant * float(logs.size // max(n, 1)) + weight * float(logs.sum())


def log_below(shape: FloatArray, bound: FloatArray) -> FloatArray:
    """``ln P(G <= bound)`` for ``G ~ Gamma(shape, 1)``, also where the probability underflows.

    There it is ``a ln x - x - ln G(a + 1) + ln(1 + x / (a + 1) + x^2 / ((a + 1)(a + 2)) + ...)``.

    Examples
    --------
    >>> log_below(np.array([1.0, 500.0]), np.array([np.log(2), 1.0])).tolist()
    [-0.693..., -2612.32...]
    """
    chance = gammainc(shape, bound)
    usual = chance > 1e-280
    logs = np.log(np.where(usual, chance, 1.0))
    if not usual.all():
        a, x = (array[~usual] for array in np.broadcast_arrays(shape, bound))
        term, total = np.ones_like(a), np.ones_like(a)
        for k in range(1, 10_000):
            term = term * x / (a + k)
            total += term
            if (term <= 1e-17 * total).all():
                break
        logs[~usual] = a * np.log(x) - x - gammaln(a + 1.0) + np.log(total)
    return logs


# -- densities; nothing is larger than rows by components, and a row alone gets the same bits as in a batch


def log_number(parameters: Parameters, cells: Cells, j: int, rows: slice) -> FloatArray:
    """Log-density of numeric attribute ``j`` in each component, 0 where it is missing."""
    precision = parameters.precisions[j][:, None]
    part: FloatArray = cells.numbers[j, rows] - parameters.means[j][:, None]
    np.square(part, out=part)
    part *= -0.5 * precision
    part += 0.5 * (np.log(precision) - LOG_2PI)
    known = cells.known[j]
    if known is not None:
        part *= known[rows]
    return part


def log_value(parameters: Parameters, cells: Cells, j: int, rows: slice) -> FloatArray:
    """Log-probability of discrete attribute ``j`` in each component, 0 where it is missing."""
    return np.take(parameters.tables[j], cells.codes[j, rows], axis=1)


def log_joint(parameters: Parameters, cells: Cells, rows: slice) -> FloatArray:
    """``ln p_k + sum_i ln p(x_i | k)`` over the known attributes, in standard units, shape (components, rows)."""
    joint = np.repeat(parameters.log_weights[:, None], rows.stop - rows.start, axis=1)
    for j in range(len(parameters.means)):
        joint += log_number(parameters, cells, j, rows)
    for j in range(len(parameters.tables)):
        joint += log_value(parameters, cells, j, rows)
    return joint


def normalize(joint: FloatArray) -> FloatArray:
    """Log of the sum over components; ``joint`` becomes the responsibilities, in place."""
    largest = joint.max(axis=0)
    joint -= largest
    np.exp(joint, out=joint)
    total: FloatArray = joint[0].copy()
    for share in joint[1:]:  # one by one: NumPy would add the components of a single row in another order
        total += share
    joint /= total
    logs: FloatArray = np.log(total) + largest
    return logs


def responsibilities(parameters: Parameters, cells: Cells) -> tuple[FloatArray, FloatArray]:
    """Probability of each component for each row, shape (components, rows), and the log-density of each row."""
    shares, densities = np.empty((len(parameters), len(cells))), np.empty(len(cells))
    for rows in cells.blocks(len(parameters)):
        joint = log_joint(parameters, cells, rows)
        densities[rows] = normalize(joint)
        shares[:, rows] = joint
    return shares, densities + cells.offsets


def log_responsibilities(parameters: Parameters, cells: Cells) -> FloatArray:
    """Log-probability of each component for each row, shape (components, rows), without underflow."""
    logs = np.empty((len(parameters), len(cells)))
    for rows in cells.blocks(len(parameters)):
        joint = log_joint(parameters, cells, rows)
        joint -= joint.max(axis=0)
        logs[:, rows] = joint - normalize(joint.copy())
    return logs


def distribution(parameters: Parameters, shares: FloatArray, j: int) -> FloatArray:
    """Probability of each value of discrete attribute ``j``, shape (rows, values), from the responsibilities."""
    chances = np.exp(parameters.tables[j][:, :-2])
    result = np.zeros((shares.shape[1], chances.shape[1]))
    for share, chance in zip(shares, chances, strict=True):
        result += share[:, None] * chance
    return np.minimum(result, 1.0)  # rounding must not lift what is certain above 1


def log_distribution(parameters: Parameters, logs: FloatArray, j: int) -> FloatArray:
    """The logarithm of `distribution`, from `log_responsibilities`."""
    chances = parameters.tables[j][:, :-2]
    result = np.full((logs.shape[1], chances.shape[1]), -np.inf)
    for log, chance in zip(logs, chances, strict=True):
        np.logaddexp(result, log[:, None] + chance, out=result)
    np.minimum(result, 0.0, out=result)
    return result


# -- the two steps


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """Expected counts and sums by component.

    ``rows`` of each component; ``known``, ``sums`` and ``squares`` of each numeric attribute, shape (attributes,
    components), in standard units; ``counts`` of the values of each discrete attribute, shape (components, values).
    """

    rows: FloatArray
    known: FloatArray
    sums: FloatArray
    squares: FloatArray
    counts: tuple[FloatArray, ...]


class _Collector:
    """Adds up statistics, block by block."""

    def __init__(self, cells: Cells, sizes: Sequence[int], components: int) -> None:
        shape = (len(cells.numbers), components)
        self._cells = cells
        self._rows = np.zeros(components)
        self._known, self._sums, self._squares = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._counts = [np.zeros((components, size + 2)) for size in sizes]

    def add(self, rows: slice, shares: FloatArray) -> None:
        """Add a block of rows with their responsibilities, shape (components, rows)."""
        cells = self._cells
        shares = shares * cells.weights[rows]
        self._rows += shares.sum(axis=1)
        numbers = cells.numbers[:, rows]
        # einsum adds up in one fixed order, where a matrix product may go by the number of threads.
        self._sums += np.einsum("an,kn->ak", numbers, shares)
        self._squares += np.einsum("an,kn->ak", np.square(numbers), shares)
        for j, known in enumerate(cells.known):
            if known is not None:
                self._known[j] += np.einsum("n,kn->k", known[rows], shares)
        for codes, counts in zip(cells.codes[:, rows], self._counts, strict=True):
            # One slot for each pair of component and value: a single pass, each slot summed in the order of the rows.
            slots = codes + np.arange(0, counts.size, counts.shape[1])[:, None]
            counts += np.bincount(slots.ravel(), shares.ravel(), minlength=counts.size).reshape(counts.shape)

    def result(self) -> Statistics:
        """The statistics of all blocks."""
        for j, known in enumerate(self._cells.known):
            if known is None:
                self._known[j] = self._rows
        counts = tuple(count[:, :-2].copy() for count in self._counts)
        return Statistics(self._rows, self._known, self._sums, self._squares, counts)


def expectation(parameters: Parameters, cells: Cells) -> tuple[Statistics, float]:
    """The E-step: expected statistics under some parameters, and the log-likelihood of the rows in standard units."""
    collector = _Collector(cells, [table.shape[1] - 2 for table in parameters.tables], len(parameters))
    total = 0.0
    for rows in cells.blocks(len(parameters)):
        joint = log_joint(parameters, cells, rows)
        total += float((normalize(joint) * cells.weights[rows]).sum())
        collector.add(rows, joint)
    return collector.result(), total


def maximization(statistics: Statistics, prior: Prior) -> Parameters:
    """The M-step: the parameters of the largest posterior density over log-odds, means and logs of precisions.

    Of n rows, with prior weight a: a probability is ``(n_l + a) / (n + a n_values)``; a mean is ``s / (n + strength)``
    and a variance ``(2 rate + q - s^2 / (n + strength)) / (n + 2 shape + 1)``, where s is the sum and q the sum of
    squares, in standard units, and not below what the grain of the numbers allows.
    """
    rows, known = statistics.rows, statistics.known
    means = statistics.sums / (known + prior.strength)
    deviations = np.maximum(statistics.squares - statistics.sums * means, 0.0)
    return Parameters(
        log_weights=np.log(evidence_share(rows, rows.sum(), prior.weight, prior.weight * rows.size)),
        means=means,
        precisions=np.minimum((known + 2.0 * prior.shape + 1.0) / (2.0 * prior.rate + deviations), prior.bounds),
        tables=tuple(_table(counts, prior.weight) for counts in statistics.counts),
    )


def _table(counts: FloatArray, prior: float) -> FloatArray:
    """Log-probabilities of the values, 0 for a missing one, and that of an unseen value, which widens the domain."""
    n = counts.shape[1]
    total = counts.sum(axis=1, keepdims=True)
    table = np.zeros((len(counts), n + 2))
    table[:, :n] = np.log(evidence_share(counts, total, prior, prior * n)) if n else 0.0
    table[:, n + 1] = np.log(evidence_share(0.0, total[:, 0], prior, prior * (n + 1)))
    return table


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One run of EM: where it ended, the statistics and the log-likelihood there, and the log-posterior on the way."""

    parameters: Parameters
    statistics: Statistics
    log_likelihood: float
    history: FloatArray
    converged: bool

    @property
    def log_posterior(self) -> float:
        """Log of likelihood times prior at the end."""
        return float(self.history[-1])


def run_em(cells: Cells, start: Statistics, *, prior: Prior, max_iter: int, tol: float) -> Run:
    """EM from some statistics on, for at most ``max_iter`` iterations or until one gains at most ``tol`` per row."""
    parameters = maximization(start, prior)
    statistics, likelihood = expectation(parameters, cells)
    history = [likelihood + parameters.log_prior(prior)]
    enough = tol * float(cells.weights.sum())
    converged = False
    while not converged and len(history) <= max_iter:
        parameters = maximization(statistics, prior)
        statistics, likelihood = expectation(parameters, cells)
        history.append(likelihood + parameters.log_prior(prior))
        converged = history[-1] - history[-2] <= enough
    return Run(parameters, statistics, likelihood, np.array(history), converged)


# -- starts


def initial_statistics(cells: Cells, sizes: Sequence[int], components: int, rng: np.random.Generator) -> Statistics:
    """Statistics of a k-means++ start (Arthur & Vassilvitskii 2007): rows far apart, every other with the nearest."""
    owners = np.zeros(len(cells), np.int64)
    nearest = np.full(len(cells), np.inf)
    chances = cells.weights
    for component in range(components):
        if component and (cells.weights * nearest).any():
            chances = cells.weights * nearest
        bounds = np.cumsum(chances)
        row = min(int(np.searchsorted(bounds, rng.random() * bounds[-1], side="right")), len(cells) - 1)
        far = _differences(cells, sizes, row)
        owners[far < nearest] = component
        np.minimum(nearest, far, out=nearest)
    collector = _Collector(cells, sizes, components)
    every = np.arange(components)[:, None]
    for rows in cells.blocks(components):
        collector.add(rows, (owners[rows] == every).astype(np.float64))
    return collector.result()


def _differences(cells: Cells, sizes: Sequence[int], row: int) -> FloatArray:
    """How much all rows differ from one: the mean over the attributes known in both, 1 where there are none.

    Half the squared difference in standard units for numbers, which is 1 on average; 1 for different values.
    """
    total, shared = np.zeros(len(cells)), np.zeros(len(cells))
    for numbers, known in zip(cells.numbers, cells.known, strict=True):
        both = np.ones(len(cells)) if known is None else known * known[row]
        # Missing values and far outliers alike must not reach infinity.
        total += np.minimum(0.5 * np.square(numbers - numbers[row]), 1e200) * both
        shared += both
    for codes, size in zip(cells.codes, sizes, strict=True):
        if codes[row] != size:
            both = (codes != size).astype(np.float64)
            total += (codes != codes[row]) * both
            shared += both
    return np.divide(total, shared, out=np.ones(len(cells)), where=shared > 0)
