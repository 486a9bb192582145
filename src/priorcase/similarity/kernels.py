"""Kernels, which define the weight ``K(u)`` of a neighbor at distance d, with ``u = d / h`` for a bandwidth h.

Kernels have no normalizing constants, because such constants cancel in every vote and every local fit (Atkeson, Moore &
Schaal 1997). Compact kernels are 0 for ``u >= 1``, so the neighbor that determines the bandwidth has weight 0. A plain
function is also accepted as a kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from numbers import Real
from typing import Any, ClassVar, Protocol, cast

import numpy as np
from sklearn.utils._param_validation import Interval

from priorcase._parameters import check_fields
from priorcase._typing import FloatArray
from priorcase.exceptions import ParameterError, advice, failure, quoted

_POSITIVE = [Interval(Real, 0, None, closed="neither")]


class Kernel(Protocol):
    """Protocol for custom kernels, whose weight must not increase with the distance.

    A plain function without the attribute ``compact`` is also accepted; its weight is treated as positive at any
    distance.

    >>> Tricube.compact, Gaussian.compact
    (True, False)
    """

    compact: ClassVar[bool]
    """Whether the weight is 0 for ``u >= 1``, so that rows beyond a fixed bandwidth can be skipped."""

    def __call__(self, u: FloatArray) -> FloatArray:
        """Return the weight, which must be at least 0, for each relative distance in the array ``u``."""
        ...


@dataclass(frozen=True)
class Gaussian:
    """Gaussian kernel, ``exp(-(u / width)^2)`` (Atkeson, Moore & Schaal's form for a width of 1).

    At the bandwidth (u = 1), the weight is 0.37 for a width of 1 and 0.02 for a width of 0.5.

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
    """Tricube kernel, ``(1 - u^3)^3`` (Cleveland 1979).

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
    """Epanechnikov kernel, ``1 - u^2``.

    >>> Epanechnikov()([0.0, 0.5, 1.0])
    array([1.  , 0.75, 0.  ])
    """

    compact: ClassVar[bool] = True

    def __call__(self, u: FloatArray) -> FloatArray:
        inside = _inside(u)
        return 1.0 - inside * inside


@dataclass(frozen=True)
class Biweight:
    """Biweight kernel, ``(1 - u^2)^2``.

    >>> Biweight()([0.0, 0.5, 1.0])
    array([1.    , 0.5625, 0.    ])
    """

    compact: ClassVar[bool] = True

    def __call__(self, u: FloatArray) -> FloatArray:
        rest = Epanechnikov()(u)
        return rest * rest


@dataclass(frozen=True)
class Triangular:
    """Triangular kernel, ``1 - u``.

    >>> Triangular()([0.0, 0.5, 1.0])
    array([1. , 0.5, 0. ])
    """

    compact: ClassVar[bool] = True

    def __call__(self, u: FloatArray) -> FloatArray:
        return 1.0 - _inside(u)


@dataclass(frozen=True)
class Uniform:
    """Uniform kernel, 1 for ``u < 1`` and 0 for ``u >= 1``.

    >>> Uniform()([0.0, 0.5, 1.0])
    array([1., 1., 0.])
    """

    compact: ClassVar[bool] = True

    def __call__(self, u: FloatArray) -> FloatArray:
        return np.where(np.asarray(u) < 1.0, 1.0, 0.0)


@dataclass(frozen=True)
class Exponential:
    """Exponential kernel, ``exp(-u)``.

    >>> Exponential()([0.0, 0.5, 1.0])
    array([1.        , 0.60653066, 0.36787944])
    """

    compact: ClassVar[bool] = False

    def __call__(self, u: FloatArray) -> FloatArray:
        return np.exp(-np.asarray(u, np.float64))


@dataclass(frozen=True)
class InversePower:
    """Inverse power kernel, ``1 / u^p``; exact matches have infinite weight (Mitchell 1997, eq. 8.3 with p = 2).

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


@dataclass(frozen=True)
class FunctionKernel:
    """Kernel defined by a function that maps an array of relative distances ``u`` to an array of finite weights >= 0.

    A function whose parameter is annotated as ``float`` is called with one number at a time.

    >>> FunctionKernel(lambda u: 1 / (1 + u))(np.array([0.0, 1.0]))
    array([1. , 0.5])
    >>> def step(u: float) -> float:
    ...     return 1.0 if u < 0.5 else 0.25
    >>> FunctionKernel(step)(np.array([0.0, 1.0]))
    array([1.  , 0.25])
    """

    function: Callable[[Any], Any]
    parameter: str = "kernel"  # name of the estimator's parameter, for messages

    compact: ClassVar[bool] = False  # weights of a function are treated as positive at any distance

    def __call__(self, u: FloatArray) -> FloatArray:
        return function_weights(self.function, np.array(u, np.float64), self.parameter)


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


_COMPILED = frozenset(KERNELS.values())


def resolve_kernel(kernel: str | Kernel | Callable[[Any], Any]) -> Kernel:
    """Convert the name of a kernel or a function to a kernel, and return a kernel unchanged.

    >>> resolve_kernel("tricube")
    Tricube()
    """
    if isinstance(kernel, str) and kernel in KERNELS:
        return KERNELS[kernel]()
    if isinstance(kernel, type):
        raise ParameterError(f"kernel must be a name or an instance such as Tricube(), got {quoted(kernel)}")
    if isinstance(kernel, str) or not callable(kernel):
        remedy = advice(kernel, KERNELS, otherwise="Kernel classes with parameters are in priorcase.similarity.")
        names = ", ".join(map(repr, KERNELS))
        raise ParameterError(f"kernel must be a Kernel, a function or one of {names}, got {quoted(kernel)}. {remedy}")
    return cast(Kernel, kernel) if hasattr(kernel, "compact") else FunctionKernel(kernel)


def kernel_weights(kernel: Kernel, u: FloatArray) -> FloatArray:
    """Return the kernel weights ``K(u)``, and check the weights that a custom kernel returns."""
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        weights = np.asarray(kernel(u))
    if type(kernel) not in _COMPILED:
        _check(weights, u, f"kernel={quoted(kernel)}", "weight", infinite=True)
    return np.asarray(weights, np.float64)


def function_weights(function: Callable[[Any], Any], distances: FloatArray, parameter: str) -> FloatArray:
    """Compute weights by a user's function and check them; the function may overwrite ``distances``."""
    who, noun = f"{parameter}={quoted(function)}", "vote" if parameter == "vote" else "weight"
    n = distances.shape
    try:
        with np.errstate(all="ignore"):  # results that are not finite raise an error below
            weights = np.asarray(
                [function(d) for d in distances.tolist()] if _takes_one(function) else function(distances)
            )
    except Exception as error:  # a user's function may raise anything; chained as the cause
        raise ParameterError(
            f"{who} raised {failure(error)}. The function is called with an array of distances. For a function of a "
            f"single number, write def {noun}(distance: float) with this annotation, or use np.vectorize({noun})."
        ) from error
    _check(weights, np.empty(n), who, noun)
    return np.asarray(weights, np.float64)


def _takes_one(function: Callable[[Any], Any]) -> bool:
    """Return whether the first parameter of a function is annotated as ``float``."""
    try:
        parameters = list(signature(function).parameters.values())
    except (TypeError, ValueError):  # compiled functions, which have no signature
        return False
    return bool(parameters) and parameters[0].annotation in (float, "float")


def _check(weights: Any, distances: FloatArray, who: str, noun: str, *, infinite: bool = False) -> None:
    problem = ""
    if weights.shape != distances.shape:
        problem = f"an array of shape {weights.shape} for distances of shape {distances.shape}"
    elif weights.dtype.kind not in "buif":
        problem = f"values of type {weights.dtype}"
    elif np.isnan(weights).any() or not (infinite or np.isfinite(weights).all()):
        problem = f"a {noun} that is not {'a number' if infinite else 'finite'}"
    elif (weights < 0).any():
        problem = f"a negative {noun}"
    if problem:
        number = "number" if infinite else "finite number"
        raise ParameterError(
            f"{who} returned {problem}. The result must be one {number} >= 0 for each distance, as from lambda "
            "distances: 1 / (1 + distances)."
        )


def _inside(u: FloatArray) -> FloatArray:
    return np.minimum(np.asarray(u, np.float64), 1.0)
