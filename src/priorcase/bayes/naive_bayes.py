"""Naive Bayes with three predictive distributions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from priorcase._typing import FloatArray, Name
from priorcase.bayes.additive import AdditiveModel, Estimates, Scale, class_cells, numeric_terms, value_table
from priorcase.bayes.additive_bayes import AdditiveBayes
from priorcase.bayes.classifier import BayesClassifier
from priorcase.bayes.leave_one_out import left_out_scores
from priorcase.bayes.numeric import PLUG_IN, Student
from priorcase.bayes.predictive import (
    KeepZeros,
    ParamFloor,
    Predictive,
    ZeroPolicy,
    log_shares,
    normalise,
    resolve_zero_policy,
)
from priorcase.bayes.priors import Auto, Prior, PriorWeights, check_prior_goes_with, counts_evidence, prior_weights
from priorcase.exceptions import NotAvailableError, ParameterError, listed, quoted
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.state import reads
from priorcase.schema import CategoricalFeatures, Table


class NaiveBayes(AdditiveBayes):
    """The most probable class, by counts of each attribute in each class, and an honest probability of it.

    The joint probability of a class k and a row's values is ``a_k prod_i phi_ki``, where a is the share of the class
    and phi the share of the value among the rows of the class. ``predictive`` says how shares are predicted from
    counts: those of the classes, and of the values of nominal, ordinal and binned columns. For numbers that are not cut
    into bins phi is a density, which is the choice of ``numeric``, whatever ``predictive`` says. Rows may mix numbers,
    ordered levels and values, and values may be missing. Rows can be added (`partial_fit`, `merge`) and forgotten
    (`forget`) at any time; every answer is then that of a fresh fit on the rows that are left, bit for bit. Parameters
    take effect at `fit` (or at the first `partial_fit`), ``n_jobs`` at once. Several threads may ask while another one
    adds or forgets rows.

    Beside the class, any column can be predicted (`predict_column`), or several at once (`predict_joint`); what speaks
    for a class is told by `contributions`.

    Parameters
    ----------
    predictive
        For counts. ``"evidence"``: the average over all parameters, ``(f + s) / (h + sum s)``: no value is impossible,
        and few rows do not claim certainty. ``"map"``: the most probable parameters, ``(f + s - 1) / (h + sum s - n)``;
        with weight 1 the relative frequencies. ``"sc"``: stochastic complexity: the class with which the rows together
        with the new one have the largest maximum likelihood; knows no prior (``prior`` is then for ``log_evidence_``
        only).
    prior
        Dirichlet weights s of values and classes: a number; ``"jeffreys"`` (1/2); ``"laplace"`` (1); ``"bdeu"`` or
        ``BDeu(s)``: ``s / (K n)``; ``MEstimate(m)``: ``m / n``; ``"auto"``: the weight that makes the stored rows most
        probable (`prior_`); or a mapping from column to weights: a number, a mapping from value to number, or an
        array in declared order.
    class_prior
        The same for the classes alone: a number, one for each in ``classes_``, or a mapping from class to number; None
        for what ``prior`` says.
    numeric
        For numbers. ``"student"``: the average over all normal densities under a weak Normal-Gamma prior (`Student`);
        ``"gaussian"``: the normal density with the class's mean and variance (`Gaussian`); ``"kernel"``
        (`KernelDensity`); or bins, whose cut points are learned from the stored rows only: ``"equal_width"``,
        ``"equal_frequency"``, ``"kmeans"``, ``"mdl"``, ``"two_way"``, or fixed by `CutPoints`. A mapping from column to
        one of these leaves the other columns at ``"student"``. Plug-in estimates throughout are ``predictive="map"``
        with ``"gaussian"``.
    missing
        ``"ignore"``: an attribute that is missing drops out of that row, in counts and queries alike. ``"value"``:
        missing in a nominal, ordinal or binned column is one more value.
    zero_policy
        What becomes of probabilities that are zero, for ``predictive="map"`` only. ``"-inf"``, the default: a zero
        stays a zero, and where every class is impossible each gets 1/K. ``"cap100"`` or ``Cap(nats)``: an impossible
        class has log-probability -100. ``"param_floor"`` or ``ParamFloor(floor)``: no parameter is below 1e-4.
    categorical_features, schema, n_jobs
        As in `KNNClassifier`.

    Attributes
    ----------
    classes_, class_count_
        The classes in ascending order, and how many rows each has.
    log_evidence_
        The log marginal likelihood of the stored rows (with ``"student"``: given the mean and spread of all rows).
    prior_, cut_points_
        The prior in use, and the cut points of columns in bins.
    ids_, n_samples_fit_, schema_, n_features_in_, feature_names_in_
        The stored rows, and what their columns mean.

    Notes
    -----
    **Values never seen.** An attribute has the values that some row holds or that are declared. A query with another
    one is answered as if that value had been declared: it has its prior mass under ``"evidence"``, a zero under
    ``"map"`` with weight 1. A numeric column that has no two different known values says nothing and is left out.
    Where a number is so far out that its density is 0 in every class, each class gets 1/K.

    **Weights are repetitions**: a row of weight 2 counts as two rows, rows with zero weight are ignored.

    References
    ----------
    P. Kontkanen, P. Myllymäki, T. Silander, H. Tirri & P. Grünwald: Comparing predictive inference methods for discrete
    domains, 1997 (``"sc"``, eq. 8), and Bayes optimal instance-based learning, 1998 (eqs. 7 to 9).

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[31, "red"], [29, "red"], [62, "blue"], [None, "blue"]]
    >>> model = pc.NaiveBayes().fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([[60, "blue"], [30, "green"]])
    array(['yes', 'no'], dtype='<U3')
    >>> model.predict_proba([[None, "blue"]])
    array([[0.25, 0.75]])
    >>> model.loo_predict_proba().shape, model.forget([2]).ids_
    ((4, 2), array([0, 1, 3]))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BayesClassifier._parameter_constraints,
        "predictive": [StrOptions({"evidence", "map", "sc"})],
    }

    _estimates: Estimates

    def __init__(
        self,
        predictive: Predictive = "evidence",
        *,
        prior: float | str | Prior | Auto | Mapping[Name, Any] = 1.0,
        class_prior: Any = None,
        numeric: Any = "student",
        missing: str = "ignore",
        zero_policy: str | ZeroPolicy = "-inf",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.predictive = predictive
        self.prior = prior
        self.class_prior = class_prior
        self.numeric = numeric
        self.missing = missing
        self.zero_policy = zero_policy
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    # -- what was learned

    @property
    @reads
    def log_evidence_(self) -> float:
        """The log of the marginal likelihood of the stored rows and their classes, natural logarithm."""
        memory, statistics = self._answering(), self._statistics()
        if plugged := [a for a, strategy in enumerate(memory.numeric) if isinstance(strategy, PLUG_IN)]:
            columns = listed([memory.instances.schema.label(a) for a in plugged])
            raise NotAvailableError(
                f"not defined: the parameters of the densities of {columns} are estimated, not "
                "averaged over. Fit with numeric='student', or with bins such as 'mdl'"
            )
        students = [(a, strategy) for a, strategy in enumerate(memory.numeric) if isinstance(strategy, Student)]
        marginals = (strategy.log_marginal(statistics.moments[a])[statistics.codes] for a, strategy in students)
        return counts_evidence(statistics, self._weights()) + float(sum(numbers.sum() for numbers in marginals))

    # -- inside

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_prior_goes_with(self.prior, self.predictive)
        policy = resolve_zero_policy(self.zero_policy)
        if self.predictive != "map" and policy != KeepZeros():
            raise ParameterError(
                f"zero_policy={quoted(self.zero_policy)} needs predictive='map': predictive={self.predictive!r} gives "
                "nothing probability zero"
            )
        self._estimates = Estimates(self.predictive, policy)

    def _prior_in_use(self) -> Prior:
        return self._weights().prior

    def _weights(self) -> PriorWeights:
        memory, statistics = self._answering(), self._statistics()

        def settled() -> PriorWeights:
            return prior_weights(self._prior, self._class_prior, statistics, memory.instances)

        return memory.cached("weights", settled)

    def _model(self) -> AdditiveModel:
        memory = self._answering()

        def build() -> AdditiveModel:
            statistics, weights, estimates = self._statistics(), self._weights(), self._estimates
            shares = log_shares(
                class_cells(statistics.class_counts, weights.classes), estimates.predictive, estimates.policy
            )
            table = value_table(statistics.discrete, weights.cells, estimates)
            return AdditiveModel(shares, statistics.discrete, table, *numeric_terms(statistics, memory.numeric))

        return memory.cached("model", build)

    def _scores(self, table: Table, scale: Scale, *, threads: int) -> FloatArray:
        model, instances = self._model(), self._stored().instances
        if scale == Scale.JOINT or self._normalises():
            return model.scores(instances, table, scale, threads=threads)
        logs = normalise(model.scores(instances, table, Scale.JOINT, threads=threads), self._estimates.policy)
        return logs if scale == Scale.LOG_PROBABILITY else np.exp(logs)

    def _normalises(self) -> bool:
        """Whether probabilities are joint probabilities divided by their sum, and no policy has a say in it."""
        return isinstance(self._estimates.policy, (KeepZeros, ParamFloor))

    def _left_out(self, scale: Scale) -> FloatArray:
        memory, statistics, weights = self._answering(), self._statistics(), self._weights()
        threads, estimates = self._threads(), self._estimates
        first = scale if self._normalises() else Scale.JOINT
        found = left_out_scores(memory, statistics, weights, estimates, first, threads=threads)
        if first == scale:
            return found
        logs = normalise(found, estimates.policy)
        return np.exp(logs) if scale == Scale.PROBABILITY else logs
