"""Held-out predictions of the recommended learner: calibration, and up to three explained predictions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from priorcase import explaining
from priorcase._grids import Grid, GridResult
from priorcase._numbers import equal_decimals, number
from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.evaluation import calibration_table
from priorcase.learning.estimator import RowsEstimator
from priorcase.neighbors import Precedents
from priorcase.registry import BASELINE
from priorcase.reporting.comparison import Compared
from priorcase.reporting.formatting import PRINTED, count, percent, rest, unambiguous, value
from priorcase.reporting.table import Problem

_BINS, _POINTS = 10, 400
_PRECEDENTS = 3
TITLES = {
    "clear": "A clear case",
    "doubtful": "A doubtful case",
    "wrong": "A wrong prediction",
    "close": "A close prediction",
    "typical": "A typical error",
    "far off": "A large error",
}
_EXAMPLES = 4  # candidate rows of each kind
_CLEAR = 0.97  # target probability of a clear case
_LEAST_LEAD, _MOST_LEAD = 0.25, 0.5  # lead of the top class: minimum if clear, maximum if doubtful
_PERMUTATIONS = 16  # of the columns, to estimate contributions
UNLIKELY, SURE = 0.1, 0.5  # with many classes, a class can be unlikely although no other class is likely


# -- out-of-fold predictions


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Predictions for each row by models that were not fitted to it, averaged over repetitions."""

    rows: IntArray  # positions of the rows
    labels: AnyArray  # classes; empty for regression
    proba: FloatArray  # shape (rows, classes)
    predicted: AnyArray
    truth: AnyArray
    against: IntArray  # for each row, the number of other learners that predict a wrong class
    asked: int  # number of other learners

    @property
    def of_truth(self) -> FloatArray:
        """Predicted probability of the true class of each row."""
        return self.proba[np.arange(len(self.truth)), np.searchsorted(self.labels, self.truth)]


def out_of_fold(compared: Compared, problem: Problem, chosen: str) -> OutOfFold:
    """Return out-of-fold predictions of the learner ``chosen``, and how many other learners are wrong on each row."""
    truth = problem.y[compared.rows]
    labels = np.unique(problem.y) if problem.classes else np.empty(0)
    proba = np.zeros((truth.size, labels.size))
    numbers, times = np.zeros(truth.size), np.zeros(truth.size)
    for cell in compared.result.predictions(chosen):
        assert cell.rows is not None
        assert cell.predictions is not None
        times[cell.rows] += 1
        if cell.predictions.proba is not None:
            at = np.searchsorted(labels, cell.predictions.labels)
            proba[np.ix_(cell.rows, at)] += cell.predictions.proba
        if not problem.classes and cell.predictions.predicted is not None:
            numbers[cell.rows] += cell.predictions.predicted
    if not problem.classes:
        return OutOfFold(compared.rows, labels, proba, numbers / times, truth, np.empty(0, dtype=np.int64), 0)
    proba /= times[:, np.newaxis]
    against, asked = np.zeros(truth.size, dtype=np.int64), 0
    for name in compared.result.learners:
        cells = [cell for cell in compared.result.predictions(name) if cell.repeat == 0]
        if name in (chosen, BASELINE) or not cells:
            continue
        asked += 1
        for cell in cells:
            if cell.rows is not None and cell.predictions is not None and cell.predictions.predicted is not None:
                against[cell.rows] += cell.predictions.predicted != cell.predictions.truth
    return OutOfFold(compared.rows, labels, proba, labels[proba.argmax(axis=1)], truth, against, asked)


def doubted(of_truth: FloatArray, top: FloatArray) -> Any:
    """Return a mask of rows whose actual class is unlikely (``of_truth``) while another class is likely (``top``)."""
    return (top >= SURE) & (of_truth <= UNLIKELY)


# -- calibration


@dataclass(frozen=True)
class Bin:
    """A group of rows with predictions from ``low`` to ``high``."""

    low: float
    high: float
    rows: int
    predicted: float  # mean prediction, or mean probability of the predicted class
    observed: float  # mean true value, or share of correct predictions


