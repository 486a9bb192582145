"""k-nearest-neighbor classification and regression of mixed rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._parameters import check_value, is_list, is_number
from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.exceptions import TargetError, listed, prefix_errors
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.state import changes, reads
from priorcase.learning.targets import Classes, Labeling, as_array, has_fractions, learned_labels, learned_numbers
from priorcase.neighbors import votes
from priorcase.neighbors.base import COUNT, SEARCH, GivenWeights, Method, NeighborsEstimator, NNeighbors
from priorcase.neighbors.polling import Rules, best_n_neighbors, left_out_answers, loo_scores, polls_of
from priorcase.neighbors.precedents import Precedents, precedents_of
from priorcase.neighbors.prequential import PrequentialClassification, PrequentialRegression, run_prequential
from priorcase.neighbors.votes import TIES, LeftOut, Poll, Ties, decide, means, prior_weights, resolve_vote
from priorcase.relevance import METHODS, AttributeWeights, resolve_method
from priorcase.relevance.base import WeightingMethod
from priorcase.schema import CategoricalFeatures, Schema
from priorcase.search import Algorithm
from priorcase.similarity import Kernel
from priorcase.similarity.presets import DistanceLike

if TYPE_CHECKING:
    from priorcase.neighbors.tuning import Tuning

_VOTING: dict[str, list[Any]] = {
    "n_neighbors": [COUNT, StrOptions({"sqrt", "all", "loo"})],
    "bandwidth": [None, Interval(Real, 0, np.inf, closed="neither")],
    **SEARCH,
}


class KNNClassifier(ClassifierMixin, NeighborsEstimator):
    """k-nearest-neighbor classifier for tables with mixed columns and missing values.

    Rows can be added with `partial_fit` and removed with `forget`. Predictions are then identical to the predictions of
    a new model fitted to the stored rows. Several threads can predict while another thread adds or removes rows.

    Parameters
    ----------
    n_neighbors
        Number k of neighbors that vote. ``"sqrt"``: square root of the number of rows; ``"all"``: all rows; ``"loo"``:
        the k from 1 to 50 with the best leave-one-out accuracy.
    distance
        Name of a distance (``"robust"``, ``"heom"``, ``"hvdm"``, ``"gower"``, ... or a scikit-learn metric), a
        `Distance`, a function of two rows (see `priorcase.similarity.resolve`), or ``"precomputed"``.
    vote, bandwidth
        Voting rule: ``"uniform"``, ``"inverse_square"``, a kernel or its name (``"gaussian"``, ``"tricube"``, ...), or
        a function of the distances from one query; ``bandwidth``, if given, divides the distances. If all votes are 0,
        the neighbors vote equally. The default bandwidth of a kernel is the distance of the (k+1)-th nearest row.
    attribute_weights
        One number >= 0 for each column, a mapping from column to number (1 for other columns), or a method that learns
        the weights: ``"gain_ratio"``, ``"relief"``, ``"mutual_information"``, ``"bayes"`` or ``"loo"``.
    ties
        ``"majority"``: all rows tied with the k-th neighbor vote, and equal votes go to the most frequent class.
        Otherwise, exactly k rows vote, and equal votes go to the first class in ``classes_`` (``"first"``), the class
        of the nearest voter (``"nearest"``), or the class that leads without the farthest voters (``"reduce"``).
    prior, temperature
        Dirichlet prior: ``"uniform"`` or ``"frequency"`` (one vote in total), a single number for all classes, or an
        array with one number per class. None: no prior. Probabilities are proportional to ``votes ** (1/temperature)``.
    algorithm, n_jobs
        Search method (``"auto"``, ``"tree"``, ``"scan"``, ``"plain"``) and threads (None: all cores), for speed only.
    categorical_features, schema
        The nominal columns as a mask, positions or names, or ``"from_dtype"``. ``schema`` is a `Schema`, or a mapping
        from column to kind for the columns whose kind should not be inferred.

    Attributes
    ----------
    classes_, n_neighbors_, loo_scores_, attribute_weights_, tuning_, ids_, n_samples_fit_, schema_, distance_
        In this order: sorted classes; k; the score of each k (with ``"loo"``); weight of each column; result of `tune`;
        ids and number of the stored rows; kinds of the columns; the fitted distance.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [[31, "red"], [29, "red"], [62, "blue"], [None, "blue"]], ["no", "no", "yes", "yes"]
    >>> pc.KNNClassifier(n_neighbors=3, prior=1.0).fit(X, y).predict_proba([[60, "blue"]])
    array([[0.4, 0.6]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_VOTING,
        "ties": [StrOptions(set(TIES))],
        "prior": [None, StrOptions({"uniform", "frequency"}), Interval(Real, 0, np.inf, closed="left"), "array-like"],
        "temperature": [Interval(Real, 1e-9, np.inf, closed="left")],
    }
    tuning_: Tuning
    _k: NNeighbors
    _rules: Rules
    _prior: Any
    _temperature: float
    _labeling: Labeling

    def __init__(
        self,
        n_neighbors: NNeighbors = 5,
        *,
        distance: DistanceLike = "robust",
        vote: str | Kernel | Callable[[Any], Any] = "uniform",
        bandwidth: float | None = None,
        attribute_weights: GivenWeights = None,
        ties: Ties = "majority",
        prior: float | str | Sequence[float] | FloatArray | None = "uniform",
        temperature: float = 1.0,
        algorithm: Algorithm = "auto",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors, self.vote, self.bandwidth, self.ties = n_neighbors, vote, bandwidth, ties
        self.distance, self.attribute_weights, self.algorithm = distance, attribute_weights, algorithm
        self.prior, self.temperature = prior, temperature
        self.categorical_features, self.schema, self.n_jobs = categorical_features, schema, n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = tags.classifier_tags.multi_label = not self._needs_one_target()
        return tags

    # -- learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows, replacing all rows stored before. ``X`` is a data frame (pandas, Polars, PyArrow), an array
        or a list of rows. ``y`` has a class for each row, or one column per target. A row of weight 2 counts twice.
        """
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows. ``classes`` lists all classes, even those without rows; for several targets, a list per target."""
        return self._partial_fit(X, y, sample_weight, classes)

    @changes
    def prequential(self, X: Any, y: Any, classes: Any = None) -> PrequentialClassification:
        """Predict each row from the rows before it, then store it; while too few rows are stored, only store rows."""
        return run_prequential(self, PrequentialClassification, X, y, classes)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self.__dict__.pop("tuning_", None)  # of an earlier fit
        self._k = self.n_neighbors if self.n_neighbors in ("sqrt", "all", "loo") else int(self.n_neighbors)
        self._rules = Rules(resolve_vote(self.vote, self.bandwidth), self.ties)
        self._prior, self._temperature = self.prior, float(self.temperature)

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        instances = None if first else self._stored().instances
        earlier = None if first else self._labeling
        self._labeling, targets, labels = learned_labels(y, classes, earlier, instances)
        return targets, labels

    def _check_rows(self) -> None:
        super()._check_rows()
        if self._prior is not None and not (isinstance(self._prior, str) and self._prior in ("uniform", "frequency")):
            self._priors()  # skipped for these strings, which are always valid, so that adding single rows is fast

    def _check_forgetting(self, ids: ArrayLike) -> None:
        """Raise an error if ``prior`` has one weight per class and a class would lose its last rows."""
        if not is_list(self._prior) or self._labeling.declared is not None:
            return
        classes = self._outputs()[0]
        kept = np.delete(classes.codes, self._stored().instances.positions(ids))
        left = np.bincount(kept, minlength=classes.labels.size) > 0
        if left.any() and not left.all():  # forgetting all rows is allowed
            raise TargetError(
                f"cannot forget the last rows of {listed(classes.labels[~left].tolist())}, because prior has one "
                "weight for each class. Declare the classes with partial_fit(..., classes=...), or pass a single "
                "number as prior."
            )

    # -- prediction

    @property
    @reads
    def classes_(self) -> AnyArray | list[AnyArray]:
        """Sorted classes; for several targets, a list with one array per target."""
        outputs = self._outputs()
        return outputs[0].labels if self._labeling.flat else [classes.labels for classes in outputs]

    @property
    @reads
    def n_neighbors_(self) -> int:
        """Number of neighbors that vote, as resolved from ``n_neighbors``."""
        return best_n_neighbors(self, np.argmax)

    @reads
    def predict(self, X: Any) -> AnyArray:
        """Predict the class of each row; for several targets, the result has shape (queries, targets)."""
        cells, outputs, memory, k = self._cells(X), self._outputs(), self._stored(), self._k
        if len(cells) == len(outputs) == 1 and self._prior_is_level() and isinstance(k, int) and k <= len(memory):
            self._threads()
            if (winner := memory.winner(cells, k, self._rules, outputs[0])) >= 0:
                return outputs[0].labels[winner : winner + 1].copy()
        return self._shaped(np.concatenate([self._decide(poll) for poll in polls_of(self, cells)]))

    @reads
    def predict_proba(self, X: Any) -> FloatArray | list[FloatArray]:
        """Predict the probability of each class in ``classes_``; for several targets, return one array per target."""
        return self._by_target(np.concatenate([self._probabilities(poll) for poll in polls_of(self, self._cells(X))]))

    @reads
    def _classified(self, X: Any) -> tuple[AnyArray, FloatArray | list[FloatArray]]:
        """Return the results of `predict` and `predict_proba` from one search."""
        chosen, found = zip(
            *((self._decide(poll), self._probabilities(poll)) for poll in polls_of(self, self._cells(X))), strict=True
        )
        return self._shaped(np.concatenate(chosen)), self._by_target(np.concatenate(found))

    @reads
    def precedents(self, X: Any, n_neighbors: int | None = None) -> Precedents:
        """Return the rows that vote on each query (only ten if all rows vote), the contribution of each column to the
        distances of these rows, and the nearest row of another class. ``n_neighbors`` replaces ``n_neighbors_``.
        """
        return precedents_of(self, X, n_neighbors)

    def _decide(self, poll: Poll, left_out: LeftOut | None = None) -> IntArray:
        """Return the positions of the predicted classes, shape (queries, targets)."""
        return decide(poll, self._rules.ties, self._outputs(), self._deciding_priors(left_out), left_out)

    def _probabilities(self, poll: Poll, left_out: LeftOut | None = None) -> FloatArray:
        """Return the class probabilities of all targets side by side, shape (queries, classes of all targets)."""
        targets = zip(self._outputs(), self._priors(left_out), strict=True)
        parts = [votes.probabilities(poll, classes, prior, self._temperature) for classes, prior in targets]
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)

    def _by_target(self, found: FloatArray) -> FloatArray | list[FloatArray]:
        if self._labeling.flat:
            return found
        ends = np.cumsum([classes.labels.size for classes in self._outputs()])
        return [np.ascontiguousarray(part) for part in np.split(found, ends[:-1], axis=1)]

    def _outputs(self) -> list[Classes]:
        """Return the classes of each target."""
        memory = self._stored()
        return memory.followed("classes", lambda earlier: self._labeling.classes(memory.instances, earlier or ()))

    def _prior_is_level(self) -> bool:
        """Return whether the prior has the same weight for every class and thus cannot change the predicted class."""
        return (
            self._prior is None or is_number(self._prior) or (isinstance(self._prior, str) and self._prior == "uniform")
        )

    def _deciding_priors(self, left_out: LeftOut | None = None) -> Sequence[FloatArray | None]:
        """Return the prior of each target for choosing the most probable class."""
        # Equal prior weights cannot change the choice; without them, there are no rounding errors.
        return [None] * len(self._outputs()) if self._prior_is_level() else self._priors(left_out)

    def _priors(self, left_out: LeftOut | None = None) -> Sequence[FloatArray | None]:
        """Return the class prior of each target; a prior that depends on ``left_out`` has shape (rows, classes)."""
        outputs = self._outputs()
        if self._prior is None:
            return [None] * len(outputs)
        if left_out is None or not (isinstance(self._prior, str) and self._prior == "frequency"):
            memory = self._stored()
            return memory.cached("priors", lambda: prior_weights(self._prior, [target.weights for target in outputs]))
        found, (rows, gone) = [], left_out
        for classes in outputs:
            weights = np.repeat(classes.weights[np.newaxis, :], rows.size, axis=0)
            at = np.arange(rows.size), classes.codes[rows]
            weights[at] = np.maximum(weights[at] - gone, 0.0)
            found.append(weights / weights.sum(axis=1, keepdims=True))
        return found

    def _width(self) -> int:
        """Return how many numbers are computed for each query: one for each class of each target."""
        return sum(classes.labels.size for classes in self._outputs())

    def _shaped(self, chosen: AnyArray) -> AnyArray:
        """Convert class positions, shape (queries, targets), to the classes that `predict` returns."""
        outputs = self._outputs()
        if self._labeling.flat:
            return outputs[0].labels[chosen[:, 0]]
        return np.stack([classes.labels[chosen[:, t]] for t, classes in enumerate(outputs)], axis=1)

    def _targets(self, rows: IntArray | slice = slice(None)) -> IntArray:
        """Return the positions of the classes of stored rows, shape (rows, targets)."""
        return np.stack([classes.at(rows) for classes in self._outputs()], axis=1)

    def _targets_at(self, rows: IntArray) -> AnyArray:
        return self._shaped(self._targets(rows))

    def _answers(self, polls: Sequence[Poll]) -> tuple[AnyArray, dict[str, Any]]:
        """Return the predictions from polls, and the arguments of `precedents.assemble` that only classifiers pass."""
        outputs, predicted = self._outputs(), np.concatenate([self._decide(poll) for poll in polls])
        found: dict[str, Any] = {"codes": (np.stack([classes.codes for classes in outputs], axis=1), predicted)}
        if self._labeling.flat:
            found |= {"probabilities": np.concatenate([self._probabilities(poll) for poll in polls])}
            found |= {"classes": outputs[0].labels}
        return self._shaped(predicted), found

    def _core_targets(self, n: int) -> tuple[Any, ...]:
        """Return the name and the arguments of the method of the compiled core that predicts the last ``n`` rows."""
        outputs, codes = self._outputs(), self._targets()
        starts = np.cumsum([0, *(classes.labels.size for classes in outputs)])
        # Ties are broken by the class frequencies before these rows.
        new = [np.bincount(codes[-n:, t], minlength=size) for t, size in enumerate(np.diff(starts))]
        weights = np.concatenate([classes.weights for classes in outputs]) - np.concatenate(new)
        return "classify", codes, starts, weights, TIES[self._rules.ties]

    # -- leave-one-out

    @property
    @reads
    def loo_scores_(self) -> FloatArray:
        """Leave-one-out accuracy for k = 1, 2, ...; available only with ``n_neighbors="loo"``."""
        return loo_scores(self)

    @property
    @reads
    def relearns_(self) -> bool:
        """Whether leave-one-out without ``relearn=True`` sees targets, through learned k, weights or distances."""
        return self._k == "loo" or self._stored().learns_from_targets

    @reads
    def loo_predict(self, *, relearn: bool = False) -> AnyArray:
        """Predict the class of each stored row from all other rows; see `loo_predict_proba`."""
        return self._shaped(left_out_answers(self, relearn, KNNClassifier._decide))

    @reads
    def loo_predict_proba(self, *, relearn: bool = False) -> FloatArray | list[FloatArray]:
        """Predict the class probabilities of each stored row from all other rows, in the order of ``ids_``. Column
        statistics, learned weights and k use all rows; ``relearn=True`` refits, so that they use the other rows only.
        """
        return self._by_target(left_out_answers(self, relearn, KNNClassifier._probabilities))

    def _score_left_out(self, poll: Poll, own: IntArray) -> FloatArray:
        """Return, for each left-out row, the share of its targets that are predicted correctly."""
        outputs, left_out = self._outputs(), votes.left_out_once(own, self._stored().row_weights)
        chosen = decide(poll, self._rules.ties, outputs, self._deciding_priors(), left_out)
        right = [chosen[:, t] == classes.codes[own] for t, classes in enumerate(outputs)]
        return np.asarray(np.mean(right, axis=0))


class KNNRegressor(RegressorMixin, NeighborsEstimator):
    """k-nearest-neighbor regressor for tables with mixed columns and missing values.

    The prediction is ``sum v_i y_i / sum v_i`` over the neighbors i with votes v_i (Mitchell 1997, eqs. 8.2 and 8.4).

    Parameters
    ----------
    n_neighbors
        See `KNNClassifier`; ``"loo"`` selects the k with the lowest leave-one-out mean squared error.
    distance, vote, bandwidth, attribute_weights, algorithm, categorical_features, schema, n_jobs
        See `KNNClassifier`. Options that need classes are not available: ``attribute_weights="bayes"``, the distances
        ``"mvdm"``, ``"vdm"`` and ``"ivdm"``, and ``"hvdm"`` with nominal columns.
    ties
        ``"majority"``: all rows tied with the k-th neighbor vote. ``"first"``: exactly k rows vote; of several tied
        rows, the rows with the lowest ids vote.

    Attributes
    ----------
    n_neighbors_, loo_scores_
        The number k, and with ``"loo"`` the mean squared error of each k. Other attributes: see `KNNClassifier`.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[31, "red"], [29, "red"], [62, "blue"], [None, "blue"]]
    >>> model = pc.KNNRegressor(n_neighbors=2).fit(X, [1.0, 2.0, 7.0, 9.0])
    >>> model.predict([[60, "blue"], [30, "red"]])
    array([8. , 1.5])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**_VOTING, "ties": [StrOptions({"majority", "first"})]}
    tuning_: Tuning
    _k: NNeighbors
    _rules: Rules
    _flat: bool

    def __init__(
        self,
        n_neighbors: NNeighbors = 5,
        *,
        distance: DistanceLike = "robust",
        vote: str | Kernel | Callable[[Any], Any] = "uniform",
        bandwidth: float | None = None,
        attribute_weights: GivenWeights = None,
        ties: Ties = "majority",
        algorithm: Algorithm = "auto",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors, self.vote, self.bandwidth, self.ties = n_neighbors, vote, bandwidth, ties
        self.distance, self.attribute_weights, self.algorithm = distance, attribute_weights, algorithm
        self.categorical_features, self.schema, self.n_jobs = categorical_features, schema, n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = not self._needs_one_target()
        return tags

    # -- learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows, replacing all rows stored before; see `KNNClassifier.fit`. ``y`` contains finite numbers."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows to the stored rows. If the call fails, the model is unchanged."""
        return self._partial_fit(X, y, sample_weight)

    @changes
    def prequential(self, X: Any, y: Any) -> PrequentialRegression:
        """Predict each row from the rows before it, then store the row; see `KNNClassifier.prequential`."""
        return run_prequential(self, PrequentialRegression, X, y)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self.__dict__.pop("tuning_", None)  # of an earlier fit
        self._k = self.n_neighbors if self.n_neighbors in ("sqrt", "all", "loo") else int(self.n_neighbors)
        self._rules = Rules(resolve_vote(self.vote, self.bandwidth), self.ties)

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        return learned_numbers(self, y, first)

    # -- prediction

    @property
    @reads
    def n_neighbors_(self) -> int:
        """Number of neighbors that vote, as resolved from ``n_neighbors``."""
        return best_n_neighbors(self, np.argmin)

    @reads
    def predict(self, X: Any) -> FloatArray:
        """Predict the target of each row; for several targets, the result has shape (queries, targets)."""
        return self._shaped(np.concatenate([self._decide(poll) for poll in polls_of(self, self._cells(X))]))

    @reads
    def precedents(self, X: Any, n_neighbors: int | None = None) -> Precedents:
        """Return the stored rows that vote on each query; see `KNNClassifier.precedents`."""
        return precedents_of(self, X, n_neighbors)

    def _decide(self, poll: Poll, left_out: LeftOut | None = None) -> FloatArray:
        """Return the predicted numbers, shape (queries, targets)."""
        return means(poll, self._targets())

    def _targets(self) -> FloatArray:
        """Return the targets of the stored rows, shape (rows, targets)."""
        instances = self._stored().instances
        n = 0 if instances.targets is None else len(instances.targets)
        if n == 1:
            return instances.target(0)[:, None]  # no copy: rows may be added one by one
        return self._memory.cached("numbers", lambda: np.stack([instances.target(t) for t in range(n)], axis=1))

    def _shaped(self, numbers: AnyArray) -> FloatArray:
        return numbers[:, 0] if self._flat else numbers

    def _width(self) -> int:
        return 1

    def _targets_at(self, rows: IntArray) -> FloatArray:
        return self._shaped(self._targets()[rows])

    def _answers(self, polls: Sequence[Poll]) -> tuple[AnyArray, dict[str, Any]]:
        return self._shaped(np.concatenate([self._decide(poll) for poll in polls])), {}

    def _core_targets(self, n: int) -> tuple[Any, ...]:
        return "average", np.ascontiguousarray(self._targets())

    # -- leave-one-out

    @property
    @reads
    def loo_scores_(self) -> FloatArray:
        """Leave-one-out mean squared error for k = 1, 2, ...; available only with ``n_neighbors="loo"``."""
        return loo_scores(self)

    relearns_ = KNNClassifier.relearns_

    @reads
    def loo_predict(self, *, relearn: bool = False) -> FloatArray:
        """Predict the target of each stored row from all other rows; see `KNNClassifier.loo_predict_proba`."""
        return self._shaped(left_out_answers(self, relearn, KNNRegressor._decide))

    def _score_left_out(self, poll: Poll, own: IntArray) -> FloatArray:
        """Return the squared error of each left-out row, averaged over the targets."""
        errors = self._decide(poll) - self._targets()[own]
        return np.asarray((errors * errors).mean(axis=1))


@prefix_errors
def attribute_weights(
    X: Any,
    y: Any,
    method: Method | WeightingMethod = "relief",
    *,
    target: Literal["auto", "classes", "numbers"] = "auto",
    distance: DistanceLike = "robust",
    sample_weight: Any = None,
    categorical_features: CategoricalFeatures = "from_dtype",
    schema: SchemaLike = None,
    n_jobs: int | None = None,
) -> AttributeWeights:
    """Learn the weight of each column, as an estimator with ``attribute_weights=method`` does.

    Parameters
    ----------
    X, y
        A table, and one target for each row.
    method
        A method for learning ``attribute_weights``; see `KNNClassifier`.
    target
        Type of y: ``"classes"`` or ``"numbers"``. ``"auto"`` treats y as numbers if any value has a fraction, and as
        classes otherwise.
    distance
        The distance for which the columns are weighted. Only ``"relief"`` and ``"loo"`` depend on the distance.
    sample_weight, categorical_features, schema, n_jobs
        See `KNNClassifier`.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = pc.load_repairs()
    >>> pc.attribute_weights(X, y, "gain_ratio")
    attribute weights: gain_ratio
      attribute         weight
      noise             0.4896  ████████████████████
      brakes            0.4009  ████████████████
      load_kg           0.2601  ███████████
      km_since_service  0.2506  ██████████
      chain             0.2464  ██████████
      bike              0.2022  ████████
      electric          0.0310  █
      outdoors          0.0252  █
      age_years         0.0000
    """
    if resolve_method(method) is None:
        check_value("method", method, [StrOptions(set(METHODS)), WeightingMethod])
    check_value("target", target, [StrOptions({"auto", "classes", "numbers"})])
    numbers = has_fractions(as_array(y)) if target == "auto" else target == "numbers"
    options: dict[str, Any] = {"categorical_features": categorical_features, "schema": schema, "n_jobs": n_jobs}
    estimator: KNNClassifier | KNNRegressor
    estimator = (KNNRegressor if numbers else KNNClassifier)(1, attribute_weights=method, distance=distance, **options)
    return estimator.fit(X, y, sample_weight).attribute_weights_
