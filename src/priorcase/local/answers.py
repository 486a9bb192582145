"""What can be asked of local regression beside predictions: intervals, slopes, influences, leave-one-out."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.exceptions import FarQueryWarning, UnsettledFitWarning
from priorcase.learning.state import reads
from priorcase.local.coefficients import LocalCoefficients, places
from priorcase.local.estimator import LocalEstimator
from priorcase.local.fits import COEFFICIENTS, HAT_ROWS, STATISTICS, Fits, together
from priorcase.local.gradient import descended
from priorcase.local.intervals import interval
from priorcase.local.parameters import Descent, check_level, check_target
from priorcase.local.precedents import Listed, LocalPrecedents, assembled, listed
from priorcase.local.warned import warn
from priorcase.neighbors.explaining import LISTED_OF_ALL


class LocalAnswers(LocalEstimator):
    """Base of local regression: questions about fits."""

    @reads
    def confidence_interval(self, X: Any, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Lower and upper ends of an interval for the mean of the target at each query.

        ``f +- t sigma sqrt(s's)`` with Student's t of ``(n_LWR - p_LWR) sum K / sum K^2`` degrees of freedom; without
        end where none is left. It holds what the noise does to the fit, not how far the true function bends away.

        Parameters
        ----------
        X
            Queries.
        level
            How probable it is to hold the mean.
        """
        return self._interval(X, level, of_target=False)

    @reads
    def prediction_interval(self, X: Any, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Lower and upper ends of an interval for a new observation: ``f +- t sigma sqrt(1 + s's)``.

        Parameters are those of `confidence_interval`.
        """
        return self._interval(X, level, of_target=True)

    @reads
    def effective_neighbors(self, X: Any) -> FloatArray:
        """``(sum K)^2 / sum K^2``: as many equally weighted rows would give a mean of the same variance."""
        return self._shaped(self._answered(self._cells(X), STATISTICS).effective())

    @reads
    def coefficients(self, X: Any) -> LocalCoefficients:
        """The slopes of the fit at each query, in units of the table: see `LocalCoefficients`."""
        fits = self._answered(self._cells(X), COEFFICIENTS)
        columns, values = places(self._stored().instances, self._table_())
        slopes = fits.answers["coefficients"]
        slopes = slopes[:, 0] if self._flat else slopes
        return LocalCoefficients(columns, values, self._shaped(fits.predictions), slopes, self._backend)

    @reads
    def precedents(self, X: Any, target: int = 0) -> LocalPrecedents:
        """The rows that each fit is made from, with their weight and their part in the prediction.

        Parameters
        ----------
        X
            Queries. Where all rows count the ten nearest are listed.
        target
            The target whose weights are listed; they differ between targets in robust fits only.
        """
        memory, table = self._answering(), self._table(X)
        column = check_target(target, self._table_().targets.shape[1])
        cells, factors = memory.instances.encode(table), self._factors()
        most = LISTED_OF_ALL if self._reach.k == "all" else None
        told = np.empty((len(cells), self._table_().targets.shape[1]))
        parts: list[Listed] = []
        far: list[int] = []
        for part, around, fits in self._fits(cells, want=HAT_ROWS, factors=factors):
            told[part], hat = fits.predictions, fits.answers["hat"]
            if factors is not None:
                around, hat = around.weighed(factors[:, column]), hat[:, column]
            parts.append(listed(around, hat, most))
            far += (fits.far + part.start).tolist()
        self._warn_far(far, len(cells))
        return assembled(memory, table, parts, self._shaped(told), self._targets_at, self._backend)

    @reads
    def hat_values(self) -> FloatArray:
        """The part that each stored row's target has in the fit at the row itself, of one repetition of it."""
        memory = self._answering()
        found = np.empty((len(memory), 1 if self._factors() is None else self._table_().targets.shape[1]))
        for part, around, fits in self._of_rows(left_out=False, want=HAT_ROWS, factors=self._factors()):
            mine = around.rows == np.arange(part.start, part.stop)[around.queries()]
            hat = fits.answers["hat"].reshape(mine.size, -1)
            for t in range(found.shape[1]):
                found[part, t] = np.bincount(around.queries()[mine], hat[mine, t], minlength=len(around))
        if memory.row_weights is not None:
            found /= memory.row_weights[:, None]
        return self._shaped(found)

    @reads
    def loo_residuals(self) -> FloatArray:
        """What each stored row's target is above the fit of all other rows there: ``y_i - f_{-i}(x_i)``.

        The row is left out before neighbours are counted and the bandwidth is set; one repetition of it, where it has
        several. ``n_neighbors_``, ``bandwidth_``, the distance and robustness weights stay those of all rows. With a
        fixed bandwidth it is ``e_i / (1 - s_ii)``, e the residual and s the hat value.
        """
        self._answering()
        targets = self._table_().targets
        found = np.empty(targets.shape)
        far: list[int] = []
        for part, _, fits in self._of_rows(left_out=True, factors=self._factors()):
            found[part] = targets[part] - fits.predictions
            far += (fits.far + part.start).tolist()
        self._warn_far(far, len(found))
        return self._shaped(found)

    @reads
    def loo_predict(self, *, relearn: bool = False) -> FloatArray:
        """For each stored row, in the order of ``ids_``, the value of the fit of all others there.

        By one search, and one small fit for each row. The row is left out before neighbours are counted and the
        bandwidth is set, with all its weight. What was learned from all rows stays: ranges and standard deviations of
        columns, the numbers of ``"sqrt"`` and of a span, and what targets have a part in: learned attribute weights,
        robustness weights, and what was chosen by ``"loo"``. Fits are those of the direct solution.

        Parameters
        ----------
        relearn
            Learn everything anew, without each row, if targets have a part in any of it (``relearns_``): all that for
            each row then.
        """
        refit, found = self._leaving(relearn), np.empty(self._table_().targets.shape)
        self._check_others()
        far: list[int] = []
        if refit:
            for row, other, cells in self._refits():
                for _, _, fits in other._fits(cells, factors=other._factors()):
                    found[row] = fits.predictions[0]
                    far += [row] * fits.far.size
        else:
            for part, _, fits in self._of_rows(left_out=True, factors=self._factors(), whole=True):
                found[part] = fits.predictions
                far += (fits.far + part.start).tolist()
        self._warn_far(far, len(found))
        return self._shaped(found)

    @property
    @reads
    def robust_weights_(self) -> FloatArray:
        """How much each stored row counts after the robust rounds, from 0 to 1; all 1 without them."""
        factors = self._factors()
        return self._shaped(np.ones((len(self._stored()), 1)) if factors is None else factors)

    # -- inside

    def _answered(self, cells: FloatArray, want: int) -> Fits:
        """The fits of all queries; a warning where some are far from everything."""
        self._answering()
        fits = together([(part.start, fits) for part, _, fits in self._fits(cells, want=want, factors=self._factors())])
        self._warn_far(fits.far.tolist(), len(cells))
        return fits

    def _interval(self, X: Any, level: float, *, of_target: bool) -> tuple[FloatArray, FloatArray]:
        sure = check_level(level)
        lower, upper = interval(self._answered(self._cells(X), STATISTICS), sure, of_target=of_target)
        return self._shaped(lower), self._shaped(upper)

    def _descended(self, cells: FloatArray, descent: Descent) -> FloatArray:
        """Predictions by Mitchell's rule; a warning where some fits did not come to rest."""
        table, factors = self._table_(), self._factors()
        found, restless = np.empty((len(cells), table.targets.shape[1])), set[int]()
        for part, around, _ in self._fits(cells):
            for t in range(found.shape[1]):
                weighed = around if factors is None else around.weighed(factors[:, t])
                targets = table.targets[:, t : t + 1]
                values, rested = descended(table, self._model, descent, cells[part], weighed, targets)
                found[part, t] = values[:, 0]
                restless.update((np.flatnonzero(~rested) + part.start).tolist())
        if restless:
            warning = UnsettledFitWarning.of(tuple(sorted(restless)), descent.steps)
            warn(warning)
        return found

    def _warn_far(self, queries: list[int], n: int) -> None:
        if queries:
            warn(FarQueryWarning.of(tuple(queries), n))

    def _targets_at(self, rows: IntArray) -> AnyArray:
        numbers = self._table_().targets[rows]
        return numbers[:, 0] if self._flat else numbers
