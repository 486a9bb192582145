"""Additive models: the joint log-probability of a class and a query is a class term plus a term for each attribute.

For class k and query q, ``ln P(k, q) = ln a_k + sum_i ln phi_ki(q_i)``, where ``ln a_k`` is the class term and
``ln phi_ki`` is the term of attribute i. The terms of discrete attributes form one table, with a row for each cell
(attribute and value) and a column for each class. The terms of numeric attributes are log-densities. All results are
computed from these terms: probabilities, contributions, predictions of any column, and joint distributions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from numbers import Real
from typing import Any, ClassVar, Literal, TypeAlias, cast

import numpy as np
from scipy.special import log_expit
from sklearn.utils._param_validation import Interval

from priorcase._core import Scorer, normalise_rows
from priorcase._locks import cached_property
from priorcase._typing import AnyArray, BoolArray, FloatArray, IntArray
from priorcase.bayes.memory import FIRST, MISSING, UNSEEN, Discrete
from priorcase.bayes.numeric import FittedKernels, check_floats, log_densities
from priorcase.bayes.predictive import evidence_share, growth
from priorcase.bayes.priors import CellWeights, ClassPrior
from priorcase.bayes.words import WordCounts
from priorcase.exceptions import ParameterError, advice, quoted
from priorcase.instances import Instances
from priorcase.schema import Coded, Table

Predictive: TypeAlias = Literal["map", "evidence", "sc"]

# Up to this many cells, encoding one matrix is faster than translating each column.
_FEW_CELLS = 20_000


class Scale(IntEnum):
    """Scale of class scores: logs of joint probabilities, logs of class probabilities, or class probabilities."""

    JOINT = 0
    LOG_PROBABILITY = 1
    PROBABILITY = 2


# -- zeros


@dataclass(frozen=True)
class KeepZeros:
    """Keep zero probabilities: an impossible class has log-probability ``-inf``. Base class of all zero policies.

    >>> KeepZeros().parameters(np.array([0.0, 1.0]))
    array([0., 1.])
    """

    def parameters(self, probabilities: FloatArray) -> FloatArray:
        """Convert estimated probabilities to the probabilities that predictions use."""
        return probabilities

    def impossible(self, log_probabilities: FloatArray, zero: BoolArray) -> FloatArray:
        """Adjust the class log-probabilities, shape (rows, classes); ``zero`` is a mask of the impossible classes."""
        return log_probabilities


@dataclass(frozen=True)
class Cap(KeepZeros):
    """Set the log-probability of impossible classes to ``-nats``; ``nats`` is from 20 to 1e6.

    The other classes share the remaining probability, ``1 - z exp(-nats)`` for z impossible classes. A cap of 100 nats
    reproduces the published log-scores of Kontkanen et al. 1998, Table 1.

    >>> Cap(20).impossible(np.array([[0.0, -np.inf]]), np.array([[False, True]])).round(3)
    array([[ -0., -20.]])
    """

    nats: float = 100.0

    # At 20 nats a thousand impossible classes take two millionths of the probability.
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"nats": [Interval(Real, 20, 1e6, closed="both")]}

    def __post_init__(self) -> None:
        check_floats(self)

    def impossible(self, log_probabilities: FloatArray, zero: BoolArray) -> FloatArray:
        taken = np.count_nonzero(zero, axis=1) * np.exp(-self.nats)
        return np.where(zero, -self.nats, log_probabilities + np.log1p(-taken)[:, np.newaxis])


@dataclass(frozen=True)
class ParamFloor(KeepZeros):
    """Raise every estimated probability below ``floor`` (between 0 and 1) to ``floor``, so that no class is impossible.

    A floor of 1e-4 comes closest to the published log-scores of Kontkanen et al. 1997, Table 1.

    >>> ParamFloor(0.01).parameters(np.array([0.0, 0.3]))
    array([0.01, 0.3 ])
    """

    floor: float = 1e-4

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"floor": [Interval(Real, 1e-300, 1, closed="left")]}

    def __post_init__(self) -> None:
        check_floats(self)

    def parameters(self, probabilities: FloatArray) -> FloatArray:
        return np.maximum(probabilities, self.floor)


ZERO_POLICIES: dict[str, type[KeepZeros]] = {"-inf": KeepZeros, "cap100": Cap, "param_floor": ParamFloor}


def resolve_zero_policy(spec: object) -> KeepZeros:
    if isinstance(spec, str) and spec in ZERO_POLICIES:
        return ZERO_POLICIES[spec]()
    if isinstance(spec, KeepZeros):
        return spec
    otherwise = "To set the cap or the floor yourself, pass an object, such as Cap(nats=50) or ParamFloor(floor=1e-3)."
    raise ParameterError(
        f"zero_policy must be a zero policy or one of {', '.join(map(repr, ZERO_POLICIES))}, got {quoted(spec)}. "
        f"{advice(spec, ZERO_POLICIES, otherwise=otherwise)}"
    )


def normalise(joint_log: FloatArray, policy: KeepZeros | None = None) -> FloatArray:
    """Return the log-probabilities of the classes, given joint log-probabilities of shape (queries, classes)."""
    n, n_classes = joint_log.shape
    top = joint_log.max(axis=1, initial=-np.inf)
    hopeless = np.isneginf(top)
    shifted = joint_log - np.where(hopeless, 0.0, top)[:, np.newaxis]
    masses = np.exp(shifted)
    total = np.zeros(n)
    for k in range(n_classes):  # class by class: identical results for one row and for many
        total += masses[:, k]
    total[hopeless] = 1.0
    shifted -= np.log(total)[:, np.newaxis]
    zero = np.isneginf(shifted)
    if zero.any() and policy is not None:
        shifted = policy.impossible(shifted, zero)
    shifted[hopeless] = -np.log(n_classes)  # as in Kontkanen et al. 1998, Table 1
    return shifted


# -- the table of the discrete attributes


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts with Dirichlet weights, as arrays that broadcast to each other.

    ``count`` is the number of rows in a cell, and ``weight`` its Dirichlet weight. The other fields refer to all cells
    of the same attribute and class: ``size`` is the number of these cells; ``total`` is the sum of their counts,
    ``weights`` the sum of their weights, and ``mass`` the sum of ``max(count + weight - 1, 0)``.
    """

    count: FloatArray
    total: FloatArray
    weight: FloatArray
    weights: FloatArray
    size: FloatArray
    mass: FloatArray

    @property
    def peak(self) -> FloatArray:
        """``max(count + weight - 1, 0)`` for each cell; ``mass`` is the sum of these numbers."""
        return np.maximum(self.count + (self.weight - 1.0), 0.0)  # exact for weight 1

    def without(self, rows: float | FloatArray) -> Cells:
        """Return a copy with ``rows`` subtracted from each count and each total."""
        less = replace(self, count=np.maximum(self.count - rows, 0.0), total=np.maximum(self.total - rows, 0.0))
        return replace(less, mass=np.maximum(self.mass - self.peak + less.peak, 0.0))

    def picked(self, at: IntArray, classes: IntArray) -> Cells:
        parts = (self.count, self.total, self.weight, self.weights, self.size, self.mass)
        return Cells(*(np.broadcast_to(part, self.count.shape)[at, classes] for part in parts))