@dataclass(frozen=True, repr=False)
class Calibration(GridResult):
    """Comparison of predictions with the true values, in bins from small to large predictions; prints as a table.

    ``error`` is the mean absolute difference between ``predicted`` and ``observed``, weighted by the number of rows in
    each bin. For classification, this is the expected calibration error. For regression, ``half`` and ``nine_tenths``
    are the 50% and 90% quantiles of the absolute error, and ``points`` contains the predicted and true numbers of some
    rows.
    """

    bins: tuple[Bin, ...]
    error: float
    rows: int
    half: float | None = None
    nine_tenths: float | None = None
    points: tuple[tuple[float, float], ...] = ()

    def _grid(self) -> Grid:
        columns = [[getattr(one, name) for one in self.bins] for name in ("low", "high", "predicted", "observed")]
        if self.half is None:
            low, high, predicted, observed = ([percent(share) for share in column] for column in columns)
            title = f"Calibration of {count(self.rows, 'prediction')}: mean difference {100 * self.error:.1f} points"
        else:
            low, high, predicted, observed = map(equal_decimals, columns)
            title = f"Errors of {count(self.rows, 'prediction')}: half are at most {number(self.half, 3)}"
        ranges = [f"{first} to {last}" for first, last in zip(low, high, strict=True)]
        lines = zip(ranges, (f"{one.rows:,}" for one in self.bins), predicted, observed, strict=True)
        header = ["predicted between", "rows", "mean prediction", "observed"]
        return Grid(title, header, list(lines), right=range(1, 4))


def calibrate(found: OutOfFold) -> Calibration:
    """Compare predictions with the true values: probabilities in bins of equal width, numbers in bins of equal size."""
    if found.labels.size:
        table = calibration_table(found.truth, found.proba, bins=_BINS, labels=found.labels)
        edges, columns = table.edges.tolist(), (table.rows.astype(int), table.probability, table.observed)
        lines = zip(edges, edges[1:], *(column.tolist() for column in columns), strict=False)
        return Calibration(tuple(Bin(*line) for line in lines if line[2]), table.expected_error, found.truth.size)
    order = np.argsort(found.predicted, kind="stable")
    bins = []
    for rows in np.array_split(order, min(_BINS, order.size)):
        predicted, truth = found.predicted[rows], found.truth[rows]
        low, high, mean, observed = map(float, (predicted.min(), predicted.max(), predicted.mean(), truth.mean()))
        bins.append(Bin(low, high, rows.size, mean, observed))
    off = np.abs(found.predicted - found.truth)
    error = sum(one.rows * abs(one.predicted - one.observed) for one in bins) / order.size
    half, nine_tenths = np.quantile(off, (0.5, 0.9)).tolist()
    drawn = order[np.linspace(0, order.size - 1, min(_POINTS, order.size)).round().astype(np.intp)]
    points = tuple(zip(found.predicted[drawn].tolist(), found.truth[drawn].tolist(), strict=True))
    return Calibration(tuple(bins), float(error), order.size, half, nine_tenths, points)


# -- explained predictions


@dataclass(frozen=True)
class Precedent:
    """A row that is similar to an explained row.

    ``row`` is the position of the row, and ``place`` is its name in the report, such as ``line 7``. ``unlike`` is True
    for the nearest row with a class other than the predicted class, if it is not among the nearest rows.
    """

    row: int
    place: str
    target: str
    distance: float
    values: dict[str, str]
    unlike: bool = False


@dataclass(frozen=True)
class Contribution:
    """A column of an explained row, and its contribution to the prediction."""

    column: str
    value: str
    amount: float


