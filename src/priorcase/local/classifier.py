"""Classification by a small model that is fitted around each query."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin

from priorcase._typing import AnyArray, FloatArray
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.state import reads
from priorcase.local.classifier_answers import LocalClassAnswers
from priorcase.local.classifier_models import Fitted
from priorcase.local.classifier_rows import effective_weights
from priorcase.neighbors.explaining import LISTED_OF_ALL, Answer, assemble, listed, unlike_cases
from priorcase.neighbors.parameters import NNeighbors
from priorcase.neighbors.polling import Poll
from priorcase.neighbors.precedents import Precedents
from priorcase.neighbors.voters import Voters, summed
from priorcase.neighbors.weights import AttributeWeights
from priorcase.schema import CategoricalFeatures
from priorcase.search.scan import Algorithm
from priorcase.similarity import Distance, Kernel


class LocallyWeightedClassifier(ClassifierMixin, LocalClassAnswers):
    """The most probable class by a small model that is fitted, for each query anew, to the rows around it.

    A row at distance d counts ``K(d / h)`` times, and the model sees nothing else: it need hold only nearby, so that
    naive Bayes may be naive and a straight border straight. Rows may mix numbers, ordered levels and values, with gaps;
    an attribute weight of 0 leaves a column out of everything.
    Rows can be added (`partial_fit`) and forgotten (`forget`) at any time; every answer is then that of a fresh fit on
    the rows that are left, bit for bit. Parameters take effect at `fit` (or at the first `partial_fit`), ``n_jobs`` at
    once. Several threads may ask while another one adds or forgets rows.

    Parameters
    ----------
    n_neighbors
        How many nearest rows count: a number; ``"sqrt"`` of the number of rows; ``"all"`` of them; ``"loo"``: the
        number with the least leave-one-out log-loss on a ladder (``loo_scores_``). Rows as near as the last count too.
        None is ``"loo"``, or ``"all"`` where ``bandwidth`` is given. A number larger than the number of rows is an
        error when a question is asked.
    model
        ``"logistic"`` (`LocalLogistic`), ``"naive_bayes"`` (`LocalNaiveBayes`: the quickest),
        ``"linear"`` (`LocalLinear`), or one of these with options.
    kernel
        K, by name or with options: ``"tricube"``, ``"gaussian"``, ``"epanechnikov"``, ``"biweight"``, ``"triangular"``,
        ``"uniform"`` (every neighbour counts fully), ``"exponential"``, ``"inverse_power"``.
    bandwidth
        h: None for the distance of the first row beyond the nearest ``n_neighbors``, a number above 0, or ``"loo"``:
        one number for all queries, with the least leave-one-out log-loss.
    prior
        What is added to the weight of each class, so that few neighbours do not claim certainty: a number for every
        class; ``"frequency"``: one row in all, shared out as the classes are among the stored rows; None for nothing,
        in which case a class without a row around the query is impossible.
    distance, attribute_weights, algorithm, categorical_features, schema, n_jobs
        As in `KNNClassifier`.

    Attributes
    ----------
    classes_
        The classes in ascending order.
    n_neighbors_, bandwidth_, loo_scores_
        How far fits reach, and the leave-one-out log-losses that it was chosen by; a probability of 0 counts there as
        the smallest number above 0. At most 2,000 rows, always the same, are left out in turn.
    ids_, n_samples_fit_, schema_, distance_, attribute_weights_, n_features_in_, feature_names_in_
        As in `KNNClassifier`.

    Notes
    -----
    **Weights.** The kernel's weights are scaled such that those around a query add up to the effective number of
    neighbours ``(sum K)^2 / sum K^2``: against it the priors and the ridge are weighed. Weka's LWL scales them to the
    number of rows that were looked at, which is the same for the uniform kernel only. Its bandwidth is the distance of
    the last neighbour, not of the next one, its compact kernels stop a little later (``1.0001 - u``), its
    ``NaiveBayes`` rounds numbers to a grid and measures the normal distribution over a cell of it, and its ``Logistic``
    leaves the ridge off one class. On nominal columns, with the uniform kernel, ``prior=1.0`` and no gaps, its local
    naive Bayes has the same probabilities; so has its local logistic regression where the ridge of both is next to
    nothing and the classes overlap.

    **Far queries.** Where a fixed bandwidth leaves a query no row with weight, the rows nearest to it vote, and one
    `FarQueryWarning` names all such queries.

    **Sample weights are repetitions**: a row of weight 2 counts as two rows, one of weight 0 is as absent.

    References
    ----------
    C. Atkeson, A. Moore & S. Schaal: Locally weighted learning, 1997. E. Frank, M. Hall & B. Pfahringer: Locally
    weighted naive Bayes, 2003. L. Kish: Survey sampling, 1965 (the effective number).

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

    def __init__(
        self,
        n_neighbors: NNeighbors | None = None,
        *,
        model: str | Fitted = "logistic",
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

    @property
    @reads
    def classes_(self) -> AnyArray:
        """The classes in ascending order."""
        return self._classes().labels

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows, in place of any stored before.

        Parameters
        ----------
        X
            A pandas, Polars or PyArrow frame, a NumPy array, or a list of rows.
        y
            One class for each row: text, whole numbers or booleans.
        sample_weight
            How many rows each row counts as; None for one.
        """
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Store more rows. A call that fails leaves everything as it was.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes
            Classes that stay in ``classes_`` even when no row has them; may be left out. Once given, ``y`` may hold no
            others, and neither may the rows stored before.
        """
        return self._partial_fit(X, y, sample_weight, classes)

    @reads
    def predict(self, X: Any) -> AnyArray:
        """The most probable class of each query; the first in ``classes_`` of equally probable ones."""
        cells, labels = self._cells(X), self._classes().labels
        shares, far = self._shares(cells)
        self._warn_far(far, len(cells))
        return np.asarray(labels[shares.argmax(axis=1)])

    @reads
    def predict_proba(self, X: Any) -> FloatArray:
        """The probability of each class in ``classes_`` for each query."""
        cells = self._cells(X)
        shares, far = self._shares(cells)
        self._warn_far(far, len(cells))
        return shares

    @reads
    def loo_predict_proba(self, *, relearn: bool = False) -> FloatArray:
        """For each stored row, in the order of ``ids_``, the class probabilities by the model of all others around it.

        By one search, and one small fit for each row. A row leaves with all its weight, and out of the class
        frequencies of the prior; its class stays one of ``classes_``. What was learned from all rows stays: ranges and
        standard deviations of columns, the numbers of values, and what targets have a part in: tables of value
        differences, learned attribute weights, and what was chosen by ``"loo"``.

        Parameters
        ----------
        relearn
            Learn everything anew, without each row, if targets have a part in any of it (``relearns_``): all that for
            each row then.
        """
        refit = self._leaving(relearn)
        self._check_others()
        if not refit:
            found, far = self._left_out()
        else:
            found, far = np.empty((len(self._stored()), self._classes().labels.size)), []
            for row, other, cells in self._refits():
                shares, far_away = other._shares(cells)
                found[row] = shares[0]
                far += [row] * len(far_away)
        self._warn_far(far, len(found))
        return found

    @reads
    def effective_neighbors(self, X: Any) -> FloatArray:
        """How many rows of equal weight each query's neighbourhood is worth: ``(sum K)^2 / sum K^2``."""
        cells = self._cells(X)
        return np.concatenate(
            [
                summed(around.queries(), effective_weights(around), len(around))
                for _, around in self._neighborhoods(cells)
            ]
        )

    @reads
    def precedents(self, X: Any) -> Precedents:
        """The stored rows that each query's model is fitted to, with their parts of the whole weight.

        Also the nearest unlike case: the nearest row of another class than the predicted one. Where all rows count the
        ten nearest are listed.

        Parameters
        ----------
        X
            Queries.
        """
        memory, table = self._answering(), self._table(X)
        cells, classes, threads = memory.instances.encode(table), self._classes(), self._threads()
        most = LISTED_OF_ALL if self._circle().k is None else None
        parts, chosen, far = [], [], list[int]()
        for part, around, shares in self._answers(cells):
            codes = shares.argmax(axis=1)
            chosen.append(codes[:, None])
            far += (part.start + np.flatnonzero(around.far)).tolist()
            voters = Voters(around.indptr, around.rows, around.distances, around.counts)
            answer = Answer(classes.labels[codes], shares, codes[:, None])
            parts.append(listed(Poll(part.start, part.stop, voters, around.weights), answer, most))
        self._warn_far(far, len(cells))
        predicted, stored = np.concatenate(chosen), classes.codes[:, None]
        unlike = unlike_cases(memory, cells, stored, predicted, self._targets_at, threads=threads)
        return assemble(memory, table, parts, self._targets_at, classes.labels, unlike, self._backend)