@dataclass(frozen=True, eq=False)
class Estimates:
    """Method for estimating probabilities from counts."""

    predictive: Predictive = "evidence"
    policy: KeepZeros = field(default_factory=KeepZeros)

    def log_shares(self, cells: Cells) -> FloatArray:
        """Return each cell's term in the joint log-probability: its log-probability, except for ``"sc"``."""
        if self.predictive == "evidence":  # Kontkanen et al. 1998, eq. 9
            return np.log(evidence_share(cells.count, cells.total, cells.weight, cells.weights))
        if self.predictive == "sc":  # Kontkanen et al. 1997, eq. 8
            return growth(cells.count) - growth(cells.total)
        empty = cells.mass <= 0.0  # "map": Kontkanen et al. 1998, eq. 7
        shares = np.where(empty, 1.0 / np.maximum(cells.size, 1.0), cells.peak / np.where(empty, 1.0, cells.mass))
        with np.errstate(divide="ignore"):
            return np.log(self.policy.parameters(shares))

    def log_class_shares(self, counts: FloatArray, prior: ClassPrior) -> FloatArray:
        """Return the term of each class in the joint log-probability."""
        return np.log(prior.weights) if prior.fixed else self.log_shares(class_cells(counts, prior.weights))


def class_cells(counts: FloatArray, weights: FloatArray) -> Cells:
    cells = Cells(counts, counts.sum(), weights, weights.sum(), np.asarray(float(counts.size)), np.zeros(()))
    return replace(cells, mass=cells.peak.sum())


