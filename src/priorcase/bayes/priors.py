"""Dirichlet priors: weights of values and classes, which act as pseudo-counts of rows."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar

from priorcase._parameters import as_python, is_number, settle
from priorcase._typing import FloatArray, IntArray, Name, Value
from priorcase.bayes.memory import FIRST, Discrete, Statistics, group_sums
from priorcase.bayes.parts import Parts
from priorcase.bayes.predictive import log_marginal, log_rising
from priorcase.exceptions import ParameterError, advice, listed, misspelt, quoted
from priorcase.instances import Instances, as_floats
from priorcase.schema import Nominal, Schema
from priorcase.schema.kinds import identity, is_missing, plain

# Limits within which the formulas neither overflow nor underflow when weights are divided or summed.
_LEAST_WEIGHT, _MOST_WEIGHT = 1e-100, 1e100
_LEAST_SHARE = 1e-150  # smallest share of a weight divided among many values
_PER_DECADE, _TOLERANCE = 4, 4e-7
_SUM_TOLERANCE = 1e-6  # of the sum of class probabilities

Weights: TypeAlias = float | Mapping[Value, float] | Sequence[float] | Sequence[Sequence[float]] | FloatArray


def _weight(parameter: str, value: object) -> float:
    if is_number(value) and _LEAST_WEIGHT <= (number := as_python(value)) <= _MOST_WEIGHT:
        return float(number)
    raise ParameterError(f"{parameter} must be a finite number above 0 (1e-100 to 1e100), got {quoted(value)}")


def _settled(given: object, parameter: str) -> Weights:
    if isinstance(given, Mapping) and given:
        return {plain(value): _weight(f"{parameter}[{value!r}]", weight) for value, weight in given.items()}
    if is_number(given) or isinstance(given, (bool, np.bool_)):
        return _weight(parameter, given)
    weights = None if isinstance(given, (str, Mapping)) else as_floats(given)
    if weights is None or weights.ndim not in (1, 2) or not weights.size:
        raise ParameterError(
            f"{parameter} must be a number above 0, a mapping from value to number, or an array of shape (values,) or "
            f"(classes, values), got {quoted(given)}. For example, pass 2.0 or {{'red': 2.0, 'green': 1.0}}."
        )
    _check_weights(parameter, weights)
    return tuple(weights.tolist()) if weights.ndim == 1 else tuple(map(tuple, weights.tolist()))


def _check_weights(parameter: str, weights: FloatArray) -> None:
    if not ((weights >= _LEAST_WEIGHT) & (weights <= _MOST_WEIGHT)).all():
        raise ParameterError(
            f"{parameter} must be finite numbers above 0 (1e-100 to 1e100). 1.0 for each value is the uniform prior."
        )


@runtime_checkable
class Prior(Protocol):
    """Base class for custom priors: Dirichlet weights for the values of every attribute and for the classes.

    Subclasses implement `weights`; the other methods have defaults.

    >>> class Skeptical(Prior):
    ...     def weights(self, label, values, n_classes):
    ...         return [5.0 if value == "never" else 1.0 for value in values]
    >>> Skeptical().unseen("smokes", ["never", "daily"], 2), Skeptical().class_weight(2)
    (3.0, 1.0)
    """

    def weights(self, label: Name, values: Sequence[Value], n_classes: int) -> ArrayLike:
        """Return the weights of an attribute's values, shape ``(values,)`` or ``(n_classes, values)``.

        Weights are numbers from 1e-100 to 1e100. ``label`` is the attribute's name or position. The values of a binned
        column are the bin numbers 0, 1, ...; if missing is counted as a value, the last value is None.
        """
        raise NotImplementedError

    def unseen(self, label: Name, values: Sequence[Value], n_classes: int) -> float:
        """Return the weight of an unseen value; by default the mean weight of the attribute's values."""
        return float(np.mean(np.asarray(self.weights(label, values, n_classes)))) if len(values) else 1.0

    def class_weight(self, n_classes: int) -> float:
        """Return the weight of each class; 1 by default."""
        return 1.0

    def symmetric(self, n_values: IntArray, n_classes: int) -> FloatArray | None:
        """Return one weight for each attribute, given its number of values, or None (default) to use `weights` instead.

        A result other than None replaces `weights` for all attributes.
        """
        return None


