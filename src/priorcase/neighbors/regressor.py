"""k-nearest-neighbour regression on mixed rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.state import changes, reads
from priorcase.learning.targets import learned_numbers
from priorcase.neighbors.base import COUNT, SEARCH, NeighborsEstimator, NNeighbors, needs_single_target
from priorcase.neighbors.polling import Rules, best_n_neighbors, left_out_answers, loo_scores, polls_of, tuned
from priorcase.neighbors.precedents import Precedents, precedents_of
from priorcase.neighbors.prequential import PrequentialRegression, run_prequential
from priorcase.neighbors.votes import Poll, Ties, means, resolve_vote
from priorcase.neighbors.weighting import AttributeWeights
from priorcase.schema import CategoricalFeatures, Schema
from priorcase.search import Algorithm
from priorcase.similarity import Distance, Kernel

if TYPE_CHECKING:
    from priorcase.neighbors.tuning import Tuning


class KNNRegressor(RegressorMixin, NeighborsEstimator):
    """The vote-weighted mean of the nearest stored rows' targets.

    ``sum v_i y_i / sum v_i`` over the neighbours i with votes v (Mitchell 1997, eqs. 8.2 and 8.4). All else is as in
    `KNNClassifier`.

    Parameters
    ----------
    n_neighbors
        As in `KNNClassifier`; ``"loo"`` takes the k with the least leave-one-out mean squared error (over all targets).
    distance, vote, bandwidth, attribute_weights, algorithm, categorical_features, schema, n_jobs
        As in `KNNClassifier`. What needs classes is refused: ``attribute_weights="bayes"`` and the distances
        ``"mvdm"``, ``"vdm"``, ``"ivdm"``, and ``"hvdm"`` where there are nominal columns.
    ties
        ``"majority"``: every row as near as the k-th counts. ``"first"``: exactly k rows, the first ids among equals.

    Attributes
    ----------
    n_neighbors_, loo_scores_
        The number of neighbours, and the leave-one-out mean squared error for k = 1, 2, ... it was chosen by. The
        others are those of `KNNClassifier`, without ``classes_``.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[31, "red"], [29, "red"], [62, "blue"], [None, "blue"]]
    >>> model = pc.KNNRegressor(n_neighbors=2).fit(X, [1.0, 2.0, 7.0, 9.0])
    >>> model.predict([[60, "blue"], [30, "red"]])
    array([8. , 1.5])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [COUNT, StrOptions({"sqrt", "all", "loo"})],
        "bandwidth": [None, Interval(Real, 0, np.inf, closed="neither")],
        "ties": [StrOptions({"majority", "first"})],
        **SEARCH,
    }
    tuning_: Tuning
    _k: NNeighbors
    _rules: Rules
    _flat: bool

    def __init__(
        self,
        n_neighbors: NNeighbors = 5,
        *,
        distance: str | Distance = "heom",
        vote: str | Kernel | Callable[[FloatArray], FloatArray] = "uniform",
        bandwidth: float | None = None,
        attribute_weights: AttributeWeights = None,
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
        tags.target_tags.multi_output = not needs_single_target(self)
        return tags

    tuned: ClassVar[Any] = classmethod(tuned)

    # -- learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows, as in `KNNClassifier.fit`; ``y`` holds finite numbers, in columns for several targets."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store more rows, with parameters as in `fit`. A call that fails leaves everything as it was."""
        return self._partial_fit(X, y, sample_weight)

    @changes
    def prequential(self, X: Any, y: Any) -> PrequentialRegression:
        """Predict each row from the rows before it, then store it; as in `KNNClassifier.prequential`."""
        return run_prequential(self, PrequentialRegression, X, y)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self.__dict__.pop("tuning_", None)  # of an earlier fit
        self._k = self.n_neighbors if self.n_neighbors in ("sqrt", "all", "loo") else int(self.n_neighbors)
        self._rules = Rules(resolve_vote(self.vote, self.bandwidth), self.ties)

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        instances = None if first else self._stored().instances
        targets, numbers, flat = learned_numbers(y, instances)
        self._flat = flat if first else self._flat
        return targets, numbers

    # -- prediction

    @property
    @reads
    def n_neighbors_(self) -> int:
        """The number of neighbours that vote; a row of weight 2 counts as two, and fractions are rounded down."""
        return best_n_neighbors(self, np.argmin)

    @reads
    def predict(self, X: Any) -> FloatArray:
        """The mean of each query's neighbours; shape (queries, targets) when ``y`` had columns."""
        return np.concatenate([self._predict_poll(poll) for poll in polls_of(self, self._cells(X))])

    @reads
    def precedents(self, X: Any, n_neighbors: int | None = None) -> Precedents:
        """The stored rows that vote on each query, as in `KNNClassifier.precedents`."""
        return precedents_of(self, X, n_neighbors)

    def _numbers(self) -> FloatArray:
        """Targets of the stored rows, shape (rows, targets)."""
        instances = self._stored().instances
        n = 0 if instances.targets is None else len(instances.targets)
        if n == 1:
            return instances.target(0)[:, None]  # no copy: rows may come one by one
        return self._memory.cached("numbers", lambda: np.stack([instances.target(t) for t in range(n)], axis=1))

    def _shaped(self, numbers: FloatArray) -> FloatArray:
        return numbers[:, 0] if self._flat else numbers

    def _width(self) -> int:
        """How many numbers are computed for each query."""
        return 1

    def _targets_at(self, rows: IntArray) -> FloatArray:
        """Targets of stored rows, by position."""
        return self._shaped(self._numbers()[rows])

    def _predict_poll(self, poll: Poll) -> FloatArray:
        return self._shaped(means(poll, self._numbers()))

    def _answers(self, polls: Sequence[Poll]) -> tuple[AnyArray, dict[str, Any]]:
        return np.concatenate([self._predict_poll(poll) for poll in polls]), {}

    def _core_targets(self, n: int) -> tuple[Any, ...]:
        return "average", np.ascontiguousarray(self._numbers())

    # -- leave-one-out

    @property
    @reads
    def loo_scores_(self) -> FloatArray:
        """Leave-one-out mean squared error for k = 1, 2, ...; only with ``n_neighbors="loo"``."""
        return loo_scores(self)

    @property
    @reads
    def relearns_(self) -> bool:
        """Whether ``relearn=True`` takes a fit for each row: something besides votes is learned from the targets."""
        return self._k == "loo" or self._stored().learns_from_targets

    @reads
    def loo_predict(self, *, relearn: bool = False) -> FloatArray:
        """The mean of each stored row's neighbours among the others; see `KNNClassifier.loo_predict_proba`."""
        return self._shaped(left_out_answers(self, relearn, lambda model, poll, _: means(poll, model._numbers())))

    def _score_left_out(self, poll: Poll, own: IntArray) -> FloatArray:
        """Squared error of each left-out row, averaged over the targets."""
        numbers = self._numbers()
        with np.errstate(over="ignore"):
            errors = means(poll, numbers) - numbers[own]
            return np.asarray((errors * errors).mean(axis=1))
