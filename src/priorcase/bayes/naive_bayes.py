"""Naive Bayes with three predictive distributions, and the base class of the additive Bayes classifiers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from priorcase._core import normalise_rows
from priorcase._typing import AnyArray, FloatArray, IntArray, Name, Value
from priorcase.bayes import additive, columns, numeric, priors
from priorcase.bayes.additive import AdditiveModel, Density, Estimates, KeepZeros, ParamFloor, Scale, TextTerms
from priorcase.bayes.classifier import BayesClassifier
from priorcase.bayes.memory import FIRST, Statistics, slots_of
from priorcase.bayes.numeric import DENSITIES, PLUG_IN, FittedKernels, GaussianDensity, KernelDensity, Moments, Student
from priorcase.bayes.priors import Auto, ClassPrior, Prior, PriorWeights, SymmetricPrior
from priorcase.bayes.results import Contributions, JointDistribution
from priorcase.bayes.words import Words
from priorcase.exceptions import NotAvailableError, ParameterError, quoted
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.state import reads
from priorcase.schema import CategoricalFeatures, Table


class AdditiveBayes(BayesClassifier):
    """Base class of `NaiveBayes` and `SubsetAveragedBayes`, which have Dirichlet priors and an additive model."""

    _estimates: Estimates = Estimates()

    @property
    @reads
    def prior_(self) -> Prior:
        """Prior in use; with ``prior="auto"``, the selected prior."""
        return self._weights().prior

    @reads
    def contributions(self, X: Any, *, versus: Value | None = None) -> Contributions:
        """Explain by column the log-odds of the predicted class against ``versus`` (default: the runner-up class)."""
        return columns.contributions(self, X, versus)

    @reads
    def predict_column(
        self, X: Any, column: Name, *, y: Any = None, return_proba: bool = False
    ) -> AnyArray | tuple[AnyArray, FloatArray]:
        """Predict a column, or ``"class"``, from all other columns and known classes ``y``.

        The result is the most probable value or `Interval`, or a mean; ``return_proba`` adds all probabilities.
        """
        return columns.predict_column(self, X, column, y, return_proba)

    @reads
    def column_values(self, column: Name) -> AnyArray:
        """Return the values (or bins) of a column in the order used by `predict_column` and `predict_joint`."""
        return columns.column_values(self, column)

    @reads
    def predict_joint(self, X: Any, targets: Sequence[Name], y: Any = None) -> JointDistribution:
        """Predict nominal, ordinal or binned columns, or ``"class"``, jointly from all other columns."""
        return columns.predict_joint(self, X, targets, y)

    # -- for subclasses

    def _model(self) -> AdditiveModel:
        return self._answering().cached("model", self._new_model)

    @abstractmethod
    def _new_model(self) -> AdditiveModel: ...

    def _counts_evidence(self, statistics: Statistics, weights: PriorWeights) -> float:
        """Return the log marginal likelihood that ``prior="auto"`` maximizes."""
        return priors.counts_evidence(statistics, weights)

    def _weights(self) -> PriorWeights:
        memory, statistics = self._attributes(), self._statistics()

        def weights() -> PriorWeights:
            spec = self._part_prior(), self._class_prior
            return priors.prior_weights(*spec, statistics, memory.instances, self._counts_evidence)

        return self._answering().cached("weights", weights)

    def _scores(self, table: Table, scale: Scale, *, threads: int) -> FloatArray:
        first = self._first_scale(scale)
        memory = self._answering()
        queries, instances = memory.taken_apart(table), memory.attributes().instances
        found = self._model().scores(instances, queries, first, threads=threads)
        return self._rescaled(found, first, scale)

    def _first_scale(self, scale: Scale) -> Scale:
        """Return the scale in which scores are computed first; the zero policy may need joint log-probabilities."""
        return scale if type(self._estimates.policy) in (KeepZeros, ParamFloor) else Scale.JOINT

    def _rescaled(self, scores: FloatArray, first: Scale, scale: Scale) -> FloatArray:
        if first == scale:
            return scores
        logs = self._log_probabilities(scores)
        return np.exp(logs) if scale == Scale.PROBABILITY else logs

    def _log_probabilities(self, joint: FloatArray) -> FloatArray:
        return additive.normalise(joint, self._estimates.policy)

    def _check_rows(self) -> None:
        super()._check_rows()
        if self._class_prior is not None or not isinstance(self._prior, (Auto, SymmetricPrior)):
            self._weights()


class NaiveBayes(AdditiveBayes):
    """Naive Bayes classifier for tables with mixed columns and missing values.

    The joint probability is ``a_k prod_i phi_ki``: a_k for class k, and phi_ki (a probability or density) for the value
    of attribute i in class k (Kontkanen et al. 1997; 1998, eqs. 7 to 9). Rows come and go as in `KNNClassifier`.

    Parameters
    ----------
    predictive
        Probability of a value seen in f of h rows, given weights s of n values. ``"sc"``: see `stochastic_complexity`.
        ``"evidence"``: posterior mean, ``(f + s) / (h + sum s)``. ``"map"``: mode, ``(f + s - 1) / (h + sum s - n)``.
        With ``"sc"``, a class without rows (or with one row, left out) can get a probability near 1.
    prior, class_prior
        Dirichlet weights s: a number, ``"jeffreys"`` (1/2), ``"laplace"`` (1), ``"bdeu"`` or ``BDeu(s)``,
        ``MEstimate(m)``, ``"auto"`` (maximizes the marginal likelihood), or a mapping by column (`PerAttribute`).
        ``class_prior``: None (as ``prior``), probabilities (array or mapping), or weights: ``Dirichlet([2, 5])``, 2.0.
    numeric
        Bins (``"mdl"``, ``"equal_width"``, ``"equal_frequency"``, ``"kmeans"``, ``"two_way"``, `CutPoints`), a density
        (``"student"``, ``"gaussian"``, ``"kernel"``), or a mapping from column to one of these.
    missing, zero_policy
        ``"ignore"`` ignores missing values; ``"value"`` counts missing as a value. With ``predictive="map"``,
        ``"-inf"`` keeps zero probabilities, ``"cap100"`` or ``Cap(nats)`` sets the log-probability of impossible
        classes to -100 or -nats, ``"param_floor"`` or ``ParamFloor(floor)`` sets a minimum of 1e-4 or ``floor``.
    keep_rows
        False stores counts, not rows; see `forget_rows`. Leave-one-out, texts, dates, sets, circular columns, kernel
        densities and sample weights other than 1 are then not available.
    categorical_features, schema, n_jobs
        See `KNNClassifier`.

    Attributes
    ----------
    classes_, class_count_, prior_, cut_points_, log_evidence_
        Classes, number of rows of each class, prior, cut points of binned columns, log marginal likelihood of the rows.

    Examples
    --------
    >>> import priorcase as pc
    >>> pc.NaiveBayes().fit([[31, "red"], [62, "blue"], [None, "blue"]], ["no", "yes", "yes"]).predict([[60, None]])
    array(['yes'], dtype='<U3')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BayesClassifier._parameter_constraints,
        "predictive": [StrOptions({"evidence", "map", "sc"})],
    }

    def __init__(
        self,
        predictive: additive.Predictive = "evidence",
        *,
        prior: float | str | Prior | Auto | Mapping[Name, Any] = 1.0,
        class_prior: Any = None,
        numeric: Any = "mdl",
        missing: str = "ignore",
        zero_policy: str | KeepZeros = "-inf",
        keep_rows: bool = True,
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
        self.keep_rows = keep_rows
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    @property
    @reads
    def log_evidence_(self) -> float:
        """Log marginal likelihood of the stored rows and their classes."""
        memory, statistics = self._attributes(), self._statistics()
        total = 0.0
        for a, strategy in enumerate(memory.numeric):
            if isinstance(strategy, PLUG_IN):
                label = memory.instances.schema.label(a)
                raise NotAvailableError(
                    f"the log evidence is undefined, because the parameters of the density of column {label!r} are "
                    "estimated, not integrated out. Fit with numeric='student', or with bins such as 'mdl'."
                )
            if isinstance(strategy, Student):
                total += strategy.log_marginal(statistics.moments[a])[statistics.codes].sum()
        return priors.counts_evidence(statistics, self._weights()) + float(total)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        priors.check_prior_goes_with(self.prior, self.predictive)
        policy = additive.resolve_zero_policy(self.zero_policy)
        if self.predictive != "map" and policy != KeepZeros():
            raise ParameterError(
                f"zero_policy={quoted(self.zero_policy)} needs predictive='map': with predictive={self.predictive!r} "
                "no probability is zero"
            )
        self._estimates = Estimates(self.predictive, policy)

    def _new_model(self) -> AdditiveModel:
        memory, statistics, weights = self._attributes(), self._statistics(), self._weights()
        shares = self._estimates.log_class_shares(statistics.class_counts, weights.classes)
        table = additive.value_table(statistics.discrete, weights.cells, self._estimates)
        kernels: dict[int, FittedKernels] = {}
        columns: dict[Student | GaussianDensity, list[int]] = {}
        for a, strategy in enumerate(memory.numeric):
            if isinstance(strategy, (Student, GaussianDensity)):
                columns.setdefault(strategy, []).append(a)
            elif isinstance(strategy, KernelDensity):
                kernels[a] = strategy.fit(memory.samples(a, statistics.codes))
        densities: dict[int, Density] = {}
        for density, attributes in columns.items():
            moments = Moments.stacked([statistics.moments[a] for a in attributes])
            parameters, normal = density.parameters(moments)[:, statistics.codes], isinstance(density, GaussianDensity)
            densities |= {a: Density(own, normal) for a, own in zip(attributes, parameters, strict=True)}
        counts = statistics.texts.items()
        texts = {a: TextTerms(words, weights.words[a], self._estimates) for a, words in counts}
        return AdditiveModel(shares, statistics.discrete, table, densities, kernels, texts)

    def _left_out(self, scale: Scale) -> FloatArray:
        memory, statistics, weights = self._attributes(), self._statistics(), self._weights()
        wanted, estimates, n = self._first_scale(scale), self._estimates, statistics.n_classes
        instances, discrete = memory.instances, statistics.discrete
        own, row_weights = memory.class_positions(statistics.codes), instances.weights
        table = additive.value_table(discrete, weights.cells, estimates)
        if discrete.once is not None:
            table[discrete.once] = 0.0
        cells = additive.value_cells(discrete, weights.cells)
        counts, first = statistics.class_counts, Scale.JOINT
        if row_weights is None:  # one lookup per row, in tables with one row fewer in the row's own class
            less = estimates.log_shares(cells.without(1.0))
            less = additive.with_missing(less, discrete, np.zeros_like(discrete.totals))
            if discrete.once is not None:
                less[discrete.once] = 0.0
            without = _class_logs(counts, weights.classes, estimates, np.arange(n), np.ones(n))
            same = np.eye(n, dtype=np.bool_)
            others = np.where(same, -np.inf, without)[counts > 0].max(axis=0)
            alike = bool((same | (without == others))[counts > 0].all())  # regardless of the row's class
            if alike and not any(isinstance(strategy, (*DENSITIES, Words)) for strategy in memory.numeric):
                first = wanted
            scorer = additive.discrete_scorer(others if alike else np.zeros(n), table, discrete)
            scorer.leave_out(without.diagonal().copy() if alike else np.zeros(n), np.ascontiguousarray(less))
            joint = np.empty((len(instances), n))
            stored, known = [instances.column(a) for a in range(len(instances.schema))], statistics.codes >= 0
            slots = np.zeros(int(statistics.codes.max(initial=-1)) + 2, np.int32)  # by code, offset by one
            slots[statistics.codes[known] + 1] = np.flatnonzero(known) + FIRST
            nothing = [None] * len(stored)
            scorer.score_left_out(stored, nothing, instances.target(), slots, first, self._threads(), joint)
            if not alike:
                joint += without[own]
        else:  # each row's weight is removed from its cells
            joint = _class_logs(counts, weights.classes, estimates, own, row_weights)
            rows = np.arange(len(instances))
            for d, a in enumerate(discrete.attributes):
                at = discrete.starts[d] + slots_of(instances.column(a), discrete.cuts[d])
                added, counted = table[at], discrete.left_out[at]
                left_cells = cells.picked(at[counted], own[counted]).without(row_weights[counted])
                added[rows[counted], own[counted]] = estimates.log_shares(left_cells)
                joint += added
        for a, strategy in enumerate(memory.numeric):
            column = instances.column(a)
            if isinstance(strategy, (Student, GaussianDensity)):
                codes = instances.target().astype(np.intp)
                logs = numeric.loo_log_densities(strategy, statistics.moments[a], column, codes, row_weights)
                joint += logs[:, statistics.codes]
            elif isinstance(strategy, KernelDensity):
                joint += self._model().kernels[a].log_density(column, own, row_weights)
        for a, words in statistics.texts.items():
            label, vocabulary = instances.schema.label(a), words.words
            joint += words.left_out(partial(priors.word_weights, weights.prior, label, vocabulary, n), estimates)[0]
        if first != wanted:
            joint = normalise_rows(joint, wanted, self._threads())
        return self._rescaled(joint, wanted, scale)


# -- leave-one-out


def _class_logs(
    class_counts: FloatArray, prior: ClassPrior, estimates: Estimates, own: IntArray, row_weights: FloatArray
) -> FloatArray:
    """Return the log-probability of each class when each row is left out in turn, shape (rows, classes)."""
    if prior.fixed:
        return np.repeat(np.log(prior.weights)[np.newaxis], len(own), axis=0)
    cells = additive.class_cells(class_counts, prior.weights)
    count, weight = cells.count[own], cells.weight[own]
    counts = np.repeat(cells.count[np.newaxis], len(own), axis=0)
    counts[np.arange(len(own)), own] = _less(count, row_weights)
    # The decrease of the mass (used by "map" only) is less than the row's weight if a Dirichlet weight is below 1.
    losses = np.where(count - row_weights + (weight - 1.0) >= 0.0, row_weights, cells.peak[own])
    total, mass = _less(cells.total, row_weights), _less(cells.mass, losses)
    return estimates.log_shares(replace(cells, count=counts, total=total[:, np.newaxis], mass=mass[:, np.newaxis]))


def _less(amount: FloatArray, gone: FloatArray) -> FloatArray:
    return np.maximum(amount - gone, 0.0)
