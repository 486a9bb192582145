"""Intervals around the predictions of any regressor that hold the truth as often as they say."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from sklearn.base import RegressorMixin, is_classifier
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_is_fitted

from priorcase._parameters import check_choice
from priorcase._typing import FloatArray
from priorcase.evaluation.answers import readable
from priorcase.evaluation.conformal.estimator import ConformalEstimator, check_real
from priorcase.evaluation.conformal.folds import Folds, check_folds
from priorcase.evaluation.conformal.intervals import Intervals, left_out_residuals
from priorcase.evaluation.conformal.ranks import check_level
from priorcase.evaluation.conformal.residuals import has_spread
from priorcase.evaluation.running import check_jobs
from priorcase.exceptions import EvaluationError, ParameterError, TargetError, quoted
from priorcase.learning.state import changes, reads
from priorcase.learning.targets import read_numbers

Method: TypeAlias = Literal["cv+", "jackknife+", "jackknife-minmax"]
Nonconformity: TypeAlias = Literal["absolute", "scaled"]

FOLDS = 10


class ConformalRegressor(RegressorMixin, ConformalEstimator):
    """Intervals with a guarantee around the predictions of any regressor, from residuals of rows left out.

    With ``mu_-i`` the regressor fitted without row i (without its fold, for ``"cv+"``) and
    ``R_i = |y_i - mu_-i(x_i)|``, the interval of level ``1 - alpha`` around x goes from the ``floor(alpha (n + 1))``-th
    smallest of ``mu_-i(x) - R_i`` to the ``ceil((1 - alpha)(n + 1))``-th smallest of ``mu_-i(x) + R_i``: jackknife+ and
    CV+ (Barber et al. 2021). Where there are too few rows for such a number the interval has no end.

    What is proved, for rows in no particular order and whatever the regressor: an interval of level ``1 - alpha`` by
    ``"jackknife+"`` holds the truth of a new row with probability ``1 - 2 alpha`` at least (their Theorem 1), by
    ``"jackknife-minmax"`` with ``1 - alpha`` (Theorem 3), and by ``"cv+"`` with K folds of n rows with
    ``1 - 2 alpha - min(2 (1 - 1/K) / (n/K + 1), (1 - K/n) / (K + 1))`` (Theorem 4). In practice the first and the
    last come close to ``1 - alpha``, and min-max intervals are longer than they need to be. The probability is that
    over all rows and queries, not one for each query.

    Parameters
    ----------
    estimator
        Any regressor with scikit-learn's ``fit`` and ``predict``, of this library or not; it is copied, never changed.
    method
        ``"cv+"``: one model for each of ``folds`` folds. ``"jackknife+"``: one for each row, the finest and slowest.
        ``"jackknife-minmax"``: likewise, from the smallest to the largest of ``mu_-i(x)`` and beyond them by the
        ``ceil((1 - alpha)(n + 1))``-th smallest residual.
    folds
        How many folds, for ``"cv+"`` only; they are drawn at random.
    nonconformity
        ``"absolute"``: the residual as it is; all intervals are then about equally long. ``"scaled"``: divided by the
        standard deviation that ``predict(X, return_std=True)`` gives, so that intervals are short where the regressor
        is sure; what is proved stays proved.
    random_state
        Where folds come from, and every ``random_state`` of the estimator that is None.
    n_jobs
        How many models joblib fits or asks at a time; None is one, unless ``joblib.parallel_config`` says otherwise.
        The answers do not depend on it.

    Attributes
    ----------
    estimator_
        The estimator fitted to all rows.
    residuals_
        ``R_i`` of each row, by a model that has not seen it.
    n_features_in_, feature_names_in_
        The columns, where the estimator has them.

    Notes
    -----
    Up to 30 models are kept. More are made anew whenever intervals are asked for: by a copy of ``estimator_`` that
    forgets the row where the learner forgets exactly, as most here do, and by a fit otherwise. So ask for many
    intervals in one call. What depends on the order of rows, as IB2 to IB5 do, needs rows in an order that is random.

    References
    ----------
    R. F. Barber, E. J. Candès, A. Ramdas & R. J. Tibshirani, Predictive inference with the jackknife+, *Annals of
    Statistics* 49, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from priorcase.evaluation import ConformalRegressor
    >>> import priorcase as pc
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0.0, 6.0, (60, 1))
    >>> y = np.sin(X[:, 0]) + rng.normal(0.0, 0.1, 60)
    >>> model = ConformalRegressor(pc.KNNRegressor(5), method="jackknife+").fit(X, y)
    >>> model.predict_interval([[1.0], [4.5]], level=0.9).round(2)
    array([[ 0.56,  0.91],
           [-1.09, -0.73]])
    """

    residuals_: FloatArray
    _method: Method
    _scaled: bool

    def __init__(
        self,
        estimator: Any,
        *,
        method: Method = "cv+",
        folds: int = FOLDS,
        nonconformity: Nonconformity = "absolute",
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.folds = folds
        self.nonconformity = nonconformity
        self.random_state = random_state
        self.n_jobs = n_jobs

    @changes
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the estimator to all rows, and find the residual of each row under a model that has not seen it.

        Parameters
        ----------
        X
            Whatever the estimator learns from: a frame, an array or a list of rows.
        y
            One number for each row.
        """
        folds = self._check_parameters()
        check_real(X)
        X = readable(X, self.estimator)
        targets = _targets(y)
        self._fit_folds(X, targets, folds)
        self._method, self._scaled = self.method, self.nonconformity == "scaled"
        self.residuals_ = left_out_residuals(
            self._left_out, self._folds, X, targets, scaled=self._scaled, n_jobs=self.n_jobs
        )
        return self

    @reads
    def predict_interval(self, X: Any, level: float = 0.9) -> FloatArray:
        """Lower and upper end for each query, shape (queries, 2); infinite where there are too few rows.

        Parameters
        ----------
        X
            Queries.
        level
            ``1 - alpha``, above 0 and below 1; what that promises depends on ``method``.
        """
        check_is_fitted(self)
        check_jobs(self.n_jobs)
        X = readable(X, self.estimator_)
        asked, m = check_level(level), len(self.estimator_.predict(X))
        intervals = Intervals(self._left_out, self._folds, self.residuals_, scaled=self._scaled, n_jobs=self.n_jobs)
        return (intervals.minmax if self._method == "jackknife-minmax" else intervals.plus)(X, m, asked)

    def _check_parameters(self) -> Folds:
        """The folds; refuses parameters that break their rules."""
        hint = "'jackknife+' leaves out one row at a time, 'cv+' a fold at a time."
        check_choice("method", self.method, get_args(Method), hint=hint)
        hint = "'absolute' goes with every regressor."
        check_choice("nonconformity", self.nonconformity, get_args(Nonconformity), hint=hint)
        self._check_estimator("regressor", is_classifier)
        if self.nonconformity == "scaled" and not has_spread(self.estimator):
            raise EvaluationError(
                f"got nonconformity='scaled' and {type(self.estimator).__name__}, whose predict has no return_std to "
                "scale by. nonconformity='absolute' goes with every regressor; LocallyWeightedRegressor has return_std."
            )
        folds = check_folds(self.folds, one_by_one=False)
        if self.method == "cv+":
            return folds
        if folds != FOLDS:
            raise ParameterError(
                f"folds must be {FOLDS} where method={self.method!r}, got {quoted(self.folds)}. Leave folds out: every "
                "row is a fold of its own."
            )
        return "loo"


def _targets(y: Any) -> FloatArray:
    numbers, flat = read_numbers(y)
    if numbers.shape[1] != 1:
        raise TargetError(
            f"got y of shape {numbers.shape}; y should be a 1d array. Pass a list or an array with one value for each "
            "row of X."
        )
    if not flat:
        text = "A column-vector y was passed when a 1d array was expected. Take its shape to (n_samples,) by ravel()."
        warnings.warn(text, DataConversionWarning, stacklevel=4)
    return numbers[:, 0]