class SymmetricPrior(ABC):
    """Base class of priors in which all values of an attribute have one weight, computed from the number of values."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            object.__setattr__(self, name, _weight(name, value))

    @abstractmethod
    def _weight(self, n_values: FloatArray, n_classes: int) -> FloatArray: ...

    def symmetric(self, n_values: IntArray, n_classes: int) -> FloatArray:
        # An attribute without values is treated as having one.
        return self._weight(np.maximum(np.asarray(n_values, dtype=np.float64), 1.0), n_classes)

    def weights(self, label: Name, values: Sequence[Value], n_classes: int) -> FloatArray:
        return np.full(len(values), self.symmetric(np.array([len(values)]), n_classes)[0])

    def unseen(self, label: Name, values: Sequence[Value], n_classes: int) -> float:
        return float(self.symmetric(np.array([len(values) + 1]), n_classes)[0])

    def class_weight(self, n_classes: int) -> float:
        return float(self._weight(np.array([float(n_classes)]), 1)[0])


@dataclass(frozen=True)
class Dirichlet(SymmetricPrior):
    """Prior with the same positive weight for every value and class; weight 1 is the uniform prior.

    For ``class_prior``, the weight can also be an array with one weight for each class, in the order of ``classes_``,
    or a mapping from class to weight.

    >>> Dirichlet(0.5).weights("colour", ["red", "green"], n_classes=3)
    array([0.5, 0.5])
    >>> Dirichlet([2, 5])
    Dirichlet(weight=(2.0, 5.0))
    """

    weight: float | Sequence[float] | Mapping[Value, float] = field(default=1.0, hash=False)

    def __post_init__(self) -> None:
        settled = _settled(self.weight, "weight")
        if isinstance(settled, tuple) and isinstance(settled[0], tuple):
            raise ParameterError(f"weight must be a number, an array or a mapping, got {quoted(self.weight)}")
        settle(self, weight=settled)

    @property
    def by_class(self) -> bool:
        return not is_number(self.weight)

    def _weight(self, n_values: FloatArray, n_classes: int) -> FloatArray:
        if self.by_class:
            raise ParameterError(
                f"{quoted(self)} has one weight for each class, and is for class_prior only. Pass one number for all "
                "values, or a mapping from column to weights."
            )
        return np.full(n_values.shape, self.weight)


@dataclass(frozen=True)
class Laplace(Dirichlet):
    """Weight 1 for every value and class, which gives Laplace smoothing with ``predictive="evidence"``.

    >>> Laplace().weights("colour", ["red", "green"], n_classes=3)
    array([1., 1.])
    """

    weight: float = field(default=1.0, init=False, repr=False)


@dataclass(frozen=True)
class BDeu(SymmetricPrior):
    """Likelihood-equivalent uniform prior with an equivalent sample size of s rows.

    For K classes and n values, the weight of a value is ``s / (K n)``, and the weight of a class is ``s / K``.

    >>> BDeu(12).weights("colour", ["red", "green"], n_classes=3)
    array([2., 2.])
    """

    equivalent_sample_size: float = 1.0

    def _weight(self, n_values: FloatArray, n_classes: int) -> FloatArray:
        return self.equivalent_sample_size / (n_classes * n_values)


@dataclass(frozen=True)
class MEstimate(SymmetricPrior):
    """Prior with an equivalent sample size of m rows per class: weight ``m / n`` for n values, as in `m_estimate`.

    >>> MEstimate(3).weights("colour", ["red", "green"], n_classes=3)
    array([1.5, 1.5])
    """

    m: float = 1.0

    def _weight(self, n_values: FloatArray, n_classes: int) -> FloatArray:
        return self.m / n_values


@dataclass(frozen=True)
class PerAttribute:
    """Separate Dirichlet weights for some attributes.

    Parameters
    ----------
    attributes
        Mapping from attribute name or position to a number (the weight of each value), a mapping from value to weight,
        or, for columns with declared values, an array in declared order of shape ``(values,)`` or ``(classes,
        values)``. If missing is counted as a value, its weight is last in an array and has the key None in a mapping.
    others
        Weight of each value of all other attributes, and of each class.

    Examples
    --------
    >>> prior = PerAttribute({"colour": {"red": 2, "green": 0.5}})
    >>> prior.weights("colour", ["green", "red"], 2), prior.weights("size", ["small", "large"], 2)
    (array([0.5, 2. ]), array([1., 1.]))
    """

    attributes: Mapping[Name, Weights] = field(hash=False)
    others: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.attributes, Mapping):
            raise ParameterError(
                "parameter 'attributes' of PerAttribute must be a mapping from column to weights, got "
                f"{quoted(self.attributes)}. Pass for example {{'color': 2.0}}. For one weight in all columns, pass a "
                "number instead of PerAttribute."
            )
        settled = {name: _settled(given, f"attributes[{name!r}]") for name, given in self.attributes.items()}
        object.__setattr__(self, "attributes", settled)
        object.__setattr__(self, "others", _weight("others", self.others))

    @property
    def by_class(self) -> bool:
        return any(isinstance(given, tuple) and isinstance(given[0], tuple) for given in self.attributes.values())

    def by_label(self, schema: Schema) -> PerAttribute:
        """Return the same prior keyed by column name; raise an error for unknown columns."""
        labels = [schema.label(a) for a in schema.positions(self.attributes, parameter="prior")]
        return PerAttribute(dict(zip(labels, self.attributes.values(), strict=True)), self.others)

    def by_part(self, parts: Parts) -> PerAttribute:
        """Return the same prior, with the weights of a column for each attribute that the column is split into."""
        found: dict[Name, Weights] = {}
        for label, given in self.attributes.items():
            a = parts.source.position(label)
            attributes = [parts.schema.label(i) for i in parts.attributes_of(a).tolist()]
            if parts.taken[a] is not None and not is_number(given):
                raise ParameterError(
                    f"prior[{label!r}] must be one number, got {quoted(given)}. The column is a "
                    f"{parts.source.kinds[a].describe()}, which is split into {listed(attributes)}."
                )
            found |= dict.fromkeys(attributes, given)
        return PerAttribute(found, self.others)

    def symmetric(self, n_values: IntArray, n_classes: int) -> FloatArray | None:
        return None

    def weights(self, label: Name, values: Sequence[Value], n_classes: int, *, declared: bool = True) -> FloatArray:
        given, parameter = self.attributes.get(label, self.others), f"prior[{label!r}]"
        if isinstance(given, Mapping):
            return np.array(_by_key(given, values, parameter, "value"), dtype=np.float64)
        weights = np.asarray(given, dtype=np.float64)
        if weights.ndim == 0:
            return np.full(len(values), float(weights))
        if not declared:
            raise ParameterError(
                f"{parameter} is an array, but the values {listed(values)} have no declared order. Pass a mapping from "
                "value to weight, or declare the column as Nominal(('red', 'green'))."
            )
        if weights.shape not in ((len(values),), (n_classes, len(values))):
            raise ParameterError(
                f"{parameter} must have the shape ({len(values)},) or ({n_classes}, {len(values)}) for the values "
                f"{listed(values)}, got {weights.shape}. Pass a single number to give all values this weight."
            )
        return weights

    def unseen(self, label: Name, values: Sequence[Value], n_classes: int) -> float:
        """Return the mean weight of the attribute's values, or of the whole mapping if it lists none of the values."""
        given = self.attributes.get(label, self.others)
        if isinstance(given, Mapping):
            keys = {_key(value) for value in values}
            known = [weight for value, weight in given.items() if _key(value) in keys]
            return float(np.mean(known or list(given.values())))
        return float(np.mean(given))

    def class_weight(self, n_classes: int) -> float:
        return self.others


