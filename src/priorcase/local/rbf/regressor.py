"""Regression by a network of radial basis functions."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.base import RegressorMixin

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.sorted_rows import SortedRows
from priorcase.learning.state import reads
from priorcase.learning.targets import learned_numbers
from priorcase.local.rbf.base import RBFNetwork
from priorcase.local.rbf.centers import CenterKind, quantile_groups
from priorcase.local.rbf.curve import Criterion
from priorcase.local.rbf.widths import WidthRule
from priorcase.neighbors.weighting import AttributeWeights, needs_one_target
from priorcase.schema import CategoricalFeatures, Schema
from priorcase.similarity import Distance


class RBFNetworkRegressor(RegressorMixin, RBFNetwork):
    """Numbers as a sum of bumps around a few centres, smooth everywhere.

    ``f(x) = b + sum_u w_u exp(-d^2(x, c_u) / (2 sigma_u^2))`` (Mitchell 1997, eqs. 8.8 and 8.9): centres c and widths
    sigma are found first, from the inputs; then the weights w by ridge least squares over all rows,
    ``sum_i (y_i - f(x_i))^2 + alpha sum_u w_u^2``, which leaves the intercept b free. Far from all centres the answer
    is b.

    Rows may mix numbers, ordered levels and values, with gaps: the distance d takes them as they are. They can be
    added (`partial_fit`) and forgotten (`forget`) at any time; centres, widths, weights and every answer are then
    those of a fresh fit on the rows that are left, bit for bit. Parameters take effect at `fit` (or at the first
    `partial_fit`), ``n_jobs`` at once. Several threads may ask while another one adds or forgets rows.

    Parameters
    ----------
    n_centers
        How many centres; ``"auto"``: four times the root of the number of rows, but at least 100 and at most 200, and
        no more than there are different rows. A number larger than these is an error.
    centers
        Where they come from. ``"kmeans"``: k-means by the distance, ten turns from a k-means++ start, on at most 10,000
        rows; a centre has the mean of numbers, the median of levels and the most frequent of values. ``"em"``: the
        components of a `MixtureModel` of the inputs. ``"random"``: rows drawn at random. ``"stratified"``: rows
        drawn in proportion from ten groups by target (the first one, if there are several). ``"all"``: every
        different row, 4,000 at most; with ``alpha=0`` the network then passes through the targets of all different
        rows.
    width
        ``"auto"``: one width for all centres, chosen together with alpha among six: a quarter to four times the root
        mean square distance of rows from centres, and the mean of the widths by ``"neighbors"``. ``"common"``:
        ``d_max / sqrt(2 k)``, with the largest distance between two of the k centres. ``"neighbors"``: for each centre
        its mean distance from the two nearest others. ``"em"``: for each centre the root mean variance of its component
        (``centers="em"`` only). A number: that, in units of the distance. Where a width would be 0 the common one is
        taken, and 1 where that is 0.
    alpha
        The penalty: a number >= 0; or what chooses it among 19 from ``1e-8`` to ``10`` times the largest squared
        singular value: ``"loo"``, the mean squared error of rows left out one by one, or ``"gcv"``, generalised
        cross-validation. Both are in closed form, for centres and widths as they are; ``"gcv"`` takes one pass over the
        rows instead of two, but of few rows, or rows that repeat each other, it expects too much.
    distance, attribute_weights
        As in `KNNRegressor`.
    random_state
        Where random choices come from: None, a number or a ``RandomState``. The order of the rows and the names of
        values do not matter.
    categorical_features, schema, n_jobs
        As in `KNNRegressor`.

    Attributes
    ----------
    centers_, n_centers_
        The centres in the columns' own words, as a frame, and how many there are.
    widths_, alpha_
        The width of each centre, and the penalty.
    coef_, intercept_
        The weight of each centre, shape (centres,) or (targets, centres), and the intercept.
    curve_
        Widths and penalties that were tried, with their estimates; prints as a table, and draws itself.
    ids_, n_samples_fit_, schema_, distance_, n_features_in_, feature_names_in_
        The stored rows, what their columns mean, and the distance fitted to them.

    Notes
    -----
    Where all centres answer a query by less than 1e-6 the intercept alone is left, which may lie outside all
    targets; one `FarQueryWarning` names the queries. Weights of rows are repetitions. Of rows that agree in
    everything but their targets no network can pass through all, and it takes their mean. Singular vectors come
    from LAPACK, whose last bits may differ between machines.

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
        """Store the rows, in place of any stored before, and find the network.

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
        """Store more rows, with parameters as in `fit`; the network is found when it is next asked."""
        return self._partial_fit(X, y, sample_weight)

    @reads
    def predict(self, X: Any) -> FloatArray:
        """The network's number for each query; shape (queries, targets) when ``y`` had columns."""
        return self._shaped(self._outputs_of(X))

    @reads
    def loo_residuals(self) -> FloatArray:
        """``y_i - f(x_i)`` with row i left out when the weights are found, in id order.

        Exact, for centres, widths and penalty as they are. Of a row of weight 2 one is left out. Infinite where the
        network passes through the row whatever its target is.
        """
        return self._shaped(self._left_out())

    @reads
    def loo_predict(self, *, relearn: bool = False) -> FloatArray:
        """For each stored row, in the order of ``ids_``, what the network says of it when its weights do not know it.

        In closed form: ``y_i - e_i / (1 - w_i h_i)``, e the residual, w the row's weight, all of which leaves, and h
        the part of a unit of it in its own fit; infinite where the network passes through the row whatever its target
        is. Centres, widths and penalty stay, and so do the columns' ranges and standard deviations.

        Parameters
        ----------
        relearn
            Find the whole network anew, without each row, if targets have a part in centres, widths or penalty, or if
            there is no penalty (``relearns_``): a fit for each row then.
        """
        return self._shaped(self._told_without(relearn))

    @property
    @reads
    def coef_(self) -> FloatArray:
        """The weight of each centre; shape (targets, centres) when ``y`` had columns."""
        weights = self._network().weights.T.copy()
        return weights[0] if self._flat else weights

    @property
    @reads
    def intercept_(self) -> float | FloatArray:
        """What is said where no centre answers; one for each target when ``y`` had columns."""
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
        self._flat = flat if first else self._flat
        return targets, numbers

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = not needs_one_target(self.attribute_weights)
        return tags