@dataclass(frozen=True, repr=False)
class Explained(GridResult):
    """One prediction, explained; prints as a table."""

    kind: str  # see `TITLES`
    row: int
    place: str  # name of the row in the report, such as "line 7"
    actual: str
    predicted: str
    probabilities: tuple[tuple[str, float], ...]  # of the most probable classes
    output: float  # probability of the predicted class, or the predicted number
    scale: str  # of the contributions (see `priorcase.explain`)
    columns: tuple[Contribution, ...]  # largest absolute contributions first
    precedents: tuple[Precedent, ...]
    changes: tuple[tuple[str, str], ...]  # columns with new values that would change the prediction to `otherwise`
    otherwise: str

    def _grid(self) -> Grid:
        probability = f" ({percent(self.output)})" if self.probabilities else ""
        title = f"{TITLES[self.kind]}: {self.place}, predicted {self.predicted}{probability}, actual {self.actual}"
        digits = "+.4g" if self.scale == "prediction" else "+.4f"
        lines = [[one.column, one.value, f"{one.amount:{digits}}"] for one in self.columns[:PRINTED]]
        notes = [rest(len(self.columns), "more column")]
        if self.precedents:
            similar = unambiguous(f"{one.place} ({one.target})" for one in self.precedents)
            notes.append(f"similar rows: {', '.join(similar)}")
        if self.changes:
            changed = unambiguous(f"{name} {new}" for name, new in self.changes)
            notes.append(f"with {', '.join(changed)}, the prediction would be {self.otherwise}")
        note = "; ".join(filter(None, notes))
        return Grid(title, ["column", "value", f"contribution to {self.scale}"], lines, note, [2])


def explain(
    problem: Problem, found: OutOfFold, learner: Any, *, typical: Callable[[int], bool]
) -> tuple[Explained, ...]:
    """Explain up to three predictions of a model.

    The model is fitted to all rows except the few rows that may be explained. Rows for which ``typical`` returns False
    are used only as examples of wrong predictions or large errors.
    """
    usual = np.array([typical(row) for row in found.rows.tolist()])
    examples = {kind: rows for kind, rows in _examples(problem, found, usual) if rows.size}
    if not examples:
        return ()
    others = np.setdiff1d(np.arange(len(problem)), found.rows[np.concatenate(list(examples.values()))])
    known = problem.taken(others)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(learner).fit(known.X, known.y)
        explained = []
        for kind, rows in examples.items():
            row = _best_example(kind, problem, model, found, rows, usual[rows])
            if row is not None:
                explained.append(_explained(kind, problem, known, model, row, others))
    return tuple(explained)


def _examples(problem: Problem, found: OutOfFold, usual: AnyArray) -> Iterator[tuple[str, IntArray]]:
    """Yield each kind of example, with the positions in ``found`` of a few suitable rows, the best first."""
    if not problem.classes:
        off = np.abs(found.predicted - found.truth)
        yield "close", _first(np.where(usual, np.abs(off - np.quantile(off, 0.05)), np.inf))
        yield "typical", _first(np.where(usual, np.abs(off - np.median(off)), np.inf))
        yield "far off", _first(-off)
        return
    top, second = found.proba.max(axis=1), np.sort(found.proba, axis=1)[:, -2]
    right = found.predicted == found.truth
    yield "clear", _first(np.where(right & usual, np.abs(top - _CLEAR), np.inf))
    yield "doubtful", _first(np.where(usual, top - second, np.inf))
    if not right.all():
        yield "wrong", _first(np.where(right, np.inf, np.abs(top - np.median(top[~right]))))


