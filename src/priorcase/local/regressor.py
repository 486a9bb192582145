"""Locally weighted regression on mixed rows."""

from __future__ import annotations

from typing import Any, Literal, Self, overload

from sklearn.base import RegressorMixin

from priorcase._typing import FloatArray
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.state import reads
from priorcase.local.answers import LocalAnswers
from priorcase.local.fits import STATISTICS
from priorcase.local.intervals import deviations
from priorcase.local.parameters import Bandwidth, Degree, Solver
from priorcase.neighbors.parameters import NNeighbors
from priorcase.neighbors.weights import AttributeWeights
from priorcase.schema import CategoricalFeatures
from priorcase.search.scan import Algorithm
from priorcase.similarity import Distance, Kernel


class LocallyWeightedRegressor(RegressorMixin, LocalAnswers):
    """A polynomial fitted around each query, to the rows that are near it.

    The fit minimises ``sum K(d(x_i, q) / h) (y_i - b0 - b'(x_i - q))^2`` over the stored rows i, and its value at the
    query, ``b0``, is the answer (Atkeson, Moore & Schaal 1997; Mitchell 1997, section 8.3). Mitchell's three criteria
    come from two parameters: ``kernel="uniform"`` with a number of neighbours weighs the k nearest equally (E1),
    ``n_neighbors="all"`` with a bandwidth weighs all rows by distance (E2), and a number of neighbours with any other
    kernel does both (E3). ``span`` is loess.

    Numbers and ranks of ordered levels enter the fit by their deviations from the query, nominal values by an indicator
    for each value other than the query's; all columns enter the distance. A gap in a row is no deviation; a gap in the
    query leaves the column out of its fit, and so does a nominal value that no row with weight holds; an attribute
    weight of 0 leaves a column out of everything. Rows that weigh less than 2^-34 of the heaviest do not count. Rows
    can be added and forgotten at any time; parameters take effect at `fit` (or at the first `partial_fit`), ``n_jobs``
    at once. Several threads may ask while another one adds or forgets rows.

    Parameters
    ----------
    n_neighbors
        How many nearest rows count, ties at the last of them included: a number, ``"sqrt"``, ``"all"``, or ``"loo"``
        for the one of a ladder (each about 1.4 times the one before, up to 1024 or four times the terms of the fit)
        with the least leave-one-out squared error. At most 2000 rows, always the same, are left out in turn (fewer
        where the local model has many terms), so that a million rows take no longer to choose on. None is ``"loo"``, or
        ``"all"`` where a bandwidth is given.
    degree
        0 fits a mean (kernel regression), 1 a plane, 2 a quadratic.
    kernel
        How a row's weight falls with its distance: a name or a kernel of `priorcase.similarity`.
    bandwidth
        The distance h at which compact kernels reach 0. None: that of the first row beyond the k nearest. A number, or
        ``"loo"`` for one chosen by leave-one-out: the same for all queries. ``"query"``: that of the number of
        neighbours with the least leave-one-out error of the local fit itself (Atkeson, Moore & Schaal 1997), for each
        query anew.
    span
        The part of the rows that counts, in place of ``n_neighbors`` and ``bandwidth``: h is the distance of row number
        ``floor(span n)``, for ``span > 1`` the largest distance times ``span^(1 / columns)`` (Cleveland & Devlin 1988).
    ridge
        ``lambda``: adds ``lambda^2 |b|^2`` to what is minimised, slopes in units of each column's standard deviation;
        the intercept is free.
    rcond
        Where the rows do not determine the slopes, the shortest of the best are taken; directions in which the weighted
        rows spread less than this part of the widest count as undetermined.
    robust
        Rounds in which rows count less the farther the fit around them misses them (Cleveland 1979): 0 none, 2
        Cleveland's. R's ``family="symmetric"`` counts the first fit as one of its iterations. A choice by
        leave-one-out counts all rows, wrong ones too: give the number of neighbours, or a span.
    solver
        ``"direct"``, or ``"gradient"``: predictions by Mitchell's rule (1997, eq. 8.7), which comes to rest at the same
        fit, slowly. Everything else is that of the direct solution.
    learning_rate, max_steps, tol
        Of the gradient solver: the step (``"auto"`` never overshoots), the most steps, and the largest change, beside
        the largest slope, of a fit that has come to rest.
    distance, attribute_weights, algorithm, categorical_features, schema, n_jobs
        As in `KNNRegressor`.

    Attributes
    ----------
    n_neighbors_, bandwidth_, loo_scores_
        What was given or chosen, and the leave-one-out errors that it was chosen by.
    ids_, n_samples_fit_, schema_, distance_, n_features_in_, feature_names_in_
        The stored rows, what their columns mean, and the distance fitted to them.

    Notes
    -----
    Weights are repetitions, as in `KNNClassifier`. Where a fixed bandwidth leaves no row any weight at a query, the
    mean of the rows nearest to it answers, its standard deviation is infinite, and one `FarQueryWarning` names the
    queries.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 2.0, 4.0, 7.0, 10.0]
    >>> model = pc.LocallyWeightedRegressor(3).fit(X, y)
    >>> model.predict([[0.5], [3.5]]).round(6)
    array([1. , 8.5])
    >>> model.coefficients([[0.5], [3.5]])
    query  intercept  x0
        0          1   2
        1        8.5   3
    """

    def __init__(
        self,
        n_neighbors: NNeighbors | None = None,
        *,
        degree: Degree = 1,
        kernel: str | Kernel = "tricube",
        bandwidth: Bandwidth = None,
        span: float | None = None,
        ridge: float = 0.0,
        rcond: float = 1e-10,
        robust: int = 0,
        solver: Solver = "direct",
        learning_rate: float | Literal["auto"] = "auto",
        max_steps: int = 10_000,
        tol: float = 1e-12,
        distance: str | Distance = "heom",
        attribute_weights: AttributeWeights = None,
        algorithm: Algorithm = "auto",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.degree = degree
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.span = span
        self.ridge = ridge
        self.rcond = rcond
        self.robust = robust
        self.solver = solver
        self.learning_rate = learning_rate
        self.max_steps = max_steps
        self.tol = tol
        self.distance = distance
        self.attribute_weights = attribute_weights
        self.algorithm = algorithm
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows, in place of any stored before; parameters as in `KNNRegressor.fit`."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store more rows, with parameters as in `fit`. A call that fails leaves everything as it was."""
        return self._partial_fit(X, y, sample_weight)

    @overload
    def predict(self, X: Any, return_std: Literal[False] = ...) -> FloatArray: ...

    @overload
    def predict(self, X: Any, return_std: Literal[True]) -> tuple[FloatArray, FloatArray]: ...

    @reads  # type: ignore[misc]  # a decorated method shows mypy no overloads
    def predict(self, X: Any, return_std: bool = False) -> FloatArray | tuple[FloatArray, FloatArray]:
        """The value of the fit around each query; shape (queries, targets) when ``y`` had columns.

        Parameters
        ----------
        X
            Queries.
        return_std
            Whether to return also the standard deviation of a new observation at each query: ``sigma sqrt(1 + s's)``
            with ``sigma^2 = sum K e^2 / (n_LWR - p_LWR)`` the noise around it (Atkeson, Moore & Schaal 1997) and s the
            hat row. Infinite where the fit leaves no degree of freedom to tell the noise from.
        """
        cells = self._cells(X)
        fits = self._answered(cells, STATISTICS if return_std else 0)
        predictions = fits.predictions if self._descent is None else self._descended(cells, self._descent)
        if not return_std:
            return self._shaped(predictions)
        return self._shaped(predictions), self._shaped(deviations(fits, of_target=True))
