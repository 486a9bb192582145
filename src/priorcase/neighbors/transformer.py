"""A sparse graph of nearest rows, for estimators that take precomputed distances."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import StrOptions

from priorcase._typing import AnyArray
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.state import changes, reads
from priorcase.learning.targets import as_array, has_fractions, read_labels, read_numbers
from priorcase.neighbors.base import COUNT, SEARCH, GivenWeights, NeighborsEstimator, needs_classes
from priorcase.relevance import resolve_method
from priorcase.schema import CategoricalFeatures, Nominal, Numeric, Schema
from priorcase.search import Algorithm
from priorcase.similarity.presets import DistanceLike

Mode: TypeAlias = Literal["distance", "connectivity"]


class KNNTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, NeighborsEstimator):
    """Transform rows into a sparse graph of their nearest stored rows, with distances for mixed tables.

    Like scikit-learn's ``KNeighborsTransformer``, this class serves estimators that accept precomputed distances, such
    as DBSCAN, t-SNE and UMAP. Column j belongs to the stored row with the j-th lowest id; the entries of a row are
    sorted by distance.

    Parameters
    ----------
    n_neighbors
        Number of neighbors of each row.
    mode
        ``"distance"`` or ``"connectivity"`` (all entries are 1). With ``"distance"``, one more neighbor is included,
        because a stored row is its own nearest neighbor; `fit_transform` puts the row itself first, at distance 0.
    distance, attribute_weights, algorithm, categorical_features, schema, n_jobs
        See `KNNClassifier`. Distances and weights that are learned from targets need ``y`` in `fit`.

    Examples
    --------
    >>> import priorcase as pc
    >>> graph = pc.KNNTransformer(n_neighbors=1).fit_transform([[1.0, "a"], [3.0, "a"], [9.0, None]])
    >>> graph.toarray()
    array([[0.  , 0.25, 0.  ],
           [0.25, 0.  , 0.  ],
           [0.  , 1.25, 0.  ]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [COUNT],
        "mode": [StrOptions({"distance", "connectivity"})],
        **SEARCH,
    }
    _k: int
    _mode: Mode

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        mode: Mode = "distance",
        distance: DistanceLike = "robust",
        attribute_weights: GivenWeights = None,
        algorithm: Algorithm = "auto",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors, self.mode = n_neighbors, mode
        self.distance, self.attribute_weights, self.algorithm = distance, attribute_weights, algorithm
        self.categorical_features, self.schema, self.n_jobs = categorical_features, schema, n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.n_samples_fit_

    def fit(self, X: Any, y: Any = None) -> Self:
        """Store the rows, replacing all rows stored before; ``y`` is needed only if distances or weights use it."""
        return self._fit(X, y)

    @reads
    def transform(self, X: Any) -> sparse.csr_matrix:
        """Return the graph from each query to its nearest stored rows, shape (queries, stored rows)."""
        self._stored()
        return self.kneighbors_graph(X, self._k + (self._mode == "distance"), mode=self._mode)

    @changes
    def fit_transform(self, X: Any, y: Any = None) -> sparse.csr_matrix:
        """Store the rows and return the graph of the nearest neighbors among the stored rows."""
        self.fit(X, y)
        if self._mode == "connectivity":
            return self.transform(X)
        memory = self._memory
        others, distances = self._nearest(memory.instances.cells(), self._k, memory.ids)
        ids = np.concatenate((memory.ids[:, None], others), axis=1)
        return self._graph(np.concatenate((np.zeros((len(memory), 1)), distances), axis=1), ids)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._k, self._mode = int(self.n_neighbors), self.mode

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray] | None:
        by_class, learned = needs_classes(self._distance), resolve_method(self.attribute_weights) is not None
        if y is None or not (by_class or learned):
            return None
        if not by_class and has_fractions(as_array(y)):
            numbers, _ = read_numbers(y)
            return Schema(None, (Numeric(),) * numbers.shape[1]), numbers
        labels = read_labels(y)
        return Schema(None, (Nominal(),) * labels.values.shape[1]), labels.values
