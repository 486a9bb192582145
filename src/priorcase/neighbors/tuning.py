"""Joint selection of the parameters of k-NN by leave-one-out scores, with one search for many candidates."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from numbers import Integral
from typing import Any, Literal, Self
from zlib import crc32

import joblib
import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._core import LeftOut as CoreRows
from priorcase._locks import cached_property
from priorcase._numbers import equal_decimals, number
from priorcase._parameters import check_seed, check_value
from priorcase._typing import AnyArray, Backend, BoolArray, FloatArray, IntArray
from priorcase.exceptions import ParameterError, PriorcaseError, advice, listed, prefix_errors, quoted
from priorcase.instances import Instances
from priorcase.learning.estimator import RowsEstimator, SchemaLike
from priorcase.learning.plotting import drawing, legend_beside, log_ticks, ring, style
from priorcase.learning.resampling import bar, needs_refits, refits, stored_table
from priorcase.learning.results import Grid, GridResult, framed, free_label
from priorcase.learning.state import Memory, reads
from priorcase.learning.targets import Labeling, learned_numbers
from priorcase.neighbors.base import COUNT, check_tabled, declared_values, needs_classes
from priorcase.neighbors.knn import KNNClassifier, KNNRegressor
from priorcase.neighbors.polling import ENTRIES, Rules, check_scores, polls_of, rank, refuse_overflow
from priorcase.neighbors.precedents import Precedents
from priorcase.neighbors.votes import (
    TIES,
    FunctionVote,
    KernelVote,
    Poll,
    decide,
    left_out_once,
    prior_weights,
    probabilities,
    resolve_vote,
)
from priorcase.relevance import AttributeWeights, resolve_method
from priorcase.schema import CategoricalFeatures, Nominal, Schema, Table
from priorcase.schema.kinds import canonical
from priorcase.search import ALGORITHMS
from priorcase.search.index import SLACK
from priorcase.similarity import Absolute, Distance, Gaussian, hvdm, resolve

Scoring = Literal["log_score", "accuracy", "brier", "squared_error", "absolute_error"]
Candidates = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]
Model = KNNClassifier | KNNRegressor

FOLDS = 10
"""Number of folds if a distance or attribute weights are learned from the targets."""

_SHARED = ("n_neighbors", "vote", "bandwidth", "distance", "attribute_weights")
_OF_CLASSES = ("prior", "temperature")
# Scores for classes and numbers; the first is the default. ``surprise`` is the log-loss of the mean probability of the
# other classes, as if another class were true. The log-score is summed with a negative sign, like the other losses.
_SCORES = {True: ("log_score", "surprise", "brier", "accuracy"), False: ("squared_error", "absolute_error")}
_GREATER_IS_BETTER = ("log_score", "accuracy")
_LABELS = {
    "log_score": "log-score",
    "accuracy": "accuracy",
    "brier": "Brier score",
    "squared_error": "mean squared error",
    "absolute_error": "mean absolute error",
}
# Default candidates.
_LADDER = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100)
_VOTES = ("uniform", "inverse_square", "epanechnikov", "tricube", *map(Gaussian, (0.35, 0.5, 0.7, 1.0)))
_STANDARDIZED = Distance(numeric=Absolute("std", factor=4.0), ordinal=Absolute("std", factor=4.0))
_HVDM_ADDED = replace(hvdm(), power=1.0, root=False)
_FOR_CLASSES = {"prior": (0.1, 0.3, 1.0, 3.0), "temperature": (0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.5)}
_DISTANCES = {True: ("robust", "hvdm", "gower", _HVDM_ADDED), False: ("robust", _STANDARDIZED, "gower")}
# Parameters of a fit whose votes are never used.
_PLAIN: dict[str, Any] = {"n_neighbors": 1, "vote": "uniform", "bandwidth": None, "prior": None, "temperature": 1.0}
# Candidates within this many standard errors of the best count as equal.
_NEAR = 0.5
# Maximum number of row blocks for summing scores, and maximum size of an array of such sums.
_BLOCKS, _MOST_SUMS = 128, 1 << 21
_WHY = (
    "A higher log-score may be luck. Log-scores were averaged over adjacent values of n_neighbors; among candidates\n  "
    "that are about equally good, the one with the lowest sum of Brier score and error rate was chosen."
)
# Lines of a printed result, and characters of a value.
_LISTED, _WIDEST = 10, 40


@dataclass(frozen=True)
class CandidateGrid:
    """All combinations of parameter values for one distance and one choice of attribute weights, scored together."""

    n_neighbors: tuple[int, ...]  # ascending
    votes: tuple[tuple[Any, float | None], ...]  # with their bandwidths, as passed by the user
    priors: tuple[Any, ...] = (None,)
    temperatures: tuple[float, ...] = (1.0,)
    distance: Any = "robust"
    attribute_weights: Any = None

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Size of the grid: the numbers of voting rules, k values, priors and temperatures, in this order."""
        return len(self.votes), len(self.n_neighbors), len(self.priors), len(self.temperatures)

    def __len__(self) -> int:
        return int(np.prod(self.shape))

    def only(self, candidate: int) -> CandidateGrid:
        """Return a grid that contains a single candidate."""
        v, k, p, m = (int(i) for i in np.unravel_index(candidate, self.shape))
        ks, votes, priors, temperatures = (self.n_neighbors[k],), (self.votes[v],), (self.priors[p],), self.temperatures
        return replace(self, n_neighbors=ks, votes=votes, priors=priors, temperatures=(temperatures[m],))

    def parameters(self, candidate: int, *, classes: bool) -> dict[str, Any]:
        """Return the parameters of one candidate; ``classes`` adds the parameters that only classifiers have."""
        one, found = self.only(candidate), {"distance": self.distance, "attribute_weights": self.attribute_weights}
        found |= {"n_neighbors": one.n_neighbors[0], "vote": one.votes[0][0], "bandwidth": one.votes[0][1]}
        return found | {"prior": one.priors[0], "temperature": one.temperatures[0]} if classes else found


