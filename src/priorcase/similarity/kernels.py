"""Kernels: how the weight of a neighbour falls with its distance, ``K(u)`` at ``u = d / h >= 0`` for a bandwidth h.

Without normalising constants, which cancel in every vote and fit (Atkeson, Moore & Schaal 1997). Compact kernels are 0
from ``u = 1`` on, so the neighbour that sets the bandwidth gets no weight.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Protocol

import numpy as np
from sklearn.utils._param_validation import Interval

from priorcase._parameters import check_fields
from priorcase._typing import FloatArray
from priorcase.exceptions import ParameterError, advice, quoted

_POSITIVE = [Interval(Real, 0, None, closed="neither")]


class Kernel(Protocol):
    """A weight that does not grow with the distance.

    >>> Tricube.compact, Gaussian.compact
    (True, False)
    """

    compact: ClassVar[bool]
    """Whether the weight is 0 from ``u = 1`` on."""

    def __call__(self, u: FloatArray) -> FloatArray:
        """The weight at each relative distance ``u >= 0``."""
        ...


@dataclass(frozen=True)
class Gaussian:
    """``exp(-(u / width)^2)`` (Atkeson, Moore & Schaal's form for a width of 1; others halve the exponent).

    A width below 1 lets the weight fall nearly to 0 at the bandwidth, where a width of 1 leaves more than a third.

    >>> Gaussian()([0.0, 1.0]), Gaussian(0.5)([0.0, 1.0])
    (array([1.        , 0.36787944]), array([1.        , 0.01831564]))
    """

    width: float = 1.0

    compact: ClassVar[bool] = False
    _parameter_constraints: ClassVar[dict[str, Any]] = {"width": _POSITIVE}

    def __post_init__(self) -> None:
        check_fields(self)

    def __call__(self, u: FloatArray) -> FloatArray:
        scaled = np.asarray(u, np.float64) / self.width
        with np.errstate(over="ignore"):
            return np.exp(-(scaled * scaled))


@dataclass(frozen=True)
class Tricube:
    """``(1 - u^3)^3`` (Cleveland 1979).

    >>> Tricube()([0.0, 0.5, 1.0])
    array([1.        , 0.66992188, 0.        ])
    """

    compact: ClassVar[bool] = True

    def __call__(self, u: FloatArray) -> FloatArray:
        inside = _inside(u)
        rest = 1.0 - inside * inside * inside
        return rest * rest * rest


@dataclass(frozen=True)
class Epanechnikov:
    """``1 - u^2``.

    >>> Epanechnikov()([0.0, 0.5, 1.0])
    array([1.  , 0.75, 0.  ])
    """

    compact: ClassVar[bool] = True

    def __call__(self, u: FloatArray) -> FloatArray:
        inside = _inside(u)
        return 1.0 - inside * inside


@dataclass(frozen=True)
class Biweight:
    """``(1 - u^2)^2``.

    >>> Biweight()([0.0, 0.5, 1.0])
    array([1.    , 0.5625, 0.    ])
    """

    compact: ClassVar[bool] = True

    def __call__(self, u: FloatArray) -> FloatArray:
        rest = Epanechnikov()(u)
        return rest * rest


@dataclass(frozen=True)
class Triangular:
    """``1 - u``.

    >>> Triangular()([0.0, 0.5, 1.0])
    array([1. , 0.5, 0. ])
    """

    compact: ClassVar[bool] = True

    def __call__(self, u: FloatArray) -> FloatArray:
        return 1.0 - _inside(u)


@dataclass(frozen=True)
class Uniform:
    """1 inside the bandwidth, 0 from there on.

    >>> Uniform()([0.0, 0.5, 1.0])
    array([1., 1., 0.])
    """

    compact: ClassVar[bool] = True

    def __call__(self, u: FloatArray) -> FloatArray:
        return np.where(np.asarray(u) < 1.0, 1.0, 0.0)


@dataclass(frozen=True)
class Exponential:
    """``exp(-u)``.

    >>> Exponential()([0.0, 0.5, 1.0])
    array([1.        , 0.60653066, 0.36787944])
    """

    compact: ClassVar[bool] = False

    def __call__(self, u: FloatArray) -> FloatArray:
        return np.exp(-np.asarray(u, np.float64))


@dataclass(frozen=True)
class InversePower:
    """``1 / u^p``; infinite at 0, where exact matches decide alone (Mitchell 1997, eq. 8.3 with p = 2).

    >>> InversePower()([0.0, 0.5, 1.0])
    array([inf,  4.,  1.])
    """

    p: float = 2.0

    compact: ClassVar[bool] = False
    _parameter_constraints: ClassVar[dict[str, Any]] = {"p": _POSITIVE}

    def __post_init__(self) -> None:
        check_fields(self)

    def __call__(self, u: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", over="ignore", under="ignore"):
            return 1.0 / np.asarray(u, np.float64) ** float(self.p)


KERNELS: dict[str, Callable[[], Kernel]] = {
    "gaussian": Gaussian,
    "tricube": Tricube,
    "epanechnikov": Epanechnikov,
    "biweight": Biweight,
    "triangular": Triangular,
    "uniform": Uniform,
    "exponential": Exponential,
    "inverse_power": InversePower,
}


def resolve_kernel(kernel: str | Kernel) -> Kernel:
    """The kernel itself, or the one that a name stands for.

    >>> resolve_kernel("tricube")
    Tricube()
    """
    if isinstance(kernel, str) and kernel in KERNELS:
        return KERNELS[kernel]()
    if isinstance(kernel, str) or not callable(kernel) or not hasattr(kernel, "compact"):
        remedy = advice(kernel, KERNELS, otherwise="Kernels with options are in priorcase.similarity.")
        names = ", ".join(map(repr, KERNELS))
        raise ParameterError(f"kernel must be a kernel or one of {names}, got {quoted(kernel)}. {remedy}")
    return kernel


def _inside(u: FloatArray) -> FloatArray:
    return np.minimum(np.asarray(u, np.float64), 1.0)
