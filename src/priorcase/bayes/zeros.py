"""What becomes of probabilities that are exactly 0, as single parameters give them to values never seen in a class.

Only the largest likelihood and the most probable parameters know zeros; the evidence and the stochastic complexity do
not. By default zeros stay, and nothing is raised in silence. Here the first class is possible, the second is not:

>>> joint = np.array([[-3.0, -np.inf]])
>>> normalise(joint, KeepZeros())
array([[  0., -inf]])
>>> normalise(joint, Cap())[:, 1]
array([-100.])
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from priorcase._parameters import as_python, is_number
from priorcase._typing import BoolArray, FloatArray
from priorcase.exceptions import ParameterError
from priorcase.similarity.checks import settle

# At 20 nats a thousand impossible classes take two millionths of the probability.
_LEAST_NATS, _MOST_NATS = 20.0, 1e6


@runtime_checkable
class ZeroPolicy(Protocol):
    """What a zero among the parameters becomes, and what a class becomes that cannot be."""

    def parameters(self, probabilities: FloatArray) -> FloatArray:
        """The parameters to predict with, for those that were estimated."""
        ...

    def impossible(self, log_probabilities: FloatArray, zero: BoolArray) -> FloatArray:
        """Log-probabilities of the classes (rows, K), where ``zero`` marks those that cannot be; some class can."""
        ...


@dataclass(frozen=True)
class KeepZeros:
    """A zero stays a zero: an impossible class has log-probability ``-inf``.

    Examples
    --------
    >>> KeepZeros().parameters(np.array([0.0, 1.0]))
    array([0., 1.])
    """

    def parameters(self, probabilities: FloatArray) -> FloatArray:
        return probabilities

    def impossible(self, log_probabilities: FloatArray, zero: BoolArray) -> FloatArray:
        return log_probabilities


@dataclass(frozen=True)
class Cap:
    """An impossible class has log-probability ``-nats``, so that its log-score is ``-nats`` and not infinite.

    Only exact zeros are replaced: a class that is less likely than that, but possible, stays where it is. The possible
    classes share the rest, ``1 - z exp(-nats)`` for z impossible ones. With 100 nats it is what the published
    log-scores of Kontkanen et al. 1998, Table 1, go back to.

    Parameters
    ----------
    nats
        From 20 to 1e6; below 20 it would take a visible part of the probability.

    Examples
    --------
    >>> Cap()
    Cap(nats=100.0)
    """

    nats: float = 100.0

    def __post_init__(self) -> None:
        if not is_number(self.nats) or not _LEAST_NATS <= as_python(self.nats) <= _MOST_NATS:
            raise ParameterError.wrong(
                "nats", self.nats, expected="a number from 20 to 1e6", hint="100.0 is the papers' choice."
            )
        settle(self, nats=float(as_python(self.nats)))

    def parameters(self, probabilities: FloatArray) -> FloatArray:
        return probabilities

    def impossible(self, log_probabilities: FloatArray, zero: BoolArray) -> FloatArray:
        taken = np.count_nonzero(zero, axis=1) * np.exp(-self.nats)
        return np.where(zero, -self.nats, log_probabilities + np.log1p(-taken)[:, np.newaxis])


@dataclass(frozen=True)
class ParamFloor:
    """Every parameter below ``floor`` is raised to it, and the others stay: their sum may exceed 1.

    So no class is impossible. With 1e-4 it comes closest to the published log-scores of Kontkanen et al. 1997, Table 1,
    which do not say how zeros were treated.

    Parameters
    ----------
    floor
        Above 0 and below 1.

    Examples
    --------
    >>> ParamFloor().parameters(np.array([0.0, 1.0]))
    array([1.e-04, 1.e+00])
    """

    floor: float = 1e-4

    def __post_init__(self) -> None:
        if not is_number(self.floor) or not 1e-300 <= as_python(self.floor) < 1:
            expected = "a number above 0 and below 1"
            raise ParameterError.wrong("floor", self.floor, expected=expected, hint="1e-4 is usual.")
        settle(self, floor=float(as_python(self.floor)))

    def parameters(self, probabilities: FloatArray) -> FloatArray:
        return np.maximum(probabilities, self.floor)

    def impossible(self, log_probabilities: FloatArray, zero: BoolArray) -> FloatArray:
        return log_probabilities


ZERO_POLICIES: dict[str, Callable[[], ZeroPolicy]] = {"-inf": KeepZeros, "cap100": Cap, "param_floor": ParamFloor}
"""The policies that have a name."""


def resolve_zero_policy(spec: object) -> ZeroPolicy:
    """The policy itself, or the one that a name stands for.

    Examples
    --------
    >>> resolve_zero_policy("cap100")
    Cap(nats=100.0)
    """
    if isinstance(spec, str) and spec in ZERO_POLICIES:
        return ZERO_POLICIES[spec]()
    if isinstance(spec, ZeroPolicy) and not isinstance(spec, type):
        return spec
    expected = f"a zero policy or one of {', '.join(map(repr, ZERO_POLICIES))}"
    hint = "policies with options are Cap(nats=50) and ParamFloor(floor=1e-3)."
    raise ParameterError.wrong("zero_policy", spec, expected=expected, hint=hint, names=ZERO_POLICIES)


def normalise(joint_log: FloatArray, policy: ZeroPolicy | None = None) -> FloatArray:
    """Log-probabilities of the classes, from the logs of their joint probabilities with a row's values.

    ``joint_k - ln sum_j exp(joint_j)``. Where every class is impossible, nothing is known and each gets ``1 / K``
    (the rule behind Kontkanen et al. 1998, Table 1).

    Parameters
    ----------
    joint_log
        One row for each query, one column for each class; finite or ``-inf``. Left as it is.
    policy
        What becomes of a class that cannot be while another can; None leaves it at ``-inf``.

    Examples
    --------
    >>> np.exp(normalise(np.log([[0.1, 0.3]])))
    array([[0.25, 0.75]])
    >>> np.exp(normalise(np.full((1, 4), -np.inf), Cap()))
    array([[0.25, 0.25, 0.25, 0.25]])
    """
    n, n_classes = joint_log.shape
    top = joint_log.max(axis=1, initial=-np.inf)
    hopeless = np.isneginf(top)
    shifted = joint_log - np.where(hopeless, 0.0, top)[:, np.newaxis]
    masses = np.exp(shifted)
    total = np.zeros(n)
    # Class after class: the same bits for one row as for many.
    for k in range(n_classes):
        total += masses[:, k]
    total[hopeless] = 1.0
    shifted -= np.log(total)[:, np.newaxis]
    zero = np.isneginf(shifted)
    if zero.any() and policy is not None:
        shifted = policy.impossible(shifted, zero)
    shifted[hopeless] = -np.log(n_classes)
    return shifted
