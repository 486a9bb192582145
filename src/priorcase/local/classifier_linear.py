"""Linear regression of the classes' indicators on the rows around a query."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.local.classifier_rows import ClassRows, with_prior
from priorcase.local.fits import HAT_ROWS, fitted
from priorcase.local.neighborhoods import Neighborhoods
from priorcase.local.parameters import check_model
from priorcase.neighbors.voters import summed
from priorcase.similarity.checks import settle


@dataclass(frozen=True)
class LocalLinear:
    """The value at the query of a local regression on each class's indicator, clipped at 0 and divided by the sum.

    Fits are those of `LocallyWeightedRegressor`: the value for a class is the sum of the hat row over its rows. The
    values of all classes sum to 1 before they are clipped, so that some class always has a positive one. Then the
    classes' prior is added: ``(n p_c + prior_c) / (n + sum prior)``, with n the effective number of neighbours.

    Parameters
    ----------
    degree, ridge, rcond
        As in `LocallyWeightedRegressor`; degree 0 is the weighted vote.

    Examples
    --------
    >>> LocalLinear()
    LocalLinear(degree=1, ridge=0.0, rcond=1e-10)
    """

    degree: int = 1
    ridge: float = 0.0
    rcond: float = 1e-10

    def __post_init__(self) -> None:
        model = check_model(self.degree, self.ridge, self.rcond)
        settle(self, degree=model.degree, ridge=model.ridge, rcond=model.rcond)

    def probabilities(
        self, rows: ClassRows, cells: FloatArray, around: Neighborhoods, *, numbers: IntArray, threads: int
    ) -> FloatArray:
        """Of each class for each query, shape (queries, classes)."""
        model = check_model(self.degree, self.ridge, self.rcond)
        fits = fitted(rows.table, model, cells, around, want=HAT_ROWS, threads=threads)
        at = around.queries() * rows.n_classes + rows.codes[around.rows]
        values = summed(at, fits.answers["hat"], len(around) * rows.n_classes).reshape(-1, rows.n_classes)
        clipped = np.maximum(values, 0.0)
        return with_prior(clipped / clipped.sum(axis=1, keepdims=True), around, rows.prior)
