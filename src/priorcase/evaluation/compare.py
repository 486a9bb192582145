"""Compare learners on one table, or on several: the same splits and scores for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._parameters import check_seed, check_value
from priorcase._typing import Backend, FloatArray
from priorcase.evaluation.comparison import Comparison, GridsResult, protocol_text
from priorcase.evaluation.leave_one_out import left_out
from priorcase.evaluation.prequential import predicted_in_order
from priorcase.evaluation.running import Cell, Jobs, Trial
from priorcase.evaluation.scoring import Score, Scores, number_text, read_learners, read_scores, read_task, readable
from priorcase.evaluation.significance import (
    Friedman,
    PairedComparison,
    compared_pairs,
    friedman,
    leading,
    mean_ranks,
    shared_means,
)
from priorcase.evaluation.splits import LeaveOneOut, Prequential, Splits, read_splits
from priorcase.exceptions import EvaluationError, errors_at, prefix_errors, quoted
from priorcase.learning.results import Grid, framed, short


@prefix_errors
def compare(
    learners: Any,
    X: Any,
    y: Any,
    *,
    splits: Splits = 10,
    groups: Any = None,
    scores: Scores = None,
    repeats: int = 1,
    random_state: Any = 0,
    n_jobs: int | None = None,
    keep_answers: bool = False,
    progress: bool | None = None,
) -> Comparison:
    """Compare learners on one table: the same splits and scores for all, in one result that prints.

    Parameters
    ----------
    learners
        A mapping from name to estimator, several estimators (named by their repr), or one; any estimators of
        scikit-learn's kind. They are copied and never changed.
    X, y
        The rows, in a frame, an array, a list or a table read by this library, and their classes or numbers.
    splits
        A number of folds (stratified); ``"loo"``; ``"prequential"``; `Folds`, `Holdout`, `LeaveOneOut` or
        `Prequential`; a splitter of scikit-learn; or pairs of row positions (train, test).
    groups
        The group of each row, for a splitter of scikit-learn such as ``GroupKFold``.
    scores
        None for the usual ones: accuracy, log_score (``mean ln p`` of the true class, -inf where it was impossible)
        and brier (0 to 2, less is better) of classes; rmse, mae and r2 of numbers. Names of these,
        ``"balanced_accuracy"``, ``"mse"``, ``"storage"`` (the share of the rows that a learner keeps) or any scorer of
        scikit-learn; a mapping from name to a `Score`, a scorer or a function of true and predicted targets, greater is
        better. A class without training rows has probability 0.
    repeats
        How many times the rows are split; only with folds and random partitions.
    random_state
        Determines everything random, including each ``random_state`` that is None in a learner; the result does not
        depend on ``n_jobs``.
    n_jobs
        The number of splits at a time, by joblib: None for one (or what ``joblib.parallel_config`` says), -1 for as
        many as cores.
    keep_answers
        Whether to keep all predictions, for `Comparison.answers`; leave-one-out and prequential comparisons always do.
    progress
        False for no progress bar on a terminal.

    Returns
    -------
    Comparison
        One value for each learner, repetition, split and score. A learner that fails, or whose worker process dies, is
        listed with the reason. After Ctrl-C, what is finished is returned with ``complete`` False.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = [[0], [1], [2], [3], [4], [5]] * 5, ["no", "no", "no", "yes", "yes", "yes"] * 5
    >>> found = compare({"tree": DecisionTreeClassifier(), "guess": DummyClassifier()}, X, y, splits=5)
    >>> found.best("accuracy"), found.mean("tree", "accuracy")
    ('tree', 1.0)
    """
    named = read_learners(learners)
    task = read_task(named, y, X=X)
    chosen = read_scores(scores, task.kind)
    protocol = read_splits(splits, task, repeats, groups=groups)
    seed = check_seed(random_state)
    check_value("keep_answers", keep_answers, ["boolean"])
    trials = {name: Trial(name, learner, readable(X, learner), task, chosen, seed) for name, learner in named.items()}
    jobs = Jobs(n_jobs, progress, f"{len(named)} learner{'s' * (len(named) > 1)}")
    by_rows = isinstance(protocol, (LeaveOneOut, Prequential))
    cells: list[Cell]
    if isinstance(protocol, LeaveOneOut):
        parts = left_out(trials, jobs)
        cells = [trial.scored(parts[name], len(task) - 1) for name, trial in trials.items() if name in parts]
        planned = len(trials)
    elif isinstance(protocol, Prequential):
        start = protocol.first(len(task))
        found = jobs.run(predicted_in_order, [(trial, start) for trial in trials.values()])
        train = (start + len(task)) // 2
        cells = [trial.scored([part], train) for trial, part in zip(trials.values(), found, strict=True) if part]
        planned = len(trials)
    else:
        dealt = [split for repeat in range(repeats) for split in protocol.deal(task, seed=seed, repeat=repeat)]
        pieces = [(trial, split, keep_answers) for split in dealt for trial in trials.values()]
        cells = [cell for cell in jobs.run(Trial.on_split, pieces) if cell is not None]
        planned = len(pieces)
    complete = len(cells) == planned
    return Comparison(tuple(named), chosen, tuple(cells), str(protocol), len(task), int(repeats), by_rows, complete)


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
    """Compare learners on several tables: each table by `compare`, and ranks over all of them.

    Parameters
    ----------
    tables
        A mapping from name to ``(X, y)``, such as ``{"glass": datasets.load("glass")}``.
    learners, splits, scores, repeats, random_state, n_jobs, progress
        As in `compare`, for each table.

    Returns
    -------
    TablesComparison
        One mean for each table, learner and score. After Ctrl-C, the finished tables are returned with ``complete``
        False.

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
    pairs = tables.values() if isinstance(tables, Mapping) else ()
    if not pairs or not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs):
        raise EvaluationError(
            f"got tables={quoted(tables)}; expected a mapping from name to (X, y), with one table or more. For example "
            "{'glass': datasets.load('glass')}."
        )
    if isinstance(splits, Iterator):
        splits = list(splits)
    for name, (X, y) in tables.items():  # a mistake in the last table must not lose the work on the others
        with errors_at(f"compare_tables, on {str(name)!r}"):
            task = read_task(named, y, X=X)
            read_scores(scores, task.kind)
            read_splits(splits, task, repeats)
    settings: dict[str, Any] = {"splits": splits, "scores": scores, "repeats": repeats, "random_state": random_state}
    found: dict[str, Comparison] = {}
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


