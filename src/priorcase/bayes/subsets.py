"""Naive Bayes averaged over all subsets of the attributes: classifier, attribute relevance and leave-one-out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, ClassVar, TypeAlias

import numpy as np
from scipy.special import expit, log_expit
from sklearn.utils._param_validation import Interval

from priorcase._core import normalise_rows
from priorcase._locks import cached_property
from priorcase._parameters import check_value, is_number
from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray, Name
from priorcase.bayes import additive, priors
from priorcase.bayes.additive import AdditiveModel, Density, Estimates, Scale, TextTerms
from priorcase.bayes.memory import UNSEEN, BayesMemory, Discrete, Statistics, slots_of
from priorcase.bayes.naive_bayes import AdditiveBayes
from priorcase.bayes.numeric import PLUG_IN, Numeric, Student, blocks_without_each, log_densities
from priorcase.bayes.predictive import log_rising
from priorcase.bayes.priors import Auto, CellWeights, ClassPrior, Dirichlet, Prior, PriorWeights
from priorcase.bayes.results import Relevance
from priorcase.bayes.words import WordCounts
from priorcase.exceptions import ParameterError, quoted
from priorcase.instances import Instances, as_floats
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.state import reads
from priorcase.learning.targets import Labeling
from priorcase.schema import CategoricalFeatures, Schema

Inclusion: TypeAlias = float | Mapping[Name, float] | Any

INCLUSION = 0.05
"""Default prior probability that an attribute is relevant, that is, depends on the class."""

_PROBABILITY = Interval(Real, 0, 1, closed="both")
_EVIDENCE = Estimates("evidence")
_NUMBERS_AT_ONCE = 2**17

# Only the order of the classes matters here, and any objects can be ordered as strings.
_LABELING = Labeling(flat=True, sort="text", batches=((0, np.dtype(object)),))


class SubsetAveragedBayes(AdditiveBayes):
    """Bayesian model average over naive Bayes classifiers with all subsets of the attributes.

    Each of the A attributes may or may not depend on the class, which gives ``2^A`` naive Bayes models. The average of
    the models, weighted by posterior probability, is ``P(k, q) = a_k prod_i [ r_i phi_ki + (1 - r_i) psi_i ]``. Here
    ``a_k`` is the probability of class k, ``phi_ki`` is the probability of the query's value of attribute i in class k,
    and ``psi_i`` is the probability of this value in all rows. The posterior probability that attribute i is relevant
    is ``r_i = p E1 / (p E1 + (1 - p) E0)``. E1 and E0 are the marginal likelihoods of the attribute if it depends on
    the class and if it does not (Dash & Cooper 2002; Kontkanen et al. 1998, eq. 4).

    Parameters
    ----------
    prior, class_prior
        See `NaiveBayes`. For E0, the Dirichlet weights of each value are summed over the classes.
    inclusion
        Prior probability p that an attribute is relevant: a number from 0 to 1, one number for each attribute, or a
        mapping from attribute to number (default 0.05). 1 gives `NaiveBayes`. The m parts of a date or set each have
        the prior probability ``1 - (1 - p)^(1/m)``; the column is relevant if at least one of its parts is relevant.
    numeric, missing, keep_rows, categorical_features, schema, n_jobs
        See `NaiveBayes`. ``"gaussian"`` and ``"kernel"`` have no marginal likelihood and are not available.

    Attributes
    ----------
    relevance_
        Posterior probability that each attribute is relevant, which equals the prior probability if the attribute has
        only one value (or bin). For all other fitted attributes see `NaiveBayes`.

    Examples
    --------
    >>> import pandas as pd
    >>> import priorcase as pc
    >>> X = pd.DataFrame({"age": [31, 29, 30, 33, 28, 62, 60, 65, 61, 58], "colour": ["red", "blue"] * 5})
    >>> pc.SubsetAveragedBayes().fit(X, ["no"] * 5 + ["yes"] * 5).relevance_
    attribute  probability  log-odds
    age             0.7453     +1.07
    colour          0.0284     -3.53
    """

    _inclusion: FloatArray
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **AdditiveBayes._parameter_constraints,
        "inclusion": [_PROBABILITY, Mapping, "array-like"],
    }

    def __init__(
        self,
        *,
        prior: float | str | Prior | Auto | Mapping[Name, Any] = 1.0,
        class_prior: Any = None,
        inclusion: Inclusion = INCLUSION,
        numeric: Any = "mdl",
        missing: str = "ignore",
        keep_rows: bool = True,
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.prior = prior
        self.class_prior = class_prior
        self.inclusion = inclusion
        self.numeric = numeric
        self.missing = missing
        self.keep_rows = keep_rows
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    # -- fitted attributes

    @property
    @reads
    def relevance_(self) -> Relevance:
        """Posterior probability that each attribute is relevant, by name; prints as a table."""
        schema = self._stored().instances.schema
        labels = tuple(schema.label(a) for a in range(len(schema)))
        return Relevance(labels, *_by_column(self._evidence(), self._attributes()), self._backend)

    @property
    @reads
    def log_evidence_(self) -> float:
        """Log marginal likelihood of the stored rows and their classes, averaged over all subsets of the attributes."""
        classes = self._weights().classes.log_evidence(self._statistics().class_counts)
        return classes + float(self._evidence().log_totals.sum())

    # -- parameters

    def _check_numeric(self, strategy: Numeric | None) -> None:
        if isinstance(strategy, PLUG_IN):
            raise ParameterError(
                f"numeric must be 'student' or a binning method, got {quoted(self.numeric)}. Subsets are weighted by "
                "marginal likelihoods, which 'gaussian' and 'kernel' do not have."
            )

    def _new_memory(self, schema: Schema, targets: Schema | None) -> BayesMemory:
        self._inclusion = _resolve_inclusion(self.inclusion, schema)
        return super()._new_memory(schema, targets)

    # -- the model

    def _counts_evidence(self, statistics: Statistics, weights: PriorWeights) -> float:
        memory = self._attributes()
        evidence = _subset_evidence(statistics, weights, memory, self._inclusion, densities=False)
        return weights.classes.log_evidence(statistics.class_counts) + float(evidence.log_totals.sum())

    def _evidence(self) -> SubsetEvidence:
        memory, statistics, weights = self._attributes(), self._statistics(), self._weights()
        return self._answering().cached(
            "evidence", lambda: _subset_evidence(statistics, weights, memory, self._inclusion)
        )

    def _new_model(self) -> AdditiveModel:
        statistics, weights, evidence = self._statistics(), self._weights(), self._evidence()
        densities, memory = {}, self._attributes()
        for a, strategy in enumerate(memory.numeric):
            if isinstance(strategy, Student):
                moments, log_odds = statistics.moments[a], float(evidence.log_odds[a])
                own, pooled = (strategy.parameters(m) for m in (moments, moments.pooled()))
                densities[a] = Density(own[statistics.codes], False, pooled[0], log_odds)
        table = _value_table(statistics.discrete, weights, evidence)
        texts = {}
        for a, words in statistics.texts.items():
            pooled = _pooled_words(weights.prior, memory, a, words, statistics.n_classes)()
            texts[a] = TextTerms(words, weights.words[a], _EVIDENCE, pooled, float(evidence.log_odds[a]))
        shares = _EVIDENCE.log_class_shares(statistics.class_counts, weights.classes)
        return AdditiveModel(shares, statistics.discrete, table, densities, texts=texts)

    def _left_out(self, scale: Scale) -> FloatArray:
        memory, statistics, weights = self._attributes(), self._statistics(), self._weights()
        evidence, instances, discrete = self._evidence(), memory.instances, statistics.discrete
        own, row_weights = memory.class_positions(statistics.codes), instances.weights
        joint = _class_logs(statistics.class_counts, weights.classes, own, row_weights)
        terms, n = _discrete_terms(discrete, weights, evidence), joint.shape[1]
        step = max(1, _NUMBERS_AT_ONCE // n)
        for d, a in enumerate(discrete.attributes):
            first, slots = int(discrete.starts[d]), slots_of(instances.column(a), discrete.cuts[d])
            if row_weights is None:  # rows with the same value and class have the same terms: compute them once
                held = np.bincount(keys := slots * n + own) > 0
                pairs, number = np.flatnonzero(held), np.cumsum(held) - 1
                joint += terms(first + pairs // n, pairs % n, np.ones(pairs.size))[number[keys]]
            else:
                for part in (slice(start, start + step) for start in range(0, own.size, step)):
                    joint[part] += terms(first + slots[part], own[part], row_weights[part])
        for a, strategy in enumerate(memory.numeric):
            if isinstance(strategy, Student):
                _add_numbers(joint, memory, statistics, a, strategy, float(evidence.inclusion[a]))
        for a, words in statistics.texts.items():
            of_class = partial(priors.word_weights, weights.prior, instances.schema.label(a), words.words, n)
            of_all = _pooled_words(weights.prior, memory, a, words, n)
            by_class, included = words.left_out(of_class, _EVIDENCE)
            rest, excluded = words.pooled().left_out(of_all, _EVIDENCE)
            log_odds = _prior_odds(evidence.inclusion[a]) + (included - excluded)
            known = (instances.column(a) >= 0)[:, np.newaxis]
            joint += np.where(known, additive.mixed(log_odds[:, np.newaxis], by_class, rest), 0.0)
        return normalise_rows(joint, scale, self._threads())


def _resolve_inclusion(value: Inclusion, schema: Schema) -> FloatArray:
    n = len(schema)
    if is_number(value):
        return np.full(n, float(value))
    if isinstance(value, Mapping):
        found = np.full(n, INCLUSION)
        for a, (key, given) in zip(schema.positions(value, parameter="inclusion"), value.items(), strict=True):
            check_value(f"inclusion[{key!r}]", given, [_PROBABILITY])
            found[a] = float(given)
        return found
    numbers = as_floats(value)
    if numbers is None or numbers.shape != (n,) or not ((numbers >= 0.0) & (numbers <= 1.0)).all():
        raise ParameterError(f"inclusion must be {n} numbers from 0 to 1, one for each attribute, got {quoted(value)}")
    return numbers


# -- relevance of attributes


@dataclass(frozen=True, eq=False)
class SubsetEvidence:
    """Prior probability and evidence that each attribute is relevant, that is, depends on the class."""

    inclusion: FloatArray
    """Prior probability that each attribute is relevant."""
    included: FloatArray
    """Log marginal likelihood of each attribute if it is relevant."""
    excluded: FloatArray
    """Log marginal likelihood of each attribute if it is irrelevant."""

    @cached_property
    def log_odds(self) -> FloatArray:
        return _prior_odds(self.inclusion) + (self.included - self.excluded)

    @property
    def relevance(self) -> FloatArray:
        found: FloatArray = expit(self.log_odds)
        return found

    @property
    def log_totals(self) -> FloatArray:
        """Log marginal likelihood of each attribute, averaged over both possibilities: relevant and irrelevant."""
        with np.errstate(divide="ignore"):
            return np.logaddexp(np.log(self.inclusion) + self.included, np.log1p(-self.inclusion) + self.excluded)


def _prior_odds(inclusion: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(inclusion) - np.log1p(-inclusion)


def _pooled(discrete: Discrete) -> Discrete:
    return replace(discrete, counts=discrete.counts.sum(axis=1, keepdims=True))


def _pooled_weights(weights: CellWeights, n_classes: int) -> CellWeights:
    """Sum the Dirichlet weights over the classes, for attributes that do not depend on the class."""
    cells, widened, unseen = (
        np.broadcast_to(each, (len(each), n_classes)).sum(axis=1, keepdims=True)
        for each in (weights.cells, weights.widened, weights.unseen)
    )
    return CellWeights(cells, widened, unseen)


def _discrete_evidence(
    discrete: Discrete, weights: PriorWeights, *, widened: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return the log marginal likelihood of each attribute if it is relevant, and if it is irrelevant."""
    included, excluded = (
        priors.log_marginals(counts, own.widened if widened else own.cells, own.unseen if widened else 0.0)
        for counts, own in (
            (discrete, weights.cells),
            (_pooled(discrete), _pooled_weights(weights.cells, discrete.counts.shape[1])),
        )
    )
    return included.sum(axis=1), excluded[:, 0]


