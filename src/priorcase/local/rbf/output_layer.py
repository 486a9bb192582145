"""Output layer of RBF networks, fitted by ridge regression on the activations with an unpenalized intercept.

Let ``Phi`` be the activations and Y the targets of the rows, both centered and multiplied by the square roots of the
row weights, and ``Phi = U S V'`` the singular value decomposition. Then the weights for a penalty alpha are
``V S (S^2 + alpha)^-1 U' Y``. One decomposition gives the weights for all penalties, and their scores by
generalized cross-validation (Golub, Heath & Wahba 1979) or leave-one-out (Allen 1974), without refitting. The compiled
core uses one thread for each width and no BLAS threads. On a busy machine, BLAS threads would wait for each other at
every column and could take a hundred times as long.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from priorcase._core import ridge_left_out, ridge_rows, ridge_spectrum
from priorcase._numbers import equal_decimals, number
from priorcase._typing import Backend, FloatArray, IntArray
from priorcase.exceptions import prefix_errors
from priorcase.learning.plotting import drawing, legend_beside, ring, style
from priorcase.learning.results import Grid, GridResult, framed
from priorcase.local.rbf.centers import Criterion, gaussian

# Candidate penalties, in units of the largest squared singular value, strongest first. Lower penalties fit better only
# with huge weights of opposite signs, which give poor predictions far from the training rows.
PENALTIES = 10.0 ** np.arange(1.0, -8.25, -0.5)


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """Singular value decomposition of the activations, with the statistics that ridge regression needs."""

    total: float  # number of rows, weights counted as repetitions
    means: FloatArray  # mean activation of each center
    target_means: FloatArray
    singular: FloatArray  # S, 0 for singular values at rounding level
    right: FloatArray  # V', a row for each direction
    projected: FloatArray  # Y' U, shape (targets, centers)
    rest: float  # sum of squares of the targets that no weights can fit

    @classmethod
    def of(cls, triangle: FloatArray, centers: int) -> Spectrum:
        """Decompose the triangular matrix R of all rows; see `with_rows`. ``centers`` is the number of centers."""
        inner, outer = slice(1, 1 + centers), slice(1 + centers, None)
        # The first row belongs to the intercept, up to its sign; below it, all columns are centered.
        root, given = triangle[0, 0], np.ascontiguousarray(triangle[inner, outer])
        singular, right, projected = ridge_spectrum(np.ascontiguousarray(triangle[inner, inner]), given)
        # Rounding errors of centered activations are proportional to the activations before centering.
        noise = np.finfo(np.float64).eps * (1 + centers) * math.sqrt(np.square(triangle[: 1 + centers, inner]).sum())
        kept = singular > noise  # the remainder is rounding error
        return cls(
            total=float(root * root),
            means=triangle[0, inner] / root,
            target_means=triangle[0, outer] / root,
            singular=np.where(kept, singular, 0.0),
            right=np.where(kept[:, None], right, 0.0),
            projected=np.ascontiguousarray(projected.T),
            rest=float(np.square(triangle[outer, outer]).sum()),
        )

    def penalties(self) -> FloatArray:
        largest = float(self.singular[0] * self.singular[0]) if self.singular.size else 0.0
        return PENALTIES * (largest or 1.0)

    @property
    def dependent(self) -> bool:
        """Whether centered activations have two or more linear dependencies; one is normal if all rows are centers."""
        return int((self.singular * self.singular > 0.0).sum()) < self.singular.size - 1

    def weights(self, alpha: float) -> FloatArray:
        """Return the weights of the centers, shape (centers, targets)."""
        inner = np.ascontiguousarray(self._inner(np.array([alpha]))[0].T)
        return np.asarray(np.ascontiguousarray(self.right.T) @ inner)

    def freedom(self, alphas: FloatArray) -> FloatArray:
        """Return the effective number of parameters, which is the trace of the hat matrix including the intercept."""
        return np.asarray(1.0 + (1.0 - self._left_over(alphas)).sum(axis=1))

    def gcv(self, alphas: FloatArray) -> FloatArray:
        """Return the generalized cross-validation score ``n RSS / (n - p)^2`` of each penalty; p is its `freedom`."""
        spare = self.total - self.freedom(alphas)
        missed = (self._left_over(alphas)[:, None, :] * self.projected).reshape(alphas.size, -1)
        errors = (self.rest + (missed * missed).sum(axis=1)) / self.total
        result, known = np.full(alphas.size, np.inf), spare > 1e-9 * self.total
        return np.asarray(np.divide(errors, (spare / self.total) ** 2, out=result, where=known))

    def left_out(
        self, phi: FloatArray, targets: FloatArray, weights: FloatArray, alphas: FloatArray, *, whole: bool = False
    ) -> FloatArray:
        """Return the leave-one-out residuals of rows for each penalty, shape (rows, penalties, targets).

        If a weight v of row i is left out, its residual changes from e_i to exactly ``e_i / (1 - v h_i)``. Here,
        ``h_i = 1 / n + sum_k z_ik^2 / (s_k^2 + alpha)``, and z_i contains the coordinates of the centered activations
        of row i in the directions V. With ``whole``, v is the weight of the row; otherwise, v is the smaller of this
        weight and 1.
        """
        inner = self._inner(alphas).reshape(-1, self.means.size)
        fitted, leverages = ridge_left_out(phi, self.means, self.right, inner, self._inverses(alphas))
        residuals = (targets - self.target_means)[:, None, :] - fitted.reshape(len(phi), alphas.size, -1)
        once = weights if whole else np.minimum(weights, 1.0)
        divisors = (1.0 - once[:, None] * (1.0 / self.total + leverages))[:, :, None]
        result: FloatArray = np.full(residuals.shape, np.inf)  # infinite if the fit interpolates the row
        return np.divide(residuals, divisors, out=result, where=divisors > 1e-12)

    def left_out_score(
        self, width: FloatArray, alphas: FloatArray, squares: FloatArray, targets: FloatArray, weights: FloatArray
    ) -> FloatArray:
        """Return the contribution of rows to the leave-one-out mean squared error, for each penalty."""
        errors = self.left_out(gaussian(squares, width), targets, weights, alphas)
        return np.asarray(((errors * errors).sum(axis=2) * weights[:, None]).sum(axis=0) / self.total)

    def _inverses(self, alphas: FloatArray) -> FloatArray:
        """Return ``1 / (S^2 + alpha)``, with 0 instead of ``1 / 0``, which gives minimum-norm weights."""
        squares = self.singular * self.singular + alphas[:, None]
        return np.divide(1.0, squares, out=np.zeros_like(squares), where=squares > 0.0)

    def _left_over(self, alphas: FloatArray) -> FloatArray:
        """Return ``alpha / (S^2 + alpha)``: the fraction of each direction that is not fitted."""
        squares = self.singular * self.singular + alphas[:, None]
        return np.divide(alphas[:, None], squares, out=np.ones_like(squares), where=squares > 0.0)

    def _inner(self, alphas: FloatArray) -> FloatArray:
        """Return the weights of the singular directions, shape (penalties, targets, directions)."""
        return (self.singular * self._inverses(alphas))[:, None, :] * self.projected


def with_rows(
    triangle: FloatArray, width: FloatArray, squares: FloatArray, targets: FloatArray, weights: FloatArray
) -> FloatArray:
    """Add rows to the triangular matrix R of the QR decomposition ``[1 Phi Y] = Q R``, and return the new R."""
    block = np.concatenate((np.ones((len(squares), 1)), gaussian(squares, width), targets), axis=1)
    block *= np.sqrt(weights)[:, None]
    # Rounding errors cost only half as many digits as in a sum of products of the columns.
    return ridge_rows(triangle, block)


@dataclass(frozen=True, repr=False, eq=False)
class RidgeCurve(GridResult):
    """Table of the widths and penalties tried, with their estimated errors; prints the best penalty for each width.

    Parameters
    ----------
    criterion, widths
        Error estimate, ``"gcv"`` or ``"loo"`` (leave-one-out mean squared error), and mean widths of the centers.
    alphas, freedom, scores
        Penalties, effective numbers of parameters, and estimates, which are infinite without degrees of freedom.
    chosen, backend
        Position of the lowest estimate, and data frame library of the training table, or None.

    Examples
    --------
    >>> widths, alphas = np.array([0.5, 0.5, 1.0, 1.0]), np.array([10.0, 1.0, 10.0, 1.0])
    >>> RidgeCurve("gcv", widths, alphas, np.array([2.5, 3.1, 2.0, 2.2]), np.array([0.4, 0.3, 0.6, 0.5]), chosen=1)
    width  alpha  parameters  gcv
      0.5      1         3.1  0.3  chosen
      1.0      1         2.2  0.5
    """

    criterion: Criterion
    widths: FloatArray
    alphas: FloatArray
    freedom: FloatArray
    scores: FloatArray
    chosen: int
    backend: Backend | None = None

    _caption: ClassVar[str] = "Widths and penalties tried"

    def __len__(self) -> int:
        return self.scores.size

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row for each width and penalty; for ``backend``, see `Precedents.frame`."""
        columns = {"width": self.widths, "alpha": self.alphas, "parameters": self.freedom, self.criterion: self.scores}
        return framed({**columns, "chosen": np.arange(len(self)) == self.chosen}, backend or self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot the estimates against the penalty, one line for each width; return the axes."""
        with drawing(ax) as ax:
            for i, lines in enumerate(self._by_width()):
                look, shown = style(i), self.scores[lines]
                drawn = {"color": look.color, "linestyle": look.line, "marker": look.marker, "markersize": 3.4}
                label = f"width {self.widths[lines[0]]:.3g}"
                ax.plot(self.alphas[lines], np.where(np.isfinite(shown), shown, np.nan), label=label, **drawn)
            ring(ax, float(self.alphas[self.chosen]), float(self.scores[self.chosen]), label="chosen")
            if (self.alphas > 0).all():
                ax.set_xscale("log")
            finite = self.scores[np.isfinite(self.scores)]
            if finite.size and 0 < finite.min() < finite.max() / 100:
                ax.set_yscale("log")
            ax.set(xlabel="alpha", ylabel=self.criterion)
            legend_beside(ax)
            return ax

    def _by_width(self) -> list[IntArray]:
        """Return, for each width, the indices of its entries."""
        starts = np.flatnonzero(np.diff(self.widths, prepend=np.nan))
        return np.split(np.arange(len(self)), starts[1:])

    def _grid(self) -> Grid:
        best = [
            self.chosen if self.chosen in tried else int(tried[self.scores[tried].argmin()])
            for tried in self._by_width()
        ]
        alphas = [number(alpha, 4) for alpha in self.alphas[best].tolist()]  # they range over powers of ten
        columns = [equal_decimals(of[best]) for of in (self.widths, self.freedom, self.scores)]
        columns.insert(1, alphas)
        lines = [[*texts, "chosen" if i == self.chosen else ""] for i, *texts in zip(best, *columns, strict=True)]
        return Grid("", ["width", "alpha", "parameters", self.criterion, ""], lines, right=range(4))
