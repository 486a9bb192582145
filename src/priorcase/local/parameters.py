"""Rules for the parameters of local regression, one sentence each, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from priorcase._parameters import as_python, is_number, is_whole
from priorcase.exceptions import ParameterError
from priorcase.learning.parameters import check_choice
from priorcase.neighbors.parameters import NNeighbors, check_n_neighbors
from priorcase.similarity.kernels import KERNELS, Kernel, resolve_kernel

Degree: TypeAlias = Literal[0, 1, 2]
Bandwidth: TypeAlias = float | Literal["loo", "query"] | None
Solver: TypeAlias = Literal["direct", "gradient"]


@dataclass(frozen=True, slots=True)
class Reach:
    """Who counts around a query, as the parameters say it.

    Parameters
    ----------
    kernel
        How a row's weight falls with its distance.
    k
        How many nearest rows may count; None where ``span`` or the query decides.
    bandwidth
        A number, a way to choose one, or None for the distance of the first row that does not count.
    span
        The part of all rows that counts, after Cleveland; None where ``k`` says it.
    """

    kernel: Kernel
    k: NNeighbors | None
    bandwidth: Bandwidth
    span: float | None


@dataclass(frozen=True, slots=True)
class Model:
    """What is fitted around a query: a polynomial, and how singular fits are settled."""

    degree: int
    ridge: float
    rcond: float


@dataclass(frozen=True, slots=True)
class Descent:
    """How Mitchell's rule goes downhill; ``rate`` is None where it is to be safe."""

    rate: float | None
    steps: int
    tol: float


def check_reach(n_neighbors: object, kernel: Any, bandwidth: object, span: object) -> Reach:
    """Who counts; combinations in which one parameter would have no effect are refused."""
    found = check_kernel(kernel)
    width = check_bandwidth(bandwidth)
    if span is not None:
        _refuse_beside_span("n_neighbors", n_neighbors)
        _refuse_beside_span("bandwidth", bandwidth)
        return Reach(found, None, None, _positive("span", span, "0.75 lets three quarters of the rows count."))
    if n_neighbors is None:
        k: NNeighbors | None = "loo" if width is None else None if width == "query" else "all"
        return Reach(found, k, width, None)
    k = check_n_neighbors(n_neighbors)
    if width == "query" or (width == "loo" and k == "loo"):
        expected = "None where bandwidth='query'" if width == "query" else "a number of rows where bandwidth='loo'"
        hint = "both would say how far a fit reaches; leave one of them out."
        raise ParameterError.wrong("n_neighbors", n_neighbors, expected=expected, hint=hint)
    return Reach(found, k, width, None)


def check_kernel(kernel: Any) -> Kernel:
    """A kernel, or the one that a name stands for."""
    if isinstance(kernel, str) and kernel in KERNELS:
        return resolve_kernel(kernel)
    if not isinstance(kernel, (str, type)) and callable(kernel) and hasattr(kernel, "compact"):
        return cast(Kernel, kernel)
    expected = f"a kernel or one of {', '.join(map(repr, KERNELS))}"
    hint = "kernels with options are in priorcase.similarity, such as InversePower(3)."
    raise ParameterError.wrong("kernel", kernel, expected=expected, hint=hint, names=KERNELS)


def check_bandwidth(value: object) -> Bandwidth:
    """None, a number above 0, or a way to choose one."""
    if value is None or (isinstance(value, str) and value in ("loo", "query")):
        return cast(Bandwidth, value)
    if is_number(value) and 0 < as_python(value) < np.inf:
        return float(value)
    expected = "None, a finite number above 0, 'loo' or 'query'"
    hint = "None lets the number of neighbours set it; 'loo' chooses one number by leave-one-out."
    raise ParameterError.wrong("bandwidth", value, expected=expected, hint=hint, names=("loo", "query"))


def check_model(degree: object, ridge: object, rcond: object) -> Model:
    """The local polynomial."""
    if not is_whole(degree) or not 0 <= degree <= 2:
        hint = "0 fits a mean, 1 a plane, 2 a quadratic."
        raise ParameterError.wrong("degree", degree, expected="0, 1 or 2", hint=hint)
    hint = "0.0 fits by least squares alone; 0.1 pulls uncertain slopes towards 0."
    if not is_number(ridge) or not 0 <= as_python(ridge) <= 1e100:
        raise ParameterError.wrong("ridge", ridge, expected="a number from 0 to 1e100", hint=hint)
    if ridge > 0 and degree == 0:
        expected = "0.0 where degree=0, which has no slopes to hold back"
        raise ParameterError.wrong("ridge", ridge, expected=expected, hint=hint)
    if not is_number(rcond) or not 0 <= rcond < 1:
        hint = "1e-10 ignores directions in which the rows hardly differ."
        raise ParameterError.wrong("rcond", rcond, expected="a number from 0 to below 1", hint=hint)
    return Model(int(degree), float(ridge), float(rcond))


def check_robust(value: object) -> int:
    """How many times rows that fit badly are made to count less."""
    if is_whole(value) and 0 <= value <= 1000:
        return int(value)
    expected, hint = "a whole number from 0 to 1000", "0 fits once; 2 are Cleveland's."
    raise ParameterError.wrong("robust", value, expected=expected, hint=hint)


def check_solver(solver: object, rate: object, steps: object, tol: object) -> Descent | None:
    """How to go downhill; None where the fit is solved for directly."""
    hint = "'direct' solves for the fit; 'gradient' is Mitchell's rule, which comes to rest at the same fit."
    chosen = check_choice("solver", solver, ("direct", "gradient"), hint=hint)
    expected = "'auto' or a finite number above 0"
    hint = "'auto' never overshoots."
    automatic = isinstance(rate, str) and rate == "auto"
    if not automatic and not (is_number(rate) and 0 < as_python(rate) < np.inf):
        raise ParameterError.wrong("learning_rate", rate, expected=expected, hint=hint, names=("auto",))
    if not is_whole(steps) or steps < 1:
        raise ParameterError.wrong("max_steps", steps, expected="a whole number >= 1", hint="10000 is plenty.")
    if not is_number(tol) or not 0 <= tol < 1:
        hint = "1e-12 stops when a step changes next to nothing."
        raise ParameterError.wrong("tol", tol, expected="a number from 0 to below 1", hint=hint)
    if chosen == "direct":
        return None
    return Descent(None if automatic else float(cast(float, rate)), int(steps), float(tol))


def check_level(value: object) -> float:
    """How probable it is that an interval holds what it is for."""
    if is_number(value) and 0 < value < 1:
        return float(value)
    raise ParameterError.wrong("level", value, expected="a number between 0 and 1", hint="0.95 is common.")


def _positive(parameter: str, value: object, hint: str) -> float:
    if is_number(value) and 0 < as_python(value) < np.inf:
        return float(value)
    raise ParameterError.wrong(parameter, value, expected="None or a finite number above 0", hint=hint)


def _refuse_beside_span(parameter: str, value: object) -> None:
    if value is not None:
        hint = "span is a share of the rows, and with that both a number of neighbours and a bandwidth."
        raise ParameterError.wrong(parameter, value, expected="None where span is given", hint=hint)


def check_target(value: object, n: int) -> int:
    """The position of a target."""
    if is_whole(value) and 0 <= value < n:
        return int(value)
    expected = "0, the only target" if n == 1 else f"a whole number from 0 to {n - 1}"
    raise ParameterError.wrong("target", value, expected=expected, hint="targets are columns of y, from 0.")
