"""Functions that return distances from the literature as `Distance` objects."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from numbers import Real
from typing import Any, Literal, TypeAlias

from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._parameters import as_python, check_value
from priorcase.exceptions import ParameterError, advice, prefix_errors, quoted
from priorcase.similarity.differences import (
    Absolute,
    Difference,
    Discretized,
    Interpolated,
    Norm,
    Overlap,
    Scaling,
    Unseen,
    ValueDifference,
    Windowed,
)
from priorcase.similarity.distance import Distance
from priorcase.similarity.whole_rows import METRICS, whole_rows

DistanceLike: TypeAlias = str | Distance | Callable[[Any, Any], float]
"""Type of the ``distance`` parameter of estimators."""

_AT_LEAST_ONE = [Interval(Real, 1, None, closed="left")]


def heom() -> Distance:
    """Heterogeneous Euclidean-overlap metric (HEOM), ``sqrt(sum d^2)`` (Wilson & Martinez 1997, section 2.3).

    Numbers are scaled by their range, nominal values are compared by overlap, and ordinal levels are compared by rank.
    If a value is missing, d = 1.

    >>> heom()
    Distance('heom')
    """
    return Distance()


def robust() -> Distance:
    """Variant of `heom` with ranges computed without outliers; this is the default distance of most estimators.

    With `heom`, a single outlier, such as the year 1320 among years from 1990 on, makes all other differences in the
    column almost 0. The result equals `heom` if there are no outliers or fewer than 20 rows. See `Absolute` for the
    definition of an outlier.

    >>> robust().numeric.scaling
    'inliers'
    """
    return Distance(numeric=Absolute("inliers"))


@prefix_errors
def hvdm(normalization: Literal["N1", "N2", "N3"] = "N2") -> Distance:
    """Heterogeneous value difference metric (HVDM), ``sqrt(sum d^2)`` (Wilson & Martinez 1997, section 3).

    The difference of numbers and of ordinal levels is ``|x - q| / (4 std)``, and d = 1 if a value is missing. The
    difference of nominal values with class probabilities P and P' (0 for unseen values) is ``sum_c |P - P'|`` with
    ``N1``, ``sqrt(sum_c |P - P'|^2)`` with ``N2`` (the paper's choice), or ``sqrt(C sum_c |P - P'|^2)`` for C classes
    with ``N3``.

    >>> hvdm("N1").nominal
    ValueDifference(exponent=1.0, norm='sum', unseen='zero')
    """
    check_value("normalization", normalization, [StrOptions({"N1", "N2", "N3"})])
    norms: dict[str, tuple[float, Norm]] = {"N1": (1.0, "sum"), "N2": (2.0, "root"), "N3": (2.0, "class_root")}
    linear, values = Absolute("std", factor=4.0), ValueDifference(*norms[normalization], "zero")
    return Distance(numeric=linear, nominal=values, ordinal=linear)


def vdm(bins: int | None = None) -> Distance:
    """Value difference metric (VDM), ``sum w(q) sum_c (P - P')^2`` (Stanfill & Waltz 1986); not symmetric.

    The weight of a query value q is ``w(q) = sqrt(sum_c P(c|q)^2)``. Numbers are discretized into bins of equal width
    and compared without w(q), because the paper defines the weight w(q) for symbols only. A missing value counts as an
    additional symbol (``missing="symbol"``).

    >>> vdm().nominal
    ValueDifference(exponent=2.0, norm='weighted', unseen='maximal')
    """
    return _by_class_counts(ValueDifference(2.0, "weighted"), Discretized(bins, 2.0, "sum"), power=1.0, root=False)


@prefix_errors
def mvdm(k: float = 1.0, r: float = 2.0, bins: int | None = None, unseen: Unseen = "maximal") -> Distance:
    """Modified value difference metric (MVDM) of PEBLS, ``sum_a (sum_c |P - P'|^k)^r`` (Cost & Salzberg 1993).

    Numbers are discretized into bins of equal width. Ordinal levels are treated as nominal values, and a missing value
    counts as an additional value. The distance does not include the exemplar weights of `PEBLS`.

    >>> mvdm(k=2).nominal
    ValueDifference(exponent=2, norm='sum', unseen='maximal')
    """
    check_value("k", k, _AT_LEAST_ONE)
    check_value("r", r, _AT_LEAST_ONE)
    k, r = as_python(k), as_python(r)
    return _by_class_counts(ValueDifference(k, "sum", unseen), Discretized(bins, k, "sum"), power=r, root=False)


def dvdm(bins: int | None = None) -> Distance:
    """Discretized value difference metric (DVDM), ``sqrt(sum d^2)`` (Wilson & Martinez 1997, section 4 and erratum).

    Numbers are discretized into bins of equal width, by default ``max(5, number of classes)`` bins. Ordinal levels are
    treated as nominal values, and a missing value counts as an additional value.

    >>> dvdm(bins=10).numeric
    Discretized(bins=10, exponent=2.0, norm='root', empty='zero')
    """
    return _by_class_counts(ValueDifference(2.0, "root", "zero"), Discretized(bins, 2.0, "root"))


def ivdm(bins: int | None = None) -> Distance:
    """Interpolated value difference metric (IVDM), which is `dvdm` with numbers compared by `Interpolated`.

    >>> ivdm().numeric
    Interpolated(bins=None)
    """
    return _by_class_counts(ValueDifference(2.0, "root", "zero"), Interpolated(bins))


def wvdm(bins: int | None = None) -> Distance:
    """Windowed value difference metric (WVDM), which is `dvdm` with numbers compared by `Windowed`.

    >>> wvdm(10).numeric
    Windowed(bins=10)
    """
    return _by_class_counts(ValueDifference(2.0, "root", "zero"), Windowed(bins))


def gower() -> Distance:
    """Gower's distance, ``sum w d / sum w`` over the columns known in both rows (Gower 1971).

    Numbers are scaled by their range, nominal values are compared by overlap, and ordinal levels are compared by rank.
    Two rows have distance 1 if no column is known in both rows.

    >>> gower().missing, gower().power
    ('skip', 1.0)
    """
    return Distance(missing="skip", power=1.0, root=False, mean=True, nothing_shared=1.0)


def overlap() -> Distance:
    """Overlap distance, the number of columns in which two rows differ; a missing value differs from all values.

    >>> overlap().numeric
    Overlap()
    """
    same = Overlap()
    return Distance(numeric=same, nominal=same, ordinal=same, power=1.0, root=False)


@prefix_errors
def minkowski(p: float = 2.0, scaling: Scaling = "none") -> Distance:
    """Minkowski distance, ``(sum |x - q|^p) ** (1/p)``, optionally with scaled numbers.

    Nominal values are compared by overlap, and ordinal levels by rank, scaled to the range from 0 to 1. Missing values
    are skipped and the sum is scaled up, as in scikit-learn's ``nan_euclidean_distances``. The distance of two rows is
    infinite if no column is known in both rows.

    >>> minkowski(3, "range")
    Distance(missing='skip', power=3)
    """
    check_value("p", p, _AT_LEAST_ONE)
    return Distance(numeric=Absolute(scaling), missing="skip", power=p)


def euclidean(scaling: Scaling = "none") -> Distance:
    """Euclidean distance, which is `minkowski` with p = 2.

    >>> euclidean("std").numeric.scaling, euclidean("std").power
    ('std', 2.0)
    """
    return minkowski(2.0, scaling)


def manhattan(scaling: Scaling = "none") -> Distance:
    """Manhattan distance, which is `minkowski` with p = 1.

    >>> manhattan()
    Distance('manhattan')
    """
    return minkowski(1.0, scaling)


def ib() -> Distance:
    """Distance of Aha's IB learners, ``sqrt(sum d^2)`` (Aha, Kibler & Albert 1991).

    The distance differs from `heom` in two ways: the range of a column includes the query value, as in Weka's IB1, and
    a missing value has the largest possible difference from a known value.

    >>> ib().missing, ib().numeric.widen
    ('aha', True)
    """
    return Distance(numeric=Absolute("range", widen=True), missing="aha")


def cosine() -> Distance:
    """Cosine distance, ``1 - cos(x, q)``, for numeric columns only.

    Missing numbers are skipped, as in `minkowski`. A row of zeros has distance 1/2 from every nonzero row.

    >>> cosine()
    Distance('cosine')
    """
    half = Absolute("none", factor=math.sqrt(2.0))
    return Distance(numeric=half, missing="skip", root=False, unit_length=True)


PRESETS: dict[str, Callable[[], Distance]] = {
    preset.__name__: preset
    for preset in (
        robust,
        heom,
        hvdm,
        vdm,
        mvdm,
        dvdm,
        ivdm,
        wvdm,
        gower,
        overlap,
        euclidean,
        manhattan,
        minkowski,
        ib,
        cosine,
    )
}


@cache
def preset(name: str) -> Distance:
    """Return the distance with the given name; the result is cached."""
    return PRESETS[name]()


_ALIASES: dict[str, Distance] = {
    "cityblock": manhattan(),
    "l1": manhattan(),
    "l2": euclidean(),
    "nan_euclidean": euclidean(),
    "sqeuclidean": replace(euclidean(), root=False),
    "hamming": replace(overlap(), numeric=Overlap(), missing="skip", power=1.0, mean=True),
}
"""Distances of this module, by their names in scikit-learn."""


def resolve(distance: DistanceLike) -> Distance:
    """Convert a name or a function of two rows to a distance, and return a distance unchanged.

    A name refers to a distance of this module or to a metric of scikit-learn, or is ``"precomputed"``.

    A function is called with a query row and a stored row and must return a finite number >= 0. If all columns are
    numeric, both rows are arrays with NaN for missing values, as in scikit-learn. If any column is not numeric, both
    rows are tuples with numbers as floats and None for missing values.

    >>> resolve("gower"), resolve("chebyshev")
    (Distance('gower'), RowDistance(RowMetric(name='chebyshev')))
    """
    if isinstance(distance, Distance):
        return distance
    if isinstance(distance, str) and distance in PRESETS:
        return preset(str(distance))
    if isinstance(distance, str) and distance in _ALIASES:
        return _ALIASES[distance]
    if (found := whole_rows(distance)) is not None:
        return found
    choices = [*PRESETS, *_ALIASES, *METRICS, "precomputed"]
    remedy = advice(distance, choices, otherwise="Functions for distances with parameters are in priorcase.similarity.")
    names = ", ".join(map(repr, sorted(choices)))
    raise ParameterError(
        f"distance must be a Distance, a function of two rows or one of {names}, got {quoted(distance)}. {remedy}"
    )


def _by_class_counts(values: Difference, numbers: Difference, power: float = 2.0, root: bool = True) -> Distance:
    return Distance(numeric=numbers, nominal=values, ordinal=values, missing="symbol", power=power, root=root)