@dataclass(frozen=True, repr=False, eq=False)
class TablesComparison(GridsResult):
    """Means of several learners on several tables; prints as a table with mean ranks.

    ``tables`` has the comparison on each table, by name; ``complete`` is False after Ctrl-C.
    """

    tables: Mapping[str, Comparison]
    complete: bool = True

    @property
    def learners(self) -> tuple[str, ...]:
        """The names of the learners."""
        return self._first.learners

    @property
    def scores(self) -> tuple[Score, ...]:
        """The scores."""
        return self._first.scores

    @property
    def _first(self) -> Comparison:
        return next(iter(self.tables.values()))

    def score(self, name: str | None = None) -> Score:
        """Return one of the scores by its name; the first for None."""
        return self._first.score(name)

    def means(self, score: str | None = None) -> FloatArray:
        """Return the mean of a score for each learner on each table, shape (learners, tables); NaN for none.

        Means are over the splits that every learner finished (learners that finished none are left aside), so failing
        on a hard split does not help.
        """
        return np.stack([shared_means(found.values(score)) for found in self.tables.values()], axis=1)

    def ranks(self, score: str | None = None) -> FloatArray:
        """Return the mean rank of each learner over the tables, 1 for the best.

        Only tables on which every learner has a value count; learners without any value have NaN.
        """
        return mean_ranks(self.means(score), greater_is_better=self.score(score).greater_is_better)

    def friedman(self, score: str | None = None, *, alpha: float = 0.05) -> Friedman:
        """Return Friedman's test of whether some learners rank better than others, with Nemenyi's critical distance."""
        return friedman(self.means(score), self.learners, self.score(score), alpha=alpha)

    @prefix_errors
    def paired(self, score: str | None = None, *, level: float = 0.95) -> PairedComparison:
        """Return Wilcoxon's signed-rank test of each pair of learners over the tables."""
        chosen, basis = self.score(score), f"{len(self.tables)} tables"
        return compared_pairs(self.learners, self.means(score), chosen, test="wilcoxon", level=level, basis=basis)

    def plot(self, score: str | None = None, ax: Any = None, *, alpha: float = 0.05) -> Any:
        """Draw the critical-difference diagram: mean ranks, bars between those that do not differ significantly."""
        return self.friedman(score, alpha=alpha).plot(ax)

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """Return one line for each table, learner and score: ``table``, ``learner``, ``score``, ``mean``,
        ``standard_error``, ``rank``, ``rows``, ``reason``.
        """
        columns: dict[str, list[Any]] = {
            name: [] for name in ("table", "learner", "score", "mean", "standard_error", "rank", "rows", "reason")
        }
        for place, (table, found) in enumerate(self.tables.items()):
            for score in self.scores:
                means = self.means(score.name)[:, [place]]
                ranks = mean_ranks(means, greater_is_better=score.greater_is_better)
                for i, name in enumerate(self.learners):
                    numbers = (float(means[i, 0]), found.standard_error(name, score.name), float(ranks[i]), found.rows)
                    line = (table, name, score.name, *numbers, found.failures.get(name, ""))
                    for column, value in zip(columns.values(), line, strict=True):
                        column.append(value)
        return framed(columns, backend)

    def _grids(self) -> list[Grid]:
        return [self._grid(score) for score in self.scores]

    def _grid(self, score: Score) -> Grid:
        """One line for each table, the best learner marked with a star, and a line of mean ranks."""
        means, lines = self.means(score.name), []
        for place, table in enumerate(self.tables):
            best = leading(means[:, [place]], greater_is_better=score.greater_is_better)
            texts = [
                number_text(value) + (" *" if i in best and np.isfinite(value) else "  ")
                for i, value in enumerate(means[:, place].tolist())
            ]
            lines.append([short(table, 40), *texts])
        if len(self.learners) > 1:  # a single learner always ranks first
            ranks = ["-" if np.isnan(rank) else f"{rank:.2f}" for rank in self.ranks(score.name).tolist()]
            lines.append(["mean rank", *(rank + "  " for rank in ranks)])
        notes = [] if self.complete else ["not complete: interrupted"]
        notes += [
            f"{short(table, 30)}: {short(name, 30)} failed: {short(reason, 90)}"
            for table, comparison in self.tables.items()
            for name, reason in comparison.failures.items()
        ]
        header = ["table", *(short(name, 24) + "  " for name in self.learners)]
        title = f"{score.name}: {protocol_text(self._first)}"
        return Grid(title, header, lines, "\n  ".join(notes), right=range(1, len(header)))
