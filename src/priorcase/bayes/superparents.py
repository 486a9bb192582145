"""Super-parent Bayes: averages over structures in which all attributes depend on one of them."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from priorcase._typing import FloatArray
from priorcase.bayes.pair_models import Family
from priorcase.bayes.results import SuperParentTable
from priorcase.bayes.structured import Bins, Ess, StructuredBayes
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.state import reads
from priorcase.schema import CategoricalFeatures


class SuperParentAveragedBayes(StructuredBayes):
    """The most probable class when averaged over naive Bayes and every super-parent, by marginal likelihood.

    Under super-parent p every other attribute depends on p and the class:
    ``P(k, x) = P(k, x_p) prod_j P(x_j | k, x_p)``. With equal prior probabilities for naive Bayes and the A
    super-parents, their posterior weights are their marginal likelihoods: an exact average over models and all their
    parameters (Kontkanen, Myllymäki, Silander & Tirri 1998, eq. 4), in ``O(K A^2)`` a query. With many rows one member
    has nearly all the weight; `AODE` gives all super-parents the same weight instead.

    Parameters
    ----------
    ess, numeric, categorical_features, schema, n_jobs
        As in `TreeAveragedBayes`.

    Attributes
    ----------
    super_parent_probabilities_
        The posterior probability of each column as the super-parent; the rest is that of naive Bayes.
        `super_parent_table` prints both.
    naive_probability_
        The posterior probability of naive Bayes.
    log_evidence_
        The log of the marginal likelihood of the stored rows.
    ess_, classes_, class_count_, cut_points_
        As in `TreeAveragedBayes`.

    Notes
    -----
    With one column, its super-parent model is naive Bayes; with two, both super-parents are the same model. Such
    models are counted twice.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[first, second, other] for first in "ab" for second in "ab" for other in "xy"] * 25
    >>> y = ["same" if first == second else "differ" for first, second, _ in X]
    >>> model = pc.SuperParentAveragedBayes().fit(X, y)
    >>> model.super_parent_table()
    super-parent   probability     gain
    0                   0.5000  +110.36
    1                   0.5000  +110.36
    (naive Bayes)       0.0000    +0.00
    2                   0.0000    -5.07
    """

    _family: ClassVar[Family] = "super_parents"

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
    def super_parent_probabilities_(self) -> FloatArray:
        """The posterior probability of each column as the super-parent."""
        return np.exp(self._model().super_parent_logs[:-1])

    @property
    @reads
    def naive_probability_(self) -> float:
        """The posterior probability of naive Bayes."""
        return float(np.exp(self._model().super_parent_logs[-1]))

    @reads
    def super_parent_table(self) -> SuperParentTable:
        """The posterior probability of each column as the super-parent, and of naive Bayes; prints as a table.

        ``gain`` is what the edges from it add to the log marginal likelihood of naive Bayes.
        """
        model = self._model()
        probabilities, gains = np.exp(model.super_parent_logs), model.super_parent_weights
        return SuperParentTable(self._column_labels(), probabilities, gains, self._backend)

    @property
    @reads
    def log_evidence_(self) -> float:
        """The log of the marginal likelihood of the stored rows, averaged over naive Bayes and the super-parents."""
        return self._model().log_evidence()


class AODE(StructuredBayes):
    """Averaged one-dependence estimators: the most probable class on the plain average over super-parents.

    ``P(k, x) = mean_p P(k, x_p) prod_j P(x_j | k, x_p)`` over the columns p whose value at least ``min_count`` training
    rows share with the query; naive Bayes where there is none. `SuperParentAveragedBayes` weights the members by their
    posterior probability instead.

    Parameters
    ----------
    ess
        Equivalent sample size, spread evenly over all cells. Webb et al. smooth each table by an m-estimate of its own;
        one equivalent sample makes all tables agree. A plain average gives the rows no marginal likelihood, so
        ``"auto"`` maximises that of `SuperParentAveragedBayes`.
    min_count
        How many rows must have a super-parent's value, a number above 0; 1 as in the paper, which also reports 30.
    numeric, categorical_features, schema, n_jobs
        As in `TreeAveragedBayes`.

    Attributes
    ----------
    ess_, classes_, class_count_, cut_points_
        As in `TreeAveragedBayes`.

    References
    ----------
    G. Webb, J. Boughton and Z. Wang, *Not so naive Bayes: aggregating one-dependence estimators*, Machine Learning 58,
    2005.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[first, second, other] for first in "ab" for second in "ab" for other in "xy"] * 25
    >>> y = ["same" if first == second else "differ" for first, second, _ in X]
    >>> pc.AODE().fit(X, y).predict([["a", "b", "x"], ["b", "b", "never seen"]])
    array(['differ', 'same'], dtype='<U6')
    """

    _family: ClassVar[Family] = "plain_super_parents"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StructuredBayes._parameter_constraints,
        "min_count": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        ess: Ess = 20.0,
        *,
        min_count: float = 1,
        numeric: Bins = "mdl",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(ess, numeric, categorical_features, schema, n_jobs)
        self.min_count = min_count

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._least = float(self.min_count)