def value_cells(discrete: Discrete, weights: CellWeights) -> Cells:
    """Return the counts and Dirichlet weights of the values of all discrete attributes."""
    seen = _cells(discrete, weights.cells, np.zeros((len(discrete.attributes), 1)), 0)
    # Cells without a value have no weight: any positive number keeps their logarithm defined.
    weight = np.where(discrete.inside[:, np.newaxis], seen.weight, 1.0)
    return replace(seen, weight=weight, weights=seen.weights + (seen.weights == 0))


def _cells(discrete: Discrete, weights: FloatArray, more: FloatArray, cells_more: int) -> Cells:
    """Return counts and weights; each attribute's sums include ``cells_more`` empty cells of weight ``more``."""
    of = discrete.of
    sums = discrete.per_attribute(weights) + more
    sizes = (discrete.sizes + cells_more).astype(np.float64)[:, np.newaxis]
    peaks = np.where(discrete.inside[:, np.newaxis], np.maximum(discrete.counts + (weights - 1.0), 0.0), 0.0)
    masses = discrete.per_attribute(peaks) + cells_more * np.maximum(more - 1.0, 0.0)
    return Cells(discrete.counts, discrete.totals[of], weights, sums[of], sizes[of], masses[of])


def value_table(discrete: Discrete, weights: CellWeights, estimates: Estimates) -> FloatArray:
    """Return the term of each value in the joint log-probability of each class; 0 for ignored missing values."""
    wide, first = _cells(discrete, weights.widened, weights.unseen, 1), discrete.starts[:-1]
    totals = (part[first] for part in (wide.weights, wide.size, wide.mass))
    # The term of an additional value of each attribute, which no row has.
    new = estimates.log_shares(Cells(np.zeros_like(discrete.totals), wide.total[first], weights.unseen, *totals))
    seen = estimates.log_shares(value_cells(discrete, weights))
    return with_missing(np.where(discrete.inside[:, np.newaxis], seen, new[discrete.of]), discrete, new)


def with_missing(logs: FloatArray, discrete: Discrete, new: FloatArray) -> FloatArray:
    """Set the terms of missing values in ``logs`` for attributes without counts of missing values."""
    cells = discrete.starts[:-1] + MISSING
    outside = ~discrete.inside[cells]
    # The term is 0 if the attribute ignores missing values, otherwise the attribute's term in ``new``.
    logs[cells[outside]] = np.where(discrete.missing[outside, np.newaxis], new[outside], 0.0)
    return logs


# -- densities of the numeric attributes


@dataclass(frozen=True, eq=False)
class Density:
    """Density of a numeric attribute in each class, with ``parameters`` as in `log_densities`.

    If the attribute may be irrelevant, ``pooled`` contains the parameters for all classes together, and ``log_odds``
    the log-odds that the attribute is relevant.
    """

    parameters: FloatArray
    normal: bool
    pooled: FloatArray | None = None
    # A probability could round to 1 and drop the pooled density, which can be far larger than the density in a class.
    log_odds: float = np.inf

    def logs(self, x: FloatArray) -> FloatArray:
        """Return each number's term in the joint log-probability of each class; 0 if the number is missing."""
        own = log_densities(self.parameters, x)
        if self.pooled is None:
            return own
        both = mixed(self.log_odds, own, log_densities(self.pooled[np.newaxis], x))
        return np.where(np.isnan(x)[:, np.newaxis], 0.0, both)


def mixed(log_odds: float | FloatArray, own: FloatArray, rest: FloatArray) -> FloatArray:
    """Return the log of a weighted mean of two probabilities, given the logs of the probabilities.

    The weights sum to 1. ``log_odds`` are the log-odds of the first weight, which is the weight of ``own``.
    """
    return np.logaddexp(log_expit(log_odds) + own, log_expit(-np.asarray(log_odds)) + rest)


# -- texts