def _subset_evidence(
    statistics: Statistics, weights: PriorWeights, memory: BayesMemory, inclusion: FloatArray, *, densities: bool = True
) -> SubsetEvidence:
    """Compute the evidence that each attribute is relevant; ``inclusion`` is the prior probability of each column."""
    n = len(memory.numeric)
    included, excluded = np.zeros(n), np.zeros(n)
    attributes = list(statistics.discrete.attributes)
    included[attributes], excluded[attributes] = _discrete_evidence(statistics.discrete, weights)
    for a, strategy in enumerate(memory.numeric):
        if isinstance(strategy, Student) and densities:
            moments = statistics.moments[a]
            included[a] = strategy.log_marginal(moments)[statistics.codes].sum()
            excluded[a] = strategy.log_marginal(moments.pooled())[0]
    for a, words in statistics.texts.items():
        pooled = _pooled_words(weights.prior, memory, a, words, statistics.n_classes)()
        included[a] = words.log_evidence(weights.words[a]).sum()
        excluded[a] = words.pooled().log_evidence(pooled)[0]
    return SubsetEvidence(_part_inclusion(inclusion, memory), included, excluded)


def _pooled_words(
    prior: Prior, memory: BayesMemory, a: int, words: WordCounts, n_classes: int
) -> Callable[..., FloatArray]:
    """Return a function that computes the Dirichlet weights of words for a text that does not depend on the class."""
    return partial(priors.pooled_word_weights, prior, memory.instances.schema.label(a), words.words, n_classes)


