"""Choosing the parameters of k-NN together, by leave-one-out scores that share their searches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._parameters import check_value
from priorcase._typing import AnyArray, BoolArray, FloatArray, IntArray
from priorcase.exceptions import ParameterError, TargetError, advice, listed, prefix_errors, quoted
from priorcase.instances.instances import check_weights
from priorcase.learning.frames import Backend, backend_of, framed, free_label
from priorcase.learning.grids import Grid, GridResult
from priorcase.learning.parameters import check_seed
from priorcase.learning.plotting import drawing, legend_beside, log_ticks, ring, style
from priorcase.learning.progress import bar
from priorcase.learning.resampling import taken_rows
from priorcase.neighbors.classifier import KNNClassifier
from priorcase.neighbors.regressor import KNNRegressor
from priorcase.neighbors.tuning_scores import (
    CLASS_SCORES,
    NUMBER_SCORES,
    CandidateGrid,
    ClassTargets,
    NumberTargets,
    Queries,
    Sums,
    Targets,
    VoteChoice,
    grid_sums,
    left_out,
)
from priorcase.neighbors.votes import SLACK, KernelVote, resolve_vote
from priorcase.neighbors.weighting import learns_weights
from priorcase.relevance.base import fixed_sample
from priorcase.schema import Kind
from priorcase.similarity import Absolute, Distance, Gaussian, hvdm, resolve

if TYPE_CHECKING:
    Shape = tuple[int, int, int, int]
    Step = Callable[[], None]

Scoring = Literal["log_loss", "accuracy", "brier", "squared_error", "absolute_error"]
Candidates = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]

FOLDS = 10
"""How many folds there are where a distance or attribute weights are learned from the targets."""

_SHARED = ("n_neighbors", "vote", "bandwidth", "distance", "attribute_weights")
_OF_CLASSES = ("prior", "temperature")
_SCORINGS = {True: ("log_loss", "accuracy", "brier"), False: ("squared_error", "absolute_error")}
_LABELS = {
    "log_loss": "log-loss",
    "accuracy": "accuracy",
    "brier": "Brier score",
    "squared_error": "mean squared error",
    "absolute_error": "mean absolute error",
}
# What is tried where nothing is listed.
_LADDER = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100)
_VOTES = ("uniform", "inverse_square", "epanechnikov", "tricube", *map(Gaussian, (0.35, 0.5, 0.7, 1.0)))
_STANDARDISED = Distance(numeric=Absolute("std", factor=4.0), ordinal=Absolute("std", factor=4.0))
_HVDM_ADDED = replace(hvdm(), power=1.0, root=False)
_FOR_CLASSES = {"prior": (0.1, 0.3, 1.0, 3.0), "temperature": (0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.5)}
_DISTANCES = {True: ("heom", "hvdm", "gower", _HVDM_ADDED), False: ("heom", _STANDARDISED, "gower")}
# Parameters of a fit whose votes are never used.
_PLAIN: dict[str, Any] = {"n_neighbors": 1, "vote": "uniform", "bandwidth": None, "prior": None, "temperature": 1.0}
# Candidates within this many standard errors of the best count as equal.
_NEAR = 0.5
# Blocks of rows that scores are added up by, at most, and numbers that an array of such sums holds.
_BLOCKS, _MOST_SUMS = 128, 1 << 21
# Lines of a printed result, and characters of a value.
_LISTED, _WIDEST = 10, 40


@dataclass(frozen=True, repr=False, eq=False)
class Tuning(GridResult):
    """Candidates with their leave-one-out scores, and the one that was chosen; prints as a table.

    Parameters
    ----------
    best
        The estimator with the chosen parameters, fitted to all rows.
    best_params
        The chosen parameters.
    scoring
        The score by which it was chosen.
    nested_scores
        Each score on rows that took no part in the choice; empty where this was not asked for.
    rows
        How many rows were predicted, weights counted.

    Attributes
    ----------
    score
        The chosen candidate's own score. It is optimistic: the same rows chose it.
    nested_score
        The score on rows that took no part in the choice, as unbiased as cross-validation; None where it was not
        asked for.
    """

    best: Any
    best_params: Mapping[str, Any]
    scoring: str
    nested_scores: Mapping[str, float]
    rows: float
    _groups: Sequence[Group] = field(repr=False)
    _scores: Mapping[str, FloatArray] = field(repr=False)
    _chosen: int = field(repr=False)
    _folds: Sequence[bool] = field(repr=False)
    _backend: Backend | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return int(self._scores[self.scoring].size)

    @property
    def score(self) -> float:
        """The chosen candidate's own score; optimistic, since the same rows chose it."""
        return float(self._scores[self.scoring][self._chosen])

    @property
    def nested_score(self) -> float | None:
        """The score on rows that took no part in the choice; None where it was not asked for."""
        return self.nested_scores.get(self.scoring)

    @property
    def score_label(self) -> str:
        """The name of the score, in words."""
        return _LABELS[self.scoring]

    @prefix_errors
    def frame(self, backend: Literal["pandas", "polars", "pyarrow"] | None = None) -> Any:
        """One line for each candidate: its parameters, its scores and how it was scored; the best first.

        Parameters
        ----------
        backend
            The library whose frame to return: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None: the one that X came
            in, or the first that is installed; a dictionary of arrays where none is.
        """
        check_value("backend", backend, [None, StrOptions({"pandas", "polars", "pyarrow"})])
        order = self._order()
        columns: dict[str, Any] = {name: _column(values[order]) for name, values in self._parameters.items()}
        columns |= {name: scores[order] for name, scores in self._scores.items()}
        sizes = [len(group.grid) for group in self._groups]
        columns["scored_by"] = np.where(np.repeat(self._folds, sizes), "folds", "leave-one-out")[order]
        columns["chosen"] = (np.arange(len(self)) == self._chosen)[order]
        return framed(columns, backend or self._backend)

    def curves(self) -> tuple[AnyArray, dict[str, FloatArray]]:
        """The numbers of neighbours, and for each vote its score with each, by the chosen distance and weights.

        Every score is the best over priors and temperatures.
        """
        group, at = _locate(self._groups, self._chosen)
        first = self._chosen - at
        scores = self._scores[self.scoring][first : first + len(group.grid)].reshape(group.grid.shape)
        best = scores.max(axis=(2, 3)) if self.scoring == "accuracy" else scores.min(axis=(2, 3))
        found: dict[str, FloatArray] = {}
        for choice, line in zip(group.grid.votes, best, strict=True):
            reach = "" if choice.bandwidth is None else f", bandwidth {choice.bandwidth:g}"
            found[free_label(f"{choice.vote}{reach}", found)] = line
        return np.asarray(group.grid.n_neighbors), found

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """The score over the number of neighbours, a line for each vote with the chosen distance and weights.

        Every point is the best over priors and temperatures. Returns the axes.

        Parameters
        ----------
        ax
            Axes of matplotlib to draw on; None for new ones.
        """
        with drawing(ax) as ax:
            n_neighbors, curves = self.curves()
            for i, (label, scores) in enumerate(curves.items()):
                look, shown = style(i), np.where(np.isfinite(scores), scores, np.nan)
                drawn = {"color": look.colour, "linestyle": look.line, "marker": look.marker, "markersize": 3.4}
                ax.plot(n_neighbors, shown, label=label, **drawn)
            ring(ax, self.best_params["n_neighbors"], self.score, label="chosen")
            ax.set(xlabel="n_neighbors", ylabel=f"leave-one-out {self.score_label}", xscale="log")
            log_ticks(ax.xaxis)
            legend_beside(ax)
            return ax

    @cached_property
    def _parameters(self) -> dict[str, AnyArray]:
        lines = [
            group.parameters(candidate, classes="log_loss" in self._scores)
            for group in self._groups
            for candidate in range(len(group.grid))
        ]
        columns = {}
        for name in lines[0]:
            column = np.empty(len(lines), dtype=object)
            column[:] = [line[name] for line in lines]
            columns[name] = column
        return columns

    def _order(self) -> Any:
        scores = self._scores[self.scoring]
        return np.argsort(-scores if self.scoring == "accuracy" else scores, kind="stable")

    def _grid(self) -> Grid:
        """The chosen candidate, then the best of each distance, weights and vote."""
        parameters = self._parameters
        names = [name for name, values in parameters.items() if len({repr(value) for value in values}) > 1]
        kinds = [name for name in ("distance", "attribute_weights", "vote", "bandwidth") if name in names]
        seen: set[tuple[str, ...]] = set()
        chosen = [self._chosen]
        for candidate in self._order().tolist():
            kind = tuple(repr(parameters[name][candidate]) for name in kinds)
            if kind not in seen and candidate != self._chosen:
                chosen.append(candidate)
            seen.add(kind)
            if len(chosen) > _LISTED:
                break
        lines = [
            ["chosen" if line == self._chosen else "", *(_text(parameters[name][line]) for name in names)]
            + [f"{scores[line]:.4g}" for scores in self._scores.values()]
            for line in chosen
        ]
        header = ["", *names, *(_LABELS[name] for name in self._scores)]
        title = f"{len(self):,} candidates scored on {self.rows:,g} rows, chosen by {self.score_label}"
        note = "These rows chose, so the chosen score is optimistic; nested=5 gives an honest one."
        if self.nested_scores:
            scores = ", ".join(f"{_LABELS[name]} {score:.4g}" for name, score in self.nested_scores.items())
            note = f"On rows that took no part in the choice: {scores}."
        return Grid(title, header, lines, note=note, right=range(1 + len(names), len(header)))


