"""The models that a local classifier fits around each query: logistic, naive Bayes and linear."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._core import local_bayes, local_logistic
from priorcase._parameters import check_fields, settle
from priorcase._typing import FloatArray, IdArray, IntArray
from priorcase.bayes.numeric import GaussianDensity, Student
from priorcase.exceptions import UnsettledFitWarning, listed
from priorcase.learning.targets import Classes
from priorcase.local.fits import HAT_ROWS, LocalPolynomial, LocalTable, fit_queries, local_table, renumbered
from priorcase.local.windows import Neighborhoods, warn_queries
from priorcase.neighbors.base import NeighborsMemory
from priorcase.neighbors.votes import summed
from priorcase.schema import Nominal, Ordinal

# A Newton step that can gain no more than this share of the neighbourhood's weight in log-likelihood is the last.
_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class ClassRows:
    """The stored rows with their classes."""

    table: LocalTable
    codes: IdArray
    n_classes: int
    prior: FloatArray | None  # added to the weight of each class
    sizes: IdArray  # the number of values of each nominal or ordinal column, stored or declared, 0 for numbers
    declared: tuple[int, ...]  # the nominal columns whose values the schema declares

    @classmethod
    def of(cls, memory: NeighborsMemory, classes: Classes, prior: FloatArray | None) -> ClassRows:
        """The rows stored now."""
        table, kinds = local_table(memory), memory.instances.schema.kinds
        declared = tuple(a for a, kind in enumerate(kinds) if isinstance(kind, Nominal) and kind.values is not None)
        sizes = table.values.copy()
        for a, kind in enumerate(kinds):
            if a in declared or isinstance(kind, Ordinal):
                sizes[a] = len(memory.instances.known(a))
        return cls(table, classes.at(slice(None)), classes.labels.size, prior, sizes, declared)

    def for_counts(self, cells: FloatArray) -> FloatArray:
        """Queries numbered like the rows; below 0 for unknown values, NaN where missing or of attribute weight 0."""
        encoded = renumbered(cells, self.table.numbers)
        for a in self.declared:  # a declared value that no row has is still a value of the column
            encoded[(encoded[:, a] < 0) & (cells[:, a] >= 0), a] = self.table.values[a]
        encoded[:, self.table.ignored] = np.nan
        return encoded

    def summed(self, around: Neighborhoods, values: FloatArray) -> FloatArray:
        """The sum of the entries' values over each class, shape (queries, classes)."""
        at = around.queries() * self.n_classes + self.codes[around.rows]
        return summed(at, values, len(around) * self.n_classes).reshape(-1, self.n_classes)

    def with_prior(self, shares: FloatArray, around: Neighborhoods) -> FloatArray:
        """``(n p_c + prior_c) / (n + sum prior)`` with n the effective number of neighbours."""
        if self.prior is None:
            return shares
        n = summed(around.queries(), around.effective_weights(), len(around))[:, None]
        return np.asarray((n * shares + self.prior) / (n + self.prior.sum()))


@dataclass(frozen=True)
class LocalNaiveBayes:
    """``P(c) prod_a P(x_a | c)`` from the weighted rows around the query (Frank, Hall & Pfahringer 2003).

    With ``n_c`` the weight of the class's rows, ``f`` that of those with the query's value and ``K`` the number of
    values of the column: ``P(c)`` is proportional to ``n_c`` plus the class's prior, and ``P(x_a | c) = (f + s) / (n_c
    + K s)`` for nominal and ordinal columns. Missing values are ignored. An unseen value is one more value.

    Parameters
    ----------
    prior
        s: the Dirichlet weight of each value, from 1e-9 to 1e9.
    numeric
        The density of numbers: ``"student"``, the average over all normal densities, with the mean and the variance of
        the neighbourhood as the prior (`Student`), or ``"gaussian"``, with the class's own mean and variance
        (`GaussianDensity`). A column without two different numbers in the neighbourhood is ignored.

    Examples
    --------
    >>> LocalNaiveBayes(numeric="gaussian")
    LocalNaiveBayes(prior=1.0, numeric='gaussian')
    """

    prior: float = 1.0
    numeric: Literal["student", "gaussian"] = "student"

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "prior": [Interval(Real, 1e-9, 1e9, closed="both")],
        "numeric": [StrOptions({"student", "gaussian"})],
    }

    def __post_init__(self) -> None:
        check_fields(self)
        settle(self, prior=float(self.prior))

    def probabilities(
        self, rows: ClassRows, cells: FloatArray, around: Neighborhoods, numbers: IntArray, threads: int
    ) -> FloatArray:
        student, gaussian, table = Student(), GaussianDensity(), rows.table
        lists = around.indptr, around.rows, around.effective_weights()
        prior = np.zeros(rows.n_classes) if rows.prior is None else rows.prior
        return local_bayes(
            *(*lists, rows.codes, prior, table.cells, rows.for_counts(cells), table.kinds, table.scales, rows.sizes),
            value_prior=self.prior,
            student=self.numeric == "student",
            strength=student.strength,
            degrees=student.degrees,
            smoothing=gaussian.smoothing,
            threads=threads,
        )


