"""Findings on a table: important columns, rows whose target may be wrong, and unusual rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.special import pdtrc
from sklearn.base import clone

from priorcase._grids import Grid, GridResult
from priorcase._numbers import number, with_errors
from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.bayes import MixtureModel, SubsetAveragedBayes
from priorcase.concepts import PEBLS
from priorcase.datasets.columns import NamedColumns
from priorcase.evaluation.scoring import Task, aligned
from priorcase.evaluation.splits import Split
from priorcase.neighbors import attribute_weights
from priorcase.reporting.comparison import deal, task_of
from priorcase.reporting.formatting import PRINTED, chance, count, percent, rest, unambiguous, value
from priorcase.reporting.predictions import SURE, UNLIKELY, OutOfFold, doubted
from priorcase.reporting.table import Problem
from priorcase.schema import Circular, Numeric, Text

_ASKED = 1000  # maximum number of test rows per fold
_LEAST_ASKED = 200  # minimum number of test rows even if time is short, unless the table has fewer rows
_PERMUTATIONS, _PREDICTIONS = 5, 10_000  # per column; with more predictions per fold, there are fewer permutations
_COLUMNS = 100  # maximum number of columns to measure: the most relevant ones
_SIGNIFICANT = 0.05
_FAR = 3.5  # robust standard deviations
_MAD = 1.4826  # standard deviation / median absolute deviation of a normal distribution
_UNRELIABLE = 200  # number of rows with the worst records to look up
_UNEXPECTED_VALUES, _UNEXPECTED = 3, 1.0  # maximum number of values per row, and minimum surprise in nats
_FENCE = 3.0  # interquartile ranges above the upper quartile: Tukey's outer fence
_MIXTURE_ROWS, _COMPONENTS, _BLOCK = 1000, 8, 10_000


RowKind: TypeAlias = Literal["typical", "suspect", "outlier", "suspect and outlier"]

# -- columns


@dataclass(frozen=True)
class ColumnImportance:
    """Importance of a column: the effect of permuting its values in test rows."""

    name: str
    loss: float  # increase of the log loss, or of the mean squared error divided by the variance of the target
    error: float  # standard error of the increase
    accuracy: float | None  # change in accuracy (classification)
    relevance: float | None  # probability that the class depends on the column; None for numbers without cut points
    weight: float | None  # Relief weight divided by the largest weight of all columns (regression)


@dataclass(frozen=True, repr=False)
class Importance(GridResult):
    """Importance of the columns, the most important first, measured on ``rows`` test rows; prints as a table."""

    columns: tuple[ColumnImportance, ...]
    rows: int

    def _grid(self) -> Grid:
        shown = self.columns[:PRINTED]
        cells = {
            "column": [one.name for one in shown],
            "increase in loss": with_errors([one.loss for one in shown], [one.error for one in shown]),
            "change in accuracy (points)": [
                "" if one.accuracy is None else f"{100 * one.accuracy:+.1f}" for one in shown
            ],
            "relevance": ["" if one.relevance is None else percent(one.relevance, certain=False) for one in shown],
            "Relief weight": ["" if one.weight is None else f"{one.weight:.2f}" for one in shown],
        }
        cells = {name: texts for name, texts in cells.items() if any(texts)}
        title = f"Importance of {count(len(self.columns), 'column')}: values shuffled in {count(self.rows, 'test row')}"
        lines = list(zip(*cells.values(), strict=True))
        return Grid(title, list(cells), lines, rest(len(self.columns), "more column"), range(1, len(cells)))


def measure_importance(
    problem: Problem, learner: Any, folds: int, *, random_state: int, allowed: float, say: Callable[[str], None]
) -> Importance:
    """Measure the importance of the columns, by permuting each column in test rows for about ``allowed`` seconds."""
    start, task = perf_counter(), task_of(problem)
    losses: list[FloatArray] = []
    hits: list[FloatArray] = []
    relevance, weights = _relevance(problem), _weights(problem)
    likely = relevance or weights
    names = sorted(problem.X.kinds, key=lambda name: -likely.get(name, 0.0))[:_COLUMNS]
    for done, split in enumerate(deal(problem, folds, random_state=random_state, repeat=0)):
        enough = sum(loss.shape[1] for loss in losses) >= _LEAST_ASKED
        if enough and (done + 1) / done * (perf_counter() - start) > allowed:
            break
        say("columns")
        spare = allowed - (perf_counter() - start)
        loss, hit = _permuted(problem, learner, task, split, names, random_state=random_state, allowed=spare)
        losses.append(loss)
        hits.append(hit)
    loss, hit = np.concatenate(losses, axis=1), np.concatenate(hits, axis=1)
    errors = loss.std(axis=1, ddof=1) / np.sqrt(loss.shape[1])
    columns = []
    for name, lost, error, change in zip(names, loss.mean(axis=1), errors, hit.mean(axis=1), strict=True):
        accuracy = float(change) if problem.classes else None
        columns.append(
            ColumnImportance(name, float(lost), float(error), accuracy, relevance.get(name), weights.get(name))
        )
    return Importance(tuple(sorted(columns, key=lambda one: -one.loss)), loss.shape[1])


def _permuted(
    problem: Problem, learner: Any, task: Task, split: Split, names: Sequence[str], *, random_state: int, allowed: float
) -> tuple[FloatArray, FloatArray]:
    """Return how much permuting each column changes the loss and the correctness (0 or 1) of each test row."""
    stream = np.random.default_rng([random_state, split.number])
    asked = split.test[stream.permutation(split.test.size)[:_ASKED]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(learner).fit(problem.X.take(split.train), problem.y[split.train])
        start = perf_counter()
        _outputs(model, problem.X.take(asked), task)
        times = min(max(_PREDICTIONS // (asked.size * len(names)), 1), _PERMUTATIONS)
        needed = (1 + times * len(names)) * (perf_counter() - start)
        asked = asked[: max(_LEAST_ASKED, int(asked.size * min(1.0, allowed / needed)))]
        here = problem.taken(asked)
        orders = np.concatenate([stream.permutation(asked.size) for _ in range(times)])
        repeated = here.X.take(np.tile(np.arange(asked.size), times))
        loss, hit = _losses(_outputs(model, here.X, task), here.y, task)
        without = []
        for name in names:
            table = NamedColumns.of({**repeated.data, name: here.X[name][orders]}, here.X.kinds)
            outputs = _outputs(model, table, task)
            outputs = outputs.reshape(times, asked.size, *outputs.shape[1:]).mean(axis=0)
            without.append(_losses(outputs, here.y, task))
    scale = 1.0 if problem.classes else float(problem.y.var())
    return np.array([(each - loss) / scale for each, _ in without]), np.array([each - hit for _, each in without])


def _outputs(model: Any, X: Any, task: Task) -> FloatArray:
    """Return predicted probabilities of all classes in the table, or predicted numbers."""
    if task.kind == "classes":
        return aligned(np.asarray(model.predict_proba(X)), model.classes_, task.labels)
    return np.asarray(model.predict(X), dtype=np.float64)


def _losses(outputs: FloatArray, truth: AnyArray, task: Task) -> tuple[FloatArray, FloatArray]:
    """Return the loss of each row, and 1 for each row whose class is predicted correctly, 0 for other rows."""
    if task.kind == "numbers":
        return (outputs - truth) ** 2, np.zeros(truth.size)
    given = outputs[np.arange(truth.size), np.searchsorted(task.labels, truth)]
    # With this number of rows, smaller probabilities cannot be distinguished from zero; no row may dominate the mean.
    least = 1 / len(task)
    right = task.labels[outputs.argmax(axis=1)] == truth
    return -np.log(np.maximum(given, least)), right.astype(np.float64)


def _relevance(problem: Problem) -> dict[str, float]:
    """Return the probability that the class depends on each column; omit numeric columns without cut points."""
    if not problem.classes:
        return {}
    model = SubsetAveragedBayes().fit(problem.X, problem.y)
    uncut = {name for name, cuts in model.cut_points_.items() if not len(cuts)}
    table = model.relevance_
    pairs = zip(table.labels, table.probabilities.tolist(), strict=True)
    return {str(name): probability for name, probability in pairs if name not in uncut}


def _weights(problem: Problem) -> dict[str, float]:
    """Return the Relief weight of each column, divided by the largest weight; empty for classification."""
    if problem.classes:
        return {}
    table = attribute_weights(problem.X, problem.y, "relief", target="numbers")
    largest = float(table.weights.max(initial=0.0)) or 1.0
    return {str(name): float(weight) / largest for name, weight in zip(table.names, table.weights, strict=True)}


# -- kinds of rows


def row_kind(row: int, suspects: Suspects | None, outliers: Outliers | None) -> RowKind:
    """Return whether a row is a suspect, an outlier, both, or typical; rows that were not checked count as typical."""
    suspect = suspects is not None and row in suspects.positions
    outlier = outliers is not None and row in outliers.positions
    if suspect:
        return "suspect and outlier" if outlier else "suspect"
    return "outlier" if outlier else "typical"


# -- targets that may be wrong


@dataclass(frozen=True)
class Suspect:
    """A row whose target may be wrong."""

    row: int  # position of the row
    place: str  # name of the row in the report, such as "line 7"
    actual: str
    predicted: str
    probability: float  # of the actual class; for regression, the error in robust standard deviations
    against: int | None = None  # number of other learners that predict a wrong class
    used: int | None = None  # how often `PEBLS` used the row as a nearest neighbor; None unless it is unreliable
    correct: int | None = None  # how often both rows then had the same class


@dataclass(frozen=True, repr=False)
class Suspects(GridResult):
    """All rows whose target may be wrong, the most suspicious ones first; prints as a table."""

    rows: tuple[Suspect, ...]
    found: int  # number of these rows
    by_chance: float  # number expected if the predicted probabilities are correct, or if errors are normal
    limit: float  # maximum probability of the actual class, or minimum error in robust standard deviations
    asked: int  # number of other learners
    of: int  # number of rows that were checked

    @cached_property
    def positions(self) -> frozenset[int]:
        """The positions of the rows whose target may be wrong."""
        return frozenset(one.row for one in self.rows)

    @property
    def significant(self) -> bool:
        """Whether significantly more rows were found than expected by chance (one-sided Poisson test, 5%)."""
        return self.found > 0 and bool(pdtrc(self.found - 1, self.by_chance) <= _SIGNIFICANT)

    @property
    def chance(self) -> str:
        """Text that compares the number of rows found with the number expected by chance."""
        expected = chance(self.by_chance)
        if self.significant:
            return f"about {expected} are expected by chance"
        return (
            f"{'fewer than' if 2 * self.found < self.by_chance else 'about as many as'} expected by chance ({expected})"
        )

    def _grid(self) -> Grid:
        verb = "may have" if self.significant else "to check for"
        title = f"{count(self.found, 'row')} of {self.of:,} {verb} a wrong target; {self.chance}"
        if not self.rows:
            return Grid(title, [], [])
        classes = self.rows[0].against is not None
        header = ["", "actual", "predicted", "probability of actual" if classes else "error in robust SDs"]
        lines = []
        for one in self.rows[:PRINTED]:
            size = percent(one.probability) if classes else number(one.probability, 3)
            others = [f"{one.against} of {self.asked}"] if classes and self.asked else []
            lines.append([one.place, one.actual, one.predicted, size, *others])
        header += ["learners that disagree"] if classes and self.asked else []
        return Grid(title, header, lines, rest(len(self.rows), "more row"), range(3 if classes else 1, len(header)))


def find_suspects(problem: Problem, found: OutOfFold, *, records: bool) -> Suspects:
    """Return the rows whose targets disagree with out-of-fold predictions; ``records=True`` adds counts by `PEBLS`."""
    if not problem.classes:
        return _far_off(problem, found)
    given, sure = found.of_truth, found.proba.max(axis=1) >= SURE
    unlikely = np.flatnonzero(doubted(given, found.proba.max(axis=1)))
    by_chance = float(found.proba[sure[:, np.newaxis] & (found.proba <= UNLIKELY)].sum())
    worst = _records(problem) if records else {}
    rows = []
    for at in unlikely[np.lexsort((-found.against[unlikely], given[unlikely].round(3)))].tolist():
        row, texts = int(found.rows[at]), (value(found.truth[at]), value(found.predicted[at]))
        record = worst.get(row, (None, None))
        rows.append(Suspect(row, problem.place(row), *texts, float(given[at]), int(found.against[at]), *record))
    return Suspects(tuple(rows), unlikely.size, by_chance, UNLIKELY, found.asked, found.truth.size)


def _far_off(problem: Problem, found: OutOfFold) -> Suspects:
    errors = found.truth - found.predicted
    usual = _MAD * float(np.median(np.abs(errors - np.median(errors))))
    off = np.abs(errors) / usual if usual else np.zeros(errors.size)
    far = np.flatnonzero(off >= _FAR)
    rows = []
    for at in far[np.argsort(-off[far], kind="stable")].tolist():
        row, texts = int(found.rows[at]), (value(float(found.truth[at])), number(float(found.predicted[at]), 4))
        rows.append(Suspect(row, problem.place(row), *texts, float(off[at])))
    by_chance = errors.size * math.erfc(_FAR / math.sqrt(2))
    return Suspects(tuple(rows), far.size, by_chance, _FAR, 0, errors.size)


def _records(problem: Problem) -> dict[int, tuple[int, int]]:
    """Return the counts ``used`` and ``correct`` (see `Suspect`) of the rows that `PEBLS` finds least reliable."""
    worst = PEBLS().fit(problem.X, problem.y).suspects(min(_UNRELIABLE, len(problem)))
    kept = zip(worst.ids.tolist(), worst.used.tolist(), worst.correct.tolist(), strict=True)
    # The counts of PEBLS start at 1.
    return {row: (int(used) - 1, int(correct) - 1) for row, used, correct in kept if used - correct > 1}


# -- unusual rows


@dataclass(frozen=True)
class UnexpectedValue:
    """A value that is improbable given the other values of its row."""

    column: str
    value: str
    expected: str
    excess: float  # surprise of the value (-log p), minus the mean surprise of the column


@dataclass(frozen=True)
class Outlier:
    """An unusual row with its least expected values; ``tail`` is the share of rows that are at least as unusual."""

    row: int
    place: str
    tail: float
    values: tuple[UnexpectedValue, ...]


@dataclass(frozen=True, repr=False)
class Outliers(GridResult):
    """All unusual rows, the most unusual ones first; prints as a table."""

    rows: tuple[Outlier, ...]
    components: tuple[int, int]  # numbers of components of the two mixture models
    learned: int  # number of rows to which each model was fitted, or one less
    looked_at: int  # number of rows that were checked

    @cached_property
    def positions(self) -> frozenset[int]:
        """The positions of the unusual rows."""
        return frozenset(one.row for one in self.rows)

    def _grid(self) -> Grid:
        title = f"{count(len(self.rows), 'unusual row')} of {self.looked_at:,}"
        if not self.rows:
            return Grid(title, [], [])
        lines = []
        for one in self.rows[:PRINTED]:
            texts = unambiguous(f"{each.column} {each.value} (expected {each.expected})" for each in one.values)
            lines.append([one.place, ", ".join(texts)])
        return Grid(title, ["", "least expected values"], lines, rest(len(self.rows), "more row"))


def find_outliers(problem: Problem, *, random_state: int, n_jobs: int | None) -> Outliers:
    """Return the unusual rows, which have a low density under a mixture model that was not fitted to them."""
    return score_outliers(problem, random_state=random_state, n_jobs=n_jobs)[0]


def score_outliers(problem: Problem, *, random_state: int, n_jobs: int | None) -> tuple[Outliers, FloatArray]:
    """Return the unusual rows, and the negative log-density of every row under a model that was not fitted to it."""
    kinds = {name: kind for name, kind in problem.X.kinds.items() if not isinstance(kind, Text)}
    if kinds:  # the longer a text, the less probable it is, which does not make it unusual
        problem = replace(problem, X=NamedColumns.of({name: problem.X.data[name] for name in kinds}, kinds))
    # If a model were fitted to an unusual row, the row could get a component of its own and look usual.
    order = np.random.default_rng(random_state).permutation(len(problem))
    half = (len(problem) + 1) // 2
    halves = np.sort(order[:half]), np.sort(order[half:])
    scores, in_first = np.empty(len(problem)), np.isin(np.arange(len(problem)), halves[0])
    models = []
    for rows, others in (halves, halves[::-1]):
        known = order[np.isin(order, others)][:_MIXTURE_ROWS]
        most = min(_COMPONENTS, known.size // 10 + 1)
        model = MixtureModel(max_components=most, random_state=random_state, n_jobs=n_jobs, progress=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a mixture that has not quite converged still finds unusual rows
            model.fit(problem.X.take(np.sort(known)))
        for start in range(0, rows.size, _BLOCK):
            asked = rows[start : start + _BLOCK]
            scores[asked] = model.outlier_scores(problem.X.take(asked)).scores
        models.append(model)
    low, high = np.quantile(scores, (0.25, 0.75)).tolist()
    outlying = np.argsort(-scores, kind="stable")
    outlying = outlying[scores[outlying] > high + _FENCE * (high - low)]
    tails = np.searchsorted(np.sort(-scores), -scores[outlying], side="right") / scores.size
    values = _unexpected_values(problem, models[0], outlying[in_first[outlying]])
    values |= _unexpected_values(problem, models[1], outlying[~in_first[outlying]])
    found = [
        Outlier(row, problem.place(row), tail, values[row])
        for row, tail in zip(outlying.tolist(), tails.tolist(), strict=True)
    ]
    components = (int(models[0].n_components_), int(models[1].n_components_))
    return Outliers(tuple(found), components, min(_MIXTURE_ROWS, halves[1].size), len(problem)), scores


def _expected_number(predicted: float, column: AnyArray) -> str:
    """Format a predicted number; it is rounded if all numbers of the column are integers."""
    whole = bool(np.all((column == np.round(column)) | np.isnan(column)))
    return number(round(predicted) if whole else predicted, 3)


def _unexpected_values(problem: Problem, model: MixtureModel, rows: IntArray) -> dict[int, tuple[UnexpectedValue, ...]]:
    """Return the least expected values of each row, each with the value expected instead."""
    if not rows.size:
        return {}
    scored, names = model.outlier_scores(problem.X.take(rows)), list(problem.X.kinds)
    excess = scored.surprises - scored.usual
    listed: list[list[int]] = []
    for i, order in enumerate(np.argsort(-excess, axis=1, kind="stable")[:, :_UNEXPECTED_VALUES].tolist()):
        known = [a for a in order if scored.queries[i][a] is not None]
        listed.append([a for a in known if excess[i, a] >= _UNEXPECTED] or known[:1])
    expected: dict[tuple[int, int], str] = {}
    for a in {a for columns in listed for a in columns}:
        own = [i for i, columns in enumerate(listed) if a in columns]
        numeric = type(problem.X.kinds[names[a]]) in (Numeric, Circular)
        for i, each in zip(own, np.asarray(model.predict_column(problem.X.take(rows[own]), names[a])), strict=True):
            expected[i, a] = _expected_number(float(each), problem.X[names[a]]) if numeric else value(each)
    return {
        row: tuple(
            UnexpectedValue(names[a], problem.shown(names[a], row), expected[i, a], float(excess[i, a]))
            for a in listed[i]
        )
        for i, row in enumerate(rows.tolist())
    }