def _column(values: AnyArray) -> list[Any]:
    """Plain numbers and texts as they are, other values as text."""
    plain = (int, float, str, bool, type(None), np.integer, np.floating)
    if all(isinstance(value, plain) for value in values):
        return list(values)
    return [None if value is None else str(value) for value in values]


def _text(value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."


@prefix_errors
def tune(
    estimator: KNNClassifier | KNNRegressor,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    candidates: Candidates | None = None,
    scoring: Scoring | None = None,
    nested: int | None = 5,
    n_samples: int | None = 20_000,
    progress: bool | None = None,
    random_state: Any = 0,
) -> Tuning:
    """Parameters of k-NN chosen together, by how well each row is predicted from all others.

    Every number of neighbours, vote, bandwidth, prior and temperature that goes with one distance and one choice of
    attribute weights is scored from a single search of each row. Where a distance or attribute weights are learned from
    the targets (value differences, learned weights), a stored row would give its own target away: such
    candidates are scored over 10 folds, each with a fit on the other rows. Otherwise the distance and a prior of
    ``"frequency"`` keep the statistics of all rows, as with ``n_neighbors="loo"``.

    Parameters
    ----------
    estimator
        A `KNNClassifier` or `KNNRegressor`; parameters that are not among the candidates stay as they are.
    X, y, sample_weight
        As in its ``fit``. A row of weight 2 is two rows: leaving one out leaves the other.
    candidates
        Lists of values by parameter, tried each with each, or several such mappings: ``n_neighbors`` (whole numbers),
        ``vote``, ``bandwidth`` (for kernels), ``distance``, ``attribute_weights``, and for classes ``prior`` and
        ``temperature``. Numbers of neighbours for which there are too few rows are left out. None for a choice that
        suits most tables.
    scoring
        The score that decides: ``"log_loss"`` (classes, the default), ``"accuracy"``, ``"brier"``;
        ``"squared_error"`` (numbers, the default), ``"absolute_error"``. By logarithmic loss the choice is
        guarded against chance: one more row is counted whose class is a surprise, scores are smoothed over
        ``n_neighbors``, and Brier score and accuracy decide between losses within half a standard error. On few rows
        the lowest loss alone gives overconfident probabilities.
    nested
        In how many folds to repeat the whole choice, so that rows are scored that took no part in it; None for none.
    n_samples
        How many rows to predict at most, always the same; None for all.
    progress
        Whether to show a progress bar on a terminal; None where it takes long.
    random_state
        Seed of the folds.

    Returns
    -------
    Tuning
        The fitted estimator as ``best``, and the scores of all candidates; it prints as a table.

    Examples
    --------
    >>> from priorcase.neighbors import KNNClassifier
    >>> X = [[31, "red"], [29, "red"], [30, "blue"], [62, "blue"], [64, "blue"], [61, "red"]] * 3
    >>> y = ["no", "no", "no", "yes", "yes", "yes"] * 3
    >>> tuning = tune(KNNClassifier(), X, y, candidates={"n_neighbors": [1, 3, 9], "prior": [0.1, 1.0]}, nested=3)
    >>> tuning
    6 candidates scored on 18 rows, chosen by log-loss
              n_neighbors  prior  log-loss  Brier score  accuracy
      chosen  1            0.1     0.04652     0.004132         1
      On rows that took no part in the choice: log-loss 0.04652, Brier score 0.004132, accuracy 1.
    >>> tuning.best.predict([[60, "red"]])
    array(['yes'], dtype='<U3')
    """
    if not isinstance(estimator, (KNNClassifier, KNNRegressor)):
        raise ParameterError(f"estimator must be a KNNClassifier or a KNNRegressor, got {quoted(estimator)}")
    classes = isinstance(estimator, KNNClassifier)
    groups = _candidate_groups(estimator, candidates, classes=classes)
    problem = _problem(estimator, X, y, sample_weight, n_samples, random_state, groups[0].distance)
    if scoring is not None:
        check_value("scoring", scoring, [StrOptions(set(_SCORINGS[classes]))])
    check_value("nested", nested, [None, Interval(Integral, 2, len(problem.truth), closed="both")])
    check_value("progress", progress, [None, "boolean"])
    deciding, n_nested = scoring or _SCORINGS[classes][0], 0 if nested is None else int(nested)
    shown = len(problem.truth) >= 1000 if progress is None else bool(progress)
    with bar(_steps(problem, groups, n_nested), shown=shown, text="tune") as advance:
        measured = _measure(problem, groups, lambda: advance("tune"))
        group, at, candidate = measured.choose(deciding)
        nested_on = _nested_scores(problem, groups, deciding, n_nested, lambda: advance("nested")) if n_nested else {}
    chosen = group.parameters(at, classes=classes)
    folds = [_learns_from_targets(problem, group) for group in measured.groups]
    means = {name: measured.sums.mean(name) for name in measured.sums.of if name != "surprise"}
    rows, best = float(measured.sums.weights.sum()), problem.chosen(chosen)
    best.tuning_ = tuning = Tuning(
        best, chosen, deciding, nested_on, rows, measured.groups, means, candidate, folds, backend_of(X)
    )
    return tuning


def _problem(
    estimator: Any, X: Any, y: Any, sample_weight: Any, n_samples: int | None, random_state: Any, distance: Any
) -> Problem:
    check_value("n_samples", n_samples, [None, Interval(Integral, 2, None, closed="left")])
    seed = check_seed(random_state)
    most = None if n_samples is None else int(n_samples)
    problem = Problem(estimator, X, y, None, most, seed, distance)
    if sample_weight is None:
        return problem
    weights = check_weights(sample_weight, len(problem.truth), parameter="sample_weight")
    if weights is None or not weights.any():
        raise TargetError("sample_weight is zero for every row. Some row must have a positive weight")
    kept = np.flatnonzero(weights)
    return Problem(estimator, taken_rows(X, kept), taken_rows(y, kept), weights[kept], most, seed, distance)


# -- candidates


@dataclass(frozen=True, eq=False)
class Group:
    """Candidates that share their searches: one distance and one choice of attribute weights."""

    distance: Any
    attribute_weights: Any
    grid: CandidateGrid

    def parameters(self, candidate: int, *, classes: bool) -> dict[str, Any]:
        """The parameters of one candidate."""
        shared = {"distance": self.distance, "attribute_weights": self.attribute_weights}
        return shared | self.grid.parameters(candidate, classes=classes)


def _locate(groups: Sequence[Group], candidate: int) -> tuple[Group, int]:
    """The group of a candidate, numbered through all groups, and which of the group's candidates it is."""
    for group in groups:
        if candidate < len(group.grid):
            return group, candidate
        candidate -= len(group.grid)
    raise IndexError(candidate)


def _default_candidates(classes: bool, weights: Any) -> list[dict[str, Sequence[Any]]]:
    """What is tried where nothing is listed; without attribute weights of the estimator's own, Relief's too."""
    shared: dict[str, Sequence[Any]] = {"n_neighbors": _LADDER, "vote": _VOTES, **(_FOR_CLASSES if classes else {})}
    plain = {**shared, "distance": _DISTANCES[classes]}
    if weights is not None:
        return [plain]
    return [plain, {**shared, "distance": ("heom",), "attribute_weights": ("relief",)}]


def _candidate_groups(estimator: Any, candidates: object, *, classes: bool) -> list[Group]:
    """The candidates, by what they share; parameters that are not listed stay as the estimator has them."""
    given = _default_candidates(classes, estimator.attribute_weights) if candidates is None else candidates
    lists = [given] if isinstance(given, Mapping) else given
    if isinstance(lists, str) or not isinstance(lists, Sequence) or not lists:
        raise _not_candidates(candidates)
    found = []
    for choices in lists:
        values = _values(estimator, choices, classes)
        grid = _candidate_grid(values, classes)
        for distance, weights in product(values["distance"], values["attribute_weights"]):
            resolve(distance)
            found.append(Group(distance, weights, grid))
    return found


def _not_candidates(value: object) -> ParameterError:
    return ParameterError(
        "candidates must be None, a mapping from parameters to lists of values, or a list of such mappings, such as "
        f"{{'n_neighbors': range(1, 51), 'vote': ['uniform', 'tricube']}}, got {quoted(value)}"
    )


def _values(estimator: Any, choices: object, classes: bool) -> dict[str, Sequence[Any]]:
    """The list of each parameter."""
    names = _SHARED + _OF_CLASSES if classes else _SHARED
    if not isinstance(choices, Mapping) or not choices:
        raise _not_candidates(choices)
    for name, values in choices.items():
        if name not in names:
            remedy = advice(name, names, otherwise="set other parameters on the estimator")
            raise ParameterError(f"candidates may be listed for {listed(names, limit=9)}, got {quoted(name)}; {remedy}")
        if isinstance(values, (str, Mapping)) or not isinstance(values, (Sequence, np.ndarray)) or not len(values):
            raise ParameterError(f"candidates for {name} must be a list of at least one value, got {quoted(values)}")
    return {name: list(choices.get(name, [getattr(estimator, name)])) for name in names}


def _candidate_grid(values: Mapping[str, Sequence[Any]], classes: bool) -> CandidateGrid:
    for k in values["n_neighbors"]:
        check_value("every candidate for n_neighbors", k, [Interval(Integral, 1, None, closed="left")])
    votes = []
    for name, bandwidth in product(values["vote"], values["bandwidth"]):
        check_value("bandwidth", bandwidth, [None, Interval(Real, 0, np.inf, closed="neither")])
        reach = None if bandwidth is None else float(bandwidth)
        if reach is None or isinstance(resolve_vote(name), KernelVote):  # other votes have no bandwidth
            votes.append(VoteChoice(name, reach, resolve_vote(name, reach)))
    if not votes:
        raise ParameterError("candidates for bandwidth need a kernel among those for vote, such as 'gaussian'")
    ks = tuple(sorted({int(k) for k in values["n_neighbors"]}))
    if not classes:
        return CandidateGrid(ks, tuple(votes))
    for temperature in values["temperature"]:
        check_value("temperature", temperature, KNNClassifier._parameter_constraints["temperature"])
    return CandidateGrid(ks, tuple(votes), tuple(values["prior"]), tuple(map(float, values["temperature"])))


# -- fits


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows with targets, none of weight 0, and the estimator to be tuned on them."""

    estimator: Any
    X: Any
    y: Any
    sample_weight: FloatArray | None
    n_samples: int | None
    seed: int
    distance: Any = "heom"  # one of those to be tried, by which the rows are first stored
    kinds: dict[int, Kind] | None = None  # what columns mean by position, where these are only some of the rows
    classes: Any = None  # all classes, likewise

    @cached_property
    def base(self) -> Any:
        """A fit on all rows, which settles what columns and targets mean."""
        return self.fitted({"distance": self.distance, "attribute_weights": None} | self.plain)

    @property
    def has_classes(self) -> bool:
        return isinstance(self.estimator, KNNClassifier)

    @property
    def score_names(self) -> tuple[str, ...]:
        return CLASS_SCORES if self.has_classes else NUMBER_SCORES

    @property
    def plain(self) -> dict[str, Any]:
        """Parameters of votes that are never used."""
        return {name: value for name, value in _PLAIN.items() if hasattr(self.estimator, name)}

    @cached_property
    def truth(self) -> Any:
        """Targets of all rows: classes by position among the labels, or numbers; shape (rows, targets)."""
        return self.targets(self.base, CandidateGrid((1,), ())).stored

    @property
    def weights(self) -> FloatArray:
        """How many rows each row counts as."""
        return np.ones(len(self.truth)) if self.sample_weight is None else self.sample_weight

    @cached_property
    def asked_rows(self) -> IntArray:
        """Positions of the rows to predict."""
        n = len(self.truth)
        return fixed_sample(n, n if self.n_samples is None else self.n_samples)

    def folds(self, n_folds: int) -> IntArray:
        """The fold of each row, stratified by the classes of the first target."""
        return deal(self.truth[:, 0] if self.has_classes else np.zeros(len(self.truth)), n_folds, self.seed)

    def fitted(self, parameters: dict[str, Any]) -> Any:
        """A fit on all rows."""
        model = clone(self.estimator).set_params(**parameters)
        if self.kinds is None:
            return model.fit(self.X, self.y, self.sample_weight)
        model.set_params(schema=self.kinds, categorical_features="from_dtype")
        declared = {"classes": self.classes} if self.has_classes else {}
        return model.partial_fit(self.X, self.y, sample_weight=self.sample_weight, **declared)

    def searched(self, distance: Any, attribute_weights: Any) -> Any:
        """A fit whose votes are never used; the one on all rows where it will do."""
        if distance is self.distance and attribute_weights is None:
            return self.base
        return self.fitted({"distance": distance, "attribute_weights": attribute_weights} | self.plain)

    def chosen(self, parameters: dict[str, Any]) -> Any:
        """A fit to be kept. The one on all rows, which is no longer needed, becomes it where it can."""
        model = self.searched(parameters["distance"], parameters["attribute_weights"])
        if model is not self.base:
            return self.fitted(parameters)
        model.set_params(**parameters)
        model._check_parameters()
        model._check_rows()
        return model

    def part(self, rows: IntArray) -> Problem:
        """The problem of some rows alone, whose columns and classes mean what they mean here."""
        weights = None if self.sample_weight is None else self.sample_weight[rows]
        classes = self.base.classes_ if self.has_classes else None
        X, y = taken_rows(self.X, rows), taken_rows(self.y, rows)
        kinds = dict(enumerate(self.base.schema_.kinds))
        return replace(self, X=X, y=y, sample_weight=weights, kinds=kinds, classes=classes)

    def targets(self, model: Any, grid: CandidateGrid) -> Targets:
        """The targets of the rows of a fit."""
        return ClassTargets(model._outputs(), grid.priors) if self.has_classes else NumberTargets(model._numbers())

    def sums(self, model: Any, group: Group, queries: Queries, n_blocks: int) -> Sums:
        """The scores of some queries to a fit."""
        targets = self.targets(model, group.grid)
        return grid_sums(queries, group.grid, targets, model._rules.ties, n_blocks, threads=model._threads())

    def held_out_sums(self, part: Problem, group: Group, rows: IntArray, blocks: IntArray, n_blocks: int) -> Sums:
        """The scores of some rows by a fit on others."""
        model = part.searched(group.distance, group.attribute_weights)
        cells = model._cells(taken_rows(self.X, rows))
        queries = Queries(model._stored(), cells, None, self.truth[rows], self.weights[rows], blocks[rows])
        return self.sums(model, group, queries, n_blocks)


def deal(groups: AnyArray, n_folds: int, seed: int) -> IntArray:
    """The fold of each row: rows of one group, in random order, go to one fold after the other.

    Examples
    --------
    >>> np.bincount(deal(np.array([0, 0, 0, 1, 1, 1]), 3, seed=0)).tolist()
    [2, 2, 2]
    """
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(len(groups))
    order = shuffled[np.argsort(groups[shuffled], kind="stable")]
    folds = np.empty(len(groups), dtype=np.int64)
    folds[order] = np.arange(len(groups)) % n_folds
    return folds


# -- scores


@dataclass(frozen=True, eq=False)
class Measured:
    """Groups of candidates with their scores, one column for each candidate of each group, in order."""

    groups: Sequence[Group]
    sums: Sums

    def choose(self, scoring: str) -> tuple[Group, int, int]:
        """The chosen candidate: its group, which of the group's candidates it is, and which of all."""
        candidate = best_candidate(self.sums, scoring, [group.grid.shape for group in self.groups])
        return *_locate(self.groups, candidate), candidate


def _measure(problem: Problem, groups: Sequence[Group], step: Step) -> Measured:
    """The scores of all candidates; those of more neighbours than there are rows are left out."""
    rows = problem.asked_rows.size
    n_blocks = max(1, min(_BLOCKS, rows, _MOST_SUMS // max(len(group.grid) for group in groups)))
    blocks = np.searchsorted(problem.asked_rows, np.arange(len(problem.truth)), side="right") - 1
    blocks = np.maximum(blocks, 0) * n_blocks // rows
    usable, found = zip(*(_group_sums(problem, group, blocks, n_blocks, step) for group in groups), strict=True)
    joined = {name: np.concatenate([sums.of[name] for sums in found], axis=1) for name in found[0].of}
    return Measured(usable, Sums(joined, found[0].weights))


def _group_sums(problem: Problem, group: Group, blocks: IntArray, n_blocks: int, step: Step) -> tuple[Group, Sums]:
    weight, rows = float(problem.weights.sum()), problem.asked_rows
    if not _learns_from_targets(problem, group):
        group = _up_to(problem, group, weight - 1.0)
        model = problem.searched(group.distance, group.attribute_weights)
        sums = problem.sums(model, group, left_out(model._stored(), problem.truth, rows, blocks[rows]), n_blocks)
        step()
        return group, sums
    folds = problem.folds(min(FOLDS, len(problem.truth)))
    group = _up_to(problem, group, weight - float(np.bincount(folds, problem.weights).max()))
    sums = Sums.zero(problem.score_names, n_blocks, len(group.grid))
    for fold in range(int(folds.max()) + 1):
        asked = rows[folds[rows] == fold]
        if asked.size:
            part = problem.part(np.flatnonzero(folds != fold))
            sums += problem.held_out_sums(part, group, asked, blocks, n_blocks)
        step()
    return group, sums


def _nested_scores(
    problem: Problem, groups: Sequence[Group], scoring: str, n_folds: int, step: Step
) -> dict[str, float]:
    """Scores of rows that took no part in the choice: in each fold the others choose, learn and predict."""
    folds, one_block = problem.folds(n_folds), np.zeros(len(problem.truth), dtype=np.int64)
    total = Sums.zero(problem.score_names, 1, 1)
    for fold in range(n_folds):
        part = problem.part(np.flatnonzero(folds != fold))
        group, candidate, _ = _measure(part, groups, step).choose(scoring)
        alone = replace(group, grid=group.grid.only(candidate))
        total += problem.held_out_sums(part, alone, np.flatnonzero(folds == fold), one_block, 1)
        step()
    return {name: float(total.mean(name)[0]) for name in total.of if name != "surprise"}


def _steps(problem: Problem, groups: Sequence[Group], nested: int) -> int:
    """How often `_measure` and `_nested_scores` call their step."""
    once = sum(FOLDS if _learns_from_targets(problem, group) else 1 for group in groups)
    return once * (1 + nested) + nested


def _learns_from_targets(problem: Problem, group: Group) -> bool:
    """Whether a distance or attribute weights are learned from the targets: rows must then be held out to be scored."""
    differences = resolve(group.distance).differences(problem.base.schema_)
    return learns_weights(group.attribute_weights) or any(difference.needs_classes for difference in differences)


def _up_to(problem: Problem, group: Group, weight: float) -> Group:
    grid = group.grid.up_to(int(weight * (1 + SLACK)))
    if not grid.n_neighbors:
        raise ParameterError(
            f"{float(problem.weights.sum()):g} rows are too few to leave one out with the candidates for n_neighbors. "
            "List smaller numbers, or pass more rows"
        )
    return replace(group, grid=grid)


def best_candidate(sums: Sums, scoring: str, shapes: Sequence[Shape]) -> int:
    """The candidate to choose.

    By logarithmic loss three guards keep small tables from lucky and overconfident choices:

    - One more row is counted, whose class is another than its neighbours predict (its loss is the mean loss over all
      rows had that been so). With n rows a candidate's score is ``(sum of losses + surprise) / (n + 1)``, a rule of
      succession for mistakes: a loss that is large but rare is easily missed by all rows.
    - Scores are averaged with those of the next smaller and the next larger number of neighbours (weights 1/4, 1/2,
      1/4): these give nearly the same predictions, and a number that is best alone is so by chance.
    - Candidates within half a standard error of the best (after Breiman et al. 1984, section 3.4.3; of the paired
      differences) count as equal. Of these the one with the lowest sum of Brier score and error rate is taken, which
      does not depend on single rows.

    By other scores the best is taken.
    """
    if scoring != "log_loss":
        scores = sums.mean(scoring)
        return int(scores.argmax() if scoring == "accuracy" else scores.argmin())
    rows = float(sums.weights.sum())
    guarded = _smoothed((sums.of["log_loss"].sum(axis=0) + sums.mean("surprise")) / (rows + 1.0), shapes)
    if not np.isfinite(guarded).any():
        return int(np.argmax(sums.mean("accuracy")))
    near = _near_best(sums.of["log_loss"], sums.weights, guarded, int(np.argmin(guarded)))
    mistakes = _smoothed(sums.mean("brier") - sums.mean("accuracy"), shapes)
    return int(np.where(near, mistakes, np.inf).argmin())


def _smoothed(scores: FloatArray, shapes: Sequence[Shape]) -> FloatArray:
    """Scores averaged with those of the numbers of neighbours on either side; infinite ones stay and are left out.

    Examples
    --------
    >>> _smoothed(np.array([4.0, 0.0, 8.0, np.inf]), [(1, 4, 1, 1)])
    array([2.66666667, 3.        , 5.33333333,        inf])
    """
    parts, start = [], 0
    for shape in shapes:
        part = scores[start : start + int(np.prod(shape))].reshape(shape)
        start += part.size
        finite = np.isfinite(part)
        total, weights = 2.0 * np.where(finite, part, 0.0), 2.0 * finite
        for here, there in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None))):
            total[:, here] += np.where(finite, part, 0.0)[:, there]
            weights[:, here] += finite[:, there]
        parts.append(np.where(finite, total / np.maximum(weights, 1.0), np.inf).ravel())
    return np.concatenate(parts)


def _near_best(losses: FloatArray, weights: FloatArray, guarded: FloatArray, lead: int) -> BoolArray:
    """The candidates whose loss is within half a standard error of the best."""
    finite = np.isfinite(losses).all(axis=0) & np.isfinite(guarded)
    kept = weights > 0
    n_blocks = int(kept.sum())
    if n_blocks < 2:
        return np.asarray(np.arange(guarded.size) == lead)
    differences = losses[kept][:, finite] - losses[kept][:, lead][:, None]
    total = weights[kept].sum()
    spread = differences - weights[kept][:, None] * (differences.sum(axis=0) / total)
    errors = np.sqrt((spread * spread).sum(axis=0) * n_blocks / (n_blocks - 1)) / total
    near = np.zeros(guarded.size, dtype=bool)
    near[finite] = guarded[finite] - guarded[lead] <= _NEAR * errors
    return near