@dataclass(frozen=True)
class Auto:
    """Prior with one weight (1e-3 to 1e3) for all values and classes, which maximizes the marginal likelihood.

    >>> Auto().chosen(lambda weight: -weight)
    Dirichlet(weight=0.001)
    """

    def chosen(self, log_evidence: Callable[[float], float]) -> Dirichlet:
        """Return the prior with the weight that maximizes ``log_evidence``."""
        return Dirichlet(choose_weight(log_evidence))


def choose_weight(log_evidence: Callable[[float], float], decades: tuple[int, int] = (-3, 3)) -> float:
    """Return the weight that maximizes a smooth function; ties go to the weight nearest to 1."""
    tried: dict[float, float] = {}

    def value(x: float) -> float:
        if x not in tried:
            tried[x] = float(log_evidence(10.0**x))
            if math.isnan(tried[x]):
                raise ParameterError(f"the function to maximize is NaN at the weight {10.0**x:g}")
        return tried[x]

    low, high = (decade * _PER_DECADE for decade in decades)
    grid = [step / _PER_DECADE for step in range(low, high + 1)]  # powers of ten: the ends and 1 are included
    best = max(range(len(grid)), key=lambda i: (value(grid[i]), -abs(grid[i]), -i))
    bounds = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    minimize_scalar(lambda x: -value(float(x)), bounds=bounds, method="bounded", options={"xatol": _TOLERANCE})
    return float(10.0 ** max(tried, key=lambda x: (tried[x], -abs(x), -x)))