def _part_inclusion(inclusion: FloatArray, memory: BayesMemory) -> FloatArray:
    """Split each column's inclusion probability p among its m attributes: each gets ``1 - (1 - p)^(1/m)``."""
    if memory.parts is None:
        return inclusion
    columns = memory.parts.columns
    times, given = np.bincount(columns)[columns], inclusion[columns]
    with np.errstate(divide="ignore"):
        return np.where(times == 1, given, -np.expm1(np.log1p(-given) / times))


def _by_column(evidence: SubsetEvidence, memory: BayesMemory) -> tuple[FloatArray, FloatArray]:
    """Return, for each column, the probability and the log-odds that at least one of its parts is relevant."""
    if memory.parts is None:
        return evidence.relevance, evidence.log_odds.copy()
    columns = memory.parts.columns
    nothing: FloatArray = np.bincount(columns, weights=log_expit(-evidence.log_odds)).astype(np.float64)
    with np.errstate(divide="ignore"):
        log_odds = np.log(-np.expm1(nothing)) - nothing
    single = np.bincount(columns)[columns] == 1
    log_odds[columns[single]] = evidence.log_odds[single]
    return np.asarray(expit(log_odds)), log_odds


def _value_table(discrete: Discrete, weights: PriorWeights, evidence: SubsetEvidence) -> FloatArray:
    """Return the term that each value adds to the joint log-probability of each class, shape (values, classes)."""
    attributes = list(discrete.attributes)
    # For an unseen value, the relevance is computed as if the attribute had one additional value.
    included, excluded = _discrete_evidence(discrete, weights, widened=True)
    wide = _prior_odds(evidence.inclusion[attributes]) + (included - excluded)
    odds = np.where(discrete.inside, evidence.log_odds[attributes][discrete.of], wide[discrete.of])
    own = additive.value_table(discrete, weights.cells, _EVIDENCE)
    rest = additive.value_table(_pooled(discrete), _pooled_weights(weights.cells, discrete.counts.shape[1]), _EVIDENCE)
    table = additive.mixed(odds[:, np.newaxis], own, rest)
    return additive.with_missing(table, discrete, table[discrete.starts[:-1] + UNSEEN])


