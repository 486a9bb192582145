"""Naive Bayes averaged over all subsets of the attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from priorcase._core import normalise_rows
from priorcase._typing import FloatArray, Name
from priorcase.bayes.additive import AdditiveModel, Scale
from priorcase.bayes.any_column import AnyColumnMixin
from priorcase.bayes.contributions import ContributionsMixin
from priorcase.bayes.dirichlet_classifier import DirichletClassifier
from priorcase.bayes.inclusion import Inclusion, check_inclusion, resolve_inclusion
from priorcase.bayes.joint import JointMixin
from priorcase.bayes.memory import BayesMemory
from priorcase.bayes.numeric import Numeric, resolve_numeric
from priorcase.bayes.numeric_terms import PLUG_IN
from priorcase.bayes.predictive import log_marginal
from priorcase.bayes.priors import Auto, Prior
from priorcase.bayes.relevance import Relevance
from priorcase.bayes.subset_evidence import SubsetEvidence, SubsetWeights, subset_evidence, subset_weights
from priorcase.bayes.subset_loo import left_out_joint_logs
from priorcase.bayes.subset_model import subset_model
from priorcase.exceptions import ParameterError
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.state import reads
from priorcase.schema import CategoricalFeatures, Schema, Table


class SubsetAveragedBayes(JointMixin, AnyColumnMixin, ContributionsMixin, DirichletClassifier):
    """The average of all naive Bayes classifiers, one for each subset of the attributes, and which attributes matter.

    Each attribute may depend on the class or not. There are ``2^A`` naive Bayes models, one for each set of attributes
    that do; each predicts by the evidence, and each counts by its posterior probability. Their average is

    ``P(k, q) = a_k prod_i [ r_i phi_ki + (1 - r_i) psi_i ]``,

    with the share of the value in the class, ``phi = (f + s) / (h + sum s)``, its share among all rows,
    ``psi = (F + t) / (N + sum t)``, and the posterior probability that the attribute matters,
    ``r_i = p E1 / (p E1 + (1 - p) E0)``: E1 is the marginal likelihood of its values where each class has its own
    distribution, E0 that where all have the same, p the prior probability. A single pass over the attributes gives the
    sum over all subsets, exactly.

    Rows may mix numbers, ordered levels and values, with gaps. Rows can be added (`partial_fit`, `merge`) and forgotten
    (`forget`) at any time; every answer is then that of a fresh fit on the rows that are left, bit for bit. Parameters
    take effect at `fit` (or at the first `partial_fit`), ``n_jobs`` at once. Several threads may ask while another one
    adds or forgets rows.

    Parameters
    ----------
    prior
        Dirichlet weights s of values and classes, as in `NaiveBayes`; ``"auto"`` takes the weight with the largest sum
        over all subsets. An attribute that does not matter is weighed as if there were a single class: t is the weight
        s of the value, under ``BDeu(s)`` it is ``s / n``, and weights given by class and value are averaged over the
        classes.
    class_prior
        The same for the classes alone, as in `NaiveBayes`.
    inclusion
        The prior probability p that an attribute matters: a number from 0 to 1, one for each attribute, or a mapping
        from attribute to number (1/2 for the others). With 1/2 all subsets are equally probable; with 1 for all
        attributes this is `NaiveBayes`.
    numeric
        What to do with numeric columns: ``"student"`` (`Student`), where each class has a mean and a variance of its
        own or all have the same; or bins, as in `NaiveBayes`. ``"gaussian"`` and ``"kernel"`` are refused: they have no
        marginal likelihood.
    missing, categorical_features, schema, n_jobs
        As in `NaiveBayes`.

    Attributes
    ----------
    relevance_
        The posterior probability that each attribute matters, in schema order; `relevance_table` prints it.
    log_evidence_
        The log of the probability of the stored rows, all subsets added up.
    prior_, cut_points_
        The prior in use, and the cut points of columns in bins.
    classes_, class_count_
        The classes in ascending order, and how many rows each has.
    ids_, n_samples_fit_, schema_, n_features_in_, feature_names_in_
        The stored rows, and what their columns mean.

    Notes
    -----
    **Values never seen.** A query with a value that no row holds and that was not declared is answered as if it had
    been declared: r is then that of the attribute with one more value, too. ``relevance_`` stays as it is.

    **Nothing to go by.** An attribute that has a single value, or no known one, keeps its prior probability.

    **Weights are repetitions**: a row of weight 2 counts as two rows, one of weight 0 is as absent.

    References
    ----------
    D. Dash & G. F. Cooper: Exact model averaging with naive Bayesian classifiers, 2002, and Model averaging for
    prediction with discrete Bayesian networks, 2004. The sum over model classes is eq. 4 of P. Kontkanen, P. Myllymäki,
    T. Silander & H. Tirri: Bayes optimal instance-based learning, 1998.

    Examples
    --------
    >>> import pandas as pd
    >>> import priorcase as pc
    >>> X = pd.DataFrame({"age": [31, 29, 30, 62, 60, 65], "colour": ["red", "blue", "red", "blue", "red", "blue"]})
    >>> model = pc.SubsetAveragedBayes().fit(X, ["no", "no", "no", "yes", "yes", "yes"])
    >>> model.relevance_table()
    attribute  matters  log-odds
    age         0.9120     +2.34
    colour      0.4930     -0.03
    >>> model.predict(X.iloc[[0, 5]]), model.loo_predict_proba().shape
    (array(['no', 'yes'], dtype='<U3'), (6, 2))
    """

    _inclusion: FloatArray

    def __init__(
        self,
        *,
        prior: float | str | Prior | Auto | Mapping[Name, Any] = 1.0,
        class_prior: Any = None,
        inclusion: Inclusion = 0.5,
        numeric: Any = "student",
        missing: str = "ignore",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.prior = prior
        self.class_prior = class_prior
        self.inclusion = inclusion
        self.numeric = numeric
        self.missing = missing
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    # -- what was learned

    @property
    @reads
    def relevance_(self) -> FloatArray:
        """The posterior probability that each attribute matters, in schema order."""
        return self._evidence().relevance

    @reads
    def relevance_table(self) -> Relevance:
        """The posterior probability that each attribute matters, by its label; prints as a table."""
        evidence, schema = self._evidence(), self.schema_
        labels = tuple(schema.label(a) for a in range(len(schema)))
        return Relevance(labels, evidence.relevance, evidence.log_odds.copy(), self._backend)

    @property
    @reads
    def log_evidence_(self) -> float:
        """The log of the marginal likelihood of the stored rows and their classes, summed over all subsets."""
        evidence, weights = self._evidence(), self._weights()
        classes = log_marginal(self._statistics().class_counts, weights.own.classes)
        return float(classes) + float(evidence.log_totals.sum())

    # -- inside

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_inclusion(self.inclusion)
        if not isinstance(self.numeric, Mapping):
            self._check_strategies([resolve_numeric(self.numeric)])

    def _check_strategies(self, strategies: list[Numeric | None]) -> None:
        if any(isinstance(strategy, PLUG_IN) for strategy in strategies):
            expected = "'student' or a way to cut numbers into bins"
            hint = "subsets count by marginal likelihoods, which 'gaussian' and 'kernel' do not have."
            raise ParameterError.wrong("numeric", self.numeric, expected=expected, hint=hint)

    def _new_memory(self, schema: Schema, targets: Schema | None) -> BayesMemory:
        self._inclusion = resolve_inclusion(self.inclusion, schema)
        return super()._new_memory(schema, targets)

    def _strategies(self, schema: Schema) -> list[Numeric | None]:
        strategies = super()._strategies(schema)
        self._check_strategies(strategies)
        return strategies

    def _prior_in_use(self) -> Prior:
        return self._weights().own.prior

    def _weights(self) -> SubsetWeights:
        memory, statistics = self._answering(), self._statistics()

        def settled() -> SubsetWeights:
            return subset_weights(self._prior, self._class_prior, self._inclusion, statistics, memory.instances)

        return memory.cached("subset weights", settled)

    def _evidence(self) -> SubsetEvidence:
        memory, statistics, weights = self._answering(), self._statistics(), self._weights()
        return memory.cached("evidence", lambda: subset_evidence(statistics, weights, memory.numeric, self._inclusion))

    def _model(self) -> AdditiveModel:
        memory, statistics, weights = self._answering(), self._statistics(), self._weights()
        evidence = self._evidence()
        return memory.cached("model", lambda: subset_model(statistics, weights, evidence, memory.numeric))

    def _scores(self, table: Table, scale: Scale, *, threads: int) -> FloatArray:
        return self._model().scores(self._stored().instances, table, scale, threads=threads)

    def _left_out(self, scale: Scale) -> FloatArray:
        statistics, weights, evidence = self._statistics(), self._weights(), self._evidence()
        joint = left_out_joint_logs(self._answering(), statistics, weights, evidence)
        normalise_rows(joint, scale)
        return joint
