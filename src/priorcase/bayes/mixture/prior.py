"""What is believed of the parameters before any row is seen."""

from __future__ import annotations

from dataclasses import dataclass

from priorcase._typing import FloatArray

# A component is narrower than the whole column: a tenth of its variance is expected, and a mean anywhere in the column.
# On real tables rows left out were scored better by this than by components expected to be as wide as the column.
_NARROWER = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """The prior of all parameters, worth ``weight`` rows.

    Parameters
    ----------
    weight
        Dirichlet weight a of each component and of each value of a discrete attribute.
    strength, shape, rate
        Of mean and precision of a numeric attribute, in standard units: ``lambda ~ Gamma(shape, rate)`` and
        ``mu ~ N(0, 1 / (strength lambda))``.
    bounds
        The largest precision of each numeric attribute, shape (attributes, 1): the Gamma ends there. Numbers are
        recorded to some grain; a narrower component would give a recorded number a probability above 1, and repeated
        numbers would be taken for components of their own.
    """

    weight: float
    strength: float
    shape: float
    rate: float
    bounds: FloatArray

    @classmethod
    def of(cls, weight: float, largest_precisions: FloatArray) -> Prior:
        """The prior of a mixture of columns in standard units.

        Examples
        --------
        >>> import numpy as np
        >>> Prior.of(1.0, np.array([12.0]))
        Prior(weight=1.0, strength=0.1, shape=0.5, rate=0.05, bounds=array([[12.]]))
        """
        strength, shape = _NARROWER * weight, 0.5 * weight
        return cls(weight, strength, shape, _NARROWER * shape, largest_precisions[:, None])
