"""k-nearest-neighbour regression on mixed rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.state import reads
from priorcase.learning.targets import learned_numbers
from priorcase.neighbors import tally
from priorcase.neighbors.core_stream import CoreStream
from priorcase.neighbors.explaining import Answer
from priorcase.neighbors.left_out import LeftOutPredictor
from priorcase.neighbors.parameters import NNeighbors
from priorcase.neighbors.polling import Poll
from priorcase.neighbors.prequential_results import PrequentialRegression
from priorcase.neighbors.tally import Ties
from priorcase.neighbors.weights import AttributeWeights
from priorcase.schema import CategoricalFeatures, Schema
from priorcase.search.scan import Algorithm
from priorcase.similarity import Distance, Kernel


class KNNRegressor(RegressorMixin, LeftOutPredictor):
    """The vote-weighted mean of the nearest stored rows' targets.

    ``sum v_i y_i / sum v_i`` over the neighbours i with votes v (Mitchell 1997, eqs. 8.2 and 8.4). Rows may mix
    numbers, ordered levels and values, with gaps; they can be added and forgotten at any time, as in `KNNClassifier`.
    Parameters take effect at `fit` (or at the first `partial_fit`), ``n_jobs`` at once. Several threads may ask while
    another one adds or forgets rows: each answer is that of one state, before or after a change.

    Parameters
    ----------
    n_neighbors
        As in `KNNClassifier`; ``"loo"`` takes the k with the least leave-one-out mean squared error (over all targets).
    distance, vote, bandwidth, attribute_weights, algorithm, categorical_features, schema, n_jobs
        As in `KNNClassifier`. A distance that compares one of the columns by class frequencies is refused, since
        numbers have no classes: ``"mvdm"``, ``"vdm"``, ``"ivdm"``, and ``"hvdm"`` where there are nominal columns.
        ``attribute_weights="bayes"`` is refused for the same reason.
    ties
        ``"majority"``: every row as near as the k-th counts. ``"first"``: exactly k rows, lower ids first among
        equally near ones.

    Attributes
    ----------
    n_neighbors_, loo_scores_
        The number of neighbours, and the leave-one-out mean squared error for k = 1, 2, ... it was chosen by.
    tuning_
        How the parameters were chosen, after `tuned`.
    ids_, n_samples_fit_, schema_, distance_, n_features_in_, feature_names_in_
        The stored rows, what their columns mean, and the distance fitted to them.

    Notes
    -----
    Weights are repetitions, as in `KNNClassifier`.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[31, "red"], [29, "red"], [62, "blue"], [None, "blue"]]
    >>> model = pc.KNNRegressor(n_neighbors=2).fit(X, [1.0, 2.0, 7.0, 9.0])
    >>> model.predict([[60, "blue"], [30, "red"]])
    array([8. , 1.5])
    """

    _allowed_ties = ("majority", "first")
    _higher_is_better = False
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
        self.n_neighbors = n_neighbors
        self.distance = distance
        self.vote = vote
        self.bandwidth = bandwidth
        self.attribute_weights = attribute_weights
        self.ties = ties
        self.algorithm = algorithm
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows, in place of any stored before.

        Parameters
        ----------
        X
            A pandas, Polars or PyArrow frame, a NumPy array, or a list of rows.
        y
            One finite number for each row; several columns for several targets.
        sample_weight
            How many rows each row counts as; None for one.
        """
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store more rows, with parameters as in `fit`. A call that fails leaves everything as it was."""
        return self._partial_fit(X, y, sample_weight)

    def prequential(self, X: Any, y: Any) -> PrequentialRegression:
        """Predict each row from the rows before it, then store it: `predict` and `partial_fit`, row by row.

        Everything else is as in `KNNClassifier.prequential`.

        Parameters
        ----------
        X, y
            As in `fit`.
        """
        predictions, targets, first = self._stream(X, y)
        return PrequentialRegression(predictions, targets, first, self._backend)

    @reads
    def predict(self, X: Any) -> FloatArray:
        """The mean of each query's neighbours; shape (queries, targets) when ``y`` had columns."""
        cells, numbers = self._cells(X), self._numbers()
        result = np.empty((len(cells), numbers.shape[1]))
        for poll in self._polls(cells):
            result[poll.start : poll.stop] = tally.means(poll.voters, poll.votes(), numbers)
        return result[:, 0] if self._flat else result

    @reads
    def loo_predict(self, *, relearn: bool = False) -> FloatArray:
        """For each stored row, in the order of ``ids_``, the mean of the neighbours it has among the others.

        By one search, not by a fit for each row. A row leaves with all its weight. What was learned from all rows
        stays: ranges and standard deviations of columns, learned attribute weights, and the k of
        ``n_neighbors="loo"``.

        Parameters
        ----------
        relearn
            Learn everything anew, without each row, if targets have a part in any of it (``relearns_``): a fit for each
            row then.
        """
        refit, numbers = self._leaving(relearn), self._numbers()
        found = np.empty(numbers.shape)
        if refit:
            for row, other, cells in self._refits():
                for poll in other._polls(cells):
                    found[row] = tally.means(poll.voters, poll.votes(), other._numbers())[0]
        else:
            for own, poll in self._without():
                found[own] = tally.means(poll.voters, poll.votes(), numbers)
        return found[:, 0] if self._flat else found

    def _told(self, poll: Poll) -> FloatArray:
        means = tally.means(poll.voters, poll.votes(), self._numbers())
        return means[:, 0] if self._flat else means

    def _core_decides(self) -> bool:
        return True

    def _ask_stream(self, stream: CoreStream, ids: IdArray) -> FloatArray:
        stored, numbers = self._stored().ids, np.ascontiguousarray(self._numbers())
        means = stream.run(ids, lambda rows, index, cells, part: rows.average(index.core, cells, part, stored, numbers))
        told = means[~np.isnan(means[:, 0])]
        return told[:, 0] if self._flat else told

    def _numbers(self) -> FloatArray:
        """Targets of the stored rows, shape (rows, targets)."""
        instances = self._stored().instances
        n = 0 if instances.targets is None else len(instances.targets)
        if n == 1:
            return instances.target(0)[:, None]  # no copy: rows may come one by one
        return self._memory.cached("numbers", lambda: np.stack([instances.target(t) for t in range(n)], axis=1))

    def _score_left_out(self, poll: Poll, own: IntArray) -> FloatArray:
        """Squared error of each left-out row, averaged over the targets."""
        numbers = self._numbers()
        with np.errstate(over="ignore"):
            errors = tally.means(poll.voters, poll.votes(), numbers) - numbers[own]
            return np.asarray((errors * errors).mean(axis=1))

    def _answer(self, poll: Poll) -> Answer:
        return Answer(self._told(poll))

    def _targets_at(self, rows: IntArray) -> AnyArray:
        numbers = self._numbers()[rows]
        return numbers[:, 0] if self._flat else numbers

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        instances = None if first else self._stored().instances
        targets, numbers, flat = learned_numbers(y, instances)
        self._flat = flat if first else self._flat
        return targets, numbers
