"""What is believed before any row was seen: Dirichlet weights of values and classes.

A weight acts like that many rows seen before. The named ones:

=====================  ============================================  ===============================================
prior                  weight of a value, K classes, n values        name
=====================  ============================================  ===============================================
``Dirichlet(weight)``  the weight                                    a number; ``"jeffreys"`` for 1/2
``Laplace()``          1                                             ``"laplace"``
``BDeu(s)``            ``s / (K n)``, so that s rows are shared out  ``"bdeu"`` for ``s = 1``
``MEstimate(m)``       ``m / n``
``PerAttribute(...)``  by attribute, value and class                 a mapping
``Auto()``             the one that makes the rows most probable     ``"auto"``
=====================  ============================================  ===============================================
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from priorcase._parameters import is_number
from priorcase._typing import FloatArray, IntArray, Name, Value
from priorcase.bayes.auto_weight import choose_weight
from priorcase.bayes.checks import check_positive, positive
from priorcase.bayes.per_attribute import PerAttribute, weights_by_key
from priorcase.exceptions import ParameterError, PriorError, listed
from priorcase.instances.instances import as_floats
from priorcase.schema.values import plain
from priorcase.similarity.checks import settle

__all__ = [
    "Auto",
    "BDeu",
    "Dirichlet",
    "Laplace",
    "MEstimate",
    "PerAttribute",
    "Prior",
    "check_prior_goes_with",
    "choose_weight",
    "resolve_class_prior",
    "resolve_prior",
]


@runtime_checkable
class Prior(Protocol):
    """Dirichlet weights for the values of every attribute and for the classes."""

    def symmetric(self, n_values: IntArray, n_classes: int) -> FloatArray | None:
        """The weight of each cell of every attribute; None where cells of one attribute may differ."""
        ...

    def weights(self, label: Name, values: Sequence[Value], n_classes: int, *, declared: bool = True) -> FloatArray:
        """The weights of an attribute's values, shape ``(values,)`` or ``(n_classes, values)``."""
        ...

    def unseen(self, label: Name, values: Sequence[Value], n_classes: int) -> float:
        """The weight of a value that an attribute never had."""
        ...

    def class_weight(self, n_classes: int) -> float:
        """The weight of each class."""
        ...


class _Symmetric(ABC):
    """A prior under which all values of an attribute weigh the same."""

    @abstractmethod
    def _weight(self, n_values: FloatArray, n_classes: int) -> FloatArray:
        """The weight of a value of attributes with so many values."""

    def symmetric(self, n_values: IntArray, n_classes: int) -> FloatArray:
        """The weight of each cell of every attribute; an attribute without values counts as having one."""
        return self._weight(np.maximum(np.asarray(n_values, dtype=np.float64), 1.0), n_classes)

    def weights(self, label: Name, values: Sequence[Value], n_classes: int, *, declared: bool = True) -> FloatArray:
        """The weights of an attribute's values, all the same."""
        return np.full(len(values), self.symmetric(np.array([len(values)]), n_classes)[0])

    def unseen(self, label: Name, values: Sequence[Value], n_classes: int) -> float:
        """The weight of a value that an attribute never had, once it is one of its values."""
        return float(self.symmetric(np.array([len(values) + 1]), n_classes)[0])

    def class_weight(self, n_classes: int) -> float:
        """The weight of each class: that of a value, were the class an attribute."""
        return float(self._weight(np.array([float(n_classes)]), 1)[0])


@dataclass(frozen=True)
class Dirichlet(_Symmetric):
    """The same weight for every value and every class; 1 is the uniform prior of both papers.

    Parameters
    ----------
    weight
        Above 0.

    Examples
    --------
    >>> Dirichlet(0.5).weights("colour", ["red", "green"], 3)
    array([0.5, 0.5])
    """

    weight: float = 1.0

    def __post_init__(self) -> None:
        settle(self, weight=positive("weight", self.weight))

    def _weight(self, n_values: FloatArray, n_classes: int) -> FloatArray:
        return np.full(n_values.shape, self.weight)


@dataclass(frozen=True)
class Laplace(Dirichlet):
    """Weight 1 for every value and class: the Laplace estimate ``(n_i + 1) / (N + n)`` of ``predictive="evidence"``.

    Examples
    --------
    >>> Laplace()
    Laplace()
    """

    weight: float = field(default=1.0, init=False, repr=False)


@dataclass(frozen=True)
class BDeu(_Symmetric):
    """So many rows shared out evenly among all cells of each table: ``s / (K n)`` for K classes and n values.

    The likelihood-equivalent uniform prior: networks that say the same get the same marginal likelihood. A class weighs
    ``s / K``.

    Parameters
    ----------
    equivalent_sample_size
        The number s of rows that the prior is worth, above 0.

    Examples
    --------
    >>> BDeu(6).weights("colour", ["red", "green"], 3)
    array([1., 1.])
    """

    equivalent_sample_size: float = 1.0

    def __post_init__(self) -> None:
        size = positive("equivalent_sample_size", self.equivalent_sample_size, hint="1.0 is usual.")
        settle(self, equivalent_sample_size=size)

    def _weight(self, n_values: FloatArray, n_classes: int) -> FloatArray:
        return self.equivalent_sample_size / (n_classes * n_values)


