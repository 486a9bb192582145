"""Reduction curves: share of rows kept by reducers, and scores of models fitted to these rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from priorcase._parameters import is_whole
from priorcase._typing import AnyArray, Backend, FloatArray
from priorcase.exceptions import (
    ParameterError,
    UninformativeColumnWarning,
    advice,
    prefix_errors,
    quoted,
    unwarned,
)
from priorcase.learning.plotting import MUTED, drawing, legend_beside, style
from priorcase.learning.resampling import bar, taken_rows
from priorcase.learning.results import Grid, GridResult, framed, free_label
from priorcase.learning.targets import as_array, check_length, has_fractions, read_numbers
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.reduction.base import check_one_target
from priorcase.schema.schema import backend_of

ALL_ROWS = "all rows"  # name of the full table


@dataclass(frozen=True, repr=False, eq=False)
class ReductionCurve(GridResult):
    """Result of `reduction_curve`: share of rows kept and held-out score of each reducer; prints as a table."""

    names: tuple[str, ...]  # of the reducers; the first is the full table
    kept: FloatArray  # share of the training rows kept in each split, shape (reducers, splits)
    scores: FloatArray  # score on the held-out rows, same shape
    score: str  # name of the score: ``"accuracy"``, or ``"r2"`` for a regressor
    backend: Backend | None = None  # library of the table's frame

    def __len__(self) -> int:
        return len(self.names)

    @property
    def kept_mean(self) -> FloatArray:
        """Share of rows that each reducer keeps, averaged over the splits."""
        return np.asarray(self.kept.mean(axis=1))

    @property
    def score_mean(self) -> FloatArray:
        """Score of each reducer, averaged over the splits."""
        return np.asarray(self.scores.mean(axis=1))

    @property
    def kept_error(self) -> FloatArray:
        """Standard error of `kept_mean`, ``s / sqrt(splits)``; NaN with one split."""
        return _standard_error(self.kept)

    @property
    def score_error(self) -> FloatArray:
        """Standard error of `score_mean`."""
        return _standard_error(self.scores)

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row per reducer.

        The columns are ``reducer``, ``kept``, ``kept_error``, the score (for example ``accuracy``), and its standard
        error (for example ``accuracy_error``). For ``backend`` see `Precedents.frame`.
        """
        columns: dict[str, Any] = {"reducer": list(self.names), "kept": self.kept_mean, "kept_error": self.kept_error}
        columns |= {self.score: self.score_mean, f"{self.score}_error": self.score_error}
        return framed(columns, backend or self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot the score against the share of rows kept, with standard errors; a dashed line shows the full table."""
        lines = zip(self.names, self.kept_mean, self.score_mean, self.kept_error, self.score_error, strict=True)
        with drawing(ax) as ax:
            for i, (name, x, y, across, up) in enumerate(lines):
                errors, look = np.nan_to_num([across, up]), style(i)
                drawn = {"color": look.color, "elinewidth": 1.0, "markeredgecolor": "white", "markersize": 6.5}
                ax.errorbar(x, y, xerr=errors[0], yerr=errors[1], fmt=look.marker, label=name, **drawn)
            ax.axhline(self.score_mean[0], color=MUTED, linewidth=0.9, linestyle=(0, (3, 3)), zorder=1)
            ax.set(xlabel="share of the rows kept", ylabel=f"held-out {self.score}", xlim=(0, 1.05))
            legend_beside(ax)
            return ax

    def _grid(self) -> Grid:
        columns = (self.kept_mean, self.kept_error, self.score_mean, self.score_error)
        numbers = [["-" if np.isnan(value) else f"{value:.3f}" for value in column] for column in columns]
        lines = list(zip(self.names, *numbers, strict=True))
        return Grid("", ["reducer", "kept", "±", self.score, "±"], lines, right=range(1, 5))


def _standard_error(values: FloatArray) -> FloatArray:
    n = values.shape[1]
    return np.asarray(values.std(axis=1, ddof=1) / np.sqrt(n)) if n > 1 else np.full(len(values), np.nan)


@prefix_errors
def reduction_curve(
    reducers: Any,
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    param_name: str | None = None,
    param_range: Iterable[Any] | None = None,
    cv: Any = 5,
    random_state: int | np.random.RandomState | None = None,
) -> ReductionCurve:
    """Cross-validate reducers: the share of rows they keep, and the score of an estimator fitted to those rows.

    In each split, the reducers and the estimator are fitted to the training rows only. The first row of the result
    describes the full table, without reduction.

    Parameters
    ----------
    reducers
        A reducer, a list of reducers, or a mapping from name to reducer. A reducer is an object with ``fit_resample``,
        such as `ENN`, `DROP3`, `IB2`, or an object of your own class (see `Resampler`).
    X, y
        The rows and their targets.
    estimator
        Estimator to fit and to score with its own ``score`` (accuracy or R²). By default ``KNNClassifier(1)``, or
        ``KNNRegressor(1)`` if ``y`` contains numbers with fractions.
    param_name, param_range
        A parameter to vary and its values, as in ``validation_curve``.
    cv, random_state
        Number of folds, which are shuffled with ``random_state`` and stratified for a classifier. ``cv`` may also be a
        splitter or an iterable of splits, as in scikit-learn.

    Examples
    --------
    >>> import priorcase as pc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> pc.reduction_curve([pc.ENN(), pc.DROP3()], X, y, estimator=pc.KNNClassifier(3), random_state=0)
    reducer    kept      ±  accuracy      ±
    all rows  1.000  0.000     0.960  0.016
    ENN       0.952  0.004     0.960  0.016
    DROP3     0.112  0.008     0.933  0.011
    """
    named = _varied(_named(reducers), param_name, param_range)
    array, rows = as_array(y), X.shape[0] if hasattr(X, "shape") else len(X)
    check_length(len(array), rows)
    check_one_target(array.shape[1] if array.ndim == 2 else 1)
    numbers = has_fractions(array)
    array = read_numbers(array)[0].ravel() if numbers else array
    if estimator is None:
        estimator = KNNRegressor(1) if numbers else KNNClassifier(1)
    if numbers and not is_regressor(estimator):
        raise ParameterError(
            f"estimator must be a regressor if y contains numbers with fractions, got {quoted(estimator)}. "
            "Pass, for example, KNNRegressor(1)."
        )
    splits = list(_splitter(cv, random_state, estimator, array).split(np.zeros(len(array)), array.ravel()))
    kept, scores = np.ones((len(named) + 1, len(splits))), np.empty((len(named) + 1, len(splits)))
    with bar(scores.size, shown=True, text="reduction_curve") as advance:
        for s, (train, test) in enumerate(splits):
            parts = [taken_rows(table, np.asarray(at)) for at in (train, test) for table in (X, y)]
            X_train, y_train, X_test, y_test = parts
            for r, (name, reducer) in enumerate([(ALL_ROWS, None), *named.items()]):
                with unwarned(UninformativeColumnWarning):  # a column may be constant in the rows kept but not in X
                    some = (X_train, y_train) if reducer is None else _reduced(name, reducer, X_train, y_train)
                    kept[r, s] = len(as_array(some[1])) / len(train)
                    scores[r, s] = clone(estimator).fit(*some).score(X_test, y_test)
                advance(name)
    score = "r2" if is_regressor(estimator) else "accuracy"
    return ReductionCurve((ALL_ROWS, *named), kept, scores, score, backend_of(X))


def _reduced(name: str, reducer: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Fit a copy of a reducer, and return the rows kept and their targets."""
    found = clone(reducer, safe=False).fit_resample(X, y)
    if not isinstance(found, (tuple, list)) or len(found) != 2:
        raise ParameterError(
            f"fit_resample of {name!r} must return the rows kept and their targets, got {quoted(found)}"
        )
    rows, targets = (each.shape[0] if hasattr(each, "shape") else len(each) for each in found)
    if not rows or rows != targets:
        raise ParameterError(
            f"fit_resample of {name!r} must return at least one row, and one target for each row, got {rows} rows and "
            f"{targets} targets"
        )
    return found[0], found[1]


def _named(reducers: Any) -> dict[str, Any]:
    if isinstance(reducers, Mapping):
        found = {str(name): reducer for name, reducer in reducers.items()}
    else:
        found = {}
        several = isinstance(reducers, Iterable) and not isinstance(reducers, str)
        for reducer in reducers if several else [reducers]:
            found[free_label(type(reducer).__name__, found)] = reducer
    if not found:
        raise ParameterError(
            "reducers must be a reducer, a list of reducers, or a mapping from name to reducer, got none"
        )
    for reducer in found.values():
        if not hasattr(reducer, "fit_resample") or isinstance(reducer, type):
            raise ParameterError(f"reducers must be objects with fit_resample, such as ENN(), got {quoted(reducer)}")
    return found


def _varied(reducers: dict[str, Any], name: str | None, values: Iterable[Any] | None) -> dict[str, Any]:
    """Return a copy of each reducer for each parameter value; without a parameter, return the reducers."""
    if name is None and values is None:
        return reducers
    values = list(values) if isinstance(values, Iterable) else []
    if name is None or not values:
        raise ParameterError(
            f"param_name and param_range must both be given, or neither, got {quoted(name)} and {quoted(values)}. "
            "For example, pass param_name='n_neighbors', param_range=[1, 3, 5]."
        )
    found: dict[str, Any] = {}
    for label, reducer in reducers.items():
        if name not in (known := reducer.get_params() if hasattr(reducer, "get_params") else {}):
            remedy, owner = advice(name, known, otherwise="Call get_params() for the names."), type(reducer).__name__
            raise ParameterError(f"param_name must be a parameter of {owner}, got {quoted(name)}. {remedy}")
        for value in values:
            text = f"{name}={value}" if len(reducers) == 1 else f"{label} {name}={value}"
            found[free_label(text, found)] = clone(reducer).set_params(**{name: value})
    return found


def _splitter(cv: Any, random_state: Any, estimator: Any, y: AnyArray) -> Any:
    if not is_whole(cv):
        if random_state is not None:
            raise ParameterError(
                "random_state has no effect if cv is a splitter. Set random_state of the splitter instead."
            )
        return check_cv(cv, y, classifier=not is_regressor(estimator))
    if not 2 <= cv <= len(y):
        raise ParameterError(f"cv must be a splitter or a number from 2 to {len(y)}, the number of rows, got {cv}")
    folds = KFold if is_regressor(estimator) else StratifiedKFold
    return folds(cv, shuffle=True, random_state=random_state)