# -- leave-one-out


def _class_logs(counts: FloatArray, prior: ClassPrior, own: IntArray, row_weights: FloatArray | None) -> FloatArray:
    """Return the leave-one-out log-probabilities of the classes, up to a constant, shape (rows, classes)."""
    total = prior.weights if prior.fixed else counts + prior.weights
    joint = np.repeat(np.log(total)[np.newaxis], own.size, axis=0)
    if not prior.fixed:
        less = np.maximum(counts[own] - (1.0 if row_weights is None else row_weights), 0.0)
        joint[np.arange(own.size), own] = np.log(less + prior.weights[own])
    return joint


def _discrete_terms(
    discrete: Discrete, weights: PriorWeights, evidence: SubsetEvidence
) -> Callable[[IntArray, IntArray, FloatArray], FloatArray]:
    """Return a function that computes the leave-one-out terms of rows in the joint log-probability of each class.

    Leaving out a row of weight w divides the marginal likelihood of its class by
    ``[G(f + s) / G(f - w + s)] / [G(h + S) / G(h - w + S)]``, where G is the gamma function. Here h is the weight of
    all rows of the class, and f is the weight of the rows of the class that have the row's value. The Dirichlet weight
    of this value is s, and S is the sum of the weights of all values. The odds that the attribute is relevant are
    divided by this factor and multiplied by the same factor for all classes together.
    """
    of_class = additive.value_cells(discrete, weights.cells)
    of_all = additive.value_cells(_pooled(discrete), _pooled_weights(weights.cells, discrete.counts.shape[1]))
    log_odds = evidence.log_odds[list(discrete.attributes)][discrete.of]
    table = additive.value_table(discrete, weights.cells, _EVIDENCE)

    def terms(cells: IntArray, own: IntArray, w: FloatArray) -> FloatArray:
        odds, by_class = log_odds[cells], table[cells]
        less, rest = of_class.picked(cells, own).without(w), of_all.picked(cells, np.zeros_like(own)).without(w)
        for part, sign in ((less, -1), (rest, 1)):
            odds = odds + sign * (log_rising(part.count + part.weight, w) - log_rising(part.total + part.weights, w))
        by_class[np.arange(cells.size), own] = _EVIDENCE.log_shares(less)
        found = additive.mixed(odds[:, np.newaxis], by_class, _EVIDENCE.log_shares(rest)[:, np.newaxis])
        return np.where(discrete.left_out[cells][:, np.newaxis], found, 0.0)

    return terms


