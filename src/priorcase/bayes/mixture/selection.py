"""How many components: EM from several starts for each number of them, and a score that tells the numbers apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.mixture.cells import Cells
from priorcase.bayes.mixture.densities import distribution, responsibilities
from priorcase.bayes.mixture.em import Climb, climb
from priorcase.bayes.mixture.evidence import cheeseman_stutz
from priorcase.bayes.mixture.initial import seeded
from priorcase.bayes.mixture.layout import Layout
from priorcase.bayes.mixture.prior import Prior
from priorcase.learning.frames import Backend, framed
from priorcase.learning.grids import Grid, grids_html, grids_text
from priorcase.learning.progress import Advance, bar

SelectionName: TypeAlias = Literal["cheeseman_stutz", "held_out"]

FOLDS = 5
"""Parts that the rows are split into for the held-out score."""


@dataclass(frozen=True, slots=True)
class Search:
    """How to look for a mixture: what EM needs, and the seed that all starts come from."""

    weight: float
    n_init: int
    max_iter: int
    tol: float
    seed: int
    threads: int
    shown: bool


@dataclass(frozen=True, repr=False, eq=False)
class Selection:
    """Numbers of components and the score of each; it prints as a table, in terminals and notebooks.

    Parameters
    ----------
    name
        Which score it is: ``"cheeseman_stutz"`` or ``"held_out"``.
    n_components, scores
        Numbers of components that were tried, and their scores; the highest is chosen, the first one among equals.
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
        """One line for each number of components, in a frame of the library that the estimator was fitted with.

        Columns: ``components``, the score by its name, and ``chosen``. After a fit on arrays: in one of the
        library that is installed.
        """
        chosen = self.n_components == self.chosen
        return framed({"components": self.n_components, self.name: self.scores, "chosen": chosen}, self.backend)

    def __str__(self) -> str:
        return grids_text([self._grid("")])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grids_html([self._grid("Numbers of components that were tried")])

    def _grid(self, title: str) -> Grid:
        best = float(self.scores.max())
        lines = [
            [str(n), f"{score:.6g}", f"{best - score:.4g}", "chosen" if n == self.chosen else ""]
            for n, score in zip(self.n_components.tolist(), self.scores.tolist(), strict=True)
        ]
        return Grid(title, ["components", self.name, "below the best", ""], lines, right=range(3))


def select(
    layout: Layout, cells: Cells, numbers: Sequence[int], name: SelectionName, search: Search
) -> tuple[Climb, Selection]:
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


def _runs(layout: Layout, tasks: Sequence[tuple[int, Cells]], prior: Prior, search: Search) -> list[Climb]:
    """For each number of components and rows the best of several runs; the first among equals."""
    starts = [1 if n == 1 else search.n_init for n, _ in tasks]
    jobs = [(n, cells, start) for (n, cells), count in zip(tasks, starts, strict=True) for start in range(count)]
    with bar(len(jobs), shown=search.shown) as advance:
        done = _mapped(lambda job: _run(layout, *job, prior, search, advance), jobs, search.threads)
    ends = np.cumsum(starts).tolist()
    return [
        max(done[end - count : end], key=lambda run: run.log_posterior) for end, count in zip(ends, starts, strict=True)
    ]


def _run(layout: Layout, n: int, cells: Cells, start: int, prior: Prior, search: Search, advance: Advance) -> Climb:
    rng = np.random.default_rng((search.seed, n, start))
    first = seeded(cells, layout.sizes, n, rng)
    run = climb(cells, first, prior=prior, max_iter=search.max_iter, tol=search.tol)
    advance(f"{n} component{'s' if n > 1 else ''}")
    return run


def _mapped(
    work: Callable[[tuple[int, Cells, int]], Climb], jobs: Sequence[tuple[int, Cells, int]], threads: int
) -> list[Climb]:
    """The results in the order of the jobs; each depends on its own seed only, so threads change nothing."""
    if threads == 1 or len(jobs) == 1:
        return [work(job) for job in jobs]
    with ThreadPoolExecutor(threads) as pool:
        try:
            return list(pool.map(work, jobs))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


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
    return [(_weighing(cells, weights - out), _weighing(cells, out)) for out in held.T]


def _weighing(cells: Cells, weights: FloatArray) -> Cells:
    """Rows with other weights; those that are left with none but rounding are dropped."""
    some = np.flatnonzero(weights > 1e-9 * cells.weights)
    return cells.take(some, weights[some])


def _held_out(layout: Layout, run: Climb, cells: Cells) -> float:
    """Sum over rows of the log-probability of the class given the rest, or of the log-density without a class."""
    if not layout.classed:
        _, densities = responsibilities(run.parameters, cells)
        return float((cells.weights * densities).sum())
    size = layout.sizes[-1]
    shares, _ = responsibilities(run.parameters, cells.without(len(layout.sizes) - 1, size))
    chances = distribution(run.parameters, shares, len(layout.sizes) - 1)
    return float((cells.weights * np.log(chances[np.arange(len(cells)), cells.codes[-1]])).sum())