@dataclass(frozen=True, repr=False, eq=False)
class Tuning(GridResult):
    """Candidate parameters with their leave-one-out scores; they print as a table.

    ``best`` is the estimator with the selected parameters ``best_params``, fitted to all rows. ``scoring`` is the name
    of the score used for selection. ``nested_scores`` contains the scores from nested cross-validation; it is empty if
    nested cross-validation was not requested. ``rows`` is the total weight of the predicted rows.

    Examples
    --------
    >>> X, y = [[1], [2], [3], [5]], [1, 2, 3, 5]
    >>> tuning = tune(KNNRegressor(), X, y, candidates={"n_neighbors": [1, 2]}, nested=None)
    >>> tuning.best_params["n_neighbors"], tuning.score
    (1, 1.5)
    """

    best: Any
    best_params: Mapping[str, Any]
    scoring: str
    nested_scores: Mapping[str, float]
    rows: float
    _candidates: Sequence[CandidateGrid] = field(repr=False)
    _scores: Mapping[str, FloatArray] = field(repr=False)
    _chosen: int = field(repr=False)
    _folds: Sequence[bool] = field(repr=False)
    _backend: Backend | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return int(self._scores[self.scoring].size)

    @property
    def score(self) -> float:
        """Score of the selected candidate (optimistic, because the candidate was selected on the same rows)."""
        return float(self._scores[self.scoring][self._chosen])

    @property
    def nested_score(self) -> float | None:
        """Score from nested cross-validation, which is not biased by the selection; None if it was not requested."""
        return self.nested_scores.get(self.scoring)

    @property
    def greater_is_better(self) -> bool:
        """Whether a higher score is better."""
        return self.scoring in _GREATER_IS_BETTER

    @property
    def score_label(self) -> str:
        """Readable name of the score."""
        return _LABELS[self.scoring]

    @prefix_errors
    def frame(self, backend: Literal["pandas", "polars", "pyarrow"] | None = None) -> Any:
        """Return a data frame with one row per candidate, best first: parameters, scores and scoring method.

        ``backend`` is the library of the data frame. None: the library of X, or else the first installed library.
        """
        order = self._order()
        columns: dict[str, Any] = {name: _column(values[order]) for name, values in self._parameters.items()}
        columns |= {name: scores[order] for name, scores in self._scores.items()}
        folds = np.repeat(self._folds, [len(grid) for grid in self._candidates])
        columns["scored_by"] = np.where(folds, "folds", "leave-one-out")[order]
        columns["chosen"] = (np.arange(len(self)) == self._chosen)[order]
        return framed(columns, backend or self._backend)

    def curves(self) -> tuple[AnyArray, dict[str, FloatArray]]:
        """Return the values of ``n_neighbors``, and for each voting rule the best score at each of these values."""
        grid, at = _locate(self._candidates, self._chosen)
        first = self._chosen - at
        scores = self._scores[self.scoring][first : first + len(grid)].reshape(grid.shape)
        best = scores.max(axis=(2, 3)) if self.greater_is_better else scores.min(axis=(2, 3))
        found: dict[str, FloatArray] = {}
        for (vote, bandwidth), line in zip(grid.votes, best, strict=True):
            reach = "" if bandwidth is None else f", bandwidth {bandwidth:g}"
            found[free_label(f"{vote}{reach}", found)] = line
        return np.asarray(grid.n_neighbors), found

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot the `curves` for the selected distance and weights; return the axes."""
        with drawing(ax) as ax:
            n_neighbors, curves = self.curves()
            for i, (label, scores) in enumerate(curves.items()):
                look, shown = style(i), np.where(np.isfinite(scores), scores, np.nan)
                drawn = {"color": look.color, "linestyle": look.line, "marker": look.marker, "markersize": 3.4}
                ax.plot(n_neighbors, shown, label=label, **drawn)
            ring(ax, self.best_params["n_neighbors"], self.score, label="chosen")
            ax.set(xlabel="n_neighbors", ylabel=f"leave-one-out {self.score_label}", xscale="log")
            log_ticks(ax.xaxis)
            legend_beside(ax)
            return ax

    @cached_property
    def _parameters(self) -> dict[str, AnyArray]:
        classes = "log_score" in self._scores
        lines = [grid.parameters(at, classes=classes) for grid in self._candidates for at in range(len(grid))]
        return {name: np.fromiter((line[name] for line in lines), object, len(lines)) for name in lines[0]}

    def _order(self) -> AnyArray:
        scores = self._scores[self.scoring]
        return np.argsort(-scores if self.greater_is_better else scores, kind="stable")

    def _grid(self) -> Grid:
        """Return a table of the selected candidate and the best candidates with other distances, weights or votes."""
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
        columns = [equal_decimals(scores[chosen], 5) for scores in self._scores.values()]
        lines = [
            ["chosen" if line == self._chosen else "", *(_text(parameters[name][line]) for name in names), *scores]
            for line, *scores in zip(chosen, *columns, strict=True)
        ]
        header = ["", *names, *(_LABELS[name] for name in self._scores)]
        title = f"{len(self):,} candidates scored on {self.rows:,g} rows; selection by {self.score_label}"
        note = "The best score is optimistic, since it was selected on the same rows; nested=5 gives an unbiased score."
        if self.nested_scores:
            scores = ", ".join(f"{_LABELS[name]} {number(score, 4)}" for name, score in self.nested_scores.items())
            note = f"Nested cross-validation: {scores}."
        if self.scoring == "log_score" and self.score < self._scores["log_score"].max():
            note = f"{_WHY}\n  {note}"
        return Grid(title, header, lines, note=note, right=range(1 + len(names), len(header)))


def _column(values: AnyArray) -> list[Any]:
    """Return the values unchanged if all are plain numbers or strings; otherwise, convert all but None to strings."""
    plain = (int, float, str, bool, type(None), np.integer, np.floating)
    as_they_are = all(isinstance(value, plain) for value in values)
    return [value if as_they_are or value is None else str(value) for value in values]


def _text(value: object) -> str:
    text = number(value) if isinstance(value, float) else str(value)
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."


@prefix_errors
def tune(
    estimator: Model,
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
    """Select the parameters of a k-NN estimator by leave-one-out.

    All values of ``n_neighbors``, ``vote``, ``bandwidth``, ``prior`` and ``temperature`` for one distance and one
    choice of attribute weights are scored with a single search. Distances and attribute weights that are learned from
    the targets are scored by 10-fold cross-validation instead.

    Parameters
    ----------
    estimator
        A `KNNClassifier` or `KNNRegressor`; parameters that are not among the candidates keep their values.
    X, y, sample_weight
        Training data, as for ``fit``. A row with weight 2 is treated as two rows.
    candidates
        Mapping from parameter to a list of values, or a list of such mappings. Parameters: ``n_neighbors``, ``vote``,
        ``bandwidth``, ``distance``, ``attribute_weights``, and for classifiers ``prior`` and ``temperature``. All
        combinations are tried. None: a default grid that suits most tables.
    scoring
        Score to optimize: ``"log_score"`` (default), ``"accuracy"`` or ``"brier"`` for classifiers, ``"squared_error"``
        (default) or ``"absolute_error"`` for regressors. The log-score is averaged over adjacent values of
        ``n_neighbors``; among the candidates within half a standard error of the best, the candidate with the lowest
        sum of Brier score and error rate is chosen.
    nested
        Number of outer folds of nested cross-validation, which gives an unbiased score; None to skip it.
    n_samples
        Maximum number of rows to predict for the scores; None for all rows.
    progress
        Whether to show a progress bar; None shows one if the run takes long.
    random_state
        Seed of the folds and of the sample of ``n_samples`` rows.

    Returns
    -------
    Tuning
        The fitted estimator as ``best``, and the scores of all candidates.

    Examples
    --------
    >>> from priorcase.neighbors import KNNClassifier
    >>> X = [[31, "red"], [29, "red"], [30, "blue"], [62, "blue"], [64, "blue"], [61, "red"]] * 3
    >>> y = ["no", "no", "no", "yes", "yes", "yes"] * 3
    >>> tuning = tune(KNNClassifier(), X, y, candidates={"n_neighbors": [1, 3, 9], "prior": [0.1, 1.0]}, nested=3)
    >>> tuning
    6 candidates scored on 18 rows; selection by log-score
              n_neighbors  prior  log-score  Brier score  accuracy
      chosen  1            0.1      -0.0465      0.00413         1
      Nested cross-validation: log-score -0.04652, Brier score 0.004132, accuracy 1.
    >>> tuning.best.predict([[60, "red"]])
    array(['yes'], dtype='<U3')
    """
    if not isinstance(estimator, (KNNClassifier, KNNRegressor)):
        raise ParameterError(f"estimator must be a KNNClassifier or a KNNRegressor, got {quoted(estimator)}")
    classes = isinstance(estimator, KNNClassifier)
    grids = _candidate_grids(estimator, candidates, classes=classes)
    check_value("n_samples", n_samples, [None, Interval(Integral, 2, None, closed="left")])
    if scoring is not None:
        check_value("scoring", scoring, [StrOptions(set(_SCORES[classes]) - {"surprise"})])
    check_value("nested", nested, [None, Interval(Integral, 2, None, closed="left")])
    check_value("progress", progress, [None, "boolean"])
    seed, plain = check_seed(random_state), {name: _PLAIN[name] for name in _PLAIN if hasattr(estimator, name)}
    base = clone(estimator).set_params(distance=grids[0].distance, attribute_weights=None, **plain)
    problem = Problem(base.fit(X, y, sample_weight), None if n_samples is None else int(n_samples), seed)
    return _tuned(problem, grids, scoring or _SCORES[classes][0], nested=nested, progress=progress)


def _tuned(
    problem: Problem, grids: Sequence[CandidateGrid], scoring: str, *, nested: int | None, progress: bool | None
) -> Tuning:
    """Select the best candidate and return it with the scores of all candidates."""
    n = len(problem.truth)
    n_nested = 0 if nested is None or n < 3 else min(int(nested), n)
    shown = n >= 1000 if progress is None else bool(progress)
    once = sum(FOLDS if problem.learns_from_targets(grid) else 1 for grid in grids)
    with bar(once * (1 + n_nested) + n_nested, shown=shown, text="tune") as advance:
        tried, sums = _measure(problem, grids, lambda: advance("tune"))
        nested_on = _nested_scores(problem, grids, scoring, n_nested, lambda: advance("nested")) if n_nested else {}
    candidate = best_candidate(sums, scoring, [grid.shape for grid in tried])
    grid, at = _locate(tried, candidate)
    chosen = grid.parameters(at, classes=isinstance(problem.base, KNNClassifier))
    folds = [problem.learns_from_targets(grid) for grid in tried]
    best, means, rows = problem.fitted(**chosen), sums.scores(), float(sums.weights.sum())
    best._finish_fit()
    tuning = Tuning(best, chosen, scoring, nested_on, rows, tried, means, candidate, folds, problem.base._backend)
    best.tuning_ = tuning
    return tuning


# -- candidates


def _locate(grids: Sequence[CandidateGrid], candidate: int) -> tuple[CandidateGrid, int]:
    """Return the grid of a candidate and its position in the grid; candidates are numbered across all grids."""
    for grid in grids:
        if candidate < len(grid):
            return grid, candidate
        candidate -= len(grid)
    raise IndexError(candidate)


def _candidate_grids(estimator: Any, candidates: object, *, classes: bool) -> list[CandidateGrid]:
    """Return the candidates as grids; parameters that are not listed keep the values of the estimator."""
    lists: Any = [candidates] if isinstance(candidates, Mapping) else candidates
    if candidates is None:
        usual: dict[str, Any] = {"n_neighbors": _LADDER, "vote": _VOTES, **(_FOR_CLASSES if classes else {})}
        lists = [{**usual, "distance": _DISTANCES[classes]}]
        if estimator.attribute_weights is None:
            lists.append({**usual, "distance": ("robust",), "attribute_weights": ("relief",)})
    names = _SHARED + _OF_CLASSES if classes else _SHARED
    mappings = list(lists) if isinstance(lists, Sequence) and not isinstance(lists, str) else []
    if not mappings or not all(isinstance(choices, Mapping) and choices for choices in mappings):
        raise ParameterError(
            "candidates must be None, a mapping from parameters to lists of values, or a list of such mappings, for "
            f"example {{'n_neighbors': range(1, 51), 'vote': ['uniform', 'tricube']}}, got {quoted(candidates)}"
        )
    found = []
    for choices in mappings:
        for name, given in choices.items():
            if name not in names:
                remedy = advice(name, names, otherwise="Other parameters cannot be tuned.")
                known = listed(names, limit=9)
                raise ParameterError(
                    f"candidates can be listed only for the parameters {known}, got {quoted(name)}. {remedy}"
                )
            if isinstance(given, str) or not isinstance(given, (Sequence, np.ndarray)) or not len(given):
                raise ParameterError(f"candidates for {name} must be a list of at least one value, got {quoted(given)}")
        values = {name: list(choices.get(name, [getattr(estimator, name)])) for name in names}
        for k in values["n_neighbors"]:
            check_value("every candidate for n_neighbors", k, [COUNT])
        for temperature in values.get("temperature", ()):
            check_value("temperature", temperature, KNNClassifier._parameter_constraints["temperature"])
        votes = []
        for vote, bandwidth in product(values["vote"], values["bandwidth"]):
            check_value("bandwidth", bandwidth, KNNClassifier._parameter_constraints["bandwidth"])
            # Other votes have no bandwidth.
            if isinstance(resolve_vote(vote), (KernelVote, FunctionVote)) or bandwidth is None:
                votes.append((vote, None if bandwidth is None else float(bandwidth)))
        if not votes:
            raise ParameterError(
                "candidates for bandwidth need a kernel among the candidates for vote, such as 'gaussian'. "
                "Add a kernel, or leave bandwidth out."
            )
        ks, temperatures = sorted({int(k) for k in values["n_neighbors"]}), map(float, values.get("temperature", [1.0]))
        shared = tuple(ks), tuple(votes), tuple(values.get("prior", [None])), tuple(temperatures)
        for distance, weights in product(values["distance"], values["attribute_weights"]):
            resolve(distance)
            found.append(CandidateGrid(*shared, distance, weights))
    return found


# -- fits


@dataclass(frozen=True, eq=False)
class Problem:
    """Stored rows with targets for tuning an estimator."""

    base: Any  # fitted to the rows; its votes are never used
    n_samples: int | None
    seed: int

    @cached_property
    def truth(self) -> Any:
        """Targets of all rows, shape (rows, targets): positions of the classes among the labels, or numbers."""
        return self.base._targets()

    @cached_property
    def weights(self) -> FloatArray:
        """Weight of each row."""
        weights = self.base._memory.row_weights
        return np.ones(len(self.truth)) if weights is None else weights

    @cached_property
    def ranks(self) -> IntArray:
        """Rank of each row in a random order that does not depend on row order; equal rows have equal ranks."""
        return content_ranks(self.base._memory.instances, self.truth, self.seed)

    def folds(self, n_folds: int) -> FloatArray:
        """Return the weight of each row in each fold, stratified by the classes of the first target."""
        classes = isinstance(self.base, KNNClassifier)
        groups = self.truth[:, 0] if classes else np.zeros(len(self.truth))
        return deal(groups, self.ranks, self.weights, n_folds)

    def learns_from_targets(self, grid: CandidateGrid) -> bool:
        """Return whether distance or weights are learned from the targets, which requires held-out rows for scoring."""
        by_class = needs_classes(resolve(grid.distance), self.base._memory.instances.schema)
        return by_class or resolve_method(grid.attribute_weights) is not None

    def searched(self, grid: CandidateGrid) -> Any:
        """Return a model with the distance and attribute weights of the grid; use it for searches, not for votes."""
        same = grid.distance is self.base.distance and grid.attribute_weights is None
        return self.base if same else self.fitted(grid.distance, grid.attribute_weights)

    def fitted(self, distance: Any, attribute_weights: Any, **voting: Any) -> Any:
        """Return a model with the given parameters, fitted to all rows; without ``voting``, only for searches."""
        model = copy.copy(self.base)
        model.__dict__.update(distance=distance, attribute_weights=attribute_weights, **voting)
        return with_rows(model, self.base._memory.instances)

    def without(self, held_out: FloatArray) -> Problem:
        """Return the problem with ``held_out`` subtracted from the row weights; columns and classes stay the same."""
        model, instances = copy.copy(self.base), self.base._memory.instances
        if isinstance(model, KNNClassifier):
            model._labeling = replace(model._labeling, declared=tuple(c.labels for c in model._outputs()))
        left = self.weights - held_out
        rows = np.flatnonzero(left > SLACK)
        weights = left[rows] if instances.weighted else None
        return replace(self, base=with_rows(model, instances.subset(instances.ids[rows], weights)))

    def sums(
        self, fit: Problem, grid: CandidateGrid, rows: IntArray, times: FloatArray, blocks: IntArray, n_blocks: int
    ) -> Sums:
        """Return the summed scores of ``rows``, predicted from ``fit`` (by leave-one-out if ``fit`` is ``self``)."""
        model, own, instances = fit.searched(grid), rows if fit is self else None, self.base._memory.instances
        if own is None:
            table = stored_table(instances, rows)
            cells = model._memory.encode(Table(model.schema_, rows.size, table.columns))
        else:
            cells = model._memory.instances.cells(rows)
        queries = Queries(cells, own, self.truth[rows], times[rows], blocks[rows])
        return grid_sums(model, queries, grid, n_blocks)

    def up_to(self, grid: CandidateGrid, weight: float) -> CandidateGrid:
        """Return the grid without values of ``n_neighbors`` above ``weight``, the total weight of the training rows."""
        ks = tuple(k for k in grid.n_neighbors if k <= int(weight * (1 + SLACK)))
        if not ks:
            raise ParameterError(
                f"{float(self.weights.sum()):g} rows are too few for leave-one-out with these candidates for "
                "n_neighbors. List smaller candidates, or pass more rows."
            )
        return replace(grid, n_neighbors=ks)


def with_rows(model: Any, instances: Instances, state: Mapping[str, Any] | None = None) -> Any:
    """Fit a model to stored rows; ``state`` contains what `Memory.saved` returned for a saved model."""
    model.__dict__.pop("_lock", None)  # the model may be a copy, but needs its own lock
    model._check_parameters()
    schema = declared_values(instances.schema, model._distance, model.schema)
    rows = instances.fork()
    if schema is not instances.schema:
        check_tabled(stored_table(instances, np.arange(len(instances))), model._distance)
        rows = instances.reshaped(schema, range(len(schema)))
    model._memory = model._new_memory(schema, instances.targets)
    model._memory.restore(rows, state or {})
    model._check_rows()
    model._memory.committed = True
    return model


def content_ranks(instances: Instances, truth: AnyArray, seed: int) -> IntArray:
    """Rank the rows by hashes of their content; ranks do not depend on row order, and equal rows have equal ranks."""
    rows = np.full(len(truth), seed, np.uint64)
    for numbers in truth.T:
        rows = _hashed(rows, numbers)
    for a, kind in enumerate(instances.schema.kinds):
        if not isinstance(kind, Nominal):
            rows = _hashed(rows, instances.column(a))
    # A nominal value is represented by the smallest hash of the rows with this value. Names only break ties.
    known, named = rows.copy(), np.zeros(len(truth), np.uint64)
    for a, kind in enumerate(instances.schema.kinds):
        if isinstance(kind, Nominal):
            codes, values = instances.column(a), instances.values(a)
            first = np.full(len(values) + 1, np.iinfo(np.uint64).max)  # the last position is for -1, missing
            np.minimum.at(first, codes, known)
            # Hashed twice, since a hash would cancel with an equal ``first``.
            rows = _hashed(_hashed(rows, np.zeros(1)), first[codes].view(np.float64))
            names = [crc32(canonical(value)) if value is not None else 0 for value in values]
            named = _hashed(named, np.array([*names, 0], float)[codes])
    order = np.lexsort((named, rows))
    new = (np.diff(rows[order], prepend=0) != 0) | (np.diff(named[order], prepend=0) != 0)
    new[0] = False
    ranks = np.empty(len(truth), np.int64)
    ranks[order] = np.cumsum(new)
    return ranks


def _hashed(hashes: AnyArray, numbers: AnyArray) -> AnyArray:
    """Combine hashes with numbers, using the finalizer of SplitMix64."""
    bits = (np.where(np.isnan(numbers), np.nan, numbers) + 0.0).view(np.uint64)
    mixed = (hashes ^ bits) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def deal(groups: AnyArray, ranks: IntArray, weights: FloatArray, n_folds: int) -> FloatArray:
    """Return the weight of each row in each fold; the rows of a group are assigned to the folds in turn, by rank."""
    order = np.lexsort((ranks, groups))
    new = (np.diff(ranks[order], prepend=-1) != 0) | (np.diff(groups[order], prepend=-1) != 0)
    which, ends = np.cumsum(new) - 1, np.cumsum(weights[order])
    totals = np.bincount(which, weights[order])
    # Each distinct row starts at an integer on the axis of cumulative weights.
    shift = np.cumsum(np.ceil(totals * (1 - SLACK))) - np.cumsum(totals)
    ends = ends + np.concatenate(([0.0], shift))[which]
    # A row with weight 2 is assigned like two equal rows, which go to different folds.
    marks = np.stack([ends - weights[order], ends])[:, :, None]
    covered = np.floor(marks / n_folds) + np.clip(marks % n_folds - np.arange(n_folds), 0.0, 1.0)
    shares = np.empty((len(groups), n_folds))
    shares[order] = covered[1] - covered[0]
    return np.where(shares > SLACK, shares, 0.0)


# -- scores


def _measure(
    problem: Problem, grids: Sequence[CandidateGrid], step: Callable[[], None]
) -> tuple[list[CandidateGrid], Sums]:
    """Score all candidates; return the grids without too large values of ``n_neighbors``, and the scores."""
    weight = float(problem.weights.sum())
    rows = np.argsort(problem.ranks, kind="stable")[: problem.n_samples]
    places = np.minimum(problem.ranks, problem.ranks[rows[-1]])
    n_places = int(places[rows[-1]]) + 1
    n_blocks = max(1, min(_BLOCKS, n_places, _MOST_SUMS // max(len(grid) for grid in grids)))
    blocks = places * n_blocks // n_places
    tried, pieces = [], []
    for position, grid in enumerate(grids):
        if not problem.learns_from_targets(grid):
            grid = problem.up_to(grid, weight - 1.0)
            pieces.append((position, problem, grid, rows, None, blocks, n_blocks))
        else:
            folds = problem.folds(max(2, min(FOLDS, round(weight))))
            grid = problem.up_to(grid, weight - float(folds.sum(axis=0).max()))
            for held_out in folds.T:
                asked = rows[held_out[rows] > 0]
                pieces.append((position, problem, grid, asked, held_out, blocks, n_blocks))
        tried.append(grid)
    found = [Sums.zero(problem.base, n_blocks, len(grid)) for grid in tried]
    # Added in order, so that sums are always identical; computed in parallel if joblib.parallel_config sets a backend.
    calls = (joblib.delayed(_measured)(*piece) for piece in pieces)
    for position, sums in joblib.Parallel(return_as="generator")(calls):
        if sums is not None:
            found[position] += sums
        step()
    joined = {name: np.concatenate([sums.of[name] for sums in found], axis=1) for name in found[0].of}
    return tried, Sums(joined, found[0].weights)


def _measured(
    number: int,
    problem: Problem,
    grid: CandidateGrid,
    rows: IntArray,
    held_out: FloatArray | None,
    blocks: IntArray,
    n_blocks: int,
) -> tuple[int, Sums | None]:
    """Return ``number``, which identifies the grid, and the summed scores of the grid on ``rows``."""
    if held_out is None:  # leave-one-out
        return number, problem.sums(problem, grid, rows, problem.weights, blocks, n_blocks)
    if not rows.size:
        return number, None
    return number, problem.sums(problem.without(held_out), grid, rows, held_out, blocks, n_blocks)


def _nested_scores(
    problem: Problem, grids: Sequence[CandidateGrid], scoring: str, n_folds: int, step: Callable[[], None]
) -> dict[str, float]:
    """Return nested cross-validation scores: for each fold, parameters are selected on the other rows only."""
    folds, one_block = problem.folds(n_folds), np.zeros(len(problem.truth), dtype=np.int64)
    total = Sums.zero(problem.base, 1, 1)
    for held_out in folds.T:
        part = problem.without(held_out)
        tried, sums = _measure(part, grids, step)
        grid, candidate = _locate(tried, best_candidate(sums, scoring, [grid.shape for grid in tried]))
        total += problem.sums(part, grid.only(candidate), np.flatnonzero(held_out), held_out, one_block, 1)
        step()
    return {name: float(scores[0]) for name, scores in total.scores().items()}


def best_candidate(sums: Sums, scoring: str, shapes: Sequence[tuple[int, int, int, int]]) -> int:
    """Return the best candidate; the log-score has three safeguards against lucky and overconfident candidates.

    - The mean loss includes one additional misclassified row: ``(sum of losses + surprise) / (n + 1)``. The surprise is
      the mean loss if another class were the true class (see `_SCORES`).
    - Scores are averaged over three adjacent values of ``n_neighbors``, with weights 1/4, 1/2 and 1/4.
    - Among candidates within half a standard error (of the paired differences) of the best, the candidate with the
      lowest sum of Brier score and error rate is selected (after Breiman et al. 1984, section 3.4.3).
    """
    if scoring != "log_score":
        scores = check_scores(sums.mean(scoring))
        return int(scores.argmax() if scoring == "accuracy" else scores.argmin())
    rows = float(sums.weights.sum())
    guarded = _smoothed((sums.of["log_score"].sum(axis=0) + sums.mean("surprise")) / (rows + 1.0), shapes)
    if not np.isfinite(guarded).any():
        return int(np.argmax(sums.mean("accuracy")))
    near = _near_best(sums.of["log_score"], sums.weights, guarded, int(np.argmin(guarded)))
    mistakes = _smoothed(sums.mean("brier") - sums.mean("accuracy"), shapes)
    return int(np.where(near, mistakes, np.inf).argmin())


def _smoothed(scores: FloatArray, shapes: Sequence[tuple[int, int, int, int]]) -> FloatArray:
    """Average scores over adjacent numbers of neighbors; infinite scores are unchanged and excluded from averages."""
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
    """Return a mask of the candidates with a loss within half a standard error of the loss of candidate ``lead``."""
    # ``losses`` and ``weights`` contain the sums of each block of rows.
    finite, kept = np.isfinite(losses).all(axis=0) & np.isfinite(guarded), weights > 0
    losses, weights, n_blocks = losses[kept], weights[kept], int(kept.sum())
    if n_blocks < 2:
        return np.asarray(np.arange(guarded.size) == lead)
    differences, total = losses[:, finite] - losses[:, lead, None], weights.sum()
    spread = differences - weights[:, None] * (differences.sum(axis=0) / total)
    errors = np.sqrt((spread * spread).sum(axis=0) * n_blocks / (n_blocks - 1)) / total
    near = np.zeros(guarded.size, dtype=bool)
    near[finite] = guarded[finite] - guarded[lead] <= _NEAR * errors
    return near


# -- scores of candidates: all numbers of neighbors, votes, priors and temperatures from one search of each row


@dataclass(frozen=True, eq=False)
class Queries:
    """Queries with known targets, which are either stored rows (left out in turn) or held-out rows."""

    cells: FloatArray
    own: IntArray | None  # the positions of the queries among the stored rows, each left out once
    truth: Any  # classes by position in the labels, or numbers, shape (queries, targets)
    times: FloatArray  # weight of each query
    blocks: IntArray  # the block of each query, ascending: scores are summed block by block

    def __len__(self) -> int:
        return len(self.cells)

    def part(self, at: IntArray) -> Queries:
        """Return the queries at the given positions."""
        own = None if self.own is None else self.own[at]
        return Queries(self.cells[at], own, self.truth[at], self.times[at], self.blocks[at])


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of each score over the rows of each block, shape (blocks, candidates), and the weight of each block."""

    of: Mapping[str, FloatArray]
    weights: FloatArray

    @classmethod
    def zero(cls, model: Model, n_blocks: int, n_candidates: int) -> Sums:
        names = _SCORES[isinstance(model, KNNClassifier)]
        return cls({name: np.zeros((n_blocks, n_candidates)) for name in names}, np.zeros(n_blocks))

    def __add__(self, other: Sums) -> Sums:
        return Sums({name: sums + other.of[name] for name, sums in self.of.items()}, self.weights + other.weights)

    def mean(self, name: str) -> FloatArray:
        """Return the mean score of each candidate over all rows."""
        total: FloatArray = self.of[name].sum(axis=0)
        return np.asarray(total / self.weights.sum())

    def scores(self) -> dict[str, FloatArray]:
        """Return the mean of each displayed score for each candidate."""
        means = {name: self.mean(name) for name in self.of if name != "surprise"}
        return {name: -mean if name == "log_score" else mean for name, mean in means.items()}