def _first(scores: FloatArray) -> IntArray:
    most = min(_EXAMPLES, max(scores.size // 30, 1))  # three kinds leave at least 90% of the rows for fitting
    order = np.argsort(scores, kind="stable")[:most]
    return order[np.isfinite(scores[order])]


def _best_example(
    kind: str, problem: Problem, model: Any, found: OutOfFold, chosen: IntArray, usual: AnyArray
) -> int | None:
    """Return the row in ``chosen`` that is the best example of ``kind`` for ``model``; None if no row is an example."""
    # The rows were chosen by out-of-fold predictions, which can differ from the predictions of ``model``.
    rows = found.rows[chosen]
    if not problem.classes:
        off = np.abs(np.asarray(model.predict(problem.X.take(rows))) - problem.y[rows])
        median = float(np.median(np.abs(found.predicted - found.truth)))
        aim = {"close": off, "typical": np.abs(off - median), "far off": -off}[kind]
        return int(rows[aim.argmin()])
    proba = np.asarray(model.predict_proba(problem.X.take(rows)))
    ordered = np.sort(proba, axis=1)
    # If a single class is left, all rows of the other classes were held out.
    lead = ordered[:, -1] - ordered[:, -2] if len(model.classes_) > 1 else np.ones(rows.size)
    if kind == "doubtful":
        return int(rows[lead.argmin()]) if lead.min() <= _MOST_LEAD else None
    right = model.classes_[proba.argmax(axis=1)] == problem.y[rows]
    at = np.searchsorted(model.classes_, problem.y[rows]).clip(max=len(model.classes_) - 1)
    of_truth = np.where(model.classes_[at] == problem.y[rows], proba[np.arange(rows.size), at], 0.0)
    # A row labeled as typical must not look suspect because only this model doubts it.
    agreed = ~(doubted(of_truth, proba.max(axis=1)) & usual)
    if kind == "clear":
        agreed &= lead >= _LEAST_LEAD
    fitting = rows[(right == (kind == "clear")) & agreed]
    return int(fitting[0]) if fitting.size else None


def _explained(kind: str, problem: Problem, known: Problem, model: Any, row: int, others: IntArray) -> Explained:
    data = None if isinstance(model, RowsEstimator) else (known.X, known.y)
    one = problem.X.take(slice(row, row + 1))
    found = explaining.explain(model, one, precedents=_PRECEDENTS, permutations=_PERMUTATIONS, data=data)
    likely: tuple[tuple[str, float], ...] = ()
    answer = found.predictions[0]
    output, predicted = float(found.total[0]), value(answer) if problem.classes else number(answer, 4)
    if found.probabilities is not None and found.classes is not None:
        proba = found.probabilities[0]
        order = np.argsort(-proba, kind="stable")[:4].tolist()
        likely = tuple((value(found.classes[c]), float(proba[c])) for c in order)
        output = float(proba[found.classes.tolist().index(answer)])
    names, amounts = list(problem.X.kinds), found.contributions[0]
    columns = [
        Contribution(names[a], problem.shown(names[a], row), float(amounts[a]))
        for a in np.argsort(-np.abs(amounts), kind="stable").tolist()
        if found.queries[0][a] is not None
    ]
    changes: tuple[tuple[str, str], ...] = ()
    otherwise, turned = "", found.counterfactuals
    if turned is not None and turned.rows:
        changes = tuple((names[a], value(turned.rows[0][a])) for a in np.flatnonzero(turned.changed[0]).tolist())
        otherwise = value(turned.new_predictions[0])
    precedents = () if found.precedents is None else tuple(_precedents(found.precedents, known, others))
    shown = value(problem.y[row]), predicted, likely, output, found.scale
    return Explained(kind, row, problem.place(row), *shown, tuple(columns), precedents, changes, otherwise)


def _precedents(found: Precedents, known: Problem, others: IntArray) -> Iterator[Precedent]:
    names, ids = list(known.X.kinds), found.ids[:_PRECEDENTS].tolist()
    for entry, at in enumerate(ids):
        values = dict(zip(names, map(value, found.rows[entry]), strict=True))
        place, target = known.place(at), value(found.targets[entry])
        yield Precedent(int(others[at]), place, target, float(found.distances[entry]), values)
    unlike = found.unlike[0] if known.classes and found.unlike else None
    if unlike is not None and unlike.id not in ids:
        values = dict(zip(names, map(value, unlike.row), strict=True))
        place, target = known.place(unlike.id), value(unlike.target)
        yield Precedent(int(others[unlike.id]), place, target, unlike.distance, values, unlike=True)