@dataclass(frozen=True)
class MEstimate(_Symmetric):
    """So many rows shared out evenly in each class: ``m / n`` for n values, as in ``m_estimate`` with equal p.

    Parameters
    ----------
    m
        The number of rows that the prior is worth in each class, above 0.

    Examples
    --------
    >>> MEstimate(3).weights("status", ["single", "married", "divorced"], 2)
    array([1., 1., 1.])
    """

    m: float = 1.0

    def __post_init__(self) -> None:
        settle(self, m=positive("m", self.m, hint="1.0 is usual."))

    def _weight(self, n_values: FloatArray, n_classes: int) -> FloatArray:
        return self.m / n_values


@dataclass(frozen=True)
class Auto:
    """The weight, one for all values and classes, under which the stored rows are most probable.

    Looked for from 1e-3 to 1e3, see ``choose_weight``.

    Examples
    --------
    >>> Auto().chosen(lambda weight: -weight - 1 / weight)
    Dirichlet(weight=1.0)
    """

    def chosen(self, log_evidence: Callable[[float], float]) -> Dirichlet:
        """The prior with the weight that makes ``log_evidence`` largest."""
        return Dirichlet(choose_weight(log_evidence))


_NAMED: dict[str, Prior | Auto] = {"jeffreys": Dirichlet(0.5), "laplace": Laplace(), "bdeu": BDeu(1.0), "auto": Auto()}


def resolve_prior(spec: object) -> Prior | Auto:
    """The prior that a number, a name or a mapping stands for, or the prior itself.

    Examples
    --------
    >>> resolve_prior(2), resolve_prior("jeffreys")
    (Dirichlet(weight=2.0), Dirichlet(weight=0.5))
    """
    if is_number(spec):
        return Dirichlet(positive("prior", spec))
    if isinstance(spec, str) and spec in _NAMED:
        return _NAMED[spec]
    if isinstance(spec, Mapping):
        return PerAttribute(spec)
    if isinstance(spec, (Prior, Auto)) and not isinstance(spec, type):
        return spec
    expected = f"a finite number above 0, one of {listed(_NAMED)}, a mapping from column to weights, or a prior"
    hint = "a prior is for example BDeu(5.0)."
    raise ParameterError.wrong("prior", spec, expected=expected, hint=hint, names=_NAMED)


def check_prior_goes_with(prior: object, predictive: str) -> None:
    """Refuse priors named after an estimate that ``predictive="map"`` would not give.

    Examples
    --------
    >>> check_prior_goes_with(Laplace(), "evidence")
    """
    if predictive != "map":
        return
    if isinstance(prior, Laplace) or (isinstance(prior, str) and prior == "laplace"):
        hint = "under 'map' weight 2 gives the Laplace estimate: prior=2.0."
        raise PriorError.not_under_map(prior, "the Laplace estimate", hint)
    if isinstance(prior, MEstimate):
        hint = "under 'map' weights of 1 + m / n for n values give the m-estimate: prior={'colour': 1.5, ...}."
        raise PriorError.not_under_map(prior, "the m-estimate", hint)


def resolve_class_prior(spec: object, prior: Prior, labels: Sequence[Value]) -> FloatArray:
    """The weight of each class.

    Parameters
    ----------
    spec
        None for what the prior says, a number for each class alike, one number for each class in the order of
        ``labels``, or a mapping from class to number.
    prior
        The prior of the attributes.
    labels
        The classes.

    Examples
    --------
    >>> resolve_class_prior({"yes": 2, "no": 1}, Dirichlet(1.0), ["no", "yes"])
    array([1., 2.])
    """
    labels = [plain(label) for label in labels]  # NumPy's text would show its type in messages
    if spec is None:
        return np.full(len(labels), prior.class_weight(len(labels)))
    if is_number(spec):
        return np.full(len(labels), positive("class_prior", spec))
    if isinstance(spec, Mapping):
        return _by_class(spec, labels)
    weights = None if isinstance(spec, (str, bool, np.bool_)) else as_floats(spec)
    if weights is None:
        expected = "None, a finite number above 0, one for each class, or a mapping from class to number"
        raise ParameterError.wrong("class_prior", spec, expected=expected, hint="None follows the prior.")
    if weights.shape != (len(labels),):
        wanted = f"({len(labels)},), one weight for each of the classes {listed(labels)}"
        raise PriorError.shape("class_prior", weights.shape, wanted)
    check_positive(weights, parameter="class_prior")
    return weights


def _by_class(spec: Mapping[Value, float], labels: Sequence[Value]) -> FloatArray:
    found = weights_by_key(spec, labels)
    if lacking := [label for label, weight in zip(labels, found, strict=True) if weight is None]:
        raise PriorError.lacking("class_prior", "class", lacking, spec)
    return np.array([positive(f"class_prior[{k!r}]", w) for k, w in zip(labels, found, strict=True)])