def grid_sums(model: Model, queries: Queries, grid: CandidateGrid, n_blocks: int) -> Sums:
    """Return the sums of all scores for every candidate, computed by the compiled core where possible."""
    sums, in_core = Sums.zero(model, n_blocks, len(grid)), len(queries) > 0 and not model._stored().local_weights
    np.add.at(sums.weights, queries.blocks, queries.times)
    known = np.array([in_core and resolve_vote(*choice).core is not None for choice in grid.votes])
    for score, votes in ((_core_sums, np.flatnonzero(known)), (poll_sums, np.flatnonzero(~known))):
        if votes.size:
            part = replace(grid, votes=tuple(grid.votes[v] for v in votes))
            for name, found in score(model, queries, part, n_blocks).items():
                all_votes = sums.of[name].reshape(n_blocks, len(grid.votes), -1)
                all_votes[:, votes] = found.reshape(n_blocks, votes.size, -1)
    return sums


# -- by the compiled core


def _core_sums(model: Model, queries: Queries, grid: CandidateGrid, n_blocks: int) -> Mapping[str, FloatArray]:
    fitted, n = model._stored().fitted, len(queries)
    if (size := fitted.queries_at_once) is not None and not fitted.answers(queries.cells) and size < n:
        parts = [queries.part(np.arange(start, min(start + size, n))) for start in range(0, n, size)]
        each_part = [_core_sums(model, part, grid, n_blocks) for part in parts]
        return {name: np.sum([found[name] for found in each_part], axis=0) for name in each_part[0]}
    sums, firsts = Sums.zero(model, n_blocks, len(grid)).of, np.flatnonzero(np.diff(queries.blocks, prepend=-1))
    *found, left = _core_scores(model, queries, grid, np.append(firsts, len(queries)))
    for name, scores in zip(sums, found, strict=True):
        each = len(grid) // scores.shape[1]  # accuracy does not depend on the temperature
        sums[name][queries.blocks[firsts]] = np.repeat(scores, each, axis=1) if each > 1 else scores
    rest = poll_sums(model, queries.part(left), grid, n_blocks)  # rows with an infinite distance
    return {name: array + rest[name] for name, array in sums.items()}


