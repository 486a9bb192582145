"""Logistic regression on the rows around a query."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from priorcase._core import local_logistic
from priorcase._parameters import as_python, is_number, is_whole
from priorcase._typing import FloatArray, IntArray
from priorcase.exceptions import ParameterError, UnsettledFitWarning
from priorcase.local.classifier_rows import ClassRows, effective_weights, with_prior
from priorcase.local.neighborhoods import Neighborhoods
from priorcase.similarity.checks import settle

_LEAST, _MOST = 1e-6, 1e6
# A step that can gain no more than this share of the neighbourhood's weight in log-likelihood is the last.
_TOLERANCE = 1e-12


@dataclass(frozen=True)
class LocalLogistic:
    """``softmax_c(a_c + x' b_c)`` at the query, fitted to the weighted rows around it.

    The fit minimises ``-sum_i w_i ln p_i(class of i) + ridge^2 / 2 sum_c |b_c|^2`` by Newton's method, over the classes
    that have rows there. Columns are those of local regression: deviations of numbers and ranks from the query's, in
    standard deviations of the stored rows, and indicators of values other than the query's. A gap in a row counts as
    the query's own value; a column that the query has no value of (or a level that no row could have) is left out. The
    weights add up to the effective number of neighbours, and the classes' prior is added at the end: ``(n p_c +
    prior_c) / (n + sum prior)``.

    Parameters
    ----------
    ridge
        How strongly slopes are held back. Large values make the answer the weighted vote of the neighbourhood; very
        small ones come near maximum likelihood, which is sure of itself wherever a plane parts the classes.
    max_iter
        The most steps of Newton's method; about six are common.

    Examples
    --------
    >>> LocalLogistic()
    LocalLogistic(ridge=1.0, max_iter=100)
    """

    ridge: float = 1.0
    max_iter: int = 100

    def __post_init__(self) -> None:
        if not is_number(self.ridge) or not _LEAST <= as_python(self.ridge) <= _MOST:
            hint = "1.0 suits most neighbourhoods; 1e-4 comes near maximum likelihood."
            expected = f"a number from {_LEAST:g} to {_MOST:g}"
            raise ParameterError.wrong("ridge", self.ridge, expected=expected, hint=hint)
        if not is_whole(self.max_iter) or not 1 <= self.max_iter <= 10**6:
            expected, hint = "a whole number from 1 to 1000000", "100 is plenty."
            raise ParameterError.wrong("max_iter", self.max_iter, expected=expected, hint=hint)
        settle(self, ridge=float(self.ridge), max_iter=int(self.max_iter))

    def probabilities(
        self, rows: ClassRows, cells: FloatArray, around: Neighborhoods, *, numbers: IntArray, threads: int
    ) -> FloatArray:
        """Of each class for each query, shape (queries, classes); ``numbers`` are the queries' own, for messages."""
        weights = effective_weights(around)
        found, settled = local_logistic(
            around.indptr,
            around.rows,
            weights,
            rows.codes,
            rows.n_classes,
            rows.table.cells,
            rows.table.placed(cells),
            rows.table.kinds,
            rows.table.scales,
            ridge=self.ridge,
            max_iter=self.max_iter,
            tol=_TOLERANCE,
            threads=threads,
        )
        if not settled.all():
            queries = tuple(numbers[settled == 0].tolist())
            warnings.warn(UnsettledFitWarning.logistic(queries, self.max_iter), stacklevel=2)
        return with_prior(found, around, rows.prior)