@dataclass(frozen=True)
class LocalLogistic:
    """``softmax_c(a_c + x' b_c)`` at the query, fitted to the weighted rows around it.

    The fit minimises ``-sum_i w_i ln p_i(class of i) + ridge^2 / 2 sum_c |b_c|^2`` by Newton's method, over the classes
    that have rows there. Columns are those of `LocallyWeightedRegressor`, in standard deviations of the stored rows.
    The weights add up to the effective number n of neighbours, and the classes' prior is added at the end:
    ``(n p_c + prior_c) / (n + sum prior)``.

    Parameters
    ----------
    ridge
        The penalty on slopes, from 1e-6 to 1e6. With large values the answer is the weighted vote of the neighbourhood;
        very small ones are close to maximum likelihood, which is overconfident wherever a plane separates the classes.
    max_iter
        The maximum number of Newton steps; about six are common.

    Examples
    --------
    >>> LocalLogistic()
    LocalLogistic(ridge=1.0, max_iter=100)
    """

    ridge: float = 1.0
    max_iter: int = 100

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "ridge": [Interval(Real, 1e-6, 1e6, closed="both")],
        "max_iter": [Interval(Integral, 1, 10**6, closed="both")],
    }

    def __post_init__(self) -> None:
        check_fields(self)
        settle(self, ridge=float(self.ridge), max_iter=int(self.max_iter))

    def probabilities(
        self, rows: ClassRows, cells: FloatArray, around: Neighborhoods, numbers: IntArray, threads: int
    ) -> FloatArray:
        table, weights = rows.table, around.effective_weights()
        stored = rows.codes, rows.n_classes, table.cells, table.queries(cells), table.kinds, table.scales
        options: dict[str, Any] = {"ridge": self.ridge, "max_iter": self.max_iter, "tol": _TOLERANCE}
        given = around.indptr, around.rows, weights, *stored
        found, settled = local_logistic(*given, threads=threads, **options)
        if not settled.all():
            queries = numbers[settled == 0].tolist()
            text = (
                f"the logistic fits at queries {listed(queries)} did not converge within max_iter={self.max_iter}. "
                "Increase max_iter of LocalLogistic, or its ridge."
            )
            warn_queries(UnsettledFitWarning, queries, text)
        return rows.with_prior(found, around)


@dataclass(frozen=True)
class LocalLinear(LocalPolynomial):
    """The value at the query of a local regression on each class's indicator, clipped at 0 and normalised.

    Fits are those of `LocallyWeightedRegressor`: the value for a class is the sum of the hat row over its rows. The
    values of all classes sum to 1 before clipping. Then the classes' prior is added, as in `LocalLogistic`.
    Parameters are those of `LocallyWeightedRegressor`; degree 0 is the weighted vote.

    Examples
    --------
    >>> LocalLinear()
    LocalLinear(degree=1, ridge=0.0, rcond=1e-10)
    """

    def probabilities(
        self, rows: ClassRows, cells: FloatArray, around: Neighborhoods, numbers: IntArray, threads: int
    ) -> FloatArray:
        fits = fit_queries(rows.table, self, cells, around, want=HAT_ROWS, threads=threads)
        clipped = np.maximum(rows.summed(around, fits.answers["hat"]), 0.0)
        return rows.with_prior(clipped / clipped.sum(axis=1, keepdims=True), around)


LocalModel: TypeAlias = LocalNaiveBayes | LocalLogistic | LocalLinear
MODELS: dict[str, type[LocalModel]] = {"naive_bayes": LocalNaiveBayes, "logistic": LocalLogistic, "linear": LocalLinear}
MODEL_CONSTRAINTS = [StrOptions(set(MODELS)), *get_args(LocalModel)]


def probabilities(
    model: LocalModel, rows: ClassRows, cells: FloatArray, around: Neighborhoods, numbers: IntArray, threads: int
) -> FloatArray:
    """The class probabilities of queries; far from all rows, the vote of the nearest; ``numbers`` are for warnings."""
    if not around.far.any():
        return model.probabilities(rows, cells, around, numbers, threads)
    near, far = np.flatnonzero(~around.far), np.flatnonzero(around.far)
    found = np.empty((len(around), rows.n_classes))
    nearest = around.take(far)
    mass = rows.summed(nearest, nearest.effective_weights())
    found[far] = rows.with_prior(mass / mass.sum(axis=1, keepdims=True), nearest)
    if near.size:
        found[near] = model.probabilities(rows, cells[near], around.take(near), numbers[near], threads)
    return found