# -- checks

_NAMED: dict[str, Prior | Auto] = {"jeffreys": Dirichlet(0.5), "laplace": Laplace(), "bdeu": BDeu(1.0), "auto": Auto()}


def resolve_prior(spec: object) -> Prior | Auto:
    if is_number(spec):
        return Dirichlet(_weight("prior", spec))
    if isinstance(spec, str) and spec in _NAMED:
        return _NAMED[spec]
    if isinstance(spec, Mapping):
        return PerAttribute(spec)
    if isinstance(spec, Dirichlet) and spec.by_class:
        spec.class_weight(1)  # raises the error
    if isinstance(spec, (Prior, Auto)) and not isinstance(spec, type):
        return spec
    raise ParameterError(
        f"prior must be a finite number above 0, one of {listed(_NAMED)}, a mapping from column to weights, or a "
        f"prior, got {quoted(spec)}. {advice(spec, _NAMED, otherwise='For example, pass BDeu(5.0).')}"
    )


def check_prior_goes_with(prior: object, predictive: str) -> None:
    """Raise an error for a Laplace or m-estimate prior with ``predictive="map"``, which gives another estimate."""
    by_name = isinstance(prior, str) and prior == "laplace"
    if predictive == "map" and (by_name or isinstance(prior, (Laplace, MEstimate))):
        name, weights = "Laplace estimate", "prior=2.0 gives"
        if isinstance(prior, MEstimate):
            name, weights = "m-estimate", "weights of 1 + m / n for n values give"
        raise ParameterError(
            f"prior={prior!r} needs predictive='evidence': the {name} is the mean of the posterior. With 'map', "
            f"{weights} the {name}"
        )


@dataclass(frozen=True, eq=False)
class ClassPrior:
    """Dirichlet weights of the classes or, if ``fixed``, class probabilities that do not depend on the rows."""

    weights: FloatArray
    fixed: bool = False

    def log_evidence(self, counts: FloatArray) -> float:
        """Return the log marginal likelihood of the classes of all rows."""
        if self.fixed:
            return float((counts * np.log(self.weights)).sum())
        return float(log_marginal(counts, self.weights))


def resolve_class_prior(spec: object, prior: Prior, labels: Sequence[Value]) -> ClassPrior:
    """Return weights or probabilities in the order of ``labels``; ``spec`` is the parameter ``class_prior``."""
    labels = [plain(label) for label in labels]  # NumPy strings would show their type in messages
    n = len(labels)
    if spec is None:
        return ClassPrior(np.full(n, _given_weights(prior, prior.class_weight(n), "class_weight", ())))
    counts = spec.weight if isinstance(spec, Dirichlet) else spec
    if is_number(counts):
        return ClassPrior(np.full(n, _weight("class_prior", counts)))
    if isinstance(counts, Mapping):
        settled = {label: _weight(f"class_prior[{label!r}]", weight) for label, weight in counts.items()}
        weights, total = np.array(_by_key(settled, labels, "class_prior", "class")), sum(settled.values())
    else:
        weights = _class_array(counts, labels)
        total = float(weights.sum())
    fixed = not isinstance(spec, Dirichlet)
    if fixed and not math.isclose(total, 1.0, rel_tol=_SUM_TOLERANCE):
        shown = quoted(counts if isinstance(counts, Mapping) else weights.tolist())
        raise ParameterError(
            f"class_prior must be probabilities that sum to 1, as in scikit-learn, got {shown} with the sum "
            f"{total:.6g}. For pseudo-counts, pass class_prior=Dirichlet({shown})."
        )
    return ClassPrior(weights, fixed)


def _class_array(given: object, labels: Sequence[Value]) -> FloatArray:
    weights = None if isinstance(given, (str, bool, np.bool_)) else as_floats(given)
    if weights is None or weights.shape != (len(labels),):
        raise ParameterError(
            "class_prior must be None (for the weights of prior), a pseudo-count for every class, the probabilities of "
            f"the classes, or Dirichlet with their pseudo-counts, by class or in the shape ({len(labels)},) for "
            f"{listed(labels)}, got {quoted(given)}"
        )
    _check_weights("class_prior", weights)
    return weights


