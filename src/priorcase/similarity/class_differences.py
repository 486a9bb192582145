"""How two values of one attribute differ in their class distributions: the value difference family.

``P(c|x)``, the profile of x, is the share of class c among the stored rows with value x. References: Stanfill & Waltz
1986 (VDM); Cost & Salzberg 1993 (MVDM, PEBLS); Wilson & Martinez 1997 with the erratum of March 2000 (HVDM, DVDM, IVDM,
WVDM).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._parameters import check_fields
from priorcase._typing import FloatArray
from priorcase.exceptions import ParameterError
from priorcase.similarity.differences import Difference
from priorcase.similarity.statistics import Column, shares
from priorcase.similarity.terms import Curve, MissingRule, Profile, Term, raised, raised_number

Norm = Literal["sum", "root", "class_root", "weighted"]
Unseen = Literal["maximal", "prior", "zero"]
Empty = Literal["zero", "prior"]

_EXPONENT = [Interval(Real, 1, None, closed="left")]
# Beyond this many intervals their edges alone fill the memory.
_BINS = [Interval(Integral, 1, 1_000_000, closed="both"), None]


@dataclass(frozen=True)
class ValueDifference(Difference):
    """Difference of two values' class profiles, built on ``s = sum_c |P(c|x) - P(c|q)| ** exponent``.

    ========================  =======================================================================================
    ``"sum"``                 ``d = s``: MVDM (exponent k), and N1 of HVDM (exponent 1)
    ``"root"``                ``d = sqrt(s)``: N2 of HVDM, DVDM, IVDM, WVDM (exponent 2)
    ``"class_root"``          ``d = sqrt(C s)`` with C classes: N3 of HVDM (exponent 2)
    ``"weighted"``            ``d = w(q) s``, ``w(q) = sqrt(sum_c P(c|q)^2)`` of the query's value: VDM (exponent 2)
    ========================  =======================================================================================

    Parameters
    ----------
    exponent
        Cost & Salzberg's k.
    norm
        How s becomes a difference; see the table.
    unseen
        A query value without stored rows: ``"maximal"`` (as far as two values can be: s = 2, and w = 1), ``"prior"``
        (its profile is the class shares of all rows) or ``"zero"`` (its profile is all 0, and w = 1). A value that the
        schema declares is known even if no row holds it: its profile is all 0 with ``"zero"``, otherwise the prior's.

    Examples
    --------
    >>> ValueDifference(exponent=2, norm="root")
    ValueDifference(exponent=2, norm='root', unseen='maximal')
    """

    exponent: float = 1.0
    norm: Norm = "sum"
    unseen: Unseen = "maximal"

    accepts: ClassVar[tuple[str, ...]] = ("ordinal", "nominal")
    needs_classes: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "exponent": _EXPONENT,
        "norm": [StrOptions(set(get_args(Norm)))],
        "unseen": [StrOptions(set(get_args(Unseen)))],
    }

    def __post_init__(self) -> None:
        check_fields(self)
        _check_norm(self)

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        counts, prior = column.class_counts(), column.all.prior()
        instead = np.zeros_like(prior) if self.unseen == "zero" else prior
        profiles = shares(counts, instead)
        factors = self._factors(profiles, column)
        own = profiles[0] if missing.symbol and (counts[0].sum() > 0 or self.unseen != "maximal") else None
        n_classes = column.all.n_classes
        most = {"root": math.sqrt(2.0), "class_root": math.sqrt(2.0 * n_classes)}.get(self.norm, 2.0)
        largest = raised_number(most, power)
        return Profile(
            power,
            largest if missing.symbol and own is None else missing.one,
            missing.both,
            np.ascontiguousarray(profiles[1:]),
            factors[1:].copy(),
            exponent=self.exponent,
            root=self.norm in ("root", "class_root"),
            f_unseen=largest,
            unseen=None if self.unseen == "maximal" else instead,
            unseen_factor=float(self._factors(instead[None, :], column)[0]),
            missing=own,
            missing_factor=float(factors[0]) if own is not None else 1.0,
        )

    def _factors(self, profiles: FloatArray, column: Column) -> FloatArray:
        if self.norm == "class_root":
            return np.full(len(profiles), float(column.all.n_classes))
        if self.norm != "weighted":
            return np.ones(len(profiles))
        w = np.sqrt(raised(profiles, 2).sum(axis=1))
        return np.where(w == 0.0, 1.0, w)


@dataclass(frozen=True)
class Discretised(Difference):
    """Class profiles of equal-width intervals: numbers as symbols, for PEBLS and DVDM.

    The stored range is cut into ``bins`` intervals of equal width (Wilson & Martinez 1997, section 2.5); a number
    outside it belongs to the nearest interval. Intervals are then compared as values are in `ValueDifference`.

    Parameters
    ----------
    bins
        Number of intervals, 1,000,000 at most; None takes ``max(5, number of classes)``.
    exponent, norm
        As in `ValueDifference`, without ``"weighted"``.
    empty
        Profile of an interval without stored rows: all ``"zero"``, or the class shares of all rows (``"prior"``).

    Examples
    --------
    >>> Discretised(bins=10)
    Discretised(bins=10, exponent=1.0, norm='sum', empty='zero')
    """

    bins: int | None = None
    exponent: float = 1.0
    norm: Norm = "sum"
    empty: Empty = "zero"

    accepts: ClassVar[tuple[str, ...]] = ("numeric",)
    needs_classes: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "bins": _BINS,
        "exponent": _EXPONENT,
        "norm": [StrOptions(set(get_args(Norm)) - {"weighted"})],
        "empty": [StrOptions(set(get_args(Empty)))],
    }

    def __post_init__(self) -> None:
        check_fields(self)
        _check_norm(self)

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        edges, _ = _intervals(column, self.bins)
        prior = column.all.prior()
        profiles = shares(column.interval_counts(edges), np.zeros_like(prior) if self.empty == "zero" else prior)
        factor = float(column.all.n_classes) if self.norm == "class_root" else 1.0
        root = self.norm in ("root", "class_root")
        return Curve(power, *missing[:2], edges, profiles, True, self.exponent, factor, root)


@dataclass(frozen=True)
class Interpolated(Difference):
    """Class profiles interpolated between the midpoints of equal-width intervals: IVDM.

    ``d = sqrt(sum_c (p_c(x) - p_c(q))^2)``. The profile of interval u stands at its midpoint; between midpoints p is
    linear; it falls to 0 half a width outside the stored range and stays 0 beyond, and an interval without rows has
    profile 0 (Wilson & Martinez 1997, section 4 and erratum). A constant column has d = 0.

    Parameters
    ----------
    bins
        Number of intervals, as in `Discretised`.
    """

    bins: int | None = None

    accepts: ClassVar[tuple[str, ...]] = ("numeric",)
    needs_classes: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {"bins": _BINS}

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        edges, width = _intervals(column, self.bins)
        counts = column.interval_counts(edges)
        profiles = shares(counts, np.zeros(counts.shape[1]))
        if width > 0:
            low, high = column.range()
            middles = low + width * (np.arange(len(edges), dtype=np.float64) + 0.5)
            edges, profiles = _padded(column, low - width / 2, middles, high + width / 2, profiles)
        return Curve(power, *missing[:2], edges, profiles, False, 2.0, 1.0, True)


@dataclass(frozen=True)
class Windowed(Interpolated):
    """Class profiles of a window around every stored number, interpolated in between: WVDM.

    As `Interpolated`, but p at a stored number v is the class shares of the rows within half an interval's width of v,
    ends included (Wilson & Martinez 1997, section 5 and erratum). Fitting sorts the column whenever rows were added,
    and keeps a profile for every distinct number: with C classes, C + 1 floats each.

    Parameters
    ----------
    bins
        The window is as wide as one of this many equal intervals; as in `Discretised`.
    """

    def fit(self, column: Column, missing: MissingRule, power: float) -> Term:
        _, width = _intervals(column, self.bins)
        centres, profiles = column.window_shares(width)
        if not len(centres):
            centres, profiles = np.zeros(1), np.zeros((1, profiles.shape[1]))
        elif width > 0:
            centres, profiles = _padded(column, centres[0] - width / 2, centres, centres[-1] + width / 2, profiles)
        return Curve(power, *missing[:2], centres, profiles, False, 2.0, 1.0, True)


def _intervals(column: Column, bins: int | None) -> tuple[FloatArray, float]:
    """Left edges of the intervals and their width; one interval where the column is constant."""
    s = max(5, column.all.n_classes) if bins is None else bins
    low, high = column.range()
    width = (high - low) / s
    edges = low + width * np.arange(s, dtype=np.float64)
    if np.any(np.diff(edges) <= 0):
        return np.array([low]), 0.0
    return edges, width


def _padded(
    column: Column, low: float, middle: FloatArray, high: float, profiles: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The curve with a profile of 0 at both ends; breaks that rounding has made equal are left out."""
    column.check_finite(max(-low, high), "the range of intervals around them")
    breaks = np.concatenate([[low], middle, [high]])
    nothing = np.zeros((1, profiles.shape[1]))
    rising = np.concatenate([[True], np.diff(breaks) > 0])
    return breaks[rising], np.ascontiguousarray(np.concatenate([nothing, profiles, nothing])[rising])


def _check_norm(difference: ValueDifference | Discretised) -> None:
    if difference.norm != "sum" and difference.exponent != 2:
        raise ParameterError(
            f"exponent of {type(difference).__name__} must be 2 with norm={difference.norm!r}, got "
            f"{difference.exponent!r}; only norm='sum' takes other exponents"
        )
