"""Naive Bayes with three predictive distributions."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from priorcase.bayes.additive import AdditiveModel, Scale
from priorcase.bayes.any_column import AnyColumnMixin
from priorcase.bayes.classifier import check_last_rows, taken
from priorcase.bayes.contributions import ContributionsMixin
from priorcase.bayes.discretise import CutPoints
from priorcase.bayes.joint import JointMixin
from priorcase.bayes.leave_one_out import left_out_scores
from priorcase.bayes.memory import BayesMemory
from priorcase.bayes.numeric_terms import PLUG_IN, numbers_evidence, numeric_terms
from priorcase.bayes.prior_weights import PriorWeights, counts_evidence, prior_weights
from priorcase.bayes.priors import Auto, PerAttribute, Prior, check_prior_goes_with, resolve_prior
from priorcase.bayes.shares import PREDICTIVES, Predictive, log_shares
from priorcase.bayes.tables import Estimates, class_cells, value_table
from priorcase.bayes.zeros import KeepZeros, ParamFloor, ZeroPolicy, normalise, resolve_zero_policy
from priorcase.exceptions import NoEvidenceError, ParameterError, TooFewRowsError
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.parameters import check_choice, is_list
from priorcase.learning.sharing import reads
from priorcase.schema import CategoricalFeatures, Schema, Table
from priorcase.typing import FloatArray, Name


class NaiveBayes(JointMixin, AnyColumnMixin, ContributionsMixin):
    """The most probable class, by counts of each attribute in each class, and an honest probability of it.

    The joint probability of a class k and a row's values is ``a_k prod_i phi_ki``, where a is the share of the class
    and phi the share of the value among the rows of the class. How shares are predicted from counts is the choice of
    ``predictive``. Rows may mix numbers, ordered levels and values, with gaps. Rows can be added (`partial_fit`,
    `merge`) and forgotten (`forget`) at any time; every answer is then that of a fresh fit on the rows that are left,
    bit for bit. Parameters take effect at `fit` (or at the first `partial_fit`), ``n_jobs`` at once. Several threads
    may ask while another one adds or forgets rows.

    Beside the class, any column can be predicted (`predict_column`), or several at once (`predict_joint`); what speaks
    for a class is told by `contributions`.

    Parameters
    ----------
    predictive
        ``"evidence"``: the average over all parameters, ``(f + s) / (h + sum s)``: no value is impossible, and few rows
        do not claim certainty. ``"map"``: the most probable parameters, ``(f + s - 1) / (h + sum s - n)``; with
        weight 1 the relative frequencies. ``"sc"``: stochastic complexity: the class with which the rows together with
        the new one have the largest maximum likelihood; knows no prior (``prior`` is then for ``log_evidence_``
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
        What to do with numeric columns: ``"student"``: the average over all normal densities under a weak Normal-Gamma
        prior (`Student`); ``"gaussian"``: the normal density with the class's mean and variance (`Gaussian`);
        ``"kernel"`` (`KernelDensity`); or bins, whose cut points are learned from the stored rows only:
        ``"equal_width"``, ``"equal_frequency"``, ``"kmeans"``, ``"mdl"``, ``"two_way"``, or fixed by `CutPoints`. A
        mapping from column to one of these leaves the other columns at ``"student"``.
    missing
        ``"ignore"``: an attribute that is missing drops out of that row, in counts and queries alike. ``"value"``: a
        gap in a nominal, ordinal or binned column is one more value.
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

    **Weights are repetitions**: a row of weight 2 counts as two rows, one of weight 0 is as absent.

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
    def prior_(self) -> Prior:
        """The prior in use; with ``prior="auto"`` the one that was chosen."""
        return self._weights("prior_").prior

    @property
    @reads
    def log_evidence_(self) -> float:
        """The log of the marginal likelihood of the stored rows and their classes, natural logarithm."""
        memory = self._answering("log_evidence_")
        if plugged := [a for a, strategy in enumerate(memory.numeric) if isinstance(strategy, PLUG_IN)]:
            labels = [memory.instances.schema.label(a) for a in plugged]
            raise NoEvidenceError.plug_in(f"{type(self).__name__}.log_evidence_", labels)
        weights, statistics = self._weights("log_evidence_"), self._statistics("log_evidence_")
        return counts_evidence(statistics, weights) + numbers_evidence(statistics, memory.numeric)

    @reads
    def loo_predict_proba(self, *, relearn: bool = False) -> FloatArray:
        """For each stored row, in the order of ``ids_``, the class probabilities of a fit without it.

        In closed form: counts and sums with one row less, not a fit for each row. Its class stays one of ``classes_``,
        and whatever is chosen by looking at all rows stays chosen: cut points, and the weight of ``prior="auto"``.

        Parameters
        ----------
        relearn
            Choose cut points and the weight anew without each row. Where there is something to choose, it takes a fit
            for each row.
        """
        memory = self._answering("loo_predict_proba")
        if len(memory) < 2:
            raise TooFewRowsError.nothing_else(self._caller("loo_predict_proba"))
        if relearn and self._chooses():
            return self._refit_without_each()
        statistics, weights = self._statistics("loo_predict_proba"), self._weights("loo_predict_proba")
        threads, estimates = self._threads("loo_predict_proba"), self._estimates
        scale = Scale.PROBABILITY if self._normalises() else Scale.JOINT
        found = left_out_scores(memory, statistics, weights, estimates, scale, threads=threads)
        return found if scale == Scale.PROBABILITY else np.exp(normalise(found, estimates.policy))

    # -- inside

    def _check_parameters(self, caller: str) -> None:
        super()._check_parameters(caller)
        hint = "'evidence' averages over all parameters, 'map' takes the most probable, 'sc' the shortest description."
        check_choice("predictive", self.predictive, PREDICTIVES, caller=caller, hint=hint)
        self._prior = resolve_prior(self.prior, caller=caller)
        check_prior_goes_with(self._prior, self.predictive, caller=caller)
        policy = resolve_zero_policy(self.zero_policy, caller=caller)
        if self.predictive != "map" and policy != KeepZeros():
            expected = f"'-inf' with predictive={self.predictive!r}, which gives nothing probability zero"
            hint = "zero policies are for predictive='map'."
            raise ParameterError.wrong(caller, "zero_policy", self.zero_policy, expected=expected, hint=hint)
        self._estimates = Estimates(self.predictive, policy)
        self._class_prior = self.class_prior

    def _new_memory(self, schema: Schema, targets: Schema | None, caller: str) -> BayesMemory:
        if isinstance(self._prior, PerAttribute):
            self._prior = self._prior.by_label(schema, caller=caller)
        return super()._new_memory(schema, targets, caller)

    def _check_rows(self, caller: str) -> None:
        super()._check_rows(caller)
        if self._class_prior is not None or isinstance(self._prior, PerAttribute):
            self._weights(caller.rpartition(".")[2])

    def _check_forgetting(self, ids: ArrayLike, caller: str) -> None:
        by_place = {
            "class_prior": is_list(self._class_prior),
            "prior": isinstance(self._prior, PerAttribute) and self._prior.by_class,
        }
        for parameter in (name for name, given in by_place.items() if given):
            check_last_rows(self._stored().instances, self._labelling, ids, caller=caller, parameter=parameter)

    def _weights(self, method: str) -> PriorWeights:
        memory, statistics = self._answering(method), self._statistics(method)
        caller = self._caller(method)

        def settled() -> PriorWeights:
            return prior_weights(self._prior, self._class_prior, statistics, memory.instances, caller=caller)

        return memory.cached("weights", settled)

    def _model(self, method: str) -> AdditiveModel:
        memory = self._answering(method)

        def build() -> AdditiveModel:
            statistics, weights, estimates = self._statistics(method), self._weights(method), self._estimates
            shares = log_shares(
                class_cells(statistics.class_counts, weights.classes), estimates.predictive, estimates.policy
            )
            table = value_table(statistics.discrete, weights.cells, estimates)
            return AdditiveModel(shares, statistics.discrete, table, *numeric_terms(statistics, memory.numeric))

        return memory.cached("model", build)

    def _scores(self, table: Table, scale: Scale, *, threads: int, method: str) -> FloatArray:
        model, instances = self._model(method), self._stored().instances
        if scale == Scale.JOINT or self._normalises():
            return model.scores(instances, table, scale, threads=threads)
        logs = normalise(model.scores(instances, table, Scale.JOINT, threads=threads), self._estimates.policy)
        return logs if scale == Scale.LOG_PROBABILITY else np.exp(logs)

    def _normalises(self) -> bool:
        """Whether probabilities are joint probabilities divided by their sum, and no policy has a say in it."""
        return isinstance(self._estimates.policy, (KeepZeros, ParamFloor))

    def _chooses(self) -> bool:
        """Whether anything is chosen by looking at all rows."""
        cuts = [strategy for strategy in self._stored().numeric if hasattr(strategy, "cuts")]
        return isinstance(self._prior, Auto) or any(not isinstance(strategy, CutPoints) for strategy in cuts)

    def _refit_without_each(self) -> FloatArray:
        """Leave-one-out the long way: a model of its own for each row, under the parameters of the last fit."""
        memory, labels, method = self._stored(), self._labels(), "loo_predict_proba"
        table, _, _ = self._rows()
        found = np.empty((len(memory), labels.size))
        for row, number in enumerate(memory.ids.tolist()):
            model = copy.copy(self)
            model._memory = copy.deepcopy(memory)
            model._labelling = replace(self._labelling, declared=(labels,))
            model._memory.forget([number], caller=self._caller(method))
            query = taken(table, np.array([row]))
            found[row] = model._scores(query, Scale.PROBABILITY, threads=1, method=method)[0]
        return found
