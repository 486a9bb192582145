"""Comparison of learners on one or several tables, with the same splits for all learners."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import stats
from sklearn.utils._param_validation import StrOptions

from priorcase._numbers import decimals, equal_decimals, fixed, number, with_errors
from priorcase._parameters import check_seed, check_value
from priorcase._typing import Backend, FloatArray
from priorcase.evaluation.leave_one_out import left_out
from priorcase.evaluation.prequential import predicted_in_order
from priorcase.evaluation.running import (
    NAN,
    REASON_WIDTH,
    ZERO_FOR_UNSEEN,
    Cell,
    Jobs,
    Trial,
    cell_columns,
    first_failures,
    missing_notes,
    unseen_note,
)
from priorcase.evaluation.scoring import (
    Score,
    Scores,
    read_learners,
    read_scores,
    read_task,
    readable,
    score_named,
)
from priorcase.evaluation.significance import (
    FEW_TRAINING_ROWS,
    MANY_TEST_ROWS,
    NOT_INDEPENDENT,
    Friedman,
    PairedComparison,
    Test,
    compared_pairs,
    friedman,
    leading,
    mean_ranks,
    shared_means,
)
from priorcase.evaluation.splits import LeaveOneOut, Prequential, Splits, read_splits
from priorcase.exceptions import EvaluationError, errors_at, joined, prefix_errors, quoted
from priorcase.learning.plotting import INK, MUTED, captions, color, drawing
from priorcase.learning.results import Grid, GridResult, GridsResult, framed, short

# Smallest and largest possible mean of each score, to which intervals by Student's t are clipped.
_BOUNDS = {"accuracy": (0.0, 1.0), "log_score": (-np.inf, 0.0), "r2": (-np.inf, 1.0)}
_BOUNDS |= dict.fromkeys(("brier", "rmse", "mae"), (0.0, np.inf))


# -- one table


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
    keep_predictions: bool = False,
    progress: bool | None = None,
) -> Comparison:
    """Compare learners on one table with the same splits and scores.

    Parameters
    ----------
    learners
        A mapping from name to estimator, a list of estimators (named by their repr), or a single estimator. Any
        scikit-learn estimator is accepted; estimators are cloned.
    X, y
        The table (a data frame, an array or a list of rows), and the class or number to predict for each row.
    splits
        A number of folds, stratified by class; ``"loo"``; ``"prequential"``; `Folds`, `Holdout`, `LeaveOneOut` or
        `Prequential`; a scikit-learn splitter; or pairs of row positions (train, test).
    groups
        The group of each row, for a scikit-learn splitter such as ``GroupKFold``.
    scores
        None for the defaults: accuracy, log_score (``mean ln p`` of the true class) and brier (0 to 2, lower is better)
        for classes; rmse, mae and r2 for numbers. A list of score names can also contain ``"balanced_accuracy"``,
        ``"mse"``, ``"storage"`` (the share of training rows that a learner keeps) and scikit-learn scorers. A mapping
        from name to score can contain a `Score`, a scorer or a function of true and predicted targets (greater is
        better). A class without training rows gets probability 0.
    repeats
        Number of repetitions with new random splits; only for folds and `Holdout`.
    random_state
        Seed of all random numbers; each ``random_state`` that is None in a learner is also set from this seed.
    n_jobs
        Number of parallel joblib jobs: None for one job (or the setting of ``joblib.parallel_config``), -1 for all
        cores. The scores do not depend on ``n_jobs``.
    keep_predictions
        Whether to keep all predictions (`Comparison.predictions`); leave-one-out and prequential comparisons always
        keep them.
    progress
        False turns off the progress bar, which is shown only on a terminal.

    Returns
    -------
    Comparison
        One value for each learner, repetition, split and score. A learner that fails, or whose worker process dies, is
        listed below the table with the reason. After Ctrl-C, the finished splits are returned with ``complete`` False.

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
    check_value("keep_predictions", keep_predictions, ["boolean"])
    trials = {name: Trial(name, learner, readable(X, learner), task, chosen, seed) for name, learner in named.items()}
    jobs = Jobs(n_jobs, progress, f"{len(named)} learner{'s' * (len(named) > 1)}")
    cells: list[Cell]
    planned = len(trials)
    if isinstance(protocol, LeaveOneOut):
        parts = left_out(trials, jobs)
        cells = [trials[name].scored(parts[name], len(task) - 1) for name in trials if name in parts]
        cells = [replace(cell, unseen=tuple(task.truth[task.alone].tolist())) for cell in cells]
    elif isinstance(protocol, Prequential):
        start = protocol.first(len(task))
        found = jobs.run(predicted_in_order, [(trial, start) for trial in trials.values()])
        train, order = (start + len(task)) // 2, np.arange(len(task))
        unseen = task.unseen(order[:start], order[start:])
        cells = [trial.scored([part], train) for trial, part in zip(trials.values(), found, strict=True) if part]
        cells = [replace(cell, unseen=unseen) for cell in cells]
    else:
        dealt = [split for repeat in range(repeats) for split in protocol.deal(task, random_state=seed, repeat=repeat)]
        pieces = [(trial, split, keep_predictions) for split in dealt for trial in trials.values()]
        cells, planned = [cell for cell in jobs.run(Trial.on_split, pieces) if cell is not None], len(pieces)
    by_rows, complete = isinstance(protocol, (LeaveOneOut, Prequential)), len(cells) == planned
    return Comparison(tuple(named), chosen, tuple(cells), str(protocol), len(task), int(repeats), by_rows, complete)


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(GridResult):
    """Scores of several learners on the splits of one table; they print as a table of means, standard errors and ranks.

    **Standard errors.** Splits share training rows, so the usual standard error of the mean is too small. `Comparison`
    uses ``sqrt((1 / J + n_test / n_train) s^2)`` for J splits with sample variance ``s^2``, the corrected resampled
    variance of Nadeau and Bengio (2003, section 4). The correction is meant for splits with fewer test rows than
    training rows; otherwise the corrected standard error is too large. For leave-one-out and prequential comparisons,
    the standard error is ``s / sqrt(n)`` for n rows whose scores have standard deviation s; for rmse, the delta method
    is used.

    ``learners`` and ``scores`` are in the order of the arguments. ``cells`` has one entry per learner, repetition and
    finished split. ``protocol`` describes how the rows were split, ``rows`` is the number of rows, and ``repeats`` the
    number of repetitions. ``by_rows`` is True if each row was predicted separately (leave-one-out, prequential), so
    that each row has its own score. ``complete`` is False if the comparison was interrupted by Ctrl-C.
    """

    learners: tuple[str, ...]
    scores: tuple[Score, ...]
    cells: tuple[Cell, ...]
    protocol: str
    rows: int
    repeats: int = 1
    by_rows: bool = False
    complete: bool = True

    # -- numbers

    def values(self, score: str | None = None) -> FloatArray:
        """Return the values of a score, shape (learners, splits); NaN if a learner has no value on a split.

        Splits are sorted by repetition and number; leave-one-out and prequential comparisons have a single split.
        """
        name = self.score(score).name
        splits = sorted({(cell.repeat, cell.split) for cell in self.cells})
        places = {split: number for number, split in enumerate(splits)}
        found = np.full((len(self.learners), len(places)), np.nan)
        for cell in self.cells:
            found[self.learners.index(cell.learner), places[cell.repeat, cell.split]] = cell.values[name]
        return found

    def row_values(self, score: str | None = None) -> FloatArray | None:
        """Return the score of each row, shape (learners, rows predicted); NaN for learners without this score.

        The result is None if the score is not a mean over rows, or if the comparison is neither leave-one-out nor
        prequential. For rmse, the score of a row is its squared error.
        """
        chosen = self.score(score)
        if not self.by_rows or chosen.of_rows is None:
            return None
        rows = max((cell.test for cell in self.cells), default=0)
        found = np.full((len(self.learners), rows), np.nan)
        for cell in self.cells:
            if cell.predictions is not None and not np.isnan(cell.values[chosen.name]):
                found[self.learners.index(cell.learner)] = chosen.rows(cell.predictions)
        return found

    def mean(self, learner: str, score: str | None = None) -> float:
        """Return the mean of a score over the splits that a learner finished; NaN if the learner finished no split."""
        values = self.values(score)[self._at(learner)]
        return float(values[~np.isnan(values)].mean()) if not np.isnan(values).all() else NAN

    def standard_error(self, learner: str, score: str | None = None) -> float:
        """Return the standard error of the mean score; NaN if undefined, for example for a single holdout split."""
        chosen, at = self.score(score), self._at(learner)
        if self.by_rows:
            rows = self.row_values(score)
            return NAN if rows is None else chosen.error(rows[at])
        values = self.values(score)[at]
        values = values[~np.isnan(values)]
        if values.size < 2 or not np.isfinite(values).all():
            return NAN
        return float(np.sqrt((1 / values.size + self.test_to_train) * values.var(ddof=1)))

    @property
    def test_to_train(self) -> float:
        """Mean ratio of test rows to training rows, used by the corrected variance."""
        return float(np.mean([cell.test / cell.train for cell in self.cells])) if self.cells else NAN

    def ranks(self, score: str | None = None) -> FloatArray:
        """Return the mean rank of each learner over the splits (1 is best); tied learners get the mean of their ranks.

        Learners without any value get NaN; the remaining learners are ranked over the splits on which all of them
        have a value.
        """
        return mean_ranks(self.values(score), greater_is_better=self.score(score).greater_is_better)

    def best(self, score: str | None = None) -> str:
        """Return the learner with the best mean, or the first of several learners that tie (see `leaders`)."""
        found = self.leaders(score)
        if not found:
            why = "; ".join(f"{name}: {reason}" for name, reason in self.failures.items()) or "see frame() for reasons"
            raise EvaluationError(f"Comparison has no value of {self.score(score).name!r} for any learner: {why}.")
        return found[0]

    def leaders(self, score: str | None = None) -> tuple[str, ...]:
        """Return the learners with the best mean: several if they tie, none if there are no values.

        A learner that failed on some split, or whose score is undefined there, is excluded, unless this would exclude
        every learner. The means of the remaining learners are computed over the splits on which all of them have a
        value.
        """
        chosen, values = self.score(score), self.values(score)
        missing = {cell.learner for cell in self.cells if np.isnan(cell.values[chosen.name])}
        sound = [at for at, name in enumerate(self.learners) if name not in missing and not np.isnan(values[at]).all()]
        rivals = sound or list(range(len(self.learners)))
        best = leading(values[rivals], greater_is_better=chosen.greater_is_better)
        return tuple(self.learners[rivals[at]] for at in best)

    def paired(self, score: str | None = None, test: Test = "corrected_t", *, level: float = 0.95) -> PairedComparison:
        """Return the score difference for each pair of learners, with confidence intervals and p-values.

        ``"corrected_t"`` is the corrected resampled t-test (Nadeau & Bengio 2003, section 4), which accounts for
        training rows shared by splits. ``"wilcoxon"`` assumes independent splits, so its p-values are too small. For
        leave-one-out and prequential comparisons, both tests compare the scores of single rows, and ``"corrected_t"``
        is the usual paired t-test. P-values are also corrected for the number of pairs (Holm 1979).

        Parameters
        ----------
        score
            Name of the score; None for the first score. For rmse in leave-one-out and prequential comparisons, squared
            errors are compared.
        test
            ``"corrected_t"`` or ``"wilcoxon"``.
        level
            The confidence level of the intervals.
        """
        check_value("test", test, [StrOptions({"corrected_t", "wilcoxon"})])
        chosen = self.score(score)
        values = self.row_values(chosen.name) if self.by_rows else self.values(chosen.name)
        if values is None:
            raise EvaluationError(
                f"got the score {chosen.name!r}, which is not a mean over rows; expected "
                "accuracy, log_score, brier, mae, mse or rmse. Use one of these scores, or compare by cross-validation "
                "(splits=10)."
            )
        notes = {"corrected_t": FEW_TRAINING_ROWS * (self.test_to_train > MANY_TEST_ROWS), "wilcoxon": NOT_INDEPENDENT}
        return compared_pairs(
            self.learners,
            values,
            chosen,
            test=test,
            level=level,
            basis=f"{(n := values.shape[1])} {'row' if self.by_rows else 'split'}{'s' * (n != 1)}",
            test_to_train=0.0 if self.by_rows else self.test_to_train,
            squared=chosen.root and self.by_rows,
            note="" if self.by_rows else notes[test],
        )

    def friedman(self, score: str | None = None, *, alpha: float = 0.05) -> Friedman:
        """Return Friedman's test of the learners' ranks over the splits, with Nemenyi's critical distance.

        Splits of one table share rows, so the p-values are too small. For a test over several tables, see
        `compare_tables`.
        """
        chosen = self.score(score)
        if self.by_rows:
            problem = f"Friedman's test ranks learners over several splits, but {self.protocol} has only one split"
            advised = "Use cross-validation (splits=10), or compare_tables for several tables."
            raise EvaluationError(f"{problem}. {advised}")
        return friedman(self.values(chosen.name), self.learners, chosen, alpha=alpha, of="splits")

    def predictions(self, learner: str) -> tuple[Cell, ...]:
        """Return the stored predictions of a learner: for each split, an object with ``rows`` and ``predictions``."""
        self._at(learner)
        return tuple(cell for cell in self.cells if cell.learner == learner and cell.predictions is not None)

    @property
    def failures(self) -> Mapping[str, str]:
        """First error message of each learner that failed, by name of the learner."""
        return first_failures(self.cells)

    def score(self, name: str | None = None) -> Score:
        """Return the score with the given name; None returns the first score."""
        return score_named(self.scores, name)

    # -- tables and plots

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row per learner, repetition, split and score.

        The columns are ``learner``, ``repeat``, ``split``, ``score``, ``value``, ``train``, ``test``, ``fit_seconds``,
        ``predict_seconds`` and ``reason``.
        """
        place = {name: [getattr(cell, name) for cell in self.cells] for name in ("repeat", "split")}
        return framed(cell_columns(self.cells, self.scores, place), backend)

    @property
    def table(self) -> str:
        """The printed table of mean scores, as text."""
        return str(self)

    @prefix_errors
    def plot(self, score: str | None = None, ax: Any = None) -> Any:
        """Plot mean scores with 95% intervals and the score on each split, best learner first; return the axes."""
        chosen = self.score(score)
        means = {name: self.mean(name, chosen.name) for name in self.learners}
        drawn = [name for name in self.learners if np.isfinite(means[name])]
        drawn.sort(key=lambda name: means[name], reverse=not chosen.greater_is_better)  # the last is drawn on top
        left = [name for name in reversed(self.learners) if name not in drawn]
        names, leaders = captions([*left, *drawn], 34), self.leaders(chosen.name)
        with drawing(ax, size=(4.8 + 0.07 * max(map(len, names)), 1.2 + 0.34 * len(names))) as ax:
            for place, name in enumerate([*left, *drawn]):
                if name in drawn:
                    self._draw(ax, chosen, name, place, color(0) if name in leaders else INK)
                    continue
                nothing = "failed" if name in self.failures else "none"
                at = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points", "va": "center"}
                text = nothing if np.isnan(means[name]) else f"{means[name]}"
                ax.annotate(text, (0.0, place), (7, 0), color=MUTED, **at)
            ax.set_yticks(range(len(names)), names)
            ax.set_ylim(-0.6, len(names) - 0.4)
            if not drawn:
                ax.set_xticks([])
            ax.grid(axis="y", visible=False)
            direction = "greater is better" if chosen.greater_is_better else "less is better"
            ax.set_xlabel(f"{chosen.name} ({direction}), mean and 95% interval")
            ax.set_title(self._title())
            return ax

    def _draw(self, ax: Any, score: Score, name: str, place: int, color: Any) -> None:
        values = self.values(score.name)[self.learners.index(name)]
        values = values[np.isfinite(values)]
        if not self.by_rows:
            ax.plot(values, np.full(values.size, place), "|", color=MUTED, markersize=7, alpha=0.6, zorder=2)
        mean, error = self.mean(name, score.name), self.standard_error(name, score.name)
        if not np.isnan(error):
            freedom = max(1, (self.rows if self.by_rows else values.size) - 1)
            reach = float(stats.t.ppf(0.975, freedom)) * error
            ends = np.clip([mean - reach, mean + reach], *_BOUNDS.get(score.name, (-np.inf, np.inf)))
            ax.plot(ends, [place, place], "-", color=color, zorder=3)
        ax.plot([mean], [place], "o", color=color, markersize=6, zorder=4)

    def _title(self) -> str:
        asked = max((cell.test for cell in self.cells), default=0)
        some = f", the last {asked:,} predicted" if self.by_rows and asked < self.rows else ""
        return f"{self.rows:,} rows: {self._protocol()}{some}"

    def _protocol(self) -> str:
        return self.protocol + (f", {self.repeats} times" if self.repeats > 1 else "")

    def _grid(self) -> Grid:
        """Return the printed table; a star marks the best mean of each score unless this mean is infinite."""
        header, columns = ["learner"], [[short(name, 60) for name in self.learners]]
        for score in self.scores:
            leaders = self.leaders(score.name)
            means = [self.mean(name, score.name) for name in self.learners]
            texts = with_errors(means, [self.standard_error(name, score.name) for name in self.learners])
            stars = [name in leaders and math.isfinite(mean) for name, mean in zip(self.learners, means, strict=True)]
            header.append(score.name + "  ")
            columns.append([text + (" *" if star else "  ") for text, star in zip(texts, stars, strict=True)])
            if len(self.learners) > 1:  # a single learner always ranks first
                header.append("rank")
                columns.append(equal_decimals(self.ranks(score.name), 3))
        for which in ("fit", "predict"):
            header.append(f"{which} s")
            columns.append([self._seconds(name, f"{which}_seconds") for name in self.learners])
        lines = [list(line) for line in zip(*columns, strict=True)]
        return Grid(self._title(), header, lines, "\n  ".join(self._notes()), right=range(1, len(header)))

    def _seconds(self, learner: str, which: str) -> str:
        seconds = [getattr(cell, which) for cell in self.cells if cell.learner == learner and not cell.failure]
        return number(float(np.mean(seconds)), 2) if seconds else "-"

    def _notes(self) -> list[str]:
        """Return notes on unfinished splits, failures and scores."""
        notes = []
        finished = {name: sum(cell.learner == name for cell in self.cells) for name in self.learners}
        if not self.complete:
            counts = ", ".join(f"{short(name, 30)} {count}" for name, count in finished.items())
            notes.append(f"not complete: interrupted before all splits were finished; finished splits: {counts}")
        notes += unseen_note(self.cells, of="splits")
        for name, reason in self.failures.items():
            failed = sum(bool(cell.failure) for cell in self.cells if cell.learner == name)
            times = "" if failed == finished[name] else f" on {failed} of {finished[name]} splits"
            notes.append(f"{short(name, 30)} failed{times}: {short(reason, REASON_WIDTH)}")
        always_wrong = [cell.learner for cell in self.cells if _always_wrong(cell)]
        if always_wrong and self.protocol == str(LeaveOneOut()):
            names = ", ".join(short(name, 30) for name in always_wrong)
            notes.append(
                f"accuracy of {names} is 0: the classes are equally frequent, so leaving out a row makes its class "
                "the rarest,\n  and predicting the majority class is always wrong. Use cross-validation (splits=10)."
            )
        if not self.by_rows and self.test_to_train > MANY_TEST_ROWS:
            notes.append(FEW_TRAINING_ROWS)
        return notes + missing_notes(self.cells, self.learners, of="splits")

    def _at(self, learner: str) -> int:
        check_value("learner", learner, [StrOptions(set(self.learners))])
        return self.learners.index(learner)


def _always_wrong(cell: Cell) -> bool:
    """Return whether all classes are equally frequent and every prediction is wrong."""
    predictions = cell.predictions
    if predictions is None or predictions.predicted is None or not predictions.labels.size:
        return False
    counts = np.unique(predictions.truth, return_counts=True)[1]
    balanced = counts.size > 1 and bool((counts == counts[0]).all())
    # Typical of leave-one-out with a learner that predicts the majority class of the training rows.
    return balanced and not (predictions.predicted == predictions.truth).any()


# -- several tables


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
    """Compare learners on several tables with `compare`, and rank them over all tables.

    Parameters
    ----------
    tables
        A mapping from name to ``(X, y)``, such as ``{"glass": datasets.load("glass")}``.
    learners, splits, scores, repeats, random_state, n_jobs, progress
        See `compare`; the settings apply to every table.

    Returns
    -------
    TablesComparison
        The mean of each score for each table and learner. After Ctrl-C, the results so far are returned with
        ``complete`` False.

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
        example = "{'glass': datasets.load('glass')}"
        raise EvaluationError(
            f"got tables={quoted(tables)}; expected a mapping from name to (X, y), such as {example}."
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
                return TablesComparison(found, complete=False)
    except KeyboardInterrupt:
        if not found:
            raise
    return TablesComparison(found, complete=len(found) == len(tables))


@dataclass(frozen=True, repr=False, eq=False)
class TablesComparison(GridsResult):
    """Mean scores of several learners on several tables; each score prints as a table with mean ranks.

    ``tables`` maps the name of each table to its `Comparison`. ``complete`` is False if the run was interrupted by
    Ctrl-C.
    """

    tables: Mapping[str, Comparison]
    complete: bool = True

    @property
    def learners(self) -> tuple[str, ...]:
        """Names of the learners."""
        return self._first.learners

    @property
    def scores(self) -> tuple[Score, ...]:
        """The scores."""
        return self._first.scores

    @property
    def _first(self) -> Comparison:
        return next(iter(self.tables.values()))

    def score(self, name: str | None = None) -> Score:
        """Return the score with the given name; None returns the first score."""
        return self._first.score(name)

    def means(self, score: str | None = None) -> FloatArray:
        """Return the mean score of each learner on each table, shape (learners, tables).

        Learners without any value get NaN; the means of the remaining learners are over the splits on which all of them
        have a value.
        """
        return np.stack([shared_means(found.values(score)) for found in self.tables.values()], axis=1)

    def ranks(self, score: str | None = None) -> FloatArray:
        """Return the mean rank of each learner over the tables, 1 for the best.

        Learners without any value get NaN; the remaining learners are ranked over the tables on which all of them
        have a value.
        """
        return mean_ranks(self.means(score), greater_is_better=self.score(score).greater_is_better)

    def friedman(self, score: str | None = None, *, alpha: float = 0.05) -> Friedman:
        """Return Friedman's test of whether some learners rank better than others, with Nemenyi's critical distance."""
        return friedman(self.means(score), self.learners, self.score(score), alpha=alpha)

    @prefix_errors
    def paired(self, score: str | None = None, *, level: float = 0.95) -> PairedComparison:
        """Return Wilcoxon's signed-rank test of each pair of learners over the tables."""
        chosen, basis = self.score(score), f"{len(self.tables)} table{'s' * (len(self.tables) != 1)}"
        return compared_pairs(self.learners, self.means(score), chosen, test="wilcoxon", level=level, basis=basis)

    def plot(self, score: str | None = None, ax: Any = None, *, alpha: float = 0.05) -> Any:
        """Plot the critical-difference diagram of the mean ranks; return the axes."""
        return self.friedman(score, alpha=alpha).plot(ax)

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row per table, learner and score.

        The columns are ``table``, ``learner``, ``score``, ``mean``, ``standard_error``, ``rank``, ``rows`` and
        ``reason``.
        """
        lines = []
        for place, (table, found) in enumerate(self.tables.items()):
            for score in self.scores:
                means = self.means(score.name)[:, [place]]
                ranks = mean_ranks(means, greater_is_better=score.greater_is_better)
                for name, mean, rank in zip(self.learners, means[:, 0].tolist(), ranks.tolist(), strict=True):
                    numbers = (mean, found.standard_error(name, score.name), rank, found.rows)
                    lines.append((table, name, score.name, *numbers, found.failures.get(name, "")))
        header = ("table", "learner", "score", "mean", "standard_error", "rank", "rows", "reason")
        return framed(dict(zip(header, map(list, zip(*lines, strict=True)), strict=True)), backend)

    def _grids(self) -> list[Grid]:
        return [self._grid(score) for score in self.scores]

    def _grid(self, score: Score) -> Grid:
        """Return the printed table: a line for each table, with a star for the best learner, and mean ranks."""
        means, lines = self.means(score.name), list[list[str]]()
        for place, table in enumerate(self.tables):
            best = leading(means[:, [place]], greater_is_better=score.greater_is_better)
            places = decimals(means[:, place])
            texts = [
                fixed(value, places) + (" *" if i in best and np.isfinite(value) else "  ")
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
        unseen = [
            short(table, 30)
            for table, comparison in self.tables.items()
            if any(cell.unseen and np.isinf(cell.values[score.name]) for cell in comparison.cells)
        ]
        if unseen:
            notes.append(f"{joined(unseen)}: some classes have no training rows in some splits; {ZERO_FOR_UNSEEN}")
        header = ["table", *(short(name, 24) + "  " for name in self.learners)]
        title = f"{score.name}: {self._first._protocol()}"
        return Grid(title, header, lines, "\n  ".join(notes), right=range(1, len(header)))