def _core_scores(model: Model, queries: Queries, grid: CandidateGrid, starts: IntArray) -> tuple[AnyArray, ...]:
    memory, own, ties = model._stored(), queries.own, model._rules.ties
    index, fitted, weights = memory.index, memory.fitted, memory.attribute_weights
    asked = np.full(len(queries), -1) if own is None else memory.ids[own], np.ascontiguousarray(queries.times, float)
    stored = index.ones[0] if weights is None else weights, memory.ids, memory.row_weights
    search = fitted.distance.power, fitted.distance.root, ALGORITHMS[memory.algorithm], model._threads()
    kinds, parameters, bandwidths = zip(*(resolve_vote(*choice).core or () for choice in grid.votes), strict=True)
    votes = np.array(kinds, np.int64), np.array(parameters, float), np.array(bandwidths, float)
    plan, cells = index.plan_for(fitted, queries.cells)
    given = cells, *asked, *stored, *search, ties == "majority", np.array(grid.n_neighbors, np.int64), *votes
    rows = CoreRows(index.core, plan, *given, np.ascontiguousarray(starts, np.int64))
    if isinstance(model, KNNRegressor):
        return rows.numbers(np.ascontiguousarray(model._targets()), np.ascontiguousarray(queries.truth))
    counts = [classes.weights for classes in model._outputs()]
    lines = [prior_weights(prior, counts) for prior in grid.priors]
    priors = [[np.zeros(n.size) if w is None else w for w, n in zip(line, counts, strict=True)] for line in lines]
    codes = np.ascontiguousarray(model._targets(), np.int64), np.ascontiguousarray(queries.truth, np.int64)
    classes = np.array([n.size for n in counts]), np.concatenate(counts)
    smoothing = np.array([np.concatenate(line) for line in priors]), np.array(grid.temperatures, np.float64)
    gone = np.zeros(len(queries)) if own is None else left_out_once(own, memory.row_weights)[1]
    return rows.classes(*codes, *classes, *smoothing, gone, TIES[ties])


