"""Several learners on several tables: means by table, ranks, and whether ranks differ by more than chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import FloatArray
from priorcase.datasets.columns import Backend
from priorcase.evaluation.answers import read_learners, read_task
from priorcase.evaluation.checks import check_frame
from priorcase.evaluation.compare import compare
from priorcase.evaluation.compare_pairs import compared_pairs, ranked_by
from priorcase.evaluation.comparison import Comparison
from priorcase.evaluation.paired import PairedComparison, check_level
from priorcase.evaluation.protocols import Splits, read_splits
from priorcase.evaluation.ranks import Friedman, mean_ranks, shared_means
from priorcase.evaluation.scoring import Score, Scores, read_scores
from priorcase.evaluation.tables_plot import plot_ranks
from priorcase.evaluation.tables_table import tables_grid
from priorcase.exceptions import EvaluationError, errors_at, prefix_errors, quoted
from priorcase.learning.results import framed, grid_markdown, grids_html, grids_text


@prefix_errors
def compare_tables(
    learners: Any,
    tables: Mapping[str, tuple[Any, Any]],
    *,
    splits: Splits = 10,
    scores: Scores = None,
    repeats: int = 1,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> TablesComparison:
    """How several learners do on several tables: each table by `compare`, and ranks over all of them.

    Parameters
    ----------
    learners
        As in `compare`.
    tables
        A mapping from name to ``(X, y)``, such as ``{"glass": datasets.load("glass")}``.
    splits, scores, repeats, random_state, n_jobs, progress
        As in `compare`, for each table.

    Returns
    -------
    TablesComparison
        One mean for each table, learner and score. Ctrl-C ends the run, and the tables that are finished are returned
        with ``complete`` False.

    References
    ----------
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", *Journal of Machine Learning
    Research* 7, 2006.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = [[0], [1], [2], [3], [4], [5]] * 5
    >>> tables = {"low": (X, [row[0] < 3 for row in X]), "even": (X, [row[0] % 2 == 0 for row in X])}
    >>> found = compare_tables({"tree": DecisionTreeClassifier(), "guess": DummyClassifier()}, tables, splits=3)
    >>> found.ranks("accuracy")
    array([1., 2.])
    """
    named = read_learners(learners)
    if not isinstance(tables, Mapping) or not tables or not all(_is_pair(table) for table in tables.values()):
        raise EvaluationError(
            f"got tables={quoted(tables)}; expected a mapping from name to (X, y), with one table or more. For example "
            "{'glass': datasets.load('glass')}."
        )
    if isinstance(splits, Iterator):
        splits = list(splits)
    for name, (X, y) in tables.items():  # a mistake in the last is no reason to lose the work on the others
        with errors_at(f"compare_tables, on {str(name)!r}"):
            task = read_task(named, y, X=X)
            read_scores(scores, task.kind)
            read_splits(splits, task, repeats)
    found: dict[str, Comparison] = {}
    settings: dict[str, Any] = {"splits": splits, "scores": scores, "repeats": repeats, "random_state": random_state}
    try:
        for name, (X, y) in tables.items():
            found[str(name)] = compare(named, X, y, **settings, n_jobs=n_jobs, progress=progress)
            if not found[str(name)].complete:
                break
    except KeyboardInterrupt:
        if not found:
            raise
    complete = len(found) == len(tables) and all(comparison.complete for comparison in found.values())
    return TablesComparison(found, complete)


def _is_pair(table: object) -> bool:
    return isinstance(table, (tuple, list)) and len(table) == 2


@dataclass(frozen=True, repr=False, eq=False)
class TablesComparison:
    """Means of several learners on several tables; prints as a table with mean ranks.

    Parameters
    ----------
    tables
        The comparison on each table, by name.
    complete
        Whether everything was finished; False after Ctrl-C.
    """

    tables: Mapping[str, Comparison]
    complete: bool = True

    @property
    def learners(self) -> tuple[str, ...]:
        """Their names."""
        return next(iter(self.tables.values())).learners

    @property
    def scores(self) -> tuple[Score, ...]:
        """The scores."""
        return next(iter(self.tables.values())).scores

    def score(self, name: str | None = None) -> Score:
        """One of the scores by its name; the first for None."""
        return next(iter(self.tables.values())).score(name)

    def means(self, score: str | None = None) -> FloatArray:
        """The mean of a score for each learner on each table, shape (learners, tables); NaN where there is none.

        Over the splits of a table that every learner finished, those left aside that finished none: who failed on a
        hard split is not to be better for it.
        """
        return np.stack([shared_means(found.values(score)) for found in self.tables.values()], axis=1)

    def ranks(self, score: str | None = None) -> FloatArray:
        """The mean rank of each learner over the tables, 1 for the best.

        Only tables on which every learner has a value count, those left aside that have none anywhere; NaN for them.
        """
        return mean_ranks(self.means(score), greater_is_better=self.score(score).greater_is_better)

    def friedman(self, score: str | None = None, *, alpha: float = 0.05) -> Friedman:
        """Friedman's test of whether some learners rank better than others, with Nemenyi's critical distance.

        Parameters
        ----------
        score
            The score's name; None for the first.
        alpha
            The level of the critical distance.
        """
        means = self.means(score)
        return ranked_by(self.learners, means, self.score(score), alpha, of="tables")

    @prefix_errors
    def paired(self, score: str | None = None, *, level: float = 0.95) -> PairedComparison:
        """Wilcoxon's signed-rank test of each pair of learners over the tables, which are independent.

        Parameters
        ----------
        score
            The score's name; None for the first.
        level
            How probable it is that an interval holds the true difference.
        """
        sure, chosen = check_level(level), self.score(score)
        return compared_pairs(
            self.learners,
            self.means(score),
            chosen,
            test="wilcoxon",
            ratio=0.0,
            level=sure,
            name=chosen.name,
            words={},
            basis=f"{len(self.tables)} tables",
        )

    def plot(self, score: str | None = None, ax: Any = None, *, alpha: float = 0.05) -> Any:
        """The critical-difference diagram: mean ranks on a line; bars join learners that chance may have ordered.

        Parameters
        ----------
        score
            The score's name; None for the first.
        ax
            Axes to draw on; None for a figure of its own.
        alpha
            The level of the critical distance.
        """
        return plot_ranks(self.friedman(score, alpha=alpha), self.score(score).name, ax)

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each table, learner and score: ``table``, ``learner``, ``score``, ``mean``, ``standard_error``,
        ``rank``, ``rows``, ``reason``.

        Parameters
        ----------
        backend
            As in `CalibrationTable.frame`.
        """
        check_frame(backend)
        names = ("table", "learner", "score", "mean", "standard_error", "rank", "rows", "reason")
        lines: list[tuple[Any, ...]] = []
        for place, (table, found) in enumerate(self.tables.items()):
            for score in self.scores:
                means = self.means(score.name)[:, [place]]
                ranks = mean_ranks(means, greater_is_better=score.greater_is_better)
                for i, name in enumerate(self.learners):
                    error, reason = found.standard_error(name, score.name), found.failures.get(name, "")
                    lines.append(
                        (table, name, score.name, float(means[i, 0]), error, float(ranks[i]), found.rows, reason)
                    )
        return framed(
            {name: list(column) for name, column in zip(names, zip(*lines, strict=True), strict=True)}, backend
        )

    def markdown(self) -> str:
        """A table for each score in Markdown."""
        return "\n\n".join(grid_markdown(tables_grid(self, score)) for score in self.scores)

    def __str__(self) -> str:
        return grids_text([tables_grid(self, score) for score in self.scores])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grids_html([tables_grid(self, score) for score in self.scores])
