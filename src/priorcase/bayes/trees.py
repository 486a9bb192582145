"""Tree-augmented Bayes: averaged over all trees (`TreeAveragedBayes`), or with the best tree (`TreeAugmentedBayes`)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from priorcase._typing import FloatArray, IntArray, Name
from priorcase.bayes.pair_models import Family, as_matrix
from priorcase.bayes.results import EdgeTable
from priorcase.bayes.structured import Bins, Ess, StructuredBayes
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.state import reads
from priorcase.schema import CategoricalFeatures


class TreeAveragedBayes(StructuredBayes):
    """The most probable class when averaged over all trees between the attributes, and all their parameters.

    Naive Bayes assumes that attributes are independent given the class; a tree lets each depend on one other. There are
    ``A^(A-2)`` trees over A attributes; with equal prior probabilities,

        ``P(k, q | D) = a_k prod_v theta_kv T(W o rho_k) / T(W)``

    with ``T(W)`` the sum over all trees of the product of their edges' weights. ``W_uv`` is the ratio by which an edge
    raises the marginal likelihood of the rows, ``theta`` are the expected parameters, and
    ``rho_kuv = theta_kuv / (theta_ku theta_kv)`` at the query's values. It is exact, and takes ``O(K A^3)`` a query.

    Missing is one more value, numbers are cut into bins, and an unseen value is a new value of its attribute, for that
    query. Rows can be added (`partial_fit`, `merge`) and forgotten (`forget`); every answer then equals that of a fresh
    fit on the remaining rows, bit for bit. Parameters take effect at `fit` (or at the first `partial_fit`), ``n_jobs``
    immediately.

    Parameters
    ----------
    ess
        Equivalent sample size: how many rows the prior is worth. They are spread evenly over all classes and values,
        which makes both directions of an edge equally probable (Heckerman, Geiger & Chickering 1995). A larger number
        makes probabilities more cautious. ``"auto"`` takes the number, from 1e-3 to 1e6, with the largest
        ``log_evidence_``; `loo_predict_proba` keeps it, unless ``relearn=True``.
    numeric
        How to cut numbers into bins: ``"mdl"``, ``"kmeans"``, ``"equal_width"``, ``"equal_frequency"``,
        ``"two_way"``, a discretiser, or a mapping from column to one of these (``"mdl"`` for the others).
    categorical_features, schema, n_jobs
        As in `NaiveBayes`.

    Attributes
    ----------
    classes_, class_count_
        The classes in ascending order, and how many rows each has.
    ess_
        The equivalent sample size in use.
    edge_probabilities_
        The posterior probability of an edge between two attributes; `edge_table` prints it.
    log_evidence_
        The log of the marginal likelihood of the stored rows.
    cut_points_
        The cut points of each numeric column.

    References
    ----------
    M. Meilă and T. Jaakkola, *Tractable Bayesian learning of tree belief networks*, UAI 2000. J. Cerquides and
    R. López de Màntaras, *TAN classifiers based on decomposable distributions*, Machine Learning 59, 2005.

    Examples
    --------
    The class is whether the first two columns agree, which neither of them tells alone:

    >>> import priorcase as pc
    >>> X = [[first, second, other] for first in "ab" for second in "ab" for other in "xy"] * 25
    >>> y = ["same" if first == second else "differ" for first, second, _ in X]
    >>> model = pc.TreeAveragedBayes().fit(X, y)
    >>> model.predict_proba([["a", "b", "x"]]).round(2)
    array([[0.95, 0.05]])
    >>> model.edge_table()
    attribute  other  probability     gain
    0          1           1.0000  +112.90
    0          2           0.5000    -2.53
    1          2           0.5000    -2.53
    """

    _family: ClassVar[Family] = "all_trees"

    def __init__(
        self,
        ess: Ess = 20.0,
        *,
        numeric: Bins = "mdl",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(ess, numeric, categorical_features, schema, n_jobs)

    @property
    @reads
    def log_evidence_(self) -> float:
        """The log of the marginal likelihood of the stored rows, averaged over all trees."""
        return self._model().log_evidence()

    @property
    @reads
    def edge_probabilities_(self) -> FloatArray:
        """The posterior probability of an edge between two attributes, (attributes, attributes); 0 on the diagonal."""
        return self._model().edge_probabilities

    @reads
    def edge_table(self) -> EdgeTable:
        """The posterior probability of each edge by the labels of its ends; prints as a table.

        ``gain`` is what the edge alone adds to the log marginal likelihood of naive Bayes.
        """
        u, v = np.triu_indices(self._model().counts.n_attributes, 1)
        return _edge_table(self, u, v)


class TreeAugmentedBayes(StructuredBayes):
    """The most probable class under the best tree between the attributes, averaged over its parameters.

    The tree with the largest marginal likelihood: a maximum spanning tree by the logarithms of the edges' weights of
    `TreeAveragedBayes`. (Friedman, Geiger & Goldszmidt 1997 choose by conditional mutual information instead, the limit
    of each logarithm divided by the number of rows.) Ties go to the pair that comes first in the order of the columns.

    `loo_predict_proba` chooses the tree again without each row.

    Parameters
    ----------
    ess, numeric, categorical_features, schema, n_jobs
        As in `TreeAveragedBayes`.

    Attributes
    ----------
    tree_
        The edges of the tree: pairs of column labels; `edge_table` prints their probabilities.
    log_evidence_
        The log of the marginal likelihood of the stored rows under this tree.
    ess_, classes_, class_count_, cut_points_
        As in `TreeAveragedBayes`.

    References
    ----------
    N. Friedman, D. Geiger and M. Goldszmidt, *Bayesian network classifiers*, Machine Learning 29, 1997.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[first, second, other] for first in "ab" for second in "ab" for other in "xy"] * 25
    >>> y = ["same" if first == second else "differ" for first, second, _ in X]
    >>> model = pc.TreeAugmentedBayes().fit(X, y)
    >>> model.tree_, model.predict([["b", "b", "y"]])
    ([(0, 1), (0, 2)], array(['same'], dtype='<U6'))
    >>> model.edge_table()
    attribute  other  probability     gain
    0          1           1.0000  +112.90
    0          2           0.5000    -2.53
    """

    _family: ClassVar[Family] = "best_tree"

    def __init__(
        self,
        ess: Ess = 20.0,
        *,
        numeric: Bins = "mdl",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(ess, numeric, categorical_features, schema, n_jobs)

    @property
    @reads
    def log_evidence_(self) -> float:
        """The log of the marginal likelihood of the stored rows under the best tree."""
        return self._model().log_evidence()

    @property
    @reads
    def tree_(self) -> list[tuple[Name, Name]]:
        """The edges of the tree: pairs of column labels, in the order of the columns."""
        edges, labels = self._model().tree.tolist(), self._column_labels()
        return [(labels[u], labels[v]) for u, v in edges]

    @reads
    def edge_table(self) -> EdgeTable:
        """The edges of the tree by the labels of their ends, with the posterior probability of each; prints as a table.

        The probability is that over all trees, which this model does not average over: where it is far below 1, other
        edges are plausible too. ``gain`` is what the edge alone adds to the log marginal likelihood of naive Bayes.
        """
        u, v = self._model().tree.T
        return _edge_table(self, u, v)


def _edge_table(estimator: StructuredBayes, u: IntArray, v: IntArray) -> EdgeTable:
    """Some edges, by the positions of their ends, the smaller first."""
    model, labels = estimator._model(), estimator._column_labels()
    pairs = tuple((labels[a], labels[b]) for a, b in zip(u.tolist(), v.tolist(), strict=True))
    gains = as_matrix(model.log_weights, len(labels))
    return EdgeTable(pairs, model.edge_probabilities[u, v], gains[u, v], estimator._backend)
