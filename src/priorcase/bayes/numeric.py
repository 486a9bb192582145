"""What to do with numeric columns: estimate densities, or cut them into bins."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from priorcase._typing import FloatArray
from priorcase.bayes.discretise import Discretiser, EqualFrequency, EqualWidth
from priorcase.bayes.gaussian import Gaussian
from priorcase.bayes.kernel_density import KernelDensity
from priorcase.bayes.kmeans_bins import KMeansBins
from priorcase.bayes.mdl import MDL, TwoWay
from priorcase.bayes.student import Student
from priorcase.exceptions import ParameterError

Numeric: TypeAlias = Student | Gaussian | KernelDensity | Discretiser

NUMERIC: dict[str, Callable[[], Numeric]] = {
    "student": Student,
    "gaussian": Gaussian,
    "kernel": KernelDensity,
    "equal_width": EqualWidth,
    "equal_frequency": EqualFrequency,
    "kmeans": KMeansBins,
    "mdl": MDL,
    "two_way": TwoWay,
}
"""The strategies that have a name."""


def resolve_numeric(spec: object, *, parameter: str = "numeric") -> Numeric:
    """The strategy itself, or the one that a name stands for.

    Examples
    --------
    >>> resolve_numeric("kmeans")
    KMeansBins(bins=5)
    """
    if isinstance(spec, str) and spec in NUMERIC:
        return NUMERIC[spec]()
    if isinstance(spec, (Student, Gaussian, KernelDensity)):
        return spec
    if not isinstance(spec, type) and callable(getattr(spec, "cuts", None)) and hasattr(spec, "needs_classes"):
        return spec  # type: ignore[return-value]  # a discretiser by its methods
    raise ParameterError.wrong(
        parameter,
        spec,
        expected=f"a strategy for numeric columns or one of {', '.join(map(repr, NUMERIC))}",
        hint="strategies with options are in priorcase.bayes, such as KMeansBins(bins=3) or CutPoints((18, 65)).",
        names=NUMERIC,
    )


def log_densities(parameters: FloatArray, x: FloatArray) -> FloatArray:
    """Log-density of each number in each class, by the parameters of `Student` or `Gaussian`; 0 where it is missing.

    Parameters
    ----------
    parameters
        Shape (classes, 4), or (numbers, classes, 4) where each number has its own.
    x
        Numbers, NaN where missing.

    Examples
    --------
    >>> log_densities(np.array([[-1.0, 2.0, 0.5, 0.0], [-1.0, 2.0, 1.0, 2.0]]), np.array([2.0, 3.0, np.nan]))
    array([[-1.        , -1.        ],
           [-1.5       , -2.38629436],
           [ 0.        ,  0.        ]])
    """
    c, location, q, e = np.moveaxis(parameters, -1, 0)
    with np.errstate(over="ignore", invalid="ignore"):
        away = np.asarray(x, dtype=np.float64)[:, None] - location
        squares = np.where(q > 0, away * away * q, 0.0)  # a density that says nothing does so however far away x is
    far = np.isinf(squares) & (q > 0)
    logs = np.log1p(squares)
    if far.any():
        logs[far] = (2 * np.log(np.abs(away)) + np.log(np.broadcast_to(q, away.shape)))[far]
    found = c - np.where(e > 0, e * logs, squares)
    return np.where(np.isnan(away), 0.0, found)
