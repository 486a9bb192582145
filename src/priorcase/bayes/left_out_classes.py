"""Shares of the classes, for each stored row without itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from priorcase.bayes.shares import Cells, log_shares
from priorcase.bayes.tables import Estimates
from priorcase.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class LeftOutClasses:
    """The classes as cells, of which rows are left out.

    Parameters
    ----------
    cells
        The classes with all rows.
    estimates
        How cells become probabilities.
    """

    cells: Cells
    estimates: Estimates

    def alike(self, rows: float) -> tuple[FloatArray, FloatArray] | None:
        """Log-shares without so many rows: of the other classes, and of the class that lost them.

        None where the shares of the others depend on which class that is.
        """
        losses = self._losses(rows)
        return self._logs(rows, rows) if (losses[self.cells.count >= rows] == rows).all() else None

    def logs(self, own: IntArray, row_weights: FloatArray) -> FloatArray:
        """Log-shares of all classes for each row without itself, (rows, classes)."""
        found = np.empty((len(own), self.cells.count.size))
        distinct, which = np.unique(row_weights, return_inverse=True)
        for number, weight in enumerate(distinct.tolist()):
            rows = np.flatnonzero(which == number)
            losses = self._losses(weight)[own[rows]]
            for loss in np.unique(losses).tolist():
                some = rows[losses == loss]
                found[some], mine = self._logs(weight, loss)
                found[some, own[some]] = mine[own[some]]
        return found

    def _losses(self, rows: float) -> FloatArray:
        """What ``mass`` loses when so many rows leave each class: less than these where a weight below 1 is cut off."""
        cells = self.cells
        if self.estimates.predictive != "map":  # which alone asks for the mass
            return np.full(cells.count.shape, rows)
        return np.where(cells.count - rows + (cells.weight - 1.0) >= 0.0, rows, cells.peak)

    def _logs(self, rows: float, loss: float) -> tuple[FloatArray, FloatArray]:
        total, mass = np.maximum(self.cells.total - rows, 0.0), np.maximum(self.cells.mass - loss, 0.0)
        others = replace(self.cells, total=total, mass=mass)
        own = replace(others, count=np.maximum(self.cells.count - rows, 0.0))
        predictive, policy = self.estimates.predictive, self.estimates.policy
        return log_shares(others, predictive, policy), log_shares(own, predictive, policy)
