"""`RBFNetworkClassifier`: classification by a network of radial basis functions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.exceptions import TargetError
from priorcase.learning.classes import Classes
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.labels import Labelling, learned_labels
from priorcase.learning.sorted_rows import SortedRows
from priorcase.learning.state import reads
from priorcase.local.rbf.centers import CenterKind, WidthRule
from priorcase.local.rbf.network import RBFNetwork
from priorcase.local.rbf.output_layer import Criterion
from priorcase.neighbors.weighting import AttributeWeights
from priorcase.schema import CategoricalFeatures, Schema
from priorcase.similarity import Distance


class RBFNetworkClassifier(ClassifierMixin, RBFNetwork):
    """Classification by a network of radial basis functions, with one output for each class.

    Each class is learned as the number 1 for its rows and 0 for the others, as in `RBFNetworkRegressor`, all with the
    same centres, widths and penalty. The outputs of a query sum to 1 since those of every row do; negative outputs
    count as 0, and the others are divided by their sum. (Where rounding leaves none above 0, the probabilities are the
    class frequencies.)

    Parameters
    ----------
    n_centers, width, alpha, random_state
        As in `RBFNetworkRegressor`; the squared errors of all outputs are added.
    centers
        As in `RBFNetworkRegressor`, but ``"stratified"`` draws rows in proportion from the classes, at least one of
        each even if that makes more than ``n_centers``.
    distance, attribute_weights, categorical_features, schema, n_jobs
        As in `KNNClassifier`.

    Attributes
    ----------
    classes_
        The classes in ascending order.
    centers_, n_centers_, widths_, alpha_, curve_
        As in `RBFNetworkRegressor`.
    coef_, intercept_
        The weight of each centre for each class, shape (classes, centres), and the intercepts.
    ids_, n_samples_fit_, schema_, distance_, n_features_in_, feature_names_in_
        As in `KNNClassifier`.

    Notes
    -----
    Least squares does not optimise log-loss: an unlikely class often gets probability 0, and the log-loss of a mistake
    is then infinite. For calibrated probabilities prefer `KNNClassifier` with a prior.

    References
    ----------
    T. Mitchell, *Machine Learning*, 1997, section 8.4.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[31, "red"], [29, "red"], [35, "red"], [62, "blue"], [None, "blue"], [58, "blue"]]
    >>> model = pc.RBFNetworkClassifier(3, alpha=0.1).fit(X, ["no", "no", "no", "yes", "yes", "yes"])
    >>> model.predict([[60, "blue"], [33, "red"]])
    array(['yes', 'no'], dtype='<U3')
    >>> model.predict_proba([[60, "blue"], [45, None]]).round(2)
    array([[0.  , 1.  ],
           [0.17, 0.83]])
    >>> model.centers_.round(1)
         x0    x1
    0  58.0  blue
    1  31.7   red
    2  62.0  blue
    """

    _labelling: Labelling

    def __init__(
        self,
        n_centers: int | Literal["auto"] = "auto",
        *,
        centers: CenterKind = "kmeans",
        width: WidthRule | float = "auto",
        alpha: Criterion | float = "loo",
        distance: str | Distance = "heom",
        attribute_weights: AttributeWeights = None,
        random_state: Any = 0,
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_centers = n_centers
        self.centers = centers
        self.width = width
        self.alpha = alpha
        self.distance = distance
        self.attribute_weights = attribute_weights
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    @property
    @reads
    def classes_(self) -> AnyArray:
        """The classes in ascending order."""
        return self._classes().labels

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows, in place of any stored before, and fit the network.

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
        """Store more rows; the network is fitted when it is next needed. A call that fails changes nothing.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes
            Classes that stay in ``classes_`` even when no row has them.
        """
        return self._partial_fit(X, y, sample_weight, classes)

    @reads
    def decision_function(self, X: Any) -> FloatArray:
        """The outputs of the network, which sum to 1, shape (queries, classes); with two classes their difference."""
        outputs = self._outputs_of(X)
        return outputs[:, 1] - outputs[:, 0] if outputs.shape[1] == 2 else outputs

    @reads
    def predict(self, X: Any) -> AnyArray:
        """The class with the largest output for each query, the first in ``classes_`` among equals."""
        chosen: AnyArray = self._classes().labels[self._outputs_of(X).argmax(axis=1)]
        return chosen

    @reads
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class in ``classes_``: the outputs above 0, divided by their sum."""
        return shares(self._outputs_of(X), self._classes().weights)

    @reads
    def loo_predict_proba(self, *, relearn: bool = False) -> FloatArray:
        """Leave-one-out class probabilities of each stored row, in the order of ``ids_``.

        In closed form, as `RBFNetworkRegressor.loo_predict`, with ``relearn`` as there: the row is left out with all
        its weight. Its class stays one of ``classes_``. Where the network passes through the row whatever its class is,
        and where no output is above 0, the probabilities are the class frequencies of the other rows.
        """
        outputs, classes = self._loo_outputs(relearn), self._classes()
        weights = self._stored().row_weights
        others = np.repeat(classes.weights[np.newaxis, :], len(outputs), axis=0)
        at = np.arange(len(outputs)), classes.codes
        others[at] = np.maximum(others[at] - (1.0 if weights is None else weights), 0.0)
        outputs[~np.isfinite(outputs).all(axis=1)] = 0.0
        return shares(outputs, others)

    def _keep_classes(self, other: Self) -> None:
        other._labelling = replace(self._labelling, declared=(self._classes().labels,))

    @property
    @reads
    def coef_(self) -> FloatArray:
        """The weight of each centre for each class, shape (classes, centres)."""
        return self._network().weights.T.copy()

    @property
    @reads
    def intercept_(self) -> FloatArray:
        """The output of each class far from all centres."""
        return self._network().intercept.copy()

    def _classes(self) -> Classes:
        memory = self._stored()
        return memory.followed("classes", lambda earlier: self._labelling.classes(memory.instances, earlier or ()))[0]

    def _learned(self) -> FloatArray:
        classes = self._classes()
        return np.eye(classes.labels.size)[classes.codes]

    def _strata(self, rows: SortedRows, count: int) -> IntArray:
        return np.asarray(rows.targets.argmax(axis=1))

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        instances = None if first else self._stored().instances
        earlier = None if first else self._labelling
        labelling, targets, labels = learned_labels(y, classes, earlier, instances)
        if labels.shape[1] != 1:
            raise TargetError(
                f"y has {labels.shape[1]} columns, expected one. Fit a network for each, for example with "
                "MultiOutputClassifier."
            )
        self._labelling = labelling
        return targets, labels


def shares(outputs: FloatArray, otherwise: FloatArray) -> FloatArray:
    """Positive outputs divided by their sum; where there are none, ``otherwise``, one for all or for each row.

    Examples
    --------
    >>> shares(np.array([[0.5, 1.5, -1.0], [0.0, 0.0, -1.0]]), np.array([3.0, 1.0, 0.0]))
    array([[0.25, 0.75, 0.  ],
           [0.75, 0.25, 0.  ]])
    """
    positive = np.maximum(outputs, 0.0)
    none = ~(positive > 0.0).any(axis=1)
    positive[none] = otherwise if otherwise.ndim == 1 else otherwise[none]
    total = positive[:, 0].copy()
    for column in positive.T[1:]:
        total += column
    return np.minimum(positive / total[:, None], 1.0)
