"""What numeric attributes add to joint logs and to the marginal likelihood."""

from __future__ import annotations

from collections.abc import Sequence

from priorcase.bayes.additive import Density, KernelTerm
from priorcase.bayes.gaussian import Gaussian
from priorcase.bayes.kernel_density import KernelDensity
from priorcase.bayes.numeric import Numeric
from priorcase.bayes.statistics import Statistics
from priorcase.bayes.student import Student

PLUG_IN = (Gaussian, KernelDensity)
"""Strategies whose parameters are estimated, not averaged over."""


def numeric_terms(
    statistics: Statistics, numeric: Sequence[Numeric | None]
) -> tuple[dict[int, Density], dict[int, KernelTerm]]:
    """The densities of the numeric attributes, by position in the schema."""
    densities, kernels = {}, {}
    for a, strategy in enumerate(numeric):
        if isinstance(strategy, (Student, Gaussian)):
            parameters = strategy.parameters(statistics.moments[a])[statistics.codes]
            densities[a] = Density(parameters, isinstance(strategy, Gaussian))
        elif isinstance(strategy, KernelDensity):
            kernels[a] = KernelTerm(strategy, statistics.sorted_values[a])
    return densities, kernels


def numbers_evidence(statistics: Statistics, numeric: Sequence[Numeric | None]) -> float:
    """The log marginal likelihood of the numbers in all classes."""
    students = [(a, strategy) for a, strategy in enumerate(numeric) if isinstance(strategy, Student)]
    return float(sum(strategy.log_marginal(statistics.moments[a])[statistics.codes].sum() for a, strategy in students))
