"""The output layer of a network: ridge least squares over the answers of the centres, the intercept unpenalised.

With answers ``Phi`` and targets Y of the rows, both less their means and times the roots of the rows' weights, and the
singular value decomposition ``Phi = U S V'``, the weights for any penalty alpha are ``V S (S^2 + alpha)^-1 U' Y``. One
decomposition serves a whole ladder of penalties, and so do the scores of each: generalised cross-validation (Golub,
Heath & Wahba 1979) and leaving rows out one by one (Allen 1974), neither of which fits anything again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from priorcase._typing import FloatArray

LADDER = 10.0 ** np.arange(1.0, -8.25, -0.5)
"""Penalties to choose from, in units of the largest squared singular value, the strongest first.

Lower ones fit better only by huge weights of opposite signs, which new rows far from the others pay for.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """All that least squares needs to know of the rows.

    Parameters
    ----------
    total
        How many rows there are, weights counted as repetitions.
    means, target_means
        Mean answer of each centre, and mean of each target.
    singular, right
        Singular values S, 0 where they are no more than rounding, and right singular vectors V as columns.
    projected
        ``U' Y``, shape (centres, targets).
    rest
        Sum of squares of each target that no weights can reach.
    """

    total: float
    means: FloatArray
    target_means: FloatArray
    singular: FloatArray
    right: FloatArray
    projected: FloatArray
    rest: FloatArray

    def penalties(self) -> FloatArray:
        """The ladder of penalties."""
        return LADDER * (self.largest or 1.0)

    @property
    def largest(self) -> float:
        """The largest squared singular value."""
        return float(self.singular[0] * self.singular[0]) if self.singular.size else 0.0

    @property
    def dependent(self) -> bool:
        """Whether float64 cannot tell some answers of the centres from sums of others; less their means, one always is
        where every row is a centre.
        """
        return int((self.inverses(0.0) > 0.0).sum()) < self.singular.size - 1

    def inverses(self, alpha: float) -> FloatArray:
        """``1 / (S^2 + alpha)``; without a penalty 0 for directions that no row tells of, so that weights are least."""
        squares = self.singular * self.singular
        if alpha == 0.0:
            return np.divide(1.0, squares, out=np.zeros_like(squares), where=squares > 0.0)
        return 1.0 / (squares + alpha)

    def left_over(self, alpha: float) -> FloatArray:
        """``alpha / (S^2 + alpha)``: the part of each direction that is not fitted."""
        squares = self.singular * self.singular
        return alpha / (squares + alpha) if alpha else (self.inverses(0.0) == 0.0).astype(np.float64)

    def weights(self, alpha: float) -> FloatArray:
        """Weights of the centres, shape (centres, targets)."""
        return self.right @ self._inner(alpha)

    def intercept(self, weights: FloatArray) -> FloatArray:
        """What is said where no centre answers."""
        return self.target_means - self.means @ weights

    def freedom(self, alpha: float) -> float:
        """Trace of the hat matrix, the intercept counted in: how many parameters the fit amounts to."""
        return 1.0 + float((1.0 - self.left_over(alpha)).sum())

    def squared_error(self, alpha: float) -> float:
        """Sum of the squared residuals of all targets."""
        missed = self.left_over(alpha)[:, None] * self.projected
        return float(self.rest.sum()) + float((missed * missed).sum())

    def gcv(self, alpha: float) -> float:
        """``n RSS / (n - trace)^2``; infinite where there are no more rows than parameters."""
        spare = self.total - self.freedom(alpha)
        if spare <= 1e-9 * self.total:
            return np.inf
        return self.squared_error(alpha) / self.total / (spare / self.total) ** 2

    def left_out(
        self, phi: FloatArray, targets: FloatArray, weights: FloatArray, alphas: FloatArray, *, whole: bool = False
    ) -> tuple[FloatArray, FloatArray]:
        """Residuals and what to divide them by to get those of rows left out, for each penalty.

        With ``h_i = 1 / n + sum_k z_ik^2 / (s_k^2 + alpha)``, z the row in the directions V, the residual of a row that
        is left out once is ``e_i / (1 - h_i)``, exactly.

        Parameters
        ----------
        phi, targets, weights
            Answers of the centres, targets and weights of some rows. A row of weight 2 is left out once and stays
            once; of a row of weight 1/2 that half is left out.
        alphas
            The penalties.
        whole
            Whether a row is left out with all its weight w: ``e_i / (1 - w_i h_i)``.

        Returns
        -------
        Residuals, shape (penalties, rows, targets), and divisors, shape (penalties, rows).
        """
        z = (phi - self.means) @ self.right
        squares, once = z * z, weights if whole else np.minimum(weights, 1.0)
        residuals = np.empty((alphas.size, *targets.shape))
        divisors = np.empty((alphas.size, len(z)))
        for i, alpha in enumerate(alphas.tolist()):
            residuals[i] = targets - self.target_means - z @ self._inner(alpha)
            divisors[i] = 1.0 - once * (1.0 / self.total + squares @ self.inverses(alpha))
        return residuals, divisors

    def _inner(self, alpha: float) -> FloatArray:
        """Weights of the directions."""
        return (self.singular * self.inverses(alpha))[:, None] * self.projected


class Triangle:
    """The triangle R of ``[1 Phi Y] = Q R``, grown block by block: the rows themselves are not kept.

    Orthogonal steps keep twice as many digits as sums of products would.

    Parameters
    ----------
    centers, targets
        How many there are.
    """

    def __init__(self, centers: int, targets: int) -> None:
        self._centers = centers
        self._rows: FloatArray = np.zeros((0, 1 + centers + targets))

    def add(self, phi: FloatArray, targets: FloatArray, weights: FloatArray) -> None:
        """Take in some rows."""
        block = np.concatenate((np.ones((len(phi), 1)), phi, targets), axis=1)
        block *= np.sqrt(weights)[:, None]
        self._rows = np.asarray(np.linalg.qr(np.concatenate((self._rows, block)), mode="r"))

    def spectrum(self) -> Spectrum:
        """What the rows so far amount to."""
        count, width = self._centers, self._rows.shape[1]
        full = np.zeros((width, width))
        full[: len(self._rows)] = self._rows
        # The first row is that of the intercept, up to its sign; below it all columns are less their means.
        root, inner = full[0, 0], slice(1, 1 + count)
        left, singular, right = np.linalg.svd(full[inner, inner])
        # Answers less their means are exact to this many digits of the answers themselves.
        noise = np.finfo(np.float64).eps * (1 + count) * float(np.linalg.norm(full[: 1 + count, inner]))
        singular = np.where(singular > noise, singular, 0.0)
        beyond = full[1 + count :, 1 + count :]
        return Spectrum(
            total=float(root * root),
            means=full[0, inner] / root,
            target_means=full[0, 1 + count :] / root,
            singular=singular,
            right=np.ascontiguousarray(right.T),
            projected=left.T @ full[inner, 1 + count :],
            rest=(beyond * beyond).sum(axis=0),
        )