@dataclass(frozen=True, eq=False)
class TextTerms:
    """Word counts of a text attribute in each class, with the Dirichlet weights of the words."""

    words: WordCounts
    weights: FloatArray
    estimates: Estimates
    pooled: FloatArray | None = None  # weights for all classes together, if the attribute may be irrelevant
    log_odds: float = np.inf  # see `Density`

    def logs(self, column: Coded) -> FloatArray:
        """Return each text's term in the joint log-probability of each class; 0 if the text is missing."""
        own = self.words.logs(column, self.weights, self.estimates)
        if self.pooled is None:
            return own
        both = mixed(self.log_odds, own, self.words.pooled().logs(column, self.pooled, self.estimates))
        return np.where(column.codes[:, np.newaxis] < 0, 0.0, both)


# -- the model


@dataclass(frozen=True, eq=False)
class AdditiveModel:
    """Model of the joint log-probability of each class: its log ``prior`` plus a term for each attribute."""

    prior: FloatArray
    discrete: Discrete
    table: FloatArray
    densities: Mapping[int, Density] = field(default_factory=dict)
    kernels: Mapping[int, FittedKernels] = field(default_factory=dict)
    texts: Mapping[int, TextTerms] = field(default_factory=dict)

    @cached_property
    def scorer(self) -> Scorer:
        """Compiled scorer, which computes all terms except those of kernel densities and texts."""
        scorer = discrete_scorer(self.prior, self.table, self.discrete)
        for a, density in self.densities.items():
            if density.pooled is None:
                scorer.add_density(a, np.ascontiguousarray(density.parameters), density.normal)
            else:
                both = np.concatenate([density.parameters, density.pooled[np.newaxis]])
                scorer.add_mixed(a, both, float(log_expit(density.log_odds)), float(log_expit(-density.log_odds)))
        return scorer

    def scores(self, instances: Instances, table: Table, scale: Scale, *, threads: int) -> FloatArray:
        """Return the scores of the classes for each query, shape (queries, classes)."""
        found = np.empty((len(table), self.prior.size))
        first = Scale.JOINT if self.kernels or self.texts else scale
        if table.block is not None or len(table) * len(instances.schema) <= _FEW_CELLS:
            cells = instances.encode(table) if table.block is None else table.block
            self.scorer.score_cells(np.ascontiguousarray(cells), first, threads, found)
        else:
            self.scorer.score(*_query_columns(instances, table), first, threads, found)
        for a, kernels in self.kernels.items():
            found += kernels.log_density(np.asarray(table.columns[a]))
        for a, texts in self.texts.items():
            found += texts.logs(cast(Coded, table.columns[a]))
        if first != scale:
            return normalise_rows(found, scale, threads)
        return found

    def terms(self, cells: FloatArray) -> FloatArray:
        """Return the log-probability terms of all attributes except texts, shape (queries, attributes, classes)."""
        found = np.zeros((len(cells), cells.shape[1], self.prior.size))
        for d, a in enumerate(self.discrete.attributes):
            found[:, a] = self.table[self.discrete.starts[d] + self.discrete.slots(d, cells[:, a])]
        for a, density in self.densities.items():
            found[:, a] = density.logs(cells[:, a])
        for a, kernels in self.kernels.items():
            found[:, a] = kernels.log_density(cells[:, a])
        return found


def discrete_scorer(prior: FloatArray, table: FloatArray, discrete: Discrete) -> Scorer:
    """Return a compiled scorer that adds the class term and the terms of the discrete attributes."""
    scorer = Scorer(np.ascontiguousarray(prior), np.ascontiguousarray(table))
    starts = discrete.starts.tolist()
    for d, a in enumerate(discrete.attributes):
        scorer.add_table(a, starts[d], starts[d + 1] - starts[d], discrete.cuts[d])
    return scorer


def _query_columns(instances: Instances, table: Table) -> tuple[list[AnyArray], list[AnyArray | None]]:
    """Return a table's columns and, for each nominal column, an array that maps codes to positions in the counts."""
    columns: list[AnyArray] = []
    translate: list[AnyArray | None] = []
    for a, column in enumerate(table.columns):
        if not isinstance(column, Coded):
            columns.append(column)
            translate.append(None)
            continue
        slots, codes = np.full(len(column.values) + 1, MISSING, np.int32), column.codes
        for position, code in instances.translation(a, column).items():
            slots[position + 1] = UNSEEN if code < 0 else code + FIRST
        columns.append(codes if codes.dtype.kind == "i" else codes.astype(np.int32))
        translate.append(slots)
    return columns, translate
