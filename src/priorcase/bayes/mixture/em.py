"""EM for a finite mixture of independent attributes: densities, the two steps, starts, and the number of components.

A row has a hidden component k with probability ``p_k``. Given the component, the attributes are independent: a discrete
attribute has value l with probability ``phi_kl``, a numeric attribute is Gaussian with mean ``mu_k`` and precision
``lambda_k``, and each word of a text is word l with probability ``phi_kl``. Missing values are omitted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from scipy.special import gammainc, gammaln

from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.mixture.columns import Cells, Layout
from priorcase.bayes.mixture.results import Selection, SelectionName
from priorcase.bayes.predictive import evidence_share, log_marginal, log_rising
from priorcase.learning.resampling import bar

FOLDS = 5  # number of folds for the held-out score
LOG_2PI = math.log(2.0 * math.pi)
# A priori, components have a tenth of the variance of their column, with a mean anywhere in the column. On real tables
# this gave better held-out scores than components as wide as the column.
_NARROWER = 0.1
_LARGEST_RATIO = 1e150  # of the spread of a column to its grain; the square of a larger ratio overflows


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """Prior of the parameters of a component: a Dirichlet prior for probabilities, a Normal-Gamma prior for numbers.

    In standard units, the precision ``lambda`` of a numeric column has the distribution ``Gamma(shape, rate)``,
    truncated at ``bounds``. Given the precision, the mean has the distribution ``N(0, 1 / (strength lambda))``.
    """

    weight: float  # in rows: the Dirichlet weight of each component and value
    strength: float
    shape: float
    rate: float
    bounds: FloatArray  # the largest precision of each numeric attribute, shape (attributes, 1)

    @classmethod
    def of(cls, weight: float, largest_precisions: FloatArray) -> Prior:
        """Return the prior with this weight in rows; the largest precisions are given in standard units."""
        strength, shape = _NARROWER * weight, 0.5 * weight
        return cls(weight, strength, shape, _NARROWER * shape, largest_precisions[:, None])


@dataclass(frozen=True, slots=True, eq=False)
class Parameters:
    """Parameters of all components."""

    log_weights: FloatArray
    means: FloatArray  # of each numeric attribute, in standard units, shape (attributes, components)
    precisions: FloatArray
    # For each discrete attribute, the log-probabilities of its values (for a text, its words), of a missing value (0),
    # and of an unseen value, shape (components, values + 2).
    tables: tuple[FloatArray, ...]

    def __len__(self) -> int:
        return len(self.log_weights)

    def sorted(self) -> Parameters:
        """Return the parameters with the components in order of descending weight."""
        order = np.argsort(-self.log_weights, kind="stable")
        tables = tuple(table[order] for table in self.tables)
        return Parameters(self.log_weights[order], self.means[:, order], self.precisions[:, order], tables)

    def reordered(self, orders: Sequence[IntArray]) -> Parameters:
        """Return the parameters with the values of each discrete attribute in another order."""
        tables = (table[:, [*order, -2, -1]] for table, order in zip(self.tables, orders, strict=True))
        return replace(self, tables=tuple(np.ascontiguousarray(table) for table in tables))

    def log_prior(self, prior: Prior) -> float:
        """Return the log of the prior density of the parameters.

        The density is over the means, the logs of the precisions, and the log-odds of the probabilities. For n
        probabilities with weight a, the density is ``G(n a) / G(a)^n prod_l phi_l^a``, with G the gamma function. The
        density of ``mu, ln lambda`` is ``N(mu; 0, 1 / (strength lambda)) Gamma(lambda; shape, rate) lambda``,
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
    """Return the sum of the Dirichlet log-densities, over log-odds, of the distributions in ``logs`` (last axis)."""
    n = logs.shape[-1]
    constant = float(gammaln(n * weight) - n * gammaln(weight)) if n else 0.0
    return constant * float(logs.size // max(n, 1)) + weight * float(logs.sum())


def log_below(shape: FloatArray, bound: FloatArray) -> FloatArray:
    """Return ``ln P(G <= bound)`` for ``G ~ Gamma(shape, 1)``, even if the probability underflows."""
    chance = gammainc(shape, bound)
    usual = chance > 1e-280
    logs = np.log(np.where(usual, chance, 1.0))
    if not usual.all():
        # ``a ln x - x - ln G(a + 1) + ln(1 + x / (a + 1) + x^2 / ((a + 1)(a + 2)) + ...)``
        a, x = (array[~usual] for array in np.broadcast_arrays(shape, bound))
        term, total = np.ones_like(a), np.ones_like(a)
        for k in range(1, 10_000):
            term = term * x / (a + k)
            total += term
            if (term <= 1e-17 * total).all():
                break
        logs[~usual] = a * np.log(x) - x - gammaln(a + 1.0) + np.log(total)
    return logs


# -- densities; no array is larger than rows by components, and a row gets identical results alone and in a batch


def log_term(parameters: Parameters, cells: Cells, j: int, rows: slice) -> FloatArray:
    """Return the log-density of attribute ``j``, shape (components, rows); 0 for missing values."""
    discrete = j - len(parameters.means)
    if discrete in cells.documents:
        return np.ascontiguousarray((cells.words(discrete, rows) @ parameters.tables[discrete][:, :-2].T).T)
    if discrete >= 0:
        return np.take(parameters.tables[discrete], cells.codes[discrete, rows], axis=1)
    precision = parameters.precisions[j][:, None]
    part: FloatArray = cells.numbers[j, rows] - parameters.means[j][:, None]
    np.square(part, out=part)
    part *= -0.5 * precision
    part += 0.5 * (np.log(precision) - LOG_2PI)
    known = cells.known[j]
    if known is not None:
        part *= known[rows]
    return part


def log_joint(parameters: Parameters, cells: Cells, rows: slice) -> FloatArray:
    """Return ``ln p_k + sum_i ln p(x_i | k)`` over known attributes, in standard units, shape (components, rows)."""
    joint = np.repeat(parameters.log_weights[:, None], rows.stop - rows.start, axis=1)
    for j in range(len(parameters.means) + len(parameters.tables)):
        joint += log_term(parameters, cells, j, rows)
    return joint


def normalize(joint: FloatArray) -> FloatArray:
    """Return the log-density of each row, and convert ``joint`` (see `log_joint`) to responsibilities in place."""
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
    """Return the component probabilities of each row, shape (components, rows), and the log-density of each row."""
    shares, densities = np.empty((len(parameters), len(cells))), np.empty(len(cells))
    for rows in cells.blocks(len(parameters)):
        joint = log_joint(parameters, cells, rows)
        densities[rows] = normalize(joint)
        shares[:, rows] = joint
    return shares, densities + cells.offsets


def log_responsibilities(parameters: Parameters, cells: Cells) -> FloatArray:
    """Return the log of each component's probability for each row, shape (components, rows), without underflow."""
    logs = np.empty((len(parameters), len(cells)))
    for rows in cells.blocks(len(parameters)):
        joint = log_joint(parameters, cells, rows)
        joint -= joint.max(axis=0)
        logs[:, rows] = joint - normalize(joint.copy())
    return logs


def distribution(parameters: Parameters, shares: FloatArray, j: int) -> FloatArray:
    """Return the probability of each value of discrete attribute ``j``, shape (rows, values)."""
    chances = np.exp(parameters.tables[j][:, :-2])
    result = np.zeros((shares.shape[1], chances.shape[1]))
    for share, chance in zip(shares, chances, strict=True):
        result += share[:, None] * chance
    return np.minimum(result, 1.0)  # rounding must not lead to probabilities above 1


def log_distribution(parameters: Parameters, logs: FloatArray, j: int) -> FloatArray:
    """Return the logarithm of `distribution`, given `log_responsibilities`."""
    chances = parameters.tables[j][:, :-2]
    result = np.full((logs.shape[1], chances.shape[1]), -np.inf)
    for log, chance in zip(logs, chances, strict=True):
        np.logaddexp(result, log[:, None] + chance, out=result)
    np.minimum(result, 0.0, out=result)
    return result


# -- the two steps


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """Expected counts and sums of the rows of each component."""

    rows: FloatArray  # number of rows of each component
    known: FloatArray  # number of known values of each numeric attribute, shape (attributes, components)
    sums: FloatArray  # of the numbers in standard units, same shape
    squares: FloatArray
    counts: tuple[FloatArray, ...]  # of the values of each discrete attribute, shape (components, values)


def _statistics(
    cells: Cells, sizes: Sequence[int], components: int, shares_of: Callable[[slice], FloatArray]
) -> Statistics:
    """Return the statistics of rows; ``shares_of`` gives the responsibilities of a block, shape (components, rows)."""
    total, (all_known, sums, squares) = np.zeros(components), np.zeros((3, len(cells.numbers), components))
    all_counts = [np.zeros((components, size + 2)) for size in sizes]
    for rows in cells.blocks(components):
        shares, numbers = shares_of(rows) * cells.weights[rows], cells.numbers[:, rows]
        owned = shares.sum(axis=1)
        total += owned
        # einsum sums in a fixed order; the order in a matrix product may depend on the number of threads.
        sums += np.einsum("an,kn->ak", numbers, shares)
        squares += np.einsum("an,kn->ak", np.square(numbers), shares)
        for j, known in enumerate(cells.known):
            all_known[j] += owned if known is None else np.einsum("n,kn->k", known[rows], shares)
        for j, (codes, counts) in enumerate(zip(cells.codes[:, rows], all_counts, strict=True)):
            if j in cells.documents:
                counts[:, :-2] += (cells.words(j, rows).T @ shares.T).T
                continue
            # A single pass computes the sum for each pair of component and value, in row order.
            slots = codes + np.arange(0, counts.size, counts.shape[1])[:, None]
            counts += np.bincount(slots.ravel(), shares.ravel(), minlength=counts.size).reshape(counts.shape)
    return Statistics(total, all_known, sums, squares, tuple(counts[:, :-2].copy() for counts in all_counts))


def expectation(parameters: Parameters, cells: Cells) -> tuple[Statistics, float]:
    """E-step: return the expected statistics, and the log-likelihood of the rows in standard units."""
    total = 0.0

    def shares(rows: slice) -> FloatArray:
        nonlocal total
        joint = log_joint(parameters, cells, rows)
        total += float((normalize(joint) * cells.weights[rows]).sum())
        return joint

    sizes = [table.shape[1] - 2 for table in parameters.tables]
    statistics = _statistics(cells, sizes, len(parameters), shares)
    return statistics, total


def maximization(statistics: Statistics, prior: Prior) -> Parameters:
    """M-step: return the parameters with the largest posterior density over log-odds, means and logs of precisions.

    If a component has n known values of an attribute and the prior weight is a, a value that occurs n_l times has the
    probability ``(n_l + a) / (n + a n_values)``. A mean is ``s / (n + strength)``, and a variance is
    ``(2 rate + q - s^2 / (n + strength)) / (n + 2 shape + 1)``, where s is the sum and q the sum of squares.
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
    """Return the log-probabilities of the values, of a missing value (0), and of an unseen value."""
    n = counts.shape[1]
    total = counts.sum(axis=1, keepdims=True)
    table = np.zeros((len(counts), n + 2))
    table[:, :n] = np.log(evidence_share(counts, total, prior, prior * n)) if n else 0.0
    table[:, n + 1] = np.log(evidence_share(0.0, total[:, 0], prior, prior * (n + 1)))
    return table


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Result of an EM run: final parameters, statistics and log-likelihood, and the log posterior at each iteration."""

    parameters: Parameters
    statistics: Statistics
    log_likelihood: float
    history: FloatArray
    converged: bool


def run_em(cells: Cells, start: Statistics, *, prior: Prior, max_iter: int, tol: float) -> Run:
    """Run EM until the log posterior gains at most ``tol`` per row, or for at most ``max_iter`` iterations."""
    statistics, history, enough, converged = start, list[float](), tol * float(cells.weights.sum()), False
    while not converged and len(history) <= max_iter:
        parameters = maximization(statistics, prior)
        statistics, likelihood = expectation(parameters, cells)
        history.append(likelihood + parameters.log_prior(prior))
        converged = len(history) > 1 and history[-1] - history[-2] <= enough
    return Run(parameters, statistics, likelihood, np.array(history), converged)


def initial_statistics(cells: Cells, sizes: Sequence[int], components: int, rng: np.random.Generator) -> Statistics:
    """Return the statistics of a k-means++ start, in which each row belongs to the nearest of several random rows."""
    owners, nearest, chances = np.zeros(len(cells), np.int64), np.full(len(cells), np.inf), cells.weights
    for component in range(components):
        if component and (cells.weights * nearest).any():
            chances = cells.weights * nearest
        bounds = np.cumsum(chances)
        row = min(int(np.searchsorted(bounds, rng.random() * bounds[-1], side="right")), len(cells) - 1)
        far = _differences(cells, sizes, row)
        owners[far < nearest] = component
        np.minimum(nearest, far, out=nearest)
    every = np.arange(components)[:, None]
    return _statistics(cells, sizes, components, lambda rows: (owners[rows] == every).astype(np.float64))


def _differences(cells: Cells, sizes: Sequence[int], row: int) -> FloatArray:
    """Return the difference of each row from one row: the mean over the attributes that are known in both rows."""
    total, shared = np.zeros(len(cells)), np.zeros(len(cells))
    for numbers, known in zip(cells.numbers, cells.known, strict=True):
        both = np.ones(len(cells)) if known is None else known * known[row]
        # In standard units, half the squared difference is 1 on average. Neither missing values nor far outliers may
        # give infinity.
        total += np.minimum(0.5 * np.square(numbers - numbers[row]), 1e200) * both
        shared += both
    for j, (codes, size) in enumerate(zip(cells.codes, sizes, strict=True)):
        if j in cells.documents:
            documents, both = cells.documents[j], ((codes > 0) & (codes[row] > 0)).astype(np.float64)
            # One minus the cosine similarity.
            lengths = np.sqrt(np.asarray(documents.multiply(documents).sum(axis=1)).ravel())
            alike = (documents @ documents[codes[row]].T).toarray().ravel()
            alike /= np.where(lengths > 0, lengths, 1.0) * (lengths[codes[row]] or 1.0)
            total += (1.0 - np.minimum(alike[codes], 1.0)) * both
            shared += both
        elif codes[row] != size:
            both = (codes != size).astype(np.float64)
            total += (codes != codes[row]) * both
            shared += both
    return np.divide(total, shared, out=np.ones(len(cells)), where=shared > 0)


# -- the number of components


@dataclass(frozen=True, slots=True)
class Search:
    """Parameters of EM and of the search for the number of components, with the seed of all starts."""

    weight: float
    n_init: int
    max_iter: int
    tol: float
    seed: int
    threads: int
    progress: bool


def select(
    layout: Layout, cells: Cells, numbers: Sequence[int], name: SelectionName, search: Search
) -> tuple[Run, Selection]:
    """Return the best EM run for the best number of components, and the score of each number tried."""
    # The precisions, in standard units, at which a Gaussian density reaches 1 per grain.
    ratios = [min(scale.spread / scale.grain, _LARGEST_RATIO) for scale in layout.scales]
    bounds = np.array([2.0 * math.pi * ratio**2 for ratio in ratios])
    merged, prior = cells.merged(), Prior.of(search.weight, bounds)
    if name == "cheeseman_stutz":
        runs = _runs(layout, [(n, merged) for n in numbers], prior, search)
        selection = Selection(name, np.array(numbers), np.array([cheeseman_stutz(run, merged, prior) for run in runs]))
        return runs[numbers.index(selection.chosen)], selection
    folds = _folds(merged, search.seed)
    runs = _runs(layout, [(n, train) for n in numbers for train, _ in folds], prior, search)
    totals = [_held_out(layout, run, folds[i % len(folds)][1]) for i, run in enumerate(runs)]
    scores = np.array(totals).reshape(len(numbers), len(folds)).sum(axis=1) / cells.weights.sum()
    selection = Selection(name, np.array(numbers), scores)
    return _runs(layout, [(selection.chosen, merged)], prior, search)[0], selection


def _runs(layout: Layout, tasks: Sequence[tuple[int, Cells]], prior: Prior, search: Search) -> list[Run]:
    """Return the best of several EM runs for each task (rows and a number of components); ties go to the first run."""
    starts = [1 if n == 1 else search.n_init for n, _ in tasks]
    jobs = [(n, cells, start) for (n, cells), count in zip(tasks, starts, strict=True) for start in range(count)]
    with bar(len(jobs), shown=search.progress) as advance:

        def work(job: tuple[int, Cells, int]) -> Run:
            n, cells, start = job
            first = initial_statistics(cells, layout.sizes, n, np.random.default_rng((search.seed, n, start)))
            run = run_em(cells, first, prior=prior, max_iter=search.max_iter, tol=search.tol)
            advance(f"{n} component{'s' if n > 1 else ''}")
            return run

        with ThreadPoolExecutor(search.threads) as pool:  # each run has its own seed, so threads do not change results
            try:
                done = list(pool.map(work, jobs))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
    runs = iter(done)
    return [max(islice(runs, count), key=lambda run: float(run.history[-1])) for count in starts]


def cheeseman_stutz(run: Run, cells: Cells, prior: Prior) -> float:
    """Return the approximate log evidence of Cheeseman & Stutz (1996), plus ``ln K!`` for the K! equivalent modes.

    The approximation is ``ln P(D^ | M) + ln P(D | theta^) - ln P(D^ | theta^)``, where ``theta^`` are the most probable
    parameters, and ``D^`` are the rows completed with their expected components. It is exact for one component, and too
    low if components overlap.
    """
    parameters, statistics, n = run.parameters, run.statistics, run.statistics.known
    # ln P(D^ | M): completed rows averaged over all parameters, in standard units.
    total = float(log_marginal(statistics.rows, prior.weight))
    total += sum(float(log_marginal(counts, prior.weight).sum()) for counts in statistics.counts if counts.shape[1])
    # The posterior of mean and precision is again a Normal-Gamma.
    strength, shape = prior.strength + n, prior.shape + 0.5 * n
    rate = prior.rate + 0.5 * np.maximum(statistics.squares - np.square(statistics.sums) / strength, 0.0)
    logs = log_rising(np.full_like(n, prior.shape), 0.5 * n) + prior.shape * math.log(prior.rate)
    logs += 0.5 * np.log(prior.strength / strength) - shape * np.log(rate) - 0.5 * n * LOG_2PI
    # Prior and posterior are truncated at the largest precision.
    logs += log_below(shape, rate * prior.bounds) - log_below(np.array(prior.shape), prior.rate * prior.bounds)
    evidence = total + float(logs.sum())
    # ln P(D^ | theta^): completed rows under the parameters found, in standard units.
    total = float((statistics.rows * parameters.log_weights).sum())
    for counts, table in zip(statistics.counts, parameters.tables, strict=True):
        total += float((counts * table[:, :-2]).sum())
    means, precisions = parameters.means, parameters.precisions
    squares = statistics.squares - 2.0 * means * statistics.sums + np.square(means) * n
    complete = total + float((0.5 * n * (np.log(precisions) - LOG_2PI) - 0.5 * precisions * squares).sum())
    units = float((cells.weights * cells.offsets).sum())
    return evidence + run.log_likelihood - complete + units + math.lgamma(len(parameters) + 1)


def _folds(cells: Cells, seed: int) -> list[tuple[Cells, Cells]]:
    """Return the training and the held-out rows of each fold; a weight above 1 is divided among the folds."""
    weights, n = cells.weights, len(cells)
    count = int(min(FOLDS, max(float(weights.sum()), n)))
    even = np.floor(weights / count)
    rest = weights - even * count
    copies = np.ceil(rest).astype(np.int64)
    owners = np.repeat(np.arange(n), copies)
    amounts = np.ones(owners.size)
    amounts[np.cumsum(copies)[copies > 0] - 1] = (rest - copies + 1.0)[copies > 0]
    parts = np.random.default_rng((seed, count)).permutation(owners.size) % count
    held = even[:, None] + np.bincount(owners * count + parts, amounts, minlength=n * count).reshape(n, count)

    def reweighted(given: FloatArray) -> Cells:
        some = np.flatnonzero(given > 1e-9 * weights)  # rows with a remainder at rounding level are dropped
        return cells.take(some, given[some])

    return [(reweighted(weights - out), reweighted(out)) for out in held.T]


def _held_out(layout: Layout, run: Run, cells: Cells) -> float:
    """Return the sum of the log-probabilities of the true classes or, without classes, the sum of the log-densities."""
    if not layout.has_class:
        _, densities = responsibilities(run.parameters, cells)
        return float((cells.weights * densities).sum())
    codes = cells.codes.copy()
    codes[-1] = layout.sizes[-1]  # missing
    shares, _ = responsibilities(run.parameters, replace(cells, codes=codes))
    chances = distribution(run.parameters, shares, len(codes) - 1)
    return float((cells.weights * np.log(chances[np.arange(len(cells)), cells.codes[-1]])).sum())
