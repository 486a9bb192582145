"""The share of a value among all values of an attribute, by each of the three predictive distributions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from priorcase._typing import FloatArray
from priorcase.bayes.predictive import evidence_share, growth
from priorcase.bayes.zeros import ZeroPolicy

Predictive: TypeAlias = Literal["map", "evidence", "sc"]
PREDICTIVES: tuple[Predictive, ...] = ("map", "evidence", "sc")


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts with the Dirichlet weights beside them; arrays that go together by broadcasting.

    Parameters
    ----------
    count
        Rows in the cell.
    total
        Rows in all cells of the same attribute and class.
    weight, weights
        The cell's Dirichlet weight, and that of all cells together.
    size
        How many cells there are.
    mass
        The sum of ``max(count + weight - 1, 0)`` over all cells: what the most probable parameters are shares of.
    """

    count: FloatArray
    total: FloatArray
    weight: FloatArray
    weights: FloatArray
    size: FloatArray
    mass: FloatArray

    @property
    def peak(self) -> FloatArray:
        """What the cell has above the uniform density, at least nothing: its part of ``mass``."""
        return np.maximum(self.count + (self.weight - 1.0), 0.0)  # so that with weight 1 counts stay as they are

    def without(self, rows: float | FloatArray) -> Cells:
        """The same with so many rows less in the cell."""
        less = replace(self, count=np.maximum(self.count - rows, 0.0), total=np.maximum(self.total - rows, 0.0))
        return replace(less, mass=np.maximum(self.mass - self.peak + less.peak, 0.0))


def log_shares(cells: Cells, predictive: Predictive, policy: ZeroPolicy) -> FloatArray:
    """The logarithm of each cell's share; for ``"sc"`` the growth of the log-likelihood, of which classes have shares.

    - ``"evidence"``: ``(f + s) / (h + sum s)``, Kontkanen et al. 1998, eq. 9;
    - ``"map"``: ``(f + s - 1) / (h + sum s - n)``, eq. 7, the policy applied to it; ``1 / n`` where nothing is known;
    - ``"sc"``: ``g(f) - g(h)``, the form of Kontkanen et al. 1997, eq. 8, that takes one look-up for each attribute.
    """
    if predictive == "evidence":
        return np.log(evidence_share(cells.count, cells.total, cells.weight, cells.weights))
    if predictive == "sc":
        return growth(cells.count) - growth(cells.total)
    empty = cells.mass <= 0.0
    shares = np.where(empty, 1.0 / np.maximum(cells.size, 1.0), cells.peak / np.where(empty, 1.0, cells.mass))
    with np.errstate(divide="ignore"):
        return np.log(policy.parameters(shares))
