"""Naive Bayes with three predictive distributions, and what all additive Bayes classifiers can be asked."""

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
from priorcase.bayes.additive import AdditiveModel, Cells, Density, Estimates, KeepZeros, ParamFloor, Scale, TextTerms
from priorcase.bayes.classifier import BayesClassifier
from priorcase.bayes.memory import FIRST, Statistics, slots_of
from priorcase.bayes.numeric import DENSITIES, PLUG_IN, FittedKernels, GaussianDensity, KernelDensity, Moments, Student
from priorcase.bayes.priors import Auto, Prior, PriorWeights, SymmetricPrior
from priorcase.bayes.results import Contributions, JointDistribution
from priorcase.bayes.words import Words
from priorcase.exceptions import NotAvailableError, ParameterError, quoted
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.state import reads
from priorcase.schema import CategoricalFeatures, Table


class AdditiveBayes(BayesClassifier):
    """Base of `NaiveBayes` and `SubsetAveragedBayes`, which have Dirichlet priors and an additive model."""

    _estimates: Estimates = Estimates()

    @property
    @reads
    def prior_(self) -> Prior:
        """The prior in use; with ``prior="auto"`` the one that was chosen."""
        return self._weights().prior

    @reads
    def contributions(self, X: Any, *, versus: Value | None = None) -> Contributions:
        """What each attribute adds to the log-odds of the predicted class against another, for each query.

        ``ln P(p) - ln P(v) = (ln a_p - ln a_v) + sum_i (ln phi_pi - ln phi_vi)``: one part for the class prior and one
        for each attribute, positive where it favours the predicted class p. A missing attribute adds nothing, unless
        missing is a value. Parts of parameters that are zero are infinite. ``versus`` is the class to compare with; by
        default, and where it is the predicted class, the most probable of the other classes.

        Examples
        --------
        >>> import priorcase as pc
        >>> X = [["red", "S"], ["red", "M"], ["blue", "M"], ["blue", "M"], ["blue", None]]
        >>> pc.NaiveBayes().fit(X, ["no", "no", "yes", "yes", "yes"]).contributions([["red", "S"]])
        query 0: no 0.8491 against yes 0.1509
          part      value  contribution
          prior                 -0.2877
          x0        red         +1.3218
          x1        S           +0.6931
          log-odds              +1.7272
        """
        return columns.contributions(self, X, versus)

    @reads
    def predict_column(
        self, X: Any, column: Name, *, y: Any = None, return_proba: bool = False
    ) -> AnyArray | tuple[AnyArray, FloatArray]:
        """The most probable value of a column for each query, or its expected number, from all other columns.

        ``P(v | known) = sum_k P(k | known) phi_k(v)``, as in `predict_joint`; of equally probable values the first in
        the order of `column_values`. A column in bins gives an `Interval`; one with a density gives the expected number
        ``sum_k P(k | known) m_k``, where m is the mean of the class's density (for ``"student"`` its centre).

        Parameters
        ----------
        X, y
            Queries, in which the column may be absent, and their classes where these are known, otherwise None.
        column
            Its name or position. ``"class"``, or ``TARGET`` of ``priorcase.bayes``, is the class.
        return_proba
            Whether to return the probabilities too, shape (queries, values), in the order of `column_values`.

        Examples
        --------
        >>> import priorcase as pc
        >>> X = [["red", 31.0], ["red", 29.0], ["blue", 62.0], ["blue", None]]
        >>> model = pc.NaiveBayes(numeric="student").fit(X, ["no", "no", "yes", "yes"])
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
        are normalised over all combinations, so a marginal may differ from the distribution of fewer targets.
        ``targets`` are columns that have a list of values: nominal, ordinal, or numeric and cut into bins. Names, X and
        y are as in `predict_column`.

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
        """
        return columns.predict_joint(self, X, targets, y)

    # -- for subclasses

    def _model(self) -> AdditiveModel:
        """What the class and each attribute add to the joint logs."""
        return self._answering().cached("model", self._new_model)

    @abstractmethod
    def _new_model(self) -> AdditiveModel: ...

    def _counts_evidence(self, statistics: Statistics, weights: PriorWeights) -> float:
        """What ``prior="auto"`` makes largest."""
        return priors.counts_evidence(statistics, weights)

    def _weights(self) -> PriorWeights:
        """The weights of the cells and classes of the stored rows."""
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
        """The scale to compute: joint logs where the policy changes what becomes of them."""
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
    """Naive Bayes classifier for mixed tables with missing values.

    The joint probability of a class k and a row's values is ``a_k prod_i phi_ki``, where a is the share of the class
    and phi the share of the value among the rows of the class, or the density of a number. Values may be missing. Rows
    can be added (`partial_fit`, `merge`) and forgotten (`forget`) at any time; every answer is then that of a fresh fit
    on the rows that are left, bit for bit. Several threads may ask while another one adds or forgets rows.

    Parameters
    ----------
    predictive
        How shares are predicted from counts. ``"evidence"``: the average over all parameters,
        ``(f + s) / (h + sum s)``: no value is impossible. ``"map"``: the most probable parameters,
        ``(f + s - 1) / (h + sum s - n)``; with weight 1 the relative frequencies. ``"sc"``: stochastic complexity, the
        class with which all rows have the largest maximum likelihood; ``prior`` is then for ``log_evidence_`` only.
    prior
        Dirichlet weights s of values and classes: a number; ``"jeffreys"`` (1/2); ``"laplace"`` (1); ``"bdeu"`` or
        ``BDeu(s)``: ``s / (K n)``; ``MEstimate(m)``: ``m / n``; ``"auto"``: the weight that makes the stored rows most
        probable (`prior_`); or a mapping from column to weights, see `PerAttribute`.
    class_prior
        The same for the classes alone: a number, one for each in ``classes_``, or a mapping from class to number; None
        for what ``prior`` says.
    numeric
        For numbers. ``"mdl"``: as many bins as the classes justify (`MDL`); other bins whose cut points are learned
        from the rows: ``"equal_width"``, ``"equal_frequency"``, ``"kmeans"``, ``"two_way"``; bins fixed by `CutPoints`;
        or a density: ``"student"``, the average over all normal densities under a weak Normal-Gamma prior (`Student`),
        ``"gaussian"`` (`GaussianDensity`) and ``"kernel"`` (`KernelDensity`). A mapping from column to one of these
        leaves the other columns at ``"mdl"``.
    missing
        ``"ignore"``: an attribute that is missing drops out of that row, in counts and queries alike. ``"value"``:
        missing in a nominal, ordinal or binned column is one more value.
    zero_policy
        For ``predictive="map"``. ``"-inf"``: a zero stays a zero, and where every class is impossible each gets 1/K.
        ``"cap100"`` or ``Cap(nats)``: an impossible class has log-probability -100. ``"param_floor"`` or
        ``ParamFloor(floor)``: no parameter is below 1e-4.
    keep_rows
        False keeps counts of the rows, and not the rows: answers are the same, and memory does not grow with the number
        of rows. Rows are then forgotten by content (`forget_rows`), not by id, and what needs rows is not available:
        ``ids_``, leave-one-out, texts, dates and sets, kernel densities and sample weights. Cut points follow
        every change while a column has at most 131,072 distinct numbers; with more, `fit` learns them from a sample of
        the distinct numbers that does not depend on the order of the rows, reads the rows again to count by them, and
        they stay.
    categorical_features, schema, n_jobs
        As in `KNNClassifier`.

    Attributes
    ----------
    log_evidence_
        The log marginal likelihood of the stored rows (with ``"student"``: given the mean and spread of all rows).
    prior_, cut_points_, classes_, class_count_, ids_, n_samples_fit_, schema_, n_features_in_, feature_names_in_
        What was learned.

    Notes
    -----
    Some columns are several attributes. A date is the time elapsed, a number, and where they count the month, the day
    of the week and the hour (`priorcase.Date`). A circular number is cut into twelve arcs, or by the bins that
    ``numeric`` names for the column. A set has an attribute for each member that some row has: whether it has it. A
    text is a sequence of words, each drawn with the probabilities of its class: for ``"map"`` multinomial naive Bayes
    with the smoothing ``prior - 1``, for ``"evidence"`` its average over all probabilities (Dirichlet-multinomial).
    Members and words that no row has are ignored. Contributions are the sums over the attributes of a column.

    An attribute has the values that some row holds or that are declared. A query with another one is answered as if
    that value had been declared. A numeric column that has no two different known values is left out. Where a number is
    so far out that its density is 0 in every class, each class gets 1/K. A row of weight 2 counts as two rows.

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
        """The log of the marginal likelihood of the stored rows and their classes, natural logarithm."""
        memory, statistics = self._attributes(), self._statistics()
        total = 0.0
        for a, strategy in enumerate(memory.numeric):
            if isinstance(strategy, PLUG_IN):
                label = memory.instances.schema.label(a)
                raise NotAvailableError(
                    f"not defined: the parameters of the density of column {label!r} are estimated, not averaged over. "
                    "Fit with numeric='student', or with bins such as 'mdl'"
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
                f"zero_policy={quoted(self.zero_policy)} needs predictive='map': predictive={self.predictive!r} gives "
                "nothing probability zero"
            )
        self._estimates = Estimates(self.predictive, policy)

    def _new_model(self) -> AdditiveModel:
        memory, statistics, weights = self._attributes(), self._statistics(), self._weights()
        shares = self._estimates.log_shares(additive.class_cells(statistics.class_counts, weights.classes))
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
        classes = additive.class_cells(statistics.class_counts, weights.classes)
        first = Scale.JOINT
        if row_weights is None:  # a look-up for each row: tables with one row less in the row's own class
            less = estimates.log_shares(cells.without(1.0))
            less = additive.with_missing(less, discrete, np.zeros_like(discrete.totals))
            if discrete.once is not None:
                less[discrete.once] = 0.0
            without, same = _class_logs(classes, estimates, np.arange(n), np.ones(n)), np.eye(n, dtype=np.bool_)
            others = np.where(same, -np.inf, without)[classes.count > 0].max(axis=0)
            alike = bool((same | (without == others))[classes.count > 0].all())  # whichever class lost the row
            if alike and not any(isinstance(strategy, (*DENSITIES, Words)) for strategy in memory.numeric):
                first = wanted
            scorer = additive.discrete_scorer(others if alike else np.zeros(n), table, discrete)
            scorer.leave_out(without.diagonal().copy() if alike else np.zeros(n), np.ascontiguousarray(less))
            joint = np.empty((len(instances), n))
            stored, known = [instances.column(a) for a in range(len(instances.schema))], statistics.codes >= 0
            slots = np.zeros(int(statistics.codes.max(initial=-1)) + 2, np.int32)  # by code, after that of no class
            slots[statistics.codes[known] + 1] = np.flatnonzero(known) + FIRST
            nothing = [None] * len(stored)
            scorer.score_left_out(stored, nothing, instances.target(), slots, first, self._threads(), joint)
            if not alike:
                joint += without[own]
        else:  # each row takes its own weight out of its cells
            joint, rows = _class_logs(classes, estimates, own, row_weights), np.arange(len(instances))
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


def _class_logs(cells: Cells, estimates: Estimates, own: IntArray, row_weights: FloatArray) -> FloatArray:
    """Log-shares of all classes without each of some rows, of classes ``own``: (rows, classes)."""
    count, weight = cells.count[own], cells.weight[own]
    counts = np.repeat(cells.count[np.newaxis], len(own), axis=0)
    counts[np.arange(len(own)), own] = _less(count, row_weights)
    # What the mass loses, for which "map" alone asks: less than the row's weight where a Dirichlet weight is below 1.
    losses = np.where(count - row_weights + (weight - 1.0) >= 0.0, row_weights, cells.peak[own])
    total, mass = _less(cells.total, row_weights), _less(cells.mass, losses)
    return estimates.log_shares(replace(cells, count=counts, total=total[:, np.newaxis], mass=mass[:, np.newaxis]))


def _less(amount: FloatArray, gone: FloatArray) -> FloatArray:
    return np.maximum(amount - gone, 0.0)
