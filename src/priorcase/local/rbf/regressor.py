"""`RBFNetworkRegressor`: regression by a network of radial basis functions."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.base import RegressorMixin

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.exceptions import NumericRangeError
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.sorted_rows import SortedRows
from priorcase.learning.state import reads
from priorcase.learning.targets import learned_numbers
from priorcase.local.rbf.centers import CenterKind, WidthRule, quantile_groups
from priorcase.local.rbf.network import RBFNetwork
from priorcase.local.rbf.output_layer import Criterion
from priorcase.neighbors.weighting import AttributeWeights, needs_one_target
from priorcase.schema import CategoricalFeatures, Schema
from priorcase.similarity import Distance

_LARGEST_TARGET = 1e100  # weighted sums of squares of targets must stay within float64


class RBFNetworkRegressor(RegressorMixin, RBFNetwork):
    """Regression by a network of radial basis functions: a sum of bumps around a few centres.

    ``f(x) = b + sum_u w_u exp(-d^2(x, c_u) / (2 sigma_u^2))`` (Mitchell 1997, eqs. 8.8 and 8.9): centres c and widths
    sigma are found first, from the inputs; then the weights w by ridge least squares over all rows,
    ``sum_i (y_i - f(x_i))^2 + alpha sum_u w_u^2``, with an unpenalised intercept b. Far from all centres f is b.

    Rows may mix numbers, ordered levels and nominal values, with missing values. They can be added (`partial_fit`) and
    forgotten (`forget`) at any time; the network is then that of a fresh fit on the remaining rows, bit for bit.
    Parameters take effect at `fit` (or at the first `partial_fit`), ``n_jobs`` at once. Several threads may predict
    while another one adds or forgets rows.

    Parameters
    ----------
    n_centers
        Number of centres; ``"auto"``: four times the root of the number of rows, but at least 100 and at most 200, and
        no more than there are distinct rows. A number larger than these is an error.
    centers
        ``"kmeans"``: k-means by the distance, ten iterations from a k-means++ start, on at most 10,000 rows; a centre
        has the mean of numbers, the median of levels and the mode of values. ``"em"``: the components of a
        `MixtureModel` of the inputs. ``"random"``: rows drawn at random. ``"stratified"``: rows drawn in proportion
        from ten groups by target (the first one, if there are several). ``"all"``: every distinct row, 4,000 at most;
        with ``alpha=0`` the network then interpolates the targets of all distinct rows.
    width
        ``"auto"``: one width for all centres, chosen together with alpha among six: a quarter to four times the root
        mean square distance of rows from centres, and the mean of the widths by ``"neighbors"``. ``"common"``:
        ``d_max / sqrt(2 k)``, with the largest distance between two of the k centres. ``"neighbors"``: for each centre
        its mean distance from the two nearest others. ``"em"``: for each centre the root mean variance of its component
        (``centers="em"`` only). A number: that, in units of the distance. Where a width would be 0 the common one is
        taken, and 1 where that is 0.
    alpha
        The penalty: 0 or a number from 1e-100 to 1e100; or how to choose it among 19 from ``1e-8`` to ``10`` times the
        largest squared singular value: ``"loo"``, the leave-one-out mean squared error, or ``"gcv"``, generalised
        cross-validation. Both are in closed form, for given centres and widths; ``"gcv"`` takes one pass over the rows
        instead of two, but is optimistic for few rows and for rows that repeat each other.
    random_state
        Seed of random choices: None, a number or a ``RandomState``. With it a fit depends neither on the order of the
        rows nor on the names of values.
    distance, attribute_weights, categorical_features, schema, n_jobs
        As in `KNNRegressor`.

    Attributes
    ----------
    centers_, n_centers_
        The centres as a frame, and their number.
    widths_, alpha_
        The width of each centre, and the penalty.
    coef_, intercept_
        The weight of each centre, shape (centres,) or (targets, centres), and the intercept.
    curve_
        The widths and penalties tried, with their estimates; prints as a table, and plots itself.
    ids_, n_samples_fit_, schema_, distance_, n_features_in_, feature_names_in_
        As in `KNNRegressor`.

    Notes
    -----
    Where all activations are below 1e-6 the prediction is the intercept, which may lie outside all targets; one
    `FarQueryWarning` lists these queries. Sample weights are repetitions. Rows that differ only in their targets are
    fitted by their mean. ``n_jobs`` changes no bit of a result. The singular value decomposition is LAPACK's: with more
    than about 120 centres its last bits may depend on the machine and on the number of threads that BLAS is set to.

    References
    ----------
    T. Mitchell, *Machine Learning*, 1997, section 8.4. J. Moody & C. Darken, *Neural Computation* 1, 1989.
    G. Golub, M. Heath & G. Wahba, *Technometrics* 21, 1979 (generalised cross-validation).

    Examples
    --------
    >>> import numpy as np
    >>> import priorcase as pc
    >>> X = np.linspace(0.0, 6.0, 25)[:, None]
    >>> model = pc.RBFNetworkRegressor(8).fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.0], [2.0], [4.5]]).round(2)
    array([ 0.84,  0.91, -0.98])
    >>> model.n_centers_, model.widths_[0].round(2)
    (8, np.float64(0.44))
    >>> X = [[31, "red"], [29, "red"], [62, "blue"], [None, "blue"]]
    >>> through_all = pc.RBFNetworkRegressor(centers="all", alpha=0.0).fit(X, [1.0, 2.0, 7.0, 9.0])
    >>> through_all.predict(X).round(6)
    array([1., 2., 7., 9.])
    """

    _flat: bool

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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows, in place of any stored before, and fit the network.

        Parameters
        ----------
        X
            A pandas, Polars or PyArrow frame, a NumPy array, or a list of rows.
        y
            One number for each row, at most 1e100 in absolute value; several columns for several targets.
        sample_weight
            How many rows each row counts as; None for one.
        """
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store more rows, with parameters as in `fit`; the network is fitted when it is next needed."""
        return self._partial_fit(X, y, sample_weight)

    @reads
    def predict(self, X: Any) -> FloatArray:
        """Predict the target of each query; shape (queries, targets) when ``y`` had columns."""
        return self._shaped(self._outputs_of(X))

    @reads
    def loo_residuals(self) -> FloatArray:
        """Leave-one-out residuals ``y_i - f(x_i)`` in id order, for given centres, widths and penalty.

        Exact. A row of weight 2 is left out once and stays once. Infinite where the network passes through the row
        whatever its target is.
        """
        return self._shaped(self._left_out())

    @reads
    def loo_predict(self, *, relearn: bool = False) -> FloatArray:
        """Leave-one-out prediction of each stored row, in the order of ``ids_``.

        In closed form: ``y_i - e_i / (1 - w_i h_i)``, with the residual e, the row's weight w, all of which is left
        out, and its leverage h; infinite where the network passes through the row whatever its target is. Centres,
        widths and penalty stay, and so do the columns' ranges and standard deviations.

        Parameters
        ----------
        relearn
            Refit the whole network without each row where centres, widths or penalty depend on the targets, or there is
            no penalty (``relearns_``).
        """
        return self._shaped(self._loo_outputs(relearn))

    @property
    @reads
    def coef_(self) -> FloatArray:
        """The weight of each centre; shape (targets, centres) when ``y`` had columns."""
        weights = self._network().weights.T.copy()
        return weights[0] if self._flat else weights

    @property
    @reads
    def intercept_(self) -> float | FloatArray:
        """The output far from all centres; one for each target when ``y`` had columns."""
        intercept = self._network().intercept
        return float(intercept[0]) if self._flat else intercept.copy()

    def _shaped(self, outputs: FloatArray) -> FloatArray:
        return outputs[:, 0] if self._flat else outputs

    def _learned(self) -> FloatArray:
        instances = self._stored().instances
        n = 0 if instances.targets is None else len(instances.targets)
        return np.stack([instances.target(t) for t in range(n)], axis=1)

    def _strata(self, rows: SortedRows, count: int) -> IntArray:
        return quantile_groups(rows.targets, rows.weights, count)

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        instances = None if first else self._stored().instances
        targets, numbers, flat = learned_numbers(y, instances)
        if (np.abs(numbers) > _LARGEST_TARGET).any():
            raise NumericRangeError(
                f"y must not exceed {_LARGEST_TARGET} in absolute value, since squares of larger numbers overflow, got "
                f"{np.abs(numbers).max():g}. Divide y by a power of ten."
            )
        self._flat = flat if first else self._flat
        return targets, numbers

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = not needs_one_target(self.attribute_weights)
        return tags