# -- by polls


def poll_sums(model: Model, queries: Queries, grid: CandidateGrid, n_blocks: int) -> Mapping[str, FloatArray]:
    """Return the sums of all scores for any voting rule; Python computes each voting rule and each k separately."""
    sums, most = Sums.zero(model, n_blocks, len(grid)).of, max(grid.n_neighbors)
    memory, threads, size = model._stored(), model._threads(), max(1, ENTRIES // (8 * most))
    for start in range(0, len(queries), size):
        part = queries.part(np.arange(start, min(start + size, len(queries))))
        for v, choice in enumerate(grid.votes):
            rules = Rules(resolve_vote(*choice), model._rules.ties)
            neighbors = rank(memory, part.cells, most, rules, threads=threads, own=part.own)
            refuse_overflow(memory, part.cells, neighbors, rules.poll(neighbors, most).voters)
            for i, k in enumerate(grid.n_neighbors):
                scores = _poll_scores(model, part, grid, rules.poll(neighbors, k))
                each = len(grid.priors) * len(grid.temperatures)
                for candidate, found in enumerate(scores, (v * len(grid.n_neighbors) + i) * each):
                    for name, score in found.items():
                        np.add.at(sums[name][:, candidate], part.blocks, score * part.times)
    return sums


def _poll_scores(model: Model, queries: Queries, grid: CandidateGrid, poll: Poll) -> Iterator[dict[str, FloatArray]]:
    """Yield the scores of each query for every prior and temperature."""
    if isinstance(model, KNNRegressor):
        with np.errstate(over="ignore"):
            errors = model._decide(poll) - queries.truth
            yield {"squared_error": (errors * errors).mean(axis=1), "absolute_error": np.abs(errors).mean(axis=1)}
        return
    outputs, own = model._outputs(), queries.own
    gone = None if own is None else left_out_once(own, model._stored().row_weights)
    for prior in grid.priors:
        priors = prior_weights(prior, [classes.weights for classes in outputs])
        right = (decide(poll, model._rules.ties, outputs, priors, gone) == queries.truth).mean(axis=1)
        for temperature in grid.temperatures:
            scores = {name: np.zeros(len(queries)) for name in _SCORES[True]} | {"accuracy": right}
            for t, (classes, weights) in enumerate(zip(outputs, priors, strict=True)):
                proba = probabilities(poll, classes, weights, temperature)
                for name, score in _probability_scores(proba, queries.truth[:, t]).items():
                    scores[name] += score / len(outputs)
            yield scores


def _probability_scores(proba: FloatArray, truth: IntArray) -> dict[str, FloatArray]:
    """Return the scores of each row's class probabilities; ``truth`` is the position of the true class."""
    rows, n = np.arange(truth.size), proba.shape[1]
    came, others = proba[rows, truth], proba.copy()
    others[rows, truth] = 0.0
    rest = others.sum(axis=1)
    with np.errstate(divide="ignore"):
        surprise = -np.log(rest / (n - 1)) if n > 1 else np.zeros(truth.size)
        return {"log_score": -np.log(came), "surprise": surprise, "brier": rest * rest + (others * others).sum(axis=1)}


# -- estimators that tune themselves

_QUICK_SHARED = {
    "n_neighbors": (1, 3, 5, 8, 12, 20, 30, 50, 70, 100),
    "vote": ("uniform", "inverse_square", "epanechnikov", Gaussian(0.7)),
}
_QUICK_CLASSES: dict[str, Any] = {**_QUICK_SHARED, "prior": (0.3, 1.0, 3.0), "temperature": (0.7, 1.0, 1.3)}
_QUICK: dict[bool, list[dict[str, Any]]] = {
    True: [
        {**_QUICK_CLASSES, "distance": ("robust", "hvdm")},
        {**_QUICK_CLASSES, "distance": ("robust",), "attribute_weights": ("relief",)},
    ],
    False: [
        {**_QUICK_SHARED, "distance": ("robust", "gower")},
        {**_QUICK_SHARED, "distance": ("robust",), "attribute_weights": ("relief",)},
    ],
}


class _KNNCV(RowsEstimator[Memory]):
    """Base class of the k-NN estimators that select their own parameters by leave-one-out."""

    candidates: Any
    scoring: Scoring | None
    n_samples: int | None
    random_state: Any
    _grids: list[CandidateGrid]
    _seed: int

    def _check_parameters(self) -> None:
        super()._check_parameters()
        classes = isinstance(self, ClassifierMixin)
        if isinstance(chosen := self.candidates, str):
            check_value("candidates", chosen, [StrOptions({"quick", "full"})])
            chosen = _QUICK[classes] if chosen == "quick" else None
        self._grids = _candidate_grids(self._plain(), chosen, classes=classes)
        if self.scoring is not None:
            check_value("scoring", self.scoring, [StrOptions(set(_SCORES[classes]) - {"surprise"})])
        check_value("n_samples", self.n_samples, [None, Interval(Integral, 2, None, closed="left")])

    def _learn(self, X: Any, y: Any, sample_weight: Any, classes: Any) -> None:
        if "_memory" not in self.__dict__:
            self._seed = check_seed(self.random_state)
        super()._learn(X, y, sample_weight, classes)

    def _new_memory(self, schema: Schema, targets: Schema | None) -> Memory:
        return Memory(Instances(schema, targets))

    def _finish_fit(self) -> None:
        self._model()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = isinstance(self, RegressorMixin)  # some distances need a single class target
        return tags

    # -- selection

    def _plain(self) -> Any:
        """Return an unfitted model with the parameters that are not selected."""
        given: dict[str, Any] = {"schema": self.schema, "categorical_features": self.categorical_features}
        return (KNNClassifier if isinstance(self, ClassifierMixin) else KNNRegressor)(n_jobs=self.n_jobs, **given)

    def _fitted(self, parameters: Mapping[str, Any], state: Mapping[str, Any] | None = None) -> Any:
        """Return a model with the given parameters, fitted to the stored rows; for ``state``, see `with_rows`."""
        model = self._plain().set_params(**parameters)
        shared = ("_labeling", "_flat", "_backend", "n_features_in_", "feature_names_in_")
        model.__dict__.update({name: self.__dict__[name] for name in shared if name in self.__dict__})
        return with_rows(model, self._answering().instances, state)

    def _tuning(self) -> Tuning:
        def choose() -> Tuning:
            grid = self._grids[0]
            base = self._fitted({"distance": grid.distance, "attribute_weights": None, "n_neighbors": 1})
            most = None if self.n_samples is None else int(self.n_samples)
            scoring = self.scoring or _SCORES[isinstance(self, ClassifierMixin)][0]
            return _tuned(Problem(base, most, self._seed), self._grids, scoring, nested=None, progress=False)

        return self._answering().cached("tuning", choose)

    def _model(self) -> Any:
        memory = self._answering()

        def choose() -> Any:
            if len(memory) > 1:
                return self._tuning().best
            one = self._grids[0].only(0)  # there are no other rows to predict from
            return self._fitted(one.parameters(0, classes=isinstance(self, ClassifierMixin)))

        model = memory.cached("model", choose)
        model.n_jobs = self.n_jobs
        return model

    def _ask(self, question: str, *given: Any, **options: Any) -> Any:
        """Call a method of the selected model and return the result."""
        try:
            return getattr(self._model(), question)(*given, **options)
        except PriorcaseError as error:
            error.where = None  # replaced by the method of this class
            raise

    @property
    @reads
    def model_(self) -> Any:
        """Model with the selected parameters, fitted to the stored rows."""
        return self._model()

    @property
    @reads
    def best_params_(self) -> dict[str, Any]:
        """Selected parameters."""
        model = self._model()
        names = _SHARED + _OF_CLASSES if isinstance(self, ClassifierMixin) else _SHARED
        return {name: getattr(model, name) for name in names}

    @property
    @reads
    def attribute_weights_(self) -> AttributeWeights:
        """Weight of each column in the selected model, by name."""
        found: AttributeWeights = self._model().attribute_weights_
        return found

    @property
    @reads
    def tuning_(self) -> Tuning:
        """Candidates with their leave-one-out scores; the best score is optimistic (selected on the same rows)."""
        return self._tuning()

    # -- predictions

    @reads
    def predict(self, X: Any) -> AnyArray:
        """Predict with the selected model."""
        return np.asarray(self._ask("predict", X))

    @reads
    def precedents(self, X: Any, n_neighbors: int | None = None) -> Precedents:
        """Return the stored rows that vote on each query; see `KNNClassifier.precedents`."""
        found: Precedents = self._ask("precedents", X, n_neighbors)
        return found

    @reads
    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Find the nearest stored rows of each query; see `KNNClassifier.kneighbors`."""
        return self._ask("kneighbors", X, n_neighbors, return_distance)

    relearns_ = True  # parameters are selected again for each row

    @reads
    def loo_predict(self, *, relearn: bool = False) -> AnyArray:
        """Predict each stored row from all other rows, in the order of ``ids_``.

        The parameters were selected on all rows, and column statistics come from all rows. With ``relearn=True``, both
        come from the other rows only.
        """
        if not needs_refits(self, relearn):
            return np.asarray(self._ask("loo_predict"))
        return np.concatenate([model._shaped(model._decide(poll)) for model, poll in _left_out_polls(self)])

    # -- files

    def _saved_state(self) -> dict[str, Any] | None:
        state = super()._saved_state()
        return state if state is None else state | {"seed": self._seed, "chosen": None} | self._chosen()

    @reads
    def _chosen(self) -> dict[str, Any]:
        """Return the selected parameters, and the data to save for the selected model, without the rows."""
        if not len(self._stored()):
            return {}
        saved: dict[str, Any] = self._model()._memory.saved()
        return {"chosen": self.best_params_} | saved

    def _restore_state(self, state: dict[str, Any]) -> None:
        super()._restore_state(state)
        if type(state["seed"]) is not int or state["seed"] < 0:
            raise ValueError("an invalid seed")
        self._seed = state["seed"]
        if len(self._memory):
            names = {*_SHARED, *(_OF_CLASSES if isinstance(self, ClassifierMixin) else ())}
            if state["chosen"].keys() != names:
                raise ValueError("unknown parameters")
            self._memory.cached("model", lambda: self._fitted(state["chosen"], state))


def _left_out_polls(estimator: _KNNCV) -> Iterator[tuple[Any, Poll]]:
    """Yield, for each stored row, the model selected on all other rows, and the neighbors' votes on the stored row."""
    for _, other, row in refits(estimator):
        model = other._model()
        for poll in polls_of(model, model._memory.encode(Table(model.schema_, 1, row.columns))):
            yield model, poll


class KNNClassifierCV(ClassifierMixin, _KNNCV):
    """`KNNClassifier` with built-in selection of k, distance, attribute weights, vote and prior by leave-one-out.

    `cross_val_score` repeats the selection in each fold, so its scores are not biased by the selection. After
    `partial_fit` or `forget`, the parameters are selected again at the next prediction. `tune` offers more options.

    Parameters
    ----------
    candidates
        ``"quick"`` (about a thousand candidates; 120 for regression), ``"full"`` (the default candidates of `tune`), or
        candidates in the format of `tune`.
    scoring, n_samples, random_state
        See `tune`.
    categorical_features, schema, n_jobs
        See `KNNClassifier`.

    Attributes
    ----------
    best_params_, model_, tuning_
        Selected parameters, the `KNNClassifier` fitted with them, and the scores of all candidates.
    attribute_weights_, classes_, ids_, n_samples_fit_, schema_, n_features_in_, feature_names_in_
        See `KNNClassifier`.

    Examples
    --------
    >>> import priorcase as pc
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = load_iris(return_X_y=True)
    >>> model = pc.KNNClassifierCV().fit(X, y)
    >>> model.best_params_["n_neighbors"], model.best_params_["distance"]
    (20, 'robust')
    >>> print(f"{cross_val_score(model, X, y).mean():.2f}")
    0.95
    """

    _labeling: Labeling

    def __init__(
        self,
        candidates: Literal["quick", "full"] | Candidates = "quick",
        *,
        scoring: Scoring | None = None,
        n_samples: int | None = 1000,
        random_state: Any = 0,
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.candidates, self.scoring, self.n_samples, self.random_state = candidates, scoring, n_samples, random_state
        self.categorical_features, self.schema, self.n_jobs = categorical_features, schema, n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows, replacing all rows stored before, and select the parameters; see `KNNClassifier.fit`."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows; the parameters are selected again at the next prediction. See `KNNClassifier.partial_fit`."""
        return self._partial_fit(X, y, sample_weight, classes)

    _read_targets = KNNClassifier._read_targets
    _outputs = KNNClassifier._outputs
    _by_target = KNNClassifier._by_target
    classes_ = KNNClassifier.classes_

    @reads
    def predict_proba(self, X: Any) -> Any:
        """Predict the probability of each class in ``classes_`` with the selected model."""
        return self._ask("predict_proba", X)

    @reads
    def loo_predict_proba(self, *, relearn: bool = False) -> Any:
        """Predict the class probabilities of each stored row from all other rows, in the order of ``ids_``.

        Scores of these probabilities are optimistic, since the parameters were selected on the same rows.
        With ``relearn=True``, the parameters for each row are selected on the other rows, with one selection per row.
        """
        if not needs_refits(self, relearn):
            return self._ask("loo_predict_proba")
        return self._by_target(np.concatenate([model._probabilities(poll) for model, poll in _left_out_polls(self)]))


class KNNRegressorCV(RegressorMixin, _KNNCV):
    """`KNNRegressor` with built-in parameter selection by leave-one-out; see `KNNClassifierCV`.

    Examples
    --------
    >>> import priorcase as pc
    >>> model = pc.KNNRegressorCV({"n_neighbors": [1, 2]}).fit([[1], [2], [3], [5]], [1, 2, 3, 5])
    >>> model.best_params_["n_neighbors"], model.predict([[4]])
    (1, array([4.]))
    """

    _flat: bool

    def __init__(
        self,
        candidates: Literal["quick", "full"] | Candidates = "quick",
        *,
        scoring: Scoring | None = None,
        n_samples: int | None = 1000,
        random_state: Any = 0,
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.candidates, self.scoring, self.n_samples, self.random_state = candidates, scoring, n_samples, random_state
        self.categorical_features, self.schema, self.n_jobs = categorical_features, schema, n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows, replacing all rows stored before, and select the parameters; see `KNNRegressor.fit`."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows; the parameters are selected again at the next prediction. See `KNNRegressor.partial_fit`."""
        return self._partial_fit(X, y, sample_weight)

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        return learned_numbers(self, y, first)