def _add_numbers(
    joint: FloatArray, memory: BayesMemory, statistics: Statistics, a: int, strategy: Student, inclusion: float
) -> None:
    """Add the leave-one-out terms of a numeric attribute to the joint log-probabilities of all rows."""
    moments, instances = statistics.moments[a], memory.instances
    x, own, weights = instances.column(a), instances.target().astype(np.intp), instances.weights
    # Leaving out a row changes the densities of all classes, since their prior depends on the whole column.
    for rows, less in blocks_without_each(moments, x, own, weights):
        included = strategy.log_marginal(less)[:, statistics.codes].sum(axis=1)
        log_odds = _prior_odds(np.array(inclusion)) + (included - strategy.log_marginal(less.pooled())[:, 0])
        by_class = log_densities(strategy.parameters(less)[:, statistics.codes], x[rows])
        rest = log_densities(strategy.parameters(less.pooled()), x[rows])
        joint[rows] += additive.mixed(log_odds[:, np.newaxis], by_class, rest)


# -- attribute weights for distances


class RelevanceWeights(BayesMemory):
    """Attribute weights for distances: ``relevance_`` of a `SubsetAveragedBayes` with default parameters.

    The learner calls `follow` after adding rows and `follow_removal` after removing rows.
    """

    def __init__(self, instances: Instances, *, threads: int = 1) -> None:
        numeric = SubsetAveragedBayes()._strategies(instances.schema)
        super().__init__(instances, numeric=numeric, missing_counts=False, threads=threads)

    @property
    def weights(self) -> FloatArray:
        """Weight of each attribute, computed from the stored rows."""
        return self.cached("relevance", self._weights)

    def _weights(self) -> FloatArray:
        if not len(self):
            return np.ones(len(self.numeric))
        memory, inclusion = self.attributes(), np.full(len(self.numeric), INCLUSION)
        statistics = memory.statistics(_LABELING, self.threads)
        weights = priors.prior_weights(Dirichlet(1.0), None, statistics, memory.instances)
        relevance = _by_column(_subset_evidence(statistics, weights, memory, inclusion), memory)[0]
        kept = np.where(relevance < 1e-12, 0.0, relevance)  # smaller weights give distances at rounding level
        return kept if kept.any() else np.ones(kept.size)

    def follow(self, ids: IdArray) -> None:
        self._added(ids)

    def follow_removal(self, rows: tuple[list[AnyArray], list[AnyArray], FloatArray | None]) -> None:
        """Subtract removed rows from the counts; ``rows`` contains the columns, targets and weights of these rows."""
        self._cache.clear()
        self._count(*rows, sign=-1)
