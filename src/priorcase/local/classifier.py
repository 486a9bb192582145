"""Locally weighted classification: a small model fitted around each query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.exceptions import TargetError
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.resampling import bar, needs_refits, refits
from priorcase.learning.state import reads
from priorcase.learning.targets import Classes, Labelling, learned_labels
from priorcase.local import windows
from priorcase.local.fits import LocalPolynomial
from priorcase.local.models import MODEL_CONSTRAINTS, MODELS, ClassRows, LocalLinear, LocalModel, probabilities
from priorcase.local.results import LogLossCurve
from priorcase.neighbors.base import NeighborsEstimator
from priorcase.neighbors.precedents import LISTED_OF_ALL, Precedents, assemble
from priorcase.neighbors.votes import Poll, summed
from priorcase.neighbors.weighting import AttributeWeights
from priorcase.relevance.base import fixed_sample
from priorcase.schema import CategoricalFeatures, Schema
from priorcase.search import Algorithm
from priorcase.similarity import Distance, Kernel

_CONSTANT = LocalPolynomial(0)
_INSTEAD = "the nearest rows vote there"
# The choice: rows left out between two steps of the progress bar; the most distances where all rows count.
_AT_ONCE, _DISTANCES = 128, 50_000_000
# A probability of 0 costs as much as this one, so that candidates with fewer of them are better.
_LEAST = float(np.finfo(np.float64).tiny)


class LocallyWeightedClassifier(ClassifierMixin, NeighborsEstimator):
    """Classification by a small model that is fitted to the rows around each query.

    A row at distance d counts ``K(d / h)`` times (Atkeson, Moore & Schaal 1997; Frank, Hall & Pfahringer 2003). The
    model needs to hold only nearby, so the independence assumption of naive Bayes or a linear boundary does less harm
    than it would globally. Rows can be added and forgotten at any time, as in `KNNClassifier`.

    Parameters
    ----------
    n_neighbors, kernel, bandwidth
        k, K and h as in `LocallyWeightedRegressor`, except for ``"query"``; ``"loo"`` is by log-loss.
    model
        ``"logistic"`` (`LocalLogistic`), ``"naive_bayes"`` (`LocalNaiveBayes`: the fastest),
        ``"linear"`` (`LocalLinear`), or one of these with options.
    prior
        Added to the weight of each class, so that few neighbours do not give certainty: a number for every class, up to
        1e100; ``"frequency"``: one row in total, divided as the classes are among the stored rows; None for nothing, in
        which case a class without a row around the query has probability 0.
    distance, attribute_weights, algorithm, categorical_features, schema, n_jobs
        As in `KNNClassifier`, and so are attributes that are not listed here.

    Attributes
    ----------
    n_neighbors_, bandwidth_, loo_scores_
        As in `LocallyWeightedRegressor`; a probability of 0 counts as the smallest positive number in log-losses.

    Notes
    -----
    The kernel's weights are scaled to add up, around each query, to the effective number of neighbours
    ``(sum K)^2 / sum K^2`` (Kish 1965); priors and the ridge are relative to it. Weka's LWL scales them to the rows
    looked at, which is the same for the uniform kernel only; its bandwidth is the distance of the last neighbour,
    its compact kernels stop slightly later (``1.0001 - u``), and its ``NaiveBayes`` integrates densities over a grid.
    Queries far from all rows are as in `LocallyWeightedRegressor`, except that the rows nearest to them vote.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[1, "red"], [2, "red"], [3, "blue"], [4, "blue"], [5, None], [6, "red"]]
    >>> model = pc.LocallyWeightedClassifier(4).fit(X, ["no", "no", "no", "yes", "yes", "yes"])
    >>> model.predict([[1.5, "red"], [5.5, "blue"]])
    array(['no', 'yes'], dtype='<U3')
    >>> model.predict_proba([[5.5, "blue"]]).round(3)
    array([[0.33, 0.67]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_neighbors": windows.WINDOW_CONSTRAINTS["n_neighbors"],
        "kernel": windows.WINDOW_CONSTRAINTS["kernel"],
        "model": MODEL_CONSTRAINTS,
        "bandwidth": [None, Interval(Real, 0, np.inf, closed="neither"), StrOptions({"loo"})],
        "prior": [None, StrOptions({"frequency"}), Interval(Real, 0, 1e100, closed="both")],
    }
    _rule: windows.WindowRule
    _local: LocalModel
    _prior: float | Literal["frequency"] | None
    _labelling: Labelling

    def __init__(
        self,
        n_neighbors: windows.NNeighbors | None = None,
        *,
        model: str | LocalModel = "logistic",
        kernel: str | Kernel = "tricube",
        bandwidth: float | Literal["loo"] | None = None,
        prior: float | Literal["frequency"] | None = "frequency",
        distance: str | Distance = "heom",
        attribute_weights: AttributeWeights = None,
        algorithm: Algorithm = "auto",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.model = model
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.prior = prior
        self.distance = distance
        self.attribute_weights = attribute_weights
        self.algorithm = algorithm
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    # -- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows, in place of any stored before; parameters as in `KNNClassifier.fit`."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Store more rows, with parameters as in `KNNClassifier.partial_fit`. A call that fails changes nothing."""
        return self._partial_fit(X, y, sample_weight, classes)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._rule = windows.WindowRule.of(self.n_neighbors, self.kernel, self.bandwidth)
        self._local = MODELS[self.model]() if isinstance(self.model, str) else self.model
        self._prior = "frequency" if self.prior == "frequency" else float(cast(float, self.prior or 0)) or None

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        stored, earlier = (None, None) if first else (self._stored().instances, self._labelling)
        labelling, targets, labels = learned_labels(y, classes, earlier, stored)
        if len(targets) > 1:
            raise TargetError(f"y must have one class for each row, got {len(targets)} columns. Fit one model for each")
        self._labelling = labelling
        return targets, labels

    def _finish_fit(self) -> None:
        super()._finish_fit()
        if self._rule.chooses:
            self._choice().curve()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    # -- the classes and the window

    @property
    @reads
    def classes_(self) -> AnyArray:
        """The classes in ascending order."""
        return self._classes().labels

    @property
    @reads
    def n_neighbors_(self) -> int:
        """How many nearest rows a model uses; a row of weight 2 counts as two."""
        return self._choice().n_neighbors()

    @property
    @reads
    def bandwidth_(self) -> float:
        """The bandwidth, given or chosen; available only where it is one number for all queries."""
        return self._choice().bandwidth()

    @property
    @reads
    def loo_scores_(self) -> LogLossCurve:
        """Leave-one-out log-losses of the candidates; available only with ``"loo"``."""
        return cast(LogLossCurve, self._choice().curve())

    def _choice(self) -> windows.WindowChoice:
        # Only a linear model needs more rows the more columns there are.
        smallest = self._local if isinstance(self._local, LocalLinear) else _CONSTANT
        losses = lambda choice, candidates: log_losses(self._local, self._rows(), choice, candidates)  # noqa: E731
        given = self._rule, self._stored(), smallest, self._threads()
        return windows.WindowChoice(*given, losses, LogLossCurve, self._backend)

    def _how_many(self, n_neighbors: int | None) -> int:
        return self._choice().n_listed(n_neighbors)

    def _classes(self) -> Classes:
        memory = self._stored()
        return memory.followed("classes", lambda earlier: self._labelling.classes(memory.instances, earlier or ()))[0]

    def _rows(self) -> ClassRows:
        memory, classes = self._stored(), self._classes()

        def rows() -> ClassRows:
            prior = None if self._prior is None else np.full(classes.labels.size, self._prior)
            if self._prior == "frequency":
                prior = np.asarray(classes.weights / classes.weights.sum())
            return ClassRows.of(memory, classes, prior)

        return memory.cached("class rows", rows)

    # -- predictions

    @reads
    def predict(self, X: Any) -> AnyArray:
        """The most probable class of each query; the first in ``classes_`` of equally probable ones."""
        return np.asarray(self._classes().labels[self.predict_proba(X).argmax(axis=1)])

    @reads
    def predict_proba(self, X: Any) -> FloatArray:
        """The probability of each class in ``classes_`` for each query."""
        cells = self._cells(X)
        blocks = list(self._fits(cells))
        far = [part.start + q for part, around, _ in blocks for q in np.flatnonzero(around.far).tolist()]
        windows.warn_far(far, len(cells), _INSTEAD)
        return np.concatenate([shares for _, _, shares in blocks])

    @reads
    def effective_neighbors(self, X: Any) -> FloatArray:
        """How many rows of equal weight each query's neighbourhood is worth: ``(sum K)^2 / sum K^2``."""
        parts = [around for _, around in self._choice().neighborhoods(self._cells(X))]
        return np.concatenate([summed(part.queries(), part.effective_weights(), len(part)) for part in parts])

    @reads
    def precedents(self, X: Any) -> Precedents:
        """The stored rows that each query's model is fitted to, with their shares of the total weight.

        Also the nearest unlike case: the nearest row of another class than the predicted one. Where all rows count the
        ten nearest are listed.
        """
        memory, table = self._answering(), self._table(X)
        cells, classes = memory.instances.encode(table), self._classes()
        most = LISTED_OF_ALL if self._choice().window().k is None else None
        polls, shares, far = [], [], list[int]()
        for part, around, proba in self._fits(cells):
            far += (part.start + np.flatnonzero(around.far)).tolist()
            polls.append(Poll(part.start, part.stop, around, around.weights))
            shares.append(proba)
        windows.warn_far(far, len(cells), _INSTEAD)
        found = np.concatenate(shares)
        predicted = found.argmax(axis=1)
        options: dict[str, Any] = {"most": most, "threads": self._threads(), "backend": self._backend}
        options |= {"codes": (classes.codes[:, None], predicted[:, None]), "probabilities": found}
        labels = classes.labels
        return assemble(memory, table, polls, labels[predicted], self._targets_at, classes=labels, **options)

    def _targets_at(self, rows: IntArray) -> AnyArray:
        classes = self._classes()
        return np.asarray(classes.labels[classes.at(rows)])

    def _fits(self, cells: FloatArray) -> Iterator[tuple[slice, windows.Neighborhoods, FloatArray]]:
        """Neighbourhoods and class probabilities of queries, block by block."""
        choice, rows = self._choice(), self._rows()
        for part, around in choice.neighborhoods(cells):
            numbers = np.arange(part.start, part.stop)
            shares = probabilities(self._local, rows, cells[part], around, numbers, choice.threads)
            yield part, around, shares

    # -- leave-one-out

    @reads
    def loo_predict_proba(self, *, relearn: bool = False) -> FloatArray:
        """For each stored row, in the order of ``ids_``, the class probabilities by the model of all other rows.

        As in `LocallyWeightedRegressor.loo_predict`, ``relearn`` included. A row is also left out of the class
        frequencies of the prior; its class stays one of ``classes_``, and tables of value differences stay.
        """
        refit = needs_refits(self, relearn)
        self._choice().check_left_out()
        found, far = np.empty((len(self._stored()), self._classes().labels.size)), list[int]()
        if refit:
            for row, other, query in refits(self):
                for _, around, shares in other._fits(other._stored().instances.encode(query)):
                    found[row] = shares[0]
                    far += [row] * int(around.far.sum())
        else:
            choice = self._choice()
            for rows, own in self._left_out_groups():
                cells = choice.memory.instances.cells(own)
                for part, around in choice.neighborhoods(cells, own=own, whole=True):
                    numbers = own[part]
                    found[numbers] = probabilities(self._local, rows, cells[part], around, numbers, choice.threads)
                    far += numbers[around.far].tolist()
        windows.warn_far(sorted(far), len(found), _INSTEAD)
        return found

    def _left_out_groups(self) -> Iterator[tuple[ClassRows, IntArray]]:
        """Groups of rows that leave the same prior when one of them is left out, with that prior."""
        rows, classes, weights = self._rows(), self._classes(), self._stored().row_weights
        if self._prior != "frequency":
            yield rows, np.arange(len(classes.codes))
            return
        times = np.ones(len(classes.codes)) if weights is None else weights
        groups, of = np.unique(np.stack([classes.codes.astype(np.float64), times]), axis=1, return_inverse=True)
        for group, (code, weight) in enumerate(groups.T.tolist()):
            left = classes.weights.copy()
            left[int(code)] = max(left[int(code)] - weight, 0.0)
            yield replace(rows, prior=left / left.sum()), np.flatnonzero(of.ravel() == group)

    @property
    @reads
    def relearns_(self) -> bool:
        """Whether ``relearn=True`` takes a fit for each row: something besides the fits is learned from targets."""
        return self._stored().learns_from_targets or self._rule.chooses


def log_losses(
    model: LocalModel, rows: ClassRows, choice: windows.WindowChoice, candidates: Sequence[windows.KernelWindow]
) -> tuple[FloatArray, int]:
    """Mean log-loss of left-out rows by each candidate, the widest last, and how many rows were left out."""
    memory, widest, most = choice.memory, candidates[-1], windows.MOST_LEFT_OUT
    if widest.k is None and not widest.kernel.compact:
        most = min(most, max(windows.FEWEST_LEFT_OUT, _DISTANCES // len(memory)))
    left_out = fixed_sample(len(memory), most)
    times = np.ones(left_out.size) if memory.row_weights is None else memory.row_weights[left_out]
    sums, starts = np.zeros(len(candidates)), range(0, left_out.size, _AT_ONCE)
    with bar(len(starts), shown=True, text="leave-one-out") as advance:
        for start in starts:
            own = left_out[start : start + _AT_ONCE]
            cells, losses = memory.instances.cells(own), np.empty((len(candidates), own.size))
            for part, found in choice.searches(cells, widest, own=own):
                asked, numbers = cells[part], own[part]
                for i, window in enumerate(candidates):
                    around = choice.weighed(window, found, asked, numbers)
                    shares = probabilities(model, rows, asked, around, numbers, choice.threads)
                    true = shares[np.arange(numbers.size), rows.codes[numbers]]
                    losses[i, part] = -np.log(np.maximum(true, _LEAST))
            sums += (losses * times[start : start + _AT_ONCE]).sum(axis=1)
            advance("leave-one-out")
    return sums / times.sum(), left_out.size
