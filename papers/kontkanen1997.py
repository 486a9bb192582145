"""Kontkanen, Myllymäki, Silander, Tirri & Grünwald 1997, Comparing predictive inference methods for discrete domains.

Table 1 shows leave-one-out scores; Figures 1 to 3 show scores after each training row.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from papers.reproduction import Figure, FigureTable, Item, Options, Paper, Part, Picture
from priorcase._typing import AnyArray, FloatArray, IntArray, Name
from priorcase.bayes import NaiveBayes
from priorcase.bayes.discretize import KMeansBins, bin_of
from priorcase.datasets import NamedColumns, load
from priorcase.evaluation import log_score, zero_one_score
from priorcase.learning.plotting import style
from priorcase.schema import Kind, Nominal, Numeric

# Naive Bayes on discrete tables, as the 1998 paper uses it too --------------------------------------------------------

BINS = 5
"""Number of bins of numeric columns, by one-dimensional k-means; the papers do not say how they discretized numbers."""


@dataclass(frozen=True, eq=False)
class DiscreteTable:
    """A table coded as small integers, as the formulas of the papers require.

    ``codes`` has the value of each attribute, with missing values as a separate value. ``sizes`` has the number of
    values of each attribute. ``truth`` has the class of each row as a position in the sorted ``classes``.
    """

    name: str
    codes: IntArray
    sizes: tuple[int, ...]
    truth: IntArray
    classes: tuple[Any, ...]

    def __len__(self) -> int:
        return self.truth.size


def read_discrete(name: str, folder: Path | None) -> DiscreteTable:
    """Load a data set and discretize its numeric columns."""
    return discrete(name, *load(name, folder=folder, frame=None), KMeansBins(BINS))


def discrete(name: str, X: NamedColumns, y: AnyArray, numeric: Any) -> DiscreteTable:
    """Replace values with codes in sorted order; missing values get the last code, and numbers are binned.

    The cut points of bins are learned from all rows, without the classes, as the papers most likely did.

    Examples
    --------
    >>> from priorcase.bayes.discretize import EqualWidth
    >>> kinds = {"age": Numeric(), "size": Nominal()}
    >>> X = NamedColumns.of({"age": [7.0, 8.0, 11.0, None], "size": ["S", None, "L", "S"]}, kinds)
    >>> table = discrete("shoes", X, np.array(["b", "a", "a", "b"], dtype=object), EqualWidth(2))
    >>> table.codes.T
    array([[0, 0, 1, 2],
           [1, 2, 0, 1]])
    >>> table.sizes, table.classes
    ((3, 3), ('a', 'b'))
    """
    columns = []
    for label, column in X.data.items():
        if isinstance(X.kinds[label], Numeric):
            bins = bin_of(np.array(numeric.learned_from(column).points), column)
            known_first = np.where(bins < 0, bins.max(initial=0) + 1, bins)
            columns.append(np.unique(known_first, return_inverse=True)[1])  # bins without numbers get no code
        else:
            columns.append(_coded(column)[0])
    codes = np.column_stack(columns)
    return DiscreteTable(name, codes, tuple((codes.max(axis=0) + 1).tolist()), *_coded(y))


def _coded(column: AnyArray) -> tuple[IntArray, tuple[Any, ...]]:
    """Return the position of each value among the sorted values; missing values come last."""
    cells = column.tolist()
    values = sorted({cell for cell in cells if cell is not None}, key=str)
    code_of = {None: len(values), **{value: code for code, value in enumerate(values)}}
    return np.array([code_of[cell] for cell in cells], dtype=np.int64), tuple(values)


@dataclass(frozen=True)
class NaiveBayesRule:
    """Naive Bayes of the library with uniform priors over declared classes and values."""

    predictive: Literal["map", "evidence", "sc"]
    zero_policy: Literal["cap100", "param_floor"] | None = None

    def split(self, table: DiscreteTable, train: IntArray, test: IntArray) -> FloatArray:
        """Return log-probabilities of all classes for the ``test`` rows, learned from the ``train`` rows."""
        return self._fitted(table, train).predict_log_proba(table.codes[test])

    def leave_one_out(self, table: DiscreteTable) -> FloatArray:
        """Return leave-one-out log-probabilities of all classes for each row."""
        logs: FloatArray = np.log(self._fitted(table, np.arange(len(table))).loo_predict_proba())
        return logs

    def _fitted(self, table: DiscreteTable, rows: IntArray) -> NaiveBayes:
        options: dict[str, Any] = {} if self.zero_policy is None else {"zero_policy": self.zero_policy}
        if self.predictive != "sc":
            options["prior"] = 1.0
        schema: dict[Name, Kind] = {column: Nominal(tuple(range(size))) for column, size in enumerate(table.sizes)}
        model = NaiveBayes(predictive=self.predictive, schema=schema, n_jobs=1, **options)
        return model.partial_fit(table.codes[rows], table.truth[rows], classes=np.arange(len(table.classes)))


FIRST_CLASS = "0/1-score if the first class wins ties"
TIES = (
    "If m classes have the same highest probability, the true class among them counts 1/m in the 0/1-score "
    "(`zero_one_score(..., ties='expected')`), as if one of them were drawn at random. The table '{}' shows the other "
    "usual rule. The paper does not state its rule."
)


def scores(table: DiscreteTable, logs: FloatArray) -> tuple[float, float, float]:
    """Return three scores of log-probabilities for all rows.

    These are the 0/1-score (from 0 to 1) if tied classes share the credit, the log-score (mean ``ln p``), and the
    0/1-score if the first of the tied classes is predicted.
    """
    labels = range(len(table.classes))
    shared = zero_one_score(table.truth, np.exp(logs), labels=labels, ties="expected")
    first = zero_one_score(table.truth, np.exp(logs), labels=labels, ties="first")
    return shared, log_score(table.truth, logs, labels=labels, logs=True), first


# Table 1 --------------------------------------------------------------------------------------------------------------

RULES = {"MAP": NaiveBayesRule("map", "param_floor"), "EV": NaiveBayesRule("evidence"), "SC": NaiveBayesRule("sc")}
"""The three predictive distributions."""

FLOOR = 1e-4
"""Smallest parameter of MAP; the paper does not say how it treated zeros."""


@dataclass(frozen=True)
class Printed:
    """A line of Table 1: accuracies and mean ``ln p`` of MAP, EV and SC; ``variables`` includes the class."""

    title: str
    name: str
    rows: int
    variables: int
    classes: int
    zero_one: tuple[float, float, float]
    log: tuple[float, float, float]


TABLE_1 = (
    Printed("Australian", "australian-credit", 690, 15, 2, (0.851, 0.848, 0.852), (-0.456, -0.457, -0.389)),
    Printed("Glass", "glass", 214, 10, 6, (0.701, 0.668, 0.668), (-1.216, -0.981, -0.954)),
    Printed("Heart", "heart-statlog", 270, 14, 2, (0.830, 0.837, 0.844), (-0.476, -0.439, -0.392)),
    Printed("Hepatitis", "hepatitis", 150, 20, 2, (0.847, 0.820, 0.813), (-0.853, -0.666, -0.554)),
)
"""Table 1 as printed."""


def table_1(options: Options) -> Part:
    """Compare our figures with the published figures."""
    found = options.each(partial(_leave_one_out, folder=options.data), TABLE_1, "leave-one-out")
    remarks = {"Hepatitis": "155 rows; the paper says 150"}
    table = partial(FigureTable, columns=tuple(RULES), digits=(3, 3), differences=True, remarks=remarks)
    hits = {line.title: tuple(map(Figure, ours[0], line.zero_one)) for line, ours in zip(TABLE_1, found, strict=True)}
    logs = {line.title: tuple(map(Figure, ours[1], line.log)) for line, ours in zip(TABLE_1, found, strict=True)}
    first = {line.title: tuple(map(Figure, ours[2], line.zero_one)) for line, ours in zip(TABLE_1, found, strict=True)}
    differences = [sc.value - evidence.value for _, evidence, sc in logs.values()]
    printed = [line.log[2] - line.log[1] for line in TABLE_1]
    notes = (
        f"Cells show our result (published result, difference). Numeric columns are discretized into {BINS} bins by "
        "one-dimensional k-means over all rows, without the classes; a missing value is treated as a separate value. "
        "The paper does not say how it discretized numeric columns. We chose the method that comes closest to the "
        "published figures, so the agreement does not prove that the paper used the same method.",
        "With uniform priors, MAP is the same as maximum likelihood. Parameters below 1e-4 are raised to 1e-4. The "
        "paper does not say how it treated probabilities of 0. Its MAP log-scores are so high that it cannot have used "
        "a penalty of 100 nats for a true class with probability 0.",
        "The published log-scores of SC cannot be obtained from eq. 8. By this equation, the probability of a "
        "value seen f times in h rows is nearly (f + 1/2) / (h + 1/2), so with hundreds of rows SC is nearly the same "
        f"as EV. Our scores of SC minus our scores of EV are between {min(differences):+.3f} and "
        f"{max(differences):+.3f}. For the published scores, this difference is between {min(printed):+.3f} and "
        f"{max(printed):+.3f}: the published SC is always better than EV.",
        TIES.format(FIRST_CLASS),
        "Hepatitis has 155 rows in the public copy; the paper says 150.",
    )
    tables = table("0/1-score", rows=hits), table("log-score, mean ln p", rows=logs), table(FIRST_CLASS, rows=first)
    return Part(tables, notes=notes)


def _leave_one_out(line: Printed, *, folder: Path | None) -> list[list[float]]:
    """Return the three scores of each of the three rules, score by score."""
    table = read_discrete(line.name, folder)
    pairs = [scores(table, rule.leave_one_out(table)) for rule in RULES.values()]
    return [list(each) for each in zip(*pairs, strict=True)]


# Naive Bayes that learns one row at a time ----------------------------------------------------------------------------


class GrowingCounts:
    """Counts of the rows learned so far, for predictions of the three rules on fixed test rows.

    Let N be the number of rows, ``h_k`` the number of rows of class k, ``f_kil`` the number of these rows with value l
    of attribute i, and ``n_i`` the number of values of attribute i. With uniform priors, the probability of class k is
    proportional to ``h_k/N prod f_kil/h_k`` for MAP and to ``(h_k + 1) prod (f_kil + 1)/(h_k + n_i)`` for EV. For SC,
    the test row is added to the rows as a row of class k, and the probability of class k is proportional to the maximum
    likelihood of all these rows (Kontkanen et al. 1997, section 3).

    The predictions are the same as with `priorcase.NaiveBayes`, but about ten times as fast: a row changes only the
    likelihood of its own class, and all three rules share the counts.
    """

    def __init__(self, table: DiscreteTable, test: IntArray) -> None:
        classes = len(table.classes)
        starts = np.concatenate(([0], np.cumsum(table.sizes)[:-1]))
        self._places = table.codes + starts  # positions of the values of each row in the counts
        self._asked = self._places[test]
        self._truth, self._labels = table.truth[test], table.truth
        self._sizes = np.repeat(table.sizes, table.sizes)
        self._f = np.zeros((classes, sum(table.sizes)))
        self._h = np.zeros(classes)
        self._attributes = np.array(table.sizes, dtype=np.float64)
        self._likelihoods = np.empty((test.size, classes, len(RULES)))
        for k in range(classes):
            self._update(k)

    def learn(self, row: int) -> None:
        """Learn one more row of the table."""
        k = self._labels[row]
        self._h[k] += 1
        self._f[k, self._places[row]] += 1
        self._update(k)

    def log_probabilities(self) -> FloatArray:
        """Return log-probabilities with shape (test rows, classes, rules)."""
        h = self._h
        priors = np.stack([np.log(np.maximum(h / h.sum(), FLOOR)), np.log(h + 1), _growth(h)], axis=1)
        joint = self._likelihoods + priors
        top = joint.max(axis=1, keepdims=True)
        logs: FloatArray = joint - top - np.log(np.exp(joint - top).sum(axis=1, keepdims=True))
        return logs

    def ruled_out(self) -> float:
        """Return the share of test rows whose true class gets probability 0 by maximum likelihood without a floor."""
        never = (self._f[self._truth[:, None], self._asked] == 0).any(axis=1)
        return float((never | (self._h[self._truth] == 0)).mean())

    def _update(self, k: int) -> None:
        """Update the likelihood of each test row in one class."""
        f, h = self._f[k], self._h[k]
        phi = f / h if h else 1 / self._sizes
        values = np.stack([np.log(np.maximum(phi, FLOOR)), np.log(f + 1), _growth(f)], axis=1)
        less = (0.0, np.log(h + self._attributes).sum(), self._attributes.size * _growth(h))
        self._likelihoods[:, k] = values[self._asked].sum(axis=1) - less


def _growth(n: FloatArray) -> FloatArray:
    """Return ``(n + 1) ln(n + 1) - n ln n``, the growth of the count term of the log-likelihood with one more row."""
    growth: FloatArray = (n + 1) * np.log(n + 1) - n * np.log(np.maximum(n, 1))
    return growth


# Learning curves, section 4.1 -----------------------------------------------------------------------------------------

REPETITIONS, FEW = 100, 3
RESERVOIR = 0.7
SCORES = {"log": "log-score, mean ln p", "zero_one": "0/1-score", "first": FIRST_CLASS}
DRAWN = ("log", "zero_one")


@dataclass(frozen=True, eq=False)
class Curves:
    """Scores of the three rules on the test rows after each training row in each repetition.

    ``scores`` has the shape (repetitions, training rows, rules, scores), with the scores in `SCORES`. ``ruled_out`` has
    the shape (repetitions, training rows): the share of test rows whose true class gets probability 0 by maximum
    likelihood.
    """

    name: str
    classes: int
    scores: FloatArray
    ruled_out: FloatArray

    @property
    def sizes(self) -> IntArray:
        """Numbers of training rows: 1, 2, and so on."""
        return np.arange(1, self.scores.shape[1] + 1)

    def of(self, rule: str, score: str = "log") -> FloatArray:
        """Return the scores of a rule with shape (repetitions, training rows)."""
        values: FloatArray = self.scores[:, :, list(RULES).index(rule), list(SCORES).index(score)]
        return values

    def at(self, size: int, rule: str, score: str = "log") -> Figure:
        """Return the score of a rule after ``size`` training rows."""
        return Figure.of(self.of(rule, score)[:, size - 1])

    def ladder(self) -> list[int]:
        """Return the numbers of training rows to print."""
        return [*(size for size in (1, 2, 5, 10, 20, 40, 80, 160, 320) if size < self.sizes[-1]), int(self.sizes[-1])]


def measured(name: str, options: Options) -> Curves:
    """Measure the curves of one data set."""
    table = read_discrete(name, options.data)
    count = options.count(REPETITIONS, FEW)
    one = partial(one_repetition, table=table, random_state=options.random_state)
    found = options.each(one, range(count), f"{name}, row by row: {count} repetitions")
    return Curves(name, len(table.classes), *(np.array(each) for each in zip(*found, strict=True)))


def one_repetition(repetition: int, *, table: DiscreteTable, random_state: int) -> tuple[FloatArray, FloatArray]:
    """Return the scores and ``ruled_out`` on 30% of the rows after each of the other rows, in random order."""
    stream = np.random.default_rng([random_state, zlib.crc32(table.name.encode()), repetition])
    train, test = np.split(stream.permutation(len(table)), [round(RESERVOIR * len(table))])
    counts, truth, found, ruled_out = GrowingCounts(table, test), table.truth[test], [], []
    for row in train.tolist():
        counts.learn(row)
        logs = counts.log_probabilities()
        told, best = logs[np.arange(test.size), truth], logs.max(axis=1)
        right = (told == best) / (logs == best[:, None]).sum(axis=1)  # tied classes share the credit
        first = logs.argmax(axis=1) == truth[:, np.newaxis]
        found.append(np.stack([told.mean(axis=0), right.mean(axis=0), first.mean(axis=0)], axis=1))
        ruled_out.append(counts.ruled_out())
    return np.array(found), np.array(ruled_out)


# Figures 1 to 3 -------------------------------------------------------------------------------------------------------


def figure_1(options: Options) -> Part:
    """Draw the mean of both scores on Glass."""
    curves = measured("glass", options)

    def draw(figure: Any) -> None:
        for ax, score in zip(figure.subplots(1, 2), DRAWN, strict=True):
            _draw_averages(ax, curves, score)

    caption = (
        "Glass: mean log-score (left, linear above -1 and logarithmic below) and 0/1-score (right) of the three "
        "predictive distributions after each training row."
    )
    few = curves.ladder()[min(4, len(curves.ladder()) - 1)]
    log, hit = ({rule: f"{curves.at(few, rule, score).value:.2f}" for rule in RULES} for score in DRAWN)
    shows = (
        "The paper says that evidence (EV) is close to its final score after very few rows, while MAP and SC are weak, "
        f"and that MAP is closer to EV by the 0/1-score than by the log-score. After {few} rows, our log-scores are "
        f"{log['EV']} for EV, {log['SC']} for SC and {log['MAP']} for MAP; our 0/1-scores are {hit['EV']} for EV, "
        f"{hit['SC']} for SC and {hit['MAP']} for MAP."
    )
    tables = tuple(_table(curves, score, "Glass") for score in SCORES)
    notes = (*_protocol(curves), TIES.format(tables[-1].title), shows)
    return Part(tables, (_picture("figure-1", caption, [curves], RULES, draw),), notes)


def figure_2(options: Options) -> Part:
    """Draw the mean log-scores on Australian and Hepatitis."""
    found = {"Australian": measured("australian-credit", options), "Hepatitis": measured("hepatitis", options)}

    def draw(figure: Any) -> None:
        for ax, (title, curves) in zip(figure.subplots(1, 2), found.items(), strict=True):
            _draw_averages(ax, curves, "log")
            ax.set_title(title)

    caption = "Australian (left) and Hepatitis (right): mean log-score after each training row."
    picture = _picture("figure-2", caption, list(found.values()), RULES, draw)
    tables = tuple(_table(curves, "log", title) for title, curves in found.items())
    shows = (
        "The paper says that the results on its other data sets are like those on Glass, but sometimes less extreme."
    )
    return Part(tables, (picture,), (*_protocol(found["Australian"]), shows))


def figure_3(options: Options) -> Part:
    """Draw the mean, best and worst log-scores of EV and SC on Glass."""
    curves, rules = measured("glass", options), ("EV", "SC")
    span: Mapping[str, Callable[..., Any]] = {"worst": np.min, "average": np.mean, "best": np.max}
    guess = -math.log(curves.classes)

    def draw(figure: Any) -> None:
        for ax, rule in zip(figure.subplots(1, 2, sharey=True), rules, strict=True):
            look, found = style(list(RULES).index(rule)), curves.of(rule)
            ax.fill_between(curves.sizes, found.min(axis=0), found.max(axis=0), color=look.tint, linewidth=0)
            for which, line in (("best", ":"), ("average", "-"), ("worst", "--")):
                ax.plot(curves.sizes, span[which](found, axis=0), color=look.color, linestyle=line, label=which)
            ax.axhline(guess, color="#767676", linewidth=0.8)
            ax.set(xlabel="training rows", title=rule, xlim=(0, curves.sizes[-1]))
            ax.legend(loc="lower right")
        figure.axes[0].set_ylabel(SCORES["log"])

    caption = (
        "Glass: log-score of EV (left) and SC (right) after each training row. The lines show the mean over all "
        "repetitions, and the best and the worst repetition for each number of training rows. The thin horizontal line "
        "shows the score of a uniform guess."
    )
    columns = tuple(f"{rule} {which}" for rule in rules for which in span)
    rows = {
        str(size): tuple(Figure(float(of(curves.of(rule)[:, size - 1]))) for rule in rules for of in span.values())
        for size in curves.ladder()
    }
    table = FigureTable("Glass: log-score by training rows", columns, rows, digits=(2, 2))
    evidence, complexity = (curves.of(rule).min(axis=0) for rule in rules)
    shows = (
        "The paper says that the worst case of EV rises suddenly after about 20 rows, and the worst case of SC only "
        f"after about 80 rows. In our measurement, the worst case of EV rises most from {_steepest(evidence)} rows, "
        f"and the worst case of SC from {_steepest(complexity)} rows. The worst case stays above the score of a "
        f"uniform guess ({guess:.2f}) from {_stays_above(evidence, guess)} rows on for EV, and from "
        f"{_stays_above(complexity, guess)} rows on for SC. "
        "Each worst case is a single repetition, so it depends on the seed."
    )
    picture = _picture("figure-3", caption, [curves], rules, draw)
    return Part((table,), (picture,), (_protocol(curves)[0], shows))


def _protocol(curves: Curves) -> tuple[str, ...]:
    return (
        f"{len(curves.scores)} repetitions: 70% of the rows are drawn for training and learned one by one in random "
        "order; after each training row, the other 30% are predicted. The paper shows curves without numbers, so there "
        "are no published figures to compare with.",
        "Without a floor for its parameters, MAP would give some test rows a log-score of minus infinity. Here the "
        f"parameters of MAP are at least {FLOOR:g}, as in Table 1. We do not know how the paper treated probabilities "
        "of 0; a lower floor moves the MAP curve further down. In the tables of log-scores, the column 'ruled out "
        "without a floor' shows the percentage of test rows whose true class would get probability 0 from MAP without "
        "the floor.",
    )


def _table(curves: Curves, score: str, title: str) -> FigureTable:
    """Return a table of scores by training rows; a table of log-scores also shows the share of rows ruled out."""
    rows = {}
    for size in curves.ladder():
        rows[str(size)] = tuple(curves.at(size, rule, score) for rule in RULES)
        if score == "log":
            rows[str(size)] += (Figure(100 * float(curves.ruled_out[:, size - 1].mean()), digits=(1, 1)),)
    more = ("ruled out without a floor, percent",) if score == "log" else ()
    return FigureTable(f"{title}: {SCORES[score]}, by training rows", (*RULES, *more), rows, digits=(2, 2))


def _picture(
    name: str, caption: str, found: list[Curves], rules: Iterable[str], draw: Callable[[Any], None]
) -> Picture:
    """Return a picture with the mean, minimum and maximum of each score and rule after each training row."""
    columns = {"data_set": np.concatenate([np.full(len(curves.sizes), curves.name) for curves in found])}
    columns["training_rows"] = np.concatenate([curves.sizes for curves in found])
    for rule in rules:
        for score in SCORES:
            for which in ("mean", "min", "max"):
                parts = [getattr(curves.of(rule, score), which)(axis=0) for curves in found]
                columns[f"{rule}_{score}_{which}"] = np.concatenate(parts)
    columns["ruled_out"] = np.concatenate([curves.ruled_out.mean(axis=0) for curves in found])
    return Picture(name, caption, columns, draw, (9.0, 3.8))


def _draw_averages(ax: Any, curves: Curves, score: str) -> None:
    from matplotlib.ticker import NullLocator

    for i, rule in enumerate(RULES):
        look = style(i)
        ax.plot(curves.sizes, curves.of(rule, score).mean(axis=0), color=look.color, linestyle=look.line, label=rule)
    ax.set(xlabel="training rows", ylabel=SCORES[score], xlim=(0, curves.sizes[-1]))
    if score == "zero_one":
        ax.set_ylim(0, 1)
    else:  # linear from -1 to 0 and logarithmic below, so that MAP's first scores leave room for the others
        ax.set_yscale("symlog", linthresh=1.0, linscale=0.6)
        lowest = ax.get_ylim()[0]
        ticks = [tick for tick in (0.0, -0.5, -1.0, -2.0, -5.0, -10.0, -20.0, -40.0) if tick >= lowest]
        ax.set_yticks(ticks, [f"{tick:g}".replace("-", "\N{MINUS SIGN}") for tick in ticks])
        ax.yaxis.set_minor_locator(NullLocator())
        ax.set_ylim(lowest, 0)
    ax.legend(loc="lower right")


def _steepest(curve: FloatArray) -> str:
    """Return the span of five training rows in which a curve rises most."""
    first = int(np.argmax(curve[5:] - curve[:-5])) + 1
    return f"{first} to {first + 5}"


def _stays_above(curve: FloatArray, level: float) -> str:
    """Return the number of training rows after which a curve stays at or above a level."""
    below = np.flatnonzero(curve < level)
    first = 1 if below.size == 0 else int(below[-1]) + 2
    return str(first) if first <= curve.size else f"more than {curve.size}"


PAPER = Paper(
    "kontkanen1997",
    "Comparing predictive inference methods for discrete domains",
    'P. Kontkanen, P. Myllymäki, T. Silander, H. Tirri & P. Grünwald, "Comparing predictive inference methods for '
    'discrete domains", *Proceedings of the Sixth International Workshop on Artificial Intelligence and Statistics*, '
    "1997.",
    (
        Item("figure", "1", "Glass: mean scores by training rows", figure_1, {"Glass": "glass"}),
        Item(
            "figure",
            "2",
            "Australian and Hepatitis: mean log-scores by training rows",
            figure_2,
            {"Australian": "australian-credit", "Hepatitis": "hepatitis"},
        ),
        Item("figure", "3", "Glass: best, mean and worst log-scores by training rows", figure_3, {"Glass": "glass"}),
        Item("table", "1", "Leave-one-out", table_1, {line.title: line.name for line in TABLE_1}),
    ),
    about="The paper compares three predictive distributions for naive Bayes. MAP uses the parameters with the highest "
    "posterior probability; if the priors are uniform, these are the maximum likelihood parameters. Evidence (EV) "
    "averages over all parameters. Stochastic complexity (SC) gives each class a probability in proportion to the "
    "maximum likelihood of the data if the test row has this class. We repeat the learning curves and the "
    "leave-one-out scores of the paper.",
    findings="Our 0/1-scores of MAP and EV differ from the published scores by less than 0.015, and our log-scores of "
    "EV by less than 0.02. Tied classes share the credit in our 0/1-scores; the pages also show the scores if the "
    "first of the tied classes is predicted, which are the same in Table 1. The published log-scores of SC cannot be "
    "obtained from equation 8 of the paper. In the figures, EV is close to its final score after a few rows and MAP "
    "needs many rows, as the paper says. The worst case of SC rises at about 67 rows (80 in the paper), and the worst "
    "case of EV at about 45 rows (20 in the paper). However, each worst case is a single repetition out of a hundred.",
)
