"""Shares of the classes, for each stored row without itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.shares import Cells, log_shares
from priorcase.bayes.tables import Estimates


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
        losses = self._losses(np.asarray(rows), slice(None))
        if not (losses[self.cells.count >= rows] == rows).all():
            return None
        others = replace(self.cells, total=_less(self.cells.total, rows), mass=_less(self.cells.mass, rows))
        own = replace(others, count=_less(self.cells.count, rows))
        predictive, policy = self.estimates.predictive, self.estimates.policy
        return log_shares(others, predictive, policy), log_shares(own, predictive, policy)

    def logs(self, own: IntArray, row_weights: FloatArray) -> FloatArray:
        """Log-shares of all classes for each row without itself, (rows, classes)."""
        cells, rows = self.cells, row_weights[:, np.newaxis]
        counts = np.repeat(cells.count[np.newaxis], len(own), axis=0)
        counts[np.arange(len(own)), own] = _less(cells.count[own], row_weights)
        losses = self._losses(row_weights, own)[:, np.newaxis]
        left = replace(cells, count=counts, total=_less(cells.total, rows), mass=_less(cells.mass, losses))
        return log_shares(left, self.estimates.predictive, self.estimates.policy)

    def _losses(self, rows: FloatArray, of: IntArray | slice) -> FloatArray:
        """What ``mass`` loses when rows leave some classes: less than these where a weight below 1 is cut off."""
        count, weight, peak = self.cells.count[of], self.cells.weight[of], self.cells.peak[of]
        if self.estimates.predictive != "map":  # which alone asks for the mass
            return np.broadcast_to(rows, count.shape)
        return np.where(count - rows + (weight - 1.0) >= 0.0, rows, peak)


def _less(amount: FloatArray, gone: FloatArray | float) -> FloatArray:
    return np.maximum(amount - gone, 0.0)