def _by_key(given: Mapping[Any, Any], values: Sequence[Value], parameter: str, what: str) -> list[Any]:
    """Return the weight of each value or class from a mapping, in which None is the key of missing values."""
    weights = {_key(value): weight for value, weight in given.items()}
    if lacking := [value for value in values if _key(value) not in weights]:
        meant = misspelt(given, lacking)
        repair = meant[0].upper() + meant[1:] if meant else "Add them to the mapping, or pass one number for all."
        raise ParameterError(f"{parameter} has no weight for the {what} {listed(lacking)}. {repair}")
    return [weights[_key(value)] for value in values]


def _key(value: Value) -> Value:
    return None if is_missing(value) else identity(plain(value))


# -- weights for given counts


@dataclass(frozen=True, eq=False)
class CellWeights:
    """Dirichlet weights of the cells, with one column for all classes or one column for each class."""

    cells: FloatArray
    widened: FloatArray
    """Weights of the same cells if each attribute has an additional, unseen value."""
    unseen: FloatArray
    """Weight of the unseen value of each attribute, shape (attributes, 1)."""


@dataclass(frozen=True, eq=False)
class PriorWeights:
    """Prior, and the weights of cells and classes under this prior."""

    prior: Prior
    cells: CellWeights
    classes: ClassPrior
    words: Mapping[int, FloatArray] = field(default_factory=dict)
    """Weights of the words of texts, by attribute, shape (classes or 1, words)."""


def prior_weights(
    prior: Prior | Auto,
    class_prior: object,
    statistics: Statistics,
    instances: Instances,
    evidence: Callable[[Statistics, PriorWeights], float] | None = None,
) -> PriorWeights:
    """Return the weights of a prior; an `Auto` prior is first replaced by the prior with the largest ``evidence``."""

    def applied(settled: Prior) -> PriorWeights:
        classes = resolve_class_prior(class_prior, settled, statistics.labels.tolist())
        cells = cell_weights(settled, statistics.discrete, instances, statistics.n_classes)
        texts, schema, n = statistics.texts, instances.schema, statistics.n_classes
        words = {a: word_weights(settled, schema.label(a), counts.words, n) for a, counts in texts.items()}
        return PriorWeights(settled, cells, classes, words)

    if isinstance(prior, Auto):
        log_evidence = evidence or counts_evidence
        prior = prior.chosen(lambda weight: log_evidence(statistics, applied(Dirichlet(weight))))
    return applied(prior)


def symmetric_weights(prior: Prior, discrete: Discrete, n_classes: int) -> CellWeights | None:
    """Return the weight of each cell (0 for cells without a value), or None if the prior is not symmetric."""
    found = [prior.symmetric(sizes, n_classes) for sizes in (discrete.sizes, discrete.sizes + 1)]
    if any(each is None for each in found):
        return None
    symmetric, widened = (_given_weights(prior, each, "symmetric", (discrete.sizes.size,)) for each in found)
    inside = discrete.inside[:, np.newaxis]
    column, wide = (np.where(inside, each[discrete.of, np.newaxis], 0.0) for each in (symmetric, widened))
    return CellWeights(column, wide, widened[:, np.newaxis])


def cell_weights(prior: Prior, discrete: Discrete, instances: Instances, n_classes: int) -> CellWeights:
    if (found := symmetric_weights(prior, discrete, n_classes)) is not None:
        return found
    cells = np.zeros((len(discrete.of), n_classes))
    unseen = np.zeros((len(discrete.attributes), 1))
    for d, a in enumerate(discrete.attributes):
        kind, label = instances.schema.kinds[a], instances.schema.label(a)
        codes = discrete.codes(d)
        missing = codes.start - FIRST
        held = codes.start + np.flatnonzero(discrete.inside[codes])
        known = instances.values(a) if discrete.cuts[d] is None else range(codes.stop - codes.start)
        values: list[Value] = [known[cell - codes.start] for cell in held.tolist()]
        occurs = discrete.inside[missing]
        # If missing is counted, it is the last value; an array has a weight for missing even if it does not occur.
        by_order = isinstance(prior, PerAttribute) and isinstance(prior.attributes.get(label), tuple)
        if occurs or (discrete.missing[d] and by_order):
            held, values = np.append(held, missing), [*values, None]
        declared = not isinstance(kind, Nominal) or kind.values is not None
        if isinstance(prior, PerAttribute):
            weights = prior.weights(label, values, n_classes, declared=declared)
        else:
            shapes, asked = ((len(values),), (n_classes, len(values))), f"weights of {label!r}"
            weights = _given_weights(prior, prior.weights(label, values, n_classes), asked, *shapes)
        cells[held] = np.atleast_2d(weights).T
        if not occurs:
            cells[missing] = 0.0
        unseen[d] = _given_weights(prior, prior.unseen(label, values, n_classes), f"unseen of {label!r}", ())
    return CellWeights(cells, cells, unseen)


