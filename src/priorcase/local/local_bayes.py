"""Naive Bayes from the rows around a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from priorcase._core import local_bayes
from priorcase._parameters import as_python, is_number
from priorcase._typing import FloatArray, IntArray
from priorcase.bayes.gaussian import Gaussian
from priorcase.bayes.student import Student
from priorcase.exceptions import ParameterError
from priorcase.learning.parameters import check_choice
from priorcase.local.classifier_rows import ClassRows, effective_weights
from priorcase.local.neighborhoods import Neighborhoods
from priorcase.similarity.checks import settle

_LEAST, _MOST = 1e-9, 1e9


@dataclass(frozen=True)
class LocalNaiveBayes:
    """``P(c) prod_a P(x_a | c)`` from the weighted rows around the query (Frank, Hall & Pfahringer 2003).

    With ``n_c`` the weight of the class's rows, ``f`` that of those with the query's value and ``K`` the number of
    values of the column: ``P(c)`` is proportional to ``n_c`` and the classes' prior, and ``P(x_a | c) = (f + s) / (n_c
    + K s)`` for nominal and ordinal columns. A gap is left out, in rows and in queries. A value that no stored row has
    is answered as if it were one more of the column.

    Parameters
    ----------
    prior
        s: the Dirichlet weight of each value.
    numeric
        The density of numbers: ``"student"``, the average over all normal densities, with the mean and the variance of
        the neighbourhood for a prior (`Student`), or ``"gaussian"``, the one with the class's own mean and variance
        (`Gaussian`). A column without two different numbers in the neighbourhood says nothing.

    Examples
    --------
    >>> LocalNaiveBayes(numeric="gaussian")
    LocalNaiveBayes(prior=1.0, numeric='gaussian')
    """

    prior: float = 1.0
    numeric: Literal["student", "gaussian"] = "student"

    def __post_init__(self) -> None:
        if not is_number(self.prior) or not _LEAST <= as_python(self.prior) <= _MOST:
            hint = "1.0 adds one row for each value, so that no value is impossible."
            expected = f"a number from {_LEAST:g} to {_MOST:g}"
            raise ParameterError.wrong("prior", self.prior, expected=expected, hint=hint)
        hint = "'student' keeps few rows from claiming certainty; 'gaussian' takes their mean and variance as they are."
        check_choice("numeric", self.numeric, ("student", "gaussian"), hint=hint)
        settle(self, prior=float(self.prior))

    def probabilities(
        self, rows: ClassRows, cells: FloatArray, around: Neighborhoods, *, numbers: IntArray, threads: int
    ) -> FloatArray:
        """Of each class for each query, shape (queries, classes)."""
        student, gaussian = Student(), Gaussian()
        return local_bayes(
            around.indptr,
            around.rows,
            effective_weights(around),
            rows.codes,
            np.zeros(rows.n_classes) if rows.prior is None else rows.prior,
            rows.table.cells,
            rows.for_counts(cells),
            rows.table.kinds,
            rows.table.scales,
            rows.sizes,
            value_prior=self.prior,
            student=self.numeric == "student",
            strength=student.strength,
            degrees=student.degrees,
            smoothing=gaussian.smoothing,
            threads=threads,
        )
