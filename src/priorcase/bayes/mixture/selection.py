"""The number of components: EM from several starts for each number, and a score that compares the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from priorcase._typing import Backend, FloatArray, IntArray
from priorcase.bayes.mixture.columns import Cells, Layout
from priorcase.bayes.mixture.em import (
    LOG_2PI,
    Parameters,
    Prior,
    Run,
    Statistics,
    distribution,
    initial_statistics,
    log_below,
    responsibilities,
    run_em,
)
from priorcase.bayes.predictive import log_marginal, log_rising
from priorcase.learning.resampling import bar
from priorcase.learning.results import Grid, framed, grids_html, grids_text

SelectionName: TypeAlias = Literal["cheeseman_stutz", "held_out"]
FOLDS = 5  # of the held-out score


@dataclass(frozen=True, slots=True)
class Search:
    """How to search for a mixture: what EM needs, and the seed of all starts."""

    weight: float
    n_init: int
    max_iter: int
    tol: float
    seed: int
    threads: int
    progress: bool


@dataclass(frozen=True, repr=False, eq=False)
class Selection:
    """Numbers of components and their scores; prints as a table, in terminals and notebooks.

    Parameters
    ----------
    name
        The score: ``"cheeseman_stutz"`` or ``"held_out"``.
    n_components, scores
        The numbers of components tried, and their scores; the highest is chosen, the first among equals.
    backend
        The library whose frame the estimator was fitted on, or None.
    """

    name: SelectionName
    n_components: IntArray
    scores: FloatArray
    backend: Backend | None = None

    @property
    def chosen(self) -> int:
        """The number of components with the highest score."""
        return int(self.n_components[int(np.argmax(self.scores))])

    def __len__(self) -> int:
        return self.n_components.size

    def frame(self) -> Any:
        """One row per number of components: ``components``, the score by its name, and ``chosen``.

        A frame of the library that the estimator was fitted with; after a fit on arrays, of the installed one.
        """
        chosen = self.n_components == self.chosen
        return framed({"components": self.n_components, self.name: self.scores, "chosen": chosen}, self.backend)

    def __str__(self) -> str:
        return grids_text([self._grid("")])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grids_html([self._grid("Numbers of components tried")])

    def _grid(self, title: str) -> Grid:
        best = float(self.scores.max())
        lines = [
            [str(n), f"{score:.6g}", f"{best - score:.4g}", "chosen" if n == self.chosen else ""]
            for n, score in zip(self.n_components.tolist(), self.scores.tolist(), strict=True)
        ]
        return Grid(title, ["components", self.name, "below the best", ""], lines, right=range(3))


def select(
    layout: Layout, cells: Cells, numbers: Sequence[int], name: SelectionName, search: Search
) -> tuple[Run, Selection]:
    """The best run of EM with the best number of components, and the scores of all numbers."""
    merged, prior = cells.merged(), Prior.of(search.weight, layout.largest_precisions)
    if name == "cheeseman_stutz":
        runs = _runs(layout, [(n, merged) for n in numbers], prior, search)
        scores = [cheeseman_stutz(run, merged, prior) for run in runs]
        selection = Selection(name, np.array(numbers), np.array(scores))
        return runs[numbers.index(selection.chosen)], selection
    folds = _folds(merged, search.seed)
    tasks = [(n, train) for n in numbers for train, _ in folds]
    runs = _runs(layout, tasks, prior, search)
    totals = [_held_out(layout, run, folds[i % len(folds)][1]) for i, run in enumerate(runs)]
    scores = np.array(totals).reshape(len(numbers), len(folds)).sum(axis=1) / cells.weights.sum()
    selection = Selection(name, np.array(numbers), scores)
    return _runs(layout, [(selection.chosen, merged)], prior, search)[0], selection


def _runs(layout: Layout, tasks: Sequence[tuple[int, Cells]], prior: Prior, search: Search) -> list[Run]:
    """For each number of components and rows the best of several runs; the first among equals."""
    starts = [1 if n == 1 else search.n_init for n, _ in tasks]
    jobs = [(n, cells, start) for (n, cells), count in zip(tasks, starts, strict=True) for start in range(count)]
    with bar(len(jobs), shown=search.progress) as advance:

        def work(job: tuple[int, Cells, int]) -> Run:
            n, cells, start = job
            first = initial_statistics(cells, layout.sizes, n, np.random.default_rng((search.seed, n, start)))
            run = run_em(cells, first, prior=prior, max_iter=search.max_iter, tol=search.tol)
            advance(f"{n} component{'s' if n > 1 else ''}")
            return run

        done = _mapped(work, jobs, search.threads)
    ends = np.cumsum(starts).tolist()
    return [
        max(done[end - count : end], key=lambda run: run.log_posterior) for end, count in zip(ends, starts, strict=True)
    ]


def _mapped(
    work: Callable[[tuple[int, Cells, int]], Run], jobs: Sequence[tuple[int, Cells, int]], threads: int
) -> list[Run]:
    """The results in the order of the jobs; each depends on its own seed only, so threads change nothing."""
    if threads == 1 or len(jobs) == 1:
        return [work(job) for job in jobs]
    with ThreadPoolExecutor(threads) as pool:
        try:
            return list(pool.map(work, jobs))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


# -- the Cheeseman-Stutz score


def cheeseman_stutz(run: Run, cells: Cells, prior: Prior) -> float:
    """An approximation of the log evidence: ``ln P(D^ | M) + ln P(D | theta^) - ln P(D^ | theta^) + ln K!``.

    ``theta^`` are the most probable parameters and ``D^`` the rows completed with the components expected there, whose
    evidence is known in closed form (Cheeseman & Stutz 1996). The first three terms measure one mode of the posterior;
    ``ln K!`` counts its copies, one for each labelling of the K components. With one component the score is exact;
    where components are well separated it is nearly so; where they overlap it is too low.
    """
    units = float((cells.weights * cells.offsets).sum())
    completed = _log_evidence(run.statistics, prior)
    mode = completed + run.log_likelihood - _log_complete(run.parameters, run.statistics) + units
    return mode + math.lgamma(len(run.parameters) + 1)


def _log_evidence(statistics: Statistics, prior: Prior) -> float:
    """``ln P(D^ | M)``: completed rows under a mixture, averaged over its parameters, in standard units."""
    total = float(log_marginal(statistics.rows, prior.weight))
    total += sum(float(log_marginal(counts, prior.weight).sum()) for counts in statistics.counts if counts.shape[1])
    # The posterior of mean and precision is again a Normal-Gamma.
    n = statistics.known
    strength, shape = prior.strength + n, prior.shape + 0.5 * n
    rate = prior.rate + 0.5 * np.maximum(statistics.squares - np.square(statistics.sums) / strength, 0.0)
    logs = log_rising(np.full_like(n, prior.shape), 0.5 * n) + prior.shape * math.log(prior.rate)
    logs += 0.5 * np.log(prior.strength / strength) - shape * np.log(rate) - 0.5 * n * LOG_2PI
    # Both are truncated at the largest precision.
    logs += log_below(shape, rate * prior.bounds) - log_below(np.array(prior.shape), prior.rate * prior.bounds)
    return total + float(logs.sum())


def _log_complete(parameters: Parameters, statistics: Statistics) -> float:
    """``ln P(D^ | theta)``: completed rows under given parameters, in standard units."""
    total = float((statistics.rows * parameters.log_weights).sum())
    for counts, table in zip(statistics.counts, parameters.tables, strict=True):
        total += float((counts * table[:, :-2]).sum())
    means, precisions, n = parameters.means, parameters.precisions, statistics.known
    squares = statistics.squares - 2.0 * means * statistics.sums + np.square(means) * n
    return total + float((0.5 * n * (np.log(precisions) - LOG_2PI) - 0.5 * precisions * squares).sum())


# -- the held-out score


def _folds(cells: Cells, seed: int) -> list[tuple[Cells, Cells]]:
    """Rows to learn from and rows held out, each row held out once; the copies that a weight stands for go apart."""
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
    return [(_reweighted(cells, weights - out), _reweighted(cells, out)) for out in held.T]


def _reweighted(cells: Cells, weights: FloatArray) -> Cells:
    """Rows with other weights; those that are left with none but rounding are dropped."""
    some = np.flatnonzero(weights > 1e-9 * cells.weights)
    return cells.take(some, weights[some])


def _held_out(layout: Layout, run: Run, cells: Cells) -> float:
    """Sum over rows of the log-probability of the class given the rest, or of the log-density without a class."""
    if not layout.has_class:
        _, densities = responsibilities(run.parameters, cells)
        return float((cells.weights * densities).sum())
    size = layout.sizes[-1]
    shares, _ = responsibilities(run.parameters, cells.without(len(layout.sizes) - 1, size))
    chances = distribution(run.parameters, shares, len(layout.sizes) - 1)
    return float((cells.weights * np.log(chances[np.arange(len(cells)), cells.codes[-1]])).sum())