def word_weights(
    prior: Prior, label: Name, words: Sequence[Value], n_classes: int, size: int | None = None
) -> FloatArray:
    """Return the Dirichlet weights of words, shape (classes or 1, words), for a vocabulary of ``size`` words."""
    n = len(words)
    if (symmetric := prior.symmetric(np.array([n if size is None else size]), n_classes)) is not None:
        return np.full((1, n), _given_weights(prior, symmetric, "symmetric", (1,))[0])
    if isinstance(prior, PerAttribute):
        return np.atleast_2d(prior.weights(label, words, n_classes, declared=False))
    shapes, asked = ((n,), (n_classes, n)), f"weights of {label!r}"
    return np.atleast_2d(_given_weights(prior, prior.weights(label, words, n_classes), asked, *shapes))


def pooled_word_weights(
    prior: Prior, label: Name, words: Sequence[Value], n_classes: int, size: int | None = None
) -> FloatArray:
    """Return the weights of words for all classes together, which are the sums of the weights over the classes."""
    own = word_weights(prior, label, words, n_classes, size)
    return np.asarray(np.broadcast_to(own, (n_classes, own.shape[1])).sum(axis=0, keepdims=True))


def _given_weights(prior: Prior, given: Any, asked: str, *shapes: tuple[int, ...]) -> FloatArray:
    """Check and return the weights that a method of a prior returned; the prior can be a user-defined class."""
    weights = as_floats(given)
    if weights is None or weights.shape not in shapes:
        got = quoted(given) if weights is None else f"the shape {weights.shape}"
        expected = " or ".join(map(str, shapes)) if shapes != ((),) else "() (one number)"
        raise ParameterError(f"prior must return {asked} in the shape {expected}, got {got} from {quoted(prior)}")
    if not ((weights >= _LEAST_SHARE) & (weights <= _MOST_WEIGHT)).all():
        raise ParameterError(
            f"prior must return finite weights above 0 and at most 1e100, got {quoted(given)} as {asked} from "
            f"{quoted(prior)}"
        )
    return weights


def log_marginals(discrete: Discrete, weights: FloatArray, more: FloatArray | float = 0.0) -> FloatArray:
    """Return the log marginal likelihood of each discrete attribute in each class (Kontkanen et al. 1998, eq. 8).

    ``more`` is the Dirichlet weight of one additional value per attribute, a value that occurs in no row.
    """
    shape = discrete.totals.shape
    cells, classes = np.nonzero(np.where(discrete.inside[:, np.newaxis], discrete.counts, 0.0))
    terms = log_rising(np.broadcast_to(weights, discrete.counts.shape)[cells, classes], discrete.counts[cells, classes])
    values = group_sums(discrete.of[cells] * shape[1] + classes, terms, shape[0] * shape[1]).reshape(shape)
    sums = np.broadcast_to(discrete.per_attribute(weights) + more, shape)
    # An attribute without values has neither weight nor counts.
    return values - np.where(discrete.totals > 0, log_rising(np.where(sums > 0, sums, 1.0), discrete.totals), 0.0)


def counts_evidence(statistics: Statistics, weights: PriorWeights) -> float:
    """Return the log marginal likelihood of classes, discrete values and words (Kontkanen et al. 1998, eq. 8)."""
    classes = weights.classes.log_evidence(statistics.class_counts)
    texts = sum(float(words.log_evidence(weights.words[a]).sum()) for a, words in statistics.texts.items())
    return classes + float(log_marginals(statistics.discrete, weights.cells.cells).sum()) + texts
