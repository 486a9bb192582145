"""Classifiers whose joint logs are sums over the attributes: they predict more than classes, and explain it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from priorcase._typing import AnyArray, FloatArray, Name, Value
from priorcase.bayes import columns
from priorcase.bayes.additive import AdditiveModel, Estimates
from priorcase.bayes.classifier import BayesClassifier, check_last_rows
from priorcase.bayes.memory import BayesMemory
from priorcase.bayes.predictive import normalise
from priorcase.bayes.priors import Auto, BDeu, Dirichlet, MEstimate, PerAttribute, Prior, resolve_prior
from priorcase.bayes.results import Contributions, JointDistribution
from priorcase.learning.parameters import is_list
from priorcase.learning.state import reads
from priorcase.schema import Schema


class AdditiveBayes(BayesClassifier):
    """Base of `NaiveBayes` and `SubsetAveragedBayes`, which have Dirichlet priors and an additive model.

    Subclasses apply ``prior`` and ``class_prior`` to the counts by `_weights` and give the sums by `_model`; those
    whose parameters may be zero set ``_estimates``.
    """

    prior: Any
    class_prior: Any
    _prior: Prior | Auto
    _class_prior: Any
    _estimates: Estimates | None = None

    @property
    @reads
    def prior_(self) -> Prior:
        """The prior in use; with ``prior="auto"`` the one that was chosen."""
        return self._prior_in_use()

    @reads
    def contributions(self, X: Any, *, versus: Value | None = None) -> Contributions:
        """What each attribute adds to the log-odds of the predicted class against another, for each query.

        ``ln P(p) - ln P(v) = (ln a_p - ln a_v) + sum_i (ln phi_pi - ln phi_vi)``: one part for the class prior and one
        for each attribute, positive where it favours the predicted class p. A missing attribute adds nothing, unless
        missing is a value. Where a parameter is zero (``predictive="map"``) the part is infinite, and is printed in
        words; the zero policies ``"cap100"`` and ``Cap`` then change the total only.

        Parameters
        ----------
        X
            Queries.
        versus
            The class to compare with. By default, and where it is the predicted class, the most probable of the other
            classes; the first in ``classes_`` of equally probable ones.

        Examples
        --------
        >>> import priorcase as pc
        >>> X = [["red", "S"], ["red", "M"], ["blue", "M"], ["blue", "M"], ["blue", None]]
        >>> pc.NaiveBayes().fit(X, ["no", "no", "yes", "yes", "yes"]).contributions([["red", "S"]])
        query 0: no 0.8491 against yes 0.1509
          part      value    share
          prior            -0.2877
          x0        red    +1.3218
          x1        S      +0.6931
          log-odds         +1.7272
        """
        return columns.contributions(self, X, versus)

    @reads
    def predict_column(
        self, X: Any, column: Name, *, y: Any = None, return_proba: bool = False
    ) -> AnyArray | tuple[AnyArray, FloatArray]:
        """The most probable value of a column for each query, or its expected number, from all other columns.

        ``P(v | known) = sum_k P(k | known) phi_k(v)``, as in `predict_joint`; of equally probable values the first in
        the order of `column_values`. A column in bins gives an `Interval`. A numeric column with a density gives
        ``sum_k P(k | known) m_k``, where m is the mean of the class's density (for ``"student"`` its centre, which is
        its mean where it has one); a column whose known numbers are all equal gives that number.

        Parameters
        ----------
        X
            Queries. Values of the column are ignored, and the column may be absent from the table.
        column
            Its name or position. ``"class"``, or ``TARGET`` of ``priorcase.bayes``, is the class.
        y
            The class of each query where it is known, None where it is not. By default no class is known.
        return_proba
            Whether to return the probabilities too, shape (queries, values), in the order of `column_values`.

        Examples
        --------
        >>> import priorcase as pc
        >>> X = [["red", 31.0], ["red", 29.0], ["blue", 62.0], ["blue", None]]
        >>> model = pc.NaiveBayes().fit(X, ["no", "no", "yes", "yes"])
        >>> model.predict_column([[None, 30.0], [None, 60.0]], 0)
        array(['red', 'blue'], dtype='<U4')
        >>> model.predict_column([["red", None], ["blue", None]], 1, y=["no", None]).round(1)
        array([33.6, 46.9])
        """
        return columns.predict_column(self, X, column, y, return_proba)

    @reads
    def column_values(self, column: Name) -> AnyArray:
        """The values of a column in the order of their probabilities in `predict_column` and `predict_joint`.

        Declared values and levels in declared order, other values ascending, bins as intervals; last None for missing,
        where missing is a value. The class has ``classes_``.
        """
        return columns.column_values(self, column)

    @reads
    def predict_joint(self, X: Any, targets: Sequence[Name], y: Any = None) -> JointDistribution:
        """The joint distribution of several columns for each query, given the known values of the others.

        ``P(v_1 .. v_m | known) = sum_k P(k | known) prod_t phi_kt(v_t)`` with the class probabilities P(k | known) and
        the shares phi of ``predictive``. Columns that are neither targets nor known are summed out; so is the class
        unless it is a target or given by ``y``. Shares that do not sum to one in a class (``"sc"``, ``"param_floor"``)
        are normalised over all combinations. For ``"sc"`` each combination is then as probable as the stored rows
        together with the query so completed, by their largest likelihood: eq. 8 of Kontkanen et al. 1997 for several
        columns instead of the class. A marginal of such a distribution may differ from the distribution of fewer
        targets.

        Parameters
        ----------
        X
            Queries. Values of the targets are ignored, and their columns may be absent from the table.
        targets
            Names or positions of columns that have a list of values: nominal, ordinal, or numeric and cut into bins,
            whose values are then of class `Interval`. ``"class"``, or ``TARGET`` of ``priorcase.bayes``, is the class.
        y
            As in `predict_column`.

        Examples
        --------
        >>> import priorcase as pc
        >>> X = [["red", "S"], ["red", "M"], ["blue", "M"], ["blue", "M"]]
        >>> model = pc.NaiveBayes().fit(X, ["no", "no", "yes", "yes"])
        >>> model.predict_joint([[None, "S"]], targets=[0, "class"])
        query 0
          x0    class  probability
          red   no          0.5000
          blue  yes         0.2500
          blue  no          0.1667
          red   yes         0.0833
        >>> model.predict_joint([["red", "S"]], targets=[0, 1], y=["no"]).most_probable()
        [('red', 'M')]
        """
        return columns.predict_joint(self, X, targets, y)

    # -- for subclasses

    @abstractmethod
    def _prior_in_use(self) -> Prior:
        """The prior that the weights of the stored rows come from."""

    @abstractmethod
    def _weights(self) -> Any:
        """The weights of the cells and classes of the stored rows."""

    @abstractmethod
    def _model(self) -> AdditiveModel:
        """What the class and each attribute add to the joint logs."""

    def _log_probabilities(self, joint: FloatArray) -> FloatArray:
        return normalise(joint, None if self._estimates is None else self._estimates.policy)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._prior = resolve_prior(self.prior)
        self._class_prior = self.class_prior

    def _new_memory(self, schema: Schema, targets: Schema | None) -> BayesMemory:
        if isinstance(self._prior, PerAttribute):
            self._prior = self._prior.by_label(schema)
        return super()._new_memory(schema, targets)

    def _check_rows(self) -> None:
        super()._check_rows()
        if self._class_prior is not None or not isinstance(self._prior, (Auto, BDeu, Dirichlet, MEstimate)):
            self._weights()

    def _check_forgetting(self, ids: ArrayLike) -> None:
        by_place = {
            "class_prior": is_list(self._class_prior),
            "prior": isinstance(self._prior, PerAttribute) and self._prior.by_class,
        }
        for parameter in (name for name, given in by_place.items() if given):
            check_last_rows(self._stored().instances, self._labelling, ids, parameter=parameter)

    def _chooses(self) -> bool:
        return isinstance(self._prior, Auto) or super()._chooses()
